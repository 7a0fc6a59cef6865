//! Exchange of small data between ranks that run the same program on parts of its rows.
//!
//! A rank is a thread ([`Threads`], for tests) or a process. All ranks call the same exchanges in
//! the same order. An exchange knows neither values nor programs: it transfers numbers and limbs.

mod gather;
mod partition;
mod threads;

use std::fmt;

pub(crate) use gather::{gather_lines, gather_slice, own_components, own_rows};
pub use partition::{Partition, PartitionSettings};
pub use threads::Threads;

/// Communication between the ranks of a run.
pub trait Exchange: fmt::Debug {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks, at least 1.
    fn n_ranks(&self) -> usize;

    /// Returns the number of ranks on this host, which share its memory.
    fn ranks_of_host(&self) -> usize {
        self.n_ranks()
    }

    /// Replaces each number by its reduction over all ranks. Minima, maxima and sums are of numbers
    /// that are not negative; or and and are bitwise.
    ///
    /// # Errors
    /// If another rank has ended.
    fn reduce(&self, place: Place, op: Reduce, numbers: &mut [i64]) -> Result<(), Lost>;

    /// Replaces the limbs by those of the rank `owner`; all ranks pass the same number of limbs.
    ///
    /// # Errors
    /// If another rank has ended.
    fn broadcast(&self, place: Place, owner: usize, limbs: &mut [u64]) -> Result<(), Lost>;

    /// Returns the parts of all ranks, one after another; `lens` are their numbers of limbs, the
    /// same on all ranks.
    ///
    /// # Errors
    /// If another rank has ended.
    fn gather(&self, place: Place, part: &[u64], lens: &[usize]) -> Result<Vec<u64>, Lost>;

    /// Gives a part to each rank, and returns the parts that the ranks gave to this one, one after
    /// another; `lens` are their numbers of limbs.
    ///
    /// # Errors
    /// If another rank has ended.
    fn trade(&self, place: Place, parts: &[Vec<u64>], lens: &[usize]) -> Result<Vec<u64>, Lost>;

    /// Ends the exchanges of all ranks: this rank calls no more of them.
    fn abandon(&self);
}

/// The operation of [`Exchange::reduce`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// The minimum.
    Min,
    /// The maximum.
    Max,
    /// The sum.
    Sum,
    /// Bitwise or.
    Or,
    /// Bitwise and.
    And,
}

impl Reduce {
    /// Applies the operation to two numbers. A sum that overflows is the maximum integer.
    pub fn apply(self, left: i64, right: i64) -> i64 {
        match self {
            Reduce::Min => left.min(right),
            Reduce::Max => left.max(right),
            Reduce::Sum => left.saturating_add(right),
            Reduce::Or => left | right,
            Reduce::And => left & right,
        }
    }
}

/// The place of an exchange in the program: implementations may check that all ranks have reached
/// the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the location.
    pub loc: u32,
    /// The operation that exchanges.
    pub what: &'static str,
}

/// Another rank has ended, or is at another place of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The reason.
    pub why: String,
}
