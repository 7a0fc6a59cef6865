//! Lints based on the flow of values.

use star_base::{Code, Diagnostic, Span};

use crate::check::MAX_DIAGNOSTICS;
use crate::flow::summary::called;
use crate::flow::usage::{Usage, usage};
use crate::flow::webs::{Webs, in_sizes};
use crate::hir::{Arg, LocalId, Role, Routine, Stmt, StmtKind, Target, TyKind, VarUse};
use crate::traps::{SIZE_OF_BITS, SIZES_OF_TABLE};
use crate::visit;

/// Reports variables of a routine that are read although nothing sets them.
pub(crate) fn never_set(routine: &Routine, found: &Webs, diagnostics: &mut Vec<Diagnostic>) {
    let mut reported: Vec<LocalId> = Vec::new();
    for outermost in &routine.body {
        never_set_in(outermost, routine, found, &mut reported, diagnostics);
    }
}

/// Reports such variables in a statement of the body.
fn never_set_in(
    outermost: &Stmt,
    routine: &Routine,
    found: &Webs,
    reported: &mut Vec<LocalId>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    visit::any_stmt(std::slice::from_ref(outermost), &mut |stmt| {
        // A mention that sets the variable is listed too, and is never unset there.
        visit::uses_of_stmt(stmt, &mut |place: &VarUse| {
            let local = routine.local(place.local);
            if local.role != Role::Local
                || reported.contains(&place.local)
                || !found.never_set(place.site)
            {
                return;
            }
            if is_passed_or_grown(stmt, place) {
                return;
            }
            reported.push(place.local);
            let name = &local.name;
            let has_size = matches!(local.ty.kind(), TyKind::Slice | TyKind::Word | TyKind::Table);
            let sized = !local.ty.is_unsized();
            let message = match has_size && !sized {
                true => format!("`{name}` is used but has neither a size nor a value"),
                false => format!("`{name}` is used but was never set"),
            };
            let mut diagnostic = Diagnostic::at(Code::NeverSet, place.span, message)
                .label(local.span, "declared here");
            diagnostic = match local.ty.kind() {
                TyKind::Slice | TyKind::Word if sized => {
                    // A branch or a body without `begin` has no room for another statement.
                    let Span { file, start, .. } = outermost.span;
                    let here = Span::new(file, start, start);
                    diagnostic.suggestion(
                        format!("clear `{name}` first"),
                        here,
                        format!("CLR({name}); "),
                    )
                }
                TyKind::Slice | TyKind::Word => diagnostic.help(SIZE_OF_BITS),
                TyKind::Table => diagnostic.help(SIZES_OF_TABLE),
                TyKind::Handle => diagnostic.help("create it first with a procedure of its module"),
                TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Error => {
                    diagnostic.help("assign a value first")
                }
            };
            diagnostics.push(diagnostic);
        });
        false
    });
}

/// Reports value parameters that the routine writes before it reads them: results whose `var` was
/// forgotten.
pub(crate) fn forgotten_var(routine: &Routine, found: &Webs, diagnostics: &mut Vec<Diagnostic>) {
    let params = routine.params.iter().zip(&found.takes);
    let untouched = params.filter(|(_, takes)| !**takes).map(|(&param, _)| param);
    for param in untouched {
        let local = routine.local(param);
        let stored = stored_to(routine, found, param);
        let (Role::Value, Some(stored)) = (local.role, stored) else { continue };
        let name = &local.name;
        let ty = local.ty.kind().name();
        diagnostics.push(
            Diagnostic::at(
                Code::ForgottenVar,
                stored,
                format!("the caller cannot see what is stored to `{name}`"),
            )
            .label(local.span, "a value parameter, not read before this")
            .help(format!("if it is a result, declare it as `var {name}: {ty}`"))
            .help("otherwise, declare a local variable"),
        );
    }
}

/// Reports values of scalars that are assigned and certainly not read, in reachable code. Variables
/// that are never read have another lint.
pub(crate) fn unread_values(routine: &Routine, found: &Webs, diagnostics: &mut Vec<Diagnostic>) {
    let (usage, sizes) = (usage(routine), in_sizes(routine));
    visit::any_stmt(&routine.body, &mut |stmt| {
        let StmtKind::Assign(Target::Var(place), value) = &stmt.kind else { return false };
        let local = routine.local(place.local);
        let is_scalar = matches!(local.ty.kind(), TyKind::Int | TyKind::Bool | TyKind::Str);
        let is_own = matches!(local.role, Role::Local | Role::Value);
        let is_read = usage[place.local.0 as usize] == Usage::Read;
        if is_scalar
            && is_own
            && is_read
            && !value.effects
            && !sizes.contains(&place.local)
            && found.web(place.site).is_some()
            && found.unread(place.site)
        {
            let message = format!("the value assigned to `{}` here is never read", local.name);
            diagnostics.push(
                Diagnostic::at(Code::UnusedValue, stmt.span, message)
                    .note("the variable gets another value first, or the routine ends")
                    .help("remove the assignment"),
            );
        }
        diagnostics.len() >= MAX_DIAGNOSTICS
    });
}

/// Returns where the routine first stores to a variable, in reachable code.
fn stored_to(routine: &Routine, found: &Webs, local: LocalId) -> Option<star_base::Span> {
    let mut first = None;
    visit::any_stmt(&routine.body, &mut |stmt| {
        let place = stores(stmt)
            .into_iter()
            .find(|place| place.local == local && found.web(place.site).is_some());
        first = place.map(|place| place.span);
        first.is_some()
    });
    first
}

/// Returns the variables to which a statement itself stores, nested statements excepted.
fn stores(stmt: &Stmt) -> Vec<&VarUse> {
    let mut stores: Vec<&VarUse> = visit::stored_to(stmt).into_iter().collect();
    if let StmtKind::For { var: place, .. } | StmtKind::Foreach { var: place, .. } = &stmt.kind {
        stores.push(place);
    }
    if let StmtKind::Call(_, args) = &stmt.kind {
        stores.extend(args.iter().filter_map(|arg| match arg {
            Arg::Ref(place) => Some(place),
            Arg::Field(field, _) => Some(&field.table),
            Arg::Value(_) => None,
        }));
    }
    stores
}

/// A callee may set a variable passed by `var`, and a first column gives a table its rows.
fn is_passed_or_grown(stmt: &crate::hir::Stmt, place: &VarUse) -> bool {
    use crate::hir::{Expr, ExprKind};
    let passed = |args: &[Arg]| {
        args.iter().any(|arg| matches!(arg, Arg::Ref(other) if other.site == place.site))
    };
    let is_passed = matches!(&stmt.kind, StmtKind::Call(_, args) if passed(args));
    // A first column gives a table its rows, a first part gives a handle its tables; other stores
    // are reported as errors.
    let is_stored_to = matches!(
        &stmt.kind,
        StmtKind::Assign(
            Target::Col(_, table)
            | Target::Row(_, table)
            | Target::Bit(table, ..)
            | Target::Part(table, _),
            _,
        ) if table.site == place.site
    );
    let in_expr = |expr: &Expr| {
        called(expr).is_some_and(|(_, args)| passed(args))
            || matches!(expr.kind, ExprKind::NCols(table) if table.site == place.site)
    };
    is_passed || is_stored_to || visit::any_expr_of(stmt, &mut |expr| in_expr(expr))
}
