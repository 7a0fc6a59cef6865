//! The statements and variables of the program that `:save` writes.
//!
//! A line that only concerns deleted names is left out. A deleted name that another line needs
//! keeps its declaration, so that the program computes the values of the variables that remain.

use std::collections::{BTreeMap, BTreeSet};

use star_base::text;
use star_compiler::session::{Environment, Variable};

use super::log::{Did, End, Line, Log, Meaning, MeaningId, mention_item};

/// Maximum length of a line in a note.
const MAX_QUOTED: usize = 40;

/// The parts of a program.
#[derive(Debug, Default)]
pub(crate) struct SavedProgram {
    /// The texts of deleted definitions that the statements need.
    pub(crate) items: Vec<String>,
    /// The variables, in the order of their names.
    pub(crate) variables: Vec<(String, Variable)>,
    /// The statements, line by line; failed lines are comments.
    pub(crate) body: String,
    /// The differences from the session, in sentences.
    pub(crate) differences: Vec<String>,
}

impl Log {
    /// Returns the program that repeats the lines. `is_taken` tests whether a name has another
    /// meaning; `answer` is the variable that the session sets itself.
    pub(crate) fn program(
        &self,
        environment: &Environment,
        is_taken: &dyn Fn(&str) -> bool,
        answer: Option<&str>,
    ) -> SavedProgram {
        let needs = self.needs();
        let unused_answer = |name: &str| {
            let meaning = self.meanings.iter().rposition(|one| one.name == name);
            Some(name) == answer && !meaning.is_some_and(|id| needs.variables.contains(&id))
        };
        let mut variables: Vec<(String, Variable)> = environment
            .iter()
            .filter(|(name, _)| !unused_answer(name))
            .map(|(name, variable)| (name.to_owned(), variable.clone()))
            .collect();
        let mut renamed = Vec::new();
        let mut names = BTreeMap::new();
        for (id, Meaning { name, end, .. }) in self.meanings.iter().enumerate() {
            let Some((_, variable)) = end.as_ref().filter(|_| needs.variables.contains(&id)) else {
                names.insert(id, name.clone());
                continue;
            };
            let is_free = |wanted: &str| {
                !is_taken(wanted) && !variables.iter().any(|(name, _)| name == wanted)
            };
            let numbered = (1_u64..).map(|n| format!("{name}_{n}"));
            let wanted = std::iter::once(name.clone()).chain(numbered).find(|name| is_free(name));
            let wanted = wanted.unwrap_or_else(|| name.clone());
            if wanted != *name && Some(name.as_str()) != answer {
                renamed.push(format!("`{name}` is `{wanted}`"));
            }
            names.insert(id, wanted.clone());
            variables.push((wanted, variable.clone()));
        }
        variables.sort_by(|(a, _), (b, _)| a.cmp(b));
        let items = self.deleted_items.iter().enumerate();
        let items = items.filter(|(idx, _)| needs.items.contains(idx)).map(|(_, item)| item);
        let twice = items.clone().map(|item| &item.name).filter(|name| {
            is_taken(name) || variables.iter().any(|(variable, _)| variable == *name)
        });
        let twice: BTreeSet<&String> = twice.collect();
        let mut differences = self.differences(&needs);
        if !twice.is_empty() {
            let names = text::quoted_list(&twice);
            differences.push(format!(
                "the program has two meanings of {names}: rename the deleted ones by hand"
            ));
        }
        let items = items.map(|item| item.text.clone()).collect();
        if !renamed.is_empty() {
            let list = renamed.join(", ");
            differences.push(format!("a name that has a second meaning is renamed: {list}"));
        }
        SavedProgram { items, variables, body: self.body(&needs, &names), differences }
    }

    /// Returns the lines of the program and what they need, from the last line to the first.
    fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        for (idx, line) in self.lines.iter().enumerate().rev() {
            if self.concerns_deleted(line, &needs) {
                continue;
            }
            needs.lines.insert(idx);
            if line.did == Did::Failed {
                continue;
            }
            needs.variables.extend(line.variables.keys());
            self.need_items(&line.others, &mut needs.items);
        }
        needs
    }

    /// Adds the deleted definitions with these names, and those that they mention.
    fn need_items(&self, names: &BTreeSet<String>, needed: &mut BTreeSet<usize>) {
        for (idx, item) in self.deleted_items.iter().enumerate().rev() {
            if item.is_mentioned(names) && needed.insert(idx) {
                self.need_items(&item.mentions, needed);
            }
        }
    }

    /// Tests whether a line only concerns deleted names that no later line needs.
    fn concerns_deleted(&self, line: &Line, needs: &Needs) -> bool {
        let is_deleted = |id: &MeaningId| {
            matches!(self.meanings[*id].end, Some((End::Deleted, _)))
                && !needs.variables.contains(id)
        };
        let is_needed = line.answer.is_some_and(|id| needs.variables.contains(&id));
        let concerns = !line.variables.is_empty()
            || self.deleted_items.iter().any(|item| item.is_mentioned(&line.others));
        concerns && !is_needed && line.variables.keys().all(is_deleted)
    }

    /// Returns the statements.
    fn body(&self, needs: &Needs, names: &BTreeMap<MeaningId, String>) -> String {
        let kept: Vec<&Line> = needs.lines.iter().map(|&idx| &self.lines[idx]).collect();
        let last = kept.iter().rposition(|line| line.did != Did::Failed);
        let texts = kept.iter().enumerate().map(|(idx, line)| {
            let text = with_names(line, names);
            let end = if Some(idx) == last { "" } else { ";" };
            match line.did {
                Did::Showed => {
                    match line.answer.filter(|answer| needs.variables.contains(answer)) {
                        Some(answer) => {
                            let name = names.get(&answer).map_or("", String::as_str);
                            format!("{name} := {text}; print({name}){end}\n")
                        }
                        None => format!("print({text}){end}\n"),
                    }
                }
                Did::Ran => format!("{text}{end}\n"),
                Did::Failed => {
                    let lines = line.text.lines().map(|line| format!("// {line}\n"));
                    format!("// This failed:\n{}", lines.collect::<String>())
                }
            }
        });
        texts.collect()
    }

    /// Describes how the program differs from the session, in sentences.
    fn differences(&self, needs: &Needs) -> Vec<String> {
        let mut found = Vec::new();
        let kept = || needs.lines.iter().map(|&idx| &self.lines[idx]);
        match kept().filter(|line| line.did == Did::Failed).count() {
            0 => {}
            1 => found.push(
                "one line failed and was saved as a comment: the program does not repeat its \
                    partial effects"
                    .to_owned(),
            ),
            n => found.push(format!(
                "{n} lines failed and were saved as comments: the program does not repeat their \
                    partial effects"
            )),
        }
        match self.lines.len() - needs.lines.len() {
            0 => {}
            1 => found.push("one line that concerns deleted names is left out".to_owned()),
            n => found.push(format!("{n} lines that concern deleted names are left out")),
        }
        for (id, meaning) in self.meanings.iter().enumerate() {
            let deleted = matches!(meaning.end, Some((End::Deleted, _)));
            if deleted && needs.variables.contains(&id) {
                // The last one: nothing needs the lines after it.
                let mut dependants = kept().filter(|line| line.did != Did::Failed);
                let dependant = dependants.rfind(|line| line.variables.contains_key(&id));
                found.push(kept_anyway(&meaning.name, dependant));
            }
        }
        for &idx in &needs.items {
            let item = &self.deleted_items[idx];
            let dependant = kept().find(|line| item.is_mentioned(&line.others));
            found.push(kept_anyway(&item.name, dependant));
        }
        let kept_idx = |idx: &usize| needs.lines.contains(idx);
        let replaced = self.replaced_items.iter().filter(|item| {
            let before = (0..item.n_lines).filter(kept_idx);
            before.map(|idx| &self.lines[idx]).any(|line| {
                let mut dependants = item.dependants.iter();
                line.did != Did::Failed
                    && dependants.any(|(name, routine)| mention_item(&line.others, name, *routine))
            })
        });
        let replaced: BTreeSet<&String> = replaced.map(|item| &item.name).collect();
        if !replaced.is_empty() {
            let names = text::quoted_list(&replaced);
            found.push(format!(
                "lines before the last definition of {names} used an earlier one; the program \
                    uses the last"
            ));
        }
        if kept().any(|line| line.exits && line.did != Did::Failed) {
            found.push("`exit` ended its line, but it ends the whole program".to_owned());
        }
        let offered = self.meanings.iter().filter(|meaning| meaning.is_offered);
        let offered: BTreeSet<&String> = offered.map(|meaning| &meaning.name).collect();
        if !offered.is_empty() {
            let verb = if offered.len() == 1 { "has its value" } else { "have their values" };
            let names = text::quoted_list(&offered);
            found.push(format!(
                "{names} {verb} from `--graph`: the program does not read the graph"
            ));
        }
        found
    }
}

/// What a program contains.
#[derive(Debug, Default)]
struct Needs {
    /// The lines.
    lines: BTreeSet<usize>,
    /// The variables that these mention.
    variables: BTreeSet<MeaningId>,
    /// The deleted definitions that these need.
    items: BTreeSet<usize>,
}

/// Describes a deleted name that the program needs.
fn kept_anyway(name: &str, dependant: Option<&Line>) -> String {
    let because = match dependant {
        Some(line) => format!("`{}` mentions it", quoted(&line.text)),
        None => "another definition mentions it".to_owned(),
    };
    format!("the program keeps the deleted `{name}`: {because}")
}

/// Returns a text on one line, truncated.
pub(super) fn quoted(line: &str) -> String {
    let line = text::one_line(&line.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.chars().nth(MAX_QUOTED) {
        None => line,
        Some(_) => line.chars().take(MAX_QUOTED - 1).chain(['…']).collect(),
    }
}

/// Returns the text of a line with the names of its variables in the program.
fn with_names(line: &Line, names: &BTreeMap<MeaningId, String>) -> String {
    let mut changes: Vec<_> = line
        .variables
        .iter()
        .filter_map(|(id, places)| Some((names.get(id)?, places)))
        .flat_map(|(name, places)| places.iter().map(move |place| (place.clone(), name)))
        .collect();
    changes.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut text = line.text.clone();
    for (place, name) in changes {
        if text.get(place.clone()).is_some() {
            text.replace_range(place, name);
        }
    }
    text
}
