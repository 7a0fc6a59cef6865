//! `star fmt`: formats Star files in place.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use similar::TextDiff;
use star_base::{Code, Diagnostic, SourceFile, SourceMap};
use star_compiler::{Formatter, read_source};
use star_io::FileError;
use star_os::destination::Destination;
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::file_roles::{Identity, Writer};
use star_os::flags::Flags;
use star_os::limits::CompileLimitArgs;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::sources::{FileLoader, LIBRARY, STDIN};
use star_os::watchdog::Sentry;

use crate::text;

/// Arguments of `star fmt`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  star fmt closure.star
  star fmt examples
  star fmt --check --diff .
  star fmt --stdin < closure.star

Files that do not parse are reported and left unchanged; all others are
formatted, each once, whatever links lead to it. Exit code 1 means that a
file does not parse or, with --check or --diff, that a file would change.")]
pub(crate) struct FmtArgs {
    /// Star files, or folders to search for `.star` files
    #[arg(value_name = "PATH", required_unless_present = "stdin")]
    paths: Vec<PathBuf>,

    /// List the files that would change, without writing them
    #[arg(long)]
    check: bool,

    /// Show the changes, without writing them
    #[arg(long)]
    diff: bool,

    /// Read standard input and write to standard output
    #[arg(long, conflicts_with = "paths")]
    stdin: bool,

    #[command(flatten)]
    limits: CompileLimitArgs,
}

/// Formats all files.
pub(crate) fn run(args: &FmtArgs, reporter: &Reporter, output: &mut Output) -> Exit {
    let formatter = Formatter::new(LIBRARY);
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
    output.stop_at(&flags);
    let counts = Counts::default();
    let mut work = Work { args, reporter, output, formatter, flags, counts, done: Vec::new() };
    if args.stdin {
        work.input();
    }
    for path in &args.paths {
        match path.to_str() {
            Some(STDIN) => work.input(),
            Some(_) | None => work.path(path),
        }
    }
    let Work { counts, flags, .. } = work;
    if let Err(interrupted) = flags.go_on() {
        return Failure::from(interrupted).report(reporter);
    }
    if let Some(summary) = counts.summary(args) {
        reporter.summary(&summary);
    }
    match counts.failed {
        Some(exit) => exit,
        None if counts.changed > 0 && args.only_looks() => Exit::Compile,
        None => Exit::Success,
    }
}

impl FmtArgs {
    /// Tests whether nothing is written.
    fn only_looks(&self) -> bool {
        self.check || self.diff
    }
}

/// Results for the files.
#[derive(Default)]
struct Counts {
    changed: usize,
    unchanged: usize,
    left: usize,
    /// Exit code of the first file that could not be formatted.
    failed: Option<Exit>,
}

impl Counts {
    /// Summarises the results; `None` if there is nothing to report.
    fn summary(&self, args: &FmtArgs) -> Option<String> {
        let done = if args.only_looks() { "would change" } else { "formatted" };
        let parts = [(self.changed, done), (self.left, "not formatted")];
        let parts = parts.iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> =
            parts.map(|&(n, what)| format!("{} {what}", text::count(n, "file"))).collect();
        (!args.stdin && !parts.is_empty()).then(|| parts.join(", "))
    }
}

struct Work<'a> {
    args: &'a FmtArgs,
    reporter: &'a Reporter,
    output: &'a mut Output,
    formatter: Formatter,
    flags: Flags,
    counts: Counts,
    /// The files so far.
    done: Vec<Identity>,
}

impl Work<'_> {
    /// Formats standard input to standard output.
    fn input(&mut self) {
        if self.flags.stop().is_some() {
            return;
        }
        let Some((source, formatted)) = self.formatted(STDIN) else { return };
        if self.args.only_looks() {
            self.compare(&source, &formatted);
        } else {
            self.output.write(&formatted);
        }
    }

    /// Formats a file, or the files of a folder.
    fn path(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => match files_below(path) {
                Ok(files) if files.is_empty() => {
                    let folder = text::one_line(&path.display().to_string());
                    self.reporter.warning(&format!("no `.star` files below `{folder}`"));
                }
                Ok(files) => files.iter().for_each(|file| self.file(file)),
                Err(failure) => self.fail(&failure),
            },
            // Read errors are reported there.
            Ok(_) | Err(_) => self.file(path),
        }
    }

    fn file(&mut self, path: &Path) {
        if self.flags.stop().is_some() {
            return;
        }
        let Some(name) = path.to_str() else {
            let name = text::one_line(&path.display().to_string());
            return self.fail(&cannot_read(&name, "its name is not valid UTF-8"));
        };
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return self.fail(&cannot_read(&text::one_line(name), "it is not a regular file"));
        }
        if let Some(identity) = Identity::of(path) {
            if self.done.iter().any(|done| done.is(&identity)) {
                return;
            }
            self.done.push(identity);
        }
        let Some((source, formatted)) = self.formatted(name) else { return };
        if self.args.only_looks() {
            self.compare(&source, &formatted);
        } else if source.text() == formatted {
            self.counts.unchanged += 1;
        } else {
            match write(path, name, [source.text(), &formatted], &self.flags) {
                Ok(()) => self.counts.changed += 1,
                Err(error) => self.fail(&error.into()),
            }
        }
    }

    /// Reads and formats a file; reports its errors.
    fn formatted(&mut self, name: &str) -> Option<(SourceFile, String)> {
        let bounds = self.args.limits.bounds();
        // Stopped before anything is written.
        let _sentry = Sentry::over_compiler(&self.flags, bounds, self.reporter);
        let mut loader = FileLoader::default();
        let source = match read_source(name, &mut loader) {
            Ok(source) => source,
            Err(diagnostic) => {
                self.fail(&Failure::from(*diagnostic));
                return None;
            }
        };
        match self.formatter.format(&source, &mut loader) {
            Ok(formatted) => Some((source, formatted)),
            Err(diagnostics) => {
                let mut sources = SourceMap::new();
                sources.add(source);
                for diagnostic in &diagnostics {
                    self.reporter.diagnostic(&sources, diagnostic);
                }
                let first = diagnostics.first().map_or(Exit::Compile, |one| Exit::of(one.code));
                self.left(first);
                None
            }
        }
    }

    /// Reports whether and how the file would change.
    fn compare(&mut self, source: &SourceFile, formatted: &str) {
        if source.text() == formatted {
            self.counts.unchanged += 1;
            return;
        }
        self.counts.changed += 1;
        let name = text::one_line(source.name());
        if self.args.check {
            self.output.write(&format!("{name}\n"));
        }
        if self.args.diff {
            let texts = [source.text(), formatted];
            self.output.write(&difference(&name, "formatted", texts));
        }
    }

    fn fail(&mut self, failure: &Failure) {
        let exit = failure.report(self.reporter);
        self.left(exit);
    }

    fn left(&mut self, exit: Exit) {
        self.counts.left += 1;
        self.counts.failed.get_or_insert(exit);
    }
}

/// Returns the difference between the old and the new text of a file, which `change` describes;
/// empty if there is none.
pub(super) fn difference(name: &str, change: &str, [old, new]: [&str; 2]) -> String {
    let difference = TextDiff::from_lines(old, new);
    let mut unified = difference.unified_diff();
    unified.header(name, &format!("{name} ({change})"));
    text::printable(&unified.to_string()).into_owned()
}

fn cannot_read(name: &str, why: &str) -> Failure {
    Diagnostic::new(Code::SourceUnreadable, format!("cannot read `{name}`: {why}")).into()
}

/// Replaces the old text of a file and keeps its permissions and links. Read-only files are not
/// replaced.
pub(super) fn write(
    path: &Path,
    name: &str,
    [old, text]: [&str; 2],
    flags: &Flags,
) -> Result<(), FileError> {
    let name = text::one_line(name);
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(FileError::new(Code::CannotWrite, name, "the file is read-only"));
    }
    let place = Destination::by(Writer::User, path, &name)?;
    if has_other_names(path) { place.overwrite(old, text) } else { place.write_text(text, flags) }
}

/// Tests whether other hard links lead to the file.
#[cfg(unix)]
fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
fn has_other_names(_: &Path) -> bool {
    false
}

/// Returns the `.star` files below a folder, sorted. Links and hidden folders are not followed.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let cannot = |error: &std::io::Error| {
            cannot_read(&text::one_line(&folder.display().to_string()), &text::reason(error))
        };
        for entry in fs::read_dir(&folder).map_err(|error| cannot(&error))? {
            let entry = entry.map_err(|error| cannot(&error))?;
            let kind = entry.file_type().map_err(|error| cannot(&error))?;
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let path = entry.path();
            if kind.is_dir() && !hidden {
                folders.push(path);
            } else if kind.is_file() && path.extension() == Some("star".as_ref()) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
