//! Borrowed bit values, for output to files and for results of programs.

use crate::bits::{BitTable, BitVector};
use crate::sparse::SparseTable;
use crate::table::TableRef;
use star_base::Kind;

/// A borrowed table, slice or word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsRef<'a> {
    /// A table.
    Table(TableRef<'a>),
    /// One column.
    Slice(&'a BitVector),
    /// One row.
    Word(&'a BitVector),
}

impl<'a> From<&'a BitTable> for BitsRef<'a> {
    fn from(columns: &'a BitTable) -> Self {
        BitsRef::Table(TableRef::Columns(columns))
    }
}

impl<'a> From<&'a SparseTable> for BitsRef<'a> {
    fn from(table: &'a SparseTable) -> Self {
        BitsRef::Table(TableRef::Sparse(table))
    }
}

impl<'a> BitsRef<'a> {
    /// Returns its kind.
    pub fn kind(&self) -> Kind {
        match self {
            BitsRef::Table(_) => Kind::Table,
            BitsRef::Slice(_) => Kind::Slice,
            BitsRef::Word(_) => Kind::Word,
        }
    }

    /// Describes kind and size, for messages.
    pub fn describe(&self) -> String {
        match self {
            BitsRef::Table(table) => table.describe(),
            BitsRef::Slice(slice) => format!("a slice of {}", slice.len()),
            BitsRef::Word(word) => format!("a word of {}", word.len()),
        }
    }

    /// Returns the table if it is one by columns.
    pub fn columns(&self) -> Option<&'a BitTable> {
        if let BitsRef::Table(table) = self { table.columns() } else { None }
    }

    /// Returns the rows and columns of the value as a table: a slice is one column, a word one row.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            BitsRef::Table(table) => table.shape(),
            BitsRef::Slice(slice) => (slice.len(), 1),
            BitsRef::Word(word) => (1, word.len()),
        }
    }

    /// Returns the number of ones.
    pub fn count_ones(&self) -> u64 {
        match self {
            BitsRef::Table(table) => table.count_ones(),
            BitsRef::Slice(vector) | BitsRef::Word(vector) => vector.count_ones(),
        }
    }

    /// Calls `each` with every row, one byte of 0 or 1 for each column; stops at the first error.
    pub fn try_for_rows<E>(&self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let (n_rows, n_cols) = self.shape();
        match self {
            BitsRef::Table(TableRef::Columns(table)) => {
                rows_of(n_rows, n_cols, |col| table.column_limbs(col), each)
            }
            BitsRef::Slice(slice) => rows_of(n_rows, n_cols, |_| slice.limbs(), each),
            BitsRef::Table(table) => {
                let mut row = vec![0; n_cols];
                for row_idx in 0..n_rows {
                    row.iter_mut().enumerate().for_each(|(col, bit)| {
                        *bit = u8::from(table.get(row_idx, col));
                    });
                    each(&row)?;
                }
                Ok(())
            }
            BitsRef::Word(word) => {
                let row: Vec<u8> = word.iter().map(u8::from).collect();
                each(&row)
            }
        }
    }

    /// Returns bit `col` of row `row`, both from 0.
    pub fn get(&self, row: usize, col: usize) -> bool {
        match self {
            BitsRef::Table(table) => table.get(row, col),
            BitsRef::Slice(slice) => slice.get(row),
            BitsRef::Word(word) => word.get(col),
        }
    }

    /// Calls `each` with the row and column of every one, both from 0, column by column; stops at
    /// the first error.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn try_for_ones_by_columns<E>(
        &self,
        each: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            BitsRef::Table(table) => table.try_for_ones_by_columns(each),
            BitsRef::Slice(_) | BitsRef::Word(_) => self.try_for_ones(each),
        }
    }

    /// Calls `each` with the row and column of every one, both from 0, column by column, or row by
    /// row if it is a table by rows; stops at the first error.
    pub fn try_for_ones<E>(
        &self,
        mut each: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            BitsRef::Table(table) => table.try_for_ones(each),
            BitsRef::Slice(slice) => ones_of(slice.limbs(), |row| each(row, 0)),
            BitsRef::Word(word) => ones_of(word.limbs(), |col| each(0, col)),
        }
    }
}

/// Calls `each` with every row of these columns.
fn rows_of<'c, E>(
    n_rows: usize,
    n_cols: usize,
    column: impl Fn(usize) -> &'c [u64],
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    // 64 rows at once, one limb of each column.
    let mut rows = vec![0; n_cols * n_rows.min(64)];
    for first in (0..n_rows).step_by(64) {
        let n_now = (n_rows - first).min(64);
        for col in 0..n_cols {
            let limb = column(col)[first / 64];
            for row in 0..n_now {
                rows[row * n_cols + col] = (limb >> row & 1) as u8;
            }
        }
        for row in 0..n_now {
            each(&rows[row * n_cols..][..n_cols])?;
        }
    }
    Ok(())
}

/// Calls `each` with the index of every one.
pub(crate) fn ones_of<E>(
    limbs: &[u64],
    mut each: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    for (limb_idx, &limb) in limbs.iter().enumerate() {
        let mut rest = limb;
        while rest != 0 {
            each(limb_idx * 64 + rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
        }
    }
    Ok(())
}
