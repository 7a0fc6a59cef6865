//! Grouping of items by lines of a table.

use super::poller::InterruptPoller;
use crate::error::FileError;

/// The items of every line: for example, the arcs of a graph by the columns, or rows, that they set
/// in an adjacency table.
pub(super) struct Groups<T> {
    /// The items of line j, from 0, are at `ends[j - 1]` to `ends[j]`.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Groups<T> {
    /// Groups `n_items` items by line with a counting sort. `None` if the allocation fails.
    pub(super) fn of(
        n_lines: usize,
        n_items: usize,
        items: impl Iterator<Item = (u32, T)> + Clone,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Option<Self>, FileError> {
        let (mut ends, mut grouped) = (Vec::new(), Vec::new());
        if ends.try_reserve_exact(n_lines).is_err() || grouped.try_reserve_exact(n_items).is_err() {
            return Ok(None);
        }
        ends.resize(n_lines, 0usize);
        for (line, _) in items.clone() {
            ends[line as usize] += 1;
            poller.step(1)?;
        }
        let mut sum = 0;
        for end in &mut ends {
            // At first the start of the line; every item advances it.
            sum += std::mem::replace(end, sum);
        }
        grouped.resize(sum, T::default());
        for (line, item) in items {
            let end = &mut ends[line as usize];
            grouped[*end] = item;
            *end += 1;
            poller.step(1)?;
        }
        Ok(Some(Groups { ends, items: grouped }))
    }

    /// The items of a line in their original order.
    pub(super) fn line(&self, idx: usize) -> &[T] {
        let start = if idx == 0 { 0 } else { self.ends[idx - 1] };
        &self.items[start..self.ends[idx]]
    }

    /// The items of a line, for reordering.
    pub(super) fn line_mut(&mut self, idx: usize) -> &mut [T] {
        let start = if idx == 0 { 0 } else { self.ends[idx - 1] };
        &mut self.items[start..self.ends[idx]]
    }
}
