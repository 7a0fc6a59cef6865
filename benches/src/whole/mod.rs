//! The command `star` as a whole: processes that are started, watched, and interrupted.
//!
//! * `process`: a started `star`, and its files. `spread`: the times of several runs.
//! * `commands`: commands on files. `start`: the time of short commands. `large`: a table of
//!   gigabytes. `interrupt`: Ctrl-C. `profiling`: what `--profile` takes.
//!
//! Programs are those of `benches/programs`.

mod commands;
mod interrupt;
mod large;
mod process;
mod profiling;
mod spread;
mod start;

use std::path::PathBuf;

use crate::program::median;
use crate::results::Figure;

pub(crate) use process::Star;

/// What the measurements are told.
pub(crate) struct Options {
    star: Star,
    /// What stands beside the options.
    plain: Vec<String>,
    runs: Option<usize>,
}

impl Options {
    /// Reads `[WORD…] [--star FILE] [--runs N] [--dir FOLDER]`; `None` if it is something else.
    pub(crate) fn of(args: &[String]) -> Option<Self> {
        let (mut star, mut folder, mut runs) = (None, None, None);
        let mut plain = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--star" => star = Some(PathBuf::from(args.next()?)),
                "--dir" => folder = Some(PathBuf::from(args.next()?)),
                "--runs" => runs = Some(args.next()?.parse().ok().filter(|runs| *runs > 0)?),
                word if word.starts_with('-') => return None,
                word => plain.push(word.to_owned()),
            }
        }
        Some(Options { star: Star { binary: star, folder }, plain, runs })
    }

    fn runs(&self, default: usize) -> usize {
        self.runs.unwrap_or(default)
    }
}

/// Measures a command on files: its name is that of a job of `results`.
///
/// # Errors
/// If there is no `star`, or it fails.
pub(crate) fn command(name: &str) -> Result<Figure, String> {
    commands::measure(&Star { binary: None, folder: None }.folder()?, name)
}

/// Measures `star check`.
///
/// # Errors
/// If there is no `star`, or it fails.
pub(crate) fn check() -> Result<Figure, String> {
    let folder = Star { binary: None, folder: None }.folder()?;
    let times: Result<Vec<_>, String> = (0..21).map(|_| folder.run("check paths.star")).collect();
    let n_lines = include_str!("../../programs/paths.star").lines().count();
    let seconds = median(&mut times?).as_secs_f64();
    Ok(Figure::new("`benches/programs/paths.star`", ("lines", n_lines), seconds, &[]))
}

/// `star-benches start`.
///
/// # Errors
/// If `star` does not do what it should.
pub(crate) fn start(options: &Options) -> Result<(), String> {
    start::run(&options.star.folder()?, options.runs(21))
}

/// `star-benches large [VERTICES [ARCS]]`.
///
/// # Errors
/// If `star` does not do what it should.
pub(crate) fn large(options: &Options) -> Result<(), String> {
    large::run(&options.star.folder()?, large::Graph::of(&options.plain)?, options.runs(3))
}

/// `star-benches interrupt search|write|out …`.
///
/// # Errors
/// If `star` does not do what it should.
pub(crate) fn interrupt(options: &Options) -> Result<(), String> {
    let (series, rest) = options.plain.split_first().ok_or_else(|| interrupt::SERIES.to_owned())?;
    let folder = options.star.folder()?;
    match series.as_str() {
        "search" => interrupt::search(&folder, large::Graph::of(rest)?, options.runs(8)),
        "write" => interrupt::write(&folder, rest, options.runs(2), interrupt::Writing::Statement),
        "out" => interrupt::write(&folder, rest, options.runs(2), interrupt::Writing::Result),
        _ => Err(interrupt::SERIES.to_owned()),
    }
}

/// `star-benches profiling`.
///
/// # Errors
/// If `star` does not do what it should.
pub(crate) fn profiling(options: &Options) -> Result<(), String> {
    profiling::run(&options.star.folder()?, options.runs(21))
}
