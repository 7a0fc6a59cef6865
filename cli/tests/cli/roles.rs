//! Outputs that would replace an input or another output, in every command that writes files.

use std::collections::BTreeMap;

use crate::support::{Folder, PATH, WARSHALL};

const BENCHMARK: &str = "\
/* @bench of it
   run P
   T = gen gnm -n 3 -m 2 */
procedure P(T: table; var R: table); begin R := T end;
";

/// Files of every kind, and links to some of them.
fn folder() -> Folder {
    let folder = Folder::new(&[
        ("a.star", "/* Of A. */\nprocedure A(X: slice); begin end;\n"),
        ("b.star", BENCHMARK),
        ("w.star", WARSHALL),
        ("two.star", "procedure P(T: table; var R, S: table); begin R := T; S := T end;\n"),
        ("g.gr", PATH),
        ("places.csv", "x,y\n0,0\n1,0\n0,1\n"),
        ("u.csv", "t,id,x,y\n1,1,2,3\n"),
        ("q.csv", "t,qid,x1,y1,x2,y2\n2,1,0,0,9,9\n"),
    ]);
    let made = "$STAR bench b.star --quick --out m.json && \
                $STAR gen curve --rows 20 --columns 20 -o p.png && \
                for file in a.star b.star g.gr u.csv q.csv m.json p.png two.star; do \
                  ln -s $file soft.$file; ln $file hard.$file; done; \
                ln -s new.json dangling.html; ln -s places.csv places.csv.svg; ln -s two.star page.html; ln -s w.star w.html; \
                ln -s b.star b.json; ln b.star b.html; ln -s m.json soft.m.html; \
                ln m.json hard.m.html; ln -s u.csv u.png; ln -s x.csv x.png";
    let ran = folder.shell(made);
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

fn contents(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let names = folder.names().into_iter();
    names.filter_map(|name| Some((name.clone(), std::fs::read(folder.path(&name)).ok()?))).collect()
}

/// Asserts that each command fails with this exit code and code, and changes no file.
fn all_fail(folder: &Folder, commands: &[&str], exit: i32, code: &str) {
    let before = contents(folder);
    for command in commands {
        let ran = folder.shell(&format!("$STAR {command}"));
        assert_eq!(ran.code, exit, "{command}: {ran:?}");
        assert!(ran.stderr.contains(&format!("error[{code}]")), "{command}: {ran:?}");
        let after = contents(folder);
        assert!(after.keys().eq(before.keys()), "{command}: {:?}", after.keys());
        let changed = after.iter().find(|(name, bytes)| before.get(*name) != Some(*bytes));
        assert!(changed.is_none(), "{command} changed {:?}", changed.map(|(name, _)| name));
    }
}

#[test]
fn outputs_replace_no_input_of_any_command() {
    let commands = [
        "doc a.star --out a.star",
        "doc a.star --out soft.a.star",
        "doc soft.a.star --out hard.a.star",
        "doc - --out a.star < a.star",
        "bench b.star --quick --out b.json",
        "bench b.star --quick --page b.html",
        "bench . --quick --out b.json",
        "bench b.star --quick --with m.json --page soft.m.html",
        "bench b.star --quick --with m.json --page x.html --out soft.m.json",
        "benchpage m.json -o soft.m.html",
        "benchpage soft.m.json -o hard.m.html",
        "moving u.csv q.csv -q -o u.csv",
        "moving u.csv q.csv -q -o q.csv",
        "moving u.csv q.csv -q -o soft.u.csv",
        "moving u.csv q.csv -q -o hard.q.csv",
        "moving u.csv q.csv -q --hash --picture u.png",
        "moving /dev/stdin q.csv -q -o u.csv < u.csv",
        "view p.png --out p.png",
        "view soft.p.png --out p.png",
        "view p.png --out hard.p.png",
        "view g.gr --places places.csv --out places.csv.svg",
        "run two.star T=g.gr --profile=page.html",
        "run w.star --graph g.gr --profile=w.html",
        "run w.star --graph g.gr --out P=g.gr",
        "run w.star --graph g.gr --out P=hard.g.gr",
        "run two.star T=g.gr --out R=soft.g.gr",
    ];
    let folder = folder();
    all_fail(&folder, &commands, 5, "E0509");
}

#[test]
fn two_outputs_share_no_file() {
    let folder = folder();
    let commands = [
        "bench b.star --quick --out new.json --page dangling.html",
        "run two.star T=g.gr --out R=x.mtx --out S=./x.mtx",
        "run two.star T=g.gr --out R=mtx:- --out S=mtx:-",
        "run two.star T=g.gr --out R=x.png --view S=x.png",
        "run two.star T=g.gr --view S=x.html --profile=x.html",
        "moving u.csv q.csv -q -o x.csv --picture x.png",
        "gen curve --rows 20 --columns 20 -o x.stb --mask x.stb",
        "gen moving -n 10 --updates 10 -q -o x.csv --queries ./x.csv",
        "gen moving -n 10 --updates 10 -q -o hard.u.csv --queries soft.u.csv",
        "run two.star T=g.gr --out R=out.mtx > out.mtx",
    ];
    let before = contents(&folder);
    for command in commands {
        let ran = folder.shell(&format!("$STAR {command}"));
        assert!([2, 5].contains(&ran.code), "{command}: {ran:?}");
        assert!(ran.stderr.contains("error[E0"), "{command}: {ran:?}");
    }
    let mut after = contents(&folder);
    // The shell creates the file of standard output.
    assert_eq!(after.remove("out.mtx"), Some(Vec::new()));
    assert_eq!(after, before);
}

#[test]
fn updates_and_separate_files_are_permitted() {
    let folder = folder();
    for command in [
        "run w.star --graph g.gr --out P=p.mtx",
        "run w.star n=3 P=p.mtx --out P=p.mtx",
        "bench b.star --quick --out n.json --page n.html --with m.json --svg plots",
        "bench b.star --quick --out n.json",
        "moving u.csv q.csv -q -o answers.csv --picture moving.png",
        "doc a.star --out a.txt",
        "view p.png --out p.svg",
        "gen curve --rows 20 --columns 20 -o x.stb --mask y.stb",
    ] {
        let ran = folder.shell(&format!("$STAR {command}"));
        assert_eq!(ran.code, 0, "{command}: {ran:?}");
    }
    let update = "program U; var T: table(1,1); begin T(1,1) := 1; write(T,\"t.stb\"); \
                  read(T,\"t.stb\"); write(T,\"t.stb\") end.";
    folder.write("update.star", update.as_bytes());
    folder.star(&["run", "update.star"]).prints("");
}

#[test]
fn formatting_through_links_replaces_the_target_once() {
    let folder = Folder::new(&[("a.star", "program P; begin print( 1 ) end.\n")]);
    assert_eq!(folder.shell("ln -s a.star b.star && ln -s b.star c.star").code, 0);
    let ran = folder.star(&["fmt", "c.star", "a.star", "b.star"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "1 file formatted\n"), "{ran:?}");
    let text = std::fs::read_to_string(folder.path("a.star")).unwrap();
    assert!(text.contains("print(1)"), "{text}");
    for link in ["b.star", "c.star"] {
        assert!(std::fs::symlink_metadata(folder.path(link)).unwrap().is_symlink());
    }
}

#[cfg(unix)]
#[test]
fn formatting_keeps_hard_links() {
    use std::os::unix::fs::MetadataExt;
    // The result is longer than the text, and shorter.
    let long = format!("program P; begin print( 1 ){}end.\n", " ".repeat(99));
    for text in ["program P;begin print(1) end.\n", &long] {
        let folder = Folder::new(&[("a.star", text)]);
        let linked = folder.shell("mkdir sub && ln a.star b.star && ln a.star sub/a.star");
        assert_eq!(linked.code, 0);
        folder.star(&["fmt", "--check", "."]).fails(1, &["1 file would change"]);
        let ran = folder.star(&["fmt", "a.star", "."]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, "1 file formatted\n"), "{ran:?}");
        for name in ["a.star", "b.star", "sub/a.star"] {
            let text = std::fs::read_to_string(folder.path(name)).unwrap();
            assert_eq!(text, "program P;\nbegin print(1) end.\n", "{name}");
            assert_eq!(std::fs::metadata(folder.path(name)).unwrap().nlink(), 3);
        }
        folder.star(&["fmt", "--check", "."]).prints("");
        assert!(folder.names().iter().all(|name| !name.starts_with('.')));
    }
}

const REFUSED: &str = "the command reads this file";

#[test]
fn programs_replace_no_file_that_the_run_reads() {
    let writes = |name: &str| {
        format!("procedure WR(R: table; var S: table); begin S := R; write(R,\"{name}\") end;\n")
    };
    let folder = Folder::new(&[("a.csv", "x\n1\n2\n")]);
    let linked = "ln -s a.csv soft.csv; ln a.csv hard.csv";
    assert_eq!(folder.shell(linked).code, 0);
    for (name, value) in [("a", "R=a.csv"), ("soft", "R=a.csv"), ("hard", "R=soft.csv")] {
        let program = format!("{name}.star");
        folder.write(&program, writes(&format!("records x=2:{name}.csv")).as_bytes());
        folder.star(&["run", &program, value]).fails(3, &["error[T0115]", REFUSED]);
    }
    let both = "program B; var T: table; begin read(T,\"a.csv\"); \
                write(T,\"records x=2:hard.csv\") end.";
    folder.write("both.star", both.as_bytes());
    folder.star(&["run", "both.star"]).fails(3, &["error[T0115]", REFUSED]);
    let lines = "read(T,\"a.csv\")\nwrite(T,\"records x=2:soft.csv\")\n:dump T a.csv\n\
                 write(T,\"new.stb\")\nread(T,\"new.stb\")\nwrite(T,\"new.stb\")\n\
                 :dump T new.stb\n:dump T new.stb\n";
    let session = folder.star_with_input(&["repl"], lines);
    session.fails(3, &["error[T0115]", REFUSED]);
    assert_eq!(session.stderr.matches("error[").count(), 2, "{session:?}");
    assert_eq!(std::fs::read(folder.path("a.csv")).unwrap(), b"x\n1\n2\n");
}
