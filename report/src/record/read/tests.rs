//! Round trips of benchmark files, and readable messages for invalid ones.

use super::super::{IntrinsicUse, MachineInfo, Parameter, RowError, Tool};
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
        intrinsics: Some(IntrinsicUse::On),
        variant: Some("default".to_owned()),
        name: None,
        version: None,
        conditions: None,
        time: Some(Time { median_s: 0.5, samples_s: vec![0.5], ..Time::default() }),
        input_s: None,
        load_s: Some(0.1),
        device_s: None,
        operations: Some(7),
        intrinsic_calls: Some(1),
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
        machine: MachineInfo { threads: Some(2), ..MachineInfo::default() },
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
fn files_survive_a_round_trip() {
    assert_eq!(from_json(&to_json(&record())), Ok(record()));
}

#[test]
fn peers_may_omit_unknown_values() {
    let text = r#"{"schema": 1, "later": 0, "rows": [{"source": "peer", "name": "x",
        "file": "a.star", "title": "t", "time": {"median_s": 1e-3}}]}"#;
    let record = from_json(text).unwrap();
    assert_eq!(record.rows[0].runner(), "x");
    assert_eq!(record.rows[0].time.as_ref().unwrap().median_s, 1e-3);
    let text = r#"{"schema": 1, "rows": [{"source": "published", "file": "a", "title": "t",
        "conditions": "K40", "name": null, "time": {"median_s": 1}}]}"#;
    assert_eq!(from_json(text).unwrap().rows[0].runner(), "K40");
}

/// Reads the file in the chapter about tests and benchmarks, so that documentation and reader stay
/// in agreement.
#[test]
fn the_examples_of_the_documentation_are_valid() {
    let text = include_str!("../../../../docs/src/testing.md");
    let (_, rest) = text.split_once("```json\n").unwrap();
    let record = from_json(rest.split("```").next().unwrap()).unwrap();
    assert_eq!(record.rows[0].routine.as_deref(), Some("REACH"));
    assert_eq!(record.bandwidth.len(), 1);
}

#[test]
fn rejects_other_texts_with_the_reason() {
    let refused = |text: &str| from_json(text).unwrap_err().to_string();
    assert_eq!(refused(""), "line 1, column 1: unexpected end of the text");
    assert_eq!(refused("x"), "line 1, column 1: not valid JSON: expected value");
    assert_eq!(refused("{}"), "not a benchmark file: missing field `schema`");
    assert_eq!(refused(r#"{"schema": 9}"#), "the file has schema 9; this version of star reads 1");
    let base = to_json(&record());
    assert!(
        refused(&base.replace("\"star\",\n      \"file", "\"stra\",\n      \"file"))
            .contains("expected one of `star`, ")
    );
    let no_time = base.replace("\"median_s\": 0.5", "\"median_s\": -0.5");
    let range = "a time must be from 1e-12 to 1e12 seconds";
    assert_eq!(refused(&no_time), format!("row 1: `median_s` is -0.5; {range}"));
    let lost = base.replace("\"size\": \"n\"", "\"size\": \"q\"");
    assert_eq!(refused(&lost), "row 1: `size` is `q`, which is not a parameter");
    let half = refused(&base[..base.len() / 2]);
    assert!(half.starts_with("line ") && half.ends_with(": unexpected end of the text"), "{half}");
}

#[test]
fn rejects_invalid_times() {
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
    assert_eq!(error, "row 1: `load_s` is 1e300; it must be from 0 to 1e12 seconds");
}

#[test]
fn rejects_medians_outside_their_samples() {
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

/// Messages must not mention the Rust types of the reader.
#[test]
fn messages_about_damaged_files_are_readable() {
    let base = to_json(&record());
    let refused = |from: &str, to: &str| {
        assert!(base.contains(from), "{from}");
        let error = from_json(&base.replacen(from, to, 1)).unwrap_err();
        assert!(error.place.is_some(), "{error}");
        error.message
    };
    let known = [
        ("500", "[5]", "expected an integer or a text as the value of a parameter"),
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
            "\"intrinsics\": \"on\"",
            "\"intrinsics\": \"yes\"",
            "expected one of `on`, `off`, `none`, found `yes`",
        ),
    ];
    for (from, to, message) in known {
        assert_eq!(refused(from, to), message);
    }
    let at_end = |text: &str| from_json(text).unwrap_err().message;
    let rows = |rows: &str| at_end(&format!("{{\"schema\": 1, \"rows\": {rows}}}"));
    assert_eq!(rows("7"), "expected a list, found integer `7`");
    assert_eq!(rows("[\"x\"]"), "expected an object (row), found string \"x\"");
    assert_eq!(at_end("7"), "expected an object (benchmark file), found integer `7`");
}
