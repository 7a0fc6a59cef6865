//! Programs on the CPU backend, timed.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use star_compiler::{Library, LowerOptions};
use star_ir::{Program, RoutineId, Ty};
use star_vm::{
    Backend, Control, Cpu, Host, HostError, HostRef, HostValue, Limits, Outcome, Stats, cpu,
};

use crate::front_end::OneText;

/// A compiled program.
pub(crate) struct Compiled {
    program: Program,
    code: cpu::Code,
    backend: Cpu,
}

impl Compiled {
    /// Compiles a text without errors.
    pub(crate) fn new(backend: Cpu, text: &str) -> Self {
        let library = Library { basic: star_stdlib::BASIC, modules: star_stdlib::MODULES };
        let compilation =
            star_compiler::check("bench.star", &mut OneText(text.to_owned()), &library);
        assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
        let lowered = star_compiler::lower(&compilation, &LowerOptions::default());
        let program = lowered.expect("what has no errors is lowered").program;
        let code = backend.compile(program.clone());
        Compiled { program, code, backend }
    }

    /// Runs a routine to its end; the time of the run alone, and the arguments afterwards.
    pub(crate) fn run(&self, name: &str, args: Vec<HostValue>) -> (Duration, Vec<HostValue>) {
        let entry: RoutineId = self.program.find(name).expect("a routine of this name");
        let load = |value: HostValue| self.backend.load(value, true);
        let mut values: Vec<cpu::Value> = args.into_iter().map(load).collect();
        let types: Vec<_> = values.iter().map(|value| self.backend.ty(value)).collect();
        let plan = self.backend.plan(&self.code, entry, &types);
        let flag = AtomicBool::new(false);
        let limits = Limits { steps: None, memory: None, output: None, depth: 1000 };
        let mut control = Control {
            interrupt: &flag,
            deadline: &flag,
            limits,
            host: &mut Silent,
            stats: Stats::default(),
        };
        let start = Instant::now();
        let outcome = self.backend.run(&plan, &mut values, &mut control);
        let time = start.elapsed();
        assert_eq!(outcome, Outcome::Done);
        (
            time,
            values
                .into_iter()
                .map(|value| self.backend.unload(value, &flag).expect("memory"))
                .collect(),
        )
    }
}

/// A host without files that prints nothing.
struct Silent;

impl Host for Silent {
    fn print(&mut self, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn read(
        &mut self,
        _: &str,
        _: Option<&str>,
        _: Ty,
        _: Option<u64>,
    ) -> Result<HostValue, HostError> {
        let message = "there are no files".to_owned();
        Err(HostError { code: star_base::Code::CannotOpen, message })
    }

    fn write(&mut self, _: &str, _: HostRef<'_>) -> Result<(), HostError> {
        Ok(())
    }
}

/// The middle one of some times.
pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
