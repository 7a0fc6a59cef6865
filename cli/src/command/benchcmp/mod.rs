//! `star benchcmp`: two files of benchmarks beside each other, and what of the difference means anything.

use clap::{Args, ValueEnum};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::output::Output;
use star_report::compare::{Difference, lines, pairs};
use star_report::page::differences;

use crate::records;

/// What `star benchcmp` is told.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  star benchcmp old.json new.json
  star benchcmp old.json new.json --fail-above 1.1    exit code 6 if something takes more than 1.1 times as long")]
pub(crate) struct CompareArgs {
    /// The file that was measured before
    #[arg(value_name = "OLD")]
    old: String,

    /// The file that was measured after
    #[arg(value_name = "NEW")]
    new: String,

    /// The form of the comparison
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Ratios that are no farther from 1 than this mean nothing, however significant
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = parse_noise)]
    noise: f64,

    /// Exit with code 6 if a change is significant and its ratio above this, or something fails that did
    /// not
    #[arg(long, value_name = "RATIO", value_parser = parse_ratio)]
    fail_above: Option<f64>,
}

/// The form of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for people.
    Text,
    /// One JSON object.
    Json,
}

fn parse_noise(text: &str) -> Result<f64, String> {
    let noise = text.parse().ok().filter(|noise| (0.0..1.0).contains(noise));
    noise.ok_or_else(|| "a share from 0 to 1, such as 0.05".to_owned())
}

fn parse_ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok().filter(|ratio: &f64| ratio.is_finite() && *ratio >= 1.0);
    ratio.ok_or_else(|| "a ratio of at least 1, such as 1.1".to_owned())
}

/// Compares the files.
///
/// # Errors
/// If a file cannot be read or is none.
pub(crate) fn run(args: &CompareArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (old, new) = (records::read(&args.old)?, records::read(&args.new)?);
    let pairs = pairs(&old, &new, args.noise);
    let machines = differences(&old, &new);
    let failed = args.fail_above.is_some_and(|most| {
        pairs.iter().any(|pair| match &pair.difference {
            Difference::Slower(comparison) => comparison.ratio > most,
            Difference::FailsNow(_) => true,
            Difference::Faster(_)
            | Difference::Same(_)
            | Difference::TooFew(_)
            | Difference::Untested(_)
            | Difference::FailedBoth
            | Difference::WorksNow
            | Difference::OnlyOld
            | Difference::OnlyNew => false,
        })
    });
    let text = match args.format {
        Format::Text => lines::text(&pairs, &machines),
        Format::Json => lines::json(&pairs, &machines, failed),
    };
    output.write(&text);
    Ok(if failed { Exit::Slower } else { Exit::Success })
}
