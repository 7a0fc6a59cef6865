//! The backends, one line each, and a run on any of them.

use star_base::{Code, Diagnostic, Native, did_you_mean};
pub(crate) use star_harness::Argument;
use star_harness::{Machine, on};
use star_ir::{Program, RoutineId};
use star_vm::{Control, Cpu, HostValue, Outcome, Profile, Reference, Stats, StoreError};

use crate::repl::machine::{Machine as Values, On};
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
    machine: fn(Natives) -> Box<dyn Machine>,
    values: fn() -> Box<dyn Values>,
}

static ENGINES: &[Engine] = &[
    Engine {
        name: "cpu",
        expansion: 1,
        max_bytes: u64::MAX,
        natives: Cpu::NATIVES,
        machine: |natives| match natives {
            Natives::On => on("cpu", Cpu::new()),
            Natives::Off => on("cpu", Cpu::new().without_natives()),
        },
        values: || Box::new(On::new(Cpu::new(), Cpu::new().without_natives())),
    },
    Engine {
        name: "reference",
        expansion: 8,
        max_bytes: star_vm::reference::MAX_BYTES,
        natives: &[],
        machine: |_| on("reference", Reference::new()),
        values: || Box::new(On::new(Reference::new(), Reference::new())),
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
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic,
            }
        })
    }

    /// The backends of this build.
    pub(crate) fn all() -> &'static [Engine] {
        ENGINES
    }

    /// The backend as it runs programs.
    pub(crate) fn machine(&self, natives: Natives) -> Box<dyn Machine> {
        (self.machine)(natives)
    }

    /// The backend with the values of a session.
    pub(crate) fn values(&self) -> Box<dyn Values> {
        (self.values)()
    }

    /// Runs a job.
    pub(crate) fn run(&self, job: Job, control: &mut Control<'_>) -> Ended {
        self.execute(job, control, None)
    }

    /// The same, and charges what it takes to lines and routines.
    pub(crate) fn run_profiled(
        &self,
        job: Job,
        control: &mut Control<'_>,
        profile: &mut Profile,
    ) -> Ended {
        self.execute(job, control, Some(profile))
    }

    fn execute(&self, job: Job, control: &mut Control<'_>, profile: Option<&mut Profile>) -> Ended {
        let Job { program, entry, arguments, natives } = job;
        let compiled = self.machine(natives).compile(program);
        let mut loaded = compiled.load(entry, arguments);
        let outcome = match profile {
            None => loaded.run(control),
            Some(profile) => loaded.run_profiled(control, profile),
        };
        let results = match outcome {
            Outcome::Done => loaded.into_results(control.interrupt),
            Outcome::Trap(_) | Outcome::Limit { .. } | Outcome::Internal(_) => {
                // Nobody looks at the values any more, and the process is about to end.
                loaded.abandon();
                Ok(Vec::new())
            }
        };
        Ended { outcome, results, stats: control.stats }
    }
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
        assert_eq!(diagnostic.help, ["did you mean `reference`?"]);
    }
}
