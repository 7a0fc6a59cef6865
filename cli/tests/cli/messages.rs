//! The formats of messages, and the commands that explain.

use serde_json::Value;

use crate::support::{Folder, PATH, WARSHALL};

#[test]
fn json_is_one_object_per_line() {
    let folder = Folder::new(&[("p.star", "program P;\nvar i: integer;\nbegin\n  i = x\nend.")]);
    let ran = folder.star(&["check", "--error-format", "json", "p.star"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let messages: Vec<Value> =
        ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |code: &str| messages.iter().find(|message| message["code"] == code).unwrap();
    let unknown = of("E0201");
    assert_eq!(unknown["severity"], "error");
    assert_eq!(unknown["labels"][0]["file"], "p.star");
    assert_eq!(unknown["labels"][0]["line"], 4);
    assert_eq!(unknown["labels"][0]["column"], 7);
    let equals = of("W0101");
    assert_eq!(equals["severity"], "warning");
    assert_eq!(equals["fixes"][0]["replacement"], ":=");
}

#[test]
fn fixes_of_unset_variables_keep_the_statements() {
    for statement in [
        "if n = 1 then n := NUMB(X) else n := 2",
        "if n = 1 then n := 2 else n := NUMB(X)",
        "while n < 3 do n := n + 1 + NUMB(X)",
        "for i := 1 to 3 do if i = n then n := NUMB(X)",
        "begin n := 1; if n = 1 then n := NUMB(X) end",
    ] {
        let text = format!(
            "procedure P(var n: integer);\nvar i: integer; X: slice(3);\nbegin n := 1;\n{statement} end;"
        );
        let folder = Folder::new(&[("p.star", &text)]);
        let check = || folder.star(&["check", "--error-format", "json", "p.star"]);
        let messages = check().stderr;
        let mut messages =
            messages.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let fix = messages.find(|message| message["code"] == "W0103").unwrap()["fixes"][0].clone();
        let at = usize::try_from(fix["start"].as_u64().unwrap()).unwrap();
        let mut fixed = text.clone();
        fixed.insert_str(at, fix["replacement"].as_str().unwrap());
        assert!(fixed.contains("CLR(X); "), "{fixed}");
        folder.write("p.star", fixed.as_bytes());
        let ran = check();
        assert_eq!((ran.code, ran.stderr.contains("W0103")), (0, false), "{fixed}\n{ran:?}");
    }
}

#[test]
fn sizes_of_other_languages_get_help() {
    for size in ["len(T)", "sizeof(T)"] {
        let text = format!("program P; var T: table(2,3); n: integer; begin n := {size} end.");
        let folder = Folder::new(&[("p.star", &text)]);
        folder.star(&["check", "p.star"]).fails(1, &["`rows(T)` rows and `size(T)` columns"]);
    }
}

#[test]
fn positions_in_data_files_are_labels_in_json() {
    let text = "procedure P(T: table); begin print(T) end;";
    let folder = Folder::new(&[("p.star", text), ("g.gr", "p sp 3 1\na 1 4 5\n")]);
    let ran = folder.star(&["run", "p.star", "T=g.gr", "--error-format", "json"]);
    let message: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!((ran.code, &message["code"]), (5, &"E0504".into()));
    let label = &message["labels"][0];
    assert_eq!(
        (&label["file"], &label["line"], &label["column"]),
        (&"g.gr".into(), &2.into(), &5.into())
    );
}

#[test]
fn notes_and_costs_have_the_same_structure_in_json() {
    let text = "procedure P(h: integer); begin print(h) end;";
    let folder = Folder::new(&[("p.star", text), ("g.gr", PATH)]);
    let arguments = ["run", "p.star", "--graph", "g.gr", "--cost", "--error-format", "json"];
    let ran = folder.star(&arguments);
    ran.prints("5\n");
    let lines: Vec<Value> =
        ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["code"], &lines[0]["severity"]), (&Value::Null, &"note".into()));
    assert_eq!(lines[1]["cost"]["operations"], 0);
    assert_eq!(lines[1]["cost"]["output_bytes"], 2);
}

#[test]
fn warnings_are_shown_by_check_and_on_demand() {
    let text = "program P; var i: integer; begin i = 1; print(i) end.";
    let folder = Folder::new(&[("p.star", text)]);
    let checked = folder.star(&["check", "p.star"]);
    checked.fails(0, &["warning[W0101]", "write `:=`", "1 warning\n"]);
    let silent = folder.star(&["run", "p.star"]);
    assert_eq!((silent.stdout.as_str(), silent.stderr.as_str()), ("1\n", ""));
    folder.star(&["run", "-W", "p.star"]).fails(0, &["warning[W0101]"]);
}

#[test]
fn folders_are_checked_and_files_without_faults_are_counted() {
    let text = "program P; begin print(1) end.";
    let files = [("d/a.star", text), ("d/e/b.star", text), ("c.star", text), ("n/x.txt", "")];
    let folder = Folder::new(&files);
    let checked = folder.star(&["check", "d", "c.star"]);
    assert_eq!((checked.code, checked.stderr.as_str()), (0, "ok, 3 files\n"));
    folder.star(&["check", "n"]).fails(1, &["error[E0111]", "no `.star` files in `n`"]);
    folder.write("d/e/w.star", b"program W; begin x := end.");
    folder.star(&["check", "d"]).fails(1, &["w.star", "1 error"]);
}

#[test]
fn several_files_have_one_summary() {
    let folder = Folder::new(&[
        ("a.star", "program P; begin x := 1 end."),
        ("b.star", "program P; var i: integer; begin i = 1; y := i end."),
    ]);
    folder.star(&["check", "a.star", "b.star"]).fails(1, &["\n2 errors, 1 warning\n"]);
}

#[test]
fn costs_are_shown_after_traps() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    let ran = folder.star(&["run", "w.star", "n=4", "P=g.gr", "--cost"]);
    ran.fails(3, &["error[T0101]", "elementary operations  ", "peak bytes of values  "]);
    let ran = folder.star(&["run", "w.star", "--graph", "g.gr", "--cost"]);
    ran.prints("P = 3 × 3, 3 ones\n011\n001\n000\n");
    assert!(ran.stderr.starts_with("elementary operations"), "{ran:?}");
}

#[test]
fn codes_are_explained_in_any_letter_case() {
    let folder = Folder::new(&[]);
    let ran = folder.star(&["explain", "e0602"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with('#'), "{ran:?}");
    let unknown = folder.star(&["explain", "E0062"]);
    unknown.fails(2, &["error[E0608]", "did you mean `star explain E0602`?"]);
    let list = folder.star(&["explain"]);
    assert!(list.stdout.contains("E0601  a file without a routine to run\n"), "{list:?}");
}

#[test]
fn help_version_and_completions_go_to_standard_output() {
    let folder = Folder::new(&[]);
    let help = folder.star(&["run", "--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    assert!(help.stdout.contains("Exit codes:") && help.stdout.contains("Examples:"));
    assert!(folder.star(&["--version"]).stdout.starts_with("star 0"));
    let script = folder.star(&["completions", "bash"]);
    assert_eq!(script.code, 0);
    assert!(script.stdout.contains("_star"));
}

#[test]
fn manual_pages_are_written_for_all_commands() {
    let folder = Folder::new(&[("file", "")]);
    let ran = folder.star(&["man", "pages"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert!(read("pages/star.1").contains("star\\-run(1)"));
    let page = read("pages/star-gen-gnm.1");
    assert!(page.contains(".TH star-gen-gnm") && page.contains("\\-\\-help"), "{page}");
    folder.star(&["man", "file"]).fails(5, &["error[E0509]"]);
}

#[test]
fn routines_of_unimported_modules_suggest_the_import() {
    let text = "program P;\nvar A: table(2,2); i: integer;\nbegin\n  WARSHALL(2,A);\n  i := reaches(A,1,1);\n  \
                print(ALWAYS)\nend.";
    let folder = Folder::new(&[("p.star", text)]);
    let write = |module: &str| format!("write `import \"star:{module}\";` above the routines");
    let (closure, terrain) = (write("closure"), write("terrain"));
    let ran = folder.star(&["check", "p.star"]);
    ran.fails(1, &["error[E0202]", "error[E0201]", &closure, &terrain]);
    assert_eq!(ran.stderr.matches(&closure).count(), 2, "{ran:?}");
    let ran = folder.star_with_input(&["repl"], "i := 1\nDIJKSTRA(i)\n");
    ran.fails(1, &["error[E0202]", &write("paths")]);
    // A variable with that name is not affected.
    folder.write("p.star", b"program P;\nbegin\n  for path := 1 to 2 do print(path)\nend.");
    let ran = folder.star(&["check", "p.star"]);
    ran.fails(1, &["`path` is not declared"]);
    assert!(!ran.stderr.contains("import"), "{ran:?}");
}

#[test]
fn unset_slice_components_suggest_clearing() {
    let text = "program P;\nvar X: slice(3); n: integer;\nbegin\n  n := 1;\n  X(n) := 1;\n  print(X)\nend.";
    let folder = Folder::new(&[("p.star", text)]);
    let parts =
        ["error[T0103]", "`X` was never set", "`CLR(X)` sets all its components to zero first"];
    folder.star(&["run", "p.star"]).fails(3, &parts);
}

#[test]
fn misspelt_files_and_commands_are_suggested() {
    let folder = Folder::new(&[("near.star", "program P; begin print(1) end.")]);
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.write("sub/far.star", b"program P; begin print(1) end.");
    for (arguments, code, help) in [
        (&["run", "nera.star"][..], 1, "did you mean `near.star`?"),
        (&["check", "sub/fra.star"], 1, "did you mean `sub/far.star`?"),
        (&["rn", "near.star"], 2, "did you mean `star run`?"),
        (&["near.star"], 2, "`star run near.star` runs a program"),
        (&["run", "roads.gr"], 1, "it is a data file (DIMACS), not a program"),
        (&["check", "roads.gr"], 1, "a graph with `--graph roads.gr`"),
    ] {
        folder.star(arguments).fails(code, &[help]);
    }
    let ran = folder.star(&["run", "quite-different.star"]);
    assert!(!ran.stderr.contains("did you mean"), "{ran:?}");
}

#[test]
fn unused_options_of_devices_and_tables_are_reported() {
    let program = "procedure P(T: table; var n: integer); begin n := rows(T) end;\n";
    let folder = Folder::new(&[("p.star", program), ("t.csv", "x\n1\n"), ("g.gr", PATH)]);
    for (option, value) in [("adapter", "foo"), ("gpu-mode", "lifted"), ("table-form", "sparse")] {
        let ran = folder.star(&["run", "p.star", "T=t.csv", &format!("--{option}"), value]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let warning = format!("warning: `--{option}` is unused");
        assert_eq!(ran.stderr.matches(&warning).count(), 1, "{ran:?}");
    }
    let ran = folder.star(&["run", "p.star", "T=g.gr", "--table-form", "sparse"]);
    assert!(!ran.stderr.contains("unused"), "{ran:?}");
}
