//! Transfer of tables by ranges of columns.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use star_value::{BitTable, OutOfMemory, TableRef, Value as HostValue};

use crate::backend::{Backend, BackendError, Part};

/// The usual [`Capabilities::part_bytes`](crate::Capabilities::part_bytes).
pub const PART_BYTES: u64 = 64 << 20;

/// Returns the number of columns of a part of a table, at least 1.
pub fn columns_at_once(n_rows: usize, part_bytes: u64) -> usize {
    let n_cols = part_bytes / (8 * n_rows.div_ceil(64) as u64).max(8);
    usize::try_from(n_cols).unwrap_or(usize::MAX).max(1)
}

/// Splits the columns of a table into parts of at most this number of bytes, or one column.
pub fn ranges(
    (n_rows, n_cols): (usize, usize),
    part_bytes: u64,
) -> impl Iterator<Item = Range<usize>> {
    let at_once = columns_at_once(n_rows, part_bytes);
    (0..n_cols).step_by(at_once).map(move |start| start..n_cols.min(start.saturating_add(at_once)))
}

/// Splits the columns of a table into the parts of this backend.
fn parts_of<B: Backend>(backend: &B, sizes: (usize, usize)) -> impl Iterator<Item = Range<usize>> {
    ranges(sizes, backend.caps().part_bytes.unwrap_or(PART_BYTES))
}

/// Returns the error that there is no memory for a table of this size.
pub(crate) fn refused(n_rows: usize, n_cols: usize) -> BackendError {
    let n_bytes = n_rows.div_ceil(64) as u128 * 8 * n_cols as u128;
    BackendError::OutOfMemory(OutOfMemory { n_bytes })
}

/// Returns the table by columns; another form is converted.
///
/// # Errors
/// If there is no memory for it.
pub fn by_columns(table: TableRef<'_>) -> Result<Cow<'_, BitTable>, BackendError> {
    let (n_rows, n_cols) = table.shape();
    table.to_columns().map_err(|_| refused(n_rows, n_cols))
}

/// Does what [`Backend::load`] does, range by range, for backends that do not reuse the host's
/// memory.
///
/// # Errors
/// As for [`Backend::load`].
pub fn load_by_ranges<B: Backend>(
    backend: &B,
    table: &BitTable,
    fixed: bool,
) -> Result<B::Value, BackendError> {
    let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
    let mut value = backend.load(HostValue::Unset, fixed)?;
    if n_cols == 0 {
        backend.load_columns(&mut value, n_cols, 0, table)?;
    }
    for range in parts_of(backend, (n_rows, n_cols)) {
        let part = BitTable::zeros(n_rows, range.len());
        let mut part = part.map_err(|_| refused(n_rows, n_cols))?;
        for (idx, col_idx) in range.clone().enumerate() {
            part.column_limbs_mut(idx).copy_from_slice(table.column_limbs(col_idx));
        }
        backend.load_columns(&mut value, n_cols, range.start, &part)?;
    }
    Ok(value)
}

/// Does what [`Backend::store`] does, range by range, for backends whose tables need not be
/// complete on the host.
///
/// # Errors
/// As for [`Backend::store`].
pub fn store_by_ranges<B: Backend>(
    backend: &B,
    value: &B::Value,
    (n_rows, n_cols): (usize, usize),
    interrupt: &AtomicBool,
) -> Result<BitTable, BackendError> {
    let mut table = BitTable::zeros(n_rows, n_cols).map_err(|_| refused(n_rows, n_cols))?;
    for range in parts_of(backend, (n_rows, n_cols)) {
        if interrupt.load(Ordering::Relaxed) {
            return Err(BackendError::Interrupted);
        }
        let part = backend.store(value, Part::Columns(range.clone()), interrupt)?;
        let part = part.columns().ok_or_else(no_table)?;
        for (idx, col_idx) in range.enumerate() {
            table.column_limbs_mut(col_idx).copy_from_slice(part.column_limbs(idx));
        }
    }
    Ok(table)
}

/// Checks that these columns are part of a table with `n_cols` columns.
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

/// Checks that columns of a table with `of` columns fit into a table from `start` on.
///
/// # Errors
/// [`BackendError::Internal`] if they do not.
pub fn check_part(
    (n_rows, n_cols): (usize, usize),
    of: usize,
    start: usize,
    part: &BitTable,
) -> Result<(), BackendError> {
    if of != n_cols {
        let why = format!("columns of a table with {of} for one with {n_cols}");
        return Err(BackendError::Internal(why));
    }
    check_columns(&(start..start.saturating_add(part.n_cols())), n_cols)?;
    if part.n_rows() == n_rows {
        return Ok(());
    }
    let found = part.n_rows();
    Err(BackendError::Internal(format!("columns of {found} rows for a table with {n_rows}")))
}

/// Returns the error for columns of a value that is not a table.
pub fn no_table() -> BackendError {
    BackendError::Internal("columns of a value that is not a table".to_owned())
}
