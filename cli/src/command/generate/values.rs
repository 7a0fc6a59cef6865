//! The values of options, refused in our words.

use crate::sizes::parse_count;

/// Most halvings of a graph whose vertices have numbers of 32 bits.
const MAX_SCALE: u64 = 31;

/// A probability, or another share. Its range is the business of what takes it.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "a number is written `0.25` or `1e-3`".to_owned())
}

/// A whole number, perhaps negative.
pub(super) fn integer(text: &str) -> Result<i64, String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let number = i64::try_from(parse_count(digits)?);
    number.map(|number| sign * number).map_err(|_| "the number is beyond 63 bits".to_owned())
}

/// A number of 32 bits.
pub(super) fn short(text: &str) -> Result<u32, String> {
    within(text, u64::from(u32::MAX)).map(|number| number as u32)
}

/// A gray.
pub(super) fn gray(text: &str) -> Result<u8, String> {
    within(text, u64::from(u8::MAX)).map(|number| number as u8)
}

/// The binary logarithm of a number of vertices.
pub(super) fn scale(text: &str) -> Result<u32, String> {
    within(text, MAX_SCALE).map(|number| number as u32)
}

fn within(text: &str, most: u64) -> Result<u64, String> {
    match parse_count(text)? {
        number if number <= most => Ok(number),
        _ => Err(format!("it is to be from 0 to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_refused_in_our_words() {
        assert_eq!((share("0.5"), integer("-3"), gray("255")), (Ok(0.5), Ok(-3), Ok(255)));
        assert_eq!((short("4_294_967_295"), scale("31")), (Ok(u32::MAX), Ok(31)));
        for wrong in ["1/2", "", "inf", "nan", "a"] {
            assert!(share(wrong).unwrap_err().contains("`0.25`"), "{wrong}");
        }
        assert_eq!(gray("256").unwrap_err(), "it is to be from 0 to 255");
        assert_eq!(gray("1e9").unwrap_err(), "a number is written in digits");
        assert_eq!(short("-1").unwrap_err(), "it is to be 0 or more");
        assert_eq!(scale("32").unwrap_err(), "it is to be from 0 to 31");
        assert_eq!(integer("9223372036854775808").unwrap_err(), "the number is beyond 63 bits");
    }
}
