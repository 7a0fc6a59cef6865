//! Signature help: the header of the routine whose parentheses are open at the cursor.

use crate::features::docs;
use crate::protocol::markdown;
use crate::protocol::types::{
    ActiveParameter, Documentation, ParameterInformation, ParameterInformationLabel, SignatureHelp,
    SignatureHelpParams, SignatureInformation,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{Builtin, RoutineDoc, cursor};

/// Answers a request for the signature of an open call.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn help(
    context: &Context<'_>,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>, Refusal> {
    let at = params.text_document_position_params;
    let analysis = context.analysis(&at.text_document.uri)?;
    let offset = analysis.offset(at.position);
    let before = cursor::context(&analysis.text()[..offset]);
    if before.closed_off || before.string.is_some() {
        return Ok(None);
    }
    let Some(open) = before.open.iter().rev().find(|open| !open.name.is_empty()) else {
        return Ok(None);
    };
    let known = |name: &str| signatures(context, &analysis, name);
    let mut found = known(&open.name);
    if found.is_empty() {
        // A minus, not a hyphen.
        found = open.name.rsplit_once('-').map(|(_, last)| known(last)).unwrap_or_default();
    }
    if found.is_empty() {
        return Ok(None);
    }
    let takes = |one: &SignatureInformation| one.parameters.as_ref().map_or(0, Vec::len);
    // The first one that accepts an argument here.
    let active = found.iter().position(|one| takes(one) > open.argument).unwrap_or(0);
    Ok(Some(SignatureHelp {
        signatures: found,
        active_signature: Some(active as u32),
        active_parameter: Some(ActiveParameter::Int(open.argument as u32)),
    }))
}

/// Returns the signatures of the routines and the built-in with this name: exact ones first.
fn signatures(
    context: &Context<'_>,
    analysis: &crate::analysis::Analysis,
    name: &str,
) -> Vec<SignatureInformation> {
    let alike = analysis.callable().filter(|(_, routine)| routine.name.eq_ignore_ascii_case(name));
    let mut routines: Vec<_> = alike.collect();
    routines.sort_by_key(|(_, routine)| routine.name != name);
    let mut found = Vec::new();
    for (id, routine) in routines {
        let doc = docs::of_routine(context.state, analysis, id);
        let (label, about) = match doc {
            Some(doc) => (one_line(&doc.signature), summary(&doc)),
            None => (routine.name.clone(), None),
        };
        let names = routine.params.iter().map(|&param| routine.local(param).name.clone());
        found.push(information(analysis, label, names.collect(), about));
    }
    if let Some(builtin) = Builtin::find(name) {
        let usage = builtin.usage();
        let inside = usage.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        let names = inside.into_iter().flat_map(|inside| inside.split(',')).map(str::to_owned);
        let about = Some(builtin.summary().to_owned());
        found.push(information(analysis, usage.to_owned(), names.collect(), about));
    }
    found
}

fn summary(doc: &RoutineDoc) -> Option<String> {
    doc.doc.as_ref().map(|doc| doc.summary())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn information(
    analysis: &crate::analysis::Analysis,
    label: String,
    names: Vec<String>,
    about: Option<String>,
) -> SignatureInformation {
    // Names occur in the order of the parameters.
    let mut from = label.find('(').map_or(0, |at| at + 1);
    let mut parameters = Vec::new();
    for name in names {
        let Some(start) = whole_word(&label, &name, from) else { continue };
        let end = start + name.len();
        from = end;
        let range = (analysis.width(&label[..start]), analysis.width(&label[..end]));
        parameters.push(ParameterInformation {
            label: ParameterInformationLabel::Tuple(range),
            documentation: None,
        });
    }
    SignatureInformation {
        label,
        documentation: about.map(|about| Documentation::MarkupContent(markdown(about))),
        parameters: Some(parameters),
        ..Default::default()
    }
}

/// Returns the first occurrence of a name that is no part of another name.
fn whole_word(text: &str, name: &str, from: usize) -> Option<usize> {
    let is_word = |c: char| cursor::is_word(c);
    let rest = text.get(from..)?;
    let found = rest.match_indices(name).find(|(at, _)| {
        let before = rest[..*at].chars().next_back();
        let after = rest[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    });
    found.map(|(at, _)| from + at)
}
