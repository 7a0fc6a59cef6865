//! Known facts about slices and words, block by block.
//!
//! Note [Summaries]. A register of bits from [`Settings::summary_limbs`](super::Settings) on may
//! have a summary: two bits for each block of eight limbs, "may hold ones" and "may hold zeros".
//! Its limbs are valid at any time, so that code without knowledge of summaries can read them
//! directly; code that writes limbs without updating the summary invalidates it
//! ([`Known::forget`]). A function of slices is evaluated on the two bits as on components (Note
//! [Truth tables] in `crate::tape::lut`): for an operand that may hold both, both values are
//! considered. So a block is visited only if its result is not known from the summaries, a constant
//! block is written only if the register may hold something else, and in place a block is unchanged
//! if the function returns it. If more than a quarter of the blocks would have to be visited, the
//! operation runs over all limbs as without summaries, and the result has none. CLR, SET and rows
//! of sparse tables create summaries; a slice keeps its summary when few limbs of these rows are
//! combined with it. In addition to the two bits, or without them, the nonzero limbs may be
//! *listed*: a search for them leaves the list for the next one.

use super::settings::Settings;
use crate::interrupt::{Stop, internal_error};

/// Maximum number of limbs in a block.
pub(super) const MOST_BLOCK_LIMBS: usize = 8;

/// An operation visits at most this fraction (one in `SHARE`) of all blocks.
const SHARE: usize = 4;

/// At most one limb in this many is listed: the list needs a sixteenth of the memory of the limbs.
const LISTED_SHARE: usize = 8;

/// Known facts about the limbs of a register.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Number of leading limbs that are zero, which STEP can skip.
    pub(super) zeros: usize,
    /// See Note [Summaries]. It keeps its memory while it is invalid.
    summary: Option<Box<Summary>>,
}

/// The possible contents of blocks.
#[derive(Debug, Default)]
pub(super) struct Summary {
    is_valid: bool,
    /// Bit b: block b may hold ones.
    pub(super) ones: Vec<u64>,
    /// Bit b: block b may hold zeros. The part of the last block past the end does not count.
    pub(super) zeros: Vec<u64>,
    /// Is the list valid?
    is_listed: bool,
    /// The positions of the nonzero limbs, ascending.
    listed: Vec<u32>,
}

impl Summary {
    /// Returns the ground that more blocks may have, and how many blocks may differ from it.
    pub(super) fn n_off_ground(&self) -> (bool, usize) {
        let of = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum();
        let (n_zeros, n_ones): (usize, usize) = (of(&self.zeros), of(&self.ones));
        (n_zeros < n_ones, n_zeros.min(n_ones))
    }
}

impl Known {
    /// The limbs have changed, and nothing is known about them.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.zeros = 0;
        if let Some(summary) = &mut self.summary {
            summary.is_valid = false;
            summary.is_listed = false;
        }
    }

    /// Returns the summary, if it is valid.
    #[inline]
    pub(super) fn summary(&self) -> Option<&Summary> {
        self.summary.as_deref().filter(|summary| summary.is_valid)
    }

    /// Returns the positions of the nonzero limbs, ascending, if they are listed.
    #[inline]
    pub(super) fn listed(&self) -> Option<&[u32]> {
        let summary = self.summary.as_deref().filter(|summary| summary.is_listed);
        summary.map(|summary| &*summary.listed)
    }

    /// Records these limbs, ascending, as the nonzero ones, if they are few and the slice is long.
    pub(super) fn list<'l>(
        &mut self,
        limbs: impl ExactSizeIterator<Item = &'l (u32, u64)>,
        blocks: Blocks,
        settings: &Settings,
    ) {
        let may_keep = limbs.len().saturating_mul(LISTED_SHARE) <= blocks.len / 64;
        if may_keep || settings.all_sparse {
            let summary = self.summary.get_or_insert_default();
            summary.listed.clear();
            summary.listed.extend(limbs.map(|(place, _)| *place));
            summary.is_listed = true;
        }
    }

    /// Sets the summary to these blocks; it is valid if `is_valid`.
    pub(super) fn summarise(&mut self, words: &[Word], is_valid: bool) {
        let summary = self.summary.get_or_insert_default();
        summary.ones.clear();
        summary.ones.extend(words.iter().map(|word| word.ones));
        summary.zeros.clear();
        summary.zeros.extend(words.iter().map(|word| word.zeros));
        summary.is_valid = is_valid;
        summary.is_listed = false;
        self.zeros = 0;
    }

    /// Returns the summary, if it is valid, for a change of limbs, which invalidates the list.
    #[inline]
    pub(super) fn summary_mut(&mut self) -> Option<&mut Summary> {
        let summary = self.summary.as_deref_mut()?;
        summary.is_listed = false;
        summary.is_valid.then_some(summary)
    }

    /// Every block holds only this bit.
    pub(super) fn set_constant(&mut self, blocks: Blocks, bit: bool) {
        let summary = self.summary.get_or_insert_default();
        let Summary { is_valid, ones, zeros, is_listed, listed: _ } = &mut **summary;
        let (these, others) = if bit { (ones, zeros) } else { (zeros, ones) };
        these.clear();
        these.extend((0..blocks.n_words()).map(|word| blocks.valid(word)));
        others.clear();
        others.resize(blocks.n_words(), 0);
        *is_valid = true;
        *is_listed = false;
        self.zeros = 0;
    }

    /// Bit `idx` has been written.
    #[inline]
    pub(super) fn put(&mut self, idx: usize, bit: bool, settings: &Settings) {
        self.zeros = self.zeros.min(idx / 64);
        if let Some(summary) = self.summary_mut() {
            summary.put(idx, bit, settings);
        }
    }

    /// These limbs, in ascending order, have changed, and nothing else.
    pub(super) fn may_hold<P: Copy + Into<u64>>(&mut self, limbs: &[P], settings: &Settings) {
        let first = limbs.first().map(|first| (*first).into() as usize);
        self.zeros = first.map_or(self.zeros, |first| self.zeros.min(first));
        let per_block = Blocks::limbs_of(settings);
        if let Some(Summary { ones, zeros, .. }) = self.summary_mut() {
            for limb in limbs {
                let block = (*limb).into() as usize / per_block;
                ones[block / 64] |= 1 << (block % 64);
                zeros[block / 64] |= 1 << (block % 64);
            }
        }
    }

    /// The first `limbs` limbs are zero.
    #[inline]
    pub(super) fn begins_with_zeros(&mut self, limbs: usize, settings: &Settings) {
        let first = std::mem::replace(&mut self.zeros, limbs);
        // No limb changes.
        if let Some(summary) = self.summary.as_deref_mut().filter(|summary| summary.is_valid) {
            summary.clear_ones(first, limbs, settings);
        }
    }

    /// Returns the common value of all components, if known.
    pub(super) fn constant(&self) -> Option<bool> {
        let Summary { ones, zeros, .. } = self.summary()?;
        if ones.iter().all(|word| *word == 0) {
            return Some(false);
        }
        zeros.iter().all(|word| *word == 0).then_some(true)
    }
}

impl Summary {
    /// Bit `idx` has been written.
    #[inline(never)]
    fn put(&mut self, idx: usize, bit: bool, settings: &Settings) {
        let block = idx / 64 / Blocks::limbs_of(settings);
        let of = if bit { &mut self.ones } else { &mut self.zeros };
        of[block / 64] |= 1 << (block % 64);
    }

    /// The limbs from `first` on and before `end` are zero.
    #[inline(never)]
    fn clear_ones(&mut self, first: usize, end: usize, settings: &Settings) {
        let per_block = Blocks::limbs_of(settings);
        let (from, to) = (first / per_block, end / per_block);
        let words = self.ones.iter_mut().enumerate().take(to.div_ceil(64));
        for (idx, word) in words.skip(from / 64) {
            // The blocks of this word in the range from `from` to before `to`.
            let before = |block: usize| match block.saturating_sub(idx * 64) {
                n @ 0..64 => (1 << n) - 1,
                _ => !0,
            };
            *word &= !before(to) | before(from);
        }
    }
}

/// The division of a length into blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    pub(super) len: usize,
    pub(super) limbs: usize,
    n: usize,
}

impl Blocks {
    /// Returns `None` if slices of this length have no summaries.
    #[inline]
    pub(super) fn of(len: usize, settings: &Settings) -> Option<Blocks> {
        if len == 0 || len.div_ceil(64) < settings.summary_limbs {
            return None;
        }
        let limbs = Blocks::limbs_of(settings);
        Some(Blocks { len, limbs, n: len.div_ceil(64).div_ceil(limbs) })
    }

    #[inline]
    fn limbs_of(settings: &Settings) -> usize {
        settings.summary_block.clamp(1, MOST_BLOCK_LIMBS)
    }

    /// Returns the number of words of 64 blocks.
    pub(super) fn n_words(self) -> usize {
        self.n.div_ceil(64)
    }

    /// Returns the existing blocks of a word.
    pub(super) fn valid(self, word: usize) -> u64 {
        match self.n - word * 64 {
            left @ 0..64 => (1 << left) - 1,
            _ => !0,
        }
    }

    /// Returns the limbs of a block.
    pub(super) fn range(self, block: usize) -> std::ops::Range<usize> {
        let start = block * self.limbs;
        start..(start + self.limbs).min(self.len.div_ceil(64))
    }

    /// Returns the bits of a block.
    pub(super) fn n_bits(self, block: usize) -> usize {
        (self.len - block * self.limbs * 64).min(self.limbs * 64)
    }

    /// Does it pay to visit `n_visits` blocks one by one?
    pub(super) fn pays(self, n_visits: usize, settings: &Settings) -> bool {
        n_visits.saturating_mul(SHARE) <= self.n || settings.all_sparse
    }
}

/// The plan for 64 blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    /// Blocks that may hold ones, and zeros, afterwards.
    pub(super) ones: u64,
    pub(super) zeros: u64,
    /// Blocks whose result must be computed.
    pub(super) visit: u64,
    /// Blocks that become all zeros, or all ones, and may be something else now.
    pub(super) clear: u64,
    pub(super) set: u64,
}

/// Calls `work` for the blocks of a word: `idx` runs over its bits, lowest first.
pub(super) fn each(mut word: u64, mut work: impl FnMut(usize)) {
    while word != 0 {
        work(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

/// A summary that was to be there.
pub(super) fn no_summary() -> Stop {
    internal_error("a slice that lost its summary")
}
