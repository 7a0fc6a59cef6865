//! Conversion of batches of typed columns to the fields of a list.

use std::fmt::Display;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use star_base::Code;

use super::cells::{cells, is_float, is_text};
use crate::data::Data;
use crate::error::{Fault, FileError};
use crate::format::csv::FIELD_BYTES;
use crate::format::csv::column::{Cause, Cells, Column, Refused};
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
    let (scaling, rules) = (source.scaling(), source.field_rules());
    let may_miss = source.nan_is_missing();
    let budget = source.budget().rest(n_file_bytes);
    let too_large =
        |source: &Source, n_bytes: u128| source.out_of_memory(n_bytes + u128::from(n_file_bytes));
    let n_fields = schema.fields().len() as u64;
    let n_bytes = u128::from(n_fields) * u128::from(FIELD_BYTES);
    if !budget.allows(n_bytes) {
        return Err(too_large(source, n_bytes));
    }
    let record_bytes = n_fields.max(1) * size_of::<i64>() as u64;
    let mut columns = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        let name = field.name();
        let is_text = is_text(field.data_type()) || rules.texts.contains(name);
        let scale = rules.scales.iter().find(|(scaled, _)| scaled == name).map(|(_, scale)| *scale);
        let values = Growing::new(&budget, record_bytes);
        let field = Field::new(name.as_str(), None, Vec::new());
        columns.push(Column::new(field, is_text, scale, values));
    }
    let names: Vec<&str> = columns.iter().map(Column::name).collect();
    let unknown_name = rules.unknown_name(&names);
    let rules_of_cells = Cells { scaling, empty: rules.empty, has_commas: false, may_miss };
    let mut n_records = 0;
    for batch in batches {
        let batch = batch.map_err(|error| damaged(source, format, &error))?;
        let mut text_bytes = 0;
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
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
                let (cell, place) = (cells(row), Place { source, record: n_records + row + 1 });
                let missing = || place.wrong(None, Cause::Empty, "", &rules_of_cells);
                let pushed = match is_number {
                    true => column.push_number(cell.as_bytes(), &rules_of_cells, missing),
                    false => column.push(cell.as_bytes(), &rules_of_cells, missing),
                };
                pushed.map_err(|refused| match refused {
                    Refused::Wrong(cause) => {
                        let fault = place.wrong(Some(column), cause, &cell, &rules_of_cells);
                        match &unknown_name {
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
        n_records += batch.num_rows();
        let n_bytes = text_bytes + n_records as u128 * u128::from(record_bytes);
        if !budget.allows(n_bytes) {
            return Err(too_large(source, n_bytes));
        }
    }
    for column in &mut columns {
        column.settle(&rules_of_cells).map_err(|refused| match refused {
            Refused::Wrong(cause) => {
                let place = Place { source, record: n_records };
                place.wrong(Some(column), cause, "", &rules_of_cells)
            }
            Refused::Memory(OutOfBudget(n_bytes)) => too_large(source, n_bytes),
            Refused::Before(fault) => fault,
        })?;
    }
    let warnings = columns.iter().filter_map(|column| {
        Some(format!("field {}: {}", text::quote(column.name().as_bytes()), column.warning()?))
    });
    let warnings: Vec<String> = warnings.collect();
    let fields = columns.into_iter().map(|column| column.finish(rules.sorted));
    let fields = fields.collect::<Result<_, OutOfBudget>>();
    let fields = fields.map_err(|OutOfBudget(n_bytes)| too_large(source, n_bytes))?;
    let numbers = Numbers { shape: Shape::List(n_records), fields };
    Ok((Data::Numbers(numbers), ReaderNotes::from(warnings)))
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
