//! Rules 11 to 13: a walk in the order of execution that keeps what is known; see Note [Facts].

mod assign;
mod latches;
mod loops;

use super::Subject;
use super::definite_assignment;
use super::effects::{self, Effect, Effects};
use super::facts::Facts;
use super::requirements::{self, Requirement};
use crate::check::{Check, SizeOperand};
use crate::op::{IntOp, Op, Operand};
use crate::print;
use crate::program::{Extent, LabelId, Mode, Ty, VarId};
use crate::stmt::{Arg, SizeOp, Stmt, StmtKind};
use crate::visit::{self, Access};
use latches::Latches;
use loops::Turns;

pub(super) fn check(subject: &mut Subject<'_, '_>) {
    let routine = subject.routine;
    let mut facts = Facts::new(&routine.vars);
    for param in &routine.params {
        match param.mode {
            Mode::Value => facts.set(param.var),
            Mode::Ref => {}
        }
    }
    let mut sized_by = vec![Vec::new(); routine.vars.len()];
    for (id, var) in (0..).zip(&routine.vars) {
        for extent in extents(var.ty) {
            match extent {
                Extent::Var(v) => sized_by[v.0 as usize].push(VarId(id)),
                Extent::Const(_) | Extent::Dynamic => {}
            }
        }
    }
    let mut loops = effects::of_loops(&routine.body, &routine.vars);
    definite_assignment::refine(subject.program, &routine.body, &mut loops);
    let mut walk = Walk {
        latches: Latches::of(&routine.body, &routine.vars),
        subject,
        facts: Some(facts),
        loops: loops.into_iter(),
        leaves: Vec::new(),
        sized_by,
        tile: None,
        sums: Vec::new(),
    };
    walk.block(&routine.body);
    walk.end(None);
}

/// The sizes that a type names.
fn extents(ty: Ty) -> [Extent; 2] {
    match ty {
        Ty::Slice(n) | Ty::Word(n) => [n, Extent::Dynamic],
        Ty::Table(rows, columns) => [rows, columns],
        Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => [Extent::Dynamic; 2],
    }
}

struct Walk<'s, 'a, 'e> {
    subject: &'s mut Subject<'a, 'e>,
    /// What is known here; `None` where control does not come.
    facts: Option<Facts<'a>>,
    /// What the loops to come write.
    loops: std::vec::IntoIter<Effects>,
    /// For each block or loop around: what is known at all its `break`s so far.
    leaves: Vec<(LabelId, Option<Facts<'a>>)>,
    /// For each variable those that have it as an extent.
    sized_by: Vec<Vec<VarId>>,
    /// Where extents come from.
    latches: Latches,
    /// Number of rows of the `tile` around.
    tile: Option<Operand>,
    /// Sums that a `forall` around reduces.
    sums: Vec<VarId>,
}

impl<'a> Walk<'_, 'a, '_> {
    fn block(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            self.reads(stmt);
            self.needs(stmt);
            self.statement(stmt);
        }
    }

    /// The routine ends here.
    fn end(&mut self, stmt: Option<&Stmt>) {
        let Some(facts) = &self.facts else { return };
        let routine = self.subject.routine;
        let promised = routine.params.iter().filter(|param| param.set_at_end);
        let unset: Vec<VarId> = routine
            .result
            .into_iter()
            .chain(promised.map(|param| param.var))
            .filter(|&var| !facts.is_set(var))
            .collect();
        for var in unset {
            let what = if Some(var) == routine.result { "result" } else { "parameter" };
            let name = self.subject.name(var);
            self.subject.fault(stmt, format!("the {what} {name} may be unset here"));
        }
    }

    /// What is read is set, and of the right size in a tile.
    fn reads(&mut self, stmt: &Stmt) {
        // A tile's reductions look at the end of its body.
        if let StmtKind::Tile { rows, .. } = &stmt.kind {
            if let Operand::Var(v) = rows {
                self.require_set(stmt, *v);
            }
            return;
        }
        // The condition of a `while` is read behind its head.
        if matches!(stmt.kind, StmtKind::While { .. }) {
            return;
        }
        let mut needed = Vec::new();
        visit::accesses(&stmt.kind, &mut |var, access| match access {
            Access::Read | Access::Update | Access::Move => needed.push(var),
            Access::ReadSize
            | Access::Observe
            | Access::Write
            | Access::InitSize
            | Access::LoopVar
            | Access::Kill
            | Access::Ref => {}
        });
        for var in needed {
            self.require_set(stmt, var);
            self.require_rows(stmt, var);
        }
        if let StmtKind::Assign(_, Op::Length(var)) = &stmt.kind {
            self.require_rows(stmt, *var);
        }
    }

    fn require_set(&mut self, stmt: &Stmt, var: VarId) {
        let Some(facts) = &mut self.facts else { return };
        if !facts.is_set(var) {
            // Told once.
            facts.set(var);
            let message = format!("{} may be unset here", self.subject.name(var));
            self.subject.fault(Some(stmt), message);
        }
    }

    /// In a tile, slices and tables have its rows.
    fn require_rows(&mut self, stmt: &Stmt, var: VarId) {
        let measure = match self.subject.ty(var) {
            Ty::Slice(_) => SizeOperand::Length(var),
            Ty::Table(..) => SizeOperand::Rows(var),
            Ty::Int | Ty::Bool | Ty::Str | Ty::Word(_) | Ty::Handle => return,
        };
        if !self.has_tile_rows(&measure) {
            let name = self.subject.name(var);
            let message = format!("{name} is not known to have the rows of the tile");
            self.subject.fault(Some(stmt), message);
        }
    }

    fn has_tile_rows(&self, measure: &SizeOperand) -> bool {
        let (Some(facts), Some(rows)) = (&self.facts, &self.tile) else {
            return true;
        };
        facts.holds(&Check::Size(measure.clone(), SizeOperand::Value(rows.clone())))
    }

    fn needs(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign(dst, Op::Int(IntOp::Add, ..)) = &stmt.kind
            && self.sums.contains(dst)
        {
            return;
        }
        let needs = requirements::of_statement(&stmt.kind);
        for need in needs.into_iter().chain(self.extents_kept(&stmt.kind)) {
            let Some(facts) = &mut self.facts else { return };
            let message = match &need {
                Requirement::Check(check) if facts.holds(check) => continue,
                Requirement::Check(Check::Set(var)) => {
                    self.require_set(stmt, *var);
                    continue;
                }
                Requirement::Check(check) => {
                    let text = print::print_check(self.subject.program, self.subject.id, check);
                    // Told once.
                    facts.learn(check);
                    format!("`check {text}` is not established")
                }
                Requirement::Part { base, width, limit } => {
                    let widths = facts.values(width);
                    if facts.holds_range(std::slice::from_ref(base), &widths, limit) {
                        continue;
                    }
                    "that the part lies inside is not established".into()
                }
                Requirement::Mask { size, from, to } => {
                    if holds_mask(facts, size, from, to) {
                        continue;
                    }
                    "that the ones lie inside is not established".into()
                }
            };
            self.subject.fault(Some(stmt), message);
        }
    }

    /// That what gets a size gets the one of its type. The extents of parameters are believed, what is
    /// set already changes nothing, and an extent that only takes the size of this variable follows.
    fn extents_kept(&self, kind: &StmtKind) -> Vec<Requirement> {
        let zero = Operand::Int(0);
        let (var, sizes) = match kind {
            StmtKind::Size(SizeOp::SetRows { table, rows }) => {
                (*table, vec![rows.clone(), SizeOperand::Value(zero)])
            }
            StmtKind::Size(SizeOp::Init { table, rows, columns }) => (
                *table,
                vec![SizeOperand::Value(rows.clone()), SizeOperand::Value(columns.clone())],
            ),
            StmtKind::Size(SizeOp::Fix { bits, size }) => {
                (*bits, vec![SizeOperand::Value(size.clone())])
            }
            _ => return Vec::new(),
        };
        let settled = self.facts.as_ref().is_none_or(|facts| facts.is_set(var));
        if settled || self.is_param(var) {
            return Vec::new();
        }
        let own = match self.subject.ty(var) {
            Ty::Table(..) => [SizeOperand::Rows(var), SizeOperand::Columns(var)],
            Ty::Slice(_) | Ty::Word(_) | Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => {
                [SizeOperand::Length(var), SizeOperand::Length(var)]
            }
        };
        let kept = |((size, own), extent)| {
            let extent = match extent {
                Extent::Const(n) => Operand::Int(i64::try_from(n).ok()?),
                Extent::Var(v) if self.latches.follows(v, &own) => return None,
                Extent::Var(v) => Operand::Var(v),
                Extent::Dynamic => return None,
            };
            Some(Requirement::Check(Check::Size(size, SizeOperand::Value(extent))))
        };
        let extents = extents(self.subject.ty(var));
        sizes.into_iter().zip(own).zip(extents).filter_map(kept).collect()
    }

    fn is_param(&self, var: VarId) -> bool {
        self.subject.routine.params.iter().any(|param| param.var == var)
    }

    /// What may be unset and is passed by reference comes back with any size.
    fn passes_any_size(&mut self, stmt: &Stmt, args: &[Arg]) {
        for arg in args {
            let Arg::Ref(var) = arg else { continue };
            let set = self.facts.as_ref().is_none_or(|facts| facts.is_set(*var));
            let dynamic = extents(self.subject.ty(*var)) == [Extent::Dynamic; 2];
            if !set && !dynamic && !self.subject.routine.var(*var).sized && !self.is_param(*var) {
                let name = self.subject.name(*var);
                let message = format!("{name} may be unset and come back with another size");
                self.subject.fault(Some(stmt), message);
            }
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign(dst, op) => self.assign(stmt, *dst, op),
            StmtKind::Size(op) => self.size_op(op),
            StmtKind::Check(check) => {
                if let Some(facts) = &mut self.facts {
                    facts.learn(check);
                }
            }
            StmtKind::Step { dst, .. } => {
                self.plain(&stmt.kind);
                self.learn(Check::NotNegative(Operand::Var(*dst)));
            }
            StmtKind::Put { .. }
            | StmtKind::Replace { .. }
            | StmtKind::PutColumn { .. }
            | StmtKind::PutRow { .. }
            | StmtKind::PutBit { .. }
            | StmtKind::PutField { .. }
            | StmtKind::Cost { .. }
            | StmtKind::Print(_)
            | StmtKind::Read { .. }
            | StmtKind::Write { .. } => self.plain(&stmt.kind),
            StmtKind::Call { args, .. } => {
                self.passes_any_size(stmt, args);
                self.plain(&stmt.kind);
            }
            StmtKind::For { label, var, from, to, down, body } => {
                let (low, high) = if *down { (to, from) } else { (from, to) };
                self.counted(*label, *var, Turns::Between(low, high), body);
            }
            StmtKind::Foreach { label, var, over, body } => {
                self.counted(*label, *var, Turns::Ones(*over), body)
            }
            StmtKind::While { label, head, test, body } => {
                self.enter_loop(None);
                self.leaves.push((*label, None));
                self.block(head);
                if let Operand::Var(v) = test {
                    self.require_set(stmt, *v);
                }
                let after = self.facts.clone();
                self.block(body);
                self.facts = match test {
                    Operand::Bool(true) => None,
                    Operand::Var(_) | Operand::Int(_) | Operand::Bool(false) | Operand::Str(_) => {
                        after
                    }
                };
                self.leave();
            }
            StmtKind::Forall { .. } => self.forall(&stmt.kind),
            StmtKind::Tile { .. } => self.tile(stmt),
            StmtKind::If { test: _, then, otherwise } => {
                let before = self.facts.clone();
                self.block(then);
                let after_then = std::mem::replace(&mut self.facts, before);
                self.block(otherwise);
                meet(&mut self.facts, after_then);
            }
            StmtKind::Block { label, body } => {
                self.leaves.push((*label, None));
                self.block(body);
                self.leave();
            }
            StmtKind::Break(label) => {
                let here = self.facts.take();
                if let Some((_, known)) = self.leaves.iter_mut().rfind(|(l, _)| l == label) {
                    meet(known, here);
                }
            }
            StmtKind::Continue(_) => self.facts = None,
            StmtKind::Exit => {
                self.end(Some(stmt));
                self.facts = None;
            }
        }
    }

    fn learn(&mut self, check: Check) {
        if let Some(facts) = &mut self.facts {
            facts.learn(&check);
        }
    }

    /// What a statement does to the variables that it writes, and that it sets those.
    fn plain(&mut self, kind: &StmtKind) {
        let vars = &self.subject.routine.vars;
        let Some(facts) = &mut self.facts else { return };
        visit::accesses(kind, &mut |var, access| {
            if let Some(effect) = Effect::of(access, &vars[var.0 as usize]) {
                facts.affected(var, effect);
            }
            if access == Access::Write {
                facts.set(var);
            }
        });
        if let StmtKind::Call { callee, args, .. } = kind {
            let params = &self.subject.program.routine(*callee).params;
            for (arg, param) in args.iter().zip(params) {
                match arg {
                    Arg::Ref(var) if param.set_at_end => facts.set(*var),
                    Arg::Ref(_) | Arg::Value(_) | Arg::Move(_) => {}
                }
            }
        }
    }
}

/// What both know; where control does not come from one side, what the other knows.
fn meet<'a>(known: &mut Option<Facts<'a>>, other: Option<Facts<'a>>) {
    match (known.as_mut(), other) {
        (Some(known), Some(other)) => known.meet(&other),
        (None, other) => *known = other,
        (Some(_), None) => {}
    }
}

fn holds_mask(facts: &Facts<'_>, size: &Operand, from: &Operand, to: &Operand) -> bool {
    let limit = SizeOperand::Value(size.clone());
    let inside = |index: &Operand| facts.holds(&Check::Index(index.clone(), limit.clone()));
    if inside(from) && inside(to) {
        return true;
    }
    facts.results(IntOp::Sub, from, &Operand::Int(1)).into_iter().any(|base| {
        let widths = facts.results(IntOp::Sub, to, &base);
        facts.holds_range(&[base], &widths, &limit)
    })
}
