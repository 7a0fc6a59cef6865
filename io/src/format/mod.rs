//! The formats, one file or folder each, and their shared parts. Only the registry calls them.

pub(crate) mod columnar;
pub(crate) mod coordinates;
pub(crate) mod csv;
pub(crate) mod dimacs;
pub(crate) mod edge_list;
pub(crate) mod geojson;
pub(crate) mod gml;
pub(crate) mod graphml;
pub(crate) mod jpeg;
pub(crate) mod matrix_market;
pub(crate) mod metis;
pub(crate) mod moving_ai;
pub(crate) mod node_link;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod pajek;
pub(crate) mod png;
pub(crate) mod pnm;
pub(crate) mod stb;
pub(crate) mod svg;
pub(crate) mod tiff;
pub(crate) mod updates;

mod list;
mod network;
mod picture;
mod raster;
mod weights;

pub(crate) use self::csv::edges::write as write_csv_edges;
pub use self::list::ListPart;

use std::io;

use star_base::Code;
use star_value::BitsRef;

use crate::data::{Data, EdgeColumns, OutputRef};
use crate::error::{Fault, FileError};
use crate::graph::{Arc, Census, Graph};
use crate::graph_part::{ArcFacts, Sharing};
use crate::names::{VertexName, VertexNames};
use crate::options::{ReadOptions, Transform};
use crate::part::ReadAt;
use crate::registry::Format;
use crate::scan::Scanner;
use crate::source::Source;
use crate::text;

/// Tests whether several readers can each read a part of the records of a file of a format.
pub fn has_parts_of_records(format: Format) -> bool {
    format == Format::Csv || format == Format::Parquet && cfg!(feature = "arrow")
}

/// Reads one of the parts of a list of `n_bytes` bytes; `part` has its index and their number.
///
/// # Errors
/// If the part cannot be read without the others; see the readers of the formats. The place in the
/// error is not that in the file. The reader of the whole file says which of them it is.
pub fn read_list_part(
    format: Format,
    at: ReadAt<'_>,
    n_bytes: u64,
    part: (usize, usize),
    options: &mut ReadOptions<'_>,
) -> Result<ListPart, FileError> {
    match format {
        Format::Csv => csv::part::read_part(at, n_bytes, part, options),
        #[cfg(feature = "arrow")]
        Format::Parquet => columnar::groups::read_part(at, n_bytes, part, options),
        _ => {
            let message = format!("{} files are not read in parts", format.name());
            Err(FileError::new(Code::BadFormat, options.file, message))
        }
    }
}

/// The contents of a file and the reader's remarks.
pub(crate) type ReadResult = (Data, ReaderNotes);

/// The reader's remarks about a file.
#[derive(Debug, Default)]
pub(crate) struct ReaderNotes {
    /// Facts that the user should know: the contents may not be what they seem.
    pub(crate) warnings: Vec<String>,
    /// Facts that the user may want to know: how the file was interpreted.
    pub(crate) notes: Vec<String>,
    /// Whether the file does not say if its arcs have a direction: they were assumed to.
    pub(crate) assumes_arcs: bool,
    /// The columns of an edge list.
    pub(crate) columns: Option<EdgeColumns>,
    /// The coordinates of the pixels of a map.
    pub(crate) transform: Option<Transform>,
}

impl From<Vec<String>> for ReaderNotes {
    fn from(warnings: Vec<String>) -> Self {
        ReaderNotes { warnings, ..ReaderNotes::default() }
    }
}

/// Memory of an arc while a graph is read: the arc, and its key when duplicates are counted.
const ARC_BYTES: u64 = size_of::<Arc>() as u64 + 8;

/// Memory of a vertex, at least, in the tables of a program. A header may announce any number.
const VERTEX_BYTES: u128 = 8;

/// Bytes of the shortest line of a graph file: `1 2` and a line end.
const MIN_ENTRY_BYTES: u64 = 4;

/// Reads a number of vertices, rows or columns.
fn vertex_count(scanner: &mut Scanner, what: &str) -> Result<u32, Fault> {
    let number = scanner.unsigned(what)?;
    u32::try_from(number).map_err(|_| {
        let message = format!("{what} {number} exceeds 32 bits");
        scanner.at_token(Code::OutOfRange, message)
    })
}

/// The error for a file with too few entries.
fn too_few(scanner: &Scanner, n_found: u64, n_announced: u64) -> Fault {
    let all = text::counted(n_announced, "entries");
    let message = format!("the file ends after {n_found} of the {all} of its header");
    scanner.here(Code::Truncated, message)
}

/// The error for an entry beyond the number in the header.
fn too_many(scanner: &Scanner, n_announced: u64) -> Fault {
    let message = format!("an entry after the {n_announced} announced in the header");
    scanner.here(Code::HeaderLies, message)
}

/// Returns whether a line is `sep=;` with any separator, which a spreadsheet reads before the
/// header.
fn states_separator(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_start = |start: &[u8]| start.eq_ignore_ascii_case(b"sep=");
    line.len() <= 5 && line.get(..4).is_some_and(is_start)
}

/// The message for such a line.
const SEPARATOR_FOR_EXCEL: &str = "the first line states the separator for Excel, it is no header";

/// Finishes a graph: gives its arcs the direction that the user wants, and counts special ones.
fn finish(
    mut graph: Graph,
    mut notes: ReaderNotes,
    source: &mut Source,
) -> Result<ReadResult, Fault> {
    let vertex_bytes = graph.n_vertices as u128 * VERTEX_BYTES;
    if !source.budget().allows(vertex_bytes) {
        let n_vertices = text::counted(graph.n_vertices as u64, "vertices");
        let mut fault = source.out_of_memory(vertex_bytes);
        fault.message = format!("{n_vertices}: {}", fault.message);
        return Err(fault);
    }
    let direction = source.direction();
    let is_directed = !graph.symmetric;
    let n_bytes = graph.arcs.len() as u128 * u128::from(ARC_BYTES);
    let joined = graph.orient(direction, &mut || source.go_on())?;
    let n_joined = joined.ok_or_else(|| source.out_of_memory(n_bytes))?;
    if is_directed && direction.reverse {
        notes.notes.push("the arcs are reversed".to_owned());
    }
    if is_directed && direction.undirected {
        notes.notes.push(match n_joined {
            0 => "the arcs are read as edges".to_owned(),
            n => {
                let pairs = text::count(n as u128, "pair");
                format!("the arcs are read as edges; {pairs} of opposite arcs became one each")
            }
        });
    }
    notes.assumes_arcs &= !direction.undirected && !graph.symmetric;
    notes.warnings.extend(arc_warnings(&graph, source)?);
    Ok((Data::Graph(graph), notes))
}

/// Leaves the file to the reader of the whole if the weights of a part cannot be used: the warning
/// names the line of the first one.
fn check_weights_of_part(no_weights: Option<&FileError>, source: &Source) -> Result<(), Fault> {
    no_weights.map_or(Ok(()), |error| Err(source.fault(error.code, error.message.clone())))
}

/// Leaves the file to the reader of the whole if all parts have another number of arcs than the
/// header announces.
fn check_arcs_of_parts(
    sharing: &Sharing<'_>,
    all: &[ArcFacts],
    n_announced: u64,
    source: &Source,
) -> Result<(), Fault> {
    let n_arcs: u64 = all.iter().map(|of| of.n_arcs).sum();
    if n_arcs == n_announced {
        return Ok(());
    }
    let why = format!("it has {n_arcs} of the {n_announced} arcs of its header");
    Err(source.fault(Code::HeaderLies, sharing.refuse(&why)))
}

/// Counts special arcs of all parts of a graph.
fn census_of_parts(
    graph: &Graph,
    sharing: &Sharing<'_>,
    source: &mut Source,
) -> Result<Option<Census>, Fault> {
    let file = source.file().to_owned();
    let lost = |why: String| {
        let message = format!("cannot read: {why}");
        Box::new(FileError::new(Code::CannotOpen, &file, message))
    };
    let n_loops = graph.arcs.iter().filter(|arc| arc.tail == arc.head).count();
    let Some(keys) = graph.keys(&mut || source.go_on())? else { return Ok(None) };
    let keys = sharing.scatter(keys).map_err(lost)?;
    let n_repeated = graph.count_repeated(keys, &mut || source.go_on())?;
    let [n_loops, n_parallel] = sharing.sums([n_loops, n_repeated]).map_err(lost)?;
    Ok(Some(Census { n_loops, n_parallel }))
}

/// Warnings about the arcs of a graph.
fn arc_warnings(graph: &Graph, source: &mut Source) -> Result<Vec<String>, Fault> {
    let n_key_bytes = graph.arcs.len() as u128 * u128::from(ARC_BYTES);
    let census = match source.sharing() {
        None => graph.census(&mut || source.go_on())?,
        Some(sharing) => census_of_parts(graph, sharing, source)?,
    };
    let census = census.ok_or_else(|| source.out_of_memory(n_key_bytes))?;
    let mut warnings = Vec::new();
    let arc = if graph.symmetric { "edge" } else { "arc" };
    if census.n_parallel > 0 {
        let arcs = text::count(census.n_parallel as u128, &format!("parallel {arc}"));
        warnings.push(match graph.weighted {
            true => {
                format!("{arcs}: a table of weights keeps the smallest weight, a list keeps all")
            }
            false => format!("{arcs}: stored as one bit in a table"),
        });
    }
    match census.n_loops {
        0 => {}
        1 => warnings.push("1 loop is kept".to_owned()),
        n_loops => warnings.push(format!("{n_loops} loops are kept")),
    }
    Ok(warnings)
}

/// Sets all weights to 1 if the user wants none, or if one of the file is not an integer, with a
/// warning. Returns whether the arcs have weights.
fn settle_weights(
    arcs: &mut [Arc],
    are_read: bool,
    no_weights: &mut Option<Fault>,
    warnings: &mut Vec<String>,
) -> bool {
    no_weights.take_if(|_| !are_read);
    if are_read && no_weights.is_none() {
        return true;
    }
    arcs.iter_mut().for_each(|arc| arc.weight = 1);
    warnings.extend(no_weights.as_ref().map(|fault| {
        let line = fault.line.map_or_else(String::new, |line| format!(" in line {line}"));
        let help = fault.help.first().map_or_else(String::new, |help| format!("; {help}"));
        format!("the weights cannot be used: {}{line}{help}", fault.message)
    }));
    false
}

/// The input of a graph format: a graph, or an adjacency table as a graph.
#[derive(Clone, Copy)]
enum GraphRef<'a> {
    Graph(&'a Graph),
    /// n × n.
    Adjacency(BitsRef<'a>),
}

impl<'a> GraphRef<'a> {
    /// Accepts `value` if it is a graph, or a table with as many rows as columns.
    fn new(value: OutputRef<'a>, format: &str) -> Result<Self, Fault> {
        match value {
            OutputRef::Graph(graph) => {
                graph.check_ends("")?;
                Ok(GraphRef::Graph(graph))
            }
            OutputRef::Bits(table @ BitsRef::Table(_)) if table.shape().0 == table.shape().1 => {
                Ok(GraphRef::Adjacency(table))
            }
            OutputRef::Bits(_) | OutputRef::Numbers(_) => {
                let fault = cannot_hold(value, format, "a graph, or a table of n × n");
                Err(Box::new(fault.help("write it to a `.mtx` or `.stb` file")))
            }
        }
    }

    fn n_vertices(&self) -> usize {
        match self {
            GraphRef::Graph(graph) => graph.n_vertices,
            GraphRef::Adjacency(table) => table.shape().0,
        }
    }

    /// Number of arcs, including the mirror images that a symmetric graph does not store.
    fn n_arcs(&self) -> u64 {
        match self {
            GraphRef::Graph(graph) if graph.symmetric => {
                let n_loops = graph.arcs.iter().filter(|arc| arc.tail == arc.head).count();
                2 * graph.arcs.len() as u64 - n_loops as u64
            }
            GraphRef::Graph(graph) => graph.arcs.len() as u64,
            GraphRef::Adjacency(table) => table.count_ones(),
        }
    }

    /// Whether its arcs are edges without direction.
    fn is_symmetric(&self) -> bool {
        match self {
            GraphRef::Graph(graph) => graph.symmetric,
            GraphRef::Adjacency(_) => false,
        }
    }

    /// Calls `each` with every arc, and with every edge of a symmetric graph once; stops at the
    /// first error.
    fn try_for_edges<E>(&self, each: impl FnMut(Arc) -> Result<(), E>) -> Result<(), E> {
        match self {
            GraphRef::Graph(graph) => graph.arcs.iter().copied().try_for_each(each),
            GraphRef::Adjacency(_) => self.try_for_arcs(each),
        }
    }

    fn is_weighted(&self) -> bool {
        match self {
            GraphRef::Graph(graph) => graph.weighted,
            GraphRef::Adjacency(_) => false,
        }
    }

    /// The names of the vertices in the file, if they are not 1..n.
    fn names(&self) -> Option<&'a VertexNames> {
        match self {
            GraphRef::Graph(graph) => graph.names.as_ref(),
            GraphRef::Adjacency(_) => None,
        }
    }

    /// The name of a vertex.
    fn name(&self, vertex: u32) -> VertexName<'a> {
        VertexName { names: self.names(), vertex: vertex as usize }
    }

    /// Calls `each` with every arc, in both directions if the graph is symmetric; stops at the
    /// first error.
    fn try_for_arcs<E>(&self, mut each: impl FnMut(Arc) -> Result<(), E>) -> Result<(), E> {
        match self {
            GraphRef::Graph(graph) => graph.directed_arcs().try_for_each(each),
            // A table that fits in memory has fewer than 2^32 columns, or no rows.
            GraphRef::Adjacency(table) => table.try_for_ones_by_columns(|tail, head| {
                each(Arc { tail: tail as u32, head: head as u32, weight: 1 })
            }),
        }
    }
}

/// The error for a value that the format cannot hold; `holds` says what it can hold.
fn cannot_hold(value: OutputRef<'_>, format: &str, holds: &str) -> FileError {
    let message = format!("{} cannot be written as {format}", value.describe());
    FileError::new(Code::NoSuchLayout, "", message).note(format!("{format} holds {holds}"))
}

/// The error for a failed write.
pub(crate) fn cannot_write(error: &io::Error) -> Fault {
    let message = format!("cannot write: {}", star_base::text::reason(error));
    Box::new(FileError::new(Code::CannotWrite, "", message))
}
