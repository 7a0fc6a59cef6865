//! An axis, logarithmic unless it numbers files: its range, ticks and labels.

use std::ops::RangeInclusive;

/// Range of an axis: numbers outside are omitted, so that neither its ends nor its ticks exceed the
/// range of a float.
const SHOWN: RangeInclusive<f64> = 1e-30..=1e30;

/// An axis from one positive number to a greater one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Its start.
    pub(crate) low: f64,
    /// Its end.
    pub(crate) high: f64,
    /// The scale between them.
    pub(crate) scale: Scale,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal ratios have equal lengths.
    Logarithmic,
    /// Equal differences have equal lengths.
    Linear,
}

impl Axis {
    /// Creates an axis for all these positive numbers, with a margin at both ends of at least a
    /// factor of `least`. Numbers that are not positive or out of range are ignored; without others
    /// there is no axis.
    pub(crate) fn over(numbers: impl Iterator<Item = f64>, least: f64, room: f64) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for number in numbers.filter(|number| SHOWN.contains(number)) {
            (low, high) = (low.min(number), high.max(number));
        }
        if high == 0.0 {
            return None;
        }
        let missing = (least / (high / low)).max(1.0).sqrt();
        let scale = Scale::Logarithmic;
        Some(Axis { low: low / missing / room, high: high * missing * room, scale })
    }

    /// Creates an axis for the numbers 1 to n.
    pub(crate) fn numbers(n: usize) -> Self {
        Axis { low: 0.5, high: n.max(1) as f64 + 0.5, scale: Scale::Linear }
    }

    /// Returns the position of a number: 0 at the start, 1 at the end.
    pub(crate) fn place(&self, number: f64) -> f64 {
        match self.scale {
            Scale::Logarithmic => (number / self.low).ln() / (self.high / self.low).ln(),
            Scale::Linear => (number - self.low) / (self.high - self.low),
        }
    }

    /// Returns the powers of ten on the axis, and if it is short, their multiples by 2 and 5.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let digits: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let stride = if decades > 9.0 { 2 } else { 1 };
        // Within the range of `f64`, whatever the ends of the axis are.
        let power = |end: f64| (end.log10().floor() as i32).clamp(-308, 308);
        (power(self.low)..=power(self.high))
            .filter(|power| power.rem_euclid(stride) == 0)
            .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }

    /// Returns those of these numbers that can be labelled if each label needs `share` of the axis:
    /// the greatest first.
    pub(crate) fn labelled(&self, numbers: &[f64], share: f64) -> Vec<f64> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted.dedup();
        let mut kept: Vec<f64> = Vec::new();
        for number in sorted {
            if kept.last().is_none_or(|last| self.place(*last) - self.place(number) >= share) {
                kept.push(number);
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(low: f64, high: f64) -> Axis {
        Axis { low, high, scale: Scale::Logarithmic }
    }

    #[test]
    fn axes_cover_all_numbers_and_are_never_a_point() {
        let axis = Axis::over([100.0, 1000.0].into_iter(), 10.0, 1.5).unwrap();
        assert!((axis.low - 100.0 / 1.5).abs() < 1e-9 && (axis.high - 1500.0).abs() < 1e-9);
        let one = Axis::over([5.0].into_iter(), 4.0, 1.0).unwrap();
        assert_eq!((one.low, one.high), (2.5, 10.0));
        assert_eq!(one.place(5.0), 0.5);
        assert_eq!(Axis::over([].into_iter(), 4.0, 1.0), None);
    }

    #[test]
    fn ticks_are_round_numbers_on_the_axis() {
        let round = |low, high| {
            let ticks = log(low, high).ticks();
            ticks.iter().map(|tick| format!("{tick:.0e}")).collect::<Vec<_>>()
        };
        assert_eq!(round(8e-4, 3e-2), ["1e-3", "2e-3", "5e-3", "1e-2", "2e-2"]);
        assert_eq!(round(8e-7, 2e-2), ["1e-6", "1e-5", "1e-4", "1e-3", "1e-2"]);
        assert_eq!(round(1e-9, 2e3).len(), 6);
    }

    #[test]
    fn out_of_range_numbers_have_no_axis() {
        for number in [1e308, f64::MAX, 5e-324, 0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert_eq!(Axis::over([number].into_iter(), 10.0, 1.6), None);
            let axis = Axis::over([number, 1.0].into_iter(), 10.0, 1.6).unwrap();
            assert!((axis.low..axis.high).contains(&1.0) && axis.high < 10.0);
        }
        let ends = [(5e-324, f64::INFINITY), (0.0, f64::MAX), (f64::INFINITY, f64::INFINITY)];
        for (low, high) in ends {
            assert!(log(low, high).ticks().len() <= 617);
        }
    }

    #[test]
    fn numbers_have_equal_distances() {
        let axis = Axis::numbers(3);
        let places: Vec<f64> = [1.0, 2.0, 3.0].map(|number| axis.place(number)).to_vec();
        assert_eq!(places, [0.5 / 3.0, 0.5, 2.5 / 3.0]);
    }

    #[test]
    fn labels_do_not_overlap() {
        let axis = log(100.0, 10_000.0);
        let numbers = [100.0, 110.0, 1000.0, 9000.0, 10_000.0, 10_000.0];
        assert_eq!(axis.labelled(&numbers, 0.1), [10_000.0, 1000.0, 110.0]);
    }
}
