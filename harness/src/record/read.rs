//! Reading and writing of files of benchmarks.

use std::fmt;

use serde::Deserialize;

use super::{Record, Row, SCHEMA, Source};

/// Why a text is no file of benchmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// In words.
    pub message: String,
    /// Line from 1, if the text itself is wrong.
    pub line: Option<usize>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// What is looked at before everything else.
#[derive(Deserialize)]
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
    let wrong = |message: String| ReadError { message, line: None };
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

fn of_json(error: &serde_json::Error) -> ReadError {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
    ReadError { message, line: Some(error.line()).filter(|&line| line > 0) }
}

/// What the types do not say.
fn check(row: &Row) -> Result<(), String> {
    if row.time.is_none() && row.error.is_none() {
        return Err("neither `time` nor `error`".to_owned());
    }
    if row.source == Source::Peer && row.name.is_none() {
        return Err("a peer without a `name`".to_owned());
    }
    let Some(time) = &row.time else { return Ok(()) };
    let named = [
        ("median_s", Some(time.median_s)),
        ("low_s", time.low_s),
        ("high_s", time.high_s),
        ("min_s", time.min_s),
        ("input_s", row.input_s),
        ("load_s", row.load_s),
    ];
    let samples = time.samples_s.iter().map(|sample| ("samples_s", Some(*sample)));
    for (name, seconds) in named.into_iter().chain(samples) {
        if seconds.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
            return Err(format!("`{name}` is no time"));
        }
    }
    if let Some(size) = &row.size
        && !row.parameters.contains_key(size)
    {
        return Err(format!("`size` is `{size}`, which is no parameter"));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Machine, NativeUse, Parameter, RowError, Time, Tool};
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
        assert!(refused("").starts_with("line 1: "));
        assert!(refused("[").starts_with("line 1: "));
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
        assert_eq!(refused(&no_time), "row 1: `median_s` is no time");
        let lost = base.replace("\"size\": \"n\"", "\"size\": \"q\"");
        assert_eq!(refused(&lost), "row 1: `size` is `q`, which is no parameter");
        assert!(refused(&base[..base.len() / 2]).contains("EOF"));
    }
}
