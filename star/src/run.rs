//! Calls of a routine, with a choice of machine, limits and more.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_ir::{LimitKind, Program as Sir, Ty};
use star_value::{Argument, BitsRef, Value};
use star_vm::{BackendError, CompileOptions, Control, Host, HostError, Limits, Outcome, Stats};

use crate::args::Args;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Stopped};
use crate::outputs::Outputs;
use crate::pipeline::{
    Machine, PlacedArguments, Printed, describe, limit_of, refused_by_backend, unwrapped,
};
use crate::program::{CompiledProgram, Program};

/// A flag that is never set.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);

/// Calls of a routine; see [`Program::run`].
///
/// ```
/// use star::{Code, Limits, Program};
///
/// let program = Program::parse("procedure LOOP; begin while true do print(1) end;")?;
/// let limits = Limits { output: Some(4), ..Limits::default() };
/// let mut lines = 0;
/// let error = program.run("LOOP")?.limits(limits).print(|_| lines += 1).call(star::args![]);
/// let stopped = error.unwrap_err();
/// assert_eq!(stopped.stopped().map(|it| it.code), Some(Code::OutputLimit));
/// assert_eq!(lines, 2);
/// # Ok::<(), star::Error>(())
/// ```
pub struct Run<'r> {
    program: &'r Program,
    routine: usize,
    machine: Machine,
    compiled: Option<Rc<CompiledProgram>>,
    environment: Environment<'r>,
}

/// Receives printed lines.
type Sink<'r> = Box<dyn FnMut(&str) + 'r>;

/// The environment of runs.
pub(crate) struct Environment<'r> {
    pub(crate) limits: Limits,
    pub(crate) interrupt: &'r AtomicBool,
    pub(crate) deadline: &'r AtomicBool,
    pub(crate) print: Option<Sink<'r>>,
    pub(crate) host: Option<&'r mut dyn Host>,
}

impl<'r> Run<'r> {
    pub(crate) fn new(program: &'r Program, routine: usize, machine: Machine) -> Self {
        let environment = Environment::default();
        Run { program, routine, machine, compiled: None, environment }
    }

    /// Runs on this machine.
    #[must_use]
    pub fn on(mut self, machine: &Machine) -> Self {
        self.machine = machine.clone();
        self.compiled = None;
        self
    }

    /// Runs within these limits. A limit of steps or of nested calls requires that each is counted,
    /// which excludes the fastest code.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.environment.limits = limits;
        self.compiled = None;
        self
    }

    /// Ends a run within milliseconds after `flag` is set, as [`star_base::Code::Interrupted`].
    #[must_use]
    pub fn interrupt(mut self, flag: &'r AtomicBool) -> Self {
        self.environment.interrupt = flag;
        self
    }

    /// Ends a run within milliseconds after `flag` is set, as [`star_base::Code::TimeLimit`].
    #[must_use]
    pub fn deadline(mut self, flag: &'r AtomicBool) -> Self {
        self.environment.deadline = flag;
        self
    }

    /// Passes each printed line to `sink`, with its line break. Without it, [`Outputs::printed`]
    /// has the text.
    #[must_use]
    pub fn print(mut self, sink: impl FnMut(&str) + 'r) -> Self {
        self.environment.print = Some(Box::new(sink));
        self
    }

    /// Serves `print`, `read` and `write` by `host`. Without it, programs have no files but those
    /// in memory, whose names begin with `memory:`.
    #[must_use]
    pub fn host(mut self, host: &'r mut dyn Host) -> Self {
        self.environment.host = Some(host);
        self
    }

    /// Calls the routine.
    ///
    /// # Errors
    /// * [`Error::UnknownParameter`], [`Error::MissingArgument`], [`Error::WrongKind`];
    /// * [`Error::Refused`] if the backend cannot run the program or hold its values;
    /// * [`Error::Stopped`] if the run ended early, with the `var` parameters at that point.
    pub fn call(&mut self, args: Args) -> Result<Outputs, Error> {
        let compiled = self.compiled()?;
        let routine = self.program.routine(self.routine);
        let point = compiled.points[self.routine];
        let mut placed = self.placed(args, &compiled)?;
        let refused = |error| refused_by_backend("no memory for the arguments", &error);
        if point.is_function() {
            placed.add(Argument::new(Value::Unset, false)).map_err(refused)?;
        }
        let (memory, interrupt) = (self.environment.limits.memory, self.environment.interrupt);
        let compiled = &compiled.compiled;
        let mut loaded = compiled.plan(point.routine, placed).map_err(refused)?;
        loaded.lay_out(memory, interrupt).map_err(refused)?;
        let (outcome, stats, printed) = self.environment.run(|control| loaded.run(control));
        let results = |interrupt| loaded.into_results(interrupt);
        let outputs = |values| {
            let names = routine.results.clone();
            Outputs { names, values, printed, stats }
        };
        if outcome == Outcome::Done {
            let values = results(interrupt);
            let refused =
                |error: &BackendError| refused_by_backend("no memory for the results", error);
            return Ok(outputs(values.map_err(|error| refused(&error))?));
        }
        let values = results(&NEVER).unwrap_or_default();
        let outcome = unwrapped(outcome, point.is_function());
        let program = compiled.program();
        let of_sources = |list| self.program.diagnostics(list);
        Err(stopped(outcome, program, outputs(values), of_sources))
    }

    /// Loads the values of the parameters on the backend.
    fn placed(&self, args: Args, compiled: &CompiledProgram) -> Result<PlacedArguments, Error> {
        let routine = self.program.routine(self.routine);
        #[cfg(feature = "files")]
        if !args.files.is_empty() {
            let entry = compiled.points[self.routine].routine;
            let compiled = (&compiled.compiled, entry);
            return crate::files::place_arguments(args, routine, compiled, &self.environment);
        }
        let mut placed = compiled.compiled.place();
        for argument in args.bind(routine)? {
            let added = placed.add(argument);
            added.map_err(|error| refused_by_backend("no memory for the arguments", &error))?;
        }
        Ok(placed)
    }

    /// Returns the compiled program.
    fn compiled(&mut self) -> Result<Rc<CompiledProgram>, Error> {
        if let Some(compiled) = &self.compiled {
            return Ok(Rc::clone(compiled));
        }
        let machine = self.environment.machine(&self.machine);
        let compiled = self.program.compiled(&machine)?;
        self.compiled = Some(Rc::clone(&compiled));
        Ok(compiled)
    }
}

impl Default for Environment<'_> {
    fn default() -> Self {
        let limits = Limits::default();
        Environment { limits, interrupt: &NEVER, deadline: &NEVER, print: None, host: None }
    }
}

impl Environment<'_> {
    /// Returns the machine with the options that the limits require.
    pub(crate) fn machine(&self, machine: &Machine) -> Machine {
        let counts = self.limits.steps.is_some() || self.limits.depth != Limits::DEPTH;
        let options = if counts { CompileOptions::AS_LOWERED } else { machine.options };
        Machine { options, ..machine.clone() }
    }

    /// Runs `work`; returns its outcome, the resources that it used, and the printed text.
    pub(crate) fn run<T>(
        &mut self,
        work: impl FnOnce(&mut Control<'_>) -> T,
    ) -> (T, Stats, String) {
        let mut memory = MemoryHost { files: Printed::default(), print: self.print.as_mut() };
        let host: &mut dyn Host = match &mut self.host {
            Some(host) => &mut **host,
            None => &mut memory,
        };
        let mut control = Control {
            interrupt: self.interrupt,
            deadline: self.deadline,
            limits: self.limits,
            host,
            profile: None,
            stats: Stats::default(),
        };
        let done = work(&mut control);
        (done, control.stats, memory.files.text)
    }
}

/// A host without files but those in memory.
struct MemoryHost<'h, 'r> {
    files: Printed,
    print: Option<&'h mut Sink<'r>>,
}

impl Host for MemoryHost<'_, '_> {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        match &mut self.print {
            Some(print) => {
                print(line);
                Ok(())
            }
            None => self.files.print(line),
        }
    }

    fn read(
        &mut self,
        file: &str,
        layout: Option<&str>,
        ty: Ty,
        max_bytes: Option<u64>,
    ) -> Result<Value, HostError> {
        self.files.read(file, layout, ty, max_bytes)
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        self.files.write(file, value)
    }
}

/// Returns the error for a run that ended early.
pub(crate) fn stopped(
    outcome: Outcome,
    program: &Sir,
    outputs: Outputs,
    diagnostics: impl FnOnce(Vec<star_base::Diagnostic>) -> Diagnostics,
) -> Error {
    let limit = limit_of(&outcome);
    let mut diagnostic = describe(outcome, program);
    if let Some(kind) = limit {
        // The command `star` sets limits by options.
        let help = match kind {
            LimitKind::Steps { .. } => Some("`Limits::steps` sets this limit"),
            LimitKind::Memory { .. } => Some("`Limits::memory` sets this limit"),
            LimitKind::Output { .. } => Some("`Limits::output` sets this limit"),
            LimitKind::Depth { .. } => {
                Some("is the recursion infinite? `Limits::depth` sets this limit")
            }
            LimitKind::Time | LimitKind::Interrupted => None,
        };
        diagnostic.help = help.map(str::to_owned).into_iter().collect();
        diagnostic.notes.clear();
    }
    let code = diagnostic.code;
    let diagnostics = diagnostics(vec![diagnostic]);
    Error::Stopped(Box::new(Stopped { code, diagnostics, outputs }))
}
