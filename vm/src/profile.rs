//! Profile of a run: the costs of the program's lines and routines.
//!
//! Note [Charging]. The machine never reads the clock between every two instructions: that takes
//! longer than many of them. It polls a counter in memory that another thread increments about
//! every millisecond, and reads the clock when the counter has changed; the time since the last
//! reading is charged to the instruction that has just ended. So all of the time is charged, long
//! instructions get their actual time, and short ones their share on average. Operations and runs
//! are counted individually, and are exact.
//!
//! Note [Totals]. Any cost charged while a line is in the middle of a call is part of its total
//! too, once, even in recursion: the total of an open line is the cost charged since it was opened.
//! The effort is the same at any depth of calls.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use star_base::Intrinsic;
use star_ir::{LocId, Program, RoutineId};

/// Number of initial instructions after each of which the clock is read.
const READ_AT_FIRST: u64 = 10_000;

/// Number of instructions after which the clock is read without a tick. It is a prime, so that the
/// readings in a loop do not all fall on one instruction.
const MOST_UNREAD: u32 = 1021;

/// The source of the time; see Note [Charging] in `profile.rs`.
pub struct Clock {
    /// Changes when the time should be read.
    pub ticks: Arc<AtomicU64>,
    /// Returns the time in nanoseconds since an arbitrary moment.
    pub now: Box<dyn Fn() -> u64>,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("ticks", &self.ticks).finish_non_exhaustive()
    }
}

/// The line of each location in a program. Lines are numbered from 0 in an arbitrary order.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    /// The number of lines.
    pub count: usize,
    /// The line of each [`LocId`].
    pub of: Vec<u32>,
    /// For `cost` statements that count for several lines: those lines, and the amount for each of
    /// them.
    pub costs: Vec<(LocId, Vec<(u32, u64)>)>,
}

/// The costs charged to a line or a routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Nanoseconds spent there.
    pub time: u64,
    /// Nanoseconds spent there and in its callees.
    pub total_time: u64,
    /// Elementary operations counted there.
    pub operations: u64,
    /// Elementary operations counted there and in its callees.
    pub total_operations: u64,
    /// For a line, the number of executions: the maximum over its statements, where a loop counts
    /// once for each test of its next iteration. For a routine, the number of calls.
    pub runs: u64,
}

/// The costs of an intrinsic at one line; they are part of the costs of the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntrinsicTally {
    /// Number of executions.
    pub runs: u64,
    /// Nanoseconds spent in it.
    pub time: u64,
}

/// Distribution of the time and the elementary operations of a run; see
/// [`crate::Control::profile`].
#[derive(Debug)]
pub struct Profile {
    clock: Clock,
    /// The line of each location.
    line_of: Vec<u32>,
    /// For each location, the lines for which a `cost` statement there counts, if they are others.
    cost_parts: Vec<Vec<(u32, u64)>>,
    /// The costs of each line.
    pub lines: Vec<Tally>,
    /// The costs of each routine. An intrinsic is charged to its routine here, and among the lines
    /// to the one that calls it.
    pub routines: Vec<Tally>,
    /// Intrinsics, by the line that called them.
    pub intrinsics: BTreeMap<(u32, Intrinsic), IntrinsicTally>,
    /// Nanoseconds of the whole run; the sum over all lines, and the sum over all routines.
    pub time: u64,
    /// Number of readings of the clock.
    pub samples: u64,
    /// Elementary operations of the whole run; the same sums.
    operations: u64,
    open_lines: Vec<Open>,
    open_routines: Vec<Open>,
    /// Active routines, the entry first, each with the line that called it.
    stack: Vec<(u32, u32)>,
    seen: u64,
    last: u64,
    /// Number of instructions since the last reading.
    unread: u32,
}

/// A line or routine in the middle of calls.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// Number of active calls from there.
    depth: u64,
    /// The total charged when it was opened.
    time: u64,
    operations: u64,
}

impl Profile {
    /// Creates an empty profile.
    pub fn new(program: &Program, lines: LineTable, clock: Clock) -> Self {
        let n_routines = program.routines.len();
        let LineTable { count, of, costs } = lines;
        let mut cost_parts = vec![Vec::new(); of.len()];
        for (loc, parts) in costs {
            if let Some(place) = cost_parts.get_mut(loc.0 as usize) {
                *place = parts;
            }
        }
        Profile {
            clock,
            lines: vec![Tally::default(); count],
            routines: vec![Tally::default(); n_routines],
            intrinsics: BTreeMap::new(),
            time: 0,
            samples: 0,
            operations: 0,
            open_lines: vec![Open::default(); count],
            open_routines: vec![Open::default(); n_routines],
            stack: Vec::new(),
            seen: 0,
            last: 0,
            unread: 0,
            line_of: of,
            cost_parts,
        }
    }

    /// Returns the line of a location, [`u32::MAX`] if it has none.
    pub fn line(&self, loc: LocId) -> u32 {
        self.line_of.get(loc.0 as usize).copied().unwrap_or(u32::MAX)
    }

    /// Returns the lines for which a `cost` statement of this number of units counts, and the
    /// amount for each.
    pub fn charged_by(&self, loc: LocId, units: u64) -> Vec<(u32, u64)> {
        match self.cost_parts.get(loc.0 as usize) {
            Some(parts) if !parts.is_empty() => parts.clone(),
            Some(_) | None => vec![(self.line(loc), units)],
        }
    }

    /// Begins a run on a device that counts by itself; [`Profile::end_counted`] ends it.
    pub fn begin_counted(&mut self) {
        self.last = (self.clock.now)();
    }

    /// Ends a run for which a device has counted operations and runs of lines and routines. Its
    /// time was not measured in detail: it is distributed in proportion to operations, and charged
    /// to this line and routine if there were none.
    pub fn end_counted(
        &mut self,
        mut lines: Vec<Tally>,
        mut routines: Vec<Tally>,
        (line, routine): (u32, RoutineId),
    ) {
        let time = self.elapsed();
        share_time(&mut lines, time, line as usize);
        share_time(&mut routines, time, routine.0 as usize);
        (self.lines, self.routines, self.time) = (lines, routines, time);
    }

    /// Begins a run at this routine.
    pub(crate) fn begin(&mut self, program: &Program, entry: RoutineId) {
        // Never reached: at first the time is always read.
        self.seen = u64::MAX;
        self.last = (self.clock.now)();
        let header = program.routines.get(entry.0 as usize).map_or(u32::MAX, |r| self.line(r.loc));
        self.enter(header, entry);
    }

    /// Returns whether the time should be read: after a tick, or after many instructions without
    /// one, since on a busy machine ticks are late.
    #[inline]
    pub(crate) fn is_due(&mut self) -> bool {
        self.unread += 1;
        self.unread > MOST_UNREAD || self.clock.ticks.load(Ordering::Relaxed) != self.seen
    }

    /// Returns the nanoseconds since the previous call.
    #[cold]
    pub(crate) fn elapsed(&mut self) -> u64 {
        if self.samples >= READ_AT_FIRST {
            self.seen = self.clock.ticks.load(Ordering::Relaxed);
        }
        let now = (self.clock.now)();
        let elapsed = now.saturating_sub(self.last);
        self.last = now;
        self.unread = 0;
        self.samples += 1;
        elapsed
    }

    /// Charges time to a line of the active routine.
    pub(crate) fn charge(&mut self, line: u32, time: u64) {
        match self.stack.last() {
            Some((_, routine)) => self.charge_in(RoutineId(*routine), line, time),
            None => self.charge_line(line, time),
        }
    }

    /// Charges time to a line of a routine, which may have returned.
    fn charge_in(&mut self, routine: RoutineId, line: u32, time: u64) {
        add_time(&mut self.routines, &self.open_routines, routine.0 as usize, time);
        self.charge_line(line, time);
    }

    fn charge_line(&mut self, line: u32, time: u64) {
        self.time += time;
        add_time(&mut self.lines, &self.open_lines, line as usize, time);
    }

    /// Charges time to several lines of the active routine at once.
    pub(crate) fn charge_lines(&mut self, lines: &[u32], time: u64) {
        for (line, share) in lines.iter().zip(shares(time, lines.len())) {
            self.charge(*line, share);
        }
    }

    /// Charges time to several lines of these routines at once.
    pub(crate) fn charge_all(&mut self, lines: &[(RoutineId, u32)], time: u64) {
        for ((routine, line), share) in lines.iter().zip(shares(time, lines.len())) {
            self.charge_in(*routine, *line, share);
        }
    }

    /// Charges time to an intrinsic, whose routine is active; `header` is the line of that routine.
    pub(crate) fn charge_intrinsic(&mut self, intrinsic: Intrinsic, header: u32, time: u64) {
        let line = self.calling_line(header);
        self.charge(line, time);
        self.intrinsics.entry((line, intrinsic)).or_default().time += time;
    }

    /// Counts an execution of an intrinsic.
    pub(crate) fn count_intrinsic(&mut self, intrinsic: Intrinsic, header: u32) {
        let line = self.calling_line(header);
        self.intrinsics.entry((line, intrinsic)).or_default().runs += 1;
    }

    /// Returns the line that called the active routine; the caller of the entry is its own header.
    fn calling_line(&self, header: u32) -> u32 {
        match self.stack.as_slice() {
            [_, .., (caller, _)] => *caller,
            [] | [_] => header,
        }
    }

    /// Counts `units` elementary operations `times` times for the `cost` statement at `loc`.
    #[inline]
    pub(crate) fn cost(&mut self, loc: LocId, units: u64, times: u64) {
        match self.cost_parts.get(loc.0 as usize) {
            Some(parts) if !parts.is_empty() => {
                for idx in 0..parts.len() {
                    let (line, units) = self.cost_parts[loc.0 as usize][idx];
                    self.cost_of(line, units.saturating_mul(times));
                }
            }
            Some(_) | None => self.cost_of(self.line(loc), units.saturating_mul(times)),
        }
    }

    #[inline]
    fn cost_of(&mut self, line: u32, operations: u64) {
        self.operations = self.operations.saturating_add(operations);
        if let Some((_, routine)) = self.stack.last() {
            let routine = *routine as usize;
            add_operations(&mut self.routines, &self.open_routines, routine, operations);
        }
        add_operations(&mut self.lines, &self.open_lines, line as usize, operations);
    }

    /// Counts executions of a line.
    pub(crate) fn count_runs(&mut self, line: u32, runs: u64) {
        if let Some(tally) = self.lines.get_mut(line as usize) {
            tally.runs = tally.runs.max(runs);
        }
    }

    /// Records the call of a routine from a line.
    pub(crate) fn enter(&mut self, line: u32, callee: RoutineId) {
        // The entry is not part of a line.
        if !self.stack.is_empty() {
            open(&mut self.open_lines, line, self.time, self.operations);
        }
        open(&mut self.open_routines, callee.0, self.time, self.operations);
        if let Some(tally) = self.routines.get_mut(callee.0 as usize) {
            tally.runs += 1;
        }
        self.stack.push((line, callee.0));
    }

    /// Records the return from the innermost routine.
    pub(crate) fn leave(&mut self) {
        let Some((line, routine)) = self.stack.pop() else { return };
        let (time, operations) = (self.time, self.operations);
        close(&mut self.open_routines, &mut self.routines, routine, time, operations);
        if !self.stack.is_empty() {
            close(&mut self.open_lines, &mut self.lines, line, time, operations);
        }
    }

    /// Ends the run, in any routine: the remaining time is charged to this line.
    pub(crate) fn end(&mut self, program: &Program, line: u32) {
        let rest = self.elapsed();
        self.charge(line, rest);
        while !self.stack.is_empty() {
            self.leave();
        }
        for (idx, routine) in program.routines.iter().enumerate() {
            let (line, runs) = (self.line(routine.loc), self.routines[idx].runs);
            self.count_runs(line, runs);
        }
    }
}

/// Distributes time in proportion to operations; the shares add up to it.
fn share_time(tallies: &mut [Tally], time: u64, otherwise: usize) {
    let all: u128 = tallies.iter().map(|tally| u128::from(tally.operations)).sum();
    if all == 0 {
        if let Some(tally) = tallies.get_mut(otherwise) {
            (tally.time, tally.total_time) = (time, time);
        }
        return;
    }
    let share = |operations: u128| (u128::from(time) * operations.min(all) / all) as u64;
    let mut before = 0;
    for tally in tallies {
        let operations = before + u128::from(tally.operations);
        tally.time = share(operations) - share(before);
        tally.total_time = share(tally.total_operations.into()).max(tally.time);
        before = operations;
    }
}

/// Splits time into `count` equal parts; the first ones are longer by the remainder.
fn shares(time: u64, count: usize) -> impl Iterator<Item = u64> {
    let count = count.max(1) as u64;
    (0..count).map(move |idx| time / count + u64::from(idx < time % count))
}

fn add_time(tallies: &mut [Tally], open: &[Open], idx: usize, time: u64) {
    if let (Some(tally), Some(open)) = (tallies.get_mut(idx), open.get(idx)) {
        tally.time += time;
        if open.depth == 0 {
            tally.total_time += time;
        }
    }
}

#[inline]
fn add_operations(tallies: &mut [Tally], open: &[Open], idx: usize, operations: u64) {
    if let (Some(tally), Some(open)) = (tallies.get_mut(idx), open.get(idx)) {
        tally.operations = tally.operations.saturating_add(operations);
        if open.depth == 0 {
            tally.total_operations = tally.total_operations.saturating_add(operations);
        }
    }
}

fn open(opens: &mut [Open], idx: u32, time: u64, operations: u64) {
    if let Some(open) = opens.get_mut(idx as usize) {
        if open.depth == 0 {
            (open.time, open.operations) = (time, operations);
        }
        open.depth += 1;
    }
}

fn close(opens: &mut [Open], tallies: &mut [Tally], idx: u32, time: u64, operations: u64) {
    let idx = idx as usize;
    if let (Some(open), Some(tally)) = (opens.get_mut(idx), tallies.get_mut(idx)) {
        open.depth = open.depth.saturating_sub(1);
        if open.depth == 0 {
            tally.total_time += time - open.time;
            let counted = operations.saturating_sub(open.operations);
            tally.total_operations = tally.total_operations.saturating_add(counted);
        }
    }
}
