//! Renaming of a variable, routine or constant in all files of the workspace.
//!
//! The result is checked before it is returned: in the new texts, the same places must name the
//! same declaration, and there must be no new error.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::analysis::Analysis;
use crate::document::Snapshot;
use crate::features::{lookup, workspace};
use crate::protocol::types::{
    PrepareRenameParams, PrepareRenamePlaceholder, RenameParams, TextEdit, Uri, WorkspaceEdit,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{Diagnostic, Meaning, Token, Use, is_reserved, lexemes};

/// Answers a request for the name that would be renamed.
///
/// # Errors
/// If the name cannot be renamed.
pub(crate) fn prepare(
    context: &Context<'_>,
    params: PrepareRenameParams,
) -> Result<Option<PrepareRenamePlaceholder>, Refusal> {
    let at = params.text_document_position_params;
    let found = lookup::name_at(context, &at.text_document.uri, at.position)?;
    let Some(found) = found.filter(|found| !found.is_old) else { return Ok(None) };
    own(&found.analysis, found.meaning)?;
    let placeholder = found.analysis.name(found.meaning).to_owned();
    Ok(Some(PrepareRenamePlaceholder { range: found.range, placeholder }))
}

/// Tests whether a name was declared by the user.
fn own(analysis: &Analysis, meaning: Meaning) -> Result<(), Refusal> {
    let name = analysis.name(meaning);
    let refused = |why: &str| Err(Refusal::Failed(format!("cannot rename `{name}`: {why}")));
    match (meaning, analysis.declaration(meaning)) {
        (Meaning::Builtin(_), _) | (_, None) => refused("it is a word of the language"),
        (_, Some(span)) if analysis.is_shipped(span.file) || analysis.is_library => {
            refused("it belongs to the library")
        }
        (_, Some(_)) => Ok(()),
    }
}

/// Answers a request to rename a name.
///
/// # Errors
/// If the new name is invalid, or would change the meaning of a program.
pub(crate) fn rename(
    context: &Context<'_>,
    params: RenameParams,
) -> Result<Option<WorkspaceEdit>, Refusal> {
    let at = params.text_document_position_params;
    let found = lookup::name_at(context, &at.text_document.uri, at.position)?;
    let Some(found) = found.filter(|found| !found.is_old) else { return Ok(None) };
    own(&found.analysis, found.meaning)?;
    let new_name = params.new_name.trim();
    validate(&found.analysis, found.meaning, new_name)?;
    let files = workspace::uses(context, &found.analysis, found.meaning)?;
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for file in &files {
        for one in &file.uses {
            let uri = workspace::uri_of(context, &file.analysis, one);
            let range = file.analysis.range(one.span);
            changes.entry(uri).or_default().push(TextEdit { range, new_text: new_name.to_owned() });
        }
    }
    check(context, &found.analysis, found.meaning, new_name, &files)?;
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..Default::default() }))
}

fn validate(analysis: &Analysis, meaning: Meaning, name: &str) -> Result<(), Refusal> {
    let is_name = |part: &str| {
        let mut tokens = lexemes(part.trim());
        let first = tokens.next();
        let whole = first
            .is_some_and(|(token, range)| token == Token::Name && range.len() == part.trim().len());
        whole && tokens.next().is_none() && !is_reserved(part.trim())
    };
    let hyphens = match meaning {
        Meaning::Routine(id) => {
            analysis.routine(id).is_some_and(|routine| routine.result.is_none())
        }
        Meaning::Local(..) | Meaning::Constant(_) | Meaning::Builtin(_) => false,
    };
    let valid = match hyphens {
        true => name.split('-').all(is_name),
        false => is_name(name),
    };
    match valid {
        true => Ok(()),
        false => Err(Refusal::Failed(format!("`{name}` is not a valid name"))),
    }
}

/// Checks that the new texts mean the same.
fn check(
    context: &Context<'_>,
    analysis: &Arc<Analysis>,
    meaning: Meaning,
    name: &str,
    files: &[workspace::FileUses],
) -> Result<(), Refusal> {
    let mut renamed: Snapshot = context.snapshot.clone();
    let mut edited: BTreeMap<String, (Uri, Arc<Analysis>)> = BTreeMap::new();
    for file in files {
        let Some(first) = file.uses.first() else { continue };
        let uri = workspace::uri_of(context, &file.analysis, first);
        let text = replaced(file.analysis.source(first.span.file).text(), &file.uses, name);
        let version = renamed.document(&uri).map_or(0, |document| document.version);
        renamed.open(uri.clone(), version, text);
        let own = match first.span.file == file.analysis.root() {
            true => Arc::clone(&file.analysis),
            false => context.analysis(&uri)?,
        };
        edited.insert(uri.0.clone(), (uri, own));
    }
    let would = |why: String| {
        let old = analysis.name(meaning);
        Err(Refusal::Failed(format!("cannot rename `{old}` to `{name}`: {why}")))
    };
    for (uri, before) in edited.values() {
        context.go_on()?;
        let encoding = context.state.abilities.encoding;
        let Some(after) = Analysis::new(&renamed, uri, encoding) else { continue };
        let errors = |analysis: &Analysis| {
            analysis.compilation.diagnostics.iter().filter(|one| one.is_error()).count()
        };
        if errors(&after) > errors(before) {
            let known: Vec<&str> =
                before.compilation.diagnostics.iter().map(|one| one.message.as_str()).collect();
            let new = after.compilation.diagnostics.iter();
            let mut new = new.filter(|one: &&Diagnostic| one.is_error());
            let first = new.find(|one| !known.contains(&one.message.as_str()));
            return would(first.map_or_else(String::new, |one| one.message.clone()));
        }
        // Every name must still mean what it meant: compare the shape of meanings in order.
        if shape(before) != shape(&after) {
            return would("the name has another meaning there".to_owned());
        }
    }
    Ok(())
}

fn replaced(text: &str, uses: &[Use], name: &str) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for one in uses {
        new += &text[at..one.span.start as usize];
        new += name;
        at = one.span.end as usize;
    }
    new + &text[at..]
}

/// Returns for each use in a document the number of the first use with the same meaning.
fn shape(analysis: &Analysis) -> Vec<usize> {
    let mut first: BTreeMap<Meaning, usize> = BTreeMap::new();
    let uses = analysis.index.uses.iter().filter(|one| one.span.file == analysis.root());
    uses.enumerate().map(|(idx, one)| *first.entry(one.meaning).or_insert(idx)).collect()
}
