//! Note [Kept extremes]. DIJKSTRA searches for MIN repeatedly, and between two searches only a few
//! rows of the table and a few bits of the mask change. So a table by columns keeps the extreme
//! number of each block of rows under the mask, from the second search on since it changed as a
//! whole. A further search reads the rows of the blocks that have changed, in the table or in the
//! mask, then the numbers of groups of 64 blocks, and then the rows of the blocks with the extreme
//! number. The mask is compared with a copy, so no change of it need be reported. Single rows, and
//! the limbs changed by a loop kernel (Note [Few limbs] in `loop_kernels`), are marked as changed;
//! every other change of the table discards the extremes. If they are discarded, or the mask is
//! very different, soon after they were created, they are created later the next time. They count
//! in the same way as a second form. If only the first of the rows is needed, as by `MIN(T,X,Z);
//! i:=FND(Z)`, the first block with a match is enough.

use std::ops::Range;

use star_ir::Sense;
use star_value::Limbs;

use super::Table;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::{Line, columns_of};
use crate::interrupt::Exec;
use crate::kernels::{Columns, NUMBERED_COLUMNS, NUMBERED_LIMBS};

/// Blocks in a group, for which one minimum is kept.
const GROUP: usize = 64;

/// At most one block in this many is reread; if more have changed, the mask is considered a
/// different one.
const SHARE: usize = 4;

/// Number of searches after which creation has paid.
const WORTH: u32 = 4;

/// No row of a block is marked. Numbers of the supported widths are smaller.
const NONE: u64 = u64::MAX;

/// The extremes that a table keeps, if any.
#[derive(Debug, Default)]
pub(super) struct Extremes {
    /// Number of searches since the table has changed as a whole.
    n_asked: u32,
    /// Number of times that they were discarded before their creation had paid.
    n_losses: u32,
    kept: Option<Box<ExtremeCache>>,
}

#[derive(Debug)]
struct ExtremeCache {
    sense: Sense,
    /// A copy of the mask.
    mask: Limbs,
    /// The extreme number of each block, with the first column as the most significant bit;
    /// complemented for MAX, so that smaller is better.
    numbers: Vec<u64>,
    /// The minimum of [`GROUP`] blocks.
    groups: Vec<u64>,
    /// Bit b: rows of block b may have changed.
    changed: Vec<u64>,
    n_uses: u32,
}

/// The rows that hold the extreme number: nonzero limbs with their positions.
pub(in crate::cpu) type Holders = Vec<(u32, u64)>;

impl Extremes {
    /// Returns the bytes for a mask of `n_limbs` limbs.
    pub(super) fn bytes_for(n_limbs: usize) -> u64 {
        let n_blocks = n_limbs.div_ceil(NUMBERED_LIMBS);
        8 * (n_limbs + n_blocks + 2 * n_blocks.div_ceil(GROUP)) as u64
    }

    /// Does it keep extremes?
    #[inline]
    pub(super) fn are_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Returns the bytes that it uses.
    pub(super) fn n_bytes(&self) -> u64 {
        self.kept.as_ref().map_or(0, |kept| Extremes::bytes_for(kept.mask.len()))
    }

    /// The table has changed as a whole.
    #[inline]
    pub(super) fn drop(&mut self) {
        self.n_asked = 0;
        if let Some(kept) = self.kept.take() {
            let was_worth_it = kept.n_uses >= WORTH;
            self.n_losses = if was_worth_it { 0 } else { self.n_losses.saturating_add(1) };
        }
    }

    /// A row, zero-based, has changed.
    #[inline]
    pub(super) fn row_changes(&mut self, row_idx: usize) {
        self.limb_changes(row_idx / 64);
    }

    /// The rows of a limb have changed.
    #[inline]
    pub(super) fn limb_changes(&mut self, limb: usize) {
        if let Some(kept) = &mut self.kept {
            let block = limb / NUMBERED_LIMBS;
            kept.changed[block / 64] |= 1 << (block % 64);
        }
    }

    /// Returns the rows marked in `mask` that hold the extreme number among these, or only those of
    /// the first block with a match if `first`; `None` if a search of all rows is faster.
    /// `has_room` tells whether there is memory for the extremes.
    pub(super) fn find(
        &mut self,
        columns: Columns<'_>,
        mask: &[u64],
        (sense, first): (Sense, bool),
        parallelism: &Parallelism<'_>,
        has_room: bool,
    ) -> Exec<Option<Holders>> {
        if columns.n_cols > NUMBERED_COLUMNS {
            return Ok(None);
        }
        let is_other = |kept: &ExtremeCache| kept.sense != sense || kept.mask.len() != mask.len();
        if self.kept.as_deref().is_some_and(is_other) {
            self.drop();
        }
        let is_new = self.kept.is_none();
        if is_new {
            self.n_asked = self.n_asked.saturating_add(1);
            let is_due = self.n_asked.checked_shr(self.n_losses).is_some_and(|asked| asked > 1);
            self.kept = match is_due && has_room {
                true => ExtremeCache::new(mask, sense),
                false => None,
            };
        }
        let Some(kept) = &mut self.kept else { return Ok(None) };
        let n_changed = kept.compare(mask, parallelism);
        if !is_new && n_changed > kept.numbers.len() / SHARE && kept.numbers.len() >= SHARE {
            self.drop();
            return Ok(None);
        }
        kept.n_uses = kept.n_uses.saturating_add(u32::from(!is_new));
        let found =
            kept.renew(columns, parallelism).map(|()| kept.holders(columns, first, parallelism));
        if found.is_err() {
            // A flag: some numbers are outdated.
            self.drop();
        }
        found.map(Some)
    }
}

impl Table {
    /// Returns the rows that hold the extreme number among those of a mask, if it is known; see
    /// Note [Kept extremes]. `has_room` tells whether a number of bytes is available in addition to
    /// the table.
    pub(in crate::cpu) fn find_extreme(
        &mut self,
        mask: &[u64],
        (sense, first): (Sense, bool),
        parallelism: &Parallelism<'_>,
        has_room: impl Fn(u64) -> bool,
    ) -> Exec<Option<Holders>> {
        if !self.is_home(Line::Column) || self.half_transposed.is_some() {
            return Ok(None);
        }
        let has_room = has_room(Extremes::bytes_for(mask.len()));
        self.extremes.find(columns_of(&self.home), mask, (sense, first), parallelism, has_room)
    }
}

impl ExtremeCache {
    /// Creates an empty cache for this mask; `None` if the system has no memory for it.
    fn new(mask: &[u64], sense: Sense) -> Option<Box<ExtremeCache>> {
        let n_blocks = mask.len().div_ceil(NUMBERED_LIMBS);
        let n_groups = n_blocks.div_ceil(GROUP);
        let mut own = Limbs::zeros(mask.len()).ok()?;
        own.copy_from_slice(mask);
        let (mut numbers, mut groups, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        numbers.try_reserve_exact(n_blocks).ok()?;
        groups.try_reserve_exact(n_groups).ok()?;
        changed.try_reserve_exact(n_groups).ok()?;
        numbers.resize(n_blocks, NONE);
        groups.resize(n_groups, NONE);
        changed.resize(n_groups, u64::MAX);
        if let (Some(last), left @ 1..) = (changed.last_mut(), n_blocks % GROUP) {
            *last = (1 << left) - 1;
        }
        Some(Box::new(ExtremeCache { sense, mask: own, numbers, groups, changed, n_uses: 0 }))
    }

    /// Returns the limbs of a block.
    fn limbs(&self, block: usize) -> Range<usize> {
        let start = block * NUMBERED_LIMBS;
        start..(start + NUMBERED_LIMBS).min(self.mask.len())
    }

    /// Replaces the mask, marks the blocks in which it differs, and returns the number of marked
    /// blocks.
    fn compare(&mut self, mask: &[u64], parallelism: &Parallelism<'_>) -> usize {
        let at_once = GROUP * NUMBERED_LIMBS;
        let groups = self.mask.chunks_mut(at_once).zip(mask.chunks(at_once));
        let mut n_changed = 0;
        for ((own, mask), changed) in groups.zip(&mut self.changed) {
            if !parallelism.kernels.equal(own, mask) {
                let blocks = own.chunks_mut(NUMBERED_LIMBS).zip(mask.chunks(NUMBERED_LIMBS));
                for (at, (own, mask)) in blocks.enumerate() {
                    if own != mask {
                        own.copy_from_slice(mask);
                        *changed |= 1 << at;
                    }
                }
            }
            n_changed += changed.count_ones() as usize;
        }
        n_changed
    }

    /// Recomputes the numbers of the marked blocks.
    fn renew(&mut self, columns: Columns<'_>, parallelism: &Parallelism<'_>) -> Exec<()> {
        for group in 0..self.changed.len() {
            let mut left = self.changed[group];
            if left == 0 {
                continue;
            }
            parallelism.poll()?;
            while left != 0 {
                let block = group * GROUP + left.trailing_zeros() as usize;
                left &= left - 1;
                let limbs = self.limbs(block);
                self.numbers[block] =
                    parallelism.kernels.block_number(columns, limbs, &self.mask, self.sense);
            }
            self.changed[group] = 0;
            let end = ((group + 1) * GROUP).min(self.numbers.len());
            let numbers = self.numbers[group * GROUP..end].iter();
            self.groups[group] = numbers.copied().min().unwrap_or(NONE);
        }
        Ok(())
    }

    /// Returns the rows with the minimum, or only those in the first block with a match.
    fn holders(&self, columns: Columns<'_>, first: bool, parallelism: &Parallelism<'_>) -> Holders {
        let mut holders = Vec::new();
        let least = self.groups.iter().copied().min().unwrap_or(NONE);
        if least == NONE {
            return holders;
        }
        let digits = match self.sense {
            Sense::Min => least,
            Sense::Max => !least,
        };
        // Bit c of a word is that of column c.
        let word = match columns.n_cols {
            0 => 0,
            n => digits.reverse_bits() >> (64 - n),
        };
        for (group, _) in self.groups.iter().enumerate().filter(|(_, number)| **number == least) {
            let end = ((group + 1) * GROUP).min(self.numbers.len());
            // Bit b: block b of the group has it.
            let numbers = self.numbers[group * GROUP..end].iter().enumerate();
            let mut left =
                numbers.fold(0, |left, (at, number)| left | u64::from(*number == least) << at);
            while left != 0 {
                let limbs = self.limbs(group * GROUP + left.trailing_zeros() as usize);
                left &= left - 1;
                let mut out = [0; NUMBERED_LIMBS];
                let out = &mut out[..limbs.len()];
                let kernels = parallelism.kernels;
                kernels.block_match(columns, limbs.clone(), &self.mask, &[word], out);
                // Matches are unpredictable, so this has no branch.
                let mut n = holders.len();
                holders.resize(n + out.len(), (0, 0));
                for (place, limb) in limbs.zip(out) {
                    holders[n] = (place as u32, *limb);
                    n += usize::from(*limb != 0);
                }
                holders.truncate(n);
                if first {
                    return holders;
                }
            }
        }
        holders
    }
}

#[cfg(test)]
mod tests;
