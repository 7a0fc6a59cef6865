//! Headers: comments that begin with `@test` or `@bench` and specify a run, its values, and the
//! expected results. `docs/src/testing.md` is the user documentation.
//!
//! A header is parsed without knowledge of its routine: whether a name is a parameter, and whether
//! its value is suitable, is checked when values are bound.

mod published;
mod read;
mod values;

use star_base::{Code, Diagnostic, FileId, Span};

use crate::cases::Purpose;
use crate::template::Template;
pub use published::Published;
pub use read::headers;

/// A header.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The word that it begins with.
    pub kind: HeaderKind,
    /// The rest of that line; may be empty.
    pub title: String,
    /// The location of the word and the title.
    pub span: Span,
    /// The routine after `run`; without one, the program or the only routine.
    pub routine: Option<Name>,
    /// Options of `star run` after `run` and the routine, verbatim.
    pub options: Option<Name>,
    /// The names with their values, in order and without duplicates.
    pub definitions: Vec<Definition>,
    /// Values of `bench` lines, which replace those above in benchmarks.
    pub bench: Vec<Definition>,
    /// The expected results, in order.
    pub expectations: Vec<Expectation>,
    /// Published measurements, for benchmarks.
    pub published: Vec<Published>,
}

/// The purpose of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// `@test`: a test, and a benchmark if it has `bench` lines.
    Test,
    /// `@bench`: a benchmark only.
    Bench,
}

/// A name, or other text, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Its location.
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
    /// Is it a list or range, each of whose values is used once?
    pub fn is_swept(&self) -> bool {
        match &self.values[..] {
            [Values::One(_)] => false,
            [] | [Values::Range { .. }] | [_, _, ..] => true,
        }
    }
}

/// An element of a list of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// A value in the form that `star run` accepts.
    One(Template),
    /// `1..9`: integers, including both bounds.
    Range {
        /// The first integer.
        from: Template,
        /// The last integer.
        to: Template,
        /// Its location.
        span: Span,
    },
}

/// A line with an expected result.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The expected result.
    pub what: Expected,
    /// The line with its continuation lines.
    pub span: Span,
}

/// An expected result of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// `expect NAME = VALUE`: this value afterwards; the name `value` is the result of a function.
    Value {
        /// The parameter, or `value`.
        name: Name,
        /// The value in the form that `star run` accepts.
        value: Template,
    },
    /// `ensures ROUTINE`: this function returns true, or this procedure does not trap.
    Ensures(Name),
    /// `same as ROUTINE`: this routine produces the same values.
    SameAs(Name),
    /// `fails CODE line N`: the run ends with this code, or the program does not compile.
    Fails {
        /// The code of the message.
        code: Code,
        /// The line of its location.
        line: Option<u64>,
    },
    /// `prints`: this text, without the common indentation of its lines.
    Prints(String),
}

/// Returns the headers of a file, and all their errors: invalid syntax, and values that cannot be
/// computed.
pub fn checked(file: FileId, text: &str) -> (Vec<Header>, Vec<Diagnostic>) {
    if !text.contains('@') {
        // Every header contains it, and most programs have no header.
        return (Vec::new(), Vec::new());
    }
    let (headers, mut faults) = headers(file, text, &star_syntax::outline(file, text));
    for header in &headers {
        faults.extend(header.cases(Purpose::Test).err());
        if header.is_benchmark() {
            faults.extend(header.cases(Purpose::Benchmark).err());
        }
    }
    faults.sort_by_key(Diagnostic::span);
    faults.dedup();
    (headers, faults)
}

impl Header {
    /// Is it a benchmark, or also one?
    pub fn is_benchmark(&self) -> bool {
        match self.kind {
            HeaderKind::Test => !self.bench.is_empty(),
            HeaderKind::Bench => true,
        }
    }

    /// Returns the names of routines in it, with their locations.
    pub fn routines(&self) -> Vec<(&str, Span)> {
        let expected = self.expectations.iter().filter_map(|one| match &one.what {
            Expected::Ensures(name) | Expected::SameAs(name) => Some(name),
            Expected::Value { .. } | Expected::Fails { .. } | Expected::Prints(_) => None,
        });
        self.routine.iter().chain(expected).map(|name| (name.text.as_str(), name.span)).collect()
    }

    /// Returns the names of values in it, with their locations: those of parameters, and others.
    pub fn values(&self) -> Vec<(&str, Span)> {
        let mut names = Vec::new();
        for Definition { name, values, span: _ } in self.definitions.iter().chain(&self.bench) {
            names.push((name.text.as_str(), name.span));
            for value in values {
                match value {
                    Values::One(template) => names.extend(template.names()),
                    Values::Range { from, to, span: _ } => {
                        names.extend(from.names().chain(to.names()));
                    }
                }
            }
        }
        for expectation in &self.expectations {
            if let Expected::Value { name, value } = &expectation.what {
                names.push((name.text.as_str(), name.span));
                names.extend(value.names());
            }
        }
        names
    }

    /// Returns the code after `fails`.
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

/// Returns an error at a location in a header.
fn bad(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::at(Code::BadHeader, span, message)
}

/// Returns the location of a text that begins at a byte of a file.
fn place(file: FileId, at: u32, text: &str) -> Span {
    Span::new(file, at, at + text.len() as u32)
}

#[cfg(test)]
mod tests;
