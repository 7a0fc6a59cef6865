//! A program on one backend, with or without intrinsics. One run tests whether it succeeds; the
//! others are timed.

use std::slice::from_ref;
use std::time::{Duration, Instant};

use star::pipeline::{
    Argument, Compiled, EntryPoint, LoadedRoutine, describe, refused_by_backend, unwrapped,
};
use star_base::{Code, Diagnostic, SourceMap};
use star_bind::{Settings, bytes::bytes_of};
use star_ir::{LimitKind, Program};
use star_os::access::Access;
use star_os::files::Console;
use star_os::flags::Flags;
use star_os::host::RunHost;
use star_os::output::Output;
use star_os::report::Reporter;
use star_os::watchdog::Sentry;
use star_report::measure::{Budget, Median, Sampler, repetitions};
use star_report::record::{IntrinsicUse, RowError};
use star_vm::{BackendError, Control, Limits, Outcome, Stats};

use super::hash::hash;
use crate::text;

/// Maximum size in bytes of the values of all repetitions within a sample.
const MAX_BYTES: u64 = 64 << 20;

/// A program ready to run.
pub(super) struct Ready {
    /// The program.
    pub(super) program: Program,
    /// Where it is entered.
    pub(super) point: EntryPoint,
}

/// The context of the runs of a case.
pub(super) struct Surroundings<'a> {
    /// Set by Ctrl-C.
    pub(super) flags: &'a Flags,
    /// Receives warnings.
    pub(super) reporter: &'a Reporter,
    /// The files that the program may access.
    pub(super) access: &'a Access,
    /// The source texts of the program.
    pub(super) sources: &'a SourceMap,
    /// The program.
    pub(super) ready: &'a Ready,
    /// The arguments of every run.
    pub(super) arguments: &'a [Argument],
    /// The names of the results: `var` parameters, and `value` for that of a function.
    pub(super) result_names: &'a [&'a str],
    /// The results of other routines with the same arguments.
    pub(super) expected: &'a [KnownResult],
    /// Time limit of a run.
    pub(super) max_time: Option<Duration>,
    /// Resolution of the clock.
    pub(super) resolution: Duration,
}

/// A result of the first routine that has one of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownResult {
    /// The routine.
    pub(super) routine: String,
    /// The name of the result.
    pub(super) name: String,
    /// Its hash.
    pub(super) hash: String,
}

/// The reason why a run failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// An error of the program or the machine.
    Error(RowError),
    /// An interrupt by the user.
    Interrupted,
}

/// A program on one backend.
pub(super) struct Contender {
    /// The name of the backend.
    pub(super) backend: &'static str,
    /// Whether intrinsics are used.
    pub(super) intrinsics: IntrinsicUse,
    compiled: Compiled,
    limits: Limits,
    sampler: Sampler,
    repetitions: usize,
    loads: Vec<f64>,
    devices: Vec<f64>,
    /// Statistics of the first run.
    pub(super) stats: Stats,
    /// Hash of the results and the output of the first run.
    pub(super) hash: String,
    /// The names of the results of the first run, and their hashes.
    pub(super) results: Vec<(String, String)>,
}

/// Consecutive runs.
struct Batch {
    /// Seconds per run.
    run: f64,
    /// Seconds per load.
    load: f64,
    /// Device seconds per run, if the device measures them.
    device: Option<f64>,
    stats: Stats,
    printed: String,
    last: LoadedRoutine,
}

impl Contender {
    /// Runs the program once or a few times without measuring it.
    ///
    /// # Errors
    /// If a run fails.
    pub(super) fn warm_up(
        (backend, intrinsics): (&'static str, IntrinsicUse),
        compiled: Compiled,
        (limits, budget): (Limits, Budget),
        around: &Surroundings<'_>,
    ) -> Result<Self, Failed> {
        let mut contender = Contender {
            backend,
            intrinsics,
            compiled,
            limits,
            sampler: Sampler::new(budget),
            repetitions: 1,
            loads: Vec::new(),
            devices: Vec::new(),
            stats: Stats::default(),
            hash: String::new(),
            results: Vec::new(),
        };
        let first = contender.batch(around, 1)?;
        contender.stats = first.stats;
        let results = first.last.into_results(&around.flags.interrupt);
        let results = results.map_err(|error| refused("no memory for the results", &error))?;
        contender.hash = hash(&results, &first.printed);
        let named = around.result_names.iter().zip(&results);
        let named = named.map(|(name, value)| ((*name).to_owned(), hash(from_ref(value), "")));
        contender.results = named.collect();
        drop(results);
        let mut one = Duration::from_secs_f64(first.run);
        if budget.max_runs > 1 && one < around.resolution * 10_000 {
            // The first run is slow, since the caches are empty.
            one = one.min(Duration::from_secs_f64(contender.batch(around, 1)?.run));
        }
        let n_bytes: u64 = around.arguments.iter().map(|it| bytes_of(&it.value)).sum();
        // Values created in a run count in addition to its arguments.
        let n_bytes = n_bytes.max(contender.stats.peak_bytes);
        contender.repetitions = repetitions(one, around.resolution, n_bytes, MAX_BYTES);
        Ok(contender)
    }

    /// Tests whether there are enough samples.
    pub(super) fn is_done(&self) -> bool {
        self.sampler.stop().is_some()
    }

    /// Takes a sample.
    ///
    /// # Errors
    /// If a run fails.
    pub(super) fn sample(&mut self, around: &Surroundings<'_>) -> Result<(), Failed> {
        let begun = Instant::now();
        let batch = self.batch(around, self.repetitions)?;
        self.loads.push(batch.load);
        self.devices.extend(batch.device);
        self.sampler.add(batch.run, begun.elapsed());
        Ok(())
    }

    /// Returns the samples in seconds, and whether their interval is narrow enough.
    pub(super) fn samples(&self) -> (&[f64], bool) {
        (self.sampler.samples(), self.sampler.is_narrow())
    }

    /// Returns the number of runs within a sample.
    pub(super) fn repetitions(&self) -> usize {
        self.repetitions
    }

    /// Returns the median load time in seconds.
    pub(super) fn load(&self) -> Option<f64> {
        Median::of(&self.loads).map(|median| median.median)
    }

    /// Returns the median device time in seconds, if the device measures it.
    pub(super) fn device(&self) -> Option<f64> {
        Median::of(&self.devices).map(|median| median.median)
    }

    fn batch(&self, around: &Surroundings<'_>, n: usize) -> Result<Batch, Failed> {
        let flags = around.flags.without_deadline();
        let clock = around.max_time.map(|time| Sentry::clock(&flags, time)).transpose();
        let clock = clock.map_err(|error| Failed::Error(error_of(&error, &SourceMap::new())))?;
        let mut load = Duration::ZERO;
        let entry = around.ready.point.routine;
        let mut loaded: Vec<LoadedRoutine> = Vec::new();
        for _ in 0..n {
            let arguments = around.arguments.to_vec();
            let begun = Instant::now();
            let (memory, interrupt) = (self.limits.memory, &flags.interrupt);
            let ready = self.compiled.load_laid_out(entry, arguments, memory, interrupt);
            let ready = ready.map_err(|error| refused("no memory for the arguments", &error))?;
            load += begun.elapsed();
            loaded.push(ready);
        }
        let settings = Settings::default();
        let console = Console { flags: &flags, reporter: around.reporter };
        let mut output = Output::kept();
        let mut host = RunHost::new(&mut output, around.access, console, &settings);
        let mut stats = Stats::default();
        let mut device = None;
        let begun = Instant::now();
        for ready in &mut loaded {
            let mut control = Control {
                interrupt: &flags.interrupt,
                deadline: &flags.deadline,
                limits: self.limits,
                host: &mut host,
                profile: None,
                stats: Stats::default(),
            };
            let outcome = ready.run(&mut control);
            stats = control.stats;
            if let Some(seconds) = stats.counters.device_seconds() {
                *device.get_or_insert(0.0) += seconds / n as f64;
            }
            if outcome != Outcome::Done {
                return Err(failed(outcome, around));
            }
        }
        // The clock may not have advanced, but a time must be positive.
        let run = begun.elapsed().max(Duration::from_nanos(1)).as_secs_f64() / n as f64;
        drop(clock);
        let last = loaded.pop().ok_or(Failed::Interrupted)?;
        let load = load.as_secs_f64() / n as f64;
        Ok(Batch { run, load, device, stats, printed: output.into_text(), last })
    }
}

/// Returns the failure of a backend operation; `what` names the operation.
pub(super) fn refused(what: &str, error: &BackendError) -> Failed {
    let diagnostic = refused_by_backend(what, error);
    match diagnostic.code {
        Code::Interrupted => Failed::Interrupted,
        _ => Failed::Error(error_of(&diagnostic, &SourceMap::new())),
    }
}

/// Returns the reason why a run failed.
fn failed(outcome: Outcome, around: &Surroundings<'_>) -> Failed {
    if let Outcome::Limit { kind: LimitKind::Interrupted, .. } = outcome {
        return Failed::Interrupted;
    }
    let outcome = unwrapped(outcome, around.ready.point.is_function());
    let diagnostic = describe(outcome, &around.ready.program);
    if diagnostic.code == Code::Interrupted {
        return Failed::Interrupted;
    }
    Failed::Error(error_of(&diagnostic, around.sources))
}

/// Formats a diagnostic with its position on one line.
pub(super) fn error_of(diagnostic: &Diagnostic, sources: &SourceMap) -> RowError {
    let code = diagnostic.code.as_str().to_owned();
    let place = diagnostic.labels.first().and_then(|label| {
        let file = sources.get(label.span.file)?;
        let at = file.line_column(label.span.start as usize);
        Some(format!(" ({}:{}:{})", file.name(), at.line, at.column))
    });
    let message = text::one_line(&diagnostic.message) + &place.unwrap_or_default();
    RowError { code, message }
}
