//! A kernel as one instruction (Note [Lines] in `lift`), and its fallback where a guard does not
//! hold.

use star_ir::kernel::Line;
use star_ir::{Check, ForallRange, Kernel, LogicOp, VarId};
use star_shaders::layout::measure;
use star_shaders::{Generator, Join, Op, Reduce};

use super::builder::{Builder, Label, table};
use super::{Unsupported, is_number};
use crate::code::{LinesKind, Object};
use crate::lift::{Lines, Mixed};

/// The function whose value is the bit of y.
pub(super) const OF_Y: u32 = 0xcccc_cccc;

impl Builder<'_> {
    /// The kernel as one instruction.
    pub(super) fn lines(&mut self, kernel: &Kernel, lines: &Lines) -> Result<(), Unsupported> {
        let Some(iterations) = kernel.iterations() else { return self.block(&kernel.fallback) };
        let (made, range) = (&lines.made, iterations.range);
        let (fallback, end) = (self.label(), self.label());
        let guarded = self.guards(kernel, range, fallback);
        let of = self.object(made.table);
        let (rows, columns) = (self.size(of, measure::ROWS), self.size(of, measure::COLUMNS));
        let over = match range {
            ForallRange::Ones(over) => self.object(*over),
            ForallRange::Range(from, to) => {
                let (from, to) = (self.value(from), self.value(to));
                let mask = self.temporary();
                let length = if kernel.line == Line::Row { rows } else { columns };
                self.shape(mask, length, None);
                self.generate(Generator::Mask, mask, None, (Some(from), Some(to)));
                mask
            }
        };
        let outer = made.outer.as_ref().map(|outer| self.mixed(outer));
        let (z, w) = match kernel.line {
            Line::Row => (Some(over), outer),
            Line::Column => (outer, Some(over)),
        };
        let [first, second] = made.others.map(|other| other.map(|other| self.object(other)));
        let joins = |into: VarId, join: Join| (self.object(into), Some(of), first, join);
        let (x, y, v, join) = match lines.combined {
            None => (of, first, second, Join::Store),
            Some((into, LogicOp::Or)) => joins(into, Join::Or),
            Some((into, LogicOp::And)) => joins(into, Join::Clear),
            Some((into, LogicOp::Xor)) => joins(into, Join::Xor),
        };
        let is_word = lines.combined.is_some() && kernel.line == Line::Row;
        self.emit(Op::Lines, |it| {
            (it.x, it.y, it.z, it.w, it.v) = (Some(x), y, z, w, v);
            (it.a, it.b) = (Some(rows), Some(columns));
            it.imm = i64::from(made.function);
            it.lines = Some(LinesKind { join, is_word, is_loop: true });
        });
        if kernel.cost > 0 {
            let n_iterations = match range {
                ForallRange::Ones(_) => self.reduce(Reduce::Count, table::FIRST, over, None, None),
                ForallRange::Range(from, to) => {
                    // Of an empty range both may be any number.
                    let (from, to) = (self.value(from), self.value(to));
                    let (from, to) = (self.alu_imm(Op::Max, from, 1), self.alu_imm(Op::Max, to, 0));
                    let n_iterations = self.alu(Op::Sub, to, from);
                    self.alu_imm(Op::Add, n_iterations, 1)
                }
            };
            let cost = i64::try_from(kernel.cost).unwrap_or(i64::MAX);
            self.count(Op::CostTimes, Some(n_iterations), cost);
        }
        self.unset(iterations.privates);
        self.unset(&[iterations.var]);
        if guarded {
            self.jump(end);
            self.here(fallback);
            self.block(&kernel.fallback)?;
            self.here(end);
        }
        Ok(())
    }

    /// A slice or word computed of others.
    pub(super) fn mixed(&mut self, mixed: &Mixed) -> Object {
        let (function, left, right) = match mixed {
            Mixed::Bits(var) => return self.object(*var),
            Mixed::Not(of) => (table::NOT, self.mixed(of), None),
            Mixed::Logic(op, left, right) => {
                let (left, right) = (self.mixed(left), self.mixed(right));
                let function = match op {
                    LogicOp::And => table::AND,
                    LogicOp::Or => table::OR,
                    LogicOp::Xor => table::XOR,
                };
                (function, left, Some(right))
            }
        };
        let made = self.temporary();
        self.shape_like(made, left);
        self.logic(function, made.into(), Some(left.into()), right.map(Into::into));
        made
    }

    /// Jumps where a guard does not hold; are there any?
    pub(super) fn guards(&mut self, kernel: &Kernel, range: &ForallRange, fails: Label) -> bool {
        kernel.guards.iter().for_each(|guard| self.guard(guard, range, fails));
        !kernel.guards.is_empty()
    }

    /// Jumps where a guard does not hold. An index is that of the iterations.
    fn guard(&mut self, guard: &Check, range: &ForallRange, fails: Label) {
        match guard {
            Check::Set(var) => {
                let set = match is_number(self.routine.var(*var).ty) {
                    true => self.number(*var).1,
                    false => self.size(self.object(*var), measure::SET),
                };
                self.jump_if(Op::JumpZero, set, fails);
            }
            Check::Index(_, limit) => {
                let limit = self.measure(limit);
                let last = match range {
                    ForallRange::Ones(over) => self.size(self.object(*over), measure::LENGTH),
                    ForallRange::Range(from, to) => {
                        let from = self.value(from);
                        let below = self.alu_imm(Op::Lt, from, 1);
                        self.jump_if(Op::JumpNonzero, below, fails);
                        self.value(to)
                    }
                };
                let beyond = self.alu(Op::Gt, last, limit);
                self.jump_if(Op::JumpNonzero, beyond, fails);
            }
            Check::Size(left, right) => {
                let (left, right) = (self.measure(left), self.measure(right));
                let negative = self.alu_imm(Op::Lt, left, 0);
                self.jump_if(Op::JumpNonzero, negative, fails);
                let differ = self.alu(Op::Ne, left, right);
                self.jump_if(Op::JumpNonzero, differ, fails);
            }
            Check::NotNegative(number) => {
                let number = self.value(number);
                let negative = self.alu_imm(Op::Lt, number, 0);
                self.jump_if(Op::JumpNonzero, negative, fails);
            }
            Check::Bit(bit) => {
                let bit = self.value(bit);
                for beyond in [self.alu_imm(Op::Lt, bit, 0), self.alu_imm(Op::Gt, bit, 1)] {
                    self.jump_if(Op::JumpNonzero, beyond, fails);
                }
            }
            Check::Sized(_)
            | Check::HandlePart(..)
            | Check::Result(_)
            | Check::NewColumn(..)
            | Check::Range { .. }
            | Check::Int(..)
            | Check::Fits { .. }
            | Check::FitsRow { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => self.jump(fails),
        }
    }
}
