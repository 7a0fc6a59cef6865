//! Programs written in SIR, on every backend in both modes.

pub mod generator;
pub mod guards;

use std::num::NonZeroUsize;

use star_ir::{Program, RoutineId};
use star_value::Value;
use star_vm::reference::{ForallOrder, Settings};
use star_vm::{Outcome, Reference};

use crate::backends::{Compiled, Machine, Mode, backends, on};
use crate::differ::{Agreement, InBothModes, Same, compile, in_words};
use crate::run::{LIMITS, RunResult};

/// A verified SIR program, compiled for some backends.
pub struct Sir {
    compiled: InBothModes,
    /// The reference with other orders. Where a `forall` traps, the order is visible.
    orders: Vec<Compiled>,
}

impl Sir {
    /// Verifies a program and compiles it for these backends.
    ///
    /// # Panics
    /// If it does not verify.
    pub fn new(program: &Program, machines: &[Machine]) -> Self {
        if let Err(errors) = star_ir::verify(program) {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}\n{}", errors.join("\n"), star_ir::print(program));
        }
        let mut stated = program.clone();
        star_opt::apply(&mut stated, &["kernels"]).unwrap_or_else(|broken| panic!("{broken}"));
        Sir { compiled: InBothModes::new(program, machines), orders: compile(&stated, &orders()) }
    }

    /// Returns the backends that run iterations in order, and so agree on where a `forall` traps.
    pub fn machines() -> Vec<Machine> {
        let mut machines = backends();
        machines.retain(|machine| machine.name != "reference-backward");
        machines
    }

    /// Compiles a text for every backend, with the guards that it requires: `header` follows the
    /// routine's name, `body` is the rest without locations.
    ///
    /// # Panics
    /// If that fails.
    pub fn guarded(header: &str, body: &str) -> Self {
        Sir::guarded_text(&format!("routine 0 \"F\" {header} {{\n{body}\n}}"))
    }

    /// Compiles a text with several routines, with the guards that it requires.
    ///
    /// # Panics
    /// If that fails.
    pub fn guarded_text(text: &str) -> Self {
        let mut program = read(text);
        guards::guard(&mut program);
        Sir::new(&program, &Sir::machines())
    }

    /// Runs the first routine on every backend in both modes.
    pub fn run(&self, args: &[Value]) -> Same {
        let agreement = match self.compiled.run(RoutineId(0), args, LIMITS, &ending) {
            Same::Yes(agreement) => agreement,
            Same::No(difference) => return Same::No(difference),
        };
        if agreement.run.outcome == Outcome::Done {
            for other in &self.orders {
                let found = other.run(RoutineId(0), args, LIMITS);
                if let Some(difference) = in_words(&agreement.run, &found, Mode::AsLowered, &ending)
                {
                    return Same::No(format!("`reference` and `{}`: {difference}", other.name));
                }
            }
        }
        Same::Yes(agreement)
    }

    /// Runs the first routine on every backend in both modes; all must agree.
    ///
    /// # Panics
    /// If they do not.
    pub fn agree(&self, args: &[Value]) -> Agreement {
        match self.run(args) {
            Same::Yes(agreement) => *agreement,
            Same::No(difference) => panic!("{difference}\n{args:?}"),
        }
    }

    /// Runs the first routine without passes on one backend, with a limit on steps.
    ///
    /// # Panics
    /// If there is no such backend.
    pub fn run_in_steps(&self, machine: &str, args: &[Value]) -> RunResult {
        self.compiled.run_as_written(machine, RoutineId(0), args, LIMITS)
    }
}

/// Returns the reference with iterations backward and in a shuffled order, and kernels on parts of
/// their lines.
fn orders() -> Vec<Machine> {
    let reference = |order, part| {
        let settings = Settings { order, part: NonZeroUsize::new(part), part_bytes: None };
        Reference { settings }
    };
    vec![
        on("reference, backward", reference(ForallOrder::Backward, 1)),
        on("reference, shuffled", reference(ForallOrder::Shuffled(2016), 64)),
        on("reference, in parts", reference(ForallOrder::Forward, 3)),
    ]
}

/// Parses a text and gives every statement the same location.
///
/// # Panics
/// If it is not valid SIR.
pub fn read(text: &str) -> Program {
    let mut placed = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        placed += &match line.strip_suffix('{') {
            _ if line.starts_with('}') || line.starts_with("var ") => line.to_owned(),
            Some(head) if head.trim_end().ends_with("!0") => line.to_owned(),
            Some(head) => format!("{head}!0 {{"),
            None => format!("{line} !0"),
        };
        placed.push('\n');
    }
    placed += "locations {\n  !0 = 0:0..0\n}\n";
    star_ir::parse(&placed).unwrap_or_else(|error| panic!("{error}\n{placed}"))
}

/// Describes on one line how a run ended.
fn ending(run: &RunResult) -> String {
    match &run.outcome {
        Outcome::Trap(trap) => format!("{} ", trap.kind.code()),
        Outcome::Done
        | Outcome::Limit { .. }
        | Outcome::Unsupported { .. }
        | Outcome::DeviceLost { .. }
        | Outcome::Internal(_) => String::new(),
    }
}
