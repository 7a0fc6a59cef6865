//! Programs that take the fast paths of a backend, or just miss them, with assertions about the
//! paths taken.
//!
//! Every program here is compared on every backend in both modes; these tests additionally state
//! which paths must be taken: a fast path that never runs passes every comparison.

mod blocks;
mod calls;
mod counts;
mod distributed;
mod extremes;
mod fields;
mod grown;
mod homes;
mod index;
mod iterations;
mod lines;
mod long;
mod memory;
mod pending;
mod queries;
mod recorded;
mod shifted;
mod sparse;
mod structures;
mod views;

use star_tests::case::Random;
use star_tests::differ::Agreement;
use star_value::{BitTable, BitVector, Value};
use star_vm::{Counters, Declined};

/// Sizes at the limits of packed forms.
const EDGES: [usize; 14] = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513];

/// The backends that have fast paths.
const CPUS: [&str; 3] = ["cpu", "cpu-tiny", "cpu-baseline"];

/// Returns pseudorandom components.
fn bits(len: usize, seed: u64) -> BitVector {
    BitVector::from_bools(&Random::new(seed).bits(len, 50))
}

pub(crate) fn slice(len: usize, seed: u64) -> Value {
    Value::Slice(bits(len, seed))
}

pub(crate) fn word(len: usize, seed: u64) -> Value {
    Value::Word(bits(len, seed))
}

pub(crate) fn table(n_rows: usize, n_cols: usize, seed: u64) -> Value {
    let columns: Vec<BitVector> =
        (0..n_cols as u64).map(|column| bits(n_rows, seed + 100 * column)).collect();
    Value::from(BitTable::from_columns(n_rows, &columns))
}

/// Asserts a property of the fast paths that the optimised program took on every CPU backend.
#[track_caller]
fn each(agreement: &Agreement, is: impl Fn(Counters) -> bool) {
    for machine in CPUS {
        let paths = agreement.optimised(machine);
        assert!(is(paths), "{machine}: {paths:?}");
    }
}

/// Asserts that every `forall` was declined, for this reason.
#[track_caller]
fn declined(agreement: &Agreement, reason: Declined) {
    each(agreement, |paths| paths.line_kernels == 0 && paths.declined(reason) > 0);
}
