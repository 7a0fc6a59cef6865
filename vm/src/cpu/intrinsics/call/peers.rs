//! Exchanges of an intrinsic that works on the parts of several ranks.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use star_intrinsics::{Ended, Lists, Peers};

use super::{IntrinsicCall, IntrinsicResult, NotTaken, Reason};
use crate::exchange::{Exchange, Lost, Partition, Place, Reduce};
use crate::interrupt::Stop;

/// The other ranks.
pub struct Ranks {
    exchange: Rc<dyn Exchange>,
    partition: Partition,
    place: Place,
    counts: Rc<Counts>,
}

/// The exchanges of a call.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) exchanges: Cell<u64>,
    pub(super) limbs: Cell<u64>,
    /// The reason why another rank has ended.
    pub(super) lost: RefCell<Option<Lost>>,
}

impl Ranks {
    fn count(&self, n_limbs: usize) {
        self.counts.exchanges.set(self.counts.exchanges.get() + 1);
        self.counts.limbs.set(self.counts.limbs.get() + n_limbs as u64);
    }

    fn lost(&self, lost: Lost) -> Ended {
        *self.counts.lost.borrow_mut() = Some(lost);
        Ended::Interrupted
    }

    fn gathered(&self, part: &[u64], lens: &[usize]) -> Result<Vec<u64>, Ended> {
        self.count(part.len());
        self.exchange.gather(self.place, part, lens).map_err(|lost| self.lost(lost))
    }

    fn reduce(&self, op: Reduce, numbers: &mut [i64]) -> Result<(), Ended> {
        self.count(numbers.len());
        self.exchange.reduce(self.place, op, numbers).map_err(|lost| self.lost(lost))
    }
}

impl Peers for Ranks {
    fn rank(&self) -> usize {
        self.exchange.rank()
    }

    fn n_ranks(&self) -> usize {
        self.exchange.n_ranks()
    }

    fn least(&self, numbers: &mut [i64]) -> Result<(), Ended> {
        self.reduce(Reduce::Min, numbers)
    }

    fn greatest(&self, numbers: &mut [i64]) -> Result<(), Ended> {
        self.reduce(Reduce::Max, numbers)
    }

    fn sum(&self, numbers: &mut [i64]) -> Result<(), Ended> {
        self.reduce(Reduce::Sum, numbers)
    }

    fn union(&self, set: &mut [u64]) -> Result<(), Ended> {
        let mut numbers: Vec<i64> = set.iter().map(|limb| limb.cast_signed()).collect();
        self.reduce(Reduce::Or, &mut numbers)?;
        set.iter_mut().zip(numbers).for_each(|(limb, number)| *limb = number.cast_unsigned());
        Ok(())
    }

    fn rows(&self, n_rows: usize, rank: usize) -> Range<usize> {
        match self.partition.divides(n_rows) {
            true => self.partition.range(n_rows, rank),
            false => 0..n_rows,
        }
    }

    fn concat(&self, part: &[u64]) -> Result<Vec<u64>, Ended> {
        self.gathered(part, &vec![part.len(); self.n_ranks()])
    }

    fn gather(&self, list: &[u64]) -> Result<Lists, Ended> {
        let lens = lengths(self.concat(&[list.len() as u64])?);
        Ok(Lists { limbs: self.gathered(list, &lens)?, lens })
    }

    fn trade(&self, lists: &[Vec<u64>]) -> Result<Lists, Ended> {
        let trade = |parts: &[Vec<u64>], lens: &[usize]| {
            self.count(parts.iter().map(Vec::len).sum());
            self.exchange.trade(self.place, parts, lens).map_err(|lost| self.lost(lost))
        };
        let own_lens: Vec<Vec<u64>> = lists.iter().map(|list| vec![list.len() as u64]).collect();
        let lens = lengths(trade(&own_lens, &vec![1; self.n_ranks()])?);
        Ok(Lists { limbs: trade(lists, &lens)?, lens })
    }
}

fn lengths(limbs: Vec<u64>) -> Vec<usize> {
    limbs.into_iter().map(|len| len as usize).collect()
}

impl IntrinsicCall<'_, '_, '_, '_> {
    /// Returns the other ranks if the rows of a parameter are distributed over them: then the
    /// parameter is the part of this rank.
    ///
    /// # Errors
    /// If the run must end.
    pub fn peers(&mut self, idx: usize) -> IntrinsicResult<Option<Ranks>> {
        if !self.interpreter.is_divided_param(idx)? {
            return Ok(None);
        }
        let (exchange, partition, place) = self.interpreter.exchange_of_call()?;
        Ok(Some(Ranks { exchange, partition, place, counts: Rc::clone(&self.counts) }))
    }

    /// Ends the preparation of a call whose parameter may be distributed: if one rank declines, all
    /// do.
    ///
    /// # Errors
    /// That of `prepared`; the Star body runs if another rank declines.
    pub fn agreed<T>(&mut self, idx: usize, prepared: IntrinsicResult<T>) -> IntrinsicResult<T> {
        match self.peers(idx)? {
            None => prepared,
            Some(ranks) => ranks.agreed(prepared),
        }
    }
}

impl Ranks {
    /// Ends a step of the preparation, as [`IntrinsicCall::agreed`] does.
    ///
    /// # Errors
    /// That of `prepared`; the Star body runs if another rank declines.
    pub fn agreed<T>(&self, prepared: IntrinsicResult<T>) -> IntrinsicResult<T> {
        let mut n_declining = [match &prepared {
            Ok(_) => 0,
            Err(NotTaken(Reason::Declined)) => 1,
            // This rank ends, and thereby the others.
            Err(_) => return prepared,
        }];
        self.sum(&mut n_declining)?;
        if n_declining == [0] { prepared } else { Err(NotTaken::declined()) }
    }
}

/// Returns the end of a search that ranks have begun together: none of them can decline alone.
pub(in crate::cpu::intrinsics) fn together(ended: Ended) -> NotTaken {
    match ended {
        Ended::OutOfMemory => {
            NotTaken(Reason::Stop(Stop::Lost("a rank has no memory for an intrinsic".to_owned())))
        }
        Ended::Interrupted | Ended::Internal(_) => ended.into(),
    }
}
