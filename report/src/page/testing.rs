//! Helpers of the page tests.

use super::Axes;
use super::series::{self, Benchmark};
use crate::record::{
    IntrinsicUse, MachineInfo, Parameter, Record, Row, SCHEMA, Source, Time, Tool,
};

/// Returns the benchmarks of files without names.
pub(crate) fn benchmarks(records: &[Record]) -> Vec<Benchmark<'_>> {
    series::benchmarks(records, &[], &Axes::NONE)
}

/// Returns a row of `a.star` with this size.
pub(crate) fn row(title: &str, n: i64, seconds: f64) -> Row {
    let time = Time {
        median_s: seconds,
        low_s: Some(seconds * 0.9),
        high_s: Some(seconds * 1.1),
        min_s: Some(seconds * 0.8),
        confidence: Some(0.96),
        runs: Some(12),
        repetitions: Some(1),
        reached: Some(true),
        samples_s: vec![seconds; 12],
    };
    Row {
        source: Source::Star,
        file: "a.star".to_owned(),
        title: title.to_owned(),
        routine: Some("F".to_owned()),
        parameters: [("n".to_owned(), Parameter::Int(n))].into(),
        size: Some("n".to_owned()),
        backend: Some("cpu".to_owned()),
        intrinsics: Some(IntrinsicUse::None),
        variant: Some("default".to_owned()),
        name: None,
        version: None,
        conditions: None,
        time: Some(time),
        input_s: Some(2e-3),
        load_s: Some(1e-3),
        device_s: None,
        operations: Some(1000),
        intrinsic_calls: Some(0),
        peak_bytes: None,
        hash: Some("0".to_owned()),
        error: None,
    }
}

/// Returns a record of these rows.
pub(crate) fn record(rows: Vec<Row>) -> Record {
    Record {
        schema: SCHEMA,
        tool: Tool { name: "star".to_owned(), ..Tool::default() },
        machine: MachineInfo {
            cpu: Some("A".to_owned()),
            threads: Some(2),
            ..MachineInfo::default()
        },
        adapter: None,
        date: Some("2026-11-21T22:40:00Z".to_owned()),
        seed: Some(1),
        settings: None,
        bandwidth: Vec::new(),
        interrupted: false,
        rows,
    }
}

/// HTML elements without an end tag.
const VOID: [&str; 4] = ["!DOCTYPE", "meta", "link", "br"];

/// Asserts that elements are nested correctly, that attributes are quoted, and that every `&` and
/// `<` is escaped.
#[track_caller]
pub(crate) fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        entities(&rest[..begin]);
        let end = rest[begin..].find('>').expect("a tag ends") + begin;
        let tag = &rest[begin + 1..end];
        rest = &rest[end + 1..];
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).expect("a name");
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "… {:.80}", rest);
            continue;
        }
        let attributes = tag.strip_suffix('/').unwrap_or(tag);
        assert!(!attributes.contains('<'), "{tag}");
        assert!(attributes.matches('"').count().is_multiple_of(2), "{tag}");
        for part in attributes.split('"').step_by(2).skip(1).filter(|part| !part.is_empty()) {
            let named =
                part.starts_with([' ', '\n']) && (part.ends_with('=') || part.trim().is_empty());
            assert!(named, "{tag}: {part}");
        }
        attributes.split('"').skip(1).step_by(2).for_each(entities);
        if name == "style" {
            rest = &rest[rest.find("</style>").expect("an end")..];
        }
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let plain = |c: char| c == '\n' || !c.is_control();
    assert!(text.chars().all(plain), "a control character");
}

#[track_caller]
fn entities(text: &str) {
    for part in text.split('&').skip(1) {
        let name = part.split(';').next().expect("a part");
        let known = ["amp", "lt", "gt", "quot", "#39", "apos", "middot"];
        assert!(known.contains(&name), "&{part}");
    }
}
