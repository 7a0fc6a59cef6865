//! What a file can hold, and what can be written to one.

use star_base::{BitTable, BitVector};

use crate::graph::Graph;
use crate::numbers::{Numbers, Shape};
use crate::registry::Format;
use crate::text;

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
    /// The memory that reading it took from the budget: with as much it can be read again.
    pub n_bytes: u64,
    /// What the user should know about how it was read; worded like errors.
    pub warnings: Vec<String>,
    /// How the file was understood, where there was a choice; worded like errors.
    pub notes: Vec<String>,
}

/// A value to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRef<'a> {
    /// A graph.
    Graph(&'a Graph),
    /// A table of bits.
    Table(&'a BitTable),
    /// A slice: one bit for each row.
    Slice(&'a BitVector),
    /// A word: one bit for each column.
    Word(&'a BitVector),
    /// Whole numbers.
    Numbers(&'a Numbers),
}

impl OutputRef<'_> {
    /// What it is and how large, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            OutputRef::Graph(graph) => {
                let kind = if graph.symmetric { "an undirected graph" } else { "a graph" };
                format!("{kind} of {}", text::counted(graph.n_vertices as u128, "vertices"))
            }
            OutputRef::Table(table) => {
                format!("a table of {} × {}", table.n_rows(), table.n_cols())
            }
            OutputRef::Slice(slice) => format!("a slice of {}", slice.len()),
            OutputRef::Word(word) => format!("a word of {}", word.len()),
            OutputRef::Numbers(numbers) => {
                let fields = text::count(numbers.fields.len() as u128, "field");
                match numbers.shape {
                    Shape::List(len) => {
                        format!("a list of {} with {fields}", text::count(len as u128, "record"))
                    }
                    Shape::Grid { height, width } => {
                        format!("a grid of {height} × {width} with {fields}")
                    }
                }
            }
        }
    }
}

/// A value of bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BitsRef<'a> {
    /// A table.
    Table(&'a BitTable),
    /// One column.
    Slice(&'a BitVector),
    /// One row.
    Word(&'a BitVector),
}

impl BitsRef<'_> {
    /// Rows and columns of the value as a table: a slice is one column, a word one row.
    pub(crate) fn shape(&self) -> (usize, usize) {
        match self {
            BitsRef::Table(table) => (table.n_rows(), table.n_cols()),
            BitsRef::Slice(slice) => (slice.len(), 1),
            BitsRef::Word(word) => (1, word.len()),
        }
    }

    /// Number of ones.
    pub(crate) fn count_ones(&self) -> u64 {
        match self {
            BitsRef::Table(table) => table.count_ones(),
            BitsRef::Slice(vector) | BitsRef::Word(vector) => vector.count_ones(),
        }
    }

    /// Calls `each` with every row, one byte of 0 or 1 for each column; stops at the first error.
    pub(crate) fn try_for_rows<E>(
        &self,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (n_rows, n_cols) = self.shape();
        match self {
            BitsRef::Table(_) | BitsRef::Slice(_) => {
                // 64 rows at once: that is one limb of each column.
                let mut rows = vec![0; n_cols * n_rows.min(64)];
                for first in (0..n_rows).step_by(64) {
                    let n_now = (n_rows - first).min(64);
                    for col in 0..n_cols {
                        let limbs = match self {
                            BitsRef::Table(table) => table.column_limbs(col),
                            BitsRef::Slice(bits) | BitsRef::Word(bits) => bits.limbs(),
                        };
                        let limb = limbs[first / 64];
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
            BitsRef::Word(word) => {
                let row: Vec<u8> = word.iter().map(u8::from).collect();
                each(&row)
            }
        }
    }

    /// Bit `col` of row `row`, both from 0.
    pub(crate) fn get(&self, row: usize, col: usize) -> bool {
        match self {
            BitsRef::Table(table) => table.get(row, col),
            BitsRef::Slice(slice) => slice.get(row),
            BitsRef::Word(word) => word.get(col),
        }
    }

    /// Calls `each` with the row and column of every one, both from 0, column by column; stops at
    /// the first error.
    pub(crate) fn try_for_ones<E>(
        &self,
        mut each: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            BitsRef::Table(table) if table.n_rows() == 0 => Ok(()),
            BitsRef::Table(table) => (0..table.n_cols())
                .try_for_each(|col| ones_of(table.column_limbs(col), |row| each(row, col))),
            BitsRef::Slice(slice) => ones_of(slice.limbs(), |row| each(row, 0)),
            BitsRef::Word(word) => ones_of(word.limbs(), |col| each(0, col)),
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
