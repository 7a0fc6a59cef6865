//! Failures of a test case.

use star::pipeline::RunResult;
use star_base::{Code, Diagnostic, Span};
use star_harness::Difference;

use super::shown;
use super::trial::{Ready, Trial};
use crate::text;

/// The failure of a case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// The kind of failure: minimised inputs must fail in the same way.
    pub(super) kind: FaultKind,
    /// The diagnostic, with its position in the header.
    pub(super) diagnostic: Diagnostic,
}

/// A kind of failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// Interrupted by the user.
    Interrupted,
    /// The inputs or an expectation cannot be bound.
    Input,
    /// Unexpectedly ends with this code at this position, or succeeds.
    Ends(Option<(Code, Option<Span>)>),
    /// The results of a backend differ from those of the first.
    Differs(&'static str),
    /// A value, property or text differs from the line at this position.
    Expected(Span),
}
impl Fault {
    /// Adds a note with the reason.
    pub(super) fn note(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.diagnostic = self.diagnostic.note(text);
        }
        self
    }
}

/// Returns the failure with the diagnostic of the run that caused it.
pub(super) fn because(mut fault: Fault, ended: Diagnostic) -> Fault {
    let Diagnostic { code: _, message, labels, place: _, notes, help: _, fixes: _ } = ended;
    let mut labels = labels.into_iter();
    match labels.next() {
        Some(first) => fault.diagnostic = fault.diagnostic.label(first.span, message),
        None => fault.diagnostic = fault.diagnostic.note(message),
    }
    fault.diagnostic.labels.extend(labels);
    fault.diagnostic.notes.extend(notes);
    fault
}

impl Trial<'_> {
    /// Returns the failure that a backend differs from the first.
    pub(super) fn differs(
        &self,
        first: &Ready,
        other: &Ready,
        difference: Difference,
        (expected, found): (&RunResult, &RunResult),
    ) -> Fault {
        let (one, two) = (first.name(), other.name());
        let what = match difference {
            Difference::Value(idx) => match self.routine.entry.params.get(idx) {
                Some(param) => format!("`{}`", param.name),
                None => "the value".to_owned(),
            },
            Difference::Outcome
            | Difference::Count
            | Difference::Printed
            | Difference::Files
            | Difference::Operations
            | Difference::Steps => format!("the {}", difference.what()),
        };
        let message = format!("`{one}` and `{two}` differ in {what}");
        let fault = self.fault(FaultKind::Differs(two), self.header.span, message);
        let pair = |one: &dyn std::fmt::Display, two: &dyn std::fmt::Display| {
            format!("{}: {one}\n{}: {two}", first.name(), other.name())
        };
        let ends = |run: &RunResult| match self.describe(self.routine, &run.outcome) {
            Some(ended) => format!("{} {}", ended.code, ended.message),
            None => "succeeds".to_owned(),
        };
        fault.note(match difference {
            Difference::Outcome => pair(&ends(expected), &ends(found)),
            Difference::Value(idx) => match (expected.values.get(idx), found.values.get(idx)) {
                (Some(expected), Some(found)) => shown::difference(expected, found),
                (_, _) => String::new(),
            },
            Difference::Count => pair(&expected.values.len(), &found.values.len()),
            Difference::Printed => pair(&expected.printed.trim_end(), &found.printed.trim_end()),
            Difference::Files => {
                let names = |run: &RunResult| text::quoted_list(run.files.keys());
                pair(&names(expected), &names(found))
            }
            Difference::Operations => pair(&expected.stats.operations, &found.stats.operations),
            Difference::Steps => pair(&expected.stats.steps, &found.stats.steps),
        })
    }
}
