//! Decimal fractions in files and user input, exact up to 19 digits.

use std::fmt;

/// Limit of the digits that are kept; further digits only change the exponent.
const MAX_DIGITS: u64 = 1_000_000_000_000_000_000;
/// Exponents are clamped to this: the number is 0 or exceeds 64 bits either way.
const MAX_EXPONENT: i64 = 100_000;

/// A decimal fraction: the first 19 digits, a power of ten and a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i64,
    /// Whether a nonzero digit was dropped.
    cut: bool,
}

impl Decimal {
    /// Creates an integer.
    pub const fn whole(number: u64) -> Self {
        Decimal { negative: false, digits: number, exponent: 0, cut: false }
    }

    /// Creates a power of ten.
    pub(crate) const fn power_of_ten(exponent: i64) -> Self {
        Decimal { negative: false, digits: 1, exponent, cut: false }
    }

    /// Parses a number such as `100`, `-0.25`, `.5` or `1e6`.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, magnitude) = match text.as_bytes().first() {
            Some(b'-' | b'+') => text.split_at(1),
            Some(_) | None => ("", text),
        };
        let (mantissa, exponent) = match magnitude.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (magnitude, 0),
        };
        let mut decimal = Decimal::default();
        let (before, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if before.is_empty() && behind.is_empty() {
            return None;
        }
        for (digits, is_fraction) in [(before, false), (behind, true)] {
            for byte in digits.bytes() {
                if !byte.is_ascii_digit() {
                    return None;
                }
                decimal.push(byte - b'0', is_fraction);
            }
        }
        decimal.shift(i64::from(exponent));
        decimal.negative = sign == "-";
        Some(decimal)
    }

    /// Parses a positive number such as `100`, `0.25` or `1e6`.
    pub fn parse_positive(text: &str) -> Option<Self> {
        let is_bare = text.starts_with(|first: char| first.is_ascii_digit() || first == '.');
        Decimal::parse(text).filter(|decimal| is_bare && decimal.is_nonzero())
    }

    /// Appends a digit.
    #[inline]
    pub(crate) fn push(&mut self, digit: u8, is_fraction: bool) {
        if self.digits < MAX_DIGITS {
            self.digits = self.digits * 10 + u64::from(digit);
            self.exponent -= i64::from(is_fraction);
        } else {
            self.cut |= digit != 0;
            self.exponent = self.exponent.saturating_add(i64::from(!is_fraction));
        }
    }

    /// Multiplies by a power of ten.
    pub(crate) fn shift(&mut self, exponent: i64) {
        self.exponent = self.exponent.saturating_add(exponent).clamp(-MAX_EXPONENT, MAX_EXPONENT);
    }

    /// Negates the number.
    pub(crate) fn negate(&mut self) {
        self.negative = !self.negative;
    }

    /// Returns whether the number is nonzero.
    pub fn is_nonzero(self) -> bool {
        self.digits != 0
    }

    /// The exponent of the leading digit: 0 for 1 to 9.
    pub(crate) fn magnitude(self) -> i64 {
        let n_digits = self.digits.checked_ilog10().unwrap_or(0);
        self.exponent.saturating_add(i64::from(n_digits))
    }

    /// Returns the number as an integer if it is one and fits into 64 signed bits.
    pub fn to_whole(self) -> Option<i64> {
        let Decimal { negative, mut digits, mut exponent, cut } = self;
        if cut {
            return None;
        }
        if digits == 0 {
            return Some(0);
        }
        while exponent < 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        let power = 10u64.checked_pow(u32::try_from(exponent).ok()?)?;
        signed(negative, u128::from(digits.checked_mul(power)?))
    }

    /// Returns the nearest floating-point number, or one close to it; 0 or infinity out of range.
    pub(crate) fn to_f64(self) -> f64 {
        let Decimal { negative, digits, exponent, cut: _ } = self;
        let power = 10f64.powi(exponent.unsigned_abs().min(400) as i32);
        // Division is exact where multiplication by a negative power is not.
        let magnitude = if exponent < 0 { digits as f64 / power } else { digits as f64 * power };
        if negative { -magnitude } else { magnitude }
    }

    /// Returns the integer nearest to `self × factor`, halves rounded away from zero; `None` beyond
    /// 64 signed bits.
    pub fn scaled(self, factor: Decimal) -> Option<i64> {
        let product = u128::from(self.digits) * u128::from(factor.digits);
        if product == 0 {
            return Some(0);
        }
        let exponent = self.exponent.saturating_add(factor.exponent);
        let magnitude = match u32::try_from(exponent) {
            Ok(exponent) => product.checked_mul(10u128.checked_pow(exponent)?)?,
            Err(_) => match u32::try_from(-exponent).ok().and_then(|e| 10u128.checked_pow(e)) {
                Some(power) => product.checked_add(power / 2)? / power,
                None => 0,
            },
        };
        signed(self.negative != factor.negative, magnitude)
    }
}

impl Decimal {
    /// Returns the exact quotient of an integer; `None` if it has more digits than a decimal keeps.
    pub(crate) fn quotient(number: i64, divisor: Decimal) -> Option<Decimal> {
        let mut digits = u128::from(number.unsigned_abs());
        if digits == 0 || divisor.digits == 0 {
            return (divisor.digits > 0).then(Decimal::default);
        }
        let (mut rest, mut exponent) = (u128::from(divisor.digits), -divisor.exponent);
        for factor in [2, 5] {
            while rest.is_multiple_of(factor) {
                // 1/2 = 5/10, and 1/5 = 2/10.
                digits = digits.checked_mul(10 / factor)?;
                (rest, exponent) = (rest / factor, exponent - 1);
            }
        }
        if !digits.is_multiple_of(rest) {
            return None;
        }
        digits /= rest;
        while digits.is_multiple_of(10) {
            (digits, exponent) = (digits / 10, exponent + 1);
        }
        let digits = u64::try_from(digits).ok()?;
        let negative = (number < 0) != divisor.negative;
        Some(Decimal { negative, digits, exponent, cut: false })
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        let negative = number < 0;
        Decimal { negative, digits: number.unsigned_abs(), exponent: 0, cut: false }
    }
}

/// The usual notation: `0.25`, `100`, or `1e21` instead of many zeros.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: i64 = 18;
        const LEAST: i64 = -MOST;
        let Decimal { negative, digits, exponent, cut: _ } = *self;
        let sign = if negative { "-" } else { "" };
        let digits = digits.to_string();
        let n_before = (digits.len() as i64).saturating_add(exponent);
        match exponent {
            0 => write!(f, "{sign}{digits}"),
            1.. if n_before <= MOST => {
                write!(f, "{sign}{digits:0<width$}", width = n_before as usize)
            }
            LEAST..0 if n_before > 0 => {
                let (before, behind) = digits.split_at(n_before as usize);
                write!(f, "{sign}{before}.{behind}")
            }
            LEAST..0 => {
                write!(f, "{sign}0.{digits:0>width$}", width = exponent.unsigned_abs() as usize)
            }
            _ => write!(f, "{sign}{digits}e{exponent}"),
        }
    }
}

fn signed(negative: bool, magnitude: u128) -> Option<i64> {
    let magnitude = i128::try_from(magnitude).ok()?;
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn quotients_are_exact() {
        for (number, divisor, quotient) in [
            (9_007_199_254_740_993, "1", Some("9007199254740993")),
            (9_007_199_254_740_992_900, "100", Some("90071992547409929")),
            (-12_345_678_901_234_567, "10000", Some("-1234567890123.4567")),
            (i64::MIN, "1e3", Some("-9223372036854775.808")),
            (7, "0.5", Some("14")),
            (1, "8", Some("0.125")),
            (6, "3", Some("2")),
            (0, "3", Some("0")),
            (1, "3", None),
            (i64::MAX, "1048576", None),
        ] {
            let found = Decimal::quotient(number, decimal(divisor)).map(|it| it.to_string());
            assert_eq!(found.as_deref(), quotient, "{number} / {divisor}");
        }
    }

    #[test]
    fn integers_are_recognised_in_every_notation() {
        let cases = [
            ("12", Some(12)),
            ("-12.000", Some(-12)),
            ("1.2e1", Some(12)),
            ("1200e-2", Some(12)),
            ("0.5", None),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("1e30", None),
            ("1.00000000000000000000000001", None),
            ("10000000000000000000000e-22", Some(1)),
        ];
        for (text, expected) in cases {
            assert_eq!(decimal(text).to_whole(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_displayed_as_written() {
        for text in ["0", "12", "-0.25", "0.000833", "2.50", "100", "1e21", "-3e-20"] {
            assert_eq!(decimal(text).to_string(), text);
        }
        for (text, shown) in [("1e3", "1000"), (".5", "0.5"), ("25e-1", "2.5"), ("+7.", "7")] {
            assert_eq!(decimal(text).to_string(), shown);
        }
        for text in ["", "-", ".", "1e", "1,5", "e5", "0x1", "1e9999999999"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn products_are_rounded_from_the_exact_value() {
        let cases = [
            ("0.285", "100", Some(29)), // 28.499999999999996 in binary fractions
            ("-0.285", "100", Some(-29)),
            ("2.41421356", "1000", Some(2414)),
            ("0.4", "1", Some(0)),
            ("5", "0.1", Some(1)),
            ("1e-99999", "1e99999", Some(1)),
            ("1e-300", "1", Some(0)),
            ("0", "1e99999", Some(0)),
            ("1e18", "10", None),
            ("9.223372036854775807", "1e18", Some(i64::MAX)),
            ("9999999999999999999", "9999999999999999999e-19", None),
        ];
        for (text, scale, expected) in cases {
            assert_eq!(decimal(text).scaled(decimal(scale)), expected, "{text} × {scale}");
        }
    }

    #[test]
    fn conversion_to_f64_rounds_to_nearest() {
        for text in ["0", "0.1", "-0.285", "100", "1e22", "2.5e-3", "-123456789.125"] {
            let number: f64 = text.parse().unwrap();
            assert_eq!(decimal(text).to_f64(), number, "{text}");
        }
        assert_eq!(decimal("1e9999").to_f64(), f64::INFINITY);
        assert_eq!(decimal("1e-9999").to_f64(), 0.0);
    }

    #[test]
    fn scales_are_positive_numbers() {
        for wrong in ["", "0", "-1", "x", "1.2.3", "1e", "0.0", "1e99999999999", "inf"] {
            assert_eq!(Decimal::parse_positive(wrong), None, "{wrong}");
        }
        assert_eq!(Decimal::parse_positive("100"), Some(Decimal::whole(100)));
    }
}
