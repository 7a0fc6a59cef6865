//! Checks in an iteration: proven, turned into a condition before the loop, or the reason why the
//! loop stays.

use star_ir::analysis::polynomial::Polynomial;
use star_ir::{Check, IntOp, Op, Operand, Simple, SizeOp, SizeOperand, Stmt, StmtKind};

use super::super::state::State;
use super::Iteration;
use crate::remark;

impl Iteration<'_> {
    /// Tests whether the number is not negative in any iteration. Fails if that depends on data of
    /// an iteration.
    fn non_negative(&mut self, number: Option<Polynomial>) -> Option<bool> {
        let loops = self.polynomials.loops();
        Some(self.polynomials.require(&number?, &loops))
    }

    /// Proves a check for all iterations, or makes it a condition before the loop.
    pub(super) fn check(
        &mut self,
        check: &Check,
        next: Option<&Stmt>,
        state: &State,
    ) -> Result<(), String> {
        let one = Polynomial::number(1);
        let less = |more: Option<Polynomial>, less: Option<Polynomial>| more?.plus(-1, &less?);
        let all = |conditions: Vec<Option<bool>>| {
            conditions.into_iter().try_fold(true, |all, holds| Some(all & holds?))
        };
        let holds = match check {
            Check::Set(var) | Check::Sized(var) | Check::Result(var) => {
                Some(state.assigned.contains(var))
            }
            Check::HandlePart(..) => Some(false),
            Check::Index(index, limit) => {
                let (index, limit) = (self.value(index, state), self.size(limit, state));
                let above = less(index.clone(), Some(one));
                let room = less(limit, index);
                all(vec![self.non_negative(above), self.non_negative(room)])
            }
            Check::NewColumn(table, index) => {
                let grows = matches!(next.map(|next| &next.kind), Some(StmtKind::Simple(Simple::Size(
                    SizeOp::EnsureColumns { table: of, columns: SizeOperand::Value(columns) })))
                    if of == table && columns == index);
                let index = self.value(index, state);
                let above = less(index.clone(), Some(one));
                let room = match grows && (self.stored.contains(table) || self.is_growing(*table)) {
                    true => Some(Polynomial::default()),
                    false => less(self.size(&SizeOperand::Columns(*table), state), index),
                };
                all(vec![self.non_negative(above), self.non_negative(room)])
            }
            Check::Size(left, right) => {
                let (left, right) = (self.size(left, state), self.size(right, state));
                let (above, below) = (less(left.clone(), right.clone()), less(right, left));
                all(vec![self.non_negative(above), self.non_negative(below)])
            }
            Check::Range { base, width, limit } => {
                let (base, width) = (self.value(base, state), self.value(width, state));
                let end = base.clone().zip(width.clone()).and_then(|(b, w)| b.plus(1, &w));
                let grown = if let SizeOperand::Columns(of) = limit {
                    self.grows.iter().find(|it| it.table == *of)
                } else {
                    None
                };
                // After the statement that makes the table grow, it has that many columns.
                let grown = grown.map(|growth| growth.columns.clone());
                let left = less(grown, end.clone()).and_then(|left| left.as_number());
                let room = match left {
                    Some(0..) => Some(Polynomial::default()),
                    Some(_) | None => less(self.size(limit, state), end),
                };
                all(vec![
                    self.non_negative(base),
                    self.non_negative(width),
                    self.non_negative(room),
                ])
            }
            Check::Int(op, left, right) => {
                let result = self.result(&Op::Int(*op, left.clone(), right.clone()), state);
                match op {
                    IntOp::Div | IntOp::Mod => matches!(right, Operand::Int(1..)).then_some(true),
                    IntOp::Add | IntOp::Sub | IntOp::Mul => {
                        result.map(|result| self.polynomials.fits(&result))
                    }
                }
            }
            Check::NotNegative(number) => {
                let number = self.value(number, state);
                self.non_negative(number)
            }
            Check::Bit(_)
            | Check::Fits { .. }
            | Check::FitsRow { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => None,
        };
        match holds {
            Some(true) => Ok(()),
            Some(false) => Err(remark::may_fail(self.routine, check)),
            None => Err(remark::depends(self.routine, check)),
        }
    }
}
