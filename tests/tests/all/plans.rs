//! The plan of the listings: the transformation of each loop, or why there is none, in
//! `tests/golden/plans.txt`.
//!
//! `STAR_BLESS=1 cargo test -p star-tests plans` rewrites it: read the diff.

use std::collections::BTreeMap;
use std::path::Path;

use star_base::SourceMap;
use star_ir::{LocId, Program, RoutineId};
use star_opt::{Options, Remark};
use star_tests::check;
use star_vm::explain::{Became, Subject};
use star_vm::{Backend, CompileOptions, Cpu};

/// The listings with loops over responders, in the order of the library's documentation.
const LISTINGS: [(&str, &str); 9] = [
    ("published", include_str!("../../programs/published/warshall.star")),
    ("star:paths", include_str!("../../../stdlib/modules/paths.star")),
    ("star:mst", include_str!("../../../stdlib/modules/mst.star")),
    ("star:edmonds", include_str!("../../../stdlib/modules/edmonds.star")),
    ("star:reach", include_str!("../../../stdlib/modules/reach.star")),
    ("star:italiano", include_str!("../../../stdlib/modules/italiano.star")),
    ("star:dynmst", include_str!("../../../stdlib/modules/dynmst.star")),
    ("star:ramalingam", include_str!("../../../stdlib/modules/ramalingam.star")),
    ("star:gabow", include_str!("../../../stdlib/modules/gabow.star")),
];

/// The procedures visible to every program.
const BASIC: [&str; 8] = [
    include_str!("../../../stdlib/basic/search.star"),
    include_str!("../../../stdlib/basic/order.star"),
    include_str!("../../../stdlib/basic/arithmetic.star"),
    include_str!("../../../stdlib/basic/copy.star"),
    include_str!("../../../stdlib/basic/overflow.star"),
    include_str!("../../../stdlib/basic/signed.star"),
    include_str!("../../../stdlib/basic/reduce.star"),
    include_str!("../../../stdlib/basic/relate.star"),
];

/// A line of a table.
struct Row {
    start: u32,
    routine: String,
    head: String,
    became: String,
    /// Whether the loop visits the ones of a slice or word, or nearly so.
    is_over_responders: bool,
}

/// Returns the loops of a text: what the passes report, then what the CPU backend does.
fn plan(text: &str) -> Vec<Row> {
    let compilation = check(text);
    assert!(!compilation.has_errors());
    let options = star_compiler::LowerOptions::default();
    let lowered = star_compiler::lower(&compilation, &options).expect("lowered");
    let mut program = lowered.program;
    let report = star_opt::optimise(&mut program, &Options::default()).expect("it verifies");
    let kernels = kernels(&program);
    let root = compilation.root_file().expect("a file");
    let mut rows = Vec::new();
    for ((routine, loc), became) in star_opt::loops(&report.remarks) {
        let span = program.locations.get(loc).expect("a place").span;
        if span.file != root {
            continue;
        }
        let mut words = became.to_string();
        if let Some(kernel) = kernels.get(&(routine, loc)) {
            words = match became.became_something() {
                true => format!("{words}; {kernel}"),
                false => kernel.clone(),
            };
        }
        rows.push(Row {
            start: span.start,
            routine: program.routine(routine).name.clone(),
            head: head(&compilation.sources, span.file, span.start),
            became: words,
            is_over_responders: is_over_responders(&report.remarks, routine, loc),
        });
    }
    rows.sort_by_key(|row| row.start);
    rows
}

/// Returns the CPU backend's reports about loops.
fn kernels(program: &Program) -> BTreeMap<(RoutineId, LocId), String> {
    let cpu = Cpu::default();
    let code =
        cpu.compile(program.clone(), &CompileOptions::default(), None).expect("compiled").code;
    let plan = cpu.plan(&code, RoutineId(0), &[]).expect("a plan");
    let mut kernels = BTreeMap::new();
    for item in cpu.explain(&plan).items {
        let is_loop = item.subject == Subject::Loop;
        if let (true, Some(routine), Some(loc), Became::Form(form)) =
            (is_loop, item.routine, item.loc, item.became)
        {
            kernels.insert((routine, loc), form);
        }
    }
    kernels
}

fn is_over_responders(remarks: &[Remark], routine: RoutineId, loc: LocId) -> bool {
    remarks.iter().any(|remark| {
        let of = remark.pass == "foreach" && (remark.routine, remark.loc) == (routine, loc);
        of && match &remark.outcome {
            star_opt::LoopOutcome::Became(_) | star_opt::LoopOutcome::Whole(_) => true,
            star_opt::LoopOutcome::Stayed(why) => !why.starts_with("it does not visit"),
        }
    })
}

/// Returns the line on which a loop begins.
fn head(sources: &SourceMap, file: star_base::FileId, start: u32) -> String {
    let file = sources.get(file).expect("a file");
    let rest = &file.text()[start as usize..];
    let line = rest.lines().next().unwrap_or_default();
    let line = line.split("/*").next().unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes the table of some loops.
fn table(rows: impl Iterator<Item = (String, Row)>) -> String {
    let mut table = "| listing | procedure | loop | result |\n|---|---|---|---|\n".to_owned();
    for (listing, Row { routine, head, became, .. }) in rows {
        table += &format!("| {listing} | {routine} | `{head}` | {became} |\n");
    }
    table
}

#[test]
fn golden_plans_of_the_listings() {
    let (mut responders, mut others) = (Vec::new(), Vec::new());
    for (name, text) in LISTINGS {
        for row in plan(text) {
            let list = if row.is_over_responders { &mut responders } else { &mut others };
            list.push((name.to_owned(), row));
        }
    }
    let n_became = responders.iter().filter(|(_, row)| !row.became.starts_with("as written"));
    let (n_became, n_responders) = (n_became.count(), responders.len());
    let mut basic = Vec::new();
    for text in BASIC {
        basic.extend(plan(text).into_iter().map(|row| ("basic".to_owned(), row)));
    }
    let count = format!("{n_became} of {n_responders} are no longer `while` loops.\n");
    let found = format!(
        "Loops over responders\n\n{count}\n{}\nOther loops\n\n{}\nBasic procedures\n\n{}",
        table(responders.into_iter()),
        table(others.into_iter()),
        table(basic.into_iter()),
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/plans.txt");
    if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, found).expect("written");
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == known, "STAR_BLESS=1 cargo test -p star-tests plans\n{found}");
}
