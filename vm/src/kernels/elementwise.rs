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

/// `dst[i] = f(a[i], b[i], c[i])`.
#[inline(always)]
fn zip3(dst: &mut [u64], a: &[u64], b: &[u64], c: &[u64], f: impl Fn(u64, u64, u64) -> u64) {
    let n = dst.len();
    for (((d, &x), &y), &z) in dst.iter_mut().zip(&a[..n]).zip(&b[..n]).zip(&c[..n]) {
        *d = f(x, y, z);
    }
}

#[inline(always)]
pub(super) fn logic_logic(
    inner: LogicOp,
    outer: LogicOp,
    dst: &mut [u64],
    a: &[u64],
    b: &[u64],
    c: &[u64],
) {
    match (inner, outer) {
        (LogicOp::And, LogicOp::And) => zip3(dst, a, b, c, |x, y, z| x & y & z),
        (LogicOp::And, LogicOp::Or) => zip3(dst, a, b, c, |x, y, z| x & y | z),
        (LogicOp::And, LogicOp::Xor) => zip3(dst, a, b, c, |x, y, z| x & y ^ z),
        (LogicOp::Or, LogicOp::And) => zip3(dst, a, b, c, |x, y, z| (x | y) & z),
        (LogicOp::Or, LogicOp::Or) => zip3(dst, a, b, c, |x, y, z| x | y | z),
        (LogicOp::Or, LogicOp::Xor) => zip3(dst, a, b, c, |x, y, z| (x | y) ^ z),
        (LogicOp::Xor, LogicOp::And) => zip3(dst, a, b, c, |x, y, z| (x ^ y) & z),
        (LogicOp::Xor, LogicOp::Or) => zip3(dst, a, b, c, |x, y, z| x ^ y | z),
        (LogicOp::Xor, LogicOp::Xor) => zip3(dst, a, b, c, |x, y, z| x ^ y ^ z),
    }
}

/// The loop with the function of two bits that a truth table says: bit `2a + b` is its value for a and b.
macro_rules! by_table {
    ($table:expr, $loop:ident($($operand:expr),*)) => {
        match $table & 15 {
            0 => $loop($($operand,)* |_, _| 0),
            1 => $loop($($operand,)* |x, y| !(x | y)),
            2 => $loop($($operand,)* |x, y| !x & y),
            3 => $loop($($operand,)* |x, _| !x),
            4 => $loop($($operand,)* |x, y| x & !y),
            5 => $loop($($operand,)* |_, y| !y),
            6 => $loop($($operand,)* |x, y| x ^ y),
            7 => $loop($($operand,)* |x, y| !(x & y)),
            8 => $loop($($operand,)* |x, y| x & y),
            9 => $loop($($operand,)* |x, y| !(x ^ y)),
            10 => $loop($($operand,)* |_, y| y),
            11 => $loop($($operand,)* |x, y| !x | y),
            12 => $loop($($operand,)* |x, _| x),
            13 => $loop($($operand,)* |x, y| x | !y),
            14 => $loop($($operand,)* |x, y| x | y),
            _ => $loop($($operand,)* |_, _| !0),
        }
    };
}

#[inline(always)]
pub(super) fn logic2(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    by_table!(table, zip(dst, a, b));
    zero_tail(dst, len);
}

#[inline(always)]
pub(super) fn logic2_assign(table: u8, dst: &mut [u64], b: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    by_table!(table, update(dst, b));
    zero_tail(dst, len);
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
