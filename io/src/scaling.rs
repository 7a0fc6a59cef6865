//! The user's scale: the values of a file are multiplied by it and rounded to integers, halves away
//! from zero. All readers use this module for every value, so that lost values are counted in one
//! place.

use std::cell::Cell;

use crate::decimal::Decimal;
use crate::text;

/// A scale, and statistics of its use.
pub(crate) struct Scaling {
    factor: Decimal,
    binary: f64,
    n_values: Cell<u64>,
    n_lost: Cell<u64>,
    first_lost: Cell<Option<Decimal>>,
}

/// Statistics of the use of a scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ScalingUses {
    pub(crate) n_values: u64,
    pub(crate) n_lost: u64,
    pub(crate) first_lost: Option<Decimal>,
}

impl ScalingUses {
    /// Returns the statistics of these uses and later ones.
    pub(crate) fn and(self, later: ScalingUses) -> ScalingUses {
        ScalingUses {
            n_values: self.n_values + later.n_values,
            n_lost: self.n_lost + later.n_lost,
            first_lost: self.first_lost.or(later.first_lost),
        }
    }
}

impl Scaling {
    /// Creates a scale without uses.
    pub(crate) fn new(factor: Decimal) -> Self {
        Scaling {
            factor,
            binary: factor.to_f64(),
            n_values: Cell::new(0),
            n_lost: Cell::new(0),
            first_lost: Cell::new(None),
        }
    }

    /// The factor of the values.
    pub(crate) fn factor(&self) -> Decimal {
        self.factor
    }

    /// The factor, if a value was multiplied by it.
    pub(crate) fn used(&self) -> Option<Decimal> {
        (self.n_values.get() > 0).then_some(self.factor)
    }

    /// Scales a value by its exact product; `None` beyond 64 signed bits.
    #[inline]
    pub(crate) fn decimal(&self, value: Decimal) -> Option<i64> {
        let scaled = value.scaled(self.factor)?;
        self.count(scaled == 0 && value.is_nonzero(), || Some(value));
        Some(scaled)
    }

    /// Scales a value that the file stores in binary.
    #[inline]
    pub(crate) fn float(&self, value: f64) -> f64 {
        let scaled = (value * self.binary).round();
        self.count(scaled == 0.0 && value != 0.0, || Decimal::parse(&format!("{value:e}")));
        scaled
    }

    /// The statistics of its use.
    pub(crate) fn uses(&self) -> ScalingUses {
        let (n_values, n_lost) = (self.n_values.get(), self.n_lost.get());
        ScalingUses { n_values, n_lost, first_lost: self.first_lost.get() }
    }

    /// Replaces the statistics of its use.
    pub(crate) fn set_uses(&self, ScalingUses { n_values, n_lost, first_lost }: ScalingUses) {
        self.n_values.set(n_values);
        self.n_lost.set(n_lost);
        self.first_lost.set(first_lost);
    }

    /// A warning about nonzero values that became 0, if any.
    pub(crate) fn warning(&self) -> Option<String> {
        let (n_values, n_lost) = (self.n_values.get(), self.n_lost.get());
        let first = self.first_lost.get().map(|first| {
            let (first, enough) = (shown(first), enough(first));
            format!("; the first of them is {first}, which `scale={enough}` preserves")
        });
        (n_lost > 0).then(|| {
            let values = text::count(n_values, "value");
            let first = first.unwrap_or_default();
            format!("{n_lost} of {values} became 0 with `scale={}`{first}", self.factor)
        })
    }

    /// A note that there was no value to multiply, if so.
    pub(crate) fn note(&self) -> Option<String> {
        let is_idle = self.n_values.get() == 0;
        is_idle
            .then(|| format!("`scale={}` has no effect: the file has no such values", self.factor))
    }

    #[inline]
    fn count(&self, is_lost: bool, value: impl FnOnce() -> Option<Decimal>) {
        self.n_values.set(self.n_values.get() + 1);
        if is_lost {
            self.lose(value());
        }
    }

    #[cold]
    fn lose(&self, value: Option<Decimal>) {
        self.n_lost.set(self.n_lost.get() + 1);
        if self.first_lost.get().is_none() {
            self.first_lost.set(value);
        }
    }
}

/// Returns whether the rounded value does not fit into 63 bits and a sign.
pub(crate) fn exceeds_63_bits(value: Decimal) -> bool {
    value.scaled(Decimal::whole(1)).is_none()
}

/// Advice for a value that is not written as an integer: the scale that preserves it.
pub(crate) fn advice(value: Decimal) -> String {
    if value.to_whole().is_some() {
        return "with `scale=1` whole numbers may be written like this one".to_owned();
    }
    let scale = enough(value);
    format!("`scale={scale}` multiplies every number by {scale} and rounds it")
}

/// The smallest power of ten, from 100, that leaves two digits of the value before the point.
pub(crate) fn enough(value: Decimal) -> Decimal {
    Decimal::power_of_ten(1i64.saturating_sub(value.magnitude()).max(2))
}

/// A short notation of the value.
fn shown(value: Decimal) -> String {
    let (shown, near) = (value.to_string(), value.to_f64());
    if shown.len() > 12 && near.is_normal() { format!("{near:e}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn only_values_that_became_0_are_counted() {
        let scaling = Scaling::new(decimal("10"));
        assert_eq!(scaling.warning(), None);
        assert!(scaling.note().is_some());
        assert_eq!(scaling.decimal(decimal("0.04")), Some(0));
        assert_eq!(scaling.decimal(decimal("0")), Some(0));
        assert_eq!(scaling.decimal(decimal("-0.05")), Some(-1));
        assert_eq!(scaling.float(1e-20), 0.0);
        assert_eq!(scaling.float(0.25), 3.0);
        let expected = "2 of 5 values became 0 with `scale=10`; the first of them is 0.04, which `scale=1000` preserves";
        assert_eq!(scaling.warning().as_deref(), Some(expected));
        assert_eq!(scaling.note(), None);
    }

    #[test]
    fn advised_scale_preserves_the_value() {
        for (value, scale) in [
            ("2.5", "100"),
            ("-0.25", "100"),
            ("0.05", "1000"),
            ("0.000833", "100000"),
            ("1e-20", "1e21"),
            ("12345.678", "100"),
        ] {
            assert_eq!(enough(decimal(value)).to_string(), scale, "{value}");
            assert!(Decimal::parse_positive(scale).is_some());
        }
    }
}
