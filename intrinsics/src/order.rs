//! Rows of tables in the order of their numbers, by a radix sort, and the numbers and sums of rows
//! with equal numbers.

use star_value::BitTable;

use crate::environment::{Ended, Environment, InterruptPoller};
use crate::numbers::{columns_of, read_numbers, write_numbers};
use crate::transpose::{BLOCKS, COLUMNS, ROWS, read_blocks};
use crate::{filled, ones, reserved};

/// Maximum number of bits of a digit: its counts take half of the first cache.
const DIGIT: usize = 12;

/// Rows between two polls.
const CHUNK: usize = 1 << 16;

/// Maximum number of rows of a table.
pub const MOST_ORDERED_ROWS: usize = (1 << 31) - 1;

/// The marked rows of a table, sorted by all digits of their numbers but the first; equal rows keep
/// their order. The results below sort them by that digit.
#[derive(Debug)]
pub struct OrderedRows {
    /// The number of each row in the upper half, and the row in the lower one.
    pairs: Vec<u64>,
    /// The first bit of the first digit in a pair, and the number of its bits.
    first_digit: (usize, usize),
}

impl OrderedRows {
    /// Bytes for sorting `n_marked` of `n_rows` rows, and for one of the results below.
    pub fn n_bytes(n_rows: usize, n_marked: usize) -> u64 {
        let (n_rows, n_marked) = (n_rows as u64, n_marked as u64);
        8_u64.saturating_mul(n_rows).saturating_add(20_u64.saturating_mul(n_marked))
    }

    /// Sorts the rows in `among` of a table with at most 32 columns.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn new(
        table: &BitTable,
        among: &[u64],
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let width = table.n_cols();
        let numbers = read_numbers(table, 0, width, &mut InterruptPoller::new(environment))?;
        let n_marked = among.iter().map(|limb| limb.count_ones() as usize).sum();
        let mut pairs: Vec<u64> = reserved(n_marked)?;
        let pair = |row: usize| u64::from(numbers[row]) << 32 | row as u64;
        match n_marked == numbers.len() {
            true => pairs.extend((0..n_marked).map(pair)),
            false => pairs.extend(ones(among).map(pair)),
        }
        let n_digits = width.div_ceil(DIGIT).max(1);
        let bits = width.div_ceil(n_digits);
        let mut sorted = filled(if n_digits > 1 { n_marked } else { 0 }, 0)?;
        for digit in 0..n_digits - 1 {
            let shift = 32 + digit * bits;
            distribute(&pairs, (shift, bits), environment, |place, pair| sorted[place] = pair)?;
            std::mem::swap(&mut pairs, &mut sorted);
        }
        Ok(OrderedRows { pairs, first_digit: (32 + (n_digits - 1) * bits, bits) })
    }

    /// Calls `put` with the place of each row, from 0, and the row.
    fn each(
        &self,
        environment: &dyn Environment,
        mut put: impl FnMut(usize, usize),
    ) -> Result<(), Ended> {
        let put = |place, pair: u64| put(place, pair as u32 as usize);
        distribute(&self.pairs, self.first_digit, environment, put)
    }

    /// Writes the position of each row, from 1, to that row of `to`, and 0 to the others.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn write_positions(
        &self,
        to: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let mut positions = filled(to.n_rows(), 0)?;
        self.each(environment, |place, row| positions[row] = place as u32 + 1)?;
        let width = to.n_cols();
        write_numbers(to, 0, width, &positions, &mut InterruptPoller::new(environment))
    }

    /// Writes these rows of `from` to the first rows of `to`, and zeros to the others.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn write_rows(
        &self,
        from: &BitTable,
        to: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let mut poller = InterruptPoller::new(environment);
        let mut rows: Vec<u32> = filled(self.pairs.len(), 0)?;
        self.each(environment, |place, row| rows[place] = row as u32)?;
        let mut moved = filled(to.n_rows(), 0)?;
        for first in (0..from.n_cols()).step_by(COLUMNS) {
            let width = (from.n_cols() - first).min(COLUMNS);
            let numbers = read_numbers(from, first, width, &mut poller)?;
            for (moved, rows) in moved.chunks_mut(CHUNK).zip(rows.chunks(CHUNK)) {
                environment.poll()?;
                for (moved, row) in moved.iter_mut().zip(rows) {
                    *moved = numbers[*row as usize];
                }
            }
            write_numbers(to, first, width, &moved, &mut poller)?;
        }
        Ok(())
    }
}

/// Calls `put` with the place, from 0, that each pair has in the order of the digit of these bits,
/// and with the pair; those with equal digits keep their order.
fn distribute(
    pairs: &[u64],
    (shift, bits): (usize, usize),
    environment: &dyn Environment,
    mut put: impl FnMut(usize, u64),
) -> Result<(), Ended> {
    let digit = |pair: u64| (pair >> shift) as usize & ((1 << bits) - 1);
    let mut places = [0_u32; 1 << DIGIT];
    for pairs in pairs.chunks(CHUNK) {
        environment.poll()?;
        pairs.iter().for_each(|pair| places[digit(*pair)] += 1);
    }
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    for pairs in pairs.chunks(CHUNK) {
        environment.poll()?;
        for pair in pairs {
            let place = &mut places[digit(*pair)];
            put(*place as usize, *pair);
            *place += 1;
        }
    }
    Ok(())
}

/// Counts the rows in `among`, of a table with at most 32 columns, with each number below `n`.
///
/// # Errors
/// If memory allocation fails, or the run is interrupted.
pub fn count_numbers(
    table: &BitTable,
    among: &[u64],
    n: usize,
    environment: &dyn Environment,
) -> Result<Vec<u32>, Ended> {
    let mut counts: Vec<u32> = filled(n, 0)?;
    each_row([table], among, environment, |[number]| {
        if let Some(count) = counts.get_mut(number as usize) {
            *count += 1;
        }
    })?;
    Ok(counts)
}

/// Sums the numbers in `added` of the rows in `among` of a table with each number below `n`; both
/// tables have at most 32 columns, and fewer than 2^31 rows.
///
/// # Errors
/// If memory allocation fails, or the run is interrupted.
pub fn sum_numbers(
    table: &BitTable,
    added: &BitTable,
    among: &[u64],
    n: usize,
    environment: &dyn Environment,
) -> Result<Vec<u64>, Ended> {
    let mut sums: Vec<u64> = filled(n, 0)?;
    each_row([table, added], among, environment, |[number, added]| {
        if let Some(sum) = sums.get_mut(number as usize) {
            *sum += u64::from(added);
        }
    })?;
    Ok(sums)
}

/// Calls `each` with the numbers that each row in `among` has in some tables of at most 32 columns.
/// The numbers of a block of rows are used while they are in a cache.
fn each_row<const N: usize>(
    tables: [&BitTable; N],
    among: &[u64],
    environment: &dyn Environment,
    mut each: impl FnMut([u32; N]),
) -> Result<(), Ended> {
    let columns = tables.map(columns_of);
    let mut numbers = [[0; ROWS * BLOCKS]; N];
    for (idx, among) in among.chunks(BLOCKS).enumerate() {
        environment.poll()?;
        for ((table, columns), numbers) in tables.iter().zip(&columns).zip(&mut numbers) {
            let n_rows = (table.n_rows() - idx * ROWS * BLOCKS).min(ROWS * BLOCKS);
            read_blocks(columns, idx * BLOCKS, &mut numbers[..n_rows]);
        }
        let mut each = |row: usize| each(numbers.each_ref().map(|numbers| numbers[row]));
        for (block, limb) in among.iter().enumerate() {
            match *limb {
                u64::MAX => (block * ROWS..(block + 1) * ROWS).for_each(&mut each),
                limb => ones(&[limb]).for_each(|row| each(block * ROWS + row)),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_keep_their_order_and_are_counted_and_summed() {
        let environment = crate::tests::Plain::default();
        let mut poller = InterruptPoller::new(&environment);
        for width in [1, 5, 12, 13, 24, 32] {
            // Two blocks and a part of one.
            let n = 9000;
            let mut table = BitTable::zeros(n, width).unwrap();
            let numbers: Vec<u32> = (0..n as u32)
                .map(|row| (row % 700).wrapping_mul(0x9e37_79b9) >> (32 - width))
                .collect();
            write_numbers(&mut table, 0, width, &numbers, &mut poller).unwrap();
            // Whole limbs and others.
            let mut among: Vec<u64> =
                (0..n.div_ceil(64)).map(|limb| !((limb as u64 % 3) << (limb % 64))).collect();
            among[n / 64] &= !(!0 << (n % 64));
            let mut expected: Vec<usize> = ones(&among).collect();
            expected.sort_by_key(|row| numbers[*row]);
            let ordered = OrderedRows::new(&table, &among, &environment).unwrap();
            let mut found = vec![0; expected.len()];
            ordered.each(&environment, |place, row| found[place] = row).unwrap();
            assert_eq!(found, expected, "{width}");
            let counts = count_numbers(&table, &among, 4, &environment).unwrap();
            let added: Vec<u32> = (0..n as u32).map(|row| row.wrapping_mul(0x85eb_ca6b)).collect();
            let mut addends = BitTable::zeros(n, 32).unwrap();
            write_numbers(&mut addends, 0, 32, &added, &mut poller).unwrap();
            let sums = sum_numbers(&table, &addends, &among, 4, &environment).unwrap();
            let (mut expected_counts, mut expected_sums) = ([0; 4], [0; 4]);
            for row in expected {
                let number = numbers[row] as usize;
                if number < 4 {
                    expected_counts[number] += 1;
                    expected_sums[number] += u64::from(added[row]);
                }
            }
            assert_eq!(counts, expected_counts, "{width}");
            assert_eq!(sums, expected_sums, "{width}");
        }
    }
}
