//! The header of a CSV file: names of fields, and their widths.

use csv::ByteRecord;
use star_base::Code;

use super::{Faults, is_number};
use crate::error::Fault;
use crate::numbers::{Field, MAX_BITS};
use crate::text;

/// The header of these fields. A colon at the end of a name says that no width follows.
pub(super) fn header(fields: &[Field]) -> Vec<String> {
    let reads_as_data = fields.iter().all(|field| field.bits.is_none() && is_digits(&field.name));
    let names = fields.iter().enumerate().map(|(idx, field)| match field.bits {
        Some(bits) => format!("{}:{bits}", field.name),
        None if field.name.contains(':') || reads_as_data && idx == 0 => format!("{}:", field.name),
        None => field.name.clone(),
    });
    names.collect()
}

fn is_digits(name: &str) -> bool {
    is_number(name.trim().as_bytes())
}

pub(super) fn parse_header(record: &ByteRecord, faults: &Faults) -> Result<Vec<Field>, Fault> {
    let fields = record.iter().enumerate().map(|(idx, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        let (name, width) = match text.rsplit_once(':') {
            Some((name, "")) => (name, None),
            Some((name, digits)) if is_digits(digits) => (name, Some(digits.trim())),
            Some(_) | None => (text.as_ref(), None),
        };
        let bits = match width.map(str::parse::<usize>) {
            None => None,
            Some(Ok(bits)) if bits <= MAX_BITS => Some(bits),
            Some(_) => {
                let message = format!("{} has a width beyond {MAX_BITS} bits", text::quote(bytes));
                return Err(faults.in_record(record, idx, Code::OutOfRange, message));
            }
        };
        Ok(Field { name: name.to_owned(), bits, values: Vec::new() })
    });
    fields.collect()
}

pub(super) fn unnamed(n_fields: u64) -> Vec<Field> {
    let names = 1..=n_fields;
    names.map(|name| Field { name: name.to_string(), bits: None, values: Vec::new() }).collect()
}
