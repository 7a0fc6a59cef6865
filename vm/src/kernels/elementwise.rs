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

/// A function of two bits as a polynomial over them: `constant + left·a + right·b + both·a·b`, each
/// coefficient for all bits of a limb.
#[derive(Clone, Copy)]
struct Polynomial {
    constant: u64,
    left: u64,
    right: u64,
    both: u64,
}

impl Polynomial {
    /// That of a truth table: bit `2a + b` is its value for a and b.
    #[inline(always)]
    fn of(table: u8) -> Self {
        let bit = |at: u8| 0u64.wrapping_sub(u64::from(table >> at & 1));
        let (constant, left, right) = (bit(0), bit(0) ^ bit(2), bit(0) ^ bit(1));
        Polynomial { constant, left, right, both: bit(0) ^ bit(1) ^ bit(2) ^ bit(3) }
    }

    #[inline(always)]
    fn at(self, a: u64, b: u64) -> u64 {
        a & (self.left ^ self.both & b) ^ (self.constant ^ self.right & b)
    }
}

/// `dst` goes through functions of itself and another operand, by their truth tables, one after another, in
/// one loop for up to four.
#[inline(always)]
pub(super) fn chain(dst: &mut [u64], links: &[(u8, &[u64])], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    for links in links.chunks(4) {
        let of = |(table, operand): (u8, _)| (Polynomial::of(table), operand);
        match *links {
            [f] => {
                let (f, a) = of(f);
                update(dst, a, |x, a| f.at(x, a));
            }
            [f, g] => {
                let ((f, a), (g, b)) = (of(f), of(g));
                update2(dst, a, b, |x, a, b| g.at(f.at(x, a), b));
            }
            [f, g, h] => {
                let ((f, a), (g, b), (h, c)) = (of(f), of(g), of(h));
                update3(dst, a, b, c, |x, a, b, c| h.at(g.at(f.at(x, a), b), c));
            }
            [f, g, h, i] => {
                let ((f, a), (g, b), (h, c), (i, d)) = (of(f), of(g), of(h), of(i));
                update4(dst, [a, b, c, d], |x, a, b, c, d| i.at(h.at(g.at(f.at(x, a), b), c), d));
            }
            _ => {}
        }
    }
    zero_tail(dst, len);
}

#[inline(always)]
fn update2(dst: &mut [u64], a: &[u64], b: &[u64], f: impl Fn(u64, u64, u64) -> u64) {
    let n = dst.len();
    for ((x, &a), &b) in dst.iter_mut().zip(&a[..n]).zip(&b[..n]) {
        *x = f(*x, a, b);
    }
}

#[inline(always)]
fn update3(
    dst: &mut [u64],
    a: &[u64],
    b: &[u64],
    c: &[u64],
    f: impl Fn(u64, u64, u64, u64) -> u64,
) {
    let n = dst.len();
    for (((x, &a), &b), &c) in dst.iter_mut().zip(&a[..n]).zip(&b[..n]).zip(&c[..n]) {
        *x = f(*x, a, b, c);
    }
}

#[inline(always)]
fn update4(dst: &mut [u64], operands: [&[u64]; 4], f: impl Fn(u64, u64, u64, u64, u64) -> u64) {
    let n = dst.len();
    let [a, b, c, d] = operands.map(|operand| &operand[..n]);
    for ((((x, &a), &b), &c), &d) in dst.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *x = f(*x, a, b, c, d);
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
