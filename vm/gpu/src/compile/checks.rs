//! Guards: whether they hold. The words of a trap are the host's.

use star_ir::{Check, IntOp, Operand, SizeOperand};
use star_shaders::layout::measure;
use star_shaders::{Op, Reduce};

use super::builder::{Builder, table};
use super::sizes::measured;
use super::{SiteKind, Unsupported, is_number};
use crate::code::Reg;

impl Builder<'_> {
    pub(super) fn check(&mut self, check: &Check) -> Result<(), Unsupported> {
        let kind = SiteKind::Check(check.clone());
        match check {
            Check::Set(var) | Check::Result(var) => {
                let set = if is_number(self.routine.var(*var).ty) {
                    self.number(*var).1
                } else {
                    self.is_set(*var)
                };
                self.trap(Op::TrapZero, set, kind);
            }
            Check::Sized(var) => {
                let known = self.size(self.object(*var), measure::KNOWN);
                self.trap(Op::TrapZero, known, kind);
            }
            Check::HandlePart(handle, part) => {
                let part = self.part_of(*handle, part)?;
                let held = self.size(part, measure::SET);
                self.trap(Op::TrapZero, held, kind);
            }
            Check::Index(index, limit) => {
                let (index, high) = (self.value(index), self.measure(limit));
                self.at_least(index, 1, &kind);
                let below = self.alu(Op::Le, index, high);
                self.trap(Op::TrapZero, below, kind);
            }
            Check::NewColumn(table, index) => {
                let (x, index, end) = (self.object(*table), self.value(index), self.label());
                self.at_least(index, 1, &kind);
                let fixed = self.size(x, measure::FIXED);
                self.jump_if(Op::JumpZero, fixed, end);
                let columns = self.size(x, measure::COLUMNS);
                let below = self.alu(Op::Le, index, columns);
                self.trap(Op::TrapZero, below, kind);
                self.here(end);
            }
            Check::Size(left, right) => {
                let end = self.label();
                let sizes = [left, right].map(|size| self.measure(size));
                for (size, reg) in [left, right].into_iter().zip(sizes) {
                    if matches!(size, SizeOperand::Value(Operand::Var(_)))
                        || size.as_int().is_some_and(|number| number < 0)
                    {
                        self.at_least(reg, 0, &kind);
                    }
                }
                for size in [left, right] {
                    if let Some(var) = measured(size) {
                        let known = self.size(self.object(var), measure::KNOWN);
                        self.jump_if(Op::JumpZero, known, end);
                    }
                }
                let same = self.alu(Op::Eq, sizes[0], sizes[1]);
                self.trap(Op::TrapZero, same, kind);
                self.here(end);
            }
            Check::Range { base, width, limit } => {
                let (base, width) = (self.value(base), self.value(width));
                let high = self.measure(limit);
                let high = self.alu_imm(Op::Max, high, 0);
                self.at_least(base, 0, &kind);
                self.at_least(width, 0, &kind);
                let rest = self.alu(Op::Sub, high, base);
                let inside = self.alu(Op::Le, width, rest);
                self.trap(Op::TrapZero, inside, kind);
            }
            Check::Int(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                let fails = match op {
                    IntOp::Add => self.alu(Op::AddOverflows, left, right),
                    IntOp::Sub => self.alu(Op::SubOverflows, left, right),
                    IntOp::Mul => self.alu(Op::MulOverflows, left, right),
                    IntOp::Mod => self.alu_imm(Op::Eq, right, 0),
                    IntOp::Div => {
                        let zero = self.alu_imm(Op::Eq, right, 0);
                        let least = self.alu_imm(Op::Eq, left, i64::MIN);
                        let minus_one = self.alu_imm(Op::Eq, right, -1);
                        let both = self.alu(Op::And, least, minus_one);
                        self.alu(Op::Or, zero, both)
                    }
                };
                self.trap(Op::TrapNonzero, fails, kind);
            }
            Check::Bit(number) => {
                let number = self.value(number);
                self.at_least(number, 0, &kind);
                let below = self.alu_imm(Op::Le, number, 1);
                self.trap(Op::TrapZero, below, kind);
            }
            Check::NotNegative(number) => {
                let number = self.value(number);
                self.at_least(number, 0, &kind);
            }
            Check::Fits { value, width } => {
                let (value, width) = (self.value(value), self.value(width));
                self.at_least(width, 0, &kind);
                self.at_least(value, 0, &kind);
                let rest = self.alu(Op::Shr, value, width);
                self.trap(Op::TrapNonzero, rest, kind);
            }
            Check::FitsRow { row, width: _ } => {
                let row = self.value(row);
                self.trap(Op::TrapNonzero, row, kind);
            }
            Check::FitsInt(word) => {
                let (y, end) = (self.object(*word), self.label());
                let first = self.reduce(Reduce::First, table::FIRST, y, None, None);
                self.jump_if(Op::JumpZero, first, end);
                let length = self.size(y, measure::LENGTH);
                let digits = self.alu(Op::Sub, length, first);
                let fits = self.alu_imm(Op::Lt, digits, 63);
                self.trap(Op::TrapZero, fits, kind);
                self.here(end);
            }
            Check::Even(bits) => {
                let length = self.size(self.object(*bits), measure::LENGTH);
                let odd = self.alu_imm(Op::And, length, 1);
                self.trap(Op::TrapNonzero, odd, kind);
            }
            Check::NoCarry(op, left, right) => {
                let op = match op {
                    IntOp::Add => Op::WordAdd,
                    IntOp::Sub => Op::WordSub,
                    IntOp::Mul | IntOp::Div | IntOp::Mod => {
                        return Err(Unsupported("a carry of another operation".to_owned()));
                    }
                };
                let carry = self.carry(op, *left, *right);
                self.trap(Op::TrapNonzero, carry, kind);
            }
            Check::Assert(condition, _) => {
                let condition = self.value(condition);
                self.trap(Op::TrapZero, condition, kind);
            }
        }
        Ok(())
    }

    /// Stops with a trap if the number is less.
    fn at_least(&mut self, number: Reg, least: i64, kind: &SiteKind) {
        let holds = self.alu_imm(Op::Ge, number, least);
        self.trap(Op::TrapZero, holds, kind.clone());
    }
}
