//! Profiling of the interpreter, without regard to speed.

use std::collections::HashMap;
use std::ptr;

use star_ir::{Block, LocId, Program, RoutineId, Stmt, StmtKind};

use crate::profile::Profile;

/// A profiler of the interpreter.
pub(super) struct Meter<'c> {
    profile: &'c mut Profile,
    /// Number of executions and line of each statement.
    statements: HashMap<*const Stmt, (u32, u64)>,
    /// Number of iteration tests and line of the loop with each body.
    iterations: HashMap<*const Block, (u32, u64)>,
    /// The current line.
    line: u32,
    /// The lines of active calls.
    callers: Vec<u32>,
}

impl<'c> Meter<'c> {
    /// Begins a run of `entry`.
    pub(super) fn new(program: &Program, entry: RoutineId, profile: &'c mut Profile) -> Self {
        profile.begin(program, entry);
        let header = program.routines.get(entry.0 as usize).map(|routine| routine.loc);
        let line = header.map_or(u32::MAX, |loc| profile.line(loc));
        let (statements, iterations) = (HashMap::new(), HashMap::new());
        Meter { profile, statements, iterations, line, callers: Vec::new() }
    }

    /// Records the beginning of a statement.
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        let line = self.go_to(stmt.loc);
        // A block consists only of its statements, and a `while` begins with its head.
        let begins = !matches!(
            stmt.kind,
            StmtKind::Block { .. } | StmtKind::While { .. } | StmtKind::Kernel(_)
        );
        if begins {
            self.statements.entry(ptr::from_ref(stmt)).or_insert((line, 0)).1 += 1;
        }
    }

    /// Records that a loop tests for its next iteration.
    pub(super) fn iteration(&mut self, body: &Block, loc: LocId) {
        let line = self.go_to(loc);
        self.iterations.entry(ptr::from_ref(body)).or_insert((line, 0)).1 += 1;
    }

    /// Counts operations.
    pub(super) fn cost(&mut self, loc: LocId, units: u64, times: u64) {
        self.profile.cost(loc, units, times);
    }

    /// Records the call of a routine.
    pub(super) fn enter(&mut self, loc: LocId, callee: RoutineId) {
        let line = self.go_to(loc);
        self.callers.push(line);
        self.profile.enter(line, callee);
    }

    /// Records the return from a routine.
    pub(super) fn leave(&mut self) {
        self.settle();
        self.profile.leave();
        if let Some(line) = self.callers.pop() {
            self.line = line;
        }
    }

    /// Ends the run.
    pub(super) fn end(self, program: &Program) {
        for (line, runs) in self.statements.values().chain(self.iterations.values()) {
            self.profile.count_runs(*line, *runs);
        }
        self.profile.end(program, self.line);
    }

    /// Charges the time so far to the previous line and switches to the line of `loc`.
    fn go_to(&mut self, loc: LocId) -> u32 {
        self.settle();
        self.line = self.profile.line(loc);
        self.line
    }

    fn settle(&mut self) {
        if self.profile.is_due() {
            let time = self.profile.elapsed();
            self.profile.charge(self.line, time);
        }
    }
}
