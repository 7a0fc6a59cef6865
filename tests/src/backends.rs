//! The backends on which every test program runs: those of the harness.

pub use star::pipeline::{Compiled, Machine, on};
pub use star_harness::Mode;

use star_harness::{MACHINES, MachineSpec};

/// The backends among [`backends`] with intrinsics.
pub const WITH_INTRINSICS: [&str; 2] = ["cpu", "cpu-tiny"];

/// Returns all backends. The first is the reference: the others are compared with it.
/// `STAR_MACHINES` selects others, separated by commas; those of devices run only where they are
/// named.
///
/// # Panics
/// If the system refuses threads, or if a named backend is not available.
pub fn backends() -> Vec<Machine> {
    if let Ok(names) = std::env::var("STAR_MACHINES") {
        return std::iter::once("reference").chain(names.split(',')).map(named).collect();
    }
    MACHINES.iter().map(|spec| spec.machine().expect("it is there")).collect()
}

/// Returns the backend of this name.
fn named(name: &str) -> Machine {
    let found = MachineSpec::find(name).unwrap_or_else(|| panic!("no machine `{name}`"));
    found.machine().unwrap_or_else(|why| panic!("`{name}` is not there: {why}"))
}

/// Returns whether a backend has other intrinsics than the CPU backend: counts differ there.
pub fn has_others(name: &str) -> bool {
    name.starts_with("gpu") && !name.starts_with("gpu-emulator")
}

/// Returns whether any of the backends has intrinsics. Tests of intrinsics are skipped otherwise.
pub fn have_intrinsics() -> bool {
    backends().iter().any(|machine| WITH_INTRINSICS.contains(&machine.name))
}
