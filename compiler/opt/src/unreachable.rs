//! `unreachable`: unreachable-code elimination. Removes the statements after a `break`, `continue`
//! or `exit` of the same block.
//!
//! Control never reaches them, so neither their `cost` nor their traps are observable.

use star_ir::visit::blocks_mut;
use star_ir::{Block, Program, RoutineId, StmtKind};

use crate::context::Context;

pub(crate) fn run(program: &mut Program, id: RoutineId, _: &mut Context) -> usize {
    block(&mut program.routine_mut(id).body)
}

/// Returns the number of shortened blocks.
fn block(stmts: &mut Block) -> usize {
    let n_before = stmts.len();
    if let Some(jump) = stmts.iter().position(|stmt| jumps(&stmt.kind)) {
        stmts.truncate(jump + 1);
    }
    let inner = stmts.iter_mut().flat_map(|stmt| blocks_mut(&mut stmt.kind)).flatten();
    let inner: usize = inner.map(block).sum();
    inner + usize::from(stmts.len() < n_before)
}

/// Returns whether control never continues after the statement.
fn jumps(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit)
}
