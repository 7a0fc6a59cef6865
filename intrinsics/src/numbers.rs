//! Numbers in the columns of a table: one in each row, with its most significant bit in the first
//! column.

use std::ops::Range;

use star_value::BitTable;

use crate::environment::{Ended, Environment, InterruptPoller};
use crate::reserved;
use crate::transpose::{BLOCKS, BYTE, COLUMNS, Planes, ROWS, read_blocks, write_blocks};

/// Numbers that are transposed between two polls.
const CHUNK: usize = ROWS * BLOCKS;

/// Writes a number for each row into `width` columns from column `first`, counted from 0.
///
/// # Errors
/// If the run is interrupted.
pub fn write_numbers(
    lines: &mut BitTable,
    first: usize,
    width: usize,
    numbers: &[u32],
    poller: &mut InterruptPoller<'_>,
) -> Result<(), Ended> {
    write_numbers_from(lines, 0, first..first + width, numbers, poller)
}

/// Writes a number for each of the rows from `row` on, a multiple of 64, into these columns. Bits
/// after the last number in its limb become zero.
///
/// # Errors
/// If the run is interrupted.
pub(crate) fn write_numbers_from(
    lines: &mut BitTable,
    row: usize,
    columns: Range<usize>,
    numbers: &[u32],
    poller: &mut InterruptPoller<'_>,
) -> Result<(), Ended> {
    let mut planes: Planes = [[0; BLOCKS]; COLUMNS];
    let planes = &mut planes[..columns.len().next_multiple_of(BYTE).min(COLUMNS)];
    for (chunk, numbers) in numbers.chunks(CHUNK).enumerate() {
        poller.spend(numbers.len() * columns.len() / 64)?;
        write_blocks(numbers, planes);
        let first = row / 64 + chunk * BLOCKS;
        let limbs = first..first + numbers.len().div_ceil(64);
        for (bit, column) in columns.clone().rev().enumerate() {
            let to = &mut lines.column_limbs_mut(column)[limbs.clone()];
            match planes.get(bit) {
                Some(plane) => to.copy_from_slice(&plane[..to.len()]),
                None => to.fill(0),
            }
        }
    }
    Ok(())
}

/// Writes a number for each row into all columns, at most 64.
///
/// # Errors
/// If the run is interrupted.
pub fn write_long_numbers(
    lines: &mut BitTable,
    number: impl Fn(usize) -> u64,
    poller: &mut InterruptPoller<'_>,
) -> Result<(), Ended> {
    let (n_rows, n_cols) = (lines.n_rows(), lines.n_cols());
    let n_high = n_cols.saturating_sub(COLUMNS);
    let mut half = [0; CHUNK];
    for first in (0..n_rows).step_by(CHUNK) {
        let half = &mut half[..(n_rows - first).min(CHUNK)];
        for (shift, columns) in [(0, n_high..n_cols), (u32::BITS, 0..n_high)] {
            for (row, half) in half.iter_mut().enumerate() {
                *half = (number(first + row) >> shift) as u32;
            }
            write_numbers_from(lines, first, columns, half, poller)?;
        }
    }
    Ok(())
}

/// Reads the number that each row has in `width` columns, at most 32, from column `first`, counted
/// from 0.
///
/// # Errors
/// If the run is interrupted or memory allocation fails; [`Ended::Internal`] if there are more
/// columns.
pub fn read_numbers(
    lines: &BitTable,
    first: usize,
    width: usize,
    poller: &mut InterruptPoller<'_>,
) -> Result<Vec<u32>, Ended> {
    if width > u32::BITS as usize {
        return Err(Ended::Internal("cannot read numbers of more than 32 bits"));
    }
    let columns = &limbs_of(lines, first, width);
    let mut numbers = reserved(lines.n_rows())?;
    // Memory that was never used is slower than this chunk: it is written only once.
    let mut chunk = [0; CHUNK];
    while numbers.len() < lines.n_rows() {
        let chunk = &mut chunk[..(lines.n_rows() - numbers.len()).min(CHUNK)];
        poller.spend(chunk.len() * width / 64)?;
        read_blocks(columns, numbers.len() / ROWS, chunk);
        numbers.extend_from_slice(chunk);
    }
    Ok(numbers)
}

/// Returns whether the numbers in the rows `among` are below `1 << n_bits`.
///
/// # Errors
/// If the run is interrupted.
pub fn are_below(
    lines: &BitTable,
    n_bits: usize,
    among: &[u64],
    environment: &dyn Environment,
) -> Result<bool, Ended> {
    for column in 0..lines.n_cols().saturating_sub(n_bits) {
        environment.poll()?;
        let limbs = lines.column_limbs(column).iter().zip(among);
        if limbs.into_iter().any(|(limb, among)| limb & among != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The limbs of all columns.
pub(crate) fn columns_of(lines: &BitTable) -> Vec<&[u64]> {
    limbs_of(lines, 0, lines.n_cols())
}

/// The limbs of `width` columns from column `first` on.
fn limbs_of(lines: &BitTable, first: usize, width: usize) -> Vec<&[u64]> {
    (first..first + width).map(|column| lines.column_limbs(column)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_beyond_32_are_zero_and_ignored() {
        let environment = crate::tests::Plain::default();
        let environment: &dyn Environment = &environment;
        let mut poller = InterruptPoller::new(environment);
        let mut table = BitTable::zeros(2, 34).unwrap();
        table.put(1, 0, true);
        write_numbers(&mut table, 0, 34, &[u32::MAX, 1], &mut poller).unwrap();
        assert_eq!(table.row(0).to_string(), format!("00{}", "1".repeat(32)));
        assert_eq!(table.row(1).to_string(), format!("{}1", "0".repeat(33)));
        let refused = read_numbers(&table, 0, 34, &mut poller);
        assert!(matches!(refused, Err(Ended::Internal(_))), "{refused:?}");
    }

    #[test]
    fn long_numbers_are_written_in_two_halves() {
        let environment = crate::tests::Plain::default();
        let mut poller = InterruptPoller::new(&environment);
        for (n, width) in [(0, 5), (1, 1), (70, 32), (5000, 33), (65, 62), (4097, 64)] {
            let number = |row| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width);
            let mut table = BitTable::zeros(n, width).unwrap();
            write_long_numbers(&mut table, number, &mut poller).unwrap();
            for row in 0..n {
                for column in 0..width {
                    let bit = number(row) >> (width - 1 - column) & 1 == 1;
                    assert_eq!(table.get(row, column), bit, "{n} numbers of {width} bits");
                }
            }
        }
    }

    #[test]
    fn numbers_read_back() {
        let environment = crate::tests::Plain::default();
        let environment: &dyn Environment = &environment;
        let mut poller = InterruptPoller::new(environment);
        for (n, width) in [(0, 3), (1, 1), (65, 7), (130, 32), (20_000, 9)] {
            let mut table = BitTable::zeros(n, width + 2).unwrap();
            let numbers: Vec<u32> =
                (0..n as u32).map(|row| row.wrapping_mul(0x9e37_79b9) >> (32 - width)).collect();
            write_numbers(&mut table, 1, width, &numbers, &mut poller).unwrap();
            assert_eq!(read_numbers(&table, 1, width, &mut poller).unwrap(), numbers);
            for (row, &number) in numbers.iter().enumerate() {
                assert_eq!(table.get(row, 1), number >> (width - 1) & 1 == 1);
                assert!(!table.get(row, 0) && !table.get(row, width + 1));
            }
        }
    }
}
