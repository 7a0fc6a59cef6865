//! Execution of the tests in all files.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Parser;
use star_base::{Code, Diagnostic};
use star_compiler::LowerOptions;
use star_harness::{Case, Expected, Header, HeaderKind, Purpose};
use star_os::access::Access;
use star_os::failure::refused_by_backend;
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::machines::Machine;
use star_os::report::Reporter;
use star_os::sources::FileLoader;
use star_os::watchdog::{Scope, Sentry};
use star_vm::BackendError;

use super::coverage::{Coverage, Observed};
use super::report::{Format, Results};
use super::row::{self, Failure, Row};
use super::trial::{Ready, Trial};
use super::{Chosen, TestArgs, no_tests};
use crate::command::MAX_SHOWN;
use crate::headers::find::StarFile;
use crate::headers::inputs::ReadContext;
use crate::headers::test_file::{Runnable, Subject};
use crate::text;
use crate::usage::{self, Refusal};

/// Options of `star run` after the routine in a header.
#[derive(Parser, Debug)]
#[command(name = "star run")]
struct HeaderOptions {
    /// Trap on overflow of ADD or SUBT
    #[arg(long)]
    checked: bool,

    #[command(flatten)]
    limits: LimitArgs,
}

/// The state of `star test`.
pub(super) struct Session<'a> {
    pub(super) args: &'a TestArgs,
    /// The passes, applied unless operations or calls are counted.
    pub(super) passes: star_opt::Options,
    pub(super) machines: Vec<Chosen>,
    pub(super) loader: FileLoader,
    pub(super) flags: &'a Flags,
    /// Reporter for repeated work.
    pub(super) quiet: Reporter,
    pub(super) results: Results<'a>,
    /// Number of tests found.
    pub(super) n_found: usize,
    /// Files named on the command line that contain no tests.
    pub(super) empty: Vec<Diagnostic>,
    /// The Star files that were read.
    pub(super) read: &'a mut BTreeSet<PathBuf>,
    /// The counts of `--coverage`.
    pub(super) coverage: Option<&'a RefCell<Coverage>>,
}

/// A file compiled with or without checks of ADD and SUBT, and with or without passes.
struct Prepared<'a> {
    runnable: Runnable,
    /// For the coverage.
    observed: Option<Observed<'a>>,
    ready: Vec<Ready>,
}

impl<'a> Session<'a> {
    /// Runs the tests of a file.
    ///
    /// # Errors
    /// An internal error, or limits that a machine does not support; both end the command.
    pub(super) fn file(&mut self, found: &StarFile) -> Result<(), Diagnostic> {
        let sentry = self.sentry();
        let subject = Subject::read(&found.file, self.loader.clone());
        drop(sentry);
        let sources = &subject.compilation.sources;
        self.read.extend(sources.files().map(|(_, source)| PathBuf::from(source.name())));
        if subject.compilation.root_file().is_none() {
            for error in &subject.compilation.diagnostics {
                self.results.fault(sources, &found.file, error);
            }
            return Ok(());
        }
        let tests: Vec<&Header> =
            subject.headers.iter().filter(|header| header.kind == HeaderKind::Test).collect();
        let wanted: Vec<&Header> =
            tests.iter().copied().filter(|header| self.is_wanted(&subject, header)).collect();
        if !subject.faults.is_empty() {
            self.n_found += tests.len();
            for fault in &subject.faults {
                self.results.fault(sources, &found.file, fault);
            }
            return Ok(());
        }
        if tests.is_empty() && subject.compilation.has_errors() {
            // Its errors may hide tests.
            for error in subject.errors().take(MAX_SHOWN) {
                self.results.fault(sources, &found.file, error);
            }
            return Ok(());
        }
        if tests.is_empty() && found.named {
            self.empty.push(no_tests(None, std::slice::from_ref(&found.file)));
        }
        self.n_found += wanted.len();
        // Indexed by checks of ADD and SUBT, and by the use of passes.
        let cells: [[OnceCell<Prepared<'_>>; 2]; 2] = Default::default();
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
                    let optimise = !options.limits.count_bodies();
                    let cell = &cells[usize::from(options.checked)][usize::from(optimise)];
                    let prepared = match cell.get() {
                        Some(prepared) => prepared,
                        None => {
                            let _sentry = self.sentry();
                            let enabled = optimise.then_some(&self.passes);
                            let prepared = self.prepare(&subject, options.checked, enabled)?;
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
        let filter = filter.to_lowercase();
        let routine = header.routine.as_ref().map_or("", |routine| &routine.text);
        let texts = [&subject.file, header.title.as_str(), routine];
        texts.iter().any(|text| text.to_lowercase().contains(&filter))
    }

    /// Returns the cases of a header, with the seed from the command line.
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
                star_report::json::line(&serde_json::json!({ "test": test }))
            }
        };
        self.results.output.write(&line);
    }

    /// Returns the options after `run`.
    fn options(&self, header: &Header) -> Result<HeaderOptions, Diagnostic> {
        let given = header.options.as_ref();
        let words = given.map_or("", |options| &options.text).split_whitespace();
        let parsed = HeaderOptions::try_parse_from(["star run"].into_iter().chain(words));
        let mut options = parsed.map_err(|error| {
            let why = match usage::refusal(&error, false) {
                Refusal::Fault(diagnostic) => diagnostic.message,
                Refusal::Answer(_) | Refusal::Help(_) => "they request help".to_owned(),
            };
            let span = given.map_or(header.span, |options| options.span);
            let message = format!("invalid options of a test: {why}");
            Diagnostic::at(Code::BadHeader, span, message)
                .note("tests accept `--checked` and the limits of `star run`")
        })?;
        options.limits = options.limits.or(&self.args.limits);
        options.limits.bound_test();
        Ok(options)
    }

    /// Starts a watchdog for the compiler. The results of other tests have been output by then.
    fn sentry(&mut self) -> Sentry {
        self.results.output.flush();
        Sentry::over_compiler(self.flags, self.args.limits.bounds(Scope::Results), &self.quiet)
    }

    fn prepare<'s>(
        &self,
        subject: &'s Subject,
        checked: bool,
        enabled: Option<&star_opt::Options>,
    ) -> Result<Prepared<'s>, Diagnostic>
    where
        'a: 's,
    {
        let options = LowerOptions { checked, ..LowerOptions::default() };
        let runnable = Runnable::of(&subject.compilation, &options, enabled)?;
        let observed = self.coverage.map(|coverage| Observed::new(subject, checked, coverage));
        let observed = observed.transpose()?;
        let ready = self.machines.iter().map(|(spec, machine)| {
            let compiled = machine.compile(runnable.program.clone());
            Ok(Ready { spec, compiled: compiled? })
        });
        let ready = ready.collect::<Result<_, BackendError>>();
        let ready = ready.map_err(|error| refused_by_backend("a file cannot run", &error))?;
        Ok(Prepared { ready, runnable, observed })
    }

    fn test(
        &self,
        subject: &Subject,
        prepared: &Prepared<'_>,
        header: &Header,
        cases: &[Case],
        options: &HeaderOptions,
    ) -> Result<Row, Diagnostic> {
        let Prepared { runnable, observed, ready } = prepared;
        let routine = match runnable.of_header(header, &subject.headers) {
            Ok(routine) => routine,
            Err(fault) => return Ok(Row::early(fault)),
        };
        let mut limits = Vec::new();
        for (spec, _) in &self.machines {
            limits.push(options.limits.limits(&Machine::find(spec.backend)?)?);
        }
        let max_bytes = limits.iter().filter_map(|limits| limits.memory).min();
        let folder = subject.folder();
        let access = Access::new(&subject.file, self.args.imports.grants())?;
        let around = ReadContext {
            folder: &folder,
            access: &access,
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
            observed: observed.as_ref(),
            limits: &limits,
            access: &access,
        };
        let time = options.limits.max_time.unwrap_or(Duration::MAX);
        Ok(row::run(trial, cases, around, time))
    }
}

impl Row {
    /// Creates the result of a test of which no case could be run.
    fn early(diagnostic: Diagnostic) -> Self {
        let failure = Some(Failure::early(diagnostic));
        Row { n_run: 0, failure, interrupted: false, seconds: 0.0 }
    }
}

/// Returns the result of a test in a file that does not compile; `None` if it does.
fn compile_errors(subject: &Subject, header: &Header) -> Option<Row> {
    let errors: Vec<&Diagnostic> = subject.errors().collect();
    let first = errors.first()?;
    let expected = header.expectations.iter().find_map(|it| match it.what {
        Expected::Fails { code, line } => Some((code, line)),
        Expected::Value { .. }
        | Expected::Ensures(_)
        | Expected::SameAs(_)
        | Expected::Prints(_) => None,
    });
    let is_expected = |error: &&Diagnostic| {
        expected.is_some_and(|(code, line)| {
            error.code == code && line.is_none_or(|line| subject.is_on_line(error, line))
        })
    };
    if errors.iter().any(is_expected) {
        return Some(Row { n_run: 1, failure: None, interrupted: false, seconds: 0.0 });
    }
    let message = format!("the file does not compile: {} {}", first.code, first.message);
    let mut diagnostic = Diagnostic::at(Code::TestFails, header.span, message);
    if let Some(span) = first.span() {
        diagnostic = diagnostic.label(span, "the first error");
    }
    if errors.len() > 1 {
        let file = text::shell_word(&subject.file);
        diagnostic = diagnostic
            .note(format!("{} in all", text::count(errors.len(), "error")))
            .help(format!("`star check {file}` shows all errors"));
    }
    Some(Row::early(diagnostic))
}
