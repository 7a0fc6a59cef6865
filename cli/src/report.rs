//! Messages to the user on standard error, as text or as JSON.

use std::io::{IsTerminal, Write};

use clap::ValueEnum;
use star_base::{Diagnostic, SourceMap};

use crate::json;
use crate::render::{self, Remark, Style};

/// The form of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorFormat {
    /// For people, with source lines.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Writes messages. A message that cannot be written is lost: there is nobody to tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    format: ErrorFormat,
    style: Style,
    notes: Notes,
}

/// What becomes of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notes {
    Written,
    LeftOut,
}

impl Reporter {
    /// Colours if standard error is a terminal and nobody objects.
    pub(crate) fn new(format: ErrorFormat) -> Self {
        let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let style = if unset("NO_COLOR") && !dumb && std::io::stderr().is_terminal() {
            Style::Coloured
        } else {
            Style::Plain
        };
        Reporter { format, style, notes: Notes::Written }
    }

    /// One that leaves notes out: for many runs one after another.
    pub(crate) fn without_notes(self) -> Self {
        Reporter { notes: Notes::LeftOut, ..self }
    }

    /// A message.
    pub(crate) fn diagnostic(&self, sources: &SourceMap, diagnostic: &Diagnostic) {
        self.write(&match self.format {
            ErrorFormat::Text => render::render(sources, diagnostic, self.style),
            ErrorFormat::Json => json::diagnostic(sources, diagnostic),
        });
    }

    /// Something that the user may want to know.
    pub(crate) fn note(&self, message: &str) {
        if self.notes == Notes::Written {
            self.remark(Remark::Note, message);
        }
    }

    /// Something that the user should know.
    pub(crate) fn warning(&self, message: &str) {
        self.remark(Remark::Warning, message);
    }

    /// A line for people only, such as a summary.
    pub(crate) fn summary(&self, line: &str) {
        if self.format == ErrorFormat::Text {
            self.write(&format!("{line}\n"));
        }
    }

    /// What a command did, as a line for people or an object for scripts.
    pub(crate) fn outcome(&self, line: &str, object: &serde_json::Value) {
        self.write(&match self.format {
            ErrorFormat::Text => format!("{line}\n"),
            ErrorFormat::Json => json::line(object),
        });
    }

    /// What a run used.
    pub(crate) fn cost(&self, stats: &star_vm::Stats) {
        self.write(&match self.format {
            ErrorFormat::Text => crate::cost::table(stats),
            ErrorFormat::Json => json::cost(stats),
        });
    }

    /// Where a run spent its time: as text for people, as an object for scripts.
    pub(crate) fn profile(&self, table: &str, object: &serde_json::Value) {
        self.write(&match self.format {
            ErrorFormat::Text => table.to_owned(),
            ErrorFormat::Json => json::line(object),
        });
    }

    fn remark(&self, kind: Remark, message: &str) {
        self.write(&match self.format {
            ErrorFormat::Text => render::remark(kind, message, self.style),
            ErrorFormat::Json => json::remark(kind, message),
        });
    }

    fn write(&self, text: &str) {
        let mut stderr = std::io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes());
    }
}
