//! Charges a profile for what the interpreter does. Nothing here is written for speed.

use std::collections::HashMap;
use std::ptr;

use star_ir::{Block, LocId, Program, RoutineId, Stmt, StmtKind};

use crate::profile::Profile;

/// Watches the interpreter.
pub(super) struct Meter<'c> {
    profile: &'c mut Profile,
    /// How often each statement was begun, and on which line it is.
    statements: HashMap<*const Stmt, (u32, u64)>,
    /// How often the loop with each body looked for a turn, likewise.
    turns: HashMap<*const Block, (u32, u64)>,
    /// The line that is running.
    line: u32,
    /// The lines of calls that are running.
    callers: Vec<u32>,
}

impl<'c> Meter<'c> {
    /// The run of `entry` begins.
    pub(super) fn new(program: &Program, entry: RoutineId, profile: &'c mut Profile) -> Self {
        profile.begin(program, entry);
        let header = program.routines.get(entry.0 as usize).map(|routine| routine.loc);
        let line = header.map_or(u32::MAX, |loc| profile.line(loc));
        let (statements, turns) = (HashMap::new(), HashMap::new());
        Meter { profile, statements, turns, line, callers: Vec::new() }
    }

    /// A statement begins; for other rows than before if it is `repeated`.
    pub(super) fn statement(&mut self, stmt: &Stmt, repeated: bool) {
        let line = self.go_to(stmt.loc);
        // A block is only its statements, and a `while` begins with its head.
        let begins = !matches!(stmt.kind, StmtKind::Block { .. } | StmtKind::While { .. });
        if begins && !repeated {
            self.statements.entry(ptr::from_ref(stmt)).or_insert((line, 0)).1 += 1;
        }
    }

    /// A loop looks for its next turn.
    pub(super) fn turn(&mut self, body: &Block, loc: LocId, repeated: bool) {
        let line = self.go_to(loc);
        if !repeated {
            self.turns.entry(ptr::from_ref(body)).or_insert((line, 0)).1 += 1;
        }
    }

    /// Operations are counted.
    pub(super) fn cost(&mut self, loc: LocId, units: u64, times: u64) {
        self.profile.cost(loc, units, times);
    }

    /// A routine is called.
    pub(super) fn enter(&mut self, loc: LocId, callee: RoutineId) {
        let line = self.go_to(loc);
        self.callers.push(line);
        self.profile.enter(line, callee);
    }

    /// A routine is left.
    pub(super) fn leave(&mut self) {
        self.settle();
        self.profile.leave();
        if let Some(line) = self.callers.pop() {
            self.line = line;
        }
    }

    /// The run is over.
    pub(super) fn end(self, program: &Program) {
        for (line, runs) in self.statements.values().chain(self.turns.values()) {
            self.profile.count_runs(*line, *runs);
        }
        self.profile.end(program, self.line);
    }

    /// What was done up to here belongs to the line before.
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
