//! Sequential execution of `forall`. Each iteration begins with its private variables unset and the
//! neutral element in every reduction; the value that it leaves there is combined with that of the
//! iterations before.

use star_ir::{LogicOp, ReductionOp};
use star_value::BitVector;

use super::code::Forall;
use super::interpreter::Interpreter;
use super::lines::Kernel;
use super::operand::{Range, RegRef};
use super::registers::Running;
use super::table::form::bytes_of;
use super::value::ValueData;
use crate::interrupt::{Exec, Stop, internal_error};

impl Interpreter<'_, '_, '_> {
    pub(super) fn begin_forall(&mut self, forall: &Forall) -> Exec<()> {
        let (next, to, over) = match forall.range {
            Range::Numbers(from, to) => (self.number(from), self.number(to), None),
            Range::Ones(over) => (0, 0, Some(self.second_bits(self.bits(over))?)),
        };
        let combined = parts(forall).map(|(place, _)| (*place, self.take_value(*place))).collect();
        self.foralls.push(Running { next: Some(next), to, over, has_begun: false, combined });
        Ok(())
    }

    /// Ends the current iteration, if any, and begins the next one, if any.
    pub(super) fn forall_iteration(&mut self, forall: &Forall) -> Exec<bool> {
        let Some(mut running) = self.foralls.pop() else {
            return Err(internal_error("no `forall` has begun"));
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

    fn next_iteration(&mut self, forall: &Forall, running: &mut Running) -> Exec<bool> {
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
        self.count_iteration()?;
        self.set(forall.var, index);
        for ((place, op), (_, combined)) in parts(forall).zip(&running.combined) {
            let neutral = self.neutral(*op, combined)?;
            self.budget.commit(neutral.n_bytes());
            self.put_value(*place, neutral);
        }
        Ok(true)
    }

    /// Stores the combined values in the reductions.
    fn give_parts(&mut self, running: Running) {
        for (place, combined) in running.combined {
            match combined {
                ValueData::Nothing => self.unset(place),
                part => self.put_value(place, part),
            }
        }
    }

    /// Ends all loops when the run stops: reductions keep the values combined so far, in every
    /// routine.
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

    /// Returns the neutral element of an operation; nothing for a variable that was never set.
    fn neutral(&mut self, op: ReductionOp, like: &ValueData) -> Exec<ValueData> {
        Ok(match like {
            ValueData::Nothing => ValueData::Nothing,
            ValueData::Int(_) => ValueData::Int(match op {
                ReductionOp::Min => i64::MAX,
                ReductionOp::Max => i64::MIN,
                ReductionOp::Add => 0,
                ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => {
                    return Err(invalid_reduction());
                }
            }),
            ValueData::Bool(_) => {
                ValueData::Bool(op.logic().ok_or_else(invalid_reduction)? == LogicOp::And)
            }
            ValueData::Slice(bits) => ValueData::Slice(self.neutral_bits(op, bits.len())?),
            ValueData::Word(bits) => ValueData::Word(self.neutral_bits(op, bits.len())?),
            ValueData::Text(_) | ValueData::Table(_) | ValueData::Handle(_) => {
                return Err(invalid_reduction());
            }
        })
    }

    fn neutral_bits(&mut self, op: ReductionOp, len: usize) -> Exec<BitVector> {
        self.budget.reserve(bytes_of(len))?;
        let mut bits = BitVector::try_zeros(len).map_err(|wanted| self.out_of_memory(wanted))?;
        if op.logic().ok_or_else(invalid_reduction)? == LogicOp::And {
            self.parallelism.kernels.fill(bits.limbs_mut(), true, len);
        }
        Ok(bits)
    }

    /// Computes `into := into op value`.
    fn combine(&mut self, op: ReductionOp, into: &mut ValueData, value: ValueData) -> Exec<()> {
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
                    ReductionOp::Add => x.checked_add(y).ok_or_else(invalid_reduction)?,
                    ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => {
                        return Err(invalid_reduction());
                    }
                };
                Ok(())
            }
            (ValueData::Bool(x), ValueData::Bool(y)) => {
                *x = op.logic().ok_or_else(invalid_reduction)?.apply(*x, y);
                Ok(())
            }
            (ValueData::Slice(x), ValueData::Slice(y))
            | (ValueData::Word(x), ValueData::Word(y))
                if x.len() == y.len() =>
            {
                self.budget.release(bytes_of(y.len()));
                let (op, kernels) =
                    (op.logic().ok_or_else(invalid_reduction)?, self.parallelism.kernels);
                self.parallelism.fill(x.limbs_mut(), 1, |start, part| {
                    kernels.logic_assign(op, part, &y.limbs()[start..start + part.len()]);
                })
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
            ) => Err(invalid_reduction()),
        }
    }
}

/// The reductions of which each iteration has a separate value. A body that only combines lines
/// into the variable needs none: the iterations change the variable itself, one after another.
fn parts(forall: &Forall) -> impl Iterator<Item = &(RegRef, ReductionOp)> {
    let accumulates = match forall.kernel.as_deref() {
        Some(Kernel::Reduction(_)) => true,
        Some(Kernel::Lines(_) | Kernel::Queries(_)) | None => false,
    };
    forall.reductions.iter().filter(move |_| !accumulates)
}

fn invalid_reduction() -> Stop {
    internal_error("a reduction overflows, or its type or size is wrong")
}
