//! Delay of Ctrl-C in all phases of a run. The limits are generous, since test machines are busy;
//! the printed delays of a release build on large data are the relevant ones: `cargo test --release
//! -p star-cli --test cli interrupts -- --nocapture --test-threads 1`.

#![allow(clippy::print_stdout, reason = "the figures are for people")]

use std::fmt::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{ENDLESS, Folder, Ran, is_delivered, kill, written_aside};

/// Maximum delay.
const BOUND: Duration = Duration::from_secs(5);

/// Maximum number of attempts: a busy machine exceeds the limit occasionally, a fault always.
const MAX_TRIES: usize = 4;

/// Rows of large tables with 4096 columns: 1 GiB in release builds.
const N_ROWS: usize = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 21 };

/// Vertices of a large adjacency table.
const N_VERTICES: usize = if cfg!(debug_assertions) { 4000 } else { 40_000 };

/// Arcs of a large graph.
const N_ARCS: usize = if cfg!(debug_assertions) { 200_000 } else { 4_000_000 };

/// Sends Ctrl-C and waits for the end; returns the delay.
fn interrupt(child: Child) -> (Duration, Ran) {
    end_with(child, "-INT")
}

/// Sends a signal and waits for the end; returns the delay.
fn end_with(child: Child, signal: &str) -> (Duration, Ran) {
    let start = Instant::now();
    kill(&child, signal);
    let ran = Ran::of(child.wait_with_output().unwrap());
    (start.elapsed(), ran)
}

fn begin(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Interrupts a program after it has created a file to signal its start; several times, at
/// different moments.
fn interrupt_endless(what: &str, text: &str) {
    let folder = Folder::new(&[("e.star", text)]);
    for wait in [0, 70, 230] {
        let mut child = begin(&folder, &["run", "e.star"]);
        let start = Instant::now();
        while !folder.path("begun.stb").exists() {
            assert!(child.try_wait().unwrap().is_none(), "{what} ends before it begins");
            assert!(start.elapsed() < Duration::from_secs(120), "{what} does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(wait));
        let (took, ran) = interrupt(child);
        println!("{what}, after {wait} ms: ended in {} ms", took.as_millis());
        ran.fails(130, &["error[L0106]"]);
        assert!(took < BOUND, "{what}: {took:?}");
        std::fs::remove_file(folder.path("begun.stb")).unwrap();
        assert_eq!(folder.names(), ["e.star"]);
    }
}

/// Components of a long word: 128 MiB in release builds.
const N_WORD: usize = if cfg!(debug_assertions) { 1 << 27 } else { 1 << 30 };

/// A program that creates a large table and works on it endlessly.
fn on_a_large_table(body: &str) -> String {
    format!(
        "procedure GROW(X: slice);
         var F: table; i: integer;
         begin for i := 1 to 5000 do COL(i,F) := X end;
         procedure ROWS(w: word);
         var T: table({N_ROWS},4096); i: integer;
         begin for i := 1 to {N_ROWS} do ROW(i,T) := w end;
         program E;
         var T: table({N_ROWS},4096); F: table; B: table(1,1); X,Y: slice({N_ROWS});
             v,w: word(4096); p,q,r: word({N_WORD}); i: integer; b: boolean;
         begin
           SET(X); X(2) := 0; SET(v); SET(w); SET(p); SET(q);
           for i := 1 to 4096 do COL(i,T) := ROTATE(X,i);
           B(1,1) := 1; write(B,\"begun.stb\");
           while true do begin {body} end
         end."
    )
}

#[test]
fn long_loops_end_quickly() {
    let begun = "T(1,1) := 1; write(T, \"begun.stb\")";
    let text = ENDLESS.replace("var i", "var T: table(1,1); i").replace("print(\"begun\")", begun);
    interrupt_endless("a loop", &text);
}

#[test]
fn long_kernels_end_quickly() {
    for (what, body) in [
        ("MIN", "MIN(T,X,Y)"),
        (
            "rows of a table by columns",
            "for i := 1 to 1000 do ROW(i,T) := ROW(i+1,T); COL(1,T) := X",
        ),
        ("a copy", "F := T; COL(1,F) := X"),
        ("a table that grows", "GROW(X)"),
        ("TCOPY1", "TCOPY1(T,1,4000,F)"),
        ("NUMB", "Y := X xor MIRROR(X); i := NUMB(Y)"),
        ("SHUFFLE", "Y := SHUFFLE(X)"),
        ("MATCH", "MATCH(T,X,v,Y)"),
        ("LESS", "LESS(T,X,v,Y)"),
        ("ADDV", "ADDV(T,T,X,F)"),
        // The table is written again, so that it has no row-major copy.
        ("a transpose", "T(1,1) := 1; COL(1,T) := X; for i := 1 to 100000 do w := ROW(i,T)"),
        ("first writes of rows", "ROWS(w)"),
        ("comparisons", "b := p = q; b := LESSEQ(p,q); if b then Y := X"),
        ("a sum of long words", "r := ADD(p,q); r := SUBT(p,q)"),
    ] {
        interrupt_endless(what, &on_a_large_table(body));
    }
}

#[test]
fn natives_end_quickly() {
    for (what, body) in [
        ("WARSHALL", "F := T; WARSHALL(n,F)"),
        ("WARSHALL-C", "F := T; WARSHALL-C(n,F)"),
        ("CONDENSE", "CONDENSE(n,T,H)"),
    ] {
        let text = format!(
            "import \"star:closure\";
             const n = {N_VERTICES};
             program E;
             var T,F: table(n,n); B: table(1,1); H: handle; X: slice(n); i: integer;
             begin
               SET(X); X(2) := 0;
               for i := 1 to n do COL(i,T) := ROTATE(X,i);
               B(1,1) := 1; write(B,\"begun.stb\");
               while true do begin {body} end
             end."
        );
        interrupt_endless(what, &text);
    }
}

/// Writes a table of some megabytes repeatedly.
const WRITES: &str = "program W;
     var T: table(100000,400); B: table(1,1); X: slice(100000); i: integer;
     begin
       SET(X); X(2) := 0;
       for i := 1 to 400 do COL(i,T) := ROTATE(X,i);
       B(1,1) := 1; write(B,\"begun.stb\");
       while true do begin T(1,1) := 1; write(T,\"large.mtx\") end
     end.";

#[test]
fn interrupted_writers_leave_no_files() {
    let folder = Folder::new(&[("w.star", WRITES), ("large.mtx", "old")]);
    let temporary = || folder.names().iter().any(|name| name.starts_with(".star-"));
    for signal in ["-TERM", "-INT", "-HUP"].into_iter().filter(|signal| is_delivered(signal)) {
        let _ = std::fs::remove_file(folder.path("begun.stb"));
        let child = begin(&folder, &["run", "w.star"]);
        let start = Instant::now();
        while !folder.path("begun.stb").exists() || !written_aside(&folder, &child) {
            assert!(start.elapsed() < Duration::from_secs(120), "nothing is written");
            std::thread::sleep(Duration::from_millis(1));
        }
        let (took, ran) = end_with(child, signal);
        println!("a writer, {signal}: ended in {} ms", took.as_millis());
        ran.fails(130, &["error[L0106]"]);
        assert!(!temporary(), "{signal}: {:?}", folder.names());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn repeated_signals_leave_no_files() {
    let folder = Folder::new(&[("w.star", WRITES), ("large.mtx", "old")]);
    for signals in [["-INT"; 3], ["-HUP"; 3], ["-TERM", "-HUP", "-INT"], ["-KILL"; 3]] {
        if !is_delivered(signals[0]) {
            continue;
        }
        let _ = std::fs::remove_file(folder.path("begun.stb"));
        let mut command = folder.command(&["run", "w.star"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while !folder.path("begun.stb").exists() || !written_aside(&folder, &child) {
            assert!(start.elapsed() < Duration::from_secs(120), "nothing is written");
            std::thread::sleep(Duration::from_millis(1));
        }
        let all = signals.map(|signal| format!("kill {signal} {}", child.id())).join("; ");
        folder.shell(&all);
        Ran::of(child.wait_with_output().unwrap());
        let names = folder.names();
        assert!(names.iter().all(|name| !name.starts_with(".star-")), "{signals:?}: {names:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nohup_keeps_a_command_alive() {
    let folder = Folder::new(&[("e.star", ENDLESS)]);
    let line = "(trap '' HUP; exec $STAR run e.star --max-time 500ms) & sleep 0.1; kill -HUP $!; \
                wait $!";
    folder.shell(line).fails(4, &["error[L0103]"]);
}

#[test]
fn reading_conversion_and_writing_end_quickly() {
    let copy = "procedure COPY(T: table; var F: table); begin F := T; COL(1,F) := COL(2,T) end;";
    let folder = Folder::new(&[("c.star", copy), ("f.stb", "old")]);
    let n = if cfg!(debug_assertions) { 3000 } else { 8000 };
    let mut graph = format!("p sp {n} {N_ARCS}\n");
    let mut random = 1u64;
    for _ in 0..N_ARCS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (tail, head) = ((random >> 33) % n, (random >> 13) % n);
        writeln!(graph, "a {} {} {}", tail + 1, head + 1, random >> 50).unwrap();
    }
    folder.write("g.gr", graph.as_bytes());
    drop(graph);
    for (layout, out) in [("weights-in", "f.stb"), ("arcs", "f.mtx")] {
        let (argument, out) = (format!("T={layout}:g.gr"), format!("F={out}"));
        let arguments = ["run", "c.star", &argument, "--out", &out];
        let start = Instant::now();
        let ran = Ran::of(begin(&folder, &arguments).wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mut whole = start.elapsed();
        folder.write("f.stb", b"old");
        let _ = std::fs::remove_file(folder.path("f.mtx"));
        let mut in_time = 0;
        for part in 1..20 {
            let wait = whole * part / 20;
            let mut tries = 1;
            let (took, ran) = loop {
                let child = begin(&folder, &arguments);
                std::thread::sleep(wait);
                let (took, ran) = interrupt(child);
                if took < BOUND || tries == MAX_TRIES {
                    break (took, ran);
                }
                folder.write("f.stb", b"old");
                tries += 1;
            };
            println!(
                "{layout}, after {} of {} ms: exit {} in {} ms{}",
                wait.as_millis(),
                whole.as_millis(),
                ran.code,
                took.as_millis(),
                ran.stderr.lines().find(|line| line.contains("error")).unwrap_or_default()
            );
            assert!(took < BOUND, "{took:?}");
            // A process that ends by the signal itself (-1) had not yet begun to handle it.
            if matches!(ran.code, 130 | -1) {
                in_time += usize::from(ran.code == 130);
                assert_eq!(ran.code == 130, ran.stderr.contains("error[L0106]"), "{ran:?}");
                assert_eq!(ran.stdout, "", "results must not be shown");
                assert_eq!(std::fs::read(folder.path("f.stb")).unwrap(), b"old");
                assert!(folder.names().iter().all(|name| !name.starts_with(".star-")), "{ran:?}");
            } else {
                assert_eq!(ran.code, 0, "{ran:?}");
                folder.write("f.stb", b"old");
                // The machine was busier while the whole run was timed.
                whole = whole.min(wait);
            }
        }
        assert!(in_time > 0, "all runs ended before they were interrupted");
    }
}

#[test]
fn environment_does_not_affect_the_number_of_threads() {
    // Slices of 2 MiB are processed by threads. Nothing is evaluated before the loop writes its
    // results.
    let text = "program E;
        var X,Y: slice(16777216); B: table(1,1); n: integer;
        begin
          SET(X); Y := not X; n := NUMB(X xor Y);
          B(1,1) := 1; write(B,\"begun.stb\");
          while true do begin X := Y; Y := not X; n := NUMB(X xor Y) end
        end.";
    let folder = Folder::new(&[("e.star", text)]);
    let mut command = folder.command(&["run", "e.star"]);
    command.env("RAYON_NUM_THREADS", "99999");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !folder.path("begun.stb").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ends before it begins");
        assert!(start.elapsed() < Duration::from_secs(120), "it does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().count();
    let (took, ran) = end_with(child, "-TERM");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // The command has some threads in addition to those of the pool.
    assert!(tasks <= cores + 5, "{tasks} threads on {cores} cores");
    ran.fails(130, &["error[L0106]"]);
    assert!(took < BOUND, "{took:?}");
}

/// A routine that does not end, with a test and a benchmark.
const SPIN: &str = "/* @test spins
   run SPIN
   n = 1
   expect n = 1 */
/* @bench spins
   run SPIN
   n = 1, 2 */
procedure SPIN(var n: integer);
begin while true do n := n + 1 - 1 end;
";

#[cfg(unix)]
#[test]
fn objects_are_complete_after_one_signal_and_after_two() {
    let folder = Folder::new(&[("spin.star", SPIN)]);
    let last = |ran: &Ran| -> serde_json::Value {
        let line = ran.stdout.lines().last().unwrap_or_else(|| panic!("{ran:#?}"));
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ran:#?}"))
    };
    for arguments in [
        &["run", "spin.star", "n=1", "--format", "json"][..],
        &["test", "spin.star", "--max-time", "1h", "--format", "json"],
        &["bench", "spin.star", "--format", "json", "--probe", "1M"],
    ] {
        for n_signals in [1, 2] {
            let mut wait = Duration::from_millis(500);
            let ran = loop {
                let child = begin(&folder, arguments);
                std::thread::sleep(wait);
                let kill = format!("kill -INT {}; ", child.id());
                folder.shell(&kill.repeat(n_signals));
                let ran = Ran::of(child.wait_with_output().unwrap());
                // A process that ends by the signal itself had not yet begun to handle it.
                if ran.code != -1 {
                    break ran;
                }
                wait *= 2;
                assert!(wait < Duration::from_secs(60), "{ran:#?}");
            };
            assert_eq!(ran.code, 130, "{arguments:?}: {ran:#?}");
            let object = last(&ran);
            match arguments[0] {
                "run" => assert_eq!(object["outcome"], "interrupted", "{object}"),
                _ => assert_eq!(object["summary"]["interrupted"], true, "{object}"),
            }
        }
    }
}
