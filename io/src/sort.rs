//! Interruptible sorting, and passes over long lists before and after it.

use std::ops::Range;

/// Number of bits processed in one pass.
const DIGIT_BITS: u32 = 8;

/// Number of items processed between two polls for interruption: a few milliseconds.
pub(crate) const AT_ONCE: usize = 1 << 16;

/// A sort key, digit by digit.
pub(crate) trait Key: Copy + Ord {
    /// The digit that begins at this bit.
    fn digit(self, shift: u32) -> usize;
}

impl Key for u64 {
    #[inline]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & ((1 << DIGIT_BITS) - 1)
    }
}

impl Key for u128 {
    #[inline]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize & ((1 << DIGIT_BITS) - 1)
    }
}

/// Sorts keys below 2^`n_bits` in ascending order; see [`sort_by_key`].
///
/// # Errors
/// Those of `go_on`; the keys are then in unspecified order.
pub(crate) fn sort<E>(
    keys: &mut [u64],
    n_bits: u32,
    go_on: &mut impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    sort_by_key(keys, n_bits, &|&key: &u64| key, go_on)
}

/// Sorts items by keys below 2^`n_bits` in ascending order, in place: by the highest digit, then
/// recursively within each digit. The sort is not stable. Calls `go_on` periodically.
///
/// # Errors
/// Those of `go_on`; the items are then in unspecified order.
pub(crate) fn sort_by_key<T: Copy, K: Key, E>(
    items: &mut [T],
    n_bits: u32,
    key: &impl Fn(&T) -> K,
    go_on: &mut impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    if items.len() <= AT_ONCE {
        items.sort_unstable_by_key(key);
        return go_on();
    }
    if n_bits == 0 {
        return Ok(());
    }
    let shift = n_bits.saturating_sub(DIGIT_BITS);
    let digit = |item: &T| key(item).digit(shift);
    let parts = parts(items, digit, go_on)?;
    let mut starts = parts.clone().map(|part| part.start);
    let mut n_since = 0;
    for (own, part) in parts.iter().enumerate() {
        while starts[own] < part.end {
            // Follows a permutation cycle: moves each item to its place until one belongs here.
            let mut item = items[starts[own]];
            loop {
                let other = digit(&item);
                // One cycle may contain all items.
                n_since += 1;
                if n_since >= AT_ONCE {
                    n_since = 0;
                    go_on()?;
                }
                if other == own {
                    break;
                }
                let start = &mut starts[other];
                std::mem::swap(&mut item, &mut items[*start]);
                *start += 1;
            }
            items[starts[own]] = item;
            starts[own] += 1;
        }
    }
    for part in parts {
        sort_by_key(&mut items[part], shift, key, go_on)?;
    }
    Ok(())
}

/// The range of the items of each digit.
fn parts<T, E>(
    items: &[T],
    digit: impl Fn(&T) -> usize,
    go_on: &mut impl FnMut() -> Result<(), E>,
) -> Result<[Range<usize>; 1 << DIGIT_BITS], E> {
    let mut counts = [0; 1 << DIGIT_BITS];
    for items in items.chunks(AT_ONCE) {
        items.iter().for_each(|item| counts[digit(item)] += 1);
        go_on()?;
    }
    let mut end = 0;
    Ok(counts.map(|count| {
        end += count;
        end - count..end
    }))
}

/// Counts neighbours in a list that satisfy a predicate, up to `most`.
///
/// # Errors
/// Those of `go_on`, which is called periodically.
pub(crate) fn count_pairs<T, E>(
    items: &[T],
    most: usize,
    holds: impl Fn(&T, &T) -> bool,
    go_on: &mut impl FnMut() -> Result<(), E>,
) -> Result<usize, E> {
    let mut n_pairs = 0;
    for start in (0..items.len()).step_by(AT_ONCE) {
        let part = &items[start..items.len().min(start + AT_ONCE + 1)];
        n_pairs += part.windows(2).filter(|pair| holds(&pair[0], &pair[1])).count();
        go_on()?;
        if n_pairs >= most {
            break;
        }
    }
    Ok(n_pairs)
}

/// Removes repeated neighbours.
///
/// # Errors
/// Those of `go_on`, which is called periodically.
pub(crate) fn dedup<T: Copy + PartialEq, E>(
    items: &mut Vec<T>,
    go_on: &mut impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    let mut n_kept = 0;
    for start in (0..items.len()).step_by(AT_ONCE) {
        for idx in start..items.len().min(start + AT_ONCE) {
            if n_kept == 0 || items[n_kept - 1] != items[idx] {
                items[n_kept] = items[idx];
                n_kept += 1;
            }
        }
        go_on()?;
    }
    items.truncate(n_kept);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys below 2^`n_bits`, with duplicates if there are few such keys.
    fn keys(n_keys: usize, n_bits: u32) -> Vec<u64> {
        let mut state = 5u64;
        let keys = (0..n_keys).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state ^ state >> 29).checked_shr(64 - n_bits).unwrap_or(0)
        });
        keys.collect()
    }

    #[test]
    fn keys_of_all_lengths_are_sorted() {
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
    fn items_move_with_their_keys() {
        let numbered = keys(3 * AT_ONCE, 7).into_iter().zip(0u64..);
        let mut items: Vec<(u64, u64)> = numbered.collect();
        let mut expected = items.clone();
        expected.sort();
        let key = |&(key, number): &(u64, u64)| u128::from(key) << 100 | u128::from(number);
        sort_by_key(&mut items, 107, &key, &mut || Ok::<(), ()>(())).unwrap();
        assert!(items == expected);
    }

    #[test]
    fn neighbours_are_counted_and_removed_across_parts() {
        for n_items in [0, 1, 2, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 1] {
            let items: Vec<usize> = (0..n_items).map(|idx| idx / 2).collect();
            let go_on = &mut || Ok::<(), ()>(());
            let n_equal = count_pairs(&items, usize::MAX, |a, b| a == b, go_on).unwrap();
            assert_eq!(n_equal, n_items / 2);
            let n_enough = count_pairs(&items, 1, |a, b| a == b, go_on).unwrap();
            assert_eq!(n_enough > 0, n_equal > 0);
            let mut single = items.clone();
            dedup(&mut single, go_on).unwrap();
            assert!(single.iter().copied().eq(0..n_items.div_ceil(2)));
        }
    }

    #[test]
    fn sorting_polls_often_and_stops_on_request() {
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
