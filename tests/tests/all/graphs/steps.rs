//! `paths`: NEARER, RELAX and RELAX_SIGNED, the step shared by the other procedures.

use star_value::Value;

use super::module::Module;
use super::random::Rng;
use super::values::{bits_at, numbers, ones, word};

/// The range of the random numbers.
#[derive(Clone, Copy, PartialEq)]
enum Range {
    /// All of h bits.
    All,
    /// Those valid for RELAX.
    Plain,
    /// Those valid for RELAX_SIGNED.
    Signed,
}

/// Checks all three on random numbers. RELAX and RELAX_SIGNED trap, or none of their sums has
/// wrapped; then they agree with NEARER.
pub(super) fn check(module: &Module, rng: &mut Rng) {
    for range in [Range::All, Range::Plain, Range::Signed] {
        check_range(module, rng, range);
    }
}

fn check_range(module: &Module, rng: &mut Rng, range: Range) {
    let (n, h) = (rng.n_vertices(1, 9), 2 + rng.below(5));
    let full = 1_u64 << h;
    let (half, quarter) = (full / 2, full / 4);
    let mut below = |bound: u64| rng.below(bound as usize) as u64;
    let d = match range {
        Range::All => below(full),
        Range::Plain => below(half),
        Range::Signed => quarter + below(half),
    };
    let weights = (0..n).map(|_| match range {
        Range::All => below(full),
        Range::Plain => below(half),
        Range::Signed => (below(half) + full - quarter) % full,
    });
    let weights: Vec<u64> = weights.collect();
    let lengths: Vec<u64> = (0..n).map(|_| below(full)).collect();
    let x = bits_at(n, (0..n).filter(|_| below(4) > 0));
    let args = || {
        vec![
            Value::from(numbers(&weights, h)),
            Value::Slice(x.clone()),
            word(d, h),
            Value::from(numbers(&lengths, h)),
            Value::Unset,
        ]
    };
    let sum = |row: usize| (weights[row] + d) % full;
    let nearer: Vec<usize> = ones(&x).into_iter().filter(|&row| sum(row) < lengths[row]).collect();
    let mut expected = lengths.clone();
    for &row in &nearer {
        expected[row] = sum(row);
    }
    let results = module.call("NEARER", args());
    assert_eq!(results.table(3), numbers(&expected, h), "{:?}", args());
    assert_eq!(ones(&results.slice(4)), nearer, "{:?}", args());
    let merge = if nearer.is_empty() { 0 } else { 7 * h as u64 };
    let cost = 14 * h as u64 + u64::from(d.count_ones()) + 3 + merge;
    assert_eq!(results.operations, cost, "{:?}", args());

    let marked = || ones(&x).into_iter().map(|row| weights[row]);
    let plain = d < half && marked().all(|weight| weight < half);
    let small = |weight: u64| (weight + quarter) % full < half;
    let signed = (quarter..half + quarter).contains(&d) && marked().all(small);
    assert!(plain || range != Range::Plain, "{:?}", args());
    assert!(signed || range != Range::Signed, "{:?}", args());
    if plain {
        assert!(marked().all(|weight| weight + d < full - 1), "{:?}", args());
        assert_eq!(module.call("RELAX", args()).operations, cost + 4, "{:?}", args());
    }
    if signed {
        let value = |weight: u64| if weight < half { weight } else { weight.wrapping_sub(full) };
        let sums = || marked().map(|weight| value(weight).wrapping_add(d));
        assert!(sums().all(|sum| sum < full - 1), "{:?}", args());
        assert_eq!(module.call("RELAX_SIGNED", args()).operations, cost + 7, "{:?}", args());
    }
    for (routine, fits) in [("RELAX", plain), ("RELAX_SIGNED", signed)] {
        match module.try_call(routine, args()) {
            Ok(found) => {
                assert!(fits, "{routine} of {:?}", args());
                assert_eq!(found.values, results.values, "{routine} of {:?}", args());
            }
            Err(message) => {
                assert!(!fits, "{routine} of {:?}: {message}", args());
                assert!(message.contains("h is too small"), "{message}");
            }
        }
    }
}
