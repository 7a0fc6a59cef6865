//! `star check`: checks programs without running them.

use std::path::Path;

use clap::Args;
use star_base::{Code, Diagnostic, SourceMap};
use star_compiler::{Compilation, LowerOptions};
use star_opt::Options;
use star_os::exit::Exit;
use star_os::flags::Flags;
use star_os::limits::CompileLimitArgs;
use star_os::passes::{self, PassArgs};
use star_os::report::Reporter;
use star_os::sources::ImportArgs;
use star_os::watchdog::Sentry;

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
pub(crate) fn run(args: &CheckArgs, reporter: &Reporter) -> Result<Exit, Diagnostic> {
    let enabled = args.passes.options()?;
    let loader = args.imports.loader()?;
    let mut total = Tally::default();
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
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
        let (compilation, tally) = compile(&mut loader.clone(), file, Lints::Shown, reporter);
        let (_, faults) = headers::of_root(&compilation);
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
    match total.summary() {
        Some(summary) => reporter.summary(&summary),
        None => reporter.summary(&format!("ok, {}", text::count(files.len(), "file"))),
    }
    Ok(match total.errors {
        0 => Exit::Success,
        _ => Exit::Compile,
    })
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
    let lowered = star_compiler::lower(compilation, &LowerOptions::default());
    let mut program = lowered.map_err(|error| *error)?.program;
    let remarks = passes::optimise(&mut program, enabled)?.remarks;
    Ok(star_opt::plan(&remarks, &program, file))
}
