//! Errors of readers, writers and layouts: a code, a place in a file and a message. The command
//! line renders them.

use std::fmt;

use star_base::{Code, DataPlace, Diagnostic};

/// An error passed within the crate; boxed to keep the results of inner loops small.
pub(crate) type Fault = Box<FileError>;

/// Maximum bytes of a line in a message, and of those before the column in a longer line.
const MAX_EXCERPT: usize = 120;
const BEFORE: usize = 40;

/// An error about a data file. Errors are equal if their excerpts differ: how much of a line is
/// known depends on the way its bytes arrived.
#[derive(Clone, Debug)]
pub struct FileError {
    /// The kind of error.
    pub code: Code,
    /// The displayed name of the file; empty if the caller gave none.
    pub file: String,
    /// The line, from 1; `None` for files without lines and for errors that concern a whole file.
    pub line: Option<u64>,
    /// The column in bytes, from 1.
    pub column: Option<u64>,
    /// The text of that line, or the part of it around the column, with the column in this text.
    pub excerpt: Option<Box<(String, usize)>>,
    /// The message: lower case, no full stop, names in backticks.
    pub message: String,
    /// Reasons.
    pub notes: Vec<String>,
    /// Suggestions.
    pub help: Vec<String>,
}

impl PartialEq for FileError {
    fn eq(&self, other: &Self) -> bool {
        let FileError { code, file, line, column, excerpt: _, message, notes, help } = self;
        (*code, *line, *column) == (other.code, other.line, other.column)
            && (file, message, notes, help)
                == (&other.file, &other.message, &other.notes, &other.help)
    }
}

impl Eq for FileError {}

/// The error of an input whose read was interrupted because the caller wants to stop. Inside an
/// [`std::io::Error`] it makes the reader return [`Code::Interrupted`].
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Stopped {}

impl FileError {
    /// Creates an error about the whole of `file`.
    pub fn new(code: Code, file: impl Into<String>, message: impl Into<String>) -> Self {
        FileError {
            code,
            file: file.into(),
            line: None,
            column: None,
            excerpt: None,
            message: message.into(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Sets the place; line and column count from 1.
    #[must_use]
    pub fn at(mut self, line: u64, column: u64) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    /// Sets the text of the line; the column, from 1, is that of the error.
    #[must_use]
    pub(crate) fn showing(mut self, line: &[u8], column: u64) -> Self {
        let column = usize::try_from(column).unwrap_or(1).clamp(1, line.len() + 1);
        let line = line.trim_ascii_end();
        let start = (column - 1).saturating_sub(BEFORE).min(line.len());
        let start = if line.len() <= MAX_EXCERPT { 0 } else { start };
        let end = line.len().min(start + MAX_EXCERPT);
        let part = String::from_utf8_lossy(&line[start..end]).into_owned();
        let before = String::from_utf8_lossy(&line[start..(column - 1).clamp(start, end)]);
        self.excerpt = Some(Box::new((part, before.len() + 1)));
        self
    }

    /// Returns the same error for another file.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Converts the error to a diagnostic of the toolchain; file, line and column precede its text.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.to_string());
        diagnostic.notes.clone_from(&self.notes);
        diagnostic.help.clone_from(&self.help);
        diagnostic.place = (!self.file.is_empty()).then(|| DataPlace {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            excerpt: self.excerpt.as_deref().cloned(),
        });
        diagnostic
    }
}

/// `road.gr:17:5: the message`; unknown parts are omitted.
impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = [self.line, self.column];
        let mut prefix = self.file.clone();
        for place in places.into_iter().flatten() {
            if !prefix.is_empty() {
                prefix.push(':');
            }
            prefix.push_str(&place.to_string());
        }
        if prefix.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{prefix}: {}", self.message)
        }
    }
}

impl std::error::Error for FileError {}

impl From<Fault> for FileError {
    fn from(fault: Fault) -> Self {
        *fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_file_line_and_column_where_known() {
        let error = FileError::new(Code::BadFormat, "road.gr", "no arc");
        assert_eq!(error.to_string(), "road.gr: no arc");
        let error = error.at(17, 5).note("why").help("what");
        assert_eq!(error.to_string(), "road.gr:17:5: no arc");
        let diagnostic = error.to_diagnostic();
        assert_eq!(diagnostic.message, "road.gr:17:5: no arc");
        let place = diagnostic.place.unwrap();
        assert_eq!((place.file.as_str(), place.line, place.column), ("road.gr", Some(17), Some(5)));
        assert_eq!((diagnostic.notes.len(), diagnostic.help.len()), (1, 1));
        assert_eq!(FileError::new(Code::DoesNotFit, "", "no").to_string(), "no");
    }
}
