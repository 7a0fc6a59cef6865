//! `foreach`: rewrites loops over the ones of a slice or word as `foreach`.
//!
//! * `while SOME(X) do begin i:=STEP(X); S end`
//! * `i:=STEP(X); while i>0 do begin S; i:=STEP(X) end`
//!
//! Both visit the ones of X from the first to the last if S does not interfere with X and i: it
//! neither reads nor writes X, nor assigns i, also not through a `ref` argument; in the second form
//! it does not `continue`. Observation counts as reading: if S can trap and its location names X,
//! or X is a `ref` parameter, the loop is unchanged. Anything else is a worklist, and remains a
//! `while`.
//!
//! Afterwards X is empty, and in the second form i is 0; both are stored only where they are live.
//! The value of X after a `break` or `exit` is not computed: where that is live the loop is
//! unchanged.
//!
//! Every iteration counts the cost of the head and the body; the end counts the cost of the last
//! execution of the head, which finds nothing.

use std::collections::BTreeSet;

use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::n_statements;
use star_ir::rewrite::{Edit, Edits, Labels, edit, fresh_var, label_of};
use star_ir::visit::{self, Access, Observation};
use star_ir::{
    Block, Check, LabelId, LocId, Op, Operand, Program, Query, Relation, Routine, RoutineId,
    Simple, Stmt, StmtKind, Ty, VarId,
};

use crate::context::Context;
use crate::remark;
use crate::rewrite::guarded;

/// The maximum number of nested levels that are rewritten, from the innermost outwards.
const MAX_NESTING: usize = 16;

pub(crate) fn run(program: &mut Program, id: RoutineId, context: &mut Context) -> usize {
    let mut fired = 0;
    for _ in 0..MAX_NESTING {
        let Candidates { loops, stayed } = find(program, id);
        let locs: Vec<LocId> = loops.iter().map(|found| found.loc).collect();
        let rewritten = guarded(program, id, context, |routine| {
            let n = loops.len();
            rewrite(routine, loops);
            n
        });
        fired += rewritten;
        if rewritten == 0 {
            stayed.into_iter().for_each(|(loc, why)| context.stayed(id, loc, why));
            break;
        }
        locs.into_iter().for_each(|loc| context.became(id, loc, "foreach"));
    }
    fired
}

/// The `while` loops of a routine.
#[derive(Default)]
struct Candidates {
    /// Loops to rewrite; they contain no other loop to rewrite.
    loops: Vec<Responders>,
    /// The other loops and the reasons.
    stayed: Vec<(LocId, String)>,
}

/// A `while` that visits the ones of a slice or word.
struct Responders {
    /// The numbers of the `while` and, in the second form, of the preceding STEP.
    at: usize,
    first_step: Option<usize>,
    loc: LocId,
    label: LabelId,
    /// The variable that is set to the index of the visited one.
    var: VarId,
    over: VarId,
    /// The parts of the head executed in every iteration in addition to the test: the check that
    /// `over` is set, and its cost.
    checks: Block,
    head_costs: Block,
    /// S.
    body: Block,
    /// Whether S contains a `break` of the loop.
    breaks: bool,
    /// Whether these are live after the loop.
    over_is_live: bool,
    var_is_live: bool,
}

fn find(program: &Program, id: RoutineId) -> Candidates {
    let Some(routine) = program.routines.get(id.0 as usize) else { return Candidates::default() };
    let mut has_while = false;
    visit::walk(&routine.body, &mut |stmt| {
        has_while |= matches!(stmt.kind, StmtKind::While { .. });
    });
    if !has_while {
        return Candidates::default();
    }
    let mut finder = Finder {
        routine,
        liveness: Liveness::of(program, id),
        observation: Observation::new(program, routine),
        outer: Vec::new(),
        found: Candidates::default(),
    };
    finder.block(&routine.body, 0);
    finder.found
}

struct Finder<'p> {
    routine: &'p Routine,
    liveness: Liveness,
    observation: Observation<'p>,
    /// The enclosing labels with the number of the statement that defines each.
    outer: Vec<(LabelId, usize)>,
    found: Candidates,
}

impl Finder<'_> {
    /// `first` is the number of the first statement; returns the number after the last one.
    fn block(&mut self, block: &[Stmt], first: usize) -> usize {
        let mut at = first;
        for (idx, stmt) in block.iter().enumerate() {
            let n_before = self.found.loops.len();
            let label = label_of(&stmt.kind);
            self.outer.extend(label.map(|label| (label, at)));
            let mut next = at + 1;
            for inner in visit::blocks(&stmt.kind) {
                next = self.block(inner, next);
            }
            if label.is_some() {
                self.outer.pop();
            }
            if self.found.loops.len() == n_before
                && let StmtKind::While { .. } = stmt.kind
            {
                match self.responders(&block[..idx], stmt, at) {
                    Ok(found) => self.found.loops.push(found),
                    Err(why) => self.found.stayed.push((stmt.loc, why)),
                }
            }
            at = next;
        }
        at
    }

    /// Returns the loop of the statement with number `at`, or the reason why it has neither form;
    /// `before` are the preceding statements.
    fn responders(&self, before: &[Stmt], stmt: &Stmt, at: usize) -> Result<Responders, String> {
        let other = "it does not visit the ones of a slice or word by STEP";
        let StmtKind::While { label, head, test: Operand::Var(test), body } = &stmt.kind else {
            return Err(other.to_owned());
        };
        let first = some_and_step(head, *test, body).map(|shape| (shape, false));
        let second = || step_and_test(before, head, *test, body, at).map(|shape| (shape, true));
        let (Shape { var, over, checks, head_costs, body, first_step }, is_second) =
            first.or_else(second).ok_or(other)?;
        let name = |var| remark::name(self.routine, var);
        if var == *test || self.liveness.is_live_after(at, *test) {
            return Err("its condition is needed after it".to_owned());
        }
        let mut jumps = Jumps { label: *label, inside: BTreeSet::new(), breaks: false };
        let mut why = None;
        visit::walk(&body, &mut |stmt| {
            self.observation.accesses(stmt, &mut |accessed, access| {
                let reason = if accessed == over && access == Access::Observe {
                    format!("a trap in its body would show {}", name(over))
                } else if accessed == over && access.writes() {
                    format!("its body changes {}", name(over))
                } else if accessed == over && access != Access::ReadSize {
                    format!("its body reads {}", name(over))
                } else if accessed == var && access.writes() {
                    format!("its body assigns {}", name(var))
                } else if accessed == *test {
                    "its body uses its condition".to_owned()
                } else {
                    return;
                };
                why.get_or_insert(reason);
            });
            jumps.inside.extend(label_of(&stmt.kind));
        });
        visit::walk(&body, &mut |stmt| {
            if !self.may_jump(&mut jumps, stmt, at, over, is_second) {
                let reason = "its body leaves an iteration, and the remaining ones are needed \
                    afterwards";
                why.get_or_insert(format!("{reason}: {}", name(over)));
            }
        });
        if let Some(why) = why {
            return Err(why);
        }
        Ok(Responders {
            at,
            first_step,
            loc: stmt.loc,
            label: *label,
            var,
            over,
            checks,
            head_costs,
            body,
            breaks: jumps.breaks,
            over_is_live: self.liveness.is_live_after(at, over),
            var_is_live: is_second && self.liveness.is_live_after(at, var),
        })
    }

    /// Returns whether a jump of the statement out of an iteration is also possible in a `foreach`,
    /// where X has different ones at that point.
    fn may_jump(
        &self,
        jumps: &mut Jumps,
        stmt: &Stmt,
        at: usize,
        over: VarId,
        is_second: bool,
    ) -> bool {
        if let StmtKind::Break(label) = stmt.kind {
            if label == jumps.label {
                jumps.breaks = true;
                return !self.liveness.is_live_after(at, over);
            }
            let target = self.outer.iter().find(|(outer, _)| *outer == label);
            let is_dead = target.is_some_and(|(_, at)| !self.liveness.is_live_after(*at, over));
            jumps.inside.contains(&label) || is_dead
        } else if let StmtKind::Continue(label) = stmt.kind {
            jumps.inside.contains(&label) || (label == jumps.label && !is_second)
        } else if let StmtKind::Exit = stmt.kind {
            // Values that outlive the routine.
            !self.liveness.is_live_at_exit(over)
        } else {
            true
        }
    }
}

/// The jumps of S.
struct Jumps {
    label: LabelId,
    inside: BTreeSet<LabelId>,
    breaks: bool,
}

/// The common parts of both forms.
struct Shape {
    var: VarId,
    over: VarId,
    checks: Block,
    head_costs: Block,
    body: Block,
    first_step: Option<usize>,
}

/// `while SOME(X) do begin i:=STEP(X); S end`.
fn some_and_step(head: &[Stmt], test: VarId, body: &[Stmt]) -> Option<Shape> {
    let (mut checks, mut head_costs, mut over) = (Block::new(), Block::new(), None);
    for stmt in head {
        if let StmtKind::Simple(Simple::Check(Check::Set(_))) = stmt.kind {
            checks.push(stmt.clone());
        } else if is_cost(stmt) {
            head_costs.push(stmt.clone());
        } else if let StmtKind::Simple(Simple::Assign(dst, Op::Query(Query::Any, bits))) = stmt.kind
            && dst == test
            && over.is_none()
        {
            over = Some(bits);
        } else {
            return None;
        }
    }
    let over = over?;
    let is_check_of_over = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Simple(Simple::Check(Check::Set(of))) if of == over);
    if !checks.iter().all(is_check_of_over) {
        return None;
    }
    // The head implies that it is set.
    let step = body.iter().position(|stmt| !is_check_of_over(stmt))?;
    let StmtKind::Simple(Simple::Step { dst, bits }) = body[step].kind else { return None };
    let body = body[step + 1..].to_vec();
    (bits == over).then_some(Shape { var: dst, over, checks, head_costs, body, first_step: None })
}

/// `i:=STEP(X); while i>0 do begin S; i:=STEP(X) end`.
fn step_and_test(
    before: &[Stmt],
    head: &[Stmt],
    test: VarId,
    body: &[Stmt],
    at: usize,
) -> Option<Shape> {
    // Only costs are between the STEP and the loop, so numbers are consecutive.
    let first = before.iter().rposition(|stmt| !is_cost(stmt))?;
    let StmtKind::Simple(Simple::Step { dst: var, bits: over }) = before[first].kind else {
        return None;
    };
    let mut head_costs = Block::new();
    let mut tests = false;
    for stmt in head {
        if is_cost(stmt) {
            head_costs.push(stmt.clone());
        } else if let StmtKind::Simple(Simple::Assign(dst, op)) = &stmt.kind
            && *dst == test
            && is_positive(op, var)
        {
            tests = true;
        } else {
            return None;
        }
    }
    let last = body.iter().rposition(|stmt| !is_cost(stmt))?;
    let steps = matches!(body[last].kind, StmtKind::Simple(Simple::Step { dst, bits }) if dst == var && bits == over);
    let mut body = body.to_vec();
    body.remove(last);
    let first_step = Some(at - n_statements(&before[first..]));
    let checks = Block::new();
    (tests && steps).then_some(Shape { var, over, checks, head_costs, body, first_step })
}

/// Returns whether the operation tests that the result of STEP is an index.
fn is_positive(op: &Op, var: VarId) -> bool {
    let var = Operand::Var(var);
    let Op::Compare(relation, left, right) = op else { return false };
    match (relation, left, right) {
        (Relation::Gt | Relation::Ne, left, Operand::Int(0)) => *left == var,
        (Relation::Ge, left, Operand::Int(1)) => *left == var,
        (Relation::Lt | Relation::Ne, Operand::Int(0), right) => *right == var,
        (Relation::Le, Operand::Int(1), right) => *right == var,
        (
            Relation::Eq | Relation::Ne | Relation::Lt | Relation::Le | Relation::Gt | Relation::Ge,
            _,
            _,
        ) => false,
    }
}

/// Returns whether the statement is a constant cost.
fn is_cost(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Simple(Simple::Cost { units: _, times: None }))
}

fn rewrite(routine: &mut Routine, found: Vec<Responders>) {
    let mut labels = Labels::new(routine);
    let mut edits = Edits::new();
    for found in found {
        edits.extend(found.first_step.map(|at| (at, Edit::Remove)));
        edits.insert(found.at, Edit::Splice(foreach(routine, &mut labels, found)));
    }
    edit(&mut routine.body, &edits);
}

/// Returns the replacement of the `while`.
fn foreach(routine: &mut Routine, labels: &mut Labels, found: Responders) -> Block {
    let Responders { loc, label, var, over, checks, head_costs, body, breaks, .. } = found;
    let at = |kind| Stmt { kind, loc };
    let mut iteration = head_costs.clone();
    iteration.extend(body);
    // A `break` skips the costs and stores of the end.
    let outer = breaks.then(|| labels.fresh());
    if let Some(outer) = outer {
        rebreak(&mut iteration, label, outer);
    }
    let mut stmts = vec![at(StmtKind::Foreach { label, var, over, body: iteration })];
    stmts.extend(head_costs);
    if found.over_is_live {
        let len = fresh_var(routine, "len", Ty::Int);
        stmts.push(at(StmtKind::Simple(Simple::Assign(len, Op::Length(over)))));
        stmts.push(at(StmtKind::Simple(Simple::Assign(over, Op::Fill(Operand::Var(len), false)))));
    }
    if found.var_is_live {
        stmts.push(at(StmtKind::Simple(Simple::Assign(var, Op::Copy(Operand::Int(0))))));
    }
    let mut all = checks;
    match outer {
        Some(label) => all.push(at(StmtKind::Block { label, body: stmts })),
        None => all.extend(stmts),
    }
    all
}

/// Replaces each `break` of one label by one of another.
fn rebreak(block: &mut Block, from: LabelId, to: LabelId) {
    for stmt in block {
        if let StmtKind::Break(label) = &mut stmt.kind
            && *label == from
        {
            *label = to;
        }
        visit::blocks_mut(&mut stmt.kind).into_iter().flatten().for_each(|b| rebreak(b, from, to));
    }
}
