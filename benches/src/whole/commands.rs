//! Commands on files, compared with the parts that they report: loading, the run, and results.

use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::process::Folder;
use crate::program::median;
use crate::results::Figure;

/// Runs of which the median is taken.
const RUNS: usize = 5;

/// A command, with the file that it needs and its program.
struct Job {
    name: &'static str,
    program: (&'static str, &'static str),
    /// Arguments of `star gen`.
    input: &'static str,
    arguments: &'static str,
}

const JOBS: [Job; 3] = [
    Job {
        name: "route on 1024² cells",
        program: ("route.star", include_str!("../../../examples/route.star")),
        input: "blocks --rows 1024 --columns 1024 --impassable 0.3 --seed 7 -o map.npz",
        arguments: "route.star --proc BLOCKS map=map.npz x0=1 y0=1 xf=1024 yf=1024",
    },
    Job {
        name: "trace_line",
        program: ("trace_line.star", include_str!("../../../examples/trace_line.star")),
        input: "curve --rows 960 --columns 1600 --bends 2 --thickness 50 --noise 12 --seed 11 -o curve.png",
        arguments: "trace_line.star image=curve.png ax=20 ay=400 bx=1580 by=800 p=9 d=321 width=400 \
                    theta=20",
    },
    Job {
        name: "terrain, 60 frames",
        program: ("terrain.star", include_str!("../../../examples/terrain.star")),
        input: "terrain --size 10 --roughness 0.3 --seed 7 -o hills.png",
        arguments: "terrain.star Z=records:hills.png w=1025 eps=5 near=8 step=17 frames=60 \
                    picture=rgb:picture.png zoom=1 obj=false",
    },
];

/// Measures a command from its start to its end.
pub(super) fn measure(folder: &Folder, name: &str) -> Result<Figure, String> {
    let job = JOBS.iter().find(|job| job.name == name).ok_or("unknown command")?;
    let (file, text) = job.program;
    std::fs::write(folder.path().join(file), text).map_err(|error| error.to_string())?;
    folder.run(&format!("gen {}", job.input))?;
    let (mut times, mut parts) = (Vec::new(), Vec::new());
    for round in 0..=RUNS {
        let words = format!("run {} --time --error-format json", job.arguments);
        let mut command: Command =
            folder.command(&words.split_whitespace().collect::<Vec<_>>().join(" "));
        let begun = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        let time = begun.elapsed();
        let told = String::from_utf8_lossy(&output.stderr);
        let reported = told.lines().find_map(|line| {
            let value: Value = serde_json::from_str(line).ok()?;
            let parts = value.get("time")?.as_object()?.iter();
            let counted = parts.filter(|(part, _)| !part.starts_with("compil"));
            Some(counted.filter_map(|(_, seconds)| seconds.as_f64()).sum::<f64>())
        });
        let reported = reported.ok_or_else(|| format!("`star` reports no times: {told}"))?;
        if round > 0 {
            times.push(time);
            parts.push(std::time::Duration::from_secs_f64(reported));
        }
    }
    let [time, parts] = [&mut times, &mut parts].map(|times| median(times).as_secs_f64());
    let peers = [("loading, the run and results alone", parts)];
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (input, _) = job.input.split_once(" -o").unwrap_or((job.input, ""));
    Ok(Figure {
        threads: n_threads,
        size: None,
        ..Figure::new(&format!("`star gen {input}`"), ("", 0), time, &peers)
    })
}
