//! Conversion of numbers to integers: integers are kept, fractions are rounded if a scale is given
//! and rejected otherwise.

use star_base::Code;

use crate::decimal::Decimal;
use crate::error::{Fault, FileError};
use crate::meaning::Meaning;
use crate::numbers::Field;
use crate::scaling::{self, Scaling};

/// The first integer beyond 63 bits and a sign.
const BEYOND: f64 = 9_223_372_036_854_775_808.0; // 2^63

/// The number of missing numbers that are not integers.
pub(crate) const NO_NUMBER: i64 = i64::MIN;

/// The help for NaN.
pub(crate) const NAN_IS_MISSING: &str = "`nodata=nan` says that it is a missing number";

/// A number that could not be converted to an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NotWhole {
    /// It has a fraction, and there is no scale.
    Fraction(f64),
    /// It exceeds 63 bits, or is infinite, or NaN.
    Beyond(f64),
    /// It is unsigned and exceeds 63 bits.
    BeyondUnsigned(u64),
    /// It exceeds 63 bits after multiplication.
    TooLarge(i64),
}

/// Converts a binary number from a file; if there is a scale, multiplies by it and rounds half away
/// from zero.
#[inline]
pub(crate) fn of_float(value: f64, scaling: Option<&Scaling>) -> Result<i64, NotWhole> {
    let scaled = scaling.map_or(value, |scaling| scaling.float(value));
    let is_inside = (-BEYOND..BEYOND).contains(&scaled);
    if !is_inside {
        return Err(NotWhole::Beyond(value));
    }
    let whole = scaled as i64;
    if whole as f64 == scaled { Ok(whole) } else { Err(NotWhole::Fraction(value)) }
}

/// Converts an unsigned number to a signed one.
#[inline]
pub(crate) fn of_unsigned(value: u64) -> Result<i64, NotWhole> {
    i64::try_from(value).map_err(|_| NotWhole::BeyondUnsigned(value))
}

/// Returns the number; if there is a scale, multiplies by it and rounds half away from zero.
#[inline]
pub(crate) fn of_whole(value: i64, scaling: Option<&Scaling>) -> Result<i64, NotWhole> {
    match scaling {
        None => Ok(value),
        Some(scaling) => scaling.decimal(value.into()).ok_or(NotWhole::TooLarge(value)),
    }
}

/// Multiplies fields of integers, if there is a scale. The depth of the file no longer applies to
/// them.
pub(crate) fn scale_fields(
    fields: &mut [Field],
    scaling: Option<&Scaling>,
) -> Result<(), NotWhole> {
    let Some(factor) = scaling.map(Scaling::factor) else { return Ok(()) };
    for field in fields {
        field.bits = None;
        field.meaning = Meaning::Scaled(factor);
        for value in &mut field.values {
            // The marker of missing numbers that are not integers is not one either.
            if field.nodata != Some(*value) || *value != i64::MIN {
                *value = of_whole(*value, scaling)?;
            }
        }
        field.nodata = match field.nodata {
            Some(i64::MIN) => Some(i64::MIN),
            Some(nodata) => Some(of_whole(nodata, scaling)?),
            None => None,
        };
    }
    Ok(())
}

impl NotWhole {
    /// The error of the file; `place` is the position in it, ` in row 3, column 5`, or empty.
    pub(crate) fn fault(self, file: &str, place: &str) -> Fault {
        // Shortens very large and very small numbers.
        let shown = |value: f64| match value.abs() {
            size if size >= 1e16 || size > 0.0 && size < 1e-6 => format!("{value:e}"),
            _ => value.to_string(),
        };
        let message = match self {
            NotWhole::Fraction(value) => format!("`{}` is not a whole number{place}", shown(value)),
            NotWhole::Beyond(value) if !value.is_finite() => {
                format!("`{value}` is not a whole number{place}")
            }
            NotWhole::Beyond(value) => format!("`{}` exceeds 63 bits{place}", shown(value)),
            NotWhole::BeyondUnsigned(value) => format!("`{value}` exceeds 63 bits{place}"),
            NotWhole::TooLarge(value) => {
                format!("`{value}` exceeds 63 bits after scaling{place}")
            }
        };
        let error = FileError::new(Code::OutOfRange, file, message);
        Box::new(match self {
            NotWhole::Fraction(value) => {
                let error = error.note("words and slices hold whole numbers");
                match Decimal::parse(&format!("{value:e}")) {
                    Some(value) => error.help(scaling::advice(value)),
                    None => error,
                }
            }
            NotWhole::Beyond(value) if value.is_nan() => error.help(NAN_IS_MISSING),
            NotWhole::Beyond(_) | NotWhole::BeyondUnsigned(_) | NotWhole::TooLarge(_) => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_kept_and_fractions_need_a_scale() {
        assert_eq!(of_float(-1437.0, None), Ok(-1437));
        assert_eq!(of_float(0.5, None), Err(NotWhole::Fraction(0.5)));
        let ten = Scaling::new(Decimal::whole(10));
        assert_eq!(of_float(-0.25, Some(&ten)), Ok(-3)); // rounded half away from zero
        assert_eq!(of_float(0.24, Some(&ten)), Ok(2));
        assert_eq!(of_float(-BEYOND, None), Ok(i64::MIN));
        assert_eq!(of_float(BEYOND, None), Err(NotWhole::Beyond(BEYOND)));
        assert!(of_float(f64::INFINITY, Some(&ten)).is_err());
        assert!(matches!(of_float(f64::NAN, None), Err(NotWhole::Beyond(_))));
        assert_eq!(of_unsigned(1 << 63), Err(NotWhole::BeyondUnsigned(1 << 63)));
    }

    #[test]
    fn scale_also_multiplies_integers() {
        let field = Field::new("a", Some(8), vec![3, -5, 0]);
        let mut fields = [field];
        let half = Scaling::new(Decimal::parse_positive("0.5").unwrap());
        scale_fields(&mut fields, Some(&half)).unwrap();
        assert_eq!((fields[0].bits, &fields[0].values[..]), (None, &[2, -3, 0][..]));
        fields[0].values[1] = i64::MIN;
        let double = Scaling::new(Decimal::whole(2));
        assert_eq!(scale_fields(&mut fields, Some(&double)), Err(NotWhole::TooLarge(i64::MIN)));
        assert_eq!(scale_fields(&mut fields, None), Ok(()));
    }

    #[test]
    fn faults_show_the_number_and_the_place() {
        let fault = NotWhole::Fraction(2.5).fault("a.npy", " in row 3");
        assert_eq!(fault.to_string(), "a.npy: `2.5` is not a whole number in row 3");
        assert!(fault.help[0].contains("`scale=100`"));
        let fault = NotWhole::Fraction(0.000833).fault("", "");
        assert!(fault.help[0].contains("`scale=100000`"), "{fault:?}");
        let fault = NotWhole::Fraction(-1e-20).fault("", "");
        assert_eq!(fault.to_string(), "`-1e-20` is not a whole number");
        let fault = NotWhole::Beyond(f64::NAN).fault("a.npy", " in row 3");
        assert_eq!(fault.to_string(), "a.npy: `NaN` is not a whole number in row 3");
        let fault = NotWhole::Beyond(1e300).fault("", "");
        assert_eq!(fault.to_string(), "`1e300` exceeds 63 bits");
    }
}
