//! Processes that share the arcs of a graph.

use std::ops::Range;

use crate::environment::Ended;

/// The processes that run an algorithm together, each on its arcs. All of them call the same
/// methods in the same order, with as many numbers.
pub trait Peers {
    /// Returns the number of this process, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of processes, at least 1.
    fn n_ranks(&self) -> usize;

    /// Replaces each number, which is not negative, by its minimum over all processes.
    ///
    /// # Errors
    /// If another process has ended.
    fn least(&self, numbers: &mut [i64]) -> Result<(), Ended>;

    /// Replaces each number, which is not negative, by its maximum over all processes.
    ///
    /// # Errors
    /// If another process has ended.
    fn greatest(&self, numbers: &mut [i64]) -> Result<(), Ended>;

    /// Replaces each number, which is not negative, by its sum over all processes.
    ///
    /// # Errors
    /// If another process has ended.
    fn sum(&self, numbers: &mut [i64]) -> Result<(), Ended>;

    /// Replaces a set by its union over all processes.
    ///
    /// # Errors
    /// If another process has ended.
    fn union(&self, set: &mut [u64]) -> Result<(), Ended>;

    /// Returns the rows that a process has of a table with `n_rows` rows, or all of them if every
    /// process has the whole table.
    fn rows(&self, n_rows: usize, rank: usize) -> Range<usize>;

    /// Returns the parts of all processes, one after another; they have the same length.
    ///
    /// # Errors
    /// If another process has ended.
    fn concat(&self, part: &[u64]) -> Result<Vec<u64>, Ended>;

    /// Returns the lists of all processes.
    ///
    /// # Errors
    /// If another process has ended.
    fn gather(&self, list: &[u64]) -> Result<Lists, Ended>;

    /// Gives a list to each process, and returns the lists that the processes gave to this one.
    ///
    /// # Errors
    /// If another process has ended.
    fn trade(&self, lists: &[Vec<u64>]) -> Result<Lists, Ended>;
}

/// Lists of all processes, by rank.
#[derive(Debug)]
pub struct Lists {
    /// The lists, one after another.
    pub limbs: Vec<u64>,
    /// Their lengths.
    pub lens: Vec<usize>,
}

impl Lists {
    /// Returns each list.
    pub fn each(&self) -> impl Iterator<Item = &[u64]> {
        let mut rest = &self.limbs[..];
        self.lens.iter().map(move |len| {
            let (list, others) = rest.split_at(*len);
            rest = others;
            list
        })
    }
}
