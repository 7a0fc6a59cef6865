//! Numbers in the columns of a table: one in each row, with its most significant bit in the first
//! column.

use std::ops::Range;

use multiversion::multiversion;
use star_base::BitTable;

use crate::environment::{Ended, InterruptPoller};
use crate::reserved;

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
    let width = columns.len();
    for (place, column) in columns.enumerate() {
        poller.spend(numbers.len() / 16)?;
        let limbs = &mut lines.column_limbs_mut(column)[row / 64..];
        write_bit(limbs, numbers, width - 1 - place);
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
    let mut numbers = reserved(lines.n_rows())?;
    numbers.resize(lines.n_rows(), 0);
    for place in 0..width {
        poller.spend(numbers.len() / 16)?;
        read_bit(lines.column_limbs(first + place), &mut numbers, width - 1 - place);
    }
    Ok(numbers)
}

/// Transposes one bit of each number; bits beyond the 32 are zero.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn write_bit(limbs: &mut [u64], numbers: &[u32], bit: usize) {
    let bit = bit as u32;
    for (limb, numbers) in limbs.iter_mut().zip(numbers.chunks(64)) {
        let place =
            |(place, &number): (usize, &u32)| u64::from(number.unbounded_shr(bit) & 1) << place;
        *limb = numbers.iter().enumerate().map(place).fold(0, |limb, bit| limb | bit);
    }
}

#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn read_bit(limbs: &[u64], numbers: &mut [u32], bit: usize) {
    for (limb, numbers) in limbs.iter().zip(numbers.chunks_mut(64)) {
        for (place, number) in numbers.iter_mut().enumerate() {
            *number |= ((limb >> place & 1) as u32) << bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

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
    fn numbers_read_back() {
        let environment = crate::tests::Plain::default();
        let environment: &dyn Environment = &environment;
        let mut poller = InterruptPoller::new(environment);
        for (n, width) in [(0, 3), (1, 1), (65, 7), (130, 32)] {
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
