//! Long runs: killed at any moment and continued, with the output and results of a run from
//! beginning to end.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use star_base::random::mix64;

use crate::support::{Folder, Ran, kill};

/// Some seconds of work on slices, words, tables and texts, in a routine of the program.
const LONG: &str = "\
procedure STEPS(n: integer; var T: table; var X: slice);
var i, k: integer; Y: slice; w: word; last: string;
begin
  last := \"none\";
  for i := 1 to n do begin
    k := 1 + i mod 7; Y := COL(k,T);
    Y := ROTATE(Y,i) or X; Y(1 + i mod 90) := 0;
    COL(k,T) := Y; w := ROW(k,T); ROW(1 + i mod 80,T) := not w;
    X := SHIFT(Y,down,1);
    if i mod 500 = 0 then begin print(last, \" \", i, \" \", NUMB(X)); last := \"step\" end
  end
end;

procedure LONG(n: integer; var T: table; var X: slice);
begin
  print(\"begun\"); STEPS(n,T,X); print(\"ended\")
end;
";

const SHORT: &str = "\
program SHORT(n: integer);
var i: integer;
begin
  for i := 1 to n do begin print(i); assert(i < 9, \"nine\") end
end.
";

const ZEROS: &str = "procedure ZEROS(n: integer; var X: slice(n)); begin CLR(X) end;";

fn folder() -> Folder {
    let files = [("long.star", LONG), ("short.star", SHORT), ("zeros.star", ZEROS)];
    let folder = Folder::new(&files);
    fs::create_dir(folder.path("saved")).unwrap();
    let made = folder
        .star(&["gen", "table", "--rows", "60000", "--widths", "8", "--seed", "3", "-o", "t.stb"]);
    assert_eq!(made.code, 0, "{made:#?}");
    let made = folder.star(&["run", "zeros.star", "n=60000", "--out", "X=zeros.stb"]);
    assert_eq!(made.code, 0, "{made:#?}");
    folder
}

/// Returns a number of the last checkpoint.
fn manifest(folder: &Folder, key: &str) -> Option<u64> {
    let text = fs::read_to_string(folder.path("saved/checkpoint.json")).ok()?;
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    object[key].as_u64()
}

/// Returns the arguments of a long run with a number of iterations.
fn long<'a>(n: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "long.star", "--proc", "LONG", "T=t.stb", "X=zeros.stb", n], more].concat()
}

#[test]
fn killed_runs_continue_with_the_same_output_and_files() {
    let folder = folder();
    let out = |suffix: &str| [format!("T=t{suffix}.stb"), format!("X=x{suffix}.stb")];
    let [t, x] = out("-whole");
    let whole = folder.star(&long("n=600000", &["--out", &t, "--out", &x]));
    assert_eq!(whole.code, 0, "{whole:#?}");

    let [t, x] = out("-parts");
    let more = ["--out", &t, "--out", &x, "--checkpoint", "saved", "--every", "30ms"];
    let mut total = String::new();
    let mut n_killed = 0;
    let ran = loop {
        let mut arguments = long("n=600000", &more);
        let before = manifest(&folder, "number").unwrap_or(0);
        if before > 0 {
            arguments.extend(["--resume", "saved"]);
            total.truncate(manifest(&folder, "printed").unwrap() as usize);
        }
        let mut command = folder.command(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() && n_killed < 5 {
            let now = manifest(&folder, "number").unwrap_or(0);
            assert!(start.elapsed() < Duration::from_secs(120), "no checkpoint");
            if now > before {
                let wait = mix64(n_killed) % 60;
                std::thread::sleep(Duration::from_millis(wait));
                kill(&child, "-KILL");
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let ran = Ran::of(child.wait_with_output().unwrap());
        total.push_str(&ran.stdout);
        if ran.code != -1 {
            break ran;
        }
        n_killed += 1;
    };
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(n_killed > 2, "the run is too short: killed {n_killed} times");
    assert!(ran.stderr.contains("note: continued from `saved`, after "), "{ran:#?}");
    assert!(total == whole.stdout, "the output differs");
    for name in ["t", "x"] {
        let [whole, parts] = ["whole", "parts"]
            .map(|part| fs::read(folder.path(&format!("{name}-{part}.stb"))).unwrap());
        assert!(whole == parts, "{name} differs");
    }
    // One state is left.
    assert_eq!(fs::read_dir(folder.path("saved")).unwrap().count(), 2);
}

#[test]
fn traps_and_limits_are_those_of_a_whole_run() {
    let folder = folder();
    let whole = folder.star(&["run", "short.star", "n=20"]);
    whole.fails(3, &["nine"]);
    let saving = ["run", "short.star", "n=20", "--checkpoint", "saved", "--every", "0s"];
    let saved = folder.star(&saving);
    assert_eq!((saved.code, &saved.stdout), (whole.code, &whole.stdout));
    assert_eq!(saved.stderr, whole.stderr);
    let resumed = folder.star(&["run", "short.star", "n=20", "--resume", "saved"]);
    assert_eq!((resumed.code, &resumed.stdout[..]), (3, "9\n"), "{resumed:#?}");
    assert!(resumed.stderr.ends_with(&whole.stderr), "{resumed:#?}");
    // Counts continue, too.
    let cost = |more: &[&str]| {
        let arguments = [&["run", "short.star", "n=8", "--cost"], more].concat();
        let ran = folder.star(&arguments);
        assert_eq!(ran.code, 0, "{ran:#?}");
        ran.stderr.lines().last().map(str::to_owned)
    };
    let whole = cost(&[]);
    assert_eq!(cost(&["--checkpoint", "saved", "--every", "0s"]), whole);
    assert_eq!(cost(&["--resume", "saved"]), whole);
}

#[test]
fn other_runs_are_refused_with_what_differs() {
    let folder = folder();
    let saving = ["run", "short.star", "n=5", "--checkpoint", "saved", "--every", "0s"];
    assert_eq!(folder.star(&saving).code, 0);
    let resume = |arguments: &[&str], parts: &[&str]| {
        let arguments = [&["run"], arguments, &["--resume", "saved"]].concat();
        folder.star(&arguments).fails(5, parts);
    };
    resume(&["short.star", "n=6"], &["error[E0512]", "the argument `n` is not that of the"]);
    folder.write("short.star", SHORT.replace("nine", "ten").as_bytes());
    resume(&["short.star", "n=5"], &["error[E0512]", "another program"]);
    // A comment is no difference.
    folder.write("short.star", format!("{{ a comment }} {SHORT}").as_bytes());
    let arguments = ["run", "short.star", "n=5", "--resume", "saved"];
    folder.star(&arguments).prints("5\n");

    let state = |number: u64| format!("saved/state-{number}/rank-0");
    let path = folder.path(&state(manifest(&folder, "number").unwrap()));
    let good = fs::read(&path).unwrap();
    let mut bad = good.clone();
    bad[good.len() / 2] ^= 1;
    fs::write(&path, bad).unwrap();
    folder.star(&arguments).fails(5, &["error[E0502]", "rank-0", "omit `--resume`"]);
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    folder.star(&arguments).fails(5, &["error[E0503]", "rank-0"]);
    fs::remove_file(&path).unwrap();
    folder.star(&arguments).fails(5, &["error[E0501]", "rank-0"]);
    folder.write("saved/checkpoint.json", b"{}");
    folder.star(&arguments).fails(5, &["error[E0502]", "the checkpoint is damaged"]);
    fs::remove_file(folder.path("saved/checkpoint.json")).unwrap();
    folder.star(&arguments).fails(5, &["error[E0501]", "there is no checkpoint"]);
}

#[test]
fn options_that_exclude_checkpoints_and_folders_are_refused_at_once() {
    let folder = folder();
    let refused = |more: &[&str], code, parts: &[&str]| {
        let ran = folder.star(&[&["run", "short.star", "n=5"], more].concat());
        ran.fails(code, parts);
        assert_eq!(ran.stdout, "", "{ran:#?}");
    };
    let save = ["--checkpoint", "saved"];
    refused(&[&save[..], &["--profile"]].concat(), 2, &["error[E0608]", "`--profile`"]);
    refused(&["--resume", "saved", "--profile"], 2, &["error[E0608]", "`--resume` cannot be"]);
    for backend in ["reference", "auto"] {
        let option = format!("--backend={backend}");
        let part = format!("with the backend `{backend}`");
        refused(&[&save[..], &[&option]].concat(), 2, &["error[E0608]", &part]);
    }
    refused(&["--every", "1s"], 2, &["--checkpoint"]);
    refused(&["--checkpoint", "none"], 5, &["error[E0509]", "the folder does not exist"]);
    refused(&["--checkpoint", "short.star"], 5, &["error[E0509]", "it is not a folder"]);
    let json = [&save[..], &["--format", "json"]].concat();
    let ran = folder.star(&[&["run", "short.star", "n=5"], &json[..]].concat());
    assert!(ran.code == 2 && ran.stdout.contains("E0608"), "{ran:#?}");
}

#[test]
fn a_full_disk_is_a_warning_and_the_run_goes_on() {
    let folder = folder();
    let whole = folder.star(&long("n=1000", &[]));
    let line = "ulimit -f 30; $STAR run long.star --proc LONG T=t.stb X=zeros.stb n=1000 \
                --checkpoint saved --every 0s";
    let ran = folder.shell(line);
    assert_eq!((ran.code, &ran.stdout), (0, &whole.stdout), "{}", ran.stderr);
    let part = "warning: no checkpoint: saved/state-";
    assert!(ran.stderr.contains(part) && ran.stderr.contains("the run continues"), "{ran:#?}");
    assert_eq!(fs::read_dir(folder.path("saved")).unwrap().count(), 0);
}
