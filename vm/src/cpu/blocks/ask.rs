//! Reductions of slices with summaries: only blocks that may hold ones are read.

use super::super::interpreter::Interpreter;
use super::super::operand::Reg;
use super::super::registers::BitsSlot;
use super::super::summary::{Blocks, Summary, each};

impl Interpreter<'_, '_, '_> {
    /// Returns the first one at or after `start`, using a valid summary.
    pub(in crate::cpu) fn first_in_blocks(
        &self,
        slot: &BitsSlot,
        summary: &Summary,
        start: usize,
    ) -> Option<usize> {
        let blocks = Blocks::of(slot.bits.len(), &self.parallelism.settings)?;
        let (limbs, kernels) = (slot.bits.limbs(), self.parallelism.kernels);
        let first = start / 64 / blocks.limbs;
        let mut hidden = (1 << (first % 64)) - 1;
        for (idx, word) in summary.ones.iter().enumerate().skip(first / 64) {
            let mut word = word & !hidden;
            hidden = 0;
            while word != 0 {
                let range = blocks.range(idx * 64 + word.trailing_zeros() as usize);
                let from = start.saturating_sub(range.start * 64);
                if let Some(found) = kernels.first_from(&limbs[range.clone()], from) {
                    return Some(range.start * 64 + found);
                }
                word &= word - 1;
            }
        }
        None
    }

    /// Calls `work` with the position and value of each nonzero limb of a slice, in order.
    pub(in crate::cpu) fn each_nonzero(&self, of: Reg, mut work: impl FnMut(usize, u64)) {
        let slot = self.bits_slot(of);
        let (limbs, kernels) = (slot.bits.limbs(), self.parallelism.kernels);
        let blocks = Blocks::of(slot.bits.len(), &self.parallelism.settings);
        let mut some = |range: std::ops::Range<usize>| {
            range.filter(|at| limbs[*at] != 0).for_each(|at| work(at, limbs[at]));
        };
        if let Some(listed) = slot.known.listed() {
            let listed = listed.iter().map(|place| *place as usize);
            return listed.for_each(|place| work(place, limbs[place]));
        }
        if let (Some(blocks), Some(summary)) = (blocks, slot.known.summary()) {
            for (idx, word) in summary.ones.iter().enumerate() {
                each(*word, |block| some(blocks.range(idx * 64 + block)));
            }
            return;
        }
        let (whole, rest) = limbs.as_chunks::<64>();
        let mut places = [0; 64];
        for (idx, part) in whole.iter().enumerate() {
            // The buffer has room for all of them.
            let n = kernels.list_nonzero(part, &mut places).unwrap_or(0);
            let places = places[..n].iter().map(|place| idx * 64 + *place as usize);
            places.for_each(|at| some(at..at + 1));
        }
        some(limbs.len() - rest.len()..limbs.len());
    }

    /// Appends the nonzero limbs of a slice and their positions to the empty `found`. Returns false
    /// if there are more than `most`.
    pub(in crate::cpu) fn few_nonzero(
        &self,
        of: Reg,
        most: usize,
        found: &mut Vec<(u32, u64)>,
    ) -> bool {
        let (limbs, kernels) = (self.bits(of).limbs(), self.parallelism.kernels);
        let mut places = [0; 64];
        for (idx, part) in limbs.chunks(64).enumerate() {
            // The buffer has room for all of them.
            let n = kernels.list_nonzero(part, &mut places).unwrap_or(0);
            let some = places[..n].iter().map(|place| idx * 64 + *place as usize);
            found.extend(some.map(|at| (at as u32, limbs[at])));
            if found.len() > most {
                return false;
            }
        }
        true
    }

    /// Counts the ones; `None` if counting limb by limb is faster.
    pub(in crate::cpu) fn count_blocks(&self, of: Reg) -> Option<u64> {
        let slot = self.bits_slot(of);
        let summary = slot.known.summary()?;
        let blocks = Blocks::of(slot.bits.len(), &self.parallelism.settings)?;
        let n_mixed = summary.ones.iter().zip(&summary.zeros);
        let n_mixed = n_mixed.map(|(ones, zeros)| (ones & zeros).count_ones() as usize).sum();
        if !blocks.pays(n_mixed, &self.parallelism.settings) {
            return None;
        }
        let (limbs, kernels) = (slot.bits.limbs(), self.parallelism.kernels);
        let mut n_ones = 0;
        for (idx, (ones, zeros)) in summary.ones.iter().zip(&summary.zeros).enumerate() {
            each(*ones, |block| {
                let is_full = zeros >> block & 1 == 0;
                let block = idx * 64 + block;
                n_ones += match is_full {
                    true => blocks.n_bits(block) as u64,
                    false => kernels.count(&limbs[blocks.range(block)]),
                };
            });
        }
        Some(n_ones)
    }

    /// Returns the first one of a function of two operands that maps zeros to zero; the outer
    /// `None` if a search limb by limb is faster.
    pub(in crate::cpu) fn first_of_blocks(&self, table: u8, of: [Reg; 2]) -> Option<Option<usize>> {
        let (blocks, words) = self.blocks_with_ones(table, of)?;
        let [a, b] = of.map(|reg| self.bits(reg).limbs());
        for (idx, word) in words.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let range = blocks.range(idx * 64 + word.trailing_zeros() as usize);
                let (a, b) = (&a[range.clone()], &b[range.clone()]);
                if let Some(found) = self.parallelism.kernels.first_lut2(table, a, b) {
                    return Some(Some(range.start * 64 + found));
                }
                word &= word - 1;
            }
        }
        Some(None)
    }

    /// Counts the ones of such a function; `None` if counting limb by limb is faster.
    pub(in crate::cpu) fn count_of_blocks(&self, table: u8, of: [Reg; 2]) -> Option<u64> {
        let (blocks, words) = self.blocks_with_ones(table, of)?;
        let [a, b] = of.map(|reg| self.bits(reg).limbs());
        let mut n_ones = 0;
        for (idx, word) in words.iter().enumerate() {
            each(*word, |block| {
                let range = blocks.range(idx * 64 + block);
                let (a, b) = (&a[range.clone()], &b[range]);
                n_ones += self.parallelism.kernels.count_lut2(table, a, b);
            });
        }
        Some(n_ones)
    }
}
