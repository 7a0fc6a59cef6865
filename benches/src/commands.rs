//! The command `star` as a process: commands on files, compared with the parts that they report
//! (loading, the run, and results), and `star check`.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

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
        program: ("route.star", include_str!("../../examples/route.star")),
        input: "blocks --rows 1024 --columns 1024 --impassable 0.3 --seed 7 -o map.npz",
        arguments: "route.star --proc BLOCKS map=map.npz x0=1 y0=1 xf=1024 yf=1024",
    },
    Job {
        name: "trace_line",
        program: ("trace_line.star", include_str!("../../examples/trace_line.star")),
        input: "curve --rows 960 --columns 1600 --bends 2 --thickness 50 --noise 12 --seed 11 -o curve.png",
        arguments: "trace_line.star image=curve.png ax=20 ay=400 bx=1580 by=800 p=9 d=321 width=400 \
                    theta=20",
    },
    Job {
        name: "terrain, 60 frames",
        program: ("terrain.star", include_str!("../../examples/terrain.star")),
        input: "terrain --size 10 --roughness 0.3 --seed 7 -o hills.png",
        arguments: "terrain.star Z=records:hills.png w=1025 eps=5 near=8 step=17 frames=60 \
                    picture=rgb:picture.png zoom=1 obj=false",
    },
];

/// Runs of `star check`, which takes a few milliseconds.
const CHECK_RUNS: usize = 21;

/// The `star` next to this program, and a temporary folder in which it runs.
pub(crate) struct Folder {
    folder: TempDir,
    binary: PathBuf,
}

impl Folder {
    /// # Errors
    /// If `star` is not there, or the system refuses a folder.
    pub(crate) fn new() -> Result<Self, String> {
        let binary = std::env::current_exe().map_err(|error| error.to_string())?;
        let binary = binary.with_file_name("star");
        if !binary.is_file() {
            return Err(format!("{} is missing; build it first", binary.display()));
        }
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        Ok(Folder { folder, binary })
    }

    pub(crate) fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.folder.path().join(file);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Runs `star` with these arguments, separated by blanks; returns its time and standard error.
    pub(crate) fn run(&self, arguments: &str) -> Result<(Duration, String), String> {
        self.run_with(Command::new(&self.binary), arguments)
    }

    /// Runs `star-ranks run` with these arguments on several ranks, each bound to a core;
    /// returns the seconds of the run that it reports.
    ///
    /// # Errors
    /// If it fails.
    pub(crate) fn run_of_ranks(&self, n: usize, arguments: &str) -> Result<f64, String> {
        let mut command = Command::new("mpirun");
        command.args(["--allow-run-as-root", "--bind-to", "core", "-n", &n.to_string()]);
        command.arg(self.binary.with_file_name("star-ranks"));
        let arguments = format!("run {arguments} --time --error-format json");
        let (_, told) = self.run_with(command, &arguments)?;
        let reported = reported(&told, |part| part == "running");
        reported.ok_or_else(|| format!("`star-ranks` reports no times: {told}"))
    }

    fn run_with(
        &self,
        mut command: Command,
        arguments: &str,
    ) -> Result<(Duration, String), String> {
        command.args(arguments.split_whitespace()).current_dir(self.folder.path());
        command.env("NO_COLOR", "1").stdin(Stdio::null());
        let begun = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        let time = begun.elapsed();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.success() {
            true => Ok((time, errors)),
            false => Err(format!("`star {arguments}` ended with {}: {errors}", output.status)),
        }
    }
}

/// Measures `star check`.
///
/// # Errors
/// If there is no `star`, or it fails.
pub(crate) fn check() -> Result<Figure, String> {
    let (folder, text) = (Folder::new()?, include_str!("../programs/paths.star"));
    folder.write("paths.star", text)?;
    let times: Result<Vec<_>, String> =
        (0..CHECK_RUNS).map(|_| Ok(folder.run("check paths.star")?.0)).collect();
    let seconds = median(&mut times?).as_secs_f64();
    let n_lines = text.lines().count();
    Ok(Figure::new("`benches/programs/paths.star`", ("lines", n_lines), seconds, &[]))
}

/// Measures a command on files, which has the name of a job of `results`, from start to end.
///
/// # Errors
/// If there is no `star`, or it fails.
pub(crate) fn measure(name: &str) -> Result<Figure, String> {
    let folder = Folder::new()?;
    let job = JOBS.iter().find(|job| job.name == name).ok_or("unknown command")?;
    let (file, text) = job.program;
    folder.write(file, text)?;
    folder.run(&format!("gen {}", job.input))?;
    let (mut times, mut parts) = (Vec::new(), Vec::new());
    for round in 0..=RUNS {
        let (time, told) =
            folder.run(&format!("run {} --time --error-format json", job.arguments))?;
        let reported = reported(&told, |part| !part.starts_with("compil"));
        let reported = reported.ok_or_else(|| format!("`star` reports no times: {told}"))?;
        if round > 0 {
            times.push(time);
            parts.push(Duration::from_secs_f64(reported));
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

/// Returns the sum of the reported times of some parts; `None` if no times are reported.
fn reported(told: &str, is_counted: impl Fn(&str) -> bool) -> Option<f64> {
    told.lines().find_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        let parts = value.get("time")?.as_object()?.iter();
        let counted = parts.filter(|(part, _)| is_counted(part));
        Some(counted.filter_map(|(_, seconds)| seconds.as_f64()).sum::<f64>())
    })
}
