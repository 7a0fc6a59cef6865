//! The walk that finds facts: a routine in execution order, with the facts known at each point.
//!
//! Note [Facts]. A fact is invalidated when something that it mentions is written, except that a
//! change in place keeps sizes. Facts about what a loop writes are forgotten at its head, so that
//! one walk over the body is enough; branches that meet keep what both know. Sizes are equal by a
//! check, by an assignment, or by equal extents of set variables.

use super::definite_assignment;
use super::effects::{self, Effect, Effects};
use super::facts::Facts;
use super::latches::Latches;
use super::loops::Iterations;
use super::tested::{Comparison, Tests};
use crate::check::{Check, SizeOperand};
use crate::op::Operand;
use crate::program::{Extent, LabelId, Mode, Program, Routine, Ty, VarId};
use crate::stmt::{Arg, Simple, Stmt, StmtKind};
use crate::visit::{self, Access};

/// The maximum nesting depth of tests whose results are recorded.
const MAX_TESTS: usize = 32;

/// A visitor of each reachable point. Statements have the numbers of [`super::n_statements`].
pub trait Inspect {
    /// Visits the point before a statement; for a loop, before its first iteration.
    fn before(&mut self, at: usize, stmt: &Stmt, point: &mut Point<'_, '_>);

    /// Visits the condition of a `while`, after its head.
    fn test(&mut self, _stmt: &Stmt, _test: &Operand, _point: &mut Point<'_, '_>) {}

    /// Visits the end of the routine, at the `exit` or after its last statement.
    fn end(&mut self, _exit: Option<&Stmt>, _point: &mut Point<'_, '_>) {}
}

/// A point of a routine.
pub struct Point<'p, 'a> {
    /// The facts known there.
    pub facts: &'p mut Facts<'a>,
    /// Sums that an enclosing `forall` reduces.
    pub sums: &'p [VarId],
    pub(crate) latches: &'p Latches,
}

/// The extents of parameters that are trusted before a check of the header has established them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// All: the checks of the header are in their required places.
    Header,
    /// Only those that are derived from the parameter itself. An analysis of whether a check of the
    /// header can fail must not trust the header.
    Nothing,
}

/// Walks through a routine.
pub fn walk(program: &Program, routine: &Routine, belief: Belief, inspect: &mut impl Inspect) {
    let latches = Latches::of(&routine.body, &routine.vars);
    let facts = match belief {
        Belief::Header => Facts::new(&routine.vars),
        Belief::Nothing => Facts::without_extents(&routine.vars, untrue(routine, &latches)),
    };
    walk_with(program, routine, latches, facts, inspect);
}

/// Walks through a routine in which these variables may be given sizes that are not their extents.
pub fn walk_doubting(
    program: &Program,
    routine: &Routine,
    doubted: impl IntoIterator<Item = VarId>,
    inspect: &mut impl Inspect,
) {
    let latches = Latches::of(&routine.body, &routine.vars);
    let sizes = doubted.into_iter().flat_map(|var| sizes_of(var, routine.var(var).ty));
    let facts = Facts::without_extents(&routine.vars, sizes.collect());
    walk_with(program, routine, latches, facts, inspect);
}

fn walk_with<'a>(
    program: &'a Program,
    routine: &'a Routine,
    latches: Latches,
    mut facts: Facts<'a>,
    inspect: &mut impl Inspect,
) {
    for param in &routine.params {
        match param.mode {
            Mode::Value => facts.set(param.var),
            Mode::Ref => {}
        }
    }
    let mut sized_by = vec![Vec::new(); routine.vars.len()];
    for (id, var) in (0..).zip(&routine.vars) {
        for extent in var.ty.extents() {
            match extent {
                Extent::Var(v) => sized_by[v.0 as usize].push(VarId(id)),
                Extent::Const(_) | Extent::Dynamic => {}
            }
        }
    }
    let mut loops = effects::of_loops(&routine.body, &routine.vars);
    definite_assignment::refine(program, &routine.body, &mut loops);
    let mut walk = Walk {
        program,
        routine,
        inspect,
        latches,
        facts: Some(facts),
        loops: loops.into_iter(),
        leaves: Vec::new(),
        sized_by,
        sums: Vec::new(),
        at: 0,
        tests: Tests::default(),
        n_tests: 0,
    };
    walk.block(&routine.body);
    walk.end(None);
}

/// Returns the sizes of parameters whose extents are not derived from the parameters themselves.
fn untrue(routine: &Routine, latches: &Latches) -> Vec<SizeOperand> {
    let mut untrue = Vec::new();
    for param in &routine.params {
        let own = sizes_of(param.var, routine.var(param.var).ty);
        for (own, extent) in own.into_iter().zip(routine.var(param.var).ty.extents()) {
            let found_out = match extent {
                Extent::Const(_) => false,
                Extent::Var(v) => latches.measures(v, &own),
                Extent::Dynamic => true,
            };
            if !found_out {
                untrue.push(own);
            }
        }
    }
    untrue
}

/// Returns the measures of a variable, in the order of its extents.
pub(crate) fn sizes_of(var: VarId, ty: Ty) -> [SizeOperand; 2] {
    match ty {
        Ty::Table(..) => [SizeOperand::Rows(var), SizeOperand::Columns(var)],
        Ty::Slice(_) | Ty::Word(_) | Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => {
            [SizeOperand::Length(var), SizeOperand::Length(var)]
        }
    }
}

pub(super) struct Walk<'w, 'a, I> {
    pub(super) program: &'a Program,
    pub(super) routine: &'a Routine,
    inspect: &'w mut I,
    latches: Latches,
    /// The facts known here; `None` where control does not arrive.
    pub(super) facts: Option<Facts<'a>>,
    /// The effects of the remaining loops.
    pub(super) loops: std::vec::IntoIter<Effects>,
    /// For each enclosing block or loop: the facts known at all its `break`s so far.
    pub(super) leaves: Vec<(LabelId, Option<Facts<'a>>)>,
    /// For each variable, those that have it as an extent.
    pub(super) sized_by: Vec<Vec<VarId>>,
    pub(super) sums: Vec<VarId>,
    /// The number of the next statement.
    at: usize,
    tests: Tests,
    /// The number of enclosing `if`s.
    n_tests: usize,
}

impl<'a, I: Inspect> Walk<'_, 'a, I> {
    pub(super) fn block(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            let at = self.at;
            self.at += 1;
            self.inspect(|inspect, point| inspect.before(at, stmt, point));
            let is_plain = visit::blocks(&stmt.kind).iter().all(|block| block.is_empty());
            // Tests before an `if` are known at the start of its first arm.
            if !is_plain && !matches!(stmt.kind, StmtKind::If { .. }) {
                self.tests.clear();
            }
            self.statement(stmt);
            if is_plain {
                self.tests.record(&stmt.kind, self.routine);
            } else {
                self.tests.clear();
            }
        }
    }

    /// Visits a point if control reaches it.
    pub(super) fn inspect(&mut self, look: impl FnOnce(&mut I, &mut Point<'_, 'a>)) {
        if let Some(facts) = &mut self.facts {
            let mut point = Point { facts, sums: &self.sums, latches: &self.latches };
            look(self.inspect, &mut point);
        }
    }

    /// Returns a copy of the facts known here, for another path of control.
    pub(super) fn branch(&mut self) -> Option<Facts<'a>> {
        self.facts.as_mut().map(Facts::branch)
    }

    /// Handles the end of the routine.
    fn end(&mut self, exit: Option<&Stmt>) {
        self.inspect(|inspect, point| inspect.end(exit, point));
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => self.assign(*dst, op),
            StmtKind::Simple(Simple::Size(op)) => self.size_op(op),
            StmtKind::Simple(Simple::Check(check)) => {
                if let Some(facts) = &mut self.facts {
                    facts.learn(check);
                }
                if let Check::Assert(condition, _) = check {
                    learn_tests(&mut self.facts, self.tests.follow(condition, true));
                }
            }
            StmtKind::Simple(Simple::PutHandlePart { handle, part, .. }) => {
                self.plain(&stmt.kind);
                self.learn(Check::HandlePart(*handle, part.clone()));
            }
            StmtKind::Simple(Simple::Step { dst, bits }) => {
                self.plain(&stmt.kind);
                self.learn(Check::NotNegative(Operand::Var(*dst)));
                if let Some(facts) = &mut self.facts {
                    let index = SizeOperand::Value(Operand::Var(*dst));
                    facts.learn_order(index, 0, SizeOperand::Length(*bits));
                }
            }
            StmtKind::Simple(_) => self.plain(&stmt.kind),
            StmtKind::For { label, var, from, to, down, body } => {
                let (low, high) = if *down { (to, from) } else { (from, to) };
                self.counted(*label, *var, Iterations::Between(low, high), body);
            }
            StmtKind::Foreach { label, var, over, body } => {
                self.counted(*label, *var, Iterations::Ones(*over), body)
            }
            StmtKind::While { label, head, test, body } => {
                self.enter_loop(None);
                self.leaves.push((*label, None));
                self.block(head);
                self.inspect(|inspect, point| inspect.test(stmt, test, point));
                let (truth, falsehood) =
                    (self.tests.follow(test, true), self.tests.follow(test, false));
                let mut after = self.branch();
                learn_tests(&mut after, falsehood);
                learn_tests(&mut self.facts, truth);
                self.tests.clear();
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
            StmtKind::Kernel(kernel) => self.block(&kernel.fallback),
            StmtKind::If { test, then, otherwise } => {
                let (truth, falsehood) =
                    (self.tests.follow(test, true), self.tests.follow(test, false));
                let before = self.branch();
                self.n_tests += 1;
                // Facts deeper inside are searched through all facts of the enclosing tests.
                let is_deep = self.n_tests > MAX_TESTS;
                if !is_deep {
                    learn_tests(&mut self.facts, truth);
                }
                self.block(then);
                let after_then = std::mem::replace(&mut self.facts, before);
                if !is_deep {
                    learn_tests(&mut self.facts, falsehood);
                }
                self.tests.clear();
                self.block(otherwise);
                self.n_tests -= 1;
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

    /// Applies the effects of a statement on the variables that it writes, and records that they
    /// are set.
    fn plain(&mut self, kind: &StmtKind) {
        let vars = &self.routine.vars;
        let Some(facts) = &mut self.facts else { return };
        visit::accesses(kind, &mut |var, access| {
            if let Some(effect) = Effect::of(access, &vars[var.0 as usize]) {
                facts.affected(var, effect);
            }
            if access == Access::Write {
                facts.set(var);
            }
        });
        if let StmtKind::Simple(Simple::Call { callee, args, .. }) = kind {
            let params = &self.program.routine(*callee).params;
            for (arg, param) in args.iter().zip(params) {
                match arg {
                    Arg::Ref(var) if param.set_at_end => facts.set(*var),
                    Arg::Ref(_) | Arg::Value(_) | Arg::Move(_) => {}
                }
            }
        }
    }
}

/// Records the results of the comparisons that lead control here.
fn learn_tests(facts: &mut Option<Facts<'_>>, tests: Vec<Comparison>) {
    let Some(facts) = facts else { return };
    for Comparison { relation, a, b, truth } in tests {
        facts.compared(relation, a, b, truth);
    }
}

/// Keeps what both know; where control does not arrive from one side, keeps what the other knows.
pub(super) fn meet<'a>(known: &mut Option<Facts<'a>>, other: Option<Facts<'a>>) {
    match (known.as_mut(), other) {
        (Some(known), Some(other)) => known.meet(other),
        (None, other) => *known = other,
        (Some(_), None) => {}
    }
}
