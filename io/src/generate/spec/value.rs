//! Parsing of option values, with our own error messages.

use star_base::quantity::{parse_count, parse_size};

/// Maximum scale for graphs with 32-bit vertex numbers.
const MAX_SCALE: u64 = 31;

/// The kind of value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// No value: the option is a flag.
    Flag,
    /// A number.
    Count,
    /// Numbers separated by commas; repeated options are concatenated.
    Counts,
    /// A 32-bit number.
    Short,
    /// The binary logarithm of a number of vertices.
    Scale,
    /// A gray.
    Gray,
    /// An integer, possibly negative.
    Integer,
    /// A probability or another share. The generator checks its range.
    Share,
    /// A number of bytes.
    Size,
    /// The name of a file.
    File,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, at least 0.
    Count(u64),
    /// An integer.
    Integer(i64),
    /// A share.
    Share(f64),
    /// A name.
    Text(String),
}

impl ValueKind {
    /// Parses a value of this kind.
    ///
    /// # Errors
    /// The problem, as part of a sentence.
    pub fn parse(self, text: &str) -> Result<Value, String> {
        match self {
            ValueKind::Flag | ValueKind::File => Ok(Value::Text(text.to_owned())),
            ValueKind::Count | ValueKind::Counts => parse_count(text).map(Value::Count),
            ValueKind::Short => within(text, u64::from(u32::MAX)),
            ValueKind::Scale => within(text, MAX_SCALE),
            ValueKind::Gray => within(text, u64::from(u8::MAX)),
            ValueKind::Integer => integer(text).map(Value::Integer),
            ValueKind::Share => share(text).map(Value::Share),
            ValueKind::Size => parse_size(text).map(Value::Count),
        }
    }

    /// Returns whether it is a number, so that a minus sign does not begin an option.
    pub fn is_number(self) -> bool {
        match self {
            ValueKind::Count
            | ValueKind::Counts
            | ValueKind::Short
            | ValueKind::Scale
            | ValueKind::Gray
            | ValueKind::Integer
            | ValueKind::Share => true,
            ValueKind::Flag | ValueKind::Size | ValueKind::File => false,
        }
    }
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "expected a number like `0.25` or `1e-3`".to_owned())
}

fn integer(text: &str) -> Result<i64, String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let number = i64::try_from(parse_count(digits)?);
    number.map(|number| sign * number).map_err(|_| "the number exceeds 63 bits".to_owned())
}

fn within(text: &str, most: u64) -> Result<Value, String> {
    match parse_count(text)? {
        number if number <= most => Ok(Value::Count(number)),
        _ => Err(format!("it must be from 0 to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_numbers_get_our_messages() {
        assert_eq!((share("0.5"), integer("-3")), (Ok(0.5), Ok(-3)));
        assert_eq!(ValueKind::Gray.parse("255"), Ok(Value::Count(255)));
        assert_eq!(ValueKind::Short.parse("4_294_967_295"), Ok(Value::Count(u32::MAX.into())));
        assert_eq!(ValueKind::Scale.parse("31"), Ok(Value::Count(31)));
        for wrong in ["1/2", "", "inf", "nan", "a"] {
            assert!(share(wrong).unwrap_err().contains("`0.25`"), "{wrong}");
        }
        let refusal = |kind: ValueKind, text| kind.parse(text).unwrap_err();
        assert_eq!(refusal(ValueKind::Gray, "256"), "it must be from 0 to 255");
        assert!(refusal(ValueKind::Gray, "1.5").starts_with("write a number in digits"));
        assert_eq!(refusal(ValueKind::Short, "-1"), "it must not be negative");
        assert_eq!(refusal(ValueKind::Scale, "32"), "it must be from 0 to 31");
        let beyond = refusal(ValueKind::Integer, "9223372036854775808");
        assert_eq!(beyond, "the number exceeds 63 bits");
    }
}
