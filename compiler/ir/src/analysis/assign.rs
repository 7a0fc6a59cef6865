//! Assignments and changes of size: updates of what is known.

use super::known::mentions;
use super::requirements;
use super::size_ops::changes_nothing;
use super::walk::{Inspect, Walk};
use crate::check::{Check, SizeOperand};
use crate::op::{Op, Operand, Query};
use crate::program::{Ty, VarId};
use crate::stmt::SizeOp;
use crate::table::Gives;

impl<I: Inspect> Walk<'_, '_, I> {
    pub(super) fn assign(&mut self, dst: VarId, op: &Op) {
        let dst_ty = self.routine.var(dst).ty;
        let sizes = requirements::sizes(dst, dst_ty, op);
        let Some(facts) = &mut self.facts else { return };
        let var = Operand::Var(dst);
        let inherits = |check: fn(Operand) -> Check| matches!(op, Op::Copy(value) if facts.holds(&check(value.clone())));
        let bit = dst_ty == Ty::Int && (op.gives() == Gives::Bit || inherits(Check::Bit));
        let not_negative = dst_ty == Ty::Int
            && (matches!(op.gives(), Gives::Natural | Gives::Bit) || inherits(Check::NotNegative));

        let kept = dst_ty != Ty::Int
            && !sizes.is_empty()
            && if dst_ty.is_bits() {
                sizes.iter().any(|(new, old)| new == old)
            } else {
                sizes.iter().all(|(new, old)| new == old)
            };
        if kept {
            facts.touched(dst);
        } else {
            facts.replaced(dst);
        }
        // Variables that have this variable as their extent no longer agree with it; the extents of
        // parameters are trusted.
        let params = &self.routine.params;
        for &other in &self.sized_by[dst.0 as usize] {
            if params.iter().any(|param| param.var == other) {
                continue;
            }
            facts.replaced(other);
            facts.unset(other);
        }
        facts.set(dst);
        for (new, old) in sizes {
            if !mentions(&old, dst) {
                facts.learn(&Check::Size(new, old));
            }
        }
        if bit {
            facts.learn(&Check::Bit(var.clone()));
        }
        if not_negative {
            facts.learn(&Check::NotNegative(var.clone()));
        }
        if let Op::Int(op, a, b) = op
            && *a != var
            && *b != var
        {
            facts.learn_result(dst, *op, a, b);
        }
        if let Op::Query(Query::First | Query::Count, bits) = op {
            let result = SizeOperand::Value(var);
            facts.learn_order(result, 0, SizeOperand::Length(*bits));
        }
    }

    pub(super) fn size_op(&mut self, op: &SizeOp) {
        let Some(facts) = &mut self.facts else { return };
        if changes_nothing(self.routine, op, facts) {
            if let SizeOp::EnsureColumns { table, columns: SizeOperand::Value(value) } = op {
                facts.learn_ensured(*table, value);
            }
            return;
        }
        match op {
            SizeOp::Latch { dst, size } => {
                let sized = match size {
                    SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => true,
                    SizeOperand::Value(value) => facts.holds(&Check::NotNegative(value.clone())),
                };
                let fresh = !facts.is_set(*dst);
                facts.settled(*dst);
                match size {
                    SizeOperand::Length(v) | SizeOperand::Rows(v) | SizeOperand::Columns(v)
                        if !facts.is_sized(*v) =>
                    {
                        return;
                    }
                    SizeOperand::Length(_)
                    | SizeOperand::Rows(_)
                    | SizeOperand::Columns(_)
                    | SizeOperand::Value(_) => {
                        facts.set(*dst);
                    }
                }
                // An extent receives a value only in this way.
                if fresh && sized && !self.sized_by[dst.0 as usize].is_empty() {
                    facts.learn(&Check::NotNegative(Operand::Var(*dst)));
                }
            }
            SizeOp::SetRows { table, rows: _ } => {
                if !facts.is_set(*table) {
                    facts.settled(*table);
                    facts.set(*table);
                }
            }
            SizeOp::Init { table, rows: _, columns: _ } => {
                if !facts.is_set(*table) {
                    facts.replaced(*table);
                    facts.set(*table);
                }
            }
            SizeOp::EnsureColumns { table, columns } => {
                facts.settled(*table);
                match columns {
                    SizeOperand::Value(value) => facts.learn_ensured(*table, value),
                    SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => {}
                }
            }
            SizeOp::Adapt { bits, size: _ } => {
                facts.replaced(*bits);
                facts.unset(*bits);
            }
            SizeOp::Fix { bits, size: _ } => {
                facts.settled(*bits);
                facts.sized(*bits);
            }
            SizeOp::Unset(var) => {
                facts.replaced(*var);
                facts.unset(*var);
                // Variables that have it as their extent are also unset before its next use.
                for &other in &self.sized_by[var.0 as usize] {
                    facts.replaced(other);
                    facts.unset(other);
                }
            }
        }
    }
}
