//! `star test`: runs the tests in the comments of Star files, on several backends.
//!
//! * [`trial`]: one case of one test: the run on each machine, and what has to come of it.
//! * [`row`]: all cases of a test, and the smallest input that fails.
//! * [`shown`]: values in messages; [`report`]: what is told; [`host`]: the world of a program under test.

mod host;
mod report;
mod row;
mod shown;
mod trial;

use std::cell::OnceCell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, Parser};
use star_base::{Code, Diagnostic, did_you_mean};
use star_harness::{Case, Configuration, Header, Kind, MACHINES, Machine, Purpose};

pub(crate) use self::report::Format;
use self::report::{Results, Totals};
use self::row::{Failure, Row};
use self::trial::{Ready, Trial};
use crate::access::{Access, Grants};
use crate::engine::Engine;
use crate::exit::Exit;
use crate::failure::{Failure as Ends, internal};
use crate::flags::Flags;
use crate::headers::find::{Found, star_files};
use crate::headers::inputs::Around;
use crate::headers::subject::{Runnable, Subject};
use crate::limits::LimitArgs;
use crate::output::Output;
use crate::report::Reporter;
use crate::sizes::parse_count;
use crate::text;
use crate::usage::{self, Refusal};

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

    /// Only tests whose file, title or routine holds this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// This number for `seed`, in every header that has one
    #[arg(long, value_name = "N", value_parser = parse_count)]
    seed: Option<u64>,

    /// Say which tests there are, and run none
    #[arg(long)]
    list: bool,

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

/// Options of `star run` that stand behind the routine of a header.
#[derive(Parser, Debug)]
#[command(name = "star run")]
struct HeaderOptions {
    /// Trap when ADD or SUBT overflows
    #[arg(long)]
    checked: bool,

    #[command(flatten)]
    limits: LimitArgs,
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
    if let Err(error) = flags.catch_interrupts() {
        let why = text::reason(&error);
        reporter.warning(&format!("Ctrl-C ends the tests without a summary: {why}"));
    }
    let totals = Totals::default();
    let results = Results { format: args.format, reporter, output, totals };
    let mut session = Session {
        args,
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
    if n_found == 0 && results.totals.failed == 0 && !interrupted && empty.is_empty() {
        return Err(no_tests(args, paths).into());
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
type Chosen = (&'static Configuration, Box<dyn Machine>);

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
            let machine = configuration.machine();
            ready.push((configuration, machine.ok_or_else(|| internal("no threads"))?));
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

fn no_tests(args: &TestArgs, paths: &[String]) -> Diagnostic {
    let paths = text::quoted_list(paths.iter().map(|path| text::one_line(path)));
    let message = match &args.filter {
        Some(filter) => format!("no test in {paths} matches `{}`", text::one_line(filter)),
        None => format!("there is no test in {paths}"),
    };
    Diagnostic::new(Code::NoHeaders, message)
        .help("a test is a comment of a `.star` file that begins with `@test`")
}

struct Session<'a> {
    args: &'a TestArgs,
    machines: Vec<Chosen>,
    flags: &'a Flags,
    /// For what is read again and again.
    quiet: Reporter,
    results: Results<'a>,
    /// Tests that were found.
    n_found: usize,
    /// Files that were named and have no test.
    empty: Vec<Diagnostic>,
}

/// A file as it is run with, or without, checks of ADD and SUBT.
struct Prepared {
    runnable: Runnable,
    ready: Vec<Ready>,
}

impl Session<'_> {
    /// Runs the tests of a file.
    fn file(&mut self, found: &Found) -> Result<(), Diagnostic> {
        let subject = Subject::read(&found.file);
        let sources = &subject.compilation.sources;
        if subject.compilation.root_file().is_none() {
            for error in &subject.compilation.diagnostics {
                self.results.fault(sources, &found.file, error);
            }
            return Ok(());
        }
        let tests: Vec<&Header> =
            subject.headers.iter().filter(|header| header.kind == Kind::Test).collect();
        let wanted: Vec<&Header> =
            tests.iter().copied().filter(|header| self.is_wanted(&subject, header)).collect();
        if !subject.faults.is_empty() {
            self.n_found += tests.len();
            for fault in &subject.faults {
                self.results.fault(sources, &found.file, fault);
            }
            return Ok(());
        }
        if tests.is_empty() && found.named {
            self.empty.push(no_tests(&TestArgs::of_file(), std::slice::from_ref(&found.file)));
        }
        self.n_found += wanted.len();
        let (plain, checked) = (OnceCell::new(), OnceCell::new());
        for header in wanted {
            if self.flags.interrupt.load(Ordering::Relaxed) || self.results.output.failed() {
                self.results.totals.left_out += 1;
                continue;
            }
            let cases = match self.cases(header) {
                Ok(cases) => cases,
                Err(fault) => {
                    self.results.fault(sources, &found.file, &fault);
                    continue;
                }
            };
            if self.args.list {
                self.list(&subject, header, cases.len());
                continue;
            }
            let options = match self.options(header) {
                Ok(options) => options,
                Err(fault) => {
                    self.results.fault(sources, &found.file, &fault);
                    continue;
                }
            };
            let row = match compile_errors(&subject, header) {
                Some(row) => row,
                None => {
                    let cell = if options.checked { &checked } else { &plain };
                    let prepared = match cell.get() {
                        Some(prepared) => prepared,
                        None => {
                            let prepared = self.prepare(&subject, options.checked)?;
                            cell.get_or_init(|| prepared)
                        }
                    };
                    self.test(&subject, prepared, header, &cases, &options)?
                }
            };
            if row.interrupted {
                self.results.totals.left_out += 1;
                continue;
            }
            self.results.test(sources, &found.file, header, &row);
        }
        Ok(())
    }

    fn is_wanted(&self, subject: &Subject, header: &Header) -> bool {
        let Some(filter) = &self.args.filter else { return true };
        let routine = header.routine.as_ref().map_or("", |routine| &routine.text);
        [&subject.file, header.title.as_str(), routine].iter().any(|text| text.contains(filter))
    }

    /// The cases of a header, with the seed of the command line.
    fn cases(&self, header: &Header) -> Result<Vec<Case>, Diagnostic> {
        match self.args.seed {
            None => header.cases(Purpose::Test),
            Some(seed) => header.with_value("seed", seed).cases(Purpose::Test),
        }
    }

    fn list(&mut self, subject: &Subject, header: &Header, n_cases: usize) {
        let Subject { file, compilation, .. } = subject;
        let line = compilation
            .sources
            .get(header.span.file)
            .map_or(1, |source| source.line_column(header.span.start as usize).line);
        let line = match self.args.format {
            Format::Text => {
                let title = match header.title.as_str() {
                    "" => "without a title",
                    title => title,
                };
                let cases = text::count(n_cases, "case");
                format!("{}:{line}: {} ({cases})\n", text::one_line(file), text::one_line(title))
            }
            Format::Json => {
                let title = &header.title;
                let test = serde_json::json!({
                    "file": file, "line": line, "title": title, "cases": n_cases,
                });
                crate::json::line(&serde_json::json!({ "test": test }))
            }
        };
        self.results.output.write(&line);
    }

    /// The options behind `run`.
    fn options(&self, header: &Header) -> Result<HeaderOptions, Diagnostic> {
        let given = header.options.as_ref();
        let words = given.map_or("", |options| &options.text).split_whitespace();
        let parsed = HeaderOptions::try_parse_from(["star run"].into_iter().chain(words));
        let mut options = parsed.map_err(|error| {
            let why = match usage::refusal(&error, false) {
                Refusal::Fault(diagnostic) => diagnostic.message,
                Refusal::Answer(_) | Refusal::Help(_) => "they ask for help".to_owned(),
            };
            let span = given.map_or(header.span, |options| options.span);
            let message = format!("options that a test does not take: {why}");
            Diagnostic::at(Code::BadHeader, span, message)
                .note("it takes `--checked` and the limits of `star run`")
        })?;
        options.limits = options.limits.or(&self.args.limits);
        options.limits.bound_test();
        Ok(options)
    }

    /// The file on all machines.
    fn prepare(&self, subject: &Subject, checked: bool) -> Result<Prepared, Diagnostic> {
        let runnable = Runnable::of(&subject.compilation, checked)?;
        let ready = self.machines.iter().map(|(configuration, machine)| Ready {
            configuration,
            compiled: machine.compile(runnable.program.clone()),
        });
        Ok(Prepared { ready: ready.collect(), runnable })
    }

    fn test(
        &self,
        subject: &Subject,
        prepared: &Prepared,
        header: &Header,
        cases: &[Case],
        options: &HeaderOptions,
    ) -> Result<Row, Diagnostic> {
        let Prepared { runnable, ready } = prepared;
        let routine = match runnable.of_header(header, &subject.headers) {
            Ok(routine) => routine,
            Err(fault) => return Ok(Row::early(fault)),
        };
        let mut limits = Vec::new();
        for (configuration, _) in &self.machines {
            limits.push(options.limits.limits(Engine::find(configuration.backend)?)?);
        }
        let max_bytes = limits.iter().filter_map(|limits| limits.memory).min();
        let folder = subject.folder();
        let access = Access::new(&subject.file, Grants::default())?;
        let around = Around {
            folder: &folder,
            flags: self.flags,
            reporter: &self.quiet,
            max_bytes: max_bytes.unwrap_or(u64::MAX),
        };
        let trial = Trial {
            subject,
            runnable,
            header,
            routine,
            machines: ready,
            limits: &limits,
            access: &access,
        };
        let time = options.limits.max_time.unwrap_or(Duration::MAX);
        Ok(row::run(trial, cases, around, time))
    }
}

impl TestArgs {
    /// The arguments for one file that was named.
    fn of_file() -> Self {
        TestArgs {
            paths: Vec::new(),
            backends: Vec::new(),
            format: Format::Text,
            filter: None,
            seed: None,
            list: false,
            limits: LimitArgs::default(),
        }
    }
}

impl Row {
    /// A test of which no case could be run.
    fn early(diagnostic: Diagnostic) -> Self {
        let failure = Some(Failure::early(diagnostic));
        Row { n_run: 0, failure, interrupted: false, seconds: 0.0 }
    }
}

/// What comes of a test in a file that does not compile; nothing if it does.
fn compile_errors(subject: &Subject, header: &Header) -> Option<Row> {
    let errors: Vec<&Diagnostic> =
        subject.compilation.diagnostics.iter().filter(|error| error.is_error()).collect();
    let first = errors.first()?;
    let expected = header.expectations.iter().find_map(|it| match it.what {
        star_harness::Expected::Fails { code, line } => Some((code, line)),
        star_harness::Expected::Value { .. }
        | star_harness::Expected::Ensures(_)
        | star_harness::Expected::SameAs(_)
        | star_harness::Expected::Prints(_) => None,
    });
    let is_expected = |error: &&Diagnostic| {
        expected.is_some_and(|(code, line)| {
            error.code == code && line.is_none_or(|line| subject.is_on_line(error, line))
        })
    };
    if errors.iter().any(|error| is_expected(error)) {
        return Some(Row { n_run: 1, failure: None, interrupted: false, seconds: 0.0 });
    }
    let message = format!("the file does not compile: {} {}", first.code, first.message);
    let mut diagnostic = Diagnostic::at(Code::TestFails, header.span, message);
    if let Some(span) = first.span() {
        diagnostic = diagnostic.label(span, "the first error");
    }
    if errors.len() > 1 {
        diagnostic = diagnostic.note(format!("{} in all", text::count(errors.len(), "error")));
    }
    Some(Row::early(diagnostic))
}
