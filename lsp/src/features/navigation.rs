//! Definitions, references, highlights and links.

use crate::document::mapped;
use crate::features::{lookup, tree, workspace};
use crate::protocol::types::{
    DefinitionParams, DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams,
    DocumentLink, DocumentLinkParams, Location, Position, Range, ReferenceParams,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{Access, Span, ast};
use crate::uri;

/// Answers a request for the declaration of a name, or the file of an import.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn definition(
    context: &Context<'_>,
    params: DefinitionParams,
) -> Result<Option<Location>, Refusal> {
    let at = params.text_document_position_params;
    let uri = &at.text_document.uri;
    let analysis = context.analysis(uri)?;
    let offset = analysis.offset(at.position) as u32;
    let own = analysis.index.files.iter().find(|file| file.file == analysis.root());
    let mut imports = own.iter().flat_map(|own| &own.imports);
    let found = imports.find(|(_, span)| span.start <= offset && offset <= span.end);
    if let Some(&(file, _)) = found {
        return Ok(analysis.location(context.snapshot, Span::file_start(file)));
    }
    let Some(found) = lookup::name_at(context, uri, at.position)? else { return Ok(None) };
    let Some(span) = found.analysis.declaration(found.meaning) else { return Ok(None) };
    if found.is_old && span.file == found.analysis.root() {
        let map = |at: u32| mapped(found.analysis.text(), analysis.text(), at as usize);
        let range = map(span.start).zip(map(span.end)).map(|(start, end)| start..end);
        return Ok(
            range.map(|range| Location { uri: uri.clone(), range: analysis.range_of(range) })
        );
    }
    Ok(found.analysis.location(context.snapshot, span))
}

/// Answers a request for all uses of a name.
///
/// # Errors
/// If the document cannot be read, or the request is cancelled.
pub(crate) fn references(
    context: &Context<'_>,
    params: ReferenceParams,
) -> Result<Vec<Location>, Refusal> {
    let at = params.text_document_position_params;
    let found = lookup::name_at(context, &at.text_document.uri, at.position)?;
    let Some(found) = found.filter(|found| !found.is_old) else { return Ok(Vec::new()) };
    let wanted = params.context.include_declaration;
    let mut locations = Vec::new();
    for file in workspace::uses(context, &found.analysis, found.meaning)? {
        for one in &file.uses {
            if wanted || one.access != Access::Declares {
                let uri = workspace::uri_of(context, &file.analysis, one);
                locations.push(Location { uri, range: file.analysis.range(one.span) });
            }
        }
    }
    Ok(locations)
}

/// Answers a request for the uses of a name in its document.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn highlights(
    context: &Context<'_>,
    params: DocumentHighlightParams,
) -> Result<Vec<DocumentHighlight>, Refusal> {
    let at = params.text_document_position_params;
    let found = lookup::name_at(context, &at.text_document.uri, at.position)?;
    let Some(found) = found.filter(|found| !found.is_old) else { return Ok(Vec::new()) };
    let analysis = &found.analysis;
    let uses = analysis.index.uses_of(found.meaning);
    let own = uses.filter(|one| one.span.file == analysis.root());
    let highlight = |one: &crate::toolchain::Use| DocumentHighlight {
        range: analysis.range(one.span),
        kind: Some(match one.access {
            Access::Reads => DocumentHighlightKind::Read,
            Access::Writes | Access::Declares => DocumentHighlightKind::Write,
        }),
    };
    Ok(own.map(highlight).collect())
}

/// Answers a request for links: imports, and files that a program reads or writes.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn links(
    context: &Context<'_>,
    params: DocumentLinkParams,
) -> Result<Vec<DocumentLink>, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let inside = |span: Span| {
        let text = analysis.compilation.sources.slice(span);
        let quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
        match quoted {
            true => Span::new(span.file, span.start + 1, span.end - 1),
            false => span,
        }
    };
    let mut links = Vec::new();
    let own = analysis.index.files.iter().find(|file| file.file == analysis.root());
    for &(file, span) in own.iter().flat_map(|own| &own.imports) {
        links.push(DocumentLink {
            range: analysis.range(inside(span)),
            target: analysis.uri_of(context.snapshot, file),
            tooltip: Some("Open the imported file".to_owned()),
            ..Default::default()
        });
    }
    let folder = analysis.path_of(analysis.root()).and_then(|path| path.parent());
    let Some(folder) = folder else { return Ok(links) };
    tree::walk(&analysis.parsed.file, &mut |node| {
        let tree::Node::Ref(call) = node else { return };
        let is_file =
            ["read", "write"].iter().any(|name| call.name.name.eq_ignore_ascii_case(name));
        let file = call.args.as_ref().and_then(|args| args.get(1)).filter(|_| is_file);
        if let Some(ast::Expr { kind: ast::ExprKind::Str(text), span, .. }) = file {
            let path = folder.join(text.as_str());
            if path.is_file() {
                links.push(DocumentLink {
                    range: analysis.range(inside(*span)),
                    target: Some(uri::uri_of(&path)),
                    tooltip: Some("Open the data file".to_owned()),
                    ..Default::default()
                });
            }
        }
    });
    Ok(links)
}

/// Tests whether a range contains a position.
pub(crate) fn contains(range: Range, position: Position) -> bool {
    range.start <= position && position <= range.end
}
