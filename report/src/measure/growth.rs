//! Growth of times with the size.

/// Maximum number of sizes for the fit of the exponent: the last ones, since the first are
/// dominated by overhead.
const LAST: usize = 4;

/// Returns the exponent e of the straight line log t = e·log n + c through the last points (size,
/// time), and the number of these points. `None` if fewer than two sizes differ.
#[must_use]
pub fn exponent(points: &[(f64, f64)]) -> Option<(f64, usize)> {
    let mut logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|(size, time)| *size > 0.0 && *time > 0.0)
        .map(|(size, time)| (size.ln(), time.ln()))
        .collect();
    logs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let last = &logs[logs.len().saturating_sub(LAST)..];
    let n = last.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| last.iter().map(part).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = last.iter().map(|point| (point.0 - x).powi(2)).sum();
    let common: f64 = last.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (last.len() >= 2 && spread > 0.0).then(|| (common / spread, last.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponent_of_a_power_ignores_the_first_sizes() {
        let mut points: Vec<(f64, f64)> =
            [100.0, 200.0, 500.0, 1000.0].map(|n: f64| (n, 3e-9 * n.powi(2))).to_vec();
        let (found, n) = exponent(&points).unwrap();
        assert!((found - 2.0).abs() < 1e-12 && n == 4);
        points.insert(0, (1.0, 1.0));
        assert!((exponent(&points).unwrap().0 - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_single_size_has_no_exponent() {
        assert_eq!(exponent(&[]), None);
        assert_eq!(exponent(&[(10.0, 1.0), (10.0, 2.0)]), None);
        assert_eq!(exponent(&[(10.0, 1.0), (0.0, 2.0)]), None);
    }
}
