//! What a file can hold, and what can be written to one.

use star_base::{BitTable, BitVector, BitsRef, SparseTable};

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
    /// A table of few ones, or few zeros.
    Sparse(SparseTable),
    /// A slice: one bit for each row.
    Slice(BitVector),
    /// A word: one bit for each column.
    Word(BitVector),
    /// Whole numbers: records, cells of a grid, pixels.
    Numbers(Numbers),
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile {
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
    /// A table, slice or word.
    Bits(BitsRef<'a>),
    /// Whole numbers.
    Numbers(&'a Numbers),
}

impl Data {
    /// The same as a writer takes it.
    pub fn as_output(&self) -> OutputRef<'_> {
        match self {
            Data::Graph(graph) => OutputRef::Graph(graph),
            Data::Table(table) => OutputRef::Bits(BitsRef::Table(table)),
            Data::Sparse(table) => OutputRef::Bits(BitsRef::Sparse(table)),
            Data::Slice(slice) => OutputRef::Bits(BitsRef::Slice(slice)),
            Data::Word(word) => OutputRef::Bits(BitsRef::Word(word)),
            Data::Numbers(numbers) => OutputRef::Numbers(numbers),
        }
    }
}

impl OutputRef<'_> {
    /// What it is and how large, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            OutputRef::Graph(graph) => {
                let kind = if graph.symmetric { "an undirected graph" } else { "a graph" };
                format!("{kind} of {}", text::counted(graph.n_vertices as u128, "vertices"))
            }
            OutputRef::Bits(BitsRef::Table(table)) => {
                format!("a table of {} × {}", table.n_rows(), table.n_cols())
            }
            OutputRef::Bits(BitsRef::Sparse(table)) => {
                format!("a sparse table of {} × {}", table.n_rows(), table.n_cols())
            }
            OutputRef::Bits(BitsRef::Slice(slice)) => format!("a slice of {}", slice.len()),
            OutputRef::Bits(BitsRef::Word(word)) => format!("a word of {}", word.len()),
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
