//! The memory that waves declare as their maximum, and that compiling, formatting and moving
//! objects may use, compared with the memory of a process. The peak is that of a whole process, and
//! released memory may remain in it: so every case runs in a separate process, which is this binary
//! again.

use std::fmt::Write;
use std::process::Command;
use std::{env, fs};

use star_base::SourceFile;
use star_compiler::Formatter;
use star_intrinsics::Workers;
use star_intrinsics::moving::{MovingIndex, Point, Query, Rect, Update};
use star_intrinsics::wave::{Cell, Costs, Grid, Neighbourhood, Wave, Weighed};
use star_tests::{LIBRARY, Texts};

/// Stacks of threads, and pages that the system counts late.
const SLACK: u64 = 2 << 20;

/// The variable that names the case to measure in a process.
const CASE: &str = "STAR_MEMORY_CASE";

/// The winding path through a square of this side, in whole tiles, has more cells than two bytes
/// can count.
const WINDING: usize = 320;

/// Width, height and threads.
const CASES: [(usize, usize, usize); 3] = [(1280, 1280, 1), (1280, 1280, 3), (385, 6000, 2)];

/// Returns a number of bytes that the system records for this process.
fn status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// Builds an open grid, except for a path that winds through a square in a corner, and continues
/// along the first row of all tiles.
fn with_a_winding_path(width: usize, height: usize) -> Grid {
    let is_in = |cell: Cell| cell.x < WINDING && cell.y < WINDING;
    let goes_on = |cell: Cell| !is_in(cell) && (cell.y.is_multiple_of(64) || cell.x == width - 1);
    let gap = |y: usize| if y.is_multiple_of(2) { WINDING - 1 } else { 0 };
    let end = Cell { x: 0, y: WINDING - 1 };
    let grid = Grid::of_edges(width, height, |a, b| match (is_in(a), is_in(b)) {
        (true, true) => a.y == b.y || a.x == gap(a.y),
        (true, false) => a == end,
        (false, true) => false,
        (false, false) => goes_on(a) == goes_on(b),
    });
    grid.expect("there is memory for it")
}

/// Measures a case, `wave` or `weighed` with its number: reports the maximum growth of the process
/// in bytes, and the declared maximum.
fn measure(case: &str) -> Option<String> {
    let (kind, idx) = case.split_once(' ')?;
    let (width, height, n_threads) = CASES[idx.parse::<usize>().ok()?];
    let grid = with_a_winding_path(width, height);
    let threads = Workers::new(Some(n_threads), Workers::NEVER).ok()?;
    // A goal in every tile, so that the wave is in all of them at once; one at the end of the
    // winding path, from which the wave starts again, so late that the tiles need numbers of three
    // bytes.
    let tiles = |cells: usize| (1..cells).step_by(64);
    let goals = tiles(height).flat_map(|y| tiles(width).map(move |x| Cell { x: x - 1, y }));
    let is_out = |goal: &Cell| goal.x >= WINDING || goal.y >= WINDING;
    let goals: Vec<Cell> = goals.filter(is_out).chain([Cell { x: 0, y: 0 }]).collect();
    let weights = vec![3; width * height];
    let moore = Neighbourhood::Moore;
    // Resets the peak.
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

/// The number of statements of the programs that are compiled and formatted.
const N_STATEMENTS: usize = 100_000;

/// Writes a program with this number of routines: ten statements in ten lines repeatedly.
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

/// Formats a program with this number of routines, or checks it; reports the maximum growth of the
/// process in bytes, and the number of statements.
fn compile(kind: &str, n_routines: usize) -> Option<String> {
    let text = program(n_routines);
    let n_bytes = text.len();
    // The memory of the library is not charged to the statements.
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

/// Returns the report of a case run in a separate process; `None` if the system does not report the
/// memory of a process.
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
fn a_statement_uses_no_more_memory_than_allowed() {
    if let Ok(case) = env::var(CASE) {
        let (kind, n_routines) = case.split_once(' ').unwrap();
        let said = compile(kind, n_routines.parse().unwrap());
        return println!("{}", said.unwrap_or_else(|| "nothing said".to_owned()));
    }
    for (kind, most) in [("format", 150), ("check", 500)] {
        for n_routines in [1, 1000] {
            let case = format!("{kind} {n_routines}");
            let Some((took, _)) = took("a_statement_uses_no_more_memory_than_allowed", &case)
            else {
                return;
            };
            let each = took / N_STATEMENTS as u64;
            println!("{kind}, {n_routines} routines: {each} bytes a statement");
            assert!(each <= most, "{kind}, {n_routines} routines: {each} bytes a statement");
        }
    }
}

/// Stores objects with ids far apart; reports the maximum growth of the process in bytes, and the
/// memory of an entry for every id between them.
fn store_far_apart() -> Option<String> {
    let workers = Workers::new(Some(1), Workers::NEVER).ok()?;
    let mut index = MovingIndex::new(None);
    let (ids, range) = ([3, 1 << 28], Rect::EVERYWHERE);
    fs::write("/proc/self/clear_refs", "5").ok()?;
    let before = status("VmRSS")?;
    let updates = ids.map(|id| Update { id, to: Point::new(5, 5) });
    let mut found = Vec::new();
    index.period(&updates, &[], &mut found, &workers).ok()?;
    index.period(&[], &[Query { number: 1, range }], &mut found, &workers).ok()?;
    found.sort_unstable();
    assert_eq!(found, ids.map(|id| (1, id)));
    let grown = status("VmHWM")?.saturating_sub(before);
    // Entries are kept when there are more of them.
    let next = Update { id: ids[1] + 1, to: None };
    index.period(&[next], &[], &mut found, &workers).ok()?;
    assert_eq!(ids.map(|id| index.position(id)), updates.map(|update| update.to));
    Some(format!("took {grown} of {}", 8 * u64::from(ids[1])))
}

#[test]
#[expect(clippy::print_stdout, reason = "says what was found, to the process that asks")]
fn moving_objects_use_memory_only_for_ids_that_appear() {
    if env::var(CASE).is_ok() {
        return println!("{}", store_far_apart().unwrap_or_else(|| "nothing said".to_owned()));
    }
    let case = took("moving_objects_use_memory_only_for_ids_that_appear", "ids");
    let Some((took, of_all)) = case else { return };
    assert!(took < of_all / 64, "{took} of {of_all} bytes");
}

#[test]
#[expect(clippy::print_stdout, reason = "says what was found, to the process that asks")]
fn waves_use_no_more_memory_than_declared() {
    if let Ok(case) = env::var(CASE) {
        return println!("{}", measure(&case).unwrap_or_else(|| "nothing said".to_owned()));
    }
    for kind in ["wave", "weighed"] {
        for (idx, (width, height, n_threads)) in CASES.into_iter().enumerate() {
            let case = format!("{kind} {idx}");
            let Some((took, said)) = took("waves_use_no_more_memory_than_declared", &case) else {
                return;
            };
            let what = format!("{kind}, {width} x {height}, {n_threads}: {took} of {said} bytes");
            println!("{what}");
            assert!(took <= said + SLACK, "{what}");
            // The declared maximum is not much too large.
            assert!(said <= took + took / 2 + SLACK, "{what}");
        }
    }
}
