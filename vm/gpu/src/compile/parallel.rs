//! `forall` as written: one iteration after another.
//!
//! Note [Own places]. What stops inside leaves reductions as the iterations before combined them.
//! So the code inside has separate objects and registers for these, and the variables change after
//! it. Where nothing inside can stop, the difference is not observable, and the variables
//! themselves are used.

use star_ir::{ForallRange, LabelId, Reduction, ReductionOp, Stmt, VarId, visit};
use star_shaders::layout::measure;
use star_shaders::{Op, Reduce};

use super::builder::{Builder, table};
use super::{Unsupported, is_number};
use crate::code::{Object, Reg};

/// The own place of an iteration for a reduction.
struct Own {
    var: VarId,
    op: ReductionOp,
    place: Accumulator,
}

#[derive(Clone, Copy)]
enum Accumulator {
    /// Value, and whether it is set.
    Number(Reg, Reg),
    Bits(Object),
}

/// A `forall`, as it is compiled.
pub(super) struct Forall<'p> {
    pub(super) label: LabelId,
    pub(super) var: VarId,
    pub(super) range: &'p ForallRange,
    pub(super) privates: &'p [VarId],
    pub(super) reductions: &'p [Reduction],
    pub(super) body: &'p [Stmt],
}

impl Builder<'_> {
    /// The iterations one after another, in the order of their numbers.
    pub(super) fn forall(&mut self, forall: &Forall<'_>) -> Result<(), Unsupported> {
        let Forall { label, var, range, privates, reductions, body } = *forall;
        let (loc, iterations) = (self.loc, self.iterations());
        let own = self.own_places(reductions, body);
        let (again, goes_on, end) = (self.label(), self.label(), self.label());
        let at = self.fresh();
        let next: Box<dyn FnOnce(&mut Self)> = match range {
            ForallRange::Ones(over) => {
                // The body may write it, or use temporaries of its own.
                let ones = self.hidden();
                let over = self.object(*over);
                self.copy_bits(ones, over);
                self.load(at, 0);
                self.here(again);
                self.loc = loc;
                self.looks_for_iteration(iterations);
                self.unset(privates);
                let first = self.reduce(Reduce::First, table::FIRST, ones, None, Some(at));
                self.emit(Op::Move, |it| (it.d, it.a) = (Some(at), Some(first)));
                self.jump_if(Op::JumpZero, at, end);
                Box::new(|_| {})
            }
            ForallRange::Range(from, to) => {
                let (from, to) = (self.value(from), self.value(to));
                let last = self.fresh();
                self.emit(Op::Move, |it| (it.d, it.a) = (Some(at), Some(from)));
                self.emit(Op::Move, |it| (it.d, it.a) = (Some(last), Some(to)));
                self.looks_for_iteration(iterations);
                let beyond = self.alu(Op::Gt, at, last);
                self.jump_if(Op::JumpNonzero, beyond, end);
                self.here(again);
                self.loc = loc;
                self.unset(privates);
                Box::new(move |this| {
                    this.looks_for_iteration(iterations);
                    // No value lies beyond the last one, which may be the greatest integer there
                    // is.
                    let at_last = this.alu(Op::Eq, at, last);
                    this.jump_if(Op::JumpNonzero, at_last, end);
                    this.emit(Op::Add, |it| (it.d, it.a, it.imm) = (Some(at), Some(at), 1));
                })
            }
        };
        self.iteration(var, at, loc);
        own.iter().for_each(|own| self.neutral(own));
        let around = (self.other_numbers.clone(), self.other_objects.clone());
        for Own { var, op: _, place } in &own {
            match *place {
                Accumulator::Number(value, flag) => {
                    self.other_numbers.insert(*var, (value, flag));
                }
                Accumulator::Bits(object) => {
                    self.other_objects.insert(*var, object);
                }
            }
        }
        self.around.push((label, Some(goes_on), end));
        self.block(body)?;
        self.around.pop();
        (self.other_numbers, self.other_objects) = around;
        self.here(goes_on);
        self.loc = loc;
        own.iter().for_each(|own| self.combine(own));
        next(self);
        self.jump(again);
        self.here(end);
        self.loc = loc;
        self.unset(privates);
        self.unset(&[var]);
        Ok(())
    }

    /// Can a stop inside show what is there meanwhile?
    fn shows_between(&self, body: &[Stmt]) -> bool {
        let mut may_stop = self.source.choices.counts_steps;
        visit::walk(body, &mut |stmt| may_stop |= visit::may_trap(&stmt.kind));
        may_stop
    }

    /// Places of an iteration for its reductions. Logic and sums combine with what is there in the
    /// body itself, so that they need none where nothing shows between.
    fn own_places(&mut self, reductions: &[Reduction], body: &[Stmt]) -> Vec<Own> {
        let shows = self.shows_between(body);
        let needs_own = reductions.iter().filter(|reduction| match reduction.op {
            ReductionOp::Or | ReductionOp::And | ReductionOp::Xor | ReductionOp::Add => shows,
            ReductionOp::Min | ReductionOp::Max => true,
        });
        let own = needs_own.map(|&Reduction { var, op }| {
            let place = if is_number(self.routine.var(var).ty) {
                Accumulator::Number(self.fresh(), self.fresh())
            } else {
                Accumulator::Bits(self.hidden())
            };
            Own { var, op, place }
        });
        own.collect()
    }

    /// An iteration begins with what changes nothing it is combined with, unset if there is nothing
    /// to combine with.
    fn neutral(&mut self, own: &Own) {
        match own.place {
            Accumulator::Number(value, flag) => {
                let is_set = self.number(own.var).1;
                self.emit(Op::Move, |it| (it.d, it.a) = (Some(flag), Some(is_set)));
                let neutral = match own.op {
                    ReductionOp::Or | ReductionOp::Xor | ReductionOp::Add => 0,
                    ReductionOp::And => 1,
                    ReductionOp::Min => i64::MAX,
                    ReductionOp::Max => i64::MIN,
                };
                self.load(value, neutral);
            }
            Accumulator::Bits(object) => {
                let neutral = if own.op == ReductionOp::And { table::ONE } else { table::ZERO };
                let like = self.object(own.var);
                self.copy_if_set(object, like, |this, x, y| {
                    this.shape_like(x, y);
                    this.logic(neutral, x.into(), None, None);
                });
            }
        }
    }

    /// What an iteration leaves joins what those before it left.
    fn combine(&mut self, own: &Own) {
        let (first, end) = (self.label(), self.label());
        match own.place {
            Accumulator::Number(value, flag) => {
                let (to, is_set) = self.number(own.var);
                self.jump_if(Op::JumpZero, flag, end);
                self.jump_if(Op::JumpZero, is_set, first);
                let op = match own.op {
                    ReductionOp::Or => Op::Or,
                    ReductionOp::And => Op::And,
                    ReductionOp::Xor => Op::Xor,
                    ReductionOp::Min => Op::Min,
                    ReductionOp::Max => Op::Max,
                    ReductionOp::Add => Op::Add,
                };
                self.emit(op, |it| (it.d, it.a, it.b) = (Some(to), Some(to), Some(value)));
                self.jump(end);
                self.here(first);
                self.assign(own.var, value);
            }
            Accumulator::Bits(object) => {
                let to = self.object(own.var);
                let left = self.size(object, measure::SET);
                self.jump_if(Op::JumpZero, left, end);
                let is_set = self.size(to, measure::SET);
                self.jump_if(Op::JumpZero, is_set, first);
                let function = match own.op {
                    ReductionOp::And => table::AND,
                    ReductionOp::Xor => table::XOR,
                    // Integers are no bits.
                    ReductionOp::Or | ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => {
                        table::OR
                    }
                };
                self.logic(function, to.into(), Some(to.into()), Some(object.into()));
                self.jump(end);
                self.here(first);
                self.copy_bits(to, object);
            }
        }
        self.here(end);
    }
}
