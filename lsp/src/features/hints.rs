//! Inlay hints: the sizes that the compiler found, names of parameters, and what the passes made of
//! each loop.

use std::sync::Arc;

use crate::analysis::Analysis;
use crate::document::mapped;
use crate::features::{navigation, tree};
use crate::protocol::markdown;
use crate::protocol::types::{
    InlayHint, InlayHintKind, InlayHintLabelPart, InlayHintParams, Label, Location, Position,
    Tooltip,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{Meaning, ast, hir};

/// The longest text of a hint, in characters; the rest is in its tooltip.
const MAX_SHOWN: usize = 60;

/// Answers a request for the hints in a range. Where the text has errors, loops and sizes are those
/// of the last text without errors.
///
/// # Errors
/// If the document cannot be read, changed, or the request is cancelled.
pub(crate) fn hints(
    context: &Context<'_>,
    params: InlayHintParams,
) -> Result<Vec<InlayHint>, Refusal> {
    let uri = &params.text_document.uri;
    let analysis = context.analysis(uri)?;
    let correct = match analysis.compilation.has_errors() {
        true => context.state.last_correct(uri),
        false => Some(Arc::clone(&analysis)),
    };
    let mut hints = arguments(&analysis);
    if let Some(correct) = correct {
        context.is_latest(uri)?;
        planned(context, &analysis, &correct, &mut hints);
        context.go_on()?;
    }
    hints.retain(|hint| navigation::contains(params.range, hint.position));
    hints.sort_by_key(|hint| hint.position);
    Ok(hints)
}

/// Returns the names of parameters before arguments that are no plain names.
fn arguments(analysis: &Analysis) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    let root = analysis.root();
    tree::walk(&analysis.parsed.file, &mut |node| {
        let tree::Node::Ref(call) = node else { return };
        let Some(found) = analysis.index.at(root, call.name.span.start) else { return };
        let Meaning::Routine(id) = found.meaning else { return };
        let Some(routine) = analysis.routine(id) else { return };
        let args = call.args.iter().flatten();
        for (arg, &param) in args.zip(&routine.params) {
            if is_plain(arg) {
                continue;
            }
            let label = Label::String(format!("{}:", routine.local(param).name));
            let mut hint = hint(analysis.position(arg.span.start as usize), label);
            hint.kind = Some(InlayHintKind::Parameter);
            hint.padding_right = Some(true);
            hints.push(hint);
        }
    });
    hints
}

fn hint(position: Position, label: Label) -> InlayHint {
    InlayHint {
        position,
        label,
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

fn is_plain(arg: &ast::Expr) -> bool {
    matches!(arg.kind, ast::ExprKind::Name(..) | ast::ExprKind::Error)
}

/// Adds the sizes of variables and the results for loops.
fn planned(
    context: &Context<'_>,
    analysis: &Analysis,
    correct: &Analysis,
    hints: &mut Vec<InlayHint>,
) {
    let Some(plan) = correct.plan() else { return };
    let place = |offset: usize| mapped(correct.text(), analysis.text(), offset);
    for ((routine, name), sizes) in &plan.sizes {
        let Some(routine) = correct.routine(*routine) else { continue };
        let local = routine.locals.iter().find(|local| local.name == *name);
        let unsized_local =
            local.filter(|local| local.role == hir::Role::Local && local.ty.is_unsized());
        let Some(local) = unsized_local else { continue };
        let Some(at) = place(local.span.end as usize) else { continue };
        let label = Label::String(format!("({})", sizes.join(",")));
        let mut hint = hint(analysis.position(at), label);
        hint.kind = Some(InlayHintKind::Type);
        hint.tooltip = Some(Tooltip::String("the size that the compiler found".to_owned()));
        hints.push(hint);
    }
    for one in &plan.loops {
        let end = head_end(correct, one.span.range());
        let Some(at) = place(end) else { continue };
        let sign = if one.transformed { "⚡" } else { "·" };
        let shown: String = match one.became.chars().nth(MAX_SHOWN) {
            None => one.became.clone(),
            Some(_) => one.became.chars().take(MAX_SHOWN - 1).chain(['…']).collect(),
        };
        let because = one.because.and_then(|span| {
            if span.file != correct.root() {
                // In a routine of an import.
                return correct.location(context.snapshot, span);
            }
            let (start, end) = (place(span.start as usize)?, place(span.end as usize)?);
            let range = analysis.range_of(start..end);
            Some(Location { uri: context.snapshot.document(&analysis.uri)?.uri.clone(), range })
        });
        let mut about = format!("`star check --plan`: this loop is {}", one.became);
        if because.is_some() {
            about += "\n\nThe hint leads to the place.";
        }
        let part = InlayHintLabelPart {
            value: format!("{sign} {shown}"),
            tooltip: Some(Tooltip::MarkupContent(markdown(about))),
            location: because,
            ..Default::default()
        };
        let label = Label::InlayHintLabelPartList(vec![part]);
        let mut hint = hint(analysis.position(at), label);
        hint.padding_left = Some(true);
        hints.push(hint);
    }
}

/// Returns the end of the line on which a loop begins, before a comment.
fn head_end(analysis: &Analysis, range: std::ops::Range<usize>) -> usize {
    let text = analysis.text();
    let end = text[range.start..].find('\n').map_or(text.len(), |len| range.start + len);
    range.start + text[range.start..end].trim_end().len()
}
