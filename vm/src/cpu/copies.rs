//! Note [Second forms]. The second form of a table is no value, nor is the window over one (Note [Windows] in `window.rs`): it
//! does not count as one, and is made only while all of them together take an eighth of the memory at most. A few are
//! made under every limit, so that small programs do the same work, and ask for the same memory, whatever the limit is.

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
    /// None yet.
    pub(super) fn new(settings: &Settings) -> Self {
        Copies { bytes: 0, free: settings.copy_bytes, share: settings.copy_share }
    }

    /// May a second form or window of so many bytes be made?
    pub(super) fn may_add(self, budget: &MemoryBudget<'_>, bytes: u64) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        bytes <= self.free
            || (bytes <= budget.limit() / self.share.max(1) && bytes <= budget.available())
    }

    /// What room there is to turn a table, or make a window, of so many bytes; with `change` its home form may change.
    pub(super) fn room(self, budget: &MemoryBudget<'_>, bytes: u64, change: bool) -> TransposeRoom {
        TransposeRoom { copy: self.may_add(budget, bytes), spare: budget.available(), change }
    }

    /// A table came with whatever it has beside its home form, or has something else there now; `before` bytes is what
    /// that was.
    #[inline]
    pub(super) fn count(&mut self, table: &Table, before: u64) {
        self.bytes = self.bytes.saturating_add(table.extra_bytes()).saturating_sub(before);
    }

    /// A table is gone.
    pub(super) fn forget(&mut self, table: &Table) {
        self.bytes = self.bytes.saturating_sub(table.extra_bytes());
    }
}
