//! Programs on a backend: compile once, load arguments, run.
//!
//! The steps are separate so that each can be timed, repeated, or run with different flags and
//! limits.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_base::{Code, Diagnostic, Intrinsic, Span, did_you_mean, text};
use star_ir::{LocId, Mode, Program, RoutineId};
use star_value::{Argument, TableWish, Value};
use star_vm::columns::no_table;
use star_vm::explain::{Became, Item, Subject};
use star_vm::{
    Backend, BackendError, Capabilities, CompileOptions, Control, DynBackend, DynCode, DynPlan,
    DynValue, Explanation, Limits, Outcome, Part, Reference, Wanted, erase,
};

use super::backends::{self, Availability, BackendSpec, DeviceOptions};
use super::parts::{PlacedArguments, PlacedTable, RoutineResult};
use super::routine_run::{self, RunResult};

/// A backend with its compile options.
#[derive(Clone)]
pub struct Machine {
    /// Its name in messages.
    pub name: &'static str,
    /// The backend.
    pub backend: Rc<DynBackend>,
    /// The compile options.
    pub options: CompileOptions,
}

/// A program that a backend has compiled.
pub struct Compiled {
    /// The name of the backend in messages.
    pub name: &'static str,
    intrinsics: bool,
    backend: Rc<DynBackend>,
    code: DynCode,
    program: Rc<Program>,
}

/// A routine with its arguments, ready to run.
pub struct LoadedRoutine {
    backend: Rc<DynBackend>,
    plan: DynPlan,
    values: Vec<DynValue>,
    /// The parts in which tables among them were loaded.
    n_parts: u64,
    /// The bytes of files that this rank read by rows.
    own_bytes: u64,
    program: Rc<Program>,
    entry: RoutineId,
}

/// Creates a machine whose backend compiles with all optimisations.
pub fn on<B: Backend + 'static>(name: &'static str, backend: B) -> Machine {
    Machine { name, backend: erase(backend).into(), options: CompileOptions::default() }
}

impl Machine {
    /// Returns the CPU, with the best kernels for this processor.
    pub fn cpu() -> Machine {
        on("cpu", backends::cpu())
    }

    /// Returns the reference, which runs each operation as it is specified, without regard to
    /// speed.
    pub fn reference() -> Machine {
        on("reference", Reference::new())
    }

    /// Returns the machine with this name: `cpu`, `reference`, or `gpu` on its best device.
    ///
    /// # Errors
    /// E0607 with the available names, or with the reason why the machine is unavailable.
    pub fn find(name: &str) -> Result<Machine, Diagnostic> {
        Machine::find_on(name, &DeviceOptions::default())
    }

    /// Returns the machine with this name, on the requested device.
    ///
    /// # Errors
    /// Same as [`Machine::find`].
    pub fn find_on(name: &str, wanted: &DeviceOptions<'_>) -> Result<Machine, Diagnostic> {
        match BackendSpec::find(name).map(|entry| (entry.name, entry.open_on(wanted))) {
            Some((name, Availability::Ready(backend))) => {
                Ok(Machine { name, backend, options: CompileOptions::default() })
            }
            Some((name, Availability::Unavailable { reason })) => {
                let message = format!("backend `{name}` is not available: {reason}");
                Err(Diagnostic::new(Code::NoBackend, message))
            }
            None => {
                let message = format!("unknown backend `{}`", text::one_line(name));
                let diagnostic =
                    Diagnostic::new(Code::NoBackend, message).note(backends::available());
                Err(match did_you_mean(name, backends::names()) {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                })
            }
        }
    }

    /// Returns the name and the limits of its backend.
    pub fn caps(&self) -> Capabilities {
        self.backend.caps()
    }

    /// Returns the machine with these compile options.
    #[must_use]
    pub fn with(&self, options: CompileOptions) -> Machine {
        Machine { options, ..self.clone() }
    }

    /// Does the backend have this intrinsic, and may programs use it?
    pub fn takes(&self, intrinsic: Intrinsic) -> bool {
        self.options.intrinsics && self.backend.caps().intrinsics.contains(&intrinsic)
    }

    /// Compiles a verified program.
    ///
    /// # Errors
    /// As for [`Backend::compile`].
    pub fn compile(&self, program: Program) -> Result<Compiled, BackendError> {
        let code = self.backend.compile(program.clone(), &self.options, None)?.code;
        let (name, intrinsics) = (self.name, self.options.intrinsics);
        let (backend, program) = (Rc::clone(&self.backend), Rc::new(program));
        Ok(Compiled { name, intrinsics, backend, code, program })
    }

    /// Returns the same backend for running programs as lowered.
    #[must_use]
    pub fn as_lowered(&self) -> Machine {
        self.with(CompileOptions::AS_LOWERED)
    }
}

impl Compiled {
    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Does the backend have this intrinsic, and may the program use it?
    pub fn takes(&self, intrinsic: Intrinsic) -> bool {
        self.intrinsics && self.backend.caps().intrinsics.contains(&intrinsic)
    }

    /// Loads the arguments of `entry`, in order, and plans a run with them.
    ///
    /// # Errors
    /// As for [`Backend::load`] and [`Backend::plan`].
    pub fn load(
        &self,
        entry: RoutineId,
        arguments: Vec<Argument>,
    ) -> Result<LoadedRoutine, BackendError> {
        let mut placed = self.place();
        arguments.into_iter().try_for_each(|argument| placed.add(argument))?;
        self.plan(entry, placed)
    }

    /// Returns the tables that the loader of files leaves to [`PlacedArguments::add_left`], for
    /// [`star_bind::Binding::leave`].
    #[cfg(feature = "files")]
    pub fn leaves(&self) -> Option<star_bind::Leave> {
        super::parts::left_for(&*self.backend)
    }

    /// Returns an empty list of arguments, to be loaded one after another.
    pub fn place(&self) -> PlacedArguments {
        PlacedArguments::new(Rc::clone(&self.backend))
    }

    /// Plans a run of `entry` with its arguments.
    ///
    /// # Errors
    /// As for [`Backend::plan`].
    pub fn plan(
        &self,
        entry: RoutineId,
        placed: PlacedArguments,
    ) -> Result<LoadedRoutine, BackendError> {
        let (backend, program) = (Rc::clone(&self.backend), Rc::clone(&self.program));
        let PlacedArguments { values, n_parts, own_bytes, .. } = placed;
        let types: Vec<_> = values.iter().map(|value| Some(backend.ty(value)?.ty)).collect();
        let plan = backend.plan(&self.code, entry, &types)?;
        Ok(LoadedRoutine { backend, plan, values, n_parts, own_bytes, program, entry })
    }

    /// Does the same, with the arguments in the layouts that the entry prefers; see
    /// [`Backend::lay_out`].
    ///
    /// # Errors
    /// As for [`Backend::load`], [`Backend::plan`] and [`Backend::lay_out`].
    pub fn load_laid_out(
        &self,
        entry: RoutineId,
        arguments: Vec<Argument>,
        memory: Option<u64>,
        interrupt: &AtomicBool,
    ) -> Result<LoadedRoutine, BackendError> {
        let mut loaded = self.load(entry, arguments)?;
        loaded.lay_out(memory, interrupt)?;
        Ok(loaded)
    }

    /// Tests whether the backend supports sparse tables.
    pub fn takes_sparse(&self) -> bool {
        self.backend.caps().has_sparse
    }

    /// Returns the preferred layouts of the table parameters of `entry`; see
    /// [`Backend::preferences`].
    pub fn preferences(&self, entry: RoutineId) -> Vec<TableWish> {
        self.backend.preferences(&self.code, entry)
    }

    /// Runs `entry` once, without interrupts and with files in memory. Set arguments are fixed:
    /// they keep their sizes.
    pub fn run(&self, entry: RoutineId, args: &[Value], limits: Limits) -> RunResult {
        self.run_with(entry, args.iter().map(Argument::of).collect(), limits)
    }

    /// Does the same with arguments in given forms.
    pub fn run_with(
        &self,
        entry: RoutineId,
        arguments: Vec<Argument>,
        limits: Limits,
    ) -> RunResult {
        match self.load(entry, arguments) {
            Ok(mut loaded) => routine_run::alone(&mut loaded, limits),
            Err(error) => RunResult::failed(error),
        }
    }
}

impl LoadedRoutine {
    /// Explains the compiled program, and the layouts of its table arguments.
    pub fn explain(&self) -> Explanation {
        let mut all = self.backend.explain(&self.plan);
        let entry = self.program.routines.get(self.entry.0 as usize);
        let params = entry.iter().flat_map(|entry| entry.params.iter().map(|it| entry.var(it.var)));
        for (param, value) in params.zip(&self.values) {
            if let Some(layout) = self.backend.ty(value).and_then(|info| info.layout) {
                let became = Became::Form(format!("`{}` is {layout}", param.name));
                let (subject, routine) = (Subject::Table, Some(self.entry));
                all.items.push(Item { subject, routine, loc: None, became });
            }
        }
        all
    }

    /// Converts the arguments to the layouts that the entry prefers; see [`Backend::lay_out`].
    ///
    /// # Errors
    /// As for [`Backend::lay_out`].
    pub fn lay_out(
        &mut self,
        memory: Option<u64>,
        interrupt: &AtomicBool,
    ) -> Result<(), BackendError> {
        self.backend.lay_out(&self.plan, &mut self.values, memory, interrupt)
    }

    /// Runs it. A second run begins with the final arguments of the first one.
    pub fn run(&mut self, control: &mut Control<'_>) -> Outcome {
        let outcome = self.backend.run(&self.plan, &mut self.values, control);
        control.stats.counters.parts_loaded = self.n_parts;
        control.stats.counters.own_bytes_loaded = self.own_bytes;
        outcome
    }

    /// Returns the current arguments.
    ///
    /// # Errors
    /// If there is no memory for them, or `interrupt` is set meanwhile.
    pub fn values(&self, interrupt: &AtomicBool) -> Result<Vec<Value>, BackendError> {
        self.values.iter().map(|value| self.backend.store(value, Part::Whole, interrupt)).collect()
    }

    /// Moves the `var` arguments out, one after another; tables are by columns.
    ///
    /// # Errors
    /// As for [`LoadedRoutine::values`].
    pub fn into_results(self, interrupt: &AtomicBool) -> Result<Vec<Value>, BackendError> {
        let results = self.into_results_as(&|_| Wanted::Columns, &|_| false, interrupt)?;
        let values = results.into_iter().map(|result| match result {
            RoutineResult::Value(value) => Ok(value),
            RoutineResult::Table(_) => Err(no_table()),
        });
        values.collect()
    }

    /// Does the same, with each table in the form that `wanted` returns for the index of the
    /// result. Where `stays` returns `true`, a table of several parts stays on the backend.
    ///
    /// # Errors
    /// As for [`LoadedRoutine::values`].
    pub fn into_results_as(
        self,
        wanted: &dyn Fn(usize) -> Wanted,
        stays: &dyn Fn(usize) -> bool,
        interrupt: &AtomicBool,
    ) -> Result<Vec<RoutineResult>, BackendError> {
        let LoadedRoutine { backend, values, program, entry, .. } = self;
        let params = &program.routine(entry).params;
        let results = values.into_iter().zip(params).filter(|(_, param)| param.mode == Mode::Ref);
        let results = results.enumerate().map(|(idx, (value, _))| {
            let placed = match stays(idx) {
                true => PlacedTable::new(&backend, value),
                false => Err(value),
            };
            match placed {
                Ok(table) => Ok(RoutineResult::Table(table)),
                Err(value) => {
                    backend.unload(value, wanted(idx), interrupt).map(RoutineResult::Value)
                }
            }
        });
        results.collect()
    }

    /// Returns the location in the source where a run ended: the active calls, including inlined
    /// ones, the outermost first, and then the location itself. Empty if the run succeeded, or has
    /// no location.
    pub(super) fn end_in_source(&self, outcome: &Outcome) -> Vec<Span> {
        let span = |loc: LocId| self.program.locations.get(loc).map(|location| location.span);
        match outcome {
            Outcome::Trap(trap) => {
                let stack = trap.call_stack(&self.program);
                let calls = stack.iter().filter_map(|frame| frame.call);
                calls.chain([trap.loc]).filter_map(span).collect()
            }
            Outcome::Limit { loc, .. } => span(*loc).into_iter().collect(),
            Outcome::Done
            | Outcome::Unsupported { .. }
            | Outcome::DeviceLost { .. }
            | Outcome::Internal(_) => Vec::new(),
        }
    }

    /// Leaks the memory of the arguments, for a process that is about to end: returning gigabytes
    /// to the system piece by piece would only delay it.
    pub fn abandon(self) {
        std::mem::forget(self.values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str) -> Diagnostic {
        match Machine::find(name) {
            Err(diagnostic) => diagnostic,
            Ok(machine) => panic!("{:?}", machine.caps()),
        }
    }

    #[test]
    fn unknown_backend_lists_available_names() {
        assert!(Machine::find("cpu").is_ok());
        let diagnostic = refused("referense");
        assert_eq!(diagnostic.code, Code::NoBackend);
        assert_eq!(diagnostic.notes, [backends::available()]);
        assert_eq!(diagnostic.help, ["did you mean `reference`?"]);
    }

    #[test]
    fn unavailable_backend_reports_the_reason() {
        let found = Machine::find_on(
            "gpu",
            &DeviceOptions { adapter: Some("no adapter of this name"), ..DeviceOptions::default() },
        );
        let Err(diagnostic) = found else { panic!("an adapter of this name") };
        assert_eq!(diagnostic.code, Code::NoBackend);
        assert!(diagnostic.message.contains("is not available: no"), "{}", diagnostic.message);
    }
}
