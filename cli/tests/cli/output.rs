//! Results: the summary and the files of `--out`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::support::{ENDLESS, Folder, PATH, WARSHALL};

#[test]
fn pipes_receive_output_while_the_program_runs() {
    let folder = Folder::new(&[("e.star", ENDLESS)]);
    let mut command = folder.command(&["run", "e.star"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let line = stdout.lines().next();
        let _ = sender.send(line.and_then(Result::ok));
    });
    let line = receiver.recv_timeout(Duration::from_secs(60));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    assert_eq!(line, Ok(Some("begun".to_owned())));
}

#[test]
fn results_are_printed_and_written() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    let ran = folder.star(&["run", "w.star", "--graph", "g.gr", "--out", "P=p.mtx"]);
    ran.prints("P = 3 × 3, 3 ones\n011\n001\n000\n");
    assert_eq!(folder.names(), ["g.gr", "p.mtx", "w.star"]);
    let again = folder.star(&["run", "w.star", "n=3", "P=p.mtx", "--out", "P=p.mtx"]);
    again.prints("P = 3 × 3, 3 ones\n011\n001\n000\n");
}

#[test]
fn input_files_are_not_replaced() {
    let text = "procedure P(T: table; var X: slice; var R: table); begin print(1); R := T end;";
    let numbers = "a\n1\n2\n";
    let folder = Folder::new(&[("p.star", text), ("g.gr", PATH), ("n.csv", numbers)]);
    assert_eq!(folder.shell("mkdir s && ln -s ../g.gr s/link.gr").code, 0);
    let graph = ["run", "p.star", "X=01", "T=g.gr", "--graph", "s/link.gr"];
    for (out, by) in [("R=g.gr", "--graph"), ("R=./s/link.gr", "--graph")] {
        let ran = folder.star(&[&graph[..], &["--out", out]].concat());
        let name = out.strip_prefix("R=").unwrap();
        let told = format!("{name}: the run reads this file, as `{by}`, and `--out` would");
        ran.fails(5, &["error[E0509]", &told, "another file"]);
        assert_eq!(ran.stdout, "", "before anything runs");
    }
    let list = ["run", "p.star", "X=01", "T=n.csv", "--out"];
    for out in ["R=n.csv", "X=rows of T:n.csv"] {
        folder.star(&[&list[..], &[out]].concat()).fails(5, &["error[E0509]: n.csv", "as `T`"]);
    }
    folder.write("p.png", b"");
    let drawn = folder.star(&["run", "p.star", "X=01", "T=p.png", "--view", "X=p.png"]);
    drawn.fails(5, &["error[E0509]: p.png", "`--view` would replace"]);
    assert_eq!(std::fs::read(folder.path("g.gr")).unwrap(), PATH.as_bytes());
    assert_eq!(std::fs::read(folder.path("n.csv")).unwrap(), numbers.as_bytes());
}

#[test]
fn slices_and_words_round_trip_through_files() {
    let text = "procedure P(var X: slice; var w: word); begin X := not X; w := not w end;";
    let folder = Folder::new(&[("p.star", text)]);
    for (slice, word) in [("x.stb", "w.stb"), ("x.mtx", "w.mtx")] {
        let out = |name: &str, file: &str| format!("{name}={file}");
        let (x, w) = (out("X", slice), out("w", word));
        let ran = folder.star(&["run", "p.star", "X=011", "w=01", "--out", &x, "--out", &w]);
        ran.prints("X = 100\nw = 10\n");
        folder.star(&["run", "p.star", &x, &w]).prints("X = 011\nw = 01\n");
    }
    let wrong = folder.star(&["run", "p.star", "X=w.stb", "w=01"]);
    wrong.fails(5, &["error[E0507]: w.stb: the file contains a word, expected a slice"]);
}

#[test]
fn an_unwritable_file_does_not_affect_the_others() {
    let text = "procedure P(var X: slice; var T: table); begin X := not X; COL(3,T) := X end;";
    let folder = Folder::new(&[("p.star", text), ("x.stb", "old")]);
    // A table of 2 × 3 is not a graph, which is detected only when it is written.
    let arguments = ["run", "p.star", "X=01", "--out", "X=x.stb", "--out", "T=t.gr"];
    let ran = folder.star(&arguments);
    ran.fails(5, &["error[E0507]: t.gr: a table of 2 × 3 cannot be written as DIMACS"]);
    assert_eq!(ran.stdout, "X = 10\nT = 2 × 3, 1 one\n001\n000\n");
    assert_eq!(folder.names(), ["p.star", "x.stb"]);
    folder.star(&["run", "p.star", "X=x.stb", "--out", "X=x.csv"]).fails(0, &[]);
    assert_eq!(std::fs::read(folder.path("x.csv")).unwrap(), b"bits:1\n0\n1\n");
    let unset = "procedure P(var X: slice); begin print(1) end;";
    folder.write("u.star", unset.as_bytes());
    let ran = folder.star(&["run", "u.star", "--out", "X=x.stb"]);
    ran.fails(5, &["error[E0509]: x.stb: nothing to write: the variable was never set"]);
}

#[test]
fn rejects_unsuitable_formats_before_the_run() {
    let text = "procedure P(var X: slice; var T: table); begin print(1); COL(1,T) := X end;";
    let folder = Folder::new(&[("p.star", text)]);
    for file in ["q.jpg", "q.tif", "q.scen", "q.co", "q.updates", "q.ppm"] {
        let out = format!("T={file}");
        let ran = folder.star(&["run", "p.star", "X=01", "--out", "X=x.stb", "--out", &out]);
        ran.fails(
            5,
            &["error[E0507]", &format!("{file}: a table cannot be written as "), "`.stb`"],
        );
        assert_eq!((ran.stdout.as_str(), folder.names()), ("", vec!["p.star".to_owned()]));
    }
}

#[test]
fn a_result_on_stdout_replaces_the_summary() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    let run = ["run", "w.star", "--graph", "g.gr", "--out", "P=txt:-"];
    folder.star(&run).prints("# vertices 3, arcs 3, numbered from 1\n1 2\n1 3\n2 3\n");
    let packed = folder.shell("$STAR run w.star --graph g.gr --out P=csv.gz:- | gzip -dc");
    packed.prints("bits:3\n3\n1\n0\n");
    let wrong = folder.star(&["run", "w.star", "--graph", "g.gr", "--out", "P=-"]);
    wrong.fails(5, &["error[E0506]: -: ", "`gr:-`"]);
    let full = folder.shell("$STAR run w.star --graph g.gr --out P=gr:- > /dev/full");
    full.fails(5, &["error[E0509]: cannot write to standard output"]);
    assert_eq!(full.stderr.matches("error").count(), 1, "{full:?}");
}

#[test]
fn full_disks_leave_no_files() {
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    assert_eq!(folder.shell("ln -s /dev/full p.mtx").code, 0);
    let ran = folder.star(&["run", "w.star", "--graph", "g.gr", "--out", "P=p.mtx"]);
    ran.fails(5, &["error[E0509]: p.mtx: cannot write"]);
    assert_eq!(folder.names(), ["g.gr", "p.mtx", "w.star"]);
}

#[test]
fn bound_tables_keep_their_size_and_others_grow() {
    let text = "procedure P(X: slice; var T: table); begin COL(4,T) := X end;";
    let folder = Folder::new(&[("p.star", text), ("g.gr", PATH)]);
    folder.star(&["run", "p.star", "X=011"]).prints("T = 3 × 4, 2 ones\n0000\n0001\n0001\n");
    folder.star(&["run", "p.star", "X=011", "T=g.gr"]).fails(3, &["error[T0101]"]);
}

#[cfg(unix)]
#[test]
fn new_files_have_default_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new(&[("w.star", WARSHALL), ("g.gr", PATH)]);
    let line = "umask 022; $STAR run w.star --graph g.gr --out P=p.mtx";
    assert_eq!(folder.shell(line).code, 0);
    let mode = std::fs::metadata(folder.path("p.mtx")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
}
