//! Hover: signature, documentation, cost and example of a routine; type, sizes and row space of a
//! variable; value of a constant; meaning of a keyword.

use crate::analysis::Analysis;
use crate::features::{docs, lookup};
use crate::protocol::markdown;
use crate::protocol::types::{Contents, Hover, HoverParams};
use crate::state::{Context, Refusal};
use crate::toolchain::{
    LocalId, Meaning, Plan, RoutineId, SourceFile, Span, ast, hir, language, lexemes,
};

/// Answers a request for the description of a name.
///
/// # Errors
/// If the document cannot be read.
pub(crate) fn hover(context: &Context<'_>, params: HoverParams) -> Result<Option<Hover>, Refusal> {
    let at = params.text_document_position_params;
    let uri = &at.text_document.uri;
    if let Some(found) = lookup::name_at(context, uri, at.position)? {
        let text = of_meaning(context, &found.analysis, found.meaning);
        let hover = |text| Hover {
            contents: Contents::MarkupContent(markdown(text)),
            range: Some(found.range),
        };
        return Ok(text.map(hover));
    }
    let analysis = context.analysis(uri)?;
    let offset = analysis.offset(at.position);
    let Some(range) = word_at(analysis.text(), offset) else { return Ok(None) };
    let word = &analysis.text()[range.clone()];
    let topic = language::keywords().any(|one| one.eq_ignore_ascii_case(word)) || !word.is_ascii();
    let doc = topic.then(|| docs::of_keyword(context.state, word)).flatten();
    Ok(doc.map(|doc| Hover {
        contents: Contents::MarkupContent(markdown(docs::page(&doc))),
        range: Some(analysis.range_of(range)),
    }))
}

/// Returns the token at a byte, unless it is a comment.
fn word_at(text: &str, offset: usize) -> Option<std::ops::Range<usize>> {
    use crate::toolchain::Token;
    let mut tokens = lexemes(text).take_while(|(_, range)| range.start <= offset);
    let touches = |range: &std::ops::Range<usize>| range.start <= offset && offset <= range.end;
    tokens.find(|(token, range)| *token != Token::Comment && touches(range)).map(|(_, range)| range)
}

fn of_meaning(context: &Context<'_>, analysis: &Analysis, meaning: Meaning) -> Option<String> {
    let state = context.state;
    match meaning {
        Meaning::Local(routine, local) => {
            let correct = state.last_correct(&analysis.uri);
            let plan = correct.as_ref().and_then(|correct| correct.known_plan());
            of_variable(analysis, plan, routine, local)
        }
        Meaning::Routine(id) => docs::of_routine(state, analysis, id).map(|doc| {
            let file = analysis.routine(id).map(|routine| routine.header.file);
            let origin = file.filter(|file| *file != analysis.root());
            let origin = origin.map(|file| format!("\nFrom `{}`.\n", analysis.source(file).name()));
            docs::page(&doc) + &origin.unwrap_or_default()
        }),
        Meaning::Constant(idx) => {
            let constant = analysis.index.constants.get(idx as usize)?;
            let value = analysis.compilation.sources.slice(constant.value);
            Some(format!("```star\nconst {} = {value};\n```\n", constant.name))
        }
        Meaning::Builtin(builtin) => docs::of_builtin(state, builtin).map(|doc| docs::page(&doc)),
    }
}

fn of_variable(
    analysis: &Analysis,
    plan: Option<&Plan>,
    routine_id: RoutineId,
    id: LocalId,
) -> Option<String> {
    let routine = analysis.routine(routine_id)?;
    let local = routine.locals.get(id.0 as usize)?;
    let (name, ty) = (&local.name, declared_type(analysis, routine, local));
    let shown = match local.role {
        hir::Role::Value => format!("{name}: {ty}"),
        hir::Role::Ref | hir::Role::Local => format!("var {name}: {ty}"),
        hir::Role::Binding | hir::Role::Implicit => format!("{name}: integer"),
        hir::Role::Result => format!("function {name}: {ty}"),
    };
    let role = match local.role {
        hir::Role::Value => "Value parameter",
        hir::Role::Ref => "`var` parameter",
        hir::Role::Binding => "Size bound by the header",
        hir::Role::Implicit => "Parameter of a record type, bound by the header",
        hir::Role::Local => "Variable",
        hir::Role::Result => "Result",
    };
    let mut text = format!("```star\n{shown}\n```\n{role} of `{}`.\n", routine.name);
    let sizes = plan.and_then(|plan| plan.sizes.get(&(routine_id, name.clone())));
    if let Some(sizes) = sizes {
        let parts = match (&sizes[..], local.ty.kind()) {
            ([rows, columns], _) => format!("{rows} rows, {columns} columns"),
            ([size], _) => format!("{size} components"),
            (_, _) => String::new(),
        };
        text += &format!("\n**Size:** {parts}\n");
        // A word is a row and has no rows itself.
        let has_rows = |ty: hir::TyKind| matches!(ty, hir::TyKind::Slice | hir::TyKind::Table);
        if let (Some(plan), Some(rows), true) = (plan, sizes.first(), has_rows(local.ty.kind())) {
            let same = |other: &&hir::Local| {
                let key = (routine_id, other.name.clone());
                let rows_of = plan.sizes.get(&key).and_then(|sizes| sizes.first());
                other.name != *name && has_rows(other.ty.kind()) && rows_of == Some(rows)
            };
            let others: Vec<String> = routine
                .locals
                .iter()
                .filter(same)
                .map(|other| format!("`{}`", other.name))
                .collect();
            if !others.is_empty() {
                text += &format!("\n**Row space:** `{rows}`, shared with {}\n", others.join(", "));
            }
        }
    }
    Some(text)
}

/// Returns the type of a variable as declared.
pub(crate) fn declared_type(
    analysis: &Analysis,
    routine: &hir::Routine,
    local: &hir::Local,
) -> String {
    let tree = analysis.routines().find(|tree| tree.name.span == routine.name_span);
    let groups = tree.iter().flat_map(|tree| {
        let params = tree.params.iter().map(|group| (&group.names, &group.ty));
        params.chain(tree.vars.iter().map(|group| (&group.names, &group.ty)))
    });
    let declares = |names: &[ast::Ident]| names.iter().any(|name| name.span == local.span);
    let declared = groups.filter(|(names, _)| declares(names)).map(|(_, ty)| ty.span).next();
    let text = |span: Span| {
        let source: &SourceFile = analysis.source(span.file);
        source.text().get(span.range()).unwrap_or_default().to_owned()
    };
    declared.map_or_else(|| local.ty.kind().name().to_owned(), text)
}
