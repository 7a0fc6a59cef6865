//! From HIR to SIR: one routine at a time.
//!
//! What lowering takes care of: every web becomes a variable with a symbolic size (Note [Webs]); every
//! check that is not plainly superfluous stands in front of the operation that needs it (Note
//! [Guards] in star-ir); evaluation is from left to right; value arguments that a call could change
//! are copied; elementary operations are counted.
//!
//! Note [Facts]. What was established on every way to the statement at hand (a size found out, a
//! variable checked) is kept in a set, so that it is not emitted again. Behind a nested block only
//! what was known before it and still is after it counts; at the head of a loop, what a turn could undo
//! is forgotten.

mod bits;
mod cache;
mod call;
mod expr;
mod header;
mod internal;
mod mismatch;
mod places;
mod poly;
mod shape;
mod sizes;
mod stmt;

use std::collections::{BTreeMap, BTreeSet};

use star_base::{Diagnostic, Span};
use star_ir::{
    Block, Check, Extent, LabelId, LocId, Location, Locations, Mode, Op, Param, Stmt, StmtKind, Ty,
    Var, VarId,
};

use crate::flow::summary::{ParamEffects, Summaries, callees_first, callees_of};
use crate::flow::webs::{self, Webs};
use crate::hir::{self, Kind, LocalId, MachineOp, Program, Role, Routine, RoutineId};
pub(crate) use cache::LoweringCache;
pub(crate) use internal::internal_fault;
use sizes::{Ext, Exts, SizeKey};

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
    /// Of the parameters of each HIR routine: may it look at what the caller gave?
    takes: Vec<Vec<bool>>,
}

impl Lowered {
    /// The SIR routine of a HIR routine, if that was needed.
    pub fn routine(&self, id: RoutineId) -> Option<star_ir::RoutineId> {
        self.ids.get(id.0 as usize).copied().flatten()
    }

    /// The parameters of all HIR routines that these may look at as they are given.
    pub(crate) fn into_takes(self) -> Vec<Vec<bool>> {
        self.takes
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
    let mut analysed = Analysed::default();
    analysed.add(program, roots, options);
    let needed = reachable(program, roots, Bodies::lowered(options), |_| false);
    let mut ids = vec![None; program.routines.len()];
    for (idx, &id) in needed.iter().enumerate() {
        ids[id.0 as usize] = Some(star_ir::RoutineId(idx as u32));
    }
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
    Lowered { program: lowered, costs, ids, takes: analysed.summaries.into_takes() }
}

/// What a `cost` statement with this location counts for: places and what each of them counts.
type CostParts = (LocId, Vec<(Span, u64)>);

/// What the flow of values shows of routines, before they are lowered.
#[derive(Default)]
struct Analysed {
    summaries: Summaries,
    /// Is the routine with this number among them?
    is_known: Vec<bool>,
    /// What each of them calls.
    callees: Vec<Vec<usize>>,
    /// The webs of those that were not lowered yet.
    webs: Vec<Option<Webs>>,
}

impl Analysed {
    /// Analyses these routines and all that they call, machine operations included, unless that was done.
    fn add(&mut self, program: &Program, roots: &[RoutineId], options: &LowerOptions) {
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
    fn forget(&mut self, changed: impl Fn(RoutineId) -> bool) -> Vec<RoutineId> {
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

    fn truncate(&mut self, n_routines: usize) {
        self.is_known.truncate(n_routines);
        self.webs.truncate(n_routines);
        self.callees.truncate(n_routines);
    }

    /// Lowers a routine that was analysed and adds its locations to others; the routine, and what its `cost` statements
    /// count for, where that is not their own place.
    fn lower(
        &mut self,
        program: &Program,
        id: RoutineId,
        options: &LowerOptions,
        ids: &[Option<star_ir::RoutineId>],
        all_locations: &mut Locations,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<(star_ir::Routine, Vec<CostParts>)> {
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
        let (mut routine, locations, costs) = lowerer.routine();
        let first = all_locations.len();
        let (kept, new_ids) = used_locations(&mut routine, locations, first);
        all_locations.append(kept);
        let costs = costs.into_iter();
        let costs = costs.filter_map(|(loc, parts)| Some((new_ids[loc.0 as usize]?, parts)));
        Some((routine, costs.collect()))
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
enum Bodies {
    /// All.
    All,
    /// Not those of library procedures that are one operation.
    NotOfMachineOps,
}

impl Bodies {
    /// Those that are lowered.
    fn lowered(options: &LowerOptions) -> Bodies {
        if options.machine_ops { Bodies::NotOfMachineOps } else { Bodies::All }
    }
}

/// The routines that are needed, in the order of the source; those that are `known` already are left out, with what
/// they call.
fn reachable(
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

/// See Note [Facts].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    /// The variable that holds the size was assigned.
    Size(SizeKey),
    /// The table with declared sizes was made.
    Made(LocalId),
    /// The integer parameter that is a size was checked.
    NotNegative(LocalId),
    /// The variable was checked and found set.
    Set(VarId),
    /// The variable was checked and found to have a size.
    Sized(VarId),
}

/// Where `break` and `continue` go.
struct LoopLabels {
    on_break: LabelId,
    on_continue: Jump,
    /// Was there a `break`?
    broken: bool,
    /// Was there a `continue`?
    continued: bool,
}

#[derive(Clone, Copy)]
enum Jump {
    Break(LabelId),
    Continue(LabelId),
}

struct Lowerer<'a> {
    program: &'a Program,
    id: RoutineId,
    r: &'a Routine,
    webs: &'a Webs,
    summaries: &'a Summaries,
    options: &'a LowerOptions,
    ids: &'a [Option<star_ir::RoutineId>],
    /// Those of the routine, numbered from 0.
    locations: Vec<Location>,
    /// See [`Lowered::costs`].
    costs: Vec<CostParts>,
    diagnostics: &'a mut Vec<Diagnostic>,
    known_locs: BTreeMap<(Span, bool), LocId>,
    vars: Vec<Var>,
    names: BTreeMap<String, u32>,
    web_vars: Vec<Option<VarId>>,
    web_exts: Vec<Exts>,
    size_vars: BTreeMap<SizeKey, VarId>,
    facts: BTreeSet<Fact>,
    block: Block,
    /// Elementary operations not yet put into a `cost` statement.
    cost: u64,
    /// The places that it comes from, if they are asked for.
    cost_parts: Vec<(Span, u64)>,
    loc: LocId,
    n_labels: u32,
    n_temps: u32,
    loops: Vec<LoopLabels>,
    in_size: bool,
}

impl<'a> Lowerer<'a> {
    fn new(
        program: &'a Program,
        id: RoutineId,
        webs: &'a Webs,
        summaries: &'a Summaries,
        options: &'a LowerOptions,
        ids: &'a [Option<star_ir::RoutineId>],
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Lowerer {
            program,
            id,
            r: program.routine(id),
            webs,
            summaries,
            options,
            ids,
            locations: Vec::new(),
            costs: Vec::new(),
            diagnostics,
            known_locs: BTreeMap::new(),
            vars: Vec::new(),
            names: BTreeMap::new(),
            web_vars: vec![None; webs.web_local.len()],
            web_exts: Vec::new(),
            size_vars: BTreeMap::new(),
            facts: BTreeSet::new(),
            block: Block::new(),
            cost: 0,
            cost_parts: Vec::new(),
            loc: LocId(0),
            n_labels: 0,
            n_temps: 0,
            loops: Vec::new(),
            in_size: false,
        }
    }

    /// The routine, with its locations and what its `cost` statements count for.
    fn routine(mut self) -> (star_ir::Routine, Vec<Location>, Vec<CostParts>) {
        let header = self.location(self.r.header, &[], false);
        self.loc = header;
        self.infer_exts();
        let params: Vec<Param> = self
            .r
            .params
            .iter()
            .enumerate()
            .map(|(idx, &param)| {
                let by_ref = self.r.local(param).role == Role::Ref;
                Param {
                    var: self.local_var(param),
                    mode: if by_ref { Mode::Ref } else { Mode::Value },
                    set_at_end: by_ref && self.summaries.assigns(self.id, idx),
                }
            })
            .collect();
        let result = self.r.result.map(|result| self.local_var(result));
        self.bind_sizes();
        self.check_header();
        self.sizes_at_entry();
        let routine = self.r;
        if self.stmts(&routine.body) {
            self.leave();
        }
        self.flush_cost();
        let routine = star_ir::Routine {
            name: self.r.name.clone(),
            params,
            result,
            vars: self.vars,
            body: self.block,
            loc: header,
            native: self.r.native,
        };
        (routine, self.locations, self.costs)
    }

    fn effects(&self, local: LocalId) -> ParamEffects {
        self.summaries.effects(self.id, local)
    }

    fn machine_op(&self, callee: RoutineId) -> Option<MachineOp> {
        self.program.routine(callee).machine_op.filter(|_| self.options.machine_ops)
    }

    // ---- variables ----

    /// The SIR variable of a local in the web that it starts in.
    fn local_var(&mut self, local: LocalId) -> VarId {
        self.web_var(self.webs.entry_web(local))
    }

    fn place_var(&mut self, place: hir::VarUse) -> VarId {
        // The analysis has not seen the mentions in declared sizes, nor those that control does not reach.
        match self.webs.web(place.site).filter(|_| !self.in_size) {
            Some(web) => self.web_var(web),
            None => self.local_var(place.local),
        }
    }

    fn web_var(&mut self, web: u32) -> VarId {
        if let Some(var) = self.web_vars[web as usize] {
            return var;
        }
        let local = self.webs.web_local[web as usize];
        let declared = self.r.local(local);
        let (first, second) = self.web_exts[web as usize];
        let ty = match declared.ty {
            hir::Ty::Int => Ty::Int,
            hir::Ty::Bool => Ty::Bool,
            hir::Ty::Str => Ty::Str,
            hir::Ty::Handle => Ty::Handle,
            hir::Ty::Slice(_) => Ty::Slice(self.extent(first)),
            hir::Ty::Word(_) => Ty::Word(self.extent(first)),
            hir::Ty::Table(..) => Ty::Table(self.extent(first), self.extent(second)),
        };
        let sized = match &declared.ty {
            hir::Ty::Int | hir::Ty::Bool | hir::Ty::Str | hir::Ty::Handle => false,
            hir::Ty::Slice(size) | hir::Ty::Word(size) => size.is_some(),
            hir::Ty::Table(rows, columns) => rows.is_some() && columns.is_some(),
        };
        // Asking for the extents may have made this variable already.
        if let Some(var) = self.web_vars[web as usize] {
            return var;
        }
        let var = self.new_var(&declared.name.clone(), ty, Some(declared.name.clone()), sized);
        self.web_vars[web as usize] = Some(var);
        var
    }

    fn new_var(&mut self, name: &str, ty: Ty, source: Option<String>, sized: bool) -> VarId {
        let mut unique = name.to_owned();
        while self.names.contains_key(&unique) {
            let count = self.names.entry(name.to_owned()).or_insert(1);
            *count += 1;
            unique = format!("{name}.{count}");
        }
        self.names.insert(unique.clone(), 1);
        let var = VarId(self.vars.len() as u32);
        self.vars.push(Var { name: unique, ty, source, sized });
        var
    }

    fn temp(&mut self, ty: Ty) -> VarId {
        self.n_temps += 1;
        // No name of a source is a number, so that it belongs to this one alone.
        let var = VarId(self.vars.len() as u32);
        let name = self.n_temps.to_string();
        self.vars.push(Var { name, ty, source: None, sized: false });
        var
    }

    fn temp_of(&mut self, kind: Kind, exts: Exts) -> VarId {
        let ty = match kind {
            Kind::Error => {
                self.fault("a value without a type");
                Ty::Int
            }
            Kind::Int => Ty::Int,
            Kind::Bool => Ty::Bool,
            Kind::Str => Ty::Str,
            Kind::Handle => Ty::Handle,
            Kind::Slice => Ty::Slice(self.settled(exts.0)),
            Kind::Word => Ty::Word(self.settled(exts.0)),
            Kind::Table => Ty::Table(self.settled(exts.0), self.settled(exts.1)),
        };
        self.temp(ty)
    }

    /// The extent of a variable that is about to be set: its size is found out first.
    fn settled(&mut self, ext: Ext) -> Extent {
        if let Ext::Known(key) = ext {
            self.size(key);
        }
        self.extent(ext)
    }

    // ---- emitting ----

    fn emit(&mut self, kind: StmtKind) {
        self.block.push(Stmt { kind, loc: self.loc });
    }

    fn assign(&mut self, dst: VarId, op: Op) {
        self.emit(StmtKind::Assign(dst, op));
    }

    fn check(&mut self, check: Check) {
        self.emit(StmtKind::Check(check));
    }

    /// Counts elementary operations.
    fn count(&mut self, units: u64) {
        self.cost += units;
        if self.options.cost_places && units > 0 {
            let here = self.locations[self.loc.0 as usize].span;
            match self.cost_parts.last_mut() {
                Some((span, counted)) if *span == here => *counted += units,
                Some(_) | None => self.cost_parts.push((here, units)),
            }
        }
    }

    fn flush_cost(&mut self) {
        let units = std::mem::take(&mut self.cost);
        let parts = std::mem::take(&mut self.cost_parts);
        if units > 0 {
            let outer = self.loc;
            let here = self.locations[outer.0 as usize].clone();
            if parts.iter().any(|(span, _)| *span != here.span) {
                // A place of its own, by which the parts are found.
                self.loc = LocId(self.locations.len() as u32);
                self.locations.push(here);
                self.costs.push((self.loc, parts));
            }
            self.emit(StmtKind::Cost { units, times: None });
            self.loc = outer;
        }
    }

    fn label(&mut self) -> LabelId {
        self.n_labels += 1;
        LabelId(self.n_labels - 1)
    }

    /// What `emit` emits, as a block of its own; see Note [Facts].
    fn nested<R>(&mut self, emit: impl FnOnce(&mut Self) -> R) -> (Block, R) {
        self.flush_cost();
        let outer = std::mem::take(&mut self.block);
        let facts = self.facts.clone();
        let result = emit(self);
        self.flush_cost();
        // What the block forgot is forgotten behind it too.
        self.facts = &facts & &self.facts;
        (std::mem::replace(&mut self.block, outer), result)
    }

    /// Checks that a variable was set, if it may be unset there.
    fn check_set(&mut self, place: hir::VarUse) {
        if self.may_be_unset(place) {
            let var = self.place_var(place);
            self.check_set_var(place.local, var);
        }
    }

    fn may_be_unset(&self, place: hir::VarUse) -> bool {
        if self.in_size {
            // The analysis has not seen the mentions in declared sizes.
            matches!(self.r.local(place.local).role, Role::Ref | Role::Local | Role::Result)
        } else {
            self.webs.maybe_unset(place.site)
        }
    }

    /// Checks that the size of a slice or word without a declared one is known.
    fn check_sized(&mut self, place: hir::VarUse) {
        let var = self.place_var(place);
        let known = self.facts.contains(&Fact::Set(var)) || !self.may_be_unset(place);
        if !known && self.facts.insert(Fact::Sized(var)) {
            self.check(Check::Sized(var));
        }
    }

    fn check_set_var(&mut self, local: LocalId, var: VarId) {
        self.touch(local);
        if self.facts.insert(Fact::Set(var)) {
            self.check(Check::Set(var));
        }
    }
}
