//! Declarations and their visibility: the routines and constants of every file, and which of them a
//! file sees.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use star_base::{Builtin, Code, Diagnostic, Library, Span};
use star_syntax::ast::{self, RoutineKind, TypeKind};

use crate::hir::{RoutineId, TyKind};
use crate::loader::Unit;
use crate::session::Environment;

/// A routine as visible to its callers.
pub(crate) struct Signature<'a> {
    pub(crate) tree: &'a ast::Routine,
    pub(crate) unit: usize,
    pub(crate) params: Vec<SigParam>,
    pub(crate) result: Option<TyKind>,
}

/// A parameter as visible to callers.
pub(crate) struct SigParam {
    pub(crate) name: String,
    pub(crate) by_ref: bool,
    pub(crate) kind: TyKind,
    pub(crate) span: Span,
    /// Is a size declared?
    pub(crate) sized: bool,
}

/// A constant and its declaration.
pub(crate) struct ConstDecl<'a> {
    pub(crate) name: &'a ast::Ident,
    pub(crate) value: &'a ast::Expr,
    pub(crate) unit: usize,
}

/// A record type and its declaration.
pub(crate) struct TypeDecl<'a> {
    pub(crate) tree: &'a ast::RecordType,
    pub(crate) unit: usize,
}

/// All declarations outside routines.
pub(crate) struct World<'a> {
    pub(crate) units: &'a [Unit],
    pub(crate) signatures: Vec<Signature<'a>>,
    pub(crate) constants: Vec<ConstDecl<'a>>,
    pub(crate) types: Vec<TypeDecl<'a>>,
    /// The variables of the session to which these files belong, if any.
    pub(crate) session: Option<&'a Environment>,
    /// Searched for names that no visible file declares.
    pub(crate) library: Library,
    scopes: Vec<Scope>,
    /// Pairs of files: a name in the first one was resolved to a declaration of the second one.
    resolved: RefCell<BTreeSet<(usize, usize)>>,
}

/// The declarations of one file.
#[derive(Default)]
struct Scope {
    routines: BTreeMap<String, RoutineId>,
    /// The same declarations by their names in lower case.
    in_lower_case: BTreeMap<String, Vec<RoutineId>>,
    constants: BTreeMap<String, usize>,
    types: BTreeMap<String, usize>,
}

impl Scope {
    /// Returns the names of all declarations.
    fn names(&self) -> impl Iterator<Item = &String> {
        self.routines.keys().chain(self.constants.keys()).chain(self.types.keys())
    }
}

/// The meaning of a name before arguments.
pub(crate) enum Callee {
    Routine(RoutineId),
    Builtin(Builtin),
}

/// The reason why a name before arguments cannot be resolved.
pub(crate) enum NoCallee {
    /// There is no routine of that name.
    Unknown,
    /// There is one, but the call does not match it; the message says why.
    Unsuitable(Box<Diagnostic>),
}

impl<'a> World<'a> {
    pub(crate) fn new(
        units: &'a [Unit],
        library: &Library,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let world = World { library: *library, ..World::of_units(units, diagnostics) };
        for (unit_idx, unit) in units.iter().enumerate() {
            world.check_imports(unit_idx, unit, diagnostics);
            world.check_hiding(unit_idx, unit, diagnostics);
        }
        world
    }

    /// Collects the declarations, without lints about imports and names.
    pub(crate) fn of_units(units: &'a [Unit], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut world = World {
            units,
            signatures: Vec::new(),
            constants: Vec::new(),
            types: Vec::new(),
            session: None,
            library: Library::default(),
            scopes: Vec::new(),
            resolved: RefCell::default(),
        };
        for (unit_idx, unit) in units.iter().enumerate() {
            world.declare(unit_idx, unit, diagnostics);
        }
        world
    }

    fn declare(&mut self, unit_idx: usize, unit: &'a Unit, diagnostics: &mut Vec<Diagnostic>) {
        let mut scope = Scope::default();
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        let mut program: Option<Span> = None;
        for item in &unit.tree.items {
            let name = match item {
                ast::Item::Import { .. } => continue,
                ast::Item::Const { name, value } => {
                    scope.constants.insert(name.name.to_string(), self.constants.len());
                    self.constants.push(ConstDecl { name, value, unit: unit_idx });
                    name
                }
                ast::Item::Type(tree) => {
                    scope.types.insert(tree.name.name.to_string(), self.types.len());
                    self.types.push(TypeDecl { tree, unit: unit_idx });
                    &tree.name
                }
                ast::Item::Routine(routine) => {
                    if routine.kind == RoutineKind::Program {
                        if let Some(first) = program {
                            diagnostics.push(
                                Diagnostic::at(
                                    Code::SecondProgram,
                                    routine.header,
                                    "a file has at most one `program`",
                                )
                                .label(first, "the first one"),
                            );
                        }
                        program.get_or_insert(routine.header);
                    }
                    let id = RoutineId(self.signatures.len() as u32);
                    scope.routines.entry(routine.name.name.to_string()).or_insert(id);
                    let lower = routine.name.name.to_lowercase();
                    scope.in_lower_case.entry(lower).or_default().push(id);
                    self.signatures.push(signature(routine, unit_idx));
                    &routine.name
                }
            };
            if let Some(&first) = seen.get(name.name.as_str()) {
                diagnostics.push(declared_twice(&name.name, name.span, first));
            }
            seen.entry(&name.name).or_insert(name.span);
        }
        self.scopes.push(scope);
    }

    /// Reports names declared by two imports, at the second import.
    fn check_imports(&self, unit_idx: usize, unit: &Unit, diagnostics: &mut Vec<Diagnostic>) {
        let mut seen: BTreeMap<&str, (usize, Span)> = BTreeMap::new();
        for &(imported, span) in &unit.imports {
            let scope = &self.scopes[imported];
            for name in scope.names() {
                match seen.get(name.as_str()) {
                    Some(&(first, first_span)) if first != imported && imported != unit_idx => {
                        diagnostics.push(
                            Diagnostic::at(
                                Code::NameFromTwoImports,
                                span,
                                format!("`{name}` is declared here and by another import"),
                            )
                            .label(first_span, format!("this file declares `{name}` too"))
                            .help("rename one of the two, or import only one of the files"),
                        );
                    }
                    _ => {
                        seen.insert(name, (imported, span));
                    }
                }
            }
        }
    }

    /// Lints routines that hide a library routine with the same number of parameters.
    fn check_hiding(&self, unit_idx: usize, unit: &Unit, diagnostics: &mut Vec<Diagnostic>) {
        if unit.library {
            return;
        }
        for (name, &id) in &self.scopes[unit_idx].routines {
            let signature = &self.signatures[id.0 as usize];
            let hidden = self.library_routines().find(|&other| {
                let other = &self.signatures[other.0 as usize];
                *other.tree.name.name == **name && other.params.len() == signature.params.len()
            });
            if hidden.is_some() {
                diagnostics.push(
                    Diagnostic::at(
                        Code::HidesLibrary,
                        signature.tree.name.span,
                        format!("`{name}` hides the library procedure of that name"),
                    )
                    .note("calls in this file refer to this one")
                    .help("delete it to use the library's, or give it another name"),
                );
            }
        }
    }

    /// Returns the routine of the basic library with this name.
    pub(crate) fn library_routine(&self, name: &str) -> Option<RoutineId> {
        let mut basic = self.units.iter().zip(&self.scopes).filter(|(unit, _)| unit.basic);
        basic.find_map(|(_, scope)| scope.routines.get(name).copied())
    }

    /// Returns whether a routine visible to `unit`, the basic library excepted, has this name in
    /// any letter case.
    pub(crate) fn hides(&self, unit: usize, name: &str) -> bool {
        self.hiding(unit, name).is_some()
    }

    /// Returns the routine that hides a reduction of this name.
    pub(crate) fn hiding(&self, unit: usize, name: &str) -> Option<RoutineId> {
        let own = |id: &RoutineId| !self.units[self.signature(*id).unit].basic;
        self.alike(unit, name).into_iter().find(own)
    }

    fn library_routines(&self) -> impl Iterator<Item = RoutineId> + '_ {
        self.units
            .iter()
            .zip(&self.scopes)
            .filter(|(unit, _)| unit.basic)
            .flat_map(|(_, scope)| scope.routines.values().copied())
    }

    pub(crate) fn signature(&self, id: RoutineId) -> &Signature<'a> {
        &self.signatures[id.0 as usize]
    }

    /// Returns the constant that `name` denotes in `unit`.
    pub(crate) fn constant(&self, unit: usize, name: &str) -> Option<usize> {
        let found =
            self.visible(unit).find_map(|unit| self.scopes[unit].constants.get(name).copied());
        if let Some(idx) = found {
            self.resolved.borrow_mut().insert((unit, self.constants[idx].unit));
        }
        found
    }

    /// Returns the record type that `name` denotes in `unit`.
    pub(crate) fn record(&self, unit: usize, name: &str) -> Option<usize> {
        let found = self.visible(unit).find_map(|unit| self.scopes[unit].types.get(name).copied());
        if let Some(idx) = found {
            self.resolved.borrow_mut().insert((unit, self.types[idx].unit));
        }
        found
    }

    /// Returns the names of the record types visible to `unit`.
    pub(crate) fn type_names(&self, unit: usize) -> impl Iterator<Item = &str> {
        self.visible(unit).flat_map(|unit| self.scopes[unit].types.keys()).map(String::as_str)
    }

    /// Returns the positions of the imports of which a file has an equal one before, with the
    /// position of that one, and of those to which no name of the importing file was resolved. All
    /// routines and constants have been checked already. In files of imports alone only equal ones
    /// are examined, and in the library none.
    pub(crate) fn unused_imports(&self) -> Vec<(Span, Option<Span>)> {
        let is_import = |item: &ast::Item| matches!(item, ast::Item::Import { .. });
        let resolved = self.resolved.borrow();
        let mut unused = Vec::new();
        for (idx, unit) in self.units.iter().enumerate() {
            if unit.library {
                continue;
            }
            let is_list = unit.tree.items.iter().all(is_import);
            let mut firsts = BTreeMap::new();
            for (imported, span) in &unit.imports {
                let first = *firsts.entry(*imported).or_insert(*span);
                if first != *span {
                    unused.push((*span, Some(first)));
                } else if !is_list && !resolved.contains(&(idx, *imported)) {
                    unused.push((*span, None));
                }
            }
        }
        unused
    }

    /// Returns whether a declaration visible to `unit` has exactly this name.
    pub(crate) fn declares(&self, unit: usize, name: &str) -> bool {
        self.visible(unit).any(|unit| {
            let scope = &self.scopes[unit];
            scope.routines.contains_key(name)
                || scope.constants.contains_key(name)
                || scope.types.contains_key(name)
        })
    }

    /// Returns the files whose declarations `unit` sees: itself, its imports, the basic library.
    fn visible(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        let imports = self.units[unit].imports.iter().map(|&(imported, _)| imported);
        let basic = (0..self.units.len()).filter(|&idx| self.units[idx].basic);
        std::iter::once(unit).chain(imports).chain(basic)
    }

    /// Returns the names of constants and suitable routines visible to `unit`, for "did you mean".
    pub(crate) fn visible_names(
        &self,
        unit: usize,
        suits: impl Fn(&Signature<'_>) -> bool + Copy,
    ) -> impl Iterator<Item = &str> {
        self.visible(unit).flat_map(move |unit| {
            let scope = &self.scopes[unit];
            let routines = scope.routines.iter().filter(move |(_, id)| suits(self.signature(**id)));
            routines.map(|(name, _)| name).chain(scope.constants.keys()).map(String::as_str)
        })
    }

    /// Resolves `name` with `n_args` arguments in `unit`. Candidates must accept this number of
    /// arguments: first the nearest routine of exactly this name, then a built-in in any letter
    /// case, then the nearest routine in another letter case, if all matches have the same
    /// spelling.
    pub(crate) fn callee(
        &self,
        unit: usize,
        name: &ast::Ident,
        n_args: usize,
    ) -> Result<Callee, NoCallee> {
        let found = self.resolve(unit, name, n_args);
        if let Ok(Callee::Routine(id)) = &found {
            self.resolved.borrow_mut().insert((unit, self.signature(*id).unit));
        }
        found
    }

    fn resolve(&self, unit: usize, name: &ast::Ident, n_args: usize) -> Result<Callee, NoCallee> {
        let exact: Vec<RoutineId> = self
            .visible(unit)
            .filter_map(|unit| self.scopes[unit].routines.get(name.name.as_str()).copied())
            .collect();
        let fits = |id: &RoutineId| self.signature(*id).params.len() == n_args;
        if let Some(&id) = exact.iter().find(|id| fits(id)) {
            return Ok(Callee::Routine(id));
        }
        let builtin = Builtin::find(&name.name);
        if let Some(builtin) = builtin {
            let (least, most) = builtin.arity();
            if (least..=most).contains(&n_args) {
                return Ok(Callee::Builtin(builtin));
            }
        }
        // `less` with four arguments is the library's, in any letter case.
        let alike = self.alike(unit, &name.name);
        let fitting: Vec<RoutineId> = alike.iter().copied().filter(|id| fits(id)).collect();
        if let Some(&id) = fitting.first() {
            let spelled = |id: RoutineId| &self.signature(id).tree.name.name;
            return if fitting.iter().all(|&other| spelled(other) == spelled(id)) {
                Ok(Callee::Routine(id))
            } else {
                Err(NoCallee::Unsuitable(Box::new(self.ambiguous(name, &fitting))))
            };
        }
        if let (Some(builtin), []) = (builtin, exact.as_slice()) {
            // A wrong number of arguments is reported when the built-in is checked.
            return Ok(Callee::Builtin(builtin));
        }
        match exact.first().or(alike.first()) {
            Some(&id) => Err(NoCallee::Unsuitable(Box::new(self.wrong_count(name, id, n_args)))),
            None => Err(NoCallee::Unknown),
        }
    }

    /// Returns the routines of that name in any letter case, the nearest ones first. A program is
    /// called by its exact name only.
    fn alike(&self, unit: usize, name: &str) -> Vec<RoutineId> {
        let lower = name.to_lowercase();
        // A file may be imported twice, or import itself.
        let mut seen = BTreeSet::new();
        self.visible(unit)
            .filter(|&unit| seen.insert(unit))
            .filter_map(|unit| self.scopes[unit].in_lower_case.get(&lower))
            .flatten()
            .copied()
            .filter(|&id| self.signature(id).tree.kind != RoutineKind::Program)
            .collect()
    }

    fn ambiguous(&self, name: &ast::Ident, routines: &[RoutineId]) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::at(Code::AmbiguousCase, name.span, format!("`{}` is ambiguous", name.name));
        for &id in routines {
            diagnostic = diagnostic.label(self.signature(id).tree.name.span, "one candidate");
        }
        diagnostic.help("spell the name exactly")
    }

    fn wrong_count(&self, name: &ast::Ident, id: RoutineId, n_args: usize) -> Diagnostic {
        let signature = self.signature(id);
        let (expected, s) = counted(signature.params.len(), "argument");
        Diagnostic::at(
            Code::ArgumentCount,
            name.span,
            format!(
                "`{}` takes {expected}{s}, but {n_args} {} given",
                signature.tree.name.name,
                were(n_args)
            ),
        )
        .label(signature.tree.header, "declared here")
    }
}

/// Returns a number with its noun and plural ending: `1 argument`, `2 arguments`.
pub(crate) fn counted(n: usize, noun: &str) -> (String, &'static str) {
    (format!("{n} {noun}"), if n == 1 { "" } else { "s" })
}

pub(crate) fn were(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

pub(crate) fn declared_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::at(Code::DuplicateName, span, format!("`{name}` is declared twice"))
        .label(first, "first declared here")
}

fn signature(tree: &ast::Routine, unit: usize) -> Signature<'_> {
    let params = tree
        .params
        .iter()
        .flat_map(|group| {
            group.names.iter().map(|name| SigParam {
                name: name.name.to_string(),
                by_ref: group.by_ref,
                kind: kind_of(&group.ty),
                span: name.span,
                sized: has_size(&group.ty),
            })
        })
        .collect();
    Signature { tree, unit, params, result: tree.result.as_ref().map(kind_of) }
}

pub(crate) fn kind_of(ty: &ast::Type) -> TyKind {
    match ty.kind {
        TypeKind::Integer => TyKind::Int,
        TypeKind::Boolean => TyKind::Bool,
        TypeKind::Str => TyKind::Str,
        TypeKind::Slice(_) => TyKind::Slice,
        TypeKind::Word(_) => TyKind::Word,
        TypeKind::Table(..) | TypeKind::Records(_) => TyKind::Table,
        TypeKind::Handle => TyKind::Handle,
    }
}

fn has_size(ty: &ast::Type) -> bool {
    match &ty.kind {
        TypeKind::Integer | TypeKind::Boolean | TypeKind::Str | TypeKind::Handle => false,
        TypeKind::Slice(size) | TypeKind::Word(size) => size.is_some(),
        TypeKind::Table(rows, _) => rows.is_some(),
        TypeKind::Records(_) => true,
    }
}
