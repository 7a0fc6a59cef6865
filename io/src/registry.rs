//! The formats, one line each, and their entry points.
//!
//! To add a format, add a line to `formats!`, a line to [`Format::detect`], and a file in
//! `format/`.

use std::cell::OnceCell;
use std::io::{BufWriter, Read, Write};

use star_base::Code;

use crate::data::{LoadedFile, OutputRef};
use crate::error::{Fault, FileError};
use crate::format::{self, ReadResult, ReaderNotes};
use crate::graph::Graph;
use crate::graph_part::Sharing;
use crate::meaning::Meaning;
use crate::numbers::Field;
use crate::options::{EdgeStyle, ReadOptions, Transform};
use crate::packing::{GZIP_MAGIC, Packing, gzip, unpacked_head};
use crate::scaling::Scaling;
use crate::sink::{InterruptibleSink, Sink};
use crate::source::Source;
use crate::text;

/// Number of bytes of a packed file that are enough to recognise its format.
const HEAD_BYTES: u64 = 4096;

/// The reader and writer of a format.
struct FormatSpec {
    name: &'static str,
    content: Content,
    extensions: &'static [&'static str],
    read: fn(Source<'_, '_>) -> Result<ReadResult, Fault>,
    write: fn(OutputRef<'_>, &mut dyn Sink) -> Result<(), Fault>,
}

/// The contents of the files of a format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// A text, or bytes that could begin one.
    Text,
    /// Bytes that cannot begin a text.
    Bytes,
}

macro_rules! formats {
    ($($format:ident $name:literal $content:ident $extensions:tt $($module:ident)::+)*) => {
        /// A file format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format {
            $(#[doc = concat!($name, ".")] $format,)*
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$(Format::$format),*];

            fn entry(self) -> FormatSpec {
                match self {
                    $(Format::$format => FormatSpec {
                        name: $name,
                        content: Content::$content,
                        extensions: &$extensions,
                        read: format::$($module)::+::read,
                        write: |value, sink| format::$($module)::+::write(value, sink),
                    },)*
                }
            }
        }
    };
}

formats! {
    MatrixMarket "Matrix Market" Text ["mtx"] matrix_market
    EdgeList "edge list" Text ["txt", "el", "edges", "edgelist", "snap", "tsv"] edge_list
    Dimacs "DIMACS" Text ["gr"] dimacs
    Metis "METIS" Text ["graph", "metis"] metis
    NodeLink "node-link JSON" Text ["json"] node_link
    GraphMl "GraphML" Text ["graphml"] graphml
    Gml "GML" Text ["gml"] gml
    Pajek "Pajek" Text ["net"] pajek
    Coordinates "DIMACS coordinates" Text ["co"] coordinates
    Csv "CSV" Text ["csv"] csv
    Map "MovingAI map" Text ["map"] moving_ai::map
    Scenarios "MovingAI scenarios" Text ["scen"] moving_ai::scenarios
    Stb "Star table" Bytes ["stb"] stb
    Png "PNG" Bytes ["png"] png
    Jpeg "JPEG" Bytes ["jpg", "jpeg"] jpeg
    Tiff "TIFF" Bytes ["tif", "tiff"] tiff
    Pbm "PBM" Text ["pbm"] pnm::pbm
    Pgm "PGM" Text ["pgm", "pnm"] pnm::pgm
    Ppm "PPM" Text ["ppm"] pnm::ppm
    Svg "SVG" Text ["svg"] svg
    GeoJson "GeoJSON" Text ["geojson"] geojson
    Npy "NumPy" Bytes ["npy"] npy
    Npz "NumPy archive" Bytes ["npz"] npz
    Parquet "Parquet" Text ["parquet"] columnar::parquet
    Arrow "Arrow" Text ["arrow", "feather"] columnar::arrow
    Updates "update stream" Text ["updates"] updates
}

impl Format {
    /// The name as shown to people.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The extensions of its files, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.entry().extensions
    }

    /// Returns whether the widths of the fields of a list are stored; only then does a reader
    /// restore the number of columns.
    pub fn keeps_widths(self) -> bool {
        self == Format::Csv
    }

    /// The format given by the extension of a file name, in any letter case; for `road.gr.gz` by
    /// the one before `.gz`, for `gr:-`, a standard stream, the one before the colon.
    pub fn of_path(path: &str) -> Option<Format> {
        let extension = match Format::of_stream(path) {
            Some(extension) => Packing::of_path(extension).1,
            None => {
                let (_, path) = Packing::of_path(path);
                let file_name = path.rsplit(['/', '\\']).next()?;
                file_name.rsplit_once('.')?.1
            }
        };
        Format::ALL.iter().copied().find(|format| {
            let mut extensions = format.extensions().iter();
            extensions.any(|known| known.eq_ignore_ascii_case(extension))
        })
    }

    /// The extension in `EXTENSION:-`, which names a standard stream and its format.
    pub fn of_stream(path: &str) -> Option<&str> {
        let extension = path.strip_suffix(":-")?;
        let is_extension = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
        (!extension.is_empty() && extension.bytes().all(is_extension)).then_some(extension)
    }

    /// Detects the format from the first bytes of a file; a few hundred are enough, except after a
    /// long comment.
    pub fn detect(first_bytes: &[u8]) -> Option<Format> {
        if first_bytes.starts_with(&GZIP_MAGIC) {
            let head = unpacked_head(first_bytes, HEAD_BYTES);
            return Format::detect_plain(&head);
        }
        Format::detect_plain(first_bytes)
    }

    fn detect_plain(first_bytes: &[u8]) -> Option<Format> {
        let bytes = first_bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first_bytes);
        if bytes.starts_with(&format::stb::MAGIC) {
            return Some(Format::Stb);
        }
        if let Some(format) = Format::detect_binary(bytes) {
            return Some(format);
        }
        let banner = b"%%MatrixMarket";
        if bytes.get(..banner.len()).is_some_and(|b| b.eq_ignore_ascii_case(banner)) {
            return Some(Format::MatrixMarket);
        }
        if format::updates::is_start(bytes) {
            return Some(Format::Updates);
        }
        if let Some(format) = Format::detect_network(bytes) {
            return Some(format);
        }
        let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.filter(|line| !line.is_empty());
        let mut dimacs =
            lines.clone().filter(|line| !matches!(line, [b'c'] | [b'c', b' ' | b'\t', ..]));
        if dimacs.next().is_some_and(|line| line.starts_with(b"p aux")) {
            return Some(Format::Coordinates);
        }
        match lines.next()? {
            [b't', b'y', b'p', b'e', b' ' | b'\t', ..] => Some(Format::Map),
            [b'v', b'e', b'r', b's', b'i', b'o', b'n', b' ' | b'\t', ..] => Some(Format::Scenarios),
            [b'c'] | [b'c', b' ' | b'\t', ..] | [b'p', b' ' | b'\t', ..] => Some(Format::Dimacs),
            [b'#' | b'%' | b'0'..=b'9', ..] => Some(Format::EdgeList),
            [b'"' | b'A'..=b'Z' | b'a'..=b'z', rest @ ..] if rest.contains(&b',') => {
                Some(Format::Csv)
            }
            _ => None,
        }
    }

    /// Detects the texts of graphs with named vertices.
    fn detect_network(bytes: &[u8]) -> Option<Format> {
        let start = bytes.trim_ascii_start();
        let begins =
            |text: &[u8]| start.get(..text.len()).is_some_and(|s| s.eq_ignore_ascii_case(text));
        let has = |text: &[u8]| start.windows(text.len()).any(|part| part == text);
        if start.starts_with(b"{") {
            return Some(Format::NodeLink);
        }
        if start.starts_with(b"<") && has(b"<graphml") {
            return Some(Format::GraphMl);
        }
        if begins(b"*vertices") || begins(b"*network") {
            return Some(Format::Pajek);
        }
        let is_list = start
            .strip_prefix(b"graph")
            .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"["));
        (is_list || begins(b"Creator \"")).then_some(Format::Gml)
    }

    fn detect_binary(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(&format::png::MAGIC) {
            return Some(Format::Png);
        }
        if bytes.starts_with(&format::jpeg::MAGIC) {
            return Some(Format::Jpeg);
        }
        if format::tiff::MAGICS.iter().any(|magic| bytes.starts_with(magic)) {
            return Some(Format::Tiff);
        }
        if bytes.starts_with(&format::npy::MAGIC) {
            return Some(Format::Npy);
        }
        if bytes.starts_with(&format::npz::MAGIC) {
            return Some(Format::Npz);
        }
        if bytes.starts_with(&format::columnar::parquet::MAGIC) {
            return Some(Format::Parquet);
        }
        if bytes.starts_with(&format::columnar::arrow::MAGIC) {
            return Some(Format::Arrow);
        }
        match bytes {
            _ if !format::pnm::is_start(bytes) => None,
            [_, b'1' | b'4', ..] => Some(Format::Pbm),
            [_, b'2' | b'5', ..] => Some(Format::Pgm),
            _ => Some(Format::Ppm),
        }
    }

    /// Determines the format of a file by its name, or else by its first bytes. An update stream is
    /// detected regardless of its name: no other format begins like it.
    ///
    /// # Errors
    /// [`Code::UnknownFormat`] if neither identifies a format; [`Code::BadFormat`] if the name
    /// implies text, and the first bytes are those of a binary format.
    pub fn of_file(path: &str, first_bytes: &[u8]) -> Result<Format, FileError> {
        let (named, detected) = (Format::of_path(path), Format::detect(first_bytes));
        if let (Some(named), Some(found)) = (named, detected)
            && named.entry().content == Content::Text
            && found.entry().content == Content::Bytes
        {
            let message =
                format!("the file begins like {}, not like {}", found.name(), named.name());
            let error = FileError::new(Code::BadFormat, path, message);
            let extension = found.extensions().first().copied().unwrap_or_default();
            return Err(error.help(format!("if it is one, its name must end in `.{extension}`")));
        }
        let format = match detected {
            Some(Format::Updates) => Some(Format::Updates),
            detected => named.or(detected),
        };
        format.ok_or_else(|| {
            let known = Format::ALL.iter().flat_map(|format| {
                let extensions = format.extensions().iter();
                extensions.map(|extension| format!("`.{extension}`"))
            });
            let known: Vec<String> = known.collect();
            let message = "cannot determine the format of the file by its name or first bytes";
            FileError::new(Code::UnknownFormat, path, message)
                .help(format!("the known extensions are {}", known.join(", ")))
        })
    }
}

/// Reads a file to its end, packed or not. The running time is proportional to its length, except
/// for sorting, and the memory to its contents, at most `options.max_bytes` (a table from a Star
/// table file temporarily needs twice its size).
///
/// # Errors
/// A [`FileError`] with the place of the first problem: [`Code::CannotOpen`] if `input` fails,
/// [`Code::BadFormat`], [`Code::Truncated`], [`Code::OutOfRange`], [`Code::HeaderLies`],
/// [`Code::DoesNotFit`], or [`Code::Interrupted`] if the progress sink stops the work.
pub fn read(
    format: Format,
    input: &mut dyn Read,
    options: &mut ReadOptions<'_>,
) -> Result<LoadedFile, FileError> {
    read_shared(format, input, options, None)
}

/// Reads a file, or the range of one that several readers share.
pub(crate) fn read_shared(
    format: Format,
    input: &mut dyn Read,
    options: &mut ReadOptions<'_>,
    sharing: Option<&Sharing<'_>>,
) -> Result<LoadedFile, FileError> {
    if let Some(part) = options.part
        && format != Format::Npz
    {
        let message = format!("the file has no part `{}`", part.escape_debug());
        let error = FileError::new(Code::CannotOpen, options.file, message);
        return Err(error.note("only a NumPy archive, `.npz`, has parts"));
    }
    let scaling = options.scale.map(Scaling::new);
    // A list of records is a list of edges if a graph is wanted.
    let as_graph = options.as_graph;
    let of_weights = OnceCell::new();
    let mut source = Source::open(input, options, scaling.as_ref())?;
    source.set_sharing(sharing);
    let budget = source.budget().clone();
    let format = if as_graph && format == Format::Csv { Format::EdgeList } else { format };
    if format == Format::EdgeList
        && let Some(scale) = format::edge_list::weight_scale(&mut source)?
    {
        source.set_scaling(of_weights.get_or_init(|| Scaling::new(scale)));
    }
    let (data, ReaderNotes { mut warnings, mut notes, assumes_arcs, columns, transform }) =
        (format.entry().read)(source)?;
    let scaling = of_weights.get().or(scaling.as_ref());
    if let Some(scaling) = scaling {
        warnings.extend(scaling.warning());
        notes.extend(scaling.note());
    }
    let scale = scaling.and_then(Scaling::used);
    let n_bytes = budget.most();
    Ok(LoadedFile {
        data,
        format,
        n_bytes,
        warnings,
        notes,
        assumes_arcs,
        scale,
        columns,
        transform,
    })
}

/// Returns a note about what a file of this format does not hold of a value: vertices without arcs,
/// the names of vertices, the missing direction of edges, or texts, dates and times.
pub fn not_kept(format: Format, value: OutputRef<'_>) -> Option<String> {
    let graph = match value {
        OutputRef::Graph(graph) => graph,
        OutputRef::Numbers(numbers) => {
            let note = |field| match format {
                Format::Csv | Format::Parquet | Format::Arrow => unreadable(field),
                _ => numbers_note(field),
            };
            let notes: Vec<String> = numbers.fields.iter().filter_map(note).collect();
            return (!notes.is_empty()).then(|| notes.join("; "));
        }
        OutputRef::Bits(_) => return None,
    };
    match format {
        // A list of numbers states its vertices in its first line.
        Format::EdgeList if graph.names.is_none() => None,
        Format::Csv | Format::EdgeList => {
            let mut is_end = vec![false; graph.n_vertices];
            for end in graph.arcs.iter().flat_map(|arc| [arc.tail, arc.head]) {
                is_end[end as usize] = true;
            }
            let n_others = is_end.iter().filter(|is_end| !**is_end).count() as u64;
            let vertices = text::counted(n_others, "vertices");
            let others = (n_others > 0).then(|| format!("{vertices} without arcs"));
            // The other format has both arcs of an edge.
            let edges = format == Format::Csv && graph.symmetric && !graph.arcs.is_empty();
            let edges = edges.then(|| {
                "that the edges have no direction (`undirected:FILE` reads them)".to_owned()
            });
            let missing: Vec<String> = others.into_iter().chain(edges).collect();
            (!missing.is_empty()).then(|| format!("not in the file: {}", missing.join("; ")))
        }
        Format::Dimacs | Format::MatrixMarket | Format::Metis if graph.names.is_some() => {
            Some("the file has the numbers of the vertices from 1, without their names".to_owned())
        }
        _ => None,
    }
}

/// Returns a note about numbers of a program that are no codes of texts, dates or times, and are
/// not read as the same ones again.
fn unreadable(field: &Field) -> Option<String> {
    let meaning = &field.meaning;
    if matches!(meaning, Meaning::Number | Meaning::Scaled(_)) {
        return None;
    }
    let is_unreadable = |number: &i64| meaning.number(&meaning.text(*number)) != Some(*number);
    let numbers = field.present().filter(is_unreadable).count() as u64;
    let (n, name) = (text::count(numbers, "number"), text::quote(field.name.as_bytes()));
    let are = if numbers == 1 { "is" } else { "are" };
    match meaning {
        _ if numbers == 0 => None,
        Meaning::Texts(_) => {
            Some(format!("field {name} has {n} that {are} codes of no text, written as numbers"))
        }
        _ => Some(format!("field {name} has {n} that {are} not {}", meaning.describe())),
    }
}

/// Returns a note about the numbers that stand for the texts, dates or times of a field.
fn numbers_note(field: &Field) -> Option<String> {
    let note = match field.numbers_of_texts() {
        Some(_) if field.values.contains(&0) => "has -1 in place of an empty text".to_owned(),
        Some(_) => return None,
        None => field.meaning.note()?,
    };
    Some(format!("field {} {note}", text::quote(field.name.as_bytes())))
}

/// Writes a value and flushes `output`; small writes are buffered.
///
/// # Errors
/// [`Code::NoSuchLayout`] if the format cannot hold the value (nothing is written then), or
/// [`Code::CannotWrite`] if `output` fails. The errors name no file.
pub fn write(
    format: Format,
    value: OutputRef<'_>,
    output: &mut dyn Write,
) -> Result<(), FileError> {
    write_while(format, value, output, &mut || true)
}

/// Writes a value as [`write()`] does, with compression. Calls `go_on` periodically while nothing
/// is written; at other times the output can interrupt the work.
///
/// # Errors
/// Those of [`write()`], and [`Code::CannotWrite`] if `go_on` returns an error.
pub fn write_packed(
    format: Format,
    packing: Packing,
    value: OutputRef<'_>,
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), FileError> {
    packed(packing, output, &mut |output| write_while(format, value, output, go_on))
}

/// Writes the arcs or edges of a graph as CSV, as [`write_packed`] does, in a style.
///
/// # Errors
/// Those of [`write_packed`].
pub fn write_edges(
    graph: &Graph,
    style: EdgeStyle,
    packing: Packing,
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), FileError> {
    packed(packing, output, &mut |output| {
        with_sink(output, go_on, |sink| format::write_csv_edges(graph, style, sink))
    })
}

/// Writes a list of places as GeoJSON, as [`write_packed`] does, in the coordinates of a map.
///
/// # Errors
/// Those of [`write_packed`].
pub fn write_places(
    value: OutputRef<'_>,
    transform: Transform,
    packing: Packing,
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), FileError> {
    packed(packing, output, &mut |output| {
        with_sink(output, go_on, |sink| format::geojson::write_placed(value, Some(transform), sink))
    })
}

/// Writes to `output`, or to its compression.
pub(crate) fn packed(
    packing: Packing,
    output: &mut dyn Write,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<(), FileError>,
) -> Result<(), FileError> {
    match packing {
        Packing::Plain => write(output),
        Packing::Gzip => {
            let mut packed = gzip(output);
            write(&mut packed)?;
            packed.finish().map_err(|error| *format::cannot_write(&error))?;
            Ok(())
        }
    }
}

fn write_while(
    format: Format,
    value: OutputRef<'_>,
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), FileError> {
    with_sink(output, go_on, |sink| (format.entry().write)(value, sink))
}

/// Writes through a buffer.
pub(crate) fn with_sink(
    output: &mut dyn Write,
    go_on: &mut dyn FnMut() -> bool,
    write: impl FnOnce(&mut dyn Sink) -> Result<(), Fault>,
) -> Result<(), FileError> {
    let mut sink = InterruptibleSink { output: BufWriter::with_capacity(1 << 16, output), go_on };
    let written = write(&mut sink);
    let written = written.and_then(|()| sink.flush().map_err(|e| format::cannot_write(&e)));
    // After a failure, buffered data must not be written when the writer is dropped.
    let _ = sink.output.into_parts();
    Ok(written?)
}
