//! Kernels in several dispatches. They receive a word, the number of the first workgroup, the
//! workgroups in the first dimension, another word; then their own parameters.

use star_shaders::Shader;

use super::NotTaken;
use crate::grid::{Given, Launch};
use crate::run::Call;

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
