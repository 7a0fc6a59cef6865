//! A message to the user, as data: code, places, notes, help and fixes.
//!
//! The detecting crate writes the text (syntax, compiler, io, cli); the command line and the
//! language server render it.

use crate::codes::{Code, Severity};
use crate::span::{FileId, Span};

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of message; it also determines the severity.
    pub code: Code,
    /// The fault at this place: lower case, no full stop, names in backticks.
    pub message: String,
    /// Places, the primary one first; empty for messages without a place in a source file.
    pub labels: Vec<Label>,
    /// The place in a data file; the message names it, too.
    pub place: Option<DataPlace>,
    /// Reasons.
    pub notes: Vec<String>,
    /// Suggestions.
    pub help: Vec<String>,
    /// Edits that fix the fault.
    pub fixes: Vec<Fix>,
}

/// A place in the source with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// A place in a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataPlace {
    /// The name of the file for display.
    pub file: String,
    /// The line, from 1; `None` for the whole file.
    pub line: Option<u64>,
    /// The column in bytes, from 1.
    pub column: Option<u64>,
    /// The text of the line, or a part of it, and the column in this text, from 1.
    pub excerpt: Option<(String, usize)>,
}

/// An edit of the source text that fixes the diagnosed fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The effect of the edit, in the imperative: "write `:=`".
    pub title: String,
    /// The text to replace.
    pub span: Span,
    /// The new text.
    pub replacement: String,
    /// Is it the only sensible edit, so that it can be applied without a question?
    pub certain: bool,
}

impl Fix {
    fn new(
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
        certain: bool,
    ) -> Self {
        Fix { title: title.into(), span, replacement: replacement.into(), certain }
    }
}

impl Diagnostic {
    /// Creates a message without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: message.into(),
            labels: Vec::new(),
            place: None,
            notes: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Creates a message about the place `span`.
    pub fn at(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic::new(code, message).label(span, "")
    }

    /// Adds a place; the first one added is the primary place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the remark at the primary place.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds an edit that certainly fixes the fault: `star check --fix` applies it.
    #[must_use]
    pub fn fix(
        mut self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        self.fixes.push(Fix::new(title, span, replacement, true));
        self
    }

    /// Adds an edit that may fix the fault. Several with the same title belong together.
    #[must_use]
    pub fn suggestion(
        mut self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        self.fixes.push(Fix::new(title, span, replacement, false));
        self
    }

    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Returns whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }

    /// Returns the primary place.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

/// Returns the certain fixes in a file, in the order of their places. Of overlapping ones only the
/// first is included.
pub fn certain_fixes<'d>(
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    file: FileId,
) -> Vec<&'d Fix> {
    let fixes = diagnostics.into_iter().flat_map(|diagnostic| &diagnostic.fixes);
    let mut fixes: Vec<&Fix> = fixes.filter(|fix| fix.certain && fix.span.file == file).collect();
    fixes.sort_by_key(|fix| fix.span);
    let mut end = 0;
    fixes.retain(|fix| {
        let is_free = fix.span.start >= end;
        if is_free {
            // Two insertions at one place are the same fix of two messages.
            end = fix.span.end.max(fix.span.start + 1);
        }
        is_free
    });
    fixes
}

/// Returns the text after fixes, which are in order and do not overlap.
pub fn fixed(text: &str, fixes: &[&Fix]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for fix in fixes {
        new += text.get(at..fix.span.start as usize).unwrap_or_default();
        new += &fix.replacement;
        at = fix.span.end as usize;
    }
    new + text.get(at..).unwrap_or_default()
}

/// Returns the most similar name among `known`: at most one edit for every three characters,
/// ignoring letter case; the first of the nearest ones.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let n_letters = wanted.chars().count();
    let limit = n_letters.div_ceil(3).min(3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let letters = candidate.to_lowercase();
        if candidate == name || letters.chars().count().abs_diff(n_letters) > limit {
            continue;
        }
        // Insertions, deletions, replacements and transpositions of adjacent characters.
        let distance = strsim::osa_distance(&wanted, &letters);
        // A replaced letter in a name of one letter is not a similarity.
        if distance <= limit
            && distance < n_letters.max(1)
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_fixes_do_not_overlap() {
        let file = FileId(0);
        let at = |start, end, text: &str| {
            let span = Span::new(file, start, end);
            Diagnostic::at(Code::UnexpectedToken, span, "").fix("", span, text)
        };
        let span = Span::new(file, 4, 5);
        let guess = Diagnostic::at(Code::UnknownName, span, "").suggestion("", span, "?");
        let all =
            [at(5, 6, "Z"), at(0, 2, "X"), at(1, 3, "Y"), guess, at(3, 3, ";"), at(3, 3, ";")];
        assert_eq!(fixed("abcdef", &certain_fixes(&all, file)), "Xc;deZ");
    }

    #[test]
    fn nearest_name_is_suggested_ignoring_case() {
        assert_eq!(did_you_mean("STPE", ["STEP", "SOME"]), Some("STEP"));
        assert_eq!(did_you_mean("wieght", ["weight", "left"]), Some("weight"));
        assert_eq!(did_you_mean("x", ["X", "y"]), Some("X"));
        assert_eq!(did_you_mean("x", ["y", "z"]), None);
        assert_eq!(did_you_mean("NUMB", ["COL", "ROW"]), None);
        assert_eq!(did_you_mean("STEP", ["STEP", "step"]), Some("step"));
        assert_eq!(did_you_mean("", ["a"]), None);
    }

    #[test]
    fn a_third_of_the_letters_may_differ_and_three_at_most() {
        assert_eq!(did_you_mean("abc", ["axc"]), Some("axc"));
        assert_eq!(did_you_mean("abc", ["axy"]), None);
        assert_eq!(did_you_mean("abcd", ["axyd"]), Some("axyd"));
        assert_eq!(did_you_mean("abcdefghijklm", ["ab345fghijklm"]), Some("ab345fghijklm"));
        assert_eq!(did_you_mean("abcdefghijklm", ["ab3456ghijklm"]), None);
        assert_eq!(did_you_mean("жолб", ["жобл"]), Some("жобл"));
    }
}
