//! `forall`: the iterations one after another. Each begins with its private variables unset and the
//! neutral element in every reduction; what it leaves there joins what those before left.

use star_base::BitVector;
use star_ir::{LogicOp, ReductionOp};

use super::code::{Forall, Place, Range};
use super::machine::Machine;
use super::value::bytes_of;
use crate::stop::{Step, broken};

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
    combined: Vec<(Place, Option<Part>)>,
}

/// What a reduction combines.
#[derive(Clone, Debug)]
enum Part {
    Number(i64),
    Bits(BitVector),
}

impl Machine<'_, '_, '_> {
    pub(super) fn begin_forall(&mut self, forall: &Forall) -> Step<()> {
        let (next, to, over) = match forall.range {
            Range::Numbers(from, to) => (self.number(from), self.number(to), None),
            Range::Ones(over) => {
                let over = self.bits(over).try_clone();
                (0, 0, Some(over.map_err(|wanted| self.out_of_memory(wanted))?))
            }
        };
        let reductions = forall.reductions.iter();
        let combined = reductions.map(|(place, _)| (*place, self.take_part(*place))).collect();
        self.foralls.push(Running { next: Some(next), to, over, has_begun: false, combined });
        Ok(())
    }

    /// Ends the iteration that ran, if any, and begins the next one, if any.
    pub(super) fn forall_turn(&mut self, forall: &Forall) -> Step<bool> {
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

    fn next_iteration(&mut self, forall: &Forall, running: &mut Running) -> Step<bool> {
        if running.has_begun {
            for ((place, op), (_, combined)) in forall.reductions.iter().zip(&mut running.combined)
            {
                let Some(part) = self.take_part(*place) else { continue };
                match combined {
                    None => *combined = Some(part),
                    Some(combined) => {
                        if let Part::Bits(bits) = &part {
                            self.room.give(bytes_of(bits.len()));
                        }
                        combine(*op, combined, part)?;
                    }
                }
            }
        }
        for private in &forall.privates {
            self.unset(*private);
        }
        let index = match (&running.over, running.next) {
            (_, None) => None,
            (None, Some(next)) => (next <= running.to).then_some(next),
            (Some(over), Some(next)) => {
                let first = self.spread.kernels.first_from(over.limbs(), next as usize);
                first.map(|idx| idx as i64 + 1)
            }
        };
        let Some(index) = index else {
            self.unset(Place::Int(forall.var));
            return Ok(false);
        };
        running.has_begun = true;
        running.next = match forall.range {
            Range::Numbers(..) => index.checked_add(1),
            Range::Ones(_) => Some(index),
        };
        self.count_turn()?;
        self.set(forall.var, index);
        for ((place, op), (_, combined)) in forall.reductions.iter().zip(&running.combined) {
            if let Some(combined) = combined {
                let neutral = neutral(*op, combined)?;
                if let Part::Bits(bits) = &neutral {
                    self.room.ask(bytes_of(bits.len()))?;
                    self.room.take(bytes_of(bits.len()));
                }
                self.put_part(*place, neutral);
            }
        }
        Ok(true)
    }

    /// What a reduction variable holds; afterwards it holds nothing.
    fn take_part(&mut self, place: Place) -> Option<Part> {
        match place {
            Place::Int(reg) | Place::Bool(reg) => {
                let at = self.base.numbers + reg as usize;
                let was_set = std::mem::take(&mut self.numbers_set[at]);
                was_set.then(|| Part::Number(self.numbers[at]))
            }
            Place::Slice(reg) | Place::Word(reg) => {
                let slot = self.bits_slot_mut(reg);
                let was_set = std::mem::take(&mut slot.is_set);
                was_set.then(|| Part::Bits(std::mem::take(&mut slot.bits)))
            }
            Place::Table(_) | Place::Text(_) | Place::Handle(_) => None,
        }
    }

    fn put_part(&mut self, place: Place, part: Part) {
        match (place, part) {
            (Place::Int(reg) | Place::Bool(reg), Part::Number(number)) => self.set(reg, number),
            (Place::Slice(reg) | Place::Word(reg), Part::Bits(bits)) => {
                let slot = self.bits_slot_mut(reg);
                slot.bits = bits;
                slot.is_set = true;
                slot.zeros = 0;
            }
            (_, Part::Number(_) | Part::Bits(_)) => {}
        }
    }

    /// The reductions hold what was combined.
    fn give_parts(&mut self, running: Running) {
        for (place, combined) in running.combined {
            match combined {
                Some(part) => self.put_part(place, part),
                None => self.unset(place),
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
}

/// The element that changes nothing it is combined with.
fn neutral(op: ReductionOp, like: &Part) -> Step<Part> {
    let ones = op == ReductionOp::And;
    match (op, like) {
        (ReductionOp::Or | ReductionOp::And | ReductionOp::Xor, Part::Number(_)) => {
            Ok(Part::Number(i64::from(ones)))
        }
        (ReductionOp::Or | ReductionOp::And | ReductionOp::Xor, Part::Bits(bits)) => {
            let mut neutral = BitVector::zeros(bits.len());
            if ones {
                neutral.limbs_mut().fill(u64::MAX);
                star_base::bits::zero_tail(neutral.limbs_mut(), bits.len());
            }
            Ok(Part::Bits(neutral))
        }
        (ReductionOp::Min, Part::Number(_)) => Ok(Part::Number(i64::MAX)),
        (ReductionOp::Max, Part::Number(_)) => Ok(Part::Number(i64::MIN)),
        (ReductionOp::Add, Part::Number(_)) => Ok(Part::Number(0)),
        (ReductionOp::Min | ReductionOp::Max | ReductionOp::Add, Part::Bits(_)) => {
            Err(broken("a reduction of another type"))
        }
    }
}

/// `into` takes `into op value`.
fn combine(op: ReductionOp, into: &mut Part, value: Part) -> Step<()> {
    let wrong = || broken("a reduction that overflows, or of another type or size");
    let logic = match op {
        ReductionOp::Or => Some(LogicOp::Or),
        ReductionOp::And => Some(LogicOp::And),
        ReductionOp::Xor => Some(LogicOp::Xor),
        ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => None,
    };
    let limb = |op: LogicOp, x: u64, y: u64| match op {
        LogicOp::And => x & y,
        LogicOp::Or => x | y,
        LogicOp::Xor => x ^ y,
    };
    match (into, value) {
        (Part::Number(x), Part::Number(y)) => {
            *x = match op {
                ReductionOp::Or => *x | y,
                ReductionOp::And => *x & y,
                ReductionOp::Xor => *x ^ y,
                ReductionOp::Min => (*x).min(y),
                ReductionOp::Max => (*x).max(y),
                ReductionOp::Add => x.checked_add(y).ok_or_else(wrong)?,
            };
            Ok(())
        }
        (Part::Bits(x), Part::Bits(y)) if x.len() == y.len() => {
            let op = logic.ok_or_else(wrong)?;
            for (x, y) in x.limbs_mut().iter_mut().zip(y.limbs()) {
                *x = limb(op, *x, *y);
            }
            Ok(())
        }
        (Part::Number(_) | Part::Bits(_), _) => Err(wrong()),
    }
}
