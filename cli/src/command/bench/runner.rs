//! Benchmarks of a file: the file is compiled once, then the cases of its headers are bound and
//! measured one after another.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use clap::Parser;
use star::pipeline::{Argument, optimise};
use star_base::Random;
use star_base::{Code, Diagnostic, Kind, SourceMap, Span};
use star_compiler::LowerOptions;
use star_harness::{Case, Header, Purpose};
use star_os::access::Access;
use star_os::exit::Exit;
use star_os::flags::Flags;
use star_os::limits::LimitArgs;
use star_os::machines::Machine;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::sources::FileLoader;
use star_os::watchdog::{Scope, Sentry};
use star_report::live::Live;
use star_report::measure::Budget;
use star_report::record::{Row, RowError, Speed, Time};

use star_vm::CompileOptions;

use super::cases::{blank, parameters, published, size, title};
use super::contender::{KnownResult, Ready, Surroundings, error_of};
use super::peer::{PeerCommand, Values};
use super::rounds::{Entrant, Measured, measure};
use super::surroundings::Probe;
use super::targets::Target;
use super::{BenchArgs, Format, Which};
use crate::command::MAX_SHOWN;
use crate::headers::inputs::{ReadContext, inputs};
use crate::headers::test_file::{Routine, Runnable, Subject};
use crate::usage::{self, Refusal};

/// The options after `run`; their limits override those of the command.
#[derive(Parser, Debug)]
#[command(name = "run", no_binary_name = true, disable_help_flag = true)]
struct HeaderOptions {
    /// Trap on overflow of ADD or SUBT
    #[arg(long)]
    checked: bool,

    #[command(flatten)]
    limits: LimitArgs,
}

/// State shared by all files.
pub(super) struct Runner<'a> {
    pub(super) args: &'a BenchArgs,
    pub(super) machines: &'a [Machine],
    /// The passes, applied unless operations or calls are counted.
    pub(super) passes: star_opt::Options,
    pub(super) peers: Vec<PeerCommand>,
    /// The names of those that failed.
    pub(super) failed_peers: BTreeSet<String>,
    /// The titles and parameters of the cases that they ran: files with benchmarks of the same
    /// title share a plot.
    pub(super) peers_ran: BTreeSet<(String, String)>,
    /// The results of the routines of the current header, by parameters.
    pub(super) results: BTreeMap<String, Vec<KnownResult>>,
    pub(super) budget: Budget,
    pub(super) resolution: Duration,
    pub(super) random: Random,
    pub(super) loader: FileLoader,
    pub(super) flags: &'a Flags,
    pub(super) reporter: &'a Reporter,
    pub(super) rows: Vec<Row>,
    /// Exit code of the first row with an error.
    pub(super) exit: Exit,
    pub(super) live: Live,
    pub(super) output: &'a mut Output,
    /// Whether the user interrupted it or the reader closed the output.
    pub(super) ended: bool,
    /// The probe of the memory speed.
    pub(super) probe: Probe<'a>,
    /// Its results before the first measurement.
    pub(super) speeds: Option<Vec<Speed>>,
}

/// A benchmark: a header whose routine exists.
struct Benchmark<'a> {
    subject: &'a Subject,
    header: &'a Header,
    routine: &'a Routine,
    ready: Ready,
    access: &'a Access,
    limits: LimitArgs,
    /// The names of parameters that are bits.
    data: BTreeSet<String>,
    blank: Row,
}

impl Runner<'_> {
    /// Reads and checks a file.
    pub(super) fn read(&mut self, target: &Target) -> Subject {
        let _sentry = self.sentry();
        Subject::read(&target.path, self.loader.clone())
    }

    /// Measures the benchmarks of a file.
    pub(super) fn file(&mut self, target: &Target, subject: &Subject) {
        let sources = &subject.compilation.sources;
        for fault in &subject.faults {
            self.reporter.diagnostic(sources, fault);
        }
        if let Some(fault) = subject.faults.first() {
            // The readable headers are run nevertheless.
            self.failed(blank(&target.name, "headers"), fault, sources);
        }
        let wanted = self.wanted(target, subject);
        if wanted.is_empty() {
            return;
        }
        let sentry = self.sentry();
        let made = self.runnable(subject);
        drop(sentry);
        let mut last = None;
        for (header, blank) in wanted {
            if last.replace(header.span) != Some(header.span) {
                self.results.clear();
            }
            match &made {
                Ok(_) if self.ended => return,
                Ok((runnable, access)) => {
                    self.header(subject, header, (runnable, access), blank);
                }
                Err(diagnostic) => self.failed(blank, diagnostic, sources),
            }
        }
    }

    /// Returns the benchmarks of a file that the user wants, with their rows.
    fn wanted<'s>(&self, target: &Target, subject: &'s Subject) -> Vec<(&'s Header, Row)> {
        let mut titles: Vec<(String, Span)> = Vec::new();
        let mut wanted: Vec<(&Header, Row)> = Vec::new();
        for header in subject.headers.iter().filter(|header| header.is_benchmark()) {
            let title = title(header, &titles, &subject.compilation, &target.name);
            let mut blank = blank(&target.name, &title);
            blank.routine = header.routine.as_ref().map(|name| name.text.clone());
            titles.push((title, header.span));
            if self.is_wanted(&blank) {
                wanted.push((header, blank));
            }
        }
        wanted
    }

    /// Returns rows like those of a measurement that succeeds, each with the same time.
    pub(super) fn expected<'s>(
        &self,
        subjects: impl Iterator<Item = (&'s Target, &'s Subject)>,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        let time = Some(Time { median_s: 1.0, ..Time::default() });
        for (target, subject) in subjects {
            for (header, blank) in self.wanted(target, subject) {
                let Ok(mut cases) = header.cases(Purpose::Benchmark) else { continue };
                let data = data_names(subject, header);
                let blank = Row { size: size(header, &cases, &data), ..blank };
                rows.extend(published(header, &blank, &cases, &data));
                if self.args.quick {
                    cases.truncate(1);
                }
                for case in &cases {
                    let parameters = parameters(case, &data);
                    let row = Row { parameters, time: time.clone(), ..blank.clone() };
                    rows.extend(self.peers.iter().map(|peer| peer.expected(&row)));
                    let machines = self.machines.iter().map(|machine| machine.caps().name);
                    rows.extend(
                        machines.map(|name| Row { backend: Some(name.to_owned()), ..row.clone() }),
                    );
                }
            }
        }
        rows
    }

    /// Starts a watchdog for the compiler.
    fn sentry(&mut self) -> Sentry {
        self.output.flush();
        Sentry::over_compiler(self.flags, self.args.limits.bounds(Scope::Results), self.reporter)
    }

    /// Returns the program of a file and its file access, or the first of its errors, all of which
    /// are reported.
    fn runnable(&self, subject: &Subject) -> Result<(Runnable, Access), Box<Diagnostic>> {
        let Subject { compilation, file, .. } = subject;
        for error in subject.errors().take(MAX_SHOWN) {
            self.reporter.diagnostic(&compilation.sources, error);
        }
        if let Some(error) = subject.errors().next() {
            return Err(Box::new(error.clone()));
        }
        let access = Access::new(file, self.args.imports.grants())?;
        Ok((Runnable::of(compilation, &LowerOptions::default(), None)?, access))
    }

    fn is_wanted(&self, row: &Row) -> bool {
        self.args.figures.selection(self.args.filter.as_deref()).has(row)
    }

    fn header(
        &mut self,
        subject: &Subject,
        header: &Header,
        (runnable, access): (&Runnable, &Access),
        mut blank: Row,
    ) {
        // A header whose cases cannot be created was reported with the others.
        let Ok(mut cases) = header.cases(Purpose::Benchmark) else { return };
        let fails = |runner: &mut Self, diagnostic: &Diagnostic, blank: Row| {
            runner.reporter.diagnostic(&subject.compilation.sources, diagnostic);
            runner.failed(blank, diagnostic, &subject.compilation.sources);
        };
        let options = match options(header) {
            Ok(options) => options,
            Err(diagnostic) => return fails(self, &diagnostic, blank),
        };
        let sentry = self.sentry();
        let checked;
        let runnable = match &options {
            Some(HeaderOptions { checked: true, limits: _ }) => {
                let options = LowerOptions { checked: true, ..LowerOptions::default() };
                checked = match Runnable::of(&subject.compilation, &options, None) {
                    Ok(runnable) => runnable,
                    Err(diagnostic) => return fails(self, &diagnostic, blank),
                };
                &checked
            }
            Some(HeaderOptions { checked: false, limits: _ }) | None => runnable,
        };
        let routine = match runnable.of_header(header, &subject.headers) {
            Ok(routine) => routine,
            Err(diagnostic) => return fails(self, &diagnostic, blank),
        };
        let limits = match options {
            Some(options) => options.limits.or(&self.args.limits),
            None => self.args.limits.clone(),
        };
        blank.routine = Some(routine.entry.name.clone());
        let data = data_names(subject, header);
        blank.size = size(header, &cases, &data);
        let published = published(header, &blank, &cases, &data);
        let optimises = !limits.count_bodies();
        blank.variant = Some(variant(optimises, &self.passes));
        let mut program = runnable.program.clone();
        if optimises && let Err(diagnostic) = optimise(&mut program, &self.passes) {
            return fails(self, &diagnostic, blank);
        }
        drop(sentry);
        let ready = Ready { program, point: routine.point };
        let benchmark = Benchmark { subject, header, routine, ready, access, limits, data, blank };
        if self.args.quick {
            cases.truncate(1);
        }
        for case in &cases {
            if self.ended {
                return;
            }
            self.case(&benchmark, case);
        }
        self.rows.extend(published);
    }

    /// Measures a case and shows its rows.
    fn case(&mut self, benchmark: &Benchmark<'_>, case: &Case) {
        let parameters = parameters(case, &benchmark.data);
        let mut blank = Row { parameters, ..benchmark.blank.clone() };
        let begun = Instant::now();
        let sources = &benchmark.subject.compilation.sources;
        let arguments = match self.arguments(benchmark, case) {
            Ok(arguments) => arguments,
            Err(faults) => {
                self.ended = self.flags.stop().is_some();
                for fault in faults.iter().take(1) {
                    self.failed(blank.clone(), fault, sources);
                }
                return;
            }
        };
        blank.input_s = Some(begun.elapsed().as_secs_f64());
        let entrants = match self.entrants(&benchmark.limits) {
            Ok(entrants) => entrants,
            Err(diagnostic) => return self.failed(blank, &diagnostic, sources),
        };
        let parameters = blank.parameters_text();
        let entry = &benchmark.routine.entry;
        let by_ref = entry.params.iter().filter(|param| param.by_ref);
        let mut result_names: Vec<&str> = by_ref.map(|param| param.name.as_str()).collect();
        result_names.extend(benchmark.routine.point.result.map(|_| "value"));
        let expected = self.results.get(&parameters).cloned().unwrap_or_default();
        let around = Surroundings {
            result_names: &result_names,
            expected: &expected,
            flags: self.flags,
            reporter: self.reporter,
            access: benchmark.access,
            sources,
            ready: &benchmark.ready,
            arguments: &arguments,
            max_time: benchmark.limits.max_time,
            resolution: self.resolution,
        };
        if self.speeds.is_none() {
            self.speeds = Some(self.probe.run("before"));
        }
        let values = Values { routine: benchmark.routine, case, arguments: &arguments };
        let (budget, limits) = (self.budget, (self.flags, benchmark.limits.max_time));
        let has_peers = self.peers_ran.insert((blank.title.clone(), parameters.clone()));
        let peers = self.peers.iter().filter(|_| has_peers);
        let mut peers = peers.map(|peer| peer.start(values, budget, limits));
        let measured = measure(&blank, &entrants, &mut peers, budget, &mut self.random, &around);
        let Measured { rows, results, interrupted } = measured;
        self.ended |= interrupted;
        let known = self.results.entry(parameters).or_default();
        for (name, hash) in results.unwrap_or_default() {
            if known.iter().all(|other| other.name != name) {
                known.push(KnownResult { routine: entry.name.clone(), name, hash });
            }
        }
        rows.into_iter().for_each(|row| self.show(row));
    }

    /// Returns all requested backends, with and without intrinsics.
    fn entrants(&self, limits: &LimitArgs) -> Result<Vec<Entrant>, Diagnostic> {
        let mut entrants = Vec::new();
        for machine in self.machines {
            let bounds = limits.limits(machine)?;
            let both: &[bool] = match self.args.intrinsics {
                _ if machine.caps().intrinsics.is_empty() => &[false],
                // Limits on operations or calls disable intrinsics.
                _ if limits.count_bodies() => &[false],
                Which::On => &[true],
                Which::Off => &[false],
                Which::Both => &[true, false],
            };
            entrants.extend(both.iter().map(|&intrinsics| {
                let options = CompileOptions { intrinsics, ..limits.options() };
                Entrant { machine: machine.clone(), options, limits: bounds }
            }));
        }
        Ok(entrants)
    }

    /// Returns the values of a case.
    fn arguments(
        &self,
        benchmark: &Benchmark<'_>,
        case: &Case,
    ) -> Result<Vec<Argument>, Vec<Diagnostic>> {
        let mut max_bytes = u64::MAX;
        for machine in self.machines {
            let limits = benchmark.limits.limits(machine).map_err(|fault| vec![fault])?;
            max_bytes = max_bytes.min(limits.memory.unwrap_or(u64::MAX));
        }
        let folder = benchmark.subject.folder();
        let Runner { flags, reporter, .. } = self;
        let around =
            ReadContext { folder: &folder, access: benchmark.access, flags, reporter, max_bytes };
        Ok(inputs(benchmark.routine, benchmark.header, case, around)?.arguments)
    }

    /// Adds a row with an error, in place of everything that could not be measured.
    fn failed(&mut self, blank: Row, diagnostic: &Diagnostic, sources: &SourceMap) {
        let error = match diagnostic.code == Code::Interrupted {
            true => {
                RowError { code: "interrupted".to_owned(), message: diagnostic.message.clone() }
            }
            false => error_of(diagnostic, sources),
        };
        self.show(Row { error: Some(error), ..blank });
    }

    fn show(&mut self, row: Row) {
        if let (Some(error), Some(peer)) = (&row.error, &row.name)
            && error.code == Code::PeerFails.as_str()
            && self.failed_peers.insert(peer.clone())
        {
            // Once for each program: all of its cases usually fail for the same reason.
            let diagnostic = Diagnostic::new(Code::PeerFails, &error.message);
            self.reporter.diagnostic(&SourceMap::new(), &diagnostic);
        }
        if let Some(error) = &row.error
            && self.exit == Exit::Success
        {
            self.exit = match Code::parse(&error.code) {
                Some(code) => Exit::of(code),
                None => Exit::Internal,
            };
        }
        let line = match self.args.format {
            Format::Text => self.live.row(&row),
            Format::Json => star_report::json::line(&serde_json::json!({ "row": row })),
        };
        if !(self.output.write(&line) && self.output.flush()) {
            self.ended = true;
        }
        self.rows.push(row);
    }
}

/// Returns the names of the parameters of a header's routine that are bits; without its name, those
/// of all routines.
fn data_names(subject: &Subject, header: &Header) -> BTreeSet<String> {
    let entries = subject.compilation.entries().into_iter();
    let is_run = |name: &str| header.routine.as_ref().is_none_or(|routine| routine.text == name);
    let params = entries.filter(|entry| is_run(&entry.name)).flat_map(|entry| entry.params);
    let data = params.filter(|param| param.kind.known().is_some_and(Kind::is_data));
    data.map(|param| param.name).collect()
}

/// Returns the options after `run`, if any.
fn options(header: &Header) -> Result<Option<HeaderOptions>, Diagnostic> {
    let Some(given) = &header.options else { return Ok(None) };
    let parsed = HeaderOptions::try_parse_from(given.text.split_whitespace());
    parsed.map(Some).map_err(|error| match usage::refusal(&error, false) {
        Refusal::Fault(fault) => Diagnostic::at(Code::BadHeader, given.span, fault.message),
        Refusal::Answer(_) | Refusal::Help(_) => {
            Diagnostic::at(Code::BadHeader, given.span, "invalid options after `run`")
        }
    })
}

/// Returns the label of the enabled passes.
fn variant(optimises: bool, passes: &star_opt::Options) -> String {
    match (optimises, &passes.disabled[..]) {
        (false, _) => "as lowered".to_owned(),
        (true, []) => "default".to_owned(),
        (true, disabled) => format!("no {}", disabled.join(", ")),
    }
}
