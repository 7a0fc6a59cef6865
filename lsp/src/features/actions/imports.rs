//! Organising imports: in alphabetical order, each once, without those that nothing needs.

use super::{Action, Request};
use crate::protocol::types::CodeActionKind;
use crate::toolchain::{FileId, Meaning, ast};

/// Returns the action that organises the imports of a document, if that changes it.
pub(super) fn organise(request: &Request<'_>) -> Option<Action> {
    let analysis = &request.analysis;
    let text = request.text();
    let mut items = Vec::new();
    for item in &analysis.parsed.file.items {
        if let ast::Item::Import { path, span } = item {
            // From the keyword to the semicolon.
            let start = text[..span.start as usize].to_lowercase().rfind("import")?;
            let end = span.end as usize + text[span.end as usize..].find(';')? + 1;
            items.push((path.clone(), *span, start..end));
        }
    }
    let own = analysis.index.files.iter().find(|file| file.file == analysis.root())?;
    let is_complete = !analysis.compilation.has_errors();
    let needed = |file: FileId| {
        let mut uses = analysis.index.uses.iter().filter(|one| one.span.file == analysis.root());
        uses.any(|one| match one.meaning {
            Meaning::Routine(_) | Meaning::Constant(_) => {
                analysis.declaration(one.meaning).is_some_and(|span| span.file == file)
            }
            Meaning::Local(..) | Meaning::Builtin(_) => false,
        })
    };
    // Without an analysis of every name nothing is known to be superfluous.
    let stays = |span| {
        let file = own.imports.iter().find(|(_, at)| *at == span).map(|(file, _)| *file);
        file.is_none_or(|file| !is_complete || needed(file))
    };
    let kept = items.iter().filter(|(_, span, _)| stays(*span)).map(|(path, _, _)| path.as_str());
    let mut wanted: Vec<&str> = kept.collect();
    wanted.sort_unstable();
    wanted.dedup();
    let current: Vec<&str> = items.iter().map(|(path, _, _)| path.as_str()).collect();
    if items.is_empty() || wanted == current {
        return None;
    }
    let mut edits = Vec::new();
    for (idx, (_, _, range)) in items.iter().enumerate() {
        match wanted.get(idx) {
            Some(path) => edits.push(request.edit(range.clone(), format!("import \"{path}\";"))),
            None => {
                // The line is empty then.
                let line_end =
                    text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
                let rest_is_blank = text[range.end..line_end].trim().is_empty();
                let end = if rest_is_blank { line_end } else { range.end };
                edits.push(request.edit(range.start..end, ""));
            }
        }
    }
    Some(Action::new("Organise imports", CodeActionKind::SourceOrganizeImports, edits))
}
