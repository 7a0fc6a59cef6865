//! CLR, SET, and the rows and columns of sparse tables.

use star_value::sparse::{best_ground, ground_limb};

use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::summary::{Blocks, each, no_summary};
use super::super::table::form::bytes_of;
use super::fill_all;
use crate::interrupt::Exec;

impl Interpreter<'_, '_, '_> {
    /// Sets all components to one value and writes only blocks that may hold another. Returns false
    /// if the caller must fill the limbs or record the instruction.
    pub(in crate::cpu) fn fill_blocks(&mut self, dst: Reg, len: usize, bit: bool) -> Exec<bool> {
        let settings = self.parallelism.settings;
        let Some(blocks) = Blocks::of(len, &settings) else { return Ok(false) };
        let slot = self.bits_slot(dst);
        let is_known = slot.bits.len() == len && slot.known.summary().is_some();
        let is_fresh = slot.bits.is_empty() && !bit;
        let is_short = len / 64 < settings.record_limbs;
        if !(is_known || is_fresh || is_short || settings.all_sparse) {
            return Ok(false);
        }
        if is_known || is_fresh {
            self.refill(dst, blocks, bit)?;
        } else {
            self.make(dst, len, false, |interpreter, to| fill_all(interpreter, to, len, bit))?;
        }
        self.bits_slot_mut(dst).known.set_constant(blocks, bit);
        self.paths.block_operations += 1;
        Ok(true)
    }

    /// Writes the blocks that may hold a bit other than `bit`.
    fn refill(&mut self, dst: Reg, blocks: Blocks, bit: bool) -> Exec<()> {
        let len = blocks.len;
        self.budget.reserve(bytes_of(len))?;
        let before = self.bits_slot(dst).n_bytes();
        if self.bits(dst).len() != len {
            let resized = self.bits_slot_mut(dst).bits.resize(len);
            resized.map_err(|wanted| self.out_of_memory(wanted))?;
        } else {
            let kernels = self.parallelism.kernels;
            let slot = self.bits_slot_mut(dst);
            let summary = slot.known.summary().ok_or_else(no_summary)?;
            let others = if bit { &summary.zeros } else { &summary.ones };
            let limbs = slot.bits.limbs_mut();
            for (idx, word) in others.iter().enumerate() {
                each(*word, |block| {
                    let block = idx * 64 + block;
                    kernels.fill(&mut limbs[blocks.range(block)], bit, blocks.n_bits(block));
                });
            }
        }
        let slot = self.bits_slot_mut(dst);
        slot.is_set = true;
        self.budget.exchange(before, bytes_of(len));
        Ok(())
    }

    /// Sets a slice or word to these limbs, and to the ground everywhere else.
    pub(in crate::cpu) fn put_limbs(
        &mut self,
        dst: Reg,
        len: usize,
        ground: bool,
        limbs: impl Iterator<Item = (u32, u64)>,
    ) -> Exec<()> {
        match self.fill_blocks(dst, len, ground)? {
            true => {}
            false => self
                .make(dst, len, false, |interpreter, to| fill_all(interpreter, to, len, ground))?,
        }
        let blocks = Blocks::of(len, &self.parallelism.settings);
        let slot = self.bits_slot_mut(dst);
        let to = slot.bits.limbs_mut();
        let Some(blocks) = blocks else {
            limbs.for_each(|(place, limb)| to[place as usize] = limb);
            return Ok(());
        };
        if slot.known.summary().is_none() {
            // It was filled in the same way as a long slice, so this is known now.
            slot.known.set_constant(blocks, ground);
        }
        let summary = slot.known.summary_mut().ok_or_else(no_summary)?;
        let others = if ground { &mut summary.zeros } else { &mut summary.ones };
        for (place, limb) in limbs {
            let (place, block) = (place as usize, place as usize / blocks.limbs);
            to[place] = limb;
            others[block / 64] |= 1 << (block % 64);
        }
        Ok(())
    }

    /// Gives a slice with few nonzero limbs a summary if it has none and is long enough.
    pub(in crate::cpu) fn summarise_few(&mut self, dst: Reg) {
        let settings = self.parallelism.settings;
        let Some(blocks) = Blocks::of(self.bits(dst).len(), &settings) else { return };
        let mut few = [0; 64];
        let listed = self.parallelism.kernels.list_nonzero(self.bits(dst).limbs(), &mut few);
        let Some(n_limbs) = listed else { return };
        let slot = self.bits_slot_mut(dst);
        slot.known.set_constant(blocks, false);
        slot.known.may_hold(&few[..n_limbs], &settings);
    }

    /// Returns the ground from which only few limbs of a slice differ, if there is one. Appends
    /// those limbs with their positions to the empty `found`.
    pub(in crate::cpu) fn limbs_off_ground(
        &mut self,
        src: Reg,
        found: &mut Vec<(u32, u64)>,
    ) -> bool {
        let slot = self.bits_slot(src);
        let ground = match (slot.known.listed(), slot.known.summary()) {
            (Some(_), _) => false,
            (None, Some(summary)) => summary.n_off_ground().0,
            (None, None) => {
                // Zeros are the ground if at most half of the limbs are nonzero, which is known
                // once they are listed.
                if self.few_nonzero(src, slot.bits.limbs().len() / 2, found) {
                    self.keep_listed(src, found);
                    return false;
                }
                found.clear();
                best_ground(slot.bits.limbs(), slot.bits.len()).0
            }
        };
        match ground {
            false => self.each_nonzero(src, |at, limb| found.push((at as u32, limb))),
            true => self.limbs_off_ones(src, found),
        }
        ground
    }

    /// Records the listed limbs, with their positions, as the nonzero limbs of a slice.
    fn keep_listed(&mut self, src: Reg, found: &[(u32, u64)]) {
        let settings = self.parallelism.settings;
        if let Some(blocks) = Blocks::of(self.bits(src).len(), &settings) {
            self.bits_slot_mut(src).known.list(found.iter(), blocks, &settings);
        }
    }

    /// Appends the limbs of a slice that are not all ones, with their positions, to `found`.
    fn limbs_off_ones(&self, src: Reg, found: &mut Vec<(u32, u64)>) {
        let (slot, settings) = (self.bits_slot(src), &self.parallelism.settings);
        let (limbs, len) = (slot.bits.limbs(), slot.bits.len());
        let mut add = |range: std::ops::Range<usize>| {
            let some = range.filter(|at| limbs[*at] != ground_limb(len, true, *at));
            found.extend(some.map(|at| (at as u32, limbs[at])));
        };
        match (Blocks::of(len, settings), slot.known.summary()) {
            (Some(blocks), Some(summary)) => {
                for (idx, word) in summary.zeros.iter().enumerate() {
                    each(*word, |block| add(blocks.range(idx * 64 + block)));
                }
            }
            (None, _) | (_, None) => add(0..limbs.len()),
        }
    }
}
