//! `forall`: the iterations one after another. Each begins with its private variables unset and the
//! neutral element in every reduction of numbers; what it leaves there joins what those before left.

use star_base::BitVector;
use star_ir::ReductionOp;

use super::code::{Forall, Range, RegRef};
use super::interpreter::Interpreter;
use super::value::ValueData;
use crate::stop::{Run, Stop, broken};

/// A `forall` that is running.
#[derive(Debug)]
pub(super) struct Running {
    /// The index of the next iteration, or the first component to look at for it.
    next: Option<i64>,
    to: i64,
    /// The slice or word as it was when the loop began.
    over: Option<BitVector>,
    has_begun: bool,
    /// What the iterations so far combine to, for each reduction.
    combined: Vec<(RegRef, ValueData)>,
}

impl Interpreter<'_, '_, '_> {
    pub(super) fn begin_forall(&mut self, forall: &Forall) -> Run<()> {
        let (next, to, over) = match forall.range {
            Range::Numbers(from, to) => (self.number(from), self.number(to), None),
            Range::Ones(over) => (0, 0, Some(self.second_bits(self.bits(over))?)),
        };
        let reductions = parts(forall);
        let combined = reductions.map(|(place, _)| (*place, self.take_value(*place))).collect();
        self.foralls.push(Running { next: Some(next), to, over, has_begun: false, combined });
        Ok(())
    }

    /// Ends the iteration that ran, if any, and begins the next one, if any.
    pub(super) fn forall_turn(&mut self, forall: &Forall) -> Run<bool> {
        let Some(mut running) = self.foralls.pop() else {
            return Err(broken("no `forall` was begun"));
        };
        match self.next_iteration(forall, &mut running) {
            Ok(true) => {
                self.foralls.push(running);
                Ok(true)
            }
            Ok(false) => {
                self.give_parts(running);
                Ok(false)
            }
            Err(stop) => {
                self.give_parts(running);
                Err(stop)
            }
        }
    }

    fn next_iteration(&mut self, forall: &Forall, running: &mut Running) -> Run<bool> {
        if running.has_begun {
            for ((place, op), (_, combined)) in parts(forall).zip(&mut running.combined) {
                let part = self.take_value(*place);
                self.combine(*op, combined, part)?;
            }
        }
        for private in &forall.privates {
            self.unset(*private);
        }
        let index = match (&running.over, running.next) {
            (_, None) => None,
            (None, Some(next)) => (next <= running.to).then_some(next),
            (Some(over), Some(next)) => {
                let first = self.parallelism.kernels.first_from(over.limbs(), next as usize);
                first.map(|idx| idx as i64 + 1)
            }
        };
        let Some(index) = index else {
            self.unset(RegRef::Int(forall.var));
            return Ok(false);
        };
        running.has_begun = true;
        running.next = match forall.range {
            Range::Numbers(..) => index.checked_add(1),
            Range::Ones(_) => Some(index),
        };
        self.count_turn()?;
        self.set(forall.var, index);
        for ((place, op), (_, combined)) in parts(forall).zip(&running.combined) {
            let neutral = self.neutral(*op, combined)?;
            self.budget.commit(neutral.n_bytes());
            self.put_value(*place, neutral);
        }
        Ok(true)
    }

    /// The reductions hold what was combined.
    fn give_parts(&mut self, running: Running) {
        for (place, combined) in running.combined {
            match combined {
                ValueData::Nothing => self.unset(place),
                part => self.put_value(place, part),
            }
        }
    }

    /// The run stops: reductions hold what was combined so far, in every routine.
    pub(super) fn abandon_foralls(&mut self) {
        let base = self.base;
        for frame_idx in (0..self.frames.len()).rev() {
            let frame = self.frames[frame_idx];
            self.base = frame.base;
            while self.foralls.len() > frame.n_foralls {
                if let Some(running) = self.foralls.pop() {
                    self.give_parts(running);
                }
            }
        }
        self.base = base;
    }

    /// The element that changes nothing it is combined with; nothing for what was never set.
    fn neutral(&self, op: ReductionOp, like: &ValueData) -> Run<ValueData> {
        match (like, op) {
            (ValueData::Nothing, _) => Ok(ValueData::Nothing),
            (ValueData::Int(_), ReductionOp::Min) => Ok(ValueData::Int(i64::MAX)),
            (ValueData::Int(_), ReductionOp::Max) => Ok(ValueData::Int(i64::MIN)),
            (ValueData::Int(_), ReductionOp::Add) => Ok(ValueData::Int(0)),
            (
                ValueData::Int(_)
                | ValueData::Bool(_)
                | ValueData::Slice(_)
                | ValueData::Word(_)
                | ValueData::Text(_)
                | ValueData::Table(_)
                | ValueData::Handle(_),
                _,
            ) => Err(wrong()),
        }
    }

    /// `into` takes `into op value`.
    fn combine(&self, op: ReductionOp, into: &mut ValueData, value: ValueData) -> Run<()> {
        match (into, value) {
            (_, ValueData::Nothing) => Ok(()),
            (into @ ValueData::Nothing, value) => {
                *into = value;
                Ok(())
            }
            (ValueData::Int(x), ValueData::Int(y)) => {
                *x = match op {
                    ReductionOp::Min => (*x).min(y),
                    ReductionOp::Max => (*x).max(y),
                    ReductionOp::Add => x.checked_add(y).ok_or_else(wrong)?,
                    ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => return Err(wrong()),
                };
                Ok(())
            }
            (
                ValueData::Int(_)
                | ValueData::Bool(_)
                | ValueData::Slice(_)
                | ValueData::Word(_)
                | ValueData::Text(_)
                | ValueData::Table(_)
                | ValueData::Handle(_),
                _,
            ) => Err(wrong()),
        }
    }
}

/// The reductions of which each iteration has a part of its own. Logic needs none: one iteration after another changes
/// the variable itself, and the order does not matter.
fn parts(forall: &Forall) -> impl Iterator<Item = &(RegRef, ReductionOp)> {
    forall.reductions.iter().filter(|(_, op)| match op {
        ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => true,
        ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => false,
    })
}

fn wrong() -> Stop {
    broken("a reduction that overflows, or of another type")
}
