//! Execution of a routine of a test program on every backend.

use std::cell::OnceCell;

pub use star::pipeline::{Printed, RunResult};
use star_compiler::Compilation;
use star_value::Value;
use star_vm::{Limits, Outcome};

use crate::backends::{Compiled, Machine, backends};
use crate::differ::{Agreement, InBothModes, Same, compile, same};

/// Limits that no test program reaches by accident.
pub const LIMITS: Limits =
    Limits { steps: Some(200_000_000), memory: Some(1 << 30), output: Some(1 << 20), depth: 1000 };

/// A compiled test program.
pub struct Program {
    /// The sources and messages.
    pub compilation: Compilation,
    /// The SIR.
    pub lowered: star_compiler::Lowered,
    /// The program on every backend, after its first run.
    compiled: OnceCell<InBothModes>,
}

impl Program {
    /// Compiles and verifies a text.
    ///
    /// # Panics
    /// If that fails.
    pub fn new(text: &str) -> Self {
        Program::with(text, &star_compiler::LowerOptions::default())
    }

    /// Compiles a text with options and verifies it.
    ///
    /// # Panics
    /// If that fails.
    pub fn with(text: &str, options: &star_compiler::LowerOptions) -> Self {
        Program::of_files(&[("test.star", text)], options)
    }

    /// Compiles the first of some files, which may import the others, and verifies it.
    ///
    /// # Panics
    /// If that fails.
    pub fn of_files(files: &[(&str, &str)], options: &star_compiler::LowerOptions) -> Self {
        let (compilation, lowered) = crate::compile_files(files, options);
        Program::of(compilation, lowered)
    }

    /// Wraps a program that is already compiled.
    pub fn of(compilation: Compilation, lowered: star_compiler::Lowered) -> Self {
        Program { compilation, lowered, compiled: OnceCell::new() }
    }

    /// Runs the routine `name` on every backend, as lowered and optimised, and returns the result
    /// of the first one. Arguments that are set are passed as fixed: they keep their sizes.
    ///
    /// # Panics
    /// If there is no such routine, or if backends differ.
    pub fn run(&self, name: &str, args: Vec<Value>) -> RunResult {
        self.run_within(name, args, LIMITS)
    }

    /// Runs the routine `name` on every backend within limits.
    ///
    /// # Panics
    /// If there is no such routine, or if backends differ.
    pub fn run_within(&self, name: &str, args: Vec<Value>, limits: Limits) -> RunResult {
        self.agree(name, args, limits).run
    }

    /// Runs the routine `name` within limits and returns the result of the first backend, and the
    /// fast paths that each backend took.
    ///
    /// # Panics
    /// If there is no such routine, or if backends differ.
    pub fn agree(&self, name: &str, args: Vec<Value>, limits: Limits) -> Agreement {
        let compiled =
            self.compiled.get_or_init(|| InBothModes::new(&self.lowered.program, &backends()));
        match same(self, compiled, name, &args, limits) {
            Same::Yes(agreement) => *agreement,
            Same::No(difference) => panic!("{name}({args:?}): {difference}"),
        }
    }

    /// Compiles the program as lowered for these backends.
    pub fn compile_on(&self, machines: &[Machine]) -> Vec<Compiled> {
        compile(&self.lowered.program, machines)
    }

    /// Returns the number of a routine in the SIR.
    ///
    /// # Panics
    /// If there is no such routine.
    pub fn entry(&self, name: &str) -> star_ir::RoutineId {
        let entries = self.compilation.entries();
        let entry = entries.iter().find(|entry| entry.name == name);
        let entry = entry.unwrap_or_else(|| panic!("no routine `{name}`"));
        self.lowered.routine(entry.id).expect("lowered")
    }
}

/// Returns the arguments after a run that ended well.
///
/// # Panics
/// If it did not.
pub fn done(run: RunResult) -> Vec<Value> {
    assert_eq!(run.outcome, Outcome::Done);
    run.values
}
