//! A whole program: which routines are lowered, in which order, and what is known of those that were analysed.

use std::collections::BTreeSet;

use star_base::{Diagnostic, Span};
use star_ir::{Block, LocId, Location, Locations};

use super::{Lowerer, Output, internal_fault};
use crate::flow::summary::{Summaries, callees_first, callees_of};
use crate::flow::webs::{self, Webs};
use crate::hir::{Program, RoutineId};

/// How to lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Overflow of `ADD` and `SUBT` is a trap.
    pub checked: bool,
    /// Calls of MIN, MAX, TCOPY1 and TCOPY2 become one operation instead of a call of their Star body.
    pub machine_ops: bool,
    /// Say in [`Lowered::costs`] which part of the source every operation that is counted stands for. The
    /// program does the same.
    pub cost_places: bool,
    /// Every source statement counts its elementary operations at its own end, instead of several
    /// together: for stepping.
    pub by_statement: bool,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions { checked: false, machine_ops: true, cost_places: false, by_statement: false }
    }
}

/// A lowered program.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: star_ir::Program,
    /// A `cost` statement counts for several statements of the source, and stands at the last one. Here
    /// are, for those with other places than their own, the places and what each of them counts. Empty
    /// unless it was asked for.
    pub costs: Vec<CostParts>,
    ids: Vec<Option<star_ir::RoutineId>>,
}

impl Lowered {
    /// The SIR routine of a HIR routine, if that was needed.
    pub fn routine(&self, id: RoutineId) -> Option<star_ir::RoutineId> {
        self.ids.get(id.0 as usize).copied().flatten()
    }
}

/// Lowers the routines `roots` and all that they call. The program has no errors so far; what only the
/// flow of values and sizes shows is reported: variables never set, sizes that cannot agree.
pub(crate) fn lower(
    program: &Program,
    roots: &[RoutineId],
    options: &LowerOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Lowered {
    let (mut analysed, needed, ids) = prepare(program, roots, options);
    let mut lowered = star_ir::Program::default();
    let mut costs = Vec::new();
    for id in needed {
        let locations = &mut lowered.locations;
        let made = analysed.lower(program, id, options, &ids, locations, diagnostics);
        if let Some((routine, of_routine)) = made {
            lowered.push(routine);
            costs.extend(of_routine);
        }
    }
    Lowered { program: lowered, costs, ids }
}

/// Reports what lowering the same routines does, and keeps nothing of them. Of the parameters of each routine: may it look at
/// what the caller gave?
pub(crate) fn diagnose(
    program: &Program,
    roots: &[RoutineId],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Vec<bool>> {
    let options = LowerOptions::default();
    let (mut analysed, needed, ids) = prepare(program, roots, &options);
    for id in needed {
        analysed.lower_alone(program, id, &options, Output::Dropped, &ids, diagnostics);
    }
    analysed.summaries.into_takes()
}

/// What is known of routines and all that they call, which of them are lowered, and as which ones.
fn prepare(
    program: &Program,
    roots: &[RoutineId],
    options: &LowerOptions,
) -> (Analysed, Vec<RoutineId>, Vec<Option<star_ir::RoutineId>>) {
    let mut analysed = Analysed::default();
    analysed.add(program, roots, options);
    let needed = reachable(program, roots, Bodies::lowered(options), |_| false);
    let mut ids = vec![None; program.routines.len()];
    for (idx, &id) in needed.iter().enumerate() {
        ids[id.0 as usize] = Some(star_ir::RoutineId(idx as u32));
    }
    (analysed, needed, ids)
}

/// What a `cost` statement with this location counts for: places and what each of them counts.
pub(super) type CostParts = (LocId, Vec<(Span, u64)>);

/// What the flow of values shows of routines, before they are lowered.
#[derive(Default)]
pub(super) struct Analysed {
    pub(super) summaries: Summaries,
    /// Is the routine with this number among them?
    is_known: Vec<bool>,
    /// What each of them calls.
    callees: Vec<Vec<usize>>,
    /// The webs of those that were not lowered yet.
    webs: Vec<Option<Webs>>,
}

impl Analysed {
    /// Analyses these routines and all that they call, machine operations included, unless that was done.
    pub(super) fn add(&mut self, program: &Program, roots: &[RoutineId], options: &LowerOptions) {
        let n_routines = program.routines.len();
        self.is_known.resize(n_routines, false);
        self.webs.resize_with(n_routines, || None);
        self.callees.resize_with(n_routines, Vec::new);
        let is_known = |id: RoutineId| self.is_known[id.0 as usize];
        let concerned = reachable(program, roots, Bodies::All, is_known);
        let order = callees_first(program, &concerned, is_known);
        self.summaries.add(program, &concerned);
        for id in order {
            let found = webs::analyse(program, id, &self.summaries, options.machine_ops);
            self.summaries.learn(id, found.assigns.clone(), found.takes.clone());
            self.webs[id.0 as usize] = Some(found);
            self.callees[id.0 as usize] = callees_of(program.routine(id));
            self.is_known[id.0 as usize] = true;
        }
    }

    /// Gives up routines and all that call them, directly or not; which ones that were.
    pub(super) fn forget(&mut self, changed: impl Fn(RoutineId) -> bool) -> Vec<RoutineId> {
        let ids = || (0..).map(RoutineId).take(self.is_known.len());
        let mut gone: Vec<bool> = ids().map(changed).collect();
        loop {
            let n_before = gone.iter().filter(|gone| **gone).count();
            for (idx, callees) in self.callees.iter().enumerate() {
                gone[idx] |= callees.iter().any(|&callee| gone[callee]);
            }
            if gone.iter().filter(|gone| **gone).count() == n_before {
                break;
            }
        }
        let gone: Vec<RoutineId> = ids().filter(|id| gone[id.0 as usize]).collect();
        for id in &gone {
            let idx = id.0 as usize;
            self.is_known[idx] = false;
            self.webs[idx] = None;
            self.callees[idx].clear();
        }
        gone
    }

    pub(super) fn truncate(&mut self, n_routines: usize) {
        self.is_known.truncate(n_routines);
        self.webs.truncate(n_routines);
        self.callees.truncate(n_routines);
    }

    /// Lowers a routine that was analysed and adds its locations to others; the routine, and what its `cost` statements
    /// count for, where that is not their own place.
    pub(super) fn lower(
        &mut self,
        program: &Program,
        id: RoutineId,
        options: &LowerOptions,
        ids: &[Option<star_ir::RoutineId>],
        all_locations: &mut Locations,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<(star_ir::Routine, Vec<CostParts>)> {
        let lowered = self.lower_alone(program, id, options, Output::Kept, ids, diagnostics);
        let (mut routine, locations, costs) = lowered?;
        let first = all_locations.len();
        let (kept, new_ids) = used_locations(&mut routine, locations, first);
        all_locations.append(kept);
        let costs = costs.into_iter();
        let costs = costs.filter_map(|(loc, parts)| Some((new_ids[loc.0 as usize]?, parts)));
        Some((routine, costs.collect()))
    }

    /// Lowers a routine that was analysed; the routine, its locations, numbered from 0, whether a statement has them or not, and
    /// what its `cost` statements count for.
    fn lower_alone(
        &mut self,
        program: &Program,
        id: RoutineId,
        options: &LowerOptions,
        output: Output,
        ids: &[Option<star_ir::RoutineId>],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<(star_ir::Routine, Vec<Location>, Vec<CostParts>)> {
        let Some(webs) = self.webs[id.0 as usize].take() else {
            let routine = program.routine(id);
            let what = format!("the webs of `{}` were not found", routine.name);
            diagnostics.push(internal_fault(routine.header, &what));
            return None;
        };
        if !program.routine(id).library {
            crate::flow::lints::never_set(program.routine(id), &webs, diagnostics);
            crate::flow::lints::forgotten_var(program.routine(id), &webs, diagnostics);
        }
        let lowerer = Lowerer::new(program, id, &webs, &self.summaries, options, ids, diagnostics);
        Some(Lowerer { output, ..lowerer }.routine())
    }
}

/// The locations that a statement or the header of a routine has, numbered from `first` on in the order of use; and
/// the new number of each.
fn used_locations(
    routine: &mut star_ir::Routine,
    locations: Vec<Location>,
    first: usize,
) -> (Vec<Location>, Vec<Option<LocId>>) {
    fn renumber(block: &mut Block, fresh: &mut impl FnMut(LocId) -> LocId) {
        for stmt in block {
            stmt.loc = fresh(stmt.loc);
            for nested in star_ir::visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
                renumber(nested, fresh);
            }
        }
    }
    let mut old: Vec<Option<Location>> = locations.into_iter().map(Some).collect();
    let mut new_ids: Vec<Option<LocId>> = vec![None; old.len()];
    let mut kept = Vec::with_capacity(old.len());
    let mut fresh = |loc: LocId| {
        let idx = loc.0 as usize;
        *new_ids[idx].get_or_insert_with(|| {
            kept.extend(old[idx].take());
            LocId((first + kept.len() - 1) as u32)
        })
    };
    let star_ir::Routine { loc, body, .. } = routine;
    *loc = fresh(*loc);
    renumber(body, &mut fresh);
    (kept, new_ids)
}

/// Which bodies count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bodies {
    /// All.
    All,
    /// Not those of library procedures that are one operation.
    NotOfMachineOps,
}

impl Bodies {
    /// Those that are lowered.
    pub(super) fn lowered(options: &LowerOptions) -> Bodies {
        if options.machine_ops { Bodies::NotOfMachineOps } else { Bodies::All }
    }
}

/// The routines that are needed, in the order of the source; those that are `known` already are left out, with what
/// they call.
pub(super) fn reachable(
    program: &Program,
    roots: &[RoutineId],
    bodies: Bodies,
    known: impl Fn(RoutineId) -> bool,
) -> Vec<RoutineId> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<RoutineId> = roots.to_vec();
    while let Some(id) = work.pop() {
        if known(id) || !seen.insert(id) {
            continue;
        }
        for callee in callees_of(program.routine(id)) {
            let callee = RoutineId(callee as u32);
            if bodies == Bodies::All || program.routine(callee).machine_op.is_none() {
                work.push(callee);
            }
        }
    }
    seen.into_iter().collect()
}
