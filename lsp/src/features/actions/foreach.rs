//! `while SOME(X) do begin i:=STEP(X); … end` becomes `foreach i in X do begin … end`.
//!
//! The body must neither mention X nor assign i. `while` leaves X empty and `foreach` leaves it as
//! it is, so `CLR(X)` follows where X is used afterwards or outlives the routine.

use super::{Action, Request};
use crate::features::tree;
use crate::protocol::types::CodeActionKind;
use crate::toolchain::{Access, Builtin, Meaning, Span, Use, ast, hir};

/// Returns the action for the loop at the selection.
pub(super) fn convert(request: &Request<'_>) -> Option<Action> {
    let analysis = &request.analysis;
    if analysis.has_syntax_errors() {
        return None;
    }
    let offset = request.selected.start;
    let is_loop = |stmt: &ast::Stmt| matches!(stmt.kind, ast::StmtKind::While { .. });
    let stmt = tree::stmt_at(&analysis.parsed.file, offset, is_loop)?;
    let ast::StmtKind::While { test, body } = &stmt.kind else { return None };
    let over = argument_of(test, Builtin::Some)?;
    let ast::StmtKind::Block(stmts) = &body.kind else { return None };
    let (first, rest) = stmts.split_first()?;
    let ast::StmtKind::Assign { target, value, .. } = &first.kind else { return None };
    let stepped = argument_of(value, Builtin::Step)?;
    if stepped.name != over.name || target.args.is_some() {
        return None;
    }
    let meaning =
        |span: Span| analysis.index.at(analysis.root(), span.start).map(|one| one.meaning);
    let (set, var) = (meaning(over.span)?, meaning(target.name.span)?);
    let body_span = Span::new(first.span.file, first.span.end, body.span.end);
    let inside: &[Use] = analysis.index.uses_in(body_span);
    let harmless = inside
        .iter()
        .all(|one| one.meaning != set && !(one.meaning == var && one.access == Access::Writes));
    if !harmless {
        return None;
    }
    let Meaning::Local(routine_id, local) = set else { return None };
    let routine = analysis.routine(routine_id)?;
    let outlives = routine.local(local).role == hir::Role::Ref;
    // Inside another loop, "after" includes the text before.
    let tree = analysis.routine_at(stmt.span.start as usize)?;
    let elsewhere = analysis.index.uses_in(tree.span).iter().any(|one| {
        let within = stmt.span.start <= one.span.start && one.span.end <= stmt.span.end;
        one.meaning == set
            && one.access != Access::Declares
            && !within
            && (one.span.start > stmt.span.end || tree::in_loop(tree, stmt.span))
    });
    let text = request.text();
    let name = |span: Span| text.get(span.range()).unwrap_or_default();
    let head = format!("foreach {} in {} do", name(target.name.span), name(over.span));
    let mut edits = vec![request.edit(stmt.span.start as usize..test.span.end as usize, {
        // `do` stays.
        head.trim_end_matches(" do").to_owned()
    })];
    // The first statement goes, with the blanks up to the next one.
    let end = rest.first().map_or(first.span.end as usize, |next| next.span.start as usize);
    edits.push(request.edit(first.span.start as usize..end, ""));
    if outlives || elsewhere {
        let after = stmt.span.end as usize;
        let indentation = request.indentation(stmt.span.start as usize).to_owned();
        let clear = format!(";\n{indentation}CLR({})", name(over.span));
        edits.push(request.edit(after..after, clear));
    }
    Some(Action::new("Convert to `foreach`", CodeActionKind::RefactorRewrite, edits))
}

/// Returns the variable in `BUILTIN(X)`.
fn argument_of(expr: &ast::Expr, builtin: Builtin) -> Option<ast::Ident> {
    let ast::ExprKind::Ref(call) = &expr.kind else { return None };
    let [arg] = call.args.as_deref()? else { return None };
    let is_it = Builtin::find(&call.name.name) == Some(builtin);
    is_it.then(|| arg.plain_name()).flatten()
}
