//! Why a case fails.

use star_base::{Code, Diagnostic, Span};
use star_harness::{Difference, RunResult};

use super::shown;
use super::trial::{Ready, Trial};
use crate::text;

/// Why a case fails.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// What kind of failure it is: inputs that are made smaller have to fail in the same way.
    pub(super) kind: FaultKind,
    /// The message, with the place in the header.
    pub(super) diagnostic: Diagnostic,
}

/// A kind of failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The user wants no more.
    Interrupted,
    /// The inputs, or an expectation, cannot be bound.
    Input,
    /// It ends with this code at this place, and should not; or it ends well.
    Ends(Option<(Code, Option<Span>)>),
    /// A backend differs from the first one.
    Differs(&'static str),
    /// A value, a property or a text is not what the line at this place says.
    Expected(Span),
}
impl Fault {
    /// Adds a line that says why.
    pub(super) fn note(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.diagnostic = self.diagnostic.note(text);
        }
        self
    }
}

/// The failure with the message of the run that ended so.
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
    /// A backend differs from the first one.
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
            None => "ends well".to_owned(),
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
