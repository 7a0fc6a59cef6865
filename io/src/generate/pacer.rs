//! Progress and interruption of generators, including interruptible allocation.

use star_base::Code;

use super::GenerateOptions;
use crate::budget::Budget;
use crate::error::{Fault, FileError};
use crate::source;

/// Steps between two polls: less than a millisecond.
const PACE: u64 = 1 << 14;

/// Counts steps and periodically polls whether to continue.
pub(super) struct Pacer<'p, 'o> {
    options: &'p mut GenerateOptions<'o>,
    n_done: u64,
    n_since: u64,
}

impl<'p, 'o> Pacer<'p, 'o> {
    /// Creates a pacer at step 0.
    pub(super) fn new(options: &'p mut GenerateOptions<'o>) -> Self {
        Pacer { options, n_done: 0, n_since: 0 }
    }

    /// The seed of the options.
    pub(super) fn seed(&self) -> u64 {
        self.options.seed
    }

    /// The budget of the options.
    pub(super) fn budget(&self) -> &Budget {
        &self.options.budget
    }

    /// Counts one step.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), Fault> {
        self.steps(1)
    }

    /// Counts steps; a few thousand at most, or the reaction to an interrupt is late.
    #[inline]
    pub(super) fn steps(&mut self, n_steps: u64) -> Result<(), Fault> {
        self.n_since += n_steps;
        if self.n_since < PACE { Ok(()) } else { self.ask() }
    }

    /// Polls immediately.
    ///
    /// # Errors
    /// If the generator must stop.
    #[cold]
    pub(super) fn ask(&mut self) -> Result<(), Fault> {
        self.n_done = self.n_done.saturating_add(self.n_since);
        self.n_since = 0;
        let goes_on = self.options.progress.as_mut().is_none_or(|progress| progress(self.n_done));
        match goes_on {
            true => Ok(()),
            false => Err(Box::new(FileError::new(Code::Interrupted, "", "interrupted"))),
        }
    }

    /// Rejects requests that exceed the budget.
    pub(super) fn check_budget(&self, n_bytes: u128) -> Result<(), Fault> {
        match self.options.budget.allows(n_bytes) {
            true => Ok(()),
            false => Err(self.out_of_memory(n_bytes)),
        }
    }

    /// The error that `n_bytes` are not available.
    pub(super) fn out_of_memory(&self, n_bytes: u128) -> Fault {
        source::out_of_memory("", n_bytes, self.options.budget.max_bytes())
    }

    /// Allocates an empty vector with room for `len` items. The budget must have been checked.
    pub(super) fn reserved<T>(&self, len: u64) -> Result<Vec<T>, Fault> {
        let mut items = Vec::new();
        let n_items = usize::try_from(len).unwrap_or(usize::MAX);
        let reserved = items.try_reserve_exact(n_items);
        reserved.map_err(|_| self.out_of_memory(u128::from(len) * size_of::<T>() as u128))?;
        Ok(items)
    }

    /// A vector with `len` copies of an item.
    pub(super) fn filled<T: Copy>(&mut self, len: u64, item: T) -> Result<Vec<T>, Fault> {
        let mut items = self.reserved(len)?;
        let n_items = items.capacity().min(usize::try_from(len).unwrap_or(usize::MAX));
        while items.len() < n_items {
            // The first access to new memory also takes time.
            let n_more = (n_items - items.len()).min(1 << 16);
            items.resize(items.len() + n_more, item);
            self.steps(1 << 12)?;
        }
        Ok(items)
    }
}
