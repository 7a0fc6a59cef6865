//! Progress and stopping, and memory taken in steps between which a generator can be stopped.

use star_base::Code;

use super::GenerateOptions;
use crate::budget::Budget;
use crate::error::{Fault, FileError};
use crate::source;

/// Steps between two polls: below a millisecond.
const PACE: u64 = 1 << 14;

/// Counts steps and polls now and then whether to go on.
pub(super) struct Pacer<'p, 'o> {
    options: &'p mut GenerateOptions<'o>,
    n_done: u64,
    n_since: u64,
}

impl<'p, 'o> Pacer<'p, 'o> {
    /// Nothing is done yet.
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

    /// One step is done.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), Fault> {
        self.steps(1)
    }

    /// Some steps are done; a few thousand at most, or the answer comes late.
    #[inline]
    pub(super) fn steps(&mut self, n_steps: u64) -> Result<(), Fault> {
        self.n_since += n_steps;
        if self.n_since < PACE { Ok(()) } else { self.ask() }
    }

    /// Polls now.
    ///
    /// # Errors
    /// If it should not go on.
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

    /// Refuses what takes more memory than there may be.
    pub(super) fn check_budget(&self, n_bytes: u128) -> Result<(), Fault> {
        match self.options.budget.allows(n_bytes) {
            true => Ok(()),
            false => Err(self.out_of_memory(n_bytes)),
        }
    }

    /// The fault that this much memory is needed.
    pub(super) fn out_of_memory(&self, n_bytes: u128) -> Fault {
        source::out_of_memory("", n_bytes, self.options.budget.max_bytes())
    }

    /// An empty vector with memory for `len` items. The budget was checked before.
    pub(super) fn reserved<T>(&self, len: u64) -> Result<Vec<T>, Fault> {
        let mut items = Vec::new();
        let n_items = usize::try_from(len).unwrap_or(usize::MAX);
        let reserved = items.try_reserve_exact(n_items);
        reserved.map_err(|_| self.out_of_memory(u128::from(len) * size_of::<T>() as u128))?;
        Ok(items)
    }

    /// A vector of `len` times the same item.
    pub(super) fn filled<T: Copy>(&mut self, len: u64, item: T) -> Result<Vec<T>, Fault> {
        let mut items = self.reserved(len)?;
        let n_items = items.capacity().min(usize::try_from(len).unwrap_or(usize::MAX));
        while items.len() < n_items {
            // Touching new memory takes time, too.
            let n_more = (n_items - items.len()).min(1 << 16);
            items.resize(items.len() + n_more, item);
            self.steps(1 << 12)?;
        }
        Ok(items)
    }
}
