//! A backend whatever its types of values, code and plans are: compile once, load arguments, run.
//!
//! The steps are apart so that each can be timed, repeated, or given its own flags and limits.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_ir::{Mode, Program, RoutineId};
use star_vm::{Argument, Backend, Control, HostValue, Limits, Outcome, Profile, StoreError};

use crate::run::{self, Run};

/// A backend.
pub trait Machine {
    /// What messages call it.
    fn name(&self) -> &'static str;

    /// Compiles a verified program.
    fn compile(&self, program: Program) -> Box<dyn Compiled>;
}

/// A program that a backend has compiled.
pub trait Compiled {
    /// What messages call the backend.
    fn name(&self) -> &'static str;

    /// Takes the arguments of `entry` in, in order, and plans a run with them.
    fn load(&self, entry: RoutineId, arguments: Vec<Argument>) -> Box<dyn Loaded>;

    /// Runs `entry` once, with nobody to interrupt it and files in memory. Arguments that are set are given
    /// as fixed ones: they keep their sizes.
    fn run(&self, entry: RoutineId, args: &[HostValue], limits: Limits) -> Run {
        let arguments = args.iter().map(Argument::of).collect();
        run::alone(&mut *self.load(entry, arguments), limits)
    }
}

/// A routine with its arguments, ready to run.
pub trait Loaded {
    /// What the plan will do, for people.
    fn explain(&self) -> String;

    /// Runs it. A second run begins with the arguments that the first one left.
    fn run(&mut self, control: &mut Control<'_>) -> Outcome;

    /// The same, and charges what it takes to lines and routines.
    fn run_profiled(&mut self, control: &mut Control<'_>, profile: &mut Profile) -> Outcome;

    /// The arguments as they are now.
    ///
    /// # Errors
    /// If there is no memory for them, or `interrupt` is set meanwhile.
    fn values(&self, interrupt: &AtomicBool) -> Result<Vec<HostValue>, StoreError>;

    /// The `var` arguments, given up one after another.
    ///
    /// # Errors
    /// As for [`Loaded::values`].
    fn into_results(self: Box<Self>, interrupt: &AtomicBool) -> Result<Vec<HostValue>, StoreError>;

    /// Leaves the memory of the arguments as it is, for a process that is about to end: giving gigabytes
    /// back to the system piece by piece would only make the user wait.
    fn abandon(self: Box<Self>);
}

/// A backend as a [`Machine`].
pub fn on<B: Backend + 'static>(name: &'static str, backend: B) -> Box<dyn Machine> {
    Box::new(On { name, backend: Rc::new(backend) })
}

struct On<B> {
    name: &'static str,
    backend: Rc<B>,
}

impl<B: Backend + 'static> Machine for On<B> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compile(&self, program: Program) -> Box<dyn Compiled> {
        let modes = |params: &[star_ir::Param]| params.iter().map(|param| param.mode).collect();
        let modes = program.routines.iter().map(|routine| modes(&routine.params)).collect();
        let code = self.backend.compile(program);
        Box::new(Code { name: self.name, backend: Rc::clone(&self.backend), code, modes })
    }
}

struct Code<B: Backend> {
    name: &'static str,
    backend: Rc<B>,
    code: B::Code,
    /// Those of the parameters of each routine.
    modes: Vec<Vec<Mode>>,
}

impl<B: Backend + 'static> Compiled for Code<B> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn load(&self, entry: RoutineId, arguments: Vec<Argument>) -> Box<dyn Loaded> {
        let backend = Rc::clone(&self.backend);
        let values: Vec<B::Value> =
            arguments.into_iter().map(|it| backend.load(it.value, it.fixed)).collect();
        let types: Vec<_> = values.iter().map(|value| backend.ty(value)).collect();
        let plan = backend.plan(&self.code, entry, &types);
        let modes = self.modes.get(entry.0 as usize).cloned().unwrap_or_default();
        Box::new(Ready { backend, plan, values, modes })
    }
}

struct Ready<B: Backend> {
    backend: Rc<B>,
    plan: B::Plan,
    values: Vec<B::Value>,
    modes: Vec<Mode>,
}

impl<B: Backend> Loaded for Ready<B> {
    fn explain(&self) -> String {
        self.backend.explain(&self.plan)
    }

    fn run(&mut self, control: &mut Control<'_>) -> Outcome {
        self.backend.run(&self.plan, &mut self.values, control)
    }

    fn run_profiled(&mut self, control: &mut Control<'_>, profile: &mut Profile) -> Outcome {
        self.backend.run_profiled(&self.plan, &mut self.values, control, profile)
    }

    fn values(&self, interrupt: &AtomicBool) -> Result<Vec<HostValue>, StoreError> {
        self.values.iter().map(|value| self.backend.store(value, interrupt)).collect()
    }

    fn into_results(self: Box<Self>, interrupt: &AtomicBool) -> Result<Vec<HostValue>, StoreError> {
        let Ready { backend, plan: _, values, modes } = *self;
        let results = values.into_iter().zip(modes).filter(|(_, mode)| *mode == Mode::Ref);
        results.map(|(value, _)| backend.unload(value, interrupt)).collect()
    }

    fn abandon(self: Box<Self>) {
        std::mem::forget(self.values);
    }
}
