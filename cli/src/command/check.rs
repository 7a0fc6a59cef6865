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

use super::fmt::write;
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
    /// The fixed text of standard input is written to standard output.
    #[arg(long)]
    fix: bool,

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
    let (mut fixed, mut unwritten) = (0, None);
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
        if args.fix {
            match fix(&mut edited, file, &flags, output) {
                Ok(n_fixed) => fixed += n_fixed,
                Err(error) => {
                    let exit = Failure::from(error).report(reporter);
                    unwritten.get_or_insert(exit);
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
    match total.summary() {
        Some(summary) => reporter.summary(&summary),
        None => reporter.summary(&format!("ok, {}", text::count(files.len(), "file"))),
    }
    Ok(match (unwritten, total.errors) {
        (Some(exit), _) => exit,
        (None, 0) => Exit::Success,
        (None, _) => Exit::Compile,
    })
}

/// Maximum number of times that a file is fixed: a fix may reveal another fault.
const MAX_ROUNDS: usize = 10;

/// Applies the certain fixes of a file until there are none; returns their number. The text of
/// standard input is written in any case.
///
/// # Errors
/// If the file cannot be written.
fn fix(
    edited: &mut Edited,
    file: &str,
    flags: &Flags,
    output: &mut Output,
) -> Result<usize, FileError> {
    let (mut n_fixed, mut old, mut new) = (0, None::<String>, None);
    for _ in 0..MAX_ROUNDS {
        let compilation = star::pipeline::check(file, &mut edited.clone());
        let Some(root) = compilation.root_file() else { break };
        let Some(source) = compilation.sources.get(root) else { break };
        let faults = headers::faults(&compilation);
        let fixes = certain_fixes(compilation.diagnostics.iter().chain(&faults), root);
        old.get_or_insert_with(|| source.text().to_owned());
        if fixes.is_empty() {
            break;
        }
        let fixed = star_base::fixed(source.text(), &fixes);
        n_fixed += fixes.len();
        let (name, bytes) = (source.name().to_owned(), fixed.clone().into_bytes());
        edited.text = Some(Ok(Source { name, bytes }));
        new = Some(fixed);
    }
    match (old, new) {
        (Some(old), new) if file == STDIN => {
            output.write(&new.unwrap_or(old));
        }
        (Some(old), Some(new)) => {
            edited.text = None;
            write(Path::new(file), file, [&old, &new], flags)?;
        }
        _ => {}
    }
    Ok(n_fixed)
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
