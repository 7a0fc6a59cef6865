//! Extraction of statements to a procedure. Variables that are used elsewhere become parameters,
//! those that only the statements use become its variables.

use super::{Action, Request};
use crate::features::{hover, tree};
use crate::protocol::types::CodeActionKind;
use crate::toolchain::{Access, Meaning, Span, Use, ast, hir};

/// The name of the new procedure, before it is made unique.
const NAME: &str = "EXTRACTED";

/// Returns the action for the selected statements.
pub(super) fn extract(request: &Request<'_>) -> Option<Action> {
    let analysis = &request.analysis;
    if request.selected.is_empty() || analysis.compilation.has_errors() {
        return None;
    }
    let text = request.text();
    let selected = &text[request.selected.clone()];
    let start = request.selected.start + (selected.len() - selected.trim_start().len());
    let end = request.selected.start + selected.trim_end().trim_end_matches(';').trim_end().len();
    let tree = analysis.routine_at(start)?;
    let stmts = statements(tree, start, end)?;
    if leaves(&stmts) {
        return None;
    }
    let span = Span::new(analysis.root(), start as u32, end as u32);
    let (routine_id, routine) = analysis.routine_named_at(tree.name.span)?;
    let inside: &[Use] = analysis.index.uses_in(span);
    let all = analysis.index.uses_in(tree.span);
    let (mut params, mut arguments, mut locals) = (Vec::new(), Vec::new(), Vec::new());
    for (idx, local) in routine.locals.iter().enumerate() {
        let meaning = Meaning::Local(routine_id, hir::LocalId(idx as u32));
        let own: Vec<&Use> = inside.iter().filter(|one| one.meaning == meaning).collect();
        if own.is_empty() {
            continue;
        }
        let written = own.iter().any(|one| one.access == Access::Writes);
        let elsewhere = all.iter().any(|one| {
            let within = span.start <= one.span.start && one.span.end <= span.end;
            one.meaning == meaning && one.access != Access::Declares && !within
        });
        // A table with sizes begins with zeros, which a parameter keeps.
        let is_fresh = local.role == hir::Role::Local
            && !elsewhere
            && (local.ty.is_unsized() || local.ty.kind() != hir::TyKind::Table);
        let kind = local.ty.kind().name();
        // In a loop, values of the last iteration may matter.
        if is_fresh && !tree::in_loop(tree, span) {
            let ty = match local.ty.is_unsized() {
                true => hover::declared_type(analysis, routine, local),
                false => kind.to_owned(),
            };
            locals.push(format!("{}: {ty};", local.name));
        } else {
            let mode = if written { "var " } else { "" };
            params.push(format!("{mode}{}: {kind}", local.name));
            arguments.push(local.name.clone());
        }
    }
    // The result of a function belongs to the function.
    if inside
        .iter()
        .any(|one| one.access == Access::Writes && matches!(one.meaning, Meaning::Routine(_)))
    {
        return None;
    }
    let name = unique(request);
    let list = |items: &[String], between: &str| match items.is_empty() {
        true => String::new(),
        false => format!("({})", items.join(between)),
    };
    let vars =
        if locals.is_empty() { String::new() } else { format!("var {}\n", locals.join(" ")) };
    let old = request.indentation(start).to_owned();
    let body = text[start..end].replace(&format!("\n{old}"), "\n  ");
    let procedure =
        format!("procedure {name}{};\n{vars}begin\n  {body};\nend;\n\n", list(&params, "; "));
    let before = comment_before(request, tree);
    let edits = vec![
        request.edit(before..before, procedure),
        request.edit(start..end, format!("{name}{}", list(&arguments, ","))),
    ];
    Some(Action::new(
        format!("Extract to procedure `{name}`"),
        CodeActionKind::RefactorExtract,
        edits,
    ))
}

/// Returns the statements that a range consists of: neighbours in one list.
fn statements(tree: &ast::Routine, start: usize, end: usize) -> Option<Vec<&ast::Stmt>> {
    let in_list = |list: &mut dyn Iterator<Item = &'_ ast::Stmt>| {
        let within = list.filter(|one| {
            !matches!(one.kind, ast::StmtKind::Empty)
                && start <= one.span.start as usize
                && one.span.end as usize <= end
        });
        let spans: Vec<Span> = within.map(|one| one.span).collect();
        let fits = spans.first().is_some_and(|first| first.start as usize == start)
            && spans.last().is_some_and(|last| last.end as usize == end);
        fits.then_some(spans)
    };
    let mut spans = in_list(&mut tree.body.iter());
    tree::routine(tree, &mut |node| {
        if let tree::Node::Stmt(one) = node
            && spans.is_none()
        {
            spans = match &one.kind {
                ast::StmtKind::Block(body) | ast::StmtKind::Repeat { body, .. } => {
                    in_list(&mut body.iter())
                }
                _ => in_list(&mut std::iter::once(one)),
            };
        }
    });
    let spans = spans?;
    let mut stmts = Vec::new();
    tree::routine(tree, &mut |node| {
        if let tree::Node::Stmt(one) = node
            && spans.contains(&one.span)
            && stmts.iter().all(|other: &&ast::Stmt| other.span != one.span)
        {
            stmts.push(one);
        }
    });
    Some(stmts)
}

/// Tests whether a statement leaves the list: `exit`, or `break` of a loop around it.
fn leaves(stmts: &[&ast::Stmt]) -> bool {
    let mut found = false;
    for one in stmts {
        let mut loops: Vec<Span> = Vec::new();
        tree::stmt(one, &mut |node| {
            let tree::Node::Stmt(stmt) = node else { return };
            match &stmt.kind {
                _ if tree::is_loop(stmt) => loops.push(stmt.span),
                ast::StmtKind::Call(call) => {
                    let is = |name: &str| call.name.name.eq_ignore_ascii_case(name);
                    let inside = loops
                        .iter()
                        .any(|span| span.start <= call.span.start && call.span.end <= span.end);
                    found |= is("exit") || (is("break") || is("continue")) && !inside;
                }
                _ => {}
            }
        });
    }
    found
}

fn unique(request: &Request<'_>) -> String {
    let taken = |name: &str| {
        request
            .analysis
            .compilation
            .hir
            .routines
            .iter()
            .any(|one| one.name.eq_ignore_ascii_case(name))
    };
    let numbered = (2..).map(|n| format!("{NAME}{n}"));
    let mut names = std::iter::once(NAME.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_else(|| NAME.to_owned())
}

/// Returns the beginning of a routine, with the comment that documents it.
pub(super) fn comment_before(request: &Request<'_>, tree: &ast::Routine) -> usize {
    let text = request.text();
    let mut start = tree.header.start as usize;
    for comment in request.analysis.parsed.comments.iter().rev() {
        let range = comment.range();
        let directly = range.end <= start && {
            let between = &text[range.end..start];
            between.trim().is_empty() && between.matches('\n').count() <= 1
        };
        if directly {
            start = range.start;
        }
    }
    start
}
