//! Words as big-endian numbers: component 1, bit 0 of limb 0, is the most significant bit.
//!
//! A limb with its bits reversed is a digit to the base 2⁶⁴. The digit of the last limb has the
//! zeros beyond the length at its lower end, where they do not affect sums and differences.

use std::cmp::Ordering;

use super::moves::read;
use super::n_limbs;
use super::reduce::{first_from, first_limb};

#[inline(always)]
pub(super) fn compare(v: &[u64], w: &[u64]) -> Ordering {
    match first_limb(v, w, |x, y| x ^ y) {
        None => Ordering::Equal,
        Some((idx, difference)) => {
            if v[idx] >> difference.trailing_zeros() & 1 == 1 {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
    }
}

/// Digits that are reversed together if a word is that long: reversal vectorises, addition does
/// not.
const BLOCK: usize = 16;

/// Processes digits from the end, with `carry` into the last one; `digit` returns a digit and the
/// carry.
#[inline(always)]
fn ripple(
    dst: &mut [u64],
    v: &[u64],
    w: &[u64],
    len: usize,
    mut carry: bool,
    digit: impl Fn(u64, u64, bool) -> (u64, bool),
) -> bool {
    let n = n_limbs(len);
    let (dst, blocks) = dst[..n].as_rchunks_mut::<BLOCK>();
    let (v, v_blocks) = v[..n].as_rchunks::<BLOCK>();
    let (w, w_blocks) = w[..n].as_rchunks::<BLOCK>();
    for ((block, x), y) in blocks.iter_mut().zip(v_blocks).zip(w_blocks).rev() {
        let (x, y) = (x.map(u64::reverse_bits), y.map(u64::reverse_bits));
        let mut sums = [0; BLOCK];
        for ((sum, &x), &y) in sums.iter_mut().zip(&x).zip(&y).rev() {
            (*sum, carry) = digit(x, y, carry);
        }
        *block = sums.map(u64::reverse_bits);
    }
    for ((d, &x), &y) in dst.iter_mut().zip(v).zip(w).rev() {
        let (sum, next) = digit(x.reverse_bits(), y.reverse_bits(), carry);
        *d = sum.reverse_bits();
        carry = next;
    }
    carry
}

#[inline(always)]
pub(super) fn add(dst: &mut [u64], v: &[u64], w: &[u64], len: usize, carry: bool) -> bool {
    ripple(dst, v, w, len, carry, |x, y, carry| x.carrying_add(y, carry))
}

#[inline(always)]
pub(super) fn sub(dst: &mut [u64], v: &[u64], w: &[u64], len: usize, borrow: bool) -> bool {
    // The sum with the complement: the chain of borrows takes five times as long as that of
    // carries.
    !ripple(dst, v, w, len, !borrow, |x, y, carry| x.carrying_add(!y, carry))
}

#[inline(always)]
pub(super) fn to_int(w: &[u64], len: usize) -> Option<i64> {
    let w = &w[..n_limbs(len)];
    let Some(place) = first_from(w, 0) else { return Some(0) };
    if len - place > 63 {
        return None;
    }
    let digits =
        if len < 64 { w[0].reverse_bits() >> (64 - len) } else { read(w, len - 64).reverse_bits() };
    i64::try_from(digits).ok()
}

#[inline(always)]
pub(super) fn from_int(dst: &mut [u64], value: i64, len: usize) {
    debug_assert!(value >= 0, "the number {value} as a word");
    let n = n_limbs(len);
    let dst = &mut dst[..n];
    let digits = value.cast_unsigned().reverse_bits();
    dst.fill(0);
    if len == 0 {
        return;
    }
    let shift = n * 64 - len;
    // The last 64 bits of the word are in the last limb and the one before it.
    dst[n - 1] = digits >> shift;
    if shift > 0 && n > 1 {
        dst[n - 2] = digits << (64 - shift);
    }
}
