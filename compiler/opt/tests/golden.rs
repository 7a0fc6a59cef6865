//! Golden files of passes: SIR before and after, with the same cost on every path if no call is
//! inlined.
//!
//! `passes/NAME.sir` begins with a comment `; passes: a,b`; `passes/NAME.out.sir` is the result of
//! these passes. `STAR_BLESS=1 cargo test -p star-opt golden` rewrites the latter: check the diff.

use std::fs;
use std::path::{Path, PathBuf};

use star_ir::analysis::cost::CostForm;

#[test]
fn golden_passes_give_what_stands_in_their_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let entries = fs::read_dir(folder).expect("the folder");
    let mut inputs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.to_string_lossy().ends_with(".out.sir"))
        .collect();
    inputs.sort();
    assert!(!inputs.is_empty());
    let wrong: Vec<String> = inputs.iter().filter_map(|input| difference(input)).collect();
    assert!(
        wrong.is_empty(),
        "{}\nIf that is meant: STAR_BLESS=1 cargo test -p star-opt golden",
        wrong.join("\n")
    );
    for pass in star_opt::PASSES {
        let covered = inputs.iter().any(|input| names(&text(input)).contains(&pass.name));
        assert!(covered, "no golden file has the pass `{}`", pass.name);
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("text")
}

/// Returns the passes in the first line of a file.
fn names(text: &str) -> Vec<&str> {
    let first = text.lines().next().unwrap_or_default();
    let list = first.strip_prefix("; passes: ").expect("a first line `; passes: a,b`");
    list.split(',').map(str::trim).collect()
}

/// Returns the difference, unless the file is rewritten.
fn difference(input: &Path) -> Option<String> {
    let shown = input.display();
    let before = text(input);
    let mut program = star_ir::parse(&before).unwrap_or_else(|error| panic!("{shown}: {error}"));
    star_ir::verify(&program).unwrap_or_else(|errors| panic!("{shown}: {errors:?}"));
    let before_costs: Vec<CostForm> = program.routines.iter().map(|it| CostForm::of(it)).collect();
    let report = star_opt::apply(&mut program, &names(&before))
        .unwrap_or_else(|error| panic!("{shown}: {error}"));
    // The costs of a call are in the called routine.
    let keeps_calls = !names(&before).contains(&"inline");
    let costs = before_costs.iter().zip(&program.routines).filter(|_| keeps_calls);
    for (before, routine) in costs {
        let paths = |cost: &CostForm| cost.paths().expect("a small program");
        let after = CostForm::of(routine);
        assert!(paths(&after).is_subset(&paths(before)), "{shown}: another cost");
    }
    let fired = report.fired.iter().map(|(name, count)| format!("; {name}: {count}\n"));
    let after = fired.collect::<String>() + &star_ir::print(&program);
    let expected = input.with_extension("out.sir");
    if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
        fs::write(&expected, after).expect("written");
        return None;
    }
    let wanted = fs::read_to_string(&expected).unwrap_or_default();
    (wanted != after).then(|| format!("{} is not what comes out:\n{after}", expected.display()))
}
