//! Reading and writing of files of benchmarks.

use std::fmt;

use serde::Deserialize;
use serde_json::error::Category;

use super::{Record, Row, SCHEMA, Source, Time};

/// Seconds that something takes at least: no clock shows as little.
const LEAST: f64 = 1e-12;

/// Seconds that something takes at most: thirty thousand years.
const MOST: f64 = 1e12;

/// By so much of itself a median may lie outside its samples: whoever wrote it may have rounded it.
const ROUNDED: f64 = 1e-3;

/// Why a text is no file of benchmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// In words.
    pub message: String,
    /// Line and column (in bytes), both from 1, if it is at a place of the text.
    pub place: Option<(usize, usize)>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// What is looked at before everything else.
#[derive(Deserialize)]
#[serde(expecting = "an object, which a file of benchmarks is")]
struct Head {
    schema: Option<u64>,
}

/// The text of a file. What is not known is left out or `null`.
#[must_use]
pub fn to_json(record: &Record) -> String {
    // A value of JSON takes any number, name and text that a record holds.
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads such a text.
///
/// # Errors
/// If it is no JSON, of another schema, lacks a field, or has a time that is none.
pub fn from_json(text: &str) -> Result<Record, ReadError> {
    let wrong = |message: String| ReadError { message, place: None };
    let head: Head = serde_json::from_str(text).map_err(|error| of_json(&error))?;
    match head.schema {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(wrong(format!(
                "the file has schema {other}; this version of star reads {SCHEMA}"
            )));
        }
        None => {
            return Err(wrong("this is no file of benchmarks: it names no `schema`".to_owned()));
        }
    }
    let record: Record = serde_json::from_str(text).map_err(|error| of_json(&error))?;
    for (row, number) in record.rows.iter().zip(1..) {
        check(row).map_err(|message| wrong(format!("row {number}: {message}")))?;
    }
    Ok(record)
}

/// What the reader of JSON says, in words for people who have never seen its types.
fn of_json(error: &serde_json::Error) -> ReadError {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    let message = match error.classify() {
        Category::Eof => "the text ends too early".to_owned(),
        Category::Syntax | Category::Io => format!("this is no JSON: {text}"),
        Category::Data => in_words(text),
    };
    let place = (error.line() > 0).then(|| (error.line(), error.column().max(1)));
    ReadError { message, place }
}

/// What is said about data of a wrong form.
fn in_words(text: &str) -> String {
    if let Some(field) = text.strip_prefix("missing field ") {
        return format!("{field} is missing");
    }
    let form = ["invalid type: ", "invalid value: ", "invalid length "];
    let Some(rest) = form.iter().find_map(|form| text.strip_prefix(form)) else {
        return text.to_owned();
    };
    // What was found may hold any words; what is expected is ours or the name of a type.
    let Some((found, expected)) = rest.rsplit_once(", expected ") else { return text.to_owned() };
    let expected = match expected {
        "f64" => "a number",
        "u64" => "a whole number that is not negative",
        "a map" => "an object",
        "a sequence" => "a list",
        other => other,
    };
    let found = match found {
        "map" => "an object",
        "sequence" => "a list",
        other => other,
    };
    format!("expected {expected}, found {found}")
}

/// Is this a time that anything can take, in seconds? Nothing that can be measured takes none, and what is
/// beyond these ends is no time but a slip.
#[must_use]
pub fn is_time(seconds: f64) -> bool {
    (LEAST..=MOST).contains(&seconds)
}

/// What the types do not say.
fn check(row: &Row) -> Result<(), String> {
    if row.time.is_none() && row.error.is_none() {
        return Err("neither `time` nor `error`".to_owned());
    }
    if row.source == Source::Peer && row.name.is_none() {
        return Err("a peer without a `name`".to_owned());
    }
    if let Some(size) = &row.size
        && !row.parameters.contains_key(size)
    {
        return Err(format!("`size` is `{size}`, which is no parameter"));
    }
    // There may be nothing to read or to load, which takes no time.
    for (name, seconds) in [("input_s", row.input_s), ("load_s", row.load_s)] {
        if let Some(seconds) = seconds.filter(|seconds| !(0.0..=MOST).contains(seconds)) {
            return Err(format!("`{name}` is {seconds:?}; it is from 0 to {MOST:e} seconds"));
        }
    }
    row.time.as_ref().map_or(Ok(()), check_time)
}

fn check_time(time: &Time) -> Result<(), String> {
    let named = [
        ("median_s", Some(time.median_s)),
        ("low_s", time.low_s),
        ("high_s", time.high_s),
        ("min_s", time.min_s),
    ];
    let named = named.into_iter().filter_map(|(name, seconds)| Some((name, "is", seconds?)));
    let samples = time.samples_s.iter().map(|&sample| ("samples_s", "holds", sample));
    if let Some((name, is, seconds)) =
        named.chain(samples).find(|(_, _, seconds)| !is_time(*seconds))
    {
        return Err(format!(
            "`{name}` {is} {seconds:?}; a time is from {LEAST:e} to {MOST:e} seconds"
        ));
    }
    let least = time.samples_s.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = time.samples_s.iter().copied().fold(0.0, f64::max);
    let within = least * (1.0 - ROUNDED)..=greatest * (1.0 + ROUNDED);
    if !time.samples_s.is_empty() && !within.contains(&time.median_s) {
        return Err(format!(
            "`median_s` is {:?}, but `samples_s` are from {least:?} to {greatest:?}",
            time.median_s
        ));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Machine, NativeUse, Parameter, RowError, Tool};
    use super::*;

    pub(crate) fn row(file: &str) -> Row {
        let parameters = [
            ("n".to_owned(), Parameter::Int(500)),
            ("p".to_owned(), Parameter::Text("0.1".to_owned())),
        ];
        Row {
            source: Source::Star,
            file: file.to_owned(),
            title: "closure".to_owned(),
            routine: Some("WARSHALL".to_owned()),
            parameters: parameters.into(),
            size: Some("n".to_owned()),
            backend: Some("cpu".to_owned()),
            natives: Some(NativeUse::On),
            variant: Some("default".to_owned()),
            name: None,
            version: None,
            conditions: None,
            time: Some(Time { median_s: 0.5, samples_s: vec![0.5], ..Time::default() }),
            input_s: None,
            load_s: Some(0.1),
            operations: Some(7),
            native_calls: Some(1),
            peak_bytes: None,
            hash: None,
            error: None,
        }
    }

    fn record() -> Record {
        let failed = Row {
            time: None,
            error: Some(RowError { code: "T0101".to_owned(), message: "<b>".to_owned() }),
            ..row("b.star")
        };
        Record {
            schema: SCHEMA,
            tool: Tool { name: "star".to_owned(), ..Tool::default() },
            machine: Machine { threads: Some(2), ..Machine::default() },
            adapter: None,
            date: None,
            seed: Some(1),
            settings: None,
            bandwidth: Vec::new(),
            interrupted: false,
            rows: vec![row("a.star"), failed],
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        assert_eq!(from_json(&to_json(&record())), Ok(record()));
    }

    #[test]
    fn a_peer_may_leave_out_what_it_does_not_know() {
        let text = r#"{"schema": 1, "later": 0, "rows": [{"source": "peer", "name": "x",
            "file": "a.star", "title": "t", "time": {"median_s": 1e-3}}]}"#;
        let record = from_json(text).unwrap();
        assert_eq!(record.rows[0].runner(), "x");
        assert_eq!(record.rows[0].time.as_ref().unwrap().median_s, 1e-3);
        let text = r#"{"schema": 1, "rows": [{"source": "published", "file": "a", "title": "t",
            "conditions": "K40", "name": null, "time": {"median_s": 1}}]}"#;
        assert_eq!(from_json(text).unwrap().rows[0].runner(), "K40");
    }

    /// The row of `docs/benchmarks.md` is one, so that the text and the reader stay together.
    #[test]
    fn the_examples_of_the_documentation_read() {
        let text = include_str!("../../../docs/benchmarks.md");
        let mut blocks =
            text.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        let file = blocks.next().unwrap().replace('…', blocks.next().unwrap());
        let record = from_json(&file).unwrap();
        assert_eq!(record.rows[0].routine.as_deref(), Some("WARSHALL"));
        assert_eq!(record.bandwidth.len(), 1);
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        let refused = |text: &str| from_json(text).unwrap_err().to_string();
        assert_eq!(refused(""), "line 1, column 1: the text ends too early");
        assert_eq!(refused("x"), "line 1, column 1: this is no JSON: expected value");
        assert_eq!(refused("{}"), "this is no file of benchmarks: it names no `schema`");
        assert_eq!(
            refused(r#"{"schema": 9}"#),
            "the file has schema 9; this version of star reads 1"
        );
        let base = to_json(&record());
        assert!(
            refused(&base.replace("\"star\",\n      \"file", "\"stra\",\n      \"file"))
                .contains("unknown variant")
        );
        let no_time = base.replace("\"median_s\": 0.5", "\"median_s\": -0.5");
        let range = "a time is from 1e-12 to 1e12 seconds";
        assert_eq!(refused(&no_time), format!("row 1: `median_s` is -0.5; {range}"));
        let lost = base.replace("\"size\": \"n\"", "\"size\": \"q\"");
        assert_eq!(refused(&lost), "row 1: `size` is `q`, which is no parameter");
        let half = refused(&base[..base.len() / 2]);
        assert!(half.starts_with("line ") && half.ends_with(": the text ends too early"), "{half}");
    }

    #[test]
    fn what_nothing_takes_is_no_time() {
        let with = |row: Row| from_json(&to_json(&Record { rows: vec![row], ..record() }));
        let time = || Time { median_s: 0.5, ..Time::default() };
        for seconds in [0.0, 5e-324, 9e-13, -1.0, 2e12, 1e308] {
            let sample = Time { samples_s: vec![0.5, seconds], ..time() };
            let times = [
                ("`median_s` is", Time { median_s: seconds, ..time() }),
                ("`low_s` is", Time { low_s: Some(seconds), ..time() }),
                ("`high_s` is", Time { high_s: Some(seconds), ..time() }),
                ("`min_s` is", Time { min_s: Some(seconds), ..time() }),
                ("`samples_s` holds", sample),
            ];
            for (what, time) in times {
                let error = with(Row { time: Some(time), ..row("a") }).unwrap_err().to_string();
                let begins = format!("row 1: {what} {seconds:?}; ");
                assert!(error.starts_with(&begins), "{error}");
            }
        }
        for seconds in [1e-12, 1e12] {
            let time = Time { median_s: seconds, low_s: Some(seconds), ..Time::default() };
            assert!(with(Row { time: Some(time), ..row("a") }).is_ok());
        }
        assert!(with(Row { load_s: Some(0.0), input_s: Some(0.0), ..row("a") }).is_ok());
        let error = with(Row { load_s: Some(1e300), ..row("a") }).unwrap_err().to_string();
        assert_eq!(error, "row 1: `load_s` is 1e300; it is from 0 to 1e12 seconds");
    }

    #[test]
    fn a_median_is_among_its_samples() {
        let with = |median_s| {
            let time = Time { median_s, samples_s: vec![0.2, 0.1, 0.3], ..Time::default() };
            let rows = vec![row("a"), Row { time: Some(time), ..row("b") }];
            from_json(&to_json(&Record { rows, ..record() })).map_err(|error| error.to_string())
        };
        assert!(with(0.2).is_ok() && with(0.300_01).is_ok());
        let error = "row 2: `median_s` is 0.31, but `samples_s` are from 0.1 to 0.3";
        assert_eq!(with(0.31), Err(error.to_owned()));
        assert!(with(0.09).is_err());
    }

    /// Nobody who reads a message knows the types of the reader.
    #[test]
    fn damaged_files_are_told_in_words() {
        let base = to_json(&record());
        let refused = |from: &str, to: &str| {
            assert!(base.contains(from), "{from}");
            let error = from_json(&base.replacen(from, to, 1)).unwrap_err();
            assert!(error.place.is_some(), "{error}");
            error.message
        };
        let known = [
            ("500", "[5]", "expected an integer or a text, which a parameter is"),
            ("\"median_s\": 0.5", "\"median_s\": \"x\"", "expected a number, found string \"x\""),
            ("\"median_s\"", "\"med\"", "`median_s` is missing"),
            (
                "\"threads\": 2",
                "\"threads\": -2",
                "expected a whole number that is not negative, found integer `-2`",
            ),
            (
                "\"schema\": 1",
                "\"schema\": \"1\"",
                "expected a whole number that is not negative, found string \"1\"",
            ),
            (
                "\"natives\": \"on\"",
                "\"natives\": \"yes\"",
                "unknown variant `yes`, expected one of `on`, `off`, `none`",
            ),
        ];
        for (from, to, message) in known {
            assert_eq!(refused(from, to), message);
        }
        let at_end = |text: &str| from_json(text).unwrap_err().message;
        let rows = |rows: &str| at_end(&format!("{{\"schema\": 1, \"rows\": {rows}}}"));
        assert_eq!(rows("7"), "expected a list, found integer `7`");
        assert_eq!(rows("[\"x\"]"), "expected an object, which a row is, found string \"x\"");
        assert_eq!(
            at_end("7"),
            "expected an object, which a file of benchmarks is, found integer `7`"
        );
    }
}
