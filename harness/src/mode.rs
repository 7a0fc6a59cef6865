//! The two modes in which a program is run to be compared.

use star_vm::Limits;

/// How a program is run.
///
/// A limit on steps asks for every step to be counted where it is taken, so that a backend has to leave its
/// fastest ways of running loops and kernels aside: a suite that always sets one never sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As lowered, without passes and compiled as it stands, under the limits given; steps are compared.
    AsLowered,
    /// Optimised, without a limit on steps; these are not compared.
    Optimised,
}

impl Mode {
    /// Limits in this mode.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Limits {
        match self {
            Mode::AsLowered => limits,
            Mode::Optimised => Limits { steps: None, ..limits },
        }
    }

    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Mode::AsLowered => "as lowered",
            Mode::Optimised => "optimised",
        }
    }
}
