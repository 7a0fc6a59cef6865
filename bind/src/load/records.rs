//! Tables of records from files: each field is the column of the file that has its name.

use std::collections::BTreeMap;
use std::rc::Rc;

use star_base::record::{FieldKind, FieldText, RecordField};
use star_base::{Code, did_you_mean, text};
use star_io::{
    Data, Field, FileError, Format, Graph, LayoutOptions, Meaning, NumberLayout, Numbers, Packing,
    Shape, VertexNames, lay_out_numbers,
};
use star_value::{Argument, TableWish, Value};

use super::contents::Contents;
use super::own_part::with_place;
use super::{FileValue, Loader, list_format};
use crate::arg_value::ArgValue;
use crate::binding::Origin;
use crate::bytes::{bytes_in, bytes_of_share, laid_out_bytes};
use crate::comparable::ParamFields;
use crate::data::Expected;
use crate::param::{Param, Signature};
use crate::part;
use crate::records::RecordList;
use crate::rows::Rows;
use crate::source::Reading;

/// The number of columns that a message lists.
const MAX_LISTED: usize = 20;
/// The columns of the arcs of a graph that are vertices.
const ENDS: [&str; 2] = ["tail", "head"];

/// The values of integer parameters that are widths of fields.
pub(super) type FieldWidths = BTreeMap<String, i64>;

/// The columns of a file, and the graph if they are those of its arcs.
type Columns = (Rc<Numbers>, Option<Rc<Graph>>);

/// Returns the file that gives a parameter its records.
fn file_of<'o>(param: &Param, origin: &'o Origin) -> Option<&'o str> {
    match origin {
        Origin::Argument(ArgValue::File { layout: None, path }) if param.has_columns() => {
            Some(path)
        }
        Origin::Argument(_) | Origin::Offer(_) | Origin::Unset => None,
    }
}

/// Returns whether the files of other parameters determine this one: it is the whole width of a
/// field.
pub(crate) fn is_width(signature: &Signature, origins: &[Origin], name: &str) -> bool {
    let mut params = signature.params.iter().zip(origins);
    params.any(|(param, origin)| {
        file_of(param, origin).is_some()
            && param.fields.iter().any(|field| field.width.parameter() == Some(name))
    })
}

/// Returns the error that a width is not given, and the file of the records holds bits.
pub(super) fn without_width(param: &Param) -> FileError {
    let message = format!("no value for `{}`", param.name);
    FileError::new(Code::MissingArgument, "", message)
        .note("the file of the table has bits, and no columns that determine the width")
        .help(format!("write `{}=NUMBER`", param.name))
}

/// Returns the code of a text in a field; −1, which is no code, if no record has the text.
///
/// # Errors
/// E0507 if the table has no such column, E0504 if the text is no number, date or time of it.
pub(super) fn code(
    text: &FieldText,
    lists: &[RecordList],
    reading: Reading<'_>,
) -> Result<i64, FileError> {
    let FieldText { table, field, text: wanted } = text;
    let quoted = format!("`{}`", text::one_line(wanted));
    let column = lists.iter().find(|list| list.name == *table).and_then(|list| list.field(field));
    let Some(column) = column else {
        let message = format!("{quoted} has no code: `{table}` has no column `{field}` of a file");
        return Err(FileError::new(Code::NoSuchLayout, "", message)
            .help(format!("`{table}=FILE` takes the columns of a list or the arcs of a graph")));
    };
    match (column.meaning.number(wanted), &column.meaning) {
        (Some(number), _) => Ok(number.saturating_sub(column.offset())),
        (None, Meaning::Texts(_)) => {
            reading
                .observer
                .note(&format!("no record of `{table}` has the text {quoted} in `{field}`"));
            Ok(-1)
        }
        (None, meaning) => {
            let what = meaning.describe();
            let message = format!("{quoted} for field `{field}` of `{table}` is not {what}");
            Err(FileError::new(Code::OutOfRange, "", message))
        }
    }
}

/// Returns the results that are tables of records with known widths.
pub(super) fn of_results<'s>(
    signature: &'s Signature,
    arguments: &[Argument],
) -> Vec<(&'s Param, RecordList)> {
    let value = |name: &str| {
        let mut params = signature.params.iter().zip(arguments);
        params.find(|(param, _)| param.name == name).and_then(|(_, argument)| {
            match argument.value {
                Value::Int(number) => Some(number),
                _ => None,
            }
        })
    };
    let typed = signature.results().filter(|param| param.has_columns());
    let list = |param: &'s Param| {
        let widths = param.fields.iter().map(|field| field.width.value(value));
        Some((param, list_of(param, &unnamed(param), widths.collect::<Option<_>>()?)))
    };
    typed.filter_map(list).collect()
}

/// Returns the fields of a parameter as columns of plain numbers.
fn unnamed(param: &Param) -> Vec<Field> {
    let field = |field: &RecordField| Field::new(field.name.as_str(), None, Vec::new());
    param.fields.iter().map(field).collect()
}

fn list_of(param: &Param, columns: &[Field], widths: Vec<usize>) -> RecordList {
    let signed = param.fields.iter().map(|field| field.kind == FieldKind::Int).collect();
    RecordList::typed(&param.name, columns, widths, signed)
}

impl Loader<'_> {
    /// Reads the files of tables of records, and returns the given and the determined widths.
    pub(super) fn field_widths(
        &mut self,
        signature: &Signature,
        origins: &[Origin],
    ) -> Result<FieldWidths, FileError> {
        let mut widths = FieldWidths::new();
        for (param, origin) in signature.params.iter().zip(origins) {
            let Some(file) = file_of(param, origin) else { continue };
            let Some((numbers, _)) = self.columns(param, file)? else { continue };
            for field in &param.fields {
                let found = column(field, &numbers, file)?;
                if let Some(name) = field.width.parameter() {
                    let width = widths.entry(name.to_owned()).or_insert(0);
                    *width = (*width).max(least_width(field, found));
                }
            }
        }
        for (param, origin) in signature.params.iter().zip(origins) {
            if let Origin::Argument(ArgValue::Value(Value::Int(number))) = origin {
                widths.insert(param.name.clone(), *number);
            }
        }
        Ok(widths)
    }

    /// Returns the columns of a file, at least those of the parameter's fields that it has; `None`
    /// if it has none, and holds bits instead.
    fn columns(&mut self, param: &Param, file: &str) -> Result<Option<Columns>, FileError> {
        let located = part::locate(file, self.reading.files);
        let is_archive = Format::of_path(located.file) == Some(Format::Npz);
        if !is_archive || located.part.is_some() || located.direction.is_some() {
            return self.list(file);
        }
        match self.arrays(param, file) {
            Ok(arrays) => Ok(Some((Rc::new(arrays), None))),
            // It may be a sparse matrix.
            Err(error) => match self.list(file) {
                Ok(Some((numbers, Some(graph)))) => Ok(Some((numbers, Some(graph)))),
                Ok(_) | Err(_) => Err(error),
            },
        }
    }

    /// Reads the arrays of an archive that have the names of the fields.
    fn arrays(&mut self, param: &Param, file: &str) -> Result<Numbers, FileError> {
        let mut fields: Vec<Field> = Vec::new();
        for field in &param.fields {
            let name = format!("{file}#{}", field.name);
            let found = self.list(&name)?;
            let array =
                found.as_ref().and_then(|(numbers, _)| match (numbers.shape, &*numbers.fields) {
                    (Shape::List(_), [array]) => Some(array),
                    _ => None,
                });
            let refused = |message: String| Err(FileError::new(Code::NoSuchLayout, file, message));
            let Some(array) = array else {
                let name = text::one_line(&field.name);
                return refused(format!("array `{name}` has not exactly one dimension"));
            };
            if let Some(first) = fields.first()
                && first.values.len() != array.values.len()
            {
                let numbers = |field: &Field| {
                    let n = text::count(field.values.len(), "number");
                    format!("array `{}` has {n}", text::one_line(&field.name))
                };
                let first = numbers(first);
                let array = Field { name: field.name.clone(), ..array.clone() };
                return refused(format!("{first}, and {}", numbers(&array)));
            }
            fields.push(Field { name: field.name.clone(), ..array.clone() });
        }
        let n_records = fields.first().map_or(0, |field| field.values.len());
        Ok(Numbers { shape: Shape::List(n_records), fields })
    }

    /// Returns the records or arcs of a file; `None` if it holds bits or a grid, which is kept for
    /// the parameter.
    fn list(&mut self, file: &str) -> Result<Option<Columns>, FileError> {
        if let Some((_, numbers)) = self.lists.iter().find(|(known, _)| known == file) {
            let is_list = matches!(numbers.shape, Shape::List(_));
            return Ok(is_list.then(|| (Rc::clone(numbers), None)));
        }
        if self.waiting.iter().any(|(known, _)| known == file) {
            return Ok(None);
        }
        let graph = match self.known_graph(file) {
            Some(graph) => graph,
            None => {
                let format = has_tabs(file).then_some(Format::Csv);
                let expected = Expected { format, graph: self.changed, as_graph: false };
                let mut contents = match self.contents(file, expected, true)? {
                    Contents::Read(contents) => contents,
                    left @ Contents::Left(_) => {
                        self.waiting.push((file.to_owned(), left));
                        return Ok(None);
                    }
                };
                self.note_scale(file, contents.scale);
                self.note(contents.n_bytes);
                match contents.data {
                    Data::Graph(graph) => self.keep(file, graph),
                    Data::Numbers(numbers) if matches!(numbers.shape, Shape::List(_)) => {
                        let n_bytes = match self.places.get(file) {
                            Some(place) => bytes_of_share(&numbers, place.n_holders()),
                            None => bytes_in(&numbers),
                        };
                        self.free = self.free.saturating_sub(n_bytes);
                        let numbers = Rc::new(numbers);
                        self.lists.push((file.to_owned(), Rc::clone(&numbers)));
                        return Ok(Some((numbers, None)));
                    }
                    bits => {
                        contents.data = bits;
                        self.free = self.free.saturating_sub(contents.n_bytes);
                        self.waiting.push((file.to_owned(), Contents::Read(contents)));
                        return Ok(None);
                    }
                }
            }
        };
        if graph.weighted {
            graph.wants_weights()?;
        }
        let scale = self.scale_of(file).filter(|_| graph.weighted);
        let weights = scale.map_or(Meaning::Number, Meaning::Scaled);
        Ok(Some((Rc::new(arcs(&graph, weights)), Some(graph))))
    }

    /// Returns the table of records of a parameter, if its file has records.
    pub(super) fn records(
        &mut self,
        param: &Param,
        file: &str,
        widths: &FieldWidths,
        wish: TableWish,
        is_kept: bool,
    ) -> Result<Option<FileValue>, FileError> {
        match self.records_of(param, file, widths, wish, is_kept) {
            Err(error) if self.needs_whole(file, &error) => {
                self.records_of(param, file, widths, wish, is_kept)
            }
            records => records,
        }
    }

    fn records_of(
        &mut self,
        param: &Param,
        file: &str,
        widths: &FieldWidths,
        wish: TableWish,
        is_kept: bool,
    ) -> Result<Option<FileValue>, FileError> {
        if let Some(array) = param.fields.iter().find(|field| field.is_array && list_format(file)) {
            let (name, of) = (text::one_line(&array.name), &param.name);
            let message = format!("field `{name}` of `{of}` is an array, which has no column");
            let shown = text::one_line(file);
            return Err(FileError::new(Code::NoSuchLayout, file, message)
                .help(format!("`{of}=records:{shown}` takes all columns in their order")));
        }
        if !param.has_columns() {
            return Ok(None);
        }
        let Some((numbers, graph)) = self.columns(param, file)? else { return Ok(None) };
        let place = self.places.get(file).cloned();
        let wish = if place.is_some() { TableWish::default() } else { wish };
        let (mut columns, mut stored_columns, mut bits) = (Vec::new(), Vec::new(), Vec::new());
        for field in &param.fields {
            let found = column(field, &numbers, file)?;
            let width = field.width.value(|name| widths.get(name).copied());
            let Some(width) = width else {
                let name = text::one_line(&field.name);
                let message = format!("the width of field `{name}` is unknown");
                return Err(FileError::new(Code::WidthTooSmall, file, message)
                    .help("give the parameters of the record type their values"));
            };
            stored_columns.push(stored(field, found, width, file)?);
            columns.push(found.without_values());
            bits.push(width);
        }
        let n_records = numbers.shape.n_records();
        let selected = Numbers { shape: Shape::List(n_records), fields: stored_columns };
        let mut go_on = || self.reading.observer.stop().is_none();
        let mut options = LayoutOptions {
            by_rows: wish.by_rows(),
            go_on: Some(&mut go_on),
            ..LayoutOptions::new(file, self.free)
        };
        let laid_out =
            lay_out_numbers(&NumberLayout::Records, &selected, Some(&bits), &mut options)?;
        let value = Value::Table(laid_out.table);
        self.note(bytes_in(&selected).saturating_add(laid_out_bytes(&value)));
        let described = Numbers { shape: Shape::List(0), fields: columns };
        let range = 0..described.fields.len();
        let coded = ParamFields::new(&param.name, param.kind, file, &described, range, &bits);
        let coded = match &graph {
            Some(graph) => coded.with_vertices(graph, &ENDS),
            None => coded,
        };
        let list = list_of(param, &described.fields, bits);
        let rows = is_kept.then(|| {
            let of_file = match graph {
                Some(graph) => Rows::Arcs(graph, self.scale_of(file)),
                None => {
                    let numbers = Numbers::clone(&numbers);
                    Rows::Records { numbers, fields: 0..0, widths: Vec::new() }
                }
            };
            Rows::Typed { list: list.clone(), of_file: Some(Box::new(of_file)) }
        });
        let fields = Some(coded);
        let value =
            FileValue { value, left: None, rows, list: Some(list), offset: Some(0), fields };
        Ok(Some(match place {
            Some(place) => with_place(value, param.kind, &place),
            None => value,
        }))
    }
}

/// Returns the arcs of a graph as records, with these weights if it has any.
fn arcs(graph: &Graph, weights: Meaning) -> Numbers {
    let vertices = match &graph.names {
        Some(VertexNames::Texts(names)) => Meaning::Texts(names.clone()),
        Some(VertexNames::Numbers(_)) | None => Meaning::Number,
    };
    let field = |name: &str, meaning: &Meaning, number: fn(&star_io::Arc) -> i64| Field {
        meaning: meaning.clone(),
        ..Field::new(name, None, graph.arcs.iter().map(number).collect())
    };
    let mut fields = vec![
        field(ENDS[0], &vertices, |arc| i64::from(arc.tail) + 1),
        field(ENDS[1], &vertices, |arc| i64::from(arc.head) + 1),
    ];
    fields.extend(graph.weighted.then(|| field("weight", &weights, |arc| arc.weight)));
    Numbers { shape: Shape::List(graph.n_edges()), fields }
}

/// Returns whether the fields of a file of this name are separated by tabs. As a graph it is a list
/// of edges, and as records a list.
fn has_tabs(file: &str) -> bool {
    let (_, name) = Packing::of_path(file);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.eq_ignore_ascii_case("tsv")
}

/// Returns the column of a file that has the name of a field.
fn column<'n>(
    field: &RecordField,
    numbers: &'n Numbers,
    file: &str,
) -> Result<&'n Field, FileError> {
    let refused = |message: String| FileError::new(Code::NoSuchLayout, file, message);
    let name = text::one_line(&field.name);
    let names = || numbers.fields.iter().map(|column| column.name.as_str());
    let Some(found) = numbers.fields.iter().find(|column| column.name == field.name) else {
        let quoted = names().map(|name| format!("`{}`", text::one_line(name)));
        let has = text::listed(quoted.collect::<Vec<_>>().into_iter(), MAX_LISTED);
        let error = refused(format!("there is no column `{name}`")).note(format!("it has {has}"));
        let column =
            did_you_mean(&field.name, names()).map_or_else(|| "NAME".into(), text::one_line);
        let help =
            format!("a string after the name of a field is its column: `{name} \"{column}\"`");
        return Err(error.help(help));
    };
    match found.n_missing() {
        0 => Ok(found),
        n_missing => {
            let n = found.n_values();
            let message = format!("{n_missing} of {n} numbers of column `{name}` are missing");
            Err(refused(message).note("a field has no number that means a missing one"))
        }
    }
}

/// Returns the number of bits that the numbers of a column need in a field, at least 1.
fn least_width(field: &RecordField, column: &Field) -> i64 {
    if let Meaning::Texts(texts) = &column.meaning {
        return texts.width() as i64; // that of words with codes of its texts
    }
    let bits = |number: i64| i64::from(64 - (number ^ (number >> 63)).leading_zeros());
    let sign = i64::from(field.kind == FieldKind::Int);
    let ends = column.range().map(|(least, greatest)| [least, greatest]);
    let least = ends.into_iter().flatten().map(|number| bits(number) + sign).max().unwrap_or(0);
    least.max(column.bits.map_or(1, |bits| bits as i64)).max(1)
}

/// Returns the numbers of a column as they are stored in a field of this width.
fn stored(
    field: &RecordField,
    column: &Field,
    width: usize,
    file: &str,
) -> Result<Field, FileError> {
    let most = |bits: usize| 1_i128 << bits.min(64);
    let (least, end) = match field.kind {
        FieldKind::Int if width > 0 => (-most(width - 1), most(width - 1)),
        FieldKind::Int | FieldKind::Uint | FieldKind::Bits | FieldKind::Bit => (0, most(width)),
    };
    let name = text::one_line(&field.name);
    let beyond = column.values.iter().position(|number| {
        let number = i128::from(*number);
        number < least || number >= end
    });
    if let Some(row) = beyond {
        let shown = column.meaning.text(column.values[row]);
        let columns = text::count(width, "column");
        let message = format!("{shown} in record {} does not fit in field `{name}`", row + 1);
        let error = FileError::new(Code::WidthTooSmall, file, message);
        if column.values[row] < 0 && field.kind != FieldKind::Int {
            return Err(error
                .note("it is negative, and the field has no sign")
                .help("`int(k)` is the kind of fields with negative numbers"));
        }
        let needed = least_width(field, column);
        let error = error.note(format!("the field has {columns}, and the file needs {needed}"));
        return Err(match field.width.parameter() {
            Some(parameter) => {
                error.help(format!("leave out `{parameter}=`, or use `{parameter}={needed}`"))
            }
            None => error,
        });
    }
    let (smallest, greatest) = column.range().unwrap_or((0, 0));
    if i128::from(smallest) < least || i128::from(greatest) >= end {
        // The record of another process, which the reader of the whole file names.
        let message = format!("a number does not fit in field `{name}`");
        return Err(FileError::new(Code::WidthTooSmall, file, message));
    }
    if width >= 63 && smallest < 0 {
        let message = format!("the negative numbers of column `{name}` need a narrower field");
        return Err(FileError::new(Code::WidthTooSmall, file, message)
            .note("a field with a sign from a file has at most 62 columns"));
    }
    let mask = if width >= 63 { -1 } else { (1_i64 << width) - 1 };
    let values = column.values.iter().map(|number| number & mask).collect();
    Ok(Field::new(column.name.clone(), Some(width), values))
}
