//! `star benchcmp`: comparison of benchmark files, and the significance of their differences.

use clap::{Args, ValueEnum};
use star_base::{Code, Diagnostic};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::flags::Flags;
use star_os::output::Output;
use star_os::report::Reporter;
use star_report::compare::{Difference, as_plots, history, history_text, lines, pairs};
use star_report::page::{ExportKind, NamedRecord, Selection, differences};

use super::figures::{FigureFile, warn_if_untitled, write_all};
use crate::records;

/// Arguments of `star benchcmp`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  star benchcmp old.json new.json
  star benchcmp old.json new.json --fail-above 1.1
  star benchcmp v1.json v2.json v3.json --filter closure -o history.svg

With --fail-above 1.1, the exit code is 6 if a benchmark takes more than 1.1
times as long.")]
pub(crate) struct CompareArgs {
    /// Benchmark file to compare with
    #[arg(value_name = "OLD")]
    old: String,

    /// New benchmark files, the newest last
    ///
    /// The oldest is compared with the newest; the medians of the others are shown, too.
    #[arg(value_name = "NEW", required = true)]
    new: Vec<String>,

    /// Write a plot of the medians in all files to FILE
    ///
    /// The extension selects the format: `.html` shows all benchmarks, `.csv` and `.json` are data;
    /// `.svg`, `.pdf` and `.tex` (pgfplots) are pictures of one benchmark. Can be given several
    /// times.
    #[arg(short, long, value_name = "FILE")]
    out: Vec<String>,

    /// Compare only benchmarks with TEXT in their file, title or routine
    ///
    /// Letter case is ignored.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Set the title of the plot
    #[arg(long, value_name = "TEXT", requires = "out")]
    title: Option<String>,

    /// Select the output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Ignore ratios within this distance of 1, however significant
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = parse_noise)]
    noise: f64,

    /// Exit with code 6 on a significant ratio above this, or a new failure
    #[arg(long, value_name = "RATIO", value_parser = parse_ratio)]
    fail_above: Option<f64>,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Human-readable lines
    Text,
    /// One JSON object
    Json,
}

fn parse_noise(text: &str) -> Result<f64, String> {
    let noise = text.parse().ok().filter(|noise| (0.0..1.0).contains(noise));
    noise.ok_or_else(|| "expected a share from 0 to 1, such as 0.05".to_owned())
}

fn parse_ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok().filter(|ratio: &f64| ratio.is_finite() && *ratio >= 1.0);
    ratio.ok_or_else(|| "expected a ratio of at least 1, such as 1.1".to_owned())
}

/// Compares the files.
///
/// # Errors
/// If a file cannot be read or is not a benchmark file.
pub(crate) fn run(
    args: &CompareArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the command without a message");
    output.stop_at(&flags);
    let outs = FigureFile::all(&args.out)?;
    let kinds: Vec<ExportKind> = outs.iter().map(|out| out.kind).collect();
    warn_if_untitled(args.title.as_deref(), &kinds, reporter);
    let (title, filter) = (args.title.clone(), args.filter.clone());
    let mut selection = Selection { title, filter, ..Selection::default() };
    let mut files: Vec<NamedRecord> = Vec::new();
    for file in [&args.old].into_iter().chain(&args.new) {
        let mut record = records::read(file, &flags)?;
        record.rows.retain(|row| selection.has(row));
        files.push(NamedRecord { name: records::short_name(file), record });
    }
    let [NamedRecord { record: old, .. }, .., NamedRecord { record: new, .. }] = &files[..] else {
        return Err(Diagnostic::new(Code::Usage, "expected two benchmark files").into());
    };
    let pairs = pairs(old, new, args.noise);
    let machines = differences(old, new);
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
    let pasts = match files.len() {
        2 => Vec::new(),
        _ => history(&files),
    };
    let text = match args.format {
        Format::Text => history_text(&pasts) + &lines::text(&pairs, &machines),
        Format::Json => lines::json(&pairs, &machines, &pasts, failed),
    };
    if !outs.is_empty() {
        let (merged, axes) = as_plots(&files);
        selection.axes = axes;
        write_all(&outs, &[merged], &selection, (&flags, reporter))?;
    }
    output.write(&text);
    Ok(if failed { Exit::Slower } else { Exit::Success })
}
