//! Shared tools of passes: rewrites of one routine that the verifier can follow.

use std::collections::BTreeSet;

use star_ir::analysis::facts::Facts;
use star_ir::analysis::walk::{Belief, Inspect, Point, walk};
use star_ir::rewrite::{Edit, Edits, edit};
use star_ir::{Program, Routine, RoutineId, Stmt, VarId, verify_guards, visit};

use crate::context::{Context, Guards};

/// Rewrites a routine; `rewrite` returns the number of times it fired. The safety of an operation
/// is stated by checks, and the verifier derives it from the preceding code. A correct rewrite
/// after which the verifier cannot establish a guard is reverted: at once, or together with all
/// results of the passes of the group.
pub(crate) fn guarded(
    program: &mut Program,
    id: RoutineId,
    context: &mut Context,
    rewrite: impl FnOnce(&mut Routine) -> usize,
) -> usize {
    if context.guards == Guards::Later {
        let is_there = program.routines.len() > id.0 as usize;
        let fired = if is_there { rewrite(program.routine_mut(id)) } else { 0 };
        context.is_unverified |= fired > 0;
        return fired;
    }
    let Some(before) = program.routines.get(id.0 as usize).cloned() else { return 0 };
    let fired = rewrite(program.routine_mut(id));
    if fired == 0 {
        return 0;
    }
    context.n_verified += 1;
    if verify_guards(program, id).is_err() {
        program.routines[id.0 as usize] = before;
        return 0;
    }
    fired
}

/// The maximum number of attempts with fewer removals.
const MAX_ROUNDS: usize = 8;

/// Removes the statements for which `is_redundant` reports, from the facts before them, that they
/// have no effect. The extents of parameters are not trusted, since the checks of a header
/// establish them.
///
/// A statement that a later operation needs for its guard stays: the verifier cannot derive it
/// otherwise.
pub(crate) fn remove_redundant(
    program: &mut Program,
    id: RoutineId,
    context: &mut Context,
    is_redundant: impl Fn(&Routine, &Stmt, &Facts<'_>) -> bool,
) -> usize {
    let Some(routine) = program.routines.get(id.0 as usize) else { return 0 };
    let mut find = Find { routine, is_redundant, found: Vec::new() };
    walk(program, routine, Belief::Nothing, &mut find);
    let mut found = find.found;
    let edits = |found: &[(usize, BTreeSet<VarId>)]| -> Edits {
        found.iter().map(|(at, _)| (*at, Edit::Remove)).collect()
    };
    if context.guards == Guards::Later {
        return guarded(program, id, context, |routine| {
            edit(&mut routine.body, &edits(&found));
            found.len()
        });
    }
    for _ in 0..MAX_ROUNDS {
        if found.is_empty() {
            break;
        }
        let before = program.routines[id.0 as usize].clone();
        edit(&mut program.routine_mut(id).body, &edits(&found));
        context.n_verified += 1;
        let Err(errors) = verify_guards(program, id) else { return found.len() };
        program.routines[id.0 as usize] = before;
        let needed: BTreeSet<VarId> = errors.into_iter().flatten().collect();
        let n_before = found.len();
        found.retain(|(_, about)| about.is_disjoint(&needed));
        if found.len() == n_before {
            return 0;
        }
    }
    0
}

struct Find<'r, F> {
    routine: &'r Routine,
    is_redundant: F,
    /// The numbers of the statements and the variables that they concern.
    found: Vec<(usize, BTreeSet<VarId>)>,
}

impl<F: Fn(&Routine, &Stmt, &Facts<'_>) -> bool> Inspect for Find<'_, F> {
    fn before(&mut self, at: usize, stmt: &Stmt, point: &mut Point<'_, '_>) {
        if (self.is_redundant)(self.routine, stmt, point.facts) {
            let mut about = BTreeSet::new();
            visit::accesses(&stmt.kind, &mut |var, _| {
                about.insert(var);
            });
            self.found.push((at, about));
        }
    }
}
