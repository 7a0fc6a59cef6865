//! Unusual source files, none of which may cause harm.

use crate::support::Folder;

#[test]
fn programs_from_stdin_import_from_the_current_folder() {
    let library = "procedure HELLO(k: integer); begin print(\"hello \", k) end;";
    let program = "import \"lib/a.star\"; program P; begin HELLO(3) end.";
    let folder = Folder::new(&[("lib/a.star", library)]);
    folder.star_with_input(&["run", "-"], program).prints("hello 3\n");
    let broken = folder.star_with_input(&["check", "-"], "program P; begin x := 1 end.");
    broken.fails(1, &["─ <stdin>:1:18"]);
}

#[test]
fn programs_can_be_read_from_pipes() {
    let folder = Folder::new(&[("p.star", "program P; begin print(1) end.")]);
    folder.shell("$STAR run <(cat p.star)").prints("1\n");
}

#[test]
fn imports_are_relative_to_their_file_and_read_once() {
    let folder = Folder::new(&[
        ("p.star", "import \"lib/a.star\"; import \"lib/b.star\"; program P; begin A end."),
        ("lib/a.star", "import \"../lib/b.star\"; procedure A; begin B end;"),
        ("lib/b.star", "procedure B; begin print(\"once\") end;"),
        ("q.star", "import \"lib\"; program P; begin end."),
        ("r.star", "import \"none.star\"; program P; begin end."),
        ("secret.txt", "not for messages"),
        ("s.star", "import \"secret.txt\"; program P; begin end."),
    ]);
    folder.star(&["run", "p.star"]).prints("once\n");
    folder
        .star(&["check", "q.star"])
        .fails(1, &["error[E0204]", "an import must name a `.star` file"]);
    folder.star(&["check", "r.star"]).fails(1, &["error[E0204]", "no such file"]);
    let secret = folder.star(&["check", "s.star"]);
    secret.fails(1, &["error[E0204]", "an import must name a `.star` file"]);
    assert!(!secret.stderr.contains("not for messages"));
}

#[test]
fn importing_other_files_requires_a_grant() {
    let import = |path: &str| format!("import \"{path}\"; program P; begin SECRET end.");
    let folder = Folder::new(&[
        ("secret/s.star", "procedure SECRET; begin print(\"secret\") end;"),
        ("secret/broken.star", "not for messages"),
        ("in/up.star", &import("../secret/s.star")),
        ("in/missing.star", &import("../secret/none.star")),
        ("in/broken.star", &import("../secret/broken.star")),
        ("in/link.star", &import("l.star")),
        ("in/folder.star", &import("f/s.star")),
        ("in/twice.star", &import("f/back.star")),
        ("in/sub/up.star", &import("../inside.star")),
        ("in/sub.star", "import \"sub/b.star\"; program P; begin B end."),
        ("in/sub/b.star", "import \"../inside.star\"; procedure B; begin INSIDE end;"),
        ("in/inside.star", "import \"../secret/s.star\"; procedure INSIDE; begin SECRET end;"),
        ("in/back.star", "import \"broken.star\";"),
    ]);
    let absolute = folder.path("secret/s.star");
    folder.write("in/absolute.star", import(absolute.to_str().unwrap()).as_bytes());
    let links = "ln -s ../secret/s.star in/l.star; ln -s ../secret in/f; \
        ln -s ../in/back.star secret/back.star";
    assert_eq!(folder.shell(links).code, 0);
    for program in ["up", "missing", "broken", "link", "folder", "twice", "absolute", "sub"] {
        let program = format!("in/{program}.star");
        for command in ["run", "check", "dev"] {
            let refused = folder.star(&[command, &program]);
            refused.fails(1, &["error[E0510]: cannot import `", "`--allow-read DIR`"]);
            assert!(!refused.stderr.contains("not for messages"), "{refused:?}");
        }
    }
    for program in ["up", "link", "folder", "absolute", "sub"] {
        let program = format!("in/{program}.star");
        let allowed = ["--allow-read", "secret"];
        folder.star(&[&["run", &program], &allowed[..]].concat()).prints("secret\n");
        folder.star(&[&["check", &program], &allowed[..]].concat()).prints("");
    }
    folder.star(&["check", "in/up.star", "--allow-read", "none"]).fails(5, &["error[E0510]"]);
    let input = "import \"../secret/s.star\";\nSECRET\n";
    let session =
        |options: &str| folder.shell(&format!("cd in; $STAR repl {options} <<'E'\n{input}E"));
    session("").fails(5, &["error[E0510]", "`--allow-read DIR`"]);
    session("--allow-read ../secret").prints("secret\n");
    // The user named the file, so that its folder is readable.
    folder.shell("cd in; $STAR check ../secret/s.star").prints("");
}

#[test]
fn programs_may_have_the_name_of_a_library_file() {
    let folder = Folder::new(&[("library/search.star", "program P; begin print(1) end.")]);
    folder.star(&["run", "library/search.star"]).prints("1\n");
}

#[test]
fn rejects_files_that_are_not_programs() {
    let folder = Folder::new(&[("empty.star", "")]);
    folder.write("latin.star", b"program P; begin { \xe9 } end.");
    folder.write("nul.star", b"program\0P; begin end.");
    folder.star(&["check", "empty.star"]).prints("");
    folder.star(&["run", "empty.star"]).fails(2, &["error[E0601]"]);
    folder.star(&["check", "none"]).fails(1, &["error[E0111]", "no such file"]);
    folder.star(&["check", "latin.star"]).fails(1, &["error[E0110]"]);
    folder.star(&["check", "nul.star"]).fails(1, &["error[E0101]", "␀"]);
    folder.star(&["check", "none.star"]).fails(1, &["error[E0111]", "no such file"]);
}

#[test]
fn lines_of_five_megabytes_are_truncated() {
    let folder = Folder::new(&[]);
    folder.write("a.star", "@".repeat(5_000_000).as_bytes());
    let many = format!(
        "program P; begin {}end.",
        (0..20_000).map(|i| format!("x{i} := 1; ")).collect::<String>()
    );
    folder.write("b.star", many.as_bytes());
    let garbage = folder.star(&["check", "a.star"]);
    garbage.fails(1, &["error[E0101]", "@…"]);
    let unknown = folder.star(&["check", "b.star"]);
    unknown.fails(1, &["error[E0201]", "messages omitted", "1000 errors"]);
    for ran in [garbage, unknown] {
        let longest = ran.stderr.lines().map(|line| line.chars().count()).max();
        assert!(longest.unwrap() < 300, "{longest:?}");
    }
}
