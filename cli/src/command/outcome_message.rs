//! How a run ended, for people.

use star_base::Diagnostic;
use star_compiler::{describe_limit, describe_trap};
use star_ir::Program;
use star_os::failure::{device_lost, internal, unsupported};
use star_os::host::stopped_in_host;
use star_vm::Outcome;

/// The message for a run that did not end well.
pub(crate) fn describe(outcome: Outcome, program: &Program) -> Diagnostic {
    match outcome {
        Outcome::Done => internal("a run that ended well has no message"),
        Outcome::Internal(message) => internal(&message),
        Outcome::Unsupported { what } => unsupported(&what),
        Outcome::DeviceLost { why } => device_lost(&why),
        Outcome::Limit { kind, loc } => describe_limit(kind, loc, program),
        // A file that was being read when the user or the clock ended the run.
        Outcome::Trap(trap) => match stopped_in_host(&trap) {
            Some(kind) => describe_limit(kind, trap.loc, program),
            None => describe_trap(&trap, program),
        },
    }
}
