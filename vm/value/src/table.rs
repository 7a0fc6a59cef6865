//! A table in one of the forms in which it enters and leaves a machine.
//!
//! Only this file and the backends that hold a form match on all of them: everything else uses the
//! methods of [`Table`] and [`TableRef`]. A backend without a form converts it by
//! [`TableRef::to_columns`].

use std::borrow::Cow;
use std::convert::Infallible;

use crate::bits::{BitTable, BitVector, TooLarge};
use crate::bits_ref::ones_of;
use crate::sparse::SparseTable;

/// Number of ones of a table by rows that are ordered by columns at once.
const BATCH: usize = 1 << 22;

/// A table with its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Table {
    /// Packed by columns.
    Columns(BitTable),
    /// Packed by rows: its rows are the columns of this one.
    Rows(BitTable),
    /// Few ones or few zeros.
    Sparse(SparseTable),
}

/// A borrowed [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableRef<'a> {
    /// Packed by columns.
    Columns(&'a BitTable),
    /// Packed by rows: its rows are the columns of this one.
    Rows(&'a BitTable),
    /// Few ones or few zeros.
    Sparse(&'a SparseTable),
}

impl From<BitTable> for Table {
    fn from(columns: BitTable) -> Self {
        Table::Columns(columns)
    }
}

impl From<SparseTable> for Table {
    fn from(table: SparseTable) -> Self {
        Table::Sparse(table)
    }
}

impl Table {
    /// Creates a table whose rows, or else columns, are the columns of `lines`.
    pub fn of_lines(lines: BitTable, by_rows: bool) -> Self {
        if by_rows { Table::Rows(lines) } else { Table::Columns(lines) }
    }

    /// Creates a table of zeros, by columns.
    ///
    /// # Errors
    /// If the allocator refuses the memory; nothing was allocated then.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Result<Self, TooLarge> {
        BitTable::zeros(n_rows, n_cols).map(Table::Columns)
    }

    /// Parses rows of `0` and `1`, all of one length, as a table by columns.
    pub fn parse(rows: &[&str]) -> Option<Self> {
        BitTable::parse(rows).map(Table::Columns)
    }

    /// Borrows the table.
    pub fn view(&self) -> TableRef<'_> {
        match self {
            Table::Columns(table) => TableRef::Columns(table),
            Table::Rows(rows) => TableRef::Rows(rows),
            Table::Sparse(table) => TableRef::Sparse(table),
        }
    }

    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.view().shape().0
    }

    /// Returns the number of columns.
    pub fn n_cols(&self) -> usize {
        self.view().shape().1
    }

    /// Returns bit `col` of row `row`, both from 0. Panics outside, as indexing does.
    pub fn get(&self, row: usize, col: usize) -> bool {
        self.view().get(row, col)
    }

    /// Returns a row, from 0.
    pub fn row(&self, row_idx: usize) -> BitVector {
        self.view().row(row_idx)
    }

    /// Returns the rows as texts of `0` and `1`.
    pub fn to_rows(&self) -> Vec<String> {
        (0..self.n_rows()).map(|row_idx| self.row(row_idx).to_string()).collect()
    }

    /// Returns the number of ones.
    pub fn count_ones(&self) -> u64 {
        self.view().count_ones()
    }

    /// Returns its size in bytes, in its form.
    pub fn n_bytes(&self) -> u64 {
        match self {
            Table::Columns(lines) | Table::Rows(lines) => lines.n_bytes(),
            Table::Sparse(table) => table.n_bytes(),
        }
    }

    /// Tests whether it is sparse.
    pub fn is_sparse(&self) -> bool {
        self.view().sparse().is_some()
    }

    /// Returns the limbs of a column, from 0; copied if the table has another form.
    pub fn column_limbs(&self, col_idx: usize) -> Cow<'_, [u64]> {
        self.view().column_limbs(col_idx)
    }

    /// Returns the table if it is packed by columns.
    pub fn columns(&self) -> Option<&BitTable> {
        self.view().columns()
    }

    /// Returns the table packed by columns; another form is converted.
    ///
    /// # Errors
    /// If it is too large for this machine.
    pub fn into_columns(self) -> Result<BitTable, TooLarge> {
        match self {
            Table::Columns(table) => Ok(table),
            other => other.view().to_columns().map(Cow::into_owned),
        }
    }
}

impl<'a> TableRef<'a> {
    /// Returns the numbers of rows and columns.
    pub fn shape(self) -> (usize, usize) {
        match self {
            TableRef::Columns(table) => (table.n_rows(), table.n_cols()),
            TableRef::Rows(rows) => (rows.n_cols(), rows.n_rows()),
            TableRef::Sparse(table) => (table.n_rows(), table.n_cols()),
        }
    }

    /// Returns bit `col` of row `row`, both from 0. Panics outside, as indexing does.
    pub fn get(self, row: usize, col: usize) -> bool {
        match self {
            TableRef::Columns(table) => table.get(row, col),
            TableRef::Rows(rows) => rows.get(col, row),
            TableRef::Sparse(table) => table.get(row, col),
        }
    }

    /// Returns a row, from 0.
    pub fn row(self, row_idx: usize) -> BitVector {
        match self {
            TableRef::Columns(table) => table.row(row_idx),
            TableRef::Rows(rows) => rows.column(row_idx),
            TableRef::Sparse(table) => {
                let mut row = BitVector::zeros(table.n_cols());
                (0..table.n_cols()).for_each(|col| row.put(col, table.get(row_idx, col)));
                row
            }
        }
    }

    /// Returns the limbs of a column, from 0; copied if the table has another form.
    pub fn column_limbs(self, col_idx: usize) -> Cow<'a, [u64]> {
        match self {
            TableRef::Columns(table) => Cow::Borrowed(table.column_limbs(col_idx)),
            TableRef::Rows(rows) => Cow::Owned(rows.row(col_idx).limbs().to_vec()),
            TableRef::Sparse(table) => {
                let mut column = BitVector::zeros(table.n_rows());
                (0..table.n_rows()).for_each(|row| column.put(row, table.get(row, col_idx)));
                Cow::Owned(column.limbs().to_vec())
            }
        }
    }

    /// Returns the number of ones.
    pub fn count_ones(self) -> u64 {
        match self {
            TableRef::Columns(lines) | TableRef::Rows(lines) => lines.count_ones(),
            TableRef::Sparse(table) => table.count_ones(),
        }
    }

    /// Returns the bytes of the same table packed by columns.
    pub fn dense_bytes(self) -> u64 {
        let (n_rows, n_cols) = self.shape();
        (8 * n_rows.div_ceil(64) as u64).saturating_mul(n_cols as u64)
    }

    /// Describes it with its size, for messages.
    pub fn describe(self) -> String {
        let (n_rows, n_cols) = self.shape();
        match self {
            TableRef::Columns(_) | TableRef::Rows(_) => format!("a table of {n_rows} × {n_cols}"),
            TableRef::Sparse(_) => format!("a sparse table of {n_rows} × {n_cols}"),
        }
    }

    /// Calls `each` with the row and column of every one, both from 0, line by line of its form;
    /// stops at the first error.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn try_for_ones<E>(
        self,
        mut each: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            TableRef::Columns(lines) | TableRef::Rows(lines) => {
                let by_rows = matches!(self, TableRef::Rows(_));
                let n_lines = if lines.n_rows() == 0 { 0 } else { lines.n_cols() };
                (0..n_lines).try_for_each(|line| {
                    ones_of(lines.column_limbs(line), |at| match by_rows {
                        true => each(line, at),
                        false => each(at, line),
                    })
                })
            }
            TableRef::Sparse(table) => table.try_for_ones(each),
        }
    }

    /// Calls `each` with the row and column of every one, both from 0, column by column in any
    /// form; stops at the first error. Needs memory for a batch of ones if the table is by rows.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn try_for_ones_by_columns<E>(
        self,
        mut each: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let by_rows = match self {
            TableRef::Columns(_) => false,
            TableRef::Rows(_) => true,
            TableRef::Sparse(table) => table.by_rows,
        };
        if !by_rows || self.shape().0 == 0 {
            return self.try_for_ones(each);
        }
        let for_ones = |each: &mut dyn FnMut(usize, usize)| {
            let Ok(()) = self.try_for_ones(|row, col| {
                each(row, col);
                Ok::<(), Infallible>(())
            });
        };
        let mut n_ones = vec![0_usize; self.shape().1];
        for_ones(&mut |_, col| n_ones[col] += 1);
        let (mut first, mut rows) = (0, Vec::new());
        while first < n_ones.len() {
            // The columns of this batch, and where the rows of each begin.
            let (mut n_rows, mut starts) = (0, Vec::new());
            for n in &n_ones[first..] {
                if n_rows > 0 && n_rows + n > BATCH {
                    break;
                }
                starts.push(n_rows);
                n_rows += n;
            }
            let columns = first..first + starts.len();
            rows.clear();
            rows.resize(n_rows, 0);
            for_ones(&mut |row, col| {
                if columns.contains(&col) {
                    let next = &mut starts[col - first];
                    rows[*next] = row;
                    *next += 1;
                }
            });
            let mut rows = rows.iter();
            for col in columns.clone() {
                rows.by_ref().take(n_ones[col]).try_for_each(|&row| each(row, col))?;
            }
            first = columns.end;
        }
        Ok(())
    }

    /// Returns the table if it is packed by columns.
    pub fn columns(self) -> Option<&'a BitTable> {
        if let TableRef::Columns(table) = self { Some(table) } else { None }
    }

    /// Returns the table if it is sparse.
    pub fn sparse(self) -> Option<&'a SparseTable> {
        if let TableRef::Sparse(table) = self { Some(table) } else { None }
    }

    /// Returns the table packed by columns; another form is converted to a copy.
    ///
    /// # Errors
    /// If it is too large for this machine.
    pub fn to_columns(self) -> Result<Cow<'a, BitTable>, TooLarge> {
        match self {
            TableRef::Columns(table) => Ok(Cow::Borrowed(table)),
            TableRef::Rows(rows) => {
                let mut table = BitTable::zeros(rows.n_cols(), rows.n_rows())?;
                for col_idx in 0..table.n_cols() {
                    table.column_limbs_mut(col_idx).copy_from_slice(&self.column_limbs(col_idx));
                }
                Ok(Cow::Owned(table))
            }
            TableRef::Sparse(table) => table.to_dense().map(Cow::Owned),
        }
    }

    /// Copies the table in its form.
    pub fn to_owned(self) -> Table {
        match self {
            TableRef::Columns(table) => Table::Columns(table.clone()),
            TableRef::Rows(rows) => Table::Rows(rows.clone()),
            TableRef::Sparse(table) => Table::Sparse(table.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::SparseLines;

    #[test]
    fn forms_of_a_table_have_the_same_bits() {
        let columns = BitTable::parse(&["011", "100", "111", "010"]).unwrap();
        let rows = BitTable::parse(&["0110", "1011", "1010"]).unwrap();
        let sparse = |lines: &BitTable, by_rows| SparseTable {
            lines: SparseLines::of_columns(lines).unwrap(),
            by_rows,
        };
        let forms = [
            Table::from(columns.clone()),
            Table::of_lines(rows.clone(), true),
            Table::from(sparse(&columns, false)),
            Table::from(sparse(&rows, true)),
        ];
        for table in forms {
            assert_eq!((table.n_rows(), table.n_cols(), table.count_ones()), (4, 3, 7));
            assert!(
                (0..4).all(|row| (0..3).all(|col| table.get(row, col) == columns.get(row, col)))
            );
            assert_eq!(table.view().to_owned(), table);
            assert_eq!(table.columns().is_some(), matches!(table, Table::Columns(_)));
            assert!((0..3).all(|col| *table.column_limbs(col) == *columns.column_limbs(col)));
            assert!((0..4).all(|row| table.row(row) == columns.row(row)));
            let mut ones = Vec::new();
            let Ok(()) = table.view().try_for_ones_by_columns(|row, col| {
                ones.push((col, row));
                Ok::<(), Infallible>(())
            });
            assert_eq!(ones, [(0, 1), (0, 2), (1, 0), (1, 2), (1, 3), (2, 0), (2, 2)]);
            assert_eq!(table.into_columns(), Ok(columns.clone()));
        }
    }

    #[test]
    fn ones_by_columns_come_in_batches() {
        let n = 3000; // more ones than a batch has
        let mut lines = BitTable::zeros(n, n).unwrap();
        for idx in 0..n {
            lines.column_limbs_mut(idx).fill(u64::MAX);
            crate::bits::zero_tail(lines.column_limbs_mut(idx), n);
        }
        let table = Table::of_lines(lines, true);
        assert!(table.count_ones() > BATCH as u64);
        let mut next = 0;
        let Ok(()) = table.view().try_for_ones_by_columns(|row, col| {
            assert_eq!(col * n + row, next);
            next += 1;
            Ok::<(), Infallible>(())
        });
        assert_eq!(next, n * n);
    }
}
