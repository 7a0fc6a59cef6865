//! Sparse tables read from and written to files.

use crate::support::Folder;

const PROGRAM: &str = "\
procedure EDIT(i: integer; var T: table);
begin T(i,7) := 1; ROW(i+1,T) := ROW(5,T) end;
procedure KEEP(i: integer; var T: table);
begin T(i,7) := 1; write(T, \"kept.stb\") end;
procedure WHOLE(n: integer; var T: table);
var i: integer; X: slice;
begin X := COL(1,T); for i := 1 to n do begin X := X or COL(i,T); COL(i,T) := X end end;
";

/// Returns the sorted lines of a file.
fn lines(folder: &Folder, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path(name)).expect("a file");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn sparse_results_round_trip_unchanged() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    folder.star(&["gen", "gnm", "-n", "2000", "-m", "4000", "--seed", "3", "-o", "g.txt"]);
    let edit = ["run", "p.star", "--proc", "EDIT"];
    let mut printed = Vec::new();
    for form in ["sparse", "dense"] {
        let (stb, mtx) = (format!("T={form}.stb"), format!("T={form}.mtx"));
        let more = ["i=3", "T=adjacency:g.txt", "--table-form", form, "--out", &stb, "--out", &mtx];
        let ran = folder.star(&[&edit[..], &more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        printed.push(ran.stdout);
    }
    assert_eq!(printed[0], printed[1]);
    assert_eq!(lines(&folder, "sparse.mtx"), lines(&folder, "dense.mtx"));
    let bytes = |name: &str| std::fs::read(folder.path(name)).expect("a file");
    assert_eq!((bytes("sparse.stb")[8], bytes("dense.stb")[8]), (2, 1));
    assert!(bytes("sparse.stb").len() < bytes("dense.stb").len() / 4);
    for (from, to, form) in
        [("sparse", "a", None), ("sparse", "b", Some("dense")), ("dense", "c", None)]
    {
        let (from, to) = (format!("T={from}.stb"), format!("T={to}.mtx"));
        let forced = form.map_or(Vec::new(), |form| vec!["--table-form", form]);
        let ran = folder.star(&[&edit[..], &["i=9", &from, "--out", &to], &forced].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let stays = to == "T=a.mtx";
        assert_eq!(ran.stderr.contains("sparse by rows, as in the file"), stays, "{ran:?}");
    }
    assert_eq!(lines(&folder, "a.mtx"), lines(&folder, "c.mtx"));
    assert_eq!(lines(&folder, "b.mtx"), lines(&folder, "c.mtx"));
}

#[test]
fn sparse_tables_can_be_edited_if_dense_ones_do_not_fit() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    folder.star(&["gen", "gnm", "-n", "30000", "-m", "60000", "--seed", "3", "-o", "g.txt"]);
    let run = |arguments: &[&str]| {
        folder.star(&[&["run", "p.star", "--max-memory", "20M", "--proc"], arguments].concat())
    };
    // The dense table would need 112 MB.
    let first = run(&["EDIT", "i=3", "T=adjacency:g.txt", "--out", "T=first.stb"]);
    assert_eq!(first.code, 0, "{first:?}");
    let second = run(&["KEEP", "i=3", "T=first.stb", "--out", "T=second.stb"]);
    assert_eq!(second.code, 0, "{second:?}");
    let bytes = |name: &str| std::fs::read(folder.path(name)).expect("a file");
    assert!(bytes("first.stb").len() < 2_000_000);
    assert_eq!(bytes("first.stb"), bytes("second.stb"));
    assert_eq!(bytes("first.stb"), bytes("kept.stb"));
    let whole = run(&["WHOLE", "n=30000", "T=first.stb", "--table-form", "dense"]);
    whole.fails(4, &["error[E0511]: first.stb: the table needs 107.", "MiB dense and"]);
    let cut = bytes("first.stb").len() / 2;
    folder.write("cut.stb", &bytes("first.stb")[..cut]);
    let ran = run(&["EDIT", "i=3", "T=cut.stb"]);
    ran.fails(5, &["cut.stb: the header implies"]);
}

#[test]
fn table_layouts_are_reported_with_the_reason() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    folder.star(&["gen", "gnm", "-n", "30000", "-m", "60000", "--seed", "3", "-o", "g.txt"]);
    let run = |file: &str, proc: &str, arguments: &[&str]| {
        let ran = folder.star(&[&["run", file, "--proc", proc, "--explain"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stderr
    };
    let told = run("star:reach", "BFS", &["s=1", "--graph", "g.txt"]);
    let line = "lines, fields and bits are read: sparse where that uses much less memory";
    assert!(told.contains(line) && told.contains("` is sparse by rows, "), "{told}");
    let told = run("star:reach", "BFS", &["s=1", "--graph", "g.txt", "--table-form", "dense"]);
    assert!(told.contains("` is dense by rows, 107."), "{told}");
    let told = run("p.star", "EDIT", &["i=3", "T=adjacency:g.txt", "--max-memory", "20M"]);
    assert!(told.contains("sparse where a dense table does not fit"), "{told}");
    let told = run("p.star", "WHOLE", &["n=9", "T=adjacency:g.txt"]);
    let told = told.split_once("`T` is").expect("the layout of `T`").1;
    assert!(told.starts_with(" dense by columns, 107."), "{told}");
}

#[test]
fn sessions_load_graphs_that_fit_only_sparse() {
    let folder = Folder::new(&[]);
    folder.star(&["gen", "gnm", "-n", "30000", "-m", "60000", "--seed", "3", "-o", "g.txt"]);
    let input = "import \"star:closure\";\nn\nCONDENSE(n, G, H)\n:type G\n\
        REACHABLE(H, 1, X)\nNUMB(X) > 20000\n:type X\nG\n";
    let arguments = ["repl", "--graph", "g.txt", "--max-memory", "60M"];
    let ran = folder.star_with_input(&arguments, input);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in
        ["table(30000, 30000): sparse by rows, ", " instead of 107.", "true", "slice(30000)"]
    {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    // A declared name is a separate variable: the graph offers only `n`.
    let ran = folder.star_with_input(&arguments, "var a,G: table(n,3); b: integer\n:type G\n");
    assert!(ran.stdout.contains("table(30000, 3)"), "{ran:?}");
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert!(told.contains("`n` comes from") && !told.contains("`G` comes from"), "{told}");
    // A backend without sparse tables loads it dense, which does not fit.
    let on_reference = [&arguments[..], &["--backend", "reference"]].concat();
    folder.star_with_input(&on_reference, "G\n").fails(4, &["error[E0511]: g.txt: "]);
}

#[cfg(feature = "gpu")]
#[test]
fn gpus_load_sparse_tables_dense_or_report_that_they_do_not_fit() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    let run = |arguments: &[&str]| {
        folder.star(&[&["run", "p.star", "--proc", "EDIT"], arguments].concat())
    };
    folder.star(&["gen", "gnm", "-n", "2000", "-m", "4000", "--seed", "3", "-o", "g.txt"]);
    let made = run(&["i=3", "T=adjacency:g.txt", "--table-form", "sparse", "--out", "T=s.stb"]);
    assert_eq!(made.code, 0, "{made:?}");
    let ran = run(&["i=9", "T=s.stb", "--backend", "auto"]);
    assert!(ran.stderr.contains("backend cpu: sparse tables stay on the host"), "{ran:?}");
    let on_card = ["i=9", "T=s.stb", "--backend", "gpu"];
    let ran = run(&[&on_card[..], &["--explain", "--out", "T=gpu.mtx"]].concat());
    if ran.stderr.contains("`gpu` is not available") {
        assert!(std::env::var_os("STAR_REQUIRE_ADAPTER").is_none(), "{ran:?}");
        return;
    }
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("sparse ones stay on the host"), "{ran:?}");
    assert_eq!(run(&["i=9", "T=s.stb", "--out", "T=cpu.mtx"]).code, 0);
    assert_eq!(lines(&folder, "gpu.mtx"), lines(&folder, "cpu.mtx"));
    // 2000 × 2000 bits are 500 kB.
    let refused = run(&[&on_card[..], &["--max-memory", "400K"]].concat());
    assert!(refused.stderr.contains("E0511") && refused.stderr.contains("must be dense"));
    let forced = run(&["i=9", "T=adjacency:g.txt", "--backend", "gpu", "--table-form", "sparse"]);
    assert!(
        forced.stderr.contains("the backend `gpu` does not support sparse tables"),
        "{forced:?}"
    );
}
