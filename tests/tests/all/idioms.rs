//! Routines that a pass recognises as a known algorithm, and such as look like one.
//!
//! Every text runs on every backend, as lowered and after the passes, and all agree; what is counted here is whether
//! the backends with natives took one.

use star_base::BitTable;
use star_base::natives::catalogue::closure::CLOSURE;
use star_opt::{Options, Outcome};
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_vm::{HostValue, Limits};

/// Listings 1 and 2 of source 001, letter by letter.
const PUBLISHED: &str = include_str!("../../programs/published/warshall.star");

const UNLIMITED: Limits = Limits { steps: None, ..LIMITS };

fn graph(random: &mut Random, n_rows: usize, n_cols: usize, percent: usize) -> HostValue {
    let mut graph = BitTable::zeros(n_rows, n_cols).expect("small");
    for row in 0..n_rows {
        for column in 0..n_cols {
            graph.put(row, column, random.chance(percent));
        }
    }
    HostValue::Table(graph)
}

/// Natives that the optimised routine takes on each backend that has any.
fn natives_taken(program: &Program, name: &str, args: &[HostValue]) -> Vec<u64> {
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("it verifies");
    let entry = program.entry(name);
    let mut machines = star_tests::backends::backends();
    machines.retain(|machine| machine.takes(CLOSURE));
    let compiled = star_tests::differ::compile(&optimised, &machines);
    compiled.iter().map(|machine| machine.run(entry, args, UNLIMITED).stats.natives).collect()
}

/// All backends agree on all of these arguments; how many natives they took.
fn taken(text: &str, name: &str, args: &[Vec<HostValue>]) -> u64 {
    let program = Program::new(text);
    let mut most = 0;
    for args in args {
        let _ = program.run(name, args.clone());
        let natives = natives_taken(&program, name, args);
        assert!(natives.iter().all(|taken| *taken == natives[0]), "{natives:?}");
        most = most.max(natives[0]);
    }
    most
}

/// Graphs of all sorts with as many vertices as the table has, or fewer.
fn graphs() -> Vec<Vec<HostValue>> {
    let mut random = Random::new(15);
    let mut all = Vec::new();
    for (n, n_rows, n_cols, percent) in [
        (0, 3, 3, 40),
        (1, 1, 1, 40),
        (5, 5, 5, 40),
        (6, 8, 7, 20),
        (7, 7, 7, 15),
        (63, 65, 63, 2),
        (64, 64, 70, 3),
    ] {
        all.push(vec![HostValue::Int(n), graph(&mut random, n_rows, n_cols, percent)]);
    }
    all
}

#[test]
fn the_published_listings_are_the_closure() {
    for listing in ["WARSHALL", "WARSHALL-C"] {
        for args in graphs() {
            assert_eq!(taken(PUBLISHED, listing, &[args]), 1, "{listing}");
        }
    }
}

#[test]
fn where_a_precondition_fails_the_text_runs_and_traps_where_it_does() {
    let program = Program::new(PUBLISHED);
    let mut random = Random::new(3);
    for listing in ["WARSHALL", "WARSHALL-C"] {
        for (n, n_rows, n_cols) in [(6, 5, 6), (6, 6, 5), (7, 0, 0), (-1, 4, 4), (i64::MAX, 3, 3)] {
            let args = vec![HostValue::Int(n), graph(&mut random, n_rows, n_cols, 40)];
            let run = program.run(listing, args.clone());
            assert_eq!(run.outcome != star_vm::Outcome::Done, n > 0, "{listing}, n = {n}");
            let taken = natives_taken(&program, listing, &args);
            assert!(taken.iter().all(|taken| *taken == 0), "{listing}, n = {n}: {taken:?}");
        }
        // No table at all.
        for n in [0, 1] {
            let args = vec![HostValue::Int(n), HostValue::Unset];
            let _ = program.run(listing, args.clone());
            let taken = natives_taken(&program, listing, &args);
            assert!(taken.iter().all(|taken| *taken == 0), "{listing}, n = {n}: {taken:?}");
        }
    }
}

#[test]
fn without_room_for_the_native_the_text_runs() {
    let program = Program::new(PUBLISHED);
    let n = 64;
    let args = vec![HostValue::Int(n as i64), graph(&mut Random::new(1), n, n, 3)];
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("it verifies");
    let mut machines = star_tests::backends::backends();
    machines.retain(|machine| machine.takes(CLOSURE));
    let entry = program.entry("WARSHALL");
    for compiled in star_tests::differ::compile(&optimised, &machines) {
        let run = |memory| compiled.run(entry, &args, Limits { memory, ..UNLIMITED });
        let (wide, tight) = (run(Some(1 << 30)), run(Some(64 * 8 + 300)));
        assert_eq!((wide.stats.natives, tight.stats.natives), (1, 0), "{}", compiled.name);
        assert_eq!((wide.outcome, wide.values), (tight.outcome, tight.values));
    }
}

/// Row by row, as the listing has it, with what a test puts in the place of its parts.
fn mutated(from: &str, to: &str) -> String {
    let text = "procedure CLOSE(n: integer; var P: table);
var X: slice(P); v,w: word; i,k: integer;
begin
  for k:=1 to n do
  begin
    X:=COL(k,P); w:=ROW(k,P);
    while SOME(X) do
    begin
      i:=STEP(X); v:=ROW(i,P); v:=v or w; ROW(i,P):=v;
    end;
  end;
end;";
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

#[test]
fn the_same_in_other_words_is_the_closure_too() {
    for (from, to) in [
        ("X:=COL(k,P); w:=ROW(k,P)", "w:=ROW(k,P); X:=COL(k,P)"),
        ("v:=ROW(i,P); v:=v or w; ROW(i,P):=v", "ROW(i,P):=w or ROW(i,P)"),
        (
            "while SOME(X) do\n    begin\n      i:=STEP(X); v:=ROW(i,P); v:=v or w; ROW(i,P):=v;",
            "i:=STEP(X);\n    while i>0 do\n    begin\n      v:=ROW(i,P); v:=v or w; ROW(i,P):=v; i:=STEP(X);",
        ),
    ] {
        assert_eq!(taken(&mutated(from, to), "CLOSE", &graphs()), 1, "{to}");
    }
}

#[test]
fn what_only_looks_like_the_closure_runs_as_it_is_written() {
    for (from, to) in [
        ("k:=1 to n", "k:=2 to n"),
        ("k:=1 to n", "k:=n downto 1"),
        ("k:=1 to n", "k:=1 to n-1"),
        ("v:=v or w", "v:=v xor w"),
        ("v:=v or w", "v:=v and w"),
        ("X:=COL(k,P); w:=ROW(k,P)", "X:=COL(k,P); w:=ROW(1,P)"),
        ("X:=COL(k,P); w:=ROW(k,P)", "X:=COL(1,P); w:=ROW(k,P)"),
        ("X:=COL(k,P); w:=ROW(k,P)", "w:=ROW(k,P); X:=CONVERT(w)"),
        ("X:=COL(k,P); w:=ROW(k,P)", "X:=COL(k,P); X:=not X; w:=ROW(k,P)"),
        ("ROW(i,P):=v;", "ROW(i,P):=v; P(i,i):=1;"),
        ("ROW(i,P):=v;", "ROW(k,P):=v;"),
        ("i:=STEP(X);", "i:=STEP(X); w:=ROW(i,P);"),
        ("begin\n  for", "begin\n  if n>0 then P(1,1):=1;\n  for"),
        ("  end;\nend;", "  end;\n  print(n);\nend;"),
    ] {
        assert_eq!(taken(&mutated(from, to), "CLOSE", &graphs()), 0, "{to}");
    }
}

#[test]
fn the_pass_says_what_a_loop_is_and_why_another_is_not() {
    let remark = |text: &str| {
        let mut program = Program::new(text).lowered.program;
        let report = star_opt::apply(&mut program, &["idioms"]).expect("it verifies");
        report.remarks.into_iter().next().map(|remark| remark.outcome)
    };
    assert_eq!(
        remark(&mutated("n", "n")),
        Some(Outcome::Whole(
            "the transitive closure of `P`, all at once where `n` is no more than its rows and columns"
                .to_owned()
        ))
    );
    assert_eq!(
        remark(&mutated("k:=1 to n", "k:=2 to n")),
        Some(Outcome::Stayed(
            "it looks like the transitive closure, but not of `P` over the vertices 1 to `n`"
                .to_owned()
        ))
    );
    assert_eq!(remark(&mutated("v:=v or w", "v:=v xor w")), None);
}

#[test]
fn without_the_pass_no_routine_gets_a_native() {
    let mut program = Program::new(PUBLISHED).lowered.program;
    let options = Options::without(&["idioms"]).expect("a pass");
    star_opt::optimise(&mut program, &options).expect("it verifies");
    assert!(program.routines.iter().all(|routine| routine.native.is_none()));
}
