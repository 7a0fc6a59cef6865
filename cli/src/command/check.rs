//! `star check`: checks programs without running them.

use std::path::Path;

use clap::Args;
use star::pipeline::Build;
use star_base::{Code, Diagnostic, SourceMap, certain_fixes};
use star_compiler::{Compilation, LoadError, LowerOptions, Source, SourceLoader};
use star_io::FileError;
use star_opt::Options;
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::flags::Flags;
use star_os::limits::CompileLimitArgs;
use star_os::output::Output;
use star_os::passes::PassArgs;
use star_os::report::Reporter;
use star_os::sources::{FileLoader, ImportArgs, STDIN};
use star_os::watchdog::Sentry;

use super::fmt::{difference, write};
use super::{Lints, Tally, compile};
use crate::headers::find::star_files;
use crate::{headers, text};

/// Arguments of `star check`.
#[derive(Args, Debug)]
#[command(mut_arg("no_pass", |arg| arg.requires("plan")))]
pub(crate) struct CheckArgs {
    /// Star programs, or folders of them; `-` is standard input
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<String>,

    /// Report the transformation of each loop, or the condition that fails
    #[arg(long)]
    plan: bool,

    /// Apply the certain fixes of messages to the files, then check them again
    ///
    /// The fixed text of standard input is written to standard output. Of fixes that overlap,
    /// the first is applied; the others follow if the next check still suggests them.
    #[arg(long)]
    fix: bool,

    /// Show the changes of `--fix`, without writing them
    #[arg(long, conflicts_with = "fix")]
    diff: bool,

    #[command(flatten)]
    imports: ImportArgs,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    limits: CompileLimitArgs,
}

/// Checks all files.
///
/// # Errors
/// If a pass is unknown, the watchdog thread cannot be started, on Ctrl-C, or on an internal error.
pub(crate) fn run(
    args: &CheckArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Diagnostic> {
    let enabled = args.passes.options()?;
    let loader = args.imports.loader()?;
    let mut total = Tally::default();
    let (mut fixed, mut would_change, mut unwritten) = (0, 0, None);
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
    output.stop_at(&flags);
    let files = match files_of(&args.files) {
        Ok(files) => files,
        Err(faults) => {
            faults.iter().for_each(|fault| reporter.diagnostic(&SourceMap::new(), fault));
            return Ok(Exit::Compile);
        }
    };
    for file in &files {
        flags.go_on()?;
        let _sentry = Sentry::over_compiler(&flags, args.limits.bounds(), reporter);
        let mut edited = Edited { loader: loader.clone(), text: None };
        if file == STDIN {
            // It can be read only once.
            edited.text = Some(edited.loader.load(file, None));
        }
        if (args.fix || args.diff)
            && let Some(changes) = changes(&mut edited, file)
        {
            let n_fixed = changes.applied.len();
            if args.diff {
                edited.text = changes.input;
                let texts = [changes.old.as_str(), changes.new.as_str()];
                let name = text::one_line(&changes.name);
                output.write(&difference(&name, "fixed", texts));
                would_change += usize::from(n_fixed > 0);
            } else {
                match write_changes(&mut edited, file, &changes, &flags, output) {
                    Ok(()) => {
                        changes.applied.iter().for_each(|applied| reporter.note(applied));
                        fixed += n_fixed;
                    }
                    Err(error) => {
                        let exit = Failure::from(error).report(reporter);
                        unwritten.get_or_insert(exit);
                    }
                }
            }
        }
        let (compilation, tally) = compile(&mut edited, file, Lints::Shown, reporter);
        let faults = headers::faults(&compilation);
        for fault in &faults {
            reporter.diagnostic(&compilation.sources, fault);
        }
        if args.plan && !compilation.has_errors() {
            for note in plan(&compilation, &enabled)? {
                reporter.diagnostic(&compilation.sources, &note);
            }
        }
        total.errors += tally.errors + faults.len();
        total.warnings += tally.warnings;
    }
    if fixed > 0 {
        reporter.summary(&format!("{} applied", text::count(fixed, "edit")));
    }
    if would_change > 0 {
        reporter.summary(&format!("{} would change", text::count(would_change, "file")));
    }
    match total.summary() {
        Some(summary) => reporter.summary(&summary),
        None => reporter.summary(&format!("ok, {}", text::count(files.len(), "file"))),
    }
    Ok(match (unwritten, total.errors + would_change) {
        (Some(exit), _) => exit,
        (None, 0) => Exit::Success,
        (None, _) => Exit::Compile,
    })
}

/// Maximum number of times that a file is fixed: a fix may reveal another fault.
const MAX_ROUNDS: usize = 10;

/// The certain fixes of a file.
struct Changes {
    /// The name of the file.
    name: String,
    old: String,
    new: String,
    /// The place and the effect of each edit, in order.
    applied: Vec<String>,
    /// The text of standard input, which can be read only once.
    input: Option<Result<Source, LoadError>>,
}

/// Applies the certain fixes of a file until there are none; returns `None` if it cannot be read.
fn changes(edited: &mut Edited, file: &str) -> Option<Changes> {
    let input = edited.text.clone();
    let (mut applied, mut texts) = (Vec::new(), None::<(String, String, String)>);
    for _ in 0..MAX_ROUNDS {
        let compilation = star::pipeline::check(file, &mut edited.clone());
        let Some(root) = compilation.root_file() else { break };
        let Some(source) = compilation.sources.get(root) else { break };
        let faults = headers::faults(&compilation);
        let fixes = certain_fixes(compilation.diagnostics.iter().chain(&faults), root);
        let name = source.name();
        let (_, _, new) = texts.get_or_insert_with(|| {
            (name.to_owned(), source.text().to_owned(), source.text().to_owned())
        });
        if fixes.is_empty() {
            break;
        }
        *new = star_base::fixed(source.text(), &fixes);
        applied.extend(fixes.iter().map(|fix| {
            let at = source.line_column(fix.span.start as usize);
            format!("{}:{}:{}: {}", text::one_line(name), at.line, at.column, fix.title)
        }));
        let (name, bytes) = (name.to_owned(), new.clone().into_bytes());
        edited.text = Some(Ok(Source { name, bytes }));
    }
    let (name, old, new) = texts?;
    Some(Changes { name, old, new, applied, input })
}

/// Writes the fixed text. That of standard input is written in any case.
///
/// # Errors
/// If the file cannot be written.
fn write_changes(
    edited: &mut Edited,
    file: &str,
    changes: &Changes,
    flags: &Flags,
    output: &mut Output,
) -> Result<(), FileError> {
    if file == STDIN {
        output.write(&changes.new);
        return Ok(());
    }
    edited.text = None;
    match changes.applied.is_empty() {
        true => Ok(()),
        false => write(Path::new(file), file, [&changes.old, &changes.new], flags),
    }
}

/// A loader that replaces the text of the file that the user named.
#[derive(Clone)]
struct Edited {
    loader: FileLoader,
    text: Option<Result<Source, LoadError>>,
}

impl SourceLoader for Edited {
    fn load(&mut self, path: &str, importer: Option<&str>) -> Result<Source, LoadError> {
        let Some(text) = self.text.as_ref().filter(|_| importer.is_none()) else {
            return self.loader.load(path, importer);
        };
        if path != STDIN {
            // The loader permits imports from its folder.
            self.loader.load(path, None)?;
        }
        text.clone()
    }
}

/// Returns the files of a command line: those named, and all in the named folders.
fn files_of(paths: &[String]) -> Result<Vec<String>, Vec<Diagnostic>> {
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        if !Path::new(path).is_dir() {
            files.push(path.clone());
            continue;
        }
        match star_files(std::slice::from_ref(path)) {
            Ok(found) if found.is_empty() => {
                let message = format!("no `.star` files in `{}`", text::one_line(path));
                faults.push(Diagnostic::new(Code::SourceUnreadable, message));
            }
            Ok(found) => files.extend(found.into_iter().map(|found| found.file)),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(files) } else { Err(faults) }
}

/// Returns the results of loop transformations in the file.
fn plan(compilation: &Compilation, enabled: &Options) -> Result<Vec<Diagnostic>, Diagnostic> {
    let Some(file) = compilation.root_file() else { return Ok(Vec::new()) };
    let Build { lowered, remarks } =
        Build::new(compilation, &LowerOptions::default(), Some(enabled))?;
    Ok(star_opt::plan(&remarks, &lowered.program, file))
}
