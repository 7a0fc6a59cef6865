//! Checkpoints: a run is saved, and later continued, at an iteration of an outermost loop.
//!
//! Note [Safe points]. With [`CompileOptions::checkpoints`](crate::CompileOptions), each iteration
//! of the outermost loops of each routine begins with the instruction `SafePoint`; without it there
//! is no such instruction. It saves the state if a checkpoint is due and none of the callers is in
//! a loop, so that on several ranks few of them exchange anything. On ranks, a loop that has a
//! kernel over its iterations has none, since each rank decides whether to use the kernel. There is
//! no safe point in a `forall`, whose state is not saved, nor in what runs as one instruction:
//! kernels over all iterations of a loop, and intrinsics.
//!
//! Deferred operations are executed first, so the state is that of the registers (`state`). It does
//! not contain what is computed again when it is needed: second forms of tables and knowledge about
//! contents; views become tables; states of intrinsics become the tables that they stand for.

mod digest;
mod head;
mod state;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use star_ir::RoutineId;

use super::interpreter::Interpreter;
use super::probe::Probe;
use super::value::Value;
use crate::backend::HostError;
use crate::checkpoint::{Checkpoints, RunIdentity};
use crate::interrupt::{Exec, Stop, internal_error};

/// Why a state could not be written or read.
enum Fault {
    /// The run ends.
    Stop(Stop),
    /// There is no checkpoint.
    Host(HostError),
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stop(stop)
    }
}

impl From<HostError> for Fault {
    fn from(error: HostError) -> Self {
        Fault::Host(error)
    }
}

/// Separates the reasons for which the run ends.
fn error_of(result: Result<(), Fault>) -> Exec<Option<HostError>> {
    match result {
        Ok(()) => Ok(None),
        Err(Fault::Host(error)) => Ok(Some(error)),
        Err(Fault::Stop(stop)) => Err(stop),
    }
}

impl Interpreter<'_, '_, '_> {
    /// Begins the run, or continues it from a checkpoint. Returns the first instruction.
    pub(super) fn begin(&mut self, entry: RoutineId, values: &mut [Value]) -> Exec<usize> {
        if self.code.options.checkpoints
            && let Some(store) = self.control.host.checkpoints()
        {
            self.due = Some(store.due());
            if self.resume(entry, values)? {
                return Ok(self.pc + 1);
            }
        }
        self.enter(entry, values)?;
        self.keep_arguments()?;
        Ok(0)
    }

    /// Continues from a checkpoint, if there is one.
    fn resume(&mut self, entry: RoutineId, values: &mut [Value]) -> Exec<bool> {
        let (rank, n_ranks) = self.rank();
        let program = digest::of(self.code, entry, self.partition());
        let opened = self.store()?.open(RunIdentity { program, rank, n_ranks });
        let is_resumed = matches!(opened, Ok(true));
        let mut error = opened.err();
        if is_resumed {
            error = error_of(self.read_state(entry, values))?;
        }
        // Ranks agree as at the beginning: one that failed is at no statement.
        let frames = std::mem::take(&mut self.frames);
        if self.ranks.is_some() {
            error = self.first_error(error)?;
        }
        let Some(error) = error else {
            self.frames = frames;
            return Ok(is_resumed);
        };
        self.store()?.refuse(error);
        Err(Stop::Unsupported("this checkpoint".to_owned()))
    }

    /// An iteration of an outermost loop begins.
    #[inline]
    pub(super) fn safe_point<P: Probe>(&mut self, common: bool, probe: &mut P) -> Exec<()> {
        let Some(due) = &self.due else { return Ok(()) };
        let may_save = if P::ACROSS_RANKS { common } else { is_set(due) };
        if may_save { self.save_if_due(probe) } else { Ok(()) }
    }

    #[inline(never)] // The instruction loop is long.
    fn save_if_due<P: Probe>(&mut self, probe: &mut P) -> Exec<()> {
        let is_outermost = self.frames.last().is_some_and(|frame| frame.is_outermost);
        if !is_outermost || !self.foralls.is_empty() {
            return Ok(());
        }
        let number = match (&self.due, P::ACROSS_RANKS) {
            (Some(due), true) => {
                let is_due = is_set(due);
                let next = self.store()?.next_number();
                self.of_rank_0(if is_due { next } else { 0 })?
            }
            (_, false) => self.store()?.next_number(),
            (None, true) => 0,
        };
        if number == 0 {
            return Ok(());
        }
        if self.recorder.is_open() {
            self.flush_for(probe)?;
        }
        let mut error = error_of(self.write_state(number))?;
        if P::ACROSS_RANKS {
            error = self.first_error(error)?;
        }
        if error.is_none() && self.rank().0 == 0 {
            error = self.store()?.commit().err();
        }
        self.store()?.finish(error);
        Ok(())
    }

    fn store(&mut self) -> Exec<&mut dyn Checkpoints> {
        let store = self.control.host.checkpoints();
        store.ok_or_else(|| internal_error("a run without checkpoints"))
    }
}

fn is_set(due: &Arc<AtomicBool>) -> bool {
    due.load(Ordering::Relaxed)
}
