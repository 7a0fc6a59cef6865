//! When there are enough samples of a thing.

use std::time::Duration;

use super::median::{CONFIDENCE, Median};

/// Samples before the width of the interval is looked at: the first few agree by chance too often.
const FIRST_LOOK: usize = 10;

/// Samples that the interval needs to cover the median at all with [`CONFIDENCE`].
const NEEDED: usize = 6;

/// These may take so many times the time of the budget.
const EXTENSION: u32 = 4;

/// What the samples of one thing may take, and when they are enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Enough if the interval reaches no farther from the median than this share of it.
    pub width: f64,
    /// Time for all samples; for the first six, four times as much. There is at least one, however long it
    /// takes.
    pub time: Duration,
    /// Samples at most.
    pub max_runs: usize,
}

/// Why there are no more samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The interval is narrow.
    Narrow,
    /// The time is up.
    Time,
    /// There are as many as there may be.
    Runs,
}

/// The samples of one thing, in seconds.
#[derive(Clone, Debug)]
pub struct Sampler {
    budget: Budget,
    samples: Vec<f64>,
    spent: Duration,
}

impl Sampler {
    /// No samples yet.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Sampler { budget, samples: Vec::new(), spent: Duration::ZERO }
    }

    /// Takes a sample; getting it took `spent`, preparations included.
    pub fn add(&mut self, seconds: f64, spent: Duration) {
        self.samples.push(seconds);
        self.spent += spent;
    }

    /// Is it enough, and why?
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

    /// Does the interval cover the median with [`CONFIDENCE`], and is it as narrow as wanted?
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        let narrow = |m: Median| m.confidence >= CONFIDENCE && m.width() <= self.budget.width;
        Median::of(&self.samples).is_some_and(narrow)
    }

    /// The samples in the order in which they came.
    #[must_use]
    pub fn samples(&self) -> &[f64] {
        &self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget { width: 0.02, time: Duration::from_secs(1), max_runs: 30 };

    /// How many samples are taken, and why no more.
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
    fn samples_that_agree_are_soon_enough() {
        assert_eq!(taken(BUDGET, Duration::ZERO, |_| 1.0), (FIRST_LOOK, Stop::Narrow));
    }

    #[test]
    fn samples_that_scatter_use_up_the_runs_or_the_time() {
        let scattered = |n: usize| [1.0, 2.0][n % 2];
        assert_eq!(taken(BUDGET, Duration::ZERO, scattered), (30, Stop::Runs));
        assert_eq!(taken(BUDGET, Duration::from_millis(100), scattered), (10, Stop::Time));
        assert_eq!(taken(BUDGET, Duration::from_millis(500), scattered), (6, Stop::Time));
        assert_eq!(taken(BUDGET, Duration::from_secs(2), scattered), (2, Stop::Time));
        assert_eq!(taken(BUDGET, Duration::from_secs(100), scattered), (1, Stop::Time));
    }

    #[test]
    fn few_samples_are_never_called_narrow() {
        let mut sampler = Sampler::new(BUDGET);
        (0..5).for_each(|_| sampler.add(1.0, Duration::ZERO));
        assert!(!sampler.is_narrow());
        sampler.add(1.0, Duration::ZERO);
        assert!(sampler.is_narrow());
    }
}
