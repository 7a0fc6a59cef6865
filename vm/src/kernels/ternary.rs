//! Logic of three operands, limb by limb, and reductions of it.
//!
//! Note [Operand orders]. A function of three bits is one of 256; but if the operands may change places,
//! only 80 are left, and each of these has a loop of its own. The order is chosen so that the function
//! takes few operations as "if the first, then …, otherwise …". Even so these loops are much code: what
//! else has three operands goes through them, block by block.

use star_base::bits::zero_tail;

use super::elementwise::binary;
use super::{Kernels, n_limbs};

/// Limbs whose value is kept between a function and its reduction.
const BLOCK: usize = 128;

/// Likewise where that is enough: a large block would have to be zeroed first.
const SHORT: usize = 8;

/// A function of three bits, given by its table, on 64 triples at once.
#[inline(always)]
fn ternary(table: u8, a: u64, b: u64, c: u64) -> u64 {
    let (then, other) = (table >> 4, table & 15);
    let (x, y) = (binary(then, b, c), binary(other, b, c));
    match (then, other) {
        _ if then == other => x,
        _ if then == !other & 15 => a ^ y,
        (0, _) => !a & y,
        (_, 0) => a & x,
        (15, _) => a | y,
        (_, 15) => !a | x,
        _ => y ^ (a & (x ^ y)),
    }
}

/// Operations that `ternary` takes.
const fn cost(table: u8) -> u8 {
    const fn binary_cost(table: u8) -> u8 {
        match table & 15 {
            0 | 15 | 10 | 12 => 0,
            3 | 5 | 6 | 8 | 14 => 1,
            _ => 2,
        }
    }
    let (then, other) = (table >> 4, table & 15);
    if then == other {
        binary_cost(then)
    } else if then == !other & 15 {
        1 + binary_cost(other)
    } else if then == 0 {
        2 + binary_cost(other)
    } else if other == 0 {
        1 + binary_cost(then)
    } else if then == 15 {
        1 + binary_cost(other)
    } else if other == 15 {
        2 + binary_cost(then)
    } else {
        3 + binary_cost(then) + binary_cost(other)
    }
}

/// The table after a change of places: place i of the new function is place `order[i]` of the old one.
const fn reordered(table: u8, order: [usize; 3]) -> u8 {
    let mut result = 0;
    let mut inputs = 0;
    while inputs < 8 {
        let mut moved = 0;
        let mut place = 0;
        while place < 3 {
            moved |= (inputs >> (2 - order[place]) & 1) << (2 - place);
            place += 1;
        }
        result |= (table >> inputs & 1) << moved;
        inputs += 1;
    }
    result
}

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// For each table, the table and the order of the operands that are used for it.
static CHOSEN: [(u8, [usize; 3]); 256] = {
    let mut chosen = [(0, ORDERS[0]); 256];
    let mut table = 0;
    while table < 256 {
        let mut best = (table as u8, ORDERS[0]);
        let mut idx = 0;
        while idx < 6 {
            let other = reordered(table as u8, ORDERS[idx]);
            let (now, then) = (cost(other), cost(best.0));
            if now < then || now == then && other < best.0 {
                best = (other, ORDERS[idx]);
            }
            idx += 1;
        }
        chosen[table] = best;
        table += 1;
    }
    chosen
};

/// `dst[i] = f(a[i], b[i], c[i])`.
#[inline(always)]
fn zip(dst: &mut [u64], [a, b, c]: [&[u64]; 3], f: impl Fn(u64, u64, u64) -> u64) {
    let n = dst.len();
    for (((d, &x), &y), &z) in dst.iter_mut().zip(&a[..n]).zip(&b[..n]).zip(&c[..n]) {
        *d = f(x, y, z);
    }
}

/// A loop for each of the tables listed, and one for all others.
macro_rules! by_table {
    ($table:expr, $dst:expr, $operands:expr, $($known:literal)*) => {
        match $table {
            $($known => zip($dst, $operands, |x, y, z| ternary($known, x, y, z)),)*
            other => zip($dst, $operands, |x, y, z| ternary(other, x, y, z)),
        }
    };
}

/// Bits beyond a length are left as the function makes them.
#[inline(always)]
fn evaluate(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], c: &[u64]) {
    let (table, order) = CHOSEN[usize::from(table)];
    let operands = [a, b, c];
    let operands = order.map(|place| operands[place]);
    by_table!(table, dst, operands, 0x00 0x01 0x06 0x07 0x08 0x09 0x0a 0x0b 0x0e 0x0f 0x10 0x11 0x16 0x17 0x18 0x1a 0x1e 0x1f 0x25 0x2b 0x2c 0x2d 0x2f 0x35 0x3a 0x3c 0x3d 0x3e 0x60 0x61 0x68 0x69 0x6b 0x6e 0x6f 0x70 0x77 0x78 0x7e 0x7f 0x80 0x81 0x83 0x86 0x87 0x88 0x8e 0x8f 0x90 0x96 0x97 0x99 0x9e 0x9f 0xa1 0xa3 0xa4 0xa7 0xaa 0xac 0xad 0xaf 0xb0 0xb4 0xbc 0xe0 0xe1 0xe7 0xe8 0xe9 0xee 0xef 0xf1 0xf2 0xf6 0xf7 0xf8 0xf9 0xfe 0xff);
}

#[inline(always)]
pub(super) fn logic3(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], c: &[u64], len: usize) {
    let dst = &mut dst[..n_limbs(len)];
    evaluate(table, dst, a, b, c);
    zero_tail(dst, len);
}

impl Kernels {
    /// `dst = f(dst, b, c)`; see [`Kernels::logic3`].
    pub fn logic3_assign(&self, table: u8, dst: &mut [u64], b: &[u64], c: &[u64], len: usize) {
        let dst = &mut dst[..n_limbs(len)];
        if dst.len() <= SHORT {
            self.assign_by::<SHORT>(table, dst, b, c, len);
        } else {
            self.assign_by::<BLOCK>(table, dst, b, c, len);
        }
    }

    fn assign_by<const N: usize>(
        &self,
        table: u8,
        dst: &mut [u64],
        b: &[u64],
        c: &[u64],
        len: usize,
    ) {
        let mut before = [0; N];
        let (b, c) = (&b[..dst.len()], &c[..dst.len()]);
        let mut rest = len;
        for ((d, b), c) in dst.chunks_mut(N).zip(b.chunks(N)).zip(c.chunks(N)) {
            let before = &mut before[..d.len()];
            before.copy_from_slice(d);
            let here = rest.min(N * 64);
            self.logic3(table, d, before, b, c, here);
            rest -= here;
        }
    }

    /// Gives the values of the function to `look`, block by block, until it answers true: with the
    /// index of the first limb.
    #[inline]
    fn blocks3<const N: usize>(
        &self,
        table: u8,
        [a, b, c]: [&[u64]; 3],
        len: usize,
        mut look: impl FnMut(usize, &[u64]) -> bool,
    ) {
        let n = n_limbs(len);
        let mut values = [0; N];
        for start in (0..n).step_by(N) {
            let end = (start + N).min(n);
            let values = &mut values[..end - start];
            let here = (len - start * 64).min(N * 64);
            self.logic3(table, values, &a[start..end], &b[start..end], &c[start..end], here);
            if look(start, values) {
                return;
            }
        }
    }

    /// Number of ones of f(a, b, c); see [`Kernels::logic3`].
    pub fn count_logic3(&self, table: u8, a: &[u64], b: &[u64], c: &[u64], len: usize) -> u64 {
        let mut sum = 0;
        let count = |_: usize, values: &[u64]| {
            sum += self.count(values);
            false
        };
        if n_limbs(len) <= SHORT {
            self.blocks3::<SHORT>(table, [a, b, c], len, count);
        } else {
            self.blocks3::<BLOCK>(table, [a, b, c], len, count);
        }
        sum
    }

    /// Has f(a, b, c) a one? Ends soon after the first.
    pub fn some_logic3(&self, table: u8, a: &[u64], b: &[u64], c: &[u64], len: usize) -> bool {
        self.first_logic3(table, a, b, c, len).is_some()
    }

    /// Place of the first one of f(a, b, c). Ends soon after it.
    pub fn first_logic3(
        &self,
        table: u8,
        a: &[u64],
        b: &[u64],
        c: &[u64],
        len: usize,
    ) -> Option<usize> {
        let mut place = None;
        let first = |start: usize, values: &[u64]| {
            place = self.first(values).map(|place| start * 64 + place);
            place.is_some()
        };
        if n_limbs(len) <= SHORT {
            self.blocks3::<SHORT>(table, [a, b, c], len, first);
        } else {
            self.blocks3::<BLOCK>(table, [a, b, c], len, first);
        }
        place
    }
}
