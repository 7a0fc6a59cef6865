//! The lines of a picture: numbered rows of a table, slices and fields to their right, words below.
//!
//! ```text
//!     1    6  X  1..3
//!  1  001000  0     1
//! >2  101000  1     5
//!  v  110001
//! ```
//!
//! Rows marked by the first slice are highlighted: by colour, or else by `>`.

use std::ops::Range;

use star_base::text;
use star_report::message::Style;
use star_value::BitVector;

use super::Screen;
use super::elide::{At, Places};
use super::grid::{Grid, Window};
use super::numbers::{decimal, digits};

/// The contents of a picture. Indices count from 0.
#[derive(Default)]
pub struct Picture<'a> {
    /// The table.
    pub table: Option<&'a dyn Grid>,
    /// Named slices to the right of the table.
    pub slices: Vec<(&'a str, &'a BitVector)>,
    /// Named words below the table.
    pub words: Vec<(&'a str, &'a BitVector)>,
    /// Columns of the table that are also shown as numbers.
    pub fields: Vec<Field>,
    /// The rows to show.
    pub rows: Rows<'a>,
    /// The columns to show.
    pub columns: Option<Range<usize>>,
    /// Whether a bit of the table (row, column) changed.
    pub change: Option<&'a dyn Fn(usize, usize) -> Change>,
}

/// Columns that form a number.
pub(crate) type Field = Range<usize>;

/// The rows of a picture.
#[derive(Clone, Debug, Default)]
pub enum Rows<'a> {
    /// As many as fit on the screen.
    #[default]
    Some,
    /// A range, if it fits.
    Range(Range<usize>),
    /// Ascending indices, if they fit.
    These(&'a [usize]),
}

/// The change of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Unchanged.
    Same,
    /// Inverted.
    Flipped,
}

/// Maximum length of names of slices and words; longer ones are truncated.
const MAX_NAME: usize = 12;
/// Minimum number of columns shown of a table, regardless of what is next to it.
const MIN_COLUMNS: usize = 9;

const MARKED: &str = "\x1b[1;36m";
const BECAME_ONE: &str = "\x1b[1;32m";
const BECAME_ZERO: &str = "\x1b[1;31m";
const END: &str = "\x1b[0m";

/// Returns the lines of a picture; none for a table without rows or columns.
pub fn draw(picture: &Picture<'_>, screen: Screen) -> Vec<String> {
    let plan = Plan::new(picture, screen);
    let mut lines = Vec::new();
    if !plan.rows.is_empty() || !picture.words.is_empty() {
        // A slice without a name has no header.
        lines.extend(Some(plan.header()).filter(|header| !header.is_empty()));
    }
    let window = picture.table.map(|grid| {
        let fields = plan.fields.iter().cloned();
        (Window::new(grid, &plan.columns), fields.map(|field| columns_of(grid, field)).collect())
    });
    for at in plan.rows.positions() {
        lines.push(match at {
            At::Gap => format!(" {:>width$}", '…', width = plan.gutter),
            At::Destination(row_idx) => plan.row(row_idx, window.as_ref()),
        });
    }
    lines.extend(picture.words.iter().map(|(name, bits)| plan.word(name, bits)));
    lines.extend(plan.note());
    lines
}

/// The bits of the table and of each field.
type Bits<'a> = (Window<'a>, Vec<Window<'a>>);

fn columns_of(grid: &dyn Grid, field: Field) -> Window<'_> {
    let len = field.len();
    Window::new(grid, &Places::ends(field, len))
}

/// The selected contents and widths of a picture.
struct Plan<'a> {
    picture: &'a Picture<'a>,
    style: Style,
    rows: Places,
    columns: Places,
    n_columns: usize,
    /// Width of row numbers and names of words; 0 if there are none.
    gutter: usize,
    slices: &'a [(&'a str, &'a BitVector)],
    fields: &'a [Field],
}

impl<'a> Plan<'a> {
    fn new(picture: &'a Picture<'a>, screen: Screen) -> Self {
        let n_rows = match picture.table {
            Some(grid) if grid.n_cols() == 0 && picture.slices.is_empty() => 0,
            Some(grid) => grid.n_rows(),
            None => picture.slices.iter().map(|(_, bits)| bits.len()).max().unwrap_or(0),
        };
        let marks = picture.slices.first().map(|(_, bits)| *bits);
        let rows = match &picture.rows {
            Rows::Some => Places::marked(0..n_rows, screen.rows, marks),
            Rows::Range(range) => {
                Places::marked(range.start..range.end.min(n_rows), screen.rows, marks)
            }
            Rows::These(rows) => Places::of(rows.iter().copied(), screen.rows),
        };
        let numbers = rows.last().map_or(0, |row_idx| (row_idx + 1).to_string().len());
        let names = picture.words.iter().map(|(name, _)| width_of(name)).max().unwrap_or(0);
        let gutter = numbers.max(names);
        let n_columns = match picture.table {
            Some(grid) => grid.n_cols(),
            None => picture.words.iter().map(|(_, bits)| bits.len()).max().unwrap_or(0),
        };
        let wanted = picture.columns.clone().unwrap_or(0..n_columns);
        let wanted = wanted.start..wanted.end.min(n_columns);
        let mut room = screen.width.saturating_sub(if gutter > 0 { gutter + 3 } else { 0 });
        let bits = wanted.len().min(MIN_COLUMNS);
        let mut fitting = |widths: &mut dyn Iterator<Item = usize>, kept: usize| {
            let mut count = 0;
            for width in widths {
                if width + 2 + bits + kept > room {
                    break;
                }
                room -= width + 2;
                count += 1;
            }
            count
        };
        // Space is reserved for the first field, regardless of the number of slices.
        let first_field = picture.fields.first().map_or(0, |field| field_width(field) + 2);
        let n_slices =
            fitting(&mut picture.slices.iter().map(|(name, _)| width_of(name).max(1)), first_field);
        let n_fields = fitting(&mut picture.fields.iter().map(field_width), 0);
        Plan {
            picture,
            style: screen.style,
            rows,
            columns: Places::ends(wanted, room),
            n_columns,
            gutter,
            slices: &picture.slices[..n_slices],
            fields: &picture.fields[..n_fields],
        }
    }

    /// Formats column numbers, names of slices, ranges of fields.
    fn header(&self) -> String {
        let mut line = match self.gutter {
            0 => String::new(),
            width => " ".repeat(width + 3),
        };
        line += &column_numbers(&self.columns);
        let start = self.start_of_slices();
        pad_to(&mut line, start);
        let mut at = start;
        for (name, _) in self.slices {
            self.separate(&mut line, &mut at);
            line += &cut(name);
            at += width_of(name).max(1);
            pad_to(&mut line, at);
        }
        for field in self.fields {
            self.separate(&mut line, &mut at);
            line += &format!("{:>width$}", field_name(field), width = field_width(field));
            at += field_width(field);
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// Returns the end of the part of a line with numbers and bits.
    fn start_of_slices(&self) -> usize {
        let gutter = if self.gutter > 0 { self.gutter + 3 } else { 0 };
        gutter + self.columns.positions().count()
    }

    /// Adds blanks between adjacent parts; none before the first if there are no bits.
    fn separate(&self, line: &mut String, at: &mut usize) {
        if !(self.columns.is_empty() && *at == self.start_of_slices()) {
            line.push_str("  ");
            *at += 2;
        }
    }

    fn row(&self, row_idx: usize, bits: Option<&Bits<'_>>) -> String {
        let marked = self.slices.first().is_some_and(|(_, slice)| bit_of(slice, row_idx));
        let (mark, paint) = match (marked, self.style) {
            (true, Style::Plain) => ('>', None),
            (true, Style::Coloured) => (' ', Some(MARKED)),
            (false, _) => (' ', None),
        };
        let mut line = format!("{mark}{:>width$}  ", row_idx + 1, width = self.gutter);
        if let Some((window, _)) = bits {
            for at in self.columns.positions() {
                match at {
                    At::Gap => line.push('…'),
                    At::Destination(col_idx) => {
                        self.bit(&mut line, row_idx, col_idx, window.bit(row_idx, col_idx), paint);
                    }
                }
            }
        }
        let mut at = self.start_of_slices();
        for (name, slice) in self.slices {
            self.separate(&mut line, &mut at);
            let width = width_of(name).max(1);
            let bit = slice_bit(slice, row_idx);
            line += &format!("{bit:<width$}");
            at += width;
        }
        if let Some((_, windows)) = bits {
            for (field, window) in self.fields.iter().zip(windows) {
                self.separate(&mut line, &mut at);
                let bits: Option<Vec<bool>> =
                    field.clone().map(|col_idx| window.bit(row_idx, col_idx)).collect();
                let number = bits.map_or("?".to_owned(), |bits| decimal(bits.into_iter()));
                line += &format!("{number:>width$}", width = field_width(field));
                at += field_width(field);
            }
        }
        line.truncate(line.trim_end().len());
        match paint {
            Some(paint) => format!("{paint}{line}{END}"),
            None => line,
        }
    }

    /// Formats a bit. A changed bit is coloured, or else `+` for a new one and `-` for a new zero.
    fn bit(
        &self,
        line: &mut String,
        row_idx: usize,
        col_idx: usize,
        bit: Option<bool>,
        paint: Option<&str>,
    ) {
        let change = self.picture.change.map_or(Change::Same, |change| change(row_idx, col_idx));
        match (change, self.style, bit) {
            (_, _, None) => line.push('?'),
            (Change::Same, _, Some(bit)) => line.push(digit(bit)),
            (Change::Flipped, Style::Plain, Some(bit)) => line.push(if bit { '+' } else { '-' }),
            (Change::Flipped, Style::Coloured, Some(bit)) => {
                let colour = if bit { BECAME_ONE } else { BECAME_ZERO };
                line.push_str(colour);
                line.push(digit(bit));
                line.push_str(END);
                line.push_str(paint.unwrap_or_default());
            }
        }
    }

    fn word(&self, name: &str, bits: &BitVector) -> String {
        let mut line = match self.gutter {
            0 => String::new(),
            width => format!(" {:>width$}  ", cut(name)),
        };
        line.extend(self.columns.positions().map(|at| match at {
            At::Gap => '…',
            At::Destination(col_idx) => slice_bit(bits, col_idx),
        }));
        line.truncate(line.trim_end().len());
        if bits.len() != self.n_columns {
            line += &format!("  ({})", text::count(bits.len(), "bit"));
        }
        line
    }

    /// Returns a note on the omitted parts.
    fn note(&self) -> Option<String> {
        let slices = self.picture.slices.len() - self.slices.len();
        let fields = self.picture.fields.len() - self.fields.len();
        let left_out = [(slices, "slice"), (fields, "field")];
        let left_out: Vec<String> = left_out
            .into_iter()
            .filter(|&(count, _)| count > 0)
            .map(|(count, noun)| text::count(count, noun))
            .collect();
        let text = left_out.join(" and ");
        (!left_out.is_empty()).then(|| format!("(no room for {text} more)"))
    }
}

/// Formats the numbers of the first column, every tenth one, the first after a gap and the last
/// one, unless they would touch. The number of a tenth column and of the last one is right-aligned
/// with the column.
fn column_numbers(columns: &Places) -> String {
    let positions: Vec<At> = columns.positions().collect();
    let mut line = vec![' '; positions.len()];
    let mut put = |number: usize, from: usize| {
        let text: Vec<char> = number.to_string().chars().collect();
        let to = from + text.len();
        let around = from.saturating_sub(1)..(to + 1).min(line.len());
        if to <= line.len() && line[around].iter().all(|&character| character == ' ') {
            line[from..to].copy_from_slice(&text);
        }
    };
    let numbered = || {
        positions.iter().enumerate().filter_map(|(at, place)| match place {
            At::Destination(col_idx) => Some((at, col_idx + 1)),
            At::Gap => None,
        })
    };
    let ends_at = |at: usize, number: usize| (at + 1).checked_sub(number.to_string().len());
    if let Some((at, number)) = numbered().next() {
        put(number, at);
    }
    for (at, number) in numbered().filter(|(_, number)| number % 10 == 0) {
        if let Some(from) = ends_at(at, number) {
            put(number, from);
        }
    }
    for (at, number) in numbered() {
        if at > 0 && positions[at - 1] == At::Gap {
            put(number, at);
        }
    }
    if let Some((at, number)) = numbered().next_back()
        && let Some(from) = ends_at(at, number)
    {
        put(number, from);
    }
    line.into_iter().collect()
}

fn digit(bit: bool) -> char {
    if bit { '1' } else { '0' }
}

fn bit_of(bits: &BitVector, idx: usize) -> bool {
    idx < bits.len() && bits.get(idx)
}

/// Formats a component, or a blank if there is none.
fn slice_bit(bits: &BitVector, idx: usize) -> char {
    if idx < bits.len() { digit(bits.get(idx)) } else { ' ' }
}

fn field_name(field: &Field) -> String {
    match field.len() {
        1 => field.end.to_string(),
        _ => format!("{}..{}", field.start + 1, field.end),
    }
}

fn field_width(field: &Field) -> usize {
    field_name(field).len().max(digits(field.len()))
}

fn width_of(name: &str) -> usize {
    name.chars().count().min(MAX_NAME)
}

fn cut(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    let kept = name.chars().take(MAX_NAME - 1);
    kept.chain(['…']).collect()
}

fn pad_to(line: &mut String, width: usize) {
    let len = line.chars().count();
    line.extend(std::iter::repeat_n(' ', width.saturating_sub(len)));
}
