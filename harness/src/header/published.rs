//! `published n=5000: 0.372 s "Tesla K40, [001] Table 2"`: a published measurement, for comparison
//! with ours.

use star_base::{Diagnostic, Span};

use super::bad;
use crate::template::Joined;

/// A published measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The variables with their values for the measurement; at least one.
    pub at: Vec<(String, i64)>,
    /// The time.
    pub seconds: f64,
    /// The source, and the machine used.
    pub conditions: String,
    /// The location of the line.
    pub span: Span,
}

/// Units of time, in seconds.
const UNITS: [(&str, f64); 6] =
    [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("us", 1e-6), ("ns", 1e-9), ("min", 60.0)];

/// Parses the text after the word `published`, a piece of the text of `joined`.
pub(super) fn read(joined: &Joined, rest: &str) -> Result<Published, Diagnostic> {
    let form = "write `published n=5000: 0.372 s \"Tesla K40, [001] Table 2\"`";
    let span = joined.span_of(joined.text());
    let wrong = |piece: &str, what: &str| {
        let place = if piece.trim().is_empty() { span } else { joined.span_of(piece.trim()) };
        bad(place, what).help(form)
    };
    let Some((names, figure)) = rest.split_once(':') else {
        return Err(wrong(rest, "expected `NAME=VALUE:` after `published`"));
    };
    let mut at: Vec<(String, i64)> = Vec::new();
    for part in names.split(',') {
        let parsed = part.split_once('=').and_then(|(name, value)| {
            let name = name.trim();
            let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
            Some((name.to_owned(), value.trim().parse().ok()?)).filter(|_| is_name)
        });
        let parsed = parsed.ok_or_else(|| wrong(part, "expected `NAME=INTEGER`"))?;
        if at.iter().any(|(name, _)| *name == parsed.0) {
            return Err(wrong(part, "duplicate name"));
        }
        at.push(parsed);
    }
    let Some((time, conditions)) = figure.split_once('"') else {
        return Err(wrong(figure, "expected conditions in quotation marks after the time"));
    };
    let conditions = conditions.trim_end().strip_suffix('"').map(str::trim);
    let Some(conditions) = conditions.filter(|text| !text.is_empty() && !text.contains('"')) else {
        return Err(wrong(figure, "conditions must be enclosed in quotation marks, at the end"));
    };
    let seconds = time.trim().split_once(char::is_whitespace).and_then(|(number, unit)| {
        let number: f64 = number.parse().ok()?;
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
        Some(number * seconds).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    });
    let Some(seconds) = seconds else {
        let names: Vec<&str> = UNITS.iter().map(|(name, _)| *name).collect();
        return Err(wrong(time, "expected a time with a unit")
            .note(format!("units are {}", names.join(", "))));
    };
    Ok(Published { at, seconds, conditions: conditions.to_owned(), span })
}

#[cfg(test)]
mod tests {
    use star_base::FileId;

    use crate::headers;

    fn read(line: &str) -> Result<super::Published, star_base::Diagnostic> {
        let text = format!("/* @bench t\n   published {line} */");
        let (headers, faults) = headers(FileId(0), &text, &star_syntax::parse(FileId(0), &text));
        match faults.into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(headers[0].published[0].clone()),
        }
    }

    #[test]
    fn measurements_have_sizes_a_time_and_conditions() {
        let found = read("n=5000, m = 7: 0.372 s \"K40, [001]: Table 2\"").unwrap();
        assert_eq!(found.at, [("n".to_owned(), 5000), ("m".to_owned(), 7)]);
        assert_eq!((found.seconds, found.conditions.as_str()), (0.372, "K40, [001]: Table 2"));
        assert!((read("n=1: 19.8 µs \"x\"").unwrap().seconds - 19.8e-6).abs() < 1e-12);
        assert_eq!(read("n=1: 2 min\n     \"x\"").unwrap().seconds, 120.0);
    }

    #[test]
    fn errors_are_reported_with_their_location() {
        let message = |line: &str| read(line).unwrap_err().message;
        assert_eq!(message(""), "expected `NAME=VALUE:` after `published`");
        assert_eq!(message("n: 1 s \"x\""), "expected `NAME=INTEGER`");
        assert_eq!(message("n=x: 1 s \"x\""), "expected `NAME=INTEGER`");
        assert_eq!(message("n=1,n=2: 1 s \"x\""), "duplicate name");
        assert_eq!(message("n=1: 1 s"), "expected conditions in quotation marks after the time");
        assert_eq!(
            message("n=1: 1 s \"x"),
            "conditions must be enclosed in quotation marks, at the end"
        );
        for time in ["1", "1 h", "-1 s", "x s", ""] {
            assert_eq!(
                message(&format!("n=1: {time} \"x\"")),
                "expected a time with a unit",
                "{time}"
            );
        }
        let fault = read("n=1: 1 h \"x\"").unwrap_err();
        assert_eq!(fault.labels[0].span.start, 30);
    }
}
