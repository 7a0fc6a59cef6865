//! Readers, writers, layouts and generators of graphs and bit tables.
//!
//! * [`registry`]: the formats, one line each, and the entry points [`read`] and [`write()`].
//! * [`columns`]: dense tables by ranges of columns.
//! * [`data`], [`graph`], [`numbers`]: contents of files. * [`meaning`]: the meaning of numbers.
//! * [`updates`]: the lines of an update stream. * [`moving`]: streams of moving objects.
//! * [`layout`]: graphs as tables or slices of bits.
//! * [`generate`]: random graphs, tables, heights and images, each from a seed.
//! * [`options`], [`error`]: options and errors of readers.
//!
//! Data are read through [`std::io::Read`] and written through [`std::io::Write`]; this crate does
//! not access files, the environment, standard output or the clock. No input makes a reader panic,
//! and no header makes it allocate memory that the rest of the file does not justify.
//!
//! ```
//! use star_io::{Data, Format, Layout, LayoutValue, ReadOptions, Widths, lay_out, read};
//!
//! let text = "p sp 3 2\na 1 2 70\na 2 3 50\n";
//! let max_bytes = 1 << 20;
//! let mut options = ReadOptions::new("road.gr", max_bytes);
//! let loaded = read(Format::Dimacs, &mut text.as_bytes(), &mut options)?;
//! let Data::Graph(graph) = loaded.data else {
//!     panic!("DIMACS files hold graphs")
//! };
//! let widths = Widths {
//!     h: graph.path_width()?,
//!     b: graph.code_width(),
//! };
//! let value = lay_out(Layout::Arcs, &graph, widths, max_bytes, "road.gr")?;
//! let LayoutValue::Table(arcs) = value else {
//!     panic!("a list of arcs is a table")
//! };
//! assert_eq!((widths.h, widths.b), (9, 2));
//! let arcs = arcs.columns().expect("no option requests another form");
//! assert_eq!(arcs.row(0).to_string(), "0110001000110"); // 01, 10, 001000110
//! # Ok::<(), star_io::FileError>(())
//! ```

// `FileError` is large because its fields are public and plain. One is built at the end of a failed
// read; inside the crate it is boxed.
#![allow(clippy::result_large_err)]

mod budget;
pub mod columns;
pub mod data;
pub mod decimal;
pub mod error;
mod format;
pub mod generate;
pub mod graph;
mod graph_part;
mod growing;
pub mod layout;
pub mod meaning;
mod moment;
pub mod moving;
pub mod names;
pub mod numbers;
pub mod options;
pub mod packing;
mod panics;
mod part;
pub mod registry;
mod scaling;
mod scan;
mod sharing;
mod sink;
mod sort;
mod source;
mod text;
pub mod updates;
mod whole;

pub use columns::{dense_table, read_columns, read_rows, write_columns};
pub use data::{Data, EdgeColumns, LoadedFile, OutputRef};
pub use decimal::Decimal;
pub use error::{FileError, Stopped};
pub use format::stb::{RowsWriter, TableRows};
pub use format::{ListPart, has_parts_of_records, read_list_part};
pub use graph::{Arc, ArcsElsewhere, Graph};
pub use graph_part::{Peers, has_lines_of_arcs, read_graph_part};
pub use layout::{
    LEAST_DENSE_BYTES, Layout, LayoutBytes, LayoutOptions, LayoutValue, NumberLayout,
    NumbersLaidOut, Weights, Widths, bytes_of_forms, lay_out, lay_out_numbers, lay_out_sparse,
    lay_out_with,
};
pub use meaning::{Meaning, Texts};
pub use names::{VertexName, VertexNames};
pub use numbers::{Field, FieldSummary, Numbers, Shape};
pub use options::{
    Direction, EdgeFields, EdgeStyle, FieldRules, GraphSizes, ReadOptions, Transform,
};
pub use packing::Packing;
pub use panics::panics_are_caught;
pub use part::JoinedPart;
pub use registry::{Format, not_kept, read, write, write_edges, write_packed, write_places};
pub use sharing::{Coding, share_codes, share_vertices};
pub use updates::Update;
