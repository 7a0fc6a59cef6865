//! One run of a routine, and all that it left behind.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use star_base::{BitsRef, Code, Span};
use star_ir::{LimitKind, LocId, Ty};
use star_vm::{BackendError, Control, Host, HostError, HostValue, Limits, Outcome, Stats};

use crate::machine::LoadedRoutine;

/// What a run left behind.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub outcome: Outcome,
    /// Where it ended in the source: the calls that were active, inlined ones among them, the outermost first, and
    /// then the place itself. Numbers of locations differ between forms of a program, places do not.
    pub source: Vec<Span>,
    /// The arguments afterwards; none if they could not be taken out of the backend.
    pub values: Vec<HostValue>,
    /// What was printed.
    pub printed: String,
    /// The files that were written.
    pub files: BTreeMap<String, HostValue>,
    /// What was used.
    pub stats: Stats,
}

impl RunResult {
    /// What is left after a run that ended like this, unless `interrupt` is set meanwhile.
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

    /// What is left where a step before the run failed.
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

/// How a run ends before or behind which another step failed.
fn ended(error: BackendError) -> Outcome {
    match error {
        BackendError::OutOfMemory(refused) => {
            Outcome::Internal(format!("no memory for the values: {refused}"))
        }
        BackendError::Interrupted => Outcome::Limit { kind: LimitKind::Interrupted, loc: LocId(0) },
        BackendError::DeviceLost { why } => Outcome::DeviceLost { why },
        BackendError::Unsupported { what } => Outcome::Unsupported { what },
        error @ BackendError::Internal(_) => Outcome::Internal(error.to_string()),
    }
}

/// A host that keeps what is printed, and in memory the files whose names begin with `memory:`. It
/// has no others.
#[derive(Debug, Default)]
pub struct Printed {
    /// What was printed.
    pub text: String,
    /// What was written.
    pub files: BTreeMap<String, HostValue>,
}

impl Printed {
    /// The file of this name, if it was written and is of that type; sizes do not matter.
    pub fn file(&self, name: &str, ty: Ty) -> Option<&HostValue> {
        self.files.get(name).filter(|value| {
            let is = value.ty().as_ref().map(std::mem::discriminant);
            is == Some(std::mem::discriminant(&ty))
        })
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
    ) -> Result<HostValue, HostError> {
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

/// Runs it with nobody to interrupt it, and files in memory.
pub(crate) fn alone(loaded: &mut LoadedRoutine, limits: Limits) -> RunResult {
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
