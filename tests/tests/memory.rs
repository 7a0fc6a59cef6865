//! What waves say that they take at most, and what compiling and formatting may take, against what a process takes. The peak is
//! that of a whole process, and memory that was given back may stay with it: so every case runs in a process of its own, which is
//! this binary again.

use std::fmt::Write;
use std::process::Command;
use std::{env, fs};

use star_base::SourceFile;
use star_compiler::Formatter;
use star_intrinsics::Workers;
use star_intrinsics::wave::{Cell, Costs, Grid, Neighbourhood, Wave, Weighed};
use star_tests::{LIBRARY, Texts};

/// Stacks of threads, and pages that the system counts late.
const SLACK: u64 = 2 << 20;

/// Names the case that a process is to measure.
const CASE: &str = "STAR_MEMORY_CASE";

/// The path that winds through a square of this side, whole tiles, has more cells than two bytes can count.
const WINDING: usize = 320;

/// Width, height and threads.
const CASES: [(usize, usize, usize); 3] = [(1280, 1280, 1), (1280, 1280, 3), (385, 6000, 2)];

/// A number of bytes that the system keeps about this process.
fn status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// Open, but for a path that winds through a square in a corner, and goes on along the first row of all tiles.
fn with_a_winding_path(width: usize, height: usize) -> Grid {
    let is_in = |cell: Cell| cell.x < WINDING && cell.y < WINDING;
    let goes_on = |cell: Cell| !is_in(cell) && (cell.y.is_multiple_of(64) || cell.x == width - 1);
    let turn = |y: usize| if y.is_multiple_of(2) { WINDING - 1 } else { 0 };
    let end = Cell { x: 0, y: WINDING - 1 };
    let grid = Grid::of_edges(width, height, |a, b| match (is_in(a), is_in(b)) {
        (true, true) => a.y == b.y || a.x == turn(a.y),
        (true, false) => a == end,
        (false, true) => false,
        (false, false) => goes_on(a) == goes_on(b),
    });
    grid.expect("there is memory for it")
}

/// Measures a case, `wave` or `weighed` with its number: says how many bytes the process grew by at most, and how many were said.
fn measure(case: &str) -> Option<String> {
    let (kind, idx) = case.split_once(' ')?;
    let (width, height, n_threads) = CASES[idx.parse::<usize>().ok()?];
    let grid = with_a_winding_path(width, height);
    let threads = Workers::new(Some(n_threads), Workers::NEVER).ok()?;
    // A goal in every tile, so that the wave is in all of them at once; one at the end of the winding path, from which it comes
    // once more, so late that the tiles need numbers of three bytes.
    let tiles = |cells: usize| (1..cells).step_by(64);
    let goals = tiles(height).flat_map(|y| tiles(width).map(move |x| Cell { x: x - 1, y }));
    let is_out = |goal: &Cell| goal.x >= WINDING || goal.y >= WINDING;
    let goals: Vec<Cell> = goals.filter(is_out).chain([Cell { x: 0, y: 0 }]).collect();
    let weights = vec![3; width * height];
    let moore = Neighbourhood::Moore;
    // The peak begins anew.
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS")?;
    let said = match kind {
        "wave" => {
            let wave = Wave::spread(&grid, moore, &goals, None, &threads).ok()?;
            assert_eq!(wave.stats().n_bytes, 3);
            Wave::n_bytes(width, height)
        }
        _ => {
            let costs = Costs { straight: 5, diagonal: 7, weights: Some(&weights) };
            let weighed = Weighed::spread(&grid, moore, &goals, costs, &threads).ok()?;
            assert_ne!(weighed.cost(&grid, Cell { x: width - 1, y: height - 1 }), Ok(None));
            Weighed::n_bytes((width * height) as u64)
        }
    };
    Some(format!("took {} of {said}", status("VmHWM")?.saturating_sub(before)))
}

/// Statements of the programs that are compiled and formatted.
const N_STATEMENTS: usize = 100_000;

/// A program of so many routines: ten statements in ten lines again and again.
fn program(n_routines: usize) -> String {
    let ten = "  i:=FND(X);\n  w:=ROW(i,T);\n  Y:=X and not Z;\n  if SOME(Y) then\n    X(i):=0;\n  while n<i do\n    n:=n+2*i-1;
  COL(i,T):=Y or Z;\n  MATCH(T,X,w,Z);\n  CLR(Y);\n";
    let mut text = String::new();
    for idx in 0..n_routines {
        let head = "(T: table; var X,Y,Z: slice; n: integer);\nvar i: integer; w: word;\nbegin\n";
        // Writing to a string does not fail.
        let _ = write!(text, "proc P{idx}{head}");
        text.push_str(&ten.repeat(N_STATEMENTS / n_routines / 10));
        text.push_str(if idx + 1 < n_routines { "end;\n\n" } else { "end;\n" });
    }
    text
}

/// Formats a program of so many routines, or checks it; says how many bytes the process grew by at most, and of how many.
fn compile(kind: &str, n_routines: usize) -> Option<String> {
    let text = program(n_routines);
    let n_bytes = text.len();
    // What the library takes is no statement's.
    assert!(!star_tests::check("program P; begin end.").has_errors());
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS")?;
    if kind == "format" {
        let source = SourceFile::new("long.star", text);
        let formatted = Formatter::new(LIBRARY).format(&source, &mut Texts::default());
        assert_eq!(formatted.as_deref(), Ok(source.text()));
    } else {
        assert!(!star_tests::check(&text).has_errors());
    }
    Some(format!("took {} of {n_bytes}", status("VmHWM")?.saturating_sub(before)))
}

/// What a case says of itself, run in a process of its own; `None` if the system does not say what a process takes.
#[expect(clippy::print_stdout, reason = "says what was found, to who reads the log")]
fn took(test: &str, case: &str) -> Option<(u64, u64)> {
    let mut process = Command::new(env::current_exe().expect("this binary has a path"));
    process.args([test, "--exact", "--nocapture"]);
    let output = process.env(CASE, case).output().expect("this binary runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let Some(line) = text.lines().find_map(|line| line.split_once("took ")) else {
        println!("skipped: the system does not say what a process takes");
        return None;
    };
    let number = |text: &str| text.parse().expect("a number of bytes");
    let (took, said) = line.1.split_once(" of ").expect("two numbers");
    Some((number(took), number(said)))
}

#[test]
#[expect(clippy::print_stdout, reason = "says what was found, to the process that asks")]
fn a_statement_takes_no_more_than_it_may() {
    if let Ok(case) = env::var(CASE) {
        let (kind, n_routines) = case.split_once(' ').unwrap();
        let said = compile(kind, n_routines.parse().unwrap());
        return println!("{}", said.unwrap_or_else(|| "nothing said".to_owned()));
    }
    for (kind, most) in [("format", 150), ("check", 500)] {
        for n_routines in [1, 1000] {
            let case = format!("{kind} {n_routines}");
            let Some((took, _)) = took("a_statement_takes_no_more_than_it_may", &case) else {
                return;
            };
            let each = took / N_STATEMENTS as u64;
            println!("{kind}, {n_routines} routines: {each} bytes a statement");
            assert!(each <= most, "{kind}, {n_routines} routines: {each} bytes a statement");
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "says what was found, to the process that asks")]
fn waves_take_no_more_than_they_say() {
    if let Ok(case) = env::var(CASE) {
        return println!("{}", measure(&case).unwrap_or_else(|| "nothing said".to_owned()));
    }
    for kind in ["wave", "weighed"] {
        for (idx, (width, height, n_threads)) in CASES.into_iter().enumerate() {
            let case = format!("{kind} {idx}");
            let Some((took, said)) = took("waves_take_no_more_than_they_say", &case) else {
                return;
            };
            let what = format!("{kind}, {width} x {height}, {n_threads}: {took} of {said} bytes");
            println!("{what}");
            assert!(took <= said + SLACK, "{what}");
            // And what is said is no idle number.
            assert!(said <= took + took / 2 + SLACK, "{what}");
        }
    }
}
