//! Summaries of the effects of routines, callees included, for use at calls.

use crate::program::{Program, RoutineId, VarId};
use crate::stmt::{Arg, StmtKind};
use crate::visit::{self, Access};

/// The possible effects of a call of a routine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// For each parameter: whether its value may be read.
    pub reads: Vec<bool>,
    /// For each parameter: whether it may be changed. The caller sees changes of `ref` parameters.
    pub writes: Vec<bool>,
    /// Whether it may trap.
    pub traps: bool,
    /// Whether it prints, reads or writes files.
    pub host: bool,
    /// Whether it may run forever: a `while`, or a call in a cycle.
    pub endless: bool,
    /// Whether it or one of its callees has an intrinsic.
    pub intrinsic: bool,
}

/// Computes the summaries of all routines.
pub fn summaries(program: &Program) -> Vec<Summary> {
    let mut summaries: Vec<Summary> = (program.routines.iter().zip(0..))
        .map(|(routine, id)| Summary {
            reads: vec![false; routine.params.len()],
            writes: vec![false; routine.params.len()],
            intrinsic: routine.intrinsic.is_some(),
            endless: is_recursive(program, RoutineId(id)),
            ..Summary::default()
        })
        .collect();
    // Effects of a callee are effects of its callers: a fixed point over the call graph.
    loop {
        let mut changed = false;
        for id in 0..summaries.len() {
            let new = summarise(program, id, &summaries);
            changed |= new != summaries[id];
            summaries[id] = new;
        }
        if !changed {
            return summaries;
        }
    }
}

/// Performs one round: computes the effects of the body from the current summaries of the callees.
fn summarise(program: &Program, id: usize, summaries: &[Summary]) -> Summary {
    let routine = &program.routines[id];
    let mut summary = summaries[id].clone();
    let param_of = |var: VarId| routine.params.iter().position(|param| param.var == var);
    visit::walk(&routine.body, &mut |stmt| {
        let callee = match &stmt.kind {
            StmtKind::Call { callee, .. } => summaries.get(callee.0 as usize),
            StmtKind::While { .. } => {
                summary.endless = true;
                None
            }
            StmtKind::Print(_) | StmtKind::Read { .. } | StmtKind::Write { .. } => {
                summary.host = true;
                summary.traps = true;
                None
            }
            StmtKind::Check(_) => {
                summary.traps = true;
                None
            }
            StmtKind::Assign(..)
            | StmtKind::Step { .. }
            | StmtKind::Put { .. }
            | StmtKind::Replace { .. }
            | StmtKind::PutColumn { .. }
            | StmtKind::PutRow { .. }
            | StmtKind::PutBit { .. }
            | StmtKind::PutField { .. }
            | StmtKind::PutHandlePart { .. }
            | StmtKind::Size(_)
            | StmtKind::Cost { .. }
            | StmtKind::For { .. }
            | StmtKind::Foreach { .. }
            | StmtKind::Forall { .. }
            | StmtKind::Kernel(_)
            | StmtKind::If { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => None,
        };
        if let Some(callee) = callee {
            // The call traps if a variable comes back with a size other than the fixed one.
            let lends = matches!(&stmt.kind, StmtKind::Call { args, .. }
                if args.iter().any(|arg| matches!(arg, Arg::Ref(_))));
            summary.traps |= callee.traps || lends;
            summary.host |= callee.host;
            summary.endless |= callee.endless;
            summary.intrinsic |= callee.intrinsic;
        }
        visit::accesses(&stmt.kind, &mut |var, access| {
            let Some(param) = param_of(var) else { return };
            let (mut reads, mut writes) = (access.reads(), access.writes());
            if access == Access::Ref
                && let (StmtKind::Call { args, .. }, Some(callee)) = (&stmt.kind, callee)
                && let Some(arg) = args.iter().position(|arg| *arg == Arg::Ref(var))
            {
                reads = callee.reads.get(arg).copied().unwrap_or(true);
                writes = callee.writes.get(arg).copied().unwrap_or(true);
            }
            summary.reads[param] |= reads;
            summary.writes[param] |= writes;
        });
    });
    summary
}

/// Returns whether the routine is in a cycle of the call graph, so that it may be called again
/// while it runs.
pub fn is_recursive(program: &Program, id: RoutineId) -> bool {
    let mut seen = vec![false; program.routines.len()];
    let mut worklist = vec![id];
    while let Some(at) = worklist.pop() {
        let Some(routine) = program.routines.get(at.0 as usize) else { continue };
        let mut found = false;
        visit::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Call { callee, .. } = &stmt.kind {
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
