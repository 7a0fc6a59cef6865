//! Messages with their sources.

use std::fmt;
use std::sync::Arc;

use star_base::{Diagnostic, Severity, SourceMap};

/// Messages about a program, with the texts that they refer to.
///
/// Displayed as one line for each, such as `program.star:2:8: error[E0201]: unknown name `X``.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    sources: Arc<SourceMap>,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(sources: &SourceMap, list: Vec<Diagnostic>) -> Self {
        Diagnostics { sources: Arc::new(sources.clone()), list }
    }

    /// Returns the messages.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Returns the file, line and column (from 1) of a message; `None` if it has no place.
    pub fn place(&self, diagnostic: &Diagnostic) -> Option<(&str, usize, usize)> {
        let span = diagnostic.span()?;
        let file = self.sources.get(span.file)?;
        let at = file.line_column(span.start as usize);
        Some((file.name(), at.line, at.column))
    }

    /// Returns the messages with excerpts of the source, notes and help, as the command `star`
    /// shows them.
    #[cfg(feature = "render")]
    pub fn render(&self) -> String {
        use star_report::message::{Style, render};
        self.list.iter().map(|it| render(&self.sources, it, Style::Plain)).collect()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, diagnostic) in self.list.iter().enumerate() {
            if idx > 0 {
                writeln!(f)?;
            }
            if let Some((file, line, column)) = self.place(diagnostic) {
                write!(f, "{file}:{line}:{column}: ")?;
            }
            f.write_str(&line(diagnostic))?;
        }
        Ok(())
    }
}

/// Returns a message without its place, as in `error[E0201]: unknown name `X``.
pub(crate) fn line(diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity() {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    format!("{severity}[{}]: {}", diagnostic.code, diagnostic.message)
}
