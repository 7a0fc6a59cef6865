//! Queries about bits, and STEP.

use std::ops::Range;

use star_ir::Query;

use super::bits::bits_in;
use super::interpreter::Interpreter;
use super::operand::Reg;
use crate::interrupt::Exec;
use crate::tape::Answer;

impl Interpreter<'_, '_, '_> {
    /// Returns the first one at or after `start`, both zero-based.
    #[inline]
    pub(super) fn first_from(&self, bits: Reg, start: usize) -> Exec<Option<usize>> {
        let slot = self.bits_slot(bits);
        let start = start.max(slot.known.zeros * 64);
        let limbs = slot.bits.limbs();
        if start >= slot.bits.len() {
            return Ok(None);
        }
        if let Some(summary) = slot.known.summary() {
            return Ok(self.first_in_blocks(slot, summary, start));
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
    pub(super) fn query(&mut self, query: Query, of: Reg) -> Exec<Answer> {
        let slot = self.bits_slot(of);
        let (limbs, len) = (slot.bits.limbs(), slot.bits.len());
        let kernels = self.parallelism.kernels;
        match query {
            Query::Any | Query::None | Query::First => {
                let first = self.first_from(of, 0)?;
                self.known_zeros(of, first.unwrap_or(len) / 64);
                Ok(Answer::First(first))
            }
            Query::All => {
                let gap = self.parallelism.find(limbs.len(), |range| {
                    let part = &limbs[range.clone()];
                    (!kernels.all(part, bits_in(len, range.start, part))).then_some(())
                })?;
                Ok(Answer::All(gap.is_none()))
            }
            Query::Count => {
                if slot.known.summary().is_some()
                    && let Some(n_ones) = self.count_blocks(of)
                {
                    return Ok(Answer::Count(n_ones));
                }
                Ok(Answer::Count(self.parallelism.count(limbs)?))
            }
        }
    }

    /// Does one of them have a summary?
    #[inline]
    fn has_summary(&self, of: [Reg; 2]) -> bool {
        of.iter().any(|reg| self.bits_slot(*reg).known.summary().is_some())
    }

    /// Returns the index, from 0, of the first one of a function of two operands.
    #[inline]
    pub(super) fn first_lut(&self, table: u8, left: Reg, right: Reg) -> Exec<Option<usize>> {
        self.same_length(left, right)?;
        let (a, b) = (self.bits(left).limbs(), self.bits(right).limbs());
        let kernels = self.parallelism.kernels;
        if self.has_summary([left, right])
            && let Some(first) = self.first_of_blocks(table, [left, right])
        {
            return Ok(first);
        }
        self.parallelism.find(a.len(), |range| {
            let found = kernels.first_lut2(table, &a[range.clone()], &b[range.clone()]);
            found.map(|idx| range.start * 64 + idx)
        })
    }

    /// Counts the ones of a function of two operands.
    #[inline]
    pub(super) fn count_lut(&self, table: u8, left: Reg, right: Reg) -> Exec<u64> {
        self.same_length(left, right)?;
        let (a, b) = (self.bits(left).limbs(), self.bits(right).limbs());
        if self.has_summary([left, right])
            && let Some(n_ones) = self.count_of_blocks(table, [left, right])
        {
            return Ok(n_ones);
        }
        self.count_function(table, a, b)
    }

    /// Counts the ones of a function of limbs, without looking at summaries.
    #[inline]
    pub(super) fn count_function(&self, table: u8, a: &[u64], b: &[u64]) -> Exec<u64> {
        let kernels = self.parallelism.kernels;
        let count = |range: Range<usize>| kernels.count_lut2(table, &a[range.clone()], &b[range]);
        self.parallelism.fold(a.len(), 1, 0, count, |a, b| a + b)
    }

    #[inline]
    pub(super) fn step(&mut self, bits: Reg) -> Exec<i64> {
        let first = self.first_from(bits, 0)?;
        let Interpreter { bits: slots, base, parallelism, .. } = self;
        let slot = &mut slots[base.bits + bits as usize];
        let n_zeros = first.unwrap_or(slot.bits.len()) / 64;
        if let Some(first) = first {
            slot.bits.put(first, false);
            slot.known.put(first, false, &parallelism.settings);
        }
        slot.known.begins_with_zeros(n_zeros, &parallelism.settings);
        Ok(first.map_or(0, |idx| idx as i64 + 1))
    }

    /// Records that the first `n_limbs` limbs of a slice or word are zero.
    #[inline]
    pub(super) fn known_zeros(&mut self, reg: Reg, n_limbs: usize) {
        let Interpreter { bits, base, parallelism, .. } = self;
        let slot = &mut bits[base.bits + reg as usize];
        slot.known.begins_with_zeros(n_limbs, &parallelism.settings);
    }
}
