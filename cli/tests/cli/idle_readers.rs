//! Outputs whose reader waits: pipes that no process opens, and pipes that no process reads. The
//! time limit and the first signal end the command.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Folder, PATH, Ran, is_delivered, kill};

/// Maximum delay of an end, even on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// Copies a table, and prints for ever with `n` greater than 0.
const PROGRAM: &str = "program P(T: table; n: integer; var R: table); begin R := T; \
    while n > 0 do print(\"some text that fills the buffer of the pipe\") end.";

/// Creates a folder with data and a pipe for each extension.
fn folder() -> Folder {
    let updates: String = (1..60_000).map(|id| format!("{},{id},1,1\n", id / 1000)).collect();
    let queries: String = (0..60).map(|t| format!("{t},1,0,0,9,9\n")).collect();
    let folder = Folder::new(&[
        ("p.star", PROGRAM),
        ("u.star", "program   U;\nbegin print(1) end.\n"),
        ("g.gr", PATH),
        ("u.csv", &format!("t,id,x,y\n{updates}")),
        ("q.csv", &format!("t,qid,x1,y1,x2,y2\n{queries}")),
    ]);
    for extension in ["mtx", "svg", "json", "gr", "txt", "csv"] {
        let name = format!("pipe.{extension}");
        let made = Command::new("mkfifo").arg(folder.path(&name)).status().unwrap();
        assert!(made.success());
    }
    folder
}

fn begin(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end of a process without reading its standard output.
fn end(mut child: Child, what: &str) -> (i32, String) {
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > SOON {
            child.kill().unwrap();
            panic!("{what} does not end");
        }
        thread::sleep(Duration::from_millis(5));
    };
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (status.code().unwrap_or(-1), stderr)
}

/// Waits until the process handles signals, and a moment longer.
fn wait_for_handlers(child: &Child) {
    let start = Instant::now();
    let handles = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // SIGHUP, SIGINT and SIGTERM.
        mask.is_some_and(|mask| [2, 15].iter().all(|signal| mask >> (signal - 1) & 1 == 1))
    };
    while !handles() && start.elapsed() < SOON {
        thread::sleep(Duration::from_millis(2));
    }
    thread::sleep(Duration::from_millis(300));
}

#[test]
fn pipes_without_a_reader_end_at_the_limit_and_at_signals() {
    let folder = folder();
    let run = ["run", "p.star", "T=g.gr", "n=0"];
    let writers: [&[&str]; 7] = [
        &[&run[..], &["--out", "R=pipe.mtx"]].concat(),
        &[&run[..], &["--view", "R=pipe.svg"]].concat(),
        &[&run[..], &["--profile=pipe.json"]].concat(),
        &["view", "g.gr", "--out", "pipe.svg"],
        &["moving", "u.csv", "q.csv", "--out", "pipe.csv"],
        &["gen", "gnm", "-n", "5", "-m", "5", "-o", "pipe.gr"],
        &["doc", "MATCH", "--out", "pipe.txt"],
    ];
    for arguments in writers {
        if !["gen", "doc"].contains(&arguments[0]) {
            let child = begin(&folder, &[arguments, &["--max-time", "3s"]].concat());
            let (code, stderr) = end(child, &format!("{arguments:?}"));
            assert_eq!(code, 4, "{arguments:?}: {stderr}");
            assert!(stderr.contains("time limit reached while writing"), "{stderr}");
            assert!(stderr.contains("`--max-time` sets this limit"), "{stderr}");
        }
        for signal in ["-INT", "-TERM", "-HUP"].into_iter().filter(|signal| is_delivered(signal)) {
            let child = begin(&folder, arguments);
            wait_for_handlers(&child);
            kill(&child, signal);
            let (code, stderr) = end(child, &format!("{arguments:?} {signal}"));
            assert_eq!(code, 130, "{arguments:?}: {stderr}");
            assert!(stderr.contains("error[L0106]"), "{stderr}");
        }
    }
}

#[test]
fn pipes_are_written_when_a_reader_comes() {
    let folder = folder();
    let child = begin(&folder, &["gen", "gnm", "-n", "9", "-m", "9", "-o", "pipe.gr", "--quiet"]);
    thread::sleep(Duration::from_millis(200));
    let text = std::fs::read_to_string(folder.path("pipe.gr")).unwrap();
    Ran::of(child.wait_with_output().unwrap()).prints("");
    folder.star(&["gen", "gnm", "-n", "9", "-m", "9", "-o", "gr:-", "--quiet"]).prints(&text);
}

#[test]
fn an_unread_standard_output_ends_at_the_limit_and_at_signals() {
    let folder = folder();
    let endless = ["run", "p.star", "T=g.gr", "n=1"];
    let data = ["run", "p.star", "T=gen gnm -n 900 -m 90000", "n=0", "--out", "R=gr:-"];
    let moving = ["moving", "u.csv", "q.csv"];
    for arguments in [&endless[..], &data, &moving] {
        let child = begin(&folder, &[arguments, &["--max-time", "2s"]].concat());
        let (code, stderr) = end(child, &format!("{arguments:?}"));
        assert_eq!(code, 4, "{arguments:?}: {stderr}");
        assert_eq!(stderr.matches("error[L0103]").count(), 1, "{stderr}");
    }
    let generate = ["gen", "gnm", "-n", "900", "-m", "90000", "-o", "gr:-"];
    for arguments in [&endless[..], &data, &moving, &generate, &["doc", "--format", "md"]] {
        for signal in ["-INT", "-TERM"] {
            let child = begin(&folder, arguments);
            wait_for_handlers(&child);
            // The buffer of the pipe is full.
            thread::sleep(Duration::from_millis(500));
            kill(&child, signal);
            let (code, stderr) = end(child, &format!("{arguments:?} {signal}"));
            assert_eq!(code, 130, "{arguments:?}: {stderr}");
            assert_eq!(stderr.matches("error[L0106]").count(), 1, "{stderr}");
        }
    }
}

#[test]
fn a_slow_reader_receives_everything() {
    let folder = folder();
    let generate = "$STAR gen gnm -n 900 -m 90000 --quiet";
    let line = format!("{generate} -o f.gr; {generate} -o gr:- | (sleep 0.5; cmp - f.gr)");
    folder.shell(&line).prints("");
}

/// Reads the first line of messages.
fn first_message(child: &mut Child) -> BufReader<ChildStderr> {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut String::new()).unwrap();
    stderr
}

#[test]
fn signals_between_files_end_the_command() {
    let folder = Folder::new(&[]);
    for idx in 0..3000 {
        folder.write(&format!("f{idx}.star"), b"program P;\nbegin x := 1 end end.\n");
    }
    let commands: [&[&str]; 3] = [&["check", "."], &["fmt", "--check", "."], &["doc", "--test"]];
    for arguments in commands {
        for signal in ["-INT", "-TERM"] {
            let mut command = folder.command(arguments);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            let mut stderr = first_message(&mut child);
            kill(&child, signal);
            let mut rest = String::new();
            stderr.read_to_string(&mut rest).unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(130), "{arguments:?} {signal}");
            assert!(rest.contains("error[L0106]"), "{arguments:?} {signal}");
        }
    }
}
