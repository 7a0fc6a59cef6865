//! What a profiled run is charged to: the lines of the program and its routines.
//!
//! Note [Charging]. The machine never asks what time it is between two instructions: that takes longer than
//! many of them. It looks at a counter in memory, which somebody else moves on about every millisecond, and
//! reads the clock when the counter has moved; the time since the last reading belongs to the instruction
//! that has just ended. So all of the time is charged to something, long instructions get what they take,
//! and short ones their share on average. Operations and runs are counted one by one, and are exact.
//!
//! Note [Totals]. Whatever is charged while a line is in the middle of a call belongs to its total too,
//! once, however often it is in there: the total of an open line is what was charged since it was opened.
//! This takes the same at any depth of calls.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use star_base::Intrinsic;
use star_ir::{LocId, Program, RoutineId};

/// Instructions after which the clock is read in any case.
const READ_AT_FIRST: u64 = 10_000;

/// What the time is read from; see Note [Charging] in `profile.rs`.
pub struct Clock {
    /// Moves on when it is worth reading the time.
    pub ticks: Arc<AtomicU64>,
    /// The time in nanoseconds, from any moment on.
    pub now: Box<dyn Fn() -> u64>,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("ticks", &self.ticks).finish_non_exhaustive()
    }
}

/// Which line each place of a program is on. LineTable are numbered from 0 as their finder likes.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    /// How many there are.
    pub count: usize,
    /// The line of each [`LocId`].
    pub of: Vec<u32>,
    /// For `cost` statements that count for several lines: those, and how much each of them counts.
    pub costs: Vec<(LocId, Vec<(u32, u64)>)>,
}

/// What was charged to a line or to a routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Nanoseconds spent there.
    pub time: u64,
    /// Nanoseconds spent there and in what it called.
    pub total_time: u64,
    /// Elementary operations counted there.
    pub operations: u64,
    /// Elementary operations counted there and in what it called.
    pub total_operations: u64,
    /// Of a line, how often it was run: the most that anything on it was begun, where a loop begins
    /// whenever it looks for its next turn. Of a routine, how often it was entered.
    pub runs: u64,
}

/// What an intrinsic was charged with at one line; it is part of what the line was charged with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntrinsicTally {
    /// How often it was taken.
    pub runs: u64,
    /// Nanoseconds spent in it.
    pub time: u64,
}

/// Where a run spends its time and its elementary operations; see [`crate::Control::profile`].
#[derive(Debug)]
pub struct Profile {
    clock: Clock,
    /// Which line each place is on.
    line_of: Vec<u32>,
    /// For each place the lines that a `cost` statement there counts for, if they are others.
    cost_parts: Vec<Vec<(u32, u64)>>,
    /// What was charged to each line.
    pub lines: Vec<Tally>,
    /// What was charged to each routine. An intrinsic is charged to its routine here, and among the lines to
    /// the one that calls it.
    pub routines: Vec<Tally>,
    /// Intrinsics, by the line that called them.
    pub intrinsics: BTreeMap<(u32, Intrinsic), IntrinsicTally>,
    /// Nanoseconds of the whole run; the sum of those of all lines, and of those of all routines.
    pub time: u64,
    /// How often the time was read.
    pub samples: u64,
    /// Elementary operations of the whole run; likewise.
    operations: u64,
    open_lines: Vec<Open>,
    open_routines: Vec<Open>,
    /// Active routines, the entry first, each with the line that called it.
    stack: Vec<(u32, u32)>,
    seen: u64,
    last: u64,
}

/// A line or routine in the middle of calls.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// How often it is in there.
    depth: u64,
    /// What was charged to anything when it was opened.
    time: u64,
    operations: u64,
}

impl Profile {
    /// Nothing is charged yet.
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
            line_of: of,
            cost_parts,
        }
    }

    /// The line of a place, [`u32::MAX`] if it is on none.
    pub fn line(&self, loc: LocId) -> u32 {
        self.line_of.get(loc.0 as usize).copied().unwrap_or(u32::MAX)
    }

    /// The lines that a `cost` statement of so many units counts for, and how much each.
    pub fn charged_by(&self, loc: LocId, units: u64) -> Vec<(u32, u64)> {
        match self.cost_parts.get(loc.0 as usize) {
            Some(parts) if !parts.is_empty() => parts.clone(),
            Some(_) | None => vec![(self.line(loc), units)],
        }
    }

    /// A run begins on a device that counts by itself; [`Profile::end_counted`] ends it.
    pub fn begin_counted(&mut self) {
        self.last = (self.clock.now)();
    }

    /// The run is over of which a device has counted operations and runs of lines and routines. Nobody saw its time go by: it
    /// is shared out in proportion to operations, and goes to these, a line and a routine, if there were none.
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

    /// The run begins with this routine.
    pub(crate) fn begin(&mut self, program: &Program, entry: RoutineId) {
        // Never reached: at first the time is worth reading always.
        self.seen = u64::MAX;
        self.last = (self.clock.now)();
        let header = program.routines.get(entry.0 as usize).map_or(u32::MAX, |r| self.line(r.loc));
        self.enter(header, entry);
    }

    /// Is it worth reading the time?
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.clock.ticks.load(Ordering::Relaxed) != self.seen
    }

    /// Nanoseconds since this was asked before.
    #[cold]
    pub(crate) fn elapsed(&mut self) -> u64 {
        if self.samples >= READ_AT_FIRST {
            self.seen = self.clock.ticks.load(Ordering::Relaxed);
        }
        let now = (self.clock.now)();
        let elapsed = now.saturating_sub(self.last);
        self.last = now;
        self.samples += 1;
        elapsed
    }

    /// Time that was spent on a line, in the routine that is active.
    pub(crate) fn charge(&mut self, line: u32, time: u64) {
        match self.stack.last() {
            Some((_, routine)) => self.charge_in(RoutineId(*routine), line, time),
            None => self.charge_line(line, time),
        }
    }

    /// Time that was spent on a line of a routine, which may have returned.
    fn charge_in(&mut self, routine: RoutineId, line: u32, time: u64) {
        add_time(&mut self.routines, &self.open_routines, routine.0 as usize, time);
        self.charge_line(line, time);
    }

    fn charge_line(&mut self, line: u32, time: u64) {
        self.time += time;
        add_time(&mut self.lines, &self.open_lines, line as usize, time);
    }

    /// Time that was spent on several lines of the active routine at once.
    pub(crate) fn charge_lines(&mut self, lines: &[u32], time: u64) {
        for (line, share) in lines.iter().zip(shares(time, lines.len())) {
            self.charge(*line, share);
        }
    }

    /// Time that was spent on several lines of these routines at once.
    pub(crate) fn charge_all(&mut self, lines: &[(RoutineId, u32)], time: u64) {
        for ((routine, line), share) in lines.iter().zip(shares(time, lines.len())) {
            self.charge_in(*routine, *line, share);
        }
    }

    /// Time that was spent in an intrinsic, whose routine is active; `header` is that one's line.
    pub(crate) fn charge_intrinsic(&mut self, intrinsic: Intrinsic, header: u32, time: u64) {
        let line = self.calling_line(header);
        self.charge(line, time);
        self.intrinsics.entry((line, intrinsic)).or_default().time += time;
    }

    /// An intrinsic was taken.
    pub(crate) fn count_intrinsic(&mut self, intrinsic: Intrinsic, header: u32) {
        let line = self.calling_line(header);
        self.intrinsics.entry((line, intrinsic)).or_default().runs += 1;
    }

    /// The line that called the active routine; the entry is called by its own header.
    fn calling_line(&self, header: u32) -> u32 {
        match self.stack.as_slice() {
            [_, .., (caller, _)] => *caller,
            [] | [_] => header,
        }
    }

    /// The `cost` statement at `loc` counted `units` elementary operations `times` times.
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

    /// Something on a line was begun so often.
    pub(crate) fn count_runs(&mut self, line: u32, runs: u64) {
        if let Some(tally) = self.lines.get_mut(line as usize) {
            tally.runs = tally.runs.max(runs);
        }
    }

    /// A line called a routine.
    pub(crate) fn enter(&mut self, line: u32, callee: RoutineId) {
        // The entry is no part of a line.
        if !self.stack.is_empty() {
            open(&mut self.open_lines, line, self.time, self.operations);
        }
        open(&mut self.open_routines, callee.0, self.time, self.operations);
        if let Some(tally) = self.routines.get_mut(callee.0 as usize) {
            tally.runs += 1;
        }
        self.stack.push((line, callee.0));
    }

    /// The routine that was called last is done.
    pub(crate) fn leave(&mut self) {
        let Some((line, routine)) = self.stack.pop() else { return };
        let (time, operations) = (self.time, self.operations);
        close(&mut self.open_routines, &mut self.routines, routine, time, operations);
        if !self.stack.is_empty() {
            close(&mut self.open_lines, &mut self.lines, line, time, operations);
        }
    }

    /// The run is over, in whatever routine: what is left of the time belongs to this line.
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

/// Time in proportion to operations; the shares add up to it.
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

/// Time in so many equal parts; the first ones are longer by what is left.
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
