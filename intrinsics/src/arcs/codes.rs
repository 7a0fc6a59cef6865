//! Counts of codes, and rows of tables by codes.

use star_value::BitTable;

use super::{CHUNK, NONE, number};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::filled;
use crate::numbers::{columns_of, read_numbers, write_numbers_from};
use crate::transpose::{COLUMNS, ROWS, read_blocks};

/// Counts the rows in `among` with each code from 1 to `n`. `None` if one has another code.
///
/// # Errors
/// If memory allocation fails, or the run is interrupted.
pub fn count_codes(
    codes: &BitTable,
    among: &[u64],
    n: usize,
    environment: &dyn Environment,
) -> Result<Option<Vec<u32>>, Ended> {
    let mut counts: Vec<u32> = filled(n, 0)?;
    let (columns, n_rows) = (columns_of(codes), codes.n_rows());
    let mut vertices = [0; CHUNK];
    for first in (0..n_rows).step_by(CHUNK) {
        environment.poll()?;
        let vertices = &mut vertices[..(n_rows - first).min(CHUNK)];
        read_blocks(&columns, first / ROWS, vertices);
        if !number(among, n, first, vertices) {
            return Ok(None);
        }
        for vertex in vertices.iter().filter(|vertex| **vertex != NONE) {
            counts[*vertex as usize] += 1;
        }
    }
    Ok(Some(counts))
}

/// Copies to each row of `to` that is in `among` the row of `from` with the number in this row of
/// `codes`, from 1. Returns false if there is no such row; then some rows may be copied.
///
/// # Errors
/// If memory allocation fails, or the run is interrupted.
pub fn gather(
    from: &BitTable,
    codes: &BitTable,
    among: &[u64],
    to: &mut BitTable,
    environment: &dyn Environment,
) -> Result<bool, Ended> {
    let mut poller = InterruptPoller::new(environment);
    let (code_columns, n_rows, width) = (columns_of(codes), codes.n_rows(), from.n_cols());
    let mut rows = [0; CHUNK];
    for start in (0..width).step_by(COLUMNS) {
        let columns = start..width.min(start + COLUMNS);
        let numbers = read_numbers(from, start, columns.len(), &mut poller)?;
        for first in (0..n_rows).step_by(CHUNK) {
            let rows = &mut rows[..(n_rows - first).min(CHUNK)];
            poller.spend(rows.len() / 8)?;
            read_blocks(&code_columns, first / ROWS, rows);
            if !number(among, numbers.len(), first, rows) {
                return Ok(false);
            }
            for row in &mut *rows {
                *row = numbers.get(*row as usize).copied().unwrap_or(0);
            }
            write_numbers_from(to, first, columns.clone(), rows, &mut poller)?;
        }
    }
    Ok(true)
}
