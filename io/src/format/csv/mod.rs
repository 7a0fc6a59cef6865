//! CSV of unsigned integers: one record a line, numbers separated by commas, in quotes or not.
//!
//! If the first record holds anything but numbers, it is a header with the names of the fields; behind a
//! name may stand the width of its field in bits, as in `speed:8`. Without a header the fields are
//! called `1`, `2` and so on.

mod header;
mod pipe;
mod write;

use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, ReaderBuilder, Trim};
use star_base::Code;

use self::header::{parse_header, unnamed};
use self::pipe::Pipe;
pub(crate) use self::write::write;
use super::{Found, Told};
use crate::data::Data;
use crate::error::{Fault, FileError};
use crate::growing::{Growing, NoRoom};
use crate::numbers::{Numbers, Shape};
use crate::source::{CHUNK, Source};
use crate::text;

/// Memory that a field takes beside its numbers, at least.
const FIELD_BYTES: u64 = 256;

/// Reads a list.
pub(crate) fn read(source: Source) -> Result<Found, Fault> {
    let (file, max_bytes) = (source.file().to_owned(), source.max_bytes());
    let pipe = Pipe::new(source);
    let (fault, n_pending) = (Rc::clone(&pipe.fault), Rc::clone(&pipe.n_pending));
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .trim(Trim::All)
        .buffer_capacity(CHUNK)
        .from_reader(pipe);
    let faults = Faults { file };
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| {
        n_pending.set(0);
        match reader.read_byte_record(record) {
            Ok(found) => Ok(found),
            Err(error) => Err(match fault.borrow_mut().take() {
                Some(fault) => fault,
                None => faults.of(&error),
            }),
        }
    };
    if !next(&mut record)? {
        return Err(faults.at(1, 1, Code::Truncated, "the file is empty"));
    }
    let n_fields = record.len() as u64;
    if n_fields.saturating_mul(FIELD_BYTES) > max_bytes {
        let n_bytes = u128::from(n_fields) * u128::from(FIELD_BYTES);
        return Err(crate::source::no_room(&faults.file, n_bytes, max_bytes));
    }
    let is_header = !record.iter().all(is_number);
    let mut fields = if is_header { parse_header(&record, &faults)? } else { unnamed(n_fields) };
    let mut columns: Vec<Growing<i64>> = fields
        .iter()
        .map(|_| Growing::new(max_bytes / n_fields.max(1), size_of::<i64>() as u64))
        .collect();
    let mut more = if is_header { next(&mut record)? } else { true };
    while more {
        for (idx, (text, column)) in record.iter().zip(&mut columns).enumerate() {
            let number = parse_number(text).map_err(|(code, what)| {
                let message = format!("{} {what}", text::quote(text));
                faults.in_record(&record, idx, code, message)
            })?;
            column.push(number).map_err(|NoRoom(n_bytes)| {
                let n_bytes = n_bytes.saturating_mul(u128::from(n_fields));
                crate::source::no_room(&faults.file, n_bytes, max_bytes)
            })?;
        }
        more = next(&mut record)?;
    }
    for (field, column) in fields.iter_mut().zip(columns) {
        field.values = column.into_vec();
    }
    let n_records = fields.first().map_or(0, |field| field.values.len());
    Ok((Data::Numbers(Numbers { shape: Shape::List(n_records), fields }), Told::default()))
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The number, or what is wrong with it.
fn parse_number(text: &[u8]) -> Result<i64, (Code, &'static str)> {
    let digits = std::str::from_utf8(text).ok().filter(|text| is_number(text.as_bytes()));
    match digits.map(str::parse) {
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) => Err((Code::OutOfRange, "is beyond 63 bits")),
        None if text.starts_with(b"-") && is_number(&text[1..]) => {
            Err((Code::OutOfRange, "is negative, and only unsigned integers are read"))
        }
        None => Err((Code::BadFormat, "is not a whole number")),
    }
}

/// The wording of faults.
struct Faults {
    file: String,
}

impl Faults {
    fn at(&self, line: u64, column: u64, code: Code, message: impl Into<String>) -> Fault {
        Box::new(FileError::new(code, self.file.as_str(), message).at(line, column))
    }

    /// A fault in field `idx` of a record, from 0; the column is exact as long as nothing in front of it
    /// is quoted or trimmed.
    fn in_record(&self, record: &ByteRecord, idx: usize, code: Code, message: String) -> Fault {
        let line = record.position().map_or(1, csv::Position::line);
        let before: usize = record.iter().take(idx).map(|field| field.len() + 1).sum();
        self.at(line, before as u64 + 1, code, message)
    }

    fn of(&self, error: &csv::Error) -> Fault {
        match error.kind() {
            ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let line = pos.as_ref().map_or(1, csv::Position::line);
                let message =
                    format!("{} in a line, {expected_len} before", text::count(*len, "field"));
                self.at(line, 1, Code::BadFormat, message)
            }
            _ => Box::new(FileError::new(Code::BadFormat, self.file.as_str(), error.to_string())),
        }
    }
}
