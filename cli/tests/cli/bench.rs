//! `star bench`, `star benchcmp` and `star benchpage`. No test depends on durations.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{ENDLESS, Folder, Ran, kill};

/// The closure of a path and of random graphs; n is the number of vertices.
const CLOSURE: &str = "\
import \"star:closure\";
/* @bench closure of random graphs
   run  BY_ROWS
   n    = 8, 16, 12
   seed = 7
   m    = {2*n}
   P    = adjacency: gen gnm -n {n} -m {m} --seed {seed}
   published n=12: 3 ms \"another machine\"
*/
procedure BY_ROWS(n: integer; var P: table);
begin WARSHALL(n,P) end;
";

/// Options for a short measurement.
const SHORT: [&str; 6] = ["--runs", "2", "--time", "1ms", "--probe", "64K"];

fn bench(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.star(&[&["bench"], arguments, &SHORT].concat())
}

fn json_of(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.path(name)).unwrap()).unwrap()
}

#[test]
fn each_case_has_a_row_per_backend_with_and_without_natives() {
    let folder = Folder::new(&[("closure.star", CLOSURE)]);
    let ran = bench(&folder, &["closure.star", "--backends", "cpu,reference", "--out", "o.json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let record = json_of(&folder, "o.json");
    assert_eq!(record["schema"], 1);
    assert_eq!(record["interrupted"], false);
    assert_eq!(record["tool"]["name"], "star");
    assert!(record["machine"]["threads"].as_u64() >= Some(1));
    let speeds = record["bandwidth"].as_array().unwrap();
    assert!(speeds.iter().all(|speed| speed["read_gb_per_s"].as_f64() > Some(0.0)));
    assert!(speeds.iter().any(|speed| speed["when"] == "after"));
    let rows = record["rows"].as_array().unwrap();
    let by = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
        (row["parameters"]["n"].as_i64().unwrap(), text("backend"), text("intrinsics"))
    };
    let mut expected = Vec::new();
    for n in [8, 12, 16] {
        for (backend, intrinsics) in [("cpu", "on"), ("cpu", "off"), ("reference", "none")] {
            expected.push((n, backend.to_owned(), intrinsics.to_owned()));
        }
    }
    let ours: Vec<&Value> = rows.iter().filter(|row| row["source"] == "star").collect();
    assert_eq!(ours.iter().map(|row| by(row)).collect::<Vec<_>>(), expected);
    for row in &ours {
        assert_eq!(row["parameters"]["m"], 2 * row["parameters"]["n"].as_i64().unwrap());
        assert_eq!((&row["size"], &row["variant"]), (&json!("n"), &json!("default")));
        assert_eq!((&row["file"], &row["routine"]), (&json!("closure.star"), &json!("BY_ROWS")));
        assert!(row["time"]["median_s"].as_f64() > Some(0.0) && row["error"].is_null());
        assert!(row["time"]["samples_s"].as_array().unwrap().len() <= 2);
        assert_eq!(row["intrinsic_calls"], u64::from(row["intrinsics"] == "on"));
    }
    // All backends have the same results and operation counts.
    for three in ours.chunks(3) {
        assert!(three.iter().all(|row| row["hash"] == three[0]["hash"]));
        assert!(three.iter().all(|row| row["operations"] == three[0]["operations"]));
        assert!(three[0]["operations"].as_u64() > Some(0));
    }
    assert_ne!(ours[0]["hash"], ours[3]["hash"]);
    // A published time is shown with its case.
    let published = rows.iter().find(|row| row["source"] == "published").unwrap();
    assert_eq!(published["parameters"], json!({ "n": 12, "m": 24, "seed": 7 }));
    assert_eq!(published["time"]["median_s"], 3e-3);
    // The operations are those of `star run --cost`.
    let graph = "P=adjacency:gen gnm -n 8 -m 16 --seed 7";
    let cost =
        folder.star(&["run", "closure.star", "--cost", "--error-format", "json", "n=8", graph]);
    let cost: Value = serde_json::from_str(cost.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(cost["cost"]["operations"], ours[0]["operations"]);
}

#[test]
fn natives_are_selectable_and_programs_without_them_run_once() {
    let own = "/* @bench own\n n = 6\n P = gen gnm -n 6 -m 9 */\n\
        procedure HALF(n: integer; P: table; var X: slice(P));\n\
        begin X:=COL(n,P) and COL(1,P) end;";
    let folder = Folder::new(&[("a.star", CLOSURE), ("own.star", own)]);
    let intrinsics = |arguments: &[&str]| {
        let ran = bench(&folder, &[arguments, &["--out", "o.json", "--quick"]].concat());
        assert_eq!(ran.code, 0, "{ran:#?}");
        let record = json_of(&folder, "o.json");
        let rows = record["rows"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["source"] == "star");
        rows.map(|row| row["intrinsics"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(intrinsics(&["a.star", "--intrinsics", "on"]), ["on"]);
    assert_eq!(intrinsics(&["a.star", "--intrinsics", "off"]), ["off"]);
    assert_eq!(intrinsics(&["a.star"]), ["on", "off"]);
    // Counting steps disables intrinsics.
    assert_eq!(intrinsics(&["a.star", "--max-steps", "1000000"]), ["off"]);
    assert_eq!(intrinsics(&["own.star"]), ["none"]);
    assert_eq!(intrinsics(&["--filter", "OWN"]), ["none"]);
}

#[test]
fn rows_list_the_applied_passes() {
    let folder = Folder::new(&[("closure.star", CLOSURE)]);
    let variants = |arguments: &[&str]| {
        let quick = ["closure.star", "--quick", "--intrinsics", "off", "--out", "o.json"];
        let ran = bench(&folder, &[&quick, arguments].concat());
        assert_eq!(ran.code, 0, "{ran:#?}");
        let record = json_of(&folder, "o.json");
        let rows = record["rows"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["source"] == "star");
        rows.map(|row| row["variant"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(variants(&[]), ["default"]);
    assert_eq!(variants(&["--no-pass", "dead", "--no-pass", "copies"]), ["no dead, copies"]);
    assert_eq!(variants(&["--max-steps", "1000000"]), ["as lowered"]);
}

const FAILING: &str = "\
/* @bench trap
   run  AT
   i    = 1, 5, 2
   X    = 010 */
/* @bench missing
   run  READ
   T    = missing.mtx */
/* @bench unknown routine
   run  NOBODY */
/* @bench endless
   run  ENDLESS */
procedure AT(i: integer; X: slice; var b: integer);
begin b:=INT(X(i)) end;
procedure READ(T: table; var b: integer);
begin b:=size(T) end;
procedure ENDLESS(var b: integer);
begin while true do b:=1 end;
";

#[test]
fn failures_become_rows_and_the_rest_is_measured() {
    let failing = FAILING.replace("INT(X(i))", "i; if X(i)=1 then b:=7");
    let broken = "/* @bench broken */ program P; begin x:=1 end.";
    let wrong = "/* @bench wrong\n n = 3..1\n bnech */ program P; begin print(1) end.";
    let files =
        [("a.star", failing.as_str()), ("b.star", broken), ("c.star", wrong), ("d.star", CLOSURE)];
    let folder = Folder::new(&files);
    let ran = bench(&folder, &["--max-time", "100ms", "--out", "o.json"]);
    let record = json_of(&folder, "o.json");
    let rows = record["rows"].as_array().unwrap();
    let of = |title: &str| -> Vec<String> {
        let rows = rows.iter().filter(|row| row["title"] == title);
        rows.map(|row| row["error"]["code"].as_str().unwrap_or("ok").to_owned()).collect()
    };
    assert_eq!(of("trap"), ["ok", "ok", "T0101"]);
    assert_eq!(of("missing"), ["E0501"]);
    assert_eq!(of("unknown routine"), ["E0703"]);
    assert_eq!(of("endless"), ["L0103"]);
    assert_eq!(of("broken"), ["E0201"]);
    assert_eq!(of("headers"), ["E0703"]);
    assert_eq!(of("closure of random graphs"), ["ok"; 7]);
    assert_eq!(ran.code, 3, "that of the first one: {ran:#?}");
    let trap = rows.iter().find(|row| row["error"]["code"] == "T0101").unwrap();
    assert_eq!((&trap["parameters"]["i"], &trap["time"]), (&json!(5), &Value::Null));
    assert!(trap["error"]["message"].as_str().unwrap().contains("a.star:"), "{trap}");
    // Errors of programs and headers are reported with their positions.
    for part in ["error[E0201]", "b.star:1:", "error[E0703]", "c.star:3:2"] {
        assert!(ran.stderr.contains(part), "no `{part}` in {ran:#?}");
    }
    // The page shows them instead of measurements.
    let page = folder.star(&["benchpage", "o.json"]);
    assert_eq!(page.code, 0, "{page:#?}");
    let page = std::fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(page.contains("T0101: ") && page.contains("class=\"error\""));
}

#[test]
fn missing_benchmarks_are_an_error_with_help() {
    let folder = Folder::new(&[("a.star", "program P; begin end."), ("b.star", CLOSURE)]);
    bench(&folder, &["a.star"]).fails(2, &["error[E0609]: no benchmark in `a.star`", "@bench"]);
    bench(&folder, &["--filter", "xyz"]).fails(2, &["has `xyz` in its file, title or routine"]);
    bench(&folder, &["none"]).fails(1, &["E0111", "`none`"]);
    let unknown = ["b.star", "--backends", "cpu,abacus"];
    bench(&folder, &unknown)
        .fails(2, &["E0607", "unknown backend `abacus`", "available backends: `cpu`"]);
    bench(&folder, &["b.star", "--out", "no/such/o.json"])
        .fails(5, &["folder `no/such` does not exist"]);
    let svg = ["b.star", "--svg", "a.star/plots"];
    bench(&folder, &svg).fails(5, &["a.star/plots", "cannot create this folder"]);
    bench(&folder, &["b.star", "--with", "x.json"]).fails(2, &["--page"]);
    bench(&folder, &["b.star", "--page", "p.html", "--with", "x.json"]).fails(5, &["x.json"]);
    assert_eq!(folder.names(), ["a.star", "b.star"]);
}

#[test]
fn help_shows_a_valid_header() {
    let folder = Folder::new(&[]);
    let help = folder.star(&["bench", "--help"]).stdout;
    assert!(help.contains("     P    = gen gnm -n { n } -m {m} "), "{help}");
    let header = help.split("  /* ").nth(1).unwrap().split("*/").next().unwrap();
    let program = "procedure WARSHALL(n: integer; P: table; var k: integer); begin k:=n end;";
    folder.write("a.star", format!("/* {header}*/\n{program}").as_bytes());
    let ran = bench(&folder, &["a.star", "--quick"]);
    assert!(ran.code == 0 && ran.stdout.contains("n=500 m=750"), "{ran:#?}");
}

#[test]
fn closed_stdout_ends_the_measurement_quietly() {
    let folder = Folder::new(&[("a.star", CLOSURE)]);
    let ran =
        folder.shell("$STAR bench a.star --time 1ms --probe 64K | head -1; echo ${PIPESTATUS[0]}");
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.starts_with("a.star: closure of random graphs"), "{ran:#?}");
    assert!(ran.stdout.ends_with("141\n") || ran.stdout.ends_with("\n0\n"), "{ran:#?}");
}

#[test]
fn ctrl_c_keeps_completed_measurements() {
    let endless = "/* @bench b endless */ program P; begin while true do assert(true) end.";
    let folder = Folder::new(&[("a.star", CLOSURE), ("b.star", endless)]);
    let mut command = folder.command(&[
        "bench", ".", "--runs", "1", "--probe", "64K", "--out", "o.json", "--svg", "plots",
    ]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The first file has been measured completely; the second has begun or is about to.
    let seen = lines.by_ref().take(8).map(Result::unwrap).collect::<Vec<_>>();
    assert!(seen[7].trim_start().starts_with("n=16"), "{seen:?}");
    kill(&child, "-INT");
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130), "{message}");
    assert!(message.contains("partial results are in o.json, plots"), "{message}");
    assert_eq!(std::fs::read_dir(folder.path("plots")).unwrap().count(), 1);
    let record = json_of(&folder, "o.json");
    assert_eq!(record["interrupted"], true);
    let rows = record["rows"].as_array().unwrap();
    let timed = rows.iter().filter(|row| row["source"] == "star" && row["error"].is_null()).count();
    assert_eq!(timed, 6, "{rows:#?}");
    // It uses no routine with an intrinsic.
    let ended = rows.iter().filter(|row| row["error"]["code"] == "interrupted");
    assert!(ended.clone().all(|row| row["intrinsics"] == "none"), "{rows:#?}");
}

/// A benchmark file with one row of these samples.
fn measured(samples: &[f64], hash: &str) -> Value {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    json!({
        "schema": 1,
        "machine": { "cpu": "A", "threads": 2 },
        "rows": [{
            "source": "star", "file": "a.star", "title": "t", "parameters": { "n": 5 },
            "backend": "cpu", "intrinsics": "none", "variant": "default", "hash": hash,
            "time": { "median_s": sorted[samples.len() / 2], "samples_s": samples },
        }],
    })
}

fn around(seconds: f64) -> Vec<f64> {
    (0..20).map(|i| seconds * (1.0 + f64::from(i) / 1000.0)).collect()
}

fn compared(old: &Value, new: &Value, arguments: &[&str]) -> Ran {
    let folder = Folder::new(&[]);
    folder.write("old.json", old.to_string().as_bytes());
    folder.write("new.json", new.to_string().as_bytes());
    folder.star(&[&["benchcmp", "old.json", "new.json"], arguments].concat())
}

#[test]
fn significant_changes_exceed_the_noise() {
    let old = measured(&around(0.010), "1");
    for (seconds, words) in [(0.020, "slower"), (0.005, "faster"), (0.0102, "no change")] {
        let ran = compared(&old, &measured(&around(seconds), "1"), &[]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.lines().nth(1).unwrap().ends_with(words), "{ran:#?}");
    }
    let few = compared(&measured(&[0.1, 0.1], "1"), &measured(&[0.2, 0.2], "1"), &[]);
    assert!(few.stdout.contains("too few samples to decide"), "{few:#?}");
    let little = compared(&old, &measured(&around(0.0102), "1"), &["--noise", "0.001"]);
    assert!(little.stdout.contains(": slower"), "{little:#?}");
}

#[test]
fn exit_codes_report_slower_or_failed_benchmarks() {
    let old = measured(&around(0.010), "1");
    let slower = measured(&around(0.020), "1");
    assert_eq!(compared(&old, &slower, &["--fail-above", "1.5"]).code, 6);
    assert_eq!(compared(&old, &slower, &["--fail-above", "2.5"]).code, 0);
    assert_eq!(compared(&slower, &old, &["--fail-above", "1.5"]).code, 0);
    let mut failing = old.clone();
    failing["rows"][0]["time"] = Value::Null;
    failing["rows"][0]["error"] = json!({ "code": "T0101", "message": "index 7" });
    let ran = compared(&old, &failing, &["--fail-above", "9"]);
    assert_eq!(ran.code, 6);
    assert!(ran.stdout.contains("fails now: T0101: index 7"), "{ran:#?}");
    assert_eq!(compared(&old, &failing, &[]).code, 0);
    compared(&old, &slower, &["--fail-above", "0.5"]).fails(2, &["at least 1"]);
}

#[test]
fn reports_different_machines_rows_and_results() {
    let old = measured(&around(0.010), "1");
    let mut new = measured(&around(0.010), "2");
    new["machine"]["cpu"] = json!("B");
    let ran = compared(&old, &new, &[]);
    assert!(ran.stdout.contains("processor: A and B"), "{ran:#?}");
    assert!(ran.stdout.contains("its results differ"), "{ran:#?}");
    let mut gone = new.clone();
    gone["rows"][0]["parameters"]["n"] = json!(6);
    let ran = compared(&old, &gone, &[]);
    for part in ["not in the new file", "not in the old file", "2 rows: "] {
        assert!(ran.stdout.contains(part), "{part}: {ran:#?}");
    }
    let ran = compared(&old, &gone, &["--format", "json"]);
    let object: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(object["summary"]["only_old"], 1);
    assert_eq!(object["rows"][1]["change"], "only_new");
    assert_eq!(object["conditions_differ"], json!(["processor: A and B"]));
}

#[test]
fn rejects_non_benchmark_files() {
    let folder = Folder::new(&[("no.json", "{"), ("other.json", "{\"schema\": 9}")]);
    folder.write("ok.json", measured(&around(0.01), "1").to_string().as_bytes());
    folder.write("bin.json", &[0xff, 0xfe, 0]);
    let compare = |file: &str| folder.star(&["benchcmp", "ok.json", file]);
    compare("no.json").fails(5, &["error[E0502]", "no.json"]);
    compare("other.json").fails(5, &["schema 9"]);
    compare("bin.json").fails(5, &["it is not valid UTF-8"]);
    compare("none.json").fails(5, &["error[E0501]", "none.json"]);
    folder.write("text.json", b"{\"schema\": 1,\n \"rows\": [\"x\"]}");
    compare("text.json").fails(5, &["text.json:2:", "expected an object (row)"]);
    for seconds in [1e308, 5e-324, 0.0] {
        let none = measured(&[seconds; 3], "1").to_string();
        folder.write("end.json", none.as_bytes());
        compare("end.json").fails(5, &["row 1: `median_s` is", "1e-12 to 1e12 seconds"]);
        folder.star(&["benchpage", "end.json"]).fails(5, &["row 1: `median_s`"]);
    }
    folder.star(&["benchpage", "no.json"]).fails(5, &["no.json"]);
    assert!(!folder.path("page.html").exists());
}

#[test]
fn page_and_plots_include_peers_and_escape_text() {
    let hostile = CLOSURE.replace("closure of random graphs", "<img src=x onerror=alert(1)> & co");
    let folder = Folder::new(&[("a.star", hostile.as_str())]);
    let ran = bench(&folder, &["a.star", "--out", "o.json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let mut peers = json_of(&folder, "o.json");
    let mut rows = peers["rows"].as_array().unwrap().clone();
    rows.retain(|row| row["intrinsics"] == "on");
    for row in &mut rows {
        row["source"] = json!("peer");
        row["name"] = json!("<b>other</b>");
        row["conditions"] = json!("in turn & \"alone\"");
    }
    peers["rows"] = json!(rows);
    folder.write("peers.json", peers.to_string().as_bytes());
    let page = ["benchpage", "o.json", "peers.json", "-o", "p.html", "--svg", "plots"];
    let ran = folder.star(&page);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let html = std::fs::read_to_string(folder.path("p.html")).unwrap();
    for part in
        ["&lt;b&gt;other&lt;/b&gt;", "in turn &amp; &quot;alone&quot;", "another machine", "* of "]
    {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("<img") && !html.contains("<b>") && !html.contains("<script"));
    let plots: Vec<_> = std::fs::read_dir(folder.path("plots")).unwrap().collect();
    assert_eq!(plots.len(), 1);
    let svg = std::fs::read_to_string(plots[0].as_ref().unwrap().path()).unwrap();
    assert!(
        svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && !svg.contains("<img")
    );
    // Writes the same page directly.
    let ran = bench(&folder, &["a.star", "--page", "q.html", "--with", "peers.json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let html = std::fs::read_to_string(folder.path("q.html")).unwrap();
    assert!(html.contains("&lt;b&gt;other&lt;/b&gt;"));
}

#[test]
fn the_suite_runs() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/suite");
    let folder = Folder::new(&[]);
    let ran = folder.star(&["bench", suite, "--quick", "--out", "o.json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let record = json_of(&folder, "o.json");
    let rows = record["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["error"].is_null()));
    let files = ["basic.star", "closure.star", "dynamic.star", "paths.star", "trees.star"];
    for file in files {
        assert!(rows.iter().any(|row| row["file"] == file && row["hash"].is_string()), "{file}");
    }
}

#[test]
fn options_after_run_apply_to_their_header() {
    let text = "\
/* @bench few steps
   run  COUNT --max-steps 5
   n    = 100 */
/* @bench enough
   run  COUNT
   n    = 100 */
/* @bench no option
   run  COUNT --backend cpu
   n    = 100 */
procedure COUNT(n: integer; var k: integer);
begin k:=0; while k<n do k:=k+1 end;
";
    let folder = Folder::new(&[("a.star", text)]);
    let ran = bench(&folder, &["a.star", "--out", "o.json"]);
    assert_eq!(ran.code, 4, "{ran:#?}");
    let record = json_of(&folder, "o.json");
    let rows = record["rows"].as_array().unwrap();
    let codes = rows.iter().map(|row| row["error"]["code"].as_str()).collect::<Vec<_>>();
    assert_eq!(codes, [Some("L0101"), None, Some("E0703")]);
    assert!(ran.stderr.contains("a.star:8:15"), "{ran:#?}");
}

#[cfg(feature = "gpu")]
#[test]
fn gpus_are_named_and_device_times_have_a_column() {
    let folder = Folder::new(&[("closure.star", CLOSURE)]);
    let ran =
        bench(&folder, &["closure.star", "--backends", "cpu,gpu", "--quick", "--out", "o.json"]);
    if ran.stderr.contains("`gpu` is not available") {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{ran:#?}");
        return;
    }
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.stdout.contains(" device "), "{ran:#?}");
    let record = json_of(&folder, "o.json");
    assert!(record["adapter"].as_str().is_some_and(|name| name.contains("threads")), "{record}");
    let rows = record["rows"].as_array().unwrap();
    let (on_card, others): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["backend"] == "gpu");
    assert!(!on_card.is_empty() && others.iter().all(|row| row["device_s"].is_null()));
    for row in on_card {
        let [device, run] = [&row["device_s"], &row["time"]["median_s"]].map(Value::as_f64);
        // A separate clock may differ slightly.
        assert!(device > Some(0.0) && device < run.map(|run| 1.5 * run), "{row}");
    }
}

#[test]
fn the_probe_needs_a_measurement_and_respects_the_memory_limit() {
    let folder = Folder::new(&[("closure.star", CLOSURE)]);
    folder.write("wrong.star", CLOSURE.replace("WARSHALL(n", "UNKNOWN(n").as_bytes());
    let ran = folder.star(&["bench", "wrong.star", "--out", "o.json"]);
    assert_eq!(ran.code, 1, "{ran:#?}");
    assert_eq!(json_of(&folder, "o.json")["bandwidth"], json!([]));
    let short = ["--runs", "2", "--time", "1ms", "--max-memory", "1M", "--out", "o.json"];
    let ran = folder.star(&[&["bench", "closure.star"], &short[..]].concat());
    assert_eq!(ran.code, 0, "{ran:#?}");
    let record = json_of(&folder, "o.json");
    let speeds = record["bandwidth"].as_array().unwrap();
    assert!(!speeds.is_empty());
    assert!(speeds.iter().all(|speed| speed["bytes"].as_u64() <= Some(1 << 20)), "{record}");
}

#[test]
fn probes_larger_than_the_memory_are_refused() {
    let folder = Folder::new(&[("closure.star", CLOSURE)]);
    let run = |arguments: &[&str]| {
        folder.star(&[&["bench", "closure.star", "--quick", "--out", "o.json"], arguments].concat())
    };
    let ran = run(&["--probe", "99999G"]);
    ran.fails(2, &["error[E0608]", "`--probe` requires", "M` or less"]);
    let ran = run(&["--probe", "2M", "--max-memory", "1M"]);
    ran.fails(2, &["at most 1.0 MiB are allowed", "use `--probe 1M` or less"]);
    assert_eq!(folder.names(), ["closure.star"]);
    let ran = run(&["--probe", "512M", "--max-time", "40ms"]);
    ran.fails(0, &["the memory speed was not measured: `--max-time` ended the probe"]);
    assert_eq!(json_of(&folder, "o.json")["bandwidth"], json!([]));
}

#[test]
fn an_interrupt_before_any_row_keeps_older_results() {
    let endless = "/* @bench endless */\n".to_owned() + ENDLESS;
    let folder = Folder::new(&[("e.star", &endless), ("o.json", "older"), ("p.html", "older")]);
    for delay in [300, 900] {
        let arguments = ["bench", "e.star", "--out", "o.json", "--page", "p.html", "--svg", "s"];
        let mut command = folder.command(&arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        kill(&child, "-INT");
        let ran = Ran::of(child.wait_with_output().unwrap());
        ran.fails(130, &["interrupted before anything was measured"]);
        for file in ["o.json", "p.html"] {
            assert_eq!(std::fs::read_to_string(folder.path(file)).unwrap(), "older");
        }
        assert!(!folder.path("s").exists());
    }
}

#[test]
fn outputs_in_the_folder_of_plots_are_refused_before_the_run() {
    let folder = Folder::new(&[("closure.star", CLOSURE)]);
    let plain = bench(&folder, &["closure.star", "--out", "o.json", "--svg", "sv"]);
    assert_eq!(plain.code, 0, "{plain:#?}");
    let plots: Vec<_> = std::fs::read_dir(folder.path("sv")).unwrap().flatten().collect();
    let plot = format!("sv/{}", plots[0].file_name().to_str().unwrap());
    let before = std::fs::read(folder.path(&plot)).unwrap();
    assert_eq!(folder.shell(&format!("ln -s {plot} link.svg; ln -s {plot} p.html")).code, 0);
    let shared = "two outputs must not share a file";
    for page in [plot.as_str(), "link.svg", "p.html"] {
        let ran = bench(&folder, &["closure.star", "--page", page, "--svg", "sv"]);
        assert_eq!(ran.stdout, "", "{ran:?}");
        assert!([2, 5].contains(&ran.code), "{ran:?}");
        let ran = folder.star(&["benchpage", "o.json", "-o", page, "--svg", "sv"]);
        assert!([2, 5].contains(&ran.code), "{ran:?}");
        assert!(page.ends_with("svg") || ran.stderr.contains(shared), "{ran:?}");
        assert_eq!(std::fs::read(folder.path(&plot)).unwrap(), before);
    }
}

#[test]
fn headers_read_only_permitted_files() {
    let text = "/* @bench of it\n   run P\n   T = ../secret/s.csv */\n\
                procedure P(T: table; var n: integer); begin n := rows(T) end;\n";
    let folder = Folder::new(&[("in/a.star", text), ("secret/s.csv", "x\n1\n")]);
    let refused = bench(&folder, &["in/a.star"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(refused.stdout.contains("may not be read"), "{refused:?}");
    let allowed = bench(&folder, &["in/a.star", "--allow-read", "secret"]);
    assert_eq!(allowed.code, 0, "{allowed:?}");
}
