//! Sorting that can be stopped.

use super::pacer::Pacer;
use crate::error::Fault;

/// Bits that one turn looks at: the counts stay in the fastest cache.
const DIGIT_BITS: u32 = 11;

/// Sorts keys below 2^`n_bits` ascending, digit by digit from the lowest on, with as much memory
/// again.
pub(super) fn radix_sort(
    keys: Vec<u64>,
    n_bits: u32,
    pacer: &mut Pacer<'_, '_>,
) -> Result<Vec<u64>, Fault> {
    let mut sorted = keys;
    let mut spare = pacer.filled(sorted.len() as u64, 0)?;
    for shift in (0..n_bits).step_by(DIGIT_BITS as usize) {
        let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT_BITS) - 1);
        let mut places = [0usize; 1 << DIGIT_BITS];
        for &key in &sorted {
            places[digit(key)] += 1;
            pacer.step()?;
        }
        let mut n_before = 0;
        for place in &mut places {
            (*place, n_before) = (n_before, n_before + *place);
        }
        for &key in &sorted {
            let place = &mut places[digit(key)];
            spare[*place] = key;
            *place += 1;
            pacer.step()?;
        }
        std::mem::swap(&mut sorted, &mut spare);
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::super::GenerateOptions;
    use super::super::random::{Purpose, Random};
    use super::*;

    #[test]
    fn keys_of_all_lengths_come_out_ascending() {
        let mut random = Random::new(5, Purpose::Shape);
        for n_bits in [0, 1, 10, 11, 12, 22, 23, 63, 64] {
            let keys: Vec<u64> = (0..1000)
                .map(|_| if n_bits == 0 { 0 } else { random.bits64() >> (64 - n_bits) })
                .collect();
            let mut expected = keys.clone();
            expected.sort();
            let mut options = GenerateOptions::new(0, 0);
            let sorted = radix_sort(keys, n_bits, &mut Pacer::new(&mut options)).unwrap();
            assert_eq!(sorted, expected, "{n_bits} bits");
        }
    }
}
