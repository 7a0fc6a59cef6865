//! `star test`: runs the tests in the comments of Star files on several backends.
//!
//! * [`session`]: iteration over files; [`row`]: the cases of a test, and the smallest failing
//!   input.
//! * [`trial`]: one case, run and checked on each machine; [`property`]: checks by other routines;
//!   [`fault`]: the reason of a failure.
//! * [`watch`]: repetition when files change; [`coverage`]: the lines that run.
//! * [`shown`]: values in messages; [`report`]: output; [`host`]: host of a program under test.

mod coverage;
mod fault;
mod host;
mod property;
mod report;
mod row;
mod session;
mod shown;
mod trial;
mod watch;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use star::Machine;
use star_base::{Code, Diagnostic, did_you_mean};
use star_harness::{MACHINES, MachineSpec};
use star_os::exit::Exit;
use star_os::failure::Failure as Ends;
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::output::Output;
use star_os::passes::PassArgs;
use star_os::report::Reporter;
use star_os::size_args::parse_count;
use star_os::sources::ImportArgs;

use self::coverage::{Coverage, Target};
pub(crate) use self::report::Format;
use self::report::{Results, Totals};
use self::session::Session;
use crate::headers::find::star_files;
use crate::text;

/// The name of the set of all machines.
const ALL: &str = "all";

/// Arguments of `star test`.
#[derive(Args, Debug)]
#[command(after_long_help = long_help())]
pub(crate) struct TestArgs {
    /// Star files, or folders to search; by default the current folder
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// Select machines, separated by commas, or `all`
    ///
    /// The results of the first machine are compared with those of the others.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "reference,cpu")]
    backends: Vec<String>,

    /// Select the format of the results
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Run only tests with TEXT in their file, title or routine
    ///
    /// Letter case is ignored.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Set `seed` to N in every header that uses it
    #[arg(long, value_name = "N", value_parser = parse_count)]
    seed: Option<u64>,

    /// List the tests without running them
    #[arg(long)]
    list: bool,

    /// Show the lines and outcomes of `if` that run; `=FILE.html` or `=FILE.info` writes a file
    ///
    /// Each run is repeated on the reference backend to count them. `.info` is the format of lcov.
    /// Files without tests, and the library, are omitted.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "list"
    )]
    coverage: Option<String>,

    /// Run the tests again whenever a file changes, until Ctrl-C
    ///
    /// The files of the tests and the Star files that they import are compared every half second.
    #[arg(long, conflicts_with = "list")]
    watch: bool,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    imports: ImportArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

fn long_help() -> String {
    format!(
        "\
Machines:
{}
Examples:
  star test
  star test closure.star --backends all
  star test tests --filter closure --format json
  star test paths.star --seed 7 --max-time 1m
  star test --watch
  star test --coverage=coverage.html

A test is a comment that begins with `@test`; see `docs/src/testing.md`. Each
case is limited to 10 seconds and a mebibyte of output, unless its `run` line or
this command sets other limits.

Exit codes:
  0    all tests passed
  1    a test failed, a header is invalid, or a file does not compile
  2    the command line does not parse, or there are no tests
  70   internal error of the toolchain
  130  interrupted by Ctrl-C or SIGTERM
  141  the reader closed standard output\n",
        report::backends_help()
    )
}

/// Runs the tests.
///
/// # Errors
/// E0607 if a backend is unknown, E0111 if a path cannot be read, E0609 if there are no tests.
pub(crate) fn run(args: &TestArgs, reporter: &Reporter, output: &mut Output) -> Result<Exit, Ends> {
    let here = [".".to_owned()];
    let paths = if args.paths.is_empty() { &here[..] } else { &args.paths[..] };
    let flags = Flags::default();
    match args.format {
        Format::Text => flags.catch_or_warn(reporter, "the tests without a summary"),
        Format::Json => flags.catch_for_object(reporter, "the tests without a summary"),
    }
    output.stop_at(&flags);
    if args.watch {
        return watch::run(args, paths, &flags, reporter, output);
    }
    run_once(args, paths, &flags, reporter, output, &mut BTreeSet::new())
}

/// Runs the tests once, and adds all Star files that they read to `read`.
fn run_once(
    args: &TestArgs,
    paths: &[String],
    flags: &Flags,
    reporter: &Reporter,
    output: &mut Output,
    read: &mut BTreeSet<PathBuf>,
) -> Result<Exit, Ends> {
    let start = Instant::now();
    let machines = machines(&args.backends)?;
    let target = args.coverage.as_deref().map(|file| Target::new(file, args.format)).transpose()?;
    let coverage = RefCell::new(Coverage::default());
    let files = star_files(paths)?;
    let totals = Totals::default();
    let results = Results { format: args.format, reporter, output, totals, faulty: None };
    let mut session = Session {
        args,
        loader: args.imports.loader()?,
        passes: args.passes.options()?,
        machines,
        flags,
        quiet: reporter.without_remarks(),
        results,
        n_found: 0,
        empty: Vec::new(),
        read,
        coverage: target.is_some().then_some(&coverage),
    };
    for file in &files {
        session.file(file)?;
        if session.results.output.failed() {
            break;
        }
    }
    let Session { machines, mut results, n_found, empty, .. } = session;
    let interrupted = flags.interrupt.load(Ordering::Relaxed);
    if n_found == 0 && results.totals.failed == 0 && !interrupted {
        return Err(match empty.is_empty() {
            true => no_tests(args.filter.as_deref(), paths).into(),
            false => empty.into(),
        });
    }
    if !args.list {
        let names: Vec<&str> = machines.iter().map(|(spec, _)| spec.name).collect();
        let put = |target: &Target| target.put(&coverage.borrow(), flags, results.output);
        let covered = target.as_ref().map(put);
        // The summary follows also if the file cannot be written.
        results.summary(&names, start.elapsed().as_secs_f64(), interrupted);
        covered.transpose()?;
    }
    let failed = results.totals.failed > 0;
    if !failed && !interrupted && !empty.is_empty() {
        return Err(empty.into());
    }
    Ok(match (interrupted, failed) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Compile,
        (false, false) => Exit::Success,
    })
}

/// A machine, and from what it was created.
type Chosen = (&'static MachineSpec, Machine);

/// Returns the machines with these names.
fn machines(names: &[String]) -> Result<Vec<Chosen>, Diagnostic> {
    let mut chosen: Vec<&'static MachineSpec> = Vec::new();
    for name in names {
        if name == ALL {
            chosen.extend(MACHINES);
            continue;
        }
        let found = MachineSpec::find(name.trim()).ok_or_else(|| no_backend(name))?;
        chosen.push(found);
    }
    let mut ready: Vec<Chosen> = Vec::new();
    for spec in chosen {
        if ready.iter().all(|(other, _)| other.name != spec.name) {
            let machine = spec.machine().map_err(|reason| {
                let message = format!("backend `{}` is not available: {reason}", spec.name);
                Diagnostic::new(Code::NoBackend, message)
            })?;
            ready.push((spec, machine));
        }
    }
    Ok(ready)
}

fn no_backend(name: &str) -> Diagnostic {
    let names = || MACHINES.iter().map(|spec| spec.name).chain([ALL]);
    let message = format!("unknown backend `{}` for tests", text::one_line(name));
    let diagnostic = Diagnostic::new(Code::NoBackend, message)
        .note(format!("tests run on {}", text::quoted_list(names())));
    match did_you_mean(name, names()) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}

fn no_tests(filter: Option<&str>, paths: &[String]) -> Diagnostic {
    let paths = text::quoted_list(paths.iter().map(|path| text::one_line(path)));
    let message = match filter {
        Some(filter) => format!("no test in {paths} matches `{}`", text::one_line(filter)),
        None => format!("no tests in {paths}"),
    };
    Diagnostic::new(Code::NoHeaders, message)
        .help("a test is a comment in a `.star` file that begins with `@test`")
}

#[cfg(test)]
mod tests;
