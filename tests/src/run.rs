//! Running a routine of a test program.

use std::sync::atomic::AtomicBool;

use star_base::Code;
use star_compiler::Compilation;
use star_ir::Ty;
use star_vm::{Backend, Control, Host, HostError, HostRef, HostValue, Limits, Outcome, Stats};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// The arguments afterwards.
    pub values: Vec<HostValue>,
    /// What was printed.
    pub printed: String,
    /// What was used.
    pub stats: Stats,
}

/// A host that keeps what is printed and has no files.
#[derive(Debug, Default)]
pub struct Printed(pub String);

impl Host for Printed {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        self.0.push_str(line);
        Ok(())
    }

    fn read(
        &mut self,
        file: &str,
        _: Option<&str>,
        _: Ty,
        _: Option<u64>,
    ) -> Result<HostValue, HostError> {
        Err(HostError { code: Code::CannotOpen, message: format!("cannot open `{file}`") })
    }

    fn write(&mut self, file: &str, _: HostRef<'_>) -> Result<(), HostError> {
        Err(HostError { code: Code::CannotWrite, message: format!("cannot write `{file}`") })
    }
}

/// Limits that no test program reaches by accident.
pub const LIMITS: Limits =
    Limits { steps: Some(200_000_000), memory: Some(1 << 30), output: Some(1 << 20), depth: 1000 };

/// A compiled test program.
pub struct Program {
    /// The sources and messages.
    pub compilation: Compilation,
    /// The SIR.
    pub lowered: star_compiler::Lowered,
}

impl Program {
    /// Compiles and verifies a text.
    ///
    /// # Panics
    /// If that fails.
    pub fn new(text: &str) -> Self {
        Program::with(text, &star_compiler::LowerOptions::default())
    }

    /// Likewise with options.
    ///
    /// # Panics
    /// If that fails.
    pub fn with(text: &str, options: &star_compiler::LowerOptions) -> Self {
        Program::of_files(&[("test.star", text)], options)
    }

    /// Likewise the first of some files, which may import the others.
    ///
    /// # Panics
    /// If that fails.
    pub fn of_files(files: &[(&str, &str)], options: &star_compiler::LowerOptions) -> Self {
        let (compilation, lowered) = crate::compile_files(files, options);
        Program { compilation, lowered }
    }

    /// Runs the routine `name`. Tables are given as fixed ones.
    ///
    /// # Panics
    /// If there is no such routine.
    pub fn run(&self, backend: &impl Backend, name: &str, args: Vec<HostValue>) -> Run {
        self.run_within(backend, name, args, LIMITS)
    }

    /// Likewise within limits.
    ///
    /// # Panics
    /// If there is no such routine.
    pub fn run_within(
        &self,
        backend: &impl Backend,
        name: &str,
        args: Vec<HostValue>,
        limits: Limits,
    ) -> Run {
        let entry = self
            .compilation
            .entries()
            .into_iter()
            .find(|entry| entry.name == name)
            .unwrap_or_else(|| panic!("no routine `{name}`"));
        let entry = self.lowered.routine(entry.id).expect("lowered");
        let code = backend.compile(self.lowered.program.clone());
        let mut values: Vec<_> = args
            .into_iter()
            .map(|value| {
                let fixed = value != HostValue::Unset;
                backend.load(value, fixed)
            })
            .collect();
        let types: Vec<_> = values.iter().map(|value| backend.ty(value)).collect();
        let plan = backend.plan(&code, entry, &types);
        let mut host = Printed::default();
        let flag = AtomicBool::new(false);
        let mut control = Control {
            interrupt: &flag,
            deadline: &flag,
            limits,
            host: &mut host,
            stats: Stats::default(),
        };
        let outcome = backend.run(&plan, &mut values, &mut control);
        let stats = control.stats;
        Run {
            outcome,
            values: values.iter().map(|value| backend.store(value)).collect(),
            printed: host.0,
            stats,
        }
    }
}

impl Run {
    /// The argument with this number afterwards.
    ///
    /// # Panics
    /// If the run did not end well.
    pub fn done(self) -> Vec<HostValue> {
        assert_eq!(self.outcome, Outcome::Done);
        self.values
    }
}
