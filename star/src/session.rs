//! Consecutive texts over variables that keep their values.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_base::{Diagnostic, FileId, Kind, Span};
use star_compiler::hir::TyKind;
use star_compiler::session::{Does, SessionLine, Variable};
use star_compiler::{LoadError, LowerOptions, Source, SourceLoader};
use star_syntax::{Piece, ast};
use star_value::Value;
use star_vm::{Limits, Outcome};

use crate::args::fitted;
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::outputs::Outputs;
use crate::pipeline::{Group, Job, Machine, RESULT, SessionState, groups, refused_by_backend};
use crate::run::{Environment, stopped};

/// Consecutive texts: definitions, statements and expressions over variables that keep their
/// values.
///
/// ```
/// let mut session = star::Session::new();
/// session.enter("procedure TWICE(var n: integer); begin n := n + n end;")?;
/// session.enter("k := 4; TWICE(k)")?;
/// assert_eq!(session.value("k")?.to_string(), "8");
/// // A new definition replaces the old one.
/// session.enter("procedure TWICE(var n: integer); begin n := 2 * n + 1 end;")?;
/// session.enter("TWICE(k)")?;
/// assert_eq!(session.enter("k + 1")?.value, Some(star::Value::Int(18)));
/// // After a trap the variables keep what was stored before it.
/// let error = session.enter("k := 1; k := 1 div 0").unwrap_err();
/// assert!(error.stopped().is_some());
/// assert_eq!(session.value("k")?.to_string(), "1");
/// # Ok::<(), star::Error>(())
/// ```
pub struct Session {
    state: SessionState,
    machine: Machine,
    limits: Limits,
    interrupt: Arc<AtomicBool>,
}

/// The effect of an entry.
#[derive(Clone, Debug, Default)]
pub struct Entered {
    /// The value, if the entry ends with an expression.
    pub value: Option<Value>,
    /// The printed text.
    pub printed: String,
    /// The names that it defined, and paths that it imported.
    pub defined: Vec<String>,
    /// Routines that cannot be called any more, because they do not match a new definition.
    pub invalidated: Vec<String>,
}

/// Imports of a session: modules of the library only.
struct NoFiles;

impl SourceLoader for NoFiles {
    fn load(&mut self, _: &str, _: Option<&str>) -> Result<Source, LoadError> {
        Err(LoadError::Unreadable("this session has no files".to_owned()))
    }
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// Creates a session on the CPU.
    pub fn new() -> Self {
        Session::on(&Machine::cpu())
    }

    /// Creates a session on this machine.
    pub fn on(machine: &Machine) -> Self {
        let state = SessionState::new(machine);
        let (limits, interrupt) = (Limits::default(), Arc::default());
        Session { state, machine: machine.clone(), limits, interrupt }
    }

    /// Runs the following entries within these limits. That of memory concerns all variables
    /// together.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Ends a run within milliseconds after `flag` is set.
    pub fn interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.interrupt = flag;
    }

    /// Reads a text: definitions, statements, declarations and expressions, in order. It ends at
    /// the first part that fails; those before it have run.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::Refused`], and [`Error::Stopped`], whose outputs are empty: the
    /// variables hold the values.
    pub fn enter(&mut self, text: &str) -> Result<Entered, Error> {
        let mut entered = Entered::default();
        let typed = self.state.definitions.read(&self.state.environment, text.to_owned());
        self.check(typed.diagnostics)?;
        for group in groups(typed.pieces) {
            match group {
                Group::Items(items) => self.define(items, &mut entered)?,
                Group::Lines(pieces) => self.lines(pieces, &mut entered)?,
            }
        }
        Ok(entered)
    }

    /// Sets a variable, which is declared if it is new. It keeps its size.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for another kind than it has, [`Error::Refused`].
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Error> {
        let value = value.into();
        let declared = self.state.environment.get(name).and_then(|it| it.kind.known());
        let wrong = |expected, value: Value| {
            let found = value.kind();
            Error::WrongKind { name: name.to_owned(), expected, found }
        };
        let value = match declared {
            Some(expected) => fitted(expected, value).map_err(|value| wrong(expected, value))?,
            None => value,
        };
        let kind = value.kind();
        let loaded = self.state.values.load(name, value, true);
        loaded.map_err(|error| refused_by_backend("no memory for a variable", &error))?;
        if let (None, Some(kind)) = (declared, kind) {
            let (span, kind) = (Span::file_start(FileId(0)), TyKind::of(kind));
            let sizes = [None; 2];
            let variable = Variable { kind, sizes, span, related: None, record: None };
            self.state.environment.declare(name, variable);
        }
        Ok(())
    }

    /// Returns a copy of the value of a variable, which is unset if it was only declared.
    ///
    /// # Errors
    /// [`Error::UnknownResult`], [`Error::Refused`].
    pub fn value(&self, name: &str) -> Result<Value, Error> {
        if self.state.environment.get(name).is_none() {
            return Err(Error::UnknownResult { name: name.to_owned() });
        }
        self.stored(name)
    }

    /// Returns the names of the variables with their kinds.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Kind)> {
        let variables = self.state.environment.iter();
        variables.filter_map(|(name, variable)| Some((name, variable.kind.known()?)))
    }

    fn stored(&self, slot: &str) -> Result<Value, Error> {
        let stored = self.state.values.store(slot, &self.interrupt);
        Ok(stored.map_err(|error| refused_by_backend("no memory for a value", &error))?)
    }

    fn define(&mut self, items: Vec<ast::Item>, entered: &mut Entered) -> Result<(), Error> {
        let SessionState { definitions, environment, .. } = &mut self.state;
        let defined = definitions.define(environment, items, &mut NoFiles);
        entered.defined.extend(defined.items.into_iter().map(|item| item.name));
        entered.invalidated.extend(defined.broken);
        self.check(defined.diagnostics)
    }

    fn lines(&mut self, pieces: Vec<Piece>, entered: &mut Entered) -> Result<(), Error> {
        let SessionState { definitions, environment, .. } = &mut self.state;
        let lines = definitions.lines(environment, pieces, &LowerOptions::default());
        self.check(lines.diagnostics)?;
        lines.lines.into_iter().try_for_each(|line| self.line(line, entered))
    }

    fn line(&mut self, line: SessionLine, entered: &mut Entered) -> Result<(), Error> {
        let (program, entry, slots, value, variables) = match line.does {
            Does::Show(name) => {
                entered.value = Some(self.stored(&name)?);
                return Ok(());
            }
            Does::Run { program, entry, slots, value, variables } => {
                (program, entry, slots, value, variables)
            }
        };
        let taken = self.state.bytes_besides(&slots);
        let memory = self.limits.memory.map(|memory| memory.saturating_sub(taken));
        let limits = Limits { memory, ..self.limits };
        let interrupt = Arc::clone(&self.interrupt);
        let mut run = Environment { limits, interrupt: &interrupt, ..Environment::default() };
        let options = run.machine(&self.machine).options;
        let program = if options.optimise { self.state.optimise(program)? } else { program };
        let job = Job { program: program.clone(), entry, slots: &slots, options };
        let (ran, stats, printed) = run.run(|control| self.state.values.run(job, control));
        entered.printed += &printed;
        self.state.declare_set(line.declares);
        let outcome = match ran {
            Ok(outcome) => outcome,
            Err(error) => return Err(refused_by_backend("the line cannot run", &error).into()),
        };
        let done = if outcome == Outcome::Done {
            self.state.declare(variables, self.limits.memory, &interrupt).map_err(Error::from)
        } else {
            let outputs = Outputs { printed: entered.printed.clone(), stats, ..Outputs::default() };
            let sources = self.state.definitions.sources();
            Err(stopped(outcome, &program, outputs, |list| Diagnostics::new(sources, list)))
        };
        if done.is_ok() && value.is_some() {
            entered.value = Some(self.stored(RESULT)?);
        }
        self.state.forget_results(&slots);
        done
    }

    /// Returns the errors among these messages.
    fn check(&self, found: Vec<Diagnostic>) -> Result<(), Error> {
        let errors: Vec<Diagnostic> = found.into_iter().filter(Diagnostic::is_error).collect();
        match errors.is_empty() {
            true => Ok(()),
            false => {
                Err(Error::Invalid(Diagnostics::new(self.state.definitions.sources(), errors)))
            }
        }
    }
}
