//! The cases of a test, and minimisation of a failing input.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use star::pipeline::Argument;
use star_base::Diagnostic;
use star_harness::{Case, shrink};
use star_os::flags::Flags;
use star_os::watchdog::Sentry;
use star_value::Value;

use super::fault::{Fault, FaultKind};
use super::shown;
use super::trial::Trial;
use crate::headers::inputs::{Inputs, ReadContext, command_line, inputs};
use crate::text;

/// Maximum number of smaller inputs tried.
const MAX_TRIES: usize = 400;
/// Time limit of minimisation.
const PATIENCE: Duration = Duration::from_secs(10);

/// The result of a test.
pub(super) struct Row {
    /// Number of cases run.
    pub(super) n_run: usize,
    /// The failure, if any.
    pub(super) failure: Option<Failure>,
    /// Whether the test was interrupted.
    pub(super) interrupted: bool,
    /// Duration of the test.
    pub(super) seconds: f64,
}

/// A failed case.
pub(super) struct Failure {
    /// The diagnostic; its notes contain all the following fields.
    pub(super) diagnostic: Diagnostic,
    /// The label of the case; empty if it is the only one.
    pub(super) case: String,
    /// The smallest input with the same failure, as names and values.
    pub(super) input: Vec<(String, String)>,
    /// The command that runs the routine with this input.
    pub(super) command: Option<String>,
}

impl Failure {
    /// Creates a failure that occurred before any case was run.
    pub(super) fn early(diagnostic: Diagnostic) -> Self {
        Failure { diagnostic, case: String::new(), input: Vec::new(), command: None }
    }
}

/// Runs the cases of a test up to the first failure, each with the limit `time`.
pub(super) fn run(
    trial: Trial<'_>,
    cases: &[Case],
    around: ReadContext<'_>,
    time: Duration,
) -> Row {
    let start = Instant::now();
    let mut row = Row { n_run: 0, failure: None, interrupted: false, seconds: 0.0 };
    for case in cases {
        if around.flags.interrupt.load(Ordering::Relaxed) {
            row.interrupted = true;
            break;
        }
        row.n_run += 1;
        if let Err(stopped) = run_case(trial, case, around, time, cases.len()) {
            match stopped {
                Some(failure) => row.failure = Some(failure),
                None => {
                    row.n_run -= 1;
                    row.interrupted = true;
                }
            }
            break;
        }
    }
    row.seconds = start.elapsed().as_secs_f64();
    row
}

/// Runs one case; the error is `None` if the user interrupted it.
fn run_case(
    trial: Trial<'_>,
    case: &Case,
    around: ReadContext<'_>,
    time: Duration,
    n_cases: usize,
) -> Result<(), Option<Failure>> {
    let (found, faulty) = within(around.flags, time, |flags| {
        let around = ReadContext { flags, ..around };
        match inputs(trial.routine, trial.header, case, around) {
            Ok(inputs) => (trial.judge(case, &inputs, around).err(), Some(inputs)),
            Err(faults) => (trial.inputs_refused(faults), None),
        }
    });
    let Some(fault) = found else { return Ok(()) };
    if fault.kind == FaultKind::Interrupted {
        return Err(None);
    }
    let small = match &faulty {
        Some(inputs) if trial.can_shrink(&fault) => {
            smaller(trial, case, inputs, &fault, around, time)
        }
        Some(_) | None => None,
    };
    if around.flags.interrupt.load(Ordering::Relaxed) && small.is_none() {
        // Keep the results so far.
        return Err(Some(failure(trial, case, fault, faulty, around, n_cases, Size::AsGiven)));
    }
    let (fault, shown, size) = match small {
        Some((fault, inputs)) => (fault, Some(inputs), Size::Smaller),
        None => (fault, faulty, Size::AsGiven),
    };
    Err(Some(failure(trial, case, fault, shown, around, n_cases, size)))
}

/// Whether the input was minimised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    AsGiven,
    Smaller,
}

/// Runs `work` with a separate deadline.
fn within<R>(flags: &Flags, time: Duration, work: impl FnOnce(&Flags) -> R) -> R {
    let flags = flags.without_deadline();
    // Without a thread there is no deadline; Ctrl-C still works.
    let _clock = Sentry::clock(&flags, time).ok();
    work(&flags)
}

/// Returns the smallest input with the same failure, and that failure.
fn smaller(
    trial: Trial<'_>,
    case: &Case,
    given: &Inputs,
    fault: &Fault,
    around: ReadContext<'_>,
    time: Duration,
) -> Option<(Fault, Inputs)> {
    let start = Instant::now();
    let n_arguments = given.arguments.len();
    let of = |values: &[Value]| {
        let arguments = given.arguments.iter().zip(values);
        let arguments =
            arguments.map(|(old, value)| Argument::new(value.clone(), old.fixed)).collect();
        let numbers = values.iter().skip(n_arguments);
        let sizes = given.sizes.iter().zip(numbers).map(|((name, old), value)| {
            let number = match value {
                Value::Int(number) => *number,
                Value::Unset
                | Value::Bool(_)
                | Value::Str(_)
                | Value::Slice(_)
                | Value::Word(_)
                | Value::Table(_) => *old,
            };
            (name.clone(), number)
        });
        Inputs { arguments, sizes: sizes.collect() }
    };
    let values = given.arguments.iter().map(|argument| argument.value.clone());
    let sizes = given.sizes.iter().map(|(_, number)| Value::Int(*number));
    let mut last = None;
    let mut fails = |values: &[Value]| {
        let interrupted = around.flags.interrupt.load(Ordering::Relaxed);
        if interrupted || start.elapsed() > PATIENCE {
            return false;
        }
        let inputs = of(values);
        let found = within(around.flags, time, |flags| {
            trial.judge(case, &inputs, ReadContext { flags, ..around }).err()
        });
        match found {
            Some(found) if found.kind == fault.kind => {
                last = Some((found, inputs));
                true
            }
            Some(_) | None => false,
        }
    };
    shrink(values.chain(sizes).collect(), MAX_TRIES, &mut fails);
    last
}

fn failure(
    trial: Trial<'_>,
    case: &Case,
    fault: Fault,
    inputs: Option<Inputs>,
    around: ReadContext<'_>,
    n_cases: usize,
    size: Size,
) -> Failure {
    let Fault { kind: _, mut diagnostic } = fault;
    let label = case.label();
    if !trial.header.title.is_empty() {
        diagnostic = diagnostic.note(format!("the test: {}", text::one_line(&trial.header.title)));
    }
    if !label.is_empty() {
        let cases = text::count(n_cases, "case");
        let first = if n_cases > 1 { "the first of" } else { "of" };
        diagnostic = diagnostic.note(format!("{first} {cases} that fails: {label}"));
    }
    let literals = inputs.as_ref().and_then(|inputs| literals(trial, inputs));
    let shown = literals.unwrap_or_else(|| {
        let given = case.given.iter();
        given.map(|given| (given.name.clone(), given.text.clone())).collect()
    });
    if !shown.is_empty() {
        let lines = shown.iter().map(|(name, value)| format!("  {name} = {value}"));
        let lines: Vec<String> = lines.collect();
        let title = match size {
            Size::Smaller => "the smallest input found that fails in the same way",
            Size::AsGiven => "the input",
        };
        diagnostic = diagnostic.note(format!("{title}\n{}", lines.join("\n")));
    }
    let command = inputs.is_some().then(|| {
        let file = &trial.subject.file;
        command_line(file, trial.header, trial.routine, &shown, around.folder)
    });
    if let Some(command) = &command {
        diagnostic = diagnostic.help(format!("run it alone\n  {command}"));
    }
    Failure { diagnostic, case: label, input: shown, command }
}

/// Returns the values in the syntax of a header; `None` if one is too large.
fn literals(trial: Trial<'_>, inputs: &Inputs) -> Option<Vec<(String, String)>> {
    let sizes = inputs.sizes.iter().map(|(name, number)| (name.clone(), number.to_string()));
    let mut shown: Vec<(String, String)> = sizes.collect();
    for (param, argument) in trial.routine.entry.params.iter().zip(&inputs.arguments) {
        if argument.value != Value::Unset {
            shown.push((param.name.clone(), shown::literal(&argument.value)?));
        }
    }
    Some(shown)
}
