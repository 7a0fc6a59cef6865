//! Reaching definitions: the statements that may have given a variable its value at a point.
//!
//! A whole new value is a definition that ends the others; a change in place, a given size, or a
//! lent or lost value is a definition that keeps the others.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::Effects;
use super::forward::{self, Forward};
use crate::op::Operand;
use crate::program::{Program, RoutineId, VarId};
use crate::stmt::{Stmt, StmtKind};
use crate::visit::{self, Access};

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Definition {
    /// The entry of the routine: an argument or no value.
    Entry,
    /// The statement with this number ([`super::n_statements`]).
    At(usize),
}

/// The definitions that reach each statement of a routine.
pub struct Reaching {
    /// `None` for an unreachable statement.
    before: Vec<Option<State>>,
}

impl Reaching {
    /// Analyses the routine with number `id`.
    pub fn of(program: &Program, id: RoutineId) -> Self {
        let routine = program.routine(id);
        let n = super::n_statements(&routine.body);
        let mut ranges = Vec::with_capacity(n);
        number(&routine.body, &mut ranges);
        let mut defined = vec![Vec::new(); n];
        let mut at = 0;
        visit::walk(&routine.body, &mut |stmt| {
            visit::accesses(&stmt.kind, &mut |var, access| {
                if access.writes() {
                    defined[at].push(var);
                }
            });
            at += 1;
        });
        let mut analysis = Analysis { before: vec![None; n], ranges, defined };
        forward::run(routine, &mut analysis, BTreeMap::new());
        Reaching { before: analysis.before }
    }

    /// Returns the definitions of `var` that reach the statement with number `at`; for a `while`,
    /// the head of its first iteration. No definition reaches an unreachable statement.
    pub fn before(&self, at: usize, var: VarId) -> BTreeSet<Definition> {
        let Some(Some(state)) = self.before.get(at) else { return BTreeSet::new() };
        state.get(&var).cloned().unwrap_or_else(|| BTreeSet::from([Definition::Entry]))
    }
}

/// Computes for each statement the end of the range of statements inside it.
fn number(block: &[Stmt], ranges: &mut Vec<usize>) {
    for stmt in block {
        let at = ranges.len();
        ranges.push(0);
        visit::blocks(&stmt.kind).into_iter().for_each(|inner| number(inner, ranges));
        ranges[at] = ranges.len();
    }
}

/// Variables that are missing here have only the definition of the entry.
type State = BTreeMap<VarId, BTreeSet<Definition>>;

struct Analysis {
    before: Vec<Option<State>>,
    ranges: Vec<usize>,
    /// The variables that each statement defines.
    defined: Vec<Vec<VarId>>,
}

fn also(state: &mut State, var: VarId, definition: Definition) {
    let known = state.entry(var).or_insert_with(|| BTreeSet::from([Definition::Entry]));
    known.insert(definition);
}

impl Forward for Analysis {
    type State = State;

    fn join(&mut self, state: &mut State, other: &State) {
        for (var, theirs) in state.iter_mut() {
            if !other.contains_key(var) {
                theirs.insert(Definition::Entry);
            }
        }
        for (&var, theirs) in other {
            let mine = state.entry(var).or_insert_with(|| BTreeSet::from([Definition::Entry]));
            mine.extend(theirs);
        }
    }

    fn statement(&mut self, at: usize, stmt: &Stmt, state: &mut State) {
        self.before[at] = Some(state.clone());
        visit::accesses(&stmt.kind, &mut |var, access| match access {
            Access::Read | Access::ReadSize | Access::Observe => {}
            Access::Write => drop(state.insert(var, BTreeSet::from([Definition::At(at)]))),
            // These take place when an iteration begins or the statement ends.
            Access::LoopVar => {}
            Access::Update | Access::InitSize | Access::Kill | Access::Move | Access::Ref => {
                also(state, var, Definition::At(at));
            }
        });
    }

    fn head(&mut self, at: usize, stmt: &Stmt, _: &Effects, state: &mut State) {
        if matches!(stmt.kind, StmtKind::While { .. }) {
            self.before[at] = Some(state.clone());
        }
        for inner in at..self.ranges[at] {
            for &var in &self.defined[inner] {
                also(state, var, Definition::At(inner));
            }
        }
    }

    fn iteration(&mut self, at: usize, stmt: &Stmt, state: &mut State) {
        visit::accesses(&stmt.kind, &mut |var, access| match access {
            Access::LoopVar | Access::Kill => {
                drop(state.insert(var, BTreeSet::from([Definition::At(at)])));
            }
            Access::Read
            | Access::ReadSize
            | Access::Observe
            | Access::Write
            | Access::Update
            | Access::InitSize
            | Access::Move
            | Access::Ref => {}
        });
    }

    fn tested(&mut self, _: usize, _: &Operand, _: bool, _: &mut State) {}

    fn close(&mut self, at: usize, stmt: &Stmt, state: &mut State) {
        visit::accesses(&stmt.kind, &mut |var, access| match access {
            Access::Write | Access::Kill => {
                drop(state.insert(var, BTreeSet::from([Definition::At(at)])));
            }
            Access::Read
            | Access::ReadSize
            | Access::Observe
            | Access::Update
            | Access::InitSize
            | Access::LoopVar
            | Access::Move
            | Access::Ref => {}
        });
    }
}
