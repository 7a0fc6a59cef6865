//! Symbols of a document and of the workspace.

use crate::analysis::Analysis;
use crate::features::workspace;
use crate::protocol::types::{
    BaseSymbolInformation, DocumentSymbol, DocumentSymbolParams, Location, SymbolInformation,
    SymbolKind, WorkspaceSymbolParams,
};
use crate::state::{Context, Refusal};
use crate::toolchain::{FileId, Header, HeaderKind, ModuleKind, Span, ast, outline};

/// Maximum number of symbols of a workspace in one answer.
const MAX_SYMBOLS: usize = 500;

/// Answers a request for the symbols of a document: those of the last readable text where the
/// current one cannot be read.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn of_document(
    context: &Context<'_>,
    params: DocumentSymbolParams,
) -> Result<Vec<DocumentSymbol>, Refusal> {
    let analysis = context.analysis(&params.text_document.uri)?;
    let mut symbols: Vec<DocumentSymbol> =
        analysis.parsed.file.items.iter().map(|item| of_item(&analysis, item)).collect();
    symbols.extend(analysis.headers.iter().map(|header| of_header(&analysis, header)));
    symbols.sort_by_key(|symbol| symbol.range.start);
    Ok(symbols)
}

fn of_item(analysis: &Analysis, item: &ast::Item) -> DocumentSymbol {
    match item {
        ast::Item::Import { path, span } => {
            symbol(analysis, path, SymbolKind::Module, *span, *span)
        }
        ast::Item::Const { name, value } => {
            let mut found = symbol(
                analysis,
                &name.name,
                SymbolKind::Constant,
                name.span.to(value.span),
                name.span,
            );
            found.detail = Some(analysis.compilation.sources.slice(value.span).to_owned());
            found
        }
        ast::Item::Type(one) => {
            symbol(analysis, &one.name.name, SymbolKind::Struct, one.span, one.name.span)
        }
        ast::Item::Routine(routine) => {
            let mut found = symbol(
                analysis,
                &routine.name.name,
                SymbolKind::Function,
                routine.span,
                routine.name.span,
            );
            found.detail = Some(kind(routine.kind).to_owned());
            let params = routine.params.iter().map(|group| (&group.names, &group.ty));
            let groups = params.chain(routine.vars.iter().map(|group| (&group.names, &group.ty)));
            let children = groups.flat_map(|(names, ty)| names.iter().map(move |name| (name, ty)));
            let children = children.map(|(name, ty)| {
                let kind = SymbolKind::Variable;
                let mut child = symbol(analysis, &name.name, kind, name.span, name.span);
                child.detail = Some(analysis.compilation.sources.slice(ty.span).to_owned());
                child
            });
            found.children = Some(children.collect());
            found
        }
    }
}

fn of_header(analysis: &Analysis, header: &Header) -> DocumentSymbol {
    let word = match header.kind {
        HeaderKind::Test => "@test",
        HeaderKind::Bench => "@bench",
    };
    let name = format!("{word} {}", header.title);
    symbol(analysis, name.trim_end(), SymbolKind::Event, header.span, header.span)
}

fn symbol(
    analysis: &Analysis,
    name: &str,
    kind: SymbolKind,
    span: Span,
    selection: Span,
) -> DocumentSymbol {
    #[allow(deprecated, reason = "a field that must be there and stays empty")]
    DocumentSymbol {
        // Editors refuse empty names.
        name: if name.is_empty() { "?".to_owned() } else { name.to_owned() },
        kind,
        range: analysis.range(span.to(selection)),
        selection_range: analysis.range(selection),
        detail: None,
        tags: None,
        deprecated: None,
        children: None,
    }
}

fn kind(kind: ast::RoutineKind) -> &'static str {
    match kind {
        ast::RoutineKind::Procedure => "procedure",
        ast::RoutineKind::Function => "function",
        ast::RoutineKind::Program => "program",
    }
}

/// Answers a request for the symbols of the workspace and the library whose names contain the
/// letters of the query in order.
///
/// # Errors
/// If the request is cancelled.
pub(crate) fn of_workspace(
    context: &Context<'_>,
    params: WorkspaceSymbolParams,
) -> Result<Vec<SymbolInformation>, Refusal> {
    let query = params.query.to_lowercase();
    let encoding = context.state.abilities.encoding;
    let mut found = Vec::new();
    for path in workspace::files(context.snapshot) {
        context.go_on()?;
        let Some(source) = workspace::text_of(context.snapshot, &path) else { continue };
        let uri = context.snapshot.uri_of(&path);
        let container = path.file_name().map(|name| name.to_string_lossy().into_owned());
        for item in outline(FileId(0), source.text()).file.items {
            let (name, kind) = match item {
                ast::Item::Import { .. } => continue,
                ast::Item::Const { name, .. } => (name, SymbolKind::Constant),
                ast::Item::Type(one) => (one.name, SymbolKind::Struct),
                ast::Item::Routine(routine) => (routine.name, SymbolKind::Function),
            };
            if suits(&name.name, &query) {
                let range = encoding.range(&source, name.span.range());
                let location = Location { uri: uri.clone(), range };
                found.push(information(&name.name, kind, location, container.clone()));
            }
        }
    }
    if query.len() >= 2 {
        let modules = context.state.catalogue().modules();
        let of_library = |kind| matches!(kind, ModuleKind::Basic | ModuleKind::Imported);
        for (_, module) in modules.filter(|(_, module)| of_library(module.kind)) {
            let routines = module.routines.iter().filter(|one| suits(&one.name, &query));
            for routine in routines {
                let Some(path) = crate::shipped::path_of(&module.title) else { continue };
                let Some(source) = module.sources.get(routine.header.file) else { continue };
                let range = encoding.range(source, routine.header.range());
                let location = Location { uri: crate::uri::uri_of(&path), range };
                let container = Some(module.title.clone());
                found.push(information(&routine.name, SymbolKind::Function, location, container));
            }
        }
    }
    found.truncate(MAX_SYMBOLS);
    Ok(found)
}

fn information(
    name: &str,
    kind: SymbolKind,
    location: Location,
    container_name: Option<String>,
) -> SymbolInformation {
    #[allow(deprecated, reason = "a field that must be there and stays empty")]
    SymbolInformation {
        location,
        base_symbol_information: BaseSymbolInformation {
            name: name.to_owned(),
            kind,
            container_name,
            tags: None,
        },
        deprecated: None,
    }
}

/// Tests whether a name contains the letters of a query in order, ignoring letter case.
fn suits(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_a_query_are_in_order() {
        assert!(suits("WARSHALL-C", "wc") && suits("MATCH", "") && suits("MATCH", "match"));
        assert!(!suits("MATCH", "cm"));
    }
}
