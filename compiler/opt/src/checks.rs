//! `checks`: redundant-check elimination.
//!
//! A check is proven if the facts imply its guard: by a preceding equal check, by an assignment, by
//! the range of a loop, by equal sizes ([`star_ir::analysis::facts`]). The variables that it
//! observed are no longer observed. A check of a header is proven only by facts that the routine
//! itself establishes.

use star_ir::analysis::facts::Facts;
use star_ir::{Check, Program, RoutineId, Simple, SizeOperand, StmtKind};

use crate::context::Context;
use crate::rewrite::remove_redundant;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    remove_redundant(
        program,
        id,
        context,
        |_, stmt, facts| matches!(&stmt.kind, StmtKind::Simple(Simple::Check(check)) if is_proven(check, facts)),
    )
}

fn is_proven(check: &Check, facts: &Facts<'_>) -> bool {
    let holds = facts.holds(check);
    match check {
        // A part that is the whole is inside, but only for a valid number of components.
        Check::Range { base: _, width, limit: _ } => {
            holds && facts.holds(&Check::NotNegative(width.clone()))
        }
        Check::Set(_)
        | Check::Sized(_)
        | Check::HandlePart(..)
        | Check::Result(_)
        | Check::Index(..)
        | Check::NewColumn(..)
        | Check::Int(..)
        | Check::Bit(_)
        | Check::NotNegative(_)
        | Check::Fits { .. }
        | Check::FitsRow { .. }
        | Check::FitsInt(_)
        | Check::Even(_)
        | Check::NoCarry(..)
        | Check::Assert(..) => holds,
        // A negative number is not a valid size, even if both sides are equal to it.
        Check::Size(left, right) => {
            let is_size = |size: &SizeOperand| match size {
                SizeOperand::Value(value) => facts.holds(&Check::NotNegative(value.clone())),
                SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => true,
            };
            holds && is_size(left) && is_size(right)
        }
    }
}
