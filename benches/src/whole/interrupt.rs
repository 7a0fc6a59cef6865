//! How soon Ctrl-C ends a run: from the signal to the message, and to the end of the process.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::large::{FILE, Graph};
use super::process::{Folder, Interrupted};
use super::spread::{ms, spread};
use crate::say::say;

/// Which series there are.
pub(super) const SERIES: &str =
    "star-benches interrupt search [VERTICES [ARCS]] | write [COLUMNS [MB…]] | out [COLUMNS [MB…]]";

/// Between two looks at the file.
const LOOK: Duration = Duration::from_micros(200);

/// A file of which nothing comes for so long does not come.
const TOO_LONG: Duration = Duration::from_secs(600);

/// Columns of the table that is written, if nothing is said: 625 MB.
const COLUMNS: u64 = 50_000;

/// Rows of it.
const ROWS: u64 = 100_000;

/// How a table is written.
#[derive(Clone, Copy)]
pub(super) enum Writing {
    /// With `write`.
    Statement,
    /// With `--out`.
    Result,
}

/// Searches and copies of a large table without an end, interrupted at different moments.
pub(super) fn search(folder: &Folder, graph: Graph, runs: usize) -> Result<(), String> {
    graph.make(folder)?;
    let mut found = Vec::new();
    for run in 0..runs {
        let running = folder.start(&format!("run big.star --proc ENDLESS T=adjacency:{FILE}"))?;
        running.first_line()?;
        // No two runs are at the same place.
        thread::sleep(Duration::from_millis(500 + 370 * run as u64));
        found.push(running.interrupt()?);
    }
    let of =
        |part: fn(&Interrupted) -> Duration| spread(&found.iter().map(part).collect::<Vec<_>>());
    say!("{runs} runs; ms after the signal, median (least to most)\n\n| | ms |\n|---|---|");
    say!("| message | {} |", of(|run| run.message));
    say!("| end of the process | {} |", of(|run| run.end));
    Ok(())
}

/// The writing of a table, interrupted when so much of it is written.
pub(super) fn write(
    folder: &Folder,
    words: &[String],
    series: usize,
    writing: Writing,
) -> Result<(), String> {
    let numbers: Result<Vec<u64>, _> = words.iter().map(|word| word.parse()).collect();
    let numbers = numbers.map_err(|_| SERIES.to_owned())?;
    let (columns, marks) = match numbers.split_first() {
        None => (COLUMNS, &[][..]),
        Some((columns, marks)) => (*columns, marks),
    };
    let megabytes = ROWS.div_ceil(64) * 8 * columns / 1_000_000;
    let marks: Vec<u64> = match marks {
        // From one twelfth to three quarters.
        [] => (0..6).map(|step| megabytes * (2 + 3 * step) / 24).collect(),
        marks => marks.to_vec(),
    };
    let arguments = match writing {
        Writing::Statement => format!("run write.star --proc WRITES k={columns}"),
        Writing::Result => format!("run write.star --proc FILLS k={columns} --out T=large.stb"),
    };
    say!("`star {arguments}`: a table of {megabytes} MB; {series} series; ms after the signal\n");
    let heads: Vec<String> = marks.iter().map(u64::to_string).collect();
    say!("| MB written | {} |\n|---{}|", heads.join(" | "), "|---".repeat(marks.len()));
    let mut messages = vec![Vec::new(); marks.len()];
    let mut ends = vec![Vec::new(); marks.len()];
    for _ in 0..series {
        for (at, mark) in marks.iter().enumerate() {
            let mut running = folder.start(&arguments)?;
            let begun = Instant::now();
            while temporary_bytes(folder.path()) < mark * 1_000_000 {
                if running.is_over() || begun.elapsed() > TOO_LONG {
                    return Err(format!("there were never {mark} MB of a file that is written"));
                }
                thread::sleep(LOOK);
            }
            let Interrupted { message, end } = running.interrupt()?;
            messages[at].push(ms(message));
            ends[at].push(ms(end));
        }
    }
    let line = |cells: &[Vec<String>]| {
        cells.iter().map(|cell| cell.join(", ")).collect::<Vec<_>>().join(" | ")
    };
    say!("| message | {} |", line(&messages));
    say!("| end of the process | {} |", line(&ends));
    Ok(())
}

/// Bytes of the file that is being written.
fn temporary_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let files = entries.filter_map(Result::ok);
    let mut temporary =
        files.filter(|file| file.file_name().to_string_lossy().starts_with(".star-"));
    temporary.next().and_then(|file| file.metadata().ok()).map_or(0, |data| data.len())
}
