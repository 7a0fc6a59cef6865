//! `star run --profile`: table, page and object, for all outcomes of a run.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::page;
use crate::support::{ENDLESS, Folder, Ran, WARSHALL, kill};

const PROGRAM: &str = "\
import \"star:closure\";
const LESS = \"<b>&\";
function ONES(X: slice): integer;
begin ONES := NUMB(X) end;
program P;
var X, Y: slice(70); T: table(3,3); i, k: integer;
begin
  SET(X); X(7) := 0;
  for i := 1 to 50 do
    Y := X xor
      not X;
  k := ONES(Y);
  if k < 5 then print(LESS) else print(k);
  T(1,2) := 1; T(2,3) := 1;
  WARSHALL(3,T)
end.
";

/// Returns the operations counted by `--cost`.
fn cost(folder: &Folder, arguments: &[&str]) -> u64 {
    let ran = folder.star(&[arguments, &["--cost"]].concat());
    let line = ran.stderr.lines().find_map(|line| line.strip_prefix("elementary operations"));
    line.unwrap_or_else(|| panic!("{ran:?}")).trim().parse().unwrap()
}

/// Returns the profile as JSON.
fn object(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.star(&[arguments, &["--profile=p.json"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = fs::read_to_string(folder.path("p.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["profile"].clone()
}

fn line(profile: &Value, number: u64) -> &Value {
    let lines = profile["lines"].as_array().unwrap();
    let found = lines.iter().find(|line| line["line"] == number && line["file"] == "p.star");
    found.unwrap_or_else(|| panic!("no line {number} in {profile:#}"))
}

#[test]
fn operations_sum_to_the_cost_and_runs_match_the_loops() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    for backend in ["cpu", "reference"] {
        let run = ["run", "p.star", "--no-intrinsics", "--backend", backend];
        let profile = object(&folder, &run);
        let operations = cost(&folder, &run);
        assert_eq!(profile["operations"], operations, "{backend}");
        let lines = profile["lines"].as_array().unwrap();
        let sum: u64 = lines.iter().map(|line| line["operations"].as_u64().unwrap()).sum();
        assert_eq!(sum, operations, "{backend}");
        for (number, operations, runs) in
            [(4, 1, 1), (8, 2, 1), (9, 0, 51), (10, 50, 50), (11, 50, 50), (12, 0, 1)]
        {
            let line = line(&profile, number);
            let found = (&line["operations"], &line["runs"]);
            assert_eq!(found, (&Value::from(operations), &Value::from(runs)), "line {number}");
        }
        // Library lines are included, and their work is part of the total of the call.
        assert!(lines.iter().any(|line| line["file"].as_str().unwrap().contains("closure")));
        assert!(line(&profile, 15)["total_operations"].as_u64().unwrap() > 0);
        assert_eq!(profile["backend"], backend);
    }
}

#[test]
fn profiling_does_not_affect_the_run() {
    let endless = "program E; var i: integer; begin print(1); while true do i := i + 1 end.";
    let trap = "program T; var X: slice(3); i: integer; begin i := 4; print(i);\n  X(i) := 1 end.";
    let table =
        format!("{}3 3 2\n1 2\n2 3\n", "%%MatrixMarket matrix coordinate pattern general\n");
    let folder = Folder::new(&[
        ("p.star", PROGRAM),
        ("e.star", &endless.replace("begin", "begin i := 0;")),
        ("t.star", trap),
        ("w.star", WARSHALL),
        ("f.star", "function F(n: integer): integer; begin F := 2*n end;"),
        ("t.mtx", &table),
    ]);
    let runs: [(&[&str], i32); 6] = [
        (&["run", "p.star"], 0),
        (&["run", "f.star", "n=4"], 0),
        (&["run", "w.star", "n=3", "P=t.mtx", "--cost"], 0),
        (&["run", "t.star"], 3),
        (&["run", "e.star", "--max-steps", "1000"], 4),
        (&["run", "e.star", "--max-time", "2s"], 4),
    ];
    for (arguments, code) in runs {
        for backend in ["cpu", "reference"] {
            let arguments = [arguments, &["--backend", backend]].concat();
            let plain = folder.star(&arguments);
            let profiled = folder.star(&[&arguments[..], &["--profile"]].concat());
            assert_eq!((plain.code, profiled.code), (code, code), "{plain:?} {profiled:?}");
            assert_eq!(plain.stdout, profiled.stdout, "{arguments:?}");
            // The other output is unchanged and followed by the profile.
            let (before, profile) = profiled.stderr.split_once("profile: ").unwrap();
            if code != 4 {
                assert_eq!(before, plain.stderr, "{arguments:?}");
            }
            assert!(profile.contains("time/") && profile.contains(".star:"), "{profile}");
        }
    }
}

/// Masks times and shares in the table; sorts the rows, which are ordered by time.
fn masked(text: &str) -> String {
    let parts = text.split("\n\n").map(|part| {
        let mut lines: Vec<String> = part
            .lines()
            .map(|line| {
                let masked = line.split_whitespace().map(|word| {
                    let number = word.parse::<f64>().is_ok() && word.contains('.');
                    if number { "_" } else { word }
                });
                masked.collect::<Vec<_>>().join(" ")
            })
            .collect();
        lines[1..].sort();
        lines.join("\n")
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn table_shows_lines_and_routines() {
    let text = "program S;\nvar i: integer; X: slice(100000);\nbegin\n  SET(X);\n  for i := 1 to 3000 do\n    X := not X\nend.\n";
    let folder = Folder::new(&[("s.star", text)]);
    // The reference backend is slow enough for milliseconds.
    let ran = folder.star(&["run", "s.star", "--profile", "--backend", "reference"]);
    let (first, rest) = ran.stderr.split_once('\n').unwrap();
    assert!(first.starts_with("profile: s.star on the reference backend: "), "{first}");
    assert!(first.ends_with(" samples, 3001 elementary operations"), "{first}");
    // Lines with only execution counts may or may not have been sampled.
    let rest: Vec<&str> = rest.lines().filter(|line| !line.contains("for i")).collect();
    let expected = "time/ms share total/ms operations runs line source
_ _ % _ 1 1 s.star:4 SET(X);
_ _ % _ 3000 3000 s.star:6 X := not X

time/ms share total/ms operations calls routine name
_ _ % _ 3001 1 s.star:1 S";
    let rest = masked(rest.join("\n").trim_start());
    let rest: Vec<&str> = rest.lines().filter(|line| !line.contains("program S")).collect();
    assert_eq!(rest.join("\n"), expected, "{}", ran.stderr);
}

#[test]
fn natives_are_listed_at_the_calling_line() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    let profile = object(&folder, &["run", "p.star"]);
    let intrinsic = &line(&profile, 15)["intrinsics"][0];
    assert_eq!(
        (&intrinsic["intrinsic"], &intrinsic["runs"]),
        (&Value::from("closure"), &Value::from(1))
    );
    let routines = profile["routines"].as_array().unwrap();
    assert!(routines.iter().any(|routine| routine["intrinsic"] == "closure"), "{profile:#}");
    let ran = folder.star(&["run", "p.star", "--profile"]);
    assert!(ran.stderr.contains("`--no-intrinsics` shows the contents of intrinsics"), "{ran:?}");
    assert!(ran.stderr.contains("[intrinsic closure]"), "{ran:?}");
    let ran = folder.star(&["run", "p.star", "--profile", "--no-intrinsics"]);
    assert!(!ran.stderr.contains("intrinsic"), "{ran:?}");
}

#[test]
fn page_is_self_contained_and_shows_the_source_verbatim() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    folder.star(&["run", "p.star", "--profile=p.html"]).prints("70\n");
    let text = fs::read_to_string(folder.path("p.html")).unwrap();
    let page = page::read("p.html", &text);
    assert!(!page.links.is_empty());
    for link in &page.links {
        let id = link.strip_prefix('#').unwrap_or_else(|| panic!("`{link}` leads elsewhere"));
        assert!(page.ids.contains(id), "no place for `{link}`");
    }
    for word in ["<script", "<link", "http:", "https:", "src=", "url(", "@import"] {
        assert!(!text.contains(word), "the page has {word}");
    }
    assert!(text.contains("const LESS = &quot;&lt;b&gt;&amp;&quot;;"), "{text}");
    assert!(text.contains("prefers-color-scheme: dark") && text.contains("intrinsic closure 1×"));
    // A new page replaces the old one; an unwritable page is reported before the run.
    folder.star(&["run", "p.star", "--profile=p.html"]).prints("70\n");
    let ran = folder.star(&["run", "p.star", "--profile=no/p.html"]);
    ran.fails(5, &["error[E0509]"]);
    assert_eq!(ran.stdout, "");
    folder.star(&["run", "p.star", "--profile=p.txt"]).fails(5, &["error[E0506]", "`.html`"]);
    assert_eq!(folder.names(), ["p.html", "p.star"]);
}

#[test]
fn json_messages_contain_the_profile_as_an_object() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    let ran = folder.star(&["run", "p.star", "--profile", "--cost", "--error-format", "json"]);
    let objects: Vec<Value> =
        ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let cost = objects.iter().find_map(|object| object["cost"]["operations"].as_u64());
    let profile = objects.iter().find_map(|object| object["profile"]["operations"].as_u64());
    assert!(cost.is_some() && cost == profile, "{ran:?}");
}

#[test]
fn interrupted_runs_and_closed_stdout_have_a_profile() {
    let folder = Folder::new(&[("e.star", ENDLESS)]);
    for backend in ["cpu", "reference"] {
        let mut command = folder.command(&["run", "e.star", "--profile", "--backend", backend]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        kill(&child, "-INT");
        let ran = Ran::of(child.wait_with_output().unwrap());
        ran.fails(130, &["error[L0106]", "profile: e.star", "e.star:5", "while true do i := 1"]);
        assert_eq!(ran.stdout, "begun\n");
    }
    let many = "program M; var i: integer; begin for i := 1 to 100000 do\n print(i) end.";
    folder.write("m.star", many.as_bytes());
    let ran = folder.shell("\"$STAR\" run m.star --profile | head -1; exit ${PIPESTATUS[0]}");
    ran.fails(141, &["profile: m.star", "m.star:2"]);
    assert_eq!(ran.stdout, "1\n");
    let ran = folder.shell("\"$STAR\" run m.star --profile 2>&1 >/dev/null | head -1");
    assert!(ran.stdout.starts_with("profile: "), "{ran:?}");
}

#[test]
fn loops_with_more_work_are_charged_more_time() {
    // Alternating, since test machines are busy at times.
    let text = "program R; var X, Y: slice(100000); i, k: integer;
begin
  SET(X); Y := X;
  for k := 1 to 100 do begin
    for i := 1 to 10 do
      Y := X xor Y;
    for i := 1 to 30 do
      Y := X xor Y
  end
end.";
    let folder = Folder::new(&[("p.star", text)]);
    let profile = object(&folder, &["run", "p.star", "--backend", "reference"]);
    let ns = |number: u64| line(&profile, number)["ns"].as_u64().unwrap() as f64;
    let share = ns(8) / (ns(6) + ns(8));
    // Three quarters on an idle machine; here only the majority is required.
    assert!(share > 0.5, "{share} of {profile:#}");
    assert!(ns(6) + ns(8) > 0.5 * profile["ns"].as_u64().unwrap() as f64, "{profile:#}");
}

#[test]
fn programs_of_100_000_lines_can_be_profiled() {
    let mut text = String::from("program L;\nvar i: integer;\nbegin\n  i := 0;\n");
    for _ in 0..100_000 {
        text += "  i := i + 1;\n";
    }
    text += "  print(i)\nend.\n";
    let folder = Folder::new(&[("l.star", &text)]);
    let ran = folder.star(&["run", "l.star", "--profile=l.html"]);
    ran.prints("100000\n");
    let page = fs::read_to_string(folder.path("l.html")).unwrap();
    assert!(page.contains("<span class=\"number\">100005</span>"));
    let ran = folder.star(&["run", "l.star", "--profile"]);
    assert!(ran.stderr.lines().count() < 60, "{}", ran.stderr.lines().count());
}

#[test]
fn loop_lines_show_their_transformation() {
    let program = "\
procedure P(n: integer; var T: table);
var X: slice(T); w: word; i: integer;
begin
  X := COL(1,T); w := ROW(1,T);
  while SOME(X) do
  begin
    i := STEP(X);
    ROW(i,T) := ROW(i,T) or w
  end;
  for i := 1 to n do print(i)
end;
";
    let folder = Folder::new(&[("p.star", program)]);
    let run = ["run", "p.star", "n=1", "T=10 01"];
    let profile = object(&folder, &run);
    let plan = |number: u64| line(&profile, number)["plan"].clone();
    let expected = "foreach, then forall, then a kernel over the rows of `T`; many lines at a time";
    assert_eq!(plan(5), serde_json::json!([expected]));
    assert_eq!(plan(10), serde_json::json!(["as written: its body prints, reads or writes"]));
    assert_eq!(plan(4), serde_json::json!([]));
    let table = folder.star(&[&run[..], &["--profile"]].concat());
    let row = "for i := 1 to n do print(i)  [as written: its body prints, reads or writes]";
    assert!(table.stderr.contains(row), "{table:?}");
    // The text of `--explain-plan`.
    let told = folder.star(&[&run[..], &["--explain-plan"]].concat());
    assert!(told.stderr.contains("as written: its body prints, reads or writes"), "{told:?}");
}
