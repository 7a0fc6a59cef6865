//! Generated programs of SIR on every backend, in both modes, and on the reference in other orders.
//!
//! `STAR_SEED` and `STAR_PROGRAMS` select other programs than the fixed ones.

use star_ir::print;
use star_tests::differ::Same;
use star_tests::sir::Sir;
use star_tests::sir::generator::generate;
use star_tests::sir::generator::report::Report;
use star_vm::Outcome;

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn generated_sir_leaves_the_same_on_every_backend() {
    let (first, n) = (setting("STAR_SEED", 1), setting("STAR_PROGRAMS", 600));
    let machines = Sir::machines();
    let mut report = Report::default();
    for seed in first..first + n {
        let generated = generate(seed);
        let sir = Sir::new(&generated.program, &machines);
        let fault = match sir.run(&generated.args) {
            Same::No(difference) => difference,
            Same::Yes(agreement) => {
                report.count(&generated, &agreement);
                match agreement.run.outcome {
                    Outcome::Done | Outcome::Trap(_) => continue,
                    Outcome::Limit { .. } => "a limit".to_owned(),
                    Outcome::Unsupported { what } => what,
                    Outcome::DeviceLost { .. } => "the device is lost".to_owned(),
                    Outcome::Internal(why) => why,
                }
            }
        };
        let text = print(&generated.program);
        panic!("seed {seed}: {fault}\n{text}\n{:?}", generated.args);
    }
    #[expect(clippy::print_stdout, reason = "the report, for `--nocapture`")]
    {
        println!("seeds {first} to {}\n{report}", first + n - 1);
    }
    // The fast paths are those of one backend.
    if n >= 500 && machines.iter().any(|machine| machine.name == "cpu") {
        assert!(report.well() >= 80.0, "{report}");
        for path in [
            "line kernels",
            "loop kernels",
            "tapes flushed",
            "operations recorded",
            "arguments lent",
            "tables copied",
        ] {
            assert!(report.path(path) >= 5.0, "{path}: {report}");
        }
        for reason in ["body", "empty", "range", "guard"] {
            assert!(report.path(&format!("declined: {reason}")) > 0.0, "{reason}: {report}");
        }
    }
}

#[test]
fn a_seed_reproduces_its_sir() {
    for seed in 1..20 {
        assert_eq!(print(&generate(seed).program), print(&generate(seed).program));
    }
    assert_ne!(print(&generate(1).program), print(&generate(2).program));
}
