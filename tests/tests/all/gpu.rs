//! The GPU backend: on the twin of its control unit always, on an adapter where there is one.
//!
//! `STAR_REQUIRE_ADAPTER` makes a missing adapter a failure. The whole suite runs on a device with
//! `STAR_MACHINES=gpu,gpu-tiny`; `STAR_SEED` and `STAR_PROGRAMS` choose generated programs as they do elsewhere.

use star_harness::Configuration;
use star_ir::print;
use star_tests::backends::{Machine, on};
use star_tests::differ::Same;
use star_tests::sir::Sir;
use star_tests::{generator, sir};
use star_vm::Reference;

/// The reference and the machines of these names.
fn machines(names: &[&str]) -> Result<Vec<Machine>, String> {
    let mut machines = vec![on("reference", Reference::new())];
    for name in names {
        let found = Configuration::find(name).ok_or_else(|| format!("no machine `{name}`"))?;
        machines.push(found.machine()?);
    }
    Ok(machines)
}

fn agree_about_programs(machines: &[Machine], seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let generated = generator::generate(seed);
        if let Err(why) = generated.tried(machines) {
            panic!("seed {seed}: {}", generated.shrunk(&why, machines));
        }
    }
}

fn agree_about_sir(machines: &[Machine], seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let generated = sir::generator::generate(seed);
        if let Same::No(why) = Sir::new(&generated.program, machines).run(&generated.args) {
            panic!("seed {seed}: {why}\n{}\n{:?}", print(&generated.program), generated.args);
        }
    }
}

/// The twin fails, too, if two threads touch one limb between barriers and one of them writes.
#[test]
fn generated_programs_leave_the_same_on_the_twin() {
    let machines = machines(&["gpu-twin", "gpu-twin-tiny"]).expect("the twin needs no adapter");
    agree_about_programs(&machines, 2001..2061);
    agree_about_sir(&machines, 2001..2201);
}

#[test]
fn generated_programs_leave_the_same_on_an_adapter() {
    match machines(&["gpu", "gpu-tiny"]) {
        Ok(machines) => {
            agree_about_programs(&machines, 3001..3011);
            agree_about_sir(&machines, 3001..3041);
        }
        Err(why) => {
            assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{why}");
            #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
            {
                eprintln!("skipped: {why}");
            }
        }
    }
}
