//! The backends that every test program runs on: those of the harness.

pub use star_harness::{Compiled, Machine, Mode, on};

use star_harness::MACHINES;

/// The backends among [`backends`] that do library routines in ways of their own.
pub const WITH_NATIVES: [&str; 2] = ["cpu", "cpu-tiny"];

/// All backends. The first is the one whose word counts: the others are compared with it.
///
/// # Panics
/// If the system refuses threads.
pub fn backends() -> Vec<Machine> {
    MACHINES.iter().map(|configuration| configuration.machine().expect("it is there")).collect()
}
