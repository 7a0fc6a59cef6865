//! Routines that a pass recognises as a known algorithm, and similar ones that it must not.
//!
//! Every text runs on every backend, as lowered and after the passes, and all agree; the tests
//! count whether the backends with intrinsics took one.

use std::path::Path;

use star_base::Intrinsic;
use star_base::intrinsics::catalogue::closure::CLOSURE;
use star_base::intrinsics::catalogue::paths::MIN_PLUS;
use star_opt::{LoopOutcome, Options};
use star_tests::case::Random;
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Value};
use star_vm::Limits;

/// Listings 1 and 2 of source 001, verbatim.
const PUBLISHED: &str = include_str!("../../programs/published/warshall.star");

const UNLIMITED: Limits = Limits { steps: None, ..LIMITS };

fn graph(random: &mut Random, n_rows: usize, n_cols: usize, percent: usize) -> Value {
    let mut graph = BitTable::zeros(n_rows, n_cols).expect("small");
    for row in 0..n_rows {
        for column in 0..n_cols {
            graph.put(row, column, random.chance(percent));
        }
    }
    Value::from(graph)
}

/// Returns the number of intrinsics that the optimised routine takes on each backend that has any.
fn intrinsics_taken(
    intrinsic: Intrinsic,
    program: &Program,
    name: &str,
    args: &[Value],
) -> Vec<u64> {
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("it verifies");
    let entry = program.entry(name);
    let mut machines = star_tests::backends::backends();
    machines.retain(|machine| machine.takes(intrinsic));
    let compiled = star_tests::differ::compile(&optimised, &machines);
    compiled.iter().map(|machine| machine.run(entry, args, UNLIMITED).stats.intrinsics).collect()
}

/// Asserts that all backends agree on all of these arguments, and returns the number of intrinsics
/// taken.
fn taken(text: &str, name: &str, args: &[Vec<Value>]) -> u64 {
    taken_of(CLOSURE, text, name, args)
}

/// Returns the number taken on the backends that have this intrinsic.
fn taken_of(intrinsic: Intrinsic, text: &str, name: &str, args: &[Vec<Value>]) -> u64 {
    let program = Program::new(text);
    let mut most = 0;
    for args in args {
        let _ = program.run(name, args.clone());
        let intrinsics = intrinsics_taken(intrinsic, &program, name, args);
        assert!(intrinsics.iter().all(|taken| *taken == intrinsics[0]), "{intrinsics:?}");
        most = most.max(intrinsics[0]);
    }
    most
}

/// Returns graphs of all kinds with at most as many vertices as the table has rows.
fn graphs() -> Vec<Vec<Value>> {
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
        all.push(vec![Value::Int(n), graph(&mut random, n_rows, n_cols, percent)]);
    }
    all
}

#[test]
fn the_published_listings_are_recognised_as_the_closure() {
    for listing in ["WARSHALL", "WARSHALL-C"] {
        for args in graphs() {
            assert_eq!(taken(PUBLISHED, listing, &[args]), 1, "{listing}");
        }
    }
}

#[test]
fn where_a_precondition_fails_the_text_runs_and_traps() {
    let program = Program::new(PUBLISHED);
    let mut random = Random::new(3);
    for listing in ["WARSHALL", "WARSHALL-C"] {
        for (n, n_rows, n_cols) in [(6, 5, 6), (6, 6, 5), (7, 0, 0), (-1, 4, 4), (i64::MAX, 3, 3)] {
            let args = vec![Value::Int(n), graph(&mut random, n_rows, n_cols, 40)];
            let run = program.run(listing, args.clone());
            assert_eq!(run.outcome != star_vm::Outcome::Done, n > 0, "{listing}, n = {n}");
            let taken = intrinsics_taken(CLOSURE, &program, listing, &args);
            assert!(taken.iter().all(|taken| *taken == 0), "{listing}, n = {n}: {taken:?}");
        }
        // No table at all.
        for n in [0, 1] {
            let args = vec![Value::Int(n), Value::Unset];
            let _ = program.run(listing, args.clone());
            let taken = intrinsics_taken(CLOSURE, &program, listing, &args);
            assert!(taken.iter().all(|taken| *taken == 0), "{listing}, n = {n}: {taken:?}");
        }
    }
}

#[test]
fn without_memory_for_the_intrinsic_the_text_runs() {
    let program = Program::new(PUBLISHED);
    let n = 64;
    let args = vec![Value::Int(n as i64), graph(&mut Random::new(1), n, n, 3)];
    let mut optimised = program.lowered.program.clone();
    star_opt::optimise(&mut optimised, &Options::default()).expect("it verifies");
    let mut machines = star_tests::backends::backends();
    machines.retain(|machine| machine.takes(CLOSURE));
    let entry = program.entry("WARSHALL");
    for compiled in star_tests::differ::compile(&optimised, &machines) {
        let run = |memory| compiled.run(entry, &args, Limits { memory, ..UNLIMITED });
        let (wide, tight) = (run(Some(1 << 30)), run(Some(64 * 8 + 300)));
        assert_eq!((wide.stats.intrinsics, tight.stats.intrinsics), (1, 0), "{}", compiled.name);
        assert_eq!((wide.outcome, wide.values), (tight.outcome, tight.values));
    }
}

/// Returns the listing, row by row, with one of its parts replaced.
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
fn equivalent_texts_are_recognised_as_the_closure() {
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
fn texts_that_resemble_the_closure_run_as_written() {
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
fn the_pass_explains_what_it_recognises_and_rejects() {
    let remark = |text: &str| {
        let mut program = Program::new(text).lowered.program;
        let report = star_opt::apply(&mut program, &["idioms"]).expect("it verifies");
        report.remarks.into_iter().next().map(|remark| remark.outcome)
    };
    assert_eq!(
        remark(&mutated("n", "n")),
        Some(LoopOutcome::Whole(
            "the transitive closure of `P`, computed at once where `n` does not exceed its rows and columns"
                .to_owned()
        ))
    );
    assert_eq!(
        remark(&mutated("k:=1 to n", "k:=2 to n")),
        Some(LoopOutcome::Stayed(
            "it is similar to the transitive closure, but not of `P` over the vertices 1 to `n`"
                .to_owned()
        ))
    );
    assert_eq!(remark(&mutated("v:=v or w", "v:=v xor w")), None);
}

#[test]
fn without_the_pass_no_routine_gets_an_intrinsic() {
    let mut program = Program::new(PUBLISHED).lowered.program;
    let options = Options::without(&["idioms"]).expect("a pass");
    star_opt::optimise(&mut program, &options).expect("it verifies");
    assert!(program.routines.iter().all(|routine| routine.intrinsic.is_none()));
}

/// Returns a table of `n` fields of `h` bits: 0 from a vertex to itself, otherwise inf or a length
/// up to `greatest`.
fn lengths(random: &mut Random, n: usize, h: usize, percent: usize, greatest: u64) -> BitTable {
    let mut table = BitTable::zeros(n, n * h).expect("small");
    for row in 0..n {
        for field in (0..n).filter(|field| *field != row) {
            let is_arc = random.chance(percent);
            let length = random.below(greatest as usize + 1) as u64;
            for bit in 0..h {
                let one = !is_arc || length >> (h - 1 - bit) & 1 == 1;
                table.put(row, field * h + bit, one);
            }
        }
    }
    table
}

fn distances(n: i64, h: usize, table: BitTable) -> Vec<Value> {
    let inf = BitVector::from_bools(&vec![true; h]);
    vec![Value::Int(n), Value::Int(h as i64), Value::Word(inf), Value::from(table)]
}

/// The texts known to the pass, without their comments.
const FLOYD: &str = include_str!("../../../compiler/opt/src/idioms/min_plus.star");

fn floyd(from: &str, to: &str) -> String {
    assert!(FLOYD.contains(from), "{from}");
    FLOYD.replace(from, to)
}

fn lengths_of_all_sorts() -> Vec<Vec<Value>> {
    let mut random = Random::new(62);
    [(0, 3, 50), (1, 1, 50), (2, 8, 100), (7, 9, 30), (12, 10, 60), (18, 12, 20)]
        .map(|(n, h, percent)| {
            let greatest = ((1_u64 << (h - 1)) - 1) / (n.max(2) as u64 - 1).max(1);
            let greatest = greatest.saturating_sub(1);
            distances(n as i64, h, lengths(&mut random, n, h, percent, greatest))
        })
        .to_vec()
}

#[test]
fn the_texts_of_floyd_are_recognised_as_the_distances() {
    for routine in ["CHECKED", "PLAIN", "WRITTEN_OUT"] {
        for args in lengths_of_all_sorts() {
            assert_eq!(taken_of(MIN_PLUS, FLOYD, routine, &[args]), 1, "{routine}");
        }
    }
    let text = include_str!("../../../stdlib/modules/paths.star");
    let args = lengths_of_all_sorts();
    assert_eq!(taken_of(MIN_PLUS, text, "FLOYD", &args), 1);
}

#[test]
fn names_messages_and_headers_of_floyd_are_irrelevant() {
    for (from, to) in [
        ("j,k: integer", "k,j: integer"),
        ("assert(w(1)=0,\"\")", "assert(w(1)=0,\"too long\")"),
        ("A,B: table;", "A: table; B: table;"),
        ("u,w: word;", "w,u: word;"),
    ] {
        let taken = taken_of(MIN_PLUS, &floyd(from, to), "CHECKED", &lengths_of_all_sorts());
        assert_eq!(taken, 1, "{to}");
    }
}

#[test]
fn where_a_sum_may_reach_inf_the_text_of_floyd_runs() {
    let mut random = Random::new(8);
    for (n, h, greatest) in [(5, 4, 14), (6, 6, 31), (3, 3, 3)] {
        let args = distances(n as i64, h, lengths(&mut random, n, h, 80, greatest));
        for routine in ["CHECKED", "PLAIN", "WRITTEN_OUT"] {
            assert_eq!(
                taken_of(MIN_PLUS, FLOYD, routine, std::slice::from_ref(&args)),
                0,
                "{routine}"
            );
        }
    }
    // Sizes of other kinds, and an invalid inf.
    let table = || lengths(&mut Random::new(9), 4, 6, 50, 5);
    let mut other = distances(4, 6, table());
    other[2] = Value::Word(BitVector::from_bools(&[false, true, true, true, true, true]));
    for args in
        [distances(5, 6, table()), distances(4, 5, table()), distances(-1, 6, table()), other]
    {
        assert_eq!(taken_of(MIN_PLUS, FLOYD, "CHECKED", &[args]), 0);
    }
}

#[test]
fn texts_that_resemble_floyd_run_as_written() {
    for (from, to) in [
        ("k:=1 to n", "k:=2 to n"),
        ("k:=1 to n", "k:=n downto 1"),
        ("j:=1 to n", "j:=1 to k"),
        ("TCOPY1(D,k,h,A)", "TCOPY1(D,1,h,A)"),
        ("TCOPY1(D,j,h,B)", "TCOPY1(D,k,h,B)"),
        ("u:=ROW(k,D)", "u:=ROW(1,D)"),
        ("X:=U and (not Z)", "X:=U and Z"),
        ("NOTEQ(w,inf)", "EQ(w,inf)"),
        ("SETMIN(B,Dist,X,Z)", "SETMAX(B,Dist,X,Z)"),
        ("ADDC(A,X,d,B)", "SUBTC(A,X,d,B)"),
        ("TMERGE(B,Z,Dist)", "TMERGE(B,X,Dist)"),
        ("TCOPY2(B,j,h,D)", "TCOPY2(A,j,h,D)"),
        ("assert(w(1)=0,\"\")", "assert(w(1)=1,\"\")"),
        ("begin\n  SET(U);", "begin\n  SET(U); U(1):=0;"),
        ("begin\n  SET(U);", "begin\n  print(n); SET(U);"),
        ("U,X,Z: slice(D)", "U,X: slice(D); Z: slice(3)"),
    ] {
        let taken = taken_of(MIN_PLUS, &floyd(from, to), "CHECKED", &lengths_of_all_sorts());
        assert_eq!(taken, 0, "{to}");
    }
    // Procedures with the same names and other behaviour.
    let own = "procedure SETMIN(T,F: table(n,k); X: slice(n); var Z: slice(n)); begin Z:=X; end;\n";
    let text = format!("{own}{FLOYD}");
    assert_eq!(taken_of(MIN_PLUS, &text, "CHECKED", &lengths_of_all_sorts()), 0);
}

#[test]
fn the_pass_reports_where_a_text_differs_from_floyd() {
    let remark = |text: &str| {
        let program = Program::new(text).lowered.program;
        let mut optimised = program.clone();
        let report = star_opt::apply(&mut optimised, &["idioms"]).expect("it verifies");
        let routine = |remark: &star_opt::Remark| program.routine(remark.routine).name == "CHECKED";
        let remark = report.remarks.into_iter().find(routine)?;
        let place = |loc| program.locations.get(loc).expect("a place").span;
        let at = remark.at.map(|at| &text[place(at).start as usize..place(at).end as usize]);
        Some((remark.outcome, at.map(str::to_owned)))
    };
    let (outcome, at) = remark(FLOYD).expect("a remark");
    let whole = "the distances in `D`, computed at once where `D` is `n` fields of `h` bits and no \
                 sum of lengths reaches `inf`";
    assert_eq!((outcome, at), (LoopOutcome::Whole(whole.to_owned()), None));
    let (outcome, at) = remark(&floyd("TCOPY2(B,j,h,D)", "TCOPY2(A,j,h,D)")).expect("a remark");
    let why = "it is similar to the distances between all pairs of vertices, but continues \
               differently from FLOYD";
    assert_eq!(
        (outcome, at.as_deref()),
        (LoopOutcome::Stayed(why.to_owned()), Some("TCOPY2(A,j,h,D)"))
    );
}

/// `STAR_BLESS=1 cargo test -p star-tests idioms` rewrites it: read the diff.
#[test]
fn the_pattern_of_floyd_is_generated_from_its_text() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/opt/src/idioms/min_plus.sir");
    let made = star_ir::print(&Program::new(FLOYD).lowered.program);
    if std::env::var_os("STAR_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, made).expect("written");
        return;
    }
    assert!(std::fs::read_to_string(&path).expect("the file") == made, "min_plus.sir is old");
}
