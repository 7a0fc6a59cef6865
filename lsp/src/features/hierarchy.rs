//! Call hierarchy: the callers of a routine in the workspace, and the routines that it calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::analysis::Analysis;
use crate::features::{lookup, workspace};
use crate::protocol::to_json;
use crate::protocol::types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    Position, Range, SymbolKind, Uri,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{Access, Meaning, RoutineId, ast};

/// Answers a request for the routine at a position.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn prepare(
    context: &Context<'_>,
    params: CallHierarchyPrepareParams,
) -> Result<Vec<CallHierarchyItem>, Refusal> {
    let at = params.text_document_position_params;
    let found = lookup::name_at(context, &at.text_document.uri, at.position)?;
    let item = found.and_then(|found| match found.meaning {
        Meaning::Routine(id) => item(context, &found.analysis, id),
        Meaning::Local(..) | Meaning::Constant(_) | Meaning::Builtin(_) => None,
    });
    Ok(item.into_iter().collect())
}

/// Creates an item. It remembers a use of the name, from which the routine can be found again.
fn item(context: &Context<'_>, analysis: &Analysis, id: RoutineId) -> Option<CallHierarchyItem> {
    let routine = analysis.routine(id)?;
    let mut uses = analysis.index.uses_of(Meaning::Routine(id));
    let seen = uses.find(|one| one.span.file == analysis.root());
    let seen = seen.map(|one| analysis.range(one.span).start);
    let location = analysis.location(context.snapshot, routine.name_span)?;
    let data = json!({ "uri": analysis.uri.0, "position": to_json(seen) });
    let whole = analysis.routines().find(|tree| tree.name.span == routine.name_span);
    let whole = whole.map_or(routine.header, |tree| tree.span);
    Some(CallHierarchyItem {
        name: routine.name.clone(),
        kind: SymbolKind::Function,
        tags: None,
        detail: Some(analysis.source(routine.header.file).name().to_owned()),
        uri: location.uri,
        range: analysis.range(whole.to(routine.name_span)),
        selection_range: location.range,
        data: serde_json::from_value(data).ok(),
    })
}

/// Finds the routine of an item again.
fn found(
    context: &Context<'_>,
    item: &CallHierarchyItem,
) -> Result<Option<(Arc<Analysis>, RoutineId)>, Refusal> {
    let data = item.data.as_ref().map(to_json).unwrap_or_default();
    let uri = Uri(data["uri"].as_str().unwrap_or_default().to_owned());
    let position: Option<Position> = serde_json::from_value(data["position"].clone()).ok();
    let (uri, position) = match position {
        Some(position) => (uri, position),
        None => (item.uri.clone(), item.selection_range.start),
    };
    let found = lookup::name_at(context, &uri, position)?;
    Ok(found.and_then(|found| match found.meaning {
        Meaning::Routine(id) => Some((found.analysis, id)),
        Meaning::Local(..) | Meaning::Constant(_) | Meaning::Builtin(_) => None,
    }))
}

/// Answers a request for the callers of a routine.
///
/// # Errors
/// If a document cannot be read, or the request is cancelled.
pub(crate) fn incoming(
    context: &Context<'_>,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Vec<CallHierarchyIncomingCall>, Refusal> {
    let Some((analysis, id)) = found(context, &params.item)? else { return Ok(Vec::new()) };
    let mut calls = Vec::new();
    for file in workspace::uses(context, &analysis, Meaning::Routine(id))? {
        let first = file.uses.first();
        let Some(uri) = first.map(|one| workspace::uri_of(context, &file.analysis, one)) else {
            continue;
        };
        let own = context.analysis(&uri)?;
        let mut by_caller: BTreeMap<u32, (&ast::Routine, Vec<Range>)> = BTreeMap::new();
        for one in file.uses.iter().filter(|one| one.access == Access::Reads) {
            let Some(caller) = own.routine_at(one.span.start as usize) else { continue };
            let entry = by_caller.entry(caller.span.start).or_insert((caller, Vec::new()));
            entry.1.push(own.range_of(one.span.range()));
        }
        for (caller, from_ranges) in by_caller.into_values() {
            let named = own.routine_named_at(caller.name.span);
            if let Some(from) = named.and_then(|(id, _)| item(context, &own, id)) {
                calls.push(CallHierarchyIncomingCall { from, from_ranges });
            }
        }
    }
    Ok(calls)
}

/// Answers a request for the routines that a routine calls.
///
/// # Errors
/// If a document cannot be read.
pub(crate) fn outgoing(
    context: &Context<'_>,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Vec<CallHierarchyOutgoingCall>, Refusal> {
    let Some((analysis, id)) = found(context, &params.item)? else { return Ok(Vec::new()) };
    let Some(span) = analysis.declaration(Meaning::Routine(id)) else { return Ok(Vec::new()) };
    if analysis.is_shipped(span.file) {
        return Ok(Vec::new());
    }
    // The routine may be declared in an imported file.
    let uri = analysis.uri_of(context.snapshot, span.file);
    let Some(uri) = uri else { return Ok(Vec::new()) };
    let own = context.analysis(&uri)?;
    let Some(tree) = own.routine_at(span.start as usize) else { return Ok(Vec::new()) };
    let mut by_callee: BTreeMap<RoutineId, Vec<Range>> = BTreeMap::new();
    for one in own.index.uses_in(tree.span) {
        if let (Meaning::Routine(callee), Access::Reads) = (one.meaning, one.access) {
            by_callee.entry(callee).or_default().push(own.range(one.span));
        }
    }
    let calls = by_callee.into_iter().filter_map(|(callee, from_ranges)| {
        let to = item(context, &own, callee)?;
        Some(CallHierarchyOutgoingCall { to, from_ranges })
    });
    Ok(calls.collect())
}
