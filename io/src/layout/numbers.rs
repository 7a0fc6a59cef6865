//! How numbers become tables: records as rows, or cells of a grid in rows and columns. In every number
//! column 1 is the most significant bit.

use std::fmt;

use star_base::{BitTable, Code};

use super::fill::fill_column;
use super::poller::InterruptPoller;
use super::{LayoutOptions, zeros};
use crate::error::FileError;
use crate::numbers::{Field, MAX_BITS, Numbers, Shape};
use crate::text;

/// A way to lay out numbers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum NumberLayout {
    /// [`NumberLayout::Grid`] for a grid whose only field is 0 or 1 everywhere, otherwise
    /// [`NumberLayout::Records`].
    #[default]
    Natural,
    /// `records`: a row for each record, or each cell of a grid row by row; the fields side by side.
    Records,
    /// `grid`: a row for each row of a grid; its cells side by side, the fields of each side by side.
    Grid,
    /// `field:NAME`: like [`NumberLayout::Natural`], of one field; `NAME` may be its number, from 1.
    Field(String),
}

impl NumberLayout {
    /// The names as written on the command line, with descriptions.
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        ("records", "a row for each record or cell, the fields side by side"),
        ("grid", "a row for each row of a grid, its cells side by side"),
        ("field:NAME", "one field only: rows of a grid of zeros and ones, or records"),
    ];

    /// The layout of this name.
    pub fn parse(text: &str) -> Option<NumberLayout> {
        match text {
            "records" => Some(NumberLayout::Records),
            "grid" => Some(NumberLayout::Grid),
            _ => match text.strip_prefix("field:") {
                Some("") | None => None,
                Some(name) => Some(NumberLayout::Field(name.to_owned())),
            },
        }
    }
}

/// The name as written on the command line; nothing for [`NumberLayout::Natural`].
impl fmt::Display for NumberLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumberLayout::Natural => Ok(()),
            NumberLayout::Records => f.write_str("records"),
            NumberLayout::Grid => f.write_str("grid"),
            NumberLayout::Field(name) => write!(f, "field:{name}"),
        }
    }
}

/// Numbers laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumbersLaidOut {
    /// The table.
    pub table: BitTable,
    /// The fields as they lie in it: name, and bits of every number.
    pub fields: Vec<(String, usize)>,
    /// What the user should know; worded like errors.
    pub notes: Vec<String>,
}

/// Lays out numbers. `widths` are the bits of the fields laid out, in order; without them those that the
/// file says count, or else the least that are enough. A field with negative numbers is stored less its
/// least number, and a note says so. Takes the memory of the result and no more.
///
/// # Errors
/// [`Code::NoSuchLayout`] if there is no such field, no grid, or another number of widths than of fields;
/// [`Code::WidthTooSmall`] if a number does not fit; [`Code::DoesNotFit`] before anything is taken if the
/// table has more than `options.max_bytes` bytes; [`Code::OutOfRange`] for numbers made by hand whose
/// fields have other lengths than their shape says; [`Code::Interrupted`] if `options.go_on` says so.
pub fn lay_out_numbers(
    layout: &NumberLayout,
    numbers: &Numbers,
    widths: Option<&[usize]>,
    options: &mut LayoutOptions<'_>,
) -> Result<NumbersLaidOut, FileError> {
    let file = options.file;
    numbers.check(file)?;
    let fields = chosen(layout, numbers, file)?;
    let widths = field_widths(fields, numbers.shape, widths, file)?;
    let is_mask = matches!(fields, [field] if field.is_bits()) && widths == [1];
    let (height, width) = match (layout, numbers.shape) {
        (NumberLayout::Grid, Shape::Grid { height, width }) => (height, width),
        (NumberLayout::Grid, Shape::List(_)) => {
            let message = "the layout `grid` is for grids, and this is a list";
            let error = FileError::new(Code::NoSuchLayout, file, message);
            return Err(error.help("take `records`, or no layout"));
        }
        (NumberLayout::Natural | NumberLayout::Field(_), Shape::Grid { height, width })
            if is_mask =>
        {
            (height, width)
        }
        (NumberLayout::Natural | NumberLayout::Field(_) | NumberLayout::Records, shape) => {
            (shape.n_records(), 1)
        }
    };
    let sum = widths.iter().map(|&bits| bits as u128).sum::<u128>();
    let mut table =
        zeros(height, sum.saturating_mul(width as u128), false, options.max_bytes, file)?;
    let mut poller = InterruptPoller::new(options);
    let offsets: Vec<i64> = fields.iter().map(Field::offset).collect();
    let mut n_filled = 0;
    for cell in 0..width {
        for ((field, &bits), &offset) in fields.iter().zip(&widths).zip(&offsets) {
            for place in 0..bits {
                let exponent = bits - 1 - place;
                let bit = |row: usize| {
                    let number = field.values[row * width + cell].wrapping_sub(offset) as u64;
                    exponent < 64 && number >> exponent & 1 == 1
                };
                fill_column(&mut table, n_filled, bit, &mut poller)?;
                n_filled += 1;
            }
        }
    }
    let negative = fields.iter().zip(offsets).filter(|(_, offset)| *offset < 0);
    let notes = negative.map(|(Field { name, .. }, offset)| {
        format!("the field `{name}` is stored less its least number, which is {offset}")
    });
    let names = fields.iter().map(|field| field.name.clone());
    Ok(NumbersLaidOut { table, notes: notes.collect(), fields: names.zip(widths).collect() })
}

/// The fields that are laid out.
fn chosen<'a>(
    layout: &NumberLayout,
    numbers: &'a Numbers,
    file: &str,
) -> Result<&'a [Field], FileError> {
    let fields = numbers.fields.as_slice();
    let name = match layout {
        NumberLayout::Natural | NumberLayout::Records | NumberLayout::Grid => return Ok(fields),
        NumberLayout::Field(name) => name,
    };
    let by_number = || name.parse::<usize>().ok()?.checked_sub(1);
    let by_name = || fields.iter().position(|field| field.name == *name);
    match by_name().or_else(by_number).and_then(|idx| fields.get(idx..=idx)) {
        Some(found) => Ok(found),
        None => {
            let names: Vec<String> =
                fields.iter().map(|field| text::quote(field.name.as_bytes())).collect();
            let message = format!("there is no field {}", text::quote(name.as_bytes()));
            Err(FileError::new(Code::NoSuchLayout, file, message)
                .note(format!("the fields are {}", names.join(", "))))
        }
    }
}

/// Where the record of this number, from 0, stands.
fn place(shape: Shape, idx: usize) -> String {
    match shape {
        Shape::List(_) => format!("record {}", idx + 1),
        Shape::Grid { height: _, width } => {
            let width = width.max(1);
            format!("row {}, column {} of the grid", idx / width + 1, idx % width + 1)
        }
    }
}

/// The width of every field; all its numbers fit.
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
        let given = widths.and_then(|widths| widths.get(idx).copied()).or(field.bits);
        let all_zero = least == 1 && field.values.iter().all(|&number| number == offset);
        match given {
            None => Ok(least),
            Some(bits) if bits > MAX_BITS => {
                let message = format!("a field of {bits} bits");
                let error = FileError::new(Code::DoesNotFit, file, message);
                Err(error.note(format!("the widest has {MAX_BITS}")))
            }
            Some(bits) if bits >= least || all_zero => Ok(bits),
            Some(bits) => {
                let numbered = field.values.iter().enumerate().rev();
                let (idx, &greatest) =
                    numbered.max_by_key(|(_, number)| **number).unwrap_or((0, &0));
                let message = format!(
                    "{greatest} in the field `{}` does not fit in {}",
                    field.name,
                    text::count(bits as u128, "bit")
                );
                let error = FileError::new(Code::WidthTooSmall, file, message);
                let error = match offset {
                    0 => error,
                    least => error.note(format!("the least number, {least}, is stored as 0")),
                };
                let error = error.note(format!("it stands in {}", place(shape, idx)));
                Err(error.help(format!("it takes {least}")))
            }
        }
    };
    fields.iter().enumerate().map(width).collect()
}
