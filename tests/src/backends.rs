//! The backends that every test program runs on: those of the harness.

use std::collections::BTreeMap;
use std::sync::Mutex;

pub use star_harness::{Compiled, Machine, Mode, on};

use star_harness::{Configuration, MACHINES};

/// The backends among [`backends`] that do library routines in ways of their own.
pub const WITH_NATIVES: [&str; 2] = ["cpu", "cpu-tiny"];

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

/// Notes what a backend has no way to do, so that a run is left out, and says how often: nobody takes it for a
/// run that agreed.
pub fn left_out(machine: &str, what: &str) {
    static COUNTS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
    let Ok(mut counts) = COUNTS.lock() else { return };
    let count = counts.entry(format!("{machine}: {what}")).or_default();
    *count += 1;
    #[expect(clippy::print_stderr, reason = "what a test left out has to be seen")]
    if count.is_power_of_two() {
        eprintln!("left out, {count} times so far: {machine}: {what}");
    }
}
