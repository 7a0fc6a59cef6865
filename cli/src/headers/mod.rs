//! The headers of tests and benchmarks in user files, ready to run.
//!
//! * [`find`]: the files in the folders named on a command line.
//! * [`test_file`]: a file with its headers and runnable routines.
//! * [`inputs`]: the values of one case, bound as in `star run`.

pub(crate) mod find;
pub(crate) mod inputs;
pub(crate) mod test_file;

use star_base::{Code, Diagnostic, Span, did_you_mean};
use star_compiler::Compilation;
use star_harness::Header;

/// Returns the headers of the file itself, and their errors: invalid syntax, and values that cannot
/// be computed.
pub(crate) fn of_root(compilation: &Compilation) -> (Vec<Header>, Vec<Diagnostic>) {
    let Some(file) = compilation.root_file() else { return (Vec::new(), Vec::new()) };
    let text = compilation.sources.get(file).map_or("", |source| source.text());
    star_harness::header::checked(file, text)
}

/// Returns the errors of the headers of the file itself, those about names of routines included.
pub(crate) fn faults(compilation: &Compilation) -> Vec<Diagnostic> {
    let (headers, mut faults) = of_root(compilation);
    let entries = compilation.entries();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let named = headers.iter().flat_map(Header::routines);
    let missing = named.filter(|(name, _)| !names.contains(name));
    faults.extend(missing.map(|(name, span)| no_routine(name, span, &names)));
    faults
}

/// The error of the name of a routine that a file with these routines lacks.
fn no_routine(wanted: &str, span: Span, names: &[&str]) -> Diagnostic {
    let message = format!("the file has no routine `{wanted}`");
    let fault = Diagnostic::at(Code::BadHeader, span, message).note(
        "to use a routine of another file or of the library, call it in a routine of this file",
    );
    match did_you_mean(wanted, names.iter().copied()) {
        Some(meant) => fault.help(format!("did you mean `{meant}`?")),
        None => fault,
    }
}
