//! Times of the same rows in several files, in the order of the files.

use std::fmt::Write as _;

use serde_json::{Value, json};
use star_base::text::one_line;

use crate::page::{Axes, NamedRecord, figures};
use crate::record::{Key, Parameter, Record, Row, SCHEMA, Source};

/// The parameter that numbers the files in plots.
const FILE: &str = "file";

/// The medians of a row in each file, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Past<'a> {
    /// Its first row.
    pub row: &'a Row,
    /// One for each file; `None` without a time.
    pub seconds: Vec<Option<f64>>,
}

/// Returns the rows of all files, in the order in which they first occur. Published times are
/// omitted.
#[must_use]
pub fn history(files: &[NamedRecord]) -> Vec<Past<'_>> {
    let mut all: Vec<(Key<'_>, Past<'_>)> = Vec::new();
    for (number, NamedRecord { record, .. }) in files.iter().enumerate() {
        for row in record.rows.iter().filter(|row| row.source != Source::Published) {
            let key = row.key();
            let known = all.iter().position(|(other, _)| *other == key);
            let at = known.unwrap_or_else(|| {
                all.push((key, Past { row, seconds: vec![None; files.len()] }));
                all.len() - 1
            });
            all[at].1.seconds[number] = row.time.as_ref().map(|time| time.median_s);
        }
    }
    all.into_iter().map(|(_, past)| past).collect()
}

/// Returns lines under the name of each benchmark.
#[must_use]
pub fn history_text(pasts: &[Past<'_>]) -> String {
    let (mut text, mut heading) = (String::new(), None);
    for Past { row, seconds } in pasts {
        let of_row = row.heading();
        if heading.as_ref() != Some(&of_row) {
            let _ = writeln!(text, "{}", one_line(&of_row));
            heading = Some(of_row);
        }
        let what = format!("{} {}", row.parameters_text(), row.runner());
        let times = seconds.iter().map(|one| one.map_or("–".to_owned(), figures::time));
        let times: Vec<String> = times.map(|time| format!("{time:>8}")).collect();
        let _ = writeln!(text, "  {:<36} {}", one_line(what.trim()), times.join(" → "));
    }
    text
}

/// Returns the rows as values.
#[must_use]
pub fn history_json(pasts: &[Past<'_>]) -> Value {
    let rows = pasts.iter().map(|Past { row, seconds }| {
        json!({
            "file": row.file, "title": row.title, "routine": row.routine,
            "parameters": row.parameters, "by": row.runner(), "seconds": seconds,
        })
    });
    Value::Array(rows.collect())
}

/// Returns the files as one whose plots have a point for each file, with their axes.
#[must_use]
pub fn as_plots(files: &[NamedRecord]) -> (NamedRecord, Axes) {
    let mut rows = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let measured = file.record.rows.iter().filter(|row| row.source != Source::Published);
        rows.extend(measured.map(|row| {
            let mut row = Row { size: Some(FILE.to_owned()), ..row.clone() };
            row.parameters.insert(FILE.to_owned(), Parameter::Int(number as i64 + 1));
            row
        }));
    }
    let record = Record {
        schema: SCHEMA,
        rows,
        ..files.last().map_or_else(Record::default, |file| file.record.clone())
    };
    let names =
        files.iter().map(|file| file.name.strip_suffix(".json").unwrap_or(&file.name).to_owned());
    let axes = Axes { first: Some(FILE.to_owned()), second: None, names: Some(names.collect()) };
    (NamedRecord { name: "history".to_owned(), record }, axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::testing::{record, row};
    use crate::page::{ExportKind, Selection, export};

    fn files() -> Vec<NamedRecord> {
        let named = |name: &str, rows| NamedRecord { name: name.to_owned(), record: record(rows) };
        vec![
            named("v1.json", vec![row("a", 5, 1.0), row("a", 6, 4.0)]),
            named("v2.json", vec![row("a", 5, 2.0)]),
            named("v3.json", vec![row("a", 5, 3.0), row("a", 6, 2.0)]),
        ]
    }

    #[test]
    fn rows_of_all_files_are_in_one_line() {
        let files = files();
        let pasts = history(&files);
        let seconds: Vec<&[Option<f64>]> = pasts.iter().map(|past| &past.seconds[..]).collect();
        assert_eq!(
            seconds,
            [&[Some(1.0), Some(2.0), Some(3.0)][..], &[Some(4.0), None, Some(2.0)]]
        );
        let text = history_text(&pasts);
        assert!(text.starts_with("a.star: a (F)\n  n=5 cpu"), "{text}");
        assert!(text.contains(" 4.00 s →        – →   2.00 s\n"), "{text}");
        assert_eq!(history_json(&pasts)[1]["seconds"], json!([4.0, null, 2.0]));
    }

    #[test]
    fn plots_have_a_point_for_each_file() {
        let (merged, axes) = as_plots(&files());
        let selection = Selection { axes, ..Selection::default() };
        let svg = export(&[merged], ExportKind::Svg, &selection).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        for label in ["v1", "v2", "v3", "F, cpu, n=5", "F, cpu, n=6", "file"] {
            assert!(svg.contains(&format!("\n{label}\n")), "{label}");
        }
    }
}
