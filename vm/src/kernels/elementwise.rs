//! Logic limb by limb: the loops, and operations without a truth table.

use std::ops::Range;

use star_ir::LogicOp;
use star_value::bits::zero_tail;

use super::n_limbs;

/// `dst[i] = f(a[i], b[i])`.
#[inline(always)]
pub(super) fn zip(dst: &mut [u64], a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) {
    let n = dst.len();
    for ((d, &x), &y) in dst.iter_mut().zip(&a[..n]).zip(&b[..n]) {
        *d = f(x, y);
    }
}

/// `dst[i] = f(dst[i], b[i])`.
#[inline(always)]
pub(super) fn update(dst: &mut [u64], b: &[u64], f: impl Fn(u64, u64) -> u64) {
    let n = dst.len();
    for (d, &y) in dst.iter_mut().zip(&b[..n]) {
        *d = f(*d, y);
    }
}

#[inline(always)]
pub(super) fn logic_assign(op: LogicOp, dst: &mut [u64], b: &[u64]) {
    match op {
        LogicOp::And => update(dst, b, |x, y| x & y),
        LogicOp::Or => update(dst, b, |x, y| x | y),
        LogicOp::Xor => update(dst, b, |x, y| x ^ y),
    }
}

/// `dst[i] = f(a[i], b[i], c[i])`.
#[inline(always)]
pub(super) fn zip3(
    dst: &mut [u64],
    a: &[u64],
    b: &[u64],
    c: &[u64],
    f: impl Fn(u64, u64, u64) -> u64,
) {
    let n = dst.len();
    for (((d, &x), &y), &z) in dst.iter_mut().zip(&a[..n]).zip(&b[..n]).zip(&c[..n]) {
        *d = f(x, y, z);
    }
}

#[inline(always)]
pub(super) fn not(dst: &mut [u64], a: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    zip(dst, a, a, |x, _| !x);
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn fill(dst: &mut [u64], bit: bool, len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    dst.fill(if bit { !0 } else { 0 });
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn mask(dst: &mut [u64], len: usize, ones: Range<usize>) {
    assert!(ones.end <= len, "ones at {ones:?} of {len} bits");
    let dst = &mut dst[..n_limbs(len)];
    if ones.is_empty() {
        dst.fill(0);
        return;
    }
    let (first, last) = (ones.start / 64, (ones.end - 1) / 64);
    let (head, tail) = (!0 << (ones.start % 64), !0 >> (63 - (ones.end - 1) % 64));
    if first == last {
        dst.fill(0);
        dst[first] = head & tail;
        return;
    }
    dst[..first].fill(0);
    dst[first..=last].fill(!0);
    dst[last + 1..].fill(0);
    dst[first] = head;
    dst[last] = tail;
}
