//! The two modes of programs for comparisons.

use star_vm::Limits;

/// Mode of execution.
///
/// A limit on steps requires that every step is counted individually, so a backend cannot use its
/// fastest implementations of loops and kernels: tests that always set one never cover these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As lowered, compiled without passes, under the given limits; steps are compared.
    AsLowered,
    /// Optimised, without a limit on steps; steps are not compared.
    Optimised,
}

impl Mode {
    /// Returns the limits for this mode.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Limits {
        match self {
            Mode::AsLowered => limits,
            Mode::Optimised => Limits { steps: None, ..limits },
        }
    }

    /// Returns a short name.
    pub fn name(self) -> &'static str {
        match self {
            Mode::AsLowered => "as lowered",
            Mode::Optimised => "optimised",
        }
    }
}
