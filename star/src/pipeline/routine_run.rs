//! One run of a routine, with all its results.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use star_base::{Code, Span};
use star_ir::{LimitKind, LocId, Ty};
use star_value::{BitsRef, Value};
use star_vm::{BackendError, Control, Host, HostError, Limits, Outcome, Stats};

use super::machine::LoadedRoutine;

/// The results of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The outcome.
    pub outcome: Outcome,
    /// The location in the source where it ended: the active calls, including inlined ones, the
    /// outermost first, and then the location itself. Numbers of locations differ between forms of
    /// a program, source positions do not.
    pub source: Vec<Span>,
    /// The arguments afterwards; empty if they could not be read from the backend.
    pub values: Vec<Value>,
    /// The printed text.
    pub printed: String,
    /// The written files.
    pub files: BTreeMap<String, Value>,
    /// The resources used.
    pub stats: Stats,
}

impl RunResult {
    /// Collects the results after a run with this outcome, unless `interrupt` is set meanwhile.
    pub fn of(
        loaded: &LoadedRoutine,
        outcome: Outcome,
        stats: Stats,
        host: Printed,
        interrupt: &AtomicBool,
    ) -> Self {
        let Printed { text: printed, files } = host;
        let (outcome, values) = match loaded.values(interrupt) {
            Ok(values) => (outcome, values),
            Err(error) => (ended(error), Vec::new()),
        };
        let source = loaded.end_in_source(&outcome);
        RunResult { outcome, source, values, printed, files, stats }
    }

    /// Returns the results if a step before the run failed.
    pub fn failed(error: BackendError) -> Self {
        RunResult {
            outcome: ended(error),
            source: Vec::new(),
            values: Vec::new(),
            printed: String::new(),
            files: BTreeMap::new(),
            stats: Stats::default(),
        }
    }
}

/// Returns the outcome if a step before or after the run failed.
fn ended(error: BackendError) -> Outcome {
    match error {
        BackendError::OutOfMemory(refused) => {
            Outcome::Internal(format!("no memory for the values: {refused}"))
        }
        BackendError::Interrupted => Outcome::Limit { kind: LimitKind::Interrupted, loc: LocId(0) },
        BackendError::DeviceLost { why } => Outcome::DeviceLost { why },
        BackendError::Unsupported { what } => Outcome::Unsupported { what },
        BackendError::NotDistributed { what, .. } => {
            Outcome::Unsupported { what: format!("{what} on several ranks with graphics cards") }
        }
        error @ BackendError::Internal(_) => Outcome::Internal(error.to_string()),
    }
}

/// A host that collects printed text, and keeps files whose names begin with `memory:` in memory.
/// It provides no other files.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    /// The printed text.
    pub text: String,
    /// The written files.
    pub files: BTreeMap<String, Value>,
}

impl Printed {
    /// Returns the file with this name, if it was written and has this type; sizes do not matter.
    pub fn file(&self, name: &str, ty: Ty) -> Option<&Value> {
        self.files.get(name).filter(|value| value.kind() == Some(ty.kind()))
    }
}

impl Host for Printed {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        self.text.push_str(line);
        Ok(())
    }

    fn read(
        &mut self,
        file: &str,
        _: Option<&str>,
        ty: Ty,
        _: Option<u64>,
    ) -> Result<Value, HostError> {
        self.file(file, ty).cloned().ok_or_else(|| HostError {
            code: Code::CannotOpen,
            message: format!("cannot open `{file}`"),
        })
    }

    fn write(&mut self, file: &str, value: BitsRef<'_>) -> Result<(), HostError> {
        if !file.starts_with("memory:") {
            let message = format!("cannot write `{file}`");
            return Err(HostError { code: Code::CannotWrite, message });
        }
        self.files.insert(file.to_owned(), value.into());
        Ok(())
    }
}

/// Runs it without interrupts, and with files in memory.
pub(super) fn alone(loaded: &mut LoadedRoutine, limits: Limits) -> RunResult {
    let flag = AtomicBool::new(false);
    if let Err(error) = loaded.lay_out(limits.memory, &flag) {
        return RunResult::failed(error);
    }
    let mut host = Printed::default();
    let mut control = Control {
        interrupt: &flag,
        deadline: &flag,
        limits,
        host: &mut host,
        profile: None,
        stats: Stats::default(),
    };
    let outcome = loaded.run(&mut control);
    let stats = control.stats;
    RunResult::of(loaded, outcome, stats, host, &flag)
}
