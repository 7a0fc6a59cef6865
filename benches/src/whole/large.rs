//! A table of gigabytes: read, laid out, and searched.

use std::thread;
use std::time::{Duration, Instant};

use super::process::Folder;
use crate::say::say;

/// Between two looks at the memory.
const LOOK: Duration = Duration::from_millis(5);

/// The file of the graph.
pub(super) const FILE: &str = "big.txt";

/// The graph whose adjacency it is.
#[derive(Clone, Copy)]
pub(super) struct Graph {
    n_vertices: u64,
    n_arcs: u64,
}

impl Graph {
    /// Reads `[VERTICES [ARCS]]`.
    pub(super) fn of(words: &[String]) -> Result<Self, String> {
        let number = |at: usize, default| {
            let word = words.get(at).map(|word| word.parse());
            word.unwrap_or(Ok(default)).map_err(|error| format!("{}: {error}", words[at]))
        };
        match words.len() {
            0..=2 => Ok(Graph { n_vertices: number(0, 200_000)?, n_arcs: number(1, 4_000_000)? }),
            _ => Err("[VERTICES [ARCS]]".to_owned()),
        }
    }

    /// Makes its file.
    pub(super) fn make(self, folder: &Folder) -> Result<(), String> {
        let Graph { n_vertices, n_arcs } = self;
        folder.run(&format!("gen gnm -n {n_vertices} -m {n_arcs} -o {FILE}"))?;
        let table = n_vertices.div_ceil(64) as f64 * 8.0 * n_vertices as f64 / f64::from(1 << 30);
        say!("{n_vertices} vertices, {n_arcs} arcs; the table takes {table:.2} GiB");
        Ok(())
    }
}

/// Runs the program, and prints what each run took.
pub(super) fn run(folder: &Folder, graph: Graph, runs: usize) -> Result<(), String> {
    graph.make(folder)?;
    say!(
        "from the start of `star run` to its end\n\n| run | s | most memory, GiB | COL, ROW, MATCH |\n|---|---|---|---|"
    );
    for run in 1..=runs {
        let begun = Instant::now();
        let mut running = folder.start(&format!("run big.star --proc BIG T=adjacency:{FILE}"))?;
        let mut most = 0;
        while !running.is_over() {
            most = running.most_memory().unwrap_or(0).max(most);
            thread::sleep(LOOK);
        }
        let time = begun.elapsed().as_secs_f64();
        let printed = running.first_line()?;
        let status = running.end()?;
        if !status.success() {
            return Err(format!("it ended with {status}"));
        }
        say!("| {run} | {time:.2} | {:.2} | {printed} |", most as f64 / f64::from(1 << 30));
    }
    Ok(())
}
