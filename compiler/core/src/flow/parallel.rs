//! Checks of `forall` loops that need the flow of values, or the routines that are called.

use star_base::{Code, Diagnostic};

use super::summary::{called, callees_first};
use super::webs::Webs;
use crate::hir::{LocalId, Program, Routine, RoutineId, Stmt, StmtKind, TyKind};
use crate::visit;

/// Reports variables of an iteration that are read before it sets them or after the loop, and calls
/// of routines that print, read or write.
pub(crate) fn lints(
    program: &Program,
    routine: &Routine,
    found: &Webs,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut reported: Vec<LocalId> = Vec::new();
    for place in &found.forgotten {
        if reported.contains(&place.local) {
            continue;
        }
        reported.push(place.local);
        let local = routine.local(place.local);
        let message = format!("`{}` has no value here", local.name);
        let diagnostic = Diagnostic::at(Code::NotParallel, place.span, message)
            .label(local.span, "declared here")
            .note("an iteration sets its variables before it reads them; they end with it");
        diagnostics.push(match local.ty.kind() {
            TyKind::Int => diagnostic.help("`sum(F where X)` and `count(X)` join many rows"),
            _ => diagnostic.help("`orrows(T where X)` and other reductions join many rows"),
        });
    }
    visit::any_stmt(&routine.body, &mut |stmt| {
        let (StmtKind::For { body, .. } | StmtKind::Foreach { body, .. }) = &stmt.kind else {
            return false;
        };
        if matches!(body.first(), Some(Stmt { kind: StmtKind::Forget(_), .. })) {
            calls(program, body, diagnostics);
        }
        false
    });
}

/// Reports calls in an iteration of routines that print, read or write.
fn calls(program: &Program, body: &[Stmt], diagnostics: &mut Vec<Diagnostic>) {
    let mut check = |id: RoutineId, span| {
        let mut routines = callees_first(program, &[id], |_| false).into_iter();
        if let Some(printing) = routines.find(|one| prints(program.routine(*one))) {
            let name = &program.routine(printing).name;
            let message =
                format!("an iteration of a `forall` calls `{name}`, which prints, reads or writes");
            diagnostics.push(
                Diagnostic::at(Code::NotParallel, span, message)
                    .note("the iterations have no order")
                    .help("`foreach` and `for` have one"),
            );
        }
    };
    visit::any_stmt(body, &mut |stmt| {
        if let StmtKind::Call(id, _) = &stmt.kind {
            check(*id, stmt.span);
        }
        visit::any_expr_of(stmt, &mut |expr| {
            if let Some((id, _)) = called(expr) {
                check(id, expr.span);
            }
            false
        })
    });
}

/// Returns whether the routine itself prints, reads or writes.
fn prints(routine: &Routine) -> bool {
    visit::any_stmt(&routine.body, &mut |stmt| {
        matches!(stmt.kind, StmtKind::Print(_) | StmtKind::Read(..) | StmtKind::Write(..))
    })
}
