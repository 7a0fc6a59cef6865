//! A line of a session run statement by statement, on the reference backend. The variables that it mentions
//! are copied there, and come back, however the run ends.

use std::cell::RefCell;

use star_base::{Code, Diagnostic, SourceMap};
use star_compiler::Statements;
use star_compiler::hir::TyKind;
use star_compiler::session::Environment;
use star_ir::Ty;
use star_os::failure::refused_by_backend;
use star_vm::reference::Value;
use star_vm::{Backend, BackendError, CompileOptions, Control, HostValue, Outcome, Reference};

use super::{Ended, Guide, Stepper, Stops};
use crate::event::{Event, Sink};
use crate::values::{Job, Values};

/// What a stepped run needs beside what every run needs.
pub(crate) struct Steps<'a> {
    /// The statements of the program.
    pub statements: Statements,
    /// Its texts.
    pub sources: &'a SourceMap,
    /// Does it ask?
    pub stops: Stops,
    /// What the variables are.
    pub environment: &'a Environment,
}

/// Runs a line whose variables are these, and says whether the user ended it.
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
            let message = format!("what is in the handle `{slot}` does not move");
            return Err(Diagnostic::new(Code::Usage, message)
                .note("`:step` runs on the reference backend, and takes the variables there"));
        }
        let value = values.store(slot, control.interrupt);
        before.push(value.map_err(|error| cannot_copy(slot, error))?);
    }
    let load = |(slot, value): (&String, &HostValue)| {
        reference.load(value.clone(), is_fixed(steps.environment, slot))
    };
    let on_reference = |error| refused_by_backend("the line cannot be stepped through", &error);
    let there = slots.iter().zip(&before).map(load).collect::<Result<Vec<Value>, _>>();
    let mut there = there.map_err(on_reference)?;
    let screen = sink.borrow().screen();
    let mut guide = AtSink { sink };
    let code = reference.compile(program.clone(), &CompileOptions::AS_LOWERED);
    let plan = code.and_then(|code| reference.plan(&code, entry, &[])).map_err(on_reference)?;
    let mut stepper =
        Stepper::new(program, steps.statements, steps.sources, &mut guide, screen, steps.stops);
    let outcome = reference.run_observed(&plan, &mut there, control, &mut stepper);
    let ended = stepper.ended();
    for ((slot, value), old) in slots.iter().zip(there).zip(before) {
        let new = reference.unload(value, control.interrupt);
        let new = new.map_err(|error| cannot_copy(slot, error))?;
        if new != old {
            let moved = values.load(slot, new, is_fixed(steps.environment, slot));
            moved.map_err(|error| {
                refused_by_backend(&format!("`{slot}` does not come back"), &error)
            })?;
        }
    }
    Ok((outcome, ended))
}

/// Does the variable keep its size, as its declaration says?
fn is_fixed(environment: &Environment, slot: &str) -> bool {
    environment.get(slot).is_some_and(|variable| match variable.kind {
        TyKind::Table => variable.sizes[1].is_some(),
        TyKind::Slice | TyKind::Word => variable.sizes[0].is_some(),
        TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => false,
    })
}

fn cannot_copy(slot: &str, error: BackendError) -> Diagnostic {
    refused_by_backend(&format!("`{slot}` cannot be copied to the reference backend"), &error)
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
