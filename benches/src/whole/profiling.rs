//! What `star run --profile` takes: the same run with and without it, in turn.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::process::Folder;
use super::spread::spread;
use crate::say::say;

/// The runs: WARSHALL as it is written on graphs that are made in memory.
const RUNS: [(&str, &str); 2] = [
    ("WARSHALL, n = 5000, 5075 arcs", "gen gnm -n 5000 -m 5075 --seed 2016"),
    ("WARSHALL, n = 1000, p = 0.01", "gen gnp -n 1000 -p 0.01 --seed 2016"),
];

/// Prints processor times of whole commands.
pub(super) fn run(folder: &Folder, runs: usize) -> Result<(), String> {
    say!("processor time of the whole command, {runs} runs in turn; ms, median (least to most)\n");
    say!("| run | without | with `--profile` |\n|---|---|---|");
    for (name, graph) in RUNS {
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for round in 0..=runs {
            let times = [
                processor_time(folder, graph, None)?,
                processor_time(folder, graph, Some("--profile"))?,
            ];
            // The first round does not count.
            if round > 0 {
                without.push(times[0]);
                with.push(times[1]);
            }
        }
        say!("| {name} | {} | {} |", spread(&without), spread(&with));
    }
    Ok(())
}

/// User and system time, as the shell counts them.
fn processor_time(folder: &Folder, graph: &str, option: Option<&str>) -> Result<Duration, String> {
    let mut command = Command::new("bash");
    command.args(["-c", "TIMEFORMAT='%3U %3S'; time \"$@\" > /dev/null 2> errors", "bash"]);
    command.arg(folder.binary()).args([
        "run",
        "star:closure",
        "--proc",
        "WARSHALL",
        "--no-intrinsics",
        "--graph",
        graph,
    ]);
    command.args(option).current_dir(folder.path()).stdin(Stdio::null()).env("LC_ALL", "C");
    let output = command.output().map_err(|error| format!("bash: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let seconds: Option<Vec<f64>> = told.split_whitespace().map(|word| word.parse().ok()).collect();
    match seconds.as_deref() {
        Some([user, system]) if output.status.success() => {
            Ok(Duration::from_secs_f64(user + system))
        }
        Some(_) | None => {
            let errors = std::fs::read_to_string(folder.path().join("errors")).unwrap_or_default();
            Err(format!("`star run` ended with {}: {told}{errors}", output.status))
        }
    }
}
