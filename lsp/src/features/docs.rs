//! Documentation of names, from the comments in their files.

use crate::analysis::Analysis;
use crate::state::State;
use crate::toolchain::{
    Builtin, Catalogue, ModuleKind, RoutineDoc, RoutineId, doc, markdown, parse,
};

/// Returns the documentation of a routine.
pub(crate) fn of_routine(
    state: &State<'_>,
    analysis: &Analysis,
    id: RoutineId,
) -> Option<RoutineDoc> {
    let routine = analysis.routine(id)?;
    let file = routine.header.file;
    let header = routine.header.start;
    if analysis.is_shipped(file) {
        return of_library(state.catalogue(), analysis.source(file).name(), header);
    }
    let text = analysis.source(file).text();
    let find = |parsed| {
        let (found, _) = doc::documentation(file, text, parsed);
        found.routines.into_iter().find(|one| one.header.start == header)
    };
    match file == analysis.root() {
        true => find(&analysis.parsed),
        false => find(&parse(file, text)),
    }
}

/// Returns the documentation of the routine of a library file whose header begins at a byte.
fn of_library(catalogue: &Catalogue, file: &str, header: u32) -> Option<RoutineDoc> {
    let (_, module) = catalogue.modules().find(|(_, module)| module.title == file)?;
    module.routines.iter().find(|one| one.header.start == header).cloned()
}

/// Returns the documentation of a built-in.
pub(crate) fn of_builtin(state: &State<'_>, builtin: Builtin) -> Option<RoutineDoc> {
    of_kind(state, ModuleKind::Operations, |name| name == builtin.name())
}

/// Returns the documentation of a word of the language.
pub(crate) fn of_keyword(state: &State<'_>, word: &str) -> Option<RoutineDoc> {
    of_kind(state, ModuleKind::Language, |name| {
        name.split('/').any(|one| one.eq_ignore_ascii_case(word))
    })
}

fn of_kind(
    state: &State<'_>,
    kind: ModuleKind,
    is_it: impl Fn(&str) -> bool,
) -> Option<RoutineDoc> {
    let mut modules = state.catalogue().modules();
    let (_, module) = modules.find(|(_, module)| module.kind == kind)?;
    module.routines.iter().find(|one| is_it(&one.name)).cloned()
}

/// Returns the routines with this name in modules of the library that are imported, with the
/// module of each.
pub(crate) fn importable<'s>(
    state: &'s State<'_>,
    name: &str,
) -> impl Iterator<Item = (&'s str, &'s RoutineDoc)> {
    let name = name.to_owned();
    let modules = state.catalogue().modules().filter(|(_, one)| one.kind == ModuleKind::Imported);
    modules.flat_map(move |(_, module)| {
        let name = name.clone();
        let suits = module.routines.iter().filter(move |one| one.name.eq_ignore_ascii_case(&name));
        suits.map(|one| (module.title.as_str(), one))
    })
}

/// Returns the documentation as Markdown.
pub(crate) fn page(doc: &RoutineDoc) -> String {
    // Editors know the grammar by the name of the language.
    markdown::entry(doc).replace("```pascal\n", "```star\n")
}
