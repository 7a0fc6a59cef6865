//! Rows of a table that are among those of another one.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use multiversion::multiversion;
use star_value::BitTable;

use crate::environment::{Ended, Environment, InterruptPoller};
use crate::numbers::{columns_of, read_numbers};
use crate::transpose::{BLOCKS, COLUMNS, ROWS, read_blocks};
use crate::{filled, ones};

/// Bits of a filter for each word: of the words that are not in the set, one in 16 passes it.
const BITS_OF_WORD: usize = 16;

/// A set of words of equal widths.
///
/// Most rows are not in it, so each is first looked up in a filter, a bit for each hash of a word,
/// which stays in a cache; words of few bits are their own hashes.
#[derive(Debug)]
pub struct WordSet {
    width: usize,
    filter: Vec<u64>,
    /// The number of bits of a hash: the filter has 2 to its power.
    n_hash_bits: u32,
    /// All words; none if the filter is exact.
    words: HashSet<u64, BuildHasherDefault<Multiply>>,
}

impl WordSet {
    /// Maximum number of bits of a word.
    pub const MAX_WIDTH: usize = u64::BITS as usize;

    /// Bytes for the set of the rows of a table with this number of rows.
    pub fn n_bytes(n_rows: usize) -> u64 {
        // A row takes 8 bytes as a word, 4 as a number, at most 4 in the filter, and in the hash
        // table, which has fewer than 16/7 places for a word, about 21.
        (n_rows as u64).saturating_mul(64).saturating_add(1 << 12)
    }

    /// The set of the rows of a table with at most [`WordSet::MAX_WIDTH`] columns.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn of_rows(table: &BitTable, environment: &dyn Environment) -> Result<Self, Ended> {
        let (width, mut poller) = (table.n_cols(), InterruptPoller::new(environment));
        let mut words: Vec<u64> = filled(table.n_rows(), 0)?;
        for first in (0..width).step_by(COLUMNS) {
            let n_cols = (width - first).min(COLUMNS);
            let numbers = read_numbers(table, first, n_cols, &mut poller)?;
            for (word, number) in words.iter_mut().zip(numbers) {
                *word = *word << n_cols | u64::from(number);
            }
        }
        let n_bits = words.len().saturating_mul(BITS_OF_WORD).next_power_of_two();
        let n_hash_bits = n_bits.trailing_zeros().clamp(12, u32::BITS);
        let filter = filled(1 << (n_hash_bits - 6), 0)?;
        let mut set = WordSet { width, filter, n_hash_bits, words: HashSet::default() };
        if !set.is_exact() {
            set.words.try_reserve(words.len()).map_err(|_| Ended::OutOfMemory)?;
        }
        for word in words {
            let hash = set.hash(word);
            set.filter[hash / 64] |= 1 << (hash % 64);
            if !set.is_exact() {
                set.words.insert(word);
            }
        }
        Ok(set)
    }

    /// Is every word its own hash?
    fn is_exact(&self) -> bool {
        self.width <= self.n_hash_bits as usize
    }

    fn hash(&self, word: u64) -> usize {
        match self.is_exact() {
            true => word as usize,
            false => hash(word, self.n_hash_bits) as usize,
        }
    }

    /// Marks the rows of a table, among those marked in `among`, that are in the set.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    pub fn mark(
        &self,
        table: &BitTable,
        among: &[u64],
        marks: &mut [u64],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let columns = columns_of(table);
        let (high, low) = columns.split_at(self.width.saturating_sub(COLUMNS));
        environment.fill(marks, &|start, part| {
            let [mut numbers, mut upper, mut hashes] = [[0; BLOCKS * ROWS]; 3];
            for (block, marks) in part.chunks_mut(BLOCKS).enumerate() {
                let (first, n_rows) = (start + block * BLOCKS, marks.len() * ROWS);
                let numbers = &mut numbers[..n_rows];
                read_blocks(low, first, numbers);
                if self.is_exact() {
                    look_up(&self.filter, numbers, marks);
                } else {
                    let upper = &mut upper[..n_rows];
                    read_blocks(high, first, upper);
                    hash_all(upper, numbers, self.n_hash_bits, &mut hashes[..n_rows]);
                    look_up(&self.filter, &hashes[..n_rows], marks);
                }
                for (limb, (mark, among)) in marks.iter_mut().zip(&among[first..]).enumerate() {
                    *mark &= among;
                    if !self.is_exact() {
                        for bit in ones(&[*mark]) {
                            let row = limb * ROWS + bit;
                            let is_there = self.words.contains(&word(upper[row], numbers[row]));
                            *mark &= !(u64::from(!is_there) << bit);
                        }
                    }
                }
            }
        })
    }
}

/// The word of these halves.
#[inline(always)]
fn word(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << u32::BITS | u64::from(lower)
}

/// The first bits of a word that is mixed.
#[inline(always)]
fn hash(word: u64, n_bits: u32) -> u32 {
    (mixed(word) >> (u64::BITS - n_bits)) as u32
}

/// Hashes the words of these halves.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn hash_all(upper: &[u32], lower: &[u32], n_bits: u32, hashes: &mut [u32]) {
    for ((to, upper), lower) in hashes.iter_mut().zip(upper).zip(lower) {
        *to = hash(word(*upper, *lower), n_bits);
    }
}

/// Marks the rows whose hashes are in the filter.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn look_up(filter: &[u64], hashes: &[u32], marks: &mut [u64]) {
    for (mark, hashes) in marks.iter_mut().zip(hashes.as_chunks::<ROWS>().0) {
        *mark = 0;
        for (row, hash) in hashes.iter().enumerate() {
            *mark |= (filter[*hash as usize / 64] >> (hash % 64) & 1) << row;
        }
    }
}

/// A number whose upper bits depend on all bits of a word.
#[inline(always)]
fn mixed(word: u64) -> u64 {
    (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Hashes a word by one multiplication.
#[derive(Debug, Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let product = mixed(self.0 ^ word);
        self.0 = product ^ product >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::write_numbers;
    use crate::ones;

    /// A table of these numbers in columns of the given width.
    fn table(width: usize, numbers: &[u64]) -> BitTable {
        let environment = crate::tests::Plain::default();
        let mut poller = InterruptPoller::new(&environment);
        let mut table = BitTable::zeros(numbers.len(), width).unwrap();
        let low = width.min(32);
        let part = |shift: usize| -> Vec<u32> {
            numbers.iter().map(|number| (number >> shift) as u32).collect()
        };
        let mask = |part: Vec<u32>, width: usize| -> Vec<u32> {
            part.into_iter().map(|number| number & (u32::MAX >> (32 - width))).collect()
        };
        if width > low {
            write_numbers(&mut table, 0, width - low, &mask(part(low), width - low), &mut poller)
                .unwrap();
        }
        write_numbers(&mut table, width - low, low, &mask(part(0), low), &mut poller).unwrap();
        table
    }

    #[test]
    fn rows_of_a_set_are_marked() {
        let environment = crate::tests::Plain::default();
        for width in [1, 2, 5, 12, 31, 32, 33, 64] {
            let mask = u64::MAX >> (64 - width);
            let number = |row: u64| row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3 & mask;
            for n in [0, 1, 63, 512, 4200] {
                let rows: Vec<u64> = (0..n).map(|row| number(row % 700)).collect();
                let among: Vec<u64> = (0..n.div_ceil(64)).map(|limb| !(1 << (limb % 64))).collect();
                for m in [0, 1, 2, 40, 300] {
                    // The numbers of rows alternate with other numbers.
                    let words: Vec<u64> =
                        (0..m).map(|word| number(word / 2 * (1 + word % 2 * 1000))).collect();
                    let set = WordSet::of_rows(&table(width, &words), &environment).unwrap();
                    let mut marks = vec![!0; n.div_ceil(64) as usize];
                    set.mark(&table(width, &rows), &among, &mut marks, &environment).unwrap();
                    let expected: Vec<usize> = ones(&among)
                        .filter(|row| rows.get(*row).is_some_and(|row| words.contains(row)))
                        .collect();
                    let found: Vec<usize> = ones(&marks).filter(|row| *row < rows.len()).collect();
                    assert_eq!(found, expected, "{m} words of {width} bits in {n} rows");
                }
            }
        }
    }

    #[test]
    fn words_with_equal_hashes_are_told_apart() {
        let environment = crate::tests::Plain::default();
        let set = WordSet::of_rows(&table(64, &[1, 5]), &environment).unwrap();
        let twin = (2..).find(|word| *word != 5 && set.hash(*word) == set.hash(1)).unwrap();
        let mut marks = [0];
        set.mark(&table(64, &[5, twin, 1, 7]), &[0b1111], &mut marks, &environment).unwrap();
        assert_eq!(marks, [0b101]);
    }
}
