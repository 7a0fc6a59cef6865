//! Tables of the host: in its forms, in ranges of columns.

use std::ops::Range;

use star_value::{BitTable, OutOfMemory, SparseLines, SparseTable, TableForm, TableLayout};

use super::Table;
use crate::backend::BackendError;
use crate::columns::check_columns;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::{Line, copy_of, transpose};
use crate::interrupt::Exec;

impl Table {
    /// Takes a table of the host as it is.
    pub(in crate::cpu) fn of_host(table: star_value::Table) -> Self {
        match table {
            star_value::Table::Columns(columns) => Table::new(columns),
            star_value::Table::Rows(rows) => Table::of_rows(rows),
            star_value::Table::Sparse(SparseTable { lines, by_rows }) => {
                Table::of_sparse(lines, if by_rows { Line::Row } else { Line::Column })
            }
        }
    }

    /// Returns its layout, for display.
    pub(in crate::cpu) fn layout(&self) -> TableLayout {
        let form = if self.by_rows { TableForm::Rows } else { TableForm::Columns };
        let dense_bytes = self.is_sparse().then(|| self.dense_bytes());
        TableLayout { form, n_bytes: self.n_bytes(), dense_bytes }
    }

    /// Returns a sparse copy of a table of the host, by rows or by columns, so that tests cover
    /// both.
    pub(in crate::cpu) fn sparse_copy(
        &self,
        parallelism: &Parallelism<'_>,
    ) -> Result<Table, BackendError> {
        let Some(columns) = self.as_columns() else {
            return Err(BackendError::Internal(
                "a table of the host that is stored by rows".to_owned(),
            ));
        };
        let lines = SparseLines::of_columns(columns)?;
        if (self.n_rows + self.n_cols).is_multiple_of(2) {
            return Ok(Table::of_sparse(lines, Line::Column));
        }
        match transpose(columns, parallelism).map_err(|_stop| BackendError::Interrupted)? {
            Some(rows) => Ok(Table::of_sparse(SparseLines::of_columns(&rows)?, Line::Row)),
            None => Err(OutOfMemory { n_bytes: u128::from(columns.n_bytes()) }.into()),
        }
    }

    /// Returns the table in the host's form, moving it out of `self`; `None` if the system has no
    /// memory for a transpose.
    pub(in crate::cpu) fn to_host(&self, parallelism: &Parallelism<'_>) -> Exec<Option<BitTable>> {
        if let Some(sparse) = &self.sparse {
            return self.sparse_to_host(sparse, parallelism);
        }
        if let Some(transposition) = &self.half_transposed {
            let Ok(mut columns) = BitTable::zeros(self.n_rows, self.n_cols) else {
                return Ok(None);
            };
            for idx in 0..self.n_cols {
                parallelism.poll()?;
                let limbs = columns.column_limbs_mut(idx);
                transposition.read_line(self.by_rows, idx, limbs);
            }
            return Ok(Some(columns));
        }
        if let Some(view) = &self.view {
            return view.copy(self.n_cols, parallelism);
        }
        match self.form(Line::Column) {
            Some(form) => copy_of(form, None, parallelism),
            None => self.transposed(parallelism),
        }
    }

    /// Returns the form by columns alone, or the table if it has none.
    #[expect(clippy::result_large_err, reason = "it is the table, not an error")]
    pub(in crate::cpu) fn into_columns(mut self) -> Result<BitTable, Table> {
        if self.half_transposed.is_some() || self.sparse.is_some() || self.view.is_some() {
            return Err(self);
        }
        if !self.by_rows {
            return Ok(self.home);
        }
        self.copy.take().ok_or(self)
    }

    /// Copies some columns (zero-based) to a separate table.
    ///
    /// # Errors
    /// If the columns do not exist, the system refuses the memory, or a flag is set.
    pub(in crate::cpu) fn some_columns(
        &self,
        columns: Range<usize>,
        parallelism: &Parallelism<'_>,
    ) -> Result<BitTable, BackendError> {
        check_columns(&columns, self.n_cols)?;
        // Only a flag stops work on a value.
        let interrupted = |_stop| BackendError::Interrupted;
        let n_bytes = self.n_rows.div_ceil(64) as u128 * 8 * columns.len() as u128;
        let refused = |_too_large| OutOfMemory { n_bytes };
        let mut part = BitTable::zeros(self.n_rows, columns.len()).map_err(refused)?;
        for (idx, col_idx) in columns.enumerate() {
            parallelism.poll().map_err(interrupted)?;
            let limbs = part.column_limbs_mut(idx);
            if let Some(transposition) = &self.half_transposed {
                transposition.read_line(self.by_rows, col_idx, limbs);
                continue;
            }
            self.read(Line::Column, col_idx, limbs, parallelism, false).map_err(interrupted)?;
        }
        Ok(part)
    }

    /// Replaces the columns from `start` (zero-based) on by those of `part`, which has the same
    /// number of rows.
    pub(in crate::cpu) fn set_columns(&mut self, start: usize, part: &BitTable) {
        let by_rows = self.by_rows;
        let home = self.home_mut();
        for col_idx in 0..part.n_cols() {
            if by_rows {
                for row_idx in 0..part.n_rows() {
                    home.put(start + col_idx, row_idx, part.get(row_idx, col_idx));
                }
            } else {
                let column = home.column_limbs_mut(start + col_idx);
                column.copy_from_slice(part.column_limbs(col_idx));
            }
        }
    }
}
