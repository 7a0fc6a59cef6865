//! The record of executed lines for `:save`, including effects that a program cannot repeat.

use std::collections::BTreeSet;

use star_base::text;

/// The effect of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    /// Showed the value of an expression.
    Showed,
    /// Ran statements.
    Ran,
    /// Declared variables, which the session knows.
    Declared,
}

/// A line without its final semicolon.
#[derive(Clone, Debug)]
enum LogEntry {
    /// Ran to its end.
    Statement(String),
    /// Failed while running.
    Wrong(String),
}

/// The executed texts, in order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: Vec<LogEntry>,
    /// Variables that were declared again.
    redeclared: BTreeSet<String>,
    /// Variables whose values come from a graph.
    offered: BTreeSet<String>,
    /// Whether a line ended by `exit`.
    exits: bool,
}

impl Log {
    /// Records a line that ran to its end.
    pub(crate) fn add(&mut self, text: &str, did: Did) {
        let text = bare(text);
        match did {
            Did::Showed => self.entries.push(LogEntry::Statement(format!("print({text})"))),
            Did::Ran => self.entries.push(LogEntry::Statement(text.to_owned())),
            Did::Declared => {}
        }
    }

    /// Records a line that failed.
    pub(crate) fn add_wrong(&mut self, text: &str) {
        self.entries.push(LogEntry::Wrong(bare(text).to_owned()));
    }

    /// Records that an existing variable was declared again.
    pub(crate) fn redeclare(&mut self, name: &str) {
        self.redeclared.insert(name.to_owned());
    }

    /// Records that the value of a variable comes from a graph.
    pub(crate) fn offer(&mut self, name: &str) {
        self.offered.insert(name.to_owned());
    }

    /// Records that a line contains `exit`.
    pub(crate) fn exit(&mut self) {
        self.exits = true;
    }

    /// Tests whether no line ran.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the statements of an equivalent program, line by line; failed lines become comments.
    pub(crate) fn body(&self) -> String {
        let last = self.entries.iter().rposition(|entry| matches!(entry, LogEntry::Statement(_)));
        let texts = self.entries.iter().enumerate().map(|(idx, entry)| match entry {
            LogEntry::Statement(text) if Some(idx) == last => format!("{text}\n"),
            LogEntry::Statement(text) => format!("{text};\n"),
            LogEntry::Wrong(text) => {
                let lines = text.lines().map(|line| format!("// {line}\n"));
                format!("// This failed:\n{}", lines.collect::<String>())
            }
        });
        texts.collect()
    }

    /// Describes how the program differs from the session, in sentences.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut found = Vec::new();
        let n_wrong =
            self.entries.iter().filter(|entry| matches!(entry, LogEntry::Wrong(_))).count();
        match n_wrong {
            0 => {}
            1 => found.push(
                "one line failed and is a comment: the program does not repeat its partial effects"
                    .to_owned(),
            ),
            n => found.push(format!(
                "{n} lines failed and are comments: the program does not repeat their partial \
                    effects"
            )),
        }
        if !self.redeclared.is_empty() {
            let names = text::quoted_list(&self.redeclared);
            let one = self.redeclared.len() == 1;
            let (verb, it) = if one { ("was", "it") } else { ("were", "them") };
            found.push(format!(
                "{names} {verb} declared more than once: the program declares {it} once and never \
                    clears {it}"
            ));
        }
        if self.exits {
            found.push("`exit` ended its line, but it ends the whole program".to_owned());
        }
        if !self.offered.is_empty() {
            let names = text::quoted_list(&self.offered);
            let verb = if self.offered.len() == 1 { "has its value" } else { "have their values" };
            found.push(format!(
                "{names} {verb} from `--graph`: the program does not read the graph"
            ));
        }
        found
    }

    /// Clears the record.
    pub(crate) fn clear(&mut self) {
        *self = Log::default();
    }
}

/// Returns a text without its final semicolons.
fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(';')
}
