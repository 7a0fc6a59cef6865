//! The same calls in other variants: on the bodies of the library, and on the raw listings.

use std::fs;
use std::path::PathBuf;

use star_compiler::LowerOptions;
use star_value::Value;

use super::module::{Call, Module, text};
use super::random::Rng;
use super::values::zeros;
use super::{
    closure, dynmst, edmonds, gabow, italiano, moving, mst, paths, ramalingam, reach, updates,
};

/// Records calls of all procedures of a module, on instances of these seeds.
fn calls(name: &str, seeds: std::ops::Range<u64>) -> Vec<Call> {
    let module = Module::recorder(name);
    for seed in seeds {
        let rng = &mut Rng::new(seed);
        match name {
            "closure" => closure::play(&module, rng),
            "dynmst" => dynmst::play(&module, rng),
            "edmonds" => edmonds::play(&module, rng),
            "gabow" => gabow::play(&module, rng),
            "italiano" => italiano::play(&module, rng),
            "moving" => moving::play(&module, rng),
            "mst" => mst::play(&module, rng),
            "paths" => paths::play(&module, rng),
            "ramalingam" => ramalingam::play(&module, rng),
            "reach" => reach::play(&module, rng),
            "updates" => updates::play(&module, rng),
            other => panic!("`{other}` is not played"),
        }
    }
    let calls = module.into_calls();
    for routine in routines(name) {
        let called = calls.iter().any(|call| call.routine == routine);
        assert!(called, "{name}: {routine} was not called");
    }
    calls
}

/// Returns the procedures of a module that can be called from outside: those without a handle.
fn routines(name: &str) -> impl Iterator<Item = &'static str> {
    let headers = text(name).lines().filter_map(|line| line.strip_prefix("procedure "));
    let headers = headers.filter(|header| !header.contains(": handle"));
    headers.map(|header| header.split('(').next().expect("a name"))
}

/// Modules of other subjects, covered by separate suites.
const OWN_SUITES: &[&str] =
    &["adjacency", "arcs", "cbt", "gradient", "polyline", "terrain", "wave", "weighed"];

fn all_modules() -> impl Iterator<Item = &'static str> {
    let modules = star_stdlib::MODULES.iter().map(|(name, _)| *name);
    modules.filter(|name| !OWN_SUITES.contains(name))
}

#[test]
fn library_bodies_have_the_values_and_costs_of_operations() {
    for name in all_modules() {
        let options = LowerOptions { machine_ops: false, ..LowerOptions::default() };
        let bodies = Module::of_library(name, &options);
        for call in calls(name, 0..8) {
            let results = bodies.call(call.routine, call.args.clone());
            assert_eq!(results, call.results, "{name}: {} of {:#?}", call.routine, call.args);
        }
    }
}

/// Returns the texts from which a module was derived: the listing, and the listing preceded by that
/// of the library, which then hides the library. Returns `None` if this checkout has no listings.
fn listings(name: &str) -> Option<[String; 2]> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/language/listings");
    let file = |name: &str| fs::read_to_string(folder.join(format!("{name}.star"))).ok();
    let listing = match name {
        "closure" => include_str!("../../../programs/published/warshall.star").to_owned(),
        "gabow" => file("dynmst")? + &file("gabow")?,
        // Newer modules have no listing.
        "updates" | "moving" => return None,
        _ => file(name)?,
    };
    let with_library = file("lib")? + &listing;
    Some([listing, with_library])
}

/// Procedures that are newer than the listings.
const LATER: [&str; 5] = ["REACH_INIT", "REACH_SPREAD", "SP_HEADROOM", "SP_INIT", "SP_SETTLE"];

/// The headers of the listings have no sizes, so Lab, whose rows are written, must have them
/// before.
fn give_labels_rows(call: &mut Call) {
    let (code, lab) = match call.routine {
        "MSF" => (2, 6),
        "GABOW" => (4, 8),
        _ => return,
    };
    if let Value::Table(codes) = &call.args[code] {
        call.args[lab] = Value::from(zeros(codes.n_rows(), codes.n_cols()));
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "says which listings were not there")]
fn listings_agree_with_the_modules() {
    for name in all_modules() {
        let Some(listings) = listings(name) else {
            println!("skipped: no listing of {name}");
            continue;
        };
        let listings = listings.map(|text| Module::compile(&text, &LowerOptions::default()));
        let mut n_compared = 0;
        for mut call in calls(name, 8..14) {
            if LATER.contains(&call.routine) {
                continue;
            }
            give_labels_rows(&mut call);
            for listing in listings.iter().filter(|listing| listing.has(call.routine)) {
                n_compared += 1;
                let mut found = listing.call(call.routine, call.args.clone()).values;
                let mut expected = call.results.values.clone();
                if call.routine == "BELLMAN_FORD" && expected.last() == Some(&Value::Bool(true)) {
                    // With a negative cycle distances are undefined, and the module ends earlier.
                    (found, expected) = (found.split_off(found.len() - 1), vec![Value::Bool(true)]);
                }
                assert_eq!(found, expected, "{name}: {} of {:#?}", call.routine, call.args);
            }
        }
        assert!(n_compared > 0, "{name}");
    }
}
