//! Cycles of the call graph.

use crate::program::{Program, RoutineId};
use crate::stmt::{Simple, StmtKind};
use crate::visit;

/// Returns whether the routine is in a cycle of the call graph, so that it may be called again
/// while it runs.
pub fn is_recursive(program: &Program, id: RoutineId) -> bool {
    let mut seen = vec![false; program.routines.len()];
    let mut worklist = vec![id];
    while let Some(at) = worklist.pop() {
        let Some(routine) = program.routines.get(at.0 as usize) else { continue };
        let mut found = false;
        visit::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Simple(Simple::Call { callee, .. }) = &stmt.kind {
                found |= *callee == id;
                if let Some(seen) = seen.get_mut(callee.0 as usize)
                    && !*seen
                {
                    *seen = true;
                    worklist.push(*callee);
                }
            }
        });
        if found {
            return true;
        }
    }
    false
}
