//! Pictures of data: `star view FILE`, and `star run --view NAME[=FILE]`. star-report draws; this
//! module selects the contents and writes SVG or PNG files.

use std::path::Path;

use star_base::{Code, Diagnostic};
use star_bind::results::{ResultFile, is_number, result_file};
use star_bind::{Reading, ResultForm, Signature, encoding, part};
use star_io::{Data, Field, FileError, Format, Graph, Meaning, Numbers, OutputRef, Shape};
use star_os::destination::Destination;
use star_os::flags::{Flags, Stopped};
use star_os::output::Output;
use star_os::report::Reporter;
use star_report::view::{
    self, Drawing, MAX_ARCS, MAX_VERTICES, Network, Palette, Picture, raster, raster_size, svg,
};
use star_value::{BitTable, BitVector, BitsRef, Value};

use crate::inline::Inline;
use crate::results::Origins;
use crate::text;

/// A graph without coordinates is drawn as disks and lines up to this number of lines, or up to
/// [`MAX_LINES_PER_VERTEX`]; with more, as the bits of its matrix.
const MAX_LINES: usize = 200;
/// See [`MAX_LINES`].
const MAX_LINES_PER_VERTEX: usize = 4;
/// Maximum number of vertices of a graph that is drawn as a matrix.
const MAX_MATRIX: usize = 20_000;

/// Memory for each pixel of a PNG file: its colours as they are drawn, in a picture, as fields.
const BYTES_PER_PIXEL: u64 = 31;

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Svg,
    Png,
}

/// A picture file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Its name in messages.
    pub(crate) name: String,
    form: Form,
    place: Destination,
}

impl Frame {
    /// Creates a picture file; its extension selects the format.
    ///
    /// # Errors
    /// E0506 if the extension is unknown, E0509 if a check shows that the file cannot be written.
    pub(crate) fn new(name: &str) -> Result<Self, FileError> {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        let form = match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Form::Svg,
            Some("png") => Form::Png,
            Some(_) | None => {
                let message = "unknown picture format";
                return Err(FileError::new(Code::UnknownFormat, name, message)
                    .help("supported extensions: `.svg`, `.png`"));
            }
        };
        let place = Destination::new(Path::new(name), name)?;
        Ok(Frame { name: name.to_owned(), form, place })
    }

    /// Creates a picture file with a default name. An existing file may be unrelated and is not
    /// replaced; the help suggests `option` to replace it.
    ///
    /// # Errors
    /// The errors of [`Frame::new`], and E0509 if the file exists.
    pub(crate) fn unnamed(name: &str, option: &str) -> Result<Self, FileError> {
        match Path::new(name).symlink_metadata() {
            Ok(_) => {
                let help = format!("`{option}{}` replaces it", text::one_line(name));
                Err(FileError::new(Code::CannotWrite, name, "the file already exists").help(help))
            }
            Err(_) => Frame::new(name),
        }
    }

    /// Tests whether `file` would be replaced.
    pub(crate) fn replaces(&self, file: &str) -> bool {
        self.place.replaces(file)
    }

    /// Writes a drawing to the file, unless a flag is set by then. A flag also ends the wait for
    /// the reader of a pipe.
    ///
    /// # Errors
    /// If the system refuses, or the code of the flag.
    pub(crate) fn write(&self, drawing: &Drawing, flags: &Flags) -> Result<(), FileError> {
        let go_on = || Stopped::check(flags).map_err(|error| self.place.cannot(&error));
        go_on()?;
        let bytes = match self.form {
            Form::Svg => svg(drawing, &png)?.into_bytes(),
            Form::Png => {
                let n_bytes = self.check_memory(drawing)?;
                png(&raster(drawing).ok_or_else(|| self.no_memory(n_bytes))?)?
            }
        };
        go_on()?;
        self.place.write_bytes(&bytes, flags)
    }

    /// Returns the bytes that the pixels of a drawing need, if these fit into memory.
    fn check_memory(&self, drawing: &Drawing) -> Result<u64, FileError> {
        let needed = bytes_of_pixels(drawing);
        if fits(needed) { Ok(needed) } else { Err(self.no_memory(needed)) }
    }

    fn no_memory(&self, n_bytes: u64) -> FileError {
        let message = format!("no memory for the picture: {}", text::bytes(n_bytes));
        FileError::new(Code::MemoryLimit, &self.name, message)
            .help("write an `.svg` file, which needs less")
    }
}

/// Returns the bytes that the pixels of a drawing need.
fn bytes_of_pixels(drawing: &Drawing) -> u64 {
    let (width, height) = raster_size(drawing);
    (width as u64).saturating_mul(height as u64).saturating_mul(BYTES_PER_PIXEL)
}

/// Tests whether there is memory for this number of bytes.
fn fits(n_bytes: u64) -> bool {
    let mut pixels: Vec<u8> = Vec::new();
    usize::try_from(n_bytes).is_ok_and(|n| pixels.try_reserve_exact(n).is_ok())
}

/// Returns a drawing as pixels, if there is memory for them.
pub(crate) fn pixels(drawing: &Drawing) -> Option<Picture> {
    fits(bytes_of_pixels(drawing)).then(|| raster(drawing)).flatten()
}

/// Encodes a picture as PNG.
///
/// # Errors
/// E0511 if the system refuses the memory.
pub(crate) fn png(picture: &Picture) -> Result<Vec<u8>, FileError> {
    let Picture { width, height, pixels } = picture;
    let field = |(channel, name): (usize, &str)| {
        let values = pixels.iter().map(|pixel| i64::from(pixel[channel])).collect();
        Field::new(name, Some(8), values)
    };
    let fields = ["red", "green", "blue"].into_iter().enumerate().map(field).collect();
    let numbers = Numbers { shape: Shape::Grid { height: *height, width: *width }, fields };
    let mut bytes = Vec::new();
    star_io::write(Format::Png, OutputRef::Numbers(&numbers), &mut bytes)?;
    Ok(bytes)
}

/// Coordinates of the vertices of a graph, in order: `x` and `y`.
pub(crate) type Places = [Field; 2];

/// Additional data for drawing a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extras<'a> {
    /// Coordinates of its vertices.
    pub(crate) places: Option<&'a Places>,
    /// Its highlighted arcs or vertices.
    pub(crate) marked: Option<Marked<'a>>,
    /// The colours.
    pub(crate) palette: &'static Palette,
}

/// The look of pictures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// The colours.
    pub(crate) palette: &'static Palette,
    /// How a terminal shows them, too.
    pub(crate) inline: Inline,
}

/// Returns the colours, given `--dark`.
pub(crate) fn palette(is_dark: bool) -> &'static Palette {
    if is_dark { &Palette::DARK } else { &Palette::LIGHT }
}

/// Highlighted elements of a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Marked<'a> {
    /// Arcs, or vertices if there is one bit for each of these.
    ByLength(&'a BitVector),
    /// Vertices.
    Vertices(&'a BitVector),
}

/// Draws data, called `name` in messages.
///
/// # Errors
/// E0507 if the data cannot be drawn.
pub(crate) fn drawing(data: &Data, extras: Extras<'_>, name: &str) -> Result<Drawing, FileError> {
    match data {
        Data::Graph(graph) => of_graph(graph, extras, name),
        Data::Table(table) => of_bits(BitsRef::Table(table.view()), name, extras.palette),
        Data::Slice(slice) => of_bits(BitsRef::Slice(slice), name, extras.palette),
        Data::Word(word) => of_bits(BitsRef::Word(word), name, extras.palette),
        Data::Numbers(numbers) => of_numbers(numbers, name, extras.palette),
    }
}

/// Draws bits.
///
/// # Errors
/// E0507 if there are none.
pub(crate) fn of_bits(
    value: BitsRef<'_>,
    name: &str,
    palette: &Palette,
) -> Result<Drawing, FileError> {
    match value.shape() {
        (0, _) | (_, 0) => Err(refused(name, "there are no bits to draw")),
        _ => Ok(view::bits(value, palette)),
    }
}

/// Draws a graph.
///
/// # Errors
/// E0507 if it is too large, or the coordinates do not match its vertices.
pub(crate) fn of_graph(
    graph: &Graph,
    extras: Extras<'_>,
    name: &str,
) -> Result<Drawing, FileError> {
    let n_vertices = graph.n_vertices;
    if n_vertices == 0 {
        return Err(refused(name, "there are no vertices to draw"));
    }
    if extras.places.is_none() && extras.marked.is_none() && is_dense(graph) {
        return Ok(as_bits(graph, extras.palette));
    }
    let places = match extras.places {
        Some([x, _]) if x.values.len() != n_vertices => {
            let n_places = x.values.len();
            let message =
                format!("coordinates of {} for {n_vertices}", text::count(n_places, "vertex"));
            return Err(refused(name, &message));
        }
        Some([x, y]) => Some([&x.values[..], &y.values[..]]),
        None => None,
    };
    let ends = |arc: &star_io::Arc| (arc.tail as usize, arc.head as usize);
    let arcs: Vec<(usize, usize)> = graph.arcs.iter().map(ends).collect();
    let (marks, may_be_arcs): (Vec<bool>, bool) = match extras.marked {
        Some(Marked::ByLength(slice)) => (slice.iter().collect(), true),
        Some(Marked::Vertices(slice)) => (slice.iter().collect(), false),
        None => (Vec::new(), false),
    };
    let (marked_arcs, marked_vertices) = match marks.len() {
        n if n == arcs.len() && may_be_arcs => (&marks[..], &[][..]),
        n if n == n_vertices => (&[][..], &marks[..]),
        0 => (&[][..], &[][..]),
        n => {
            let n_arcs = arcs.len();
            let message = format!(
                "a slice of {n} for a graph of {} and {}",
                text::count(n_vertices, "vertex"),
                text::count(n_arcs, "arc")
            );
            return Err(refused(name, &message));
        }
    };
    let name_of = |vertex: usize| graph.name(vertex).to_string();
    let names = graph.names.is_some().then_some(&name_of as &dyn Fn(usize) -> String);
    let symmetric = graph.symmetric;
    let weights: Option<Vec<i64>> =
        graph.weighted.then(|| graph.arcs.iter().map(|arc| arc.weight).collect());
    let weights = weights.as_deref();
    let arcs = &arcs[..];
    let network = Network {
        n_vertices,
        arcs,
        symmetric,
        names,
        weights,
        places,
        marked_arcs,
        marked_vertices,
        palette: extras.palette,
    };
    view::network(&network).ok_or_else(|| {
        let n_arcs = arcs.len();
        let message = format!("{n_vertices} vertices and {n_arcs} arcs are too many to draw");
        refused(name, &message)
            .note(format!(
                "at most {MAX_ARCS} arcs are drawn, and {MAX_VERTICES} vertices without coordinates"
            ))
            .help("provide coordinates in a `.co` file of the same name, or with `--places FILE`")
    })
}

/// Tests whether the lines between disks would hide each other.
fn is_dense(graph: &Graph) -> bool {
    let n_lines = graph.arcs.len();
    n_lines > MAX_LINES.max(MAX_LINES_PER_VERTEX * graph.n_vertices)
        && graph.n_vertices <= MAX_MATRIX
}

/// Draws the adjacency matrix of a graph.
fn as_bits(graph: &Graph, palette: &Palette) -> Drawing {
    let n = graph.n_vertices;
    let mut matrix = BitTable::zeros(n, n).unwrap_or_default();
    for arc in graph.directed_arcs() {
        matrix.put(arc.tail as usize, arc.head as usize, true);
    }
    let drawing = view::bits((&matrix).into(), palette);
    let arcs = text::count(graph.arcs.len(), if graph.symmetric { "edge" } else { "arc" });
    Drawing { about: format!("the matrix of a graph of {n} vertices and {arcs}"), ..drawing }
}

/// Draws numbers: a grid as a picture with a scale, coordinates as points.
fn of_numbers(numbers: &Numbers, name: &str, palette: &Palette) -> Result<Drawing, FileError> {
    let fields = numbers.fields.as_slice();
    let first = match fields {
        [first, ..] if !first.values.is_empty() => first,
        [] | [..] => return Err(refused(name, "there are no numbers to draw")),
    };
    match (numbers.shape, fields) {
        (Shape::List(_), [x, y]) if (x.name.as_str(), y.name.as_str()) == ("x", "y") => {
            Ok(view::points(&x.values, &y.values, palette))
        }
        (Shape::List(_), _) => Err(no_list(name).help(
            "`directed:FILE` reads a list of arcs as a graph, `undirected:FILE` one of edges",
        )),
        (Shape::Grid { width, .. }, [red, green, blue, ..]) => {
            let channels = [red, green, blue].map(|field| &field.values[..]);
            let most = match red.bits {
                Some(bits @ 1..=62) => (1 << bits) - 1,
                Some(_) | None => channels.into_iter().flatten().max().copied().unwrap_or(0),
            };
            Ok(view::colours(channels, width, most, palette))
        }
        (Shape::Grid { width, .. }, _) => {
            Ok(view::grid(&first.values, first.nodata, width, &first.name, palette))
        }
    }
}

/// Tests whether results in this form may have a picture, which also depends on their values.
fn may_be_drawn(form: &ResultForm) -> bool {
    match form {
        ResultForm::Codes | ResultForm::Distances | ResultForm::Number => false,
        ResultForm::Fields(_)
        | ResultForm::RowsOf(_)
        | ResultForm::Like(_)
        | ResultForm::Vertices
        | ResultForm::Adjacency => true,
    }
}

fn no_list(name: &str) -> FileError {
    refused(name, "a list of records cannot be drawn")
        .note("grids, pictures, graphs, bits and lists of `x` and `y` can be drawn")
}

/// Returns the coordinates for the graph of a file: those in `given`, or those in a `.co` file of
/// the same name next to it, if there is one.
///
/// # Errors
/// If they cannot be read, or the file contains something else.
pub(crate) fn places_for(
    reading: Reading<'_>,
    file: &str,
    given: Option<&str>,
    max_bytes: u64,
) -> Result<Option<Places>, FileError> {
    let file = part::locate(file, reading.files).file;
    let beside = Path::new(file.trim_end_matches(".gz")).with_extension("co");
    let beside = beside.to_str().filter(|beside| reading.files.exists(beside));
    let Some(name) = given.or(beside) else { return Ok(None) };
    match star_bind::load::read_data(reading, name, max_bytes)? {
        Data::Numbers(Numbers { shape: Shape::List(_), fields }) => {
            places(fields, name, COORDINATES).map(Some)
        }
        Data::Graph(_) | Data::Table(_) | Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => {
            Err(no_places(name, COORDINATES))
        }
    }
}

/// Reads a path: the cells of a list with the fields `x` and `y`.
///
/// # Errors
/// If it cannot be read, or the file contains something else.
pub(crate) fn read_path(
    reading: Reading<'_>,
    name: &str,
    max_bytes: u64,
) -> Result<Places, FileError> {
    match star_bind::load::read_data(reading, name, max_bytes)? {
        Data::Numbers(Numbers { shape: Shape::List(_), fields }) => places(fields, name, PATH),
        Data::Graph(_) | Data::Table(_) | Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => {
            Err(no_places(name, PATH))
        }
    }
}

/// Draws the path of the file `name` over the drawing of a grid or a table.
///
/// # Errors
/// E0507 if the data has no cells, or a cell of the path is outside.
pub(crate) fn draw_path(
    drawing: &mut Drawing,
    data: &Data,
    [x, y]: &Places,
    (name, palette): (&str, &Palette),
) -> Result<(), FileError> {
    let size = match data {
        Data::Numbers(Numbers { shape: Shape::Grid { height, width }, .. }) => (*height, *width),
        Data::Table(table) => (table.n_rows(), table.n_cols()),
        Data::Graph(_) | Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => {
            return Err(refused(name, "a path is drawn over a grid or a table"));
        }
    };
    let cells: Vec<(i64, i64)> = x.values.iter().copied().zip(y.values.iter().copied()).collect();
    if let Some(at) = cells.iter().position(|cell| !view::is_on_grid(size, *cell)) {
        let ((x, y), (height, width)) = (cells[at], size);
        let message =
            format!("cell {} of the path, ({x},{y}), is outside of {height} × {width}", at + 1);
        return Err(
            refused(name, &message).note("x counts columns and y rows from the top, both from 1")
        );
    }
    view::add_path(drawing, size, &cells, palette);
    Ok(())
}

/// Returns the numeric fields `x` and `y` of a list.
fn places(mut fields: Vec<Field>, name: &str, help: &str) -> Result<Places, FileError> {
    let mut take = |axis: &str| {
        let place = fields.iter().position(|field| field.name == axis);
        let field = fields.swap_remove(place.ok_or_else(|| no_places(name, help))?);
        match &field.meaning {
            Meaning::Number | Meaning::Scaled(_) => Ok(field),
            Meaning::Texts(_) | Meaning::Date | Meaning::Clock | Meaning::DateTime => {
                let message = format!("field `{axis}` contains texts or times, not coordinates");
                Err(refused(name, &message))
            }
        }
    };
    Ok([take("x")?, take("y")?])
}

/// A help about coordinates of vertices.
const COORDINATES: &str = "coordinates are a list with the fields `x` and `y`, a record for each \
    vertex in their order, or a `.co` file";
/// A help about paths.
const PATH: &str = "a path is a list with the fields `x` and `y`, a record for each cell";

fn no_places(name: &str, help: &str) -> FileError {
    refused(name, "the file contains no coordinates").help(help)
}

/// A `--view` option: a result, counted from 0 among the `var` parameters, and its file.
#[derive(Debug)]
pub(crate) struct View {
    result: usize,
    /// Its form, if it is drawn neither as bits nor as marks of a graph.
    form: Option<ResultForm>,
    frame: Frame,
    look: Look,
}

/// Parses the `--view NAME[=[FORM:]FILE]` options.
///
/// # Errors
/// All of E0506, E0507, E0509, E0606 and E0608 that can be detected before the run.
pub(crate) fn views(
    entry: &Signature,
    options: &[String],
    look: Look,
) -> Result<Vec<View>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut views = Vec::new();
    for option in options {
        match view_of(entry, option, look) {
            Ok(view) => views.push(view),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(views) } else { Err(faults) }
}

fn view_of(entry: &Signature, option: &str, look: Look) -> Result<View, Diagnostic> {
    let whole = match option.contains('=') {
        true => option.to_owned(),
        false => format!("{option}={option}.svg"),
    };
    let ResultFile { idx: result, kind, file } =
        result_file(entry, &whole).map_err(|mut fault| {
            fault.message = fault.message.replacen("of `--out`", "of `--view`", 1);
            for help in &mut fault.help {
                *help = help.replace("--out", "--view").replace(".mtx", ".svg");
            }
            fault
        })?;
    if is_number(kind) {
        let message = format!("a result that is {} cannot be drawn", kind.with_article());
        return Err(FileError::new(Code::NoSuchLayout, file, message).to_diagnostic());
    }
    let (form, file) = ResultForm::split(file).map_err(|error| error.to_diagnostic())?;
    if let Some(form) = &form {
        form.check(entry)?;
        if !may_be_drawn(form) {
            return Err(no_list(file).to_diagnostic());
        }
    }
    let frame = match option.contains('=') {
        true => Frame::new(file),
        false => Frame::unnamed(file, &format!("--view {option}=")),
    }
    .map_err(|error| error.to_diagnostic())?;
    Ok(View { result, form, frame, look })
}

/// Returns the parameters whose rows the options refer to.
pub(crate) fn parameters(views: &[View]) -> impl Iterator<Item = String> {
    views.iter().filter_map(|view| Some(view.form.as_ref()?.parameter()?.to_owned()))
}

/// Tests whether an option draws this result.
pub(crate) fn shows(views: &[View], result: usize) -> bool {
    views.iter().any(|view| view.result == result)
}

impl View {
    /// Returns the picture file.
    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Tests before the run whether the graph on which the result is drawn has a picture, or the
    /// records whose fields it has.
    ///
    /// # Errors
    /// E0507 if there is no graph, or it cannot be drawn.
    pub(crate) fn check(&self, origins: &Origins) -> Result<(), FileError> {
        let (name, Some(form)) = (&self.frame.name, &self.form) else { return Ok(()) };
        let extras = |places, marked| Extras { places, marked, palette: self.look.palette };
        if *form == ResultForm::Vertices {
            let Some((_, graph)) = &origins.graph else {
                return Err(refused(name, "`vertices` are drawn on a graph, and none is read"));
            };
            let none = BitVector::zeros(graph.n_vertices);
            let marked = Some(Marked::Vertices(&none));
            return of_graph(graph, extras(origins.places.as_ref(), marked), name).map(drop);
        }
        match form.example(origins.rows_of(form), name)? {
            Some(list @ Data::Numbers(_)) => drawing(&list, extras(None, None), name).map(drop),
            Some(Data::Graph(_) | Data::Table(_) | Data::Slice(_) | Data::Word(_)) | None => Ok(()),
        }
    }

    /// Draws the result and describes the picture.
    ///
    /// # Errors
    /// E0507 if it cannot be drawn, E0509 if it is unset or cannot be written.
    pub(crate) fn draw(
        &self,
        results: &[Value],
        origins: &Origins,
        flags: &Flags,
        (output, reporter): (&mut Output, &Reporter),
    ) -> Result<(), FileError> {
        let name = &self.frame.name;
        let value = results.get(self.result).unwrap_or(&Value::Unset);
        let graph = origins.graph.as_ref().map(|(_, graph)| &**graph);
        let (places, palette) = (origins.places.as_ref(), self.look.palette);
        let drawing = match (&self.form, encoding::writable(value, name)?) {
            (Some(ResultForm::Vertices), OutputRef::Bits(BitsRef::Slice(slice)))
                if let Some(graph) = graph =>
            {
                let marked = Some(Marked::Vertices(slice));
                of_graph(graph, Extras { places, marked, palette }, name)?
            }
            (Some(form), OutputRef::Bits(bits)) => {
                let data = form.data(bits, origins.rows_of(form), graph, name)?;
                drawing(&data, Extras { places, marked: None, palette }, name)?
            }
            (None, OutputRef::Bits(BitsRef::Slice(slice))) => {
                let marks =
                    |graph: &&Graph| [graph.arcs.len(), graph.n_vertices].contains(&slice.len());
                match graph.filter(marks) {
                    Some(graph) => {
                        let marked = Some(Marked::ByLength(slice));
                        of_graph(graph, Extras { places, marked, palette }, name)?
                    }
                    None => of_bits(BitsRef::Slice(slice), name, palette)?,
                }
            }
            (None, OutputRef::Bits(bits)) => of_bits(bits, name, palette)?,
            (_, OutputRef::Graph(_) | OutputRef::Numbers(_)) => {
                return Err(refused(name, "values of a program are bits"));
            }
        };
        self.frame.write(&drawing, flags)?;
        self.look.inline.show(output, &|| pixels(&drawing));
        reporter.summary(&format!("{}: {}", text::one_line(name), drawing.about));
        Ok(())
    }
}

fn refused(name: &str, message: &str) -> FileError {
    FileError::new(Code::NoSuchLayout, name, message)
}
