//! Resolution of the clock, and the repetitions of a short run within one sample.

use std::time::{Duration, Instant};

/// A sample takes at least this many times the resolution of the clock: an error of one in a
/// thousand, far below the width of any interval.
const LONGER: u32 = 1000;

/// Maximum number of runs within one sample: each needs separate values.
const MOST: usize = 4096;

/// Number of clock steps that are measured.
const STEPS: usize = 50;

/// Returns the resolution of the clock: the median of a few steps.
#[must_use]
pub fn resolution() -> Duration {
    let mut steps: Vec<Duration> = (0..STEPS).map(|_| step()).collect();
    steps.sort();
    steps[STEPS / 2]
}

fn step() -> Duration {
    let begun = Instant::now();
    loop {
        let passed = begun.elapsed();
        if !passed.is_zero() {
            return passed;
        }
    }
}

/// Returns the repetitions of a run of duration `one` within a sample, if the values of a run need
/// `n_bytes` and those of all repetitions may use `max_bytes`.
#[must_use]
pub fn repetitions(one: Duration, resolution: Duration, n_bytes: u64, max_bytes: u64) -> usize {
    let wanted = (resolution * LONGER).as_nanos().div_ceil(one.as_nanos().max(1));
    let fitting = u128::from(max_bytes / n_bytes.max(1));
    let most = fitting.min(MOST as u128);
    usize::try_from(wanted.min(most)).unwrap_or(MOST).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_repeat_as_the_clock_resolution_requires() {
        let ns = Duration::from_nanos;
        assert_eq!(repetitions(ns(100_000), ns(30), 1, 1000), 1);
        assert_eq!(repetitions(ns(30_000), ns(30), 1, 1000), 1);
        assert_eq!(repetitions(ns(29_999), ns(30), 1, 1000), 2);
        assert_eq!(repetitions(ns(300), ns(30), 1, 1000), 100);
    }

    #[test]
    fn repetitions_are_bounded_by_number_and_memory() {
        let ns = Duration::from_nanos;
        assert_eq!(repetitions(ns(0), ns(30), 0, u64::MAX), MOST);
        assert_eq!(repetitions(ns(300), ns(30), 100, 1000), 10);
        assert_eq!(repetitions(ns(300), ns(30), 2000, 1000), 1);
    }

    #[test]
    fn clock_resolution_is_positive() {
        assert!(!resolution().is_zero());
    }
}
