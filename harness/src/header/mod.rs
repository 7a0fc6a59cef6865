//! Headers: comments that begin with `@test` or `@bench` and say what is run with which values, and what
//! has to come of it. `docs/testing.md` describes them for people.
//!
//! A header is read without knowing the routine that it is about: whether a name is a parameter, and
//! whether its value suits, is found out where values are bound.

mod published;
mod read;
mod values;

use star_base::{Code, Diagnostic, FileId, Span};

use crate::template::Template;
pub use published::Published;
pub use read::headers;

/// A header.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Which word it begins with.
    pub kind: HeaderKind,
    /// The rest of that line; may be empty.
    pub title: String,
    /// The place of the word and the title.
    pub span: Span,
    /// The routine behind `run`; without one the program, or the only routine.
    pub routine: Option<Name>,
    /// Options of `star run` behind `run` and the routine, as written.
    pub options: Option<Name>,
    /// The names with their values, in order, each name once.
    pub definitions: Vec<Definition>,
    /// Values of `bench` lines: they hold in place of those above, for benchmarks.
    pub bench: Vec<Definition>,
    /// What has to come of it, in order.
    pub expectations: Vec<Expectation>,
    /// Figures of papers, for benchmarks.
    pub published: Vec<Published>,
}

/// What a header is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// `@test`: a test, and a benchmark if it has `bench` lines.
    Test,
    /// `@bench`: a benchmark only.
    Bench,
}

/// A name, or other text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// `NAME = VALUES`.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The name.
    pub name: Name,
    /// The values; at least one.
    pub values: Vec<Values>,
    /// From the name to the end of the values.
    pub span: Span,
}

impl Definition {
    /// Is it a list or range, so that each of its values is taken in turn?
    pub fn is_swept(&self) -> bool {
        match &self.values[..] {
            [Values::One(_)] => false,
            [] | [Values::Range { .. }] | [_, _, ..] => true,
        }
    }
}

/// A part of a list of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// A value as `star run` takes it.
    One(Template),
    /// `1..9`: integers, both ends included.
    Range {
        /// The first.
        from: Template,
        /// The last.
        to: Template,
        /// Its place.
        span: Span,
    },
}

/// A line that says what has to come of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// What it says.
    pub what: Expected,
    /// The line, and those that continue it.
    pub span: Span,
}

/// What has to come of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// `expect NAME = VALUE`: this value afterwards; the name `value` is the result of a function.
    Value {
        /// The parameter, or `value`.
        name: Name,
        /// The value as `star run` takes it.
        value: Template,
    },
    /// `ensures ROUTINE`: this function is true, or this procedure does not trap.
    Ensures(Name),
    /// `same as ROUTINE`: this routine leaves the same values.
    SameAs(Name),
    /// `fails CODE line N`: it ends so, or does not compile.
    Fails {
        /// The code of the message.
        code: Code,
        /// The line of its place.
        line: Option<u64>,
    },
    /// `prints`: this text, without the indentation that its lines share.
    Prints(String),
}

impl Header {
    /// Is it a benchmark, perhaps among others?
    pub fn is_benchmark(&self) -> bool {
        match self.kind {
            HeaderKind::Test => !self.bench.is_empty(),
            HeaderKind::Bench => true,
        }
    }

    /// The code behind `fails`.
    pub fn fails(&self) -> Option<Code> {
        self.expectations.iter().find_map(|expectation| match expectation.what {
            Expected::Fails { code, .. } => Some(code),
            Expected::Value { .. }
            | Expected::Ensures(_)
            | Expected::SameAs(_)
            | Expected::Prints(_) => None,
        })
    }
}

/// A fault at a place in a header.
fn bad(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::at(Code::BadHeader, span, message)
}

/// The place of a text that begins at a byte of a file.
fn place(file: FileId, at: u32, text: &str) -> Span {
    Span::new(file, at, at + text.len() as u32)
}

#[cfg(test)]
mod tests;
