//! Documentation comments: what a file says about itself and its routines.
//!
//! A comment directly in front of a routine's header documents the routine, the comment at the top of
//! a file the file. Each is free text, then paragraphs with a [`Label`] in a fixed order; CONTRIBUTING.md
//! shows the form. [`documentation`] reads the comments of a file, [`parse`] a text that is one comment,
//! [`example`] makes programs of the examples.
//!
//! Nothing here runs, prints or resolves anything.

mod blocks;
mod comment;
pub mod example;
mod form;

use std::fmt;

use star_base::{Diagnostic, FileId, Span};

pub use blocks::{Block, blocks, first_sentence};
pub use comment::{CommentLine, header_word, lines};

use crate::ast::{Item, Routine, RoutineKind};
use crate::parser::Parsed;

/// What begins a paragraph of a documentation comment, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// What the tables hold.
    Layout,
    /// What a data file gives.
    FromAFile,
    /// How it works.
    Idea,
    /// Elementary operations.
    Cost,
    /// What to mind.
    Pitfalls,
    /// Where it comes from.
    Source,
    /// A piece of Star that is run; its label may carry arguments of `star run`.
    Example,
    /// What the example prints.
    Prints,
}

impl Label {
    /// All labels in their order.
    pub const ALL: &'static [Label] = &[
        Label::Layout,
        Label::FromAFile,
        Label::Idea,
        Label::Cost,
        Label::Pitfalls,
        Label::Source,
        Label::Example,
        Label::Prints,
    ];

    /// The label as written, without its colon.
    pub fn as_str(self) -> &'static str {
        match self {
            Label::Layout => "Layout",
            Label::FromAFile => "From a file",
            Label::Idea => "Idea",
            Label::Cost => "Cost",
            Label::Pitfalls => "Pitfalls",
            Label::Source => "Source",
            Label::Example => "Example",
            Label::Prints => "Prints",
        }
    }

    /// Does it stand before text that keeps its lines?
    pub fn is_verbatim(self) -> bool {
        match self {
            Label::Example | Label::Prints => true,
            Label::Layout
            | Label::FromAFile
            | Label::Idea
            | Label::Cost
            | Label::Pitfalls
            | Label::Source => false,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a comment documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About<'a> {
    /// A file: free text may stand between the labels, and their order is free.
    File,
    /// A routine with these parameters.
    Routine(&'a [&'a str]),
}

/// A documentation comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    /// What stands before the first label.
    pub text: Vec<CommentLine>,
    /// The paragraphs with labels, as they stand.
    pub sections: Vec<Section>,
}

/// A paragraph with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The label.
    pub label: Label,
    /// What stands between the label and its colon: arguments of `star run`, empty without any.
    pub arguments: String,
    /// The place of the label.
    pub span: Span,
    /// Its text; the indentation of all lines is removed, and blank lines around them.
    pub lines: Vec<CommentLine>,
}

/// The documentation of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDoc {
    /// The comment at its top.
    pub head: Option<Doc>,
    /// The routines in order.
    pub routines: Vec<RoutineDoc>,
}

/// A routine and what its comment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutineDoc {
    /// Its name.
    pub name: String,
    /// Procedure, function or program.
    pub kind: RoutineKind,
    /// The place of its header.
    pub header: Span,
    /// The header as written, without the semicolon.
    pub signature: String,
    /// The comment in front of it.
    pub doc: Option<Doc>,
}

impl Doc {
    /// The paragraph with this label.
    pub fn section(&self, label: Label) -> Option<&Section> {
        self.sections.iter().find(|section| section.label == label)
    }

    /// What it is about, in one line: the first sentence. Empty if it says nothing before its labels.
    pub fn summary(&self) -> String {
        first_sentence(&self.text)
    }
}

impl Section {
    /// The text, each line with its indentation and a line break.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// The documentation of a file that was read, and what is wrong with its form. `text` is the text of
/// `file` that `parsed` was made of.
pub fn documentation(file: FileId, text: &str, parsed: &Parsed) -> (FileDoc, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut taken = None;
    let mut routines = Vec::new();
    for item in &parsed.file.items {
        let routine: &Routine = match item {
            Item::Routine(routine) => routine,
            Item::Import { .. } | Item::Const { .. } => continue,
        };
        let comments = comment::before(text, &parsed.comments, routine.header.start);
        taken = taken.or_else(|| comments.first().copied());
        let params = routine.params.iter().flat_map(|params| &params.names);
        let names: Vec<&str> = params.map(|name| name.name.as_str()).collect();
        let doc = (!comments.is_empty()).then(|| {
            let lines = comment::lines(text, comments);
            form::read(file, &lines, About::Routine(&names), &mut diagnostics)
        });
        let signature = text[routine.header.range()].trim_end_matches([';', ' ']);
        routines.push(RoutineDoc {
            name: routine.name.name.to_string(),
            kind: routine.kind,
            header: routine.header,
            signature: signature.to_owned(),
            doc,
        });
    }
    let top = comment::at_top(text, &parsed.comments);
    let head = (!top.is_empty() && top.first().copied() != taken).then(|| {
        let lines = comment::lines(text, top);
        form::read(file, &lines, About::File, &mut diagnostics)
    });
    diagnostics.sort_by_key(Diagnostic::span);
    (FileDoc { head, routines }, diagnostics)
}

/// The documentation that a text without comment signs is, and what is wrong with its form.
pub fn parse(file: FileId, text: &str, about: About<'_>) -> (Doc, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let lines = comment::plain(text);
    let doc = form::read(file, &lines, about, &mut diagnostics);
    (doc, diagnostics)
}

#[cfg(test)]
mod tests;
