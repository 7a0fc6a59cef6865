//! Measurements that need the internals of the toolchain.
//!
//! * `results [JOB …]`: the current figures of all jobs that have a goal, as
//!   `benches/results/*.json`, and the page "Performance" of the book, which is generated from
//!   them. * `peers rust|python|c|all [OPTIONS]`: ours compared with programs of others on the same
//!   files, see `docs/src/internals/testing.md`; `--help` lists the options. `contestant
//!   KEY=VALUE…`: ours or a Rust peer as a process, for `peers`.
//! * `front-end [MB]`: speed of reading, formatting and checking a generated file of that size.
//! * `calls`: time of a call of a small procedure through the crate `star`.
//! * `compile [MODULE]`: time of each step and each pass that compiles a module of the library. *
//!   `kernels [BITS [NAME]]`: the kernels of the CPU backend at all levels of instructions, on up
//!   to that many bits; only those whose name contains NAME. * `operations [BITS [NAME]] [--time
//!   SECONDS]`: an operation of each kind on 10³ to that many bits (10⁹ by default, which takes 9
//!   GB), compared with the speed of plain reading.
//! * `terrain FILE [ARRAY [THREADS]]`: a mesh of the heights in a file that follows a viewpoint. *
//!   `moving-check [OBJECTS [BATCHES]]`: batches of source 004's workload, every answer compared
//!   with brute force. * `gpu [JOB [N]] [--runs N] [--adapter NAME] [--alone]`: programs on a
//!   graphics card: device time, the run as a whole, transfers; results are compared with the CPU
//!   backend unless `--alone`.
//! * `shaders FOLDER`: every kernel of the GPU backend as WGSL, for `shaders/check.mjs`.
//! * `start`, `large [VERTICES [ARCS]]`, `interrupt search|write|out …`, `profiling`: the command
//!   `star` as a process: its start, a table of 5 GB, Ctrl-C, and the cost of `--profile`; each
//!   with `[--star FILE] [--runs N] [--dir FOLDER]`.
//! * `loading [FILE…]`: files of every format. `edge-list [MB]`: a generated SNAP list.
//!   `adjacency [VERTICES [ARCS]]`: such a list as an adjacency table, with the peak memory.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program prints figures")]

mod calls;
mod closure;
mod compiling;
mod dynamic;
mod editor;
mod front_end;
mod gpu;
mod graphs;
mod instance;
mod kernels;
mod loading;
mod moving;
mod moving_check;
mod operations;
mod peers;
mod polyline;
mod program;
mod results;
mod say;
mod timing;
mod trees;
mod wave;
#[cfg(unix)]
mod whole;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: star-benches front-end [MB] | compile [MODULE] | calls | kernels [BITS [NAME]] \
                     | results [JOB …] [--page] [--full] \
                     | operations [BITS [NAME]] [--time SECONDS] | loading [FILE…] \
                     | moving-check [OBJECTS [BATCHES]] \
                     | edge-list [MB] | adjacency [VERTICES [ARCS]] \
                     | terrain FILE [ARRAY [THREADS]] \
                     | gpu [JOB [N]] [--runs N] [--adapter NAME] [--alone] \
                     | shaders FOLDER | start | large [VERTICES [ARCS]] | interrupt search|write|out [NUMBER…] | profiling \
                     [--star FILE] [--runs N] [--dir FOLDER] \
                     | peers rust|python|c|all [OPTIONS]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| {
        args.get(at).map_or(Some(default), |text| text.parse::<usize>().ok())
    };
    let text = |at: usize| args.get(at).map_or("", String::as_str);
    let well = |()| Ok::<(), String>(());
    let done = match text(0) {
        "front-end" => number(1, 10).map(front_end::run).map(|_| Ok(())),
        "calls" => Some(calls::run()),
        "compile" => Some(compiling::run(args.get(1).map_or("paths", String::as_str))),
        "kernels" => number(1, 100_000_000).map(|bits| kernels::run(bits, text(2))).map(well),
        "results" => Some(results::run(&args[1..])),
        "operations" => {
            operations::Options::of(&args[1..]).map(|options| operations::run(&options))
        }
        "moving-check" => number(1, 10_000_000)
            .zip(number(2, 10))
            .map(|(n, batches)| moving_check::run(n as u64, batches as u64)),
        "loading" => Some(loading::run(&args[1..])),
        "shaders" => args.get(1).map(|folder| gpu::shaders(Path::new(folder))),
        "edge-list" => number(1, 200).map(|megabytes| {
            graphs::edge_list(megabytes as u64).map_err(|error| error.to_string())
        }),
        "adjacency" => number(1, 200_000)
            .zip(number(2, 4_000_000))
            .map(|(n, m)| graphs::adjacency(n as u64, m as u64).map_err(|error| error.to_string())),
        "terrain" => Some(trees::terrain(&args[1..])),
        "gpu" => Some(gpu::run(&args[1..])),
        #[cfg(unix)]
        "start" => whole::Options::of(&args[1..]).map(|options| whole::start(&options)),
        #[cfg(unix)]
        "large" => whole::Options::of(&args[1..]).map(|options| whole::large(&options)),
        #[cfg(unix)]
        "interrupt" => whole::Options::of(&args[1..]).map(|options| whole::interrupt(&options)),
        #[cfg(unix)]
        "profiling" => whole::Options::of(&args[1..]).map(|options| whole::profiling(&options)),
        "peers" => Some(peers::run(&args[1..])),
        "contestant" => Some(peers::contestant(&args[1..])),
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
