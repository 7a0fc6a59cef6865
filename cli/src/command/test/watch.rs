//! `star test --watch`: the tests run again when a file changes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use star_base::{Code, Diagnostic, text};
use star_os::exit::Exit;
use star_os::failure::Failure as Ends;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::sources::STDIN;
use star_os::versions::Versions;

use super::{TestArgs, machines, run_once};
use crate::headers::find::star_files;

/// The time between two comparisons.
const INTERVAL: Duration = Duration::from_millis(500);

/// The time between two tests of the flags.
const TICK: Duration = Duration::from_millis(50);

/// Maximum number of files named in a note.
const MAX_NAMED: usize = 5;

/// Runs the tests, and again after each change, until the user or the reader of the output ends it.
/// A run that cannot begin is reported, since the next change may help.
///
/// # Errors
/// E0608 if standard input is to be watched, E0607 if a backend is unknown.
pub(super) fn run(
    args: &TestArgs,
    paths: &[String],
    flags: &Flags,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Ends> {
    if paths.iter().any(|path| path == STDIN) {
        let message = "`--watch` cannot watch standard input";
        return Err(Diagnostic::new(Code::Usage, message).help("name a file or folder").into());
    }
    // What no change of a file mends.
    machines(&args.backends)?;
    args.passes.options()?;
    args.imports.loader()?;
    loop {
        let mut read = BTreeSet::new();
        let begun = versions(paths, &BTreeSet::new());
        if let Err(ends) = run_once(args, paths, flags, reporter, output, &mut read) {
            ends.report(reporter);
        }
        if !output.flush() || output.failed() {
            return Ok(Exit::Success);
        }
        // A file that changed during the run has its version from before the run.
        let mut before = begun;
        before.extend(versions(paths, &read));
        let changed = match next_change(&before, paths, &read, flags, output) {
            Ok(changed) => changed,
            Err(exit) => return Ok(exit),
        };
        let names = changed.iter().map(|file| format!("`{file}`"));
        let verb = if changed.len() == 1 { "has" } else { "have" };
        reporter.note(&format!("{} {verb} changed", text::listed(names, MAX_NAMED)));
    }
}

/// Waits for a change and returns the changed files.
///
/// # Errors
/// The exit code on Ctrl-C, or if the reader closes the output.
fn next_change(
    before: &Versions,
    paths: &[String],
    read: &BTreeSet<PathBuf>,
    flags: &Flags,
    output: &Output,
) -> Result<Vec<String>, Exit> {
    loop {
        let mut waited = Duration::ZERO;
        while waited < INTERVAL {
            if flags.stop().is_some() {
                return Err(Exit::Interrupted);
            }
            if output.is_abandoned() {
                return Err(Exit::Pipe);
            }
            std::thread::sleep(TICK);
            waited += TICK;
        }
        let changed = before.changed(&versions(paths, read));
        if !changed.is_empty() {
            return Ok(changed);
        }
    }
}

/// Returns the versions of the test files and of those that were read.
fn versions(paths: &[String], read: &BTreeSet<PathBuf>) -> Versions {
    let found = star_files(paths).unwrap_or_default();
    let found = found.into_iter().map(|found| PathBuf::from(found.file));
    // A path that does not exist may appear.
    let named = paths.iter().filter(|path| path.ends_with(".star")).map(PathBuf::from);
    Versions::of(found.chain(named).chain(read.iter().cloned()))
}
