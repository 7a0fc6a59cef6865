//! Significance and ratio of the difference between two sets of samples.
//!
//! The test is that of Mann and Whitney (1947), which uses only the order of the samples. Up to
//! [`EXACT`] samples without ties, its distribution is computed exactly, otherwise by the normal
//! approximation with corrections for ties and continuity. The interval of the ratio is a bootstrap
//! with a fixed seed.

use star_base::Random;

use super::median::{Median, middle};

/// A difference is a change only if its p is below this.
pub const SIGNIFICANT: f64 = 0.01;

/// Maximum number of samples in both sets for the exact test.
const EXACT: usize = 60;

/// Number of resamples for the interval of the ratio.
const DRAWS: usize = 2000;

/// The seed of the bootstrap: the same samples give the same interval.
const SEED: u64 = 2016;

/// Comparison of two sets of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The median of the new samples over that of the old ones.
    pub ratio: f64,
    /// Lower bound of its interval of 95 %.
    pub low: f64,
    /// Upper bound of the interval.
    pub high: f64,
    /// Probability of a difference of at least this size if there is none.
    pub p: f64,
    /// The minimum p for these numbers of samples.
    pub least_p: f64,
}

/// Change of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Less time.
    Faster,
    /// More time.
    Slower,
    /// No change beyond noise.
    Same,
    /// There are too few samples to decide.
    TooFew,
}

impl Comparison {
    /// Returns the change of the time, ignoring ratios within `1 ± noise`.
    #[must_use]
    pub fn change(&self, noise: f64) -> Change {
        if self.least_p >= SIGNIFICANT {
            Change::TooFew
        } else if self.p >= SIGNIFICANT || (self.ratio - 1.0).abs() <= noise {
            Change::Same
        } else if self.ratio < 1.0 {
            Change::Faster
        } else {
            Change::Slower
        }
    }
}

/// Compares new samples with old ones; `None` if a set is empty or its median is not positive.
#[must_use]
pub fn compare(old: &[f64], new: &[f64]) -> Option<Comparison> {
    let (old_median, new_median) = (Median::of(old)?.median, Median::of(new)?.median);
    if old_median <= 0.0 || new_median <= 0.0 {
        return None;
    }
    let (low, high) = ratio_interval(old, new);
    let least_p = 2.0 / arrangements(old.len(), new.len());
    Some(Comparison {
        ratio: new_median / old_median,
        low,
        high,
        p: mann_whitney(old, new),
        least_p: least_p.min(1.0),
    })
}

/// Returns the number of arrangements of `m` samples among `m + n`.
fn arrangements(m: usize, n: usize) -> f64 {
    (1..=m).fold(1.0, |product, i| product * (n + i) as f64 / i as f64)
}

/// Returns the p of the two-sided test that neither set tends to be greater.
fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> = a.iter().map(|&sample| (sample, true)).collect();
    all.extend(b.iter().map(|&sample| (sample, false)));
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    // Equal samples share the mean of their ranks.
    let (mut rank_sum, mut ties) = (0.0, 0.0);
    let mut begin = 0;
    while begin < all.len() {
        let group = all[begin..].iter().take_while(|(sample, _)| *sample == all[begin].0).count();
        let rank = begin as f64 + (group as f64 + 1.0) / 2.0;
        let n_of_a = all[begin..begin + group].iter().filter(|(_, of_a)| *of_a).count();
        rank_sum += rank * n_of_a as f64;
        ties += (group as f64).powi(3) - group as f64;
        begin += group;
    }
    let (m, n) = (a.len(), b.len());
    let u = rank_sum - (m * (m + 1)) as f64 / 2.0;
    let greater = u.max((m * n) as f64 - u);
    if ties == 0.0 && m + n <= EXACT {
        exact(m, n, greater)
    } else {
        approximate(m as f64, n as f64, greater, ties)
    }
}

/// `counts[u]`: the number of arrangements of m and n samples with exactly u pairs in which the
/// first sample is greater. The greatest sample is either one of the first set, and greater than
/// all n of the other, or one of the second.
fn exact(m: usize, n: usize, greater: f64) -> f64 {
    // counts[j] is for i samples of the first set and j of the second.
    let mut counts: Vec<Vec<f64>> = vec![vec![1.0]; n + 1];
    for i in 1..=m {
        for j in 0..=n {
            let mut next = vec![0.0; i * j + 1];
            for (u, count) in counts[j].iter().enumerate() {
                next[u + j] += count;
            }
            if j > 0 {
                for (u, count) in counts[j - 1].iter().enumerate() {
                    next[u] += count;
                }
            }
            counts[j] = next;
        }
    }
    let at_least = |(u, _): &(usize, &f64)| *u as f64 >= greater;
    let tail: f64 = counts[n].iter().enumerate().filter(at_least).map(|(_, count)| count).sum();
    (2.0 * tail / arrangements(m, n)).min(1.0)
}

fn approximate(m: f64, n: f64, greater: f64, ties: f64) -> f64 {
    let all = m + n;
    let variance = m * n / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0; // all samples are equal
    }
    let z = (greater - m * n / 2.0 - 0.5) / variance.sqrt();
    libm::erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

/// Returns the middle 95 % of the ratios of medians of resamples.
fn ratio_interval(old: &[f64], new: &[f64]) -> (f64, f64) {
    let mut random = Random::new(SEED);
    let mut drawn = Vec::new();
    let mut again = |samples: &[f64]| {
        drawn.clear();
        drawn.extend((0..samples.len()).map(|_| samples[random.below(samples.len())]));
        drawn.sort_by(f64::total_cmp);
        middle(&drawn)
    };
    let mut ratios: Vec<f64> = (0..DRAWS).map(|_| again(new) / again(old)).collect();
    ratios.sort_by(f64::total_cmp);
    (ratios[DRAWS / 40], ratios[DRAWS - 1 - DRAWS / 40])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of SciPy's documentation: exact 1/9, approximate 0.11134688653314041.
    #[test]
    fn p_agrees_with_scipy() {
        let males = [19.0, 22.0, 16.0, 29.0, 24.0];
        let females = [20.0, 11.0, 17.0, 12.0];
        assert!((mann_whitney(&males, &females) - 1.0 / 9.0).abs() < 1e-12);
        assert!((mann_whitney(&females, &males) - 1.0 / 9.0).abs() < 1e-12);
        assert!((approximate(5.0, 4.0, 17.0, 0.0) - 0.111_346_886_533_140_41).abs() < 1e-7);
    }

    #[test]
    fn exact_and_approximate_distributions_are_close() {
        let old: Vec<f64> = (0..25).map(|i| f64::from(i) * 2.0).collect();
        let new: Vec<f64> = (0..25).map(|i| f64::from(i) * 2.0 + 15.0).collect();
        let (m, greater) = (25.0, 25.0 * 25.0 - 153.0);
        assert!((exact(25, 25, greater) - approximate(m, m, greater, 0.0)).abs() < 1e-3);
        assert!(mann_whitney(&old, &new) < SIGNIFICANT);
    }

    #[test]
    fn equal_samples_do_not_differ() {
        assert_eq!(mann_whitney(&[1.0; 8], &[1.0; 9]), 1.0);
        let same: Vec<f64> = (1..=30).map(f64::from).collect();
        assert!(mann_whitney(&same, &same) > 0.99);
    }

    #[test]
    fn changes_must_be_significant_and_exceed_noise() {
        let old: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i) / 10.0).collect();
        let times = |factor: f64| old.iter().map(|x| x * factor).collect::<Vec<f64>>();
        let slower = compare(&old, &times(1.5)).unwrap();
        assert_eq!(slower.change(0.05), Change::Slower);
        assert!(slower.low <= 1.5 && slower.high >= 1.5 && slower.high - slower.low < 0.05);
        assert_eq!(compare(&old, &times(0.5)).unwrap().change(0.05), Change::Faster);
        let little = compare(&old, &times(1.04)).unwrap();
        assert!(little.p < SIGNIFICANT);
        assert_eq!(little.change(0.05), Change::Same);
        assert_eq!(little.change(0.01), Change::Slower);
        let scattered = [100.0, 300.0, 90.0, 250.0, 101.0, 99.0];
        assert_eq!(compare(&old, &scattered).unwrap().change(0.05), Change::Same);
    }

    #[test]
    fn too_few_samples_are_inconclusive() {
        let few = compare(&[1.0, 1.1, 1.2], &[9.0, 9.1, 9.2]).unwrap();
        assert!((few.least_p - 0.1).abs() < 1e-12 && (few.p - 0.1).abs() < 1e-12);
        assert_eq!(few.change(0.05), Change::TooFew);
        assert_eq!(compare(&[], &[1.0]), None);
        assert_eq!(compare(&[0.0], &[1.0]), None);
    }
}
