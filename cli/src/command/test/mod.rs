//! `star test`: runs the tests in the comments of Star files, on several backends.
//!
//! * [`session`]: file after file; [`row`]: all cases of a test, and the smallest input that fails.
//! * [`trial`]: one case: the run on each machine, and what has to come of it; [`property`]: what other
//!   routines say about it; [`fault`]: why it fails.
//! * [`shown`]: values in messages; [`report`]: what is told; [`host`]: the world of a program under test.

mod fault;
mod host;
mod property;
mod report;
mod row;
mod session;
mod shown;
mod trial;

use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use star_base::{Code, Diagnostic, did_you_mean};
use star_harness::{Configuration, MACHINES, Machine};
use star_os::exit::Exit;
use star_os::failure::Failure as Ends;
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::output::Output;
use star_os::passes::PassArgs;
use star_os::report::Reporter;
use star_os::size_args::parse_count;

pub(crate) use self::report::Format;
use self::report::{Results, Totals};
use self::session::Session;
use crate::headers::find::star_files;
use crate::text;

/// The name for all machines.
const ALL: &str = "all";

/// What `star test` is told.
#[derive(Args, Debug)]
#[command(after_long_help = long_help())]
pub(crate) struct TestArgs {
    /// Star files, and folders that are searched for such; the folder one is in, without any
    #[arg(value_name = "PATH")]
    paths: Vec<String>,

    /// Machines to run on, with commas between them, or `all`; the others are compared with the first
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "reference,cpu")]
    backends: Vec<String>,

    /// The form of the results
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Only tests whose file, title or routine holds this text, in any letter case
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// This number for `seed`, in every header that has one
    #[arg(long, value_name = "N", value_parser = parse_count)]
    seed: Option<u64>,

    /// Say which tests there are, and run none
    #[arg(long)]
    list: bool,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

fn long_help() -> String {
    format!(
        "Machines:
{}
Examples:
  star test
  star test closure.star --backends all
  star test tests --filter closure --format json
  star test paths.star --seed 7 --max-time 1m

A test is a comment that begins with `@test`; `docs/testing.md` describes it. Each case of a test may take
10 seconds and print a mebibyte, unless options of its `run` line or of this command say otherwise.

Exit codes:
  0    all tests passed
  1    a test failed, a header is wrong, or a file does not compile
  2    the command line does not parse, or there is no test
  70   a fault of the toolchain
  130  interrupted with Ctrl-C, or asked to end (SIGTERM)
  141  nobody reads the output any more\n",
        report::backends_help()
    )
}

/// Runs the tests.
///
/// # Errors
/// E0607 if there is no such backend, E0111 if a path cannot be read, E0609 if there is no test.
pub(crate) fn run(args: &TestArgs, reporter: &Reporter, output: &mut Output) -> Result<Exit, Ends> {
    let start = Instant::now();
    let machines = machines(&args.backends)?;
    let here = [".".to_owned()];
    let paths = if args.paths.is_empty() { &here[..] } else { &args.paths[..] };
    let files = star_files(paths)?;
    let flags = Flags::default();
    flags.catch_or_warn(reporter, "the tests without a summary");
    let totals = Totals::default();
    let results = Results { format: args.format, reporter, output, totals, faulty: None };
    let mut session = Session {
        args,
        passes: args.passes.options()?,
        machines,
        flags: &flags,
        quiet: reporter.without_remarks(),
        results,
        n_found: 0,
        empty: Vec::new(),
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
        let names: Vec<&str> =
            machines.iter().map(|(configuration, _)| configuration.name).collect();
        results.summary(&names, start.elapsed().as_secs_f64(), interrupted);
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

/// A machine and what it is.
type Chosen = (&'static Configuration, Machine);

/// The machines of these names.
fn machines(names: &[String]) -> Result<Vec<Chosen>, Diagnostic> {
    let mut chosen: Vec<&'static Configuration> = Vec::new();
    for name in names {
        if name == ALL {
            chosen.extend(MACHINES);
            continue;
        }
        let found = Configuration::find(name.trim()).ok_or_else(|| no_backend(name))?;
        chosen.push(found);
    }
    let mut ready: Vec<Chosen> = Vec::new();
    for configuration in chosen {
        if ready.iter().all(|(other, _)| other.name != configuration.name) {
            let machine = configuration.machine().map_err(|reason| {
                let message =
                    format!("the backend `{}` is not there: {reason}", configuration.name);
                Diagnostic::new(Code::NoBackend, message)
            })?;
            ready.push((configuration, machine));
        }
    }
    Ok(ready)
}

fn no_backend(name: &str) -> Diagnostic {
    let names = || MACHINES.iter().map(|configuration| configuration.name).chain([ALL]);
    let message = format!("there is no backend `{}` for tests", text::one_line(name));
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
        None => format!("there is no test in {paths}"),
    };
    Diagnostic::new(Code::NoHeaders, message)
        .help("a test is a comment of a `.star` file that begins with `@test`")
}

#[cfg(test)]
mod tests;
