//! Lowering of HIR to SIR, one routine at a time.
//!
//! Every web becomes a variable with a symbolic size (Note [Webs]). Every check that is not
//! obviously superfluous precedes the operation that needs it (Note [Guards] in star-ir).
//! Evaluation is from left to right. Value arguments that a call could change are copied.
//! Elementary operations are counted.
//!
//! Note [Available checks]. Facts established on every path to the current statement (a size
//! determined, a variable checked) are kept in a set, so that they are not emitted again. After a
//! nested block only facts that held before it and still hold after it remain; at the head of a
//! loop, facts that an iteration could invalidate are dropped.

mod bits;
mod cache;
mod call;
mod columns;
mod expr;
mod fields;
mod flow;
mod header;
mod internal;
mod locations;
mod mismatch;
mod poly;
mod program;
mod shape;
mod sizes;
mod stmt;

use std::collections::{BTreeMap, BTreeSet};

use star_base::{Diagnostic, Span};
use star_ir::{
    Block, Check, Extent, LabelId, LocId, Location, Mode, Op, Param, Simple, Stmt, StmtKind, Ty,
    Var, VarId,
};

use crate::flow::summary::{ParamEffects, Summaries};
use crate::flow::webs::Webs;
use crate::hir::{self, LocalId, MachineOp, Program, Role, Routine, RoutineId, TyKind};
pub(crate) use cache::LoweringCache;
pub(crate) use internal::internal_fault;
use program::CostParts;
pub use program::{LowerOptions, Lowered};
pub(crate) use program::{diagnose, lower};
use sizes::{Ext, Exts, SizeKey};

/// An available fact; see Note [Available checks].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    /// The variable that holds the size was assigned.
    Size(SizeKey),
    /// The table with declared sizes was created.
    Made(LocalId),
    /// The integer parameter that is a size was checked.
    NotNegative(LocalId),
    /// The variable was checked to be set.
    Set(VarId),
    /// The variable was checked to have a size.
    Sized(VarId),
}

/// The use of emitted statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Kept,
    /// The output of each statement is dropped after it: only messages are wanted, and a routine
    /// needs no more memory than its longest statement.
    Dropped,
}

/// The targets of `break` and `continue`.
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
    output: Output,
    ids: &'a [Option<star_ir::RoutineId>],
    /// The locations of the routine, numbered from 0.
    locations: Vec<Location>,
    /// See [`Lowered::costs`].
    costs: Vec<CostParts>,
    diagnostics: &'a mut Vec<Diagnostic>,
    known_locs: BTreeMap<(Span, bool), LocId>,
    vars: Vec<Var>,
    n_vars: u32,
    names: BTreeMap<String, u32>,
    web_vars: Vec<Option<VarId>>,
    web_exts: Vec<Exts>,
    size_vars: BTreeMap<SizeKey, VarId>,
    facts: BTreeSet<Fact>,
    block: Block,
    /// Elementary operations not yet put into a `cost` statement.
    cost: u64,
    /// The positions they come from, if requested.
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
            output: Output::Kept,
            ids,
            locations: Vec::new(),
            costs: Vec::new(),
            diagnostics,
            known_locs: BTreeMap::new(),
            vars: Vec::new(),
            n_vars: 0,
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

    /// Returns the routine, with its locations and the parts of its `cost` statements.
    fn routine(mut self) -> (star_ir::Routine, Vec<Location>, Vec<CostParts>) {
        let header = self.location(self.r.header, &[], false);
        self.loc = header;
        self.infer_exts();
        let params: Vec<Param> = self
            .r
            .params
            .iter()
            .chain(self.r.texts.iter().map(|text| &text.local))
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
        self.check_records();
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
            intrinsic: self.r.intrinsic,
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

    /// Returns the SIR variable of a local in its initial web.
    fn local_var(&mut self, local: LocalId) -> VarId {
        self.web_var(self.webs.entry_web(local))
    }

    fn place_var(&mut self, place: hir::VarUse) -> VarId {
        // The analysis has not seen the mentions in declared sizes and in unreachable code.
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
            // It is fixed where all definitions agree, too: see `infer_exts`.
            hir::Ty::Slice(_) | hir::Ty::Word(_) => matches!(first, Ext::Known(_)),
            hir::Ty::Table(rows, columns) => rows.is_some() && columns.is_some(),
        };
        // Evaluating the extents may have created this variable already.
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
        self.add_var(Var { name: unique, ty, source, sized })
    }

    fn temp(&mut self, ty: Ty) -> VarId {
        self.n_temps += 1;
        // No name in a source is a number, so the name is unique.
        let name = match self.output {
            Output::Kept => self.n_temps.to_string(),
            Output::Dropped => String::new(),
        };
        self.add_var(Var { name, ty, source: None, sized: false })
    }

    fn add_var(&mut self, var: Var) -> VarId {
        self.n_vars += 1;
        match self.output {
            Output::Kept => self.vars.push(var),
            Output::Dropped => {}
        }
        VarId(self.n_vars - 1)
    }

    fn temp_of(&mut self, kind: TyKind, exts: Exts) -> VarId {
        let ty = match kind {
            TyKind::Error => {
                self.fault("a value without a type");
                Ty::Int
            }
            TyKind::Int => Ty::Int,
            TyKind::Bool => Ty::Bool,
            TyKind::Str => Ty::Str,
            TyKind::Handle => Ty::Handle,
            TyKind::Slice => Ty::Slice(self.settled(exts.0)),
            TyKind::Word => Ty::Word(self.settled(exts.0)),
            TyKind::Table => Ty::Table(self.settled(exts.0), self.settled(exts.1)),
        };
        self.temp(ty)
    }

    /// Returns the extent of a variable that is about to be set, after evaluating its size.
    fn settled(&mut self, ext: Ext) -> Extent {
        if let Ext::Known(key) = ext {
            self.size(key);
        }
        self.extent(ext)
    }

    // ---- emitting ----

    fn emit(&mut self, kind: impl Into<StmtKind>) {
        self.block.push(Stmt { kind: kind.into(), loc: self.loc });
    }

    /// Drops the statements emitted into this block, and its locations from number `first` on,
    /// unless they are kept.
    fn emitted(&mut self, first: usize) {
        match self.output {
            Output::Kept => {}
            Output::Dropped => {
                self.block.clear();
                for gone in self.locations.drain(first..) {
                    self.known_locs.remove(&(gone.span, gone.at_call));
                }
            }
        }
    }

    fn assign(&mut self, dst: VarId, op: Op) {
        self.emit(Simple::Assign(dst, op));
    }

    fn check(&mut self, check: Check) {
        self.emit(Simple::Check(check));
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
                // A separate location, which identifies the parts.
                self.loc = LocId(self.locations.len() as u32);
                self.locations.push(here);
                self.costs.push((self.loc, parts));
            }
            self.emit(Simple::Cost { units, times: None });
            self.loc = outer;
        }
    }

    fn label(&mut self) -> LabelId {
        self.n_labels += 1;
        LabelId(self.n_labels - 1)
    }

    /// Returns the statements emitted by `emit` as a separate block; see Note [Available checks].
    fn nested<R>(&mut self, emit: impl FnOnce(&mut Self) -> R) -> (Block, R) {
        self.flush_cost();
        let outer = std::mem::take(&mut self.block);
        let facts = self.facts.clone();
        let result = emit(self);
        self.flush_cost();
        // Facts dropped in the block are dropped after it too.
        self.facts = &facts & &self.facts;
        (std::mem::replace(&mut self.block, outer), result)
    }

    /// Checks that a variable is set, if it may be unset there.
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
