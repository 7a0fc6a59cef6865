//! Loops over fields: each iteration works on a separate field of tables outside the loop, and on
//! private variables.
//!
//! The position of a field is a polynomial in the index of the iteration: the field begins after
//! `base + (i − 1)·step` columns. If iterations write a table, every access of an iteration to it,
//! including loads, lies inside the `step` columns of the iteration, which no other iteration
//! accesses (or inside the line or component of its index). All other variables that an iteration
//! writes are written before they are read. Checks are proven, or follow from conditions on
//! loop-invariant values, which are tested before the loop. Otherwise the loop stays: a check that
//! depends on values computed by an iteration cannot be decided before it. The body may contain
//! branches and loops that terminate; loops over lines are lifted before.
//!
//! A table that grows with each field gets all its columns before the first iteration.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::polynomial::{AtomId, Polynomial};
use star_ir::analysis::walk::{Belief, walk};
use star_ir::visit;
use star_ir::{
    Extent, ForallRange, LabelId, LocId, Op, Operand, PartKind, Program, Routine, RoutineId,
    Simple, SizeOp, Stmt, StmtKind, VarId,
};

use super::Unset;
use super::index_polynomials::IndexPolynomials;
use super::iteration::{Growth, Iteration, Region, Touch};
use super::{emit, range_of};
use crate::context::Context;
use crate::remark::{self, Stay};
use crate::rewrite::guarded;

/// A loop over fields that can be lifted.
pub(super) struct Fields {
    /// The loop, which is kept for the case that a guard fails.
    pub(super) stmt: Stmt,
    pub(super) label: LabelId,
    pub(super) var: VarId,
    pub(super) range: ForallRange,
    pub(super) writes: Vec<(VarId, Own)>,
    pub(super) privates: Vec<VarId>,
    pub(super) body: Vec<Stmt>,
    pub(super) polynomials: IndexPolynomials,
    /// Tables that get all their columns before the loop, and the number of columns.
    pub(super) grows: Vec<(VarId, Polynomial)>,
    /// Whether the index is live after the loop.
    pub(super) is_live: bool,
    /// The tables of which it accesses fields.
    fields: Vec<VarId>,
}

/// The part of a written variable that an iteration owns.
pub(super) enum Own {
    /// Its line or component.
    Line(PartKind),
    /// A field of `width` columns; that of the first iteration begins after `base` columns.
    Field { base: Polynomial, width: Polynomial },
}

impl Fields {
    /// The variables that are read, or whose sizes are read, before the loop.
    pub(super) fn read_before(&self) -> Vec<VarId> {
        let mut atoms: BTreeSet<AtomId> = self.polynomials.bounded.clone();
        for (_, own) in &self.writes {
            if let Own::Field { base, width } = own {
                atoms.extend(base.atoms().into_iter().chain(width.atoms()));
            }
        }
        let grown = self.grows.iter().map(|(table, _)| *table);
        self.polynomials.read_before(atoms.into_iter()).chain(grown).collect()
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
        let read_before = found.iter().map(|(at, fields)| (*at, fields.read_before())).collect();
        let mut unset = Unset { read_before, is_unset: BTreeMap::new() };
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
    /// Computed on demand: liveness, and the number of accesses to each variable.
    liveness: Option<Liveness>,
    accesses: Option<BTreeMap<VarId, usize>>,
    found: BTreeMap<usize, Fields>,
    stayed: Vec<(LocId, Stay)>,
}

impl<'p> Finder<'p> {
    /// Visits the loops of a block whose first statement has this number, outer ones first.
    fn block(&mut self, block: &'p [Stmt], next: &mut usize) {
        for stmt in block {
            let at = *next;
            *next += 1;
            let n_inside = |stmt: &Stmt| {
                let mut n = 0;
                visit::walk(std::slice::from_ref(stmt), &mut |_| n += 1);
                n - 1
            };
            if self.try_lift(at, stmt) {
                // Inner loops stay unchanged in the `forall`.
                *next += n_inside(stmt);
                continue;
            }
            for inner in visit::blocks(&stmt.kind) {
                self.block(inner, next);
            }
        }
    }

    /// Tries to lift the statement with number `at`.
    fn try_lift(&mut self, at: usize, stmt: &Stmt) -> bool {
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
        let (mut iteration, mut state) =
            Iteration::new(self.routine, (label, var), &range, body, unset);
        iteration.block(body, &mut state)?;
        let Iteration {
            mut polynomials,
            privates,
            stored,
            mut touched,
            mut fields,
            grows,
            index,
            ..
        } = iteration;
        let mut writes = Vec::new();
        for &var in &stored {
            let touches = touched.remove(&var).unwrap_or_default();
            writes.push((var, self.own(var, iteration.var, index, &touches, &mut polynomials)?));
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
            return Err(format!("{} is needed after the loop", name(*live)).into());
        }
        let is_live = liveness.is_live_after(at, var);
        let grows = self.grown(grows, &mut polynomials, index, &range)?;
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
            polynomials,
            grows,
            is_live,
            fields,
        })
    }

    /// Returns the variables that are unset when each iteration begins: those that are accessed
    /// only by the body, and that the body unsets at its end.
    fn unset_between(&mut self, body: &[Stmt], label: LabelId) -> BTreeSet<VarId> {
        let (mut seen, mut unset) = (BTreeSet::new(), BTreeSet::new());
        let mut is_left = false;
        for stmt in body.iter().rev() {
            if let StmtKind::Simple(Simple::Size(SizeOp::Unset(var))) = stmt.kind
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

    /// Returns the part that an iteration owns of a variable that iterations write in parts.
    fn own(
        &self,
        var: VarId,
        own_index: VarId,
        index: AtomId,
        touches: &[Touch],
        polynomials: &mut IndexPolynomials,
    ) -> Result<Own, Stay> {
        let name = remark::name(self.routine, var);
        let is_own = |of: &Operand| *of == Operand::Var(own_index);
        let elsewhere = |touch: &Touch, part: &str| {
            let index = remark::name(self.routine, own_index);
            let why = format!("{name} is accessed at another {part} than {index}");
            Err(Stay { why, at: Some(touch.stmt.loc) })
        };
        let all = |test: &dyn Fn(&Region) -> bool| touches.iter().all(|touch| test(&touch.region));
        let line = if all(&|region| matches!(region, Region::Row(of) if is_own(of))) {
            Some(PartKind::Row)
        } else if all(&|region| matches!(region, Region::Component(of) if is_own(of))) {
            Some(PartKind::Component)
        } else if all(
            &|region| matches!(region, Region::Columns { index: Some(of), .. } if is_own(of)),
        ) {
            Some(PartKind::Column)
        } else {
            None
        };
        if let Some(line) = line {
            return Ok(Own::Line(line));
        }
        for touch in touches {
            match &touch.region {
                Region::Row(_) => return elsewhere(touch, "row"),
                Region::Component(_) => return elsewhere(touch, "component"),
                Region::Columns { .. } => {}
            }
        }
        let columns = touches.iter().filter_map(|touch| match &touch.region {
            Region::Columns { base, width, loops, index: _ } => Some((touch, base, width, loops)),
            Region::Row(_) | Region::Component(_) => None,
        });
        let columns: Vec<_> = columns.collect();
        let first = columns.iter().find(|(touch, ..)| touch.stores);
        let Some((first, base, width, loops)) = first else {
            return Err(format!("its body may set the size of {name}").into());
        };
        let meet = || Stay {
            why: format!("the fields of {name} in two iterations may overlap"),
            at: Some(first.stmt.loc),
        };
        let begin = polynomials.first(base, loops);
        let split = begin.as_ref().and_then(|begin| begin.split(index));
        let ends = begin.zip(split).and_then(|(begin, (step, rest))| {
            let end = begin.plus(1, &step)?;
            Some((begin, end, rest.plus(1, &step)?, step))
        });
        let Some((begin, end, base, step)) = ends else { return Err(meet()) };
        // The fields of two iterations are disjoint.
        let apart = step.plus(-1, width);
        if !apart.is_some_and(|apart| polynomials.require(&apart, loops)) {
            return Err(meet());
        }
        for (touch, base, width, loops) in columns {
            let low = base.plus(-1, &begin);
            let high = end.plus(-1, base).and_then(|room| room.plus(-1, width));
            // The access has the same position within the field in each iteration.
            let mut is_inside = |room: Polynomial| {
                !room.atoms().contains(&index) && polynomials.require(&room, loops)
            };
            let is_inside = [low, high].into_iter().all(|room| room.is_some_and(&mut is_inside));
            if !is_inside {
                let why = format!("{name} is accessed outside the field of the iteration");
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
        // Numbers that are computed before the loop must fit.
        let fits = |number: &Polynomial, polynomials: &mut IndexPolynomials| {
            polynomials.is_outer(number) && (is_plain(number) || polynomials.fits(number))
        };
        match fits(&base, polynomials) && fits(&step, polynomials) {
            true => Ok(Own::Field { base, width: step }),
            false => Err(meet()),
        }
    }

    /// Returns the final number of columns of each table that grows.
    fn grown(
        &self,
        grows: Vec<Growth>,
        polynomials: &mut IndexPolynomials,
        index: AtomId,
        range: &ForallRange,
    ) -> Result<Vec<(VarId, Polynomial)>, Stay> {
        let mut grown = Vec::new();
        let ForallRange::Range(from, to) = range else { return Ok(grown) };
        for Growth { table, columns } in grows {
            let [first, last] =
                [from, to].map(|end| polynomials.outer(&star_ir::SizeOperand::Value(end.clone())));
            // Without iterations nothing grows.
            let n_more = last.plus(-1, &first);
            let last = columns.with(index, &last);
            let has = polynomials.outer(&star_ir::SizeOperand::Columns(table));
            let room = last.as_ref().and_then(|last| has.plus(-1, last));
            if room.is_some_and(|room| polynomials.conditions.contains(&room)) {
                continue;
            }
            let Some(last) = last.filter(|last| {
                polynomials.fits(last)
                    && n_more.is_some_and(|n_more| polynomials.require(&n_more, &[]))
            }) else {
                let name = remark::name(self.routine, table);
                return Err(format!("its body may set the size of {name}").into());
            };
            grown.push((table, last));
        }
        Ok(grown)
    }
}

/// Tests whether a body works on fields, and whether a loop in it stores columns at an index other
/// than its own.
fn works_on(body: &[Stmt]) -> (bool, bool) {
    let (mut has_fields, mut has_columns) = (false, false);
    visit::walk(body, &mut |stmt| {
        has_fields |= matches!(
            stmt.kind,
            StmtKind::Simple(Simple::Assign(_, Op::Field { .. }) | Simple::PutField { .. })
        );
        if let StmtKind::For { var, body, .. } | StmtKind::Foreach { var, body, .. } = &stmt.kind {
            has_columns |= body.iter().any(|stmt| {
                matches!(&stmt.kind, StmtKind::Simple(Simple::PutColumn { index, .. })
                    if *index != Operand::Var(*var))
            });
        }
    });
    (has_fields, has_columns)
}

/// Counts the accesses to each variable.
fn accesses(stmts: &[Stmt]) -> BTreeMap<VarId, usize> {
    let mut n = BTreeMap::new();
    visit::walk(stmts, &mut |stmt| {
        visit::accesses(&stmt.kind, &mut |var, _| *n.entry(var).or_default() += 1);
    });
    n
}

/// Returns the body without the statements that make outer tables grow: they have their columns.
fn without_growth(body: &[Stmt], stored: &BTreeSet<VarId>) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in body {
        let mut stmt = stmt.clone();
        match &mut stmt.kind {
            StmtKind::Simple(Simple::Size(SizeOp::EnsureColumns { table, .. }))
                if stored.contains(table) =>
            {
                continue;
            }
            StmtKind::Simple(Simple::Check(check)) => {
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
