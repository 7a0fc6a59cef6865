//! Note [Kept extremes]. DIJKSTRA looks for MIN again and again, and between two of them only a few rows of the table have changed, and a few bits of
//! the mask. So a table by columns keeps the extreme number of each block of rows under the mask, from the second time on that it is asked since it changed as
//! a whole. Asked again it looks at the rows of those blocks that have changed, in the table or in the mask, then at the numbers of
//! 64 blocks each, and then at the rows of the blocks that have the extreme one. What is compared is the mask as it was, so that nobody has to say what became of
//! it. Single rows, and the limbs that a loop kernel has worked on (Note [Few limbs] in `loop_kernels`), are marked as changed; every other change of the table drops
//! what is kept. Where that, or a mask that is quite another one, comes soon after it was made, it is made later the next time. It counts as a
//! second form does. Where only the first of the rows is asked for, as by `MIN(T,X,Z); i:=FND(Z)`, the first block that holds some is enough.

use std::ops::Range;

use star_base::Limbs;
use star_ir::Sense;

use super::Table;
use crate::cpu::form::{Line, columns_of};
use crate::cpu::parallelism::Parallelism;
use crate::interrupt::Exec;
use crate::kernels::{Columns, NUMBERED_COLUMNS, NUMBERED_LIMBS};

/// Blocks whose numbers have one least number of their own.
const GROUP: usize = 64;

/// At most one block in so many is looked at again; more, and it is a mask of another kind.
const SHARE: usize = 4;

/// It was worth making if it was asked so often.
const WORTH: u32 = 4;

/// No row of a block is marked. No number of so many columns is so great.
const NONE: u64 = u64::MAX;

/// What a table keeps, if it does.
#[derive(Debug, Default)]
pub(super) struct Extremes {
    /// How often an extreme was asked for since the table has changed as a whole.
    n_asked: u32,
    /// How often it was given up before it was worth making.
    n_losses: u32,
    kept: Option<Box<ExtremeCache>>,
}

#[derive(Debug)]
struct ExtremeCache {
    sense: Sense,
    /// The mask as it was.
    mask: Limbs,
    /// The extreme number of each block, the first column most significant, and of MAX the complement, so that less is better.
    numbers: Vec<u64>,
    /// The least of [`GROUP`] blocks.
    groups: Vec<u64>,
    /// Bit b: rows of block b may have changed.
    changed: Vec<u64>,
    n_uses: u32,
}

/// The rows that hold the extreme number: limbs that are not zero, with their places.
pub(in crate::cpu) type Holders = Vec<(u32, u64)>;

impl Extremes {
    /// Bytes that it takes for a mask of so many limbs.
    pub(super) fn bytes_for(n_limbs: usize) -> u64 {
        let n_blocks = n_limbs.div_ceil(NUMBERED_LIMBS);
        8 * (n_limbs + n_blocks + 2 * n_blocks.div_ceil(GROUP)) as u64
    }

    /// Does it keep any?
    #[inline]
    pub(super) fn are_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Bytes that it takes.
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

    /// A row, from 0, has changed.
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

    /// The rows that `mask` marks and that hold the extreme number among these, or those of the first block that has some, if
    /// only the `first` one counts; `None` if that is better found in all rows. `has_room` says whether there is room for what it keeps.
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
            // A flag: some numbers are those of before.
            self.drop();
        }
        found.map(Some)
    }
}

impl Table {
    /// The rows that hold the extreme number among those of a mask, if that is known from before; see Note [Kept extremes]. `has_room` says whether
    /// there is so much room beside the table.
    pub(in crate::cpu) fn find_extreme(
        &mut self,
        mask: &[u64],
        (sense, first): (Sense, bool),
        parallelism: &Parallelism<'_>,
        has_room: impl Fn(u64) -> bool,
    ) -> Exec<Option<Holders>> {
        if !self.is_home(Line::Column) || self.half_turned.is_some() {
            return Ok(None);
        }
        let has_room = has_room(Extremes::bytes_for(mask.len()));
        self.extremes.find(columns_of(&self.home), mask, (sense, first), parallelism, has_room)
    }
}

impl ExtremeCache {
    /// Nothing known yet of this mask; `None` if the system has no room for it.
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

    /// The limbs of a block.
    fn limbs(&self, block: usize) -> Range<usize> {
        let start = block * NUMBERED_LIMBS;
        start..(start + NUMBERED_LIMBS).min(self.mask.len())
    }

    /// Takes a mask, and marks the blocks in which it is another one: how many are marked now?
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

    /// Finds the numbers of the blocks that are marked.
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

    /// The rows of the least number, or only those in the first block that has some.
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
                // Which limbs hold some is as good as random: no branch asks for it.
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
