//! Why a run stops before its end.

use star_ir::{LimitKind, TrapKind};

/// Why a run stops; the machine adds where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A guard did not hold.
    Trap(TrapKind),
    /// A limit or a flag.
    Limit(LimitKind),
    /// The program breaks a rule that the verifier or a pass should have kept.
    Internal(String),
}

/// The result of whatever may stop a run.
pub type Exec<T> = Result<T, Stop>;

/// The stop for a broken rule.
pub fn internal_error(what: impl Into<String>) -> Stop {
    Stop::Internal(what.into())
}
