//! Execution of a line: its variables are moved to the backend and back, however the run ends.

use std::cell::RefCell;
use std::time::Instant;

use star::pipeline::{self, Job, limit_of, refused_by_backend};
use star_base::Diagnostic;
use star_bind::Settings;
use star_compiler::session::{Does, SessionLine};
use star_ir::{LimitKind, Program, kernel};
use star_os::files::Console;
use star_os::host::{Advice, Printer, RunHost};
use star_vm::{CompileOptions, Control, Limits, Outcome, Stats};

use super::event::{Event, Sink};
use super::session::Session;
use super::step::{self, Steps, Stops};

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
        let SessionLine { span, statements, does, declares, steps } = line;
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
            let sentry = self.sentry();
            let optimised = self.state.optimise(program);
            drop(sentry);
            match optimised {
                Ok(optimised) => program = optimised,
                Err(diagnostic) => {
                    self.refuse(&diagnostic, sink);
                    return Ran::Not;
                }
            }
        }
        let routine = program.routines.get(entry.0 as usize);
        let written = routine.map(|routine| kernel::written(&routine.body)).unwrap_or_default();
        let params = routine.into_iter().flat_map(|routine| &routine.params).zip(&slots);
        for (param, slot) in params.filter(|(_, slot)| !slot.starts_with('‹')) {
            // A variable without a value may get one at its first use.
            if written.contains(&param.var) || self.state.values.ty(slot).is_none() {
                self.keep_value(slot);
            }
        }
        variables.iter().for_each(|declared| self.keep_value(&declared.name));
        self.entry_has_effect();
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
                let ran = self.state.values.run(job, &mut control).map(|outcome| (outcome, None));
                ran.map_err(|error| refused_by_backend("the line cannot run", &error))
            }
            How::Steps(stops) => {
                let (sources, environment) =
                    (self.state.definitions.sources(), &self.state.environment);
                let statements = steps.unwrap_or_default();
                let steps = Steps { statements, sources, stops, environment };
                step::run(&mut self.state.values, job, steps, &shared, &mut control)
            }
        };
        let stats = control.stats;
        let advice = std::mem::take(&mut host.advice);
        let lists = std::mem::take(&mut host.lists);
        drop(clock);
        self.flags.clear();
        lists.into_iter().for_each(|list| list.join(&mut self.lists));
        let taken = begun.elapsed();
        if let Some(measured) = &mut self.measured {
            measured.time += taken;
            measured.peak_bytes = measured.peak_bytes.max(stats.peak_bytes);
        }
        let (outcome, ended) = match ran {
            Ok(ran) => ran,
            Err(diagnostic) => {
                self.refuse(&diagnostic, sink);
                return Ran::Not;
            }
        };

        self.note_own_answer(&declares, &variables);
        self.state.declare_set(declares);
        let ran = match outcome {
            Outcome::Done if variables.is_empty() => {
                if let Some(kind) = value {
                    self.show_result(kind, span, sink);
                }
                Ran::Well
            }
            Outcome::Done => {
                match self.state.declare(variables, Some(self.memory()), &self.flags.interrupt) {
                    Ok(()) => Ran::Well,
                    Err(diagnostic) => {
                        self.report(&[diagnostic], sink);
                        Ran::Wrong
                    }
                }
            }
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
        self.state.forget_results(&slots);
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
        let mut limits = self.settings.limits.limits(&self.machine)?;
        if self.settings.limits.max_memory.is_none() {
            limits.memory = Some(self.settings.memory);
        }
        let taken = self.state.bytes_besides(slots);
        limits.memory = limits.memory.map(|memory| memory.saturating_sub(taken));
        Ok(limits)
    }
}

/// Returns the diagnostic for a run that failed.
fn describe(outcome: Outcome, program: &Program, advice: Advice) -> Diagnostic {
    let limit = limit_of(&outcome);
    let mut diagnostic = pipeline::describe(outcome, program);
    if let Some(kind) = limit {
        return in_session(kind, diagnostic);
    }
    diagnostic.notes.extend(advice.notes);
    diagnostic.help.extend(advice.help);
    diagnostic
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
