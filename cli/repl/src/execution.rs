//! Execution of a line: its variables are moved to the backend and back, however the run ends.

use std::cell::RefCell;
use std::time::Instant;

use star_base::{Code, Diagnostic};
use star_bind::Settings;
use star_compiler::describe_limit;
use star_compiler::hir::TyKind;
use star_compiler::session::{Declared, Does, SessionLine, Variable};
use star_ir::{Extent, LimitKind, Program, Ty};
use star_os::failure::{device_lost, internal, refused_by_backend, unsupported};
use star_os::files::Console;
use star_os::host::{Advice, Printer, RunHost};
use star_os::host::{describe_file_trap, stopped_in_host};
use star_os::passes;
use star_vm::{
    BackendError, CompileOptions, Control, HostValue, Limits, Outcome, Stats, TableLayout,
};

use super::event::{Event, Sink};
use super::session::Session;
use super::step::{self, Steps, Stops};
use super::values::Job;

/// The mode of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// On the backend, optimised.
    Whole,
    /// On the reference backend, statement by statement.
    Steps(Stops),
}

/// The extent to which a line ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// Rejected before it ran.
    Not,
    /// Ran until a failure.
    Wrong,
    /// Ran until the user stopped it while stepping.
    Left,
    /// Ran to its end.
    Well,
}

impl Session {
    /// Runs a line.
    pub(super) fn run(&mut self, line: SessionLine, how: How, sink: &mut dyn Sink) -> Ran {
        let SessionLine { span: _, statements, does, declares, steps } = line;
        let Does::Run { mut program, entry, slots, value, variables } = does else {
            return Ran::Well;
        };
        let limits = match self.limits(&slots) {
            Ok(limits) => limits,
            Err(diagnostic) => {
                self.refuse(&diagnostic, sink);
                return Ran::Not;
            }
        };
        let options = match self.settings.cost {
            true => CompileOptions::AS_LOWERED,
            false => self.settings.limits.options(),
        };
        // Steps are those of the unoptimised program.
        if options.optimise && matches!(how, How::Whole) {
            let enabled = star_opt::Options::default();
            let sentry = self.sentry();
            let optimised = passes::reoptimise(program, &enabled, self.optimised.as_ref());
            drop(sentry);
            match optimised {
                Ok(optimised) => {
                    program = optimised.program().clone();
                    self.n_optimised += program.routines.len() - optimised.n_kept();
                    self.optimised = Some(optimised);
                }
                Err(diagnostic) => {
                    self.refuse(&diagnostic, sink);
                    return Ran::Not;
                }
            }
        }
        let begun = Instant::now();
        let clock = match self.clock() {
            Ok(clock) => clock,
            Err(diagnostic) => {
                self.refuse(&diagnostic, sink);
                return Ran::Not;
            }
        };
        let kept = program.clone();
        // A stepped run interacts with the user while the program prints.
        let shared: RefCell<&mut dyn Sink> = RefCell::new(&mut *sink);
        let mut printer = ToSink { sink: &shared };
        let settings = Settings::default();
        let console = Console { flags: &self.flags, reporter: &self.reporter };
        let mut host = RunHost::new(&mut printer, &self.access, console, &settings);
        let mut control = Control {
            interrupt: &self.flags.interrupt,
            deadline: &self.flags.deadline,
            limits,
            host: &mut host,
            profile: None,
            stats: Stats::default(),
        };
        let job = Job { program, entry, slots: &slots, options };
        let ran = match how {
            How::Whole => {
                let ran = self.values.run(job, &mut control).map(|outcome| (outcome, None));
                ran.map_err(|error| refused_by_backend("the line cannot run", &error))
            }
            How::Steps(stops) => {
                let (sources, environment) = (self.definitions.sources(), &self.environment);
                let statements = steps.unwrap_or_default();
                let steps = Steps { statements, sources, stops, environment };
                step::run(&mut self.values, job, steps, &shared, &mut control)
            }
        };
        let stats = control.stats;
        let advice = std::mem::take(&mut host.advice);
        let lists = std::mem::take(&mut host.lists);
        drop(clock);
        self.flags.clear();
        lists.into_iter().for_each(|list| list.join(&mut self.lists));
        let taken = begun.elapsed();
        let (outcome, ended) = match ran {
            Ok(ran) => ran,
            Err(diagnostic) => {
                self.refuse(&diagnostic, sink);
                return Ran::Not;
            }
        };

        for (name, variable) in declares {
            // Unset variables were not declared.
            match self.values.ty(&name) {
                Some(_) => self.environment.declare(&name, variable),
                None => self.values.forget(&name),
            }
        }
        let ran = match outcome {
            Outcome::Done if variables.is_empty() => {
                if value.is_some() {
                    self.show_result(sink);
                }
                Ran::Well
            }
            Outcome::Done if self.declare(variables, sink) => Ran::Well,
            Outcome::Done => Ran::Wrong,
            Outcome::Trap(_)
            | Outcome::Limit { .. }
            | Outcome::Unsupported { .. }
            | Outcome::DeviceLost { .. }
            | Outcome::Internal(_)
                if ended.is_some() =>
            {
                sink.show(Event::Note("stopped; the variables keep the changes of the run"));
                Ran::Left
            }
            stop @ (Outcome::Trap(_)
            | Outcome::Limit { .. }
            | Outcome::Unsupported { .. }
            | Outcome::DeviceLost { .. }
            | Outcome::Internal(_)) => {
                let diagnostic = describe(stop, &kept, advice);
                self.report(std::slice::from_ref(&diagnostic), sink);
                let here = |span: &star_base::Span| {
                    diagnostic.labels.iter().any(|label| {
                        label.span.file == span.file
                            && span.start <= label.span.start
                            && label.span.end <= span.end
                    })
                };
                let stopped = statements.iter().position(here);
                if stopped.is_some_and(|idx| idx + 1 < statements.len()) {
                    sink.show(Event::Note("the statements after it did not run"));
                }
                Ran::Wrong
            }
        };
        for slot in &slots {
            if slot.starts_with('‹') {
                self.values.forget(slot);
            }
        }
        if self.settings.cost {
            sink.show(Event::Answer(&star_os::cost::table(&stats, 0)));
        }
        if self.settings.time {
            sink.show(Event::Answer(&format!("time {taken:.1?}\n")));
        }
        ran
    }

    /// Returns the limits of a line that uses these variables; the others use memory, too.
    fn limits(&self, slots: &[String]) -> Result<Limits, Diagnostic> {
        let mut limits = self.settings.limits.limits(&self.engine)?;
        if self.settings.limits.max_memory.is_none() {
            limits.memory = Some(self.settings.memory);
        }
        let others = self.environment.iter().map(|(name, _)| name);
        let others = others.filter(|name| !slots.iter().any(|slot| slot == name));
        // The counted size of a dense table is the same on every backend.
        let n_bytes = |name: &str| match self.values.table_layout(name) {
            Some(TableLayout { n_bytes, dense_bytes: Some(_), .. }) => n_bytes,
            Some(_) | None => self.values.ty(name).map_or(0, bytes_of),
        };
        let taken: u64 = others.map(n_bytes).sum();
        limits.memory = limits.memory.map(|memory| memory.saturating_sub(taken));
        Ok(limits)
    }

    /// Declares the variables of a `var` section, whose sizes are known.
    fn declare(&mut self, variables: Vec<Declared>, sink: &mut dyn Sink) -> bool {
        for Declared { name, mut variable, sizes } in variables {
            for (found, slot) in variable.sizes.iter_mut().zip(sizes) {
                let Some(slot) = slot else { continue };
                let size = match self.values.store(&slot, &self.flags.interrupt) {
                    Ok(HostValue::Int(size)) => size,
                    Ok(_) | Err(_) => continue,
                };
                match u64::try_from(size) {
                    Ok(size) => *found = Some(size),
                    Err(_) => {
                        let message = format!("the size of `{name}` must not be negative: {size}");
                        let diagnostic = Diagnostic::at(Code::NegativeTrap, variable.span, message);
                        self.report(&[diagnostic], sink);
                        return false;
                    }
                }
            }
            if let Err(diagnostic) = self.make(&name, &variable) {
                self.report(&[diagnostic], sink);
                return false;
            }
            self.environment.declare(&name, variable);
        }
        true
    }

    /// Creates the unset variable; a table with sizes is filled with zeros.
    fn make(&mut self, name: &str, variable: &Variable) -> Result<(), Diagnostic> {
        let Variable { kind, sizes, span, .. } = variable;
        let fixed = match kind {
            TyKind::Table => sizes[1].is_some(),
            TyKind::Slice | TyKind::Word => sizes[0].is_some(),
            TyKind::Int | TyKind::Bool | TyKind::Str | TyKind::Handle | TyKind::Error => false,
        };
        let (TyKind::Table, [Some(rows), Some(columns)]) = (kind, sizes) else {
            let made = self.values.load(name, HostValue::Unset, fixed);
            return made.map_err(|error| refused_by_backend("no memory for a variable", &error));
        };
        let ty = Ty::Table(Extent::Const(*rows), Extent::Const(*columns));
        let limits = self.limits(&[name.to_owned()])?;
        let too_large = || {
            let message = format!("not enough memory for {rows} × {columns} bits");
            Diagnostic::at(Code::MemoryLimit, *span, message)
        };
        if bytes_of(ty) > limits.memory.unwrap_or(u64::MAX) {
            return Err(too_large());
        }
        let size = |n: &u64| usize::try_from(*n).map_err(|_| too_large());
        let sizes = (size(rows)?, size(columns)?);
        self.values.new_table(name, sizes, fixed).map_err(|error| match error {
            BackendError::OutOfMemory(_) => too_large(),
            error @ (BackendError::Unsupported { .. }
            | BackendError::DeviceLost { .. }
            | BackendError::Interrupted
            | BackendError::Internal(_)) => {
                refused_by_backend(&format!("cannot create `{name}`"), &error)
            }
        })
    }
}

/// Returns the packed size of a value in bytes.
fn bytes_of(ty: Ty) -> u64 {
    let known = |extent: Extent| match extent {
        Extent::Const(n) => n,
        Extent::Var(_) | Extent::Dynamic => 0,
    };
    match ty {
        Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => 0,
        Ty::Slice(n) | Ty::Word(n) => known(n).div_ceil(8),
        Ty::Table(rows, columns) => known(rows).div_ceil(8).saturating_mul(known(columns)),
    }
}

/// Returns the diagnostic for a run that failed.
fn describe(outcome: Outcome, program: &Program, advice: Advice) -> Diagnostic {
    match outcome {
        Outcome::Done => internal("a successful run has no message"),
        Outcome::Internal(message) => internal(&message),
        Outcome::Unsupported { what } => unsupported(&what),
        Outcome::DeviceLost { why } => device_lost(&why),
        Outcome::Limit { kind, loc } => in_session(kind, describe_limit(kind, loc, program)),
        Outcome::Trap(trap) => {
            if let Some(kind) = stopped_in_host(&trap) {
                return in_session(kind, describe_limit(kind, trap.loc, program));
            }
            let mut diagnostic = describe_file_trap(&trap, program);
            diagnostic.notes.extend(advice.notes);
            diagnostic.help.extend(advice.help);
            diagnostic
        }
    }
}

/// Adapts the message for a limit to a session.
fn in_session(kind: LimitKind, mut diagnostic: Diagnostic) -> Diagnostic {
    let help = match kind {
        LimitKind::Steps { .. } => Some(
            "`:limits steps=N` sets this limit; a step is an elementary operation, a loop \
                iteration or a call",
        ),
        LimitKind::Memory { .. } => Some("`:limits memory=SIZE` sets this limit"),
        LimitKind::Time => Some("`:limits time=TIME` sets this limit"),
        LimitKind::Output { .. } => Some("`star repl --max-output` sets this limit"),
        LimitKind::Depth { .. } => {
            Some("is the recursion infinite? `star repl --max-depth` sets this limit")
        }
        LimitKind::Interrupted => None,
    };
    diagnostic.help = help.map(str::to_owned).into_iter().collect();
    diagnostic.notes = vec!["the variables keep their values at this point".to_owned()];
    diagnostic
}

/// Emits events for the output of a program.
struct ToSink<'a, 's> {
    sink: &'a RefCell<&'s mut dyn Sink>,
}

impl Printer for ToSink<'_, '_> {
    fn print(&mut self, line: &str) -> bool {
        self.sink.borrow_mut().show(Event::Printed(line))
    }
}
