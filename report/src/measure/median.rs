//! The median of samples, with an interval that covers the true one.
//!
//! The bounds of the interval are order statistics, so that nothing is assumed about the
//! distribution of the times: the number of samples below the true median is binomial with one half
//! (Conover, Practical Nonparametric Statistics, section 3.2).

use std::f64::consts::LN_2;

/// The interval covers the true median with at least this probability, if there are enough samples.
pub const CONFIDENCE: f64 = 0.95;

/// The median of samples, with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub median: f64,
    /// Lower bound of the interval.
    pub low: f64,
    /// Upper bound of the interval.
    pub high: f64,
    /// The minimum sample.
    pub min: f64,
    /// Probability that the interval covers the true median. If it is below [`CONFIDENCE`], there
    /// were fewer than six samples, and the interval is the whole range.
    pub confidence: f64,
    /// Number of samples.
    pub n_samples: usize,
}

impl Median {
    /// Returns the median of these samples; `None` if there are none, or one is not a number.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        if sorted.is_empty() || sorted.iter().any(|sample| !sample.is_finite()) {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let (rank, confidence) = rank(n);
        Some(Median {
            median: middle(&sorted),
            low: sorted[rank],
            high: sorted[n - 1 - rank],
            min: sorted[0],
            confidence,
            n_samples: n,
        })
    }

    /// Returns the maximum distance of the interval from the median, relative to the median.
    #[must_use]
    pub fn width(&self) -> f64 {
        let reach = (self.high - self.median).max(self.median - self.low);
        if reach == 0.0 { 0.0 } else { reach / self.median }
    }
}

/// Returns the median of sorted samples, at least one.
pub(super) fn middle(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    if n % 2 == 1 { sorted[n / 2] } else { f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]) }
}

/// Returns the number of samples outside the interval at each end, and the resulting coverage.
fn rank(n: usize) -> (usize, f64) {
    // Of the probability that exactly `rank` samples are below the median.
    let mut log = -(n as f64) * LN_2;
    let mut tail = log.exp();
    let mut best = (0, 1.0 - 2.0 * tail);
    for rank in 1..n.div_ceil(2) {
        log += ((n - rank + 1) as f64 / rank as f64).ln();
        tail += log.exp();
        let confidence = 1.0 - 2.0 * tail;
        if confidence < CONFIDENCE {
            break;
        }
        best = (rank, confidence);
    }
    (best.0, best.1.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks, from 1, and coverages from tables of the binomial distribution.
    #[test]
    fn interval_coverage_matches_the_tables() {
        let known = [(6, 1, 0.968_75), (10, 2, 0.978_5), (20, 6, 0.958_6), (100, 40, 0.964_8)];
        for (n, first, confidence) in known {
            let (rank, found) = rank(n);
            assert_eq!(rank + 1, first, "{n}");
            assert!((found - confidence).abs() < 5e-5, "{n}: {found}");
        }
        assert!(rank(5_000).1 >= CONFIDENCE && rank(5_000).1 < 0.955);
    }

    #[test]
    fn few_samples_give_their_range_with_low_confidence() {
        let median = Median::of(&[3.0, 1.0, 2.0]).unwrap();
        assert_eq!((median.median, median.low, median.high), (2.0, 1.0, 3.0));
        assert_eq!(median.confidence, 0.75);
        assert_eq!(median.width(), 0.5);
        let one = Median::of(&[3.0]).unwrap();
        assert_eq!((one.median, one.confidence, one.width()), (3.0, 0.0, 0.0));
    }

    #[test]
    fn outliers_do_not_move_the_interval() {
        let mut samples: Vec<f64> = (1..=20).map(f64::from).collect();
        let before = Median::of(&samples).unwrap();
        assert_eq!((before.median, before.low, before.high), (10.5, 6.0, 15.0));
        samples[19] = 1e9;
        assert_eq!(Median::of(&samples).unwrap(), before);
    }

    #[test]
    fn empty_or_invalid_samples_have_no_median() {
        assert_eq!(Median::of(&[]), None);
        assert_eq!(Median::of(&[1.0, f64::NAN]), None);
        assert_eq!(Median::of(&[0.0, 0.0]).unwrap().width(), 0.0);
    }
}
