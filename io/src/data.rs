//! Values that files hold: the result of reading and the input of writing.

use star_value::{BitVector, BitsRef, Table};

use crate::decimal::Decimal;
use crate::graph::Graph;
use crate::numbers::{Numbers, Shape};
use crate::options::Transform;
use crate::registry::Format;
use crate::text;

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A graph.
    Graph(Graph),
    /// A table of bits.
    Table(Table),
    /// A slice: one bit for each row.
    Slice(BitVector),
    /// A word: one bit for each column.
    Word(BitVector),
    /// Integers: records, cells of a grid, pixels.
    Numbers(Numbers),
}

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFile {
    /// Its contents.
    pub data: Data,
    /// The format it was read as.
    pub format: Format,
    /// The peak memory of reading; a budget of this size is enough to read the file again.
    pub n_bytes: u64,
    /// Warnings about how the file was read; worded like errors.
    pub warnings: Vec<String>,
    /// How ambiguous parts of the file were interpreted; worded like errors.
    pub notes: Vec<String>,
    /// Whether it is a graph, and the file does not say if its arcs have a direction.
    pub assumes_arcs: bool,
    /// The scale that its values, or the weights of a graph, were multiplied by.
    pub scale: Option<Decimal>,
    /// The columns of an edge list, if it is one.
    pub columns: Option<EdgeColumns>,
    /// The coordinates of the pixels, if it is a map that has them.
    pub transform: Option<Transform>,
}

/// The columns of an edge list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeColumns {
    /// Their names, or their numbers from 1.
    pub names: Vec<String>,
    /// Those of the vertices, from 0.
    pub ends: [usize; 2],
    /// The one of the weights.
    pub weight: Option<usize>,
}

impl EdgeColumns {
    /// Returns the column with this name, or otherwise with this number from 1.
    pub fn find(&self, name: &str) -> Option<usize> {
        let named = self.names.iter().position(|known| known == name);
        let number = || name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        named.or_else(|| number().filter(|&idx| idx < self.names.len()))
    }
}

/// A value to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRef<'a> {
    /// A graph.
    Graph(&'a Graph),
    /// A table, slice or word.
    Bits(BitsRef<'a>),
    /// Integers.
    Numbers(&'a Numbers),
}

impl Data {
    /// Borrows the data in the form that writers accept.
    pub fn as_output(&self) -> OutputRef<'_> {
        match self {
            Data::Graph(graph) => OutputRef::Graph(graph),
            Data::Table(table) => OutputRef::Bits(BitsRef::Table(table.view())),
            Data::Slice(slice) => OutputRef::Bits(BitsRef::Slice(slice)),
            Data::Word(word) => OutputRef::Bits(BitsRef::Word(word)),
            Data::Numbers(numbers) => OutputRef::Numbers(numbers),
        }
    }
}

impl OutputRef<'_> {
    /// Describes kind and size, for messages.
    pub fn describe(&self) -> String {
        match self {
            OutputRef::Graph(graph) => {
                let kind = if graph.symmetric { "an undirected graph" } else { "a graph" };
                format!("{kind} of {}", text::counted(graph.n_vertices as u128, "vertices"))
            }
            OutputRef::Bits(bits) => bits.describe(),
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
