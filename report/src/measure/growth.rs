//! Growth of times with the size: a straight line through the logarithms of both.

use std::fmt;

/// Maximum number of sizes for the fit of the exponent: the last ones, since the first are
/// dominated by overhead.
const LAST: usize = 4;

/// Minimum number of sizes: a line through two points does not show a trend.
const LEAST: usize = 3;

/// Maximum distance of the interval from the exponent for a law: a wide interval contains the
/// exponents of several.
const NARROW: f64 = 0.5;

/// The quantile 0.975 of Student's distribution with 1, 2, … degrees of freedom.
const STUDENT: [f64; LAST - 2] = [12.706, 4.303];

/// A fit of t = c·n^e.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The exponent e.
    pub exponent: f64,
    /// Lower bound of its interval, which covers it with probability 0.95 if deviations of the
    /// logarithms are normal.
    pub low: f64,
    /// Upper bound of its interval.
    pub high: f64,
    /// The number of sizes used for the fit, at most 4.
    pub n_sizes: usize,
    /// The law whose exponent over these sizes is in the interval, and that fits best; `None` if
    /// the interval is wide.
    pub law: Option<Law>,
}

/// A law of growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// n
    Linear,
    /// n log n
    LinearLog,
    /// n²
    Square,
    /// n² log n
    SquareLog,
    /// n³
    Cube,
}

impl Law {
    /// All laws.
    const ALL: [Law; 5] = [Law::Linear, Law::LinearLog, Law::Square, Law::SquareLog, Law::Cube];

    /// Returns its power of n, and whether it has a factor log n.
    fn parts(self) -> (f64, bool) {
        match self {
            Law::Linear => (1.0, false),
            Law::LinearLog => (1.0, true),
            Law::Square => (2.0, false),
            Law::SquareLog => (2.0, true),
            Law::Cube => (3.0, false),
        }
    }

    /// Formats the law for a size with this name: `n² log n`.
    #[must_use]
    pub fn of(self, size: &str) -> String {
        let (power, has_log) = self.parts();
        let power = ["", "²", "³"][power as usize - 1];
        let log = if has_log { format!(" log {size}") } else { String::new() };
        format!("{size}{power}{log}")
    }

    /// Returns its logarithm at the logarithm of a size; `None` at a size of 1 or less, where
    /// log n is not positive.
    fn at(self, log: f64) -> Option<f64> {
        let (power, has_log) = self.parts();
        match has_log {
            true => (log > 0.0).then(|| power * log + log.ln()),
            false => Some(power * log),
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of("n"))
    }
}

impl Growth {
    /// Fits the last points (size, time); `None` if fewer than three sizes differ.
    #[must_use]
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let mut logs: Vec<(f64, f64)> = points
            .iter()
            .filter(|(size, time)| *size > 0.0 && *time > 0.0)
            .map(|(size, time)| (size.ln(), time.ln()))
            .collect();
        logs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let last = &logs[logs.len().saturating_sub(LAST)..];
        let mut sizes: Vec<f64> = last.iter().map(|(size, _)| *size).collect();
        sizes.dedup();
        let freedom = last.len().checked_sub(LEAST).filter(|_| sizes.len() >= LEAST)?;
        let Line { slope, residuals, spread } = Line::through(last);
        let error = (residuals / (freedom + 1) as f64 / spread).sqrt();
        let reach = STUDENT[freedom] * error;
        let (low, high) = (slope - reach, slope + reach);
        // A fit without deviations has an interval of no width.
        let is_near = |law: &Law| {
            let logs = last.iter().map(|(size, _)| Some((*size, law.at(*size)?)));
            let logs: Option<Vec<(f64, f64)>> = logs.collect();
            let slope = logs.map(|logs| Line::through(&logs).slope);
            slope.is_some_and(|slope| (low - 1e-9..=high + 1e-9).contains(&slope))
        };
        let deviation = |law: &Law| {
            let rest: Vec<f64> =
                last.iter().filter_map(|(size, time)| Some(time - law.at(*size)?)).collect();
            let mean = rest.iter().sum::<f64>() / rest.len() as f64;
            rest.iter().map(|one| (one - mean).powi(2)).sum::<f64>()
        };
        let laws = Law::ALL.into_iter().filter(|law| reach <= NARROW && is_near(law));
        let law = laws.min_by(|a, b| deviation(a).total_cmp(&deviation(b)));
        Some(Growth { exponent: slope, low, high, n_sizes: sizes.len(), law })
    }

    /// Formats the fit for a size with this name: `n^1.98 (1.90 to 2.06), near n²`.
    #[must_use]
    pub fn text(&self, size: &str) -> String {
        let Growth { exponent, low, high, n_sizes: _, law } = self;
        let law = law.map_or_else(String::new, |law| format!(", near {}", law.of(size)));
        format!("{size}^{exponent:.2} ({low:.2} to {high:.2}){law}")
    }
}

/// The line of least squares through points.
struct Line {
    slope: f64,
    /// The sum of the squared distances of the points from it.
    residuals: f64,
    /// The sum of the squared distances of the abscissas from their mean.
    spread: f64,
}

impl Line {
    fn through(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let mean = |part: fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>() / n;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        let common: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        let slope = common / spread;
        let far = |point: &(f64, f64)| (point.1 - y - slope * (point.0 - x)).powi(2);
        Line { slope, residuals: points.iter().map(far).sum(), spread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[f64], time: fn(f64) -> f64) -> Option<Growth> {
        let points: Vec<(f64, f64)> = sizes.iter().map(|&n| (n, time(n))).collect();
        Growth::of(&points)
    }

    #[test]
    fn exponent_of_a_power_ignores_the_first_sizes() {
        let sizes = [100.0, 200.0, 500.0, 1000.0];
        let found = of(&sizes, |n| 3e-9 * n.powi(2)).unwrap();
        assert!((found.exponent - 2.0).abs() < 1e-12 && found.n_sizes == 4);
        assert!(found.high - found.low < 1e-6 && found.law == Some(Law::Square));
        let with_first =
            of(
                &[1.0, 100.0, 200.0, 500.0, 1000.0],
                |n| {
                    if n < 2.0 { 1.0 } else { 3e-9 * n.powi(2) }
                },
            );
        assert!((with_first.unwrap().exponent - 2.0).abs() < 1e-12);
    }

    /// The interval of R: `confint(lm(log(t) ~ log(n)))`, for n = 1, e, e², e³ and deviations of
    /// 0.1, -0.1, -0.1, 0.1 that do not change the slope.
    #[test]
    fn interval_of_the_exponent_is_that_of_linear_regression() {
        let e = std::f64::consts::E;
        let signs = [0.1f64, -0.1, -0.1, 0.1];
        let points: Vec<(f64, f64)> =
            (0..4).map(|k| (e.powi(k), (1.5 * f64::from(k) + signs[k as usize]).exp())).collect();
        let Growth { exponent, low, high, .. } = Growth::of(&points).unwrap();
        // The standard error is sqrt(0.04 / 2 / 5).
        let reach = 4.303 * (0.04f64 / 10.0).sqrt();
        assert!((exponent - 1.5).abs() < 1e-9);
        assert!((high - 1.5 - reach).abs() < 1e-9 && (1.5 - low - reach).abs() < 1e-9);
    }

    #[test]
    fn laws_with_a_logarithm_are_told_from_powers() {
        let sizes = [1e3, 1e4, 1e5, 1e6];
        let law = |time| of(&sizes, time).unwrap().law;
        assert_eq!(law(|n| 2e-9 * n * n.ln()), Some(Law::LinearLog));
        assert_eq!(law(|n| 2e-9 * n), Some(Law::Linear));
        assert_eq!(law(|n| 2e-9 * n * n * n.ln()), Some(Law::SquareLog));
        assert_eq!(law(|n| 2e-9 * n.powi(3)), Some(Law::Cube));
        assert_eq!(law(|n| n.sqrt()), None);
        let found = of(&sizes, |n| 2e-9 * n).unwrap();
        assert_eq!(found.text("m"), "m^1.00 (1.00 to 1.00), near m");
        assert_eq!(Law::SquareLog.to_string(), "n² log n");
    }

    #[test]
    fn wide_intervals_have_no_law() {
        let points = |far: f64| [(1.0, 1.0), (2.0, 4.0 * far), (4.0, 16.0 / far), (8.0, 64.0)];
        assert_eq!(Growth::of(&points(1.01)).unwrap().law, Some(Law::Square));
        let wide = Growth::of(&points(1.5)).unwrap();
        assert!(wide.law.is_none() && (wide.low..wide.high).contains(&2.0), "{wide:?}");
    }

    #[test]
    fn fewer_than_three_sizes_have_no_exponent() {
        assert_eq!(Growth::of(&[]), None);
        assert_eq!(Growth::of(&[(10.0, 1.0), (10.0, 2.0), (10.0, 3.0), (20.0, 3.0)]), None);
        assert_eq!(Growth::of(&[(10.0, 1.0), (20.0, 2.0), (0.0, 2.0)]), None);
        assert!(Growth::of(&[(10.0, 1.0), (20.0, 2.0), (40.0, 2.0)]).is_some());
    }
}
