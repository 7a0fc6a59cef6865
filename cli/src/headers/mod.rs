//! The headers of tests and benchmarks in user files, ready to run.
//!
//! * [`find`]: the files in the folders named on a command line.
//! * [`test_file`]: a file with its headers and runnable routines.
//! * [`inputs`]: the values of one case, bound as in `star run`.

pub(crate) mod find;
pub(crate) mod inputs;
pub(crate) mod test_file;

use star_base::{Code, Diagnostic, Span, did_you_mean};
use star_compiler::{Compilation, Entry};
use star_harness::header::HeaderKind;
use star_harness::{Expected, Header, Purpose};

use self::inputs::bound;
use self::test_file::routine_of;

/// Returns the headers of the file itself, and their errors: invalid syntax, and values that cannot
/// be computed.
pub(crate) fn of_root(compilation: &Compilation) -> (Vec<Header>, Vec<Diagnostic>) {
    let Some(file) = compilation.root_file() else { return (Vec::new(), Vec::new()) };
    let text = compilation.sources.get(file).map_or("", |source| source.text());
    star_harness::header::checked(file, text)
}

/// Returns the errors of the headers of the file itself, those about names of routines and about
/// the values of the first case included. Files of values are not read.
pub(crate) fn faults(compilation: &Compilation) -> Vec<Diagnostic> {
    let (headers, mut faults) = of_root(compilation);
    let entries = compilation.entries();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let named = headers.iter().flat_map(Header::routines);
    let missing: Vec<(&str, Span)> = named.filter(|(name, _)| !names.contains(name)).collect();
    faults.extend(missing.iter().map(|(name, span)| no_routine(name, *span, &names)));
    if !faults.is_empty() || compilation.has_errors() {
        return faults;
    }
    let entries: Vec<&Entry> = entries.iter().collect();
    for header in headers.iter().filter(|header| !expects_error(header)) {
        match routine_of(header, &headers, &entries) {
            Ok(idx) => faults.extend(faults_of_values(entries[idx], header)),
            Err(fault) => faults.push(fault),
        }
    }
    faults
}

/// Tests whether the cases of a header end with an error, for example of their values.
fn expects_error(header: &Header) -> bool {
    let mut expected = header.expectations.iter();
    expected.any(|expectation| matches!(expectation.what, Expected::Fails { .. }))
}

/// Returns the errors of the values of the first case of a test, or else of a benchmark.
fn faults_of_values(entry: &Entry, header: &Header) -> Vec<Diagnostic> {
    let test = (header.kind == HeaderKind::Test).then_some(Purpose::Test);
    let benchmark = header.is_benchmark().then_some(Purpose::Benchmark);
    let mut faults = test.into_iter().chain(benchmark).filter_map(|purpose| {
        // A header whose cases cannot be created has another error.
        let cases = header.cases(purpose).unwrap_or_default();
        bound(entry, header, cases.first()?).err()
    });
    faults.next().unwrap_or_default()
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
