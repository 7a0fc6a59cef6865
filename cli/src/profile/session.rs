//! A profiled run: the clock for the interpreter, the lines of its locations, and the report.
//!
//! A thread advances the counter that the interpreter polls. It starts fast, to capture short runs,
//! and slows down to one tick per millisecond.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use star_base::{FileId, SourceMap, Span};
use star_compiler::Lowered;
use star_ir::{Program, RoutineId};
use star_report::profile::{self as report, Intrinsic, LineProfile, Routine};
use star_vm::Profile;
use star_vm::profile::{Clock, LineTable, Tally};

use super::clock::Stopwatch;
use crate::explain::Plan;

/// Minimum and maximum time between two ticks.
const TICK: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// The tick interval is the elapsed time divided by this.
const TICKS_PER_RUN: u32 = 2000;

/// A profile in progress.
pub(crate) struct Session {
    /// For the backend.
    pub(crate) profile: Profile,
    /// File and line, from 0, by the line number in the profile.
    places: Vec<(FileId, usize)>,
    _alive: Sender<()>,
}

impl Session {
    /// Starts the clock.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(crate) fn start(lowered: &Lowered, sources: &SourceMap) -> io::Result<Self> {
        let (lines, places) = lines(lowered, sources);
        let ticks = Arc::new(AtomicU64::new(0));
        let (alive, dropped) = mpsc::channel();
        let start = Instant::now();
        let watch = RefCell::new(Stopwatch::start());
        let now = move || {
            let read = watch.borrow_mut().read();
            u64::try_from(read.as_nanos()).unwrap_or(u64::MAX)
        };
        let moved = Arc::clone(&ticks);
        let (ready, is_ready) = mpsc::channel();
        thread::Builder::new().name("profiler".to_owned()).spawn(move || {
            // A short run may end before a new thread is scheduled.
            let _ = ready.send(());
            let wait = || (start.elapsed() / TICKS_PER_RUN).clamp(TICK.0, TICK.1);
            while dropped.recv_timeout(wait()) == Err(RecvTimeoutError::Timeout) {
                moved.fetch_add(1, Ordering::Relaxed);
            }
        })?;
        let _ = is_ready.recv();
        let profile = Profile::new(&lowered.program, lines, Clock { ticks, now: Box::new(now) });
        Ok(Session { profile, places, _alive: alive })
    }

    /// Returns the report. `wrapper` is a routine that is not part of the program; `plan` contains
    /// the results for the loops that begin on each line.
    pub(crate) fn report<'a>(
        &self,
        program: &Program,
        wrapper: Option<RoutineId>,
        sources: &'a SourceMap,
        title: &'a str,
        backend: &'static str,
        mut plan: Plan,
    ) -> report::Profile<'a> {
        let profile = &self.profile;
        let mut lines = Vec::new();
        for (number, (tally, (file, line_idx))) in (0..).zip(profile.lines.iter().zip(&self.places))
        {
            // A statement that a pass merged into another one still counts its operations.
            if tally.runs > 0 || tally.time > 0 || tally.operations > 0 {
                let intrinsics = profile.intrinsics.iter().filter(|((line, _), _)| *line == number);
                let intrinsics = intrinsics.map(|((_, intrinsic), tally)| Intrinsic {
                    name: intrinsic.signature().name.to_owned(),
                    runs: tally.runs,
                    time: tally.time,
                });
                let intrinsics = intrinsics.collect();
                let (file, line_idx) = (*file, *line_idx);
                let plan = plan.remove(&(file, line_idx)).unwrap_or_default();
                lines.push(LineProfile { file, line_idx, tally: of(tally), intrinsics, plan });
            }
        }
        lines.sort_by_key(|line| (line.file, line.line_idx));
        let mut routines = Vec::new();
        for (idx, (routine, tally)) in program.routines.iter().zip(&profile.routines).enumerate() {
            if tally.runs == 0 || wrapper.is_some_and(|wrapper| wrapper.0 as usize == idx) {
                continue;
            }
            let span = program.location(routine.loc).span;
            let (file, line_idx) = place(sources, span);
            let is_taken =
                |intrinsic| profile.intrinsics.keys().any(|(_, taken)| *taken == intrinsic);
            let intrinsic = routine.intrinsic.filter(|intrinsic| is_taken(*intrinsic));
            let intrinsic = intrinsic.map(|intrinsic| intrinsic.signature().name.to_owned());
            let name = routine.name.clone();
            routines.push(Routine { name, file, line_idx, tally: of(tally), intrinsic });
        }
        routines.sort_by_key(|routine| {
            (std::cmp::Reverse(routine.tally.time), routine.file, routine.line_idx)
        });
        let operations = profile.lines.iter().map(|tally| tally.operations);
        report::Profile {
            title,
            sources,
            backend,
            time: profile.time,
            samples: profile.samples,
            operations: operations.fold(0, u64::saturating_add),
            lines,
            routines,
        }
    }
}

/// Converts a tally for the report.
fn of(tally: &Tally) -> report::Tally {
    let Tally { time, total_time, operations, total_operations, runs } = *tally;
    report::Tally { time, total_time, operations, total_operations, runs }
}

/// Returns the line of every location of a program, and the position of each line.
fn lines(lowered: &Lowered, sources: &SourceMap) -> (LineTable, Vec<(FileId, usize)>) {
    let mut places = Vec::new();
    let mut numbers = HashMap::new();
    let mut number = |span: Span| {
        *numbers.entry(place(sources, span)).or_insert_with_key(|place| {
            places.push(*place);
            places.len() as u32 - 1
        })
    };
    let of = lowered.program.locations.iter().map(|location| number(location.span)).collect();
    let costs = lowered.costs.iter().map(|(loc, parts)| {
        (*loc, parts.iter().map(|(span, units)| (number(*span), *units)).collect())
    });
    let costs = costs.collect();
    (LineTable { count: places.len(), of, costs }, places)
}

/// Returns the file and line, from 0, at which a span begins.
fn place(sources: &SourceMap, span: Span) -> (FileId, usize) {
    let line_idx = sources.get(span.file).map_or(0, |file| file.line_index(span.start as usize));
    (span.file, line_idx)
}
