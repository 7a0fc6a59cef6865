//! Conversion of batches of typed columns to the fields of a list.

use std::fmt::Display;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use star_base::Code;

use super::cells::{cells, is_float, is_text, meaning};
use crate::data::Data;
use crate::error::{Fault, FileError};
use crate::format::csv::FIELD_BYTES;
use crate::format::csv::column::{Cause, Cells, Column, Refused};
use crate::format::list::List;
use crate::format::{ReadResult, ReaderNotes};
use crate::growing::{Growing, OutOfBudget};
use crate::meaning::Meaning;
use crate::numbers::{Field, Numbers, Shape};
use crate::panics;
use crate::scaling::advice;
use crate::source::Source;
use crate::text;
use crate::whole::NAN_IS_MISSING;

/// Reads a whole file that begins with `magic`.
pub(super) fn open(source: &mut Source, magic: &[u8], format: &str) -> Result<Vec<u8>, Fault> {
    let bytes = source.read_all(&[magic])?;
    if bytes.starts_with(magic) {
        return Ok(bytes);
    }
    let code = if magic.starts_with(&bytes) { Code::Truncated } else { Code::BadFormat };
    Err(source.fault(code, format!("the file does not begin like {format}")))
}

/// The error for a file that cannot be decoded.
pub(super) fn damaged(source: &Source, format: &str, error: &dyn Display) -> Fault {
    let reason: String = error.to_string().escape_debug().collect();
    source.fault(Code::BadFormat, format!("cannot read the {format} file: {reason}"))
}

/// Calls a decoder and catches its panics: third-party decoders panic on some damaged files.
pub(super) fn guarded<T>(
    source: &mut Source,
    format: &str,
    read: impl FnOnce(&mut Source) -> Result<T, Fault>,
) -> Result<T, Fault> {
    match panics::caught(|| read(source)) {
        Some(read) => read,
        None => Err(damaged(source, format, &"a page or a dictionary is damaged")),
    }
}

/// Rows of a column between two checks for interruption.
const POLL_ROWS: usize = 1 << 16;

/// Reads all batches. `n_file_bytes` of the budget are already in use.
pub(super) fn gather(
    source: &mut Source,
    format: &str,
    n_file_bytes: u64,
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<ReadResult, Fault> {
    let mut fields = Fields::new(source, n_file_bytes, schema)?;
    for batch in batches {
        fields.add(source, &batch.map_err(|error| damaged(source, format, &error))?)?;
    }
    let list = fields.finish(source)?;
    let (warnings, _) = list.remarks();
    let shape = Shape::List(list.n_records);
    let numbers = Numbers { shape, fields: list.into_fields()? };
    Ok((Data::Numbers(numbers), ReaderNotes::from(warnings)))
}

/// The fields of typed columns during reading.
pub(super) struct Fields<'r> {
    /// Bytes of the budget that are already in use.
    n_file_bytes: u64,
    list: List,
    cells: Cells<'r>,
    unknown_name: Option<String>,
}

impl<'r> Fields<'r> {
    /// Creates the fields of a schema without records. `n_file_bytes` of the budget are in use.
    pub(super) fn new<'o: 'r>(
        source: &Source<'r, 'o>,
        n_file_bytes: u64,
        schema: &Schema,
    ) -> Result<Self, Fault> {
        let (scaling, rules) = (source.scaling(), source.field_rules());
        let may_miss = source.nan_is_missing();
        let budget = source.budget().rest(n_file_bytes);
        let n_fields = schema.fields().len();
        let n_bytes = n_fields as u128 * u128::from(FIELD_BYTES);
        if !budget.allows(n_bytes) {
            return Err(source.out_of_memory(n_bytes + u128::from(n_file_bytes)));
        }
        let mut columns = Vec::with_capacity(n_fields);
        for field in schema.fields() {
            let name = field.name();
            let is_text = is_text(field.data_type()) || rules.texts.contains(name);
            let mut scales = rules.scales.iter();
            let scale = scales.find(|(scaled, _)| scaled == name).map(|(_, scale)| *scale);
            let values = Growing::new(&budget, record_bytes(n_fields));
            let field = Field::new(name.as_str(), None, Vec::new());
            columns.push(Column::new(field, is_text, scale, values));
        }
        let names: Vec<&str> = columns.iter().map(Column::name).collect();
        let unknown_name = rules.unknown_name(&names);
        let cells = Cells { scaling, empty: rules.empty, has_commas: false, may_miss };
        let (sorted, file) = (rules.sorted, source.file().to_owned());
        let (n_records, form, warnings) = (0, None, Vec::new());
        let list = List { columns, n_records, form, warnings, sorted, file, budget };
        Ok(Fields { n_file_bytes, list, cells, unknown_name })
    }

    /// Determines the kinds of all fields from their types. Otherwise the first cells do, with the
    /// same result; a field of nulls only holds texts then.
    pub(super) fn declare(&mut self, source: &Source, schema: &Schema) -> Result<(), Fault> {
        for (column, field) in self.list.columns.iter_mut().zip(schema.fields()) {
            if column.is_known() {
                continue;
            }
            let Some(meaning) = meaning(field.data_type()) else {
                let name = text::quote(column.name().as_bytes());
                let message = format!("the type of field {name} does not determine its kind");
                return Err(source.fault(Code::BadFormat, message));
            };
            column.declare(meaning, &self.cells);
        }
        Ok(())
    }

    /// Appends the records of a batch.
    pub(super) fn add(
        &mut self,
        source: &mut Source<'r, '_>,
        batch: &RecordBatch,
    ) -> Result<(), Fault> {
        let Fields { n_file_bytes, list, cells: rules, unknown_name, .. } = self;
        let n_file_bytes = u128::from(*n_file_bytes);
        let too_large =
            |source: &Source, n_bytes: u128| source.out_of_memory(n_bytes + n_file_bytes);
        let mut text_bytes = 0;
        for (column, array) in list.columns.iter_mut().zip(batch.columns()) {
            let Some(cells) = cells(array) else {
                let name = text::quote(column.name().as_bytes());
                let message =
                    format!("field {name} holds {}, not numbers or texts", array.data_type());
                let fault = source.fault(Code::BadFormat, message);
                return Err(Box::new(fault.help("omit this field when writing the file")));
            };
            let is_number =
                is_float(array.data_type()) && !matches!(column.meaning(), Meaning::Texts(_));
            for row in 0..batch.num_rows() {
                if row % POLL_ROWS == 0 {
                    source.go_on()?;
                }
                let place = Place { source, record: list.n_records + row + 1 };
                let cell = cells(row);
                let missing = || place.wrong(None, Cause::Empty, "", rules);
                let pushed = match is_number {
                    true => column.push_number(cell.as_bytes(), rules, missing),
                    false => column.push(cell.as_bytes(), rules, missing),
                };
                pushed.map_err(|refused| match refused {
                    Refused::Wrong(cause) => {
                        let fault = place.wrong(Some(column), cause, &cell, rules);
                        match unknown_name {
                            Some(note) => Box::new(fault.note(note.as_str())),
                            None => fault,
                        }
                    }
                    Refused::Memory(OutOfBudget(n_bytes)) => too_large(source, n_bytes),
                    Refused::Before(fault) => fault,
                })?;
            }
            text_bytes += u128::from(column.text_bytes());
        }
        list.n_records += batch.num_rows();
        let record_bytes = u128::from(record_bytes(list.columns.len()));
        let n_bytes = text_bytes + list.n_records as u128 * record_bytes;
        match list.budget.allows(n_bytes) {
            true => Ok(()),
            false => Err(too_large(source, n_bytes)),
        }
    }

    /// Returns the name of the first field whose kind is unknown.
    pub(super) fn unknown(&self) -> Option<&str> {
        self.list.columns.iter().find(|column| !column.is_known()).map(Column::name)
    }

    /// Returns the records.
    pub(super) fn finish(self, source: &Source) -> Result<List, Fault> {
        let Fields { n_file_bytes, mut list, cells, .. } = self;
        let record = list.n_records;
        for column in &mut list.columns {
            column.settle(&cells).map_err(|refused| match refused {
                Refused::Wrong(cause) => {
                    Place { source, record }.wrong(Some(column), cause, "", &cells)
                }
                Refused::Memory(OutOfBudget(n_bytes)) => {
                    source.out_of_memory(n_bytes + u128::from(n_file_bytes))
                }
                Refused::Before(fault) => fault,
            })?;
        }
        Ok(list)
    }
}

/// Memory of a record of this number of fields.
fn record_bytes(n_fields: usize) -> u64 {
    n_fields.max(1) as u64 * size_of::<i64>() as u64
}

/// The number of a record, from 1: these files have no lines.
#[derive(Clone, Copy)]
struct Place<'a, 'r, 'o> {
    source: &'a Source<'r, 'o>,
    record: usize,
}

impl Place<'_, '_, '_> {
    /// The error for a cell that does not have the kind of its column, or is not a number if the
    /// column is unknown.
    fn wrong(self, column: Option<&Column>, cause: Cause, cell: &str, cells: &Cells<'_>) -> Fault {
        let meaning = column.map_or(&Meaning::Number, Column::meaning);
        let kind = meaning.describe();
        let field = column.map_or_else(String::new, |column| {
            format!(", field {}", text::quote(column.name().as_bytes()))
        });
        let number = cells.decimal(cell.as_bytes());
        let what = match (cause, cells.empty) {
            (Cause::Empty, None) => "an empty field".to_owned(),
            (Cause::Empty, Some(empty)) => {
                format!("{}, for an empty field,", text::quote(empty.as_bytes()))
            }
            (Cause::Cell | Cause::Encoding, _) => text::quote(cell.as_bytes()),
        };
        let message = format!("record {}{field}: {what} is not {kind}", self.record);
        let fault: FileError = *self.source.fault(Code::BadFormat, message);
        Box::new(match (cause, number) {
            (Cause::Empty, _) => {
                fault.help(format!("`empty={}` sets the value of empty fields", meaning.example()))
            }
            (Cause::Cell | Cause::Encoding, Some(number)) => fault.help(advice(number)),
            (Cause::Cell, None) if cell == "NaN" => fault.help(NAN_IS_MISSING),
            (Cause::Cell | Cause::Encoding, None) => fault,
        })
    }
}
