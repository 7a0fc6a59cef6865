//! `star check`: checks programs without running them.

use clap::Args;
use star_base::Diagnostic;
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
use crate::{explain, headers};

/// Arguments of `star check`.
#[derive(Args, Debug)]
#[command(mut_arg("no_pass", |arg| arg.requires("plan")))]
pub(crate) struct CheckArgs {
    /// Star programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
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
/// If a pass is unknown, the watchdog thread cannot be started, or on an internal error.
pub(crate) fn run(args: &CheckArgs, reporter: &Reporter) -> Result<Exit, Diagnostic> {
    let enabled = args.passes.options()?;
    let loader = args.imports.loader()?;
    let mut total = Tally::default();
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
    for file in &args.files {
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
    if let Some(summary) = total.summary() {
        reporter.summary(&summary);
    }
    Ok(match total.errors {
        0 => Exit::Success,
        _ => Exit::Compile,
    })
}

/// Returns the results of loop transformations in the file.
fn plan(compilation: &Compilation, enabled: &Options) -> Result<Vec<Diagnostic>, Diagnostic> {
    let Some(file) = compilation.root_file() else { return Ok(Vec::new()) };
    let lowered = star_compiler::lower(compilation, &LowerOptions::default());
    let mut program = lowered.map_err(|error| *error)?.program;
    let remarks = passes::optimise(&mut program, enabled)?.remarks;
    Ok(explain::plan(&remarks, &program, file))
}
