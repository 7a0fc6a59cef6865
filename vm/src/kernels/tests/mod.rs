//! Tests of every kernel, at every level that this machine supports, against bits in a `Vec<bool>`:
//! at lengths around limbs and blocks, and at random ones. Destinations are filled with a pattern
//! first.

mod elementwise;
mod extreme;
mod moves;
mod reduce;
mod tables;
mod words;

use proptest::prelude::*;
use star_base::Random;

use super::{
    BlockOp, BlockPlace, Kernels, Level, NARROWED_AT_ONCE, NUMBERED_COLUMNS, NUMBERED_LIMBS,
};

/// Lengths around the boundaries of limbs and blocks.
const LENGTHS: [usize; 20] = [
    0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513, 2047, 2048, 2049, 4096, 4097, 9001,
];

/// The initial content of destinations.
const DIRT: u64 = 0xdead_beef_0bad_cafe;

fn kernels() -> impl Iterator<Item = Kernels> {
    Level::supported().into_iter().map(|level| Kernels::at(level).unwrap())
}

/// Returns random bits, one in `1 << rarity` of which is one; a high rarity leaves long sequences
/// of zeros.
fn random_bits(random: &mut Random, len: usize, rarity: u32) -> Vec<bool> {
    (0..len).map(|_| random.next_u64() & ((1 << rarity) - 1) == 0).collect()
}

fn pack(bits: &[bool]) -> Vec<u64> {
    let mut limbs = vec![0; bits.len().div_ceil(64)];
    for (idx, &bit) in bits.iter().enumerate() {
        limbs[idx / 64] |= u64::from(bit) << (idx % 64);
    }
    limbs
}

/// Returns a destination filled with the pattern.
fn dirty(len: usize) -> Vec<u64> {
    vec![DIRT; len.div_ceil(64)]
}

/// Runs `check` at all lengths of the list, with all rarities, for a fixed seed.
fn at_all_lengths(mut check: impl FnMut(usize, u32, &mut Random)) {
    let mut random = Random::new(1);
    for len in LENGTHS {
        for rarity in [0, 1, 3, 10] {
            check(len, rarity, &mut random);
        }
    }
}

/// Runs `check` at random lengths.
fn at_random_lengths(check: impl Fn(usize, u32, &mut Random)) {
    proptest!(ProptestConfig::with_cases(64), |(len in 0..6000_usize, rarity in 0..12_u32, seed: u64)| {
        check(len, rarity, &mut Random::new(seed));
    });
}

/// Runs `check` at all lengths of the list and at random ones.
fn everywhere(check: impl Fn(usize, u32, &mut Random)) {
    at_all_lengths(&check);
    at_random_lengths(check);
}

#[test]
fn levels_are_ordered_and_the_highest_is_detected() {
    let supported = Level::supported();
    assert_eq!(supported.first(), Some(&Level::Baseline));
    assert!(supported.is_sorted());
    assert_eq!(supported.last(), Some(&Level::detect()));
    for level in supported {
        assert_eq!(Kernels::at(level).unwrap().level(), level, "{}", level.name());
    }
}
