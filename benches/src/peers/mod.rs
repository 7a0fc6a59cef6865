//! Ours compared with programs of others: the same jobs on the same files, alternately, with
//! results compared.
//!
//! * `plan`: what is compared with what; `job`, `input`: its words. `options`: the command line.
//! * `contest`: measuring in turn; `side`: a contestant; `process`: one in a process of its own,
//!   which speaks the lines of `protocol`; `serve`: the other end of them.
//! * `ours`, `crates`: ours and the Rust peers; `foreign`: commands of the adapters in
//!   `benches/peers`.
//! * `digest`: what makes results comparable. `report`: rows and lines.
//!
//! How to run it and how to add a peer: `docs/src/internals/testing.md`.

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

use crate::results::Figure;
use crate::say::say;
use contest::{Budget, Lane, contest};
use failure::Failure;
use foreign::Foreign;
use options::{Options, USAGE};
use peer_args::PeerArgs;
pub(crate) use place::{commit, date, machine_text};
use plan::{Case, Contestant, Family};
use process::Process;
use report::{About, shown};
use side::Side;

/// How far intervals may reach from their medians.
const WIDTH: f64 = 0.02;

/// Rounds at most.
const MAX_RUNS: usize = 200;

/// Measures; the arguments are those after `peers`.
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

/// Serves as a contestant in a process; the arguments are those after `contestant`.
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

/// Contests for the current figures.
pub(crate) struct Contests {
    options: Options,
    default_threads: usize,
    foreign: Foreign,
}

impl Contests {
    /// Prepares them; the arguments are options of `peers`.
    ///
    /// # Errors
    /// If an option is wrong.
    pub(crate) fn new(arguments: &[String]) -> Result<Self, String> {
        let all = ["all".to_owned(), "--full".to_owned()];
        let options = Options::parse(&[&all, arguments].concat())?;
        let foreign = Foreign::new(options.tools.clone());
        Ok(Contests { default_threads: options.threads, options, foreign })
    }

    /// Returns the folder of real data.
    pub(crate) fn shared(&self) -> Option<&std::path::Path> {
        self.options.folders.shared.as_deref()
    }

    /// Sets the threads of the next contests; by default those of the options.
    pub(crate) fn set_threads(&mut self, threads: Option<usize>) {
        self.options.threads = threads.unwrap_or(self.default_threads);
    }

    /// Measures ours and all peers for a job on an input, named as `peers all --list` names them.
    /// `as_written`: ours is the text of the library, without intrinsics.
    ///
    /// # Errors
    /// If ours cannot be measured.
    pub(crate) fn figure(
        &mut self,
        job: &str,
        input: &str,
        as_written: bool,
    ) -> Result<Figure, String> {
        let cases = plan::cases(&Family::ALL, &self.options.sizes, true);
        let is_it = |case: &&Case| case.job.name() == job && input_text(case.source) == input;
        let case = cases.iter().find(is_it).ok_or_else(|| format!("no input {input}"))?;
        let (job, source) = (case.job, case.source);
        let mut contestants = plan::contestants(job, source, &Family::ALL, &plan::Sizes::Quick);
        if as_written {
            contestants.retain(|who| matches!(who, Contestant::Peer(..)));
            contestants.insert(0, Contestant::Ours { intrinsics: false });
        }
        let case = Case { contestants, ..case.clone() };
        let (_, finishes) = contested(&case, &self.options, &mut self.foreign);
        let (size, mut absent) = (source.size(), Vec::new());
        let mut figure = Figure { threads: self.options.threads, ..Figure::default() };
        figure.input = source.family();
        (figure.unit, figure.size) = size.map_or_else(Default::default, |(unit, size)| {
            (unit.to_owned(), usize::try_from(size).ok())
        });
        for (idx, (who, finish)) in case.contestants.iter().zip(&finishes).enumerate() {
            let measured = match (&finish.result, who) {
                (Ok(measured), _) => measured,
                (Err(failure), _) if idx == 0 => return Err(failure.message.clone()),
                (Err(failure), _) if failure.code == "differs" => {
                    return Err(failure.message.clone());
                }
                (Err(_), Contestant::Peer(_, name)) => {
                    absent.push(*name);
                    continue;
                }
                (Err(_), Contestant::Ours { .. }) => continue,
            };
            let seconds = measured.median.median;
            match who {
                Contestant::Ours { .. } if idx == 0 => figure.ours = seconds,
                Contestant::Ours { .. } => {
                    figure.variants.insert("as written, with passes".to_owned(), seconds);
                }
                Contestant::Peer(..) => {
                    let version = finish.hello.as_ref().map_or("", |hello| &hello.version);
                    let name = format!("{} {version}", shown(job, *who)).trim().to_owned();
                    if figure.peers.values().all(|best| seconds < *best) {
                        figure.ratio = measured.ratio.map(|ratio| 1.0 / ratio.median);
                    }
                    figure.peers.insert(name, seconds);
                }
            }
        }
        if !absent.is_empty() {
            figure.note = format!("without {}", absent.join(", "));
        }
        if as_written && let Ok(input) = source.prepare(&self.options.folders) {
            let given = input.given.with("threads", 1).with("intrinsics", "off");
            let given = given.with("job", job.name());
            if let Ok(operations) = ours::operations(&given) {
                let ns = figure.ours * 1e9 / operations as f64;
                figure.note = format!("{ns:.1} ns for each of {operations} operations");
            }
        }
        Ok(figure)
    }
}

/// Returns an input as `--list` shows it.
fn input_text(source: input::Source) -> String {
    let size = source.size().map_or(String::new(), |(name, n)| format!(", {name} = {n}"));
    format!("{}{size}", source.family())
}

fn list(cases: &[Case]) {
    for Case { job, source, contestants } in cases {
        let who: Vec<String> = contestants.iter().map(|who| shown(*job, *who)).collect();
        say!("{} | {} | {}", job.name(), input_text(*source), who.join(" | "));
    }
}

/// Measures a case; the input may be what went wrong.
fn contested(
    case: &Case,
    options: &Options,
    foreign: &mut Foreign,
) -> (Result<input::Input, Failure>, Vec<contest::Finish>) {
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
    (input, finishes)
}

/// The rows of a case; its lines are printed.
fn measure(case: &Case, options: &Options, foreign: &mut Foreign) -> Vec<Value> {
    let Case { job, source, contestants } = case;
    let processes = options.families != [Family::Rust];
    let (input, finishes) = contested(case, options, foreign);
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
