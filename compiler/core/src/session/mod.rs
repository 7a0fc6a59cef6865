//! A session: consecutive texts, each of which sees the declarations of those before it.
//!
//! * [`Session`] holds the texts and the latest definition of every item; [`Session::define`]
//!   accepts new ones (`define`).
//! * [`Environment`] holds names and types of variables. Their values are stored elsewhere: a
//!   session never links a machine.
//! * [`Session::lines`] translates statements and expressions to routines, whose `var` parameters
//!   are the variables that they mention (`lines`).
//!
//! The items form a separate virtual file, *home*, whose parts come from different texts. It is the
//! last unit, so that the routines of all its imports keep their numbers.

mod define;
mod environment;
mod lines;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use star_base::{Diagnostic, FileId, Library, SourceFile, SourceMap, Span};
use star_syntax::{Piece, ast};

use crate::hir;
use crate::loader::{Unit, Units};
use crate::lower::{LowerOptions, LoweringCache};

pub use define::{Defined, DefinedItem, Definitions, ItemKind};
pub use environment::{Environment, FieldKind, RecordField, RecordType, Variable};
pub use lines::{Declared, Does, SessionLine, SessionLines};

/// The definitions and texts of a session.
pub struct Session {
    library: Library,
    /// The library, the imports, and home.
    files: Units,
    imports: Vec<Import>,
    hir: hir::Program,
    /// The number of routines in all units but home; `None` if they were not checked yet.
    n_steady: Option<usize>,
    /// The indices of the items of home in its tree, by name.
    places: BTreeMap<String, usize>,
    /// The items that came from a file, with its name.
    origins: BTreeMap<String, String>,
    /// Routines that no longer match their callees, and the messages about them.
    broken: BTreeMap<String, Vec<Diagnostic>>,
    /// The invalid routines that were reported.
    told_broken: BTreeSet<String>,
    n_texts: usize,
    /// The lowered routines, for each set of options used.
    lowered: Vec<LoweringCache>,
}

/// An import of the session.
#[derive(Clone, PartialEq, Eq)]
struct Import {
    path: String,
    span: Span,
    /// The file that contains it; empty if it was typed.
    importer: String,
}

/// A typed text.
#[derive(Debug)]
pub struct Typed {
    /// The number of its source file.
    pub file: FileId,
    /// Its contents.
    pub pieces: Vec<Piece>,
    /// The syntax errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Session {
    /// Creates a session without definitions.
    pub fn new(library: Library) -> Self {
        let mut session = Session {
            library,
            files: Units::new(&library),
            imports: Vec::new(),
            hir: hir::Program::default(),
            n_steady: None,
            places: BTreeMap::new(),
            origins: BTreeMap::new(),
            broken: BTreeMap::new(),
            told_broken: BTreeSet::new(),
            n_texts: 0,
            lowered: Vec::new(),
        };
        let file = session.files.sources.add(SourceFile::new("‹session›", String::new()));
        session.files.units.push(Unit {
            file,
            tree: ast::File::default(),
            imports: Vec::new(),
            import_failed: false,
            is_incomplete: false,
            library: false,
            basic: false,
        });
        session
    }

    /// Returns all texts, for messages.
    pub fn sources(&self) -> &SourceMap {
        &self.files.sources
    }

    /// Parses a text as typed. Messages name it by its number: `‹1›`. Where `a` is a variable, `a -
    /// b` is a difference, even if there is a routine `A-B`.
    pub fn read(&mut self, environment: &Environment, text: String) -> Typed {
        self.n_texts += 1;
        let name = format!("‹{}›", self.n_texts);
        let file = self.files.sources.add(SourceFile::new(name, text));
        let text = self.files.sources.get(file).map_or("", SourceFile::text);
        let known = |name: &str| {
            let first = name.split('-').next().unwrap_or(name);
            self.has_routine(name, |a, b| a == b)
                || environment.get(first).is_none()
                    && self.has_routine(name, |a, b| a.eq_ignore_ascii_case(b))
        };
        let fragment = star_syntax::fragment(file, text, &known);
        Typed { file, pieces: fragment.pieces, diagnostics: fragment.diagnostics }
    }

    /// Returns whether a routine with this name can be called.
    fn has_routine(&self, name: &str, same: fn(&str, &str) -> bool) -> bool {
        let home = self.home();
        let imported = self.files.units[home].imports.iter().map(|&(unit, _)| unit);
        let basic = (0..home).filter(|&unit| self.files.units[unit].basic);
        let mut units = std::iter::once(home).chain(imported).chain(basic);
        units.any(|unit| {
            self.files.units[unit].tree.items.iter().any(|item| match item {
                ast::Item::Routine(routine) => same(&routine.name.name, name),
                ast::Item::Import { .. } | ast::Item::Const { .. } | ast::Item::Type(_) => false,
            })
        })
    }

    /// Returns the items, in the order in which their names were first defined.
    pub fn items(&self) -> &[ast::Item] {
        &self.files.units[self.home()].tree.items
    }

    /// Returns the item with this name.
    pub fn item(&self, name: &str) -> Option<&ast::Item> {
        self.items().get(*self.places.get(name)?)
    }

    /// Returns the file from which the item with this name came; `None` if it was typed.
    pub fn origin(&self, name: &str) -> Option<&str> {
        self.origins.get(name).map(String::as_str)
    }

    /// Returns the imports in order: the path, and the file that contains the import (empty if it
    /// was typed).
    pub fn imports(&self) -> impl Iterator<Item = (&str, &str)> {
        self.imports.iter().map(|import| (import.path.as_str(), import.importer.as_str()))
    }

    /// Returns the routines that cannot be called because one of their callees was redefined.
    pub fn broken(&self) -> impl Iterator<Item = &str> {
        self.broken.keys().map(String::as_str)
    }

    /// Returns the names of all routines and constants visible to a line, those of the library
    /// last.
    pub fn visible_names(&self) -> impl Iterator<Item = &str> {
        self.visible_items().filter_map(name_of)
    }

    /// Returns the items that a text can name, without built-ins.
    pub fn visible_items(&self) -> impl Iterator<Item = &ast::Item> {
        let home = self.home();
        let imported = self.files.units[home].imports.iter().map(|&(unit, _)| unit);
        let basic = (0..home).filter(|&unit| self.files.units[unit].basic);
        let units = std::iter::once(home).chain(imported).chain(basic);
        units.flat_map(|unit| &self.files.units[unit].tree.items)
    }

    /// Returns the number of routines lowered so far, including those of lines. A routine is
    /// lowered once while neither it nor its callees change.
    pub fn n_lowered(&self) -> usize {
        self.lowered.iter().map(LoweringCache::n_lowered).sum()
    }

    fn home(&self) -> usize {
        self.files.units.len() - 1
    }
}

/// Returns the routines lowered with these options.
fn lowered_with<'a>(
    caches: &'a mut Vec<LoweringCache>,
    options: &LowerOptions,
) -> &'a mut LoweringCache {
    let at = caches.iter().position(|cache| cache.options() == options).unwrap_or_else(|| {
        caches.push(LoweringCache::new(*options));
        caches.len() - 1
    });
    &mut caches[at]
}

/// Returns the name declared by an item.
pub fn name_of(item: &ast::Item) -> Option<&str> {
    match item {
        ast::Item::Import { .. } => None,
        ast::Item::Const { name, .. } => Some(&name.name),
        ast::Item::Type(one) => Some(&one.name.name),
        ast::Item::Routine(routine) => Some(&routine.name.name),
    }
}

/// Returns the position of an item.
pub fn span_of(item: &ast::Item) -> Span {
    match item {
        ast::Item::Import { span, .. } => *span,
        ast::Item::Const { name, value } => name.span.to(value.span),
        ast::Item::Type(one) => one.span,
        ast::Item::Routine(routine) => routine.span,
    }
}
