//! The definition of "row by row": the statements that a `tile` may contain.
//!
//! Slices and tables have a row for each row of the kernel and are only processed row by row. A
//! word or a scalar is the same for every row, so any operation on it is allowed: every tile
//! repeats it.

use crate::op::Op;
use crate::program::{Ty, Var, VarId};
use crate::stmt::StmtKind;
use crate::table::Rows;
use crate::visit;

/// Returns the reason why the statement itself, without its inner blocks, is not allowed in a
/// `tile`; `None` if it is allowed. `vars` are the variables of its routine.
pub fn crosses(vars: &[Var], kind: &StmtKind) -> Option<&'static str> {
    let is_word = |var: VarId| is_word(vars, var);
    match kind {
        StmtKind::Assign(dst, op) => {
            op_crosses(vars, *dst, op).then_some("an operation that does not work row by row")
        }
        StmtKind::Step { dst: _, bits } | StmtKind::Put { bits, index: _, bit: _ } => {
            (!is_word(*bits)).then_some("a single row or component is changed")
        }
        StmtKind::PutRow { .. } | StmtKind::PutBit { .. } => {
            Some("a single row or component is changed")
        }
        StmtKind::Foreach { label: _, var: _, over, body: _ } => {
            (!is_word(*over)).then_some("a loop over the ones of a slice")
        }
        StmtKind::PutHandlePart { .. } => Some("a handle changes"),
        StmtKind::Size(_) => Some("a size changes"),
        StmtKind::Call { .. } => Some("a call"),
        StmtKind::Print(_) | StmtKind::Read { .. } | StmtKind::Write { .. } => {
            Some("input or output")
        }
        StmtKind::Forall { .. } | StmtKind::Tile { .. } => Some("a parallel statement"),
        StmtKind::Exit => Some("an exit"),
        StmtKind::Replace { .. }
        | StmtKind::PutColumn { .. }
        | StmtKind::PutField { .. }
        | StmtKind::Check(_)
        | StmtKind::Cost { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_) => None,
    }
}

/// Returns whether a row of the result depends on other rows or on its index.
fn op_crosses(vars: &[Var], dst: VarId, op: &Op) -> bool {
    match op.rows() {
        Rows::Each => false,
        Rows::Across => true,
        Rows::AcrossResult => !is_word(vars, dst),
        Rows::AcrossSlice => {
            let mut first = None;
            visit::op_accesses(op, &mut |var, _| {
                first.get_or_insert(var);
            });
            !first.is_some_and(|first| is_word(vars, first))
        }
    }
}

fn is_word(vars: &[Var], var: VarId) -> bool {
    vars.get(var.0 as usize).is_some_and(|var| matches!(var.ty, Ty::Word(_)))
}
