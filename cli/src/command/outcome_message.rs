//! Description of the outcome of a run.

use star_base::Diagnostic;
use star_compiler::describe_limit;
use star_ir::Program;
use star_os::failure::{device_lost, internal, unsupported};
use star_os::host::{describe_file_trap, stopped_in_host};
use star_vm::Outcome;

/// Returns the diagnostic for a run that failed.
pub(crate) fn describe(outcome: Outcome, program: &Program) -> Diagnostic {
    match outcome {
        Outcome::Done => internal("a successful run has no message"),
        Outcome::Internal(message) => internal(&message),
        Outcome::Unsupported { what } => unsupported(&what),
        Outcome::DeviceLost { why } => device_lost(&why),
        Outcome::Limit { kind, loc } => describe_limit(kind, loc, program),
        // A file was being read when the user or the deadline ended the run.
        Outcome::Trap(trap) => match stopped_in_host(&trap) {
            Some(kind) => describe_limit(kind, trap.loc, program),
            None => describe_file_trap(&trap, program),
        },
    }
}
