//! Translation of source text to SIR, and the wording of error messages.
//!
//! * [`check`] reads a file with its imports, resolves names and checks types;
//! * [`check_and_index`] also finds the meaning of each name, for editors;
//! * [`lower`] translates it to SIR;
//! * [`session`] does the same for consecutive texts;
//! * [`Formatter`] formats the text of a file;
//! * [`describe_trap`] and [`describe_limit`] describe errors of a running program.
//!
//! This crate never links a machine, and reads files only through [`SourceLoader`].

mod check;
mod dump;
mod flow;
mod format;
pub mod hir;
mod loader;
mod lower;
mod scope;
pub mod session;
mod statements;
mod traps;
mod unused;
mod uses;
mod visit;

use star_base::{Code, Diagnostic, FileId, Library, SourceMap, Span};
use star_syntax::ast;

pub use format::Formatter;
pub use loader::{LoadError, MAX_SOURCE_BYTES, Source, SourceLoader, read_source};
pub use lower::{LowerOptions, Lowered};
pub use statements::{Head, HeadKind, Statements};
pub use traps::{describe_limit, describe_trap};
pub use uses::{Access, Constant, Index, IndexedFile, Meaning, Use};

/// A checked file with all its dependencies.
pub struct Compilation {
    /// The texts.
    pub sources: SourceMap,
    /// The messages, in the order of files and text.
    pub diagnostics: Vec<Diagnostic>,
    /// The routines, including those of the library.
    pub hir: hir::Program,
    root: Option<Root>,
    /// The unit of each routine.
    routine_units: Vec<usize>,
    /// For each parameter of each routine: may the routine read the value it is given? Empty if
    /// there are errors.
    takes: Vec<Vec<bool>>,
}

/// The file itself.
#[derive(Clone, Copy)]
struct Root {
    unit: usize,
    file: FileId,
}

/// A routine that can be run.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The routine.
    pub id: hir::RoutineId,
    /// The name.
    pub name: String,
    /// Procedure, function or program.
    pub kind: ast::RoutineKind,
    /// The position of its header.
    pub span: Span,
    /// The parameters.
    pub params: Vec<EntryParam>,
}

/// A parameter of a routine that can be run.
#[derive(Clone, Debug)]
pub struct EntryParam {
    /// The name.
    pub name: String,
    /// Is it a `var` parameter?
    pub by_ref: bool,
    /// May the routine read the value it is given? If not, it is only a result: nothing reads it
    /// before it is set, or a table is stored to.
    pub takes_value: bool,
    /// The type.
    pub kind: hir::TyKind,
    /// The fields of its rows, if it is a table of records.
    pub fields: Vec<star_base::record::RecordField>,
    /// If no call can give it: the text whose code it is.
    pub text: Option<star_base::record::FieldText>,
}

/// Reads and checks the file `path`, or the library module `star:NAME`.
pub fn check(path: &str, loader: &mut dyn SourceLoader, library: &Library) -> Compilation {
    check_with(path, loader, library, None)
}

/// Reads and checks a file like [`check`], and finds the meaning of each name in it and in the
/// imported files of the user.
pub fn check_and_index(
    path: &str,
    loader: &mut dyn SourceLoader,
    library: &Library,
) -> (Compilation, Index) {
    let mut index = Index::default();
    let compilation = check_with(path, loader, library, Some(&mut index));
    (compilation, index)
}

fn check_with(
    path: &str,
    loader: &mut dyn SourceLoader,
    library: &Library,
    index: Option<&mut Index>,
) -> Compilation {
    let loader::Units { sources, mut units, root, mut diagnostics } =
        loader::load(path, loader, library);
    // A tree needs more memory than its HIR, so trees and HIR never coexist in full.
    let bodies = take_bodies(&mut units);
    let (hir, routine_units, unused_imports) = {
        let world = scope::World::new(&units, library, &mut diagnostics);
        let mut uses = index.as_ref().map(|_| Vec::new());
        let hir = check::check(&world, bodies, &sources, &mut diagnostics, uses.as_mut());
        if let (Some(index), Some(uses)) = (index, uses) {
            *index = Index::new(&world, &hir, uses);
        }
        let units = world.signatures.iter().map(|signature| signature.unit).collect();
        (hir, units, world.unused_imports())
    };
    let root = root.map(|unit| Root { unit, file: units[unit].file });
    drop(units);
    let takes = Vec::new();
    let mut compilation = Compilation { sources, diagnostics, hir, root, routine_units, takes };
    if !compilation.has_errors() {
        // Lowering finds errors that only the flow of values and sizes shows.
        let (mut found, roots) = (Vec::new(), compilation.roots());
        let Compilation { hir, sources, .. } = &compilation;
        let takes = lower::diagnose(hir, &roots, &mut found);
        if !found.iter().any(Diagnostic::is_error) {
            unused::imports(&unused_imports, sources, &mut found);
            unused::declarations(hir, &roots, sources, &mut found);
        }
        compilation.takes = takes;
        compilation.diagnostics.extend(found);
    } else {
        // The statement that changes the condition may be one with an error.
        compilation.diagnostics.retain(|diagnostic| diagnostic.code != Code::LoopNeverSteps);
    }
    compilation.diagnostics.sort_by_key(Diagnostic::span);
    compilation
}

/// Takes the bodies out of all routines.
fn take_bodies(units: &mut [loader::Unit]) -> check::Bodies {
    let routines =
        units.iter_mut().flat_map(|unit| &mut unit.tree.items).filter_map(|item| match item {
            ast::Item::Routine(routine) => Some(routine),
            ast::Item::Import { .. } | ast::Item::Const { .. } | ast::Item::Type(_) => None,
        });
    routines.map(|routine| (routine.span, std::mem::take(&mut routine.body))).collect()
}

impl Compilation {
    /// Returns whether there are errors, so that nothing can be lowered.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Returns the number of the file itself; `None` if it could not be read.
    pub fn root_file(&self) -> Option<FileId> {
        self.root.map(|root| root.file)
    }

    /// Parses the file itself again and returns its syntax tree, as none is kept; `None` if it
    /// could not be read.
    pub fn root_tree(&self) -> Option<ast::File> {
        let file = self.root_file()?;
        Some(star_syntax::parse(file, self.sources.get(file)?.text()).file)
    }

    fn roots(&self) -> Vec<hir::RoutineId> {
        self.entries().into_iter().map(|entry| entry.id).collect()
    }

    /// Returns the routines of the file itself, in order.
    pub fn entries(&self) -> Vec<Entry> {
        let of_root =
            |idx: &usize| Some(self.routine_units[*idx]) == self.root.map(|root| root.unit);
        (0..self.hir.routines.len())
            .filter(of_root)
            .map(|idx| {
                let routine = &self.hir.routines[idx];
                let takes = self.takes.get(idx);
                let params = routine.params.iter().enumerate().map(|(param_idx, &param)| {
                    let local = routine.local(param);
                    let takes_value = takes.and_then(|takes| takes.get(param_idx));
                    EntryParam {
                        name: local.name.clone(),
                        by_ref: local.role == hir::Role::Ref,
                        takes_value: takes_value.copied().unwrap_or(true),
                        kind: local.ty.kind(),
                        fields: self.hir.record_fields(routine, local),
                        text: None,
                    }
                });
                let texts = routine.texts.iter().map(|code| EntryParam {
                    name: routine.local(code.local).name.clone(),
                    by_ref: false,
                    takes_value: true,
                    kind: hir::TyKind::Int,
                    fields: Vec::new(),
                    text: Some(star_base::record::FieldText {
                        table: routine.local(code.table).name.clone(),
                        field: code.field.clone(),
                        text: code.text.clone(),
                    }),
                });
                Entry {
                    id: hir::RoutineId(idx as u32),
                    name: routine.name.clone(),
                    kind: routine.kind,
                    span: routine.header,
                    params: params.chain(texts).collect(),
                }
            })
            .collect()
    }
}

/// Lowers the routines of the file itself and all that they call, and verifies the result. The
/// compilation must have no errors.
///
/// # Errors
/// An internal error if lowering reached an impossible state, or the result does not verify: a bug
/// in this crate, whatever the source.
pub fn lower(
    compilation: &Compilation,
    options: &LowerOptions,
) -> Result<Lowered, Box<Diagnostic>> {
    let mut found = Vec::new();
    let lowered = lower::lower(&compilation.hir, &compilation.roots(), options, &mut found);
    // Checking has reported the errors that lowering finds, except those that only these options
    // reveal.
    match found.into_iter().find(|diagnostic| diagnostic.code == Code::Internal) {
        Some(fault) => Err(Box::new(fault)),
        None => verified(star_ir::verify(&lowered.program)).map(|()| lowered),
    }
}

/// Converts the verifier's result to a message.
fn verified(found: Result<(), Vec<star_ir::VerifyError>>) -> Result<(), Box<Diagnostic>> {
    found.map_err(|errors| {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        let message = format!("internal error: the program does not verify: {first}");
        let diagnostic = Diagnostic::new(Code::Internal, message);
        let help = "this is a bug in the toolchain, not in the program: please report it";
        Box::new(diagnostic.help(help))
    })
}

/// Returns the HIR of the file itself, for compiler developers.
pub fn dump_hir(compilation: &Compilation) -> String {
    compilation
        .entries()
        .iter()
        .map(|entry| dump::routine(&compilation.hir, compilation.hir.routine(entry.id)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use crate::hir;

    /// The HIR of all routines is in memory at once.
    #[test]
    fn hir_nodes_are_small() {
        assert!(size_of::<hir::Expr>() <= 56);
        assert!(size_of::<hir::Target>() <= 40);
        assert!(size_of::<hir::Stmt>() <= 112);
    }
}
