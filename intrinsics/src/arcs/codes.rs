//! Counts of codes, and rows of tables by codes.

use multiversion::multiversion;
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
            look_up(&numbers, rows);
            write_numbers_from(to, first, columns.clone(), rows, &mut poller)?;
        }
    }
    Ok(true)
}

/// Replaces each position in `numbers` by the number there, and [`NONE`] by 0. The compiler uses
/// gather instructions.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn look_up(numbers: &[u32], positions: &mut [u32]) {
    for position in positions {
        *position = numbers.get(*position as usize).copied().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;

    use super::*;
    use crate::numbers::write_numbers;
    use crate::tests::Plain;

    #[test]
    fn rows_are_gathered_over_several_chunks() {
        let environment = Plain::default();
        let mut random = Random::new(47);
        // Two groups of columns; two chunks and a part of one.
        let (m, width, n) = (700, 40, 2 * CHUNK + 100);
        let mut from = BitTable::zeros(m, width).unwrap();
        for (row, column) in (0..m).flat_map(|row| (0..width).map(move |column| (row, column))) {
            from.put(row, column, random.below(2) == 1);
        }
        // Whole limbs and others.
        let mut among: Vec<u64> =
            (0..n.div_ceil(64)).map(|limb| !((limb as u64 % 3) << (limb % 64))).collect();
        among[n / 64] &= !(!0 << (n % 64));
        let is_marked = |row: usize| among[row / 64] >> (row % 64) & 1 == 1;
        // Rows that are not marked may have any numbers.
        let number = |row| match is_marked(row) {
            true => random.below(m) as u32 + 1,
            false => random.below(1024) as u32,
        };
        let mut numbers: Vec<u32> = (0..n).map(number).collect();
        let marked = (CHUNK..n).find(|row| is_marked(*row)).unwrap();
        for (number, is_row) in [(1, true), (m, true), (0, false), (m + 1, false)] {
            numbers[marked] = number as u32;
            let mut codes = BitTable::zeros(n, 10).unwrap();
            let mut poller = InterruptPoller::new(&environment);
            write_numbers(&mut codes, 0, 10, &numbers, &mut poller).unwrap();
            let mut to = BitTable::zeros(n, width).unwrap();
            let gathered = gather(&from, &codes, &among, &mut to, &environment).unwrap();
            assert_eq!(gathered, is_row, "{number}");
            for row in (0..n).filter(|_| is_row) {
                let expected = match is_marked(row) {
                    true => from.row(numbers[row] as usize - 1).to_string(),
                    false => "0".repeat(width),
                };
                assert_eq!(to.row(row).to_string(), expected, "row {row}");
            }
        }
    }
}
