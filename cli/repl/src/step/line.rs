//! Stepwise execution of a line on the reference backend. Its variables are copied there and back,
//! however the run ends.

use std::cell::RefCell;

use star::pipeline::{Job, Values, refused_by_backend};
use star_base::{Code, Diagnostic, SourceMap};
use star_compiler::Statements;
use star_compiler::session::{Environment, Variable};
use star_ir::Ty;
use star_value::Value as HostValue;
use star_vm::reference::Value;
use star_vm::{Backend, BackendError, CompileOptions, Control, Outcome, Reference, Wanted};

use super::{Ended, Guide, Stepper, Stops};
use crate::event::{Event, Sink};

/// Additional inputs of a stepped run.
pub(crate) struct Steps<'a> {
    /// The statements of the program.
    pub statements: Statements,
    /// Its source texts.
    pub sources: &'a SourceMap,
    /// Whether the run stops.
    pub stops: Stops,
    /// The declarations of the variables.
    pub environment: &'a Environment,
}

/// Runs a line with these variables; returns whether the user ended it.
///
/// # Errors
/// If the variables cannot be copied.
pub(crate) fn run(
    values: &mut Values,
    job: Job<'_>,
    steps: Steps<'_>,
    sink: &RefCell<&mut dyn Sink>,
    control: &mut Control<'_>,
) -> Result<(Outcome, Option<Ended>), Diagnostic> {
    let Job { program, entry, slots, options: _ } = job;
    let reference = Reference::new();
    let mut before = Vec::new();
    for slot in slots {
        if values.ty(slot) == Some(Ty::Handle) {
            let message = format!("cannot transfer the handle `{slot}`");
            return Err(Diagnostic::new(Code::Usage, message)
                .note("`:step` runs on the reference backend and transfers the variables there"));
        }
        let value = values.store(slot, control.interrupt);
        before.push(value.map_err(|error| cannot_copy(slot, error))?);
    }
    let load = |(slot, value): (&String, &HostValue)| {
        reference.load(value.clone(), is_fixed(steps.environment, slot))
    };
    let on_reference = |error| refused_by_backend("cannot step through the line", &error);
    let there = slots.iter().zip(&before).map(load).collect::<Result<Vec<Value>, _>>();
    let mut there = there.map_err(on_reference)?;
    let screen = sink.borrow().screen();
    let mut guide = AtSink { sink };
    let code = reference.compile(program.clone(), &CompileOptions::AS_LOWERED, None);
    let plan =
        code.and_then(|made| reference.plan(&made.code, entry, &[])).map_err(on_reference)?;
    let mut stepper =
        Stepper::new(program, steps.statements, steps.sources, &mut guide, screen, steps.stops);
    let outcome = reference.run_observed(&plan, &mut there, control, &mut stepper);
    let ended = stepper.ended();
    for ((slot, value), old) in slots.iter().zip(there).zip(before) {
        let new = reference.unload(value, Wanted::Columns, control.interrupt);
        let new = new.map_err(|error| cannot_copy(slot, error))?;
        if new != old {
            let moved = values.load(slot, new, is_fixed(steps.environment, slot));
            moved.map_err(|error| {
                refused_by_backend(&format!("cannot copy `{slot}` back"), &error)
            })?;
        }
    }
    Ok((outcome, ended))
}

/// The prompt of a stopped run.
const PROMPT: &str = "step> ";

/// Tests whether the declaration of the variable fixes its size.
fn is_fixed(environment: &Environment, slot: &str) -> bool {
    environment.get(slot).is_some_and(Variable::is_fixed)
}

fn cannot_copy(slot: &str, error: BackendError) -> Diagnostic {
    refused_by_backend(&format!("cannot copy `{slot}` to the reference backend"), &error)
}

/// Shows a run through the display of a session.
struct AtSink<'a, 's> {
    sink: &'a RefCell<&'s mut dyn Sink>,
}

impl Guide for AtSink<'_, '_> {
    fn say(&mut self, text: &str) -> bool {
        self.sink.borrow_mut().show(Event::Picture(text))
    }
    fn ask(&mut self) -> Option<String> {
        self.sink.borrow_mut().ask(PROMPT)
    }
}
