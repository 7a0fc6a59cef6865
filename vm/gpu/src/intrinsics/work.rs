//! Kernels in several dispatches. They receive a word, the number of the first workgroup, the
//! workgroups in the first dimension, another word; then their own parameters.

use star_shaders::Shader;
use star_shaders::intrinsics::numbers;
use star_vm::Declined;

use super::{IntrinsicResult, NotTaken};
use crate::grid::{Given, Grid, Kernel, Launch};
use crate::heap::Block;
use crate::run::{Placed, Reserved};

/// What runs kernels: a call of an intrinsic, or a device without a program.
pub(crate) trait Executor {
    /// Returns the executor of kernels.
    fn grid(&mut self) -> Result<&mut dyn Grid, NotTaken>;

    /// Compiles a kernel, after all memory is allocated.
    fn kernel(&mut self, shader: &Shader) -> Result<Kernel, NotTaken>;

    /// Allocates memory of zeros, which is freed at the end.
    fn extra(&mut self, words: u64) -> Result<Block, NotTaken>;

    /// Allocates a few words of zeros for results.
    fn notes(&mut self, words: u32) -> Result<u32, NotTaken>;

    /// Reads words that dispatches have written.
    fn read(&mut self, at: u32, into: &mut [u32]) -> IntrinsicResult;

    /// Writes words.
    fn write(&mut self, at: u32, words: &[u32]) -> IntrinsicResult;

    /// Copies words.
    fn copy(&mut self, from: u32, to: u32, words: u32) -> IntrinsicResult;

    /// Runs dispatches that access this number of limbs each.
    fn launch(&mut self, launches: &[Launch], limbs: u64) -> IntrinsicResult;
}

impl dyn Executor + '_ {
    /// Reads words that dispatches have written.
    pub(crate) fn words<const N: usize>(&mut self, at: u32) -> Result<[u32; N], NotTaken> {
        let mut words = [0; N];
        self.read(at, &mut words)?;
        Ok(words)
    }
}

/// A kernel, in several dispatches if one would be too large or take too long.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// The first and the fourth parameter.
    pub(super) head: [u32; 2],
    pub(super) n_groups: u32,
    /// Limbs that a workgroup accesses.
    pub(super) limbs: u64,
    /// Its parameters after those of all kernels.
    pub(super) given: Vec<u32>,
}

impl Work {
    /// Returns its dispatches, after all memory is allocated.
    pub(super) fn launches(
        &self,
        on: &mut dyn Executor,
        shader: &Shader,
    ) -> Result<Vec<Launch>, NotTaken> {
        let kernel = on.kernel(shader)?;
        self.launches_of(on, kernel)
    }

    fn launches_of(&self, on: &mut dyn Executor, kernel: Kernel) -> Result<Vec<Launch>, NotTaken> {
        let grid = on.grid()?;
        let most = grid.max_groups();
        let at_once = (grid.limbs_at_once() / self.limbs).clamp(1, u32::MAX.into()) as u32;
        let mut launches = Vec::new();
        let mut first = 0_u32;
        while first < self.n_groups {
            let left = self.n_groups - first;
            let across = left.min(most).min(at_once);
            let down = left.div_ceil(across).min(most).min((at_once / across).max(1));
            let mut given: Given = [0; 32];
            given[..4].copy_from_slice(&[self.head[0], first, across, self.head[1]]);
            given[4..4 + self.given.len()].copy_from_slice(&self.given);
            launches.push(Launch { kernel, groups: [across, down], given });
            first = first.saturating_add(across.saturating_mul(down));
        }
        Ok(launches)
    }
}

/// A kernel with a thread for each unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// The first and the fourth parameter.
    pub(super) head: [u32; 2],
    pub(super) threads: u32,
    pub(super) n: u64,
    /// Limbs that a unit accesses.
    pub(super) limbs: u64,
}

impl Units {
    /// Runs the kernel.
    pub(super) fn run(
        &self,
        on: &mut dyn Executor,
        shader: &Shader,
        given: &[u32],
    ) -> IntrinsicResult {
        let launches = self.launches(on, shader, given)?;
        on.launch(&launches, self.n * self.limbs / (launches.len() as u64).max(1))
    }

    /// Returns its dispatches, after all memory is allocated.
    pub(super) fn launches(
        &self,
        on: &mut dyn Executor,
        shader: &Shader,
        given: &[u32],
    ) -> Result<Vec<Launch>, NotTaken> {
        self.work(given)?.launches(on, shader)
    }

    fn work(&self, given: &[u32]) -> Result<Work, NotTaken> {
        let Units { head, threads, n, limbs } = *self;
        let n = u32::try_from(n).map_err(|_| NotTaken::Declined(Declined::Range))?;
        let (n_groups, limbs) = (n.div_ceil(threads), u64::from(threads) * limbs);
        Ok(Work { head, n_groups, limbs, given: given.into() })
    }
}

/// Dispatches, and the limbs that they access.
#[derive(Debug, Default)]
pub(super) struct Batch {
    launches: Vec<Launch>,
    limbs: u64,
}

impl Batch {
    /// Adds a kernel.
    pub(super) fn add(
        &mut self,
        on: &mut dyn Executor,
        units: Units,
        shader: &Shader,
        given: &[u32],
    ) -> IntrinsicResult {
        self.add_work(on, &units.work(given)?, shader)
    }

    /// Adds a kernel that was compiled.
    pub(super) fn add_kernel(
        &mut self,
        on: &mut dyn Executor,
        units: Units,
        kernel: Kernel,
        given: &[u32],
    ) -> IntrinsicResult {
        let work = units.work(given)?;
        self.launches.extend(work.launches_of(on, kernel)?);
        self.limbs += u64::from(work.n_groups) * work.limbs;
        Ok(())
    }

    /// Returns the dispatches, and the limbs that each accesses on average.
    pub(super) fn into_parts(self) -> (Vec<Launch>, u64) {
        let limbs = self.limbs / (self.launches.len() as u64).max(1);
        (self.launches, limbs)
    }

    /// Adds a kernel with other workgroups.
    pub(super) fn add_work(
        &mut self,
        on: &mut dyn Executor,
        work: &Work,
        shader: &Shader,
    ) -> IntrinsicResult {
        self.launches.extend(work.launches(on, shader)?);
        self.limbs += u64::from(work.n_groups) * work.limbs;
        Ok(())
    }

    /// Runs all.
    pub(super) fn run(self, on: &mut dyn Executor) -> IntrinsicResult {
        let (launches, limbs) = self.into_parts();
        on.launch(&launches, limbs)
    }
}

/// Reads the rows of a table as numbers.
pub(super) fn read_numbers(
    on: &mut dyn Executor,
    threads: u32,
    table: Placed,
    numbers: u32,
) -> IntrinsicResult {
    let mut batch = Batch::default();
    batch.read_numbers(on, threads, table, numbers)?;
    batch.run(on)
}

/// Writes rows of numbers with these bits as the columns of a table.
pub(super) fn write_numbers(
    on: &mut dyn Executor,
    threads: u32,
    numbers: u32,
    sizes: [u32; 3],
    table: Reserved,
) -> IntrinsicResult {
    let mut batch = Batch::default();
    batch.write_numbers(on, threads, numbers, sizes, table)?;
    batch.run(on)
}

impl Batch {
    /// Adds what [`read_numbers`] does.
    pub(super) fn read_numbers(
        &mut self,
        on: &mut dyn Executor,
        threads: u32,
        table: Placed,
        numbers: u32,
    ) -> IntrinsicResult {
        let Placed { at, stride, sizes } = table;
        let limbs = u64::from(sizes.columns / 2 + 1);
        let units = Units { head: [0; 2], threads, n: sizes.rows.into(), limbs };
        let given = [at, stride, sizes.columns, sizes.rows, numbers];
        self.add(on, units, &numbers::read(threads), &given)
    }

    /// Adds what [`write_numbers`] does.
    pub(super) fn write_numbers(
        &mut self,
        on: &mut dyn Executor,
        threads: u32,
        numbers: u32,
        [n_rows, fields, bits]: [u32; 3],
        table: Reserved,
    ) -> IntrinsicResult {
        let n = u64::from(n_rows.div_ceil(u32::BITS)) * u64::from(fields * bits);
        let units = Units { head: [0; 2], threads, n, limbs: u64::from(u32::BITS) / 2 };
        let given = [numbers, n_rows, fields, bits, table.at(), table.sizes.stride()];
        self.add(on, units, &numbers::write(threads), &given)
    }
}
