//! Places grouped by the lines of a table that they are in.

use super::poller::InterruptPoller;
use crate::error::FileError;

/// What is in every line: the arcs of a graph by the columns that they set in an adjacency table, or by the rows.
pub(super) struct Groups<T> {
    /// What is in line j, from 0, lies from `ends[j - 1]` to `ends[j]`.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Groups<T> {
    /// Sorts `n_items` items by the lines that they come with, by counting. `None` if the system refuses the memory.
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
            // For now where the line begins; every item moves it on.
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

    /// What is in a line, in the order of the items.
    pub(super) fn line(&self, idx: usize) -> &[T] {
        let start = if idx == 0 { 0 } else { self.ends[idx - 1] };
        &self.items[start..self.ends[idx]]
    }

    /// Likewise, to be put into another order.
    pub(super) fn line_mut(&mut self, idx: usize) -> &mut [T] {
        let start = if idx == 0 { 0 } else { self.ends[idx - 1] };
        &mut self.items[start..self.ends[idx]]
    }
}
