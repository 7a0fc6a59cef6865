//! Formatting of numbers for people.

/// Formats a time in seconds: `372 ms`, `1.25 µs`.
pub fn time(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    // A number that rounds up to the next unit uses that unit.
    let unit = units.into_iter().find(|(size, _)| seconds >= size * 0.9995);
    let (size, name) = unit.unwrap_or((1e-9, "ns"));
    format!("{} {name}", digits(seconds / size))
}

/// Formats with three significant digits, or with all digits before the point if there are more.
pub fn digits(number: f64) -> String {
    let places = match number.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        size if size >= 0.09995 => 3,
        size if size >= 0.009_995 => 4,
        size if size >= 0.000_999_5 => 5,
        0.0 => 0,
        _ => return format!("{number:.1e}"),
    };
    grouped(&format!("{number:.places$}"))
}

/// Formats a whole number: `1,253,986`.
pub fn whole(number: u64) -> String {
    grouped(&number.to_string())
}

/// Inserts commas between thousands before the point.
fn grouped(text: &str) -> String {
    let end = text.find('.').unwrap_or(text.len());
    let (before, after) = text.split_at(end);
    let mut grouped = String::new();
    for (place, digit) in before.char_indices() {
        if place > 0 && (before.len() - place).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + after
}

/// Formats a share: `1.2 %`.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 0.05 => "0 %".to_owned(),
        percent if percent < 9.95 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_use_the_best_unit_for_three_digits() {
        let known = [
            (0.372, "372 ms"),
            (1.0, "1.00 s"),
            (226.876, "227 s"),
            (22_687.6, "22,688 s"),
            (0.000_999_96, "1.00 ms"),
            (0.000_012_34, "12.3 µs"),
            (25e-9, "25.0 ns"),
            (0.0, "0 ns"),
        ];
        for (seconds, text) in known {
            assert_eq!(time(seconds), text);
        }
    }

    #[test]
    fn large_numbers_are_grouped_and_small_ones_are_not() {
        assert_eq!(whole(1_253_986), "1,253,986");
        assert_eq!(whole(999), "999");
        assert_eq!(digits(0.0085), "0.00850");
        assert_eq!(digits(0.000_85), "8.5e-4");
        assert_eq!(digits(-1234.5), "-1,234");
        assert_eq!(digits(0.416), "0.416");
        assert_eq!(
            (percent(0.0123), percent(0.5), percent(0.0)),
            ("1.2 %".into(), "50 %".into(), "0 %".into())
        );
    }
}
