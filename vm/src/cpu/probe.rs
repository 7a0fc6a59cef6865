//! Observers of the interpreter: none, or a profile. The instruction loop is compiled once for
//! each, so that a run without a profile needs no check.

use std::collections::HashMap;
use std::ops::Range;

use star_base::Intrinsic;
use star_ir::{LocId, RoutineId};

use super::class::Class;
use super::code::{Code, RoutineCode};
use super::exec::random_forms::FormChange;
use super::inst::Inst;
use super::recording::Deferred;
use crate::profile::Profile;

/// Observes the interpreter. By default it notes nothing.
pub(super) trait Probe {
    /// Does the run have other ranks? See `ranks`.
    const ACROSS_RANKS: bool = false;

    /// Instruction `pc` of the current routine is about to begin; the preceding one is complete.
    #[inline(always)]
    fn begin(&mut self, _pc: usize) {}

    /// Returns the change of a table's form before this instruction, if any. See Note [Random
    /// forms] in `forms`.
    #[inline(always)]
    fn change_of_form(&mut self) -> Option<FormChange> {
        None
    }

    /// The instruction counts operations.
    #[inline(always)]
    fn cost(&mut self, _units: u64, _times: u64) {}

    /// The instruction has called a routine.
    #[inline(always)]
    fn called(&mut self, _callee: &RoutineCode) {}

    /// The instruction has left a routine, and the interpreter is back in `caller`.
    #[inline(always)]
    fn left(&mut self, _caller: &RoutineCode) {}

    /// The instruction has replaced the whole routine.
    #[inline(always)]
    fn intrinsic(&mut self, _intrinsic: Intrinsic) {}

    /// The instruction has done the work of those in `range`, each `runs` times.
    #[inline(always)]
    fn together(&mut self, _routine: &RoutineCode, _range: Range<usize>, _runs: u64) {}

    /// Before the instruction, those `deferred` are executed.
    #[inline(always)]
    fn flush(&mut self, _deferred: &[Deferred]) {}

    /// They have been executed.
    #[inline(always)]
    fn flushed(&mut self) {}
}

/// No observer.
#[derive(Debug)]
pub(super) struct NoProbe;

impl Probe for NoProbe {}

/// No observer, in a run with other ranks.
#[derive(Debug)]
pub(super) struct AcrossRanks;

impl Probe for AcrossRanks {
    const ACROSS_RANKS: bool = true;
}

/// A profile. It numbers instructions across the whole program.
#[derive(Debug)]
pub(super) struct ProfilingProbe<'p> {
    code: &'p Code,
    profile: &'p mut Profile,
    /// The first instruction of each routine.
    firsts: Vec<usize>,
    /// The first instruction of the current routine.
    first: usize,
    /// Number of executions of each instruction.
    runs: Vec<u64>,
    /// The location of each instruction.
    locs: Vec<LocId>,
    /// The lines that an instruction represents, if there are several.
    covered: HashMap<usize, Vec<u32>>,
    /// The current instruction.
    current: usize,
    /// The routines and lines whose work it did.
    worked_on: Vec<(RoutineId, u32)>,
}

impl<'p> ProfilingProbe<'p> {
    /// Begins the run of `entry`.
    pub(super) fn new(code: &'p Code, entry: RoutineId, profile: &'p mut Profile) -> Self {
        let mut firsts = Vec::with_capacity(code.routines.len());
        let mut locs = Vec::new();
        let mut covered: HashMap<usize, Vec<u32>> = HashMap::new();
        for routine in &code.routines {
            let first = locs.len();
            firsts.push(first);
            locs.extend(&routine.locs);
            for (pc, loc) in &routine.covered {
                let own = profile.line(routine.locs[*pc as usize]);
                let line = profile.line(*loc);
                if line != own {
                    let lines = covered.entry(first + *pc as usize).or_insert_with(|| vec![own]);
                    if !lines.contains(&line) {
                        lines.push(line);
                    }
                }
            }
        }
        let first = firsts.get(entry.0 as usize).copied().unwrap_or(0);
        let runs = vec![0; locs.len()];
        profile.begin(&code.program, entry);
        let (current, worked_on) = (first, Vec::new());
        ProfilingProbe { code, profile, firsts, first, runs, locs, covered, current, worked_on }
    }

    /// Ends the run.
    pub(super) fn end(self) {
        let line = self.line(self.current);
        for (idx, runs) in self.runs.iter().enumerate() {
            self.profile.count_runs(self.profile.line(self.locs[idx]), *runs);
        }
        for (idx, lines) in &self.covered {
            for line in lines {
                self.profile.count_runs(*line, self.runs[*idx]);
            }
        }
        self.profile.end(&self.code.program, line);
    }

    fn line(&self, inst: usize) -> u32 {
        self.locs.get(inst).map_or(u32::MAX, |loc| self.profile.line(*loc))
    }

    /// Charges the time since the last reading to the current instruction.
    #[cold]
    fn charge(&mut self) {
        let time = self.profile.elapsed();
        if !self.worked_on.is_empty() {
            self.profile.charge_all(&self.worked_on, time);
        } else if let Some(lines) = self.covered.get(&self.current) {
            self.profile.charge_lines(lines, time);
        } else {
            self.profile.charge(self.line(self.current), time);
        }
    }

    /// Charges outstanding costs before anything but the current instruction is charged.
    fn settle(&mut self) {
        if self.profile.is_due() {
            self.charge();
        }
    }
}

impl Probe for ProfilingProbe<'_> {
    #[inline]
    fn begin(&mut self, pc: usize) {
        if self.profile.is_due() {
            self.charge();
        }
        self.worked_on.clear();
        self.current = self.first + pc;
        self.runs[self.current] += 1;
    }

    #[inline]
    fn cost(&mut self, units: u64, times: u64) {
        self.profile.cost(self.locs[self.current], units, times);
    }

    fn called(&mut self, callee: &RoutineCode) {
        self.settle();
        self.profile.enter(self.line(self.current), callee.id);
        self.first = self.firsts[callee.id.0 as usize];
    }

    fn left(&mut self, caller: &RoutineCode) {
        self.settle();
        self.profile.leave();
        self.first = self.firsts[caller.id.0 as usize];
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic) {
        let header = self.line(self.current);
        self.profile.count_intrinsic(intrinsic, header);
        if self.profile.is_due() {
            let time = self.profile.elapsed();
            self.profile.charge_intrinsic(intrinsic, header, time);
        }
    }

    fn together(&mut self, routine: &RoutineCode, range: Range<usize>, runs: u64) {
        let first = self.firsts[routine.id.0 as usize];
        for pc in range {
            let inst = first + pc;
            self.runs[inst] = self.runs[inst].saturating_add(runs);
            let loc = self.locs[inst];
            let inst = routine.insts[pc];
            if let Inst::Cost { units } = inst {
                self.profile.cost(loc, u64::from(units), runs);
            }
            let works = match inst.class() {
                Class::Bitwise(_)
                | Class::Fill { .. }
                | Class::Load { .. }
                | Class::Store { .. }
                | Class::Query { .. }
                | Class::Other(_) => true,
                Class::Guard(_) | Class::Cost | Class::Scalar | Class::Control => false,
            };
            if works {
                self.worked_on.push((routine.id, self.profile.line(loc)));
            }
        }
    }
    fn flush(&mut self, deferred: &[Deferred]) {
        self.settle();
        let (profile, locs, firsts) = (&*self.profile, &self.locs, &self.firsts);
        let routines = &self.code.routines;
        self.worked_on.extend(deferred.iter().map(|Deferred { routine, pc }| {
            (routines[*routine].id, profile.line(locs[firsts[*routine] + pc]))
        }));
    }

    fn flushed(&mut self) {
        self.settle();
        self.worked_on.clear();
    }
}
