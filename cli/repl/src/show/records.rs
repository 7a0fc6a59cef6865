//! Tables of records: a line for each row, with the numbers of its fields below their names.

use star_compiler::session::{FieldKind, RecordField, RecordType};

use super::elide::{At, Places};
use super::grid::Grid;
use super::numbers::decimal;
use super::{Screen, titled};

/// Formats a table of records, without a final line break; `None` if it cannot be read.
pub(super) fn records(
    name: Option<&str>,
    of: &RecordType,
    grid: &dyn Grid,
    screen: Screen,
) -> Option<String> {
    let title = titled(name, &format!("table({}) of {of}", grid.n_rows()));
    let rows = Places::ends(0..grid.n_rows(), screen.rows);
    let gutter = rows.last().map_or(0, |row| (row + 1).to_string().len());
    let mut lines = vec![" ".repeat(gutter + 1)];
    lines.extend(rows.positions().map(|at| match at {
        At::Gap => format!(" {:>gutter$}", '…'),
        At::Destination(row) => format!(" {:>gutter$}", row + 1),
    }));
    let mut n_chars = gutter + 1;
    for field in &of.fields {
        let column = column(field, &rows, grid)?;
        let width = column.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        if n_chars + 2 + width + 2 > screen.width {
            lines[0].push_str(" …");
            break;
        }
        n_chars += 2 + width;
        for (line, text) in lines.iter_mut().zip(column) {
            line.push_str(&format!("  {text:>width$}"));
        }
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    Some(format!("{title}\n{}", lines.join("\n")))
}

/// Returns the name of a field, and its contents in the shown rows.
fn column(field: &RecordField, rows: &Places, grid: &dyn Grid) -> Option<Vec<String>> {
    let bits = grid.columns(field.columns.clone())?;
    let mut texts = vec![field.name.clone()];
    for at in rows.positions() {
        let At::Destination(row) = at else {
            texts.push(String::new());
            continue;
        };
        let bits: Vec<bool> = (0..bits.n_cols()).map(|column| bits.get(row, column)).collect();
        texts.push(match (field.kind, bits.first()) {
            (FieldKind::Bits, _) => bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect(),
            (FieldKind::Signed, Some(true)) => format!("-{}", decimal(negated(bits).into_iter())),
            (FieldKind::Unsigned | FieldKind::Signed, _) => decimal(bits.into_iter()),
        });
    }
    Some(texts)
}

/// Returns the negative of a number in two's complement.
fn negated(mut bits: Vec<bool>) -> Vec<bool> {
    let last_one = bits.iter().rposition(|bit| *bit).unwrap_or(0);
    bits[..last_one].iter_mut().for_each(|bit| *bit = !*bit);
    bits
}
