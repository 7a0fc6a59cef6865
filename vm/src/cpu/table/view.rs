//! Tables that are views of columns of another table: see Note [Views] in `views`.

use std::ops::Range;
use std::sync::Arc;

use star_value::BitTable;

use super::Table;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::{Line, columns_of, copy_columns};
use crate::interrupt::Exec;
use crate::kernels::Columns;

/// The viewed columns of a dense table by columns, as many as the view has.
#[derive(Debug)]
pub(super) struct View {
    of: Arc<Table>,
    /// The first of them, zero-based.
    start: usize,
}

impl View {
    /// Returns the `n_cols` columns.
    pub(super) fn columns(&self, n_cols: usize) -> Columns<'_> {
        let Columns { storage, stride, n_cols: _ } = columns_of(&self.of.home);
        Columns { storage: &storage[self.start * stride..][..n_cols * stride], stride, n_cols }
    }

    /// Returns the viewed table.
    pub(super) fn into_viewed(self) -> Arc<Table> {
        self.of
    }

    /// Copies line `idx`, zero-based, to `dst`.
    pub(super) fn read(
        &self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        n_cols: usize,
        parallelism: &Parallelism<'_>,
    ) -> Exec<()> {
        match line {
            Line::Column => self.of.copy_line(Line::Column, self.start + idx, dst, parallelism)?,
            Line::Row => parallelism.kernels.gather_row(self.columns(n_cols), idx, dst),
        }
        Ok(())
    }

    /// Returns bit (row, column), both zero-based.
    pub(super) fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        self.of.home.get(row_idx, self.start + col_idx)
    }

    /// Copies the columns to a separate table; `None` if the system has no memory for it.
    pub(super) fn copy(
        &self,
        n_cols: usize,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<BitTable>> {
        let Ok(mut copy) = BitTable::zeros(self.of.n_rows, n_cols) else { return Ok(None) };
        copy_columns(&self.of.home, self.start, &mut copy, 0, n_cols, parallelism)?;
        Ok(Some(copy))
    }
}

impl Table {
    /// May fields of it be views? This requires contiguous columns.
    pub(in crate::cpu) fn may_be_viewed(&self) -> bool {
        self.is_home(Line::Column) && self.half_transposed.is_none()
    }

    /// Returns a view of these columns of a table that [may be viewed](Table::may_be_viewed).
    pub(in crate::cpu) fn view_of(of: Arc<Table>, columns: Range<usize>) -> Self {
        let (n_rows, n_cols) = (of.n_rows, columns.len());
        let view = Some(View { of, start: columns.start });
        Table { n_rows, n_cols, view, ..Table::default() }
    }

    /// Moves a view to these columns of the same table, if their number is unchanged. Returns
    /// whether it was moved.
    pub(in crate::cpu) fn move_view(&mut self, of: &Arc<Table>, columns: &Range<usize>) -> bool {
        match &mut self.view {
            Some(view) if Arc::ptr_eq(&view.of, of) && self.n_cols == columns.len() => {
                view.start = columns.start;
                true
            }
            Some(_) | None => false,
        }
    }

    #[inline]
    pub(in crate::cpu) fn is_view(&self) -> bool {
        self.view.is_some()
    }

    /// Returns its columns, if they are contiguous.
    pub(in crate::cpu) fn columns(&self) -> Option<Columns<'_>> {
        match &self.view {
            Some(view) => Some(view.columns(self.n_cols)),
            None => self.form(Line::Column).map(columns_of),
        }
    }
}
