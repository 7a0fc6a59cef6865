//! `star check`: what is wrong with a program, without running it.

use clap::Args;
use star_edge::exit::Exit;
use star_edge::report::Reporter;

use super::{Lints, Tally, compile};
use crate::headers;

/// What `star check` is told.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Star programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

/// Checks all files.
pub(crate) fn run(args: &CheckArgs, reporter: &Reporter) -> Exit {
    let mut total = Tally::default();
    for file in &args.files {
        let (compilation, tally) = compile(file, Lints::Shown, reporter);
        let (_, faults) = headers::of_root(&compilation);
        for fault in &faults {
            reporter.diagnostic(&compilation.sources, fault);
        }
        total.errors += tally.errors + faults.len();
        total.warnings += tally.warnings;
    }
    if let Some(summary) = total.summary() {
        reporter.summary(&summary);
    }
    match total.errors {
        0 => Exit::Success,
        _ => Exit::Compile,
    }
}
