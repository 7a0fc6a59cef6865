//! Measurements that need the internals of the toolchain.
//!
//! * `results [JOB …]`: the current figures of all jobs that have a goal, as
//!   `benches/results/*.json`, and the page "Performance" of the book, which is generated from
//!   them.
//! * `peers rust|python|c|all [OPTIONS]`: ours compared with programs of others on the same files,
//!   see `docs/src/internals/testing.md`; `--help` lists the options. `contestant KEY=VALUE…`: ours
//!   or a Rust peer as a process, for `peers`.
//! * `gpu [JOB [N]] [--runs N] [--adapter NAME] [--alone]`: programs on a graphics card: device
//!   time, the run as a whole, transfers; results are compared with the CPU backend unless
//!   `--alone`.
//! * `shaders FOLDER`: every kernel of the GPU backend as WGSL, for `shaders/check.mjs`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program prints figures")]

mod closure;
mod commands;
mod dynamic;
mod editor;
mod front_end;
mod gpu;
mod instance;
mod moving;
mod peers;
mod plain_loop;
mod polyline;
mod procedures;
mod program;
#[cfg(unix)]
mod ranks;
mod results;
mod say;
mod timing;
mod trees;
mod wave;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: star-benches results [JOB …] [--page] [--full] \
                     | peers rust|python|c|all [OPTIONS] \
                     | gpu [JOB [N]] [--runs N] [--adapter NAME] [--alone] | shaders FOLDER";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.first().map_or("", String::as_str) {
        "results" => Some(results::run(&args[1..])),
        "peers" => Some(peers::run(&args[1..])),
        "contestant" => Some(peers::contestant(&args[1..])),
        "gpu" => Some(gpu::run(&args[1..])),
        "shaders" => args.get(1).map(|folder| gpu::shaders(Path::new(folder))),
        _ => None,
    };
    match done {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
