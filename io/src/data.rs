//! What a file can hold, and what can be written to one.

use star_base::{BitTable, BitVector};

use crate::graph::Graph;
use crate::numbers::Numbers;
use crate::registry::Format;

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A graph.
    Graph(Graph),
    /// A table of bits.
    Table(BitTable),
    /// A slice: one bit for each row.
    Slice(BitVector),
    /// A word: one bit for each column.
    Word(BitVector),
    /// Whole numbers: records, cells of a grid, pixels.
    Numbers(Numbers),
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its contents.
    pub data: Data,
    /// The format it was read in.
    pub format: Format,
    /// What the user should know about how it was read; worded like errors.
    pub warnings: Vec<String>,
}

/// A value to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRef<'a> {
    /// A table of bits.
    Table(&'a BitTable),
    /// A slice: one bit for each row.
    Slice(&'a BitVector),
    /// A word: one bit for each column.
    Word(&'a BitVector),
}

impl OutputRef<'_> {
    /// Rows and columns of the value as a table: a slice is one column, a word one row.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            OutputRef::Table(table) => (table.n_rows(), table.n_cols()),
            OutputRef::Slice(slice) => (slice.len(), 1),
            OutputRef::Word(word) => (1, word.len()),
        }
    }

    /// Number of ones.
    pub fn count_ones(&self) -> u64 {
        match self {
            OutputRef::Table(table) => table.count_ones(),
            OutputRef::Slice(vector) | OutputRef::Word(vector) => vector.count_ones(),
        }
    }

    /// Calls `each` with the row and column of every one, both from 0, column by column; stops at
    /// the first error.
    pub(crate) fn try_for_ones<E>(
        &self,
        mut each: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            OutputRef::Table(table) if table.n_rows() == 0 => Ok(()),
            OutputRef::Table(table) => (0..table.n_cols())
                .try_for_each(|col| ones_of(table.column_limbs(col), |row| each(row, col))),
            OutputRef::Slice(slice) => ones_of(slice.limbs(), |row| each(row, 0)),
            OutputRef::Word(word) => ones_of(word.limbs(), |col| each(0, col)),
        }
    }
}

/// Calls `each` with the index of every one.
fn ones_of<E>(limbs: &[u64], mut each: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
    for (limb_idx, &limb) in limbs.iter().enumerate() {
        let mut rest = limb;
        while rest != 0 {
            each(limb_idx * 64 + rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
        }
    }
    Ok(())
}
