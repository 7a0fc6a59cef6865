//! Help in context: unknown words, the offers of `--graph`, the duration of a run.

use crate::support::{Folder, PATH, WARSHALL};

#[test]
fn words_find_related_documentation() {
    let folder = Folder::new(&[]);
    for (words, wanted) in [
        (&["tree"][..], "star:mst"),
        (&["shortest", "path"], "DIJKSTRA"),
        (&["shortest path"], "DIJKSTRA"),
        (&["csv"], "formats: CSV"),
        (&["minimum"], "MIN (library/search.star)"),
        (&["field"], "formats: "),
    ] {
        let ran = folder.star(&[&["doc"], words].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let query = words.join(" ");
        assert!(ran.stdout.starts_with(&format!("Results for `{query}`:\n")), "{ran:?}");
        assert!(ran.stdout.contains(&format!("   {wanted}")), "{wanted} in {ran:?}");
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{ran:?}");
    }
    let csv = folder.star(&["doc", "formats: CSV"]);
    assert!(
        csv.code == 0 && csv.stdout.starts_with("CSV, docs/src/reference/formats.md\n"),
        "{csv:?}"
    );
    // Unknown words are left out and named.
    let partly = folder.star(&["doc", "xyzzy", "tree"]);
    assert!(
        partly.stdout.starts_with("Results for `xyzzy tree`, without `xyzzy`:\n"),
        "{partly:?}"
    );
    folder.star(&["doc", "xyzzy", "xyzzz"]).fails(2, &["error[E0608]", "`xyzzy"]);
    folder.star(&["doc", "MATHC"]).fails(2, &["did you mean `star doc MATCH`?"]);
    folder.star(&["doc", "tree", "--format", "html", "--out", "s"]).fails(2, &["error[E0608]"]);
    folder.star(&["doc", ""]).fails(2, &["error[E0608]"]);
}

#[test]
fn unmatched_parameters_list_the_offers_of_the_graph() {
    let text = "procedure T(n: integer; Adj: table; Z: slice; k: integer; w: word);\nbegin end;";
    let folder = Folder::new(&[("t.star", text), ("g.gr", PATH)]);
    let ran = folder.star(&["run", "t.star", "--graph", "g.gr"]);
    let parts = [
        "error[E0604]: `T` needs values for `Adj`, `Z`, `k`, `w`",
        "`--graph` provides a table as `G`, `P`, `adjacency`, `Cost`",
        "but not as `Adj`",
        "write `Adj=adjacency:FILE`",
        "`--graph` provides a slice as `S`, `E`, but not as `Z`",
        "write `Z=edges:FILE`",
        "`--graph` provides an integer as `n`, `m`, `h`, `b`, but not as `k`",
        "write `k=NUMBER`",
    ];
    ran.fails(2, &parts);
    let given = ["Adj=adjacency:g.gr", "Z=edges:g.gr", "k=1", "w=1"];
    folder.star(&[&["run", "t.star", "--graph", "g.gr"], &given[..]].concat()).prints("");
}

#[test]
fn time_reports_the_parts_of_a_run() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    let run = ["run", "w.star", "--proc", "WARSHALL", "--graph", "g.gr", "--time"];
    let ran = folder.star(&run);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = ran.stderr.lines().last().unwrap();
    let parts = line.strip_prefix("time: ").unwrap().split(", ");
    let names: Vec<&str> = parts.map(|part| part.split_once(' ').unwrap().0).collect();
    assert_eq!(names, ["compiling", "loading", "running", "results"]);
    let ran = folder.star(&[&run[..], &["--error-format", "json"]].concat());
    let line = ran.stderr.lines().last().unwrap();
    assert!(line.starts_with("{\"time\":{\"compiling\":"), "{line}");
    // A run ended by a limit reports them, too.
    let ran = folder.star(&[&run[..], &["--max-steps", "1e0"]].concat());
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("time: compiling "), "{ran:?}");
}

#[test]
fn counts_accept_zero_exponents_and_rows_need_a_sample() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    let run = ["run", "w.star", "--proc", "WARSHALL", "--graph", "g.gr", "--max-steps"];
    assert_eq!(folder.star(&[&run[..], &["1e9"]].concat()).code, 0);
    folder.star(&[&run[..], &["1e99"]].concat()).fails(2, &["the number does not fit 64 bits"]);
    folder.star(&[&run[..], &["1.5e3"]].concat()).fails(2, &["for example `1000000` or `1e6`"]);
    folder.star(&["bench", "w.star", "--runs", "0"]).fails(2, &["a row needs at least 1 sample"]);
}

#[cfg(unix)]
#[test]
fn data_for_closed_stdout_are_an_error() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    let run = "\"$STAR\" run w.star --proc WARSHALL --graph g.gr --out P=mtx:-";
    let closed = folder.shell(&format!("{run} >&-"));
    closed.fails(5, &["error[E0509]", "standard output is closed"]);
    // Output can be discarded explicitly.
    assert_eq!(folder.shell(&format!("{run} > /dev/null")).code, 0);
}
