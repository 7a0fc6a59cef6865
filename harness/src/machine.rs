//! Programs on a backend: compile once, load arguments, run.
//!
//! The steps are separate so that each can be timed, repeated, or run with different flags and
//! limits.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_base::{Intrinsic, Span, SparseTable};
use star_ir::analysis::line_accesses::TableUse;
use star_ir::{LocId, Mode, Program, RoutineId};
use star_vm::explain::{Became, Item, Subject};
use star_vm::{
    Argument, Backend, BackendError, CompileOptions, Control, DynBackend, DynCode, DynPlan,
    DynValue, Explanation, HostValue, Limits, Outcome, TableForm, erase,
};

use crate::routine_run::{self, RunResult};

/// A backend with its compile options.
#[derive(Clone)]
pub struct Machine {
    /// Its name in messages.
    pub name: &'static str,
    /// The backend.
    pub backend: Rc<dyn DynBackend>,
    /// The compile options.
    pub options: CompileOptions,
}

/// A program that a backend has compiled.
pub struct Compiled {
    /// The name of the backend in messages.
    pub name: &'static str,
    intrinsics: bool,
    backend: Rc<dyn DynBackend>,
    code: DynCode,
    program: Program,
}

/// A routine with its arguments, ready to run.
pub struct LoadedRoutine {
    backend: Rc<dyn DynBackend>,
    plan: DynPlan,
    values: Vec<DynValue>,
    program: Program,
    entry: RoutineId,
}

/// Creates a machine whose backend compiles with all optimisations.
pub fn on<B: Backend + 'static>(name: &'static str, backend: B) -> Machine {
    Machine { name, backend: erase(backend).into(), options: CompileOptions::default() }
}

impl Machine {
    /// Does the backend have this intrinsic, and may programs use it?
    pub fn takes(&self, intrinsic: Intrinsic) -> bool {
        self.options.intrinsics && self.backend.caps().intrinsics.contains(&intrinsic)
    }

    /// Compiles a verified program.
    ///
    /// # Errors
    /// As for [`Backend::compile`].
    pub fn compile(&self, program: Program) -> Result<Compiled, BackendError> {
        let code = self.backend.compile(program.clone(), &self.options)?;
        let (name, intrinsics) = (self.name, self.options.intrinsics);
        Ok(Compiled { name, intrinsics, backend: Rc::clone(&self.backend), code, program })
    }

    /// Returns the same backend for running programs as lowered.
    #[must_use]
    pub fn as_lowered(&self) -> Machine {
        Machine { options: CompileOptions::AS_LOWERED, ..self.clone() }
    }
}

impl Compiled {
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
        let backend = Rc::clone(&self.backend);
        let values = arguments.into_iter().map(|it| match (it.form, it.value) {
            (form, HostValue::Unset) if it.sparse.is_some() => {
                backend.load_sparse(it.sparse.unwrap_or_default(), form, it.fixed)
            }
            (TableForm::Rows, HostValue::Table(rows)) => backend.load_rows(rows, it.fixed),
            (TableForm::Rows | TableForm::Columns, value) => backend.load(value, it.fixed),
        });
        let values = values.collect::<Result<Vec<DynValue>, _>>()?;
        let types = values.iter().map(|value| backend.ty(value)).collect::<Result<Vec<_>, _>>()?;
        let plan = backend.plan(&self.code, entry, &types)?;
        Ok(LoadedRoutine { backend, plan, values, program: self.program.clone(), entry })
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

    /// Returns the preferred layouts of the table parameters of `entry`.
    ///
    /// # Errors
    /// [`BackendError::Internal`], if the code belongs to another backend.
    pub fn home_forms(&self, entry: RoutineId) -> Result<Vec<TableForm>, BackendError> {
        self.backend.home_forms(&self.code, entry)
    }

    /// Returns how `entry` uses its table parameters; see [`Backend::sparse_tables`].
    ///
    /// # Errors
    /// [`BackendError::Internal`], if the code belongs to another backend.
    pub fn sparse_tables(&self, entry: RoutineId) -> Result<Option<Vec<TableUse>>, BackendError> {
        self.backend.sparse_tables(&self.code, entry)
    }

    /// Runs `entry` once, without interrupts and with files in memory. Set arguments are fixed:
    /// they keep their sizes.
    pub fn run(&self, entry: RoutineId, args: &[HostValue], limits: Limits) -> RunResult {
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
    ///
    /// # Errors
    /// [`BackendError::Internal`], if the plan belongs to another backend.
    pub fn explain(&self) -> Result<Explanation, BackendError> {
        let mut all = self.backend.explain(&self.plan)?;
        let entry = self.program.routines.get(self.entry.0 as usize);
        let params = entry.iter().flat_map(|entry| entry.params.iter().map(|it| entry.var(it.var)));
        for (param, value) in params.zip(&self.values) {
            if let Some(layout) = self.backend.table_layout(value)? {
                let became = Became::Form(format!("`{}` is {layout}", param.name));
                let (subject, routine) = (Subject::Table, Some(self.entry));
                all.items.push(Item { subject, routine, loc: None, became });
            }
        }
        Ok(all)
    }

    /// Converts the arguments to the layouts that the entry prefers; see [`Backend::lay_out`].
    ///
    /// # Errors
    /// As for [`Backend::lay_out`].
    pub(crate) fn lay_out(
        &mut self,
        memory: Option<u64>,
        interrupt: &AtomicBool,
    ) -> Result<(), BackendError> {
        self.backend.lay_out(&self.plan, &mut self.values, memory, interrupt)
    }

    /// Runs it. A second run begins with the final arguments of the first one.
    pub fn run(&mut self, control: &mut Control<'_>) -> Outcome {
        self.backend.run(&self.plan, &mut self.values, control)
    }

    /// Returns the current arguments.
    ///
    /// # Errors
    /// If there is no memory for them, or `interrupt` is set meanwhile.
    pub fn values(&self, interrupt: &AtomicBool) -> Result<Vec<HostValue>, BackendError> {
        self.values.iter().map(|value| self.backend.store(value, interrupt)).collect()
    }

    /// Moves the `var` arguments out, one after another.
    ///
    /// # Errors
    /// As for [`LoadedRoutine::values`].
    pub fn into_results(self, interrupt: &AtomicBool) -> Result<Vec<HostValue>, BackendError> {
        let results = self.into_results_as_they_lie(&|_, _| false, interrupt)?;
        Ok(results.into_iter().map(|(value, _)| value).collect())
    }

    /// Does the same, but keeps sparse tables sparse if `wanted` requires it, which gets the index
    /// of the result and the bytes of the dense table: their values are unset.
    ///
    /// # Errors
    /// As for [`LoadedRoutine::values`].
    pub fn into_results_as_they_lie(
        self,
        wanted: &dyn Fn(usize, u64) -> bool,
        interrupt: &AtomicBool,
    ) -> Result<Vec<(HostValue, Option<SparseTable>)>, BackendError> {
        let LoadedRoutine { backend, plan: _, values, program, entry } = self;
        let params = &program.routine(entry).params;
        let results = values.into_iter().zip(params).filter(|(_, param)| param.mode == Mode::Ref);
        let results = results.enumerate().map(|(idx, (value, _))| {
            match backend.unload_sparse(value, &|n_bytes| wanted(idx, n_bytes))? {
                Ok(table) => Ok((HostValue::Unset, Some(table))),
                Err(value) => Ok((backend.unload(value, interrupt)?, None)),
            }
        });
        results.collect()
    }

    /// Returns the location in the source where a run ended: the active calls, including inlined
    /// ones, the outermost first, and then the location itself. Empty if the run succeeded, or has
    /// no location.
    pub(crate) fn end_in_source(&self, outcome: &Outcome) -> Vec<Span> {
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
