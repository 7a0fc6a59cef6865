//! Measurements that need the toolchain from inside.
//!
//! `star-benches front-end [MB]`: reads, formats and checks a generated file of that size (10 by default)
//! and prints bytes per second of each step, medians of nine runs after one that does not count.
//!
//! `star-benches compile [MODULE]`: what each step and each pass takes to compile a module of the library (`paths` by default).
//!
//! `star-benches kernels [BITS [NAME]]`: the kernels of the CPU backend at all levels of instructions, on
//! up to that many bits (10⁸ by default), those only whose name contains NAME.
//!
//! `star-benches closure [N [RUNS]]`: the published WARSHALL and WARSHALL-C on the CPU backend, in turn
//! with a hand-written Warshall on packed rows, for N vertices (5000 by default).
//!
//! `star-benches closure-intrinsic [N [RUNS [THREADS]]]`: the library's WARSHALL, an intrinsic of the CPU backend,
//! in turn with the crate `bit-matrix`, for N vertices (5000 by default) and wiki-Vote.
//!
//! `star-benches algorithms [N [NAME [passes]]]`: the graph algorithms of the library whose name contains NAME, as they are
//! lowered or, with the word `passes`, after all passes, beside petgraph, on graphs of N vertices (1000, and then 5000, by default).
//!
//! `star-benches operations [BITS [NAME]] [--time SECONDS]`: one operation of each kind whose name contains NAME,
//! as a program carries it out, on 10³ to that many bits (10⁹ by default, which takes 9 GB of memory), each for half
//! a second or as long as `--time` says, beside the speed of plain reading; a table in Markdown at the end.
//!
//! `star-benches cbt [--libcbt DIR] [--most DEPTH] [--threads N[,N…]] [--rounds N]`: concurrent binary trees of depth 10 to 20, or
//! to 26 with `--most 26`, in turn with libcbt if its folder is named.
//!
//! `star-benches terrain FILE [ARRAY [THREADS]]`: a mesh of the heights in a file that follows a viewpoint.
//!
//! `star-benches wave [N [RUNS [THREADS [CLASS]]]]`: Lee's wave on grids of N × N cells (1000 by default), every class of
//! impassability, beside a search over two queues and, up to N = 1000, the crate `pathfinding`.
//!
//! `star-benches moving [OBJECTS [BATCHES]]`: source 004's workload (10⁷ objects, 400 batches by default, which take 4 GB of
//! memory and some minutes), uniform and in hubs, beside a naive grid and, up to 10⁶ objects, the crate `rstar`.
//! `star-benches moving-check [OBJECTS [BATCHES]]`: 10 batches of it on 10⁷ objects, every answer against brute force.
//!
//! `star-benches polyline [D [RUNS [THREADS]]]`: polylines of maximal objective on guides of up to D points (1024 by default),
//! the search alone beside the source's programme in O(d³), and from pixels.
//!
//! `star-benches gpu [JOB [N]] [--runs N] [--adapter NAME] [--alone]`: programs on a graphics card, device time beside end to end: what a run
//! costs (`costs`), the closure by its intrinsic and lifted (`closure`, `warshall`) and on the control unit (`turns`), distances
//! (`floyd`), operations on long tables (`tables`), on long lines (`lines`) and on all lines of a table (`over-lines`); each beside one run on the CPU backend, whose results it has to have, unless `--alone`.
//!
//! `star-benches shaders FOLDER`: every kernel of the GPU backend as WGSL, those that the library becomes among them, a file each; for
//! `shaders/check.mjs`, which compiles them as browsers do.
//!
//! `star-benches start`, `large [VERTICES [ARCS]]`, `interrupt search|write|out …`, `profiling`: the command `star`
//! as a whole (`whole`): its start, a table of 5 GB with time and most memory, Ctrl-C while it is searched and while a
//! file is written, and what `--profile` takes; each with `[--star FILE] [--runs N] [--dir FOLDER]`.
//!
//! `star-benches peers rust|python|c|all [OPTIONS]`: ours beside programs of others on the same files, as
//! `docs/peers.md` describes; without options it says which there are.
//!
//! `star-benches contestant KEY=VALUE…`: ours or a Rust peer as a process, for `peers`.
//!
//! `star-benches loading [FILE…]`: files of every format, made on the spot, and the given ones.
//!
//! `star-benches edge-list [MB]`: reads a generated SNAP list of that size (200 by default).
//!
//! `star-benches adjacency [VERTICES [ARCS]]`: reads a generated list (200000 and 4000000 by default) and
//! lays it out as an adjacency table; prints times, and the most memory that the process ever had.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints figures")]

mod algorithms;
mod closure;
mod compiling;
mod front_end;
mod gpu;
mod graphs;
mod kernels;
mod loading;
mod moving;
mod moving_check;
mod operations;
mod peers;
mod polyline;
mod program;
mod say;
mod timing;
mod trees;
mod wave;
#[cfg(unix)]
mod whole;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: star-benches front-end [MB] | compile [MODULE] | kernels [BITS [NAME]] | closure [N [RUNS]] \
                     | closure-intrinsic [N [RUNS [THREADS]]] \
                     | algorithms [N [NAME [passes]]] \
                     | operations [BITS [NAME]] [--time SECONDS] | loading [FILE…] \
                     | moving [OBJECTS [BATCHES]] | moving-check [OBJECTS [BATCHES]] \
                     | edge-list [MB] | adjacency [VERTICES [ARCS]] \
                     | cbt [--libcbt DIR] [--most DEPTH] [--threads N[,N…]] [--rounds N] \
                     | terrain FILE [ARRAY [THREADS]] \
                     | wave [N [RUNS [THREADS [CLASS]]]] \
                     | polyline [D [RUNS [THREADS]]] \
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
        "front-end" => number(1, 10).map(front_end::run).map(well),
        "compile" => Some(compiling::run(args.get(1).map_or("paths", String::as_str))),
        "kernels" => number(1, 100_000_000).map(|bits| kernels::run(bits, text(2))).map(well),
        "closure" => {
            number(1, 5000).zip(number(2, 5)).map(|(n, runs)| closure::run(n, runs)).map(well)
        }
        "closure-intrinsic" => number(1, 5000)
            .zip(number(2, 5))
            .zip(number(3, 1))
            .map(|((n, runs), threads)| closure::intrinsic(n, runs, threads))
            .map(well),
        "algorithms" => match text(1) {
            "" => Some(vec![1000, 5000]),
            _ => number(1, 0).map(|n| vec![n]),
        }
        .filter(|_| ["", "passes"].contains(&text(3)))
        .map(|sizes| algorithms::run(&sizes, text(2), text(3) == "passes"))
        .map(well),
        "operations" => {
            operations::Options::of(&args[1..]).map(|options| operations::run(&options))
        }
        "moving" => number(1, 10_000_000)
            .zip(number(2, 400))
            .map(|(n, batches)| moving::run(n as u64, batches as u64)),
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
        "cbt" => trees::Options::of(&args[1..]).map(|options| trees::run(&options)),
        "terrain" => Some(trees::terrain(&args[1..])),
        "wave" => number(1, 1000)
            .zip(number(2, 5))
            .zip(number(3, 2))
            .zip(number(4, wave::N_CLASSES))
            .map(|(((n, runs), threads), class)| wave::run(n, runs, threads, class)),
        "polyline" => number(1, 1024)
            .zip(number(2, 5))
            .zip(number(3, 2))
            .map(|((d, runs), threads)| polyline::run(d, runs, threads)),
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
