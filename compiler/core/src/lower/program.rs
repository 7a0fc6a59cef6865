//! A whole program: which routines are lowered, in which order, and the results of their analysis.

use std::collections::BTreeSet;

use star_base::{Diagnostic, Span};
use star_ir::{Block, LocId, Location, Locations};

use super::{Lowerer, Output, internal_fault};
use crate::flow::summary::{Summaries, callees_first, callees_of, stores_to_field};
use crate::flow::webs::{self, Webs};
use crate::hir::{Program, RoutineId};

/// The options of lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Overflow of `ADD` and `SUBT` traps.
    pub checked: bool,
    /// Calls of MIN, MAX, TCOPY1 and TCOPY2 become a single operation instead of a call of their
    /// Star body.
    pub machine_ops: bool,
    /// Record in [`Lowered::costs`] the part of the source for which every counted operation
    /// stands. The program is unaffected.
    pub cost_places: bool,
    /// Every source statement counts its elementary operations at its end, instead of several
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
    /// A `cost` statement counts for several statements of the source, and has the location of the
    /// last one. For those that count for other positions, this lists the positions and the count
    /// of each. Empty unless requested.
    pub costs: Vec<CostParts>,
    ids: Vec<Option<star_ir::RoutineId>>,
}

impl Lowered {
    /// Returns the SIR routine of a HIR routine, if it was needed.
    pub fn routine(&self, id: RoutineId) -> Option<star_ir::RoutineId> {
        self.ids.get(id.0 as usize).copied().flatten()
    }
}

/// Lowers the routines `roots` and all that they call. The program has no errors so far. Reports
/// errors that only the flow of values and sizes shows: variables never set, sizes that cannot
/// agree.
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

/// Reports the same messages as lowering these routines, and discards the output. Returns, for each
/// parameter of each routine, whether the routine may read the value given by the caller.
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

/// Analyses routines and all that they call, and selects and numbers those to lower.
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

/// The parts of a `cost` statement with this location: positions and the count of each.
pub(super) type CostParts = (LocId, Vec<(Span, u64)>);

/// The results of analysing routines before they are lowered.
#[derive(Default)]
pub(super) struct Analysed {
    pub(super) summaries: Summaries,
    /// Was the routine with this number analysed?
    is_known: Vec<bool>,
    /// The callees of each routine.
    callees: Vec<Vec<usize>>,
    /// The webs of routines that were not lowered yet.
    webs: Vec<Option<Webs>>,
}

impl Analysed {
    /// Analyses these routines and all that they call, machine operations included, unless already
    /// done.
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

    /// Drops routines and all that call them, directly or not; returns the dropped ones.
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

    /// Lowers an analysed routine and appends its locations. Returns the routine, and the parts of
    /// those `cost` statements that count for other positions.
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

    /// Lowers an analysed routine. Returns the routine, its locations, numbered from 0 whether used
    /// or not, and the parts of its `cost` statements.
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
            crate::flow::parallel::lints(program, program.routine(id), &webs, diagnostics);
            crate::flow::lints::forgotten_var(program.routine(id), &webs, diagnostics);
            // Sessions have no lints of what is unused, nor does lowering repeat those of a check.
            if output == Output::Dropped {
                crate::flow::lints::unread_values(program.routine(id), &webs, diagnostics);
            }
        }
        let lowerer = Lowerer::new(program, id, &webs, &self.summaries, options, ids, diagnostics);
        Some(Lowerer { output, ..lowerer }.routine())
    }
}

/// Returns the locations used by a statement or the header of a routine, numbered from `first` in
/// the order of use, and the new number of each.
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

/// The bodies that count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bodies {
    /// All.
    All,
    /// All except those of library procedures that are a single operation.
    NotOfMachineOps,
}

impl Bodies {
    /// Returns the bodies that are lowered.
    pub(super) fn lowered(options: &LowerOptions) -> Bodies {
        if options.machine_ops { Bodies::NotOfMachineOps } else { Bodies::All }
    }
}

/// Returns the routines that are needed, in source order. Those already `known`, and their callees,
/// are omitted.
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
        let routine = program.routine(id);
        for callee in callees_of(routine) {
            let callee = RoutineId(callee as u32);
            let is_op = bodies == Bodies::NotOfMachineOps
                && program.routine(callee).machine_op.is_some()
                && !stores_to_field(routine, callee);
            if !is_op {
                work.push(callee);
            }
        }
    }
    seen.into_iter().collect()
}
