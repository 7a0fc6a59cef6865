//! What a reader is told besides the bytes: the name for errors, limits, a sink for progress.

use std::fmt;

use crate::decimal::Decimal;

/// Sizes of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphSizes {
    /// Number of vertices: a stream that names one beyond is refused.
    pub n_vertices: Option<u64>,
    /// Bits of the code of a vertex.
    pub b: Option<usize>,
    /// Bits of a weight: a stream with one that does not fit below infinity is refused.
    pub h: Option<usize>,
}

/// How to read the fields of a list of text, CSV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldRules<'a> {
    /// The names of fields that hold texts, whatever these look like.
    pub texts: &'a [String],
    /// What the numbers of single fields are multiplied with, instead of those of all.
    pub scales: &'a [(String, Decimal)],
    /// Do the codes of texts follow the order of their characters, and not that of their first appearance?
    pub sorted: bool,
    /// What stands where a number, date or time is missing; without it an empty field is refused.
    pub empty: Option<&'a str>,
}

/// How to read a file.
pub struct ReadOptions<'a> {
    /// The name of the file as errors show it.
    pub file: &'a str,
    /// The length of the file in bytes, if it is known; headers are checked against it.
    pub size_hint: Option<u64>,
    /// Most bytes of memory that what is read may take.
    pub max_bytes: u64,
    /// What the values of a file (weights, coordinates, samples, numbers of records) are multiplied with
    /// before they are rounded to whole ones. Without it a value with a fraction is refused, unless the
    /// format decides for itself, and says so.
    pub scale: Option<Decimal>,
    /// What is known of the fields of a list of text.
    pub fields: FieldRules<'a>,
    /// What is known of the graph that an update stream changes.
    pub graph: GraphSizes,
    /// Is a picture with a palette read as the numbers of its colours, and not as these?
    pub palette_indices: bool,
    /// The array to read of a file with several (`.npz`); `None` for the one there is.
    pub part: Option<&'a str>,
    /// Told now and then how many bytes were read so far; `false` stops the reading with
    /// [`star_base::Code::Interrupted`].
    pub progress: Option<&'a mut dyn FnMut(u64) -> bool>,
}

impl<'a> ReadOptions<'a> {
    /// Options for a file of unknown length, without progress.
    pub fn new(file: &'a str, max_bytes: u64) -> Self {
        ReadOptions {
            file,
            size_hint: None,
            max_bytes,
            scale: None,
            fields: FieldRules::default(),
            graph: GraphSizes::default(),
            palette_indices: false,
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
            .field("part", part)
            .field("progress", &progress.is_some())
            .finish()
    }
}
