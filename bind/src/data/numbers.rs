//! Layout of numbers as the value of a parameter.

use std::ops::Range;

use star_base::text;
use star_io::{FileError, LayoutOptions, NumberLayout, Numbers, Shape};
use star_value::Value;

use super::{LoadRequest, from_table, stopped, wrong_layout};
use crate::layouts::{self, AnyLayout};
use crate::param::Kind;
use crate::source::Reading;

/// The fields that are adjacent in the rows of a table.
#[derive(Clone, Debug)]
pub struct RowFields {
    /// Their range in all fields.
    pub fields: Range<usize>,
    /// The bits of each.
    pub widths: Vec<usize>,
}

/// Lays out numbers; a table has the requested form if its rows are long. The positions of the
/// fields are reported to the user.
///
/// # Errors
/// If the layout gives no value of that kind, a width is too small, or the value does not fit.
pub fn from_numbers(
    reading: Reading<'_>,
    numbers: &Numbers,
    request: LoadRequest<'_>,
) -> Result<(Value, RowFields), FileError> {
    let layout = match (request.layout, request.kind) {
        (Some(AnyLayout::Numbers(layout)), _) => layout,
        (Some(AnyLayout::Graph(_)), _) => {
            let names = text::quoted_list(layouts::number_names());
            return Err(wrong_layout(request, "the file contains numbers")
                .note(format!("the layouts of numbers are {names}")));
        }
        (Some(AnyLayout::Updates), _) | (None, Kind::Slice) => &NumberLayout::Records,
        (None, _) => &NumberLayout::Natural,
    };
    let LoadRequest { kind, file, max_bytes, wish, .. } = request;
    let by_rows = wish.by_rows() && kind == Kind::Table;
    let mut go_on = || reading.observer.stop().is_none();
    let mut options =
        LayoutOptions { by_rows, go_on: Some(&mut go_on), ..LayoutOptions::new(file, max_bytes) };
    let widths = reading.settings.widths.as_deref();
    reading.settings.note_fields();
    let laid_out = star_io::lay_out_numbers(layout, numbers, widths, &mut options);
    let laid_out = laid_out.map_err(|error| stopped(reading.observer, error))?;
    let value = from_table(laid_out.table, request)?;
    for note in &laid_out.notes {
        reading.observer.note(&format!("{file}: {note}"));
    }
    if !matches!(layout, NumberLayout::Code { .. } | NumberLayout::Codes { .. })
        && let Some(columns) = columns(&laid_out.fields)
    {
        let what = match (layout, numbers.shape) {
            (NumberLayout::Grid, Shape::Grid { .. }) => " of every cell",
            (
                NumberLayout::Grid
                | NumberLayout::Records
                | NumberLayout::Unsigned
                | NumberLayout::Present
                | NumberLayout::Natural
                | NumberLayout::Field(_)
                | NumberLayout::Code { .. }
                | NumberLayout::Codes { .. },
                Shape::Grid { .. } | Shape::List(_),
            ) => "",
        };
        reading.observer.note(&format!("{file}: {columns}{what}"));
    }
    let widths = laid_out.fields.into_iter().map(|(_, bits)| bits).collect();
    Ok((value, RowFields { fields: laid_out.chosen, widths }))
}

/// The number of fields whose columns a note gives.
const MAX_LISTED: usize = 100;

/// Returns the columns of the fields; `None` for one field of one bit, and without fields.
fn columns(fields: &[(String, usize)]) -> Option<String> {
    if matches!(fields, [] | [(_, 1)]) {
        return None;
    }
    let mut first = 1;
    let columns = fields.iter().map(|(name, bits)| {
        let (from, to) = (first, first + bits - 1);
        first += bits;
        let name = text::one_line(name);
        match bits {
            0 => format!("`{name}` in no column"),
            1 => format!("`{name}` in column {from}"),
            _ => format!("`{name}` in columns {from} to {to}"),
        }
    });
    Some(text::listed(columns, MAX_LISTED))
}
