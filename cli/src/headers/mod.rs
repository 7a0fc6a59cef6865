//! The headers of tests and benchmarks in user files, ready to run.
//!
//! * [`find`]: the files in the folders named on a command line.
//! * [`test_file`]: a file with its headers and runnable routines.
//! * [`inputs`]: the values of one case, bound as in `star run`.

pub(crate) mod find;
pub(crate) mod inputs;
pub(crate) mod test_file;

use star_base::Diagnostic;
use star_compiler::Compilation;
use star_harness::{Header, Purpose};

/// Returns the headers of the file itself, and their errors: invalid syntax, and values that cannot
/// be computed.
pub(crate) fn of_root(compilation: &Compilation) -> (Vec<Header>, Vec<Diagnostic>) {
    let Some(file) = compilation.root_file() else { return (Vec::new(), Vec::new()) };
    let text = compilation.sources.get(file).map_or("", |source| source.text());
    if !text.contains('@') {
        // Every header contains it, and most programs have no header.
        return (Vec::new(), Vec::new());
    }
    let (headers, mut faults) =
        star_harness::headers(file, text, &star_syntax::outline(file, text));
    for header in &headers {
        faults.extend(header.cases(Purpose::Test).err());
        if header.is_benchmark() {
            faults.extend(header.cases(Purpose::Benchmark).err());
        }
    }
    faults.sort_by_key(Diagnostic::span);
    faults.dedup();
    (headers, faults)
}
