//! `star bench`: runs the benchmarks in program headers and measures their times.

mod cases;
mod contender;
mod hash;
mod peer;
mod rounds;
mod runner;
mod surroundings;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};
use star_base::Random;
use star_base::{Code, Diagnostic};
use star_os::exit::Exit;
use star_os::failure::Failure;
use star_os::file_roles::{self, Input};
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::machines::{self, DeviceOptions, Machine};
use star_os::output::Output;
use star_os::passes::PassArgs;
use star_os::report::Reporter;
use star_os::size_args::{parse_count, parse_size, parse_time};
use star_os::sources::{FileLoader, ImportArgs};
use star_os::watchdog::Sentry;
use star_report::live::Live;
use star_report::measure::{Budget, CONFIDENCE, resolution};
use star_report::page::{ExportKind, NamedRecord};
use star_report::record::{Record, Row, SCHEMA, Settings, Source, to_json};

use self::peer::PeerCommand;
use self::runner::Runner;
use self::surroundings::Probe;
use self::targets::{Target, may_have_benchmarks, targets};
use super::MAX_SHOWN;
use super::benchpage::{Plots, plot_folder};
use super::figures::{FigureArgs, FigureFile, Outcome, rehearse};
use crate::headers::test_file::Subject;
use crate::text;

/// Arguments of `star bench`.
#[derive(Args, Debug)]
#[command(after_long_help = LONG_HELP)]
#[command(after_help = "Examples:
  star bench closure.star
  star bench benches/suite --out new.json --out new.html
  star bench --filter dijkstra --intrinsics off
  star bench closure.star --peer 'other: ./closure {input}' --out closure.svg")]
pub(crate) struct BenchArgs {
    /// Programs with `@bench` headers, or folders of programs
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<String>,

    /// Select the backends to run on
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = machines::DEFAULT)]
    backends: Vec<String>,

    /// Select the graphics adapter of `gpu` by part of its name
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,

    /// Run only benchmarks with TEXT in their file, title or routine
    ///
    /// Letter case is ignored.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Run library procedures with intrinsics, as written, or both
    #[arg(long, alias = "natives", value_name = "WHICH", default_value = "both")]
    intrinsics: Which,

    /// Measure another program, too: `'NAME: CMD {input}'`
    ///
    /// The program prints its time: a number with a unit, or a decimal fraction in seconds.
    /// `{input}` is a file with the only table, slice or word of the case; `{P.csv}` is a file with
    /// the parameter P, in the format of its extension as for `star run --out`; `{k}` is the
    /// integer k. `--max-time` limits each run. Can be given several times.
    #[arg(long, value_name = "[NAME:] CMD", value_parser = peer::parse)]
    peer: Vec<PeerCommand>,

    /// Write the result to FILE
    ///
    /// The extension selects the format: `.json` is a benchmark file, see docs/src/testing.md;
    /// `.csv` its rows; `.html` a page; `.svg`, `.pdf` and `.tex` (pgfplots) a picture of one
    /// benchmark. Can be given several times.
    #[arg(short, long, value_name = "FILE")]
    out: Vec<String>,

    /// Select the output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    figures: FigureArgs,

    /// Write an HTML page with plots and tables to FILE
    #[arg(long, value_name = "FILE")]
    page: Option<String>,

    /// Show the measurements in FILE on the page, too
    ///
    /// Can be given several times, e.g. for measurements of peers.
    #[arg(long, value_name = "FILE", requires = "page")]
    with: Vec<String>,

    /// Write the plots to DIR
    #[arg(long, value_name = "DIR")]
    svg: Option<String>,

    /// Set the sampling time of each row
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_time)]
    time: Duration,

    /// Limit the number of samples of each row
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_runs)]
    runs: u64,

    /// Stop when the median's interval is within SHARE of it
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = parse_width)]
    width: f64,

    /// Set the seed for the random order of rounds
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    seed: u64,

    /// Set the buffer size for measuring memory speed: `512M`
    ///
    /// Defaults to a multiple of the largest cache. At most what `--max-memory` allows, or three
    /// quarters of the available memory.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    probe: Option<u64>,

    /// Run the smallest case of each benchmark once, as a check
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    imports: ImportArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

// Blanks around `n`: clap would replace it with a line break otherwise.
const LONG_HELP: &str = "\
A benchmark is a comment between the routines of a program:

  /* @bench closure of sparse graphs
     run  WARSHALL
     n    = 500, 1000, 2000
     m    = {3*n div 2}
     P    = gen gnm -n { n } -m {m}        */

`run A, B` measures several routines with the same inputs, in one plot; their
results of the same name are compared. Each case has one warm-up run and is then
sampled until the interval of the median is narrow. Times cover the runs only.
`--max-time` limits each run, and the measurement of the memory speed. A failed
case becomes a row with its error; the exit code is that of the first failure.
Ctrl-C ends the measurement, and the results so far are written.

Examples:
  star bench closure.star
  star bench benches/suite --out new.json --out new.html
  star bench --filter dijkstra --intrinsics off
  star bench closure.star --page page.html --with peers.json
  star bench closure.star --peer 'other: ./closure {input}' --out closure.svg
";

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Human-readable tables
    Text,
    /// A JSON object for each row, and a summary
    Json,
}

/// Use of intrinsics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// With intrinsics
    On,
    /// Without intrinsics
    Off,
    /// Both with and without intrinsics
    Both,
}

fn parse_runs(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("a row needs at least 1 sample".to_owned()),
        runs => Ok(runs),
    }
}

fn parse_width(text: &str) -> Result<f64, String> {
    let width = text.parse().ok().filter(|width| (0.0..1.0).contains(width));
    width.ok_or_else(|| "expected a share from 0 to 1, such as 0.02".to_owned())
}

/// Runs the benchmarks.
///
/// # Errors
/// If there are none, or a file cannot be read or written.
pub(crate) fn run(
    args: &BenchArgs,
    reporter: &Reporter,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let wanted = DeviceOptions { adapter: args.adapter.as_deref(), ..DeviceOptions::default() };
    let machines = args.backends.iter().map(|name| Machine::find_on(name.trim(), &wanted));
    let machines: Vec<Machine> = machines.collect::<Result<_, _>>()?;
    machines::warn_if_unused(&wanted, &machines, reporter);
    let passes = args.passes.options()?;
    let flags = Flags::default();
    match args.format {
        Format::Text => flags.catch_or_warn(reporter, "the run without its measurements"),
        Format::Json => flags.catch_for_object(reporter, "the run without its summary"),
    }
    output.stop_at(&flags);
    // Report an error before a long run, not after it.
    peer::check_names(&args.peer)?;
    let mut outs = FigureFile::all(&args.out)?;
    outs.extend(args.page.as_deref().map(FigureFile::page).transpose()?);
    let (own, pictures): (Vec<FigureFile>, Vec<FigureFile>) =
        outs.into_iter().partition(|out| out.kind == ExportKind::Json);
    let kinds: Vec<ExportKind> = pictures.iter().map(|out| out.kind).collect();
    args.figures.warn_if_unused(&kinds, reporter);
    let others: Vec<&String> = args.out.iter().chain(&args.page).collect();
    let plots = args.svg.as_deref().map(|folder| plot_folder(folder, &others)).transpose()?;
    let mut files = read_others(args, &flags).map_err(Failure::with_limit_options)?;
    let targets = targets(&args.paths)?;
    for Target { path, .. } in &targets {
        file_roles::read(Path::new(path), path, Input::Source)?;
    }
    let adapter = machines.iter().find(|machine| machine.caps().is_adapter);
    let adapter = adapter.map(|machine| machine.caps().device.clone());
    let mut record = Record { adapter, ..empty(args) };
    let threads = record.machine.threads.unwrap_or(1);
    let quick = args.quick.then_some(surroundings::QUICK);
    let bytes = args.probe.or(quick);
    let (max_memory, max_time) = (args.limits.max_memory, args.limits.max_time);
    let probe = Probe { threads, bytes, max_memory, max_time, flags: &flags, reporter };
    Probe { bytes: args.probe, ..probe }.check()?;
    let quiet = reporter.without_remarks();
    let mut runner = Runner {
        args,
        loader: args.imports.loader()?,
        passes,
        peers: args.peer.clone(),
        failed_peers: BTreeSet::new(),
        peers_ran: BTreeSet::new(),
        results: BTreeMap::new(),
        machines: &machines,
        budget: budget(args),
        resolution: resolution(),
        random: Random::new(args.seed),
        flags: &flags,
        reporter: &quiet,
        rows: Vec::new(),
        exit: Exit::Success,
        live: Live::new(record.adapter.is_some()),
        output,
        ended: false,
        probe,
        speeds: None,
    };
    let selection = args.figures.selection(None);
    // The first program and all pipes are read before anything is measured, and all programs if
    // their benchmarks are drawn.
    let mut programs: Vec<(&Target, Option<Subject>)> = Vec::new();
    for target in targets.iter().filter(|target| may_have_benchmarks(target, &flags)) {
        if flags.stop().is_some() {
            break;
        }
        let is_early = programs.is_empty() || !pictures.is_empty();
        let is_early = is_early || !Path::new(&target.path).is_file();
        programs.push((target, is_early.then(|| runner.read(target))));
    }
    let n_files = programs.len();
    if !pictures.is_empty() && flags.stop().is_none() {
        let subjects = programs.iter();
        let subjects = subjects.filter_map(|(target, subject)| Some((*target, subject.as_ref()?)));
        let rows = runner.expected(subjects);
        let named =
            NamedRecord { name: "this run".to_owned(), record: Record { rows, ..empty(args) } };
        if !named.record.rows.is_empty() {
            files.insert(0, named);
            rehearse(&pictures, &files, &selection)?;
            files.remove(0);
        }
    }
    for (target, subject) in programs {
        if runner.ended || flags.stop().is_some() {
            break;
        }
        let subject = subject.unwrap_or_else(|| runner.read(target));
        runner.file(target, &subject);
    }
    let (rows, exit) = (std::mem::take(&mut runner.rows), runner.exit);
    let speeds = runner.speeds.take();
    let interrupted = flags.stop().is_some();
    // The reader of the output may have closed it.
    record.interrupted = interrupted || runner.ended;
    if rows.is_empty() && !record.interrupted {
        return match report_errors(&targets, &runner.loader, reporter) {
            true => Ok(Exit::Compile),
            false => Err(nothing(args, n_files).into()),
        };
    }
    if args.format == Format::Json {
        let n_failed = rows.iter().filter(|row| row.error.is_some()).count();
        let summary = serde_json::json!({
            "rows": rows.len(), "failed": n_failed, "interrupted": record.interrupted,
        });
        output.write(&star_report::json::line(&serde_json::json!({ "summary": summary })));
    }
    if interrupted && !rows.iter().any(is_measured) {
        // An older file may contain rows.
        let message = "interrupted before anything was measured; no file was written";
        return Err(Diagnostic::new(Code::Interrupted, message).into());
    }
    record.rows = rows;
    if let Some(speeds) = speeds {
        record.bandwidth = speeds;
        if !record.interrupted {
            record.bandwidth.extend(probe.run("after"));
        }
    }
    let mut outcome = Outcome::default();
    let name = own.first().map(|out| crate::records::short_name(&out.name));
    for out in own {
        outcome.add(&out.name, out.write(to_json(&record).as_bytes(), &flags));
    }
    files.insert(0, NamedRecord { name: name.unwrap_or_else(|| "this run".to_owned()), record });
    outcome.add_all(&pictures, &files, &selection, (&flags, reporter));
    if let (Some(folder), Some(plots)) = (&args.svg, plots) {
        let plots = Plots::new(plots, folder, &files, &flags);
        outcome.add(folder, plots.map_err(Failure::from).and_then(|plots| plots.commit(reporter)));
    }
    outcome.finish()?;
    if interrupted {
        let places = args.out.iter().chain(&args.page).chain(&args.svg);
        let places: Vec<String> = places.map(|place| text::one_line(place)).collect();
        let kept = match places.is_empty() {
            true => "interrupted".to_owned(),
            false => format!("interrupted; partial results are in {}", places.join(", ")),
        };
        return Err(Diagnostic::new(Code::Interrupted, kept).into());
    }
    Ok(exit)
}

/// Reads the measurements in other files.
fn read_others(args: &BenchArgs, flags: &Flags) -> Result<Vec<NamedRecord>, Failure> {
    let flags = flags.without_deadline();
    let clock = args.limits.max_time.filter(|_| !args.with.is_empty());
    let _clock = clock.map(|time| Sentry::clock(&flags, time)).transpose()?;
    let mut files = Vec::new();
    for file in &args.with {
        let name = crate::records::short_name(file);
        files.push(NamedRecord { name, record: crate::records::read(file, &flags)? });
    }
    Ok(files)
}

/// Reports the errors of programs without benchmarks: they may hide some. Returns whether there are
/// any.
fn report_errors(targets: &[Target], loader: &FileLoader, reporter: &Reporter) -> bool {
    let mut found = false;
    for Target { path, .. } in targets.iter().filter(|target| Path::new(&target.path).is_file()) {
        let subject = Subject::read(path, loader.clone());
        for error in subject.errors().take(MAX_SHOWN) {
            reporter.diagnostic(&subject.compilation.sources, error);
            found = true;
        }
    }
    found
}

/// Returns the error that no benchmark was found, with the reason.
fn nothing(args: &BenchArgs, n_files: usize) -> Diagnostic {
    let paths = text::quoted_list(&args.paths);
    match (&args.filter, n_files) {
        (Some(filter), 1..) => {
            let filter = text::one_line(filter);
            let message =
                format!("no benchmark in {paths} has `{filter}` in its file, title or routine");
            Diagnostic::new(Code::NoHeaders, message)
        }
        (_, _) => Diagnostic::new(Code::NoHeaders, format!("no benchmark in {paths}"))
            .help("a benchmark is a comment that begins with `@bench`; see `star bench --help`"),
    }
}

fn budget(args: &BenchArgs) -> Budget {
    match args.quick {
        true => Budget { width: args.width, time: Duration::ZERO, max_runs: 1 },
        false => {
            let max_runs = usize::try_from(args.runs).unwrap_or(usize::MAX);
            Budget { width: args.width, time: args.time, max_runs }
        }
    }
}

/// Tests whether the row is a measurement of this run.
fn is_measured(row: &Row) -> bool {
    row.source == Source::Star && row.time.is_some()
}

/// Creates a record without rows.
fn empty(args: &BenchArgs) -> Record {
    let Budget { width, time, max_runs } = budget(args);
    Record {
        schema: SCHEMA,
        tool: surroundings::tool(),
        machine: surroundings::machine(),
        adapter: None,
        date: surroundings::date(),
        seed: Some(args.seed),
        settings: Some(Settings {
            time_s: time.as_secs_f64(),
            width,
            max_runs: max_runs as u64,
            confidence: CONFIDENCE,
        }),
        bandwidth: Vec::new(),
        interrupted: false,
        rows: Vec::new(),
    }
}
