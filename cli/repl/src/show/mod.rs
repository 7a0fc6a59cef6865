//! Values as pictures: tables as bit matrices with numbered rows and columns, slices as columns beside
//! them, words as rows below them, fields as numbers.
//!
//! * [`grid`]: tables that are read in parts. * [`elide`]: which rows and columns are shown.
//! * [`picture`]: the lines themselves. * [`numbers`]: bits as decimal numbers.
//! * [`request`]: what `:show` is told. * [`variables`]: those of a session.
//!
//! Nothing here but [`variables`] knows of a session, and nothing of a backend or a terminal: values come in
//! as host values or through [`Grid`], and text goes out.

mod elide;
mod grid;
mod numbers;
mod picture;
mod request;
mod variables;

use star_base::BitVector;
use star_report::message::Style;
use star_vm::{HostValue, display};

use star_base::text;

pub use grid::Grid;
pub use picture::{Change, Picture, Rows, draw};
pub use request::{Fault, parse};
pub use variables::{is_table, requested, shown};

/// What a picture is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Characters in a line.
    pub width: usize,
    /// Rows of a value that are shown before some are left out.
    pub rows: usize,
    /// May it be coloured?
    pub style: Style,
}

/// The screen where no terminal says another: 80 characters, 20 rows, no colours.
impl Default for Screen {
    fn default() -> Self {
        Screen { width: 80, rows: 20, style: Style::Plain }
    }
}

/// The text of a value that is no table, without a line break at its end. A slice stands beside the
/// table `beside`, if it has a component for each of its rows.
///
/// Integers and truth values are a word, strings are in quotes. Slices and words say their size and how
/// many ones they have.
pub fn value(
    name: Option<&str>,
    value: &HostValue,
    beside: Option<(&str, &dyn Grid)>,
    screen: Screen,
) -> String {
    match value {
        HostValue::Unset => "unset".to_owned(),
        HostValue::Int(_) | HostValue::Bool(_) => display::long(value.into()),
        HostValue::Str(string) => format!("{string:?}"),
        HostValue::Slice(bits) => slice(name, bits, beside, screen),
        HostValue::Word(bits) => word(bits, screen),
        HostValue::Table(table) => self::table(name, table, screen),
    }
}

/// The text of a table: its sizes, then its rows.
pub fn table(name: Option<&str>, grid: &dyn Grid, screen: Screen) -> String {
    let title = titled(name, &sizes(grid));
    let picture = Picture { table: Some(grid), ..Picture::default() };
    joined(title, draw(&picture, screen))
}

/// The sizes of a table, as a program would declare them.
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
    beside: Option<(&str, &dyn Grid)>,
    screen: Screen,
) -> String {
    let beside = beside.filter(|(_, grid)| grid.n_rows() == bits.len());
    let mut title = titled(name, &format!("slice({}), {}", bits.len(), ones(bits)));
    if let Some((table, grid)) = beside {
        title += &format!(", beside {table}: {}", sizes(grid));
    }
    let picture = Picture {
        table: beside.map(|(_, grid)| grid),
        slices: vec![(name.unwrap_or(""), bits)],
        ..Picture::default()
    };
    joined(title, draw(&picture, screen))
}

/// The bits on a line, with the numbers of its components above if it is too long to count them.
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
