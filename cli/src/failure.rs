//! What stops a command: messages, the first of which says how it ends.

use star_base::{Code, Diagnostic, SourceMap};
use star_io::FileError;

use crate::exit::Exit;
use crate::report::Reporter;

/// Why a command cannot go on: messages without a place in a source file.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    /// The messages; at least one.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Failure {
    /// Says why, and how the command ends.
    pub(crate) fn report(&self, reporter: &Reporter) -> Exit {
        for diagnostic in &self.diagnostics {
            reporter.diagnostic(&SourceMap::new(), diagnostic);
        }
        match self.diagnostics.first() {
            Some(first) => Exit::of(first.code),
            None => Exit::Internal,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure { diagnostics: vec![diagnostic] }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Failure { diagnostics }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        error.to_diagnostic().into()
    }
}

/// A fault of the toolchain.
pub(crate) fn internal(what: &str) -> Diagnostic {
    Diagnostic::new(Code::Internal, format!("internal error: {what}"))
        .help("this is a fault of the toolchain, not of the program: please report it")
}
