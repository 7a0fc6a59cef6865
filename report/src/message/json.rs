//! Messages as JSON, one object per line, for editors and scripts.

use serde_json::{Value, json};
use star_base::{DataPlace, Diagnostic, Fix, Label, Severity, SourceMap, Span};

use super::Remark;
use crate::json::line;

/// Formats the message as an object on one line.
pub fn diagnostic(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let Diagnostic { code, message, labels, place, notes, help, fixes } = diagnostic;
    let labels = labels.iter().map(|label| of_label(sources, label));
    let labels: Vec<Value> = labels.chain(place.iter().map(of_data_place)).collect();
    let fixes: Vec<Value> = fixes.iter().map(|fix| of_fix(sources, fix)).collect();
    let severity = match diagnostic.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    line(&json!({
        "code": code.as_str(),
        "severity": severity,
        "message": message,
        "labels": labels,
        "notes": notes,
        "help": help,
        "fixes": fixes,
    }))
}

/// Formats a remark without a code as an object of the same form.
pub fn remark(kind: Remark, message: &str) -> String {
    let severity = match kind {
        Remark::Note => "note",
        Remark::Warning => "warning",
    };
    line(&json!({
        "code": null,
        "severity": severity,
        "message": message,
        "labels": [],
        "notes": [],
        "help": [],
        "fixes": [],
    }))
}

/// Formats a location in a data file: a label without an end and without offsets.
fn of_data_place(place: &DataPlace) -> Value {
    let DataPlace { file, line, column, excerpt: _ } = place;
    json!({ "file": file, "line": line, "column": column, "text": "" })
}

fn of_label(sources: &SourceMap, label: &Label) -> Value {
    let Label { span, text } = label;
    let Some(place) = LineRange::of(sources, *span) else {
        return json!({ "text": text });
    };
    json!({
        "file": place.file,
        "line": place.start.line,
        "column": place.start.column,
        "end_line": place.end.line,
        "end_column": place.end.column,
        "start": span.start,
        "end": span.end,
        "text": text,
    })
}

fn of_fix(sources: &SourceMap, fix: &Fix) -> Value {
    let Fix { title, span, replacement, certain: _ } = fix;
    let Some(place) = LineRange::of(sources, *span) else {
        return json!({ "title": title, "replacement": replacement });
    };
    json!({
        "title": title,
        "file": place.file,
        "start": span.start,
        "end": span.end,
        "line": place.start.line,
        "column": place.start.column,
        "replacement": replacement,
    })
}

/// A span as lines and columns, counted from 1.
struct LineRange<'a> {
    file: &'a str,
    start: star_base::LineColumn,
    end: star_base::LineColumn,
}

impl<'a> LineRange<'a> {
    fn of(sources: &'a SourceMap, span: Span) -> Option<Self> {
        let file = sources.get(span.file)?;
        Some(LineRange {
            file: file.name(),
            start: file.line_column(span.start as usize),
            end: file.line_column(span.end as usize),
        })
    }
}

#[cfg(test)]
mod tests {
    use star_base::{Code, SourceFile};

    use super::*;

    #[test]
    fn labels_and_fixes_have_offsets_and_lines() {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("a.star", "Я\nx = 1".to_owned()));
        let span = Span::new(file, 5, 6);
        let message = Diagnostic::at(Code::EqualsAssigns, span, "\"=\"").fix("t", span, ":=");
        let text = diagnostic(&sources, &message);
        assert_eq!(text.matches('\n').count(), 1);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["code"], "W0101");
        assert_eq!(value["severity"], "warning");
        assert_eq!(value["labels"][0]["line"], 2);
        assert_eq!(value["labels"][0]["column"], 3);
        assert_eq!(value["labels"][0]["end_column"], 4);
        assert_eq!(value["fixes"][0]["start"], 5);
        assert_eq!(value["fixes"][0]["replacement"], ":=");
    }
}
