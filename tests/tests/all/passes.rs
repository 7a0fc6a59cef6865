//! Passes over generated programs: each fires, each keeps the cost of every path.
//!
//! The equivalence of optimised programs is checked by `programs`.

use std::collections::BTreeMap;

use star_ir::analysis::cost::CostForm;
use star_ir::{PartKind, Routine, StmtKind, visit};
use star_tests::generator::generate;

/// Passes that fire in few programs: lowering generates nothing after a jump, so that only a branch
/// decided by `constants` makes statements unreachable.
const RARE: [&str; 1] = ["unreachable"];

/// Passes that know whole routines, which a generator does not produce by chance: `idioms` has
/// separate tests.
const OF_LISTINGS: [&str; 1] = ["idioms"];

/// The number of programs to examine.
const N_PROGRAMS: u64 = 300;

/// Returns generated programs as SIR.
fn programs() -> impl Iterator<Item = (u64, star_ir::Program)> {
    (1..=N_PROGRAMS).filter_map(|seed| {
        let generated = generate(seed);
        let compilation = star_tests::check(&generated.source.to_string());
        if compilation.has_errors() {
            return None;
        }
        let lowered = star_compiler::lower(&compilation, &generated.options).expect("lowered");
        Some((seed, lowered.program))
    })
}

/// Returns whether there is a `forall` that combines the results of its iterations.
fn reduces(routine: &Routine) -> bool {
    let mut found = false;
    visit::walk(&routine.body, &mut |stmt| {
        found |=
            matches!(&stmt.kind, StmtKind::Forall { reductions, .. } if !reductions.is_empty());
    });
    found
}

/// Returns whether there is a `forall` over fields.
fn works_on_fields(routine: &Routine) -> bool {
    let mut found = false;
    visit::walk(&routine.body, &mut |stmt| {
        if let StmtKind::Forall { writes, .. } = &stmt.kind {
            found |= writes.iter().any(|part| matches!(part.kind, PartKind::Field { .. }));
        }
    });
    found
}

#[test]
#[expect(clippy::print_stdout, reason = "the shares are useful for changes of the generator")]
fn every_pass_fires_in_one_of_twenty_generated_programs() {
    let mut fired: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut n_programs, mut n_reduced, mut n_fields) = (0, 0, 0);
    for (seed, mut program) in programs() {
        n_programs += 1;
        let report = star_opt::apply(&mut program, &["all"])
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for (pass, count) in report.fired {
            *fired.entry(pass).or_default() += usize::from(count > 0);
        }
        n_reduced += usize::from(program.routines.iter().any(|routine| reduces(routine)));
        n_fields += usize::from(program.routines.iter().any(|routine| works_on_fields(routine)));
    }
    for (pass, n_fired) in &fired {
        println!("`{pass}` fires in {n_fired} of {n_programs} programs");
    }
    println!("iterations combine lines in {n_reduced} of them");
    println!("iterations work on fields in {n_fields} of them");
    assert!(n_reduced >= n_programs / 20, "{n_reduced} of {n_programs}");
    assert!(n_fields >= n_programs / 20, "{n_fields} of {n_programs}");
    for pass in star_opt::PASSES {
        let n_fired = fired.get(pass.name).copied().unwrap_or(0);
        let least = match pass.name {
            name if OF_LISTINGS.contains(&name) => 0,
            name if RARE.contains(&name) => 1,
            _ => n_programs / 20,
        };
        assert!(n_fired >= least, "`{}` fires in {n_fired} of {n_programs}: {fired:?}", pass.name);
    }
}

#[test]
fn passes_keep_the_cost_of_every_path() {
    let mut n_same = 0;
    for (seed, program) in programs() {
        // The cost of a call is in the called routine; runs are compared by their counts.
        for pass in star_opt::PASSES.iter().filter(|pass| pass.name != "inline") {
            let mut after = program.clone();
            star_opt::apply(&mut after, &[pass.name])
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for (before, after) in program.routines.iter().zip(&after.routines) {
                let (before, after) = (CostForm::of(before), CostForm::of(after));
                if before == after {
                    n_same += 1;
                } else if let (Some(before), Some(after)) = (before.paths(), after.paths()) {
                    // A branch that is never taken was removed.
                    assert!(after.is_subset(&before), "seed {seed}: `{}`", pass.name);
                }
            }
        }
    }
    assert!(n_same > 1000, "{n_same}");
}
