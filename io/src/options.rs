//! Options of a reader besides the bytes: the name for errors, limits, a progress sink.

use std::fmt;

use crate::decimal::Decimal;
use crate::text;

/// Sizes of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphSizes {
    /// Number of vertices: a stream that refers to a greater vertex is rejected.
    pub n_vertices: Option<u64>,
    /// Bits of a vertex code.
    pub b: Option<usize>,
    /// Bits of a weight: a stream with a weight that is not below infinity is rejected.
    pub h: Option<usize>,
}

/// Rules for the fields of a text list (CSV).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldRules<'a> {
    /// The names of fields that always hold texts.
    pub texts: &'a [String],
    /// Scales of single fields, which override the general scale.
    pub scales: &'a [(String, Decimal)],
    /// Whether the codes of texts are sorted by character instead of by first occurrence.
    pub sorted: bool,
    /// The value of missing numbers, dates and times; without it an empty field is rejected.
    pub empty: Option<&'a str>,
    /// Whether the first record is a header; by default, if every field of it is a name.
    pub header: Option<bool>,
}

impl FieldRules<'_> {
    /// Returns a note about the first name in the rules that is not one of these, for an error that
    /// may be its consequence.
    pub(crate) fn unknown_name(&self, names: &[&str]) -> Option<String> {
        let texts = self.texts.iter().map(|name| (name, "texts"));
        let mut given = texts.chain(self.scales.iter().map(|(name, _)| (name, "scale")));
        let (name, setting) = given.find(|(name, _)| !names.contains(&name.as_str()))?;
        let name = text::quote(name.as_bytes());
        let listed = text::quoted_names(names.iter().map(|name| name.as_bytes()));
        Some(format!("no field is called {name}, as in `{setting}=`; the fields are {listed}"))
    }
}

/// The direction of the arcs that a graph is read with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direction {
    /// Every arc is read as an edge; an arc and its opposite with the same weight are one edge.
    pub undirected: bool,
    /// Every arc is read from its head to its tail.
    pub reverse: bool,
}

/// The fields of an edge list, by their names or by their numbers from 1; `None` for the usual
/// ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeFields<'a> {
    /// The vertex that an arc leaves.
    pub from: Option<&'a str>,
    /// The vertex that it enters.
    pub to: Option<&'a str>,
    /// Its weight, also the attribute of other formats; `none` reads no weights.
    pub weight: Option<&'a str>,
}

impl EdgeFields<'_> {
    /// The name that reads no weights.
    const NO_WEIGHT: &'static str = "none";

    /// Returns whether the weights of a graph are read.
    pub fn reads_weights(&self) -> bool {
        self.weight != Some(Self::NO_WEIGHT)
    }
}

/// The style of arcs that are written as CSV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeStyle {
    /// The scale that the weights are divided by.
    pub scale: Option<Decimal>,
    /// Whether the names of vertices that a spreadsheet would evaluate are quoted.
    pub quotes_formulas: bool,
}

/// Options for reading a file.
pub struct ReadOptions<'a> {
    /// The name of the file as errors show it.
    pub file: &'a str,
    /// The length of the file in bytes, if known; headers are checked against it.
    pub size_hint: Option<u64>,
    /// Memory limit for the contents in bytes.
    pub max_bytes: u64,
    /// Factor of the values of a file (weights, coordinates, samples, numbers of records) before
    /// they are rounded to integers. Without it a value with a fraction is rejected, unless the
    /// format has a rule and reports it.
    pub scale: Option<Decimal>,
    /// Known properties of the fields of a text list.
    pub fields: FieldRules<'a>,
    /// Known properties of the graph that an update stream changes.
    pub graph: GraphSizes,
    /// Whether a picture with a palette is read as palette indices instead of colours.
    pub palette_indices: bool,
    /// Whether an empty cell, a null or NaN is a missing number; without it they are rejected.
    pub nan_is_missing: bool,
    /// Whether the times after the weights of an edge list are skipped; without it they are
    /// rejected.
    pub skip_times: bool,
    /// Whether a graph is wanted: a list of records is then read as an edge list, and a matrix of
    /// numbers as weights.
    pub as_graph: bool,
    /// The direction of the arcs of a graph.
    pub direction: Direction,
    /// The fields of an edge list.
    pub edges: EdgeFields<'a>,
    /// The array to read from a file with several (`.npz`); `None` if there is only one.
    pub part: Option<&'a str>,
    /// Called periodically with the number of bytes read so far; `false` stops the reading with
    /// [`star_base::Code::Interrupted`].
    pub progress: Option<&'a mut dyn FnMut(u64) -> bool>,
}

impl<'a> ReadOptions<'a> {
    /// Creates options for a file of unknown length, without progress.
    pub fn new(file: &'a str, max_bytes: u64) -> Self {
        ReadOptions {
            file,
            size_hint: None,
            max_bytes,
            scale: None,
            fields: FieldRules::default(),
            graph: GraphSizes::default(),
            palette_indices: false,
            nan_is_missing: false,
            skip_times: false,
            as_graph: false,
            direction: Direction::default(),
            edges: EdgeFields::default(),
            part: None,
            progress: None,
        }
    }
}

impl fmt::Debug for ReadOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadOptions {
            file,
            size_hint,
            max_bytes,
            scale,
            fields,
            graph,
            palette_indices,
            nan_is_missing,
            skip_times,
            as_graph,
            direction,
            edges,
            part,
            progress,
        } = self;
        f.debug_struct("ReadOptions")
            .field("file", file)
            .field("size_hint", size_hint)
            .field("max_bytes", max_bytes)
            .field("scale", scale)
            .field("fields", fields)
            .field("graph", graph)
            .field("palette_indices", palette_indices)
            .field("nan_is_missing", nan_is_missing)
            .field("skip_times", skip_times)
            .field("as_graph", as_graph)
            .field("direction", direction)
            .field("edges", edges)
            .field("part", part)
            .field("progress", &progress.is_some())
            .finish()
    }
}

/// The coordinates of the pixels of a map, as in its world file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The change of both coordinates from a pixel to the next one in its row.
    right: [f64; 2],
    /// The change from a pixel to the one below it.
    down: [f64; 2],
    /// The centre of the first pixel.
    first: [f64; 2],
}

// Its numbers are finite.
impl Eq for Transform {}

impl Transform {
    /// Creates it from the six lines of a world file, in their order; `None` unless all are finite
    /// and pixels have an area.
    #[must_use]
    pub fn of_world_file([a, d, b, e, c, f]: [f64; 6]) -> Option<Self> {
        let is_valid = [a, d, b, e, c, f].iter().all(|it| it.is_finite()) && a * e != b * d;
        is_valid.then_some(Transform { right: [a, d], down: [b, e], first: [c, f] })
    }

    /// Returns the coordinates of the centre of a pixel; columns and rows count from 1.
    #[must_use]
    pub fn of_pixel(&self, column: f64, row: f64) -> [f64; 2] {
        let at = |axis: usize| {
            self.first[axis] + (column - 1.0) * self.right[axis] + (row - 1.0) * self.down[axis]
        };
        [at(0), at(1)]
    }
}
