//! What waves say that they take at most, against what a process takes. The peak is that of a whole process, and memory that was
//! given back may stay with it: so every case runs in a process of its own, which is this binary again.

use std::process::Command;
use std::{env, fs};

use star_natives::Workers;
use star_natives::wave::{Cell, Costs, Grid, Neighbourhood, Wave, Weighed};

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

#[test]
#[expect(clippy::print_stdout, reason = "says what was found, to the process that asks")]
fn waves_take_no_more_than_they_say() {
    if let Ok(case) = env::var(CASE) {
        return println!("{}", measure(&case).unwrap_or_else(|| "nothing said".to_owned()));
    }
    for kind in ["wave", "weighed"] {
        for (idx, (width, height, n_threads)) in CASES.into_iter().enumerate() {
            let mut process = Command::new(env::current_exe().unwrap());
            process.args(["waves_take_no_more_than_they_say", "--exact", "--nocapture"]);
            let output = process.env(CASE, format!("{kind} {idx}")).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
            let Some(line) = text.lines().find_map(|line| line.split_once("took ")) else {
                println!("skipped: the system does not say what a process takes");
                return;
            };
            let (took, said) = line.1.split_once(" of ").unwrap();
            let (took, said) = (took.parse::<u64>().unwrap(), said.parse::<u64>().unwrap());
            let what = format!("{kind}, {width} x {height}, {n_threads}: {took} of {said} bytes");
            println!("{what}");
            assert!(took <= said + SLACK, "{what}");
            // And what is said is no idle number.
            assert!(said <= took + took / 2 + SLACK, "{what}");
        }
    }
}
