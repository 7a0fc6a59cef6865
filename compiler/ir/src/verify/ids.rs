//! Rules 1 and 2: every referenced item exists and is unique.

use std::collections::{BTreeSet, HashSet};

use super::{MAX_DEPTH, Subject};
use crate::program::{Extent, InlinedCall, LabelId, LocId, VarId};
use crate::stmt::{Simple, Stmt, StmtKind};
use crate::visit;

pub(super) fn check(subject: &mut Subject<'_, '_>) {
    let routine = subject.routine;
    location(subject, None, routine.loc);
    let mut names = HashSet::new();
    for var in &routine.vars {
        if !names.insert(var.name.as_str()) {
            subject.fault(None, format!("several variables are named `%{}`", var.name));
        }
        for extent in var.ty.extents() {
            match extent {
                Extent::Var(v) => exists(subject, None, v),
                Extent::Const(_) | Extent::Dynamic => {}
            }
        }
    }
    let mut headed = BTreeSet::new();
    for var in routine.params.iter().map(|param| param.var).chain(routine.result) {
        exists(subject, None, var);
        if !headed.insert(var) {
            let message = format!("{} appears twice in the header", subject.name(var));
            subject.fault(None, message);
        }
    }
    block(subject, &routine.body, 0, &mut BTreeSet::new());
}

fn exists(subject: &mut Subject<'_, '_>, stmt: Option<&Stmt>, var: VarId) {
    if var.0 as usize >= subject.routine.vars.len() {
        subject.fault(stmt, format!("unknown variable {}", var.0));
    }
}

/// Checks that the location exists, and its contents: variables of this routine, each once, and
/// calls that were inlined.
fn location(subject: &mut Subject<'_, '_>, stmt: Option<&Stmt>, loc: LocId) {
    let Some(location) = subject.program.locations.get(loc) else {
        return subject.fault(stmt, format!("unknown location `{loc}`"));
    };
    let mut named = BTreeSet::new();
    for operand in &location.operands {
        exists(subject, stmt, operand.var);
        if !named.insert(operand.var) {
            let message = format!("`{loc}` names {} twice", subject.name(operand.var));
            subject.fault(stmt, message);
        }
    }
    if !location.operands.is_empty() {
        let owner = *subject.owners.entry(loc).or_insert(subject.id);
        if owner != subject.id {
            subject.fault(stmt, format!("`{loc}` names variables of another routine"));
        }
    }
    for &InlinedCall { routine, call } in &location.inlined {
        if routine.0 as usize >= subject.program.routines.len() {
            subject.fault(stmt, format!("unknown routine {}", routine.0));
        }
        match subject.program.locations.get(call) {
            None => subject.fault(stmt, format!("unknown location `{call}`")),
            Some(outer) if !outer.inlined.is_empty() => {
                subject.fault(stmt, format!("the call at `{call}` was itself inlined"));
            }
            Some(_) => {}
        }
    }
}

fn block(
    subject: &mut Subject<'_, '_>,
    stmts: &[Stmt],
    depth: usize,
    labels: &mut BTreeSet<LabelId>,
) {
    if depth > MAX_DEPTH {
        let message = format!("nesting exceeds {MAX_DEPTH} levels");
        return subject.fault(stmts.first(), message);
    }
    for stmt in stmts {
        location(subject, Some(stmt), stmt.loc);
        let mut touched = Vec::new();
        visit::accesses(&stmt.kind, &mut |var, _| touched.push(var));
        touched.sort_unstable();
        touched.dedup();
        for var in touched {
            exists(subject, Some(stmt), var);
        }
        match &stmt.kind {
            StmtKind::Simple(Simple::Call { callee, .. }) => {
                if callee.0 as usize >= subject.program.routines.len() {
                    let message = format!("unknown routine {}", callee.0);
                    subject.fault(Some(stmt), message);
                }
            }
            StmtKind::For { label, .. }
            | StmtKind::While { label, .. }
            | StmtKind::Foreach { label, .. }
            | StmtKind::Forall { label, .. }
            | StmtKind::Block { label, .. } => {
                if !labels.insert(*label) {
                    subject.fault(Some(stmt), format!("the label `{label}` is used twice"));
                }
            }
            StmtKind::Simple(_)
            | StmtKind::Kernel(_)
            | StmtKind::If { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Exit => {}
        }
        for inner in visit::blocks(&stmt.kind) {
            block(subject, inner, depth + 1, labels);
        }
    }
}
