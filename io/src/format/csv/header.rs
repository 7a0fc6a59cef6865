//! The header of a CSV file: names of fields, their widths, and text declarations.

use csv::ByteRecord;
use star_base::Code;

use super::column::{Column, is_digits};
use super::pipe::END;
use super::records::Records;
use crate::error::Fault;
use crate::format::states_separator;
use crate::meaning::{Meaning, Texts};
use crate::numbers::{Field, MAX_BITS};
use crate::text;

/// The suffix that declares a text field.
const TEXT: &str = "text";

/// Returns whether every field of the record is a name. Blanks around a name, also in quotes, are
/// not part of it. A name that looks like a number, or like a malformed number, needs a colon after
/// it. A time is no name with a width.
pub(super) fn is_header(record: &ByteRecord) -> bool {
    record.iter().all(is_name)
}

/// Returns whether a record has names, but is no header because of its other fields: it may be one
/// with names such as years.
pub(super) fn may_be_header(record: &ByteRecord) -> bool {
    let mut names = record.iter().filter(|cell| is_name(cell));
    names.next().is_some() && !is_header(record)
}

/// Returns whether a record would be a header if its last name were not empty, as after a comma at
/// the end of the line.
pub(super) fn lacks_last_name(record: &ByteRecord) -> bool {
    let n_names = record.len().saturating_sub(1);
    let is_empty = record.get(n_names).is_some_and(|cell| cell.trim_ascii().is_empty());
    n_names > 0 && is_empty && record.iter().take(n_names).all(is_name)
}

/// Returns whether a record is `sep=;`, of which the separator may have split two fields.
pub(super) fn is_for_excel(record: &ByteRecord) -> bool {
    let (first, rest) = (record.get(0).unwrap_or_default(), record.iter().skip(1));
    states_separator(first) && rest.map(<[u8]>::len).sum::<usize>() == 0 && record.len() <= 2
}

fn is_name(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    match split(&String::from_utf8_lossy(cell)) {
        (_, Suffix::Nothing) => !looks_like_data(cell),
        (_, Suffix::Colon | Suffix::Width(_) | Suffix::Text) => true,
    }
}

/// Parses the last record as a header.
pub(super) fn parse(records: &Records) -> Result<Vec<Column>, Fault> {
    let columns = records.record().iter().enumerate().map(|(idx, cell)| {
        let text = std::str::from_utf8(cell.trim_ascii()).map_err(|_| {
            let message = format!("{} is not UTF-8", text::quote(cell));
            records.in_field(idx, Code::BadFormat, message)
        })?;
        let (name, suffix) = split(text);
        let bits = match suffix {
            Suffix::Nothing | Suffix::Colon | Suffix::Text => None,
            Suffix::Width(digits) => match digits.parse::<usize>() {
                Ok(bits) if bits <= MAX_BITS => Some(bits),
                Ok(_) | Err(_) => {
                    let message = format!("{} is wider than {MAX_BITS} bits", text::quote(cell));
                    return Err(records.in_field(idx, Code::OutOfRange, message));
                }
            },
        };
        let is_text = matches!(suffix, Suffix::Text);
        Ok(records.column(Field::new(name, bits, Vec::new()), is_text))
    });
    columns.collect()
}

/// Creates the fields of a file without a header.
pub(super) fn unnamed(records: &Records) -> Vec<Column> {
    let names = 1..=records.record().len();
    let columns = names.map(|name| Field::new(name.to_string(), None, Vec::new()));
    columns.map(|field| records.column(field, false)).collect()
}

/// Creates the header for these fields. Names from other formats may contain zero bytes, which are
/// not valid in a text.
pub(super) fn of_fields(fields: &[Field]) -> Vec<String> {
    let names = fields.iter().map(|field| match field {
        Field { name, meaning: Meaning::Texts(texts), values, .. }
            if !looks_like_text(texts, values) =>
        {
            format!("{name}:{TEXT}")
        }
        Field { name, bits: Some(bits), .. } if !matches!(field.meaning, Meaning::Texts(_)) => {
            let header = format!("{name}:{bits}");
            match Meaning::of_moment(header.trim()) {
                Some(_) => format!("{name}:0{bits}"),
                None => header,
            }
        }
        Field { name, .. } if name.contains(':') || is_unclear(name.as_bytes().trim_ascii()) => {
            format!("{name}:")
        }
        Field { name, .. } => name.clone(),
    });
    names.map(|name| name.replace('\0', "")).collect()
}

/// Returns whether a reader would infer a text field from the first text that is not blank. A code
/// without a text is written as a number.
fn looks_like_text(texts: &Texts, codes: &[i64]) -> bool {
    let mut texts = codes.iter().map(|&code| texts.text(code).unwrap_or("0").trim_ascii());
    texts.find(|text| !text.is_empty()).is_none_or(|text| !looks_like_data(text.as_bytes()))
}

/// Returns whether the name could be taken for data or for the end mark.
fn is_unclear(name: &[u8]) -> bool {
    looks_like_data(name) || name.ends_with(END)
}

/// The suffix of a field name.
enum Suffix<'a> {
    Nothing,
    /// A colon without a width.
    Colon,
    /// The digits of a width.
    Width(&'a str),
    /// The text declaration.
    Text,
}

fn split(cell: &str) -> (&str, Suffix<'_>) {
    match cell.rsplit_once(':') {
        Some(_) if Meaning::of_moment(cell).is_some() => (cell, Suffix::Nothing),
        Some((name, "")) => (name, Suffix::Colon),
        Some((name, TEXT)) => (name, Suffix::Text),
        Some((name, digits)) if is_digits(digits.trim().as_bytes()) => {
            (name, Suffix::Width(digits.trim()))
        }
        Some(_) | None => (cell, Suffix::Nothing),
    }
}

/// Returns whether the name is empty or begins like a number, date or time.
pub(super) fn looks_like_data(name: &[u8]) -> bool {
    let begins_like_a_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.');
    name.first().is_none_or(begins_like_a_number)
}
