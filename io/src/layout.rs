//! The layouts: how a graph, or numbers, become a table or slice that the procedures of the library take.
//!
//! They are those of the data layouts of associative graph algorithms: weight matrices (adjacency
//! matrix without weights), and lists of edges. In every number, column 1 is the most significant
//! bit; infinity is all ones. Parallel arcs: a matrix holds the least weight, a list every one. A
//! symmetric graph stands in a matrix in both directions, in a list once.

mod fill;
mod groups;
mod numbers;
mod poller;
mod sparse;
mod target;

use std::fmt;

use star_base::{BitTable, BitVector, Code};

pub use self::numbers::{NumberLayout, NumbersLaidOut, lay_out_numbers};
use self::poller::InterruptPoller;
pub use self::sparse::{LEAST_DENSE_BYTES, LayoutBytes, bytes_of_forms, lay_out_sparse};
use self::target::Target;
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
    SignedOut "signed-out" "weights-out in two's complement, 01…1 where there is no arc"
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
    /// The layout of this name.
    pub fn parse(text: &str) -> Option<Layout> {
        let mut layouts = Layout::ALL.iter().copied();
        layouts.find(|layout| layout.name() == text)
    }

    /// The weights in it.
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

    /// The codes in it: how many for every vertex.
    pub fn codes(self) -> usize {
        match self {
            Layout::Left | Layout::Right | Layout::Code | Layout::Arcs => 1,
            Layout::CodeDouble => 2,
            Layout::WeightsOut | Layout::WeightsIn | Layout::Distances => 0,
            Layout::SignedOut | Layout::Weight | Layout::Adjacency | Layout::Edges => 0,
            Layout::Incidence | Layout::Tails | Layout::Heads => 0,
        }
    }

    /// Is row i for arc i?
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

    /// May the table lie by rows? Those of lists, and of few vertices, would be mostly gaps.
    pub fn may_lie_by_rows(self, graph: &Graph) -> bool {
        match self {
            Layout::Adjacency
            | Layout::WeightsOut
            | Layout::SignedOut
            | Layout::WeightsIn
            | Layout::Distances
            | Layout::Incidence
            | Layout::Tails
            | Layout::Heads => graph.n_vertices >= LEAST_ROW,
            Layout::Left
            | Layout::Right
            | Layout::Weight
            | Layout::Arcs
            | Layout::Code
            | Layout::CodeDouble
            | Layout::Edges => false,
        }
    }

    /// The least widths in which the procedures of the library can use this layout of the graph
    /// without an overflow; 0 where it has no such numbers.
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

/// Bits of the shortest rows that a table is laid out by.
const LEAST_ROW: usize = 512;

/// What a layout's weights are for, which decides how wide they have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// It holds none.
    None,
    /// They are compared: every weight is below infinity.
    Listed,
    /// They are added up along paths: [`Graph::path_width`].
    Added,
    /// Likewise with signs: [`Graph::signed_width`].
    Signed,
}

/// The widths of the numbers in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Bits of a weight or distance; [`Layout::least_widths`] are enough.
    pub h: usize,
    /// Bits of the code of a vertex; [`Layout::least_widths`] are enough.
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
    /// The columns of the result are the rows of the table: it lies by rows, if [`Layout::may_lie_by_rows`].
    pub by_rows: bool,
    /// InterruptibleSink now and then, at least every 20 ms; `false` stops the work with [`Code::Interrupted`].
    pub go_on: Option<&'a mut dyn FnMut() -> bool>,
}

impl<'a> LayoutOptions<'a> {
    /// Options without a way to stop.
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
/// `widths.h` bits (sums of weights are the caller's business), [`Code::OutOfRange`] if one is negative
/// and the layout has no signs; where it has codes [`Code::WidthTooSmall`] if the last one does not fit
/// in `widths.b` bits;
/// [`Code::OutOfRange`] if an arc ends at a vertex that the graph does not have; [`Code::Interrupted`] if
/// `options.go_on` says so.
pub fn lay_out_with(
    layout: Layout,
    graph: &Graph,
    widths: Widths,
    options: &mut LayoutOptions<'_>,
) -> Result<LayoutValue, FileError> {
    let LayoutOptions { file, max_bytes, by_rows, .. } = *options;
    let (n, m) = (graph.n_vertices, graph.n_edges());
    let Widths { h, b } = widths;
    check(layout, graph, widths, file)?;
    let by_rows = by_rows && layout.may_lie_by_rows(graph);
    let zeros = |n_rows: usize, n_cols: u128| {
        zeros(n_rows, n_cols, by_rows, max_bytes, file).map(|lines| Target::new(lines, by_rows))
    };
    let mut poller = InterruptPoller::new(options);
    let poller = &mut poller;
    // What the lists hold in the row of an arc.
    let tail = |row: usize| u64::from(graph.arcs[row].tail) + 1;
    let head = |row: usize| u64::from(graph.arcs[row].head) + 1;
    let weight = |row: usize| graph.arcs[row].weight.unsigned_abs();
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
            let table = zeros(m, 1)?;
            return Ok(LayoutValue::Slice(fill::ones(table, poller)?));
        }
        Layout::Incidence => {
            fill::ends(zeros(m, n as u128)?, graph, &[End::Tail, End::Head], poller)?
        }
        Layout::Tails => fill::ends(zeros(m, n as u128)?, graph, &[End::Tail], poller)?,
        Layout::Heads => fill::ends(zeros(m, n as u128)?, graph, &[End::Head], poller)?,
    };
    Ok(LayoutValue::Table(table.into_lines()))
}

/// Does the layout suit the graph? See [`lay_out_with`] for what may be wrong.
fn check(layout: Layout, graph: &Graph, widths: Widths, file: &str) -> Result<(), FileError> {
    let Widths { h, b } = widths;
    graph.check_ends(file)?;
    match layout.weights() {
        Weights::None => {}
        Weights::Listed | Weights::Added => {
            graph.check_weights(file)?;
            check_weight_width(graph, h, 0, file)?;
        }
        Weights::Signed => {
            graph.wants_weights()?;
            check_weight_width(graph, h, 1, file)?;
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

/// A table of zeros within the budget; its columns are the rows asked for if it lies by rows.
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

/// Does every weight fit below infinity in `h` bits, of which `n_sign_bits` are for the sign?
fn check_weight_width(
    graph: &Graph,
    h: usize,
    n_sign_bits: usize,
    file: &str,
) -> Result<(), FileError> {
    let Some(heaviest) = graph.arcs.iter().max_by_key(|arc| arc.weight.unsigned_abs()) else {
        return Ok(());
    };
    let infinity = u128::from(heaviest.weight.unsigned_abs()) + 1;
    let needed = bit_length(infinity) + n_sign_bits;
    if h >= needed {
        return Ok(());
    }
    let message = format!(
        "the weight {} of the arc {} does not fit below infinity in `h = {h}`",
        heaviest.weight,
        graph.arc_name(heaviest)
    );
    Err(FileError::new(Code::WidthTooSmall, file, message)
        .note("infinity is the greatest number, and no weight may be equal to it")
        .help(format!("take `h = {needed}` or more")))
}

/// Does every code fit in `b` bits?
fn check_code_width(graph: &Graph, layout: Layout, b: usize, file: &str) -> Result<(), FileError> {
    let needed = bit_length(product(layout.codes(), graph.n_vertices));
    if b >= needed {
        return Ok(());
    }
    let last = graph.n_vertices.saturating_mul(layout.codes());
    let of_what = if layout.codes() == 1 { "vertex" } else { "contracted cycle" };
    let message = format!("the code of {of_what} {last} does not fit in `b = {b}`");
    let error = FileError::new(Code::WidthTooSmall, file, message);
    Err(error.help(format!("take `b = {needed}` or more")))
}
