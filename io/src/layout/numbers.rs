//! Layouts of numbers: records as rows, or cells of a grid in rows and columns. In every number
//! column 1 is the most significant bit.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use star_base::text::{MAX_LISTED, listed};
use star_base::{Code, did_you_mean};
use star_value::{BitTable, Table};

use super::fill::{fill_column, fill_numbers};
use super::poller::InterruptPoller;
use super::{LEAST_ROW, LayoutOptions, zeros};
use crate::error::FileError;
use crate::graph::bit_length;
use crate::meaning::{Meaning, Texts};
use crate::numbers::{Field, MAX_BITS, Numbers, Shape};
use crate::text;

/// A layout of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum NumberLayout {
    /// [`NumberLayout::Grid`] for a grid whose only field is 0 or 1 everywhere, otherwise
    /// [`NumberLayout::Records`].
    #[default]
    Natural,
    /// `records`: a row for each record, or for each cell of a grid row by row; the fields side by
    /// side.
    Records,
    /// `unsigned`: like [`NumberLayout::Records`], for numbers none of which is negative: the table
    /// holds the numbers of the file.
    Unsigned,
    /// `present`: a column with a one for each record, or cell of a grid row by row, in which no
    /// number is missing.
    Present,
    /// `grid`: a row for each row of a grid; the cells side by side, and within a cell its fields.
    Grid,
    /// `field:NAME`: like [`NumberLayout::Natural`] for one field; `NAME` may be its number, from
    /// 1.
    Field(String),
    /// `code:NAME=VALUE`: a word, the number of this value in the layout of a field. All ones for a
    /// text that no record has, unless the codes of texts are sorted.
    Code {
        /// The field by name or number.
        field: String,
        /// The text of the value in the file.
        value: String,
    },
    /// `codes:NAME=VALUE|VALUE|…`: a table with a row for the number of each of these values in the
    /// layout of a field, in ascending order and once. `VALUE*` is each text that begins with
    /// `VALUE`. Texts that no record has are left out.
    Codes {
        /// The field by name or number.
        field: String,
        /// The texts of the values in the file, between bars.
        values: String,
    },
}

impl NumberLayout {
    /// The names as written on the command line, with descriptions.
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        ("records", "a row for each record or cell, the fields side by side"),
        ("unsigned", "records, with an error if a number is negative"),
        ("present", "a slice: a one for each record or cell without a missing number"),
        ("grid", "a row for each row of a grid, its cells side by side"),
        ("field:NAME", "one field only: rows of a grid of zeros and ones, or records"),
        ("code:NAME=VALUE", "a word: the code of a value of a field in the table"),
        ("codes:NAME=VALUE", "a table: the codes of several values of a field"),
    ];

    /// Parses the name of a layout.
    pub fn parse(text: &str) -> Option<NumberLayout> {
        match text {
            "records" => Some(NumberLayout::Records),
            "unsigned" => Some(NumberLayout::Unsigned),
            "present" => Some(NumberLayout::Present),
            "grid" => Some(NumberLayout::Grid),
            _ => match text.split_once(':')? {
                ("field", name) if !name.is_empty() => Some(NumberLayout::Field(name.to_owned())),
                (layout @ ("code" | "codes"), value) => {
                    let (field, value) = value.split_once('=')?;
                    let (field, value) = (field.to_owned(), value.to_owned());
                    (!field.is_empty()).then_some(match layout {
                        "code" => NumberLayout::Code { field, value },
                        _ => NumberLayout::Codes { field, values: value },
                    })
                }
                _ => None,
            },
        }
    }
}

/// The name as written on the command line; empty for [`NumberLayout::Natural`].
impl fmt::Display for NumberLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumberLayout::Natural => Ok(()),
            NumberLayout::Records => f.write_str("records"),
            NumberLayout::Unsigned => f.write_str("unsigned"),
            NumberLayout::Present => f.write_str("present"),
            NumberLayout::Grid => f.write_str("grid"),
            NumberLayout::Field(name) => write!(f, "field:{name}"),
            NumberLayout::Code { field, value } => write!(f, "code:{field}={value}"),
            NumberLayout::Codes { field, values } => write!(f, "codes:{field}={values}"),
        }
    }
}

/// The result of laying out numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumbersLaidOut {
    /// The table, by rows if the options say so and its rows are sufficiently long.
    pub table: Table,
    /// The fields in the layout: name, and bits of every number; none in
    /// [`NumberLayout::Present`].
    pub fields: Vec<(String, usize)>,
    /// The range of these fields among all fields, from 0.
    pub chosen: Range<usize>,
    /// Remarks for the user; worded like errors.
    pub notes: Vec<String>,
}

/// Lays out numbers. `widths` are the bits of the selected fields, or of all fields, in order; by
/// default the widths of the file, or else the smallest sufficient widths. A field with negative
/// numbers is stored with its minimum as offset, and a note says so; other notes give the number of
/// missing values and the meaning of the numbers of a field. Needs only the memory of the result.
///
/// # Errors
/// [`Code::NoSuchLayout`] for an unknown field, a list where a grid is needed, or a wrong number of
/// widths; [`Code::WidthTooSmall`] if a number does not fit; [`Code::DoesNotFit`], before any
/// allocation, if the table exceeds `options.max_bytes` bytes; [`Code::OutOfRange`] if a field does
/// not have the length of the shape, or a number is negative in [`NumberLayout::Unsigned`];
/// [`Code::Interrupted`] if `options.go_on` returns `false`.
pub fn lay_out_numbers(
    layout: &NumberLayout,
    numbers: &Numbers,
    widths: Option<&[usize]>,
    options: &mut LayoutOptions<'_>,
) -> Result<NumbersLaidOut, FileError> {
    let file = options.file;
    numbers.check(file)?;
    if *layout == NumberLayout::Present {
        return present(numbers, options);
    }
    let chosen = chosen(layout, numbers, file)?;
    let fields = &numbers.fields[chosen.clone()];
    if *layout == NumberLayout::Unsigned {
        check_unsigned(fields, numbers.shape, file)?;
    }
    // A width for each field: select those of the chosen fields.
    let of_all = widths.filter(|widths| widths.len() == numbers.fields.len());
    let widths = of_all.map(|widths| &widths[chosen.clone()]).or(widths);
    let widths = field_widths(fields, numbers.shape, widths, file)?;
    if let ([field], [bits]) = (fields, &widths[..])
        && let Some((table, notes)) = match layout {
            NumberLayout::Code { value, .. } => Some(code(field, *bits, value, options)?),
            NumberLayout::Codes { values, .. } => Some(codes(field, *bits, values, options)?),
            _ => None,
        }
    {
        let fields = vec![(field.name.clone(), *bits)];
        return Ok(NumbersLaidOut { table: table.into(), fields, chosen, notes });
    }
    let is_mask = matches!(fields, [field] if field.is_bits()) && widths == [1];
    let (height, width) = match (layout, numbers.shape) {
        (NumberLayout::Grid, Shape::Grid { height, width }) => (height, width),
        (NumberLayout::Grid, Shape::List(_)) => {
            let message = "the layout `grid` needs a grid, and this is a list";
            let error = FileError::new(Code::NoSuchLayout, file, message);
            return Err(error.help("use `records`, or no layout"));
        }
        (NumberLayout::Natural | NumberLayout::Field(_), Shape::Grid { height, width })
            if is_mask =>
        {
            (height, width)
        }
        (
            NumberLayout::Natural
            | NumberLayout::Field(_)
            | NumberLayout::Records
            | NumberLayout::Unsigned
            | NumberLayout::Present
            | NumberLayout::Code { .. }
            | NumberLayout::Codes { .. },
            shape,
        ) => (shape.n_records(), 1),
    };
    let sum = widths.iter().map(|&bits| bits as u128).sum::<u128>();
    let n_cols = sum.saturating_mul(width as u128);
    let by_rows = options.by_rows && n_cols >= LEAST_ROW as u128;
    let mut table = zeros(height, n_cols, by_rows, options.max_bytes, file)?;
    let mut poller = InterruptPoller::new(options);
    let offsets: Vec<i64> = fields.iter().map(Field::offset).collect();
    if by_rows {
        // The field and exponent of each column of a cell.
        let columns: Vec<(usize, usize)> = (0..fields.len())
            .flat_map(|idx| (0..widths[idx]).rev().map(move |exponent| (idx, exponent)))
            .collect();
        for row in 0..height {
            let of_column = |col: usize| {
                let (idx, exponent) = columns[col % columns.len()];
                let number = fields[idx].values[row * width + col / columns.len()];
                bit(number, &fields[idx], offsets[idx], exponent)
            };
            fill_column(&mut table, row, of_column, &mut poller)?;
        }
    } else if height > 0 {
        let mut start = 0;
        for cell in 0..width {
            for ((field, offset), bits) in fields.iter().zip(&offsets).zip(&widths) {
                let at = |row: usize| field.values[row * width + cell];
                let number = |row: usize| match at(row) {
                    missing if Some(missing) == field.nodata => u64::MAX,
                    number => number.wrapping_sub(*offset) as u64,
                };
                let columns = start..start + bits;
                start = columns.end;
                // A missing number has ones also before its last 64 bits.
                if field.nodata.is_some() {
                    let is_missing = |row: usize| Some(at(row)) == field.nodata;
                    for column in columns.clone().take(bits.saturating_sub(64)) {
                        fill_column(&mut table, column, is_missing, &mut poller)?;
                    }
                }
                fill_numbers(&mut table, columns, number, &mut poller)?;
            }
        }
    }
    let negative = fields.iter().zip(offsets).filter(|(_, offset)| *offset < 0);
    let notes = negative.map(|(field, offset)| {
        let Field { name, shared, .. } = field;
        let least = match shared {
            Some(_) => "the minimum of the fields that share codes",
            None => "its minimum",
        };
        format!("field `{name}` is stored with offset {offset} ({least})")
    });
    let missing = fields.iter().filter(|field| field.n_missing() > 0).map(|field| {
        let (n_missing, n) = (field.n_missing(), field.n_values());
        format!(
            "{n_missing} of {n} numbers of field `{}` are missing, stored as all ones",
            field.name
        )
    });
    let meanings = fields
        .iter()
        .filter_map(|field| Some(format!("field `{}` {}", field.name, field.meaning.note()?)));
    let notes = [limited(meanings), limited(notes), limited(missing)].concat();
    let names = fields.iter().map(|field| field.name.clone());
    let fields = names.zip(widths).collect();
    let table = Table::of_lines(table, by_rows);
    Ok(NumbersLaidOut { table, fields, chosen, notes })
}

/// The number of fields for which there are notes of one kind.
const MAX_NOTES: usize = 100;

/// Returns the first of the notes of one kind about fields, and the number of the others.
fn limited(mut notes: impl Iterator<Item = String>) -> Vec<String> {
    let mut first: Vec<String> = notes.by_ref().take(MAX_NOTES).collect();
    let n_more = notes.count();
    if n_more > 0 {
        first.push(format!("{n_more} such notes about other fields are omitted"));
    }
    first
}

/// Lays out [`NumberLayout::Present`].
fn present(
    numbers: &Numbers,
    options: &mut LayoutOptions<'_>,
) -> Result<NumbersLaidOut, FileError> {
    let n_records = numbers.shape.n_records();
    let mut table = zeros(n_records, 1, false, options.max_bytes, options.file)?;
    let mut poller = InterruptPoller::new(options);
    let is_present =
        |row: usize| numbers.fields.iter().all(|field| Some(field.values[row]) != field.nodata);
    fill_column(&mut table, 0, is_present, &mut poller)?;
    let (fields, notes) = (Vec::new(), Vec::new());
    Ok(NumbersLaidOut { table: table.into(), fields, chosen: 0..0, notes })
}

/// Rejects negative numbers.
fn check_unsigned(fields: &[Field], shape: Shape, file: &str) -> Result<(), FileError> {
    for field in fields.iter().filter(|field| field.offset() < 0) {
        let is_negative = |number: &i64| *number < 0 && Some(*number) != field.nodata;
        let Some(idx) = field.values.iter().position(is_negative) else {
            if field.elsewhere.is_none() {
                continue;
            }
            let message = format!("a number in field `{}` is negative", field.name);
            return Err(FileError::new(Code::OutOfRange, file, message));
        };
        let number = field.meaning.text(field.values[idx]);
        let message = format!("{number} in field `{}` is negative", field.name);
        return Err(FileError::new(Code::OutOfRange, file, message)
            .note(format!("it is in {}", place(shape, idx)))
            .note("the layout `unsigned` is for numbers from 0")
            .help(format!(
                "if {number} marks missing numbers, write `nodata={number}`; otherwise `records` \
                    stores the numbers with an offset"
            )));
    }
    Ok(())
}

/// A bit of a number in its field.
#[inline]
fn bit(number: i64, field: &Field, offset: i64, exponent: usize) -> bool {
    let distance = number.wrapping_sub(offset) as u64;
    Some(number) == field.nodata || (exponent < 64 && distance >> exponent & 1 == 1)
}

/// The word of a value in a field with this number of bits, all ones for an unknown text, and a
/// note about it.
fn code(
    field: &Field,
    bits: usize,
    value: &str,
    options: &LayoutOptions<'_>,
) -> Result<(BitTable, Vec<String>), FileError> {
    let mut table = zeros(1, bits as u128, false, options.max_bytes, options.file)?;
    match stored(field, bits, value, options.file)? {
        Some(number) => put_number(&mut table, 0, number),
        None => (0..bits).for_each(|column| table.put(0, column, true)),
    }
    Ok((table, absent_text(field, value).into_iter().collect()))
}

/// A table of [`NumberLayout::Codes`], and notes about absent texts.
fn codes(
    field: &Field,
    bits: usize,
    values: &str,
    options: &LayoutOptions<'_>,
) -> Result<(BitTable, Vec<String>), FileError> {
    let (mut numbers, mut notes) = (BTreeSet::new(), Vec::new());
    for value in values.split('|') {
        match (&field.meaning, value.strip_suffix('*')) {
            (Meaning::Texts(texts), Some(beginning)) => {
                let begins = |(_, text): &(i128, &str)| text.starts_with(beginning);
                let mut found = (1..).zip(texts.all()).filter(begins).peekable();
                if found.peek().is_none() {
                    let (quoted, name) = (text::quote(beginning.as_bytes()), &field.name);
                    notes.push(format!("no text of field `{name}` begins with {quoted}"));
                }
                numbers.extend(found.map(|(code, _)| code));
            }
            (meaning, Some(_)) => {
                let (quoted, what) = (text::quote(value.as_bytes()), meaning.describe());
                let message = format!("{quoted} for field `{}` is not {what}", field.name);
                let error = FileError::new(Code::OutOfRange, options.file, message);
                return Err(error.note("only texts are chosen by their beginning"));
            }
            (Meaning::Texts(texts), None) if texts.code(value).is_none() => {
                notes.extend(absent_text(field, value));
            }
            (_, None) => numbers.extend(stored(field, bits, value, options.file)?),
        }
    }
    let mut table = zeros(numbers.len(), bits as u128, false, options.max_bytes, options.file)?;
    for (row, number) in numbers.into_iter().enumerate() {
        put_number(&mut table, row, number);
    }
    Ok((table, notes))
}

/// Writes a number to a row.
fn put_number(table: &mut BitTable, row: usize, number: i128) {
    let bits = table.n_cols();
    for place in 0..bits {
        let exponent = bits - 1 - place;
        table.put(row, place, exponent < 64 && number >> exponent & 1 == 1);
    }
}

/// The number by which a value is stored in a field with this number of bits; `None` for a text
/// that no record has.
fn stored(field: &Field, bits: usize, value: &str, file: &str) -> Result<Option<i128>, FileError> {
    let offset = field.offset();
    let quoted = text::quote(value.as_bytes());
    // Where numbers may be missing, all ones are no number.
    let unused = i128::from(field.nodata.is_some());
    let exceeds = |number: i128| {
        let last = number + unused;
        number < 0 || last.checked_shr(bits.min(127) as u32).is_some_and(|rest| rest != 0)
    };
    let stored = |number: i64| i128::from(number) - i128::from(offset);
    let is_empty = field.n_values() == 0;
    Ok(match (&field.meaning, field.meaning.number(value)) {
        (_, Some(number)) if Some(number) == field.nodata => None,
        (_, Some(number)) if !exceeds(stored(number)) => Some(stored(number)),
        // There are no records, and the width of the field is unknown.
        (_, _) if is_empty => None,
        (Meaning::Texts(texts), None) if texts.is_sorted() => {
            return Err(unordered(field, texts, value, file));
        }
        // This code is unused at this width.
        (Meaning::Texts(_), None) => None,
        (meaning, None) => {
            let what = meaning.describe();
            let message = format!("{quoted} for field `{}` is not {what}", field.name);
            return Err(FileError::new(Code::OutOfRange, file, message));
        }
        (_, Some(number)) => {
            let message = format!("{quoted} is out of range for field `{}`", field.name);
            let most = if bits < 64 { (1i128 << bits) - 1 - unused } else { i128::from(i64::MAX) };
            let most = i64::try_from(most + i128::from(offset)).unwrap_or(i64::MAX);
            let (from, to) = (field.meaning.text(offset), field.meaning.text(most));
            let note = format!("its {} hold {from} to {to}", text::count(bits as u128, "bit"));
            let error = FileError::new(Code::WidthTooSmall, file, message).note(note);
            let error = match unused {
                0 => error,
                _ => error.note("all ones are missing numbers"),
            };
            let needed = u128::try_from(stored(number) + unused).map(bit_length);
            return Err(match needed {
                Ok(needed) => error.help(format!(
                    "no record has so large a value; to compare with it, give the field {needed} \
                        bits with `widths=`"
                )),
                Err(_) => error,
            });
        }
    })
}

/// The error for an absent text in a field with sorted codes: a comparison of its order with that
/// of the texts would be wrong.
fn unordered(field: &Field, texts: &Texts, value: &str, file: &str) -> FileError {
    let quote = |text: &str| text::quote(text.as_bytes());
    let (quoted, name) = (quote(value), &field.name);
    let message = format!("no record has the text {quoted} in field `{name}`, so it has no code");
    let error = FileError::new(Code::OutOfRange, file, message);
    let help = |text: &str| format!("compare with a text of the field: `code:{name}={text}`");
    let (why, help) = match texts.neighbours(value) {
        (Some(before), Some(after)) => (
            format!(
                "it would follow {} and precede {}, and the codes are consecutive",
                quote(before),
                quote(after)
            ),
            format!(
                "the texts less than {quoted} are those less than {}, and the greater ones are \
                    those greater than {}",
                quote(after),
                quote(before)
            ),
        ),
        (Some(last), None) => {
            (format!("it would follow the last text, {}", quote(last)), help(last))
        }
        (None, Some(first)) => {
            (format!("it would precede the first text, {}", quote(first)), help(first))
        }
        (None, None) => ("all its records are empty".to_owned(), help("")),
    };
    let error = error.note("with `order=sorted`, codes are compared like their texts").note(why);
    match did_you_mean(value, texts.all()) {
        Some(meant) => error.help(format!("did you mean {}?", quote(meant))).help(help),
        None => error.help(help),
    }
}

/// A note if the value is a text that no record has.
fn absent_text(field: &Field, value: &str) -> Option<String> {
    let Meaning::Texts(texts) = &field.meaning else { return None };
    if texts.code(value).is_some() || field.n_values() == 0 {
        return None;
    }
    let quoted = text::quote(value.as_bytes());
    let absent = format!("no record has the text {quoted} in field `{}`", field.name);
    Some(match did_you_mean(value, texts.all()) {
        Some(meant) => format!("{absent}; did you mean {}?", text::quote(meant.as_bytes())),
        None => absent,
    })
}

/// The range of the selected fields.
fn chosen(layout: &NumberLayout, numbers: &Numbers, file: &str) -> Result<Range<usize>, FileError> {
    let fields = numbers.fields.as_slice();
    let name = match layout {
        NumberLayout::Natural
        | NumberLayout::Records
        | NumberLayout::Unsigned
        | NumberLayout::Present
        | NumberLayout::Grid => return Ok(0..fields.len()),
        NumberLayout::Field(name)
        | NumberLayout::Code { field: name, .. }
        | NumberLayout::Codes { field: name, .. } => name,
    };
    let places: Vec<String> = (1..)
        .zip(fields)
        .filter(|(_, field)| field.name == *name)
        .map(|(number, _): (usize, _)| number.to_string())
        .collect();
    if places.len() > 1 {
        let quoted = text::quote(name.as_bytes());
        let message = format!("{} fields are called {quoted}", places.len());
        let help = format!(
            "use the number of one instead of its name: {}",
            listed(places.into_iter(), MAX_LISTED)
        );
        return Err(FileError::new(Code::NoSuchLayout, file, message).help(help));
    }
    let by_number = || name.parse::<usize>().ok()?.checked_sub(1);
    let by_name = || fields.iter().position(|field| field.name == *name);
    match by_name().or_else(by_number).filter(|&idx| idx < fields.len()) {
        Some(idx) => Ok(idx..idx + 1),
        None => {
            let names = text::quoted_names(fields.iter().map(|field| field.name.as_bytes()));
            let message = format!("unknown field {}", text::quote(name.as_bytes()));
            let error = FileError::new(Code::NoSuchLayout, file, message)
                .note(format!("the fields are {names}"));
            // A colon or a sign of equality ends a name.
            let is_unclear = |field: &Field| {
                field.name.starts_with(name.as_str()) && field.name.contains([':', '='])
            };
            Err(match fields.iter().position(is_unclear) {
                Some(idx) => error.help({
                    let name = text::quote(fields[idx].name.as_bytes());
                    format!("{name} is field `{}`, by its number", idx + 1)
                }),
                None => error,
            })
        }
    }
}

/// The place of the record with this index, from 0.
fn place(shape: Shape, idx: usize) -> String {
    match shape {
        Shape::List(_) => format!("record {}", idx + 1),
        Shape::Grid { height: _, width } => {
            let width = width.max(1);
            format!("row {}, column {} of the grid", idx / width + 1, idx % width + 1)
        }
    }
}

/// The width of every field, in which all its numbers fit.
fn field_widths(
    fields: &[Field],
    shape: Shape,
    widths: Option<&[usize]>,
    file: &str,
) -> Result<Vec<usize>, FileError> {
    if let Some(widths) = widths
        && widths.len() != fields.len()
    {
        let (given, due) = (widths.len() as u128, fields.len() as u128);
        let message = format!("{} for {}", text::count(given, "width"), text::count(due, "field"));
        return Err(FileError::new(Code::NoSuchLayout, file, message));
    }
    let width = |(idx, field): (usize, &Field)| {
        let (least, offset) = (field.least_bits(), field.offset());
        // The marker of missing numbers may need one bit more than in the file.
        let of_file = match field.nodata {
            None => field.bits,
            Some(_) => field.bits.map(|bits| bits.max(least)),
        };
        let given = widths.and_then(|widths| widths.get(idx).copied()).or(of_file);
        // Without bits, missing numbers cannot be told from others.
        let are_alike = field.n_missing() == 0 || field.n_missing() == field.n_values();
        let is_offset = |(least, greatest)| least == offset && greatest == offset;
        let all_zero = least == 1 && are_alike && field.range().is_none_or(is_offset);
        match given {
            None => Ok(least),
            Some(bits) if bits > MAX_BITS => {
                let message = format!("a field of {bits} bits");
                let error = FileError::new(Code::DoesNotFit, file, message);
                Err(error.note(format!("the maximum is {MAX_BITS}")))
            }
            Some(bits) if bits >= least || all_zero => Ok(bits),
            Some(bits) if let Meaning::Texts(texts) = &field.meaning => {
                let n_texts = text::count(texts.as_slice().len() as u128, "text");
                let bits = text::count(bits as u128, "bit");
                let message = format!("{n_texts} of field `{}` do not fit in {bits}", field.name);
                let error = FileError::new(Code::WidthTooSmall, file, message);
                Err(error
                    .note("0 is an empty field, and all ones is no text of the file")
                    .help(format!("it needs {least}")))
            }
            Some(bits) => {
                let is_there = |(_, number): &(usize, &i64)| Some(**number) != field.nodata;
                let numbered = field.values.iter().enumerate().rev().filter(is_there);
                let (idx, &greatest) =
                    numbered.max_by_key(|(_, number)| **number).unwrap_or((0, &0));
                let message = format!(
                    "{greatest} in field `{}` does not fit in {}",
                    field.name,
                    text::count(bits as u128, "bit")
                );
                let error = FileError::new(Code::WidthTooSmall, file, message);
                let error = match offset {
                    0 => error,
                    least => error.note(format!("the minimum, {least}, is stored as 0")),
                };
                let error = error.note(format!("it is in {}", place(shape, idx)));
                let error = match field.n_missing() {
                    0 => error,
                    _ => error.note("all ones marks missing numbers"),
                };
                Err(error.help(format!("it needs {least}")))
            }
        }
    };
    fields.iter().enumerate().map(width).collect()
}
