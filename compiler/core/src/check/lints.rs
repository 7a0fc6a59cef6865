//! Lints that look at one statement: a loop that cannot end.

use star_base::{Builtin, Code, Diagnostic};

use super::Checker;
use crate::hir::{Arg, Expr, ExprKind, LocalId, Place, Stmt, StmtKind, Target};
use crate::visit;

impl Checker<'_> {
    /// `while SOME(X) do S` where S neither changes X nor leaves the loop.
    pub(super) fn lint_endless(&mut self, test: &Expr, body: &[Stmt]) {
        let Some(local) = tested(test) else { return };
        if self.world.units[self.unit].library || leaves(body) || changes(body, local) {
            return;
        }
        let name = self.local(local).name.clone();
        let mut diagnostic = Diagnostic::at(
            Code::LoopNeverSteps,
            test.span,
            format!("the body of this loop never changes `{name}`"),
        )
        .note("so the loop does not end once it has begun");
        diagnostic = match first_fnd(body, local) {
            Some((call, span)) => {
                diagnostic.label(call, "`FND` only looks, `STEP` takes the first one away").fix(
                    format!("write `STEP({name})`"),
                    call,
                    format!("STEP({})", self.name_of(span.local)),
                )
            }
            None => diagnostic.help(format!("take its ones away one by one: `i := STEP({name})`")),
        };
        self.report(diagnostic);
    }

    fn name_of(&self, local: LocalId) -> String {
        self.local(local).name.clone()
    }
}

/// The variable X of `SOME(X)`.
fn tested(test: &Expr) -> Option<LocalId> {
    match &test.kind {
        ExprKind::Builtin(Builtin::Some, args) => match args.first().map(|arg| &arg.kind) {
            Some(ExprKind::Var(place)) => Some(place.local),
            _ => None,
        },
        _ => None,
    }
}

/// Does the body leave the loop by `break` or `exit`? One in an inner loop counts too: better no lint
/// than a wrong one.
fn leaves(body: &[Stmt]) -> bool {
    visit::any_stmt(body, &mut |stmt| matches!(stmt.kind, StmtKind::Break | StmtKind::Exit))
}

fn changes(body: &[Stmt], local: LocalId) -> bool {
    visit::any_stmt(body, &mut |stmt| {
        let target = match &stmt.kind {
            StmtKind::Assign(Target::Var(place) | Target::Component(place, _), _)
            | StmtKind::Fill(place, _)
            | StmtKind::KeepFirst(place)
            | StmtKind::Step(place)
            | StmtKind::Replace { word: place, .. }
            | StmtKind::Read(place, ..) => place.local == local,
            StmtKind::Call(_, args) => args.iter().any(|arg| by_ref(arg, local)),
            _ => false,
        };
        target
            || visit::any_expr_of(stmt, &mut |expr| match &expr.kind {
                ExprKind::Step(place) => place.local == local,
                ExprKind::Call(_, args) => args.iter().any(|arg| by_ref(arg, local)),
                _ => false,
            })
    })
}

fn by_ref(arg: &Arg, local: LocalId) -> bool {
    matches!(arg, Arg::Ref(place) if place.local == local)
}

/// The first `FND(X)` in the body.
fn first_fnd(body: &[Stmt], local: LocalId) -> Option<(star_base::Span, Place)> {
    let mut found = None;
    visit::any_stmt(body, &mut |stmt| {
        visit::any_expr_of(stmt, &mut |expr| match &expr.kind {
            ExprKind::Builtin(Builtin::Fnd, args) => match args.first().map(|arg| &arg.kind) {
                Some(ExprKind::Var(place)) if place.local == local => {
                    found = Some((expr.span, *place));
                    true
                }
                _ => false,
            },
            _ => false,
        })
    });
    found
}
