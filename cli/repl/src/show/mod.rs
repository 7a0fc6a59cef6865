//! Pictures of values: tables as bit matrices with numbered rows and columns, slices as columns
//! next to them, words as rows below them, fields as numbers.
//!
//! * [`grid`]: tables that are read in parts.
//! * [`elide`]: selection of the rows and columns shown.
//! * [`picture`]: layout of the lines.
//! * [`numbers`]: conversion of bits to decimal.
//! * [`records`]: tables of records.
//! * [`request`]: arguments of `:show`.
//! * [`variables`]: variables of a session.
//!
//! Only [`variables`] depends on a session, and nothing depends on a backend or terminal: the input
//! is host values or a [`Grid`], the output is text.

mod elide;
mod grid;
mod numbers;
mod picture;
mod records;
mod request;
mod variables;

use star_report::message::Style;

use star_base::text;
use star_value::{BitVector, Value, display};

pub use grid::Grid;
pub use picture::{Change, Picture, Rows, draw};
pub use request::{Fault, Request, parse};
pub use variables::{is_table, number, requested, rows, shown};

/// The properties of the display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// The width of a line in characters.
    pub width: usize,
    /// Rows of a value shown before some are omitted.
    pub rows: usize,
    /// Whether colours are permitted.
    pub style: Style,
}

/// The default without a terminal: 80 characters, 20 rows, no colours.
impl Default for Screen {
    fn default() -> Self {
        Screen { width: 80, rows: 20, style: Style::Plain }
    }
}

/// Formats a value other than a table, without a final line break. A slice is shown next to the
/// table `grid` if their numbers of rows match.
///
/// Integers and truth values are a word, strings are quoted. Slices and words state their size and
/// number of ones.
pub fn value(
    name: Option<&str>,
    value: &Value,
    related: Option<(&str, &dyn Grid)>,
    screen: Screen,
) -> String {
    match value {
        Value::Unset => "unset".to_owned(),
        Value::Int(_) | Value::Bool(_) => display::long(value.into()),
        Value::Str(string) => format!("{string:?}"),
        Value::Slice(bits) => slice(name, bits, related, screen),
        Value::Word(bits) => word(bits, screen),
        Value::Table(table) => self::table(name, table, screen),
    }
}

/// Formats a table: its sizes, then its rows.
pub fn table(name: Option<&str>, grid: &dyn Grid, screen: Screen) -> String {
    let title = titled(name, &sizes(grid));
    let picture = Picture { table: Some(grid), ..Picture::default() };
    joined(title, draw(&picture, screen))
}

/// Formats the sizes of a table as in a declaration.
pub fn sizes(grid: &dyn Grid) -> String {
    let (n_rows, n_cols) = (grid.n_rows(), grid.n_cols());
    let what = match (n_rows, n_cols) {
        (0, 0) => ", no rows and no columns",
        (0, _) => ", no rows",
        (_, 0) => ", no columns",
        (_, _) => "",
    };
    format!("table({n_rows}, {n_cols}){what}")
}

fn slice(
    name: Option<&str>,
    bits: &BitVector,
    related: Option<(&str, &dyn Grid)>,
    screen: Screen,
) -> String {
    let related = related.filter(|(_, grid)| grid.n_rows() == bits.len());
    let mut title = titled(name, &format!("slice({}), {}", bits.len(), ones(bits)));
    if let Some((table, grid)) = related {
        title += &format!(", next to {table}: {}", sizes(grid));
    }
    let picture = Picture {
        table: related.map(|(_, grid)| grid),
        slices: vec![(name.unwrap_or(""), bits)],
        ..Picture::default()
    };
    joined(title, draw(&picture, screen))
}

/// Formats the bits on a line, with component numbers above if it is too long for counting.
fn word(bits: &BitVector, screen: Screen) -> String {
    const COUNTED_AT_A_GLANCE: usize = 8;
    let title = format!("word({}), {}", bits.len(), ones(bits));
    if bits.len() <= COUNTED_AT_A_GLANCE {
        let text: String = bits.iter().map(|bit| if bit { '1' } else { '0' }).collect();
        return if text.is_empty() { title } else { format!("{text}   {title}") };
    }
    let picture = Picture { words: vec![("", bits)], ..Picture::default() };
    joined(title, draw(&picture, screen))
}

fn ones(bits: &BitVector) -> String {
    text::count(usize::try_from(bits.count_ones()).unwrap_or(usize::MAX), "one")
}

fn titled(name: Option<&str>, what: &str) -> String {
    match name {
        Some(name) => format!("{name}: {what}"),
        None => what.to_owned(),
    }
}

fn joined(title: String, lines: Vec<String>) -> String {
    let mut text = title;
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests;
