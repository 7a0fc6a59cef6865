//! From HIR to SIR: one routine at a time.
//!
//! What lowering takes care of: every web becomes a variable with a symbolic size (Note [Webs]); every
//! check that is not plainly superfluous stands in front of the operation that needs it (Note
//! [Guards] in star-ir); evaluation is from left to right; value arguments that a call could change
//! are copied; elementary operations are counted.
//!
//! Note [Facts]. What was established on every way to the statement at hand (a size found out, a
//! variable checked) is kept in a set, which is put back at the end of every nested block. It only
//! saves repetitions: nothing depends on it for being right.

mod call;
mod expr;
mod mismatch;
mod poly;
mod sizes;
mod stmt;

use std::collections::{BTreeMap, BTreeSet};

use star_base::{Diagnostic, Span};
use star_ir::{
    Block, Check, Extent, LabelId, LocId, Location, Measure, Mode, Named, Op, Operand, Param,
    SizeOp, Stmt, StmtKind, Ty, Var, VarId,
};

use crate::flow::summary::{Fate, Summaries, callees_first};
use crate::flow::webs::{self, Webs};
use crate::hir::{self, Kind, LocalId, MachineOp, Program, Role, Routine, RoutineId};
use sizes::{Ext, Exts, SizeKey};

/// How to lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Overflow of `ADD` and `SUBT` is a trap.
    pub checked: bool,
    /// Calls of MIN, MAX, TCOPY1 and TCOPY2 become one operation instead of a call of their Star body.
    pub machine_ops: bool,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions { checked: false, machine_ops: true }
    }
}

/// A lowered program.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: star_ir::Program,
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
    let mut summaries = Summaries::new(program);
    let mut webs: Vec<Option<Webs>> = program.routines.iter().map(|_| None).collect();
    for id in callees_first(program) {
        let found = webs::analyse(program, id, &summaries, options.machine_ops);
        summaries.set_assigns(id, found.assigns.clone());
        webs[id.0 as usize] = Some(found);
    }
    let needed = reachable(program, roots, options);
    let mut ids = vec![None; program.routines.len()];
    for (idx, &id) in needed.iter().enumerate() {
        ids[id.0 as usize] = Some(star_ir::RoutineId(idx as u32));
    }
    let mut lowered = star_ir::Program::default();
    for id in needed {
        let Some(webs) = &webs[id.0 as usize] else {
            continue;
        };
        if !program.routine(id).library {
            crate::flow::lints::never_set(program.routine(id), webs, diagnostics);
        }
        let lowerer = Lowerer::new(
            program,
            id,
            webs,
            &summaries,
            options,
            &ids,
            &mut lowered.locations,
            diagnostics,
        );
        let routine = lowerer.routine();
        lowered.routines.push(routine);
    }
    drop_unused_locations(&mut lowered);
    Lowered { program: lowered, ids }
}

/// Keeps the places that a statement or routine has, and numbers them anew in the order of use.
fn drop_unused_locations(program: &mut star_ir::Program) {
    fn renumber(block: &mut Block, fresh: &mut impl FnMut(LocId) -> LocId) {
        for stmt in block {
            stmt.loc = fresh(stmt.loc);
            for nested in star_ir::visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
                renumber(nested, fresh);
            }
        }
    }
    let mut old: Vec<Option<Location>> =
        std::mem::take(&mut program.locations).into_iter().map(Some).collect();
    let mut new_ids: Vec<Option<LocId>> = vec![None; old.len()];
    let mut kept = Vec::new();
    let mut fresh = |loc: LocId| {
        let idx = loc.0 as usize;
        *new_ids[idx].get_or_insert_with(|| {
            kept.extend(old[idx].take());
            LocId(kept.len() as u32 - 1)
        })
    };
    for routine in &mut program.routines {
        routine.loc = fresh(routine.loc);
        renumber(&mut routine.body, &mut fresh);
    }
    program.locations = kept;
}

/// The routines that are needed, in the order of the source.
fn reachable(program: &Program, roots: &[RoutineId], options: &LowerOptions) -> Vec<RoutineId> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<RoutineId> = roots.to_vec();
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        for callee in crate::flow::summary::callees_of(program.routine(id)) {
            let callee = RoutineId(callee as u32);
            if !(options.machine_ops && program.routine(callee).machine_op.is_some()) {
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
    /// The variable was checked and found set.
    Set(VarId),
}

/// Where `break` and `continue` go.
struct LoopLabels {
    on_break: LabelId,
    on_continue: Jump,
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
    locations: &'a mut Vec<Location>,
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
    loc: LocId,
    n_labels: u32,
    n_temps: u32,
    loops: Vec<LoopLabels>,
    in_size: bool,
}

impl<'a> Lowerer<'a> {
    #[allow(
        clippy::too_many_arguments,
        reason = "the only caller is `lower`, which owns all of them"
    )]
    fn new(
        program: &'a Program,
        id: RoutineId,
        webs: &'a Webs,
        summaries: &'a Summaries,
        options: &'a LowerOptions,
        ids: &'a [Option<star_ir::RoutineId>],
        locations: &'a mut Vec<Location>,
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
            locations,
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
            loc: LocId(0),
            n_labels: 0,
            n_temps: 0,
            loops: Vec::new(),
            in_size: false,
        }
    }

    fn routine(mut self) -> star_ir::Routine {
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
        star_ir::Routine {
            name: self.r.name.clone(),
            params,
            result,
            vars: self.vars,
            body: self.block,
            loc: header,
        }
    }

    fn fate(&self, local: LocalId) -> Fate {
        self.summaries.fate(self.id, local)
    }

    fn machine_op(&self, callee: RoutineId) -> Option<MachineOp> {
        self.program.routine(callee).machine_op.filter(|_| self.options.machine_ops)
    }

    // ---- header ----

    /// Gives the sizes that the header binds their values.
    fn bind_sizes(&mut self) {
        let mut bound = BTreeSet::new();
        for from_ref in [false, true] {
            for &param in &self.r.params {
                let is_ref = self.r.local(param).role == Role::Ref;
                if is_ref != from_ref {
                    continue;
                }
                for dim in 0..2 {
                    let Some(SizeKey::Int(name)) = self.declared_key(param, dim) else {
                        continue;
                    };
                    if self.r.local(name).role != Role::Binding || bound.contains(&name) {
                        continue;
                    }
                    let dst = self.local_var(name);
                    let var = self.local_var(param);
                    self.loc = self.location(self.r.local(param).span, &[(var, param)], true);
                    if is_ref {
                        // The first argument that has a size decides.
                        self.emit(StmtKind::Size(SizeOp::Latch {
                            dst,
                            size: self.measure(param, var, dim),
                        }));
                    } else {
                        bound.insert(name);
                        self.assign(dst, self.measure_op(param, var, dim));
                    }
                }
            }
        }
        for (idx, local) in self.r.locals.iter().enumerate() {
            let name = LocalId(idx as u32);
            if local.role == Role::Binding && !bound.contains(&name) {
                let var = self.local_var(name);
                self.loc = self.location(local.span, &[(var, name)], true);
                self.emit(StmtKind::Check(Check::Set(var)));
            }
        }
    }

    fn measure(&self, local: LocalId, var: VarId, dim: u8) -> Measure {
        match (self.r.local(local).ty.kind(), dim) {
            (Kind::Table, 0) => Measure::Rows(var),
            (Kind::Table, _) => Measure::Columns(var),
            _ => Measure::Length(var),
        }
    }

    fn measure_op(&self, local: LocalId, var: VarId, dim: u8) -> Op {
        match (self.r.local(local).ty.kind(), dim) {
            (Kind::Table, 0) => Op::Rows(var),
            (Kind::Table, _) => Op::Columns(var),
            _ => Op::Length(var),
        }
    }

    /// All arguments agree on the sizes of the header.
    fn check_header(&mut self) {
        for &param in &self.r.params {
            let var = self.local_var(param);
            let local = self.r.local(param);
            let is_ref = local.role == Role::Ref;
            for dim in 0..2 {
                let Some(key) = self.declared_key(param, dim) else {
                    continue;
                };
                self.loc = self.location(local.span, &[(var, param)], true);
                let wanted = self.size(key);
                let measure = self.measure(param, var, dim);
                if is_ref {
                    if !matches!(key, SizeKey::Const(_)) {
                        self.emit(StmtKind::Check(Check::NotNegative(wanted.clone())));
                    }
                    let size = Measure::Value(wanted.clone());
                    match (local.ty.kind(), dim) {
                        (Kind::Table, 0) => {
                            self.emit(StmtKind::Size(SizeOp::SetRows { table: var, rows: size }));
                        }
                        (Kind::Table, _) => {
                            self.emit(StmtKind::Size(SizeOp::EnsureColumns {
                                table: var,
                                columns: size,
                            }));
                        }
                        _ => self.emit(StmtKind::Size(SizeOp::Adapt {
                            bits: var,
                            size: wanted.clone(),
                        })),
                    }
                }
                self.emit(StmtKind::Check(Check::Size(measure, Measure::Value(wanted))));
            }
        }
    }

    /// Finds out what the declarations of local variables say, as far as that is known now.
    fn sizes_at_entry(&mut self) {
        self.loc = self.location(self.r.header, &[], false);
        let mut keys: BTreeSet<SizeKey> = self
            .web_exts
            .iter()
            .flat_map(|exts| [exts.0, exts.1])
            .filter_map(|ext| match ext {
                Ext::Known(key) => Some(key),
                Ext::Unknown | Ext::Dynamic => None,
            })
            .collect();
        for (idx, local) in self.r.locals.iter().enumerate() {
            if local.role == Role::Local {
                keys.extend((0..2).filter_map(|dim| self.declared_key(LocalId(idx as u32), dim)));
            }
        }
        for key in keys {
            if self.known_at_entry(key) {
                self.size(key);
            }
        }
        for (idx, local) in self.r.locals.iter().enumerate() {
            let id = LocalId(idx as u32);
            let all_known = (0..2)
                .filter_map(|dim| self.declared_key(id, dim))
                .all(|key| self.known_at_entry(key));
            if local.role == Role::Local
                && local.ty.kind() == Kind::Table
                && !local.ty.is_unsized()
                && all_known
            {
                self.loc = self.location(local.span, &[], false);
                self.make_table(id);
            }
        }
    }

    /// Makes sure that a table with declared sizes, or a slice's size, is there before it is used.
    fn touch(&mut self, local: LocalId) {
        let declared = self.r.local(local);
        if declared.role != Role::Local || declared.ty.is_unsized() {
            return;
        }
        match declared.ty.kind() {
            Kind::Table => self.make_table(local),
            Kind::Slice | Kind::Word => {
                if let Some(key) = self.declared_key(local, 0) {
                    self.size(key);
                }
            }
            Kind::Int | Kind::Bool | Kind::Str | Kind::Error => {}
        }
    }

    fn make_table(&mut self, local: LocalId) {
        if self.facts.contains(&Fact::Made(local)) {
            return;
        }
        let Some(rows) = self.declared_key(local, 0) else {
            return;
        };
        let columns = self.declared_key(local, 1);
        let table = self.local_var(local);
        let rows = self.checked_size(rows);
        match columns {
            Some(columns) => {
                let columns = self.checked_size(columns);
                self.emit(StmtKind::Size(SizeOp::Init { table, rows, columns }));
            }
            None => {
                self.emit(StmtKind::Size(SizeOp::SetRows { table, rows: Measure::Value(rows) }));
            }
        }
        self.facts.insert(Fact::Made(local));
    }

    /// A size that is surely not negative.
    fn checked_size(&mut self, key: SizeKey) -> Operand {
        let size = self.size(key);
        if let SizeKey::Int(_) = key {
            self.emit(StmtKind::Check(Check::NotNegative(size.clone())));
        }
        size
    }

    // ---- variables ----

    /// The SIR variable of a local in the web that it starts in.
    fn local_var(&mut self, local: LocalId) -> VarId {
        self.web_var(self.webs.entry_web(local))
    }

    fn place_var(&mut self, place: hir::Place) -> VarId {
        if self.in_size || !webs::is_split(self.r, place.local) {
            return self.local_var(place.local);
        }
        self.web_var(self.webs.web(place.site))
    }

    fn web_var(&mut self, web: u32) -> VarId {
        if let Some(var) = self.web_vars[web as usize] {
            return var;
        }
        let local = self.webs.web_local[web as usize];
        let declared = self.r.local(local);
        let (first, second) = self.web_exts[web as usize];
        let ty = match declared.ty.kind() {
            Kind::Int | Kind::Error => Ty::Int,
            Kind::Bool => Ty::Bool,
            Kind::Str => Ty::Str,
            Kind::Slice => Ty::Slice(self.extent(first)),
            Kind::Word => Ty::Word(self.extent(first)),
            Kind::Table => Ty::Table(self.extent(first), self.extent(second)),
        };
        let sized = match &declared.ty {
            hir::Ty::Int | hir::Ty::Bool | hir::Ty::Str => false,
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
        let name = self.n_temps.to_string();
        self.new_var(&name, ty, None, false)
    }

    fn temp_of(&mut self, kind: Kind, exts: Exts) -> VarId {
        let ty = match kind {
            Kind::Int | Kind::Error => Ty::Int,
            Kind::Bool => Ty::Bool,
            Kind::Str => Ty::Str,
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

    // ---- places ----

    fn location(&mut self, span: Span, named: &[(VarId, LocalId)], at_call: bool) -> LocId {
        if let Some(&loc) = self.known_locs.get(&(span, at_call)) {
            return loc;
        }
        let mut operands: Vec<Named> = Vec::new();
        for &(var, local) in named {
            let name = self.r.local(local).name.clone();
            if !operands.iter().any(|operand| operand.name == name) {
                operands.push(Named { var, name });
            }
        }
        let loc = LocId(self.locations.len() as u32);
        self.locations.push(Location { span, inlined: Vec::new(), operands, at_call });
        self.known_locs.insert((span, at_call), loc);
        loc
    }

    fn expr_loc(&mut self, expr: &hir::Expr) -> LocId {
        if let Some(&loc) = self.known_locs.get(&(expr.span, false)) {
            return loc;
        }
        let mut places = Vec::new();
        crate::visit::places_of_expr(expr, &mut |place| places.push(*place));
        self.location_of(expr.span, &places)
    }

    fn stmt_loc(&mut self, stmt: &hir::Stmt) -> LocId {
        let mut places = Vec::new();
        crate::visit::places_of_stmt(stmt, &mut |place| places.push(*place));
        self.location_of(stmt_head(stmt), &places)
    }

    fn location_of(&mut self, span: Span, places: &[hir::Place]) -> LocId {
        let named: Vec<(VarId, LocalId)> =
            places.iter().map(|&place| (self.place_var(place), place.local)).collect();
        self.location(span, &named, false)
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
    }

    fn flush_cost(&mut self) {
        let units = std::mem::take(&mut self.cost);
        if units > 0 {
            self.emit(StmtKind::Cost { units, times: None });
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
        self.facts = facts;
        (std::mem::replace(&mut self.block, outer), result)
    }

    /// Checks that a variable was set, if it may be unset there.
    fn check_set(&mut self, place: hir::Place) {
        let var = self.place_var(place);
        let unset = if self.in_size {
            matches!(self.r.local(place.local).role, Role::Ref | Role::Local | Role::Result)
        } else {
            self.webs.maybe_unset(place.site)
        };
        if unset {
            self.check_set_var(place.local, var);
        }
    }

    fn check_set_var(&mut self, local: LocalId, var: VarId) {
        self.touch(local);
        if self.facts.insert(Fact::Set(var)) {
            self.check(Check::Set(var));
        }
    }
}

/// The part of a statement that a message points at: without the statements inside it.
fn stmt_head(stmt: &hir::Stmt) -> Span {
    let span = stmt.span;
    let until = |end: Span| Span::new(span.file, span.start, end.end.max(span.start));
    match &stmt.kind {
        hir::StmtKind::While(test, _) => until(test.span),
        hir::StmtKind::For { to, .. } => until(to.span),
        hir::StmtKind::Foreach { over, .. } => until(over.span),
        hir::StmtKind::If(arms, _) => arms.first().map_or(span, |(test, _)| until(test.span)),
        hir::StmtKind::Repeat(_, test) => test.span,
        hir::StmtKind::Assign(..)
        | hir::StmtKind::Fill(..)
        | hir::StmtKind::KeepFirst(_)
        | hir::StmtKind::Step(_)
        | hir::StmtKind::Replace { .. }
        | hir::StmtKind::Call(..)
        | hir::StmtKind::Print(_)
        | hir::StmtKind::Read(..)
        | hir::StmtKind::Write(..)
        | hir::StmtKind::Assert(..)
        | hir::StmtKind::Block(_)
        | hir::StmtKind::Exit
        | hir::StmtKind::Break
        | hir::StmtKind::Continue => span,
    }
}
