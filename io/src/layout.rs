//! Layouts: conversion of graphs and numbers to the tables and slices that the procedures of the
//! library accept.
//!
//! They are those of the data layouts of associative graph algorithms: weight matrices (adjacency
//! matrix without weights), and lists of edges. In every number, column 1 is the most significant
//! bit; infinity is all ones. Of parallel arcs a matrix stores the smallest weight, a list all
//! arcs. A matrix stores both directions of the edges of a symmetric graph, a list stores each edge
//! once.

mod fill;
mod groups;
mod numbers;
mod poller;
mod sparse;
mod target;

use std::fmt;

use star_base::Code;
use star_value::{BitTable, BitVector, Table};

pub use self::numbers::{NumberLayout, NumbersLaidOut, lay_out_numbers};
use self::poller::InterruptPoller;
pub use self::sparse::{LEAST_DENSE_BYTES, LayoutBytes, bytes_of_forms, lay_out_sparse};
use self::target::Target;
use crate::error::FileError;
use crate::graph::{Graph, bit_length};
use crate::source;

macro_rules! layouts {
    ($($layout:ident $name:literal $description:literal)*) => {
        /// A layout of a graph with n vertices and m arcs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Layout {
            $(#[doc = concat!("`", $name, "`: ", $description, ".")] $layout,)*
        }

        impl Layout {
            /// All layouts.
            pub const ALL: &'static [Layout] = &[$(Layout::$layout),*];

            /// The name as written on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Layout::$layout => $name,)* }
            }

            /// The description in one line.
            pub fn description(self) -> &'static str {
                match self { $(Layout::$layout => $description,)* }
            }
        }
    };
}

layouts! {
    Adjacency "adjacency" "n × n, a one at (i, j) for an arc from i to j"
    WeightsOut "weights-out" "n × n·h, field k of row i is the weight of the arc from k to i"
    SignedOut "signed-out" "weights-out in two's complement, 01…1 for no arc"
    WeightsIn "weights-in" "n × n·h, field k of row i is the weight of the arc from i to k"
    Distances "distances" "weights-in with 0 on the diagonal"
    Left "left" "m × b, the code of the vertex that arc i leaves"
    Right "right" "m × b, the code of the vertex that arc i enters"
    Weight "weight" "m × h, the weight of arc i"
    Arcs "arcs" "m × (2b + h), left, right and weight side by side"
    Code "code" "n × b, the code of vertex x in row x"
    CodeDouble "code-double" "2n × b, the codes 1 to 2n, for vertices and contracted cycles"
    Edges "edges" "a slice of m ones"
    Incidence "incidence" "m × n, ones in row i at both ends of arc i"
    Tails "tails" "m × n, a one in row i at the vertex that arc i leaves"
    Heads "heads" "m × n, a one in row i at the vertex that arc i enters"
}

impl Layout {
    /// Parses the name of a layout.
    pub fn parse(text: &str) -> Option<Layout> {
        let mut layouts = Layout::ALL.iter().copied();
        layouts.find(|layout| layout.name() == text)
    }

    /// The weights in the layout.
    pub fn weights(self) -> Weights {
        match self {
            Layout::WeightsOut | Layout::WeightsIn | Layout::Distances => Weights::Added,
            Layout::SignedOut => Weights::Signed,
            Layout::Weight | Layout::Arcs => Weights::Listed,
            Layout::Left | Layout::Right | Layout::Code | Layout::CodeDouble => Weights::None,
            Layout::Adjacency | Layout::Edges => Weights::None,
            Layout::Incidence | Layout::Tails | Layout::Heads => Weights::None,
        }
    }

    /// Number of codes per vertex.
    pub fn codes(self) -> usize {
        match self {
            Layout::Left | Layout::Right | Layout::Code | Layout::Arcs => 1,
            Layout::CodeDouble => 2,
            Layout::WeightsOut | Layout::WeightsIn | Layout::Distances => 0,
            Layout::SignedOut | Layout::Weight | Layout::Adjacency | Layout::Edges => 0,
            Layout::Incidence | Layout::Tails | Layout::Heads => 0,
        }
    }

    /// Returns whether row i is arc i.
    pub fn rows_are_arcs(self) -> bool {
        match self {
            Layout::Left
            | Layout::Right
            | Layout::Weight
            | Layout::Arcs
            | Layout::Edges
            | Layout::Incidence
            | Layout::Tails
            | Layout::Heads => true,
            Layout::Adjacency
            | Layout::WeightsOut
            | Layout::SignedOut
            | Layout::WeightsIn
            | Layout::Distances
            | Layout::Code
            | Layout::CodeDouble => false,
        }
    }

    /// Returns whether the table may be stored by rows. Tables of lists, and of few vertices, would
    /// be mostly padding.
    pub fn may_lie_by_rows(self, graph: &Graph) -> bool {
        self.is_matrix() && graph.n_vertices >= LEAST_ROW
    }

    /// Returns whether it is a matrix, with a column for each vertex, and not a list.
    pub fn is_matrix(self) -> bool {
        match self {
            Layout::Adjacency
            | Layout::WeightsOut
            | Layout::SignedOut
            | Layout::WeightsIn
            | Layout::Distances
            | Layout::Incidence
            | Layout::Tails
            | Layout::Heads => true,
            Layout::Left
            | Layout::Right
            | Layout::Weight
            | Layout::Arcs
            | Layout::Code
            | Layout::CodeDouble
            | Layout::Edges => false,
        }
    }

    /// The smallest widths in which the procedures of the library can use this layout of the graph
    /// without overflow; 0 for numbers that the layout does not have.
    ///
    /// # Errors
    /// Those of [`Graph::path_width`] and [`Graph::signed_width`]. The error names no file.
    pub fn least_widths(self, graph: &Graph) -> Result<Widths, FileError> {
        let h = match self.weights() {
            Weights::None => 0,
            Weights::Listed => graph.weight_width()?,
            Weights::Added => graph.path_width()?,
            Weights::Signed => graph.signed_width()?,
        };
        Ok(Widths { h, b: bit_length(product(self.codes(), graph.n_vertices)) })
    }
}

/// Minimum row length, in bits, of a table stored by rows.
const LEAST_ROW: usize = 512;

/// The use of the weights of a layout, which determines their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// No weights.
    None,
    /// Weights are compared: each, less [`Graph::weight_offset`], must be below infinity.
    Listed,
    /// Weights are added along paths: [`Graph::path_width`]. They must not be negative.
    Added,
    /// Signed weights are added along paths: [`Graph::signed_width`].
    Signed,
}

/// The widths of the numbers in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Bits of a weight or distance, at least those of [`Layout::least_widths`].
    pub h: usize,
    /// Bits of a vertex code, at least those of [`Layout::least_widths`].
    pub b: usize,
}

/// The result of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutValue {
    /// A table.
    Table(Table),
    /// A slice.
    Slice(BitVector),
}

/// Options of a layout besides the data.
pub struct LayoutOptions<'a> {
    /// The name of the file, for errors.
    pub file: &'a str,
    /// Maximum size of the result in bytes.
    pub max_bytes: u64,
    /// Whether a table is stored by rows, if [`Layout::may_lie_by_rows`].
    pub by_rows: bool,
    /// Called at least every 20 ms; `false` stops the work with [`Code::Interrupted`].
    pub go_on: Option<&'a mut dyn FnMut() -> bool>,
}

impl<'a> LayoutOptions<'a> {
    /// Creates options that do not allow interruption.
    pub fn new(file: &'a str, max_bytes: u64) -> Self {
        LayoutOptions { file, max_bytes, by_rows: false, go_on: None }
    }
}

impl fmt::Debug for LayoutOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LayoutOptions { file, max_bytes, by_rows, go_on } = self;
        f.debug_struct("LayoutOptions")
            .field("file", file)
            .field("max_bytes", max_bytes)
            .field("by_rows", by_rows)
            .field("go_on", &go_on.is_some())
            .finish()
    }
}

/// Lays out a graph as [`lay_out_with`] does, without interruption.
///
/// # Errors
/// Those of [`lay_out_with`].
pub fn lay_out(
    layout: Layout,
    graph: &Graph,
    widths: Widths,
    max_bytes: u64,
    file: &str,
) -> Result<LayoutValue, FileError> {
    lay_out_with(layout, graph, widths, &mut LayoutOptions::new(file, max_bytes))
}

/// Lays out a graph. Needs the memory of the result, and 4 bytes for each arc and 8 for each vertex
/// while a large table is filled column by column; pages of the result without ones are not
/// touched.
///
/// # Errors
/// [`Code::DoesNotFit`], before any allocation, if the result exceeds `options.max_bytes` bytes;
/// for layouts with weights [`Code::WidthTooSmall`] if a weight is not below infinity in `widths.h`
/// bits (the caller is responsible for sums of weights), and [`Code::OutOfRange`] if a weight is
/// negative in [`Weights::Added`]; for layouts with codes [`Code::WidthTooSmall`] if the last
/// code does not fit in `widths.b` bits; [`Code::OutOfRange`] if an arc ends at a vertex that the
/// graph does not have; [`Code::Interrupted`] if `options.go_on` returns `false`.
pub fn lay_out_with(
    layout: Layout,
    graph: &Graph,
    widths: Widths,
    options: &mut LayoutOptions<'_>,
) -> Result<LayoutValue, FileError> {
    let LayoutOptions { file, max_bytes, by_rows, .. } = *options;
    // A part of a graph has the rows of its arcs.
    let (n, m) = (graph.n_vertices, graph.arcs.len());
    let Widths { h, b } = widths;
    check(layout, graph, widths, file)?;
    let by_rows = by_rows && layout.may_lie_by_rows(graph);
    let zeros = |n_rows: usize, n_cols: u128| {
        zeros(n_rows, n_cols, by_rows, max_bytes, file).map(|lines| Target::new(lines, by_rows))
    };
    let mut poller = InterruptPoller::new(options);
    let poller = &mut poller;
    // Values in the list row of an arc.
    let tail = |row: usize| u64::from(graph.arcs[row].tail) + 1;
    let head = |row: usize| u64::from(graph.arcs[row].head) + 1;
    let offset = graph.weight_offset();
    let weight = |row: usize| graph.arcs[row].weight.abs_diff(offset);
    let table = match layout {
        Layout::Adjacency => fill::adjacency(zeros(n, n as u128)?, graph, poller)?,
        Layout::WeightsOut => {
            fill::weights(zeros(n, product(n, h))?, graph, h, fill::Direction::Out, poller)?
        }
        Layout::SignedOut => fill::signed_weights(zeros(n, product(n, h))?, graph, h, poller)?,
        Layout::WeightsIn => {
            fill::weights(zeros(n, product(n, h))?, graph, h, fill::Direction::In, poller)?
        }
        Layout::Distances => {
            let table = zeros(n, product(n, h))?;
            let table = fill::weights(table, graph, h, fill::Direction::In, poller)?;
            fill::no_distance_to_itself(table, h, poller)?
        }
        Layout::Left => fill::numbers(zeros(m, b as u128)?, 0..b, tail, poller)?,
        Layout::Right => fill::numbers(zeros(m, b as u128)?, 0..b, head, poller)?,
        Layout::Weight => fill::numbers(zeros(m, h as u128)?, 0..h, weight, poller)?,
        Layout::Arcs => {
            let table = zeros(m, product(2, b).saturating_add(h as u128))?;
            let table = fill::numbers(table, 0..b, tail, poller)?;
            let table = fill::numbers(table, b..2 * b, head, poller)?;
            fill::numbers(table, 2 * b..2 * b + h, weight, poller)?
        }
        Layout::Code | Layout::CodeDouble => {
            let table = zeros(n.saturating_mul(layout.codes()), b as u128)?;
            fill::numbers(table, 0..b, |row| row as u64 + 1, poller)?
        }
        Layout::Edges => {
            let table = zeros(graph.n_edges(), 1)?;
            return Ok(LayoutValue::Slice(fill::ones(table, poller)?));
        }
        Layout::Incidence => {
            fill::ends(zeros(m, n as u128)?, graph, &[End::Tail, End::Head], poller)?
        }
        Layout::Tails => fill::ends(zeros(m, n as u128)?, graph, &[End::Tail], poller)?,
        Layout::Heads => fill::ends(zeros(m, n as u128)?, graph, &[End::Head], poller)?,
    };
    Ok(LayoutValue::Table(table.into_table()))
}

/// Checks that the layout suits the graph; see [`lay_out_with`] for the errors.
fn check(layout: Layout, graph: &Graph, widths: Widths, file: &str) -> Result<(), FileError> {
    let Widths { h, b } = widths;
    graph.check_ends(file)?;
    match layout.weights() {
        Weights::None => {}
        Weights::Listed => {
            graph.wants_weights()?;
            check_weight_width(graph, h, (graph.weight_offset(), 0), file)?;
        }
        Weights::Added => {
            graph.check_lengths(file)?;
            check_weight_width(graph, h, (0, 0), file)?;
        }
        Weights::Signed => {
            graph.wants_weights()?;
            check_weight_width(graph, h, (0, 1), file)?;
        }
    }
    check_code_width(graph, layout, b, file)
}

/// An end of an arc.
#[derive(Clone, Copy)]
enum End {
    Tail,
    Head,
}

fn product(a: usize, b: usize) -> u128 {
    a as u128 * b as u128
}

/// Creates a table of zeros within the budget; if it is stored by rows, its columns are the
/// requested rows.
fn zeros(
    n_rows: usize,
    n_cols: u128,
    by_rows: bool,
    max_bytes: u64,
    file: &str,
) -> Result<BitTable, FileError> {
    let (length, n_lines) = match by_rows {
        true => (n_cols, n_rows as u128),
        false => (n_rows as u128, n_cols),
    };
    let n_bytes = (length.div_ceil(64) * 8).saturating_mul(n_lines);
    let out_of_memory = || {
        let mut error = FileError::from(source::out_of_memory(file, n_bytes, max_bytes));
        error.message = format!("a table of {n_rows} × {n_cols}: {}", error.message);
        error
    };
    if n_bytes > u128::from(max_bytes) {
        return Err(out_of_memory());
    }
    let (Ok(length), Ok(n_lines)) = (usize::try_from(length), usize::try_from(n_lines)) else {
        return Err(out_of_memory());
    };
    BitTable::zeros(length, n_lines).map_err(|_| out_of_memory())
}

/// Checks that every weight, stored as its distance from the offset, is below infinity in `h` bits,
/// of which `n_sign_bits` are for the sign.
fn check_weight_width(
    graph: &Graph,
    h: usize,
    (offset, n_sign_bits): (i64, usize),
    file: &str,
) -> Result<(), FileError> {
    let own = graph.arcs.iter().max_by_key(|arc| arc.weight.abs_diff(offset));
    let elsewhere = graph.elsewhere.weights.into_iter().flat_map(|(least, most)| [least, most]);
    let weights = own.iter().map(|arc| arc.weight).chain(elsewhere);
    let Some(farthest) = weights.map(|weight| weight.abs_diff(offset)).max() else {
        return Ok(());
    };
    let needed = bit_length(u128::from(farthest) + 1) + n_sign_bits;
    if h >= needed {
        return Ok(());
    }
    let Some(heaviest) = own.filter(|arc| arc.weight.abs_diff(offset) == farthest) else {
        let message = "a weight of another part must be below infinity";
        return Err(FileError::new(Code::WidthTooSmall, file, message));
    };
    let message = format!(
        "the weight {} of the arc {} must be below infinity, and `h = {h}` is too small",
        heaviest.weight,
        graph.arc_name(heaviest)
    );
    let error = FileError::new(Code::WidthTooSmall, file, message)
        .note("infinity is the greatest number, and weights must be smaller")
        .help(format!("use `h = {needed}` or more"));
    Err(match offset {
        0 => error,
        offset => error.note(format!("the smallest weight, {offset}, is stored as 0")),
    })
}

/// Checks that every code fits in `b` bits.
fn check_code_width(graph: &Graph, layout: Layout, b: usize, file: &str) -> Result<(), FileError> {
    let needed = bit_length(product(layout.codes(), graph.n_vertices));
    if b >= needed {
        return Ok(());
    }
    let last = graph.n_vertices.saturating_mul(layout.codes());
    let of_what = if layout.codes() == 1 { "vertex" } else { "contracted cycle" };
    let message = format!("the code of {of_what} {last} does not fit in `b = {b}`");
    let error = FileError::new(Code::WidthTooSmall, file, message);
    Err(error.help(format!("use `b = {needed}` or more")))
}
