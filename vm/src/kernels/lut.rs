//! Functions of two and three bits, limb by limb, by their truth tables: see Note [Truth tables] in
//! `crate::tape::lut`.
//!
//! Note [Classes]. A function and its complement share a loop, which ends with an exclusive or.
//! Functions that differ only in the order of their inputs also share one, since exchanging
//! operands is free. So 40 loops suffice for the 256 functions of three bits.

use star_value::bits::zero_tail;

use super::elementwise::{not, update, zip, zip3};
use super::lines::{Lines, LinesMut, LinesOf, update_lines, zip_lines, zip3_lines};
use super::n_limbs;
use super::reduce::{count_by, first_limb, place};

/// Evaluates a function of two bits for all bits of two limbs. The table is a constant where this
/// is inlined.
#[inline(always)]
fn two(table: u8, x: u64, y: u64) -> u64 {
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

/// Does the same for three: where x is one, the upper half of the table applies.
#[inline(always)]
fn three(table: u8, x: u64, y: u64, z: u64) -> u64 {
    two(table, y, z) ^ x & two(table ^ table >> 4, y, z)
}

/// Returns all ones if the function is one where its inputs are zero, otherwise zero.
#[inline(always)]
fn flip(table: u8) -> u64 {
    0u64.wrapping_sub(u64::from(table & 1))
}

/// The loop for a function of two bits that is zero for zero inputs, or for its complement if
/// `flip`.
macro_rules! by_two {
    ($table:expr, $flip:ident, $loop:ident($($operand:expr),*)) => {
        by_two!($table, $flip, $loop($($operand),*), 0 2 4 6 8 10 12; 14)
    };
    ($table:expr, $flip:ident, $loop:ident $operands:tt, $($of:literal)*; $last:literal) => {
        match ($table ^ $flip as u8) & 15 {
            $($of => by_two!(@$loop $operands, |x, y| two($of, x, y) ^ $flip),)*
            _ => by_two!(@$loop $operands, |x, y| two($last, x, y) ^ $flip),
        }
    };
    (@$loop:ident($($operand:expr),*), $function:expr) => { $loop($($operand,)* $function) };
}

#[inline(always)]
pub(super) fn lut2(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    let flip = flip(table);
    by_two!(table, flip, zip(dst, a, b));
    if flip != 0 {
        zero_tail(dst, len);
    }
}

#[inline(always)]
pub(super) fn lut2_assign(table: u8, dst: &mut [u64], b: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    let flip = flip(table);
    by_two!(table, flip, update(dst, b));
    if flip != 0 {
        zero_tail(dst, len);
    }
}

#[inline(always)]
pub(super) fn lut2_lines(table: u8, mut dst: LinesMut<'_>, of: [LinesOf<'_>; 2], lines: Lines<'_>) {
    let flip = flip(table);
    by_two!(table, flip, zip_lines(&mut dst, of, lines, flip != 0));
}

#[inline(always)]
pub(super) fn lut2_assign_lines(
    table: u8,
    mut dst: LinesMut<'_>,
    b: LinesOf<'_>,
    lines: Lines<'_>,
) {
    let flip = flip(table);
    by_two!(table, flip, update_lines(&mut dst, b, lines, flip != 0));
}

/// For each function of three bits, the function with reordered inputs for which there is a loop,
/// and the inputs that are the first, second and third there.
const CLASSES: [(u8, [u8; 3]); 256] = classes();

const fn classes() -> [(u8, [u8; 3]); 256] {
    const ORDERS: [[u8; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut classes = [(0, ORDERS[0]); 256];
    let mut table = 0;
    while table < 256 {
        let mut least = (255, ORDERS[0]);
        let mut idx = 0;
        while idx < ORDERS.len() {
            let reordered = reordered(table as u8, ORDERS[idx]);
            // The complement is used where it is zero for zeros.
            let class = if reordered & 1 == 1 { !reordered } else { reordered };
            if class < least.0 {
                least = (class, ORDERS[idx]);
            }
            idx += 1;
        }
        classes[table] = least;
        table += 1;
    }
    classes
}

/// Returns the table of the function whose i-th input is input `order[i]` of this one.
const fn reordered(table: u8, order: [u8; 3]) -> u8 {
    let mut made = 0;
    let mut idx = 0;
    while idx < 8 {
        let mut from = 0;
        let mut at = 0;
        while at < 3 {
            from |= (idx >> (2 - at) & 1) << (2 - order[at]);
            at += 1;
        }
        made |= (table >> from & 1) << idx;
        idx += 1;
    }
    made
}

/// The loop for a class of functions of three bits.
macro_rules! by_class {
    ($class:expr, $flip:ident, $loop:ident $operands:tt) => {
        by_class!($class, $flip, $loop $operands,
            0x00 0x02 0x06 0x08 0x0a 0x0e 0x16 0x18 0x1a 0x1e 0x28 0x2a 0x2c 0x2e 0x3c 0x3e 0x68 0x6a
            0x6e 0x7e 0x80 0x82 0x86 0x88 0x8a 0x8e 0x96 0x98 0x9a 0x9e 0xa8 0xaa 0xac 0xae 0xbc 0xbe
            0xe8 0xea 0xee; 0xfe)
    };
    ($class:expr, $flip:ident, $loop:ident $operands:tt, $($of:literal)*; $last:literal) => {
        match $class {
            $($of => by_class!(@$loop $operands, |x, y, z| three($of, x, y, z) ^ $flip),)*
            _ => by_class!(@$loop $operands, |x, y, z| three($last, x, y, z) ^ $flip),
        }
    };
    (@$loop:ident($($operand:expr),*), $function:expr) => { $loop($($operand,)* $function) };
}

#[inline(always)]
pub(super) fn lut3(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], c: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    let flip = flip(table);
    let (class, order) = CLASSES[usize::from(table)];
    let operands = [a, b, c];
    let [a, b, c] = order.map(|of| operands[usize::from(of)]);
    by_class!(class, flip, zip3(dst, a, b, c));
    if flip != 0 {
        zero_tail(dst, len);
    }
}

#[inline(always)]
pub(super) fn lut3_lines(table: u8, mut dst: LinesMut<'_>, of: [LinesOf<'_>; 3], lines: Lines<'_>) {
    let flip = flip(table);
    let (class, order) = CLASSES[usize::from(table)];
    let of = order.map(|operand| of[usize::from(operand)]);
    by_class!(class, flip, zip3_lines(&mut dst, of, lines, flip != 0));
}

/// Limbs of a group, which is a cache line; see [`chain`].
const GROUP: usize = 8;

/// Returns whether a slice has a one in this group, after the given complement.
#[inline(always)]
fn is_open(group: &[u64], flip: u64) -> bool {
    group.iter().fold(0, |any, limb| any | (limb ^ flip)) != 0
}

/// Note [Closed groups]. A search over columns narrows a slice, and where no row is left, the other
/// columns need not be read: in random numbers, half of the cache lines are closed after nine
/// columns. One operand, the guard, is therefore read first; where a group of it is zero, so is the
/// conjunction. Returns the number of groups that were closed.
///
/// Note [Vector loops]. Kernels are inlined into a function for each level of vector instructions.
/// `array::from_fn` with a large closure stays outside, without these instructions. A loop that
/// writes to memory which the operands might overlap stays scalar. Both are several times slower,
/// so a group is read, computed and written as a whole.
#[inline(always)]
pub(super) fn chain(
    flags: u8,
    guard: Option<usize>,
    dst: &mut [u64],
    of: [&[u64]; 5],
    len: usize,
) -> u64 {
    let n = n_limbs(len);
    let of = of.map(|operand| operand[..n].as_chunks::<GROUP>());
    let all = |bit: usize| 0u64.wrapping_sub(u64::from(flags >> bit & 1));
    let masks: [u64; 5] = [all(0), all(1), all(2), all(3), all(4)];
    let flip = all(5);
    let one = |a: u64, b: u64, c: u64, d: u64, e: u64| {
        let [f, g, h, i, j] = masks;
        ((a ^ f) & (b ^ g) & (c ^ h) & (d ^ i) & (e ^ j)) ^ flip
    };
    let (groups, rest) = dst[..n].as_chunks_mut::<GROUP>();
    let whole = of.map(|(whole, _)| &whole[..groups.len()]);
    let mut n_closed = 0;
    for (at, dst) in groups.iter_mut().enumerate() {
        let is_closed = |guard: usize| !is_open(&whole[guard][at], masks[guard]);
        if guard.is_some_and(is_closed) {
            *dst = [flip; GROUP];
            n_closed += 1;
        } else {
            let [a, b, c, d, e] = whole;
            // See Note [Vector loops].
            let (a, b, c, d, e) = (a[at], b[at], c[at], d[at], e[at]);
            let mut made = [0; GROUP];
            for idx in 0..GROUP {
                made[idx] = one(a[idx], b[idx], c[idx], d[idx], e[idx]);
            }
            *dst = made;
        }
    }
    let [a, b, c, d, e] = of.map(|(_, of)| &of[..rest.len()]);
    for (idx, dst) in rest.iter_mut().enumerate() {
        *dst = one(a[idx], b[idx], c[idx], d[idx], e[idx]);
    }
    if (flags & 31 == 31) != (flip != 0) {
        zero_tail(dst, len);
    }
    n_closed
}

/// A function of two bits as `a xor b x xor (c xor d x) y`: its value is a sum of products, with
/// factors that are all ones or all zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
}

impl Sums {
    #[inline(always)]
    pub(super) fn of(table: u8) -> Sums {
        let bit = |at: usize| 0u64.wrapping_sub(u64::from(table >> at & 1));
        let (a, b, c) = (bit(0), bit(0) ^ bit(2), bit(0) ^ bit(1));
        Sums { a, b, c, d: a ^ bit(1) ^ bit(2) ^ bit(3) }
    }

    #[inline(always)]
    pub(super) fn two(self, x: u64, y: u64) -> u64 {
        self.a ^ self.b & x ^ (self.c ^ self.d & x) & y
    }

    /// Returns its value where both bits are the same.
    #[inline(always)]
    fn one(self, x: u64) -> u64 {
        self.a ^ (self.b ^ self.c ^ self.d) & x
    }
}

#[inline(always)]
pub(super) fn cascade(
    flags: u8,
    mask: &mut [u64],
    found: &mut [u64],
    of: [[&[u64]; 2]; 4],
    tables: [u8; 4],
    len: usize,
) -> u64 {
    let n = n_limbs(len);
    let (mask, found) = (&mut mask[..n], &mut found[..n]);
    let of = of.map(|pair| pair.map(|operand| &operand[..n]));
    let keep = tables.map(|table| Sums::of(table & 15));
    let give = tables.map(|table| Sums::of(table >> 4));
    let [flip_mask, flip_found] =
        [flags & 1, flags >> 1 & 1].map(|flag| 0u64.wrapping_sub(flag.into()));
    let is_single = of.iter().all(|[x, y]| std::ptr::eq(*x, *y));
    let single = |of: [u64; 4], open: u64, ones: u64| {
        let (mut open, mut ones) = (open ^ flip_mask, ones ^ flip_found);
        for at in 0..4 {
            ones |= open & give[at].one(of[at]);
            open &= keep[at].one(of[at]);
        }
        (open ^ flip_mask, ones ^ flip_found)
    };
    let double = |of: [[u64; 2]; 4], open: u64, ones: u64| {
        let (mut open, mut ones) = (open ^ flip_mask, ones ^ flip_found);
        for at in 0..4 {
            let [x, y] = of[at];
            ones |= open & give[at].two(x, y);
            open &= keep[at].two(x, y);
        }
        (open ^ flip_mask, ones ^ flip_found)
    };
    let (masks, last_mask) = mask.as_chunks_mut::<GROUP>();
    let (founds, last_found) = found.as_chunks_mut::<GROUP>();
    let chunks = of.map(|pair| pair.map(|of| of.as_chunks::<GROUP>()));
    let whole = chunks.map(|pair| pair.map(|(whole, _)| &whole[..masks.len()]));
    let mut n_closed = 0;
    for (at, (mask, found)) in masks.iter_mut().zip(founds).enumerate() {
        // Where no row is undecided, nothing changes.
        if !is_open(mask, flip_mask) {
            n_closed += 1;
        } else if is_single {
            let of = whole.map(|[x, _]| &x[at]);
            for idx in 0..GROUP {
                (mask[idx], found[idx]) = single(of.map(|of| of[idx]), mask[idx], found[idx]);
            }
        } else {
            let of = whole.map(|pair| pair.map(|of| &of[at]));
            for idx in 0..GROUP {
                let of = of.map(|pair| pair.map(|of| of[idx]));
                (mask[idx], found[idx]) = double(of, mask[idx], found[idx]);
            }
        }
    }
    let of = chunks.map(|pair| pair.map(|(_, of)| &of[..last_mask.len()]));
    for (idx, (mask, found)) in last_mask.iter_mut().zip(last_found).enumerate() {
        (*mask, *found) = double(of.map(|pair| pair.map(|of| of[idx])), *mask, *found);
    }
    zero_tail(mask, len);
    zero_tail(found, len);
    n_closed
}

#[inline(always)]
pub(super) fn lut1(table: u8, dst: &mut [u64], a: &[u64], len: usize) {
    match table & 3 {
        0 => dst[..n_limbs(len)].fill(0),
        1 => not(dst, a, len),
        2 => dst[..n_limbs(len)].copy_from_slice(&a[..n_limbs(len)]),
        _ => super::elementwise::fill(dst, true, len),
    }
}

#[inline(always)]
pub(super) fn count_lut2(table: u8, a: &[u64], b: &[u64]) -> u64 {
    let zero = 0;
    by_two!(table & 14, zero, count_by(a, b))
}

#[inline(always)]
pub(super) fn first_lut2(table: u8, a: &[u64], b: &[u64]) -> Option<usize> {
    let zero = 0;
    by_two!(table & 14, zero, first_limb(a, b)).map(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_loop_for_every_class() {
        let source = include_str!("lut.rs");
        for (table, (class, order)) in CLASSES.iter().enumerate() {
            let reordered = reordered(table as u8, *order);
            assert_eq!(*class, if reordered & 1 == 1 { !reordered } else { reordered });
            assert!(source.contains(&format!("0x{class:02x}")), "{class:#04x}");
        }
    }
}
