//! A line of a session run statement by statement, on the reference backend. The variables that it mentions
//! are copied there, and come back, however the run ends.

use std::cell::RefCell;

use star_base::{Code, Diagnostic, SourceMap};
use star_compiler::Statements;
use star_compiler::hir::Kind;
use star_compiler::session::Environment;
use star_ir::Ty;
use star_vm::reference::Value;
use star_vm::{Backend, Control, HostValue, Outcome, Reference, StoreError};

use super::{Ended, Guide, Stepper, Stops};
use crate::repl::event::{Event, Sink};
use crate::repl::machine::{Job, Machine};

/// What a stepped run needs beside what every run needs.
pub(crate) struct Steps<'a> {
    /// The statements of the program.
    pub(crate) statements: Statements,
    /// Its texts.
    pub(crate) sources: &'a SourceMap,
    /// Does it ask?
    pub(crate) stops: Stops,
    /// What the variables are.
    pub(crate) environment: &'a Environment,
}

/// Runs a line whose variables are on `machine`, and says whether the user ended it.
///
/// # Errors
/// If the variables cannot be copied.
pub(crate) fn run(
    machine: &mut dyn Machine,
    job: Job<'_>,
    steps: Steps<'_>,
    sink: &RefCell<&mut dyn Sink>,
    control: &mut Control<'_>,
) -> Result<(Outcome, Option<Ended>), Diagnostic> {
    let Job { program, entry, slots, natives: _ } = job;
    let reference = Reference::new();
    let mut before = Vec::new();
    for slot in slots {
        if machine.ty(slot) == Some(Ty::Handle) {
            let message = format!("what is in the handle `{slot}` does not move");
            return Err(Diagnostic::new(Code::Usage, message)
                .note("`:step` runs on the reference backend, and takes the variables there"));
        }
        let value = machine.store(slot, control.interrupt);
        before.push(value.map_err(|error| cannot_copy(slot, error))?);
    }
    let load = |(slot, value): (&String, &HostValue)| {
        reference.load(value.clone(), is_fixed(steps.environment, slot))
    };
    let mut values: Vec<Value> = slots.iter().zip(&before).map(load).collect();
    let screen = sink.borrow().screen();
    let mut guide = AtSink { sink };
    let plan = reference.plan(&reference.compile(program.clone()), entry, &[]);
    let mut stepper =
        Stepper::new(program, steps.statements, steps.sources, &mut guide, screen, steps.stops);
    let outcome = reference.run_observed(&plan, &mut values, control, &mut stepper);
    let ended = stepper.ended();
    for ((slot, value), old) in slots.iter().zip(values).zip(before) {
        let new = reference.unload(value, control.interrupt);
        let new = new.map_err(|error| cannot_copy(slot, error))?;
        if new != old {
            machine.load(slot, new, is_fixed(steps.environment, slot));
        }
    }
    Ok((outcome, ended))
}

/// Does the variable keep its size, as its declaration says?
fn is_fixed(environment: &Environment, slot: &str) -> bool {
    environment.get(slot).is_some_and(|variable| match variable.kind {
        Kind::Table => variable.sizes[1].is_some(),
        Kind::Slice | Kind::Word => variable.sizes[0].is_some(),
        Kind::Int | Kind::Bool | Kind::Str | Kind::Handle | Kind::Error => false,
    })
}

fn cannot_copy(slot: &str, error: StoreError) -> Diagnostic {
    match error {
        StoreError::OutOfMemory(refused) => Diagnostic::new(
            Code::MemoryLimit,
            format!("`{slot}` cannot be copied to the reference backend: {refused}"),
        ),
        StoreError::Interrupted => Diagnostic::new(Code::Interrupted, "interrupted"),
    }
}

/// Shows a run to whoever a session talks to.
struct AtSink<'a, 's> {
    sink: &'a RefCell<&'s mut dyn Sink>,
}

impl Guide for AtSink<'_, '_> {
    fn say(&mut self, text: &str) -> bool {
        self.sink.borrow_mut().show(Event::Answer(text))
    }
    fn ask(&mut self) -> Option<String> {
        self.sink.borrow_mut().ask()
    }
}
