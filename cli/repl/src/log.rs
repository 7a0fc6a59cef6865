//! The record of executed lines for `:save`, including effects that a program cannot repeat.
//!
//! A name may have several meanings in a session: `:delete` or a second declaration ends one, and
//! each value of `ans` is a new one. The record keeps the meanings apart, so that a program can
//! give each of them a variable (`saved`).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use star_base::{Builtin, Span};
use star_compiler::session::{Does, SessionLine, Variable, name_of};
use star_syntax::ast;

use super::execution::Ran;
use super::session::Session;

/// The effect of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    /// Showed the value of an expression.
    Showed,
    /// Ran statements.
    Ran,
    /// Failed while running.
    Failed,
}

/// A name in a text, with its positions in order.
pub(crate) type Mentions = BTreeMap<String, Vec<Range<usize>>>;

/// The number of a meaning of a variable's name.
pub(super) type MeaningId = usize;

/// A line that ran.
#[derive(Debug)]
pub(super) struct Line {
    /// The text without its final semicolon.
    pub(super) text: String,
    pub(super) did: Did,
    /// The variables that it mentions, with their positions in the text.
    pub(super) variables: BTreeMap<MeaningId, Vec<Range<usize>>>,
    /// The other names that it mentions.
    pub(super) others: BTreeSet<String>,
    /// The meaning of `ans` that it sets.
    pub(super) answer: Option<MeaningId>,
    /// Whether it contains `exit`.
    pub(super) exits: bool,
}

/// The end of a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// `:delete` removed the variable.
    Deleted,
    /// The name was declared again.
    Replaced,
}

/// A variable while its name had one meaning.
#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) name: String,
    /// The reason for its end, and the variable then; `None` while it exists.
    pub(super) end: Option<(End, Variable)>,
    /// Whether its value comes from a graph.
    pub(super) is_offered: bool,
}

/// A deleted definition.
#[derive(Debug)]
pub(crate) struct DeletedItem {
    pub(crate) name: String,
    pub(crate) is_routine: bool,
    /// Its text in a program.
    pub(crate) text: String,
    /// The names that it mentions.
    pub(crate) mentions: BTreeSet<String>,
}

impl DeletedItem {
    /// Tests whether a text with these names mentions it.
    pub(super) fn is_mentioned(&self, names: &BTreeSet<String>) -> bool {
        mention_item(names, &self.name, self.is_routine)
    }
}

/// A definition that was replaced.
#[derive(Debug)]
pub(super) struct ReplacedItem {
    pub(super) name: String,
    /// It and the definitions that mention it, directly or not, each with whether it is a routine.
    pub(super) dependants: BTreeMap<String, bool>,
    /// The number of lines before.
    pub(super) n_lines: usize,
}

/// The executed lines, in order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(super) lines: Vec<Line>,
    pub(super) meanings: Vec<Meaning>,
    pub(super) deleted_items: Vec<DeletedItem>,
    /// The definitions that were replaced by others of the same name.
    pub(super) replaced_items: Vec<ReplacedItem>,
    /// The meanings that ended, in order.
    ended: Vec<MeaningId>,
    /// The meanings of the variables that exist.
    current: BTreeMap<String, MeaningId>,
}

/// A length of the record, to which it can be shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    n_lines: usize,
    n_meanings: usize,
    n_deleted: usize,
    n_replaced: usize,
    n_ended: usize,
}

impl Log {
    /// Records a line. `is_variable` tells variables from other names.
    pub(crate) fn add(
        &mut self,
        text: &str,
        did: Did,
        mentions: Mentions,
        is_variable: &dyn Fn(&str) -> bool,
        exits: bool,
    ) {
        let text = text.trim_end().trim_end_matches(';').to_owned();
        let (variables, others): (Vec<_>, Vec<_>) =
            mentions.into_iter().partition(|(name, _)| is_variable(name));
        let variables =
            variables.into_iter().map(|(name, places)| (self.meaning(&name), places)).collect();
        let others = others.into_iter().map(|(name, _)| name).collect();
        self.lines.push(Line { text, did, variables, others, answer: None, exits });
    }

    /// Records that a line set the variable `name` to its value.
    pub(crate) fn answer(&mut self, line_idx: usize, name: &str, before: Option<Variable>) {
        if let Some(before) = before {
            self.end(name, End::Replaced, before);
        }
        let meaning = self.meaning(name);
        if let Some(line) = self.lines.get_mut(line_idx) {
            line.answer = Some(meaning);
        }
    }

    /// Records that a name no longer means this variable.
    pub(crate) fn end(&mut self, name: &str, end: End, variable: Variable) {
        let meaning = self.meaning(name);
        self.meanings[meaning].end = Some((end, variable));
        self.ended.push(meaning);
        self.current.remove(name);
    }

    /// Records that the value of a variable comes from a graph.
    pub(crate) fn offer(&mut self, name: &str) {
        let meaning = self.meaning(name);
        self.meanings[meaning].is_offered = true;
    }

    /// Records a deleted definition.
    pub(crate) fn delete_item(&mut self, item: DeletedItem) {
        self.deleted_items.push(item);
    }

    /// Records that another definition replaced one that these depend on.
    fn replace_item(&mut self, name: &str, dependants: BTreeMap<String, bool>) {
        let (name, n_lines) = (name.to_owned(), self.lines.len());
        self.replaced_items.push(ReplacedItem { name, dependants, n_lines });
    }

    /// Tests whether no line ran.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the current length.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            n_lines: self.lines.len(),
            n_meanings: self.meanings.len(),
            n_deleted: self.deleted_items.len(),
            n_replaced: self.replaced_items.len(),
            n_ended: self.ended.len(),
        }
    }

    /// Removes everything recorded since the mark.
    pub(crate) fn shorten(&mut self, mark: Mark) {
        self.lines.truncate(mark.n_lines);
        for meaning in self.ended.drain(mark.n_ended..) {
            self.meanings[meaning].end = None;
        }
        self.meanings.truncate(mark.n_meanings);
        self.deleted_items.truncate(mark.n_deleted);
        self.replaced_items.truncate(mark.n_replaced);
        let existing = self.meanings.iter().enumerate().filter(|(_, one)| one.end.is_none());
        self.current = existing.map(|(idx, one)| (one.name.clone(), idx)).collect();
    }

    /// Clears the record.
    pub(crate) fn clear(&mut self) {
        *self = Log::default();
    }

    /// Returns the current meaning of a variable's name.
    fn meaning(&mut self, name: &str) -> MeaningId {
        if let Some(&meaning) = self.current.get(name) {
            return meaning;
        }
        self.meanings.push(Meaning { name: name.to_owned(), end: None, is_offered: false });
        self.current.insert(name.to_owned(), self.meanings.len() - 1);
        self.meanings.len() - 1
    }
}

impl Session {
    /// Records executed text for `:save`.
    pub(super) fn keep(&mut self, span: Span, did: Did, ran: Ran) {
        let (did, ended) = match ran {
            Ran::Not => return,
            Ran::Wrong | Ran::Left => (Did::Failed, false),
            Ran::Well => (did, true),
        };
        self.entry_has_effect();
        let sources = self.state.definitions.sources();
        let text = sources.slice(span);
        let found = star_syntax::mentions(sources, span);
        let is_exit = |name: &&str| Builtin::find(name) == Some(Builtin::Exit);
        let exits = ended && found.keys().any(is_exit);
        let mut mentions = Mentions::new();
        for (name, places) in found {
            let places = places.iter().map(|place| {
                (place.start - span.start) as usize..(place.end - span.start) as usize
            });
            // A name after a dot is that of a field.
            let is_field = |start: usize| text[..start].trim_end().ends_with('.');
            let places = places.filter(|place| !is_field(place.start));
            mentions.insert(name.to_owned(), places.collect());
        }
        let environment = &self.state.environment;
        let is_variable = |name: &str| environment.get(name).is_some();
        self.log.add(text, did, mentions, &is_variable, exits);
        self.note_answering_line(self.log.lines.len() - 1);
    }

    /// Returns the texts of all definitions, by name.
    pub(super) fn item_texts(&self) -> BTreeMap<String, String> {
        let items = self.state.definitions.items();
        let named = items.iter().filter_map(|item| Some((name_of(item)?, item)));
        named.map(|(name, item)| (name.to_owned(), self.item_text(item))).collect()
    }

    /// Records the definitions whose texts differ from these, those before.
    pub(super) fn note_replaced_items(&mut self, before: &BTreeMap<String, String>) {
        for (name, text) in before {
            let item = self.state.definitions.item(name);
            if item.is_some_and(|item| self.item_text(item) != *text) {
                let dependants = self.dependants(name);
                self.log.replace_item(name, dependants);
            }
        }
    }

    /// Returns a definition and those that mention it, directly or not, each with whether it is a
    /// routine.
    fn dependants(&self, name: &str) -> BTreeMap<String, bool> {
        let is_routine = |item: &ast::Item| matches!(item, ast::Item::Routine(_));
        let definitions = &self.state.definitions;
        let mut found = BTreeMap::new();
        found.extend(definitions.item(name).map(|item| (name.to_owned(), is_routine(item))));
        loop {
            let n_before = found.len();
            for item in definitions.items() {
                let names = self.names_in(item);
                let mut known = found.iter();
                if known.any(|(name, is_routine)| mention_item(&names, name, *is_routine)) {
                    let own = name_of(item).unwrap_or_default().to_owned();
                    found.insert(own, is_routine(item));
                }
            }
            if found.len() == n_before {
                return found;
            }
        }
    }

    /// Returns the variables that a line declares again.
    pub(super) fn replaced(&self, line: &SessionLine) -> Vec<(String, Variable)> {
        let Does::Run { variables, .. } = &line.does else { return Vec::new() };
        let known = variables.iter().filter_map(|declared| {
            let variable = self.state.environment.get(&declared.name)?;
            Some((declared.name.clone(), variable.clone()))
        });
        known.collect()
    }
}

/// Tests whether a text that mentions these names mentions a definition. A hyphen separates names,
/// and the letter case of a routine may differ.
pub(crate) fn mention_item(names: &BTreeSet<String>, item: &str, is_routine: bool) -> bool {
    let alike = |name: &String, part: &str| match is_routine {
        true => name.eq_ignore_ascii_case(part),
        false => name == part,
    };
    item.split('-').all(|part| names.iter().any(|name| alike(name, part)))
}
