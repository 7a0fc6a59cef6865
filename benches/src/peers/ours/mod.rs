//! Ours: routines of the library on the CPU backend.
//!
//! * `graphs`: jobs on graphs. `columns`: jobs on columns of numbers. `grids`: jobs on grids of
//!   cells.

mod columns;
mod graphs;
mod grids;

use std::time::{Duration, Instant};

use star_value::{BitTable, Value};
use star_vm::kernels::Kernels;
use star_vm::{CompileOptions, Cpu, Outcome, cpu};

use super::digest::Digest;
use super::failure::Failure;
use super::job::Job;
use super::peer_args::PeerArgs;
use super::protocol::Hello;
use super::side::{Local, Work};
use crate::program::Compiled;

/// Bytes that a file or table may take.
pub(super) const MAX_BYTES: u64 = 6 << 30;

/// What the digest of a result is; `None` if it is of another kind than it should be.
type DigestOf = Box<dyn Fn(&Value) -> Option<Digest>>;

/// A job made ready.
struct Ready {
    /// The program's text.
    text: String,
    /// The module that it is, whose routines have intrinsics; a text that imports its routines has
    /// them anyway.
    module: Option<&'static str>,
    /// The routine that is run.
    routine: &'static str,
    /// Its arguments.
    args: Vec<Value>,
    /// Which of them a run changes: they are new in every run. The last one holds the result.
    changing: Vec<usize>,
    digest: DigestOf,
}

/// Reads the input, compiles the program and takes the values in.
pub(super) fn open(given: &PeerArgs) -> Result<Local, Failure> {
    let begun = Instant::now();
    let routine = routine(given)?;
    let hello = Hello {
        peer: "star".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        language: "Star".to_owned(),
        threads: given.number("threads")?,
        load_s: begun.elapsed().as_secs_f64(),
        conditions: String::new(),
    };
    Ok(Local::new(hello, Box::new(routine)))
}

/// Returns the number of elementary operations of a run.
pub(super) fn operations(given: &PeerArgs) -> Result<u64, Failure> {
    let mut routine = routine(given)?;
    routine.run()?;
    Ok(routine.operations)
}

fn routine(given: &PeerArgs) -> Result<Routine, Failure> {
    let job = given.job()?;
    let mut ready = match job {
        Job::Closure => graphs::closure(given)?,
        Job::Floyd => graphs::floyd(given)?,
        Job::Paths => graphs::paths(given)?,
        Job::Levels => graphs::levels(given)?,
        Job::ArcPaths => graphs::arc_paths(given)?,
        Job::ArcLevels => graphs::arc_levels(given)?,
        Job::Components => graphs::components(given)?,
        Job::Kruskal => graphs::kruskal(given)?,
        Job::Prim => graphs::prim(given)?,
        Job::Branching => graphs::branching(given)?,
        Job::Match
        | Job::Less
        | Job::Least
        | Job::Add
        | Job::Sum
        | Job::Three
        | Job::Select
        | Job::Rank
        | Job::Median
        | Job::Hist
        | Job::Groups
        | Job::Join
        | Job::Among => columns::ready(job, given)?,
        Job::Wave => grids::wave(given)?,
    };
    let threads = given.number("threads")?;
    let intrinsics = given.text("intrinsics")? == "on";
    let settings = cpu::Settings { threads: Some(threads), ..Default::default() };
    let backend = Cpu::with(settings, Kernels::detect());
    let options = CompileOptions { intrinsics, ..CompileOptions::default() };
    // As `star run` has it, with intrinsics and without: then no idiom stands for an intrinsic,
    // either.
    let without: &[&str] = if intrinsics { &[] } else { &["idioms"] };
    let mut compiled = Compiled::optimised_with(backend, options, &ready.text, without);
    if let Some(module) = ready.module.filter(|_| intrinsics) {
        compiled = compiled.with_intrinsics(module);
    }
    // Only those that a run changes are needed again.
    let args =
        ready.args.iter_mut().enumerate().map(|(idx, arg)| match ready.changing.contains(&idx) {
            true => arg.clone(),
            false => std::mem::replace(arg, Value::Unset),
        });
    let values = compiled.load(args.collect());
    Ok(Routine { ready, compiled, values, operations: 0 })
}

/// A routine and its arguments.
struct Routine {
    ready: Ready,
    compiled: Compiled,
    values: Vec<cpu::Value>,
    /// Elementary operations of the last run.
    operations: u64,
}

impl Work for Routine {
    fn run(&mut self) -> Result<Duration, Failure> {
        for &idx in &self.ready.changing {
            let fresh = self.compiled.load(vec![self.ready.args[idx].clone()]);
            self.values.splice(idx..=idx, fresh);
        }
        let (called, outcome) = self.compiled.try_call(self.ready.routine, &mut self.values);
        self.operations = called.operations;
        match outcome {
            Outcome::Done => Ok(called.time),
            Outcome::Trap(trap) => {
                let message = format!("{} traps", self.ready.routine);
                Err(Failure::of_code(trap.kind.code(), message))
            }
            Outcome::Limit { kind, .. } => {
                let message = format!("{} ends at a limit", self.ready.routine);
                Err(Failure::of_code(kind.code(), message))
            }
            Outcome::DeviceLost { why } => Err(Failure::peer(why)),
            Outcome::Unsupported { what } => Err(Failure::peer(format!("no way for {what}"))),
            Outcome::Internal(message) => Err(Failure::peer(message)),
        }
    }

    fn digest(&mut self) -> Result<Digest, Failure> {
        let last = self.ready.changing.last().and_then(|&idx| self.values.get(idx));
        let result = last.map(|value| self.compiled.read(value));
        let digest = result.as_ref().and_then(|result| (self.ready.digest)(result));
        digest.ok_or_else(|| Failure::peer("the result is not of the kind that it should be"))
    }
}

/// The numbers in a field of a table, of at most 64 columns.
fn field(table: &BitTable, first: usize, width: usize) -> Vec<u64> {
    let mut numbers = vec![0; table.n_rows()];
    for col in first..first + width {
        let limbs = table.column_limbs(col);
        for (row, number) in numbers.iter_mut().enumerate() {
            *number = 2 * *number + (limbs[row / 64] >> (row % 64) & 1);
        }
    }
    numbers
}
