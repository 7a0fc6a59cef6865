//! Lints that examine one statement: a loop that cannot end, a body that ends before it begins.

use std::collections::BTreeSet;

use star_base::{Builtin, Code, Diagnostic, Span, text};
use star_syntax::ast;

use super::Checker;
use crate::hir::{Arg, Expr, ExprKind, LocalId, RoutineId, Stmt, StmtKind};
use crate::visit;

impl Checker<'_> {
    /// Lints a body that is empty because a `;` follows `then`, `else` or `do` directly.
    pub(super) fn lint_empty_body(&mut self, body: &ast::Stmt) {
        let Span { file, start, .. } = body.span;
        let next = Span::new(file, start, start + 1);
        let is_ended = body.kind == ast::StmtKind::Empty && self.sources.slice(next) == ";";
        if !is_ended || self.world.units[self.unit].library {
            return;
        }
        let message = "this `;` ends the statement, so its body is empty";
        let diagnostic = Diagnostic::at(Code::EmptyBody, next, message)
            .note("the next statement runs in any case")
            .help("remove the `;`, or write `begin end` for an empty body");
        self.report(diagnostic);
    }

    /// Lints the empty body of a `while` unless its condition changes something.
    pub(super) fn lint_empty_while(&mut self, test: &Expr, body: &ast::Stmt) {
        let changes = |expr: &Expr| matches!(expr.kind, ExprKind::Step(_) | ExprKind::Call(..));
        if !visit::any_expr(test, &mut |expr| changes(expr)) {
            self.lint_empty_body(body);
        }
    }

    /// Lints a loop whose body neither changes a variable of its condition nor leaves the loop.
    pub(super) fn lint_endless(&mut self, test: &Expr, body: &[Stmt]) {
        if self.world.units[self.unit].library || leaves(body) {
            return;
        }
        match tested(test) {
            Some(local) if changes(body, local) => {}
            Some(local) => self.report_unchanged(test, body, local),
            None => self.lint_same_condition(test, body),
        }
    }

    /// Lints a condition of any form.
    fn lint_same_condition(&mut self, test: &Expr, body: &[Stmt]) {
        let may_change = |expr: &Expr| {
            matches!(expr.kind, ExprKind::Step(_) | ExprKind::Call(..) | ExprKind::Error)
        };
        let mut tested = BTreeSet::new();
        visit::uses_of_expr(test, &mut |place| _ = tested.insert(place.local));
        // A called routine of the user may have assertions, too.
        let is_users = |id: &RoutineId| {
            let signature = &self.world.signatures[id.0 as usize];
            !self.world.units[signature.unit].library
        };
        let calls = |expr: &Expr| matches!(&expr.kind, ExprKind::Call(id, _) if is_users(id));
        let may_stop = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assert(..) => true,
            StmtKind::Call(id, _) => is_users(id),
            _ => visit::any_expr_of(stmt, &mut |expr| calls(expr)),
        };
        if tested.is_empty()
            || visit::any_expr(test, &mut |expr| may_change(expr))
            || visit::any_stmt(body, &mut |stmt| may_stop(stmt))
            || tested.iter().any(|local| changes(body, *local))
        {
            return;
        }
        let names = tested.iter().map(|local| format!("`{}`", self.local(*local).name));
        let names = text::listed(names, text::MAX_LISTED);
        let message = format!("the body of this loop never changes its condition ({names})");
        self.report(
            Diagnostic::at(Code::LoopNeverSteps, test.span, message)
                .note("it runs once at most, or does not end unless a statement stops the program"),
        );
    }

    fn report_unchanged(&mut self, test: &Expr, body: &[Stmt], local: LocalId) {
        let name = self.local(local).name.clone();
        let mut diagnostic = Diagnostic::at(
            Code::LoopNeverSteps,
            test.span,
            format!("the body of this loop never changes `{name}`"),
        )
        .note("the loop does not end once it has begun");
        diagnostic = match first_fnd(body, local) {
            Some(call) => {
                let step = format!("STEP({name})");
                diagnostic
                    .label(call, "`FND` only reads it, `STEP` removes the first one")
                    .suggestion(format!("write `{step}`"), call, step)
            }
            None => diagnostic.help(format!("remove its ones one by one: `i := STEP({name})`")),
        };
        self.report(diagnostic);
    }
}

/// Returns the variable X of `SOME(X)`.
fn tested(test: &Expr) -> Option<LocalId> {
    operand_of(Builtin::Some, test)
}

/// Returns the variable that `expr` passes to `builtin`, if it does nothing else.
fn operand_of(builtin: Builtin, expr: &Expr) -> Option<LocalId> {
    let ExprKind::Builtin(called, args) = &expr.kind else { return None };
    let ExprKind::Var(place) = &args.first()?.kind else { return None };
    (*called == builtin).then_some(place.local)
}

/// Returns whether the body leaves the loop by `break` or `exit`. One in an inner loop counts too:
/// a missing lint is better than a wrong one.
fn leaves(body: &[Stmt]) -> bool {
    visit::any_stmt(body, &mut |stmt| matches!(stmt.kind, StmtKind::Break | StmtKind::Exit))
}

fn changes(body: &[Stmt], local: LocalId) -> bool {
    visit::any_stmt(body, &mut |stmt| {
        let is_changed = match &stmt.kind {
            StmtKind::Call(_, args) => args.iter().any(|arg| by_ref(arg, local)),
            StmtKind::For { var, .. } | StmtKind::Foreach { var, .. } => var.local == local,
            _ => visit::stored_to(stmt).is_some_and(|place| place.local == local),
        };
        is_changed || visit::any_expr_of(stmt, &mut |expr| changes_as_value(expr, local))
    })
}

/// Returns whether evaluating the expression itself, operands excepted, changes the variable.
fn changes_as_value(expr: &Expr, local: LocalId) -> bool {
    match &expr.kind {
        ExprKind::Step(place) => place.local == local,
        ExprKind::Call(_, args) => args.iter().any(|arg| by_ref(arg, local)),
        ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Bits(_)
        | ExprKind::Theta
        | ExprKind::Var(_)
        | ExprKind::Chain(..)
        | ExprKind::Neg(_)
        | ExprKind::Compare(..)
        | ExprKind::BoolDiffers(..)
        | ExprKind::Not(_)
        | ExprKind::BitsNot(_)
        | ExprKind::BitsEqual(..)
        | ExprKind::Component(..)
        | ExprKind::Bit(..)
        | ExprKind::Part(..)
        | ExprKind::Field(_)
        | ExprKind::Cell(..)
        | ExprKind::Inside(..)
        | ExprKind::Ones(_)
        | ExprKind::Numbers(_)
        | ExprKind::Relation(..)
        | ExprKind::Result(_)
        | ExprKind::Shift(..)
        | ExprKind::Col(..)
        | ExprKind::Row(..)
        | ExprKind::NCols(_)
        | ExprKind::NRows(_)
        | ExprKind::Builtin(..) => false,
    }
}

fn by_ref(arg: &Arg, local: LocalId) -> bool {
    match arg {
        Arg::Ref(place) => place.local == local,
        Arg::Field(field, _) => field.table.local == local,
        Arg::Value(_) => false,
    }
}

/// Returns the position of the first `FND(X)` in the body.
fn first_fnd(body: &[Stmt], local: LocalId) -> Option<Span> {
    let mut found = None;
    visit::any_stmt(body, &mut |stmt| {
        visit::any_expr_of(stmt, &mut |expr| {
            let is_one = operand_of(Builtin::Fnd, expr) == Some(local);
            if is_one {
                found = Some(expr.span);
            }
            is_one
        })
    });
    found
}
