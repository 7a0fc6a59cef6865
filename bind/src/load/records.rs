//! Tables of records from files: each field is the column of the file that has its name.

use std::collections::BTreeMap;
use std::rc::Rc;

use star_base::record::{FieldKind, RecordField};
use star_base::{Code, text};
use star_io::{
    Data, Field, FileError, Graph, LayoutOptions, NumberLayout, Numbers, Shape, lay_out_numbers,
};
use star_value::{TableWish, Value};

use super::{FileValue, Loader, read};
use crate::arg_value::ArgValue;
use crate::binding::Origin;
use crate::bytes::{bytes_in, laid_out_bytes};
use crate::data::Expected;
use crate::param::{Param, Signature};

/// The values of integer parameters that are widths of fields.
pub(super) type FieldWidths = BTreeMap<String, i64>;

/// Returns whether the parameter takes columns by their names. Elements of arrays have none.
fn takes_columns(param: &Param) -> bool {
    !param.fields.is_empty() && !param.fields.iter().any(|field| field.is_array)
}

/// Returns the file that gives a parameter its records.
fn file_of<'o>(param: &Param, origin: &'o Origin) -> Option<&'o str> {
    match origin {
        Origin::Argument(ArgValue::File { layout: None, path }) if takes_columns(param) => {
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
            let Some(numbers) = self.list_of(file)? else { continue };
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

    /// Returns the records of a file; `None` if it has none, and holds bits instead.
    fn list_of(&mut self, file: &str) -> Result<Option<Rc<Numbers>>, FileError> {
        if let Some((_, numbers)) = self.lists.iter().find(|(known, _)| known == file) {
            return Ok(Some(Rc::clone(numbers)));
        }
        let graph = match self.known_graph(file) {
            Some(graph) => graph,
            None => {
                let contents = read(self.reading, file, self.free, Expected::default())?;
                self.note_scale(file, contents.scale);
                self.note(contents.n_bytes);
                match contents.data {
                    Data::Graph(graph) => self.keep(file, graph),
                    Data::Numbers(numbers) => {
                        self.free = self.free.saturating_sub(bytes_in(&numbers));
                        let numbers = Rc::new(numbers);
                        self.lists.push((file.to_owned(), Rc::clone(&numbers)));
                        return Ok(Some(numbers));
                    }
                    Data::Table(_) | Data::Slice(_) | Data::Word(_) => return Ok(None),
                }
            }
        };
        graph.wants_weights().or_else(|error| if graph.weighted { Err(error) } else { Ok(()) })?;
        Ok(Some(Rc::new(arcs(&graph))))
    }

    /// Returns the table of records of a parameter, if its file has records.
    pub(super) fn records(
        &mut self,
        param: &Param,
        file: &str,
        widths: &FieldWidths,
        wish: TableWish,
    ) -> Result<Option<FileValue>, FileError> {
        if !takes_columns(param) {
            return Ok(None);
        }
        let Some(numbers) = self.list_of(file)? else { return Ok(None) };
        let (mut columns, mut bits) = (Vec::new(), Vec::new());
        for field in &param.fields {
            let found = column(field, &numbers, file)?;
            let width = field.width.value(|name| widths.get(name).copied());
            let Some(width) = width else {
                let message = format!("the width of field `{}` is unknown", field.name);
                return Err(FileError::new(Code::WidthTooSmall, file, message)
                    .help("give the parameters of the record type their values"));
            };
            columns.push(stored(field, found, width, file)?);
            bits.push(width);
        }
        let selected = Numbers { shape: Shape::List(numbers.shape.n_records()), fields: columns };
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
        Ok(Some(FileValue::new(value, None, 0)))
    }
}

/// Returns the arcs of a graph as records.
fn arcs(graph: &Graph) -> Numbers {
    let field = |name: &str, number: fn(&star_io::Arc) -> i64| {
        Field::new(name, None, graph.arcs.iter().map(number).collect())
    };
    let fields = vec![
        field("tail", |arc| i64::from(arc.tail) + 1),
        field("head", |arc| i64::from(arc.head) + 1),
        field("weight", |arc| arc.weight),
    ];
    Numbers { shape: Shape::List(graph.n_edges()), fields }
}

/// Returns the column of a file that has the name of a field.
fn column<'n>(
    field: &RecordField,
    numbers: &'n Numbers,
    file: &str,
) -> Result<&'n Field, FileError> {
    let refused = |message: String| FileError::new(Code::NoSuchLayout, file, message);
    let name = text::one_line(&field.name);
    let mut columns = numbers.fields.iter();
    let Some(found) = columns.find(|column| column.name == field.name) else {
        let names =
            numbers.fields.iter().map(|column| format!("`{}`", text::one_line(&column.name)));
        let has = text::listed(names, MAX_LISTED);
        return Err(refused(format!("there is no column `{name}`"))
            .note(format!("it has {has}"))
            .help(
                "write the name of the column after that of the field: `w \"weight\": uint(h)`",
            ));
    };
    let is_missing = |number: &&i64| Some(**number) == found.nodata;
    match found.values.iter().filter(is_missing).count() {
        0 => Ok(found),
        n_missing => {
            let n = found.values.len();
            Err(refused(format!("{n_missing} of {n} numbers of column `{name}` are missing")))
        }
    }
}

/// The number of columns that a message lists.
const MAX_LISTED: usize = 20;

/// Returns the number of bits that the numbers of a column need in a field.
fn least_width(field: &RecordField, column: &Field) -> i64 {
    let bits = |number: i64| i64::from(64 - (number ^ (number >> 63)).leading_zeros());
    let sign = i64::from(field.kind == FieldKind::Int);
    let least = column.values.iter().map(|number| bits(*number) + sign).max().unwrap_or(0);
    least.max(column.bits.map_or(0, |bits| bits as i64))
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
    let beyond = column.values.iter().position(|number| {
        let number = i128::from(*number);
        number < least || number >= end
    });
    if let Some(row) = beyond {
        let name = text::one_line(&field.name);
        let number = column.meaning.text(column.values[row]);
        let columns = text::count(width, "column");
        let message = format!("{number} does not fit in field `{name}` of {columns}");
        return Err(FileError::new(Code::WidthTooSmall, file, message)
            .note(format!("it is in record {}", row + 1)));
    }
    let mask = if width >= 63 { -1 } else { (1_i64 << width) - 1 };
    if width >= 63 && column.values.iter().any(|number| *number < 0) {
        let name = text::one_line(&field.name);
        let message = format!("the negative numbers of column `{name}` need a narrower field");
        return Err(FileError::new(Code::WidthTooSmall, file, message)
            .note("a field with a sign from a file has at most 62 columns"));
    }
    let values = column.values.iter().map(|number| number & mask).collect();
    Ok(Field::new(column.name.clone(), Some(width), values))
}
