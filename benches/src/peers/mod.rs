//! Ours beside programs of others: the same jobs on the same files, in turn, with results compared.
//!
//! * `plan`: what is compared with what; `job`, `input`: its words. `options`: the command line.
//! * `contest`: measuring in turn; `side`: a contestant; `process`: one in a process of its own, which speaks
//!   the lines of `protocol`; `serve`: the other end of them.
//! * `ours`, `crates`: ours and the Rust peers; `foreign`: commands of the adapters in `benches/peers`.
//! * `digest`: what makes results comparable. `report`: rows and lines.
//!
//! How to run it and how to add a peer: `docs/peers.md`.

mod contest;
mod crates;
mod digest;
mod failure;
mod foreign;
mod input;
mod job;
mod options;
mod ours;
mod peer_args;
mod place;
mod plan;
mod process;
mod protocol;
mod read;
mod report;
mod serve;
mod side;
#[cfg(test)]
mod tests;

use std::process::Command;

use serde_json::Value;

use crate::say::say;
use contest::{Budget, Lane, contest};
use failure::Failure;
use foreign::Foreign;
use options::{Options, USAGE};
use peer_args::PeerArgs;
use plan::{Case, Contestant, Family};
use process::Process;
use report::{About, shown};
use side::Side;

/// How far intervals may reach from their medians.
const WIDTH: f64 = 0.02;

/// Rounds at most.
const MAX_RUNS: usize = 200;

/// Measures; the arguments are those behind `peers`.
///
/// # Errors
/// What is wrong with the command line, or with the file that is to be written.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return Ok(());
    }
    let options = Options::parse(arguments).map_err(|wrong| format!("{wrong}\n\n{USAGE}"))?;
    let mut cases =
        plan::cases(&options.families, &options.sizes, options.folders.shared.is_some());
    if !options.jobs.is_empty() {
        cases
            .retain(|case| options.jobs.iter().any(|part| case.job.name().contains(part.as_str())));
    }
    if cases.is_empty() {
        return Err("these peers have no such job".to_owned());
    }
    if options.list {
        list(&cases);
        return Ok(());
    }
    let mut foreign = Foreign::new(options.tools.clone());
    let mut record = place::record(&options, WIDTH, MAX_RUNS);
    if let Some(path) = &options.out {
        // Before an hour is spent on what cannot be written.
        report::write(path, &record, &[])?;
    }
    say!("{}\n{}", place::line(&record), report::HEADER);
    let mut rows = Vec::new();
    for (idx, case) in cases.iter().enumerate() {
        rows.extend(measure(case, &options, &mut foreign));
        record.interrupted = idx + 1 < cases.len();
        if !record.interrupted {
            record.bandwidth.extend(place::bandwidth("after"));
        }
        if let Some(path) = &options.out {
            report::write(path, &record, &rows)?;
        }
    }
    Ok(())
}

/// Is a contestant for others, as a process; the arguments are those behind `contestant`.
///
/// # Errors
/// If standard input or output fails.
pub(crate) fn contestant(arguments: &[String]) -> Result<(), String> {
    let open = || {
        let given = PeerArgs::parse(arguments)?;
        match given.text("peer")? {
            "star" => ours::open(&given),
            _ => crates::open(&given),
        }
    };
    let served = serve::serve(open, std::io::stdin().lock(), std::io::stdout().lock());
    served.map_err(|error| error.to_string())
}

fn list(cases: &[Case]) {
    for Case { job, source, contestants } in cases {
        let who: Vec<String> = contestants.iter().map(|who| shown(*job, *who)).collect();
        let size = source.size().map_or(String::new(), |(name, n)| format!(", {name} = {n}"));
        say!("{} | {}{size} | {}", job.name(), source.family(), who.join(" | "));
    }
}

/// The rows of a case; its lines are printed.
fn measure(case: &Case, options: &Options, foreign: &mut Foreign) -> Vec<Value> {
    let Case { job, source, contestants } = case;
    let processes = options.families != [Family::Rust];
    let input = source.prepare(&options.folders);
    let lane = |who: Contestant| {
        let side = input
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|input| open(case, who, input.given.clone(), options, foreign, processes));
        Lane { name: shown(*job, who), ours: matches!(who, Contestant::Ours { .. }), side }
    };
    let lanes = contestants.iter().copied().map(lane).collect();
    let budget = Budget { time: options.time, width: WIDTH, max_runs: MAX_RUNS };
    let finishes = contest(lanes, budget);
    let about = About {
        job: *job,
        source: *source,
        seed: options.folders.seed,
        threads: options.threads,
        input: input.as_ref().ok(),
        processes,
    };
    let pairs = contestants.iter().zip(&finishes);
    let rows = pairs.map(|(&who, finish)| {
        say!("{}", about.line(who, finish));
        about.row(who, finish)
    });
    rows.collect()
}

/// Makes a contestant ready.
fn open(
    case: &Case,
    who: Contestant,
    given: PeerArgs,
    options: &Options,
    foreign: &mut Foreign,
    processes: bool,
) -> Result<Box<dyn Side>, Failure> {
    let job = case.job;
    let given = given.with("threads", options.threads);
    let given = match who {
        Contestant::Ours { intrinsics } => {
            if !intrinsics && let Some(reason) = plan::too_large_as_written(job, case.source) {
                return Err(Failure::peer(reason));
            }
            let intrinsics = if intrinsics { "on" } else { "off" };
            given.with("peer", "star").with("intrinsics", intrinsics).with("job", job.name())
        }
        Contestant::Peer(Family::Rust, name) => given.with("peer", name).with("job", job.name()),
        Contestant::Peer(Family::Python | Family::C, name) => {
            given.with("peer", name).with("job", job.foreign_name())
        }
    };
    let mut command = match who {
        Contestant::Ours { .. } if !processes => return Ok(Box::new(ours::open(&given)?)),
        Contestant::Peer(Family::Rust, _) if !processes => {
            return Ok(Box::new(crates::open(&given)?));
        }
        Contestant::Ours { .. } | Contestant::Peer(Family::Rust, _) => {
            let program = std::env::current_exe();
            let program = program.map_err(|error| Failure::peer(error.to_string()))?;
            let mut command = Command::new(program);
            command.arg("contestant");
            command
        }
        Contestant::Peer(Family::Python, _) => foreign.python(job)?,
        Contestant::Peer(Family::C, name) => foreign.compiled(name, job)?,
    };
    command.args(given.arguments());
    let threads = options.threads.to_string();
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"] {
        command.env(variable, &threads);
    }
    let process = Process::start(command, options.limit).map_err(|failure| match who {
        Contestant::Peer(Family::Python, _) if failure.message.contains("No module named") => {
            Failure::peer(format!("{}; `--venv DIR` installs all packages there", failure.message))
        }
        Contestant::Peer(..) | Contestant::Ours { .. } => failure,
    })?;
    Ok(Box::new(process))
}
