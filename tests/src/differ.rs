//! Comparison of the backends on a test program, in both modes, with a description of the
//! differences.

use star_harness::{Difference, Mode};
use star_ir::RoutineId;
use star_opt::Options;
use star_value::Value;
use star_vm::{Counters, Limits, Outcome};

use crate::backends::{Compiled, Machine};
use crate::case::ending;
use crate::run::{Program, RunResult};

/// Whether all backends agree on a run.
#[derive(Debug)]
pub enum Same {
    /// The backends agree; what the run left.
    Yes(Box<Agreement>),
    /// The backends disagree; a description of the difference.
    No(String),
}

/// A run on which all backends agree.
#[derive(Debug)]
pub struct Agreement {
    /// The result on the first backend.
    pub run: RunResult,
    /// The fast paths that each backend took in each mode.
    pub paths: Vec<Taken>,
}

/// The fast paths taken in one run.
#[derive(Debug)]
pub struct Taken {
    /// The backend.
    pub machine: &'static str,
    /// As lowered, or optimised.
    pub mode: Mode,
    /// The paths taken and declined.
    pub counters: Counters,
}

impl Agreement {
    /// Returns the fast paths that a backend took on the program as written, without a limit on
    /// steps.
    ///
    /// # Panics
    /// If it did not run.
    pub fn optimised(&self, machine: &str) -> Counters {
        let mut runs = self.paths.iter().filter(|taken| taken.mode == Mode::Optimised);
        let taken = runs.find(|taken| taken.machine == machine);
        taken.unwrap_or_else(|| panic!("`{machine}` did not run")).counters
    }
}

/// A program on some backends, as lowered and optimised.
pub struct InBothModes {
    as_lowered: Vec<Compiled>,
    /// The program without passes but that which states kernels, on the backends that have fast
    /// paths.
    as_written: Vec<Compiled>,
    /// The program after passes, if they change it: on the reference in both orders, and on the
    /// default backend.
    optimised: Vec<Optimised>,
}

/// A program after some passes.
struct Optimised {
    /// A description of the passes.
    passes: String,
    compiled: Vec<Compiled>,
}

/// The backends that run optimised programs.
const OF_PASSES: [&str; 6] =
    ["reference", "reference-backward", "cpu", "gpu", "gpu-emulator", "gpu-emulator-tiny"];

impl InBothModes {
    /// Optimises with all passes, and compiles.
    ///
    /// # Panics
    /// If the program does not verify after a pass.
    pub fn new(program: &star_ir::Program, machines: &[Machine]) -> Self {
        InBothModes::with_passes(program, machines, &[Options::default()])
    }

    /// Optimises with several selections of passes, each separately, and compiles.
    ///
    /// # Panics
    /// If the program does not verify after a pass.
    pub fn with_passes(
        program: &star_ir::Program,
        machines: &[Machine],
        selections: &[Options],
    ) -> Self {
        let mut stated = program.clone();
        star_opt::apply(&mut stated, &["kernels"]).unwrap_or_else(|broken| panic!("{broken}"));
        let mut rewritten = vec![program.clone()];
        let mut optimised = Vec::new();
        for selection in selections {
            let mut after = program.clone();
            star_opt::optimise(&mut after, selection).unwrap_or_else(|broken| panic!("{broken}"));
            if rewritten.contains(&after) {
                continue;
            }
            let passes = match selection.disabled.as_slice() {
                [] => "after passes".to_owned(),
                disabled => format!("after passes but {}", disabled.join(", ")),
            };
            let runs = |name: &str| {
                OF_PASSES.contains(&name)
                    || name.starts_with("ranks-")
                    || name.starts_with("cards-")
            };
            let machines = machines.iter().filter(|machine| runs(machine.name));
            let compiled = machines.map(|machine| compiled(&after, machine)).collect();
            optimised.push(Optimised { passes, compiled });
            rewritten.push(after);
        }
        InBothModes {
            as_lowered: machines
                .iter()
                .map(|machine| compiled(program, &machine.as_lowered()))
                .collect(),
            as_written: machines
                .iter()
                .filter(|machine| !machine.name.starts_with("reference"))
                .map(|machine| compiled(&stated, machine))
                .collect(),
            optimised,
        }
    }

    /// Runs an entry without passes on a backend that has fast paths.
    ///
    /// # Panics
    /// If there is no such backend.
    pub fn run_as_written(
        &self,
        machine: &str,
        entry: RoutineId,
        args: &[Value],
        limits: Limits,
    ) -> RunResult {
        let compiled = self.as_written.iter().find(|compiled| compiled.name == machine);
        compiled.unwrap_or_else(|| panic!("no `{machine}`")).run(entry, args, limits)
    }

    /// Runs an entry on each backend in both modes and compares the results with the first backend
    /// as lowered. Without a limit on steps, it runs both as written, so that fast paths are taken
    /// that passes would remove, and after passes. A run that ends at a limit is repeated as
    /// lowered only, because it might not terminate without one. `ending` describes how a run
    /// ended.
    ///
    /// # Panics
    /// If there is no backend.
    pub fn run(
        &self,
        entry: RoutineId,
        args: &[Value],
        limits: Limits,
        ending: &dyn Fn(&RunResult) -> String,
    ) -> Same {
        let mut agreement = match run_as_lowered(&self.as_lowered, entry, args, limits, ending) {
            Same::Yes(agreement) => agreement,
            Same::No(difference) => return Same::No(difference),
        };
        match agreement.run.outcome {
            Outcome::Done | Outcome::Trap(_) => {}
            Outcome::Limit { .. }
            | Outcome::Unsupported { .. }
            | Outcome::DeviceLost { .. }
            | Outcome::Internal(_) => {
                return Same::Yes(agreement);
            }
        }
        let first = self.as_lowered.first().map_or("?", |first| first.name);
        let differs = |other: &Compiled, found: &RunResult, how: &str| {
            let difference = in_words(&agreement.run, found, Mode::Optimised, ending)?;
            Some(format!("`{first}` and `{}`, {how}: {difference}", other.name))
        };
        let mut taken = Vec::new();
        for other in &self.as_written {
            let found = other.run(entry, args, Mode::Optimised.limits(limits));
            if let Some(difference) = differs(other, &found, "without limits") {
                return Same::No(difference);
            }
            taken.push((other.name, found));
        }
        for Optimised { passes, compiled } in &self.optimised {
            for other in compiled {
                let found = other.run(entry, args, Mode::Optimised.limits(limits));
                if let Some(difference) = differs(other, &found, passes) {
                    return Same::No(difference);
                }
            }
        }
        for (name, found) in taken {
            agreement.take(name, Mode::Optimised, &found);
        }
        Same::Yes(agreement)
    }
}

/// Compiles a program for each of these backends.
pub fn compile(program: &star_ir::Program, machines: &[Machine]) -> Vec<Compiled> {
    machines.iter().map(|machine| compiled(program, machine)).collect()
}

fn compiled(program: &star_ir::Program, machine: &Machine) -> Compiled {
    machine.compile(program.clone()).expect("it runs every program")
}

/// Runs a routine as [`InBothModes::run`] does.
///
/// # Panics
/// If there is no such routine, or no backend.
pub fn same(
    program: &Program,
    compiled: &InBothModes,
    name: &str,
    args: &[Value],
    limits: Limits,
) -> Same {
    compiled.run(program.entry(name), args, limits, &|run| ending(program, run))
}

/// Runs a routine as lowered only, for runs that depend on steps.
///
/// # Panics
/// If there is no such routine, or no backend.
pub fn same_as_lowered(
    program: &Program,
    compiled: &[Compiled],
    name: &str,
    args: &[Value],
    limits: Limits,
) -> Same {
    run_as_lowered(compiled, program.entry(name), args, limits, &|run| ending(program, run))
}

fn run_as_lowered(
    compiled: &[Compiled],
    entry: RoutineId,
    args: &[Value],
    limits: Limits,
    ending: &dyn Fn(&RunResult) -> String,
) -> Same {
    let (first, others) = compiled.split_first().expect("a backend");
    let expected = first.run(entry, args, limits);
    let mut agreement = Box::new(Agreement { run: expected, paths: Vec::new() });
    for other in others {
        let found = other.run(entry, args, limits);
        if let Some(difference) = in_words(&agreement.run, &found, Mode::AsLowered, ending) {
            return Same::No(format!("`{}` and `{}`: {difference}", first.name, other.name));
        }
        agreement.take(other.name, Mode::AsLowered, &found);
    }
    Same::Yes(agreement)
}

impl Agreement {
    fn take(&mut self, machine: &'static str, mode: Mode, run: &RunResult) {
        self.paths.push(Taken { machine, mode, counters: run.stats.counters });
    }
}

/// Describes the difference between two runs of a program, the second in this mode; `None` if there
/// is none.
pub fn difference(
    program: &Program,
    expected: &RunResult,
    found: &RunResult,
    mode: Mode,
) -> Option<String> {
    in_words(expected, found, mode, &|run| ending(program, run))
}

/// Describes the difference between two runs; `ending` describes how a run ended.
pub fn in_words(
    expected: &RunResult,
    found: &RunResult,
    mode: Mode,
    ending: &dyn Fn(&RunResult) -> String,
) -> Option<String> {
    let difference = star_harness::difference(expected, found, mode)?;
    let text = |run: &RunResult| match difference {
        Difference::Outcome => match run.outcome {
            Outcome::Done => "ends well".to_owned(),
            Outcome::Trap(_)
            | Outcome::Limit { .. }
            | Outcome::Unsupported { .. }
            | Outcome::DeviceLost { .. }
            | Outcome::Internal(_) => {
                format!("{}{:?}", ending(run), run.outcome)
            }
        },
        Difference::Count => run.values.len().to_string(),
        Difference::Value(idx) => run.values.get(idx).map(shown).unwrap_or_default(),
        Difference::Printed => run.printed.clone(),
        Difference::Files => format!("{:?}", run.files),
        Difference::Operations => run.stats.operations.to_string(),
        Difference::Steps => run.stats.steps.to_string(),
    };
    let what = match difference {
        Difference::Value(idx) => format!("argument {idx}"),
        other => other.what().to_owned(),
    };
    Some(format!("{what} differ:\n{}\n{}", text(expected), text(found)))
}

/// Formats a whole value, with its type.
fn shown(value: &Value) -> String {
    match value {
        Value::Slice(bits) => format!("slice '{bits}'"),
        Value::Word(bits) => format!("word '{bits}'"),
        Value::Table(table) => {
            let rows = (0..table.n_rows()).map(|row| format!("\n{}", table.row(row)));
            format!("table {} x {}{}", table.n_rows(), table.n_cols(), rows.collect::<String>())
        }
        Value::Unset | Value::Int(_) | Value::Bool(_) | Value::Str(_) => {
            format!("{value:?}")
        }
    }
}
