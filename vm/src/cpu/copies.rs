//! Note [Copies]. The second form of a table is no value: it does not count as one, and is made only while
//! all second forms together take an eighth of the memory at most.

use super::table::Table;
use crate::budget::MemoryBudget;

/// The second forms of all tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copies {
    bytes: u64,
}

impl Copies {
    /// May a second form of a table of so many bytes be made?
    pub(super) fn may_add(self, budget: &MemoryBudget<'_>, bytes: u64) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        bytes <= budget.limit() / 8 && bytes <= budget.available()
    }

    /// A table came with whatever forms it has, or has another one now; `had_copy` is how it was.
    #[inline]
    pub(super) fn count(&mut self, table: &Table, had_copy: bool) {
        match (had_copy, table.has_copy()) {
            (false, true) => self.bytes = self.bytes.saturating_add(table.n_bytes()),
            (true, false) => self.bytes = self.bytes.saturating_sub(table.n_bytes()),
            (false, false) | (true, true) => {}
        }
    }

    /// A table is gone.
    pub(super) fn forget(&mut self, table: &Table) {
        if table.has_copy() {
            self.bytes = self.bytes.saturating_sub(table.n_bytes());
        }
    }
}
