//! `dead`: dead-store and dead-code elimination.
//!
//! * A store to a variable that is not live afterwards. A variable that a trap shows is used, and
//!   every statement that can trap uses every `ref` parameter: a store to one is dead only if no
//!   statement that can trap, print, read, write or call precedes the next store
//!   ([`star_ir::analysis::liveness`]).
//! * Branches, blocks and loops without contents. A loop is removed only if it is proven to end,
//!   and a `while` never is.
//!
//! `cost` and checks stay.

use star_ir::analysis::liveness::Liveness;
use star_ir::rewrite::{Edit, Edits, edit};
use star_ir::{Op, Operand, Program, RoutineId, Simple, SizeOp, StmtKind, VarId, visit};

use crate::context::Context;
use crate::rewrite::guarded;

/// The maximum number of rounds: removing one store makes others dead.
const MAX_ROUNDS: usize = 10;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let mut fired = 0;
    for _ in 0..MAX_ROUNDS {
        let dead = find(program, id);
        let removed = guarded(program, id, context, |routine| {
            edit(&mut routine.body, &dead);
            dead.len()
        });
        fired += removed;
        if removed == 0 {
            break;
        }
    }
    fired
}

fn find(program: &Program, id: RoutineId) -> Edits {
    let Some(routine) = program.routines.get(id.0 as usize) else { return Edits::new() };
    let liveness = Liveness::of(program, id);
    let mut dead = Edits::new();
    let mut at = 0;
    visit::walk(&routine.body, &mut |stmt| {
        if is_dead(&stmt.kind, |var| !liveness.is_live_after(at, var)) {
            dead.insert(at, Edit::Remove);
        }
        at += 1;
    });
    dead
}

/// Returns whether the statement changes only dead variables.
fn is_dead(kind: &StmtKind, dead: impl Fn(VarId) -> bool) -> bool {
    match kind {
        StmtKind::Simple(Simple::Assign(dst, Op::Copy(Operand::Var(src)))) if dst == src => true,
        StmtKind::Simple(Simple::Assign(dst, _)) => dead(*dst),
        StmtKind::Simple(Simple::Step { dst, bits }) => dead(*dst) && dead(*bits),
        StmtKind::Simple(
            Simple::Put { bits: var, .. }
            | Simple::Replace { word: var, .. }
            | Simple::PutColumn { table: var, .. }
            | Simple::PutRow { table: var, .. }
            | Simple::PutBit { table: var, .. }
            | Simple::PutField { table: var, .. }
            | Simple::PutHandlePart { handle: var, .. },
        ) => dead(*var),
        StmtKind::Simple(Simple::Size(
            SizeOp::Latch { dst: var, .. }
            | SizeOp::SetRows { table: var, .. }
            | SizeOp::EnsureColumns { table: var, .. }
            | SizeOp::Init { table: var, .. }
            | SizeOp::Adapt { bits: var, .. }
            | SizeOp::Fix { bits: var, .. },
        )) => dead(*var),
        StmtKind::If { test: _, then, otherwise } => then.is_empty() && otherwise.is_empty(),
        StmtKind::Block { label: _, body } => body.is_empty(),
        StmtKind::For { var, body, .. } | StmtKind::Foreach { var, body, .. } => {
            body.is_empty() && dead(*var)
        }
        StmtKind::Forall { label: _, var, range: _, writes: _, privates, reductions: _, body } => {
            body.is_empty() && dead(*var) && privates.iter().all(|var| dead(*var))
        }
        // It releases memory.
        StmtKind::Simple(
            Simple::Size(SizeOp::Unset(_))
            | Simple::Check(_)
            | Simple::Cost { .. }
            | Simple::Call { .. }
            | Simple::Print(_)
            | Simple::Read { .. }
            | Simple::Write { .. }
            | Simple::Exchange { .. }
            | Simple::ExchangeRow { .. },
        )
        | StmtKind::While { .. }
        | StmtKind::Kernel(_)
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => false,
    }
}
