//! `read` and `write` within programs: file access and errors.

use crate::support::{Folder, PATH};

/// Reads a table from the file in its parameter and writes it to another file.
const COPY: &str = "\
procedure COPY(old: string; new: string);
var T: table;
begin
  read(T, old);
  print(rows(T), \" \", size(T));
  write(T, new)
end;
";

fn reads(file: &str) -> String {
    format!("program P; var T: table; begin read(T, \"{file}\"); print(rows(T)) end.")
}

#[test]
fn programs_can_access_files_next_to_them() {
    let folder = Folder::new(&[
        ("in/p.star", &reads("data/g.gr")),
        ("in/data/g.gr", PATH),
        (
            "in/q.star",
            "program Q; var T: table; begin read(T, \"data/g.gr\", \"arcs\"); \
                       write(T, \"t.stb\"); print(size(T)) end.",
        ),
    ]);
    folder.star(&["run", "in/p.star"]).prints("3\n");
    let ran = folder.star(&["run", "in/q.star"]);
    ran.prints("9\n");
    assert_eq!(ran.stderr, "note: data/g.gr: h = 5, b = 2 for `arcs`\n");
    assert!(folder.path("in/t.stb").is_file());
}

#[test]
fn reading_other_files_requires_a_grant() {
    let folder = Folder::new(&[
        ("in/p.star", &reads("../out/g.gr")),
        ("in/q.star", &reads("link.gr")),
        ("in/copy.star", COPY),
        ("out/g.gr", PATH),
    ]);
    assert_eq!(folder.shell("ln -s ../out/g.gr in/link.gr").code, 0);
    for program in ["in/p.star", "in/q.star"] {
        let refused = folder.star(&["run", program]);
        refused.fails(3, &["error[T0115]", "E0510", "--allow-read DIR"]);
        folder.star(&["run", program, "--allow-read", "out"]).prints("3\n");
    }
    // Files named by the user are granted.
    let ran = folder.star(&["run", "in/copy.star", "old=out/g.gr", "new=out/new.stb"]);
    ran.prints("3 3\n");
    assert!(folder.path("out/new.stb").is_file());
    folder.star(&["run", "in/p.star", "--allow-read", "none"]).fails(5, &["error[E0510]"]);
}

#[test]
fn writing_other_files_requires_a_grant() {
    let text = "procedure P(T: table); begin write(T, \"../out/t.stb\") end;";
    let folder = Folder::new(&[("in/p.star", text), ("out/g.gr", PATH)]);
    let arguments = ["run", "in/p.star", "T=out/g.gr"];
    folder.star(&arguments).fails(3, &["error[T0115]", "--allow-write DIR"]);
    let granted = ["run", "in/p.star", "T=out/g.gr", "--allow-write", "out"];
    folder.star(&granted).prints("");
    assert!(folder.path("out/t.stb").is_file());
}

#[test]
fn unreadable_files_trap_with_advice() {
    let folder = Folder::new(&[
        ("a.star", &reads("none.gr")),
        ("b.star", "program P; var T: table; begin read(T, \"g.gr\", \"arks\") end."),
        ("g.gr", PATH),
    ]);
    folder.star(&["run", "a.star"]).fails(3, &["error[T0115]", "E0501", "no such file"]);
    folder.star(&["run", "b.star"]).fails(3, &["E0507", "did you mean `arcs`?"]);
}

#[test]
fn files_respect_the_memory_limit() {
    let header = "p sp 100000 1\na 1 2 3\n";
    let folder =
        Folder::new(&[("p.star", "procedure P(T: table); begin print(1) end;"), ("g.gr", header)]);
    let ran = folder.star(&["run", "p.star", "T=g.gr", "--max-memory", "1M"]);
    ran.fails(4, &["error[E0511]", "--max-memory"]);
}
