//! Passes over generated programs: each fires, each keeps the cost of every path.
//!
//! The equivalence of optimised programs is checked by `programs`.

use std::collections::BTreeMap;

use star_ir::analysis::cost::CostForm;
use star_ir::rewrite::for_each;
use star_ir::{Op, Operand, PartKind, Routine, Simple, SizeOperand, StmtKind, VarId, visit};
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

/// Variables that a routine copies to one another, anywhere.
#[derive(Default)]
struct Copied(BTreeMap<VarId, VarId>);

impl Copied {
    fn of(routine: &Routine) -> Self {
        let mut this = Copied::default();
        visit::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Simple(Simple::Assign(one, Op::Copy(Operand::Var(other)))) = &stmt.kind
            {
                let (one, other) = (this.name(*one), this.name(*other));
                if one != other {
                    this.0.insert(one.max(other), one.min(other));
                }
            }
        });
        this
    }

    /// Returns the variable that stands for all that are copied to this one.
    fn name(&self, mut var: VarId) -> VarId {
        while let Some(other) = self.0.get(&var) {
            var = *other;
        }
        var
    }

    /// Returns the cost of a routine where a multiplier is the same as a copy of it.
    fn cost(&self, routine: &Routine) -> CostForm {
        let mut routine = routine.clone();
        for_each(&mut routine.body, &mut |_, stmt| {
            if let StmtKind::Simple(Simple::Cost { units: _, times: Some(times) }) = &mut stmt.kind
            {
                match times {
                    SizeOperand::Length(var)
                    | SizeOperand::Rows(var)
                    | SizeOperand::Columns(var)
                    | SizeOperand::Value(Operand::Var(var)) => *var = self.name(*var),
                    SizeOperand::Value(Operand::Int(_) | Operand::Bool(_) | Operand::Str(_)) => {}
                }
            }
        });
        CostForm::of(&routine)
    }
}

/// A pass may replace the multiplier of a cost by a variable that it is a copy of. That the values
/// agree is known from runs, which are compared by their counts.
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
                if CostForm::of(before) == CostForm::of(after) {
                    n_same += 1;
                    continue;
                }
                let copied = Copied::of(before);
                let (before, after) = (copied.cost(before), copied.cost(after));
                if let (Some(before), Some(after)) = (before.paths(), after.paths()) {
                    // A branch that is never taken was removed.
                    assert!(after.is_subset(&before), "seed {seed}: `{}`", pass.name);
                }
            }
        }
    }
    assert!(n_same > 1000, "{n_same}");
}

#[test]
fn a_multiplier_may_be_replaced_by_its_copy_only() {
    let routine = |value: &str, times: &str| {
        let text = format!(
            "routine 0 \"p\" (value %i: int) !0 {{\n  var %j: int\n  %j = copy {value} !0\n  \
             cost 2 times {times} !0\n}}\n"
        );
        let program = star_ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        program.routines[0].clone()
    };
    for (value, is_same) in [("%i", true), ("3", false)] {
        let (before, after) = (routine(value, "%j"), routine(value, "%i"));
        assert_ne!(CostForm::of(&before), CostForm::of(&after));
        let copied = Copied::of(&before);
        assert_eq!(copied.cost(&before) == copied.cost(&after), is_same, "{value}");
    }
}
