//! Loading of parameter values: reads the files of a binding within the budget.

mod contents;
mod own_part;
mod records;
mod sharing;

use std::collections::BTreeMap;
use std::rc::Rc;

use star_base::{Code, text};
use star_io::{
    Data, Decimal, Field, FileError, Format, Graph, GraphSizes, Layout, NumberLayout, Numbers,
    Shape, Weights,
};
use star_value::{Argument, TableWish, Value};

use self::contents::Contents;
use self::own_part::{NotShared, placed, with_place};
use crate::arg_value::{self, ArgValue};
use crate::binding::{Binding, Leave, Origin};
use crate::bytes::{bytes_in, bytes_of, bytes_of_arcs, laid_out_bytes};
use crate::comparable::{self, ParamFields};
use crate::data::{self, Expected, FileContents, LoadRequest, RowFields, WidthOverrides};
use crate::error;
use crate::generated;
use crate::layouts::AnyLayout;
use crate::left_table::{LeftTable, RecordPlace};
use crate::matrices;
use crate::offer::{Offer, knows_offset, offer, table_of_offset};
use crate::param::{Kind, Param, Signature};
use crate::part::locate;
use crate::records::RecordList;
use crate::rows::{GRAPH, Rows, WeightCoding};
use crate::settings::Codes;
use crate::source::{Once, Reading};
use crate::widths;
pub(crate) use records::is_width;

/// The result of loading.
pub struct LoadedArguments {
    /// The values of the parameters.
    pub arguments: Vec<Argument>,
    /// The tables that are not yet whole, by the indices of their arguments, which are unset until
    /// then; see [`Binding::leave`].
    pub tables: BTreeMap<usize, LeftTable>,
    /// Notes about the large files that every process has read whole.
    pub whole: Vec<String>,
    /// The meaning of the rows of parameters, by their names, where the binding keeps it.
    pub rows: BTreeMap<String, Rows>,
    /// The lists whose records are in the rows of tables, by the names of parameters.
    pub lists: Vec<RecordList>,
    /// The graph of `--graph`, or otherwise the only one that was read, and its file, where the
    /// binding keeps it.
    pub graph: Option<(String, Rc<Graph>)>,
    /// The coding of its weights and distances.
    pub coding: WeightCoding,
    /// The peak memory use of reading and layout: the same amount is sufficient to load them again.
    pub peak_bytes: u64,
}

/// Reads all files that `binding` names. `graph` is the file of `--graph`. The values together use
/// at most `max_bytes`.
///
/// # Errors
/// The first file that cannot be read or has unsuitable contents.
pub fn load(
    signature: &Signature,
    binding: Binding,
    graph: Option<&str>,
    reading: Reading<'_>,
    max_bytes: u64,
) -> Result<LoadedArguments, FileError> {
    // Several parameters may come from one file.
    let observer = Once::new(reading.observer);
    let reading = Reading { observer: &observer, ..reading };
    let changed = GraphSizes::default();
    let (free, graphs, lists, saw_stream) = (max_bytes, Vec::new(), Vec::new(), false);
    let mut loader = Loader {
        reading,
        max_bytes,
        free,
        leave: binding.leave.clone(),
        peak: 0,
        graphs,
        lists,
        waiting: Vec::new(),
        changed,
        saw_stream,
        signed: None,
        h: None,
        has_weights: false,
        scales: BTreeMap::new(),
        not_shared: own_part::not_shared(signature, &binding.origins, graph),
        keeps_rows: !binding.kept.is_empty(),
        keeps_arcs: binding.keeps_arcs,
        places: BTreeMap::new(),
        whole: Vec::new(),
    };
    let Binding { origins, widths, wishes, kept, keeps_arcs, .. } = binding;
    let mut unless_stream = binding.unless_stream;
    let is_kept = |name: &str| kept.iter().any(|kept| kept == name);
    let mut kept_rows = BTreeMap::new();
    if reading.settings.codes == Codes::Shared {
        loader.share_vertices(graph, &origins)?;
        loader.share_codes(&origins)?;
    }
    let widths = WidthOverrides { b: widths.b.or(loader.shared_b(graph, &origins)?), ..widths };
    let offered = match graph {
        Some(file) => loader.offered_graph(file, &origins, widths)?,
        None => None,
    };
    // A width provided to the program applies to all its files.
    let widths = WidthOverrides {
        h: widths.h.or(shared(&origins, Offer::PathWidth, &offered, |w| w.h)),
        b: widths.b.or(shared(&origins, Offer::CodeWidth, &offered, |w| w.b)),
    };
    loader.changed = changed_graph(reading, &offered, widths);
    let (mut arguments, mut lists, mut tables) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut coded = Vec::new();
    // Of the tables, by name; and the parameters that get one, with their places.
    let (mut offsets, mut offset_params, mut vertices) = (BTreeMap::new(), Vec::new(), Vec::new());
    let list_file = list_file(&origins);
    let field_widths = loader.field_widths(signature, &origins)?;
    let wishes = wishes.into_iter().chain(std::iter::repeat(TableWish::default()));
    for ((param, origin), wish) in signature.params.iter().zip(origins).zip(wishes) {
        let fixed = origin != Origin::Unset;
        let knows_offset = knows_offset(signature, param);
        let mut rows = None;
        let value = match (origin, &offered) {
            (Origin::Argument(ArgValue::Value(value)), _) => value,
            (Origin::Argument(ArgValue::Vertex(name)), _) => {
                vertices.push((arguments.len(), param, name));
                Value::Int(0)
            }
            (Origin::Argument(ArgValue::File { layout, path }), _) => {
                let request = LoadRequest {
                    kind: param.kind,
                    layout: layout.as_ref(),
                    file: &path,
                    max_bytes: loader.free,
                    widths,
                    wish,
                    knows_offset,
                };
                let wanted = match layout {
                    None => offer(&param.name, param.kind).and_then(Offer::layout),
                    Some(_) => None,
                };
                let records = match layout {
                    None => {
                        loader.records(param, &path, &field_widths, wish, is_kept(&param.name))?
                    }
                    Some(_) => None,
                };
                let found = match records {
                    Some(records) => Ok(records),
                    None => loader.file(request, wanted, &param.name, is_kept(&param.name)),
                };
                let FileValue { value, left, rows: found, list, offset, fields } =
                    found.map_err(|error| match &layout {
                        None if param.kind == Kind::Word => {
                            perhaps_a_text(error, &param.name, list_file.as_deref())
                        }
                        Some(AnyLayout::Numbers(NumberLayout::Field(_)))
                            if error.code == Code::CannotOpen && path.contains(':') =>
                        {
                            error.help(
                                "a field whose name has a colon is chosen by its number: \
                                    `field:1:FILE`",
                            )
                        }
                        _ => error,
                    })?;
                rows = found;
                if let Some(table) = left {
                    loader.free = loader.free.saturating_sub(table.held_bytes());
                    tables.insert(arguments.len(), table);
                }
                coded.extend(fields);
                lists.extend(list.map(|list| list.called(&param.name)));
                offsets.insert(param.name.as_str(), (offset, path));
                value
            }
            (Origin::Offer(Offer::Offset), _) => {
                offset_params.push((arguments.len(), param));
                Value::Int(0)
            }
            (Origin::Offer(offer), Some(offered)) => {
                let request = LoadRequest {
                    kind: param.kind,
                    layout: None,
                    file: offered.file,
                    max_bytes: loader.free,
                    widths: offered.widths,
                    wish,
                    knows_offset,
                };
                if let Some(layout) = offer.layout() {
                    let offset = Some(offset_in(&offered.graph, layout));
                    offsets.insert(param.name.as_str(), (offset, offered.file.to_owned()));
                }
                if let Some(layout) = offer.layout() {
                    coded.push(loader.vertices(&param.name, request, layout, &offered.graph)?);
                }
                if offer.layout().is_some_and(Layout::rows_are_arcs) {
                    let scale = loader.scale_of(offered.file);
                    rows = Some(Rows::Arcs(Rc::clone(&offered.graph), scale));
                }
                let value = match offer.value(reading, &offered.graph, request) {
                    Err(error) if loader.needs_whole(offered.file, &error) => {
                        let graph = loader.graph(offered.file)?;
                        offer.value(reading, &graph, request)
                    }
                    value => value,
                }?;
                if let Some(layout) = offer.layout() {
                    loader.note_weights(layout, offered.widths.h);
                }
                loader.note(bytes_of(&value));
                let place = loader.place_of_arcs(offered.file, offer.layout());
                let (value, left) = placed(value, param.kind, place.as_ref());
                if let Some(table) = left {
                    loader.free = loader.free.saturating_sub(table.held_bytes());
                    tables.insert(arguments.len(), table);
                }
                value
            }
            (Origin::Unset, _) if let Some(text) = &param.text => {
                Value::Int(records::code(text, &lists, reading)?)
            }
            (Origin::Unset, _) if param.kind == Kind::Int => {
                match field_widths.get(&param.name).filter(|_| !param.by_ref) {
                    Some(width) => Value::Int(*width),
                    None if param.by_ref => Value::Unset,
                    None => return Err(records::without_width(param)),
                }
            }
            (Origin::Offer(_), None) | (Origin::Unset, _) => Value::Unset,
        };
        let fixed = fixed || value != Value::Unset;
        if let Some(rows) = rows.filter(|_| is_kept(&param.name)) {
            kept_rows.insert(param.name.clone(), rows);
        }
        loader.free = loader.free.saturating_sub(bytes_of(&value));
        arguments.push(Argument { value, fixed });
    }
    for (place, param) in offset_params {
        let table = table_of_offset(signature, param);
        let known = table.and_then(|table| offsets.get(table.name.as_str()));
        let (offset, file) = known.map_or((Some(0), ""), |(offset, file)| (*offset, file));
        let offset = offset.ok_or_else(|| several_offsets(&param.name, file))?;
        arguments[place].value = Value::Int(offset);
    }
    match reading.settings.codes {
        Codes::Unsaid => comparable::check(&coded, false)?,
        Codes::Shared => comparable::check(&coded, true)?,
        Codes::Own => {}
    }
    for (param, list) in records::of_results(signature, &arguments) {
        if lists.iter().any(|known| known.name == param.name) {
            continue;
        }
        if is_kept(&param.name) {
            let rows = Rows::Typed { list: list.clone(), of_file: None };
            kept_rows.entry(param.name.clone()).or_insert(rows);
        }
        lists.push(list);
    }
    let graph = match (&offered, loader.graphs.as_slice()) {
        (Some(offered), _) => Some((offered.file.to_owned(), Rc::clone(&offered.graph))),
        (None, [only]) => Some(only.clone()),
        (None, [] | [_, ..]) => None,
    };
    for (place, param, name) in vertices {
        let graph = graph.as_ref().map(|(file, graph)| (file.as_str(), &**graph));
        arguments[place].value = Value::Int(vertex(reading, param, &name, graph)?);
    }
    if let Some(offered) = offered.filter(|_| is_kept(GRAPH)) {
        let scale = loader.scale_of(offered.file);
        kept_rows.entry(GRAPH.to_owned()).or_insert(Rows::Arcs(offered.graph, scale));
    }
    let weighted = graph.as_ref().filter(|_| loader.has_weights);
    let scale = weighted.and_then(|(file, _)| loader.scale_of(file));
    let coding = WeightCoding { scale, signed: loader.signed, h: loader.h };
    match unless_stream.is_empty() || loader.saw_stream {
        true => Ok(LoadedArguments {
            arguments,
            tables,
            whole: loader.whole,
            rows: kept_rows,
            lists,
            graph: graph
                .filter(|(_, graph)| keeps_arcs.is_some_and(|most| graph.n_edges() <= most)),
            coding,
            peak_bytes: loader.peak,
        }),
        false => Err(error::without_file(unless_stream.swap_remove(0))),
    }
}

/// Returns the row of the vertex with this name; in a graph without names a number is a row.
fn vertex(
    reading: Reading<'_>,
    param: &Param,
    name: &str,
    graph: Option<(&str, &Graph)>,
) -> Result<i64, FileError> {
    let Param { name: of, kind, .. } = param;
    let number = name.parse::<i64>().ok();
    let is_number = name.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    // The numbers of vertices without names are their rows, which the program checks.
    let is_named = |graph: &Graph| {
        graph.names.is_some() || !is_number || number.is_some() && graph.n_vertices == 0
    };
    let Some((file, graph)) = graph.filter(|(_, graph)| is_named(graph)) else {
        let message = format!("`{}` is not a valid value for `{of}`", text::one_line(name));
        let error = FileError::new(Code::BadArgument, "", message);
        return number.ok_or_else(|| error.help(arg_value::what_to_write(of, *kind)));
    };
    let Some(vertex) = graph.find(name) else {
        let message = format!("no vertex `{}` for `{of}`", text::one_line(name));
        let error = FileError::new(Code::BadArgument, file, message);
        let (first, last) = (graph.name(0), graph.name(graph.n_vertices.saturating_sub(1)));
        let n = text::count(graph.n_vertices, "vertex");
        let error = match graph.n_vertices {
            0 => error.note("the graph has no vertices"),
            _ => error.note(format!("the graph has {n}, from `{first}` to `{last}`")),
        };
        let names = (0..graph.n_vertices.min(MAX_COMPARED)).map(|at| graph.name(at).to_string());
        let names: Vec<String> = names.collect();
        // `s=1` may have been meant as the name of a vertex.
        let argument = format!("{of}={name}");
        if graph.find(&argument).is_some() {
            let argument = text::one_line(&argument);
            return Err(error.help(format!("write `{of}={argument}` for the vertex `{argument}`")));
        }
        return Err(match star_base::did_you_mean(name, names.iter().map(String::as_str)) {
            Some(meant) => error.help(format!("did you mean `{of}={meant}`?")),
            None => error,
        });
    };
    let row = vertex as i64 + 1;
    reading.observer.detail(&format!("{file}: `{of}={}` is row {row}", text::one_line(name)));
    Ok(row)
}

/// The maximum number of names that an unknown one is compared with.
const MAX_COMPARED: usize = 10_000;

/// Returns the number that a layout of a graph stores as 0.
fn offset_in(graph: &Graph, layout: Layout) -> i64 {
    match layout.weights() {
        Weights::Listed => graph.weight_offset(),
        Weights::None | Weights::Added | Weights::Signed => 0,
    }
}

/// Returns the error that a parameter would get the offsets of several fields.
fn several_offsets(name: &str, file: &str) -> FileError {
    let message = format!("`{name}` must be one number, and the fields have different offsets");
    FileError::new(Code::NoSuchLayout, file, message)
        .note("a field with negative numbers is stored less its minimum")
        .help(format!("give one field of the file to the table, or write `{name}=NUMBER`"))
}

/// Returns the first file that a list of numbers and texts is read from, by its name.
fn list_file(origins: &[Origin]) -> Option<String> {
    let mut paths = origins.iter().filter_map(|origin| match origin {
        Origin::Argument(ArgValue::File { path, .. }) => Some(path),
        Origin::Argument(ArgValue::Value(_) | ArgValue::Vertex(_))
        | Origin::Offer(_)
        | Origin::Unset => None,
    });
    paths.find(|path| list_format(path)).cloned()
}

/// Returns whether files of this name contain lists.
fn list_format(path: &str) -> bool {
    let format = Format::of_path(path);
    format.is_some_and(|format| list_formats().contains(&format))
}

/// Returns the formats of lists.
pub fn list_formats() -> [Format; 3] {
    [Format::Csv, Format::Parquet, Format::Arrow]
}

/// Returns whether a file of this name holds a graph with names, and nothing else.
fn graph_format(path: &str) -> bool {
    Format::of_path(path).is_some_and(|format| {
        matches!(
            format,
            Format::EdgeList
                | Format::NodeLink
                | Format::GraphMl
                | Format::Gml
                | Format::Pajek
                | Format::Dimacs
                | Format::Metis
        )
    })
}

/// Adds help on the syntax for a search word if a file of that name cannot be opened.
fn perhaps_a_text(error: FileError, name: &str, list: Option<&str>) -> FileError {
    match error.code == Code::CannotOpen {
        true => {
            let value = text::one_line(&error.file);
            let list = list.map_or_else(|| "FILE".to_owned(), text::one_line);
            error.help(format!(
                "write the word for a value of a list as `{name}=code:FIELD={value}:{list}`"
            ))
        }
        false => error,
    }
}

/// Returns the layout in which a parameter uses the graph of this file, provided or given: all of
/// them share their widths.
fn layout_of(origin: &Origin, file: &str) -> Option<Layout> {
    match origin {
        Origin::Offer(offer) => offer.layout(),
        Origin::Argument(ArgValue::File { layout: Some(AnyLayout::Graph(layout)), path })
            if path == file =>
        {
            Some(*layout)
        }
        Origin::Argument(ArgValue::File { .. } | ArgValue::Value(_) | ArgValue::Vertex(_))
        | Origin::Unset => None,
    }
}

/// The graph of `--graph`.
struct Offered<'a> {
    file: &'a str,
    graph: Rc<Graph>,
    /// The widths that its offers need, given or chosen.
    widths: WidthOverrides,
}

/// Returns the requirements for an update stream: the graph of `--graph` and the widths; those of
/// the setting `widths` have priority.
fn changed_graph(
    reading: Reading<'_>,
    offered: &Option<Offered<'_>>,
    given: WidthOverrides,
) -> GraphSizes {
    let n_vertices = offered.as_ref().map(|offered| offered.graph.n_vertices as u64);
    if reading.settings.widths.is_some() {
        return GraphSizes { n_vertices, ..GraphSizes::default() };
    }
    let of_graph = offered.as_ref().map_or(WidthOverrides::default(), |offered| offered.widths);
    GraphSizes { n_vertices, b: given.b.or(of_graph.b), h: given.h.or(of_graph.h) }
}

/// Returns the width if a parameter uses this offer.
fn shared(
    origins: &[Origin],
    offer: Offer,
    offered: &Option<Offered<'_>>,
    width: fn(WidthOverrides) -> Option<usize>,
) -> Option<usize> {
    let taken = origins.contains(&Origin::Offer(offer));
    offered.as_ref().filter(|_| taken).and_then(|offered| width(offered.widths))
}

/// The value of a file.
struct FileValue {
    value: Value,
    /// The table, if it is not yet whole; the value is unset then.
    left: Option<LeftTable>,
    /// The meaning of the rows.
    rows: Option<Rows>,
    /// The layout of the records of a list in the rows.
    list: Option<RecordList>,
    /// The number that it stores as 0; `None` if its fields differ in that.
    offset: Option<i64>,
    /// The fields of the list or grid in the value.
    fields: Option<ParamFields>,
}

impl FileValue {
    /// Creates a value without records.
    fn new(value: Value, rows: Option<Rows>, offset: i64) -> Self {
        FileValue { value, left: None, rows, list: None, offset: Some(offset), fields: None }
    }
}

struct Loader<'a> {
    reading: Reading<'a>,
    /// The memory budget in bytes.
    max_bytes: u64,
    /// The remaining bytes.
    free: u64,
    /// The tables that are left in their files, and the files that are shared.
    leave: Option<Leave>,
    /// The files that every process reads whole, with the reasons.
    not_shared: NotShared,
    /// Whether the rows of a parameter are kept.
    keeps_rows: bool,
    /// The most arcs of a graph that is kept.
    keeps_arcs: Option<usize>,
    /// The files of which this process has read its records or arcs.
    places: BTreeMap<String, RecordPlace>,
    /// Notes about large files that were read whole.
    whole: Vec<String>,
    /// The peak memory use in bytes.
    peak: u64,
    /// Graphs by file name: one file may provide several tables.
    graphs: Vec<(String, Rc<Graph>)>,
    /// Lists by file name, if their fields share codes or belong to records.
    lists: Vec<(String, Rc<Numbers>)>,
    /// Files without records that were read for tables of records.
    waiting: Vec<(String, Contents)>,
    /// The requirements for an update stream.
    changed: GraphSizes,
    /// Whether one of the files was an update stream.
    saw_stream: bool,
    /// The width of weights in the layout `signed-out`, if a parameter has it.
    signed: Option<usize>,
    /// The width of weights, or 1 if a parameter has the layout `adjacency`.
    h: Option<usize>,
    /// Whether a parameter has the weights of a graph.
    has_weights: bool,
    /// The scales of the weights of graphs, by file name.
    scales: BTreeMap<String, Decimal>,
}

impl Loader<'_> {
    /// Records the use of `n_bytes` bytes in addition to those currently in use.
    fn note(&mut self, n_bytes: u64) {
        let taken = self.max_bytes.saturating_sub(self.free);
        self.peak = self.peak.max(taken.saturating_add(n_bytes));
    }

    /// Records the scale of the weights of a file.
    fn note_scale(&mut self, file: &str, scale: Option<Decimal>) {
        self.scales.extend(scale.map(|scale| (file.to_owned(), scale)));
    }

    /// Records that a parameter has this layout, with weights of `h` bits if it has any.
    fn note_weights(&mut self, layout: Layout, h: Option<usize>) {
        if layout == Layout::Adjacency {
            self.h = self.h.or(Some(1));
        }
        if layout.weights() != Weights::None {
            self.h = h.or(self.h);
        }
        match layout.weights() {
            Weights::None => return,
            Weights::Signed => self.signed = h,
            Weights::Listed | Weights::Added => {}
        }
        self.has_weights = true;
    }

    fn scale_of(&self, file: &str) -> Option<Decimal> {
        self.scales.get(file).copied()
    }

    fn numbers(
        &mut self,
        numbers: Rc<Numbers>,
        request: LoadRequest<'_>,
        name: &str,
        is_kept: bool,
    ) -> Result<FileValue, FileError> {
        let n_bytes = bytes_in(&numbers);
        let (value, chosen) = data::from_numbers(self.reading, &numbers, request)?;
        let list = RecordList::of(request.file, &numbers, &value, &chosen);
        let RowFields { fields: range, widths } = chosen;
        self.note(n_bytes.saturating_add(laid_out_bytes(&value)));
        let chosen = numbers.fields.get(range.clone()).unwrap_or_default();
        let mut offsets = chosen.iter().map(Field::offset);
        let first = offsets.next().unwrap_or(0);
        let offset = offsets.all(|other| other == first).then_some(first);
        let coded = match request.kind {
            Kind::Table | Kind::Word => {
                let (kind, file) = (request.kind, request.file);
                Some(ParamFields::new(name, kind, file, &numbers, range.clone(), &widths))
            }
            Kind::Slice | Kind::Int | Kind::Bool | Kind::Str | Kind::Handle => None,
        };
        let is_list = match numbers.shape {
            Shape::List(_) => !matches!(value, Value::Word(_)),
            Shape::Grid { .. } => false,
        };
        let rows = (is_kept && is_list).then(|| {
            self.free = self.free.saturating_sub(n_bytes);
            let mut numbers = Rc::unwrap_or_clone(numbers);
            // Written and read again, records have the same bits.
            for (field, &width) in numbers.fields.iter_mut().skip(range.start).zip(&widths) {
                field.bits = field.bits.map(|_| width);
            }
            Rows::Records { numbers, fields: range, widths }
        });
        Ok(FileValue { value, left: None, rows, list, offset, fields: coded })
    }

    fn lay_out(
        &mut self,
        graph: Rc<Graph>,
        request: LoadRequest<'_>,
        name: &str,
    ) -> Result<FileValue, FileError> {
        let value = data::from_graph(self.reading, &graph, request)?;
        self.note(laid_out_bytes(&value));
        let rows_are_arcs = match request.layout {
            Some(AnyLayout::Graph(layout)) => layout.rows_are_arcs(),
            None => matches!(value, Value::Slice(_)),
            Some(AnyLayout::Numbers(_) | AnyLayout::Updates) => false,
        };
        let offset = match request.layout {
            Some(AnyLayout::Graph(layout)) => offset_in(&graph, *layout),
            Some(AnyLayout::Numbers(_) | AnyLayout::Updates) | None => 0,
        };
        let place = match request.layout {
            Some(AnyLayout::Graph(layout)) => self.place_of_arcs(request.file, Some(*layout)),
            Some(AnyLayout::Numbers(_) | AnyLayout::Updates) | None => None,
        };
        if let Some(AnyLayout::Graph(layout)) = request.layout {
            let h = match &value {
                Value::Table(table) => {
                    let n_rows = place.as_ref().map_or(table.n_rows(), RecordPlace::n_records);
                    table.n_cols().checked_div(n_rows)
                }
                _ => request.widths.h,
            };
            self.note_weights(*layout, h);
        }
        let layout = match request.layout {
            Some(AnyLayout::Graph(layout)) => *layout,
            Some(AnyLayout::Numbers(_) | AnyLayout::Updates) | None => Layout::Adjacency,
        };
        let fields = Some(self.vertices(name, request, layout, &graph)?);
        let scale = self.scale_of(request.file);
        let rows = rows_are_arcs.then_some(Rows::Arcs(graph, scale));
        let value = FileValue { fields, ..FileValue::new(value, rows, offset) };
        Ok(match place {
            Some(place) => with_place(value, request.kind, &place),
            None => value,
        })
    }

    /// Returns the codes of vertices in a layout of a graph, or its columns.
    fn vertices(
        &self,
        param: &str,
        request: LoadRequest<'_>,
        layout: Layout,
        graph: &Rc<Graph>,
    ) -> Result<ParamFields, FileError> {
        let LoadRequest { kind, file, widths, .. } = request;
        let b = match widths.b {
            Some(b) => b,
            None => widths::least_widths(graph, layout, file)?.b,
        };
        // The arcs of a graph that is not kept may be dropped.
        let graph = self.known_graph(file).unwrap_or_else(|| {
            let (n_vertices, names) = (graph.n_vertices, graph.names.clone());
            Rc::new(Graph { n_vertices, names, ..Graph::default() })
        });
        Ok(ParamFields::of_graph(param, kind, file, &graph, layout, b))
    }

    fn known_graph(&self, file: &str) -> Option<Rc<Graph>> {
        let mut graphs = self.graphs.iter();
        let (_, graph) = graphs.find(|(name, _)| name == file)?;
        Some(Rc::clone(graph))
    }

    fn keep(&mut self, file: &str, graph: Graph) -> Rc<Graph> {
        let n_holders = self.places.get(file).map_or(1, RecordPlace::n_holders);
        self.free = self.free.saturating_sub(bytes_of_arcs(&graph, n_holders));
        let graph = Rc::new(graph);
        self.graphs.push((file.to_owned(), Rc::clone(&graph)));
        graph
    }

    /// Reads the graph of `--graph`, chooses the widths that its offers need, and reports them.
    fn offered_graph<'f>(
        &mut self,
        file: &'f str,
        origins: &[Origin],
        widths: WidthOverrides,
    ) -> Result<Option<Offered<'f>>, FileError> {
        match self.offered_arcs(file, origins, widths) {
            Err(error) if self.needs_whole(file, &error) => {
                self.offered_arcs(file, origins, widths)
            }
            offered => offered,
        }
    }

    fn offered_arcs<'f>(
        &mut self,
        file: &'f str,
        origins: &[Origin],
        widths: WidthOverrides,
    ) -> Result<Option<Offered<'f>>, FileError> {
        let offers = || {
            origins.iter().filter_map(|origin| match origin {
                // The graph need not provide it.
                Origin::Offer(Offer::Offset) | Origin::Argument(_) | Origin::Unset => None,
                Origin::Offer(offer) => Some(*offer),
            })
        };
        if offers().next().is_none() {
            let message = "`--graph` is unused: no parameter matches";
            self.reading.observer.warning(message);
            return Ok(None);
        }
        let graph = self.graph(file).map_err(|error| match error.code {
            Code::NoSuchLayout => {
                error.help("`star run FILE NAME=FILE` gives other data to a parameter")
            }
            _ => error,
        })?;
        let layouts: Vec<Layout> =
            origins.iter().filter_map(|origin| layout_of(origin, file)).collect();
        let mut chosen = widths;
        match widths.h {
            Some(h) => widths::check_h(&graph, &layouts, h, file)?,
            None if offers().any(Offer::needs_h) => {
                let h = widths::chosen_h(&graph, &layouts, file)?;
                self.reading.observer.detail(&format!("{file}: h = {h}"));
                chosen.h = Some(h);
            }
            None => {}
        }
        chosen.b = match widths.b {
            Some(b) => Some(b),
            None => Some(widths::chosen_b(&graph, &layouts, file)?),
        };
        Ok(Some(Offered { file, graph, widths: chosen }))
    }
}

/// Reads the file of `--graph`.
///
/// # Errors
/// If it cannot be read; E0507 if it contains other data.
pub fn read_graph(reading: Reading<'_>, file: &str, max_bytes: u64) -> Result<Graph, FileError> {
    find_graph(reading, file, max_bytes).map(|(graph, ..)| graph)
}

/// Reads the data of a file.
///
/// # Errors
/// If it cannot be read.
pub fn read_data(reading: Reading<'_>, file: &str, max_bytes: u64) -> Result<Data, FileError> {
    read(reading, file, max_bytes, Expected::default()).map(|contents| contents.data)
}

/// Reads the graph, and returns it with the memory that reading used and the scale of its weights.
fn find_graph(
    reading: Reading<'_>,
    file: &str,
    max_bytes: u64,
) -> Result<(Graph, u64, Option<Decimal>), FileError> {
    let expected = Expected { as_graph: true, ..Expected::default() };
    graph_of(file, read(reading, file, max_bytes, expected)?)
}

/// Returns the graph in these contents, with the memory that reading used and the scale.
fn graph_of(
    file: &str,
    contents: FileContents,
) -> Result<(Graph, u64, Option<Decimal>), FileError> {
    let FileContents { data, n_bytes, scale, .. } = contents;
    match data {
        Data::Graph(graph) => Ok((graph, n_bytes, scale)),
        Data::Table(_) | Data::Slice(_) | Data::Word(_) | Data::Numbers(_) => {
            let message = format!("{} is no graph", data.as_output().describe());
            let error = FileError::new(Code::NoSuchLayout, file, message);
            Err(match data {
                Data::Table(_) => error.note(matrices::SQUARE),
                _ => error,
            })
        }
    }
}

/// Reads a source named on the command line: a file, or generated data, `gen KIND OPTIONS`.
fn read(
    reading: Reading<'_>,
    name: &str,
    max_bytes: u64,
    expected: Expected,
) -> Result<FileContents, FileError> {
    match generated::options(name) {
        Some(options) => generated::make(reading, name, options, max_bytes, expected),
        None => data::read_file(reading, locate(name, reading.files), max_bytes, expected),
    }
}
