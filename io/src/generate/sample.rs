//! A given number of different numbers below a bound, all sets equally likely.
//!
//! Numbers are drawn until there are enough different ones. If many of all numbers are wanted, the
//! set is a bitmap; otherwise numbers are drawn block by block (see Note [Blocks]), so that they
//! are generated in ascending order without a long uninterruptible sort.
//!
//! Note [Blocks]. The range is divided into blocks of equal length. A first pass draws the
//! requested number of numbers and only counts them by block; a second pass draws that many numbers
//! inside each block and sorts them. The result is distributed as if each number were drawn at
//! once. Duplicates leave a few numbers to be drawn individually.

use std::collections::BTreeSet;

use star_value::BitVector;

use super::pacer::Pacer;
use super::random::Random;
use crate::error::Fault;

/// Average number of numbers in a block.
const BLOCK: u64 = 1 << 12;
/// Maximum number of bitmap bits per number.
const BITS_PER_NUMBER: u64 = 64;

/// Maximum memory of [`ascending`] in bytes, including its result.
pub(super) fn bytes(n_wanted: u64) -> u128 {
    // The result, and either the bitmap, or the block counts and the numbers drawn individually
    // (1/128 of all).
    u128::from(n_wanted) * (8 + BITS_PER_NUMBER as u128 / 8) + (1 << 16)
}

/// `n_wanted` different numbers below `bound`, in ascending order. `n_wanted` is at most half of
/// `bound`.
pub(super) fn ascending(
    bound: u64,
    n_wanted: u64,
    random: &mut Random,
    pacer: &mut Pacer<'_, '_>,
) -> Result<Vec<u64>, Fault> {
    let mut numbers = pacer.reserved(n_wanted)?;
    if bound / BITS_PER_NUMBER < n_wanted {
        by_bits(bound, n_wanted, &mut numbers, random, pacer)?;
    } else {
        by_blocks(bound, n_wanted, &mut numbers, random, pacer)?;
    }
    Ok(numbers)
}

fn by_bits(
    bound: u64,
    n_wanted: u64,
    numbers: &mut Vec<u64>,
    random: &mut Random,
    pacer: &mut Pacer<'_, '_>,
) -> Result<(), Fault> {
    let out_of_memory = || pacer.out_of_memory(u128::from(bound / 8));
    let len = usize::try_from(bound).map_err(|_| out_of_memory())?;
    let mut drawn = BitVector::try_zeros(len).map_err(|_| out_of_memory())?;
    let mut n_missing = n_wanted;
    while n_missing > 0 {
        let number = random.below(bound) as usize;
        let limb = &mut drawn.limbs_mut()[number / 64];
        let bit = 1 << (number % 64);
        n_missing -= u64::from(*limb & bit == 0);
        *limb |= bit;
        pacer.step()?;
    }
    for (limb_idx, &limb) in drawn.limbs().iter().enumerate() {
        let mut rest = limb;
        while rest != 0 {
            numbers.push(limb_idx as u64 * 64 + u64::from(rest.trailing_zeros()));
            rest &= rest - 1;
        }
        pacer.step()?;
    }
    Ok(())
}

fn by_blocks(
    bound: u64,
    n_wanted: u64,
    numbers: &mut Vec<u64>,
    random: &mut Random,
    pacer: &mut Pacer<'_, '_>,
) -> Result<(), Fault> {
    let n_blocks = n_wanted / BLOCK + 1;
    let block_len = bound.div_ceil(n_blocks).max(1);
    let mut counts = pacer.filled(n_blocks, 0u32)?;
    for _ in 0..n_wanted {
        counts[(random.below(bound) / block_len) as usize] += 1;
        pacer.step()?;
    }
    let mut block = Vec::new();
    for (start, count) in (0..bound).step_by(block_len as usize).zip(counts) {
        let len = block_len.min(bound - start);
        block.clear();
        block.extend((0..count).map(|_| start + random.below(len)));
        block.sort_unstable();
        block.dedup();
        numbers.extend_from_slice(&block);
        pacer.steps(u64::from(count) + 1)?;
    }
    let mut others = BTreeSet::new();
    while ((numbers.len() + others.len()) as u64) < n_wanted {
        let number = random.below(bound);
        if numbers.binary_search(&number).is_err() {
            others.insert(number);
        }
        pacer.steps(8)?;
    }
    merge(numbers, others, pacer)
}

/// Merges numbers into a sorted list from the end, so that each number is moved once.
fn merge(
    numbers: &mut Vec<u64>,
    others: BTreeSet<u64>,
    pacer: &mut Pacer<'_, '_>,
) -> Result<(), Fault> {
    let mut n_left = numbers.len();
    numbers.resize(n_left + others.len(), 0);
    let mut end = numbers.len();
    for other in others.into_iter().rev() {
        while n_left > 0 && numbers[n_left - 1] > other {
            (n_left, end) = (n_left - 1, end - 1);
            numbers[end] = numbers[n_left];
            pacer.step()?;
        }
        end -= 1;
        numbers[end] = other;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::GenerateOptions;
    use super::super::random::Purpose;
    use super::*;

    fn draw(bound: u64, n_wanted: u64, seed: u64) -> Vec<u64> {
        let mut options = GenerateOptions::new(seed, 1 << 30);
        let mut random = Random::new(seed, Purpose::Shape);
        ascending(bound, n_wanted, &mut random, &mut Pacer::new(&mut options)).unwrap()
    }

    #[test]
    fn numbers_are_different_sorted_and_complete() {
        for (bound, n_wanted) in [
            (0, 0),
            (1, 0),
            (2, 1),
            (1000, 500),
            (1000, 3),
            (1 << 20, 1 << 14),
            (1_000_000, 15_000),
            (u64::MAX, 10_000),
            (1_000_003, 15_625),
        ] {
            let numbers = draw(bound, n_wanted, 3);
            assert_eq!(numbers.len() as u64, n_wanted);
            assert!(numbers.is_sorted_by(|a, b| a < b), "{bound} {n_wanted}");
            assert!(numbers.last().is_none_or(|&last| last < bound));
        }
    }

    #[test]
    fn numbers_are_equally_likely() {
        // One case with a bitmap, one with blocks.
        for (bound, n_wanted) in [(20, 10), (640, 10)] {
            let mut counts = vec![0i64; bound as usize];
            let n_turns = 20_000;
            for seed in 0..n_turns {
                draw(bound, n_wanted, seed).iter().for_each(|&x| counts[x as usize] += 1);
            }
            let share = n_wanted as f64 / bound as f64;
            let sigma = (n_turns as f64 * share * (1.0 - share)).sqrt();
            let mean = n_turns as f64 * share;
            assert!(counts.iter().all(|&c| (c as f64 - mean).abs() < 5.0 * sigma), "{counts:?}");
        }
    }
}
