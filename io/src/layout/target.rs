//! The destination table of a layout, by columns or by rows.

use star_value::bits::zero_tail;
use star_value::{BitTable, Table};

use super::poller::InterruptPoller;
use crate::error::FileError;

/// Limbs of a page.
const PAGE_LIMBS: usize = 512;

/// A table of zeros to be filled.
pub(super) struct Target {
    /// Its columns, or its rows if it is stored by rows.
    lines: BitTable,
    by_rows: bool,
}

impl Target {
    pub(super) fn new(lines: BitTable, by_rows: bool) -> Self {
        Target { lines, by_rows }
    }

    /// Returns the lines of the filled table.
    pub(super) fn into_lines(self) -> BitTable {
        self.lines
    }

    /// Returns the filled table.
    pub(super) fn into_table(self) -> Table {
        Table::of_lines(self.lines, self.by_rows)
    }

    pub(super) fn by_rows(&self) -> bool {
        self.by_rows
    }

    pub(super) fn n_rows(&self) -> usize {
        if self.by_rows { self.lines.n_cols() } else { self.lines.n_rows() }
    }

    /// The lines, each contiguous in memory.
    pub(super) fn lines_mut(&mut self) -> &mut BitTable {
        &mut self.lines
    }

    pub(super) fn get(&self, row: usize, col: usize) -> bool {
        if self.by_rows { self.lines.get(col, row) } else { self.lines.get(row, col) }
    }

    pub(super) fn put(&mut self, row: usize, col: usize, bit: bool) {
        if self.by_rows {
            self.lines.put(col, row, bit);
        } else {
            self.lines.put(row, col, bit);
        }
    }

    /// Sets all bits to one.
    pub(super) fn set_all(&mut self, poller: &mut InterruptPoller<'_>) -> Result<(), FileError> {
        let len = self.lines.n_rows();
        for line in 0..self.lines.n_cols() {
            for part in self.lines.column_limbs_mut(line).chunks_mut(PAGE_LIMBS) {
                part.fill(u64::MAX);
                poller.step(1)?;
            }
            zero_tail(self.lines.column_limbs_mut(line), len);
        }
        Ok(())
    }
}
