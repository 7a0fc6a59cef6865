//! One case of a test: the routine is run on every machine and its results are checked.

use star::pipeline::{self, Argument, Compiled, RunResult, refused_by_backend, unwrapped};
use star_base::{Code, Diagnostic, Span};
use star_harness::{Case, Expectation, Expected, Header, MachineSpec, Mode, compare};
use star_ir::RoutineId;
use star_os::access::Access;
use star_os::files::Console;
use star_syntax::doc::example;
use star_value::Value;
use star_vm::{Control, Limits, Outcome, Stats};

use super::coverage::Observed;
use super::fault::{Fault, FaultKind, because};
use super::host::TestHost;
use super::shown;
use crate::headers::inputs::{self, Inputs, ReadContext};
use crate::headers::test_file::{Routine, Runnable, Subject};
use crate::text;

/// A file compiled for a machine.
pub(super) struct Ready {
    /// From what the machine was created.
    pub(super) spec: &'static MachineSpec,
    /// The compiled file.
    pub(super) compiled: Compiled,
}

/// A header with the context of its cases.
#[derive(Clone, Copy)]
pub(super) struct Trial<'a> {
    pub(super) subject: &'a Subject,
    pub(super) runnable: &'a Runnable,
    pub(super) header: &'a Header,
    pub(super) routine: &'a Routine,
    /// At least one; the others are compared with the first.
    pub(super) machines: &'a [Ready],
    /// Counts the statements of each run on the first machine.
    pub(super) observed: Option<&'a Observed<'a>>,
    /// The limits of a run on each machine.
    pub(super) limits: &'a [Limits],
    pub(super) access: &'a Access,
}

impl Trial<'_> {
    /// Runs the routine with these inputs.
    ///
    /// # Errors
    /// The first deviation from the header.
    pub(super) fn judge(
        &self,
        case: &Case,
        inputs: &Inputs,
        around: ReadContext<'_>,
    ) -> Result<(), Fault> {
        let Some((first, others)) = self.machines.split_first() else { return Ok(()) };
        let values: Vec<Value> =
            inputs.arguments.iter().map(|argument| argument.value.clone()).collect();
        let expected = self.run(first, self.routine.point.routine, &values, around)?;
        self.ending(first, &expected)?;
        for expectation in &self.header.expectations {
            self.expectation(expectation, case, inputs, &expected, around)?;
        }
        if compare::is_timed(&expected) {
            return Ok(());
        }
        for other in others {
            let found = self.run(other, self.routine.point.routine, &values, around)?;
            if let Some(difference) = compare::difference(&expected, &found, Mode::AsLowered) {
                return Err(self.differs(first, other, difference, (&expected, &found)));
            }
        }
        Ok(())
    }

    /// Runs a routine on a machine.
    pub(super) fn run(
        &self,
        ready: &Ready,
        id: RoutineId,
        values: &[Value],
        around: ReadContext<'_>,
    ) -> Result<RunResult, Fault> {
        let arguments = values.iter().map(Argument::of).collect();
        let ReadContext { flags, reporter, access: _, folder: _, max_bytes: _ } = around;
        let limits = self.limits_of(ready);
        let loaded = ready.compiled.load_laid_out(id, arguments, limits.memory, &flags.interrupt);
        let mut loaded = loaded.map_err(|error| {
            let cause = refused_by_backend("no memory for the arguments", &error);
            Fault { kind: FaultKind::Input, diagnostic: cause }
        })?;
        let mut host = TestHost::new(self.access, Console { flags, reporter });
        let mut control = Control {
            interrupt: &flags.interrupt,
            deadline: &flags.deadline,
            limits,
            host: &mut host,
            profile: None,
            stats: Stats::default(),
        };
        let outcome = loaded.run(&mut control);
        let stats = control.stats;
        let run = RunResult::of(&loaded, outcome, stats, host.into_kept(), &flags.interrupt);
        if self.machines.first().is_some_and(|first| first.name() == ready.name()) {
            self.observe(id, values, limits, around);
        }
        match flags.stop() {
            Some(Code::Interrupted) => {
                Err(self.fault(FaultKind::Interrupted, self.header.span, "interrupted".to_owned()))
            }
            Some(_) | None => Ok(run),
        }
    }

    /// Repeats a run for the coverage.
    fn observe(&self, id: RoutineId, values: &[Value], limits: Limits, around: ReadContext<'_>) {
        let routine_idx = self.runnable.routines.iter().position(|one| one.point.routine == id);
        if let (Some(observed), Some(routine_idx)) = (self.observed, routine_idx) {
            let ReadContext { flags, reporter, access: _, folder: _, max_bytes: _ } = around;
            let mut host = TestHost::new(self.access, Console { flags, reporter });
            let stops = [&*flags.interrupt, &*flags.deadline];
            observed.run(routine_idx, values, limits, &mut host, stops);
        }
    }

    fn limits_of(&self, ready: &Ready) -> Limits {
        let mut pairs = self.machines.iter().zip(self.limits);
        let found = pairs.find(|(other, _)| other.name() == ready.name());
        let none = Limits { steps: None, memory: None, output: None, depth: 1000 };
        found.map_or(none, |(_, limits)| *limits)
    }

    /// Checks the outcome of the run.
    fn ending(&self, ready: &Ready, run: &RunResult) -> Result<(), Fault> {
        let ended = self.describe(self.routine, &run.outcome);
        let wanted = self.header.expectations.iter().find_map(|it| match it.what {
            Expected::Fails { code, line } => Some((code, line, it.span)),
            Expected::Value { .. }
            | Expected::Ensures(_)
            | Expected::SameAs(_)
            | Expected::Prints(_) => None,
        });
        let name = &self.routine.entry.name;
        let kind = FaultKind::Ends(ended.as_ref().map(|it| (it.code, it.span())));
        match (wanted, ended) {
            (None, None) => Ok(()),
            (None, Some(ended)) => {
                let message = format!("`{name}` ends with {} on `{}`", ended.code, ready.name());
                let fault = self.fault(kind, self.header.span, message);
                Err(because(fault, ended))
            }
            (Some((code, _, span)), None) => {
                let message = format!("`{name}` succeeds, but {code} is expected");
                Err(self.fault(kind, span, message))
            }
            (Some((code, line, span)), Some(ended)) => {
                let fits = self.is_on_line(&ended, line);
                if ended.code == code && fits {
                    return Ok(());
                }
                let what = match (ended.code == code, line) {
                    (true, Some(line)) => format!("{code} on a line other than {line}"),
                    (true, None) | (false, _) => format!("{}, but {code} is expected", ended.code),
                };
                let fault = self.fault(kind, span, format!("`{name}` ends with {what}"));
                Err(because(fault, ended))
            }
        }
    }

    /// Tests whether the position of a diagnostic, or that of a call leading to it, is on this line
    /// of the file.
    fn is_on_line(&self, ended: &Diagnostic, line: Option<u64>) -> bool {
        line.is_none_or(|line| self.subject.is_on_line(ended, line))
    }

    fn expectation(
        &self,
        expectation: &Expectation,
        case: &Case,
        inputs: &Inputs,
        run: &RunResult,
        around: ReadContext<'_>,
    ) -> Result<(), Fault> {
        let span = expectation.span;
        match &expectation.what {
            Expected::Fails { .. } => Ok(()),
            Expected::Prints(wanted) => {
                let (wanted, found) = (example::lines(wanted), example::lines(&run.printed));
                if wanted == found {
                    return Ok(());
                }
                let line = (0..).find(|&idx| wanted.get(idx) != found.get(idx)).unwrap_or(0);
                let shown = |lines: &[&str]| match lines.get(line) {
                    Some(text) => format!("`{}`", text::one_line(text)),
                    None => "the end".to_owned(),
                };
                let fault = self.fault(
                    FaultKind::Expected(span),
                    span,
                    format!("output differs at line {}", line + 1),
                );
                Err(fault.note(format!("expected {}\nfound {}", shown(&wanted), shown(&found))))
            }
            Expected::Value { name, value } => {
                let (kind, idx) = self.place_of(&name.text).ok_or_else(|| {
                    let message = format!("`{}` is neither a parameter nor a result", name.text);
                    self.fault(FaultKind::Input, name.span, message)
                })?;
                let text = case.text(value).map_err(|fault| self.input(fault))?;
                let wanted = inputs::value(&name.text, kind, &text, span, around);
                let wanted = wanted.map_err(|faults| self.inputs_fault(faults))?;
                let found = run.values.get(idx).unwrap_or(&Value::Unset);
                if wanted == *found {
                    return Ok(());
                }
                let message = format!("`{}` differs from the expected value", name.text);
                let fault = self.fault(FaultKind::Expected(span), span, message);
                Err(fault.note(shown::difference(&wanted, found)))
            }
            Expected::Ensures(name) => self.ensures(name, span, inputs, run, around),
            Expected::SameAs(name) => self.same_as(name, span, inputs, run, around),
        }
    }

    /// Returns the kind and index of a parameter or of the result of a function.
    pub(super) fn place_of(&self, name: &str) -> Option<(star_base::Kind, usize)> {
        let params = &self.routine.entry.params;
        match params.iter().position(|param| param.name == name) {
            Some(idx) => Some((params.get(idx)?.kind.known()?, idx)),
            None => Some((self.routine.point.result.filter(|_| name == "value")?, params.len())),
        }
    }

    /// Returns the diagnostic of a run that failed.
    pub(super) fn describe(&self, routine: &Routine, outcome: &Outcome) -> Option<Diagnostic> {
        if *outcome == Outcome::Done {
            return None;
        }
        let outcome = unwrapped(outcome.clone(), routine.point.result.is_some());
        Some(pipeline::describe(outcome, &self.runnable.program))
    }

    /// Tests whether the input may be minimised. Literal expectations hold for the original input
    /// only.
    pub(super) fn can_shrink(&self, fault: &Fault) -> bool {
        let is_literal = |it: &Expectation| match it.what {
            Expected::Value { .. } | Expected::Prints(_) | Expected::Fails { .. } => true,
            Expected::Ensures(_) | Expected::SameAs(_) => false,
        };
        match fault.kind {
            FaultKind::Interrupted | FaultKind::Input => false,
            FaultKind::Differs(_) => true,
            FaultKind::Ends(_) | FaultKind::Expected(_) => {
                !self.header.expectations.iter().any(is_literal)
            }
        }
    }

    /// Returns the failure of inputs that cannot be bound; `None` if the header expects it.
    pub(super) fn inputs_refused(&self, faults: Vec<Diagnostic>) -> Option<Fault> {
        let interrupted = faults.iter().any(|fault| fault.code == Code::Interrupted);
        if interrupted {
            let message = "interrupted".to_owned();
            return Some(self.fault(FaultKind::Interrupted, self.header.span, message));
        }
        let wanted = self.header.fails();
        match faults.iter().any(|fault| Some(fault.code) == wanted) {
            true => None,
            false => Some(self.inputs_fault(faults)),
        }
    }

    /// Returns the failure for values that cannot be bound.
    fn inputs_fault(&self, faults: Vec<Diagnostic>) -> Fault {
        let mut faults = faults.into_iter();
        let first = faults.next();
        let mut fault = match first {
            Some(first) => self.input(first),
            None => self.fault(FaultKind::Input, self.header.span, "no values".to_owned()),
        };
        for other in faults {
            fault = fault.note(format!("{}: {}", other.code, other.message));
        }
        fault
    }

    pub(super) fn input(&self, cause: Diagnostic) -> Fault {
        Fault { kind: FaultKind::Input, diagnostic: cause }
    }

    pub(super) fn fault(&self, kind: FaultKind, span: Span, message: String) -> Fault {
        Fault { kind, diagnostic: Diagnostic::at(Code::TestFails, span, message) }
    }
}

impl Ready {
    /// Returns the name of the machine.
    pub(super) fn name(&self) -> &'static str {
        self.spec.name
    }
}
