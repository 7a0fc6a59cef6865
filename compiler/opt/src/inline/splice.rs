//! Construction of the statements that replace a call.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::{VarSet, effects};
use star_ir::rewrite::map::{self, Mapper};
use star_ir::rewrite::{Labels, clone_block, fresh_var};
use star_ir::{
    Arg, Block, Check, Extent, InlinedCall, LabelId, LocId, Location, NamedVar, Observation, Op,
    Operand, Program, Routine, RoutineId, Simple, SizeOp, SizeOperand, Stmt, StmtKind, Ty, VarId,
    visit,
};

use super::site::{Site, only_contents};

/// The replacement of a call.
pub(super) struct Spliced {
    block: Block,
    /// The variables that it adds.
    fresh: Range<u32>,
    /// The variables of the caller that it uses.
    outer: BTreeSet<VarId>,
    /// The conditions to prove.
    pub(super) proofs: Vec<Proof>,
}

/// The condition that an extent of the routine's variable is that of the caller's: a check after
/// the statements, at the location of the call, which must hold there.
pub(super) struct Proof {
    /// The variable.
    pub(super) of: VarId,
    pub(super) loc: LocId,
    pub(super) check: Check,
}

impl Spliced {
    pub(super) fn take_block(&mut self) -> Block {
        std::mem::take(&mut self.block)
    }

    /// Returns whether it uses the variable.
    pub(super) fn concerns(&self, var: VarId) -> bool {
        self.fresh.contains(&var.0) || self.outer.contains(&var)
    }
}

/// Creates the statements and adds their variables and locations; `None` if a message would change.
pub(super) fn splice(
    program: &mut Program,
    id: RoutineId,
    site: &Site,
    labels: &mut Labels,
) -> Option<Spliced> {
    let callee = std::sync::Arc::clone(&program.routines[site.callee.0 as usize]);
    let facts = Callee::new(program, site.callee, &callee);
    let mut vars = bind(program, id, site, &callee, &facts)?;
    let first = program.routine(id).vars.len() as u32;
    let at = |kind| Stmt { kind, loc: site.loc };

    // Variables, extents last, since they name variables.
    let caller = program.routine_mut(id);
    for (idx, var) in callee.vars.iter().enumerate() {
        vars.entry(VarId(idx as u32)).or_insert_with(|| {
            let fresh = fresh_var(caller, &var.name, var.ty);
            let made = &mut caller.vars[fresh.0 as usize];
            (made.source, made.sized) = (var.source.clone(), var.sized);
            fresh
        });
    }
    let is_param = |var: VarId| callee.params.iter().any(|param| param.var == var);
    for (idx, _) in callee.vars.iter().enumerate() {
        let (theirs, ours) = (VarId(idx as u32), vars[&VarId(idx as u32)]);
        if ours.0 >= first {
            let ty = &mut caller.vars[ours.0 as usize].ty;
            *ty = renamed(*ty, |extent| match extent {
                // The header has not yet determined whether a parameter has its size.
                Extent::Var(_) | Extent::Const(_) if is_param(theirs) => Extent::Dynamic,
                Extent::Var(var) => Extent::Var(vars[&var]),
                Extent::Const(_) | Extent::Dynamic => extent,
            });
        }
    }
    let fresh = first..caller.vars.len() as u32;

    let mut block = Block::new();
    for (param, arg) in callee.params.iter().zip(&site.args) {
        let ours = vars[&param.var];
        match arg {
            Arg::Value(value) if *value != Operand::Var(ours) => {
                block.push(at(StmtKind::Simple(Simple::Assign(ours, Op::Copy(value.clone())))));
            }
            Arg::Move(var) => {
                block
                    .push(at(StmtKind::Simple(Simple::Assign(ours, Op::Copy(Operand::Var(*var))))));
                block.push(at(StmtKind::Simple(Simple::Size(SizeOp::Unset(*var)))));
            }
            Arg::Value(_) | Arg::Ref(_) => {}
        }
    }

    let mut body = clone_block(&callee.body, labels);
    let mut rename =
        Rename { vars: &vars, places: BTreeMap::new(), program, site, new: Vec::new() };
    map::block(&mut body, &mut rename);
    let new = std::mem::take(&mut rename.new);
    program.locations.append(new);
    let own = |table: VarId| {
        let [_, columns] = program.routine(id).var(table).ty.extents();
        if fresh.contains(&table.0) { None } else { number(columns) }
    };
    settle_columns(&mut body, &own);
    let label = labels.fresh();
    if leave(&mut body, label) {
        block.push(at(StmtKind::Block { label, body }));
    } else {
        block.append(&mut body);
    }

    let proofs = proofs(program.routine(id), site, &callee, &vars);
    block.extend(
        proofs.iter().map(|proof| at(StmtKind::Simple(Simple::Check(proof.check.clone())))),
    );
    if let (Some(dst), Some(result)) = (site.dst, callee.result) {
        block
            .push(at(StmtKind::Simple(Simple::Assign(dst, Op::Copy(Operand::Var(vars[&result]))))));
    }
    for (theirs, ours) in &vars {
        let holds_memory = match callee.var(*theirs).ty {
            Ty::Slice(_) | Ty::Word(_) | Ty::Table(..) | Ty::Str | Ty::Handle => true,
            Ty::Int | Ty::Bool => site.is_in_loop && facts.unset_at_start.contains(theirs),
        };
        if fresh.contains(&ours.0) && holds_memory && facts.may_be_set(*theirs, &callee) {
            block.push(at(StmtKind::Simple(Simple::Size(SizeOp::Unset(*ours)))));
        }
    }
    let outer = vars.values().copied().filter(|var| !fresh.contains(&var.0)).collect();
    Some(Spliced { block, fresh, outer, proofs })
}

/// The relevant properties of the called routine.
struct Callee {
    /// Variables that it writes.
    written: BTreeSet<VarId>,
    /// Variables that are extents of others.
    extents: BTreeSet<VarId>,
    /// Variables that a message of the routine may name but its location does not.
    unnamed: BTreeSet<VarId>,
    /// Variables that it lends to others.
    lent: BTreeSet<VarId>,
    /// Variables that must be unset when it begins.
    unset_at_start: BTreeSet<VarId>,
    /// Local variables that may be set where it returns, except those of inlined code.
    left_set: VarSet,
}

impl Callee {
    fn new(program: &Program, id: RoutineId, routine: &Routine) -> Self {
        let (mut written, mut unnamed, mut lent) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        visit::walk(&routine.body, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, access| {
                if access.writes() {
                    written.insert(var);
                }
            });
            let names = |var: VarId| {
                let location = program.locations.get(stmt.loc);
                location.is_some_and(|it| it.operands.iter().any(|named| named.var == var))
            };
            if let StmtKind::Simple(Simple::Check(check)) = &stmt.kind {
                visit::check_accesses(check, &mut |var, _| {
                    if !names(var) {
                        unnamed.insert(var);
                    }
                });
            } else if let StmtKind::Simple(Simple::Call { args, .. }) = &stmt.kind {
                for arg in args {
                    if let Arg::Ref(var) = arg {
                        lent.insert(*var);
                        if !names(*var) {
                            unnamed.insert(*var);
                        }
                    }
                }
            }
        });
        let extents = routine.vars.iter().flat_map(|var| var.ty.extents());
        let extents = extents.filter_map(|extent| match extent {
            Extent::Var(var) => Some(var),
            Extent::Const(_) | Extent::Dynamic => None,
        });
        let extents = extents.collect();
        let liveness = Liveness::of(program, id);
        let observation = Observation::new(program, routine);
        let all = (0..).map(VarId).take(routine.vars.len());
        let unset_at_start = all.filter(|var| {
            let is_param = routine.params.iter().any(|param| param.var == *var);
            !is_param
                && liveness.is_live_at_entry(*var)
                && !begins_with_assignment(&observation, routine, *var)
        });
        let unset_at_start = unset_at_start.collect();
        let left_set = left_set(&routine.body);
        Callee { written, extents, unnamed, lent, unset_at_start, left_set }
    }

    /// Returns whether the variable may have a value where the routine returns.
    fn may_be_set(&self, var: VarId, routine: &Routine) -> bool {
        routine.params.iter().any(|param| param.var == var) || self.left_set.contains(var)
    }
}

/// Returns the variables that may be set after the statements or where they are left, if none is
/// set before.
fn left_set(body: &[Stmt]) -> VarSet {
    let (mut set, mut at_jumps) = (VarSet::default(), VarSet::default());
    add_left_set(body, &mut set, &mut at_jumps);
    set.join(&at_jumps);
    set
}

/// Blocks inside a statement may run or not; an iteration of a loop begins with variables set by
/// the previous iterations, too.
fn add_left_set(block: &[Stmt], set: &mut VarSet, at_jumps: &mut VarSet) {
    for Stmt { kind, loc: _ } in block {
        if let StmtKind::Simple(Simple::Size(SizeOp::Unset(var))) = kind {
            set.remove(*var);
        } else {
            insert_written(kind, set);
        }
        if matches!(kind, StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Exit) {
            at_jumps.join(set);
        }
        let mut before = set.clone();
        if effects::is_loop(kind) {
            for inner in visit::blocks(kind) {
                visit::walk(inner, &mut |stmt| insert_written(&stmt.kind, &mut before));
            }
        }
        for inner in visit::blocks(kind) {
            let mut inside = before.clone();
            add_left_set(inner, &mut inside, at_jumps);
            set.join(&inside);
        }
    }
}

fn insert_written(kind: &StmtKind, set: &mut VarSet) {
    visit::accesses(kind, &mut |var, access| {
        if access.writes() {
            set.insert(var);
        }
    });
}

/// Returns whether the variable is assigned before any other access, on every branch. Liveness
/// treats an extent as used by the variables that have it, before its header has determined it.
fn begins_with_assignment(observation: &Observation<'_>, routine: &Routine, var: VarId) -> bool {
    for stmt in &routine.body {
        if matches!(stmt.kind, StmtKind::Simple(Simple::Assign(dst, _)) if dst == var) {
            let mut n_accesses = 0;
            observation
                .accesses(stmt, &mut |accessed, _| n_accesses += usize::from(accessed == var));
            return n_accesses == 1;
        }
        let mut is_accessed = false;
        visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
            observation.accesses(stmt, &mut |accessed, _| is_accessed |= accessed == var);
        });
        if is_accessed {
            return false;
        }
    }
    false
}

/// Returns the variables of the caller that are parameters; those passed by value only if the
/// routine does not change them. `None` if a message would name a variable differently, or if a
/// size would no longer be checked where a call returns.
fn bind(
    program: &Program,
    id: RoutineId,
    site: &Site,
    callee: &Routine,
    facts: &Callee,
) -> Option<BTreeMap<VarId, VarId>> {
    let caller = program.routine(id);
    let mut vars = BTreeMap::new();
    for (param, arg) in callee.params.iter().zip(&site.args) {
        let theirs = param.var;
        let is_called_so = |ours: VarId| {
            !facts.unnamed.contains(&theirs)
                || caller.source_name(ours) == callee.source_name(theirs)
        };
        let extents = callee.var(theirs).ty.extents();
        match arg {
            Arg::Ref(ours) => {
                let loses_extent = (extents.into_iter().zip(caller.var(*ours).ty.extents()))
                    .any(|(theirs, ours)| theirs != Extent::Dynamic && ours == Extent::Dynamic);
                if !is_called_so(*ours) || (facts.lent.contains(&theirs) && loses_extent) {
                    return None;
                }
                vars.insert(theirs, *ours);
            }
            Arg::Value(Operand::Var(ours))
                if !facts.written.contains(&theirs)
                    && !facts.extents.contains(&theirs)
                    && is_called_so(*ours)
                    && vars.values().all(|bound| bound != ours) =>
            {
                vars.insert(theirs, *ours);
            }
            Arg::Value(_) | Arg::Move(_) => {
                if facts.lent.contains(&theirs) && extents != [Extent::Dynamic; 2] {
                    return None;
                }
            }
        }
    }
    Some(vars)
}

/// Returns the conditions for variables that the routine may have given another size.
fn proofs(
    caller: &Routine,
    site: &Site,
    callee: &Routine,
    vars: &BTreeMap<VarId, VarId>,
) -> Vec<Proof> {
    let mut proofs = Vec::new();
    for (param, arg) in callee.params.iter().zip(&site.args) {
        let Arg::Ref(var) = arg else { continue };
        if only_contents(callee, param.var) {
            continue;
        }
        let theirs = callee.var(param.var).ty.extents();
        for (ours, theirs) in caller.var(*var).ty.extents().into_iter().zip(theirs) {
            let ours = number(ours);
            let theirs = number(renamed_extent(theirs, vars));
            if let (Some(ours), Some(theirs)) = (ours, theirs)
                && ours != theirs
            {
                let [left, right] = [theirs, ours].map(SizeOperand::Value);
                proofs.push(Proof { of: *var, loc: site.loc, check: Check::Size(left, right) });
            }
        }
    }
    proofs
}

/// A table of the caller that has an extent of columns gets no others: the number that the routine
/// requests is its extent, which is proven to be the same.
fn settle_columns(block: &mut Block, own: &impl Fn(VarId) -> Option<Operand>) {
    for stmt in block {
        for inner in visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
            settle_columns(inner, own);
        }
        if let StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns { table, columns })) =
            &mut stmt.kind
            && let Some(own) = own(*table)
        {
            *columns = SizeOperand::Value(own);
        }
    }
}

fn number(extent: Extent) -> Option<Operand> {
    match extent {
        Extent::Const(n) => i64::try_from(n).ok().map(Operand::Int),
        Extent::Var(var) => Some(Operand::Var(var)),
        Extent::Dynamic => None,
    }
}

fn renamed_extent(extent: Extent, vars: &BTreeMap<VarId, VarId>) -> Extent {
    match extent {
        Extent::Var(var) => Extent::Var(vars[&var]),
        Extent::Const(_) | Extent::Dynamic => extent,
    }
}

fn renamed(ty: Ty, extent: impl Fn(Extent) -> Extent) -> Ty {
    match ty {
        Ty::Slice(n) => Ty::Slice(extent(n)),
        Ty::Word(n) => Ty::Word(extent(n)),
        Ty::Table(rows, columns) => Ty::Table(extent(rows), extent(columns)),
        Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => ty,
    }
}

/// Replaces each `exit` by a `break`; returns whether there was one.
fn leave(block: &mut Block, label: LabelId) -> bool {
    let mut leaves = false;
    for stmt in block {
        if matches!(stmt.kind, StmtKind::Exit) {
            stmt.kind = StmtKind::Break(label);
            leaves = true;
        }
        for inner in visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
            leaves |= leave(inner, label);
        }
    }
    leaves
}

/// Substitutes the caller's variables, and locations that include the call.
struct Rename<'a> {
    vars: &'a BTreeMap<VarId, VarId>,
    places: BTreeMap<LocId, LocId>,
    program: &'a Program,
    site: &'a Site,
    new: Vec<Location>,
}

impl Rename<'_> {
    fn var(&self, var: &mut VarId) {
        if let Some(ours) = self.vars.get(var) {
            *var = *ours;
        }
    }
}

impl Mapper for Rename<'_> {
    fn read(&mut self, var: &mut VarId) {
        self.var(var);
    }

    fn size(&mut self, var: &mut VarId) {
        self.var(var);
    }

    fn write(&mut self, var: &mut VarId) {
        self.var(var);
    }

    fn operand(&mut self, operand: &mut Operand) {
        match operand {
            Operand::Var(var) => self.var(var),
            Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => {}
        }
    }

    fn location(&mut self, loc: &mut LocId) {
        let next = LocId((self.program.locations.len() + self.new.len()) as u32);
        let Some(of) = self.program.locations.get(*loc) else { return };
        *loc = *self.places.entry(*loc).or_insert_with(|| {
            let Location { span, inlined, operands, at_call } = of;
            let call = InlinedCall { routine: self.site.callee, call: self.site.loc };
            let operands = operands.iter().map(|NamedVar { var, name }| NamedVar {
                var: self.vars.get(var).copied().unwrap_or(*var),
                name: name.clone(),
            });
            self.new.push(Location {
                span: *span,
                inlined: std::iter::once(call).chain(inlined.iter().copied()).collect(),
                operands: operands.collect(),
                at_call: *at_call,
            });
            next
        });
    }
}
