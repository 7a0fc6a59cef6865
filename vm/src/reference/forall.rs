//! `forall`: the iterations one after another, in an arbitrary order.
//!
//! Each iteration starts with its private variables unset and with the neutral element in every
//! reduction; the final values of its reductions are combined with those of the others. So a body
//! may say `s := s + x` as well as `s := x`. After the loop the private variables are unset. A
//! detector verifies that the iterations are independent of each other.

use star_base::Random;
use star_ir::{Block, ForallRange, LabelId, LocId, Part, PartKind, Reduction, ReductionOp, VarId};

use super::ForallOrder;
use super::bits::size;
use super::control::Region;
use super::frame::{Frame, top};
use super::interpreter::Interpreter;
use super::races::{Own, RaceDetector};
use super::value::Data;
use crate::budget::MemoryBudget;
use crate::interrupt::{Exec, internal_error};

/// An active `forall`.
pub(super) struct Forall<'p> {
    pub(super) label: LabelId,
    loc: LocId,
    var: VarId,
    privates: &'p [VarId],
    reductions: &'p [Reduction],
    body: &'p Block,
    indices: Indices,
    /// Number of iterations begun.
    begun: u128,
    /// The combined values of the iterations so far, for each reduction.
    combined: Vec<Option<Data>>,
}

/// The indices of the iterations.
pub(super) enum Indices {
    Range { from: i64, len: u128 },
    Ones(Vec<i64>),
}

impl Indices {
    pub(super) fn of(frame: &Frame<'_>, range: &ForallRange) -> Exec<Self> {
        Ok(match range {
            ForallRange::Range(from, to) => {
                let (from, to) = (frame.int(from)?, frame.int(to)?);
                let len = i128::from(to) - i128::from(from) + 1;
                let len = u128::try_from(len).unwrap_or(0);
                Indices::Range { from, len }
            }
            ForallRange::Ones(over) => {
                let ones = (1..).zip(frame.bits(*over)?).filter(|(_, bit)| **bit);
                Indices::Ones(ones.map(|(index, _)| index).collect())
            }
        })
    }

    pub(super) fn len(&self) -> u128 {
        match self {
            Indices::Range { len, .. } => *len,
            Indices::Ones(ones) => ones.len() as u128,
        }
    }

    /// Returns the index at position `at`, from 0 and below `len`.
    pub(super) fn get(&self, at: u128) -> Option<i64> {
        match self {
            Indices::Range { from, .. } => i64::try_from(i128::from(*from) + at as i128).ok(),
            Indices::Ones(ones) => ones.get(usize::try_from(at).ok()?).copied(),
        }
    }
}

impl<'p> Forall<'p> {
    #[expect(clippy::too_many_arguments, reason = "they are the parts of the statement")]
    pub(super) fn new(
        frame: &mut Frame<'_>,
        loc: LocId,
        label: LabelId,
        var: VarId,
        range: &ForallRange,
        privates: &'p [VarId],
        reductions: &'p [Reduction],
        body: &'p Block,
    ) -> Exec<Self> {
        let indices = Indices::of(frame, range)?;
        let mut combined = Vec::new();
        for reduction in reductions {
            combined.push(frame.slot_mut(reduction.var)?.data.take());
        }
        Ok(Forall { label, loc, var, privates, reductions, body, indices, begun: 0, combined })
    }

    /// Creates a detector for every variable that the iterations share.
    pub(super) fn detector(&self, frame: &Frame<'_>, writes: &[Part]) -> Exec<RaceDetector> {
        let mut detector = RaceDetector::new();
        for (idx, slot) in frame.slots.iter().enumerate() {
            let var = VarId(idx as u32);
            let is_own = var == self.var
                || self.privates.contains(&var)
                || self.reductions.iter().any(|reduction| reduction.var == var);
            if !is_own {
                detector.watch(slot.tag, frame.name(var));
            }
        }
        for Part { var, kind } in writes {
            let own = match kind {
                PartKind::Column => Own::Columns { base: 0, width: 1 },
                PartKind::Row => Own::Row,
                PartKind::Field { base, width } => {
                    Own::Columns { base: frame.int(base)?, width: size(frame.int(width)?)? }
                }
                PartKind::Component => Own::Row,
            };
            detector.allow(frame.slot(*var)?.tag, own);
        }
        Ok(detector)
    }

    /// Combines the reductions of the finished iteration with those of earlier ones.
    fn combine(&mut self, frame: &mut Frame<'_>, budget: &mut MemoryBudget<'_>) -> Exec<()> {
        for (reduction, combined) in self.reductions.iter().zip(&mut self.combined) {
            let Some(data) = frame.slot_mut(reduction.var)?.data.take() else {
                continue;
            };
            match combined {
                None => *combined = Some(data),
                Some(combined) => {
                    budget.release(data.bytes());
                    combine(reduction.op, combined, data)?;
                }
            }
        }
        Ok(())
    }

    /// Abandons the loop because the run stops: the reductions hold the combined values so far.
    pub(super) fn abandon(self, frame: &mut Frame<'_>) {
        for (reduction, combined) in self.reductions.iter().zip(self.combined) {
            if let Ok(slot) = frame.slot_mut(reduction.var) {
                slot.data = combined;
            }
        }
    }
}

impl<'p> Interpreter<'p, '_, '_> {
    /// Ends the running iteration, if any, and begins the next one, if any. If this fails, the
    /// `forall` still restores its variables.
    pub(super) fn forall_iteration(&mut self, mut forall: Box<Forall<'p>>) -> Exec<()> {
        self.looks_for_iteration(forall.body, forall.loc);
        match self.next_iteration(&mut forall) {
            Ok(true) => {
                let body = forall.body;
                self.again(Region::Forall(forall), body)
            }
            Ok(false) => {
                self.race_detectors.pop();
                forall.abandon(top(&mut self.frames)?);
                Ok(())
            }
            Err(stop) => {
                forall.abandon(top(&mut self.frames)?);
                Err(stop)
            }
        }
    }

    fn next_iteration(&mut self, forall: &mut Forall<'p>) -> Exec<bool> {
        let frame = top(&mut self.frames)?;
        if forall.begun > 0 {
            forall.combine(frame, &mut self.budget)?;
        }
        for private in forall.privates {
            frame.unset(&mut self.budget, *private)?;
        }
        let len = forall.indices.len();
        if forall.begun == len {
            return frame.unset(&mut self.budget, forall.var).map(|()| false);
        }
        let at = place_in_order(self.settings.order, forall.begun, len);
        let index = (forall.indices.get(at)).ok_or_else(|| internal_error("no such iteration"))?;
        forall.begun += 1;
        self.count_iteration()?;
        let frame = top(&mut self.frames)?;
        frame.store(&mut self.budget, forall.var, Data::Int(index))?;
        for (reduction, combined) in forall.reductions.iter().zip(&forall.combined) {
            if let Some(combined) = combined {
                let neutral = neutral(&mut self.budget, reduction.op, combined)?;
                frame.store(&mut self.budget, reduction.var, neutral)?;
            }
        }
        if let Some(detector) = self.race_detectors.last_mut() {
            detector.begin(index);
        }
        Ok(true)
    }
}

/// Returns the iteration, from 0, that runs as number `iteration` of `len`.
///
/// The shuffle is `a·iteration + b` modulo `len`, with a number `a` coprime to `len`: every
/// iteration runs once, and no state is needed.
pub(super) fn place_in_order(order: ForallOrder, iteration: u128, len: u128) -> u128 {
    match order {
        ForallOrder::Forward => iteration,
        ForallOrder::Backward => len - 1 - iteration,
        ForallOrder::Shuffled(seed) => {
            let mixed = Random::new(seed).next_u64();
            // Factors stay below 2⁶³ each, so that the product fits.
            let limit = len.min(1 << 62);
            let mut factor = u128::from(mixed) % limit;
            while gcd(factor, len) != 1 {
                factor = (factor + 1) % limit.max(2);
            }
            (factor * iteration + u128::from(Random::new(mixed).next_u64()) % len) % len
        }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the neutral element of `op` for values like `like`.
fn neutral(budget: &mut MemoryBudget<'_>, op: ReductionOp, like: &Data) -> Exec<Data> {
    let ones = op == ReductionOp::And;
    let number = match op {
        ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => None,
        ReductionOp::Min => Some(i64::MAX),
        ReductionOp::Max => Some(i64::MIN),
        ReductionOp::Add => Some(0),
    };
    let neutral = match (like, number) {
        (Data::Bool(_), None) => Some(Data::Bool(ones)),
        (Data::Slice(bits), None) => Some(Data::Slice(budget.make(bits.len(), |_| ones)?)),
        (Data::Word(bits), None) => Some(Data::Word(budget.make(bits.len(), |_| ones)?)),
        (Data::Int(_), number) => number.map(Data::Int),
        (Data::Bool(_) | Data::Slice(_) | Data::Word(_), Some(_))
        | (Data::Str(_) | Data::Table(_) | Data::Handle(_), _) => None,
    };
    neutral.ok_or_else(|| internal_error("a reduction of another type"))
}

/// Sets `into` to `into op value`.
fn combine(op: ReductionOp, into: &mut Data, value: Data) -> Exec<()> {
    let bit = |x: bool, y: bool| match op {
        ReductionOp::Or => Some(x || y),
        ReductionOp::And => Some(x && y),
        ReductionOp::Xor => Some(x != y),
        ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => None,
    };
    let number = |x: i64, y: i64| match op {
        ReductionOp::Min => Some(x.min(y)),
        ReductionOp::Max => Some(x.max(y)),
        ReductionOp::Add => x.checked_add(y),
        ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => None,
    };
    let bits = |x: &mut [bool], y: &[bool]| {
        let mut pairs = x.iter_mut().zip(y);
        let done = pairs.try_for_each(|(x, y)| bit(*x, *y).map(|result| *x = result));
        done.filter(|()| x.len() == y.len())
    };
    let done = match into {
        Data::Bool(x) => value.as_bool().and_then(|y| bit(*x, y)).map(|result| *x = result),
        Data::Int(x) => value.as_int().and_then(|y| number(*x, y)).map(|result| *x = result),
        Data::Slice(x) => {
            if let Data::Slice(y) = &value {
                bits(x, y)
            } else {
                None
            }
        }
        Data::Word(x) => {
            if let Data::Word(y) = &value {
                bits(x, y)
            } else {
                None
            }
        }
        Data::Str(_) | Data::Table(_) | Data::Handle(_) => None,
    };
    done.ok_or_else(|| internal_error("a reduction that overflows, or of another type or size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_runs_every_iteration_once() {
        for len in 1..70 {
            for order in [
                ForallOrder::Forward,
                ForallOrder::Backward,
                ForallOrder::Shuffled(1),
                ForallOrder::Shuffled(7),
            ] {
                let mut places: Vec<u128> =
                    (0..len).map(|iteration| place_in_order(order, iteration, len)).collect();
                places.sort_unstable();
                assert!(places.iter().copied().eq(0..len), "{order:?} of {len}");
            }
        }
        assert_ne!(place_in_order(ForallOrder::Shuffled(1), 1, 1000), 1);
        let last = (1 << 64) - 1;
        assert!(place_in_order(ForallOrder::Shuffled(3), last, 1 << 64) <= last);
    }
}
