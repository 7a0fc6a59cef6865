//! Blocking or endless inputs: pipes without a writer, and devices.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Folder, PATH, Ran, is_delivered, kill};

const PROGRAM: &str = "procedure P(T: table); begin print(rows(T),\" \",T(1,2),T(2,1)) end;";
const READS: &str = "procedure R(s: string); var T: table; begin read(T,s); print(rows(T)) end;";

/// Maximum delay until a reader reacts to a request to end, even on a busy machine.
const SOON: Duration = Duration::from_secs(10);

fn folder_with_a_pipe(name: &str) -> Folder {
    let folder = Folder::new(&[("p.star", PROGRAM), ("r.star", READS)]);
    let made = Command::new("mkfifo").arg(folder.path(name)).status().unwrap();
    assert!(made.success());
    folder
}

fn begin(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the process has this file open.
fn wait_for_opening(folder: &Folder, child: &mut Child, name: &str) {
    let start = Instant::now();
    let wanted = folder.path(name).canonicalize().unwrap();
    let open = format!("/proc/{}/fd", child.id());
    let has_it = || {
        let files = std::fs::read_dir(&open).into_iter().flatten().flatten();
        let mut targets = files.filter_map(|file| std::fs::read_link(file.path()).ok());
        targets.any(|target| target == wanted)
    };
    while !has_it() {
        assert!(child.try_wait().unwrap().is_none(), "it ends before it opens {name}");
        assert!(start.elapsed() < Duration::from_secs(120), "it does not open {name}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// All commands, with `pipe` as each file that they read, except those with the extension of
/// [`READERS`].
const NAMED_READERS: [&[&str]; 22] = [
    &["run", "pipe"],
    &["repl", "pipe"],
    &["repl", "--graph", "pipe"],
    &["check", "pipe"],
    &["doc", "./pipe"],
    &["doc", "./pipe", "--test"],
    &["test", "pipe"],
    &["dev", "pipe"],
    &["dev", "pipe", "--dump", "hir"],
    &["dev", "pipe.sir"],
    &["bench", "pipe"],
    &["bench", "p.star", "--with", "pipe", "--page", "p.html"],
    &["benchcmp", "pipe", "m.json"],
    &["benchcmp", "m.json", "pipe"],
    &["benchpage", "m.json", "pipe"],
    &["view", "pipe.gr", "--out", "v.svg"],
    &["view", "g.gr", "--places", "pipe.co"],
    &["view", "pipe.svg", "--out", "x.svg"],
    &["moving", "u.csv", "pipe.csv"],
    &["run", "p.star", "T=pipe.png"],
    &["run", "p.star", "T=pipe.stb"],
    &["run", "p.star", "T=pipe.csv"],
];

/// Commands that have no limit on time.
const UNTIMED: [&str; 3] = ["benchcmp", "benchpage", "gen"];

/// Creates a folder with the other files of [`NAMED_READERS`]; the rest of each is made by `make`.
fn folder_for_all(make: impl Fn(&Folder, &str)) -> Folder {
    let record = "{\"schema\": 1, \"rows\": []}";
    let folder = Folder::new(&[
        ("p.star", PROGRAM),
        ("g.gr", PATH),
        ("m.json", record),
        ("u.csv", "t,id,x,y\n1,1,2,3\n"),
    ]);
    for extension in ["", ".sir", ".gr", ".co", ".svg", ".csv", ".png", ".stb"] {
        make(&folder, &format!("pipe{extension}"));
    }
    folder
}

#[test]
fn every_command_ends_reads_of_idle_pipes() {
    let folder = folder_for_all(|folder, name| {
        let made = Command::new("mkfifo").arg(folder.path(name)).status().unwrap();
        assert!(made.success());
    });
    for arguments in NAMED_READERS {
        let name = arguments.iter().find(|argument| argument.contains("pipe")).unwrap();
        let name = name.rsplit(['=', '/']).next().unwrap();
        for signal in ["-INT", "-TERM", "-HUP"] {
            if arguments[0] == "repl" || !is_delivered(signal) {
                continue;
            }
            let mut child = begin(&folder, arguments);
            wait_for_opening(&folder, &mut child, name);
            let start = Instant::now();
            kill(&child, signal);
            let ran = Ran::of(child.wait_with_output().unwrap());
            assert!(start.elapsed() < SOON, "{arguments:?} {signal}: {:?}", start.elapsed());
            ran.fails(130, &["error[L0106]"]);
        }
        if !UNTIMED.contains(&arguments[0]) && !arguments.contains(&"--graph") {
            let start = Instant::now();
            let ran = folder.star(&[arguments, &["--max-time", "100ms"]].concat());
            assert!(start.elapsed() < SOON, "{arguments:?}: {:?}", start.elapsed());
            ran.fails(4, &["error[L0103]"]);
        }
    }
}

/// The address space of a command with a small limit on memory, in KiB.
const ENOUGH_KIB: u64 = 2 << 20;

#[test]
fn every_command_bounds_what_it_reads_of_endless_devices() {
    let folder = folder_for_all(|folder, name| {
        symlink("/dev/zero", folder.path(name)).unwrap();
    });
    // A session reads the graph only when a value needs it.
    for arguments in NAMED_READERS {
        if arguments == ["repl", "--graph", "pipe"] {
            continue;
        }
        let limited = !UNTIMED.contains(&arguments[0]);
        let limits = if limited { "--max-memory 64M --max-time 60s" } else { "" };
        let line =
            format!("ulimit -v {ENOUGH_KIB}; $STAR {} {limits} < /dev/null", arguments.join(" "));
        let start = Instant::now();
        let ran = folder.shell(&line);
        assert!([1, 2, 4, 5].contains(&ran.code), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("error["), "{arguments:?}: {ran:?}");
        assert!(start.elapsed() < 6 * SOON, "{arguments:?}: {:?}", start.elapsed());
    }
}

#[test]
fn long_records_count_against_the_limit_on_memory() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    for bytes in [14_000_000, 200_000_000] {
        for cell in ["1,", "111111,", "x"] {
            let line = format!(
                "yes {cell} | tr -d '\\n' | head -c {bytes} > l.csv; ulimit -v 400000; \
                 $STAR run p.star T=l.csv --max-memory 600K"
            );
            folder.shell(&line).fails(4, &["error[E0511]"]);
        }
    }
}

#[test]
fn lines_without_end_end_a_session() {
    let folder = Folder::new(&[]);
    let long = "(echo 'print(6)'; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo 'print(7)')";
    for (input, number, printed) in [(long, 2, "6\n"), ("cat /dev/zero", 1, "")] {
        let start = Instant::now();
        let ran = folder.shell(&format!("{input} | (ulimit -v 400000; $STAR repl)"));
        let message = format!("error[E0112]: line {number} is longer than 16.0 MiB");
        ran.fails(1, &[&message, "the rest of the input is ignored"]);
        assert_eq!(ran.stdout, printed);
        assert!(start.elapsed() < 6 * SOON, "{input}: {:?}", start.elapsed());
    }
}

/// All commands that read data.
const READERS: [&[&str]; 6] = [
    &["run", "p.star", "T=pipe.gr"],
    &["run", "p.star", "T=weights-out:pipe.gr", "--max-memory", "1M"],
    &["run", "star:closure", "--proc", "WARSHALL", "--graph", "pipe.gr"],
    &["run", "r.star", "s=pipe.gr"],
    &["moving", "pipe.gr"],
    &["gen", "updates", "--graph", "pipe.gr", "-k", "10", "-o", "u.updates"],
];

#[test]
fn signals_and_deadlines_end_reads_of_idle_pipes() {
    for arguments in READERS {
        let folder = folder_with_a_pipe("pipe.gr");
        for signal in ["-INT", "-TERM"] {
            let mut child = begin(&folder, arguments);
            wait_for_opening(&folder, &mut child, "pipe.gr");
            let start = Instant::now();
            kill(&child, signal);
            let ran = Ran::of(child.wait_with_output().unwrap());
            assert!(start.elapsed() < SOON, "{arguments:?} {signal}: {:?}", start.elapsed());
            ran.fails(130, &["error[L0106]"]);
        }
        if arguments[0] != "gen" {
            let start = Instant::now();
            let ran = folder.star(&[arguments, &["--max-time", "100ms"]].concat());
            assert!(start.elapsed() < SOON, "{arguments:?}: {:?}", start.elapsed());
            ran.fails(4, &["error[L0103]"]);
        }
    }
}

#[test]
fn sessions_read_a_graph_within_the_time_of_a_line() {
    let folder = folder_with_a_pipe("pipe.gr");
    let line = "printf 'G\\n1+1\\n' | $STAR repl --graph pipe.gr --max-time 100ms";
    let ran = folder.shell(line);
    ran.fails(4, &["error[L0103]: pipe.gr"]);
    assert_eq!(ran.stdout, "2\n");
}

#[test]
fn silent_writers_do_not_block_for_ever() {
    let folder = folder_with_a_pipe("pipe.gr");
    let mut child = begin(&folder, &["run", "p.star", "T=pipe.gr"]);
    wait_for_opening(&folder, &mut child, "pipe.gr");
    let mut writer = OpenOptions::new().write(true).open(folder.path("pipe.gr")).unwrap();
    writer.write_all(b"p sp 3 2\na 1").unwrap();
    thread::sleep(Duration::from_millis(100));
    kill(&child, "-INT");
    Ran::of(child.wait_with_output().unwrap()).fails(130, &["error[L0106]"]);
}

#[test]
fn slow_writers_are_read_to_the_end() {
    let folder = folder_with_a_pipe("pipe.gr");
    let packed = {
        let path = folder.path("path.gr");
        std::fs::write(&path, PATH).unwrap();
        let gzip = Command::new("gzip").arg("-c").arg(&path).output().unwrap();
        gzip.stdout
    };
    for bytes in [PATH.as_bytes(), &packed] {
        let child = begin(&folder, &["run", "p.star", "T=pipe.gr"]);
        let mut writer = OpenOptions::new().write(true).open(folder.path("pipe.gr")).unwrap();
        for piece in bytes.chunks(bytes.len().div_ceil(4)) {
            thread::sleep(Duration::from_millis(50));
            writer.write_all(piece).unwrap();
        }
        drop(writer);
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "3 10\n"), "{ran:?}");
    }
    // Standard input by its name, with a writer that exits before it is read.
    let ran = folder.shell("cat path.gr | (sleep 0.1; $STAR run p.star T=/dev/stdin)");
    ran.prints("3 10\n");
    let ran = folder.shell(": | (sleep 0.1; $STAR run p.star T=/dev/stdin)");
    ran.fails(5, &["cannot determine the format of the file by its name or first bytes"]);
}

#[test]
fn rejects_endless_devices_by_their_first_bytes() {
    let folder = Folder::new(&[("p.star", PROGRAM)]);
    let extensions = [
        "mtx", "txt", "gr", "graph", "co", "csv", "map", "scen", "stb", "png", "jpg", "tif", "pbm",
        "pgm", "ppm", "svg", "npy", "npz", "updates",
    ];
    for extension in extensions {
        let name = format!("zero.{extension}");
        symlink("/dev/zero", folder.path(&name)).unwrap();
        let argument = format!("T={name}");
        // Reading up to the memory limit would cause a different message.
        let ran =
            folder.star(&["run", "p.star", &argument, "--max-memory", "256M", "--max-time", "60s"]);
        ran.fails(5, &["error[E0502]", &name]);
    }
    // Words, numbers and comments after a valid beginning have a maximum length.
    for (first, rest, extension) in [
        ("", "0", "gr"),
        ("p sp 1 1\na ", "0", "gr"),
        ("p sp 1 1\na 1 1 0.", "0", "gr"),
        ("%%MatrixMarket matrix ", "c", "mtx"),
        ("# ", "x", "txt"),
    ] {
        let line = format!(
            "(printf '{first}'; yes {rest} | tr -d '\\n') | \
             $STAR run p.star T=in.{extension} scale=10 --max-memory 256M --max-time 60s"
        );
        let _ = std::fs::remove_file(folder.path(&format!("in.{extension}")));
        symlink("/dev/stdin", folder.path(&format!("in.{extension}"))).unwrap();
        folder.shell(&line).fails(5, &["error[E0502]"]);
    }
}

/// Enough statements for more than a second and more than 64 MiB of compilation; nested, since a
/// formatter holds only one at a time.
fn long_program() -> String {
    let statements = "i:=i+1;\n".repeat(300_000);
    format!("program L; var i: integer; begin i:=1; if i=1 then begin\n{statements}end end.")
}

#[test]
fn limits_end_the_compilation_of_long_programs() {
    let folder = Folder::new(&[("long.star", &long_program())]);
    let arguments = ["run", "long.star"];
    let ran = folder.star(&[&arguments[..], &["--max-memory", "1M"]].concat());
    ran.fails(4, &["error[L0102]: compiling needs more than 64.0 MiB of memory", "--max-memory"]);
    let ran = folder.star(&[&arguments[..], &["--max-time", "100ms"]].concat());
    ran.fails(4, &["error[L0103]: the time is up while compiling", "--max-time"]);
    let mut child = begin(&folder, &arguments);
    let tasks = format!("/proc/{}/task", child.id());
    let is_watched = || {
        let tasks = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
        let mut names = tasks.filter_map(|it| std::fs::read(it.path().join("comm")).ok());
        names.any(|name| name == b"sentry\n")
    };
    while !is_watched() {
        assert!(child.try_wait().unwrap().is_none(), "it ends before it is watched");
        thread::sleep(Duration::from_millis(1));
    }
    let start = Instant::now();
    kill(&child, "-INT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    ran.fails(130, &["error[L0106]: interrupted while compiling"]);
}

/// Commands that check, test, measure or hold a session have the same limits.
#[test]
fn all_compiling_commands_respect_the_limits() {
    let header = "/* @test of it\n   run L */\n/* @bench of it\n   run L */\n";
    let text = format!("{header}{}", long_program());
    let folder = Folder::new(&[("long.star", &text), ("load", ":load long.star\n")]);
    let commands: [&[&str]; 7] = [
        &["check", "long.star"],
        &["dev", "long.star", "--verify"],
        &["doc", "long.star"],
        &["fmt", "long.star"],
        &["test", "long.star"],
        &["bench", "long.star"],
        &["repl", "long.star"],
    ];
    for arguments in commands {
        let ran = folder.star(&[arguments, &["--max-memory", "1M"]].concat());
        ran.fails(
            4,
            &["error[L0102]: compiling needs more than 64.0 MiB of memory", "--max-memory"],
        );
        let ran = folder.star(&[arguments, &["--max-time", "20ms"]].concat());
        ran.fails(4, &["error[L0103]: the time is up while compiling", "--max-time"]);
        let kept = std::fs::read_to_string(folder.path("long.star")).unwrap();
        assert_eq!(kept, text, "{arguments:?}");
    }
    let ran = folder.shell("$STAR repl --max-time 20ms < load");
    ran.fails(4, &["error[L0103]", "the session ends here"]);
}

#[test]
fn an_endless_entry_ends_the_session() {
    let folder = Folder::new(&[]);
    let piped = |options: &str| {
        folder.shell(&format!("yes begin | head -c 200000000 | $STAR repl --no-history {options}"))
    };
    piped("--max-memory 64M").fails(1, &["an entry is longer than 16.0 MiB", "is ignored"]);
    piped("--max-time 5ms").fails(4, &["error[L0103]: the time is up while reading an entry"]);
}
