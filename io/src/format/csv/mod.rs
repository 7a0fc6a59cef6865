//! CSV, one record a line: integers, texts, dates and times, quoted or not. With a scale the
//! numbers may have fractions.
//!
//! If every field of the first record is a name, the record is a header; a name may be followed by
//! the width of its field in bits, as in `speed:8`, or by a text declaration, `zip:text`. The
//! options may declare that there is a header, or none. Without a header the fields are called `1`,
//! `2` and so on. Fields are separated by commas, or by semicolons or tabs if the first line
//! contains any. Blanks around a field without quotes are not part of it. In a table of one field,
//! a blank line between records is an empty field; other blank lines are ignored.

mod blanks;
pub(super) mod column;
pub(super) mod edges;
mod header;
pub(crate) mod part;
mod pipe;
mod positions;
mod records;
mod write;

use star_base::Code;

use self::column::{Cause, Cells, Column, Refused, is_digits};
use self::records::Records;
pub(crate) use self::write::write;
use super::list::{AS_RECORD, CsvForm, List};
use super::{ReadResult, ReaderNotes, SEPARATOR_FOR_EXCEL};
use crate::data::Data;
use crate::error::Fault;
use crate::growing::OutOfBudget;
use crate::meaning::Meaning;
use crate::numbers::{Numbers, Shape};
use crate::options::FieldRules;
use crate::scaling::{advice, exceeds_63_bits};
use crate::source::Source;
use crate::text;
use crate::whole::NAN_IS_MISSING;

/// Minimum memory of a field in addition to its numbers.
pub(super) const FIELD_BYTES: u64 = 256;

/// Reads a list.
pub(crate) fn read(source: Source) -> Result<ReadResult, Fault> {
    let list = read_list(source, 0)?;
    let (warnings, notes) = list.remarks();
    let shape = Shape::List(list.n_records);
    let numbers = Numbers { shape, fields: list.into_fields()? };
    Ok((Data::Numbers(numbers), ReaderNotes { warnings, notes, ..ReaderNotes::default() }))
}

/// Reads a list without its first `n_skipped` records, which only determine the kinds of columns.
fn read_list(source: Source, n_skipped: usize) -> Result<List, Fault> {
    let (budget, scaling, rules) =
        (source.budget().clone(), source.scaling(), source.field_rules());
    let nan_is_missing = source.nan_is_missing();
    let mut records = Records::new(source)?;
    if !records.next()? {
        return Err(records.at(1, 1, Code::Truncated, "the file is empty"));
    }
    let n_fields = records.record().len() as u64;
    let n_bytes = u128::from(n_fields) * u128::from(FIELD_BYTES);
    if !budget.allows(n_bytes) {
        return Err(records.out_of_memory(n_bytes, budget.max_bytes()));
    }
    let is_header = rules.header.unwrap_or_else(|| header::is_header(records.record()));
    if header::is_for_excel(records.record()) {
        let fault = records.at(1, 1, Code::BadFormat, SEPARATOR_FOR_EXCEL);
        return Err(Box::new(fault.help("delete the first line")));
    }
    if rules.header.is_none() && header::lacks_last_name(records.record()) {
        return Err(lacks_last_name(&mut records));
    }
    let may_be_header = rules.header.is_none() && header::may_be_header(records.record());
    let mut columns = match is_header {
        true => header::parse(&records)?,
        false => header::unnamed(&records),
    };
    let has_commas = records.separator() == b';';
    let cells = Cells { scaling, empty: rules.empty, has_commas, may_miss: nan_is_missing };
    let names: Vec<&str> = columns.iter().map(Column::name).collect();
    let unknown_name = rules.unknown_name(&names);
    let read = read_records(&mut records, &mut columns, &cells, is_header, n_skipped);
    let read = read.map_err(|fault| match may_be_header && fault.code == Code::BadFormat {
        true => Box::new(fault.note(AS_RECORD)),
        false => fault,
    });
    let n_records = read.map_err(|fault| match unknown_name {
        Some(note) if fault.code == Code::BadFormat => Box::new(fault.note(note)),
        Some(_) | None => fault,
    })?;
    let warnings = strange_names(&columns, rules);
    let (separator, sorted, file) = (records.separator(), rules.sorted, records.file().to_owned());
    let form = Some(CsvForm { separator, may_be_header });
    Ok(List { columns, n_records, form, warnings, sorted, file, budget })
}

/// Reads the records after the first one, which is in `records`, and that one if it is no header;
/// returns their number. Of the first `n_skipped` ones only the kinds of the columns remain.
fn read_records(
    records: &mut Records,
    columns: &mut [Column],
    cells: &Cells<'_>,
    is_header: bool,
    n_skipped: usize,
) -> Result<usize, Fault> {
    let record_bytes = records.record().len() as u128 * size_of::<i64>() as u128;
    let mut n_records = 0;
    if let ([column], false) = (&mut *columns, is_header) {
        n_records = records.n_leading_blank_lines();
        for line in 1..=n_records as u64 {
            let missing = || Box::new(wrong(records, 0, None, Cause::Empty, cells).at(line, 1));
            let pushed = column.push(b"", cells, missing);
            pushed.map_err(|refused| refused_cell(records, 0, column, refused, cells))?;
        }
    }
    let mut more = if is_header { records.next()? } else { true };
    let mut is_skipping = n_skipped > 0;
    while more {
        if is_skipping && n_records == n_skipped {
            (is_skipping, n_records) = (false, 0);
            columns.iter_mut().for_each(Column::restart);
            cells.restart();
        }
        let mut text_bytes = 0;
        for (idx, (cell, column)) in records.record().iter().zip(&mut *columns).enumerate() {
            let missing = || wrong(records, idx, None, Cause::Empty, cells);
            let pushed = column.push(cell, cells, missing);
            pushed.map_err(|refused| refused_cell(records, idx, column, refused, cells))?;
            text_bytes += u128::from(column.text_bytes());
        }
        n_records += 1;
        let n_bytes = text_bytes + n_records as u128 * record_bytes;
        if text_bytes > 0 && !records.budget().allows(n_bytes) {
            return Err(records.out_of_memory(n_bytes, records.budget().max_bytes()));
        }
        more = records.next()?;
    }
    if is_skipping {
        n_records = 0;
        columns.iter_mut().for_each(Column::restart);
        cells.restart();
    }
    for (idx, column) in columns.iter_mut().enumerate() {
        let settled = column.settle(cells);
        settled.map_err(|refused| refused_cell(records, idx, column, refused, cells))?;
    }
    Ok(n_records)
}

/// The error for a header whose last name is empty. The next line shows whether all lines end with
/// a separator.
fn lacks_last_name(records: &mut Records) -> Fault {
    let last = records.record().len() - 1;
    let fault = records.in_field(last, Code::BadFormat, "the last name of the header is empty");
    let separator = match records.separator() {
        b';' => "semicolon",
        b'\t' => "tab",
        _ => "comma",
    };
    let is_empty = |cell: &[u8]| cell.trim_ascii().is_empty();
    let help = match records.next() {
        Ok(true) if records.record().get(last).is_some_and(is_empty) => {
            format!("delete the {separator} at the end of every line")
        }
        Ok(true) => format!("write a name after the last {separator}"),
        Ok(false) | Err(_) => format!("delete the {separator} at the end of the line"),
    };
    Box::new(fault.help(help).help("`header=no` reads the line as a record"))
}

/// Warns about names in the rules with several fields. Another file of the run may have the field
/// of a name without one.
fn strange_names(columns: &[Column], rules: FieldRules<'_>) -> Vec<String> {
    let names = rules.texts.iter().chain(rules.scales.iter().map(|(name, _)| name));
    let warning = |name: &String| {
        let n_columns = columns.iter().filter(|column| column.name() == name).count();
        let quoted = text::quote(name.as_bytes());
        match n_columns {
            0 | 1 => None,
            _ => Some(format!("{n_columns} fields are called {quoted}: the setting is for all")),
        }
    };
    names.filter_map(warning).collect()
}

/// The error for a cell that its column rejected.
fn refused_cell(
    records: &Records,
    idx: usize,
    column: &Column,
    refused: Refused,
    cells: &Cells<'_>,
) -> Fault {
    match refused {
        Refused::Wrong(cause) => wrong(records, idx, Some(column), cause, cells),
        Refused::Memory(OutOfBudget(n_bytes)) => {
            records.out_of_memory(n_bytes, records.budget().max_bytes())
        }
        Refused::Before(fault) => fault,
    }
}

/// The error that field `idx` of the last record does not have the kind of its column, or is not a
/// number if the column is unknown.
fn wrong(
    records: &Records,
    idx: usize,
    column: Option<&Column>,
    cause: Cause,
    cells: &Cells<'_>,
) -> Fault {
    let cell = records.record().get(idx).unwrap_or_default().trim_ascii();
    let meaning = column.map_or(&Meaning::Number, Column::meaning);
    let is_scaled = column.map_or(cells.scaling, |column| column.scaling(cells)).is_some();
    let (number, quoted, kind) = (cells.decimal(cell), text::quote(cell), meaning.describe());
    let is_moment = matches!(meaning, Meaning::Date | Meaning::Clock | Meaning::DateTime);
    let (code, message) = match (cause, cells.empty) {
        (Cause::Encoding, _) => (Code::BadFormat, format!("{quoted} is not UTF-8")),
        (Cause::Empty, Some(empty)) => {
            let empty = text::quote(empty.as_bytes());
            (Code::BadFormat, format!("{empty}, for an empty field, is not {kind}"))
        }
        (Cause::Empty, None) => (Code::BadFormat, format!("an empty field is not {kind}")),
        (Cause::Cell, _) => match number {
            Some(_) if is_moment => (Code::BadFormat, format!("{quoted} is not {kind}")),
            Some(_) if is_scaled => {
                (Code::OutOfRange, format!("{quoted} times the scale exceeds 63 bits"))
            }
            Some(number)
                if exceeds_63_bits(number)
                    || is_digits(cell.strip_prefix(b"-").unwrap_or(cell)) =>
            {
                (Code::OutOfRange, format!("{quoted} exceeds 63 bits"))
            }
            Some(_) | None if is_like_moment(cell) && !is_moment => {
                (Code::BadFormat, format!("{quoted} is not a valid date or time"))
            }
            Some(_) | None => (Code::BadFormat, format!("{quoted} is not {kind}")),
        },
    };
    let mut error = *records.in_field(idx, code, message);
    if matches!(cause, Cause::Cell) && cell.eq_ignore_ascii_case(b"nan") {
        error = error.help(NAN_IS_MISSING);
    }
    if matches!(cause, Cause::Cell) && is_like_moment(cell) {
        error = error.note(
            "dates and times are written `2024-05-01`, `12:30`, `12:30:00` or `2024-05-01T12:30`, \
                without fractions of seconds and without time zones other than `Z`",
        );
    }
    if records.is_first() {
        error = error.note(
            "the first line is a header only if no name is empty or begins with a sign, digit or \
                point; a colon makes any text a name: `2nd:`",
        );
    }
    let name = column
        .map_or_else(String::new, |column| star_base::text::one_line(column.name()).to_string());
    // One value cannot suit fields of several kinds.
    let fills = match (cells.empty, column) {
        (Some(_), Some(_)) => format!("`texts={name}` reads the field as texts, empty ones as 0"),
        _ => format!("`empty={}` sets the value of empty fields", meaning.example()),
    };
    Box::new(match (cause, number) {
        (Cause::Encoding, _) => error.help("save the file as UTF-8"),
        (Cause::Empty, _) if records.record().len() == 1 => {
            error.note("in a table of one column, a blank line is an empty field").help(fills)
        }
        (Cause::Empty, _) => error.help(fills),
        (Cause::Cell, Some(number))
            if code == Code::BadFormat && !is_moment && !is_like_moment(cell) =>
        {
            error.help(advice(number))
        }
        (Cause::Cell, Some(_)) => error,
        (Cause::Cell, None) => error
            .help("`:text` after the name of a field, or `texts=NAME`, makes all its cells texts"),
    })
}

/// Returns whether a cell consists of at least three numbers with the signs of dates between them,
/// or of two with a colon: `2024-5-1`, `1/5/2024`, `12:3`, `12:30:00.5`.
fn is_like_moment(cell: &[u8]) -> bool {
    let n_signs = |signs: &[u8]| {
        let between = cell.windows(3).filter(|three| {
            three[0].is_ascii_digit() && signs.contains(&three[1]) && three[2].is_ascii_digit()
        });
        between.count()
    };
    cell.first().is_some_and(u8::is_ascii_digit)
        && (n_signs(b":") > 0 || n_signs(b"-") > 1 || n_signs(b"/") > 1 || n_signs(b".") > 1)
}
