//! Figures for papers: several routines and other programs on one plot, as picture and table;
//! history over several files. No test depends on durations.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Folder, Ran};

const TWO: &str = "\
import \"star:closure\";
/* @bench closure of random graphs
   run  ROWS, COLUMNS
   n    = 8, 16, 32
   m    = {2*n}
   P    = gen gnm -n {n} -m {m}
   published n=16: 3 ms \"another machine\" */
procedure ROWS(n: integer; var P: table); begin WARSHALL(n,P) end;
procedure COLUMNS(n: integer; var P: table); begin WARSHALL-C(n,P) end;
";

/// A program that checks its input and prints a time.
const PEER: &str = "\
head -1 \"$1\" | grep -q MatrixMarket || exit 3
test \"$2\" -gt 0 || exit 4
echo \"read $2 rows\"
echo \"time: $2 us\"
";

const WORDS: &str = "\
/* @bench words
   run COUNTED
   w = 0110, 1001
   n = 1, 2 */
procedure COUNTED(n: integer; w: word; var k: integer); begin k:=NUMB(w)+n end;
";

const SHORT: [&str; 8] = ["--runs", "2", "--time", "1ms", "--probe", "64K", "--intrinsics", "on"];

fn bench(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.star(&[&["bench", "two.star"], arguments, &SHORT].concat())
}

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(folder.path(name)).unwrap()).into_owned()
}

#[cfg(unix)]
#[test]
fn the_figure_of_a_paper_takes_three_commands() {
    let folder = Folder::new(&[("two.star", TWO), ("peer.sh", PEER)]);
    let peer = "other: sh peer.sh {input} {n}";
    let ran = bench(&folder, &["--peer", peer, "--out", "two.json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let figure = ["benchpage", "two.json", "--title", "Closure", "--axis", "n,m"];
    for out in ["figure.pdf", "figure.csv", "figure.svg", "figure.tex", "figure.html"] {
        let ran = folder.star(&[&figure[..], &["-o", out]].concat());
        assert_eq!(ran.code, 0, "{ran:#?}");
    }
    let csv = text(&folder, "figure.csv");
    // Six rows of Star, three of the peer, one published.
    assert_eq!(csv.lines().count(), 11, "{csv}");
    let peer = csv.lines().find(|line| line.contains(",peer,other,")).unwrap();
    assert!(peer.contains(",1.6e-5,") || peer.contains(",8e-6,"), "{peer}");
    assert!(text(&folder, "figure.pdf").starts_with("%PDF-1."));
    let (svg, tex) = (text(&folder, "figure.svg"), text(&folder, "figure.tex"));
    for line in ["ROWS, cpu, intrinsic", "COLUMNS, cpu, intrinsic", "other"] {
        assert!(svg.contains(&format!("\n{line}\n")), "{line}: {svg}");
        assert!(tex.contains(&format!("\\addlegendentry{{{line}}}")), "{line}: {tex}");
    }
    // The peer's times are exactly linear.
    assert!(svg.contains("n^1.00 (1.00 to 1.00), near n") && svg.contains("\nClosure\n"));
    assert!(text(&folder, "figure.html").contains("<h1>Closure</h1>"));
}

#[test]
fn rows_are_lines_of_json() {
    let folder = Folder::new(&[("two.star", TWO)]);
    let ran = bench(&folder, &["--format", "json", "--quick"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let routines: Vec<&Value> = lines
        .iter()
        .filter(|line| line["row"]["time"].is_object())
        .map(|line| &line["row"]["routine"])
        .collect();
    assert_eq!(routines, [&json!("ROWS"), &json!("COLUMNS")]);
    let summary = &lines.last().unwrap()["summary"];
    assert_eq!((&summary["failed"], &summary["interrupted"]), (&json!(0), &json!(false)));
}

#[cfg(unix)]
#[test]
fn failures_of_peers_are_rows() {
    let folder = Folder::new(&[("two.star", TWO), ("peer.sh", "echo no >&2; exit $1")]);
    let row = |peer: &str| -> Value {
        let ran = bench(&folder, &["--quick", "--peer", peer, "--out", "o.json"]);
        let record: Value = serde_json::from_str(&text(&folder, "o.json")).unwrap();
        let rows = record["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["source"] == "peer").unwrap();
        assert!(ran.code != 0 && row["time"].is_null(), "{ran:#?}");
        assert_eq!((ran.code, &row["error"]["code"]), (2, &json!("E0611")));
        assert!(ran.stderr.starts_with("error[E0611]: "), "{ran:#?}");
        row["error"]["message"].clone()
    };
    let message = row("sh peer.sh 7");
    assert!(message.as_str().unwrap().ends_with("exit status: 7: no"), "{message}");
    assert_eq!(row("x: sh peer.sh 0"), "`x` printed no time");
    assert!(row("no-such-program").as_str().unwrap().starts_with("cannot run `no-such-program`"));
    assert_eq!(row("sh peer.sh {q}"), "`{q}` names no value of the case, which has `P`, `m`, `n`");
    assert_eq!(
        row("echo 12 arcs"),
        "`echo` printed `12` without a unit; write a time as `0.5` or `500 ms`"
    );
}

/// The results of routines on one plot are compared by name.
#[test]
fn routines_with_other_results_are_rows_with_errors() {
    let other = TWO.replace("begin WARSHALL-C(n,P) end", "begin WARSHALL-C(n,P); CLEAR(1,P) end");
    let folder = Folder::new(&[("two.star", &other)]);
    let ran = bench(&folder, &["--quick", "--format", "json"]);
    assert_eq!(ran.code, 1, "{ran:#?}");
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let error = |routine: &str| {
        let row = lines.iter().map(|line| &line["row"]).find(|row| row["routine"] == routine);
        row.map(|row| (row["time"].is_object(), row["error"].clone())).unwrap()
    };
    assert_eq!(error("ROWS"), (true, Value::Null));
    let differs = json!({ "code": "E0704", "message": "its `P` differs from that of ROWS" });
    assert_eq!(error("COLUMNS"), (false, differs));
    // Results of other names have nothing in common.
    let renamed = other.replace(
        "n: integer; var P: table); begin WARSHALL-C(n,P); CLEAR(1,P) end",
        "n: integer; P: table; var Q: table); begin Q:=P; CLEAR(1,Q) end",
    );
    folder.write("two.star", renamed.as_bytes());
    assert_eq!(bench(&folder, &["--quick"]).code, 0);
}

/// Benchmarks of one title in two files are one plot, with one line of a peer.
#[cfg(unix)]
#[test]
fn a_peer_is_measured_once_for_a_title() {
    let folder = Folder::new(&[("two.star", TWO), ("three.star", TWO), ("peer.sh", PEER)]);
    let peer = "other: sh peer.sh {input} {n}";
    let ran = bench(&folder, &["three.star", "--quick", "--format", "json", "--peer", peer]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let count = |part: &str| ran.stdout.lines().filter(|line| line.contains(part)).count();
    assert_eq!((count("\"source\":\"peer\""), count("\"routine\":\"ROWS\"")), (1, 2));
}

/// A table names the measurements by the file that keeps them, not by another picture.
#[test]
fn sizes_without_a_place_are_noted_and_tables_name_their_measurements() {
    let zero = TWO.replace("n    = 8, 16, 32", "k    = 0, 1, 2\n   n    = {8+k}");
    let folder = Folder::new(&[("two.star", &zero)]);
    let ran = bench(&folder, &["--out", "o.svg", "--out", "o.csv"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let note = "note: the plot of `closure of random graphs` lacks 2 rows with k ≤ 0, which a \
                logarithmic axis cannot show";
    assert!(ran.stderr.contains(note), "{ran:#?}");
    assert!(text(&folder, "o.csv").contains("this run"), "{}", text(&folder, "o.csv"));
}

/// Bits of zeros and ones are no number for an axis.
#[test]
fn bits_are_no_axis() {
    let folder = Folder::new(&[("two.star", WORDS)]);
    let ran = bench(&folder, &["--quick", "--out", "o.svg", "--axis", "w"]);
    ran.fails(2, &["E0608", "has no integer parameter `w`"]);
    assert_eq!(bench(&folder, &["--quick", "--out", "o.svg"]).code, 0);
}

/// Errors may hide benchmarks and tests.
#[test]
fn files_with_errors_are_no_files_without_headers() {
    let folder = Folder::new(&[("two.star", "procedure A; begin x := end;")]);
    bench(&folder, &[]).fails(1, &["E0105"]);
    for path in ["two.star", "."] {
        folder.star(&["test", path]).fails(1, &["E0105"]);
    }
}

/// `star check` binds the values of headers.
#[test]
fn values_of_headers_are_checked() {
    let header = |lines: &str| {
        let folder = Folder::new(&[]);
        folder.write("two.star", TWO.replace("   m    = {2*n}\n", lines).as_bytes());
        folder.star(&["check", "two.star"])
    };
    assert_eq!(header("   m    = {2*n}\n").code, 0);
    header("   m    = 5\n   q    = many\n").fails(1, &["E0603", "`ROWS` has no parameter `q`"]);
    let missing = WORDS.replace("   w = 0110, 1001\n", "");
    let folder = Folder::new(&[("two.star", &missing)]);
    folder.star(&["check", "two.star"]).fails(1, &["E0604", "`w`"]);
}

#[test]
fn wrong_options_are_refused_before_anything_is_measured() {
    let folder = Folder::new(&[("two.star", TWO)]);
    bench(&folder, &["--peer", "a {n"]).fails(2, &["E0608", "`{`"]);
    let twice = ["--peer", "a {n}", "--peer", "a {m}"];
    bench(&folder, &twice).fails(2, &["E0608", "two `--peer` commands are called `a`"]);
    bench(&folder, &["--out", "x.png"]).fails(5, &["E0506", "`.svg`"]);
    bench(&folder, &["--axis", "a,b,c"]).fails(2, &["E0608", "one or two names"]);
    assert_eq!(folder.names(), ["two.star"]);
    let other = "/* @bench other\n   run ROWS\n   n = 4\n   P = gen gnm -n 4 -m 5 */\n";
    let two = TWO.replace("procedure ROWS", &format!("{other}procedure ROWS"));
    folder.write("two.star", two.as_bytes());
    for (arguments, part) in [
        (&["--out", "o.pdf"][..], "a picture shows one benchmark; the files have 2"),
        (&["--out", "o.csv", "--axis", "k"], "has no integer parameter `k`"),
        (&["--out", "o.csv", "--axis", "n,k"], "has no integer parameter `k`"),
        (&["--page", "o.html", "--axis", "k"], "has no integer parameter `k`"),
        (&["--out", "o.pdf", "--filter", "closure", "--title", "Граф"], "have no `Г`"),
    ] {
        let ran = bench(&folder, &[arguments, &["--quick", "--out", "o.json"]].concat());
        ran.fails(2, &["E0608", part]);
        assert_eq!((ran.stdout.as_str(), folder.names()), ("", vec!["two.star".to_owned()]));
    }
    let unused = "warning: `--title` is unused";
    let ran = bench(&folder, &["--quick", "--out", "o.json", "--title", "T", "--axis", "n"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.stderr.contains(unused) && ran.stderr.contains("`--axis` is unused"), "{ran:#?}");
    let compared = ["benchcmp", "o.json", "o.json", "--title", "T"];
    for (arguments, warns) in [
        (&["benchpage", "o.json", "--title", "T", "-o", "p.csv"][..], true),
        (&["benchpage", "o.json", "--title", "T", "--axis", "n", "-o", "p.json"], false),
        (&[&compared[..], &["-o", "p.csv"]].concat(), true),
        (&[&compared[..], &["-o", "p.html"]].concat(), false),
    ] {
        let ran = folder.star(arguments);
        assert_eq!((ran.code, ran.stderr.contains(unused)), (0, warns), "{ran:#?}");
    }
    for name in ["p.csv", "p.json", "p.html"] {
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    let page = |arguments: &[&str]| folder.star(&[&["benchpage", "o.json"], arguments].concat());
    page(&["--axis", "k", "-o", "p.csv"]).fails(2, &["has no integer parameter `k`"]);
    page(&["--filter", "none", "-o", "p.csv", "-o", "p.html"]).fails(2, &["`none`"]);
    assert_eq!(folder.names(), ["o.json", "two.star"]);
    assert_eq!(page(&["--filter", "closure", "-o", "p.pdf"]).code, 0);
    // One that fails does not prevent the others.
    let ran = page(&["-o", "all.csv", "-o", "all.pdf", "-o", "all.html"]);
    ran.fails(2, &["cannot write all.pdf: a picture shows", "written: `all.csv`, `all.html`"]);
    assert!(folder.path("all.csv").exists() && !folder.path("all.pdf").exists());
}

#[cfg(unix)]
#[test]
fn the_time_limit_applies_to_peers() {
    let folder = Folder::new(&[("two.star", TWO)]);
    let peer = ["--quick", "--filter", "ROWS", "--peer", "sleep 60", "--max-time", "2s"];
    let ran = bench(&folder, &peer);
    assert_eq!(ran.code, 4, "{ran:#?}");
    assert!(ran.stdout.contains("L0103: `sleep` took longer than `--max-time`"), "{ran:#?}");
}

#[test]
fn histories_show_all_files() {
    let folder = Folder::new(&[("two.star", TWO)]);
    for name in ["v1.json", "v2.json", "v3.json"] {
        assert_eq!(bench(&folder, &["--quick", "--out", name]).code, 0);
    }
    let files = ["benchcmp", "v1.json", "v2.json", "v3.json"];
    let ran = folder.star(&[&files[..], &["-o", "h.svg", "-o", "h.csv"]].concat());
    assert_eq!(ran.code, 0, "{ran:#?}");
    let heading = "two.star: closure of random graphs (COLUMNS)";
    assert!(ran.stdout.contains(heading) && ran.stdout.contains(" → "), "{ran:#?}");
    let svg = text(&folder, "h.svg");
    for label in ["v1", "v2", "v3"] {
        assert!(svg.contains(&format!("\n{label}\n")), "{svg}");
    }
    assert_eq!(text(&folder, "h.csv").lines().count(), 7);
    let json = folder.star(&[&files[..], &["--format", "json"]].concat());
    let object: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(object["history"][0]["seconds"].as_array().unwrap().len(), 3);
    folder.star(&["benchcmp", "v1.json"]).fails(2, &["E0608"]);
}
