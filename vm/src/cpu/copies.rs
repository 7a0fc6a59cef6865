//! Note [Second forms]. The second form of a table is not a value, and neither is a window over one
//! (Note [Windows] in `window.rs`): it does not count as one, and is created only while all of them
//! together use at most an eighth of the memory. A few are created under every limit, so that small
//! programs do the same work and allocate the same memory regardless of the limit.

use super::settings::Settings;
use super::table::{Table, TransposeRoom};
use crate::budget::MemoryBudget;

/// The second forms and windows of all tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    bytes: u64,
    /// [`Settings::copy_bytes`]
    free: u64,
    /// [`Settings::copy_share`]
    share: u64,
}

impl Copies {
    /// Returns an empty account.
    pub(super) fn new(settings: &Settings) -> Self {
        Copies { bytes: 0, free: settings.copy_bytes, share: settings.copy_share }
    }

    /// May a second form or window of `bytes` be created?
    pub(super) fn may_add(self, budget: &MemoryBudget<'_>, bytes: u64) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        bytes <= self.free
            || (bytes <= budget.limit() / self.share.max(1) && bytes <= budget.available())
    }

    /// Returns the room for a transpose or a window of `bytes`; with `change`, its home form may
    /// change.
    pub(super) fn room(self, budget: &MemoryBudget<'_>, bytes: u64, change: bool) -> TransposeRoom {
        TransposeRoom { copy: self.may_add(budget, bytes), spare: budget.available(), change }
    }

    /// Counts a table with everything it keeps in addition to its home form, which was `before`
    /// bytes until now.
    #[inline]
    pub(super) fn count(&mut self, table: &Table, before: u64) {
        self.bytes = self.bytes.saturating_add(table.extra_bytes()).saturating_sub(before);
    }

    /// Removes a released table from the account.
    pub(super) fn forget(&mut self, table: &Table) {
        self.bytes = self.bytes.saturating_sub(table.extra_bytes());
    }
}
