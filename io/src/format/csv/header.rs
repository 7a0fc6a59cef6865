//! The header of a CSV file: names of fields, and their widths.

use csv::ByteRecord;
use star_base::Code;

use super::is_digits;
use super::pipe::END;
use super::records::Records;
use crate::error::Fault;
use crate::numbers::{Field, MAX_BITS};
use crate::text;

/// Is every field of the record a name? One that looks like a number, or like a mistake in one, has a
/// colon behind it to be one.
pub(super) fn is_header(record: &ByteRecord) -> bool {
    record.iter().all(|cell| match split(&String::from_utf8_lossy(cell)) {
        (_, Behind::Nothing) => !looks_like_data(cell),
        (_, Behind::Colon | Behind::Width(_)) => true,
    })
}

/// The fields that the last record names.
pub(super) fn parse(records: &Records) -> Result<Vec<Field>, Fault> {
    let fields = records.record().iter().enumerate().map(|(idx, cell)| {
        let text = String::from_utf8_lossy(cell);
        let (name, behind) = split(&text);
        let bits = match behind {
            Behind::Nothing | Behind::Colon => None,
            Behind::Width(digits) => match digits.parse::<usize>() {
                Ok(bits) if bits <= MAX_BITS => Some(bits),
                Ok(_) | Err(_) => {
                    let message =
                        format!("{} has a width beyond {MAX_BITS} bits", text::quote(cell));
                    return Err(records.in_field(idx, Code::OutOfRange, message));
                }
            },
        };
        Ok(Field { name: name.to_owned(), bits, values: Vec::new() })
    });
    fields.collect()
}

/// The fields of a file without a header.
pub(super) fn unnamed(n_fields: u64) -> Vec<Field> {
    let names = 1..=n_fields;
    names.map(|name| Field { name: name.to_string(), bits: None, values: Vec::new() }).collect()
}

/// The header of these fields.
pub(super) fn of_fields(fields: &[Field]) -> Vec<String> {
    let names = fields.iter().map(|Field { name, bits, values: _ }| match bits {
        Some(bits) => format!("{name}:{bits}"),
        None if name.contains(':') || is_unclear(name.as_bytes().trim_ascii()) => {
            format!("{name}:")
        }
        None => name.clone(),
    });
    names.collect()
}

/// Would the name stand for data, or for the end of the file?
fn is_unclear(name: &[u8]) -> bool {
    looks_like_data(name) || name.ends_with(END)
}

/// What stands behind the name of a field.
enum Behind<'a> {
    Nothing,
    /// No width.
    Colon,
    /// The digits of one.
    Width(&'a str),
}

fn split(cell: &str) -> (&str, Behind<'_>) {
    match cell.rsplit_once(':') {
        Some((name, "")) => (name, Behind::Colon),
        Some((name, digits)) if is_digits(digits.trim().as_bytes()) => {
            (name, Behind::Width(digits.trim()))
        }
        Some(_) | None => (cell, Behind::Nothing),
    }
}

fn looks_like_data(name: &[u8]) -> bool {
    let begins_like_a_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.');
    name.first().is_none_or(begins_like_a_number)
        || name.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
}
