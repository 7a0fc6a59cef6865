//! The target `format`: the formatter over any text.

use star_base::{FileId, SourceFile};
use star_compiler::{Formatter, LoadError, Source, SourceLoader};
use star_tests::LIBRARY;

/// A loader without files to import.
struct NoFiles;

impl SourceLoader for NoFiles {
    fn load(&mut self, _: &str, _: Option<&str>) -> Result<Source, LoadError> {
        Err(LoadError::Unreadable("no such file".to_owned()))
    }
}

/// Formats the bytes as text. A text is rejected if, and only if, it has syntax errors; the result
/// does not change when it is formatted again, and has the same number of comments.
pub fn format(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let formatter = Formatter::new(LIBRARY);
    let formatted = |text: &str| {
        let source = SourceFile::new("test.star", text.to_owned());
        formatter.format(&source, &mut NoFiles)
    };
    let parsed = star_syntax::parse(FileId(0), &text);
    let once = formatted(&text);
    let n_errors = parsed.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    assert_eq!(once.is_ok(), n_errors == 0, "{once:?}");
    let Ok(once) = once else { return };
    assert_eq!(formatted(&once).as_ref(), Ok(&once), "of {text:?}");
    let parsed_again = star_syntax::parse(FileId(0), &once);
    assert_eq!(parsed.comments.len(), parsed_again.comments.len(), "{once}");
}
