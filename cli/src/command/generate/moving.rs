//! `star gen moving`: the workload of source 004, as two streams.

use std::io::{self, BufWriter};
use std::time::Instant;

use clap::Args;
use serde_json::json;
use star_base::Code;
use star_bind::Observer;
use star_io::FileError;
use star_io::generate::{GenerateOptions, Hubs, MovingObjects};
use star_io::moving::{MovingForm, MovingWriter, Position, Record, Window};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::files::Console;
use star_os::flags::Flags;
use star_os::incremental_file::Sheet;
use star_os::report::Reporter;
use star_os::size_args::{available_memory, parse_count};

use crate::text;

/// Arguments of `star gen moving`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  star gen moving -n 100000 --updates 1000000 -o u.csv --queries q.csv
  star gen moving -n 10000000 --updates 40000000 -o u.moving --queries q.moving
  star gen moving -n 10000 --updates 100000 --hubs 100 -o u.csv --queries q.csv

The extension selects the format: `.csv` is text, `.moving` is binary. Units are
centimetres. The defaults are those of source 004: an area of 100 km, squares of
100 m, 10 queries per 100 updates, batches of 100000.")]
pub(crate) struct MovingGenArgs {
    /// Set the number of objects, numbered from 1
    #[arg(short = 'n', long, value_name = "N", value_parser = parse_count)]
    objects: u64,

    /// Set the number of updates after the initial placement
    #[arg(long, value_name = "N", value_parser = parse_count)]
    updates: u64,

    /// Set the number of updates per batch
    #[arg(long, value_name = "N", default_value = "100000", value_parser = parse_count)]
    batch: u64,

    /// Set the number of queries per 100 updates
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse_count)]
    per_hundred: u64,

    /// Set the side length of the area
    #[arg(long, value_name = "N", default_value = "10000000", value_parser = parse_count)]
    side: u64,

    /// Set the side length of the query squares
    #[arg(long, value_name = "N", default_value = "10000", value_parser = parse_count)]
    query_side: u64,

    /// Gather the objects around N hubs
    #[arg(long, value_name = "N", value_parser = parse_count)]
    hubs: Option<u64>,

    /// Set the standard deviation of coordinates around a hub
    #[arg(long, value_name = "N", default_value = "100000", value_parser = parse_count)]
    deviation: u64,

    /// Set the seed of the random numbers
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    seed: u64,

    /// Write the result to FILE
    ///
    /// The result is the stream of updates.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: String,

    /// Write the queries to FILE
    #[arg(long, value_name = "FILE")]
    queries: String,

    /// Do not print a summary
    #[arg(short, long)]
    quiet: bool,
}

/// Generates both streams.
///
/// # Errors
/// If a parameter is invalid, a file cannot be written, or on Ctrl-C.
pub(super) fn run(args: &MovingGenArgs, reporter: &Reporter) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the run without a message");
    let console = Console { flags: &flags, reporter };
    let workload = MovingObjects {
        n_objects: args.objects,
        n_updates: args.updates,
        per_batch: args.batch,
        per_hundred: args.per_hundred,
        side: args.side,
        query_side: args.query_side,
        hubs: args.hubs.map(|n| Hubs { n, deviation: args.deviation }),
    };
    let (mut updates_sheet, updates_form) = sheet(&args.output, &flags)?;
    let (mut queries_sheet, queries_form) = sheet(&args.queries, &flags)?;
    let mut steps = workload
        .start(&mut GenerateOptions::new(args.seed, available_memory() / 4 * 3))
        .map_err(star_bind::generated::advise)?;
    let (mut n_updates, mut n_queries) = (args.objects, 0);

    let [updates_place, queries_place] =
        [&updates_sheet, &queries_sheet].map(|sheet| sheet.place().clone());
    let cannot_updates = |error: io::Error| updates_place.cannot(&error);
    let cannot_queries = |error: io::Error| queries_place.cannot(&error);
    let mut updates_out =
        writer::<Position>(&mut updates_sheet, updates_form).map_err(cannot_updates)?;
    let mut queries_out =
        writer::<Window>(&mut queries_sheet, queries_form).map_err(cannot_queries)?;
    let (mut updates, mut queries) = (Vec::new(), Vec::new());
    let mut placed = steps.positions();
    loop {
        updates.clear();
        updates.extend(placed.by_ref().take(1 << 16));
        if updates.is_empty() {
            break;
        }
        updates_out.batch(0, &updates).map_err(cannot_updates)?;
        goes_on(&console, &args.output)?;
    }
    drop(placed);
    while steps.step(&mut updates, &mut queries) {
        n_updates += updates.len() as u64;
        n_queries += queries.len() as u64;
        updates_out.batch(steps.time(), &updates).map_err(cannot_updates)?;
        queries_out.batch(steps.time(), &queries).map_err(cannot_queries)?;
        goes_on(&console, &args.output)?;
    }
    let n_bytes = updates_out.finish().map_err(cannot_updates)?
        + queries_out.finish().map_err(cannot_queries)?;
    updates_sheet.commit()?;
    queries_sheet.commit()?;
    if !args.quiet {
        let seconds = begin.elapsed().as_secs_f64();
        let line = format!(
            "{}, {}: {n_updates} updates, {n_queries} queries, {n_bytes} bytes in {seconds:.2} s, seed {}",
            text::one_line(&args.output),
            text::one_line(&args.queries),
            args.seed
        );
        let object = json!({
            "file": args.output,
            "queries_file": args.queries,
            "seed": args.seed,
            "bytes": n_bytes,
            "seconds": seconds,
            "updates": n_updates,
            "queries": n_queries,
        });
        reporter.outcome(&line, &json!({ "generated": object }));
    }
    Ok(Exit::Success)
}

fn writer<R: Record>(
    sheet: &mut Sheet,
    form: MovingForm,
) -> io::Result<MovingWriter<BufWriter<&mut Sheet>, R>> {
    MovingWriter::new(BufWriter::new(sheet), form)
}

fn sheet(name: &str, flags: &Flags) -> Result<(Sheet, MovingForm), FileError> {
    let form = MovingForm::of_name(name).ok_or_else(|| {
        FileError::new(Code::UnknownFormat, name, "unknown extension of a stream")
            .help("use `.csv` for text or `.moving` for binary")
    })?;
    Ok((Sheet::new(name, flags)?, form))
}

fn goes_on(console: &Console<'_>, file: &str) -> Result<(), FileError> {
    match console.stop() {
        Some(code) => Err(FileError::new(code, file, "interrupted")),
        None => Ok(()),
    }
}
