//! `sizes`: removes size operations that change nothing.
//!
//! * `latch` of an integer that is set; `fix` of a slice or word whose size is known;
//! * `set_rows`, `init` of a table that is set;
//! * `ensure_columns` of a table that has the columns, or got them earlier by the same statement;
//!   of one that does not grow;
//! * `adapt` of a slice or word that already has the size or is sized.

use star_ir::analysis::size_ops::changes_nothing;
use star_ir::{Program, RoutineId, Simple, Stmt, StmtKind};

use crate::context::Context;
use crate::rewrite::remove_redundant;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    remove_redundant(
        program,
        id,
        context,
        |routine, Stmt { kind, loc: _ }, facts| matches!(kind, StmtKind::Simple(Simple::Size(op)) if changes_nothing(routine, op, facts)),
    )
}
