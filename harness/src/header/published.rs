//! `published n=5000: 0.372 s "Tesla K40, [001] Table 2"`: a figure of a paper, to stand beside ours.

use star_base::{Diagnostic, Span};

use super::bad;
use crate::template::Joined;

/// A figure of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The variables that it was measured at, and their values; at least one.
    pub at: Vec<(String, i64)>,
    /// The time.
    pub seconds: f64,
    /// Where it comes from, and on what it was measured.
    pub conditions: String,
    /// The place of the line.
    pub span: Span,
}

/// Units of time, in seconds.
const UNITS: [(&str, f64); 6] =
    [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("us", 1e-6), ("ns", 1e-9), ("min", 60.0)];

/// What stands behind the word `published`, a piece of the text of `joined`.
pub(super) fn read(joined: &Joined, rest: &str) -> Result<Published, Diagnostic> {
    let form = "write `published n=5000: 0.372 s \"Tesla K40, [001] Table 2\"`";
    let span = joined.span_of(joined.text());
    let wrong = |piece: &str, what: &str| {
        let place = if piece.trim().is_empty() { span } else { joined.span_of(piece.trim()) };
        bad(place, what).help(form)
    };
    let Some((names, figure)) = rest.split_once(':') else {
        return Err(wrong(rest, "no `NAME=VALUE:` behind `published`"));
    };
    let mut at: Vec<(String, i64)> = Vec::new();
    for part in names.split(',') {
        let parsed = part.split_once('=').and_then(|(name, value)| {
            let name = name.trim();
            let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
            Some((name.to_owned(), value.trim().parse().ok()?)).filter(|_| is_name)
        });
        let parsed = parsed.ok_or_else(|| wrong(part, "this is no `NAME=INTEGER`"))?;
        if at.iter().any(|(name, _)| *name == parsed.0) {
            return Err(wrong(part, "this name stands twice"));
        }
        at.push(parsed);
    }
    let Some((time, conditions)) = figure.split_once('"') else {
        return Err(wrong(figure, "no conditions in quotation marks behind the time"));
    };
    let conditions = conditions.trim_end().strip_suffix('"').map(str::trim);
    let Some(conditions) = conditions.filter(|text| !text.is_empty() && !text.contains('"')) else {
        return Err(wrong(figure, "conditions stand between two quotation marks, at the end"));
    };
    let seconds = time.trim().split_once(char::is_whitespace).and_then(|(number, unit)| {
        let number: f64 = number.parse().ok()?;
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
        Some(number * seconds).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    });
    let Some(seconds) = seconds else {
        let names: Vec<&str> = UNITS.iter().map(|(name, _)| *name).collect();
        return Err(wrong(time, "this is no time with a unit")
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
    fn a_figure_has_sizes_a_time_and_conditions() {
        let found = read("n=5000, m = 7: 0.372 s \"K40, [001]: Table 2\"").unwrap();
        assert_eq!(found.at, [("n".to_owned(), 5000), ("m".to_owned(), 7)]);
        assert_eq!((found.seconds, found.conditions.as_str()), (0.372, "K40, [001]: Table 2"));
        assert!((read("n=1: 19.8 µs \"x\"").unwrap().seconds - 19.8e-6).abs() < 1e-12);
        assert_eq!(read("n=1: 2 min\n     \"x\"").unwrap().seconds, 120.0);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let message = |line: &str| read(line).unwrap_err().message;
        assert_eq!(message(""), "no `NAME=VALUE:` behind `published`");
        assert_eq!(message("n: 1 s \"x\""), "this is no `NAME=INTEGER`");
        assert_eq!(message("n=x: 1 s \"x\""), "this is no `NAME=INTEGER`");
        assert_eq!(message("n=1,n=2: 1 s \"x\""), "this name stands twice");
        assert_eq!(message("n=1: 1 s"), "no conditions in quotation marks behind the time");
        assert_eq!(
            message("n=1: 1 s \"x"),
            "conditions stand between two quotation marks, at the end"
        );
        for time in ["1", "1 h", "-1 s", "x s", ""] {
            assert_eq!(
                message(&format!("n=1: {time} \"x\"")),
                "this is no time with a unit",
                "{time}"
            );
        }
        let fault = read("n=1: 1 h \"x\"").unwrap_err();
        assert_eq!(fault.labels[0].span.start, 30);
    }
}
