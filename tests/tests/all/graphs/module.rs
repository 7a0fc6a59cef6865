//! A compiled module of the library, whose calls can be replayed elsewhere.

use std::cell::RefCell;

use star_compiler::LowerOptions;
use star_ir::TrapKind;
use star_tests::case::ending;
use star_tests::run::Program;
use star_value::{BitTable, BitVector, Table, Value};
use star_vm::Outcome;

/// A compiled module.
pub(super) struct Module {
    program: Program,
    /// The calls so far, if they are recorded.
    calls: Option<RefCell<Vec<Call>>>,
}

/// A call with its results.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) routine: &'static str,
    pub(super) args: Vec<Value>,
    pub(super) results: Results,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Results {
    /// The arguments afterwards.
    pub(super) values: Vec<Value>,
    /// Elementary operations.
    pub(super) operations: u64,
}

/// Returns the text of a module of the library.
pub(super) fn text(name: &str) -> &'static str {
    let mut modules = star_stdlib::MODULES.iter();
    modules.find(|(known, _)| *known == name).expect("a module of the library").1
}

/// Compiles the library module `name` as a program.
pub(super) fn program(name: &str, options: &LowerOptions) -> Program {
    Program::of_files(&[(&format!("star:{name}"), "")], options)
}

impl Module {
    /// Compiles the library module `name`.
    pub(super) fn new(name: &str) -> Self {
        Module::of_library(name, &LowerOptions::default())
    }

    /// Compiles the library module `name` with options.
    pub(super) fn of_library(name: &str, options: &LowerOptions) -> Self {
        Module { program: program(name, options), calls: None }
    }

    /// Compiles the library module `name` and records its calls.
    pub(super) fn recorder(name: &str) -> Self {
        Module { calls: Some(RefCell::default()), ..Module::new(name) }
    }

    /// Compiles a text.
    pub(super) fn compile(text: &str, options: &LowerOptions) -> Self {
        Module { program: Program::with(text, options), calls: None }
    }

    /// Calls a routine, which must end well.
    pub(super) fn call(&self, routine: &'static str, args: Vec<Value>) -> Results {
        let run = self.program.run(routine, args.clone());
        assert_eq!(run.outcome, Outcome::Done, "{routine} of {args:#?}");
        let results = Results { values: run.values, operations: run.stats.operations };
        if let Some(calls) = &self.calls {
            let results = results.clone();
            calls.borrow_mut().push(Call { routine, args, results });
        }
        results
    }

    /// Calls a routine and describes how it ended, if not well. Such calls are not recorded.
    pub(super) fn try_call(
        &self,
        routine: &'static str,
        args: Vec<Value>,
    ) -> Result<Results, String> {
        let run = self.program.run(routine, args);
        if run.outcome != Outcome::Done {
            return Err(ending(&self.program, &run));
        }
        Ok(Results { values: run.values, operations: run.stats.operations })
    }

    /// Returns whether there is a routine of this name.
    pub(super) fn has(&self, routine: &str) -> bool {
        self.program.compilation.entries().iter().any(|entry| entry.name == routine)
    }

    /// Calls a routine that must end the program by an `assert`, and returns its message.
    pub(super) fn refusal(&self, routine: &'static str, args: Vec<Value>) -> String {
        match &self.program.run(routine, args).outcome {
            Outcome::Trap(trap) if let TrapKind::Assert(message) = &trap.kind => message.clone(),
            other => panic!("{routine}: {other:?}"),
        }
    }

    /// Returns the recorded calls.
    pub(super) fn into_calls(self) -> Vec<Call> {
        self.calls.map(RefCell::into_inner).unwrap_or_default()
    }
}

impl Results {
    /// Returns the table in the argument `idx`, from 0, after the call.
    pub(super) fn table(&self, idx: usize) -> BitTable {
        match &self.values[idx] {
            Value::Table(Table::Columns(table)) => table.clone(),
            other => panic!("argument {idx} is {other:?}"),
        }
    }

    /// Returns the slice.
    pub(super) fn slice(&self, idx: usize) -> BitVector {
        match &self.values[idx] {
            Value::Slice(bits) => bits.clone(),
            other => panic!("argument {idx} is {other:?}"),
        }
    }

    /// Returns the integer.
    pub(super) fn int(&self, idx: usize) -> i64 {
        match &self.values[idx] {
            Value::Int(value) => *value,
            other => panic!("argument {idx} is {other:?}"),
        }
    }

    /// Returns the truth value.
    pub(super) fn bool(&self, idx: usize) -> bool {
        match &self.values[idx] {
            Value::Bool(value) => *value,
            other => panic!("argument {idx} is {other:?}"),
        }
    }
}
