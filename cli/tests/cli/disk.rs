//! Incomplete writes: full disks, files that exceed limits, a process killed while writing.

#![allow(clippy::print_stdout, reason = "the figures are for people")]

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Folder, Ran, kill, written_aside};

/// A table of `n` × 8000 with scattered ones, so that no format compresses it to a few bytes.
const LARGE: &str = "\
procedure LARGE(n: integer; var T: table);
var X: slice(n); j: integer;
begin
  SET(X);
  for j := 1 to 8000 do begin X := ROTATE(X, j); X(1 + j mod n) := 0; COL(j,T) := X end
end;
";

fn folder() -> Folder {
    Folder::new(&[("p.star", LARGE), ("t.stb", "old"), ("t.mtx", "old"), ("small.star", SMALL)])
}

const SMALL: &str = "procedure SMALL(var T: table); begin COL(1,T) := '01'; end;";

/// Asserts that only the old files exist.
fn is_untouched(folder: &Folder) {
    assert_eq!(folder.names(), ["p.star", "small.star", "t.mtx", "t.stb"]);
    for file in ["t.stb", "t.mtx"] {
        assert_eq!(std::fs::read(folder.path(file)).unwrap(), b"old");
    }
}

#[test]
fn files_beyond_the_size_limit_keep_the_old_version() {
    let folder = folder();
    let within = "program W(n: integer; var T: table); begin COL(1,T) := COL(1,T); \
                  write(T, \"t.stb\") end.";
    for file in ["t.stb", "t.mtx"] {
        let line = format!("ulimit -f 100; $STAR run p.star n=1000 --out T={file}");
        let expected = format!("error[E0509]: {file}: cannot write: ");
        folder.shell(&line).fails(5, &[&expected]);
        is_untouched(&folder);
    }
    let line = "ulimit -f 100; $STAR run p.star n=1000 --out T=t.stb --out T=t.mtx";
    folder.shell(line).fails(5, &["error[E0509]: t.stb: ", "error[E0509]: t.mtx: "]);
    is_untouched(&folder);
    // The same within a program.
    folder.write("small.star", within.as_bytes());
    assert_eq!(folder.star(&["run", "p.star", "n=1000", "--out", "T=big.stb"]).code, 0);
    let line = "ulimit -f 100; $STAR run small.star n=1 T=big.stb";
    folder.shell(line).fails(3, &["error[T0115]", "E0509", "cannot write"]);
    std::fs::remove_file(folder.path("big.stb")).unwrap();
    is_untouched(&folder);
    // The same for printed output.
    let line = "ulimit -f 1; $STAR run p.star n=1000 > printed";
    folder.shell(line).fails(5, &["error[E0509]: cannot write to standard output"]);
}

#[test]
fn full_devices_are_reported_and_not_replaced() {
    let folder = folder();
    folder.write("square.star", LARGE.replace("8000", "n").as_bytes());
    assert_eq!(folder.shell("ln -s /dev/full full.stb; ln -s /dev/full full.mtx").code, 0);
    for file in ["full.stb", "full.mtx"] {
        let out = format!("T={file}");
        let expected = format!("error[E0509]: {file}: cannot write: ");
        let ran = folder.star(&["run", "p.star", "n=100", "--out", &out]);
        ran.fails(5, &[&expected]);
        assert!(std::fs::symlink_metadata(folder.path(file)).unwrap().is_symlink());
    }
    // All formats have the same words, and nothing else is printed.
    for extension in ["stb", "mtx", "gr", "txt", "npy", "npz", "pbm", "png", "mtx.gz", "npz.gz"] {
        let file = format!("big.{extension}");
        let link = format!("ln -s /dev/full {file}; $STAR run square.star n=900 --out T={file}");
        let ran = folder.shell(&link);
        ran.fails(5, &[&format!("error[E0509]: {file}: cannot write: no space left on device\n")]);
        assert!(!ran.stderr.contains("os error") && ran.stderr.starts_with("error"), "{ran:?}");
        std::fs::remove_file(folder.path(&file)).unwrap();
    }
    // The other result is written nevertheless.
    let line = "$STAR run p.star n=100 --out T=full.mtx --out T=t.stb";
    folder.shell(line).fails(5, &["error[E0509]: full.mtx: cannot write: "]);
    assert!(std::fs::read(folder.path("t.stb")).unwrap().len() > 100_000);
}

#[test]
fn killing_a_writer_leaves_an_old_or_complete_file() {
    let folder = folder();
    let arguments = ["run", "p.star", "n=20000", "--out", "T=t.stb"];
    folder.star(&["run", "p.star", "n=20000", "--out", "T=whole.stb"]).fails(0, &[]);
    let whole = std::fs::read(folder.path("whole.stb")).unwrap();
    let mut in_time = 0;
    for wait in [0, 2, 5, 10, 20, 40] {
        folder.write("t.stb", b"old");
        let mut command = folder.command(&arguments);
        let child = command.stdout(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while !written_aside(&folder, &child)
            && start.elapsed() < Duration::from_secs(60)
            && std::fs::read(folder.path("t.stb")).unwrap() == b"old"
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(wait));
        kill(&child, "-KILL");
        Ran::of(child.wait_with_output().unwrap());
        let found = std::fs::read(folder.path("t.stb")).unwrap();
        assert!(found == b"old" || found == whole, "{} bytes", found.len());
        in_time += usize::from(found == b"old");
    }
    println!("{in_time} of 6 runs were killed in time; {:?}", folder.names());
    if cfg!(target_os = "linux") {
        assert!(folder.names().iter().all(|name| !name.starts_with(".star-")), "{folder:?}");
    }
    // Temporary files that remain elsewhere do not affect the next run.
    folder.star(&arguments).fails(0, &[]);
    assert_eq!(std::fs::read(folder.path("t.stb")).unwrap(), whole);
}
