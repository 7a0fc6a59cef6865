//! Tables that are read in parts, so that the cost of a picture depends only on what it shows.

use std::cell::OnceCell;
use std::ops::Range;

use star_value::{BitTable, Table};

use super::elide::Places;

/// A table with readable columns. Indices count from 0 and are below the sizes.
pub trait Grid {
    /// Number of rows.
    fn n_rows(&self) -> usize;
    /// Number of columns.
    fn n_cols(&self) -> usize;
    /// Returns some complete columns; `None` if they cannot be read.
    fn columns(&self, columns: Range<usize>) -> Option<BitTable>;
}

impl Grid for Table {
    fn n_rows(&self) -> usize {
        self.n_rows()
    }
    fn n_cols(&self) -> usize {
        self.n_cols()
    }
    fn columns(&self, columns: Range<usize>) -> Option<BitTable> {
        let mut part = BitTable::zeros(self.n_rows(), columns.len()).ok()?;
        for (idx, col_idx) in columns.enumerate() {
            part.column_limbs_mut(idx).copy_from_slice(&self.column_limbs(col_idx));
        }
        Some(part)
    }
}

/// The columns needed for a picture. A run of columns is read when one of its bits is first
/// accessed.
pub(super) struct Window<'a> {
    grid: &'a dyn Grid,
    runs: Vec<(Range<usize>, OnceCell<Option<BitTable>>)>,
}

impl<'a> Window<'a> {
    /// Creates a window on the columns with these indices.
    pub(super) fn new(grid: &'a dyn Grid, places: &Places) -> Self {
        let runs = places.runs().map(|run| (run, OnceCell::new())).collect();
        Window { grid, runs }
    }

    /// Returns a bit; `None` if it cannot be read or is not in the window.
    pub(super) fn bit(&self, row_idx: usize, col_idx: usize) -> Option<bool> {
        let (run, table) = self.runs.iter().find(|(run, _)| run.contains(&col_idx))?;
        let table = table.get_or_init(|| self.grid.columns(run.clone())).as_ref()?;
        let col_idx = col_idx - run.start;
        let inside = row_idx < table.n_rows() && col_idx < table.n_cols();
        inside.then(|| table.get(row_idx, col_idx))
    }
}
