//! The target `check`: the whole front end.

use star_compiler::{Compilation, LoadError, LowerOptions, Source, SourceLoader};
use star_tests::LIBRARY;

use crate::parse::check_spans;

/// The bytes as the only file.
struct OneFile<'a>(&'a [u8]);

impl SourceLoader for OneFile<'_> {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        match importer {
            None => Ok(Source { name: path.to_owned(), bytes: self.0.to_vec() }),
            Some(_) => Err(LoadError::Unreadable("no such file".to_owned())),
        }
    }
}

/// Checks the bytes as a source file. Nothing panics; messages are inside the texts; a program
/// without errors lowers, with every choice of options, to SIR that verifies, and whose text parses
/// to the same program.
pub fn check(bytes: &[u8]) {
    let compilation = compilation(bytes);
    for diagnostic in &compilation.diagnostics {
        check_spans(diagnostic, |span| compilation.sources.get(span.file).map(|file| file.text()));
    }
    if compilation.has_errors() {
        return;
    }
    for checked in [false, true] {
        for machine_ops in [false, true] {
            let options = LowerOptions { checked, machine_ops, ..LowerOptions::default() };
            let lowered = star_compiler::lower(&compilation, &options);
            let lowered = lowered.unwrap_or_else(|error| panic!("{}", error.message));
            let text = star_ir::print(&lowered.program);
            let read = star_ir::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            assert_eq!(star_ir::print(&read), text);
        }
    }
}

/// Checks the bytes as a source file.
pub(crate) fn compilation(bytes: &[u8]) -> Compilation {
    star_compiler::check("test.star", &mut OneFile(bytes), &LIBRARY)
}
