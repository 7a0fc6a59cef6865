//! Sorting that can be stopped.

use std::ops::Range;

/// Bits that one turn looks at.
const DIGIT_BITS: u32 = 8;

/// Keys that are worked on between two questions whether to go on: a few milliseconds.
const AT_ONCE: usize = 1 << 16;

/// Sorts keys below 2^`n_bits` ascending, in place: by their highest digit, and then whatever has the same
/// one. `go_on` is asked now and then.
///
/// # Errors
/// Those of `go_on`; the keys are in no order then.
pub(crate) fn sort<E>(
    keys: &mut [u64],
    n_bits: u32,
    go_on: &mut impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    if keys.len() <= AT_ONCE {
        keys.sort_unstable();
        return go_on();
    }
    if n_bits == 0 {
        return Ok(());
    }
    let shift = n_bits.saturating_sub(DIGIT_BITS);
    let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT_BITS) - 1);
    let parts = parts(keys, digit, go_on)?;
    let mut starts = parts.clone().map(|part| part.start);
    let mut n_since = 0;
    for (own, part) in parts.iter().enumerate() {
        while starts[own] < part.end {
            // What lies here goes where it belongs, and what lies there, until one belongs here.
            let mut key = keys[starts[own]];
            while digit(key) != own {
                let start = &mut starts[digit(key)];
                std::mem::swap(&mut key, &mut keys[*start]);
                *start += 1;
                // One round may go through all keys.
                n_since += 1;
                if n_since >= AT_ONCE {
                    n_since = 0;
                    go_on()?;
                }
            }
            keys[starts[own]] = key;
            starts[own] += 1;
            n_since += 1;
        }
    }
    for part in parts {
        sort(&mut keys[part], shift, go_on)?;
    }
    Ok(())
}

/// Where the keys of each digit belong.
fn parts<E>(
    keys: &[u64],
    digit: impl Fn(u64) -> usize,
    go_on: &mut impl FnMut() -> Result<(), E>,
) -> Result<[Range<usize>; 1 << DIGIT_BITS], E> {
    let mut counts = [0; 1 << DIGIT_BITS];
    for keys in keys.chunks(AT_ONCE) {
        keys.iter().for_each(|&key| counts[digit(key)] += 1);
        go_on()?;
    }
    let mut end = 0;
    Ok(counts.map(|count| {
        end += count;
        end - count..end
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys below 2^`n_bits`, many of them more than once if those are few.
    fn keys(n_keys: usize, n_bits: u32) -> Vec<u64> {
        let mut state = 5u64;
        let keys = (0..n_keys).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state ^ state >> 29).checked_shr(64 - n_bits).unwrap_or(0)
        });
        keys.collect()
    }

    #[test]
    fn keys_of_all_lengths_come_out_ascending() {
        for n_bits in [0, 1, 7, 8, 9, 16, 17, 23, 63, 64] {
            for n_keys in [0, 1, 1000, 3 * AT_ONCE] {
                let mut sorted = keys(n_keys, n_bits);
                let mut expected = sorted.clone();
                expected.sort();
                sort(&mut sorted, n_bits, &mut || Ok::<(), ()>(())).unwrap();
                assert!(sorted == expected, "{n_keys} keys of {n_bits} bits");
            }
        }
    }

    #[test]
    fn it_asks_often_and_ends_when_told() {
        let whole = keys(20 * AT_ONCE, 40);
        let mut n_asked = 0;
        sort(&mut whole.clone(), 40, &mut || {
            n_asked += 1;
            Ok::<(), ()>(())
        })
        .unwrap();
        assert!(n_asked >= 60, "{n_asked}: twice for each digit, once at the end");
        for last in [1, 10, 30, 50] {
            let mut n_left = last;
            let ended = sort(&mut whole.clone(), 40, &mut || {
                n_left -= 1;
                if n_left > 0 { Ok(()) } else { Err("told") }
            });
            assert_eq!((ended, n_left), (Err("told"), 0));
        }
    }
}
