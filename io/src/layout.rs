//! The layouts: how a graph, or numbers, become a table or slice that the procedures of the library take.
//!
//! They are those of the data layouts of associative graph algorithms: weight matrices (adjacency
//! matrix without weights), and lists of edges. In every number, column 1 is the most significant
//! bit; infinity is all ones. Parallel arcs: a matrix holds the least weight, a list every one. A
//! symmetric graph stands in a matrix in both directions, in a list once.

mod columns;
mod fill;
mod numbers;
mod pace;

use std::fmt;

use star_base::{BitTable, BitVector, Code};

pub use self::numbers::{NumberLayout, NumbersLaidOut, lay_out_numbers};
use self::pace::Pace;
use crate::error::FileError;
use crate::graph::{Graph, bit_length};
use crate::source;

macro_rules! layouts {
    ($($layout:ident $name:literal $description:literal)*) => {
        /// A way to lay out a graph of n vertices and m arcs.
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

            /// What it is, in one line.
            pub fn description(self) -> &'static str {
                match self { $(Layout::$layout => $description,)* }
            }
        }
    };
}

layouts! {
    Adjacency "adjacency" "n × n, a one at (i, j) for an arc from i to j"
    WeightsOut "weights-out" "n × n·h, field k of row i is the weight of the arc from k to i"
    WeightsIn "weights-in" "n × n·h, field k of row i is the weight of the arc from i to k"
    Distances "distances" "weights-in with 0 on the diagonal"
    Left "left" "m × b, the code of the vertex that arc i leaves"
    Right "right" "m × b, the code of the vertex that arc i enters"
    Weight "weight" "m × h, the weight of arc i"
    Arcs "arcs" "m × (2b + h), left, right and weight side by side"
    Code "code" "n × b, the code of vertex x in row x"
    Edges "edges" "a slice of m ones"
    Incidence "incidence" "m × n, ones in row i at both ends of arc i"
    Tails "tails" "m × n, a one in row i at the vertex that arc i leaves"
    Heads "heads" "m × n, a one in row i at the vertex that arc i enters"
}

impl Layout {
    /// The layout of this name.
    pub fn parse(text: &str) -> Option<Layout> {
        let mut layouts = Layout::ALL.iter().copied();
        layouts.find(|layout| layout.name() == text)
    }
}

/// The widths of the numbers in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Bits of a weight or distance; [`Graph::path_width`] is enough.
    pub h: usize,
    /// Bits of the code of a vertex; [`Graph::code_width`] is enough.
    pub b: usize,
}

/// A graph laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutValue {
    /// A table of bits.
    Table(BitTable),
    /// A slice.
    Slice(BitVector),
}

/// What a layout is told besides what is laid out.
pub struct LayoutOptions<'a> {
    /// The name of the file for errors.
    pub file: &'a str,
    /// Most bytes that the result may take.
    pub max_bytes: u64,
    /// Asked now and then, at least every 20 ms; `false` stops the work with [`Code::Interrupted`].
    pub go_on: Option<&'a mut dyn FnMut() -> bool>,
}

impl<'a> LayoutOptions<'a> {
    /// Options without a way to stop.
    pub fn new(file: &'a str, max_bytes: u64) -> Self {
        LayoutOptions { file, max_bytes, go_on: None }
    }
}

impl fmt::Debug for LayoutOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LayoutOptions { file, max_bytes, go_on } = self;
        f.debug_struct("LayoutOptions")
            .field("file", file)
            .field("max_bytes", max_bytes)
            .field("go_on", &go_on.is_some())
            .finish()
    }
}

/// Likewise [`lay_out_with`], without a way to stop.
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

/// Lays out a graph. Takes the memory of the result, and 4 bytes for each arc and 8 for each vertex
/// while a large table is filled column by column; pages of the result that hold no one are not touched.
///
/// # Errors
/// [`Code::DoesNotFit`] before anything is taken if the result has more than `options.max_bytes` bytes;
/// where the layout has weights [`Code::WidthTooSmall`] if one does not fit below infinity in
/// `widths.h` bits, [`Code::OutOfRange`] if one is negative; where it has codes
/// [`Code::WidthTooSmall`] if that of the last vertex does not fit in `widths.b` bits;
/// [`Code::OutOfRange`] if an arc ends at a vertex that the graph does not have; [`Code::Interrupted`] if
/// `options.go_on` says so.
pub fn lay_out_with(
    layout: Layout,
    graph: &Graph,
    widths: Widths,
    options: &mut LayoutOptions<'_>,
) -> Result<LayoutValue, FileError> {
    let LayoutOptions { file, max_bytes, .. } = *options;
    let (n, m) = (graph.n_vertices, graph.n_edges());
    let Widths { h, b } = widths;
    graph.check_ends(file)?;
    let (has_weights, has_codes) = match layout {
        Layout::WeightsOut | Layout::WeightsIn | Layout::Distances | Layout::Weight => {
            (true, false)
        }
        Layout::Arcs => (true, true),
        Layout::Left | Layout::Right | Layout::Code => (false, true),
        Layout::Adjacency | Layout::Edges => (false, false),
        Layout::Incidence | Layout::Tails | Layout::Heads => (false, false),
    };
    if has_weights {
        check_weight_width(graph, h, file)?;
    }
    if has_codes && b < graph.code_width() {
        let wider = graph.code_width();
        let message = format!("the code of vertex {n} does not fit in `b = {b}`");
        let error = FileError::new(Code::WidthTooSmall, file, message);
        return Err(error.help(format!("take `b = {wider}` or more")));
    }
    let zeros = |n_rows: usize, n_cols: u128| zeros(n_rows, n_cols, max_bytes, file);
    let mut pace = Pace::new(options);
    let pace = &mut pace;
    let table = match layout {
        Layout::Adjacency => fill::adjacency(zeros(n, n as u128)?, graph, pace)?,
        Layout::WeightsOut => {
            fill::weights(zeros(n, product(n, h))?, graph, h, fill::Direction::Out, pace)?
        }
        Layout::WeightsIn => {
            fill::weights(zeros(n, product(n, h))?, graph, h, fill::Direction::In, pace)?
        }
        Layout::Distances => {
            let table = zeros(n, product(n, h))?;
            let table = fill::weights(table, graph, h, fill::Direction::In, pace)?;
            fill::no_distance_to_itself(table, h, pace)?
        }
        Layout::Left => fill::tail_codes(zeros(m, b as u128)?, graph, 0, b, pace)?,
        Layout::Right => fill::head_codes(zeros(m, b as u128)?, graph, 0, b, pace)?,
        Layout::Weight => fill::weight_list(zeros(m, h as u128)?, graph, 0, h, pace)?,
        Layout::Arcs => {
            let table = zeros(m, product(2, b).saturating_add(h as u128))?;
            let table = fill::tail_codes(table, graph, 0, b, pace)?;
            let table = fill::head_codes(table, graph, b, b, pace)?;
            fill::weight_list(table, graph, 2 * b, h, pace)?
        }
        Layout::Code => fill::codes(zeros(n, b as u128)?, b, pace)?,
        Layout::Edges => {
            let table = zeros(m, 1)?;
            return Ok(LayoutValue::Slice(fill::ones(table, pace)?));
        }
        Layout::Incidence => {
            fill::ends(zeros(m, n as u128)?, graph, &[End::Tail, End::Head], pace)?
        }
        Layout::Tails => fill::ends(zeros(m, n as u128)?, graph, &[End::Tail], pace)?,
        Layout::Heads => fill::ends(zeros(m, n as u128)?, graph, &[End::Head], pace)?,
    };
    Ok(LayoutValue::Table(table))
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

/// A table of zeros within the budget.
fn zeros(n_rows: usize, n_cols: u128, max_bytes: u64, file: &str) -> Result<BitTable, FileError> {
    let n_column_bytes = n_rows.div_ceil(64) as u128 * 8;
    let n_bytes = n_column_bytes.saturating_mul(n_cols);
    let no_room = || {
        let mut error = FileError::from(source::no_room(file, n_bytes, max_bytes));
        error.message = format!("a table of {n_rows} × {n_cols}: {}", error.message);
        error
    };
    if n_bytes > u128::from(max_bytes) {
        return Err(no_room());
    }
    let n_cols = usize::try_from(n_cols).map_err(|_| no_room())?;
    BitTable::zeros(n_rows, n_cols).map_err(|_| no_room())
}

/// Does every weight fit below infinity in `h` bits?
fn check_weight_width(graph: &Graph, h: usize, file: &str) -> Result<(), FileError> {
    graph.check_weights(file)?;
    let Some(heaviest) = graph.arcs.iter().max_by_key(|arc| arc.weight) else {
        return Ok(());
    };
    let infinity = u128::from(heaviest.weight.unsigned_abs()) + 1;
    let needed = bit_length(infinity);
    if h >= needed {
        return Ok(());
    }
    let message = format!(
        "the weight {} of the arc {} does not fit below infinity in `h = {h}`",
        heaviest.weight,
        graph.arc_name(heaviest)
    );
    Err(FileError::new(Code::WidthTooSmall, file, message)
        .note("infinity is all ones, and no weight may be equal to it")
        .help(format!("take `h = {needed}` or more")))
}
