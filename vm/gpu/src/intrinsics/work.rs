//! Kernels in several dispatches. They receive a word, the number of the first workgroup, the
//! workgroups in the first dimension, another word; then their own parameters.

use star_shaders::Shader;
use star_shaders::intrinsics::numbers;
use star_vm::Declined;

use super::{IntrinsicResult, NotTaken};
use crate::grid::{Given, Launch};
use crate::run::{Call, Placed, Reserved};

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
        call: &mut Call<'_, '_, '_>,
        shader: &Shader,
    ) -> Result<Vec<Launch>, NotTaken> {
        let kernel = call.kernel(shader)?;
        let grid = call.grid()?;
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
        call: &mut Call<'_, '_, '_>,
        shader: &Shader,
        given: &[u32],
    ) -> IntrinsicResult {
        let launches = self.launches(call, shader, given)?;
        call.launch(&launches, self.n * self.limbs / (launches.len() as u64).max(1))
    }

    /// Returns its dispatches, after all memory is allocated.
    pub(super) fn launches(
        &self,
        call: &mut Call<'_, '_, '_>,
        shader: &Shader,
        given: &[u32],
    ) -> Result<Vec<Launch>, NotTaken> {
        self.work(given)?.launches(call, shader)
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
        call: &mut Call<'_, '_, '_>,
        units: Units,
        shader: &Shader,
        given: &[u32],
    ) -> IntrinsicResult {
        self.add_work(call, &units.work(given)?, shader)
    }

    /// Adds a kernel with other workgroups.
    pub(super) fn add_work(
        &mut self,
        call: &mut Call<'_, '_, '_>,
        work: &Work,
        shader: &Shader,
    ) -> IntrinsicResult {
        self.launches.extend(work.launches(call, shader)?);
        self.limbs += u64::from(work.n_groups) * work.limbs;
        Ok(())
    }

    /// Runs all.
    pub(super) fn run(self, call: &mut Call<'_, '_, '_>) -> IntrinsicResult {
        call.launch(&self.launches, self.limbs / (self.launches.len() as u64).max(1))
    }
}

/// Reads the rows of a table as numbers.
pub(super) fn read_numbers(
    call: &mut Call<'_, '_, '_>,
    threads: u32,
    table: Placed,
    numbers: u32,
) -> IntrinsicResult {
    let Placed { at, stride, sizes } = table;
    let limbs = u64::from(sizes.columns / 2 + 1);
    let units = Units { head: [0; 2], threads, n: sizes.rows.into(), limbs };
    units.run(call, &numbers::read(threads), &[at, stride, sizes.columns, sizes.rows, numbers])
}

/// Writes rows of numbers with these bits as the columns of a table.
pub(super) fn write_numbers(
    call: &mut Call<'_, '_, '_>,
    threads: u32,
    numbers: u32,
    [n_rows, fields, bits]: [u32; 3],
    table: Reserved,
) -> IntrinsicResult {
    let n = u64::from(n_rows.div_ceil(u32::BITS)) * u64::from(fields * bits);
    let units = Units { head: [0; 2], threads, n, limbs: u64::from(u32::BITS) / 2 };
    let given = [numbers, n_rows, fields, bits, table.at(), table.sizes.stride()];
    units.run(call, &numbers::write(threads), &given)
}
