//! Binding of command-line arguments to routines, and E0601 to E0608.

use crate::support::{Folder, PATH, WARSHALL};

/// Parameters of every type, printed.
const ALL: &str = "\
procedure ALL(n: integer; b: boolean; s: string; X: slice; w: word; T: table);
begin
  print(n, \" \", b, \" \", s, \" \", X, \" \", w, \" \", rows(T), \" \", size(T))
end;
";

#[test]
fn parameters_of_every_type_are_bound_by_name() {
    let folder = Folder::new(&[("a.star", ALL), ("g.gr", PATH)]);
    let arguments = ["run", "a.star", "T=g.gr", "w='110'", "X=01", "s=a=b", "b=TRUE", "n=-7"];
    folder.star(&arguments).prints("-7 true a=b 01 110 3 3\n");
}

#[test]
fn graphs_offer_values_by_name_and_report_widths() {
    let text = "procedure D(n, m, h: integer; Cost: table; S: slice; inf: word; var D: table);\n\
                begin print(n, \" \", m, \" \", h, \" \", S, \" \", inf, \" \", size(Cost)) end;";
    let folder = Folder::new(&[("d.star", text), ("g.gr", PATH)]);
    let ran = folder.star(&["run", "d.star", "--graph", "g.gr", "D="]);
    ran.prints("3 2 5 11 11111 15\nD = unset\n");
    assert_eq!(ran.stderr, "note: g.gr: h = 5\n");
    let ran = folder.star(&["run", "d.star", "--graph", "g.gr", "h=6", "D="]);
    ran.prints("3 2 6 11 111111 18\nD = unset\n");
    assert_eq!(ran.stderr, "");
    let ran = folder.star(&["run", "d.star", "--graph", "g.gr", "h=2"]);
    ran.fails(5, &["error[E0508]", "h = 2"]);
}

#[test]
fn write_only_results_are_not_bound_to_the_graph() {
    // D reads columns, S is cleared: their sizes differ from those of the layouts. G is changed in
    // place.
    let text = "procedure R(n: integer; var D: table(n,n); var S: slice(n); var G: table(n,n));\n\
                begin COL(1,D) := COL(2,G); CLR(S); S(2) := 1; CHANGE(G) end;\n\
                procedure CHANGE(var G: table); begin G(1,1) := 1 end;";
    let folder = Folder::new(&[("r.star", text), ("g.gr", PATH)]);
    let ran = folder.star(&["run", "r.star", "--proc", "R", "--graph", "g.gr"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in ["100\n000\n000\n", "S = 010\n", "110\n001\n000\n"] {
        assert!(ran.stdout.contains(part), "no {part} in {ran:?}");
    }
    for (module, proc, argument) in
        [("star:italiano", "TC_INIT", "n=3"), ("star:reach", "REACH_INIT", "s=1")]
    {
        let ran = folder.star(&["run", module, "--proc", proc, "--graph", "g.gr", argument]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    // It is read on at least one path.
    let text = "procedure R(n: integer; var D: table);\n\
                begin if n > 2 then print(size(D)) else CLEAR(3,D) end;";
    folder.write("r.star", text.as_bytes());
    let ran = folder.star(&["run", "r.star", "--graph", "g.gr"]);
    assert!(ran.code == 0 && ran.stdout.starts_with("15\n"), "{ran:?}");
}

#[test]
fn layouts_precede_files() {
    let text = "procedure P(T: table); begin print(T) end;";
    let folder = Folder::new(&[("p.star", text), ("g.gr", PATH), ("a:b.gr", PATH)]);
    let ran = folder.star(&["run", "p.star", "T=arcs:g.gr"]);
    ran.prints("011000011\n101100100\n");
    assert_eq!(ran.stderr, "note: g.gr: h = 5, b = 2 for `arcs`\n");
    folder.star(&["run", "p.star", "T=./a:b.gr"]).prints("010\n001\n000\n");
    folder.star(&["run", "p.star", "T=ab:b.gr"]).fails(5, &["error[E0507]", "T=./ab:b.gr"]);
}

#[test]
fn functions_print_their_value() {
    let text = "function F(X: slice; var n: integer): integer; begin n := 2; F := NUMB(X) end;";
    let folder = Folder::new(&[("f.star", text)]);
    folder.star(&["run", "f.star", "X=0111"]).prints("n = 2\nF = 3\n");
    folder.star(&["run", "f.star", "X=0111", "--max-depth", "1"]).prints("n = 2\nF = 3\n");
}

#[test]
fn routines_are_chosen_by_name() {
    let text = format!("{WARSHALL}procedure HI-LO(k: integer); begin print(k) end;");
    let folder = Folder::new(&[("p.star", text.as_str()), ("q.star", "const k = 1;")]);
    folder.star(&["run", "q.star"]).fails(2, &["error[E0601]"]);
    let which = folder.star(&["run", "p.star"]);
    which.fails(2, &["error[E0602]", "star run p.star --proc HI-LO k=…"]);
    let unknown = folder.star(&["run", "p.star", "--proc", "HI-LOW"]);
    unknown.fails(2, &["error[E0602]", "did you mean `--proc HI-LO`?"]);
    folder.star(&["run", "p.star", "--proc", "hi-lo", "k=1"]).prints("1\n");
    folder.star(&["run", "p.star", "--proc", "HI - LO", "k=1"]).prints("1\n");
}

#[test]
fn invalid_arguments_are_reported_together() {
    let folder = Folder::new(&[("w.star", WARSHALL)]);
    let star = |arguments: &[&str]| {
        let mut all = vec!["run", "w.star"];
        all.extend(arguments);
        folder.star(&all)
    };
    let ran = star(&["N=3", "n", "--out", "n=a.mtx", "--out", "P=none/a.mtx"]);
    ran.fails(2, &["error[E0603]", "did you mean `n=…`?", "error[E0604]", "error[E0606]"]);
    ran.fails(2, &["error[E0608]", "error[E0509]: none/a.mtx: folder `none` does not exist"]);
    star(&["n=x"]).fails(2, &["error[E0605]", "`n=5`"]);
    star(&["n=1", "n=2"]).fails(2, &["error[E0605]", "twice"]);
    star(&["n=1", "--backend", "abacus"]).fails(2, &["error[E0607]", "`reference`"]);
}

#[test]
fn unparsable_command_lines_are_reported_as_messages() {
    let folder = Folder::new(&[("w.star", WARSHALL)]);
    let cases: [&[&str]; 5] = [
        &["run"],
        &["run", "w.star", "--grpah", "x"],
        &["run", "w.star", "--max-memory", "lots"],
        &["fly"],
        &["explain", "E9999"],
    ];
    for arguments in cases {
        folder.star(arguments).fails(2, &["error[E0608]"]);
    }
    let json = folder.star(&["run", "--error-format", "json"]);
    json.fails(2, &["\"code\":\"E0608\""]);
    folder.star(&[]).fails(2, &["Usage: star"]);
    folder.star(&["--error-format", "json"]).fails(2, &["\"code\":\"E0608\""]);
    folder.shell("$STAR run $'\\xff'").fails(2, &["error[E0608]: invalid UTF-8"]);
    let negative = folder.star(&["run", "w.star", "--max-time", "-1"]);
    negative.fails(2, &["error[E0608]"]);
    assert!(!negative.stderr.contains("-- -1"), "{negative:?}");
}
