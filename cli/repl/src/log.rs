//! What was typed and ran, for `:save`, and what of it a program cannot repeat.

use std::collections::BTreeSet;

use star_base::text;

/// What a line did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    /// It showed the value of an expression.
    Showed,
    /// It ran statements.
    Ran,
    /// It declared variables, which the session knows.
    Declared,
}

/// A line, without the semicolon behind it.
#[derive(Clone, Debug)]
enum LogEntry {
    /// It ran to its end.
    Statement(String),
    /// It ran, but not to its end.
    Wrong(String),
}

/// The texts that ran, in order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: Vec<LogEntry>,
    /// Variables that were declared when they were there already.
    redeclared: BTreeSet<String>,
    /// Variables whose values come from a graph.
    offered: BTreeSet<String>,
    /// Did a line leave itself by `exit`?
    exits: bool,
}

impl Log {
    /// A line ran to its end.
    pub(crate) fn add(&mut self, text: &str, did: Did) {
        let text = bare(text);
        match did {
            Did::Showed => self.entries.push(LogEntry::Statement(format!("print({text})"))),
            Did::Ran => self.entries.push(LogEntry::Statement(text.to_owned())),
            Did::Declared => {}
        }
    }

    /// A line did not run to its end.
    pub(crate) fn add_wrong(&mut self, text: &str) {
        self.entries.push(LogEntry::Wrong(bare(text).to_owned()));
    }

    /// A variable was declared that was there already.
    pub(crate) fn redeclare(&mut self, name: &str) {
        self.redeclared.insert(name.to_owned());
    }

    /// A variable has its value from a graph.
    pub(crate) fn offer(&mut self, name: &str) {
        self.offered.insert(name.to_owned());
    }

    /// A line mentions `exit`.
    pub(crate) fn exit(&mut self) {
        self.exits = true;
    }

    /// Did nothing run?
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The statements of a program that does the same, line by line; what went wrong is a comment.
    pub(crate) fn body(&self) -> String {
        let last = self.entries.iter().rposition(|entry| matches!(entry, LogEntry::Statement(_)));
        let texts = self.entries.iter().enumerate().map(|(idx, entry)| match entry {
            LogEntry::Statement(text) if Some(idx) == last => format!("{text}\n"),
            LogEntry::Statement(text) => format!("{text};\n"),
            LogEntry::Wrong(text) => {
                let lines = text.lines().map(|line| format!("// {line}\n"));
                format!("// This went wrong:\n{}", lines.collect::<String>())
            }
        });
        texts.collect()
    }

    /// What the program does not do as the session did, in sentences.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut found = Vec::new();
        let n_wrong =
            self.entries.iter().filter(|entry| matches!(entry, LogEntry::Wrong(_))).count();
        match n_wrong {
            0 => {}
            1 => found.push(
                "one line went wrong and is a comment: the program does not do what it did until then"
                    .to_owned(),
            ),
            n => found.push(format!(
                "{n} lines went wrong and are comments: the program does not do what they did until then"
            )),
        }
        if !self.redeclared.is_empty() {
            let names = text::quoted_list(&self.redeclared);
            let one = self.redeclared.len() == 1;
            let (verb, it) = if one { ("was", "it") } else { ("were", "them") };
            found.push(format!(
                "{names} {verb} declared more than once: the program declares {it} once, and never empties {it}"
            ));
        }
        if self.exits {
            found.push("`exit` ended its line, and ends the whole program".to_owned());
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

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Log::default();
    }
}

/// A text without the semicolons behind it.
fn bare(text: &str) -> &str {
    text.trim().trim_end_matches(';')
}
