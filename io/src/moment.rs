//! Dates and times as text, `2024-05-01`, `12:30:00`, `2024-05-01T12:30`, and as numbers of days or
//! seconds.
//!
//! The calendar is the proleptic Gregorian one; a day has 86,400 seconds. Time zones other than `Z`
//! are not supported: a file is assumed to use only one.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Parses `YYYY-MM-DD`, years 0 to 9999, as days since 1970-01-01.
pub(crate) fn date(text: &str) -> Option<i64> {
    let [year, month, day] = numbers(text, "-", [4, 2, 2])?;
    let is_day = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    is_day.then(|| days_before_year(year) + days_before_month(year, month) + day - 1 - EPOCH)
}

/// Parses `HH:MM` or `HH:MM:SS` as seconds since midnight. A fraction of zeros is ignored.
pub(crate) fn clock(text: &str) -> Option<i64> {
    let text = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => {
            // Only seconds have a fraction.
            Some(whole).filter(|whole| whole.len() == "HH:MM:SS".len())?
        }
        Some(_) | None => text,
    };
    let [hour, minute, second] = match numbers(text, ":", [2, 2]) {
        Some([hour, minute]) => [hour, minute, 0],
        None => numbers(text, ":", [2, 2, 2])?,
    };
    (hour < 24 && minute < 60 && second < 60).then(|| (hour * 60 + minute) * 60 + second)
}

/// Parses a date and a time, separated by `T` or a blank and with an optional final `Z`, as seconds
/// since 1970-01-01T00:00.
pub(crate) fn date_time(text: &str) -> Option<i64> {
    let (day, time) = text.split_once(['T', ' '])?;
    let time = clock(time.strip_suffix('Z').unwrap_or(time))?;
    Some(date(day)? * DAY + time)
}

/// The text of a number of days.
pub(crate) fn date_text(days: i64) -> String {
    let days = i128::from(days) + i128::from(EPOCH);
    // 400 years have 146,097 days. This estimate of the year is close and never too small.
    let mut year = days * 400 / 146_097 + 1;
    while i128::from(days_before_year(saturated(year))) > days {
        year -= 1;
    }
    let year = saturated(year);
    let mut rest = saturated(days) - days_before_year(year);
    let mut month = 1;
    while rest >= days_of_month(year, month) {
        rest -= days_of_month(year, month);
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", rest + 1)
}

/// The text of a number of seconds since midnight.
pub(crate) fn clock_text(seconds: i64) -> String {
    let (minutes, second) = (seconds.div_euclid(60), seconds.rem_euclid(60));
    format!("{:02}:{:02}:{second:02}", minutes.div_euclid(60), minutes.rem_euclid(60))
}

/// The text of a number of seconds since 1970-01-01.
pub(crate) fn date_time_text(seconds: i64) -> String {
    let (day, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    format!("{}T{}", date_text(day), clock_text(time))
}

/// Days from 0000-01-01 to 1970-01-01.
const EPOCH: i64 = 719_528;

/// Parses numbers with the given digits each, separated by `sign`.
fn numbers<const N: usize>(text: &str, sign: &str, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(sign);
    let mut found = [0; N];
    for (found, n_digits) in found.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == n_digits && part.bytes().all(|b| b.is_ascii_digit());
        *found = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(found)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_before_month(year: i64, month: i64) -> i64 {
    (1..month).map(|month| days_of_month(year, month)).sum()
}

/// Days from 0000-01-01 (a leap year) to the first of January of `year`.
fn days_before_year(year: i64) -> i64 {
    let before = year - 1;
    year * 365 + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) + 1
}

fn saturated(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN / 1000 } else { i64::MAX / 1000 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_1970() {
        let known = [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2024-05-01", 19_844),
            ("1900-03-01", -25_508),
            ("9999-12-31", 2_932_896),
            ("0000-01-01", -719_528),
        ];
        for (text, days) in known {
            assert_eq!(date(text), Some(days), "{text}");
            assert_eq!(date_text(days), text);
        }
        for wrong in
            ["2023-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "24-01-01", "2024-1-1"]
        {
            assert_eq!(date(wrong), None, "{wrong}");
        }
        // Every day of eight centuries follows its predecessor.
        for days in -150_000..150_000 {
            assert_eq!(date(&date_text(days)), Some(days));
        }
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(clock("12:30"), Some(45_000));
        assert_eq!(clock("23:59:59"), Some(86_399));
        assert_eq!(clock("23:59:59.000"), Some(86_399));
        assert_eq!(clock_text(45_000), "12:30:00");
        assert_eq!(date_time("1970-01-02T00:00:01Z"), Some(86_401));
        assert_eq!(date_time("1969-12-31 23:59"), Some(-60));
        assert_eq!(date_time_text(-60), "1969-12-31T23:59:00");
        for wrong in [
            "24:00",
            "1:30",
            "12:60",
            "12:30:60",
            "12",
            "2024-05-01T",
            "T12:30",
            "12:30:00.5",
            "12:30:00.",
            "12:30.0",
        ] {
            assert_eq!(clock(wrong).or(date_time(wrong)), None, "{wrong}");
        }
    }
}
