//! Loops over fields: each turn works on a field of its own of tables outside, and on variables of
//! its own.
//!
//! The place of a field is a polynomial in the index of the turn: it begins behind `base + (i −
//! 1)·step` columns. Of each table that turns write, every access of a turn, loads too, lies inside
//! the `step` columns of the turn, which no other turn has (or inside the line or component of its
//! index). Whatever else is written the turn writes before it reads it. Checks are proven, hold by
//! conditions on what the loop leaves alone, which are tested in front, or the loop stays: where
//! they depend on what a turn computes they cannot be known before it. The body may hold branches,
//! and loops that end; those over lines are lifted before.
//!
//! A table that grows by its fields in turn gets its columns before the first one.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::polynomial::{AtomId, Polynomial};
use star_ir::analysis::walk::{Belief, walk};
use star_ir::visit;
use star_ir::{
    Extent, ForallRange, LabelId, LocId, Op, Operand, PartKind, Program, Routine, RoutineId,
    SizeOp, Stmt, StmtKind, VarId,
};

use super::Unset;
use super::places::Places;
use super::turn::{Growth, Touch, Turn, What};
use super::{emit, range_of};
use crate::context::Context;
use crate::remark::{self, Stay};
use crate::rewrite::guarded;

/// A loop over fields that can be lifted.
pub(super) struct Fields {
    /// The loop, which is kept behind the guards.
    pub(super) stmt: Stmt,
    pub(super) label: LabelId,
    pub(super) var: VarId,
    pub(super) range: ForallRange,
    pub(super) writes: Vec<(VarId, Own)>,
    pub(super) privates: Vec<VarId>,
    pub(super) body: Vec<Stmt>,
    pub(super) places: Places,
    /// Tables that get their columns first, and the number of these.
    pub(super) grows: Vec<(VarId, Polynomial)>,
    /// Is the index live behind the loop?
    pub(super) is_live: bool,
    /// Of which tables it has fields.
    fields: Vec<VarId>,
}

/// What a turn has of a variable that turns write.
pub(super) enum Own {
    /// Its line or component.
    Line(PartKind),
    /// So many columns, those of the first turn behind so many.
    Field { base: Polynomial, width: Polynomial },
}

impl Fields {
    /// What is looked at in front of the loop.
    pub(super) fn looked_at(&self) -> Vec<VarId> {
        let mut atoms: BTreeSet<AtomId> = self.places.bounded.clone();
        for (_, own) in &self.writes {
            if let Own::Field { base, width } = own {
                atoms.extend(base.atoms().into_iter().chain(width.atoms()));
            }
        }
        let grown = self.grows.iter().map(|(table, _)| *table);
        self.places.looked_at(atoms.into_iter()).chain(grown).collect()
    }
}

/// Lifts loops over fields; loops over lines are lifted already.
pub(super) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    let mut finder = Finder {
        program,
        id,
        routine,
        liveness: None,
        accesses: None,
        found: BTreeMap::new(),
        stayed: Vec::new(),
    };
    finder.block(&routine.body, &mut 0);
    let Finder { mut found, mut stayed, .. } = finder;
    if !found.is_empty() {
        let looked_at = found.iter().map(|(at, fields)| (*at, fields.looked_at())).collect();
        let mut unset = Unset { looked_at, is_unset: BTreeMap::new() };
        walk(program, routine, Belief::Nothing, &mut unset);
        for (at, var) in unset.is_unset {
            if let Some(fields) = found.remove(&at) {
                let why = format!("{} may be unset", remark::name(routine, var));
                stayed.push((fields.stmt.loc, why.into()));
            }
        }
    }
    stayed.into_iter().for_each(|(loc, stay)| context.stayed_for(id, loc, stay));
    let name = |var: &VarId| remark::name(routine, *var);
    let forms: Vec<(LocId, String)> = found
        .values()
        .map(|fields| {
            let tables: Vec<String> = fields.fields.iter().map(name).collect();
            (fields.stmt.loc, format!("forall over the fields of {}", tables.join(" and ")))
        })
        .collect();
    let fired = guarded(program, id, context, |routine| {
        let n = found.len();
        emit::rewrite_fields(routine, found);
        n
    });
    for (loc, form) in forms {
        match fired {
            0 => context.stayed(id, loc, "the verifier finds no guard for its body"),
            _ => context.became(id, loc, form),
        }
    }
    fired
}

struct Finder<'p> {
    program: &'p Program,
    id: RoutineId,
    routine: &'p Routine,
    /// Made when they are asked for: liveness, and how often each variable is accessed.
    liveness: Option<Liveness>,
    accesses: Option<BTreeMap<VarId, usize>>,
    found: BTreeMap<usize, Fields>,
    stayed: Vec<(LocId, Stay)>,
}

impl<'p> Finder<'p> {
    /// Looks at the loops of a block whose first statement has this number, outer ones first.
    fn block(&mut self, block: &'p [Stmt], next: &mut usize) {
        for stmt in block {
            let at = *next;
            *next += 1;
            let n_inside = |stmt: &Stmt| {
                let mut n = 0;
                visit::walk(std::slice::from_ref(stmt), &mut |_| n += 1);
                n - 1
            };
            if self.look(at, stmt) {
                // What is inside stands in the `forall` as it is.
                *next += n_inside(stmt);
                continue;
            }
            for inner in visit::blocks(&stmt.kind) {
                self.block(inner, next);
            }
        }
    }

    /// Can the statement with number `at` be lifted?
    fn look(&mut self, at: usize, stmt: &Stmt) -> bool {
        let Some((label, var, range, body)) = range_of(stmt) else { return false };
        let (has_fields, has_columns) = works_on(body);
        if !has_fields && !has_columns {
            return false;
        }
        match self.lifted(at, stmt, (label, var, range, body)) {
            Ok(fields) => {
                self.found.insert(at, fields);
                true
            }
            Err(stay) => {
                if has_fields {
                    self.stayed.push((stmt.loc, stay));
                }
                false
            }
        }
    }

    fn lifted(
        &mut self,
        at: usize,
        stmt: &Stmt,
        (label, var, range, body): (LabelId, VarId, ForallRange, &[Stmt]),
    ) -> Result<Fields, Stay> {
        let unset = self.unset_between(body, label);
        let (mut turn, mut state) = Turn::new(self.routine, (label, var), &range, body, unset);
        turn.block(body, &mut state)?;
        let Turn { mut places, privates, stored, mut touched, mut fields, grows, index, .. } = turn;
        let mut writes = Vec::new();
        for &var in &stored {
            let touches = touched.remove(&var).unwrap_or_default();
            writes.push((var, self.own(var, turn.var, index, &touches, &mut places)?));
        }
        for (var, own) in &writes {
            if matches!(own, Own::Field { .. }) && !fields.contains(var) {
                fields.push(*var);
            }
        }
        if writes.is_empty() || fields.is_empty() {
            return Err("its body stores no part of its index".to_owned().into());
        }
        let name = |var: VarId| remark::name(self.routine, var);
        for (at, declared) in (0..).zip(&self.routine.vars) {
            for extent in declared.ty.extents() {
                let Extent::Var(of) = extent else { continue };
                if privates.contains(&of) && !privates.contains(&VarId(at)) {
                    return Err(format!("its body assigns {}", name(of)).into());
                }
            }
        }
        let liveness = self.liveness.get_or_insert_with(|| Liveness::of(self.program, self.id));
        if let Some(live) = privates.iter().find(|var| liveness.is_live_after(at, **var)) {
            return Err(format!("{} is needed behind the loop", name(*live)).into());
        }
        let is_live = liveness.is_live_after(at, var);
        let grows = self.grown(grows, &mut places, index, &range)?;
        let mut privates: Vec<VarId> = privates.into_iter().collect();
        privates.retain(|private| *private != var);
        Ok(Fields {
            stmt: stmt.clone(),
            label,
            var,
            range,
            writes,
            privates,
            body: without_growth(body, &stored),
            places,
            grows,
            is_live,
            fields,
        })
    }

    /// What each turn finds unset: variables that nothing outside touches, and that the body unsets
    /// at its end.
    fn unset_between(&mut self, body: &[Stmt], label: LabelId) -> BTreeSet<VarId> {
        let (mut seen, mut unset) = (BTreeSet::new(), BTreeSet::new());
        let mut is_left = false;
        for stmt in body.iter().rev() {
            if let StmtKind::Size(SizeOp::Unset(var)) = stmt.kind
                && !seen.contains(&var)
            {
                unset.insert(var);
            }
            visit::walk(std::slice::from_ref(stmt), &mut |stmt| {
                is_left |= stmt.kind == StmtKind::Continue(label);
                visit::accesses(&stmt.kind, &mut |var, _| {
                    seen.insert(var);
                });
            });
        }
        if is_left || unset.is_empty() {
            return BTreeSet::new();
        }
        let everywhere = self.accesses.get_or_insert_with(|| accesses(&self.routine.body));
        let inside = accesses(body);
        let is_param = |var: VarId| self.routine.params.iter().any(|param| param.var == var);
        unset.retain(|var| !is_param(*var) && inside.get(var) == everywhere.get(var));
        unset
    }

    /// What a turn has of a variable of which turns write parts.
    fn own(
        &self,
        var: VarId,
        own_index: VarId,
        index: AtomId,
        touches: &[Touch],
        places: &mut Places,
    ) -> Result<Own, Stay> {
        let name = remark::name(self.routine, var);
        let is_own = |of: &Operand| *of == Operand::Var(own_index);
        let elsewhere = |touch: &Touch, part: &str| {
            let index = remark::name(self.routine, own_index);
            let why = format!("{name} is accessed at another {part} than {index}");
            Err(Stay { why, at: Some(touch.stmt.loc) })
        };
        let all = |test: &dyn Fn(&What) -> bool| touches.iter().all(|touch| test(&touch.what));
        let line = if all(&|what| matches!(what, What::Row(of) if is_own(of))) {
            Some(PartKind::Row)
        } else if all(&|what| matches!(what, What::Component(of) if is_own(of))) {
            Some(PartKind::Component)
        } else if all(&|what| matches!(what, What::Columns { index: Some(of), .. } if is_own(of))) {
            Some(PartKind::Column)
        } else {
            None
        };
        if let Some(line) = line {
            return Ok(Own::Line(line));
        }
        for touch in touches {
            match &touch.what {
                What::Row(_) => return elsewhere(touch, "row"),
                What::Component(_) => return elsewhere(touch, "component"),
                What::Columns { .. } => {}
            }
        }
        let columns = touches.iter().filter_map(|touch| match &touch.what {
            What::Columns { base, width, loops, index: _ } => Some((touch, base, width, loops)),
            What::Row(_) | What::Component(_) => None,
        });
        let columns: Vec<_> = columns.collect();
        let first = columns.iter().find(|(touch, ..)| touch.stores);
        let Some((first, base, width, loops)) = first else {
            return Err(format!("its body may give {name} its size").into());
        };
        let meet = || Stay {
            why: format!("the fields of {name} that two turns have may overlap"),
            at: Some(first.stmt.loc),
        };
        let begin = places.first(base, loops);
        let split = begin.as_ref().and_then(|begin| begin.split(index));
        let ends = begin.zip(split).and_then(|(begin, (step, rest))| {
            let end = begin.plus(1, &step)?;
            Some((begin, end, rest.plus(1, &step)?, step))
        });
        let Some((begin, end, base, step)) = ends else { return Err(meet()) };
        // The fields of two turns are apart.
        let apart = step.plus(-1, width);
        if !apart.is_some_and(|apart| places.require(&apart, loops)) {
            return Err(meet());
        }
        for (touch, base, width, loops) in columns {
            let low = base.plus(-1, &begin);
            let high = end.plus(-1, base).and_then(|room| room.plus(-1, width));
            // It lies in the same place of the field in each turn.
            let mut is_inside =
                |room: Polynomial| !room.atoms().contains(&index) && places.require(&room, loops);
            let is_inside = [low, high].into_iter().all(|room| room.is_some_and(&mut is_inside));
            if !is_inside {
                let why = format!("{name} is accessed at another field than that of the turn");
                return Err(Stay { why, at: Some(touch.stmt.loc) });
            }
        }
        let is_plain = |number: &Polynomial| {
            let mut terms = number.terms();
            let first = terms.next();
            terms.next().is_none()
                && first.is_none_or(|(of, factor)| factor == 1 && of.factors()[1].is_none())
                || number.as_number().is_some()
        };
        // What has to be computed in front is to fit.
        let fits = |number: &Polynomial, places: &mut Places| {
            places.is_outer(number) && (is_plain(number) || places.fits(number))
        };
        match fits(&base, places) && fits(&step, places) {
            true => Ok(Own::Field { base, width: step }),
            false => Err(meet()),
        }
    }

    /// How many columns tables have at the end that grow.
    fn grown(
        &self,
        grows: Vec<Growth>,
        places: &mut Places,
        index: AtomId,
        range: &ForallRange,
    ) -> Result<Vec<(VarId, Polynomial)>, Stay> {
        let mut grown = Vec::new();
        let ForallRange::Range(from, to) = range else { return Ok(grown) };
        for Growth { table, columns } in grows {
            let [first, last] =
                [from, to].map(|end| places.outer(&star_ir::SizeOperand::Value(end.clone())));
            // Without a turn nothing grows.
            let turns = last.plus(-1, &first);
            let last = columns.with(index, &last);
            let has = places.outer(&star_ir::SizeOperand::Columns(table));
            let room = last.as_ref().and_then(|last| has.plus(-1, last));
            if room.is_some_and(|room| places.conditions.contains(&room)) {
                continue;
            }
            let Some(last) = last.filter(|last| {
                places.fits(last) && turns.is_some_and(|turns| places.require(&turns, &[]))
            }) else {
                let name = remark::name(self.routine, table);
                return Err(format!("its body may give {name} its size").into());
            };
            grown.push((table, last));
        }
        Ok(grown)
    }
}

/// Does a body work on fields; does a loop in it store columns at another index than its own?
fn works_on(body: &[Stmt]) -> (bool, bool) {
    let (mut has_fields, mut has_columns) = (false, false);
    visit::walk(body, &mut |stmt| {
        has_fields |=
            matches!(stmt.kind, StmtKind::Assign(_, Op::Field { .. }) | StmtKind::PutField { .. });
        if let StmtKind::For { var, body, .. } | StmtKind::Foreach { var, body, .. } = &stmt.kind {
            has_columns |= body.iter().any(|stmt| {
                matches!(&stmt.kind, StmtKind::PutColumn { index, .. }
                    if *index != Operand::Var(*var))
            });
        }
    });
    (has_fields, has_columns)
}

/// How often statements access each variable.
fn accesses(stmts: &[Stmt]) -> BTreeMap<VarId, usize> {
    let mut n = BTreeMap::new();
    visit::walk(stmts, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |var, _| *n.entry(var).or_default() += 1);
    });
    n
}

/// The body without what makes tables outside grow: they have their columns.
fn without_growth(body: &[Stmt], stored: &BTreeSet<VarId>) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in body {
        let mut stmt = stmt.clone();
        match &mut stmt.kind {
            StmtKind::Size(SizeOp::EnsureColumns { table, .. }) if stored.contains(table) => {
                continue;
            }
            StmtKind::Check(check) => {
                if let star_ir::Check::NewColumn(table, index) = check
                    && stored.contains(table)
                {
                    let limit = star_ir::SizeOperand::Columns(*table);
                    *check = star_ir::Check::Index(index.clone(), limit);
                }
            }
            kind => {
                for inner in visit::blocks_mut(kind).into_iter().flatten() {
                    *inner = without_growth(inner, stored);
                }
            }
        }
        kept.push(stmt);
    }
    kept
}
