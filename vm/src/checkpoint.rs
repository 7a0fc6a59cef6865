//! Checkpoints of long runs: the interface between a backend, which knows the state of a run, and
//! the edge, which knows files and the clock.
//!
//! The state is a sequence of slices and tables, the same when it is written and when it is read.
//! On several ranks each rank writes and reads its part; all of them decide together.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_value::{BitsRef, Value};

use crate::backend::HostError;

/// A run, as far as a checkpoint must agree with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunIdentity {
    /// A digest of the compiled program and its entry.
    pub program: u64,
    /// The number of this rank, from 0.
    pub rank: usize,
    /// The number of ranks.
    pub n_ranks: usize,
}

/// Storage of checkpoints, and the clock that says when one is due.
pub trait Checkpoints {
    /// Returns the flag that is set when a checkpoint is due. On several ranks that of rank 0
    /// counts.
    fn due(&self) -> Arc<AtomicBool>;

    /// Begins the run. Returns whether it continues from a checkpoint, whose state
    /// [`Checkpoints::take`] then returns.
    ///
    /// # Errors
    /// If the checkpoint cannot be read, or is not of this run.
    fn open(&mut self, run: RunIdentity) -> Result<bool, HostError>;

    /// Returns the next part of the state from which the run continues.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    fn take(&mut self) -> Result<Value, HostError>;

    /// Refuses to continue from the checkpoint: the run ends.
    fn refuse(&mut self, error: HostError);

    /// Returns the number of the next checkpoint, which is not 0.
    fn next_number(&self) -> u64;

    /// Begins the part of this rank in the checkpoint with this number.
    ///
    /// # Errors
    /// If it cannot be written.
    fn begin(&mut self, number: u64) -> Result<(), HostError>;

    /// Writes the next part of the state.
    ///
    /// # Errors
    /// If it cannot be written, or the user interrupts.
    fn put(&mut self, part: BitsRef<'_>) -> Result<(), HostError>;

    /// Completes the part of this rank, so that it outlives the process.
    ///
    /// # Errors
    /// If it cannot be written.
    fn end(&mut self) -> Result<(), HostError>;

    /// Replaces the previous checkpoint by this one, after all ranks have completed their parts.
    /// Only rank 0 does that.
    ///
    /// # Errors
    /// If it cannot be written; the previous checkpoint remains.
    fn commit(&mut self) -> Result<(), HostError>;

    /// Ends the attempt, on all ranks: with the reason if there is no new checkpoint. The previous
    /// one remains then, and the run continues.
    fn finish(&mut self, failed: Option<HostError>);
}
