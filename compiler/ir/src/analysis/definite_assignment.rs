//! Definite assignment in loops: the variables that a loop may unset but that are set again at the
//! end of every iteration. If such a variable is set before the loop, it is set at its head.
//!
//! Whether one variable is set never depends on another one, so a single walk over the body
//! suffices for all of them: with all set at the head, those that may be unset at the end of an
//! iteration are the ones that the loop unsets.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::{Effects, is_loop};
use crate::check::Check;
use crate::op::Operand;
use crate::program::{LabelId, Program, VarId};
use crate::stmt::{Arg, Simple, Stmt, StmtKind};
use crate::visit::{self, Access};

/// Removes `unset` from the effects of each loop for variables that are set again. The loops are in
/// textual order.
pub(crate) fn refine(program: &Program, body: &[Stmt], loops: &mut [Effects]) {
    let mut found = Vec::new();
    visit::walk(body, &mut |stmt| {
        if is_loop(&stmt.kind) {
            found.push(&stmt.kind);
        }
    });
    let mut unset_by = BTreeMap::new();
    // Inner loops first: outer ones use the variables that they unset.
    for (kind, effects) in found.into_iter().zip(loops).rev() {
        let Some(label) = label_of(kind) else { continue };
        if effects.values().any(|effect| effect.unset) {
            let mut iteration = Iteration {
                program,
                unset_by: &unset_by,
                left: Vec::new(),
                again: (label, BTreeSet::new()),
            };
            let mut state = Some(BTreeSet::new());
            for block in visit::blocks(kind) {
                iteration.block(block, &mut state);
            }
            let Iteration { again: (_, mut unset), .. } = iteration;
            unset.extend(state.into_iter().flatten());
            for (var, effect) in effects.iter_mut() {
                effect.unset &= unset.contains(var);
            }
        }
        let unset = effects.iter().filter(|(_, effect)| effect.unset).map(|(&var, _)| var);
        unset_by.insert(label, unset.collect());
    }
}

/// Returns the label of a loop with sequential iterations.
fn label_of(kind: &StmtKind) -> Option<LabelId> {
    match kind {
        StmtKind::For { label, .. }
        | StmtKind::While { label, .. }
        | StmtKind::Foreach { label, .. } => Some(*label),
        StmtKind::Simple(_)
        | StmtKind::Forall { .. }
        | StmtKind::Kernel(_)
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => None,
    }
}

/// Variables that may be unset; `None` where control does not arrive.
type State = Option<BTreeSet<VarId>>;

/// A walk over one iteration of a loop.
struct Iteration<'a> {
    program: &'a Program,
    /// Variables that inner loops leave unset.
    unset_by: &'a BTreeMap<LabelId, BTreeSet<VarId>>,
    /// For each inner block or loop: variables that may be unset at its `break`s so far; `None` if
    /// there was none.
    left: Vec<(LabelId, State)>,
    /// The loop itself and the variables that may be unset at its `continue`s.
    again: (LabelId, BTreeSet<VarId>),
}

impl Iteration<'_> {
    fn block(&mut self, block: &[Stmt], state: &mut State) {
        for stmt in block {
            if state.is_none() {
                return;
            }
            self.statement(stmt, state);
        }
    }

    fn statement(&mut self, stmt: &Stmt, state: &mut State) {
        let kind = &stmt.kind;
        match kind {
            StmtKind::If { then, otherwise, .. } => {
                let mut other = state.clone();
                self.block(then, state);
                self.block(otherwise, &mut other);
                meet(state, other);
            }
            StmtKind::Block { label, body } => {
                self.left.push((*label, None));
                self.block(body, state);
                self.leave(state);
            }
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Foreach { .. } => {
                self.inner_loop(kind, state);
            }
            StmtKind::Forall { .. } => unset_all(kind, state),
            StmtKind::Kernel(kernel) => self.block(&kernel.fallback, state),
            StmtKind::Break(label) => {
                // No iteration follows a `break` of the loop itself.
                let known = state.take();
                if let Some((_, left)) = self.left.iter_mut().rfind(|(inner, _)| inner == label) {
                    meet(left, known);
                }
            }
            StmtKind::Continue(label) => {
                // Variables that an inner loop leaves unset are already unset at its head.
                let known = state.take();
                if self.again.0 == *label {
                    self.again.1.extend(known.into_iter().flatten());
                }
            }
            StmtKind::Exit => *state = None,
            StmtKind::Simple(Simple::Check(Check::Set(var) | Check::HandlePart(var, _))) => {
                remove(state, *var)
            }
            StmtKind::Simple(Simple::PutHandlePart { handle, .. }) => remove(state, *handle),
            StmtKind::Simple(_) => self.plain(kind, state),
        }
    }

    /// Handles a statement without blocks.
    fn plain(&mut self, kind: &StmtKind, state: &mut State) {
        visit::accesses(kind, &mut |var, access| match access {
            Access::Write => remove(state, var),
            Access::Kill | Access::Move | Access::Ref => insert(state, var),
            Access::Read
            | Access::ReadSize
            | Access::Observe
            | Access::Update
            | Access::InitSize
            | Access::LoopVar => {}
        });
        // A call sets what its header promises and the variable that receives its value.
        if let StmtKind::Simple(Simple::Call { callee, args, dst }) = kind {
            let params =
                self.program.routines.get(callee.0 as usize).map(|routine| &routine.params);
            for (param, arg) in params.into_iter().flatten().zip(args) {
                if let (Arg::Ref(var), true) = (arg, param.set_at_end) {
                    remove(state, *var);
                }
            }
            dst.iter().for_each(|dst| remove(state, *dst));
        }
    }

    /// Handles an inner loop with any number of iterations.
    fn inner_loop(&mut self, kind: &StmtKind, state: &mut State) {
        let Some(label) = label_of(kind) else { return };
        if let (Some(unset), Some(more)) = (state.as_mut(), self.unset_by.get(&label)) {
            unset.extend(more);
        }
        self.left.push((label, None));
        // At the head, variables are unset that were unset before or that an iteration leaves
        // unset. There the loop ends.
        let mut at_end = state.clone();
        match kind {
            StmtKind::While { head, test, body, .. } => {
                self.block(head, state);
                at_end = state.clone().filter(|_| *test != Operand::Bool(true));
                self.block(body, state);
            }
            other => visit::blocks(other).into_iter().for_each(|block| self.block(block, state)),
        }
        *state = at_end;
        self.leave(state);
    }

    fn leave(&mut self, state: &mut State) {
        if let Some((_, left)) = self.left.pop() {
            meet(state, left);
        }
    }
}

/// Marks everything that a statement with blocks may unset as unset.
fn unset_all(kind: &StmtKind, state: &mut State) {
    for block in visit::blocks(kind) {
        visit::walk(block, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, access| match access {
                Access::Kill | Access::Move | Access::Ref => insert(state, var),
                Access::Read
                | Access::ReadSize
                | Access::Observe
                | Access::Write
                | Access::Update
                | Access::InitSize
                | Access::LoopVar => {}
            });
        });
    }
    visit::accesses(kind, &mut |var, access| {
        if access == Access::Kill {
            insert(state, var);
        }
    });
}

fn insert(state: &mut State, var: VarId) {
    if let Some(unset) = state {
        unset.insert(var);
    }
}

fn remove(state: &mut State, var: VarId) {
    if let Some(unset) = state {
        unset.remove(&var);
    }
}

fn meet(state: &mut State, other: State) {
    match (state.as_mut(), other) {
        (Some(unset), Some(other)) => unset.extend(other),
        (None, other) => *state = other,
        (Some(_), None) => {}
    }
}
