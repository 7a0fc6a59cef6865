//! Conversion of messages about values to errors about files.

use star_base::Diagnostic;
use star_io::FileError;

/// Returns the diagnostic as an error that names no file.
pub fn without_file(diagnostic: Diagnostic) -> FileError {
    let mut error = FileError::new(diagnostic.code, "", diagnostic.message);
    error.notes = diagnostic.notes;
    error.help = diagnostic.help;
    error
}
