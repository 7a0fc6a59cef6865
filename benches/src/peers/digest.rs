//! Digests of results, the same in every language: `benches/peers/line.py` and `adapter.h` have the
//! twins.
//!
//! The digest of numbers is the sum of one mixed number for each, modulo 2⁶⁴; number i is mixed
//! with its place. So it can be formed in any order and in wide instructions, and tells places as
//! well as values apart.

use star_value::{BitTable, BitVector};

/// What stands for "cannot be reached".
pub(super) const UNREACHABLE: u64 = u64::MAX;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A digest as it is built up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Digest {
    sum: u64,
    place: u64,
}

impl Digest {
    /// The next number.
    pub(super) fn push(&mut self, number: u64) {
        self.place = self.place.wrapping_add(GOLDEN);
        self.sum = self.sum.wrapping_add(mix(number.wrapping_add(self.place)));
    }

    /// Of numbers.
    pub(super) fn of(numbers: impl IntoIterator<Item = u64>) -> Self {
        let mut digest = Digest::default();
        numbers.into_iter().for_each(|number| digest.push(number));
        digest
    }

    /// Of the limbs of a column: bit i of limb k is row 64 k + i.
    pub(super) fn of_slice(slice: &BitVector) -> Self {
        Digest::of(slice.limbs().iter().copied())
    }

    /// Of the limbs of all columns, one after another.
    pub(super) fn of_columns(table: &BitTable) -> Self {
        Digest::of((0..table.n_cols()).flat_map(|col| table.column_limbs(col).iter().copied()))
    }

    /// Of bytes, eight at a time, the first the least; zeros behind the last ones.
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        let number = |chunk: &[u8]| {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(eight)
        };
        Digest::of(bytes.chunks(8).map(number))
    }

    /// What every adapter says at the beginning: that of the first hundred squares.
    pub(super) fn check() -> Self {
        Digest::of((0..100).map(|i| i * i))
    }

    /// Sixteen digits.
    pub(super) fn text(self) -> String {
        format!("{:016x}", self.sum)
    }
}

/// The end of SplitMix64.
fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those that the adapters in Python and C++ gave.
    #[test]
    fn digests_are_those_of_the_other_languages() {
        assert_eq!(Digest::check().text(), "0a1d63cdeefb1d00");
        assert_eq!(Digest::of([]).text(), "0000000000000000");
        assert_eq!(Digest::of([0]).text(), "e220a8397b1dcdaf");
    }

    #[test]
    fn places_and_values_count() {
        assert_ne!(Digest::of([1, 2]).text(), Digest::of([2, 1]).text());
        assert_ne!(Digest::of([1, 2]).text(), Digest::of([1, 2, 0]).text());
        assert_ne!(Digest::of([1]).text(), Digest::of([2]).text());
    }

    #[test]
    fn a_table_is_its_columns_in_order() {
        let table = BitTable::parse(&["011", "100"]).unwrap();
        assert_eq!(Digest::of_columns(&table), Digest::of([2, 1, 1]));
        assert_eq!(Digest::of_slice(&table.column(0)), Digest::of([2]));
    }

    #[test]
    fn bytes_are_numbers_of_eight() {
        assert_eq!(Digest::of_bytes(&[1, 0, 0, 0, 0, 0, 0, 0, 2]), Digest::of([1, 2]));
    }
}
