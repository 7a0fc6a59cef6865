//! `:undo` and `:delete`: the state before an entry, and its restoration.
//!
//! Before an entry changes a variable, its value is copied ([`Session::keep_value`]). The copies of
//! all entries together are limited; the oldest are dropped.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use star_base::text;
use star_base::{Code, Diagnostic, did_you_mean};
use star_compiler::session::{Definitions, Variable, span_of};
use star_ir::Ty;
use star_os::failure::refused_by_backend;
use star_syntax::{ast, mentions};
use star_value::Value;

use super::command::Command;
use super::commands::usage;
use super::event::{Event, Sink};
use super::log::{DeletedItem, End, Mark, mention_item};
use super::saved::quoted;
use super::session::Session;

/// Maximum number of entries that can be undone.
const MAX_ENTRIES: usize = 100;

/// Maximum memory of the copies of an entry: a larger copy takes a noticeable time.
const MAX_ENTRY_BYTES: u64 = 64 << 20;

/// Maximum memory of all copies.
const MAX_BYTES: u64 = 512 << 20;

/// The same as a divisor of the memory of all variables.
const MEMORY_SHARE: u64 = 8;

/// The entries that can be undone.
#[derive(Default)]
pub(super) struct Undo {
    /// The oldest entry first.
    entries: VecDeque<Before>,
    /// The entry that runs.
    current: Option<Before>,
}

/// The state before an entry.
struct Before {
    /// The text of the entry.
    entry: String,
    mark: Mark,
    /// The definitions and loaded files, if the entry may change them.
    definitions: Option<(Definitions, Vec<String>)>,
    /// The variables that the entry may change; `None` for those that did not exist.
    variables: BTreeMap<String, Option<(Variable, Value)>>,
    n_bytes: u64,
    /// The greatest allowed `n_bytes`.
    max_bytes: u64,
    /// The reason why the entry cannot be undone.
    lost: Option<String>,
    owns_answer: bool,
    /// Whether the entry did anything.
    is_effective: bool,
    /// Whether it may have changed a definition or a variable other than the answer.
    changes: bool,
}

impl Session {
    /// Begins an entry that can be undone.
    pub(super) fn begin_entry(&mut self, entry: &str) {
        let max_bytes = MAX_ENTRY_BYTES.min(self.memory() / MEMORY_SHARE);
        self.begin(entry, max_bytes);
    }

    /// Begins an entry that is repeated, whatever the time that a copy of its variables takes.
    pub(super) fn begin_repeated_entry(&mut self, entry: &str) {
        self.begin(entry, self.memory() / 2);
    }

    fn begin(&mut self, entry: &str, max_bytes: u64) {
        self.undo.current = Some(Before {
            entry: quoted(entry.trim().trim_end_matches(';')),
            mark: self.log.mark(),
            definitions: None,
            variables: BTreeMap::new(),
            n_bytes: 0,
            max_bytes,
            lost: None,
            owns_answer: self.owns_answer,
            is_effective: false,
            changes: false,
        });
    }

    /// Ends the entry.
    pub(super) fn end_entry(&mut self) {
        let Some(entry) = self.undo.current.take().filter(|entry| entry.is_effective) else {
            return;
        };
        let most = MAX_BYTES.min(self.memory() / MEMORY_SHARE);
        if let Some(last) = self.undo.entries.back_mut().filter(|last| !last.changes)
            && !entry.changes
        {
            // Both are undone together, to the state before the first of them. Only the answer is
            // among their variables.
            if last.variables.is_empty() {
                (last.variables, last.n_bytes) = (entry.variables, entry.n_bytes);
                last.lost = entry.lost;
            }
            return;
        }
        self.undo.entries.push_back(match entry.n_bytes > most {
            true => Before {
                lost: Some("the copies of its variables were too large to keep".to_owned()),
                variables: BTreeMap::new(),
                n_bytes: 0,
                ..entry
            },
            false => entry,
        });
        let mut n_bytes: u64 = self.undo.entries.iter().map(|entry| entry.n_bytes).sum();
        while n_bytes > most || self.undo.entries.len() > MAX_ENTRIES {
            let Some(oldest) = self.undo.entries.pop_front() else { break };
            n_bytes -= oldest.n_bytes;
        }
    }

    /// Forgets all entries.
    pub(super) fn forget_entries(&mut self) {
        self.undo = Undo::default();
    }

    /// Records that the entry changes something.
    pub(super) fn entry_has_effect(&mut self) {
        if let Some(entry) = &mut self.undo.current {
            entry.is_effective = true;
        }
    }

    /// Keeps the definitions before the entry changes them.
    pub(super) fn keep_definitions(&mut self) {
        if let Some(entry) = &mut self.undo.current {
            entry.changes = true;
            let files = &self.files;
            let now = || (self.state.definitions.definitions(), files.clone());
            entry.definitions.get_or_insert_with(now);
        }
    }

    /// Keeps a variable before the entry changes it.
    pub(super) fn keep_value(&mut self, name: &str) {
        if let Some(entry) = &mut self.undo.current {
            entry.changes = true;
        }
        self.keep_copy(name);
    }

    /// Keeps a variable before the session itself changes it.
    pub(super) fn keep_copy(&mut self, name: &str) {
        let Some(entry) = &mut self.undo.current else { return };
        if entry.lost.is_some() || entry.variables.contains_key(name) {
            return;
        }
        let Some(variable) = self.state.environment.get(name) else {
            entry.variables.insert(name.to_owned(), None);
            return;
        };
        let n_bytes = self.state.bytes(name);
        if self.state.values.ty(name) == Some(Ty::Handle) {
            entry.lost = Some(format!("`{name}` holds a handle, which cannot be copied"));
        } else if entry.n_bytes.saturating_add(n_bytes) > entry.max_bytes {
            let (n_bytes, most) = text::bytes_and_budget(entry.n_bytes + n_bytes, entry.max_bytes);
            entry.lost =
                Some(format!("a copy of its variables needs {n_bytes}, at most {most} is kept"));
        } else {
            match self.state.values.store(name, &self.flags.interrupt) {
                Ok(value) => {
                    entry.n_bytes += n_bytes;
                    entry.variables.insert(name.to_owned(), Some((variable.clone(), value)));
                }
                Err(error) => {
                    let what = format!("cannot copy `{name}`");
                    entry.lost = Some(refused_by_backend(&what, &error).message);
                }
            }
        }
        if entry.lost.is_some() {
            entry.n_bytes = 0;
            entry.variables.clear();
        }
    }

    /// Restores the variables before the current entry, so that it can run again.
    ///
    /// # Errors
    /// If their values were not kept or do not fit.
    pub(super) fn rewind_values(&mut self) -> Result<(), Diagnostic> {
        let Some(entry) = self.undo.current.take() else { return Ok(()) };
        let restored = match &entry.lost {
            Some(why) => {
                Err(Diagnostic::new(Code::Usage, "the entry cannot be repeated").note(why.clone()))
            }
            None => self.restore_values(&entry.variables),
        };
        self.undo.current = Some(entry);
        restored
    }

    /// Restores all variables or none.
    fn restore_values(
        &mut self,
        variables: &BTreeMap<String, Option<(Variable, Value)>>,
    ) -> Result<(), Diagnostic> {
        let temporary = |name: &str| format!("‹undo {name}›");
        let values = &mut self.state.values;
        for (name, before) in variables {
            let Some((variable, value)) = before else { continue };
            let loaded = values.load(&temporary(name), value.clone(), variable.is_fixed());
            if let Err(error) = loaded {
                variables.keys().for_each(|name| values.forget(&temporary(name)));
                let what = format!("cannot restore `{name}`");
                return Err(refused_by_backend(&what, &error).note("nothing was undone"));
            }
        }
        for (name, before) in variables {
            match before {
                Some((variable, _)) => {
                    self.state.values.rename(&temporary(name), name);
                    self.state.environment.declare(name, variable.clone());
                }
                None => self.state.forget(name),
            }
        }
        Ok(())
    }

    /// Undoes the last entry that changed a variable or a definition, and those after it, which
    /// only showed values.
    pub(super) fn undo(&mut self, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        if !self.undo.entries.iter().any(|entry| entry.changes) {
            let message = "there is no entry to undo";
            return Err(Diagnostic::new(Code::Usage, message)
                .note(format!("at most the last {MAX_ENTRIES} entries can be undone")));
        }
        while let Some(entry) = self.undo.entries.pop_back() {
            let (changes, text) = (entry.changes, entry.entry.clone());
            self.undo_entry(entry)?;
            if changes {
                sink.show(Event::Answer(&format!("undone: `{text}`\n")));
                break;
            }
        }
        Ok(())
    }

    fn undo_entry(&mut self, mut entry: Before) -> Result<(), Diagnostic> {
        let restored = match &entry.lost {
            Some(why) => {
                let message = format!("`{}` cannot be undone", entry.entry);
                Err(Diagnostic::new(Code::Usage, message).note(why.clone()))
            }
            None => self.restore_values(&entry.variables),
        };
        if let Err(diagnostic) = restored {
            self.undo.entries.push_back(entry);
            return Err(diagnostic);
        }
        if let Some((definitions, files)) = entry.definitions.take() {
            let sentry = self.sentry();
            let imports = &mut self.access.imports();
            self.state.definitions.restore(&self.state.environment, definitions, imports);
            drop(sentry);
            self.files = files;
        }
        self.log.shorten(entry.mark);
        self.owns_answer = entry.owns_answer;
        Ok(())
    }

    /// Deletes variables and definitions, all or none.
    pub(super) fn delete(&mut self, rest: &str, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
        let names: BTreeSet<&str> =
            rest.split([' ', '\t', ',']).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(usage(Command::Delete));
        }
        let definitions = &self.state.definitions;
        for name in &names {
            if self.state.environment.get(name).is_none() && definitions.item(name).is_none() {
                return Err(self.not_deletable(name));
            }
        }
        // A definition that others mention stays: they could not be called without it.
        for item in definitions.items() {
            let mentioned = self.names_in(item);
            let own = star_compiler::session::name_of(item).unwrap_or_default();
            let used = names.iter().find(|name| {
                let item = definitions.item(name);
                item.is_some_and(|item| mention_item(&mentioned, name, is_routine(item)))
            });
            if let Some(used) = used.filter(|_| !names.contains(own)) {
                let message = format!("`{own}` mentions `{used}`, which cannot be deleted");
                return Err(Diagnostic::new(Code::Usage, message)
                    .help(format!("`:delete {own} {rest}` deletes both")));
            }
        }
        self.begin_entry(&format!(":delete {rest}"));
        self.entry_has_effect();
        for name in &names {
            if let Some(variable) = self.state.environment.get(name).cloned() {
                self.keep_value(name);
                self.log.end(name, End::Deleted, variable);
                self.state.forget(name);
            }
            if let Some(item) = self.state.definitions.item(name) {
                let item = DeletedItem {
                    name: (*name).to_owned(),
                    is_routine: is_routine(item),
                    text: self.item_text(item),
                    mentions: self.names_in(item),
                };
                self.keep_definitions();
                self.log.delete_item(item);
                self.state.definitions.delete(&self.state.environment, name);
            }
        }
        self.end_entry();
        sink.show(Event::Answer(&format!("deleted: {}\n", text::quoted_list(names))));
        Ok(())
    }

    /// Returns the names that a definition mentions, except its own.
    pub(super) fn names_in(&self, item: &ast::Item) -> BTreeSet<String> {
        let own = star_compiler::session::name_of(item).unwrap_or_default();
        let found = mentions(self.state.definitions.sources(), span_of(item));
        found.into_keys().filter(|name| *name != own).map(str::to_owned).collect()
    }

    /// Returns the error for a name that is neither a variable nor a definition of the session.
    fn not_deletable(&self, name: &str) -> Diagnostic {
        let shown = text::one_line(name);
        let message = format!("`{shown}` is not a name of this session");
        let diagnostic = Diagnostic::new(Code::UnknownName, message);
        if self.state.definitions.visible_names().any(|known| known == name) {
            return diagnostic.note("it belongs to an imported module");
        }
        let variables = self.state.environment.iter().map(|(name, _)| name);
        let items = self.state.definitions.items();
        let items = items.iter().filter_map(star_compiler::session::name_of);
        match did_you_mean(name, variables.chain(items)) {
            Some(meant) => diagnostic.help(format!("did you mean `:delete {meant}`?")),
            None => diagnostic,
        }
    }
}

fn is_routine(item: &ast::Item) -> bool {
    matches!(item, ast::Item::Routine(_))
}
