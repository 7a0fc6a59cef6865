//! The helpers shared by the tests: compiling a text, running a routine, naming values.

pub mod backends;
pub mod case;
pub mod differ;
pub mod generator;
pub mod on_ranks;
pub mod run;
pub mod sir;

use star::pipeline::Build;
use star_base::{Diagnostic, Library};
use star_compiler::{Compilation, LoadError, LowerOptions, Lowered, Source, SourceLoader};
use star_value::{BitTable, BitVector};

pub use star_stdlib::LIBRARY;

/// Source files in memory.
#[derive(Debug, Default)]
pub struct Texts(pub Vec<(String, String)>);

impl SourceLoader for Texts {
    fn load(&mut self, path: &str, _importer: Option<&str>) -> Result<Source, LoadError> {
        match self.0.iter().find(|(name, _)| name == path) {
            Some((name, text)) => {
                Ok(Source { name: name.clone(), bytes: text.clone().into_bytes() })
            }
            None => Err(LoadError::Unreadable("no such file".to_owned())),
        }
    }
}

/// Checks a text as the file `test.star`.
pub fn check(text: &str) -> Compilation {
    check_files(&[("test.star", text)])
}

/// Checks the first of some files, which may import the others.
pub fn check_files(files: &[(&str, &str)]) -> Compilation {
    check_with(files, &LIBRARY)
}

fn check_with(files: &[(&str, &str)], library: &Library) -> Compilation {
    let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let mut loader = Texts(texts.collect());
    let root = files.first().map_or("test.star", |(name, _)| name);
    star_compiler::check(root, &mut loader, library)
}

/// Returns the messages, errors and lints, as `CODE line:column message`.
pub fn messages(compilation: &Compilation) -> Vec<String> {
    compilation.diagnostics.iter().map(|diagnostic| message(compilation, diagnostic)).collect()
}

fn message(compilation: &Compilation, diagnostic: &Diagnostic) -> String {
    let place = diagnostic
        .span()
        .and_then(|span| {
            let file = compilation.sources.get(span.file)?;
            let at = file.line_column(span.start as usize);
            Some(format!(" {}:{}", at.line, at.column))
        })
        .unwrap_or_default();
    format!("{}{place} {}", diagnostic.code, diagnostic.message)
}

/// Compiles a text without errors, and verifies the SIR.
///
/// # Panics
/// If it has errors, or if the SIR does not verify.
pub fn compile(text: &str, options: &LowerOptions) -> (Compilation, Lowered) {
    compile_files(&[("test.star", text)], options)
}

/// Compiles the first of some files, which may import the others, and verifies the SIR.
///
/// # Panics
/// If they have errors, or if the SIR does not verify.
pub fn compile_files(files: &[(&str, &str)], options: &LowerOptions) -> (Compilation, Lowered) {
    compile_with(files, options, &LIBRARY)
}

/// Compiles the first of some files with the given library, and verifies the SIR.
///
/// # Panics
/// If they have errors, or if the SIR does not verify.
pub fn compile_with(
    files: &[(&str, &str)],
    options: &LowerOptions,
    library: &Library,
) -> (Compilation, Lowered) {
    let compilation = check_with(files, library);
    assert!(!compilation.has_errors(), "{:#?}", messages(&compilation));
    match Build::new(&compilation, options, None) {
        Ok(build) => (compilation, build.lowered),
        Err(error) => panic!("{}", error.message),
    }
}

/// Builds a table from its rows.
///
/// # Panics
/// If the rows differ in length or contain characters other than `0` and `1`.
pub fn table(rows: &[&str]) -> BitTable {
    BitTable::parse(rows).expect("rows of 0 and 1")
}

/// Parses bits from a text.
///
/// # Panics
/// If the text contains characters other than `0` and `1`.
pub fn bits(text: &str) -> BitVector {
    BitVector::parse(text).expect("a text of 0 and 1")
}
