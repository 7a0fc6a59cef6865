//! `star-ranks`: runs Star programs on several processes over MPI, as in `mpirun -n 4 star-ranks
//! run closure.star --graph road.gr`.
//!
//! Every process is a rank and runs the same command. Rank 0 prints; the output of the others is
//! discarded, and their messages are shown only if one of them ends the job alone.

mod mpi_exchange;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::process::ExitCode;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use mpi::Threading;
use mpi::traits::Communicator;
use star::pipeline::backends::{self, RankSpec};
use star_os::exit::Exit;
use star_os::failure::{Failure, internal};
use star_os::report::{ErrorFormat, Reporter};
use star_vm::exchange::{Exchange, PartitionSettings};

use mpi_exchange::{Mpi, has_ended_alone};

/// How long a rank other than the first waits for rank 0 to show its message and end the job: if
/// this rank has ended alone, and if all ranks have ended.
const WAIT_ALONE: Duration = Duration::from_millis(800);
const WAIT_FOR_RANK_0: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        return failed("MPI is initialised already").into();
    };
    let exchange = Mpi::world();
    if let Err(lost) = exchange.self_test() {
        universe.world().abort(i32::from(failed(&lost.why).number()));
    }
    let (partition, threads) = (partition(), Some(threads()));
    backends::join_ranks(RankSpec { connect: || Rc::new(Mpi::world()), partition, threads });
    let rank = exchange.rank();
    let messages = if rank == 0 { None } else { Messages::divert().ok() };
    if rank > 0 {
        star_os::destination::discard_all();
    }
    let arguments = with_backend(std::env::args_os().collect());
    let exit = star_cli::command(&arguments);
    if exit != Exit::Success {
        if let Some(messages) = messages {
            thread::sleep(if has_ended_alone() { WAIT_ALONE } else { WAIT_FOR_RANK_0 });
            messages.show(rank);
        }
        universe.world().abort(i32::from(exit.number()));
    }
    exit.into()
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
    let local = std::env::var("OMPI_COMM_WORLD_LOCAL_SIZE").or(std::env::var("MPI_LOCALNRANKS"));
    let n_ranks = local.ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
    (cores / n_ranks.max(1)).max(1)
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
