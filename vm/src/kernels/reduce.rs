//! Reductions from bits to a number, a position or a boolean.

use super::n_limbs;

/// Limbs that are tested together before a loop may end.
const BLOCK: usize = 32;

/// Returns whether the limbs of the block contain a one.
#[inline(always)]
fn any_in<const N: usize>(a: &[u64; N], b: &[u64; N], f: impl Fn(u64, u64) -> u64) -> bool {
    let mut lanes = [0; 8];
    for (x, y) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for (lane, (&x, &y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane |= f(x, y);
        }
    }
    lanes.iter().fold(0, |sum, lane| sum | lane) != 0
}

/// Sets bit i if limb i is not zero.
#[inline(always)]
fn nonzero(limbs: &[u64; 64]) -> u64 {
    let mut lanes = [0; 8];
    for (eighth, eight) in limbs.as_chunks::<8>().0.iter().enumerate() {
        for (at, (lane, limb)) in lanes.iter_mut().zip(eight).enumerate() {
            *lane |= u64::from(*limb != 0) << (8 * eighth + at);
        }
    }
    lanes.iter().fold(0, |all, lane| all | lane)
}

/// Lists the non-zero limbs and returns their number; `None` if the list is too short.
#[inline(always)]
pub(super) fn list_nonzero(a: &[u64], list: &mut [u64]) -> Option<usize> {
    let mut n = 0;
    let (blocks, rest) = a.as_chunks::<64>();
    for (start, limbs) in (0..).step_by(64).zip(blocks) {
        let mut left = nonzero(limbs);
        for place in list.get_mut(n..n + left.count_ones() as usize)? {
            *place = start + u64::from(left.trailing_zeros());
            left &= left - 1;
            n += 1;
        }
    }
    for (at, limb) in (64 * blocks.len() as u64..).zip(rest) {
        if *limb != 0 {
            *list.get_mut(n)? = at;
            n += 1;
        }
    }
    Some(n)
}

/// Returns index and value of the first non-zero limb of f(a, b).
#[inline(always)]
pub(super) fn first_limb(
    a: &[u64],
    b: &[u64],
    f: impl Fn(u64, u64) -> u64 + Copy,
) -> Option<(usize, u64)> {
    let b = &b[..a.len()];
    // Often the first limb suffices. If it has just been written, above all by STEP, a vector load
    // that begins with it would have to wait for the store.
    if let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        let value = f(x, y);
        if value != 0 {
            return Some((0, value));
        }
    }
    let (blocks_a, _) = a.as_chunks::<BLOCK>();
    let (blocks_b, _) = b.as_chunks::<BLOCK>();
    let mut start = 0;
    for (x, y) in blocks_a.iter().zip(blocks_b) {
        if any_in(x, y, f) {
            break;
        }
        start += BLOCK;
    }
    let (eights_a, rest_a) = a[start..].as_chunks::<8>();
    let (eights_b, rest_b) = b[start..].as_chunks::<8>();
    for (x, y) in eights_a.iter().zip(eights_b) {
        if any_in(x, y, f) {
            return first_of(start, x, y, f);
        }
        start += 8;
    }
    first_of(start, rest_a, rest_b, f)
}

/// Processes limb by limb; `start` is the index of the first.
#[inline(always)]
fn first_of(
    start: usize,
    a: &[u64],
    b: &[u64],
    f: impl Fn(u64, u64) -> u64,
) -> Option<(usize, u64)> {
    for (idx, (&x, &y)) in a.iter().zip(b).enumerate() {
        let value = f(x, y);
        if value != 0 {
            return Some((start + idx, value));
        }
    }
    None
}

#[inline(always)]
pub(super) fn place((idx, value): (usize, u64)) -> usize {
    idx * 64 + value.trailing_zeros() as usize
}

#[inline(always)]
pub(super) fn count_by(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> u64 {
    let b = &b[..a.len()];
    a.iter().zip(b).map(|(&x, &y)| u64::from(f(x, y).count_ones())).sum()
}

#[inline(always)]
pub(super) fn count(a: &[u64]) -> u64 {
    a.iter().map(|limb| u64::from(limb.count_ones())).sum()
}

#[inline(always)]
pub(super) fn some(a: &[u64]) -> bool {
    first_limb(a, a, |x, _| x).is_some()
}

#[inline(always)]
pub(super) fn all(a: &[u64], len: usize) -> bool {
    let (full, rest) = a[..n_limbs(len)].split_at(len / 64);
    let rest_ok = rest.first().is_none_or(|&limb| limb == !(!0 << (len % 64)));
    rest_ok && first_limb(full, full, |x, _| !x).is_none()
}

#[inline(always)]
pub(super) fn first_from(a: &[u64], start: usize) -> Option<usize> {
    let idx = start / 64;
    let limb = a.get(idx)? & !0 << (start % 64);
    if limb != 0 {
        return Some(place((idx, limb)));
    }
    let rest = &a[idx + 1..];
    first_limb(rest, rest, |x, _| x).map(|(more, limb)| place((idx + 1 + more, limb)))
}

#[inline(always)]
pub(super) fn equal(a: &[u64], b: &[u64]) -> bool {
    first_limb(a, b, |x, y| x ^ y).is_none()
}
