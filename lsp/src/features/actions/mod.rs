//! Code actions: the fixes of diagnostics, and changes of a correct text.
//!
//! * [`fixes`]: fixes that the compiler knows, declarations, imports, missing ends.
//! * [`imports`]: imports in order, without those that nothing needs.
//! * [`foreach`]: a loop over the ones of a slice becomes `foreach`.
//! * [`extract`]: statements become a procedure; [`inline`]: a variable becomes its value.
//! * [`add_test`]: a test of the routine that is called.

mod add_test;
mod extract;
mod fixes;
mod foreach;
mod imports;
mod inline;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::analysis::Analysis;
use crate::protocol::types::{
    CodeAction, CodeActionKind, CodeActionParams, Diagnostic, TextEdit, WorkspaceEdit,
};
use crate::state::{Context, Refusal};

/// The kinds of actions.
pub(crate) fn kinds() -> Vec<CodeActionKind> {
    vec![
        CodeActionKind::QuickFix,
        CodeActionKind::RefactorExtract,
        CodeActionKind::RefactorInline,
        CodeActionKind::RefactorRewrite,
        CodeActionKind::SourceOrganizeImports,
        CodeActionKind::SourceFixAll,
    ]
}

/// A request for actions.
struct Request<'a> {
    context: &'a Context<'a>,
    analysis: Arc<Analysis>,
    /// The selection.
    selected: Range<usize>,
}

/// An action before it is put into the terms of the protocol.
struct Action {
    title: String,
    kind: CodeActionKind,
    edits: Vec<TextEdit>,
    /// The diagnostic that it fixes.
    fixes: Option<Diagnostic>,
    /// Is it the best one?
    preferred: bool,
}

impl Action {
    fn new(title: impl Into<String>, kind: CodeActionKind, edits: Vec<TextEdit>) -> Self {
        Action { title: title.into(), kind, edits, fixes: None, preferred: false }
    }
}

impl Request<'_> {
    fn edit(&self, range: Range<usize>, text: impl Into<String>) -> TextEdit {
        TextEdit { range: self.analysis.range_of(range), new_text: text.into() }
    }

    fn text(&self) -> &str {
        self.analysis.text()
    }

    /// Returns the beginning of the line that contains a byte.
    fn line_start(&self, offset: usize) -> usize {
        self.text()[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Returns the blanks at the beginning of the line that contains a byte.
    fn indentation(&self, offset: usize) -> &str {
        let line = &self.text()[self.line_start(offset)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }
}

/// Answers a request for the actions at a selection.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn actions(
    context: &Context<'_>,
    params: CodeActionParams,
) -> Result<Vec<CodeAction>, Refusal> {
    let uri = params.text_document.uri;
    let analysis = context.analysis(&uri)?;
    if analysis.is_library {
        return Ok(Vec::new());
    }
    let selected = analysis.offset(params.range.start)..analysis.offset(params.range.end);
    let request = Request { context, analysis, selected };
    let mut found = fixes::fixes(&request);
    found.extend(fixes::fix_all(&request));
    found.extend(imports::organise(&request));
    found.extend(foreach::convert(&request));
    found.extend(inline::inline(&request));
    found.extend(extract::extract(&request));
    found.extend(add_test::add(&request));
    let only = params.context.only;
    let wanted = |kind: &CodeActionKind| {
        only.as_ref().is_none_or(|only| {
            only.iter().any(|one| {
                let (one, kind) = (one.to_string(), kind.to_string());
                kind == one || kind.starts_with(&format!("{one}.")) || one.is_empty()
            })
        })
    };
    let found = found.into_iter().filter(|action| wanted(&action.kind));
    let convert = |action: Action| {
        let Action { title, kind, edits, fixes, preferred } = action;
        let changes = HashMap::from([(uri.clone(), edits)]);
        CodeAction {
            title,
            kind: Some(kind),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..Default::default() }),
            diagnostics: fixes.map(|fix| vec![fix]),
            is_preferred: preferred.then_some(true),
            ..Default::default()
        }
    };
    Ok(found.map(convert).collect())
}
