//! Ranges of columns, which tables go in and out by.

use std::ops::Range;

use star_base::BitTable;
use star_base::limbs::OutOfMemory;

use crate::backend::BackendError;

/// Limbs of a range of columns that goes in or out at once: 64 MiB.
const RANGE_LIMBS: usize = 1 << 23;

/// The columns of a table in ranges.
pub(crate) fn ranges(n_rows: usize, n_cols: usize) -> impl Iterator<Item = Range<usize>> {
    let at_once = (RANGE_LIMBS / n_rows.div_ceil(64).max(1)).max(1);
    (0..n_cols).step_by(at_once).map(move |start| start..n_cols.min(start + at_once))
}

/// No memory for so many bits of a table.
pub(crate) fn refused(n_rows: usize, n_cols: usize) -> BackendError {
    let n_bytes = n_rows.div_ceil(64) as u128 * 8 * n_cols as u128;
    BackendError::OutOfMemory(OutOfMemory { n_bytes })
}

/// Are these columns part of a table with so many?
///
/// # Errors
/// [`BackendError::Internal`] if they are not.
pub fn check_columns(columns: &Range<usize>, n_cols: usize) -> Result<(), BackendError> {
    if columns.start <= columns.end && columns.end <= n_cols {
        return Ok(());
    }
    let Range { start, end } = columns;
    Err(BackendError::Internal(format!("columns {start}..{end} of a table with {n_cols}")))
}

/// Do columns of so many rows fit into a table from `start` on?
///
/// # Errors
/// [`BackendError::Internal`] if they do not.
pub fn check_part(
    (n_rows, n_cols): (usize, usize),
    start: usize,
    part: &BitTable,
) -> Result<(), BackendError> {
    check_columns(&(start..start.saturating_add(part.n_cols())), n_cols)?;
    if part.n_rows() == n_rows {
        return Ok(());
    }
    let found = part.n_rows();
    Err(BackendError::Internal(format!("columns of {found} rows for a table with {n_rows}")))
}

/// The error for columns of what is no table.
pub fn no_table() -> BackendError {
    BackendError::Internal("columns of what is no table".to_owned())
}
