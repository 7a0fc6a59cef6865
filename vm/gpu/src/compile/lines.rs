//! A `forall` over lines as one instruction (Note [Lines] in `lift`), and as it is written where a
//! check of it would fail.

use std::collections::HashMap;

use star_ir::{Check, ForallRange, LogicOp, Operand, SizeOperand, VarId};
use star_shaders::layout::measure;
use star_shaders::{Generator, Join, Op, Reduce};

use super::builder::{Builder, Label, table};
use super::parallel::Forall;
use super::{Unsupported, is_number};
use crate::code::{LinesKind, Object, Reg};
use crate::lift::{Length, Line, Lines, Mixed, Step};

/// The function whose value is the bit of y.
pub(super) const OF_Y: u32 = 0xcccc_cccc;

impl Builder<'_> {
    /// The loop as one instruction.
    pub(super) fn lines(&mut self, forall: &Forall<'_>, lines: &Lines) -> Result<(), Unsupported> {
        let (as_written, end) = (self.label(), self.label());
        let guarded = self.guards(forall, (&lines.steps, lines.iteration), as_written);
        let of = self.object(lines.table);
        let (rows, columns) = (self.size(of, measure::ROWS), self.size(of, measure::COLUMNS));
        let over = match forall.range {
            ForallRange::Ones(over) => self.object(*over),
            ForallRange::Range(from, to) => {
                let (from, to) = (self.value(from), self.value(to));
                let mask = self.temporary();
                let length = if lines.line == Line::Row { rows } else { columns };
                self.shape(mask, length, None);
                self.generate(Generator::Mask, mask, None, (Some(from), Some(to)));
                mask
            }
        };
        let outer = lines.outer.as_ref().map(|outer| self.mixed(outer));
        let (z, w) = match lines.line {
            Line::Row => (Some(over), outer),
            Line::Column => (outer, Some(over)),
        };
        let [first, second] = lines.others.map(|other| other.map(|other| self.object(other)));
        let joins = |into: VarId, join: Join| (self.object(into), Some(of), first, join);
        let (x, y, v, join) = match lines.combined {
            None => (of, first, second, Join::Store),
            Some((into, LogicOp::Or)) => joins(into, Join::Or),
            Some((into, LogicOp::And)) => joins(into, Join::Clear),
            Some((into, LogicOp::Xor)) => joins(into, Join::Xor),
        };
        let is_word = lines.combined.is_some() && lines.line == Line::Row;
        self.emit(Op::Lines, |it| {
            (it.x, it.y, it.z, it.w, it.v) = (Some(x), y, z, w, v);
            (it.a, it.b) = (Some(rows), Some(columns));
            it.imm = i64::from(lines.function);
            it.lines = Some(LinesKind { join, is_word, is_loop: true });
        });
        if lines.cost > 0 {
            let turns = match forall.range {
                ForallRange::Ones(_) => self.reduce(Reduce::Count, table::FIRST, over, None, None),
                ForallRange::Range(from, to) => {
                    // Of an empty range both may be any number.
                    let (from, to) = (self.value(from), self.value(to));
                    let (from, to) = (self.alu_imm(Op::Max, from, 1), self.alu_imm(Op::Max, to, 0));
                    let turns = self.alu(Op::Sub, to, from);
                    self.alu_imm(Op::Add, turns, 1)
                }
            };
            let cost = i64::try_from(lines.cost).unwrap_or(i64::MAX);
            self.count(Op::CostTimes, Some(turns), cost);
        }
        if guarded {
            self.unset(forall.privates);
            self.unset(&[forall.var]);
            self.jump(end);
            self.here(as_written);
            self.forall(forall)?;
            self.here(end);
        } else {
            self.unset(forall.privates);
            self.unset(&[forall.var]);
        }
        Ok(())
    }

    /// A slice or word made of others.
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

    /// Jumps where a check of an iteration would fail; are there any?
    pub(super) fn guards(
        &mut self,
        forall: &Forall<'_>,
        (steps, iteration): (&[Step], VarId),
        fails: Label,
    ) -> bool {
        let mut lengths: HashMap<VarId, Length> = HashMap::new();
        let mut guarded = false;
        for step in steps {
            match step {
                Step::Bits(var, length) => {
                    lengths.insert(*var, length.clone());
                }
                Step::Check(check) => {
                    guarded |= self.guard(check, (forall, iteration), &lengths, fails);
                }
                // An iteration has none of these.
                Step::Number(..) | Step::Latch(..) | Step::Holds(_) => {
                    self.jump(fails);
                    guarded = true;
                }
            }
        }
        guarded
    }

    fn guard(
        &mut self,
        check: &Check,
        (forall, iteration): (&Forall<'_>, VarId),
        lengths: &HashMap<VarId, Length>,
        fails: Label,
    ) -> bool {
        match check {
            Check::Set(var) if lengths.contains_key(var) || *var == iteration => {
                return false;
            }
            Check::Set(var) => {
                let set = match is_number(self.routine.var(*var).ty) {
                    true => self.number(*var).1,
                    false => self.size(self.object(*var), measure::SET),
                };
                self.jump_if(Op::JumpZero, set, fails);
            }
            Check::Index(Operand::Var(var), limit) if *var == iteration => {
                let limit = self.length(limit, lengths);
                let last = match forall.range {
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
            Check::Index(index, limit) => {
                let (index, limit) = (self.value(index), self.length(limit, lengths));
                let below = self.alu_imm(Op::Lt, index, 1);
                self.jump_if(Op::JumpNonzero, below, fails);
                let beyond = self.alu(Op::Gt, index, limit);
                self.jump_if(Op::JumpNonzero, beyond, fails);
            }
            Check::Size(left, right) => {
                let (left, right) = (self.length(left, lengths), self.length(right, lengths));
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
            Check::Sized(_)
            | Check::HandlePart(..)
            | Check::Result(_)
            | Check::NewColumn(..)
            | Check::Range { .. }
            | Check::Int(..)
            | Check::Bit(_)
            | Check::Fits { .. }
            | Check::FitsInt(_)
            | Check::Even(_)
            | Check::NoCarry(..)
            | Check::Assert(..) => self.jump(fails),
        }
        true
    }

    /// A size, that of what an iteration makes included.
    fn length(&mut self, size: &SizeOperand, lengths: &HashMap<VarId, Length>) -> Reg {
        let SizeOperand::Length(var) = size else { return self.measure(size) };
        let size = match lengths.get(var) {
            None => SizeOperand::Length(*var),
            Some(Length::Of(var)) => SizeOperand::Length(*var),
            Some(Length::Line(Line::Column, table)) => SizeOperand::Rows(*table),
            Some(Length::Line(Line::Row, table)) => SizeOperand::Columns(*table),
            Some(Length::Number(number)) => SizeOperand::Value(number.clone()),
        };
        self.measure(&size)
    }
}
