//! Errors that stop a command: diagnostics, the first of which determines the exit code.

use std::io;

pub use star::pipeline::{internal, refused_by_backend};

use star_base::{Code, Diagnostic, SourceMap, text};
use star_io::FileError;
use star_vm::BackendError;

use crate::exit::Exit;
use crate::report::Reporter;

/// Diagnostics that stop a command.
#[derive(Debug, Default)]
pub struct Failure {
    /// The diagnostics; at least one.
    pub diagnostics: Vec<Diagnostic>,
    /// The source texts to which they refer, if any do.
    pub sources: SourceMap,
}

impl Failure {
    /// Creates the failure for a diagnostic with a place in a source text.
    pub fn in_sources(diagnostic: Diagnostic, sources: &SourceMap) -> Self {
        Failure { diagnostics: vec![diagnostic], sources: sources.clone() }
    }

    /// Adds to each exceeded limit the option that sets it, unless its help already names it.
    #[must_use]
    pub fn with_limit_options(mut self) -> Self {
        let options = [
            (Code::TimeLimit, "`--max-time` sets this limit"),
            (Code::DoesNotFit, "`--max-memory` sets the budget"),
        ];
        for diagnostic in &mut self.diagnostics {
            for (_, help) in options.iter().filter(|(code, _)| *code == diagnostic.code) {
                if !diagnostic.help.iter().any(|given| given == help) {
                    diagnostic.help.push((*help).to_owned());
                }
            }
        }
        self
    }

    /// Reports the diagnostics and returns the exit code.
    pub fn report(&self, reporter: &Reporter) -> Exit {
        for diagnostic in &self.diagnostics {
            reporter.diagnostic(&self.sources, diagnostic);
        }
        match self.diagnostics.first() {
            Some(first) => Exit::of(first.code),
            None => Exit::Internal,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure { diagnostics: vec![diagnostic], sources: SourceMap::new() }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Failure { diagnostics, sources: SourceMap::new() }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        error.to_diagnostic().into()
    }
}

/// Returns the reason why a value cannot be shown.
pub fn not_shown(error: &BackendError) -> String {
    match error {
        BackendError::OutOfMemory(_) => "not enough memory to show it".to_owned(),
        BackendError::Interrupted => "interrupted".to_owned(),
        BackendError::Unsupported { .. }
        | BackendError::NotDistributed { .. }
        | BackendError::DeviceLost { .. }
        | BackendError::Internal(_) => format!("it cannot be shown: {error}"),
    }
}

/// Returns the diagnostic for a thread that `option` needs and the system refuses.
pub fn no_thread(option: &str, error: &io::Error) -> Diagnostic {
    let message = format!("cannot start a thread for `{option}`: {}", text::reason(error));
    Diagnostic::new(Code::ThreadLimit, message).help(format!("omit `{option}`"))
}
