//! Checks of a test by other routines of its file: properties of the results, and routines with
//! equal results.

use star::pipeline::RunResult;
use star_base::{Kind, Span};
use star_harness::Name;
use star_value::Value;

use super::fault::{Fault, FaultKind, because};
use super::shown;
use super::trial::Trial;
use crate::headers::inputs::{Inputs, ReadContext};
use crate::headers::test_file::Routine;

impl Trial<'_> {
    /// Checks that the function returns true or the procedure succeeds.
    ///
    /// # Errors
    /// If it does not, or its parameters cannot be bound.
    pub(super) fn ensures(
        &self,
        name: &Name,
        span: Span,
        inputs: &Inputs,
        run: &RunResult,
        around: ReadContext<'_>,
    ) -> Result<(), Fault> {
        let property = self.property(name)?;
        if let Some(result) = property.point.result.filter(|result| *result != Kind::Bool) {
            let message = format!("`{}` gives {}", name.text, result.with_article());
            let fault = self.fault(FaultKind::Input, span, message);
            return Err(fault.note("a property must be a boolean function or a procedure"));
        }
        let values = self.bound(property, inputs, Some(run), span)?;
        let Some(first) = self.machines.first() else { return Ok(()) };
        let found = self.run(first, property.point.routine, &values, around)?;
        if let Some(ended) = self.describe(property, &found.outcome) {
            let message = format!("`{}` ends with {}", name.text, ended.code);
            let fault = self.fault(FaultKind::Expected(span), span, message);
            return Err(because(fault, ended));
        }
        match property.point.result.is_none() || found.values.last() == Some(&Value::Bool(true)) {
            true => Ok(()),
            false => {
                let message = format!("`{}` does not hold", name.text);
                Err(self.fault(FaultKind::Expected(span), span, message))
            }
        }
    }

    /// Checks that the other routine computes the same results from the same inputs.
    ///
    /// # Errors
    /// If it does not, or its parameters cannot be bound.
    pub(super) fn same_as(
        &self,
        name: &Name,
        span: Span,
        inputs: &Inputs,
        run: &RunResult,
        around: ReadContext<'_>,
    ) -> Result<(), Fault> {
        let other = self.property(name)?;
        let values = self.bound(other, inputs, None, span)?;
        let Some(first) = self.machines.first() else { return Ok(()) };
        let found = self.run(first, other.point.routine, &values, around)?;
        self.same(other, &found, run, span)
    }

    /// Compares the results of the other routine with those of the tested one.
    fn same(
        &self,
        other: &Routine,
        found: &RunResult,
        run: &RunResult,
        span: Span,
    ) -> Result<(), Fault> {
        let name = &other.entry.name;
        let fault = |message: String| self.fault(FaultKind::Expected(span), span, message);
        let ends =
            (self.describe(self.routine, &run.outcome), self.describe(other, &found.outcome));
        match ends {
            (None, None) => {}
            (Some(one), Some(two)) if one.code == two.code => return Ok(()),
            (_, Some(ended)) => {
                return Err(because(fault(format!("`{name}` ends with {}", ended.code)), ended));
            }
            (Some(_), None) => return Err(fault(format!("`{name}` succeeds"))),
        }
        let mut n_common = 0;
        for (idx, param) in other.entry.params.iter().enumerate() {
            let Some((_, own)) = self.place_of(&param.name).filter(|_| param.by_ref) else {
                continue;
            };
            n_common += 1;
            let (theirs, ours) = (found.values.get(idx), run.values.get(own));
            if let (Some(theirs), Some(ours)) = (theirs, ours)
                && theirs != ours
            {
                let fault = fault(format!("`{name}` computes a different `{}`", param.name));
                return Err(fault.note(shown::difference(theirs, ours)));
            }
        }
        if let (Some(_), Some(_)) = (other.point.result, self.routine.point.result) {
            n_common += 1;
            if let (Some(theirs), Some(ours)) = (found.values.last(), run.values.last())
                && theirs != ours
            {
                let fault = fault(format!("`{name}` returns a different value"));
                return Err(fault.note(shown::difference(theirs, ours)));
            }
        }
        match n_common {
            0 => Err(Fault {
                kind: FaultKind::Input,
                ..fault(format!("`{name}` has no `var` parameter and no result to compare"))
            }),
            _ => Ok(()),
        }
    }

    fn property(&self, name: &Name) -> Result<&Routine, Fault> {
        self.runnable.named(name).map_err(|fault| self.input(fault))
    }

    /// Binds the parameters of another routine by name, to the values after or before a run.
    fn bound(
        &self,
        routine: &Routine,
        inputs: &Inputs,
        after: Option<&RunResult>,
        span: Span,
    ) -> Result<Vec<Value>, Fault> {
        let before = |name: &str| {
            let (_, idx) = self.place_of(name)?;
            inputs.arguments.get(idx).map(|argument| argument.value.clone())
        };
        let value_of = |name: &str| match after {
            None => before(name),
            Some(run) => match self.place_of(name) {
                Some((_, idx)) => run.values.get(idx).cloned(),
                None => name.strip_prefix("old_").and_then(before),
            },
        };
        let size_of = |name: &str| {
            let mut sizes = inputs.sizes.iter();
            sizes.find(|(size, _)| size == name).map(|(_, number)| Value::Int(*number))
        };
        let bad = |message: String| self.fault(FaultKind::Input, span, message);
        let mut values = Vec::new();
        for param in &routine.entry.params {
            let name = param.name.as_str();
            let value = value_of(name).or_else(|| size_of(name));
            let value = match value {
                Some(value) => value,
                None if param.by_ref => Value::Unset,
                None => {
                    let message =
                        format!("`{}` has no value for its parameter `{name}`", routine.entry.name);
                    return Err(bad(message).note(
                        "parameters are bound by name: to those of the tested routine, with the \
                            prefix `old_` for their previous values, `value` for the result of a \
                            function, and to the integers of the header",
                    ));
                }
            };
            if !param.kind.known().is_some_and(|kind| suits(kind, &value)) {
                let article = param.kind.with_article();
                let message = format!("`{name}` of `{}` is {article}", routine.entry.name);
                return Err(bad(message).note(
                    "the tested routine declares a different type for \
                    that name",
                ));
            }
            if value == Value::Unset && !param.by_ref {
                let message = format!("`{}` needs `{name}`, which is not set", routine.entry.name);
                let of_result = after.is_some() && self.place_of(name).is_some();
                return Err(match of_result {
                    true => self.fault(FaultKind::Expected(span), span, message),
                    false => bad(message).note("the header gives no value for it"),
                });
            }
            values.push(value);
        }
        if routine.point.result.is_some() {
            values.push(Value::Unset);
        }
        Ok(values)
    }
}

/// Tests whether a parameter of this kind accepts this value.
fn suits(kind: Kind, value: &Value) -> bool {
    match value {
        Value::Unset => true,
        Value::Int(_) => kind == Kind::Int,
        Value::Bool(_) => kind == Kind::Bool,
        Value::Str(_) => kind == Kind::Str,
        Value::Slice(_) => kind == Kind::Slice,
        Value::Word(_) => kind == Kind::Word,
        Value::Table(_) => kind == Kind::Table,
    }
}
