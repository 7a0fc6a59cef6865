//! The examples with tables of records: what they print on every backend, and what becomes of each
//! of their loops, in `tests/golden/records.txt`.
//!
//! `STAR_BLESS=1 cargo test -p star-tests yardstick` rewrites that file: read the diff.

use std::path::Path;

use star_opt::Options;
use star_tests::check;

use super::says;

/// Returns the name, the text and the output of an example.
macro_rules! example {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../examples/", $name, ".star")),
            include_str!(concat!("../../../../cli/tests/cli/examples/", $name, ".txt")),
        )
    };
}
/// The examples, with what each prints.
const EXAMPLES: [(&str, &str, &str); 8] = [
    example!("select"),
    example!("fees"),
    example!("nearest"),
    example!("groups"),
    example!("events"),
    example!("record_levels"),
    example!("record_paths"),
    example!("record_tree"),
];

/// A join by a loop over the keys, and the same with an iteration for each row.
const JOIN: &str = include_str!("join.star");

/// Warshall's algorithm with parallel iterations.
const CLOSURE: &str = include_str!("closure.star");

/// Returns the text with its program as a procedure, and a program that calls it.
fn called(text: &str, program: &str) -> String {
    let text = text.replacen("program ", "procedure ", 1);
    let at = text.rfind("end.").expect("a program");
    format!("{}end;\n{program}", &text[..at])
}

/// Returns a line for each loop of a text: what becomes of it.
fn plan(text: &str) -> String {
    let compilation = check(text);
    let options = star_compiler::LowerOptions::default();
    let lowered = star_compiler::lower(&compilation, &options).expect("it compiles");
    let mut program = lowered.program;
    let report = star_opt::optimise(&mut program, &Options::default()).expect("it verifies");
    let root = compilation.root_file().expect("a file");
    let mut found = Vec::new();
    for ((routine, loc), became) in star_opt::loops(&report.remarks) {
        let span = program.locations.get(loc).expect("a place").span;
        if span.file == root {
            let line = text[..span.start as usize].matches('\n').count() + 1;
            let name = &program.routine(routine).name;
            found.push((line, format!("  {name} {line}: {became}\n")));
        }
    }
    found.sort();
    found.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn the_examples_print_the_same_on_every_backend() {
    for (name, text, printed) in EXAMPLES {
        // Its program has parameters.
        if name != "events" {
            says(text, printed);
        }
    }
}

/// The part of a text before the second comment, and the other one.
fn join_and_lookup() -> (&'static str, &'static str) {
    JOIN.split_at(JOIN.find("/* The same").expect("the second part"))
}

#[test]
fn join() {
    let call = |call: &str| {
        format!(
            "program p; var A: table(2) of Article(3,5); R: table(4) of Order(3,5); i: integer;
            begin A[1].code:=3; A[1].price:=17; A[2].code:=4; A[2].price:=9;
            R[1].article:=4; R[2].article:=3; R[3].article:=5; R[4].article:=4; {call}(A,R);
            for i:=1 to 4 do print(R[i].price) end."
        )
    };
    let (join, lookup) = join_and_lookup();
    says(&called(join, &call("JOIN")), "1 orders without a price\n9\n17\n0\n9\n");
    let types = &join[..join.find("program").expect("a program")];
    says(&format!("{types}{lookup}{}", call("LOOKUP")), "9\n17\n0\n9\n");
}

#[test]
fn closure() {
    let main = "program p; var P: table(4,4);
        begin P(1,2):=1; P(2,3):=1; P(3,1):=1; P(3,4):=1; CLOSURE(4,P); print(P) end.";
    says(&called(CLOSURE, main), "1111\n1111\n1111\n0000\n");
}

#[test]
fn the_plans_are_the_golden_ones() {
    let (join, lookup) = join_and_lookup();
    let types = &join[..join.find("program").expect("a program")];
    let lookup = format!("{types}{lookup}");
    let others = [("join", join), ("lookup", &*lookup), ("closure", CLOSURE)];
    let plans = EXAMPLES.iter().map(|(name, text, _)| (*name, *text)).chain(others);
    let plans: String = plans.map(|(name, text)| format!("{name}\n{}", plan(text))).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/records.txt");
    if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&file, &plans).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(plans, golden, "if that is meant: STAR_BLESS=1 cargo test -p star-tests yardstick");
}

/// Maximum share of deleted tokens, in percent, that may give more than one error.
const MAX_SEVERAL: usize = 2;

#[test]
fn a_deleted_token_gives_one_error() {
    let (mut n_tokens, mut several) = (0, Vec::new());
    for (name, text, _) in EXAMPLES {
        for (token, range) in star_syntax::lexemes(text) {
            if token == star_syntax::token::Token::Comment {
                continue;
            }
            n_tokens += 1;
            let changed = format!("{} {}", &text[..range.start], &text[range.end..]);
            let compilation = check(&changed);
            let errors = compilation.diagnostics.iter().filter(|one| one.is_error());
            let errors: Vec<&str> = errors.map(|one| one.message.as_str()).collect();
            if errors.len() > 1 {
                let line = text[..range.start].matches('\n').count() + 1;
                several.push(format!("{name} {line} `{}`: {errors:?}", &text[range]));
            }
        }
    }
    assert!(several.len() * 100 <= n_tokens * MAX_SEVERAL, "{n_tokens}: {several:#?}");
}
