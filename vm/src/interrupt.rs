//! Reasons to stop a run before its end.

use star_ir::{LimitKind, TrapKind};

/// The reason to stop a run; the machine adds the location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A failed guard.
    Trap(TrapKind),
    /// A limit or a flag.
    Limit(LimitKind),
    /// The backend does not support the operation on these values.
    Unsupported(String),
    /// Another rank has ended.
    Lost(String),
    /// The program breaks a rule that the verifier or a pass should have enforced.
    Internal(String),
}

/// The result of an operation that may stop a run.
pub type Exec<T> = Result<T, Stop>;

/// Returns the stop for a broken rule.
pub fn internal_error(what: impl Into<String>) -> Stop {
    Stop::Internal(what.into())
}
