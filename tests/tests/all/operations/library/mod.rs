//! The library procedures on random tables against direct computation, with the costs stated in
//! their headers.
//!
//! Numbers are computed in `u128`, so that rows are up to 127 bits wide here.

mod aliasing;
mod arithmetic;
mod copy;
mod names;
mod order;
mod overflow;
mod search;
mod signed;
mod sizes;

pub(super) use self::sizes::CALLS;

use star_compiler::LowerOptions;
use star_tests::case::Random;
use star_value::Value;

use super::{Machine, Rows, SEED, SIZES, count, int, slice, table, word};

/// Random tables of one size, with matching operands.
struct Data {
    n: usize,
    k: usize,
    t: Rows,
    f: Rows,
    x: Vec<bool>,
    v: Vec<bool>,
}

/// Returns the unsigned number that these bits represent.
fn value(bits: &[bool]) -> u128 {
    bits.iter().fold(0, |sum, &bit| 2 * sum + u128::from(bit))
}

/// Returns the number that these bits represent in two's complement.
fn signed(bits: &[bool]) -> i128 {
    let sign = if bits.first() == Some(&true) { 1_i128 << bits.len() } else { 0 };
    value(bits) as i128 - sign
}

/// Returns a number modulo 2^`width` as bits.
fn number(value: u128, width: usize) -> Vec<bool> {
    (0..width).rev().map(|place| value.checked_shr(place as u32).unwrap_or(0) & 1 == 1).collect()
}

impl Data {
    fn new(random: &mut Random, n: usize, k: usize) -> Self {
        let rows = |random: &mut Random| -> Rows { (0..n).map(|_| random.bits(k, 50)).collect() };
        let mut t = rows(random);
        // Few different rows, and rows of zeros or ones only, are difficult for searches.
        match random.below(8) {
            0 => t.fill(vec![true; k]),
            1 => t.fill(random.bits(k, 50)),
            2 => t.iter_mut().filter(|_| random.chance(50)).for_each(|row| row.fill(false)),
            _ => {}
        }
        let mut f = rows(random);
        for (mine, theirs) in f.iter_mut().zip(&t) {
            if random.chance(40) {
                mine.clone_from(theirs);
            } else if random.chance(20) {
                mine.fill(random.chance(50));
            }
        }
        let percent = [0, 30, 70, 100][random.below(4)];
        let x = random.bits(n, percent);
        let v = match random.below(10) {
            0 => vec![false; k],
            1 => vec![true; k],
            2..=4 => random.bits(k, 50),
            _ => t.get(random.below(n.max(1))).cloned().unwrap_or_else(|| vec![false; k]),
        };
        Data { n, k, t, f, x, v }
    }

    /// Returns the rows that `X` marks.
    fn marked(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.n).filter(|&i| self.x[i])
    }

    /// Returns the rows of `X` for which `marks` holds.
    fn rows_that(&self, marks: impl Fn(usize) -> bool) -> Value {
        slice(&(0..self.n).map(|i| self.x[i] && marks(i)).collect::<Vec<_>>())
    }

    /// Returns the rows of `X` as numbers of `width` bits; the others are given by `otherwise`.
    fn rows_of(
        &self,
        width: usize,
        value: impl Fn(usize) -> u128,
        otherwise: impl Fn(usize) -> Vec<bool>,
    ) -> Value {
        let row = |i| if self.x[i] { number(value(i), width) } else { otherwise(i) };
        table(&(0..self.n).map(row).collect(), width)
    }

    /// Returns the rows of `X` as numbers of `width` bits; the others are zero.
    fn numbers(&self, width: usize, value: impl Fn(usize) -> u128) -> Value {
        self.rows_of(width, value, |_| vec![false; width])
    }

    /// Returns `T`, `X`.
    fn one(&self) -> Vec<Value> {
        vec![table(&self.t, self.k), slice(&self.x)]
    }

    /// Returns `T`, `X`, `v`.
    fn by_word(&self) -> Vec<Value> {
        vec![table(&self.t, self.k), slice(&self.x), word(&self.v)]
    }

    /// Returns `T`, `F`, `X`.
    fn by_table(&self) -> Vec<Value> {
        vec![table(&self.t, self.k), table(&self.f, self.k), slice(&self.x)]
    }
}

/// Appends this number of unset arguments.
fn with_unset(mut args: Vec<Value>, n: usize) -> Vec<Value> {
    args.extend((0..n).map(|_| Value::Unset));
    args
}

/// Returns about 400 pairs of tables: small ones, ones at the limits of limbs, and wide ones.
fn all_data() -> Vec<Data> {
    let mut random = Random::new(SEED);
    let mut all = Vec::new();
    for n in [0, 1, 2, 3, 5, 8, 13, 63, 64, 65] {
        for k in [0, 1, 2, 3, 4, 5, 7] {
            for _ in 0..4 {
                all.push(Data::new(&mut random, n, k));
            }
        }
    }
    for n in SIZES {
        for k in [1, 4] {
            all.push(Data::new(&mut random, n, k));
        }
    }
    for n in [1, 5, 33, 65] {
        for k in [8, 15, 16, 31, 32, 33, 62, 63, 64, 65, 100] {
            all.push(Data::new(&mut random, n, k));
            all.push(Data::new(&mut random, n, k));
        }
    }
    all
}

/// Compiles the wrappers in `text`, with calls of MIN, MAX, TCOPY1 and TCOPY2 as one operation of
/// the machine, and as calls of their Star bodies.
fn machines(text: &str) -> [Machine; 2] {
    [true, false].map(|machine_ops| {
        Machine::with(text, &LowerOptions { machine_ops, ..LowerOptions::default() })
    })
}
