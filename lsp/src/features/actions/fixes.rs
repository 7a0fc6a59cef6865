//! Fixes of diagnostics.

use std::collections::BTreeMap;

use super::{Action, Request};
use crate::features::{completion, diagnostics, docs, tree};
use crate::protocol::types::{CodeActionKind, TextEdit};
use crate::toolchain::{
    Builtin, Code, Diagnostic, Form, Meaning, ResultKind, Span, Special, ast, certain_fixes, hir,
};

/// Returns the fixes of the diagnostics at the selection.
pub(super) fn fixes(request: &Request<'_>) -> Vec<Action> {
    let analysis = &request.analysis;
    let mut actions = Vec::new();
    for diagnostic in analysis.diagnostics() {
        let Some(span) = diagnostic.span().filter(|span| span.file == analysis.root()) else {
            continue;
        };
        let touches = |span: Span| {
            span.start as usize <= request.selected.end
                && request.selected.start <= span.end as usize
        };
        let nearby = diagnostic.labels.iter().any(|label| touches(label.span));
        if !nearby {
            continue;
        }
        let shown = diagnostics::diagnostic(request.context.snapshot, analysis, diagnostic);
        let mut own = of_compiler(request, diagnostic);
        match diagnostic.code {
            Code::UnknownName => {
                own.extend(declare(request, span));
                own.extend(import(request, span));
            }
            Code::UnknownRoutine => own.extend(import(request, span)),
            Code::UnexpectedToken if diagnostic.message.starts_with("missing `end`") => {
                own.extend(missing_end(request, span));
            }
            _ => {}
        }
        for action in &mut own {
            action.fixes = shown.clone();
        }
        actions.extend(own);
    }
    actions
}

/// Returns the fixes that the message contains. Edits with the same title belong together.
fn of_compiler(request: &Request<'_>, diagnostic: &Diagnostic) -> Vec<Action> {
    let mut by_title: BTreeMap<&str, (Vec<TextEdit>, bool)> = BTreeMap::new();
    for fix in &diagnostic.fixes {
        let edit = request.edit(fix.span.range(), fix.replacement.clone());
        let entry = by_title.entry(&fix.title).or_insert((Vec::new(), fix.certain));
        entry.0.push(edit);
    }
    let action = |(title, (edits, certain)): (&str, (Vec<TextEdit>, bool))| {
        // "did you mean `X`?" is a question, and an action is an order.
        let title =
            match title.strip_prefix("did you mean ").and_then(|rest| rest.strip_suffix('?')) {
                Some(meant) => format!("Change to {meant}"),
                None => capitalised(title),
            };
        Action { preferred: certain, ..Action::new(title, CodeActionKind::QuickFix, edits) }
    };
    by_title.into_iter().map(action).collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Returns the action that applies all certain fixes of the document, but removes nothing unused:
/// an editor may apply it whenever the text is saved, and what is declared now may be used next.
pub(super) fn fix_all(request: &Request<'_>) -> Option<Action> {
    let analysis = &request.analysis;
    let wrong = analysis.diagnostics().filter(|one| !one.code.is_about_unused());
    let fixes = certain_fixes(wrong, analysis.root()).into_iter();
    let edits: Vec<TextEdit> =
        fixes.map(|fix| request.edit(fix.span.range(), fix.replacement.clone())).collect();
    let title = "Apply all certain fixes";
    (!edits.is_empty()).then(|| Action::new(title, CodeActionKind::SourceFixAll, edits))
}

/// Returns the action that declares an unknown variable with the type of its first value.
fn declare(request: &Request<'_>, name: Span) -> Option<Action> {
    let analysis = &request.analysis;
    let spelled = analysis.text().get(name.range())?;
    let routine = analysis.routine_at(name.start as usize)?;
    let kind = kind_of_name(request, name, spelled)?;
    let declaration = format!("{spelled}: {}", kind.name());
    let edit = match routine.vars.last() {
        Some(last) => {
            let after = last.ty.span.end as usize;
            let semicolon = analysis.text()[after..].find(';').map_or(after, |at| after + at + 1);
            request.edit(semicolon..semicolon, format!(" {declaration};"))
        }
        None => {
            let after = routine.header.end as usize;
            let rest = &analysis.text()[after..];
            let semicolon = rest.find(';').filter(|at| rest[..*at].trim().is_empty());
            let at = semicolon.map_or(after, |at| after + at + 1);
            request.edit(at..at, format!("\nvar {declaration};"))
        }
    };
    let title = format!("Declare `{declaration}`");
    let action = Action::new(title, CodeActionKind::QuickFix, vec![edit]);
    Some(Action { preferred: true, ..action })
}

/// Returns the type that an undeclared name should have, from the places where it occurs.
fn kind_of_name(request: &Request<'_>, name: Span, spelled: &str) -> Option<hir::TyKind> {
    let analysis = &request.analysis;
    let mut kind = None;
    tree::walk(&analysis.parsed.file, &mut |node| {
        if kind.is_some() {
            return;
        }
        match node {
            tree::Node::Stmt(stmt) => match &stmt.kind {
                ast::StmtKind::Assign { target, value, .. } if target.name.span == name => {
                    kind = match target.args.as_deref() {
                        None => kind_of(request, value),
                        Some([_]) => Some(hir::TyKind::Slice),
                        Some(_) => Some(hir::TyKind::Table),
                    };
                }
                ast::StmtKind::For { var, .. } if var.span == name => kind = Some(hir::TyKind::Int),
                ast::StmtKind::Foreach { var, .. } if var.span == name => {
                    kind = Some(hir::TyKind::Int);
                }
                ast::StmtKind::Forall(inner) if inner.var.span == name => {
                    kind = Some(hir::TyKind::Int);
                }
                _ => {}
            },
            tree::Node::Ref(call) => {
                let args = call.args.iter().flatten().enumerate();
                let is_it =
                    |arg: &ast::Expr| arg.plain_name().is_some_and(|found| found.span == name);
                let Some((idx, _)) = args.into_iter().find(|(_, arg)| is_it(arg)) else { return };
                kind = kind_of_param(request, call, idx);
            }
            _ => {}
        }
    });
    // A name that is only read: an integer is the most frequent type.
    kind.or((!spelled.is_empty()).then_some(hir::TyKind::Int))
}

/// Returns the type of a parameter of a routine or built-in.
fn kind_of_param(request: &Request<'_>, call: &ast::Ref, idx: usize) -> Option<hir::TyKind> {
    let analysis = &request.analysis;
    let n_args = call.args.as_ref().map_or(0, |args| args.len());
    let mut routines = analysis.callable().map(|(_, routine)| routine);
    let routine = routines.find(|routine| {
        routine.name.eq_ignore_ascii_case(&call.name.name) && routine.params.len() == n_args
    });
    if let Some(routine) = routine {
        return Some(routine.local(*routine.params.get(idx)?).ty.kind());
    }
    match Builtin::find(&call.name.name)? {
        Builtin::Col | Builtin::Row if idx == 1 => Some(hir::TyKind::Table),
        Builtin::Size | Builtin::Rows | Builtin::Read => Some(hir::TyKind::Table),
        Builtin::Rep if idx >= 2 => Some(hir::TyKind::Word),
        Builtin::Trim if idx == 2 => Some(hir::TyKind::Word),
        Builtin::Eq
        | Builtin::NotEq
        | Builtin::Less
        | Builtin::LessEq
        | Builtin::Great
        | Builtin::GreatEq
        | Builtin::Add
        | Builtin::Subt
        | Builtin::Int => Some(hir::TyKind::Word),
        Builtin::Set
        | Builtin::Clr
        | Builtin::Fnd
        | Builtin::Step
        | Builtin::Numb
        | Builtin::Convert
        | Builtin::Frst
        | Builtin::Some
        | Builtin::One
        | Builtin::Zero
        | Builtin::Length => Some(hir::TyKind::Slice),
        _ => None,
    }
}

/// Returns the type of an expression, as far as its form shows it.
fn kind_of(request: &Request<'_>, value: &ast::Expr) -> Option<hir::TyKind> {
    use ast::{BinaryOp, ExprKind};
    let analysis = &request.analysis;
    let of_meaning = |span: Span| {
        let found = analysis.index.at(analysis.root(), span.start)?;
        match found.meaning {
            Meaning::Local(routine, local) => {
                Some(analysis.routine(routine)?.locals.get(local.0 as usize)?.ty.kind())
            }
            Meaning::Routine(id) => {
                let routine = analysis.routine(id)?;
                Some(routine.local(routine.result?).ty.kind())
            }
            Meaning::Constant(_) | Meaning::Builtin(_) => None,
        }
    };
    match &value.kind {
        ExprKind::Int(_) | ExprKind::Neg(_) => Some(hir::TyKind::Int),
        ExprKind::Bool(_) | ExprKind::Compare(..) => Some(hir::TyKind::Bool),
        ExprKind::Str(_) => Some(hir::TyKind::Str),
        ExprKind::Bits(_) => Some(hir::TyKind::Word),
        ExprKind::Theta => Some(hir::TyKind::Slice),
        // The kind of a field depends on its type.
        ExprKind::Path(_) | ExprKind::Filtered(_) => None,
        ExprKind::Not(operand) => kind_of(request, operand),
        ExprKind::Chain(chain) => match chain.links.first().map(|link| link.op) {
            Some(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) => {
                let operands = chain.links.iter().map(|link| &link.operand);
                std::iter::once(&chain.first).chain(operands).find_map(|one| kind_of(request, one))
            }
            _ => Some(hir::TyKind::Int),
        },
        ExprKind::Name(..) => of_meaning(value.plain_name()?.span),
        ExprKind::Ref(call) => match Builtin::find(&call.name.name) {
            Some(Builtin::Col) => Some(hir::TyKind::Slice),
            Some(Builtin::Row) => Some(hir::TyKind::Word),
            Some(Builtin::Convert) => {
                let inner = call.args.as_ref().and_then(|args| kind_of(request, args.first()?));
                match inner {
                    Some(hir::TyKind::Slice) => Some(hir::TyKind::Word),
                    _ => Some(hir::TyKind::Slice),
                }
            }
            Some(builtin) => match builtin.form() {
                Form::Value(_, ResultKind::Word) => Some(hir::TyKind::Word),
                Form::Value(_, ResultKind::Bool) => Some(hir::TyKind::Bool),
                Form::Value(_, ResultKind::Same) | Form::Special(Special::Shift, _) => {
                    call.args.as_ref().and_then(|args| kind_of(request, args.first()?))
                }
                _ => Some(hir::TyKind::Int),
            },
            None => match of_meaning(call.name.span) {
                // A component is 0 or 1.
                Some(hir::TyKind::Slice | hir::TyKind::Word | hir::TyKind::Table) => {
                    Some(hir::TyKind::Int)
                }
                other => other,
            },
        },
        ExprKind::Error => None,
    }
}

/// Returns the actions that import a module with a routine of this name.
fn import(request: &Request<'_>, name: Span) -> Vec<Action> {
    let analysis = &request.analysis;
    let spelled = analysis.text().get(name.range()).unwrap_or_default();
    let spelled: String = spelled.split_whitespace().collect();
    let found = docs::importable(request.context.state, &spelled);
    let mut modules: Vec<&str> = found.map(|(module, _)| module).collect();
    modules.dedup();
    let action = |module: &str| {
        let edit = completion::import_edit(analysis, module);
        Action::new(format!("Import \"{module}\""), CodeActionKind::QuickFix, vec![edit])
    };
    modules.into_iter().map(action).collect()
}

/// Returns the action that closes the last open block.
fn missing_end(request: &Request<'_>, at: Span) -> Option<Action> {
    let text = request.text();
    let after = at.end as usize;
    let indentation = request.indentation(after);
    let is_before = text.get(after..)?.trim_start().to_lowercase();
    // Inside a routine the block is a statement; at its end a semicolon follows.
    let close = match is_before.starts_with("until") {
        true => "\nend ".to_owned(),
        false => {
            let outer = indentation.len().saturating_sub(2);
            format!("\n{}end;", &indentation[..outer])
        }
    };
    let title = "Add the missing `end`";
    let edit = request.edit(after..after, close);
    let action = Action::new(title, CodeActionKind::QuickFix, vec![edit]);
    Some(Action { preferred: true, ..action })
}
