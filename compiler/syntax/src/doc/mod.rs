//! Documentation comments of files and routines.
//!
//! A comment directly before a routine's header documents the routine; the comment at the top of a
//! file documents the file. Each is free text, followed by paragraphs with a [`Label`] in a fixed
//! order; CONTRIBUTING.md shows the form. [`documentation`] reads the comments of a file, [`parse`]
//! a text that is a single comment, and [`example`] builds programs from the examples.
//!
//! This module runs, prints and resolves nothing.

mod blocks;
mod comment;
pub mod example;
mod form;

use std::fmt;

use star_base::{Diagnostic, FileId, Span};

pub use blocks::{Block, blocks, first_sentence};
pub use comment::{CommentLine, header_word, lines};

use crate::ast::{Ident, Item, RoutineKind};
use crate::parser::Parsed;

/// The labels of paragraphs in a documentation comment, in their required order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// The contents of the tables.
    Layout,
    /// The contents of a data file.
    FromAFile,
    /// The idea of the algorithm.
    Idea,
    /// The number of elementary operations.
    Cost,
    /// The pitfalls of its use.
    Pitfalls,
    /// The source of the algorithm.
    Source,
    /// A piece of Star that is run; its label can have arguments of `star run`.
    Example,
    /// The output of the example.
    Prints,
}

impl Label {
    /// All labels in order.
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

    /// Returns the label as written, without its colon.
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

    /// Returns whether the text after it keeps its line breaks.
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

/// The documented object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About<'a> {
    /// A file: free text may be between the labels, and their order is free.
    File,
    /// A routine with these parameters.
    Routine(&'a [&'a str]),
}

/// A documentation comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    /// The text before the first label.
    pub text: Vec<CommentLine>,
    /// The paragraphs with labels, in order of occurrence.
    pub sections: Vec<Section>,
}

/// A paragraph with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The label.
    pub label: Label,
    /// The arguments of `star run` between the label and its colon; empty without any.
    pub arguments: String,
    /// The position of the label.
    pub span: Span,
    /// The text, without common indentation and surrounding blank lines.
    pub lines: Vec<CommentLine>,
}

/// The documentation of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDoc {
    /// The comment at its top.
    pub head: Option<Doc>,
    /// The routines and record types, in order.
    pub routines: Vec<RoutineDoc>,
}

/// A routine or record type and its documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutineDoc {
    /// The name.
    pub name: String,
    /// The kind: procedure, function or program; `None` for a record type.
    pub kind: Option<RoutineKind>,
    /// The position of its header.
    pub header: Span,
    /// The header as written, without the semicolon.
    pub signature: String,
    /// The comment before it.
    pub doc: Option<Doc>,
}

impl Doc {
    /// Returns the paragraph with this label.
    pub fn section(&self, label: Label) -> Option<&Section> {
        self.sections.iter().find(|section| section.label == label)
    }

    /// Returns a summary on one line: the first sentence. Empty if there is no text before its
    /// labels.
    pub fn summary(&self) -> String {
        first_sentence(&self.text)
    }
}

impl Section {
    /// Returns the text; each line has its indentation and a line break.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Returns the documentation of a parsed file, and the errors in its form. `text` is the text of
/// `file` from which `parsed` was created.
pub fn documentation(file: FileId, text: &str, parsed: &Parsed) -> (FileDoc, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let top = comment::at_top(text, &parsed.comments);
    let mut taken = None;
    let mut routines = Vec::new();
    for item in &parsed.file.items {
        let (name, kind, header, params): (_, _, _, Vec<&Ident>) = match item {
            Item::Routine(routine) => {
                let params = routine.params.iter().flat_map(|params| &params.names);
                (&routine.name, Some(routine.kind), routine.header, params.collect())
            }
            Item::Type(tree) => (&tree.name, None, tree.span, tree.params.iter().collect()),
            Item::Import { .. } | Item::Const { .. } => continue,
        };
        let comments = comment::before(text, &parsed.comments, header.start);
        // A comment at the top of a file is about the file, not about its first type.
        let is_head = kind.is_none() && comments.first() == top.first();
        let comments = if is_head { &[][..] } else { comments };
        taken = taken.or_else(|| comments.first().copied());
        let names: Vec<&str> = params.iter().map(|name| name.name.as_str()).collect();
        let doc = (!comments.is_empty()).then(|| {
            let lines = comment::lines(text, comments);
            form::read(file, &lines, About::Routine(&names), &mut diagnostics)
        });
        let signature = text[header.range()].trim_end_matches([';', ' ']);
        routines.push(RoutineDoc {
            name: name.name.to_string(),
            kind,
            header,
            signature: signature.to_owned(),
            doc,
        });
    }
    let head = (!top.is_empty() && top.first().copied() != taken).then(|| {
        let lines = comment::lines(text, top);
        form::read(file, &lines, About::File, &mut diagnostics)
    });
    diagnostics.sort_by_key(Diagnostic::span);
    (FileDoc { head, routines }, diagnostics)
}

/// Parses a text without delimiters as documentation, and returns the errors in its form.
pub fn parse(file: FileId, text: &str, about: About<'_>) -> (Doc, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let lines = comment::plain(text);
    let doc = form::read(file, &lines, about, &mut diagnostics);
    (doc, diagnostics)
}

#[cfg(test)]
mod tests;
