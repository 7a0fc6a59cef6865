//! What is asked about bits, and STEP.

use std::ops::Range;

use super::bits::bits_in;
use super::inst::{Ask, Search};
use super::interpreter::Interpreter;
use super::operand::Reg;
use crate::stop::Run;

impl Interpreter<'_, '_, '_> {
    /// The first one that is not before `start`, both from 0.
    #[inline]
    pub(super) fn first_from(&self, bits: Reg, start: usize) -> Run<Option<usize>> {
        let slot = self.bits_slot(bits);
        let start = start.max(slot.zeros * 64);
        let limbs = slot.bits.limbs();
        if start >= slot.bits.len() {
            return Ok(None);
        }
        let skipped = start / 64;
        let kernels = self.parallelism.kernels;
        let found = self.parallelism.find(limbs.len() - skipped, |range| {
            let from = skipped + range.start;
            let start = if range.start == 0 { start % 64 } else { 0 };
            let found = kernels.first_from(&limbs[from..skipped + range.end], start);
            found.map(|idx| from * 64 + idx)
        })?;
        Ok(found)
    }

    #[inline]
    pub(super) fn ask(&mut self, ask: Ask, of: Reg) -> Run<i64> {
        let slot = self.bits_slot(of);
        let (limbs, len) = (slot.bits.limbs(), slot.bits.len());
        let kernels = self.parallelism.kernels;
        match ask {
            Ask::Search(search) => {
                let first = self.first_from(of, 0)?;
                self.bits_slot_mut(of).zeros = first.unwrap_or(len) / 64;
                Ok(search.answer(first))
            }
            Ask::All => {
                let gap = self.parallelism.find(limbs.len(), |range| {
                    let part = &limbs[range.clone()];
                    (!kernels.all(part, bits_in(len, range.start, part))).then_some(())
                })?;
                Ok(i64::from(gap.is_none()))
            }
            Ask::Count => Ok(self.parallelism.count(limbs)? as i64),
        }
    }

    /// What the first one of a function of two answers.
    #[inline]
    pub(super) fn search_lut(&self, search: Search, table: u8, left: Reg, right: Reg) -> Run<i64> {
        self.same_length(left, right)?;
        let (a, b) = (self.bits(left).limbs(), self.bits(right).limbs());
        let kernels = self.parallelism.kernels;
        let first = self.parallelism.find(a.len(), |range| {
            let found = kernels.first_lut2(table, &a[range.clone()], &b[range.clone()]);
            found.map(|idx| range.start * 64 + idx)
        })?;
        Ok(search.answer(first))
    }

    /// Number of ones of a function of two.
    #[inline]
    pub(super) fn count_lut(&self, table: u8, left: Reg, right: Reg) -> Run<i64> {
        self.same_length(left, right)?;
        let (a, b) = (self.bits(left).limbs(), self.bits(right).limbs());
        let kernels = self.parallelism.kernels;
        let count = |range: Range<usize>| kernels.count_lut2(table, &a[range.clone()], &b[range]);
        Ok(self.parallelism.fold(a.len(), 1, 0, count, |a, b| a + b)? as i64)
    }

    #[inline]
    pub(super) fn step(&mut self, bits: Reg) -> Run<i64> {
        let first = self.first_from(bits, 0)?;
        let slot = self.bits_slot_mut(bits);
        if let Some(first) = first {
            slot.bits.put(first, false);
        }
        slot.zeros = first.unwrap_or(slot.bits.len()) / 64;
        Ok(Search::First.answer(first))
    }
}
