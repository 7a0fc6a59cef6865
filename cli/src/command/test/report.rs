//! Output of `star test`: failures and a summary line as text, or JSON objects for each test and
//! for the summary, as described in `docs/src/testing.md`.

use serde_json::{Map, Value, json};
use star_base::{Diagnostic, SourceMap};
use star_harness::{Header, MACHINES};
use star_os::output::Output;
use star_os::report::Reporter;
use star_report::{json, message};

use super::row::{Failure, Row};
use crate::text;

/// The format of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Human-readable text
    Text,
    /// One JSON object per line for each test, and a final one
    Json,
}

/// The totals so far.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// Tests run.
    pub(super) tests: usize,
    /// Cases run.
    pub(super) cases: usize,
    /// Failed tests, and files that do not compile or have invalid headers.
    pub(super) failed: usize,
    /// Tests that were not run.
    pub(super) left_out: usize,
}

/// Reports results.
pub(super) struct Results<'a> {
    pub(super) format: Format,
    pub(super) reporter: &'a Reporter,
    pub(super) output: &'a mut Output,
    pub(super) totals: Totals,
    /// The last file with an error.
    pub(super) faulty: Option<String>,
}

impl Results<'_> {
    /// Reports a test that was run or could not be run.
    pub(super) fn test(&mut self, sources: &SourceMap, file: &str, header: &Header, row: &Row) {
        self.totals.tests += 1;
        self.totals.cases += row.n_run;
        self.totals.failed += usize::from(row.failure.is_some());
        match self.format {
            Format::Text => {
                if let Some(failure) = &row.failure {
                    self.reporter.diagnostic(sources, &failure.diagnostic);
                }
            }
            Format::Json => {
                let at = sources.get(header.span.file).map(|file| {
                    let at = file.line_column(header.span.start as usize);
                    at.line
                });
                let mut object = Map::new();
                object.insert("file".to_owned(), json!(file));
                object.insert("line".to_owned(), json!(at));
                object.insert("title".to_owned(), json!(header.title));
                object.insert("passed".to_owned(), json!(row.failure.is_none()));
                object.insert("cases".to_owned(), json!(row.n_run));
                object.insert("seconds".to_owned(), json!(row.seconds));
                let failure = row.failure.as_ref().map(|failure| of_failure(sources, failure));
                object.insert("failure".to_owned(), json!(failure));
                self.output.write(&json::line(&json!({ "test": object })));
            }
        }
    }

    /// Reports an error of a file: it cannot be read, or a header is invalid.
    pub(super) fn fault(&mut self, sources: &SourceMap, file: &str, fault: &Diagnostic) {
        // A file counts once, however many of its headers are invalid.
        if self.faulty.as_deref() != Some(file) {
            self.totals.failed += 1;
            self.faulty = Some(file.to_owned());
        }
        match self.format {
            Format::Text => self.reporter.diagnostic(sources, fault),
            Format::Json => {
                let object = json!({ "file": file, "fault": of_message(sources, fault) });
                self.output.write(&json::line(&object));
            }
        }
    }

    /// Reports the summary.
    pub(super) fn summary(&mut self, backends: &[&str], seconds: f64, interrupted: bool) {
        let Totals { tests, cases, failed, left_out } = self.totals;
        match self.format {
            Format::Text => {
                let what = match (failed, interrupted) {
                    (_, true) => {
                        let left_out = text::count(left_out, "test");
                        format!("interrupted, {failed} failed, {left_out} not run,")
                    }
                    (0, false) => "all passed".to_owned(),
                    (failed, false) => format!("{failed} failed"),
                };
                let (tests, cases) = (text::count(tests, "test"), text::count(cases, "case"));
                let machines = text::count(backends.len(), "backend");
                let line = format!("{tests}, {cases}, {machines}: {what} in {seconds:.1} s\n");
                self.output.write(&line);
            }
            Format::Json => {
                let object = json!({
                    "tests": tests,
                    "cases": cases,
                    "failed": failed,
                    "not_run": left_out,
                    "backends": backends,
                    "interrupted": interrupted,
                    "seconds": seconds,
                });
                self.output.write(&json::line(&json!({ "summary": object })));
            }
        }
    }
}

fn of_failure(sources: &SourceMap, failure: &Failure) -> Value {
    let Failure { diagnostic, case, input, command } = failure;
    let input: Map<String, Value> =
        input.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "message": of_message(sources, diagnostic),
        "case": case,
        "input": input,
        "command": command,
    })
}

/// Returns the diagnostic in the format of `--error-format json`.
fn of_message(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    serde_json::from_str(&message::json::diagnostic(sources, diagnostic)).unwrap_or(Value::Null)
}

/// Returns the section on backends in `--help`.
pub(super) fn backends_help() -> String {
    let lines = MACHINES.iter().map(|it| format!("  {:<20}{}\n", it.name, it.about));
    lines.collect()
}
