//! Messages to the user on standard error, as text or JSON.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use serde_json::Value;
use star_base::{Diagnostic, SourceMap};
use star_report::json;
use star_report::message::{self, Remark, Style};

/// The format of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ErrorFormat {
    /// Human-readable, with source lines
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

/// Tests whether the environment permits colours on a terminal.
pub fn may_colour() -> bool {
    let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    unset("NO_COLOR") && !dumb
}

/// Writes messages. A message that cannot be written is lost.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    format: ErrorFormat,
    style: Style,
    remarks: Remarks,
    /// The messages of a command that reports all of them together, in place of standard error.
    collected: Option<&'static Mutex<Vec<Value>>>,
}

/// Whether notes and warnings without a code are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remarks {
    Told,
    Kept,
}

impl Reporter {
    /// Creates a reporter, coloured if standard error is a terminal and the environment permits it.
    pub fn new(format: ErrorFormat) -> Self {
        let style = if may_colour() && std::io::stderr().is_terminal() {
            Style::Coloured
        } else {
            Style::Plain
        };
        Reporter { format, style, remarks: Remarks::Told, collected: None }
    }

    /// Creates a reporter that collects messages as JSON, for a command that runs once.
    pub fn collecting() -> Self {
        let collected = Box::leak(Box::default());
        let format = ErrorFormat::Json;
        Reporter { collected: Some(collected), ..Reporter::new(format) }
    }

    /// Returns the messages collected so far: objects, and the lines of [`Reporter::summary`].
    pub fn collected(&self) -> Vec<Value> {
        let collected =
            self.collected.map(|all| all.lock().unwrap_or_else(PoisonError::into_inner));
        collected.map(|mut all| std::mem::take(&mut *all)).unwrap_or_default()
    }

    /// Returns a reporter that omits notes and warnings without a code, for repeated work.
    pub fn without_remarks(self) -> Self {
        Reporter { remarks: Remarks::Kept, ..self }
    }

    /// Reports a diagnostic.
    pub fn diagnostic(&self, sources: &SourceMap, diagnostic: &Diagnostic) {
        self.write(&self.diagnostic_text(sources, diagnostic));
    }

    /// Returns the text of a diagnostic.
    pub fn diagnostic_text(&self, sources: &SourceMap, diagnostic: &Diagnostic) -> String {
        match self.format {
            ErrorFormat::Text => message::render(sources, diagnostic, self.style),
            ErrorFormat::Json => message::json::diagnostic(sources, diagnostic),
        }
    }

    /// Returns the text of a note.
    pub fn note_text(&self, message: &str) -> String {
        self.remark_text(Remark::Note, message)
    }

    /// Reports a note.
    pub fn note(&self, message: &str) {
        self.remark(Remark::Note, message);
    }

    /// Reports a warning.
    pub fn warning(&self, message: &str) {
        self.remark(Remark::Warning, message);
    }

    /// Prints a line in text format only, e.g. a summary.
    pub fn summary(&self, line: &str) {
        match self.collected {
            Some(_) => self.collect(Value::from(line)),
            None if self.format == ErrorFormat::Text => self.write(&format!("{line}\n")),
            None => {}
        }
    }

    /// Reports the outcome of a command, as a line of text or a JSON object.
    pub fn outcome(&self, line: &str, object: &serde_json::Value) {
        self.write(&match self.format {
            ErrorFormat::Text => format!("{line}\n"),
            ErrorFormat::Json => json::line(object),
        });
    }

    /// Reports the resources of a run, and the peak memory while loading its arguments.
    pub fn cost(&self, stats: &star_vm::Stats, loading_bytes: u64) {
        self.write(&match self.format {
            ErrorFormat::Text => crate::cost::table(stats, loading_bytes),
            ErrorFormat::Json => crate::cost::json(stats, loading_bytes),
        });
    }

    /// Reports the profile of a run, as text or a JSON object.
    pub fn profile(&self, table: &str, object: &serde_json::Value) {
        self.write(&match self.format {
            ErrorFormat::Text => table.to_owned(),
            ErrorFormat::Json => json::line(object),
        });
    }

    fn remark(&self, kind: Remark, message: &str) {
        if self.remarks == Remarks::Kept {
            return;
        }
        self.write(&self.remark_text(kind, message));
    }

    fn remark_text(&self, kind: Remark, message: &str) -> String {
        match self.format {
            ErrorFormat::Text => message::remark(kind, message, self.style),
            ErrorFormat::Json => message::json::remark(kind, message),
        }
    }

    fn collect(&self, message: Value) {
        if let Some(all) = self.collected {
            all.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        }
    }

    fn write(&self, text: &str) {
        if self.collected.is_some() {
            // In this format each message is an object.
            return text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok())
                .for_each(|it| self.collect(it));
        }
        let mut stderr = std::io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes());
    }
}
