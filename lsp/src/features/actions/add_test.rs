//! A test of the routine that a statement calls, or whose header is selected.

use super::extract::comment_before;
use super::{Action, Request};
use crate::features::tree;
use crate::protocol::types::CodeActionKind;
use crate::toolchain::{Meaning, ast, hir};

/// Returns the action that adds a test.
pub(super) fn add(request: &Request<'_>) -> Option<Action> {
    let analysis = &request.analysis;
    if analysis.compilation.has_errors() {
        return None;
    }
    let offset = request.selected.start;
    let found = analysis.index.at(analysis.root(), offset as u32)?;
    let Meaning::Routine(id) = found.meaning else { return None };
    let routine = analysis.routine(id)?;
    if routine.header.file != analysis.root() || routine.kind == ast::RoutineKind::Program {
        return None;
    }
    let at_name = routine.name_span == found.span;
    let mut call: Option<&ast::Ref> = None;
    tree::walk(&analysis.parsed.file, &mut |node| {
        if let tree::Node::Ref(one) = node
            && one.name.span == found.span
        {
            call = Some(one);
        }
    });
    if call.is_none() && !at_name {
        return None;
    }
    let args = call.and_then(|call| call.args.as_deref()).unwrap_or(&[]);
    let mut lines = format!("/* @test {}\n   run {}\n", routine.name, routine.name);
    for (idx, &param) in routine.params.iter().enumerate() {
        let local = routine.local(param);
        let value = args.get(idx).and_then(literal).or_else(|| example(local.ty.kind()))?;
        lines += &format!("   {} = {value}\n", local.name);
    }
    let text = format!("{} */\n\n", lines.trim_end());
    // Before the routine that calls it, or after the routine itself.
    let tested = analysis.routines().find(|tree| tree.name.span == routine.name_span)?;
    let place = match analysis.routine_at(offset).filter(|_| !at_name) {
        Some(caller) => comment_before(request, caller),
        None => comment_before(request, tested),
    };
    let edit = request.edit(place..place, text);
    let title = format!("Add a test of `{}`", routine.name);
    Some(Action::new(title, CodeActionKind::RefactorRewrite, vec![edit]))
}

/// Returns an argument as a value of a header.
fn literal(arg: &ast::Expr) -> Option<String> {
    match &arg.kind {
        ast::ExprKind::Int(value) => Some(value.to_string()),
        ast::ExprKind::Bool(value) => Some(value.to_string()),
        ast::ExprKind::Bits(text) => Some(text.to_string()),
        ast::ExprKind::Str(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Returns a value of a type: three rows and columns.
fn example(kind: hir::TyKind) -> Option<String> {
    match kind {
        hir::TyKind::Int => Some("3".to_owned()),
        hir::TyKind::Bool => Some("true".to_owned()),
        hir::TyKind::Str => Some("text".to_owned()),
        hir::TyKind::Slice | hir::TyKind::Word => Some("101".to_owned()),
        hir::TyKind::Table => Some("010 001 000".to_owned()),
        hir::TyKind::Handle | hir::TyKind::Error => None,
    }
}
