//! Programs on the CPU backend, timed.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use star::pipeline::{Build, Printed};
use star_base::intrinsics::Intrinsic;
use star_compiler::LowerOptions;
use star_ir::{Program, RoutineId};
use star_value::Value;
use star_vm::{Backend, CompileOptions, Control, Cpu, Limits, Outcome, Part, Stats, Wanted, cpu};

use crate::front_end::OneText;

/// A compiled program.
pub(crate) struct Compiled {
    program: Program,
    code: cpu::Code,
    backend: Cpu,
}

impl Compiled {
    /// Compiles a text without errors, as it is lowered.
    pub(crate) fn new(backend: Cpu, text: &str) -> Self {
        Compiled::of(backend, CompileOptions::default(), lowered(text))
    }

    /// The same after all passes but those named.
    pub(crate) fn optimised(backend: Cpu, text: &str, without: &[&str]) -> Self {
        Compiled::optimised_with(backend, CompileOptions::default(), text, without)
    }

    /// The same with other options.
    pub(crate) fn optimised_with(
        backend: Cpu,
        options: CompileOptions,
        text: &str,
        without: &[&str],
    ) -> Self {
        let mut program = lowered(text);
        let passes = star_opt::Options::without(without).expect("passes");
        let optimised = star_opt::optimise(&mut program, &passes);
        optimised.expect("it verifies after every pass");
        Compiled::of(backend, options, program)
    }

    /// The same as the library has it: with the intrinsics of this module.
    pub(crate) fn with_intrinsics(mut self, module: &str) -> Self {
        for routine in self.program.routines_mut() {
            routine.intrinsic = Intrinsic::of_routine(module, &routine.name);
        }
        Compiled::of(self.backend, CompileOptions::default(), self.program)
    }

    fn of(backend: Cpu, options: CompileOptions, program: Program) -> Self {
        let code = backend
            .compile(program.clone(), &options, None)
            .expect("it can run every program")
            .code;
        Compiled { program, code, backend }
    }

    /// Takes values in, as what a program was given: those that are set keep their sizes.
    pub(crate) fn load(&self, values: Vec<Value>) -> Vec<cpu::Value> {
        let load = |value: Value| {
            let fixed = value != Value::Unset;
            self.backend.load(value, fixed).expect("memory")
        };
        values.into_iter().map(load).collect()
    }

    /// Reads values back.
    pub(crate) fn unload(&self, values: Vec<cpu::Value>) -> Vec<Value> {
        let flag = AtomicBool::new(false);
        let unload = |value| self.backend.unload(value, Wanted::Columns, &flag).expect("memory");
        values.into_iter().map(unload).collect()
    }

    /// Reads one back, as a copy.
    pub(crate) fn read(&self, value: &cpu::Value) -> Value {
        self.backend.store(value, Part::Whole, &AtomicBool::new(false)).expect("memory")
    }

    /// Runs a routine to its end; the time of the run alone, and the arguments afterwards.
    pub(crate) fn run(&self, name: &str, args: Vec<Value>) -> (Duration, Vec<Value>) {
        let mut values = self.load(args);
        let called = self.call(name, &mut values);
        (called.time, self.unload(values))
    }

    /// Runs a routine to its end on values that stay in the machine.
    pub(crate) fn call(&self, name: &str, values: &mut [cpu::Value]) -> Called {
        let (called, outcome) = self.try_call(name, values);
        assert_eq!(outcome, Outcome::Done, "{name}");
        called
    }

    /// Runs a routine on values that stay in the machine, however that ends.
    pub(crate) fn try_call(&self, name: &str, values: &mut [cpu::Value]) -> (Called, Outcome) {
        let entry: RoutineId = self.program.find(name).expect("a routine of this name");
        let types: Vec<_> = values.iter().map(|value| Some(self.backend.ty(value)?.ty)).collect();
        let plan = self.backend.plan(&self.code, entry, &types).expect("a plan");
        let flag = AtomicBool::new(false);
        let limits = Limits { steps: None, memory: None, output: None, depth: 1000 };
        let mut control = Control {
            interrupt: &flag,
            deadline: &flag,
            limits,
            host: &mut Printed::default(),
            profile: None,
            stats: Stats::default(),
        };
        let start = Instant::now();
        let outcome = self.backend.run(&plan, values, &mut control);
        let time = start.elapsed();
        (Called { time, operations: control.stats.operations }, outcome)
    }
}

/// A text without errors as SIR.
pub(crate) fn lowered(text: &str) -> Program {
    lowered_as("bench.star", text)
}

/// A text under the name of a file, or of a module of the library, which may do what programs may
/// not.
pub(crate) fn lowered_as(name: &str, text: &str) -> Program {
    let compilation = star::pipeline::check(name, &mut OneText(text.to_owned()));
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics);
    let build = Build::new(&compilation, &LowerOptions::default(), None);
    build.expect("what has no errors is lowered").lowered.program
}

/// What a call took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    /// The time of the run alone.
    pub(crate) time: Duration,
    /// Elementary operations.
    pub(crate) operations: u64,
}

/// The middle one of some times.
pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
