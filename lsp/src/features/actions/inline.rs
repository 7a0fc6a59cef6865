//! Inlining of a variable: each use becomes its value, and assignment and declaration go.
//!
//! The variable must be assigned once, and nothing that its value mentions may change up to its
//! last use.

use super::{Action, Request};
use crate::features::tree;
use crate::protocol::types::CodeActionKind;
use crate::toolchain::{Access, Builtin, Meaning, Span, Use, ast, hir};

/// Returns the action for the variable at the selection.
pub(super) fn inline(request: &Request<'_>) -> Option<Action> {
    let analysis = &request.analysis;
    if analysis.compilation.has_errors() {
        return None;
    }
    let root = analysis.root();
    let found = analysis.index.at(root, request.selected.start as u32)?;
    let meaning @ Meaning::Local(routine_id, local_id) = found.meaning else { return None };
    let routine = analysis.routine(routine_id)?;
    let local = routine.locals.get(local_id.0 as usize)?;
    if local.role != hir::Role::Local || local.ty.kind() == hir::TyKind::Table {
        return None;
    }
    let uses: Vec<Use> = analysis.index.uses_of(meaning).copied().collect();
    let written: Vec<&Use> = uses.iter().filter(|one| one.access == Access::Writes).collect();
    let [written] = &written[..] else { return None };
    let reads: Vec<&Use> = uses.iter().filter(|one| one.access == Access::Reads).collect();
    let last = reads.last()?;
    // The assignment, and the list of statements that contains it.
    let tree = analysis.routine_at(written.span.start as usize)?;
    let mut place: Option<(&ast::Stmt, &ast::Expr)> = None;
    let mut names = Vec::new();
    let mut pure = true;
    tree::routine(tree, &mut |node| match node {
        tree::Node::Stmt(stmt) => {
            if let ast::StmtKind::Assign { target, value, .. } = &stmt.kind
                && target.name.span == written.span
                && target.args.is_none()
            {
                place = Some((stmt, value));
            }
        }
        tree::Node::Expr(expr) => {
            if let Some(name) = expr.plain_name() {
                names.push(name.span);
            }
        }
        tree::Node::Routine(_) | tree::Node::Ref(_) | tree::Node::Type(_) => {}
    });
    let (stmt, value) = place?;
    // Only plain mentions: a component or size of a value needs a variable.
    let is_plain = |one: &&Use| names.contains(&one.span);
    if !reads.iter().all(is_plain) || reads.iter().any(|one| one.span.start < stmt.span.end) {
        return None;
    }
    let holder = outermost(tree, stmt, last.span)?;
    let between = Span::new(stmt.span.file, stmt.span.end, holder.span.end);
    // An assignment stores after it has evaluated its right side.
    let stored = match &holder.kind {
        ast::StmtKind::Assign { target, .. } => Some(target.name.span),
        _ => None,
    };
    for one in analysis.index.uses_in(value.span) {
        match one.meaning {
            Meaning::Local(..) => {
                let changes = |other: &Use| {
                    other.meaning == one.meaning
                        && other.access == Access::Writes
                        && Some(other.span) != stored
                };
                pure &= !analysis.index.uses_in(between).iter().any(changes)
                    && one.access == Access::Reads;
            }
            Meaning::Routine(_) => pure = false,
            Meaning::Builtin(builtin) => pure &= builtin != Builtin::Step,
            Meaning::Constant(_) => {}
        }
    }
    if !pure {
        return None;
    }
    let text = request.text();
    let value_text = text.get(value.span.range())?;
    let simple = matches!(
        value.kind,
        ast::ExprKind::Int(_)
            | ast::ExprKind::Name(..)
            | ast::ExprKind::Ref(_)
            | ast::ExprKind::Bool(_)
            | ast::ExprKind::Bits(_)
            | ast::ExprKind::Str(_)
    );
    let replacement = match simple || value.parenthesised {
        true => value_text.to_owned(),
        false => format!("({value_text})"),
    };
    let mut edits: Vec<_> =
        reads.iter().map(|one| request.edit(one.span.range(), replacement.clone())).collect();
    edits.push(request.edit(without(text, stmt.span.range()), ""));
    edits.push(request.edit(declaration(request, tree, local.span)?, ""));
    let title = format!("Inline variable `{}`", local.name);
    Some(Action::new(title, CodeActionKind::RefactorInline, edits))
}

/// Returns the statement in the list of the assignment that contains the last use; `None` if the
/// assignment is not executed before each use.
fn outermost<'t>(tree: &'t ast::Routine, stmt: &ast::Stmt, last: Span) -> Option<&'t ast::Stmt> {
    let mut found = None;
    let mut in_list = |list: &'t [ast::Stmt]| {
        if list.iter().any(|one| one.span == stmt.span) {
            let holds = |one: &&ast::Stmt| one.span.start <= last.start && last.end <= one.span.end;
            found = list.iter().find(holds);
        }
    };
    in_list(&tree.body);
    tree::routine(tree, &mut |node| {
        if let tree::Node::Stmt(one) = node {
            match &one.kind {
                ast::StmtKind::Block(body) | ast::StmtKind::Repeat { body, .. } => in_list(body),
                _ => {}
            }
        }
    });
    found
}

/// Returns a range with the semicolon and the blanks that follow it.
fn without(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let rest = &text[range.end..];
    let after = rest.trim_start();
    if !after.starts_with(';') {
        return range;
    }
    let semicolon = rest.len() - after.len() + 1;
    let blanks = rest[semicolon..].len() - rest[semicolon..].trim_start().len();
    range.start..range.end + semicolon + blanks
}

/// Returns the range of a name in its declaration, or of the whole declaration.
fn declaration(
    request: &Request<'_>,
    tree: &ast::Routine,
    name: Span,
) -> Option<std::ops::Range<usize>> {
    let text = request.text();
    let declares = |group: &ast::Vars| group.names.iter().any(|one| one.span == name);
    let at = tree.vars.iter().position(declares)?;
    let group = &tree.vars[at];
    let idx = group.names.iter().position(|one| one.span == name)?;
    // The keyword before a group, if it is the first one of its section.
    let keyword = |at: usize| {
        let before = at.checked_sub(1).map_or(tree.header.end, |at| tree.vars[at].ty.span.end);
        let start = tree.vars.get(at)?.names.first()?.span.start as usize;
        let between = text.get(before as usize..start)?.to_lowercase();
        between.rfind("var").map(|found| before as usize + found)
    };
    let is_last = at + 1 == tree.vars.len() || keyword(at + 1).is_some();
    match &group.names[..] {
        [_] => {
            // The keyword `var` goes with the only group of its section.
            let start = keyword(at).filter(|_| is_last).unwrap_or(name.start as usize);
            Some(without(text, start..group.ty.span.end as usize))
        }
        names if idx + 1 < names.len() => {
            Some(name.start as usize..names[idx + 1].span.start as usize)
        }
        names => Some(names[idx - 1].span.end as usize..name.end as usize),
    }
}
