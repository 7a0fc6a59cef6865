//! `star test`: test selection, failure messages and exit codes.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Folder, Ran, WARSHALL, kill, star_in};

/// A closure that stops too early, and the correct one.
const WRONG: &str = "\
procedure WRONG(n: integer; var P: table);
var k,i: integer; X: slice; w: word;
begin
  for k:=1 to n do begin
    X:=COL(k,P); w:=ROW(k,P);
    if NUMB(X)<3 then
    while SOME(X) do begin i:=STEP(X); ROW(i,P):=ROW(i,P) or w end
  end
end;
/* Is it closed? */
function CLOSED(n: integer; P: table): boolean;
var i,k: integer; X: slice; w: word;
begin
  CLOSED:=true;
  for k:=1 to n do begin
    X:=COL(k,P); w:=ROW(k,P);
    foreach i in X do if SOME(w and not ROW(i,P)) then CLOSED:=false
  end
end;
/* @test closed
   run WRONG
   n = 1, 20, 40
   P = gen gnp -n {n} -p 0.1
   ensures CLOSED */
";

fn with_test(body: &str) -> String {
    format!("{WARSHALL}/* @test t\n   {body} */\n")
}

/// Runs one test of WARSHALL with this body.
fn one(body: &str) -> Ran {
    Folder::new(&[("w.star", &with_test(body))]).star(&["test", "w.star"])
}

#[track_caller]
fn passes(body: &str) {
    let ran = one(body);
    assert_eq!(ran.code, 0, "{body}: {ran:#?}");
    assert!(ran.stdout.contains(": all passed in "), "{ran:#?}");
}

#[test]
fn test_programs_pass_on_every_machine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let ran = star_in(&root, &["test", "tests/programs", "examples", "--backends", "all"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let n_tests: usize = ran.stdout.split(' ').next().unwrap().parse().unwrap();
    assert!(n_tests >= 29 && ran.stdout.contains("7 backends: all passed"), "{ran:#?}");
}

#[test]
fn compares_values_texts_and_outcomes() {
    passes("n = 3\n   P = 010 001 000\n   expect P = 011 001 000\n   expect n = 3");
    passes(
        "n = 3\n   P = 010\n       001\n       000\n   expect P = 011\n              001\n              000",
    );
    passes("n = 4\n   P = 010 001 000\n   fails T0101 line 5");
    passes("k = 1\n   n = {2*k}\n   P = 010 001 000");
    passes("n = 3\n   P = none.gr\n   fails E0501");
    passes("run WARSHALL --max-steps 5\n   n = 3\n   P = 010 001 000\n   fails L0101");
    passes("run WARSHALL --max-memory 1\n   n = 3\n   P = gen gnp -n 300 -p 0.1\n   fails E0511");
    passes("run WARSHALL\n   graph = gen gnp -n 5 -p 0.5");
    passes("n = 0..2, 64\n   P = gen gnp -n {n} -p 0.5");

    one("n = 3\n   P = 010 001 000\n   expect P = 011 001 100").fails(
        1,
        &[
            "error[E0704]: `P` differs from the expected value",
            "w.star:12:4",
            "row 3: expected 100\n            found    000\n                     ^",
            "the other rows of 3 × 3 agree",
            "star run w.star --proc WARSHALL n=3 'P=010 001 000'",
        ],
    );
    one("n = 4\n   P = 010 001 000\n   expect n = 4")
        .fails(1, &["ends with T0101", "index 4 outside 1..3"]);
    one("n = 4\n   P = 010 001 000\n   fails T0101 line 9").fails(1, &["on a line other than 9"]);
    one("n = 4\n   P = 010 001 000\n   fails T0102").fails(1, &["T0101, but T0102 is expected"]);
    one("n = 3\n   P = 010 001 000\n   fails T0101").fails(1, &["succeeds, but T0101 is expected"]);
    one("n = 3\n   P = 010 001 000\n   prints x").fails(1, &["output differs at line 1"]);
}

#[test]
fn functions_properties_and_previous_values() {
    let text = "function TWICE(a: integer): integer; begin print(a); TWICE:=2*a end;
function EVEN(value,old_a,m: integer): boolean; begin EVEN:=(value mod 2=0) and (value=old_a+m) end;
function SUM(a: integer): integer; begin SUM:=a+a end;
procedure SMALL(value: integer); begin assert(value<8) end;
/* @test t
   run TWICE
   a = 1..3
   m = {a}
   expect value = {2*a}
   ensures EVEN
   ensures SMALL
   same as SUM */
/* @test p
   run TWICE
   a = 7
   prints
     7
   expect value = 14 */
";
    let folder = Folder::new(&[("f.star", text)]);
    let ran = folder.star(&["test", "f.star"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.stdout.starts_with("2 tests, 4 cases, 2 backends: all passed"), "{ran:#?}");
    folder.write("f.star", text.replace("a = 1..3", "a = 1..5").as_bytes());
    let ran = folder.star(&["test", "f.star"]);
    ran.fails(1, &["`SMALL` ends with T0111", "the first of 5 cases that fails: a=4"]);
    folder.write("f.star", text.replace("a+a", "a*a").as_bytes());
    folder.star(&["test", "f.star"]).fails(1, &["`SUM` returns a different value", "expected 1\n"]);
    folder.write("f.star", text.replace("m = {a}", "k = {a}").as_bytes());
    folder.star(&["test", "f.star"]).fails(1, &["`EVEN` has no value for its parameter `m`"]);
}

#[test]
fn failing_cases_are_minimised() {
    let folder = Folder::new(&[("w.star", WRONG)]);
    let ran = folder.star(&["test", "w.star"]);
    ran.fails(
        1,
        &[
            "error[E0704]: `CLOSED` does not hold",
            "the first of 3 cases that fails: n=20",
            "the smallest input found that fails in the same way\n       n = 3\n       P = 010 100 100\n",
            "star run w.star --proc WRONG n=3 'P=010 100 100'",
        ],
    );
    // The reported input can be pasted as a header and as a command.
    let header = "/* @test small\n   run WRONG\n   n = 3\n   P = 010 100 100\n   ensures CLOSED */";
    folder.write("small.star", format!("{WRONG}{header}").as_bytes());
    let again = folder.star(&["test", "small.star", "--filter", "SMALL.star"]);
    assert_eq!(again.stderr.matches("n = 3\n       P = 010 100 100\n").count(), 2, "{again:#?}");
    let ran = folder.shell("$STAR run w.star --proc WRONG n=3 'P=010 100 100'");
    ran.prints("P = 3 × 3, 5 ones\n010\n110\n110\n");
}

#[test]
fn json_results_are_objects() {
    let folder = Folder::new(&[("w.star", WRONG)]);
    let ran = folder.star(&["test", "w.star", "--format", "json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let mut objects: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 2);
    for (object, name) in objects.iter_mut().zip(["test", "summary"]) {
        assert!(object[name]["seconds"].as_f64().unwrap() < 60.0);
        object[name]["seconds"] = Value::Null;
    }
    let expected = r#"{
  "test": {
    "cases": 2,
    "failure": {
      "case": "n=20",
      "command": "star run w.star --proc WRONG n=3 'P=010 100 100'",
      "input": {
        "P": "010 100 100",
        "n": "3"
      },
      "message": {
        "code": "E0704",
        "fixes": [],
        "help": [
          "run it alone\n  star run w.star --proc WRONG n=3 'P=010 100 100'"
        ],
        "labels": [
          {
            "column": 4,
            "end": 595,
            "end_column": 18,
            "end_line": 24,
            "file": "w.star",
            "line": 24,
            "start": 581,
            "text": ""
          }
        ],
        "message": "`CLOSED` does not hold",
        "notes": [
          "the test: closed",
          "the first of 3 cases that fails: n=20",
          "the smallest input found that fails in the same way\n  n = 3\n  P = 010 100 100"
        ],
        "severity": "error"
      }
    },
    "file": "w.star",
    "line": 20,
    "passed": false,
    "seconds": null,
    "title": "closed"
  }
}"#;
    let object = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(objects[0], object(expected));
    let expected = r#"{"summary":{"backends":["reference","cpu"],"cases":2,"failed":1,"interrupted":false,"not_run":0,"seconds":null,"tests":1}}"#;
    assert_eq!(objects[1], object(expected));
}

#[test]
fn invalid_headers_are_reported_with_their_position() {
    for (body, parts) in [
        ("expects P = 1", &["error[E0703]", "w.star:10:4", "did you mean `expect`?"][..]),
        ("n = {1 +}\n   P = 1", &["w.star:10:9", "`1 +` is not an integer expression"]),
        ("n = 3\n   m = {k}", &["w.star:11:9", "`k` has no integer value here"]),
        ("n = 1..1000\n   m = 1..1000", &["w.star:11:4", "more than 10000 cases"]),
        ("run WARSHAL", &["w.star:10:8", "has no routine `WARSHAL`", "did you mean `WARSHALL`?"]),
        ("run WARSHALL --fast", &["w.star:10:17", "invalid options of a test"]),
        (
            "n = 1\n   P = 01 1",
            &["error[E0605]", "w.star:11:4", "all rows of a table must have the same length"],
        ),
        ("n = 1\n   P = 1\n   Q = a.gr", &["error[E0603]", "w.star:12:4"]),
        ("P = 1", &["error[E0604]", "w.star:9:4", "needs a value for `n`"]),
        (
            "n = 1\n   P = 1\n   expect Q = 1",
            &["w.star:12:11", "`Q` is neither a parameter nor a result"],
        ),
        ("n = 1\n   P = gen gnq -n 1", &["error[E0605]", "w.star:11:4", "gnq"]),
        ("n = 1\n   P = 1\n   ensures NO", &["w.star:12:12", "has no routine `NO`"]),
    ] {
        one(body).fails(1, parts);
    }
}

#[test]
fn files_that_do_not_compile_become_rows_and_testing_continues() {
    let good = with_test("n = 1\n   P = 1");
    let broken = good.replace("STEP(X)", "STEP(x)");
    let expected = broken.replace("P = 1", "P = 1\n   fails E0201 line 6");
    let empty = "";
    let binary = "\u{0}\u{1}";
    let files = [
        ("a.star", &*broken),
        ("b.star", &good),
        ("c.star", empty),
        ("d.star", binary),
        ("e.star", &expected),
    ];
    let folder = Folder::new(&files);
    let ran = folder.star(&["test"]);
    // A file with errors may have hidden tests.
    ran.fails(1, &["the file does not compile: E0201", "a.star:9:4", "error[E0101]", "d.star:1:1"]);
    assert!(ran.stdout.starts_with("3 tests, 2 cases, 2 backends: 2 failed"), "{ran:#?}");
    folder.write("f.star", &[0xff, 0xfe]);
    folder.star(&["test"]).fails(1, &["error[E0110]"]);
}

#[test]
fn reports_files_without_tests_and_missing_paths() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("sub/e.star", ""), ("t.star", WRONG)]);
    folder.star(&["test", "w.star"]).fails(2, &["error[E0609]", "no tests in `w.star`"]);
    folder.star(&["test", "sub"]).fails(2, &["error[E0609]"]);
    folder.star(&["test", "none"]).fails(1, &["error[E0111]", "no such file or directory"]);
    folder.star(&["test", "t.star", "none"]).fails(1, &["error[E0111]"]);
    folder.star(&["test", "--filter", "nothing"]).fails(2, &["matches `nothing`"]);
    let ran = folder.star(&["test", "--backends", "cpu,tpu"]);
    ran.fails(2, &["error[E0607]", "`reference`, `reference-backward`, `cpu`"]);
    folder.star(&["test", "--list"]).prints("t.star:20: closed (3 cases)\n");
}

#[test]
fn seeds_can_be_set() {
    let folder = Folder::new(&[(
        "w.star",
        &with_test("seed = 1..3\n   n = 2\n   P = gen gnp -n 2 -p {seed}"),
    )]);
    let ran = folder.star(&["test", "--seed", "9"]);
    ran.fails(1, &["-p 9"]);
}

#[test]
fn files_are_relative_to_the_file_with_the_header() {
    let text = with_test("n = 3\n   P = adjacency:g.gr\n   expect P = 011 001 000");
    let folder = Folder::new(&[("sub/w.star", &text), ("sub/g.gr", crate::support::PATH)]);
    assert_eq!(folder.star(&["test"]).code, 0);
    let text = with_test("graph = g.gr\n   expect P = 011 001 100");
    folder.write("sub/w.star", text.as_bytes());
    folder.star(&["test"]).fails(1, &["star run sub/w.star --proc WARSHALL n=3 'P=010 001 000'"]);
}

#[test]
fn endless_programs_are_stopped() {
    let text = "program P; var i: integer; begin while true do i:=1 end.\n/* @test t\n   run --max-time 50ms";
    let folder = Folder::new(&[("p.star", &format!("{text}\n   fails L0103 */"))]);
    assert_eq!(folder.star(&["test"]).code, 0);
    folder.write("p.star", format!("{text} */").as_bytes());
    folder.star(&["test"]).fails(1, &["`P` ends with L0103 on `reference`"]);
}

#[test]
fn ctrl_c_ends_with_the_results_so_far() {
    let text = "program P; var i: integer; begin while true do i:=1 end.\n/* @test endless\n*/\n/* @test u */";
    let folder = Folder::new(&[("a.star", &with_test("n = 1\n   P = 1")), ("p.star", text)]);
    let mut command = folder.command(&["test", "--max-time", "1h"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let start = Instant::now();
    kill(&child, "-INT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(start.elapsed() < Duration::from_secs(5));
    ran.fails(130, &[]);
    let expected = "1 test, 1 case, 2 backends: interrupted, 0 failed, 2 tests not run, in ";
    assert!(ran.stdout.starts_with(expected), "{ran:#?}");
}

#[test]
fn closed_stdout_ends_quietly() {
    let folder = Folder::new(&[]);
    let test =
        "/* @test a test with a title that is long enough for a pipe to be full of such */\n";
    folder.write("many.star", format!("{WARSHALL}{}", test.repeat(5000)).as_bytes());
    let ran = folder.shell("$STAR test --list | head -1; echo ${PIPESTATUS[0]}");
    assert!(ran.stdout.ends_with("(1 case)\n141\n"), "{ran:#?}");
}

#[test]
fn the_book_lists_all_machines() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/internals/testing.md");
    let page = std::fs::read_to_string(page).unwrap();
    for machine in star_harness::MACHINES {
        let row = format!("| `{}` | {} |", machine.name, machine.about);
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn a_file_with_several_invalid_headers_counts_once() {
    let header = "/* @test wrong\n   expects P = 1 */\n";
    let text = format!("program P;\nbegin\n  print(1)\nend.\n{}", header.repeat(3));
    let folder = Folder::new(&[("w.star", &text), ("v.star", &text)]);
    let ran = folder.star(&["test"]);
    ran.fails(1, &["error[E0703]"]);
    assert!(ran.stdout.contains(": 2 failed in "), "{ran:?}");
}

#[test]
fn headers_read_only_permitted_files() {
    let folder = Folder::new(&[("secret/s.csv", "x\n1\n"), ("in/s.csv", "x\n1\n")]);
    folder.write("secret/g.gr", crate::support::PATH.as_bytes());
    assert_eq!(folder.shell("ln -s ../secret/s.csv in/link.csv").code, 0);
    let absolute = folder.path("secret/s.csv").display().to_string();
    for line in [
        "P = ../secret/s.csv",
        "P = link.csv",
        &format!("P = {absolute}"),
        "P = gen updates --graph ../secret/g.gr -k 5",
        "graph = ../secret/g.gr",
    ] {
        let test = format!(
            "/* @test t\n   run F\n   {line} */\n\
             function F(P: table): integer; begin F := rows(P) end;\n"
        );
        folder.write("in/a.star", test.as_bytes());
        let ran = folder.star(&["test", "in"]);
        assert_eq!(ran.code, 1, "{line}: {ran:?}");
        assert!(ran.stderr.contains("may not be read"), "{line}: {ran:?}");
        let ran = folder.star(&["test", "in", "--allow-read", "secret"]);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
    }
}

#[test]
fn commands_for_files_that_look_like_options_can_be_run() {
    let text = "/* @test wrong\n   run F\n   n = 1\n   prints 2 */\n\
                procedure F(n: integer); begin print(n) end;\n";
    let folder = Folder::new(&[("-x.star", text)]);
    folder.star(&["test", "--", "-x.star"]).fails(1, &["star run ./-x.star --proc F n=1"]);
    folder.star(&["run", "./-x.star", "--proc", "F", "n=1"]).prints("1\n");
}

#[test]
fn watched_tests_run_again_after_each_change() {
    let program = |n: &str| {
        format!(
            "import \"lib.star\";\n/* @test t\n   expect value = {n} */\n\
             function F: integer;\nbegin F:=G end;\n"
        )
    };
    let lib = |n: &str| format!("function G: integer; begin G:={n} end;\n");
    let folder = Folder::new(&[("f.star", &program("1")), ("lib.star", &lib("1"))]);
    folder.write("out", b"");
    let out = std::fs::File::options().append(true).open(folder.path("out")).unwrap();
    let mut command = folder.command(&["test", "--watch", "f.star"]);
    command.stdout(out.try_clone().unwrap()).stderr(out);
    let mut child = command.spawn().unwrap();
    let wait_for = |wanted: &str, n: usize| {
        let begun = Instant::now();
        loop {
            let text = std::fs::read_to_string(folder.path("out")).unwrap();
            if text.matches(wanted).count() >= n {
                return text;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "no `{wanted}` in {text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for("all passed", 1);
    // An import, the file itself, and a file that does not compile.
    folder.write("lib.star", lib("20").as_bytes());
    wait_for("`lib.star` has changed\n", 1);
    wait_for("1 failed", 1);
    folder.write("f.star", program("20").as_bytes());
    wait_for("`f.star` has changed\n", 1);
    wait_for("all passed", 2);
    std::fs::remove_file(folder.path("f.star")).unwrap();
    wait_for("error[E0111]", 1);
    folder.write("f.star", program("20").as_bytes());
    wait_for("all passed", 3);
    kill(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // The reader of the output ends the command, too.
    let begun = Instant::now();
    let ran = folder.shell("timeout 60 $STAR test --watch f.star | head -1");
    assert!(ran.stdout.contains("all passed"), "{ran:?}");
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
    folder.star(&["test", "--watch", "-"]).fails(2, &["`--watch` cannot watch standard input"]);
    folder.star(&["test", "--watch", "--backends", "x"]).fails(2, &["error[E0607]"]);
}

#[test]
fn coverage_counts_outcomes_of_loops() {
    let program = "\
/* @test t
   run COUNT
   n = 2, 3
   ensures RIGHT */
function COUNT(n: integer): integer;
var i: integer;
begin
  while n<0 do n:=n+1;
  i:=0;
  while i<n do i:=i+1;
  repeat
    repeat i:=i-1
    until i mod 2=0
  until i=0;
  COUNT:=n
end;
function RIGHT(n,value: integer): boolean;
begin
  RIGHT:=value=n
end;
";
    let folder = Folder::new(&[("t.star", program)]);
    assert_eq!(folder.star(&["test", "--coverage=out.info", "t.star"]).code, 0);
    let text = std::fs::read_to_string(folder.path("out.info")).unwrap();
    let records = "BRDA:8,0,0,0\nBRDA:8,0,1,2\nBRDA:10,1,0,5\nBRDA:10,1,1,2\nBRDA:13,2,0,3\n\
                   BRDA:13,2,1,2\nBRDA:14,3,0,2\nBRDA:14,3,1,1\nBRF:8\nBRH:7\n";
    assert!(text.contains(records), "{text}");
}

#[test]
fn coverage_counts_lines_and_outcomes() {
    let program = "\
import \"lib.star\";
/* @test t
   run SIGN
   i = 1, 2, 3
   ensures POSITIVE */
function SIGN(i: integer): integer;
begin
  if i<0 then SIGN:=0-1
  else if i=1 then
    SIGN:=HALF(4)
  else
    SIGN:=1
end;
function POSITIVE(value: integer): boolean;
begin
  POSITIVE:=value>0
end;
";
    let lib = "\
function HALF(n: integer): integer;
var i,k: integer; X: slice(9);
begin
  k:=0;
  CLR(X);
  for i:=1 to n do
    if i mod 2=0 then k:=k+1;
  HALF:=k
end;
procedure SPARE(var n: integer);
begin
  n:=1;

  n:=2
end;
";
    let folder = Folder::new(&[("t.star", program), ("lib.star", lib)]);
    let ran = folder.star(&["test", "--coverage", "t.star"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let (table, summary) = ran.stdout.rsplit_once("1 test, 3 cases").unwrap();
    let expected = "\
file      lines         outcomes
lib.star  5 of 7, 71 %  2 of 2, 100 %   not run: 12..14
t.star    5 of 5, 100 %  3 of 4, 75 %   never true: 8
all       10 of 12, 83 %  5 of 6, 83 %
";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(table), words(expected));
    assert!(summary.contains("all passed"), "{ran:?}");
    // The runs of the first machine are counted, whatever passes and intrinsics do.
    for backends in ["reference", "cpu,reference"] {
        let words = ["test", "--coverage=out.info", "--backends", backends, "."];
        assert_eq!(folder.star(&words).code, 0, "{backends}");
        let text = std::fs::read_to_string(folder.path("out.info")).unwrap();
        let record = "SF:t.star\nBRDA:8,0,0,0\nBRDA:8,0,1,3\nBRDA:9,1,0,1\nBRDA:9,1,1,2\nBRF:4\n\
                      BRH:3\nDA:8,3\nDA:9,3\nDA:10,1\nDA:12,2\nDA:16,3\nLF:5\nLH:5\nend_of_record\n";
        assert!(text.ends_with(record), "{text}");
        assert!(text.contains("BRDA:7,0,0,2\nBRDA:7,0,1,2\n"), "{text}");
        assert!(text.contains("DA:6,4\nDA:7,4\n"), "{text}");
    }
    assert_eq!(folder.star(&["test", "--coverage=out.html", "."]).code, 0);
    let page = std::fs::read_to_string(folder.path("out.html")).unwrap();
    assert!(page.contains("never true") && page.contains("SIGN:=HALF(4)"), "{page}");
    folder.star(&["test", "--coverage=t.star", "."]).fails(5, &["error[E0506]", "`.info`"]);
    folder.star(&["test", "--coverage=no/c.html", "."]).fails(5, &["error[E0509]"]);
    folder.star(&["test", "--coverage", "--format", "json"]).fails(2, &["needs a file"]);
    // A test that fails is counted, a file that does not compile is not.
    folder.write("t.star", program.replace("value>0", "value<0").as_bytes());
    folder.write("wrong.star", b"/* @test t */ program P; begin x := end.\n");
    let ran = folder.star(&["test", "--coverage", "."]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("never true: 8") && !ran.stdout.contains("wrong.star  "),
        "{ran:?}"
    );
}
