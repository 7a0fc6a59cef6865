//! Numbers and sizes in human-readable form: `4_096`, `64K`, `2G`.

/// Parses a number, optionally with `_` between digits: `1000000`, `1_000_000`, `1e6`.
///
/// # Errors
/// The reason, as part of a sentence.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.strip_prefix('-').is_some_and(is_number) {
        return Err("it must not be negative".to_owned());
    }
    let (digits, zeros) = digits.split_once(['e', 'E']).unwrap_or((&digits, "0"));
    if !is_number(digits) || !is_number(zeros) {
        return Err("write a number in digits, for example `1000000` or `1e6`".to_owned());
    }
    let number = digits.parse::<u64>().ok().zip(zeros.parse::<u32>().ok());
    let number = number.and_then(|(number, zeros)| match number {
        0 => Some(0),
        number => number.checked_mul(10u64.checked_pow(zeros)?),
    });
    number.ok_or_else(|| "the number does not fit 64 bits".to_owned())
}

/// Parses a number of bytes: `1000`, `64K`, `512M`, `2G`, `1T`, each also with `B` or `iB`. The
/// letters represent powers of 1024.
///
/// # Errors
/// The reason, as part of a sentence.
pub fn parse_size(text: &str) -> Result<u64, String> {
    const FORMS: &str = "write a size as `1000`, `64K`, `512M` or `2G`";
    let lower = text.trim().to_ascii_lowercase();
    let bare = lower.strip_suffix("ib").or(lower.strip_suffix('b'));
    let bare = bare.unwrap_or(&lower);
    let units = ["k", "m", "g", "t"];
    let found = units.iter().zip(1u32..).find_map(|(unit, power)| {
        let digits = bare.strip_suffix(unit)?;
        Some((digits, power))
    });
    let (digits, power) = found.unwrap_or((bare, 0));
    let number = parse_count(digits).map_err(|_| FORMS.to_owned())?;
    let bytes = 1024u64.checked_pow(power).and_then(|unit| number.checked_mul(unit));
    bytes.ok_or_else(|| "the size does not fit 64 bits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_have_zeros_as_an_exponent() {
        assert_eq!(parse_count("1_000"), Ok(1000));
        assert_eq!(parse_count("1e9"), Ok(1_000_000_000));
        assert_eq!(parse_count("25E3"), Ok(25_000));
        assert_eq!(parse_count("0e99"), Ok(0));
        assert_eq!(parse_count("18e18"), Ok(18_000_000_000_000_000_000));
        for wrong in ["", "e9", "1e", "1e-3", "1.5e3", "1e1e1", "19e18", "1e20", "1e99999999999"] {
            assert!(parse_count(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_count("-1"), Err("it must not be negative".to_owned()));
    }

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(parse_size("1000"), Ok(1000));
        assert_eq!(parse_size("1_000"), Ok(1000));
        assert_eq!(parse_size("64M"), Ok(64 << 20));
        assert_eq!(parse_size("64mib"), Ok(64 << 20));
        assert_eq!(parse_size("2GB"), Ok(2 << 30));
        assert_eq!(parse_size("10b"), Ok(10));
        for wrong in ["", "M", "-1", "1.5G", "1X", "99999999999T", "0x10", "1 2"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
