//! The backends, one line each, and a run on any of them.

use star_base::{Code, Diagnostic, Native, did_you_mean};
use star_ir::{Mode, Program, RoutineId};
use star_vm::{Backend, Control, Cpu, HostValue, Outcome, Reference, Stats, StoreError};

use crate::repl::machine::{Machine, On};
use crate::text;

/// A backend by its name.
pub(crate) struct Engine {
    /// The name for `--backend`.
    pub(crate) name: &'static str,
    /// Bytes of memory that a packed byte of values takes there.
    pub(crate) expansion: u64,
    /// Most packed bytes of values that it holds at all.
    pub(crate) max_bytes: u64,
    /// Library routines that it does in ways of its own.
    pub(crate) natives: &'static [Native],
    run: fn(Job, &mut Control<'_>) -> Ended,
    machine: fn() -> Box<dyn Machine>,
}

static ENGINES: &[Engine] = &[
    Engine {
        name: "cpu",
        expansion: 1,
        max_bytes: u64::MAX,
        natives: Cpu::NATIVES,
        run: |job, control| match job.natives {
            Natives::On => execute(&Cpu::new(), job, control),
            Natives::Off => execute(&Cpu::new().without_natives(), job, control),
        },
        machine: || Box::new(On::new(Cpu::new(), Cpu::new().without_natives())),
    },
    Engine {
        name: "reference",
        expansion: 8,
        max_bytes: star_vm::reference::MAX_BYTES,
        natives: &[],
        run: |job, control| execute(&Reference::new(), job, control),
        machine: || Box::new(On::new(Reference::new(), Reference::new())),
    },
];

/// The name of the backend that runs programs unless told otherwise.
pub(crate) const DEFAULT: &str = "cpu";

/// What to run.
pub(crate) struct Job {
    /// The program, verified.
    pub(crate) program: Program,
    /// Where it begins.
    pub(crate) entry: RoutineId,
    /// The arguments of the entry, in order.
    pub(crate) arguments: Vec<Argument>,
    /// May the backend do library routines in its own way?
    pub(crate) natives: Natives,
}

/// Whether library routines may be done in another way than they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Natives {
    /// Yes.
    On,
    /// No: every operation is carried out and counted.
    Off,
}

/// An argument of the entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    /// Its value.
    pub(crate) value: HostValue,
    /// Given from outside: it keeps its size and does not grow.
    pub(crate) fixed: bool,
}

/// How a run ended.
pub(crate) struct Ended {
    /// Well or not.
    pub(crate) outcome: Outcome,
    /// The values of the `var` parameters, in order; none unless it ended well. There may be too little
    /// memory to take them out of the backend, or too little patience.
    pub(crate) results: Result<Vec<HostValue>, StoreError>,
    /// What it used.
    pub(crate) stats: Stats,
}

impl Engine {
    /// The backend of this name.
    ///
    /// # Errors
    /// E0607 with the names that there are.
    pub(crate) fn find(name: &str) -> Result<&'static Engine, Diagnostic> {
        let mut engines = ENGINES.iter();
        engines.find(|engine| engine.name == name).ok_or_else(|| {
            let names = || ENGINES.iter().map(|engine| engine.name);
            let message = format!("there is no backend `{}`", text::one_line(name));
            let diagnostic = Diagnostic::new(Code::NoBackend, message)
                .note(format!("this build has {}", text::quoted_list(names())));
            match did_you_mean(name, names()) {
                Some(meant) => diagnostic.help(format!("did you mean `--backend {meant}`?")),
                None => diagnostic,
            }
        })
    }

    /// The backends of this build.
    pub(crate) fn all() -> &'static [Engine] {
        ENGINES
    }

    /// The backend for the values of a session.
    pub(crate) fn machine(&self) -> Box<dyn Machine> {
        (self.machine)()
    }

    /// Runs a job.
    pub(crate) fn run(&self, job: Job, control: &mut Control<'_>) -> Ended {
        (self.run)(job, control)
    }
}

fn execute<B: Backend>(backend: &B, job: Job, control: &mut Control<'_>) -> Ended {
    let Job { program, entry, arguments, natives: _ } = job;
    let params = program.routine(entry).params.iter();
    let modes: Vec<Mode> = params.map(|param| param.mode).collect();
    let code = backend.compile(program);
    let loaded = arguments.into_iter().map(|argument| backend.load(argument.value, argument.fixed));
    let mut values: Vec<B::Value> = loaded.collect();
    let types: Vec<_> = values.iter().map(|value| backend.ty(value)).collect();
    let plan = backend.plan(&code, entry, &types);
    let outcome = backend.run(&plan, &mut values, control);
    let results = match outcome {
        Outcome::Done => values
            .into_iter()
            .zip(modes)
            .filter(|(_, mode)| *mode == Mode::Ref)
            .map(|(value, _)| backend.unload(value, control.interrupt))
            .collect(),
        Outcome::Trap(_) | Outcome::Limit { .. } | Outcome::Internal(_) => {
            // Nobody looks at the values any more, and the process is about to end: giving gigabytes back
            // to the system piece by piece would only make the user wait.
            std::mem::forget(values);
            Ok(Vec::new())
        }
    };
    Ended { outcome, results, stats: control.stats }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_backend_names_those_there_are() {
        assert!(Engine::find(DEFAULT).is_ok());
        let Err(diagnostic) = Engine::find("referense") else { panic!("found") };
        assert_eq!(diagnostic.code, Code::NoBackend);
        assert_eq!(diagnostic.notes, ["this build has `cpu`, `reference`"]);
        assert_eq!(diagnostic.help, ["did you mean `--backend reference`?"]);
    }
}
