//! Arguments of `:show`: `:show T X v fields 1..4, 5..8 rows 10..20 columns 1..8`.

use std::ops::RangeInclusive;

use star_value::BitVector;

use super::Screen;
use super::grid::Grid;
use super::picture::{Field, Picture, Rows, draw};

/// The syntax.
const FORM: &str =
    "expected `:show NAME … [rows A..B] [columns A..B] [fields A..B, … | fields WIDTH]`";
/// Maximum number of rows shown if a request specifies rows.
const MAX_ROWS: usize = 1000;

/// A parsed request. Numbers count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The variables, in order.
    pub names: Vec<String>,
    /// Columns to show as numbers.
    pub fields: Option<Fields>,
    /// The rows to show.
    pub rows: Option<RangeInclusive<usize>>,
    /// The columns to show.
    pub columns: Option<RangeInclusive<usize>>,
}

/// The columns that form numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fields {
    /// Explicit ranges.
    Ranges(Vec<RangeInclusive<usize>>),
    /// All columns, in fields of this width.
    Width(usize),
}

/// A value named by a request.
pub(crate) enum NamedValue<'a> {
    /// A table.
    Table(&'a dyn Grid),
    /// A slice.
    Slice(&'a BitVector),
    /// A word.
    Word(&'a BitVector),
}

/// An error in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The message, in lower case.
    pub message: String,
    /// The suggested input.
    pub help: Option<String>,
}

fn fault<T>(message: String) -> Result<T, Fault> {
    Err(Fault { message, help: None })
}

fn misspelt<T>(message: String) -> Result<T, Fault> {
    Err(Fault { message, help: Some(FORM.to_owned()) })
}

/// Parses the arguments of `:show`, in which a name may stand for its number.
///
/// # Errors
/// A syntax error, or a name that has no number.
pub fn parse(text: &str, number: &dyn Fn(&str) -> Result<usize, Fault>) -> Result<Request, Fault> {
    let range = |word: Option<&str>, what: &str| range(word, what, number);
    let spaced = text.replace(',', " , ");
    let mut words = spaced.split_whitespace().peekable();
    let mut request = Request::default();
    while let Some(word) = words.next() {
        match word {
            "rows" => request.rows = Some(range(words.next(), "rows")?),
            "columns" => request.columns = Some(range(words.next(), "columns")?),
            "fields" => {
                let first = words.next();
                if let Some(width) = first.filter(|word| is_one(word)) {
                    let width = at(width, number)?;
                    if width == 0 {
                        return misspelt("fields must have at least one column".to_owned());
                    }
                    request.fields = Some(Fields::Width(width));
                    continue;
                }
                let mut ranges = vec![range(first, "fields")?];
                while words.next_if_eq(&",").is_some() {
                    ranges.push(range(words.next(), "fields")?);
                }
                request.fields = Some(Fields::Ranges(ranges));
            }
            "," => {}
            name if is_name(name) => request.names.push(name.to_owned()),
            other => return misspelt(format!("`{other}` is not a variable name")),
        }
    }
    if request.names.is_empty() {
        return misspelt("expected a variable name".to_owned());
    }
    Ok(request)
}

/// Tests whether the word is a number or the name of one.
fn is_one(word: &str) -> bool {
    is_name(word) || !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// Returns the number of a word.
fn at(word: &str, number: &dyn Fn(&str) -> Result<usize, Fault>) -> Result<usize, Fault> {
    match is_name(word) {
        true => number(word),
        false => word.parse().or_else(|_| {
            misspelt(format!("expected a number or an integer variable, found `{word}`"))
        }),
    }
}

fn range(
    word: Option<&str>,
    what: &str,
    number: &dyn Fn(&str) -> Result<usize, Fault>,
) -> Result<RangeInclusive<usize>, Fault> {
    let Some(word) = word else {
        return misspelt(format!("expected numbers after `{what}`"));
    };
    let (from, to) = word.split_once("..").unwrap_or((word, word));
    if !is_one(from) || !is_one(to) {
        return misspelt(format!("expected a range such as `1..4` after `{what}`, found `{word}`"));
    }
    match (at(from, number)?, at(to, number)?) {
        (from, to) if 1 <= from && from <= to => Ok(from..=to),
        _ => misspelt(format!("expected a range such as `1..4` after `{what}`, found `{word}`")),
    }
}

fn is_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
}

/// Draws what a request names; `values` are those of `request.names`, in order.
///
/// # Errors
/// Two tables, sizes that do not match, nonexistent rows and columns.
pub(crate) fn resolve(
    request: &Request,
    values: &[NamedValue<'_>],
    screen: Screen,
) -> Result<Vec<String>, Fault> {
    let mut picture = Picture::default();
    let mut table: Option<(&str, &dyn Grid)> = None;
    for (name, value) in request.names.iter().zip(values) {
        match value {
            NamedValue::Table(grid) => match table {
                None => table = Some((name, *grid)),
                Some((first, _)) => {
                    return fault(format!("`{first}` and `{name}` are tables: show one at a time"));
                }
            },
            NamedValue::Slice(bits) => picture.slices.push((name, bits)),
            NamedValue::Word(bits) => picture.words.push((name, bits)),
        }
    }
    picture.table = table.map(|(_, grid)| grid);
    agree(&picture, table)?;
    let n_cols = table.map_or(0, |(_, grid)| grid.n_cols());
    let n_rows = match table {
        Some((_, grid)) => grid.n_rows(),
        None => picture.slices.first().map_or(0, |(_, bits)| bits.len()),
    };
    if let Some(rows) = &request.rows {
        within(rows, n_rows, "row")?;
        picture.rows = Rows::Range(rows.start() - 1..*rows.end());
    }
    if let Some(columns) = &request.columns {
        let of_words = picture.words.first().map_or(0, |(_, bits)| bits.len());
        within(columns, if table.is_some() { n_cols } else { of_words }, "column")?;
        picture.columns = Some(columns.start() - 1..*columns.end());
    }
    if let Some(fields) = &request.fields {
        if table.is_none() {
            return fault("fields are columns of a table, but no table is named".to_owned());
        }
        picture.fields = fields_of(fields, n_cols)?;
    }
    let rows = if request.rows.is_some() { MAX_ROWS } else { screen.rows };
    Ok(draw(&picture, Screen { rows, ..screen }))
}

/// Checks that slices have as many components as the table has rows, and words as many as it has
/// columns.
fn agree(picture: &Picture<'_>, table: Option<(&str, &dyn Grid)>) -> Result<(), Fault> {
    let of = |name: &str, size: usize, what: &str| format!("`{name}` has {size} {what}");
    let rows = match table {
        Some((name, grid)) => Some((of(name, grid.n_rows(), "rows"), grid.n_rows())),
        None => picture
            .slices
            .first()
            .map(|(name, bits)| (of(name, bits.len(), "components"), bits.len())),
    };
    let columns = match table {
        Some((name, grid)) => Some((of(name, grid.n_cols(), "columns"), grid.n_cols())),
        None => picture
            .words
            .first()
            .map(|(name, bits)| (of(name, bits.len(), "components"), bits.len())),
    };
    for (vectors, wanted) in [(&picture.slices, rows), (&picture.words, columns)] {
        let Some((wanted, size)) = wanted else { continue };
        if let Some((name, bits)) = vectors.iter().find(|(_, bits)| bits.len() != size) {
            let has = of(name, bits.len(), "components");
            return fault(format!("{wanted}, {has}"));
        }
    }
    Ok(())
}

fn within(range: &RangeInclusive<usize>, limit: usize, what: &str) -> Result<(), Fault> {
    match range.end() {
        end if *end <= limit => Ok(()),
        end => fault(format!("{what} {end} does not exist: the last one is {limit}")),
    }
}

fn fields_of(fields: &Fields, n_cols: usize) -> Result<Vec<Field>, Fault> {
    match fields {
        Fields::Ranges(ranges) => ranges
            .iter()
            .map(|range| within(range, n_cols, "column").map(|()| range.start() - 1..*range.end()))
            .collect(),
        Fields::Width(width) if n_cols.is_multiple_of(*width) => {
            Ok((0..n_cols / width).map(|idx| idx * width..(idx + 1) * width).collect())
        }
        Fields::Width(width) => {
            fault(format!("{n_cols} columns cannot be divided into {width}-bit fields"))
        }
    }
}
