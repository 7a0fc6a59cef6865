//! `star-ranks`: runs Star programs on several processes over MPI, as in `mpirun -n 4 star-ranks
//! run closure.star --graph road.gr`.
//!
//! Every process is a rank and runs the same command. Rank 0 prints; the output of the others is
//! discarded, and their messages are shown only if one of them ends the job alone.

mod mpi_exchange;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::process::{self, ExitCode};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mpi::Threading;
use mpi::traits::Communicator;
use star::pipeline::backends::{self, RankSpec};
use star_os::exit::Exit;
use star_os::failure::{Failure, internal};
use star_os::flags::Flags;
use star_os::report::{ErrorFormat, Reporter};
use star_vm::exchange::{Exchange, PartitionSettings};

use mpi_exchange::{Mpi, has_ended_alone};

/// How long a rank other than the first waits for rank 0 to show its message and end the job: if
/// this rank has ended alone, also for each rank before it; and if all ranks have ended.
const WAIT_ALONE: Duration = Duration::from_millis(300);
const WAIT_FOR_ANOTHER: Duration = Duration::from_millis(30);
const WAIT_FOR_RANK_0: Duration = Duration::from_secs(10);

/// How often signals are tested; how long rank 0 may take to end by itself after one; and how long
/// the launcher may take to forward its message, which it may lose otherwise.
const MOMENT: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_millis(100);
const FORWARDING: Duration = Duration::from_millis(100);

/// Has the command ended on this rank, with its messages?
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        return failed("MPI is initialised already").into();
    };
    let exchange = Mpi::world();
    if let Err(lost) = exchange.self_test() {
        universe.world().abort(i32::from(failed(&lost.why).number()));
    }
    let rank = exchange.rank();
    let (partition, threads) = (partition(), Some(threads()));
    let on_host = number_on_host().unwrap_or(rank);
    let connect: fn() -> Rc<dyn Exchange> = || Rc::new(Mpi::world());
    backends::join_ranks(RankSpec { connect, partition, threads, on_host });
    let messages = if rank == 0 { None } else { Messages::divert().ok() };
    if rank > 0 {
        star_os::destination::discard_all();
    }
    end_after_signals(rank);
    let arguments = with_backend(std::env::args_os().collect());
    let exit = star_cli::command(&arguments);
    HAS_ENDED.store(true, Ordering::Relaxed);
    match exit {
        Exit::Success => Exit::Success.into(),
        // To abort the job would take another second; see `end_after_signals`.
        Exit::Interrupted => {
            thread::sleep(if rank == 0 { FORWARDING } else { Duration::ZERO });
            process::exit(Exit::Interrupted.number().into())
        }
        exit => {
            if let Some(messages) = messages {
                let before = WAIT_FOR_ANOTHER.saturating_mul(rank.min(20) as u32);
                let is_alone = has_ended_alone();
                thread::sleep(if is_alone { WAIT_ALONE + before } else { WAIT_FOR_RANK_0 });
                messages.show(rank);
            }
            universe.world().abort(i32::from(exit.number()))
        }
    }
}

/// Ends this rank after a signal, also while it waits for others in MPI. The launcher sends signals
/// to all ranks, and rank 0 alone shows the message. If another rank gets one alone, the launcher
/// names that rank and ends the others.
fn end_after_signals(rank: usize) {
    let flags = Flags::default();
    let observed = flags.observe_interrupts();
    let watch = move || {
        loop {
            thread::sleep(MOMENT);
            let Err(interrupted) = flags.go_on() else { continue };
            if rank == 0 {
                // It ends by itself with a message that names the statement, unless it waits.
                thread::sleep(PATIENCE);
                if HAS_ENDED.load(Ordering::Relaxed) {
                    return;
                }
                Failure::from(interrupted).report(&Reporter::new(ErrorFormat::Text));
                thread::sleep(FORWARDING);
            }
            process::exit(Exit::Interrupted.number().into());
        }
    };
    let started = observed.and_then(|()| thread::Builder::new().spawn(watch));
    if let Err(error) = started {
        let reporter = Reporter::new(ErrorFormat::Text);
        reporter.warning(&format!("Ctrl-C ends the run without a message: {error}"));
    }
}

/// Shows why MPI cannot be used.
fn failed(why: &str) -> Exit {
    Failure::from(internal(why)).report(&Reporter::new(ErrorFormat::Text))
}

/// Selects the backend `ranks` for `run`, unless the command line selects one.
fn with_backend(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_run = arguments.get(1).is_some_and(|command| command == "run");
    let selects = |argument: &OsString| argument.to_string_lossy().starts_with("--backend");
    if is_run && !arguments.iter().any(selects) {
        arguments.insert(2, "--backend=ranks".into());
    }
    arguments
}

/// Returns the partition of rows; `STAR_RANKS_BLOCK` makes blocks of fewer rows, for tests.
fn partition() -> PartitionSettings {
    let block = std::env::var("STAR_RANKS_BLOCK").ok().and_then(|rows| rows.parse().ok());
    match block {
        Some(block_rows) => PartitionSettings { block_rows, ..PartitionSettings::tiny() },
        None => PartitionSettings::default(),
    }
}

/// Returns the share of a rank in the cores of its host, at least one; the launcher may have bound
/// it to fewer.
fn threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (cores / ranks_of_host().unwrap_or(1)).max(1)
}

/// Returns the number of ranks on this host, if the launcher tells it.
fn ranks_of_host() -> Option<usize> {
    let local = std::env::var("OMPI_COMM_WORLD_LOCAL_SIZE").or(std::env::var("MPI_LOCALNRANKS"));
    local.ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0)
}

/// Returns the number of this rank among those of its host, if the launcher tells it.
fn number_on_host() -> Option<usize> {
    let local = std::env::var("OMPI_COMM_WORLD_LOCAL_RANK").or(std::env::var("MPI_LOCALRANKID"));
    local.ok().and_then(|number| number.parse().ok())
}

/// The messages of a rank other than the first.
struct Messages {
    kept: File,
    stderr: File,
}

impl Messages {
    /// Discards standard output of this process, and keeps its messages.
    fn divert() -> io::Result<Messages> {
        let nothing = OpenOptions::new().write(true).open("/dev/null")?;
        let stderr = File::from(rustix::io::dup(io::stderr())?);
        let kept = tempfile::tempfile()?;
        rustix::stdio::dup2_stdout(&nothing)?;
        rustix::stdio::dup2_stderr(&kept)?;
        Ok(Messages { kept, stderr })
    }

    /// Shows the messages.
    fn show(mut self, rank: usize) {
        let mut text = String::new();
        let read = self.kept.rewind().and_then(|()| self.kept.read_to_string(&mut text));
        if read.is_ok() {
            // Nothing can be done if standard error is closed.
            let _ = write!(self.stderr, "rank {rank}: {text}");
        }
    }
}
