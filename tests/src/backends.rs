//! The backends that every test program runs on: those of the harness.

pub use star_harness::{Compiled, Machine, Mode, on};

use star_harness::{Configuration, MACHINES};

/// The backends among [`backends`] that do library routines in ways of their own.
pub const WITH_INTRINSICS: [&str; 2] = ["cpu", "cpu-tiny"];

/// All backends. The first is the one whose word counts: the others are compared with it. `STAR_MACHINES` names others,
/// with commas between: those of devices run where they are named.
///
/// # Panics
/// If the system refuses threads, or if one that is named is not there.
pub fn backends() -> Vec<Machine> {
    if let Ok(names) = std::env::var("STAR_MACHINES") {
        return std::iter::once("reference").chain(names.split(',')).map(named).collect();
    }
    MACHINES.iter().map(|configuration| configuration.machine().expect("it is there")).collect()
}

/// The backend of this name.
fn named(name: &str) -> Machine {
    let found = Configuration::find(name).unwrap_or_else(|| panic!("no machine `{name}`"));
    found.machine().unwrap_or_else(|why| panic!("`{name}` is not there: {why}"))
}

/// Does any of the backends do library routines in ways of its own? Tests that ask for that have nothing to ask of others.
pub fn have_intrinsics() -> bool {
    backends().iter().any(|machine| WITH_INTRINSICS.contains(&machine.name))
}
