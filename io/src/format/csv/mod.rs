//! CSV of unsigned integers: one record a line, numbers separated by commas, in quotes or not. With a
//! scale the numbers may have fractions.
//!
//! If every field of the first record is a name, it is a header; behind a name may stand the width of its
//! field in bits, as in `speed:8`. Without a header the fields are called `1`, `2` and so on.

mod header;
mod pipe;
mod places;
mod records;
mod write;

use star_base::Code;

use self::records::Records;
pub(crate) use self::write::write;
use super::{ReadResult, ReaderNotes};
use crate::data::Data;
use crate::decimal::Decimal;
use crate::error::Fault;
use crate::growing::{Growing, OutOfBudget};
use crate::numbers::{Numbers, Shape};
use crate::scaling::{Scaling, advice};
use crate::source::Source;
use crate::text;

/// Memory that a field takes beside its numbers, at least.
const FIELD_BYTES: u64 = 256;

/// Reads a list.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let (budget, scaling) = (source.budget().clone(), source.scaling());
    let mut records = Records::new(source);
    if !records.next()? {
        return Err(records.at(1, 1, Code::Truncated, "the file is empty"));
    }
    let n_fields = records.record().len() as u64;
    let n_bytes = u128::from(n_fields) * u128::from(FIELD_BYTES);
    if !budget.allows(n_bytes) {
        return Err(records.out_of_memory(n_bytes, budget.max_bytes()));
    }
    let is_header = header::is_header(records.record());
    let mut fields = match is_header {
        true => header::parse(&records)?,
        false => header::unnamed(n_fields),
    };
    let mut columns: Vec<Growing<i64>> = fields
        .iter()
        // All of them grow together.
        .map(|_| Growing::new(&budget, n_fields * size_of::<i64>() as u64))
        .collect();
    let mut more = if is_header { records.next()? } else { true };
    while more {
        for (idx, (cell, column)) in records.record().iter().zip(&mut columns).enumerate() {
            let number = match scaling {
                None => plain_number(cell),
                Some(scaling) => scaled_number(cell, scaling),
            };
            let number = number.ok_or_else(|| no_number(&records, idx, scaling))?;
            column.push(number).map_err(|OutOfBudget(n_bytes)| {
                records.out_of_memory(n_bytes, budget.max_bytes())
            })?;
        }
        more = records.next()?;
    }
    for (field, column) in fields.iter_mut().zip(columns) {
        field.values = column.into_vec();
    }
    let n_records = fields.first().map_or(0, |field| field.values.len());
    Ok((Data::Numbers(Numbers { shape: Shape::List(n_records), fields }), ReaderNotes::default()))
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn plain_number(cell: &[u8]) -> Option<i64> {
    let digits = std::str::from_utf8(cell).ok().filter(|text| is_digits(text.as_bytes()));
    digits?.parse().ok()
}

fn scaled_number(cell: &[u8], scaling: &Scaling) -> Option<i64> {
    let number = decimal(cell).filter(|number| !number.is_negative())?;
    scaling.decimal(number)
}

fn decimal(cell: &[u8]) -> Option<Decimal> {
    Decimal::parse(std::str::from_utf8(cell).ok()?)
}

/// The fault that field `idx` of the last record holds no number that is read.
fn no_number(records: &Records, idx: usize, scaling: Option<&Scaling>) -> Fault {
    let cell = records.record().get(idx).unwrap_or_default();
    let (number, quoted) = (decimal(cell), text::quote(cell));
    let kind = if scaling.is_some() { "a number" } else { "a whole number" };
    let (code, message) = match number {
        Some(number) if number.is_negative() => {
            let why = "is negative, and only unsigned integers are read";
            (Code::OutOfRange, format!("{quoted} {why}"))
        }
        Some(_) if scaling.is_some() => {
            (Code::OutOfRange, format!("{quoted} times the scale is beyond 63 bits"))
        }
        Some(_) if is_digits(cell) => (Code::OutOfRange, format!("{quoted} is beyond 63 bits")),
        Some(_) => (Code::BadFormat, format!("{quoted} is not a whole number")),
        None if cell.is_empty() => (Code::BadFormat, format!("an empty field is not {kind}")),
        None => (Code::BadFormat, format!("{quoted} is not {kind}")),
    };
    let mut error = *records.in_field(idx, code, message);
    if records.is_first() {
        error = error.note(
            "the first line names the fields only if none is empty or begins with a sign, digit or point; \
             a colon behind it makes a name of anything: `2nd:`",
        );
    }
    Box::new(match number {
        Some(number) if code == Code::BadFormat => error.help(advice(number)),
        None if cell.iter().any(|byte| matches!(byte, b';' | b'\t' | b' ')) => {
            error.help("commas separate the fields of a CSV file")
        }
        Some(_) | None => error,
    })
}
