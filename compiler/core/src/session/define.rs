//! New definitions: accepted if they are correct, one name after another.
//!
//! A new definition of a name replaces the old one, also for the routines that call it. Callers
//! that no longer match it remain, but cannot be called until one of the two is redefined; the
//! result of a definition lists them.

use std::collections::{BTreeMap, BTreeSet};

use star_base::{Diagnostic, SourceFile, Span};
use star_syntax::ast;

use super::{Environment, Import, Session, lowered_with, name_of, span_of};
use crate::check::{self, Rechecked};
use crate::hir::RoutineId;
use crate::loader::{SourceLoader, Unit};
use crate::lower::LowerOptions;
use crate::scope::World;

/// The result of definitions.
#[derive(Debug, Default)]
pub struct Defined {
    /// The accepted items.
    pub items: Vec<DefinedItem>,
    /// Names whose definition was rejected.
    pub refused: Vec<String>,
    /// Routines that have become invalid.
    pub broken: Vec<String>,
    /// Routines that have become valid again.
    pub mended: Vec<String>,
    /// Errors and lints.
    pub diagnostics: Vec<Diagnostic>,
}

/// An accepted item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedItem {
    /// The name; the path of an import.
    pub name: String,
    /// The kind.
    pub kind: ItemKind,
    /// Did the name have another meaning before?
    pub replaces: bool,
}

/// The definitions of a session at one time.
#[derive(Clone)]
pub struct Definitions {
    items: Vec<ast::Item>,
    imports: Vec<Import>,
    origins: BTreeMap<String, String>,
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// `import`
    Import,
    /// `const`
    Const,
    /// `type`
    Type,
    /// A procedure, function or program.
    Routine(ast::RoutineKind),
}

/// A definition that is tried.
struct Tried {
    name: String,
    span: Span,
    /// The previous meaning of the name.
    before: Option<ast::Item>,
}

/// The imported files of a session.
struct ImportedUnits {
    units: Vec<Unit>,
    /// Those that the session itself imports, with the positions of the paths.
    of_home: Vec<(usize, Span)>,
}

impl Session {
    /// Accepts typed items. Routines do not see the variables of `environment`; messages say so.
    pub fn define(
        &mut self,
        environment: &Environment,
        items: Vec<ast::Item>,
        loader: &mut dyn SourceLoader,
    ) -> Defined {
        self.take_over(environment, items, "", Taking::WhatIsRight, loader)
    }

    /// Accepts the items of a file, all or none. Items that a previous load of the file declared,
    /// and that it no longer has, are removed.
    pub fn load(
        &mut self,
        environment: &Environment,
        file: SourceFile,
        loader: &mut dyn SourceLoader,
    ) -> Defined {
        let name = file.name().to_owned();
        let file = self.files.sources.add(file);
        let text = self.files.sources.get(file).map_or("", SourceFile::text);
        let parsed = star_syntax::parse(file, text);
        if parsed.diagnostics.iter().any(Diagnostic::is_error) {
            let refused = parsed.file.items.iter().filter_map(name_of).map(str::to_owned);
            let refused = refused.collect();
            return Defined { refused, diagnostics: parsed.diagnostics, ..Defined::default() };
        }
        // Imported files may have changed on disk, too.
        let left: BTreeSet<&str> = parsed.file.items.iter().filter_map(name_of).collect();
        let of_file = self.origins.iter().filter(|(_, origin)| **origin == name);
        let gone: Vec<String> = of_file
            .map(|(item, _)| item.clone())
            .filter(|item| !left.contains(item.as_str()))
            .collect();
        let before = self.imports.clone();
        let again = before.iter().any(|import| import.importer == name)
            || self.origins.values().any(|origin| *origin == name);
        let old = again.then(|| {
            let kept = before.iter().filter(|import| import.importer != name).cloned();
            self.import_anew(kept.collect(), loader)
        });
        let mut defined =
            self.take_over(environment, parsed.file.items, &name, Taking::AllOrNone, loader);
        if defined.refused.is_empty() {
            gone.iter().for_each(|item| self.remove(item));
            if !gone.is_empty() {
                self.recheck(environment, &[]);
            }
        } else if let Some(old) = old.flatten() {
            // The files may contain other texts by now.
            self.put_back(old, before);
            self.recheck(environment, &[]);
        }
        self.note_broken(&mut defined);
        defined.diagnostics.splice(..0, parsed.diagnostics);
        defined
    }

    /// Deletes the item with this name. Other items must not mention it.
    pub fn delete(&mut self, environment: &Environment, name: &str) {
        self.remove(name);
        self.recheck(environment, &[]);
        self.note_broken(&mut Defined::default());
    }

    /// Returns the current definitions, for [`Session::restore`].
    pub fn definitions(&self) -> Definitions {
        Definitions {
            items: self.items().to_vec(),
            imports: self.imports.clone(),
            origins: self.origins.clone(),
        }
    }

    /// Replaces all definitions by earlier ones. Imports are read again if they differ.
    pub fn restore(
        &mut self,
        environment: &Environment,
        definitions: Definitions,
        loader: &mut dyn SourceLoader,
    ) {
        let Definitions { items, imports, origins } = definitions;
        if self.imports != imports {
            self.import_anew(imports, loader);
        }
        self.places = BTreeMap::new();
        for (place, name) in items.iter().map(name_of).enumerate() {
            self.places.insert(name.unwrap_or_default().to_owned(), place);
        }
        let home = self.home();
        self.files.units[home].tree.items = items;
        self.origins = origins;
        self.recheck(environment, &[]);
        self.note_broken(&mut Defined::default());
    }

    /// Reads all imports again; returns the units before.
    fn import_anew(
        &mut self,
        imports: Vec<Import>,
        loader: &mut dyn SourceLoader,
    ) -> Option<ImportedUnits> {
        let mut home = self.files.units.pop()?;
        let of_home = std::mem::take(&mut home.imports);
        let units = self.files.units.split_off(self.library.basic.len());
        for import in &imports {
            let Import { path, span, importer } = import;
            let unit = self.files.import_all(path, *span, importer, loader, &self.library);
            home.imports.extend(unit.map(|unit| (unit, *span)));
        }
        self.files.units.push(home);
        self.files.diagnostics.clear();
        self.imports = imports;
        self.n_steady = None;
        Some(ImportedUnits { units, of_home })
    }

    /// Replaces all imports by earlier ones, without reading their files.
    fn put_back(&mut self, old: ImportedUnits, imports: Vec<Import>) {
        let Some(mut home) = self.files.units.pop() else { return };
        let ImportedUnits { units, of_home } = old;
        self.files.units.truncate(self.library.basic.len());
        self.files.units.extend(units);
        home.imports = of_home;
        self.files.units.push(home);
        self.imports = imports;
        self.n_steady = None;
    }

    fn take_over(
        &mut self,
        environment: &Environment,
        items: Vec<ast::Item>,
        importer: &str,
        taking: Taking,
        loader: &mut dyn SourceLoader,
    ) -> Defined {
        let mut defined = Defined::default();
        let mut tried = Vec::new();
        for item in items {
            match item {
                ast::Item::Import { path, span } => {
                    self.import(path, span, importer, loader, &mut defined);
                }
                item @ (ast::Item::Const { .. } | ast::Item::Type(_) | ast::Item::Routine(_)) => {
                    tried.push(self.place(item));
                }
            }
        }
        if taking == Taking::AllOrNone && !defined.refused.is_empty() {
            self.give_up(&mut tried, |_| true, &mut defined);
        }
        let mut first_round = true;
        loop {
            let found = self.recheck(environment, &tried);
            let mut wrong: BTreeSet<String> = found.wrong;
            // Messages after some of them have been removed repeat earlier ones.
            let keep = |diagnostic: &Diagnostic| first_round || !diagnostic.is_error();
            if first_round || wrong.is_empty() {
                defined.diagnostics.retain(Diagnostic::is_error);
                defined.diagnostics.extend(found.diagnostics.into_iter().filter(keep));
            }
            first_round = false;
            if wrong.is_empty() {
                break;
            }
            if taking == Taking::AllOrNone {
                wrong.extend(tried.iter().map(|one| one.name.clone()));
            }
            self.give_up(&mut tried, |name| wrong.contains(name), &mut defined);
        }
        for one in tried {
            match importer {
                "" => self.origins.remove(&one.name),
                file => self.origins.insert(one.name.clone(), file.to_owned()),
            };
            let kind = match self.item(&one.name) {
                Some(ast::Item::Routine(routine)) => ItemKind::Routine(routine.kind),
                Some(ast::Item::Type(_)) => ItemKind::Type,
                Some(ast::Item::Const { .. } | ast::Item::Import { .. }) => ItemKind::Const,
                None => continue,
            };
            let replaces = one.before.is_some();
            defined.items.push(DefinedItem { name: one.name, kind, replaces });
        }
        self.note_broken(&mut defined);
        defined
    }

    fn import(
        &mut self,
        path: String,
        span: Span,
        importer: &str,
        loader: &mut dyn SourceLoader,
        defined: &mut Defined,
    ) {
        let Some(mut home) = self.files.units.pop() else { return };
        let n_units = self.files.units.len();
        let unit = self.files.import_all(&path, span, importer, loader, &self.library);
        let known = unit.is_some_and(|unit| home.imports.iter().any(|(other, _)| *other == unit));
        home.imports.extend(unit.filter(|_| !known).map(|unit| (unit, span)));
        self.files.units.push(home);
        if self.files.units.len() > n_units + 1 {
            self.n_steady = None;
        }
        let mut found = std::mem::take(&mut self.files.diagnostics);
        let mut world = Vec::new();
        World::new(&self.files.units, &self.library, &mut world);
        found.extend(world.into_iter().filter(|one| one.span() == Some(span)));
        let failed = unit.is_none() || found.iter().any(Diagnostic::is_error);
        defined.diagnostics.extend(found);
        if failed {
            let home = self.home();
            self.files.units[home].imports.retain(|(_, place)| *place != span);
            defined.refused.push(path);
            return;
        }
        if !known {
            let importer = importer.to_owned();
            self.imports.push(Import { path: path.clone(), span, importer });
        }
        defined.items.push(DefinedItem { name: path, kind: ItemKind::Import, replaces: known });
    }

    /// Puts an item into home, replacing the one with its name.
    fn place(&mut self, item: ast::Item) -> Tried {
        let name = name_of(&item).unwrap_or_default().to_owned();
        let span = span_of(&item);
        if let ast::Item::Routine(routine) = &item
            && routine.kind == ast::RoutineKind::Program
            && let Some(other) = self.program().filter(|other| *other != name)
        {
            // Only the last program is kept.
            self.remove(&other);
        }
        let home = self.home();
        let items = &mut self.files.units[home].tree.items;
        let before = match self.places.get(&name) {
            Some(&place) => Some(std::mem::replace(&mut items[place], item)),
            None => {
                self.places.insert(name.clone(), items.len());
                items.push(item);
                None
            }
        };
        Tried { name, span, before }
    }

    /// Returns the name of the program, if there is one.
    pub fn program(&self) -> Option<String> {
        self.items().iter().find_map(|item| match item {
            ast::Item::Routine(routine) if routine.kind == ast::RoutineKind::Program => {
                Some(routine.name.name.to_string())
            }
            ast::Item::Routine(_)
            | ast::Item::Const { .. }
            | ast::Item::Type(_)
            | ast::Item::Import { .. } => None,
        })
    }

    fn remove(&mut self, name: &str) {
        let Some(place) = self.places.remove(name) else { return };
        let home = self.home();
        self.files.units[home].tree.items.remove(place);
        for other in self.places.values_mut() {
            *other -= usize::from(*other > place);
        }
        self.origins.remove(name);
        self.broken.remove(name);
    }

    /// Reverts the definitions of the names in `wrong`.
    fn give_up(
        &mut self,
        tried: &mut Vec<Tried>,
        wrong: impl Fn(&str) -> bool,
        defined: &mut Defined,
    ) {
        // The last one first, because a name may have been tried twice.
        let mut kept = Vec::new();
        for one in std::mem::take(tried).into_iter().rev() {
            if !wrong(&one.name) {
                kept.push(one);
                continue;
            }
            let home = self.home();
            match (one.before, self.places.get(&one.name)) {
                (Some(before), Some(&place)) => {
                    self.files.units[home].tree.items[place] = before;
                }
                (Some(_) | None, _) => self.remove(&one.name),
            }
            if !defined.refused.contains(&one.name) {
                defined.refused.insert(0, one.name);
            }
        }
        kept.reverse();
        *tried = kept;
    }

    /// Checks everything but home, unless already done.
    pub(super) fn check_steady(&mut self) {
        if self.n_steady.is_none() {
            self.recheck(&Environment::default(), &[]);
        }
    }

    /// Checks home, and everything else unless already done.
    fn recheck(&mut self, environment: &Environment, tried: &[Tried]) -> CheckOutcome {
        let home = self.home();
        let mut of_world = Vec::new();
        let mut world = World::new(&self.files.units, &self.library, &mut of_world);
        world.session = Some(environment);
        let steady = world.signatures.iter().filter(|signature| signature.unit < home).count();
        let mut checked = std::mem::take(&mut self.hir.routines);
        let n_kept = checked.len().min(self.n_steady.unwrap_or(0));
        let before = checked.split_off(n_kept);
        let Rechecked { program, constants, routines } =
            check::recheck(&world, &self.files.sources, checked);
        let new_spans: BTreeSet<Span> = tried.iter().map(|one| one.span).collect();
        let names: Vec<OfHome> = world.signatures[steady..]
            .iter()
            .zip(steady..)
            .map(|(signature, idx)| OfHome {
                id: RoutineId(idx as u32),
                name: signature.tree.name.name.to_string(),
                span: signature.tree.span,
                is_new: new_spans.contains(&signature.tree.span),
            })
            .collect();
        self.hir = program;
        self.n_steady = Some(steady);
        let n_items = self.hir.routines.len();
        for cache in &mut self.lowered {
            cache.forget(n_items, |id| {
                let idx = id.0 as usize;
                idx >= n_kept && before.get(idx - n_kept) != self.hir.routines.get(idx)
            });
        }

        let mut found = CheckOutcome::default();
        let within = |diagnostic: &Diagnostic| {
            let at = diagnostic.span()?;
            tried.iter().find(|one| {
                one.span.file == at.file && one.span.start <= at.start && at.end <= one.span.end
            })
        };
        for diagnostic in of_world.into_iter().chain(constants) {
            match within(&diagnostic) {
                Some(one) => {
                    if diagnostic.is_error() {
                        found.wrong.insert(one.name.clone());
                    }
                    found.diagnostics.push(diagnostic);
                }
                // A constant depends on one that has changed: nothing new is accepted.
                None if diagnostic.is_error() && !tried.is_empty() => {
                    found.wrong.extend(tried.iter().map(|one| one.name.clone()));
                    found.diagnostics.push(diagnostic);
                }
                None => {}
            }
        }
        self.broken.clear();
        for (id, diagnostics) in routines {
            let of_home = (id.0 as usize).checked_sub(steady).and_then(|idx| names.get(idx));
            let Some(OfHome { name, is_new, .. }) = of_home else { continue };
            let wrong = diagnostics.iter().any(Diagnostic::is_error);
            if *is_new {
                found.wrong.extend(wrong.then(|| name.clone()));
                found.diagnostics.extend(diagnostics);
            } else if wrong {
                self.broken.insert(name.clone(), diagnostics);
            }
        }
        if found.wrong.is_empty() {
            let replaces = tried.iter().any(|one| one.before.is_some());
            self.try_lowering(&names, true, &mut found);
            if replaces && found.wrong.is_empty() {
                // The replacements may have invalidated other routines.
                self.try_lowering(&names, false, &mut found);
            }
        }
        found
    }

    /// Lowers the routines that are new, or those that are not.
    fn try_lowering(&mut self, names: &[OfHome], new: bool, found: &mut CheckOutcome) {
        let concerned = names.iter().filter(|one| one.is_new == new);
        let concerned: Vec<&OfHome> =
            concerned.filter(|one| self.reaches_broken(one.id).is_none()).collect();
        let roots: Vec<RoutineId> = concerned.iter().map(|one| one.id).collect();
        let cache = lowered_with(&mut self.lowered, &LowerOptions::default());
        if let Err(fault) = cache.lower(&self.hir, self.hir.routines.len(), &roots) {
            found.diagnostics.push(*fault);
        }
        for diagnostic in roots.iter().flat_map(|&id| cache.said(id)).cloned() {
            let within = |one: &&&OfHome| {
                diagnostic.span().is_some_and(|at| {
                    at.file == one.span.file && one.span.start <= at.start && at.end <= one.span.end
                })
            };
            let Some(one) = concerned.iter().find(within) else { continue };
            if new {
                found.wrong.extend(diagnostic.is_error().then(|| one.name.clone()));
                found.diagnostics.push(diagnostic);
            } else if diagnostic.is_error() {
                self.broken.entry(one.name.clone()).or_default().push(diagnostic);
            }
        }
    }

    /// Records which routines have become invalid, or valid again.
    fn note_broken(&mut self, defined: &mut Defined) {
        let before = std::mem::take(&mut self.told_broken);
        let now: BTreeSet<String> = self.broken.keys().cloned().collect();
        defined.broken.extend(now.difference(&before).cloned());
        let there = |name: &&String| self.places.contains_key(*name);
        let again = before.difference(&now).filter(there).cloned();
        let again = again.filter(|name| !defined.items.iter().any(|item| item.name == *name));
        defined.mended.extend(again.collect::<Vec<_>>());
        self.told_broken = now;
    }
}

/// A routine of home.
struct OfHome {
    id: RoutineId,
    name: String,
    span: Span,
    is_new: bool,
}

/// Which items are accepted if some of them are wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taking {
    WhatIsRight,
    AllOrNone,
}

/// The result of a check.
#[derive(Default)]
struct CheckOutcome {
    /// The new definitions that are wrong.
    wrong: BTreeSet<String>,
    /// The messages about new definitions.
    diagnostics: Vec<Diagnostic>,
}
