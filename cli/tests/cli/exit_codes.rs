//! Every exit code, and the conditions that end a run.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{ENDLESS, Folder, Ran, WARSHALL, kill, written_aside};

#[test]
fn successful_runs_exit_with_0() {
    let folder = Folder::new(&[("p.star", "program P; begin print(\"hello\") end.")]);
    folder.star(&["run", "p.star"]).prints("hello\n");
    let checked = folder.star(&["check", "p.star"]);
    assert_eq!((checked.code, checked.stderr.as_str()), (0, "ok, 1 file\n"));
}

#[test]
fn program_errors_exit_with_1() {
    let folder = Folder::new(&[("p.star", "program P;\nbegin\n  x := 1\nend.")]);
    let expected = ["error[E0201]", "p.star:3:3", "1 error\n"];
    folder.star(&["check", "p.star"]).fails(1, &expected);
    folder.star(&["run", "p.star"]).fails(1, &expected[..2]);
    folder.star(&["run", "none.star"]).fails(1, &["error[E0111]"]);
}

#[test]
fn traps_exit_with_3_without_results() {
    let folder = Folder::new(&[
        ("p.star", "procedure P(var X: slice);\nbegin\n  X(9) := 1\nend;"),
        ("x.stb", "old"),
    ]);
    let ran = folder.star(&["run", "p.star", "X=0101", "--out", "X=x.stb"]);
    ran.fails(3, &["error[T0101]", "index 9 outside 1..4", "p.star:3:3"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(std::fs::read(folder.path("x.stb")).unwrap(), b"old");
    assert_eq!(folder.names(), ["p.star", "x.stb"]);
}

#[test]
fn limits_exit_with_4() {
    let recursive = "procedure R(n: integer); begin R(n + 1) end;";
    let big = "program B; var S: slice(100000000); begin SET(S); print(SOME(S)) end.";
    let folder = Folder::new(&[("e.star", ENDLESS), ("r.star", recursive), ("b.star", big)]);
    let cases: [(&[&str], &str); 5] = [
        (&["run", "e.star", "--max-steps", "1_000"], "L0101"),
        (&["run", "b.star", "--max-memory", "1M"], "L0102"),
        (&["run", "e.star", "--max-time", "50ms"], "L0103"),
        (&["run", "e.star", "--max-output", "3"], "L0104"),
        (&["run", "r.star", "n=1"], "L0105"),
    ];
    for (arguments, code) in cases {
        folder.star(arguments).fails(4, &[&format!("error[{code}]")]);
    }
}

#[test]
fn unreadable_data_files_exit_with_5() {
    let folder = Folder::new(&[
        ("w.star", WARSHALL),
        ("bad.gr", "p sp 3 1\na 1 x 3\n"),
        ("x.xyz", "\u{1}"),
        ("empty.stb", ""),
        ("folder/a.mtx", ""),
    ]);
    let cases = [
        ("P=none.mtx", "error[E0501]: none.mtx: cannot open: no such file"),
        ("P=folder", "error[E0501]: folder: it is a directory"),
        ("P=bad.gr", "error[E0502]: bad.gr:2:5: "),
        ("P=x.xyz", "error[E0506]: x.xyz: "),
        ("P=empty.stb", "error[E0503]: empty.stb: "),
    ];
    for (argument, message) in cases {
        folder.star(&["run", "w.star", "n=3", argument]).fails(5, &[message]);
    }
}

#[test]
fn internal_errors_exit_with_70() {
    let sir = "routine 0 \"F\" (value %n: int) -> %r !0 {\n  var %r: int\n  var %s: slice[?]\n  \
               %r = count %s !0\n}\nlocations {\n  !0 = 0:0..9\n}\n";
    let folder = Folder::new(&[("f.sir", sir)]);
    folder.star(&["dev", "--verify", "f.sir"]).fails(70, &["error[I0001]"]);
}

#[test]
fn first_interrupt_ends_a_run_with_130_and_a_message() {
    let text = "program E; var i: integer; T: table(1,1);
                begin T(1,1) := 1; write(T, \"begun.stb\"); print(\"begun\");
                while true do i := 1 end.";
    let folder = Folder::new(&[("e.star", text)]);
    let mut command = folder.command(&["run", "e.star", "--cost"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !folder.path("begun.stb").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let start = Instant::now();
    kill(&child, "-INT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(start.elapsed() < Duration::from_secs(2));
    ran.fails(130, &["error[L0106]", "e.star:", "elementary operations"]);
}

#[test]
fn interrupt_while_writing_results_leaves_no_file() {
    let fill = "var i: integer; X: slice(T);
                begin SET(X); for i := 1 to size(T) do COL(i, T) := X";
    let files = [
        ("out.star", format!("procedure P(var T: table); {fill} end;")),
        ("write.star", format!("procedure P(var T: table); {fill}; write(T, \"t.mtx\") end;")),
        ("g.gr", "p sp 8000 1\na 1 2 3\n".to_owned()),
    ];
    for arguments in [&["out.star", "T=g.gr", "--out", "T=t.mtx"][..], &["write.star", "T=g.gr"]] {
        let folder = Folder::new(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
        let mut command = folder.command(&[&["run"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !written_aside(&folder, &child) {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before it was interrupted");
            std::thread::sleep(Duration::from_millis(1));
        }
        let start = Instant::now();
        kill(&child, "-INT");
        let ran = Ran::of(child.wait_with_output().unwrap());
        // Even if the machine is busy; writing all of it takes longer.
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        ran.fails(130, &["error[L0106]"]);
        assert_eq!(folder.names(), ["g.gr", "out.star", "write.star"]);
    }
}

#[test]
fn second_interrupt_ends_the_process_immediately() {
    // It waits for data from a pipe without a writer.
    let folder = Folder::new(&[("w.star", WARSHALL)]);
    assert_eq!(folder.shell("mkfifo p.mtx").code, 0);
    let mut command = folder.command(&["run", "w.star", "n=1", "P=p.mtx"]);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    // This waits until the other end is open, too.
    let _pipe = OpenOptions::new().write(true).open(folder.path("p.mtx")).unwrap();
    kill(&child, "-INT");
    std::thread::sleep(Duration::from_millis(100));
    kill(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn closed_stdout_exits_with_141_without_a_message() {
    let text = "program P; var i: integer; begin for i := 1 to 1000000 do print(i) end.";
    let folder = Folder::new(&[("p.star", text)]);
    let mut child = folder
        .command(&["run", "p.star"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut stdout = BufReader::with_capacity(16, child.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    drop(stdout);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((first.as_str(), ran.code, ran.stderr.as_str()), ("1\n", 141, ""));
}

#[cfg(unix)]
#[test]
fn closed_named_pipes_are_files_that_cannot_be_written() {
    let text = "program P(n: integer; var T: table(n,20)); var i: integer;
        begin for i := 1 to n do ROW(i,T) := WORD(i,20) end.";
    let folder = Folder::new(&[("p.star", text)]);
    let ran = folder.shell(
        "mkfifo f.csv; head -1 f.csv & $STAR run p.star n=20000 --out 'T=records x=20:f.csv'",
    );
    ran.fails(5, &["error[E0509]: f.csv: cannot write: the reader closed the pipe"]);
}

#[test]
fn full_disks_exit_with_5_and_one_message() {
    let text = "program P; var i: integer; begin for i := 1 to 100000 do print(i) end.";
    let folder = Folder::new(&[("p.star", text), ("q.star", "program Q; begin print(1) end.")]);
    for program in ["p.star", "q.star"] {
        let ran = folder.shell(&format!("$STAR run {program} > /dev/full"));
        ran.fails(5, &["error[E0509]: cannot write to standard output"]);
        assert_eq!(ran.stderr.matches("error").count(), 1, "{ran:?}");
    }
    let trap = "program T; var X: slice(1); begin print(1); CLR(X); X(2) := 1 end.";
    folder.write("t.star", trap.as_bytes());
    folder.shell("$STAR run t.star > /dev/full").fails(3, &["error[T0101]"]);
    folder.shell("$STAR explain E0509 > /dev/full").fails(5, &["error[E0509]"]);
}

#[test]
#[cfg(unix)]
fn closed_stdout_ends_a_session_with_141_quietly() {
    let folder = Folder::new(&[]);
    let line = "yes 'print(1)' | head -100000 | ( $STAR repl; echo left with $? >&2 ) | head -2";
    let ran = folder.shell(line);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("1\n1\n", "left with 141\n"));
    // Earlier failures are reported.
    let line = "( echo 'print(NO)'; yes 'print(1)' | head -100000 ) \
                | ( $STAR repl; echo left with $? >&2 ) | head -2";
    let ran = folder.shell(line);
    assert!(ran.stderr.contains("error[E0201]"), "{ran:?}");
    assert!(ran.stderr.ends_with("left with 1\n") && !ran.stderr.contains("T0115"), "{ran:?}");
}

/// Runs these command lines, which must end with the same exit code and codes of messages.
fn all_fail(folder: &Folder, exit: i32, cases: &[(&str, &str)]) {
    for (line, code) in cases {
        let words: Vec<&str> = line.split(' ').collect();
        folder.star(&words).fails(exit, &[&format!("[{code}]")]);
    }
}

#[test]
fn mistakes_about_files_exit_alike_in_all_commands() {
    let bench = "/* @bench b\n   n = 4\n   run B */\nprocedure B(n: integer; var X: slice(n));\n\
                 begin SET(X) end;\n";
    let fill = "procedure F(k: integer; T: table; var X: slice(T); var R: table(T)); \
                begin SET(X); R:=T end;";
    let files = [("f.star", fill), ("b.star", bench), ("g.csv", "a,b\n"), ("t.csv", "x,y\n1,2\n")];
    let folder = Folder::new(&files);
    let record = "bench b.star --quick --out b.json";
    assert_eq!(folder.star(&record.split(' ').collect::<Vec<_>>()).code, 0);
    let missing_programs = [
        ("run no.star", "E0111"),
        ("check no.star", "E0111"),
        ("fmt no.star", "E0111"),
        ("test no.star", "E0111"),
        ("bench no.star", "E0111"),
        ("dev no.star", "E0111"),
        ("doc no.star", "E0111"),
        ("repl no.star", "E0111"),
    ];
    all_fail(&folder, 1, &missing_programs);
    let words = [
        ("run f.star k=many T=01", "E0605"),
        ("run f.star q=1 T=01 k=1", "E0603"),
        ("run f.star k=1 T=01 --out Z=z.csv", "E0606"),
        ("run f.star k=1 T=01 --backend no", "E0607"),
        ("run f.star k=1 T=01 --names=R", "E0608"),
        ("graph paths g.csv no", "E0605"),
        ("graph tree g.csv a", "E0608"),
        ("view g.csv q=1", "E0603"),
        ("bench b.star --backends no", "E0607"),
        ("bench b.star --time soon", "E0608"),
        ("test --backends no b.star", "E0607"),
        ("gen gnm -n 10 -m 500 -o g.gr", "E0605"),
        ("new 1st", "E0608"),
    ];
    all_fail(&folder, 2, &words);
    let named_files = [
        ("run f.star k=1 T=no.csv", "E0501"),
        ("graph tree no.csv", "E0501"),
        ("view no.csv", "E0501"),
        ("benchcmp no.json b.json", "E0501"),
        ("benchpage no.json", "E0501"),
        ("moving no.csv", "E0501"),
        ("run f.star k=1 T=01 --out X=x.no", "E0506"),
        ("run f.star k=1 T=01 --view X=x.no", "E0506"),
        ("run f.star k=1 T=01 --profile=x.no", "E0506"),
        ("graph tree g.csv --out x.no", "E0506"),
        ("view g.csv --out x.no", "E0506"),
        ("bench b.star --out x.no", "E0506"),
        ("benchcmp b.json b.json --out x.no", "E0506"),
        ("benchpage b.json --out x.no", "E0506"),
        ("test b.star --coverage=x.no", "E0506"),
        ("gen gnm -n 10 -m 5 -o x.no", "E0506"),
        ("run f.star k=1 T=no:t.csv", "E0507"),
        ("run f.star k=1 T=01 --out R=no:r.csv", "E0507"),
        ("run f.star k=1 T=01 --names=R=no", "E0507"),
        ("run f.star k=1 T=01 --out X=no/x.csv", "E0509"),
        ("run f.star k=1 T=01 --out X=x.csv --out R=x.csv", "E0509"),
        ("run f.star k=1 T=01 --out X=csv:- --out R=csv:-", "E0509"),
        ("run f.star k=1 T=t.csv --out X=t.csv", "E0509"),
    ];
    all_fail(&folder, 5, &named_files);
    assert_eq!(folder.names(), ["b.json", "b.star", "f.star", "g.csv", "t.csv"]);
}
