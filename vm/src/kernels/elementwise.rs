//! Logic of two operands, limb by limb.

use std::ops::Range;

use star_base::bits::zero_tail;
use star_ir::LogicOp;

use super::n_limbs;

/// `dst[i] = f(a[i], b[i])`.
#[inline(always)]
fn zip(dst: &mut [u64], a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) {
    let n = dst.len();
    for ((d, &x), &y) in dst.iter_mut().zip(&a[..n]).zip(&b[..n]) {
        *d = f(x, y);
    }
}

/// `dst[i] = f(dst[i], b[i])`.
#[inline(always)]
fn update(dst: &mut [u64], b: &[u64], f: impl Fn(u64, u64) -> u64) {
    let n = dst.len();
    for (d, &y) in dst.iter_mut().zip(&b[..n]) {
        *d = f(*d, y);
    }
}

#[inline(always)]
pub(super) fn logic(op: LogicOp, dst: &mut [u64], a: &[u64], b: &[u64]) {
    match op {
        LogicOp::And => zip(dst, a, b, |x, y| x & y),
        LogicOp::Or => zip(dst, a, b, |x, y| x | y),
        LogicOp::Xor => zip(dst, a, b, |x, y| x ^ y),
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

/// A function of two bits, given by its table, on 64 pairs at once.
#[inline(always)]
pub(super) fn binary(table: u8, x: u64, y: u64) -> u64 {
    match table & 15 {
        0 => 0,
        1 => !(x | y),
        2 => !x & y,
        3 => !x,
        4 => x & !y,
        5 => !y,
        6 => x ^ y,
        7 => !(x & y),
        8 => x & y,
        9 => !(x ^ y),
        10 => y,
        11 => !x | y,
        12 => x,
        13 => x | !y,
        14 => x | y,
        _ => !0,
    }
}

/// Does `$run` with a closure `$f` for the table: a loop of its own for each.
macro_rules! by_table {
    ($table:expr, |$f:ident| $run:expr, $($known:literal)*) => {
        match $table & 15 {
            $($known => {
                let $f = |x, y| binary($known, x, y);
                $run
            })*
            _ => {
                let $f = |_, _| !0;
                $run
            }
        }
    };
}

#[inline(always)]
pub(super) fn logic2(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    by_table!(table, |f| zip(dst, a, b, f), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn logic2_assign(table: u8, dst: &mut [u64], b: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    by_table!(table, |f| update(dst, b, f), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn not(dst: &mut [u64], a: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    zip(dst, a, a, |x, _| !x);
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn not_assign(dst: &mut [u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    dst.iter_mut().for_each(|d| *d = !*d);
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
