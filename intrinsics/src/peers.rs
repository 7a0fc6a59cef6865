//! Processes that share the arcs of a graph.

use crate::environment::Ended;

/// The processes that run an algorithm together, each on its arcs. All of them call the same
/// methods in the same order, with as many numbers.
pub trait Peers {
    /// Replaces each number, which is not negative, by its minimum over all processes.
    ///
    /// # Errors
    /// If another process has ended.
    fn least(&self, numbers: &mut [i64]) -> Result<(), Ended>;

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

    /// Returns the lists of all processes, one after another.
    ///
    /// # Errors
    /// If another process has ended.
    fn gather(&self, list: &[u64]) -> Result<Vec<u64>, Ended>;
}
