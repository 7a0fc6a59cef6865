//! The executor of kernels on a device without a program.

use star_ir::LimitKind;
use star_shaders::Shader;
use star_vm::interrupt::Stop;
use star_vm::{BackendError, Declined};

use super::super::super::work::Executor;
use super::super::super::{IntrinsicResult, NotTaken};
use crate::grid::{Grid, Kernel, Launch};
use crate::heap::{Block, Heap};
use crate::program::internal;

/// A device without a program.
pub(super) struct OnDevice<'d> {
    pub(super) heap: &'d mut Heap,
    /// Memory that is freed at the end of a batch.
    pub(super) taken: Vec<Block>,
    pub(super) is_stopped: &'d dyn Fn() -> bool,
    pub(super) nanoseconds: u64,
}

impl OnDevice<'_> {
    /// Returns an error if the user ends the run.
    pub(super) fn check(&self) -> IntrinsicResult {
        match (self.is_stopped)() {
            true => Err(Stop::Limit(LimitKind::Interrupted).into()),
            false => Ok(()),
        }
    }

    /// Allocates memory that is not freed at the end.
    pub(super) fn keep(&mut self, words: u64) -> Result<Block, NotTaken> {
        self.heap.take(words).map_err(refused)
    }
}

impl Executor for OnDevice<'_> {
    fn grid(&mut self) -> Result<&mut dyn Grid, NotTaken> {
        self.heap.unit.grid().ok_or_else(|| internal("kernels without a grid").into())
    }

    fn kernel(&mut self, shader: &Shader) -> Result<Kernel, NotTaken> {
        Ok(self.grid()?.kernel(shader)?)
    }

    fn extra(&mut self, words: u64) -> Result<Block, NotTaken> {
        let block = self.keep(words)?;
        self.taken.push(block);
        Ok(block)
    }

    fn notes(&mut self, words: u32) -> Result<u32, NotTaken> {
        let block = self.heap.take_near(words.into()).map_err(refused)?;
        self.taken.push(block);
        Ok(block.at)
    }

    fn read(&mut self, at: u32, into: &mut [u32]) -> IntrinsicResult {
        Ok(self.heap.unit.read(at, into)?)
    }

    fn write(&mut self, at: u32, words: &[u32]) -> IntrinsicResult {
        Ok(self.heap.unit.write(at, words)?)
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> IntrinsicResult {
        Ok(self.heap.unit.copy(from, to, words)?)
    }

    fn launch(&mut self, launches: &[Launch], limbs: u64) -> IntrinsicResult {
        let at_once = self.grid()?.launches_at_once(limbs);
        for some in launches.chunks(at_once) {
            self.check()?;
            let took = self.grid()?.launch(some, (0, 0))?.nanoseconds;
            self.nanoseconds += took.unwrap_or(0);
        }
        Ok(())
    }
}

fn refused(error: BackendError) -> NotTaken {
    match error {
        BackendError::OutOfMemory(_) => NotTaken::Declined(Declined::Memory),
        error => error.into(),
    }
}
