//! Operations on tables. T(i, j) in the definitions is bit j of row i, both from 1.

use star_ir::Sense;

use super::bits::{bit, part, place, same_size, size};
use super::value::Table;
use crate::budget::MemoryBudget;
use crate::interrupt::Exec;

/// COL: z(i) = T(i, index).
pub(super) fn column(budget: &mut MemoryBudget<'_>, table: &Table, index: i64) -> Exec<Vec<bool>> {
    let column = &table.columns[place(index, table.columns.len())?];
    budget.make(table.rows, |idx| column[idx])
}

/// ROW: z(j) = T(index, j).
pub(super) fn row(budget: &mut MemoryBudget<'_>, table: &Table, index: i64) -> Exec<Vec<bool>> {
    let row_idx = place(index, table.rows)?;
    budget.make(table.columns.len(), |idx| table.columns[idx][row_idx])
}

/// T(row, column).
pub(super) fn get(table: &Table, row: i64, column: i64) -> Exec<bool> {
    let row_idx = place(row, table.rows)?;
    let col_idx = place(column, table.columns.len())?;
    Ok(table.columns[col_idx][row_idx])
}

/// Columns `base + 1 ..= base + width`: F(i, j) = T(i, base + j).
pub(super) fn field(
    budget: &mut MemoryBudget<'_>,
    table: &Table,
    base: i64,
    width: i64,
) -> Exec<Table> {
    let places = part(base, size(width)?, table.columns.len())?;
    budget.make_table(table.rows, places.len(), |row_idx, col_idx| {
        table.columns[places.start + col_idx][row_idx]
    })
}

/// Z(i, j) = 0.
pub(super) fn zeros(budget: &mut MemoryBudget<'_>, rows: usize, columns: usize) -> Exec<Table> {
    budget.make_table(rows, columns, |_, _| false)
}

/// MIN, MAX: the rows marked in `mask` that hold the least or greatest number among them. The
/// columns are processed from the most significant one; whenever some of the remaining rows have
/// the better bit there, the others are removed.
pub(super) fn extreme(
    budget: &mut MemoryBudget<'_>,
    table: &Table,
    mask: &[bool],
    sense: Sense,
) -> Exec<Vec<bool>> {
    same_size(table.rows, mask.len())?;
    let better = matches!(sense, Sense::Max);
    let mut left = budget.make(mask.len(), |idx| mask[idx])?;
    for column in &table.columns {
        let best = budget.make(mask.len(), |idx| left[idx] && column[idx] == better)?;
        if best.contains(&true) {
            left = best;
        }
    }
    Ok(left)
}

/// T(i, index) becomes x(i).
pub(super) fn put_column(table: &mut Table, index: i64, x: &[bool]) -> Exec<()> {
    let col_idx = place(index, table.columns.len())?;
    same_size(table.rows, x.len())?;
    table.columns[col_idx].copy_from_slice(x);
    Ok(())
}

/// T(index, j) becomes w(j).
pub(super) fn put_row(table: &mut Table, index: i64, w: &[bool]) -> Exec<()> {
    let row_idx = place(index, table.rows)?;
    same_size(table.columns.len(), w.len())?;
    for (column, &bit) in table.columns.iter_mut().zip(w) {
        column[row_idx] = bit;
    }
    Ok(())
}

/// T(row, column) becomes the given number.
pub(super) fn put_bit(table: &mut Table, row: i64, column: i64, number: i64) -> Exec<()> {
    let row_idx = place(row, table.rows)?;
    let col_idx = place(column, table.columns.len())?;
    table.columns[col_idx][row_idx] = bit(number)?;
    Ok(())
}

/// T(i, base + j) becomes F(i, j).
pub(super) fn put_field(
    budget: &MemoryBudget<'_>,
    table: &mut Table,
    base: i64,
    field: &Table,
) -> Exec<()> {
    same_size(table.rows, field.rows)?;
    let places = part(base, field.columns.len(), table.columns.len())?;
    for (column, new) in table.columns[places].iter_mut().zip(&field.columns) {
        budget.poll()?;
        column.copy_from_slice(new);
    }
    Ok(())
}

/// Appends columns of zeros up to `columns`; does nothing if the table already has that number.
pub(super) fn ensure_columns(
    budget: &mut MemoryBudget<'_>,
    table: &mut Table,
    columns: usize,
) -> Exec<()> {
    let missing = columns.saturating_sub(table.columns.len());
    budget.add_columns(table, missing, |_, _| false)
}
