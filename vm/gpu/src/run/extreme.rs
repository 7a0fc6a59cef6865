//! MIN and MAX of a wide table: allocation for the results of blocks of rows, and the dispatches.

use star_ir::RoutineId;
use star_shaders::Limb;
use star_vm::Declined;

use super::fused::Grown;
use super::{DeviceRun, End};
use crate::code::Inst;
use crate::compile::{Extreme, Site};
use crate::fuse::{THREADS, kernels};
use crate::grid::{Given, Launch, MAX_GROUPS};
use crate::heap::Block;
use crate::program::internal;
use crate::value::{ObjectKind, Sizes};

impl DeviceRun<'_, '_> {
    /// Runs the operation, if it can run as kernels.
    pub(super) fn extreme(
        &mut self,
        extreme: Extreme,
        (id, inst): (RoutineId, &Inst),
        site: &Site,
    ) -> Result<(), End> {
        match self.extreme_launches(extreme, id, site)? {
            Ok(()) => {
                self.control.stats.counters.grid_runs += 1;
                self.go_on(id, inst)
            }
            Err(reason) => {
                self.control.stats.counters.decline(reason);
                Ok(())
            }
        }
    }

    fn extreme_launches(
        &mut self,
        Extreme { dst, table, mask, sense }: Extreme,
        id: RoutineId,
        site: &Site,
    ) -> Result<Result<(), Declined>, End> {
        let [dst, table, mask] = [dst, table, mask].map(|var| self.held_by(id, site, var));
        let (mut dst, table, mask) = (dst?, table?, mask?);
        let rows = table.rows;
        if !(table.is_set && mask.is_set && mask.rows == rows) {
            return Ok(Err(Declined::Guard));
        }
        if rows == 0 || table.columns == 0 {
            return Ok(Err(Declined::Empty));
        }
        let is_wide = table.columns <= 1 || table.stride.is_multiple_of(4);
        let (width, limb) = if is_wide { (4, Limb::Four) } else { (2, Limb::Pair) };
        let limbs = rows.div_ceil(32 * width);
        let (n_blocks, chunks) = (limbs.div_ceil(THREADS), table.columns.div_ceil(32));
        let per = chunks.next_multiple_of(width);
        let Some(grid) = self.heap.unit.grid() else { return Err(internal("no grid").into()) };
        let work = u64::from(table.columns) + 3;
        let at_once = grid.limbs_at_once() / u64::from(width * THREADS) / work;
        let texts = kernels(sense, limb);
        let sizes = Sizes { kind: ObjectKind::Slice, rows, columns: 1 };
        let grows = dst.capacity < sizes.stride();
        let beside = u64::from(n_blocks) * u64::from(per) + u64::from(chunks);
        let wanted = [u64::from(if grows { sizes.stride() } else { 0 }), beside];
        let (new, beside) = match self.take_beside(&wanted)? {
            Ok(taken) => (taken[0], taken[1]),
            Err(reason) => return Ok(Err(reason)),
        };
        let Some([blocks, least, keep]) =
            self.kernels([&texts.blocks, &texts.least, &texts.keep])?
        else {
            [new, beside].into_iter().for_each(|block| self.heap.give(block));
            return Ok(Err(Declined::Body));
        };
        let grown = grows.then(|| {
            let old = Block { at: dst.at, words: dst.capacity };
            Grown { pointer: dst.pointer, old, new }
        });
        let out = if grows { new.at } else { dst.at };
        let (words, all) = (beside.at, beside.at + n_blocks * per);
        let step = u32::try_from(at_once).unwrap_or(u32::MAX).clamp(1, MAX_GROUPS);
        let mut given: Given = [0; 32];
        let [at, mask_at, out_at] = [table.at, mask.at, out].map(|at| at / width);
        given[..4].copy_from_slice(&[at, table.stride / width, table.columns, limbs]);
        given[4..7].copy_from_slice(&[mask_at, out_at, words / width]);
        let mut launches = Vec::new();
        for first in (0..n_blocks).step_by(step as usize) {
            given[7] = first;
            let groups = [step.min(n_blocks - first), 1];
            launches.push(Launch { kernel: blocks, groups, given });
        }
        for chunk in 0..chunks {
            let mut given: Given = [0; 32];
            given[..5].copy_from_slice(&[words, per, n_blocks, all, chunk]);
            let groups = [n_blocks.div_ceil(THREADS), 1];
            launches.push(Launch { kernel: least, groups, given });
        }
        let mut given: Given = [0; 32];
        given[..4].copy_from_slice(&[words, per, all, chunks]);
        given[4..6].copy_from_slice(&[out_at, limbs]);
        for first in (0..n_blocks).step_by(MAX_GROUPS as usize) {
            given[7] = first;
            let groups = [MAX_GROUPS.min(n_blocks - first), 1];
            launches.push(Launch { kernel: keep, groups, given });
        }
        let grown: Vec<Grown> = grown.into_iter().collect();
        self.own(grown.iter());
        let each = u64::from(limbs.min(step.saturating_mul(THREADS))) * u64::from(width) * work;
        let done = self.launch(&launches, each);
        self.heap.give(beside);
        done?;
        self.replace(grown)?;
        (dst.is_set, dst.is_sized, dst.is_changed, dst.rows) = (true, false, true, rows);
        self.set_size(&dst)?;
        Ok(Ok(()))
    }
}
