//! Size operations that change nothing: facts before them hold after them.

use super::facts::Facts;
use crate::check::{Check, SizeOperand};
use crate::program::{Routine, VarId};
use crate::stmt::SizeOp;

/// Returns whether the facts before the operation prove that it changes nothing.
pub fn changes_nothing(routine: &Routine, op: &SizeOp, facts: &Facts<'_>) -> bool {
    // A parameter inherits this property from the variable passed to it.
    let is_sized =
        |var: VarId| routine.var(var).sized && routine.params.iter().all(|param| param.var != var);
    match op {
        SizeOp::Latch { dst, size: _ } => facts.is_set(*dst),
        SizeOp::SetRows { table, rows: _ } | SizeOp::Init { table, rows: _, columns: _ } => {
            facts.is_set(*table)
        }
        SizeOp::EnsureColumns { table, columns } => {
            let own = SizeOperand::Columns(*table);
            let is_inside = match columns {
                SizeOperand::Value(value) => {
                    let inside = Check::Index(value.clone(), own.clone());
                    facts.is_ensured(*table, value) || facts.holds(&inside)
                }
                SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => false,
            };
            is_sized(*table)
                || is_inside
                || facts.is_set(*table) && facts.holds(&Check::Size(own, columns.clone()))
        }
        SizeOp::Adapt { bits, size } => {
            let (own, wanted) = (SizeOperand::Length(*bits), SizeOperand::Value(size.clone()));
            is_sized(*bits) || facts.is_set(*bits) && facts.holds(&Check::Size(own, wanted))
        }
        SizeOp::Fix { bits, size: _ } => facts.is_sized(*bits),
        // It releases memory.
        SizeOp::Unset(_) => false,
    }
}
