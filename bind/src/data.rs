//! Data files: opened, read within the budget, and converted to values.

mod numbers;

use std::io::{Cursor, Read};

use star_base::{Code, text};
use star_io::{
    Data, Decimal, Direction, FileError, Format, Graph, GraphSizes, JoinedPart, Layout,
    LayoutBytes, LayoutOptions, LayoutValue, ListPart, LoadedFile, Peers, ReadOptions, Stopped,
    Weights, Widths,
};
use star_value::{SparseTable, SparseWish, Table, TableWish, Value};

use crate::binding::Leave;
use crate::bytes::{bytes_in, bytes_of_graph};
use crate::layouts::{self, AnyLayout};
use crate::left_table::RecordPlace;
use crate::matrices;
use crate::param::Kind;
use crate::part::Located;
use crate::source::{Observer, OpenFile, Reading, Waiting};
use crate::table_file::TableFile;
use crate::widths;

pub use numbers::{RowFields, from_numbers};

/// The number of bytes at the start of a file used to recognise its format.
const START_BYTES: u64 = 4096;
/// The first bytes of a file that is packed with gzip.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The maximum memory overhead of a table column, in addition to its bits.
const COLUMN_BYTES: u64 = 24;
/// The maximum width of numbers: no weight and no code needs more.
pub const MAX_WIDTH: i64 = 4096;

/// Widths given by the user; missing ones are computed from the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WidthOverrides {
    /// Bits of a weight or distance.
    pub h: Option<usize>,
    /// Bits of the code of a vertex.
    pub b: Option<usize>,
}

/// A request for the value of a parameter from a file.
#[derive(Clone, Copy)]
pub struct LoadRequest<'a> {
    /// Table, slice or word.
    pub kind: Kind,
    /// The layout of a graph or of numbers; the default for a graph is `adjacency`.
    pub layout: Option<&'a AnyLayout>,
    /// The file name for messages.
    pub file: &'a str,
    /// The maximum size of the value in bytes.
    pub max_bytes: u64,
    /// Widths given by the user.
    pub widths: WidthOverrides,
    /// The preferred form of a table.
    pub wish: TableWish,
    /// Whether the program knows the offset of the weights of a list; otherwise negative ones are
    /// refused.
    pub knows_offset: bool,
}

/// Known properties of a file before it is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected {
    /// Its format, if the requested layout is only for that format.
    pub format: Option<Format>,
    /// The sizes of the graph that it changes, if it is an update stream.
    pub graph: GraphSizes,
    /// Whether it must be a graph.
    pub as_graph: bool,
}

/// The result of reading a file.
pub struct FileContents {
    /// The data of the file.
    pub data: Data,
    /// Whether it is an update stream, independent of its name.
    pub is_stream: bool,
    /// Whether it is a NumPy array.
    pub is_array: bool,
    /// The memory used for reading, in bytes.
    pub n_bytes: u64,
    /// The scale that its values were multiplied by.
    pub scale: Option<Decimal>,
}

/// The items of a file of which each of several processes reads a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Items {
    /// Records of a list.
    Records,
    /// Arcs of a graph.
    Arcs,
}

/// A file that was opened, with its format.
pub(crate) struct OpenData<'f> {
    located: Located<'f>,
    format: Format,
    as_graph: bool,
    /// The bytes that were read.
    start: Vec<u8>,
    file: OpenFile,
}

/// Reads a file, with its name for messages. Uses at most `max_bytes` of memory.
///
/// # Errors
/// If it cannot be read, is not in its format, does not fit, or a flag was set meanwhile.
pub fn read_file(
    reading: Reading<'_>,
    located: Located<'_>,
    max_bytes: u64,
    expected: Expected,
) -> Result<FileContents, FileError> {
    open_file(reading, located, expected)?.read(reading, max_bytes, expected)
}

/// Opens a file and determines its format.
///
/// # Errors
/// If it cannot be opened, its format is unknown, or a flag was set meanwhile.
pub(crate) fn open_file<'f>(
    reading: Reading<'_>,
    located: Located<'f>,
    expected: Expected,
) -> Result<OpenData<'f>, FileError> {
    let name = located.file;
    // A direction is one of a graph.
    let as_graph = expected.as_graph || located.direction.is_some();
    let mut file = reading.files.open(name)?;
    let goes_on = || reading.observer.stop().is_none();
    let mut start = Vec::new();
    let input = Waiting::new(Box::new(&mut file.input), &goes_on);
    let read = input.take(START_BYTES).read_to_end(&mut start);
    read.map_err(|error| {
        let (code, message) = match error.get_ref().is_some_and(|error| error.is::<Stopped>()) {
            true => (Code::Interrupted, error.to_string()),
            false => (Code::CannotOpen, format!("cannot open: {}", text::reason(&error))),
        };
        stopped(reading.observer, FileError::new(code, name, message))
    })?;
    let format = match expected.format {
        Some(format) => format,
        None => match Format::of_file(name, &start) {
            // Lines of texts are edges where a graph is wanted.
            Err(error) if as_graph && is_text(&start) && !start.is_empty() => {
                match Format::of_path(name) {
                    Some(_) => return Err(error),
                    None => Format::EdgeList,
                }
            }
            format => format?,
        },
    };
    Ok(OpenData { located, format, as_graph, start, file })
}

impl<'f> OpenData<'f> {
    /// Leaves a large dense table, of which this process holds at most `max_bytes`, in its file.
    /// Returns any other file, for which [`OpenData::read`] has the right message if it is damaged.
    pub(crate) fn leave(self, leave: &Leave, max_bytes: u64) -> Result<TableFile, Self> {
        let OpenData { located, format, as_graph, start, file } = &self;
        let is_whole = located.part.is_none() && !as_graph;
        let n_bytes = file.n_bytes.filter(|_| is_whole);
        let shape = n_bytes.and_then(|n_bytes| star_io::dense_table(*format, start, n_bytes));
        let Some(shape) = shape else { return Err(self) };
        let OpenData { located, format, as_graph, start, file } = self;
        let name = located.file.to_owned();
        let n_holders = leave.holders_of(shape.0);
        let max_bytes = max_bytes.saturating_mul(n_holders);
        let table = TableFile { name, start, file, shape, max_bytes, n_holders };
        if table.n_bytes() > leave.least_bytes && table.n_bytes() <= max_bytes {
            return Ok(table);
        }
        let TableFile { start, file, .. } = table;
        Err(OpenData { located, format, as_graph, start, file })
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        self.located.file
    }

    /// Tests whether the file has more than this number of bytes.
    pub(crate) fn is_larger_than(&self, n_bytes: u64) -> bool {
        self.file.n_bytes.is_some_and(|of_file| of_file > n_bytes)
    }

    /// Returns what the items of the file are, if a process can read a range of them only.
    pub(crate) fn items(&self) -> Option<Items> {
        let OpenData { located, format, as_graph, start, file } = self;
        let is_packed = start.starts_with(&GZIP_MAGIC);
        if located.part.is_some() || is_packed || file.at.is_none() {
            return None;
        }
        if !as_graph && star_io::has_parts_of_records(*format) {
            return Some(Items::Records);
        }
        star_io::has_lines_of_arcs(*format).then_some(Items::Arcs)
    }

    /// Reads the arcs of one of several processes of a graph; see [`star_io::read_graph_part`].
    ///
    /// # Errors
    /// Those of [`star_io::read_graph_part`], or if `observer` stops the reading.
    pub(crate) fn read_arcs(
        &mut self,
        reading: Reading<'_>,
        max_bytes: u64,
        peers: &dyn Peers,
    ) -> Result<Result<(FileContents, RecordPlace), String>, FileError> {
        let Located { file: name, direction, .. } = self.located;
        let OpenFile { n_bytes, at, progress: show, .. } = &mut self.file;
        let (Some(n_bytes), Some(at)) = (*n_bytes, at) else {
            return Err(FileError::new(Code::CannotOpen, name, "cannot read"));
        };
        let mut progress = |n_read| {
            show(n_read);
            reading.observer.stop().is_none()
        };
        let mut options = options(reading, name, max_bytes);
        options.as_graph = true;
        options.direction = direction.unwrap_or(reading.settings.direction);
        options.progress = Some(&mut progress);
        let read = star_io::read_graph_part(self.format, &**at, n_bytes, peers, &mut options);
        Ok(read.map_err(|error| stopped(reading.observer, error))?.map(|part| {
            let JoinedPart { loaded, starts, n_bytes, checksum } = part;
            let contents = contents_of_graph(reading, name, direction, loaded);
            (contents, RecordPlace { starts, n_bytes, checksum })
        }))
    }

    /// Reads the records of one of several processes of a list; see [`star_io::read_list_part`].
    ///
    /// # Errors
    /// Those of [`star_io::read_list_part`], or if `observer` stops the reading.
    pub(crate) fn read_part(
        &mut self,
        reading: Reading<'_>,
        max_bytes: u64,
        (rank, n_ranks): (usize, usize),
    ) -> Result<ListPart, FileError> {
        let format = self.format;
        let OpenFile { n_bytes, at, progress: show, .. } = &mut self.file;
        let (Some(n_bytes), Some(at)) = (*n_bytes, at) else {
            return Err(FileError::new(Code::CannotOpen, self.located.file, "cannot read"));
        };
        let mut progress = |n_read| {
            show(n_read);
            reading.observer.stop().is_none()
        };
        let mut options = options(reading, self.located.file, max_bytes);
        options.progress = Some(&mut progress);
        let read = star_io::read_list_part(format, &**at, n_bytes, (rank, n_ranks), &mut options);
        read.map_err(|error| stopped(reading.observer, error))
    }

    /// Reads the rest.
    ///
    /// # Errors
    /// Those of [`read_file`].
    pub(crate) fn read(
        self,
        reading: Reading<'_>,
        max_bytes: u64,
        expected: Expected,
    ) -> Result<FileContents, FileError> {
        let OpenData { located, format, as_graph, start, file } = self;
        let Located { file: name, part, direction } = located;
        let OpenFile { input, n_bytes: size, progress: mut show, at: _ } = file;
        let goes_on = || reading.observer.stop().is_none();
        let mut progress = |n_read| {
            show(n_read);
            reading.observer.stop().is_none()
        };
        let mut options = options(reading, name, max_bytes);
        options.size_hint = size;
        options.graph = expected.graph;
        options.as_graph = as_graph;
        options.direction = direction.unwrap_or(reading.settings.direction);
        options.part = part;
        options.progress = Some(&mut progress);
        let mut input = Cursor::new(start).chain(Waiting::new(input, &goes_on));
        let loaded = star_io::read(format, &mut input, &mut options);
        drop(show);
        let loaded = loaded.map_err(|error| stopped(reading.observer, error))?;
        let mut contents = contents_of_graph(reading, name, direction, loaded);
        if as_graph && contents.is_array {
            let direction = direction.unwrap_or(reading.settings.direction);
            let FileContents { data, n_bytes, .. } = contents;
            let data = matrices::as_graph(reading, data, direction, name, max_bytes)?;
            let more = match &data {
                Data::Graph(graph) => bytes_of_graph(graph),
                _ => 0,
            };
            let n_bytes = n_bytes.saturating_add(more);
            contents = FileContents { data, n_bytes, ..contents };
        }
        Ok(contents)
    }
}

/// Returns the options for a file of this name with the user's settings.
fn options<'a>(reading: Reading<'a>, name: &'a str, max_bytes: u64) -> ReadOptions<'a> {
    let mut options = ReadOptions::new(name, max_bytes);
    options.scale = reading.settings.scale;
    options.fields = reading.settings.field_rules();
    options.palette_indices = reading.settings.palette_indices;
    options.nan_is_missing = reading.settings.nan_is_missing;
    options.skip_times = reading.settings.skip_times;
    options.edges = reading.settings.edge_fields();
    options
}

/// Does the same as [`contents_of`], with a remark if arcs are assumed to have a direction, and the
/// name of the file says none.
fn contents_of_graph(
    reading: Reading<'_>,
    name: &str,
    direction: Option<Direction>,
    loaded: LoadedFile,
) -> FileContents {
    let is_directed = direction == Some(Direction::default());
    let assumes_arcs = loaded.assumes_arcs && !is_directed;
    let contents = contents_of(reading, name, loaded);
    if assumes_arcs {
        let shown = text::one_line(name);
        let note = format!(
            "{name}: the arcs have a direction, from the first vertex to the second; \
                `undirected:{shown}` reads edges"
        );
        reading.observer.note(&note);
    }
    contents
}

/// Returns the contents of a file that was read, and reports the remarks about it.
pub(crate) fn contents_of(reading: Reading<'_>, name: &str, loaded: LoadedFile) -> FileContents {
    for warning in &loaded.warnings {
        reading.observer.warning(&format!("{name}: {warning}"));
    }
    for note in &loaded.notes {
        reading.observer.note(&format!("{name}: {note}"));
    }
    let is_stream = loaded.format == Format::Updates;
    let is_array = matches!(loaded.format, Format::Npy | Format::Npz);
    reading.settings.note_file(name, &loaded);
    let LoadedFile { mut data, n_bytes, scale, .. } = loaded;
    if let Data::Numbers(numbers) = &mut data {
        reading.settings.mark_missing(numbers);
    }
    FileContents { data, is_stream, is_array, n_bytes, scale }
}

/// Returns whether bytes may be the start of a text.
fn is_text(start: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    !start.iter().any(is_control)
}

/// Returns the cause of an interruption if a flag was set.
pub(crate) fn stopped(observer: &dyn Observer, error: FileError) -> FileError {
    match (error.code, observer.stop()) {
        (Code::Interrupted, Some(Code::TimeLimit)) => {
            FileError::new(Code::TimeLimit, error.file, "time limit reached while reading")
        }
        (Code::Interrupted, Some(code)) => {
            FileError::new(code, error.file, "interrupted while reading")
        }
        (_, Some(_) | None) => error,
    }
}

/// Converts the data of a file to a value. A sparse table stays sparse if the program accepts it,
/// which is reported to the user.
///
/// # Errors
/// If the file does not provide a value of that kind, or it does not fit.
pub fn to_value(
    reading: Reading<'_>,
    data: Data,
    request: LoadRequest<'_>,
) -> Result<Value, FileError> {
    match data {
        Data::Graph(graph) => {
            let max_bytes = request.max_bytes.saturating_sub(bytes_of_graph(&graph));
            from_graph(reading, &graph, LoadRequest { max_bytes, ..request })
        }
        Data::Numbers(numbers) => {
            let max_bytes = request.max_bytes.saturating_sub(bytes_in(&numbers));
            let request = LoadRequest { max_bytes, ..request };
            from_numbers(reading, &numbers, request).map(|(value, _)| value)
        }
        Data::Table(_) | Data::Slice(_) | Data::Word(_) if request.layout.is_some() => {
            Err(wrong_layout(request, "the file contains bits")
                .help("name the file without a layout"))
        }
        Data::Table(Table::Sparse(table)) => from_sparse(reading, table, request),
        Data::Table(table) => from_table(table, request),
        Data::Slice(bits) if request.kind == Kind::Slice => Ok(Value::Slice(bits)),
        Data::Word(bits) if request.kind == Kind::Word => Ok(Value::Word(bits)),
        Data::Slice(_) => Err(wrong_kind(request, "a slice")),
        Data::Word(_) => Err(wrong_kind(request, "a word")),
    }
}

/// Returns a sparse table unchanged if the program accepts it, and converts it to a dense one
/// otherwise, with a message to the user.
///
/// # Errors
/// If it does not fit where it must be dense, or is not a value of that kind.
fn from_sparse(
    reading: Reading<'_>,
    table: SparseTable,
    request: LoadRequest<'_>,
) -> Result<Value, FileError> {
    let (dense, sparse) = (table.dense_bytes(), table.n_bytes());
    let does_not_fit = dense > request.max_bytes.saturating_sub(sparse);
    let stays = match request.wish.sparse {
        SparseWish::Never => false,
        SparseWish::WhereAsked if does_not_fit => {
            return Err(works_on_the_whole("the table", dense.into(), sparse, request));
        }
        SparseWish::WhereAsked => false,
        SparseWish::WhereNeeded | SparseWish::WhereSmaller | SparseWish::Always => {
            request.kind == Kind::Table
        }
    };
    let (dense_text, sparse_text) = (text::bytes(dense), text::bytes(sparse));
    if stays {
        let lies = if table.by_rows { "rows" } else { "columns" };
        reading.observer.note(&format!(
            "{}: sparse by {lies}, as in the file: {sparse_text} instead of {dense_text}",
            request.file
        ));
        return Ok(table.into());
    }
    let refused = || {
        let message = format!(
            "the table needs {dense_text} dense and {sparse_text} sparse, and it must be dense: \
                {} available",
            text::bytes(request.max_bytes)
        );
        FileError::new(Code::DoesNotFit, request.file, message)
    };
    if does_not_fit {
        return Err(refused());
    }
    let made = table.to_dense().map_err(|_| refused())?;
    drop(table);
    from_table(made.into(), request)
}

/// Returns the error that the program requires a dense table, which does not fit.
fn works_on_the_whole(what: &str, dense: u128, sparse: u64, request: LoadRequest<'_>) -> FileError {
    let free = text::bytes(request.max_bytes);
    let dense = text::bytes(u64::try_from(dense).unwrap_or(u64::MAX));
    let sparse = text::bytes(sparse);
    let message = format!(
        "{what} needs {dense} dense and {sparse} sparse, and the program works on the whole of \
            it, dense: {free} available"
    );
    let error = FileError::new(Code::DoesNotFit, request.file, message);
    error.help("`--table-form sparse` tries the sparse table, line by line")
}

/// Lays out a graph; a table has the requested form if the layout supports it. Widths that are
/// chosen here are reported to the user.
///
/// # Errors
/// If the layout gives no value of that kind, a width is too small, or the value does not fit.
pub fn from_graph(
    reading: Reading<'_>,
    graph: &Graph,
    request: LoadRequest<'_>,
) -> Result<Value, FileError> {
    let layout = match (request.layout, request.kind) {
        (Some(AnyLayout::Graph(layout)), _) => *layout,
        (Some(AnyLayout::Numbers(_)), _) => {
            let names = text::quoted_list(layouts::graph_names());
            let error = wrong_layout(request, "the file contains a graph")
                .note(format!("the layouts of graphs are {names}"));
            return Err(match Format::of_path(request.file) {
                Some(Format::EdgeList) => error
                    .note("a file of this name is read as an edge list")
                    .help("a table must be in a file that ends in `.csv`; tabs are recognised"),
                Some(_) | None => error,
            });
        }
        (Some(AnyLayout::Updates), _) => {
            return Err(wrong_layout(
                request,
                "the file contains a \
            graph",
            ));
        }
        (None, Kind::Slice) if graph.n_vertices != 1 => Layout::Edges,
        (None, _) => Layout::Adjacency,
    };
    let offset = match layout.weights() {
        Weights::Listed => graph.weight_offset(),
        Weights::None | Weights::Added | Weights::Signed => 0,
    };
    if offset < 0 {
        check_offset(graph, request)?;
    }
    let (uses_h, uses_b) = widths::uses(layout);
    let widths = Widths {
        h: match request.widths.h {
            Some(h) => h,
            None if uses_h => widths::chosen_h(graph, &[layout], request.file)?,
            None => 0,
        },
        b: match request.widths.b {
            Some(b) => b,
            None => widths::least_widths(graph, layout, request.file)?.b,
        },
    };
    if uses_h {
        widths::check_h(graph, &[layout], widths.h, request.file)?;
    }
    let laid_out = match sparse(reading, graph, layout, widths, request)? {
        Some(laid_out) => laid_out,
        None => dense(reading, graph, layout, widths, request)?,
    };
    let mut chosen = Vec::new();
    if uses_h && request.widths.h.is_none() {
        chosen.push(format!("h = {}", widths.h));
    }
    if uses_b && request.widths.b.is_none() {
        chosen.push(format!("b = {}", widths.b));
    }
    if !chosen.is_empty() {
        let (chosen, layout) = (chosen.join(", "), layout.name());
        reading.observer.note(&format!("{}: {chosen} for `{layout}`", request.file));
    }
    if offset < 0 {
        let file = request.file;
        let note = format!("{file}: weights are stored with offset {offset} (the minimum)");
        reading.observer.detail(&note);
    }
    Ok(laid_out)
}

/// Refuses a list with negative weights for a program that does not know their offset.
fn check_offset(graph: &Graph, request: LoadRequest<'_>) -> Result<(), FileError> {
    if request.knows_offset {
        return Ok(());
    }
    graph.wants_weights()?;
    graph.check_weights(request.file).map_err(|error| match error.code {
        Code::OutOfRange => error
            .note("a list stores negative weights less the smallest one, which becomes 0")
            .help(
                "for a spanning tree, declare the parameter `weight_offset: integer` next to \
                    `weight`, and add it to the weight of each edge",
            )
            .help("for shortest paths, `BELLMAN_FORD` of `star:paths` permits negative weights"),
        _ => error,
    })
}

/// Lays out a graph as a slice or a dense table.
fn dense(
    reading: Reading<'_>,
    graph: &Graph,
    layout: Layout,
    widths: Widths,
    request: LoadRequest<'_>,
) -> Result<Value, FileError> {
    let LoadRequest { kind, file, max_bytes, wish, .. } = request;
    let by_rows = wish.by_rows() && kind == Kind::Table;
    let mut go_on = || reading.observer.stop().is_none();
    let mut options =
        LayoutOptions { by_rows, go_on: Some(&mut go_on), ..LayoutOptions::new(file, max_bytes) };
    let laid_out = star_io::lay_out_with(layout, graph, widths, &mut options);
    match (laid_out.map_err(|error| stopped(reading.observer, error))?, kind) {
        (LayoutValue::Table(table), _) => from_table(table, request),
        (LayoutValue::Slice(bits), Kind::Slice) => Ok(Value::Slice(bits)),
        (LayoutValue::Slice(_), _) => Err(wrong_kind(request, "a slice")),
    }
}

/// Lays out a graph as a sparse table if that is requested and saves memory; the form and the
/// reason are reported to the user.
fn sparse(
    reading: Reading<'_>,
    graph: &Graph,
    layout: Layout,
    widths: Widths,
    request: LoadRequest<'_>,
) -> Result<Option<Value>, FileError> {
    let LoadRequest { kind, file, max_bytes, wish, .. } = request;
    let by_rows = wish.by_rows();
    let bytes = star_io::bytes_of_forms(layout, graph, widths, by_rows);
    let Some(bytes) = bytes.filter(|_| kind == Kind::Table) else { return Ok(None) };
    let LayoutBytes { dense, sparse } = bytes;
    let does_not_fit = dense > u128::from(max_bytes);
    let why = match wish.sparse {
        SparseWish::Never => return Ok(None),
        SparseWish::WhereAsked if does_not_fit && u128::from(sparse) <= u128::from(max_bytes) => {
            let what = format!("`{}`", layout.name());
            return Err(works_on_the_whole(&what, dense, sparse, request));
        }
        SparseWish::WhereAsked => return Ok(None),
        SparseWish::Always => "as requested",
        SparseWish::WhereSmaller | SparseWish::WhereNeeded if does_not_fit => {
            "it does not fit dense"
        }
        SparseWish::WhereSmaller if bytes.favours_sparse() => {
            "the program only uses its lines, fields and bits"
        }
        SparseWish::WhereSmaller | SparseWish::WhereNeeded => return Ok(None),
    };
    let mut go_on = || reading.observer.stop().is_none();
    let mut options =
        LayoutOptions { by_rows, go_on: Some(&mut go_on), ..LayoutOptions::new(file, max_bytes) };
    let made = star_io::lay_out_sparse(layout, graph, widths, &mut options);
    let made = made.map_err(|error| stopped(reading.observer, error))?;
    let Some(table) = made else { return Ok(None) };
    let lies = if table.by_rows { "rows" } else { "columns" };
    let (sparse, dense) =
        (text::bytes(table.n_bytes()), text::bytes(u64::try_from(dense).unwrap_or(u64::MAX)));
    let layout = layout.name();
    reading.observer.note(&format!(
        "{file}: `{layout}` is sparse by {lies}, {sparse} instead of {dense}: {why}"
    ));
    Ok(Some(table.into()))
}

/// Returns the error that the requested layout does not match the data.
fn wrong_layout(request: LoadRequest<'_>, found: &str) -> FileError {
    let (layout, of_what) = match request.layout {
        Some(layout) => (layout.to_string(), layout.of_what()),
        None => (String::new(), "something else"),
    };
    let message = format!("the layout `{layout}` is for {of_what}, but {found}");
    FileError::new(Code::NoSuchLayout, request.file, message)
}

/// Returns a table, or a slice from its only column, or a word from its only row.
fn from_table(table: Table, request: LoadRequest<'_>) -> Result<Value, FileError> {
    let does_not_fit = |table: &Table| {
        let message = format!("a table of {} × {} does not fit", table.n_rows(), table.n_cols());
        FileError::new(Code::DoesNotFit, request.file, message)
    };
    let columns = |table: Table| {
        let refused = does_not_fit(&table);
        table.into_columns().map_err(|_| refused)
    };
    match request.kind {
        Kind::Slice if table.n_cols() == 1 => Ok(Value::Slice(columns(table)?.into_first_column())),
        Kind::Word if table.n_rows() == 1 => Ok(Value::Word(columns(table)?.row(0))),
        Kind::Table => {
            // Columns without rows contain no bits but still need memory.
            let overhead = (table.n_cols() as u64).saturating_mul(COLUMN_BYTES);
            let has_rows = table.n_rows() > 0 || table.columns().is_none();
            if !has_rows && overhead > request.max_bytes {
                return Err(does_not_fit(&table));
            }
            Ok(Value::from(table))
        }
        Kind::Slice | Kind::Word | Kind::Int | Kind::Bool | Kind::Str | Kind::Handle => {
            let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
            Err(wrong_kind(request, &format!("a table of {n_rows} × {n_cols}")))
        }
    }
}

fn wrong_kind(request: LoadRequest<'_>, found: &str) -> FileError {
    let kind = request.kind.with_article();
    let message = format!("the file contains {found}, expected {kind}");
    let error = FileError::new(Code::NoSuchLayout, request.file, message);
    match request.kind {
        Kind::Slice => error.note("a table of one column can also be used as a slice"),
        Kind::Word => error.note("a table of one row can also be used as a word"),
        Kind::Table | Kind::Int | Kind::Bool | Kind::Str | Kind::Handle => error,
    }
}
