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
use star_harness::Header;

/// Returns the headers of the file itself, and their errors: invalid syntax, and values that cannot
/// be computed.
pub(crate) fn of_root(compilation: &Compilation) -> (Vec<Header>, Vec<Diagnostic>) {
    let Some(file) = compilation.root_file() else { return (Vec::new(), Vec::new()) };
    let text = compilation.sources.get(file).map_or("", |source| source.text());
    star_harness::header::checked(file, text)
}
