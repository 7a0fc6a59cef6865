//! A forward dataflow analysis over structured control flow, in one walk in execution order.
//!
//! There is no fixed point: at the head of a loop the analysis derives a state that holds for every
//! iteration from what the loop writes ([`Forward::head`]). That is less precise than a fixed
//! point, and linear for any depth of loop nesting.

use super::effects::{self, Effects};
use crate::op::Operand;
use crate::program::{LabelId, Routine};
use crate::stmt::{Stmt, StmtKind};

/// The transfer functions of an analysis. Statements have the numbers of [`super::n_statements`].
pub trait Forward {
    /// The facts at a reachable point.
    type State: Clone;

    /// Merges two paths of control: `state` becomes what holds on both.
    fn join(&mut self, state: &mut Self::State, other: &Self::State);

    /// Handles the statement itself without its inner blocks: for a compound statement, what it
    /// evaluates first. For a `while`, nothing: its test follows its head.
    fn statement(&mut self, at: usize, stmt: &Stmt, state: &mut Self::State);

    /// Handles the head of a loop whose blocks write `written`: `state` becomes what holds before
    /// every iteration and where the loop ends.
    fn head(&mut self, at: usize, stmt: &Stmt, written: &Effects, state: &mut Self::State);

    /// Handles the start of an iteration of a `for`, `foreach` or `forall`: its variable has a new
    /// value.
    fn iteration(&mut self, at: usize, stmt: &Stmt, state: &mut Self::State);

    /// Handles a test: the operand holds or not. For a `while`, `at` is its number and the test
    /// follows its head.
    fn tested(&mut self, at: usize, test: &Operand, holds: bool, state: &mut Self::State);

    /// Handles the end of a `forall`: reductions and privates.
    fn close(&mut self, at: usize, stmt: &Stmt, state: &mut Self::State);
}

/// Walks through the routine.
pub fn run<A: Forward>(routine: &Routine, analysis: &mut A, entry: A::State) {
    let loops = effects::of_loops(&routine.body, &routine.vars).into_iter();
    let mut walk = Walk { analysis, loops, at: 0, leaves: Vec::new() };
    walk.block(&routine.body, &mut Some(entry));
}

struct Walk<'w, A: Forward> {
    analysis: &'w mut A,
    /// The effects of the remaining loops.
    loops: std::vec::IntoIter<Effects>,
    /// The number of the next statement.
    at: usize,
    /// For each enclosing block or loop: the state that holds at all its `break`s so far.
    leaves: Vec<(LabelId, Option<A::State>)>,
}

impl<A: Forward> Walk<'_, A> {
    fn block(&mut self, block: &[Stmt], state: &mut Option<A::State>) {
        for stmt in block {
            let at = self.at;
            self.at += 1;
            let written = if effects::is_loop(&stmt.kind) {
                self.loops.next().unwrap_or_default()
            } else {
                Effects::new()
            };
            if let Some(state) = state
                && !matches!(stmt.kind, StmtKind::While { .. })
            {
                self.analysis.statement(at, stmt, state);
            }
            self.inside(at, stmt, &written, state);
        }
    }

    fn inside(&mut self, at: usize, stmt: &Stmt, written: &Effects, state: &mut Option<A::State>) {
        match &stmt.kind {
            StmtKind::Simple(_) => {}
            StmtKind::If { test, then, otherwise } => {
                let mut other = state.clone();
                self.tested(at, test, true, state);
                self.block(then, state);
                self.tested(at, test, false, &mut other);
                self.block(otherwise, &mut other);
                self.join(state, other);
            }
            StmtKind::Kernel(kernel) => self.block(&kernel.fallback, state),
            StmtKind::Block { label, body } => {
                self.leaves.push((*label, None));
                self.block(body, state);
                self.leave(state);
            }
            StmtKind::For { label, body, .. } | StmtKind::Foreach { label, body, .. } => {
                self.head(at, stmt, written, state);
                let after = state.clone();
                self.leaves.push((*label, None));
                self.iteration(at, stmt, state);
                self.block(body, state);
                *state = after;
                self.leave(state);
            }
            StmtKind::Forall { body, .. } => {
                self.head(at, stmt, written, state);
                let after = state.clone();
                self.iteration(at, stmt, state);
                self.block(body, state);
                *state = after;
                self.close(at, stmt, state);
            }
            StmtKind::While { label, head, test, body } => {
                self.head(at, stmt, written, state);
                self.leaves.push((*label, None));
                self.block(head, state);
                let mut after = match test {
                    Operand::Bool(true) => None,
                    Operand::Var(_) | Operand::Int(_) | Operand::Bool(false) | Operand::Str(_) => {
                        state.clone()
                    }
                };
                self.tested(at, test, true, state);
                self.block(body, state);
                self.tested(at, test, false, &mut after);
                *state = after;
                self.leave(state);
            }
            StmtKind::Break(label) => {
                let here = state.take();
                if let Some(at) = self.leaves.iter().rposition(|(inner, _)| inner == label) {
                    let mut left = self.leaves[at].1.take();
                    self.join(&mut left, here);
                    self.leaves[at].1 = left;
                }
            }
            StmtKind::Continue(_) | StmtKind::Exit => *state = None,
        }
    }

    /// Leaves the innermost block or loop: control arrives from here and from all its `break`s.
    fn leave(&mut self, state: &mut Option<A::State>) {
        if let Some((_, left)) = self.leaves.pop() {
            self.join(state, left);
        }
    }

    fn join(&mut self, state: &mut Option<A::State>, other: Option<A::State>) {
        match (state.as_mut(), other) {
            (Some(state), Some(other)) => self.analysis.join(state, &other),
            (None, other) => *state = other,
            (Some(_), None) => {}
        }
    }

    fn head(&mut self, at: usize, stmt: &Stmt, written: &Effects, state: &mut Option<A::State>) {
        if let Some(state) = state {
            self.analysis.head(at, stmt, written, state);
        }
    }

    fn iteration(&mut self, at: usize, stmt: &Stmt, state: &mut Option<A::State>) {
        if let Some(state) = state {
            self.analysis.iteration(at, stmt, state);
        }
    }

    fn tested(&mut self, at: usize, test: &Operand, holds: bool, state: &mut Option<A::State>) {
        if let Some(state) = state {
            self.analysis.tested(at, test, holds, state);
        }
    }

    fn close(&mut self, at: usize, stmt: &Stmt, state: &mut Option<A::State>) {
        if let Some(state) = state {
            self.analysis.close(at, stmt, state);
        }
    }
}
