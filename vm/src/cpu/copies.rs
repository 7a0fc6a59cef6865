//! Note [Copies]. The second form of a table is no value, nor is the window over one (Note [Windows] in `window.rs`): it
//! does not count as one, and is made only while all of them together take an eighth of the memory at most. A few are
//! made under every limit, so that small programs do the same work, and ask for the same memory, whatever the limit is.

use super::table::Table;
use crate::budget::MemoryBudget;

/// Bytes of those that are made under every limit.
const FREE_BYTES: u64 = 1 << 16;

/// The second forms and windows of all tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copies {
    bytes: u64,
}

impl Copies {
    /// May a second form or window of so many bytes be made?
    pub(super) fn may_add(self, budget: &MemoryBudget<'_>, bytes: u64) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        bytes <= FREE_BYTES || (bytes <= budget.limit() / 8 && bytes <= budget.available())
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
