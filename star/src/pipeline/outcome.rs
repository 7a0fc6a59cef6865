//! Messages for the ends of runs and for steps that a backend refused.

use star_base::{Code, Diagnostic};
use star_compiler::{describe_limit, describe_trap};
use star_ir::{LimitKind, Program, Trap, TrapKind};
use star_opt::Broken;
use star_vm::{BackendError, Outcome};

/// Returns the diagnostic for a run that failed.
pub fn describe(outcome: Outcome, program: &Program) -> Diagnostic {
    match outcome {
        Outcome::Done => internal("a successful run has no message"),
        Outcome::Internal(message) => internal(&message),
        Outcome::Unsupported { what } => unsupported(&what),
        Outcome::DeviceLost { why } => device_lost(&why),
        Outcome::Limit { kind, loc } => describe_limit(kind, loc, program),
        Outcome::Trap(trap) => match stopped_in_host(&trap) {
            Some(kind) => describe_limit(kind, trap.loc, program),
            None => {
                let mut diagnostic = describe_trap(&trap, program);
                if matches!(trap.kind, TrapKind::File { code: Code::DoesNotFit, .. }) {
                    diagnostic.code = Code::MemoryLimit;
                }
                diagnostic
            }
        },
    }
}

/// Returns the limit that ended a run, also if a file was being read or written at that time.
pub fn limit_of(outcome: &Outcome) -> Option<LimitKind> {
    match outcome {
        Outcome::Limit { kind, .. } => Some(*kind),
        Outcome::Trap(trap) => stopped_in_host(trap),
        Outcome::Done
        | Outcome::Unsupported { .. }
        | Outcome::DeviceLost { .. }
        | Outcome::Internal(_) => None,
    }
}

/// Returns the limit if the user or the deadline ended the run while a file was being read or
/// written.
fn stopped_in_host(trap: &Trap) -> Option<LimitKind> {
    let TrapKind::File { code, .. } = &trap.kind else { return None };
    let ends = [(Code::Interrupted, LimitKind::Interrupted), (Code::TimeLimit, LimitKind::Time)];
    ends.into_iter().find(|(known, _)| known == code).map(|(_, kind)| kind)
}

/// Removes the frame of the wrapper of a function from an outcome if `is_function`, as if the
/// function were the entry.
pub fn unwrapped(mut outcome: Outcome, is_function: bool) -> Outcome {
    match &mut outcome {
        Outcome::Trap(trap) if is_function && trap.frames.len() > 1 => {
            trap.frames.remove(0);
            if let Some(first) = trap.frames.first_mut() {
                first.call = None;
            }
        }
        Outcome::Trap(_)
        | Outcome::Done
        | Outcome::Limit { .. }
        | Outcome::Unsupported { .. }
        | Outcome::DeviceLost { .. }
        | Outcome::Internal(_) => {}
    }
    outcome
}

/// Returns the diagnostic for an operation that a backend refused; `what` names the operation, as
/// in "no memory for the results".
pub fn refused_by_backend(what: &str, error: &BackendError) -> Diagnostic {
    match error {
        BackendError::OutOfMemory(refused) => {
            Diagnostic::new(Code::MemoryLimit, format!("{what}: {refused}"))
        }
        BackendError::Interrupted => Diagnostic::new(Code::Interrupted, "interrupted"),
        BackendError::Unsupported { what } => unsupported(what),
        BackendError::NotDistributed { span, .. } => {
            let diagnostic = match span {
                Some(span) => Diagnostic::at(Code::NoBackend, *span, error.to_string()),
                None => Diagnostic::new(Code::NoBackend, error.to_string()),
            };
            diagnostic.help("omit `--backend gpu`: ranks without graphics cards run the program")
        }
        BackendError::DeviceLost { why } => device_lost(why),
        BackendError::Internal(fault) => internal(fault),
    }
}

/// Returns the diagnostic for an operation that a backend does not implement.
pub fn unsupported(what: &str) -> Diagnostic {
    Diagnostic::new(Code::NoBackend, format!("the backend does not support {what}"))
        .help("try another backend; `star doctor` lists them")
}

/// Returns the diagnostic for a lost device.
pub fn device_lost(why: &str) -> Diagnostic {
    Diagnostic::new(Code::DeviceLost, format!("the device is lost: {why}"))
        .note("the values stored on it are lost")
}

/// Returns the diagnostic for a pass that produced an invalid program.
pub fn broken_pass(broken: &Broken) -> Diagnostic {
    internal(&broken.to_string())
}

/// Returns the diagnostic for an internal error of the toolchain.
pub fn internal(what: &str) -> Diagnostic {
    Diagnostic::new(Code::Internal, format!("internal error: {what}"))
        .help("this is a bug in the toolchain, not in the program; please report it")
}
