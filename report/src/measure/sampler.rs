//! Stopping rule for samples.

use std::time::Duration;

use super::median::{CONFIDENCE, Median};

/// Samples before the width of the interval is checked: the first few often agree by chance.
const FIRST_LOOK: usize = 10;

/// Minimum number of samples for an interval that covers the median with [`CONFIDENCE`].
const NEEDED: usize = 6;

/// These may take this many times the time of the budget.
const EXTENSION: u32 = 4;

/// Limits on the samples of one measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Maximum distance of the interval from the median, relative to the median.
    pub width: f64,
    /// Time for all samples; for the first six, four times as much. At least one is taken,
    /// regardless of its duration.
    pub time: Duration,
    /// Maximum number of samples.
    pub max_runs: usize,
}

/// Reason for the end of sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The interval is narrow enough.
    Narrow,
    /// The time is used up.
    Time,
    /// The maximum number of samples is reached.
    Runs,
}

/// The samples of one measurement, in seconds.
#[derive(Clone, Debug)]
pub struct Sampler {
    budget: Budget,
    samples: Vec<f64>,
    spent: Duration,
}

impl Sampler {
    /// Creates a sampler without samples.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Sampler { budget, samples: Vec::new(), spent: Duration::ZERO }
    }

    /// Adds a sample that took `spent`, including preparations.
    pub fn add(&mut self, seconds: f64, spent: Duration) {
        self.samples.push(seconds);
        self.spent += spent;
    }

    /// Returns the reason to stop, if there are enough samples.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        let n = self.samples.len();
        if n >= FIRST_LOOK && self.is_narrow() {
            Some(Stop::Narrow)
        } else if n == 0 {
            None
        } else if n >= self.budget.max_runs {
            Some(Stop::Runs)
        } else if self.spent >= self.budget.time * if n < NEEDED { EXTENSION } else { 1 } {
            Some(Stop::Time)
        } else {
            None
        }
    }

    /// Does the interval cover the median with [`CONFIDENCE`], and is it narrow enough?
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        let narrow = |m: Median| m.confidence >= CONFIDENCE && m.width() <= self.budget.width;
        Median::of(&self.samples).is_some_and(narrow)
    }

    /// Returns the samples in the order of measurement.
    #[must_use]
    pub fn samples(&self) -> &[f64] {
        &self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget { width: 0.02, time: Duration::from_secs(1), max_runs: 30 };

    /// Returns the number of samples taken, and the reason for the end.
    fn taken(budget: Budget, each: Duration, sample: impl Fn(usize) -> f64) -> (usize, Stop) {
        let mut sampler = Sampler::new(budget);
        for n in 0.. {
            if let Some(stop) = sampler.stop() {
                return (n, stop);
            }
            sampler.add(sample(n), each);
        }
        unreachable!()
    }

    #[test]
    fn agreeing_samples_end_early() {
        assert_eq!(taken(BUDGET, Duration::ZERO, |_| 1.0), (FIRST_LOOK, Stop::Narrow));
    }

    #[test]
    fn scattered_samples_use_up_the_runs_or_the_time() {
        let scattered = |n: usize| [1.0, 2.0][n % 2];
        assert_eq!(taken(BUDGET, Duration::ZERO, scattered), (30, Stop::Runs));
        assert_eq!(taken(BUDGET, Duration::from_millis(100), scattered), (10, Stop::Time));
        assert_eq!(taken(BUDGET, Duration::from_millis(500), scattered), (6, Stop::Time));
        assert_eq!(taken(BUDGET, Duration::from_secs(2), scattered), (2, Stop::Time));
        assert_eq!(taken(BUDGET, Duration::from_secs(100), scattered), (1, Stop::Time));
    }

    #[test]
    fn few_samples_are_never_narrow() {
        let mut sampler = Sampler::new(BUDGET);
        (0..5).for_each(|_| sampler.add(1.0, Duration::ZERO));
        assert!(!sampler.is_narrow());
        sampler.add(1.0, Duration::ZERO);
        assert!(sampler.is_narrow());
    }
}
