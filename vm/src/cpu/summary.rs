//! What is known of slices and words, block by block.
//!
//! Note [Summaries]. A register of bits from [`Settings::summary_limbs`](super::Settings) on may have a summary: two bits for each block of eight limbs,
//! "may hold ones" and "may hold zeros". Its limbs are right at any time, so that whoever does not know summaries reads them as they are; whoever
//! writes limbs without keeping the summary gives it up ([`Known::forget`]). A function of slices is found for the two bits as it is for components
//! (Note [Truth tables] in `crate::tape::lut`): of an operand that may hold both, both values count. So a block is visited only
//! where its result is not known from the summaries, a constant block is written only where the register may hold something else, and in place a block stays as
//! it is where the function gives it back. Where more than a quarter of the blocks would have to be visited, the operation runs over all limbs as it does without
//! summaries, and the result has none. CLR and SET make one, and so do rows of sparse tables; a slice keeps its own where few limbs of such rows are combined with it.
//! Beside the two bits, or without them, the limbs that are not zero may be *listed*: whoever has looked for them leaves the list to who looks next.

use super::settings::Settings;
use crate::interrupt::{Stop, internal_error};

/// Most limbs of a block.
pub(super) const MOST_BLOCK_LIMBS: usize = 8;

/// One operation in so many visits at most this part of all blocks.
const SHARE: usize = 4;

/// At most one limb in so many is listed: the list takes a sixteenth of what the limbs take.
const LISTED_SHARE: usize = 8;

/// What is known of the limbs of a register.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// So many limbs at the beginning are zero: STEP need not look at them again.
    pub(super) zeros: usize,
    /// See Note [Summaries]. It keeps its memory while nothing of it is valid.
    summary: Option<Box<Summary>>,
}

/// What blocks may hold.
#[derive(Debug, Default)]
pub(super) struct Summary {
    is_valid: bool,
    /// Bit b: block b may hold ones.
    pub(super) ones: Vec<u64>,
    /// Bit b: block b may hold zeros. The part of the last block beyond the length does not count.
    pub(super) zeros: Vec<u64>,
    /// Does the list hold?
    is_listed: bool,
    /// The places of the limbs that are not zero, ascending.
    listed: Vec<u32>,
}

impl Summary {
    /// The ground that more blocks may be, and how many may be something else.
    pub(super) fn n_off_ground(&self) -> (bool, usize) {
        let of = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum();
        let (n_zeros, n_ones): (usize, usize) = (of(&self.zeros), of(&self.ones));
        (n_zeros < n_ones, n_zeros.min(n_ones))
    }
}

impl Known {
    /// The limbs have changed, and nothing is known of them.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.zeros = 0;
        if let Some(summary) = &mut self.summary {
            summary.is_valid = false;
            summary.is_listed = false;
        }
    }

    /// The summary, if there is one that holds.
    #[inline]
    pub(super) fn summary(&self) -> Option<&Summary> {
        self.summary.as_deref().filter(|summary| summary.is_valid)
    }

    /// The places of the limbs that are not zero, ascending, if they are listed.
    #[inline]
    pub(super) fn listed(&self) -> Option<&[u32]> {
        let summary = self.summary.as_deref().filter(|summary| summary.is_listed);
        summary.map(|summary| &*summary.listed)
    }

    /// These limbs, ascending, are the ones that are not zero; that is kept if they are few and the slice is long.
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

    /// A summary takes these blocks; with `is_valid` it holds.
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

    /// The summary, if there is one that holds, for who changes limbs: they are listed no longer.
    #[inline]
    pub(super) fn summary_mut(&mut self) -> Option<&mut Summary> {
        let summary = self.summary.as_deref_mut()?;
        summary.is_listed = false;
        summary.is_valid.then_some(summary)
    }

    /// Every block holds this bit only.
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

    /// Bit `idx` has taken a value.
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

    /// The bit that all components are, if that is known.
    pub(super) fn constant(&self) -> Option<bool> {
        let Summary { ones, zeros, .. } = self.summary()?;
        if ones.iter().all(|word| *word == 0) {
            return Some(false);
        }
        zeros.iter().all(|word| *word == 0).then_some(true)
    }
}

impl Summary {
    /// Bit `idx` has taken a value.
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
            // The blocks of this word from `from` on and before `to`.
            let before = |block: usize| match block.saturating_sub(idx * 64) {
                n @ 0..64 => (1 << n) - 1,
                _ => !0,
            };
            *word &= !before(to) | before(from);
        }
    }
}

/// How a length is cut into blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    pub(super) len: usize,
    pub(super) limbs: usize,
    n: usize,
}

impl Blocks {
    /// `None` if slices of this length have no summaries.
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

    /// Words of 64 blocks.
    pub(super) fn n_words(self) -> usize {
        self.n.div_ceil(64)
    }

    /// The blocks of a word that there are.
    pub(super) fn valid(self, word: usize) -> u64 {
        match self.n - word * 64 {
            left @ 0..64 => (1 << left) - 1,
            _ => !0,
        }
    }

    /// The limbs of a block.
    pub(super) fn range(self, block: usize) -> std::ops::Range<usize> {
        let start = block * self.limbs;
        start..(start + self.limbs).min(self.len.div_ceil(64))
    }

    /// Bits of a block.
    pub(super) fn n_bits(self, block: usize) -> usize {
        (self.len - block * self.limbs * 64).min(self.limbs * 64)
    }

    /// Does it pay to visit so many blocks one by one?
    pub(super) fn pays(self, n_visits: usize, settings: &Settings) -> bool {
        n_visits.saturating_mul(SHARE) <= self.n || settings.all_sparse
    }
}

/// What happens to 64 blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    /// Those that may hold ones and zeros afterwards.
    pub(super) ones: u64,
    pub(super) zeros: u64,
    /// Those whose result has to be found.
    pub(super) visit: u64,
    /// Those that become zero, or one, and may be something else now.
    pub(super) clear: u64,
    pub(super) set: u64,
}

/// The blocks of a word: `idx` runs over bits, lowest first.
pub(super) fn each(mut word: u64, mut work: impl FnMut(usize)) {
    while word != 0 {
        work(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

/// A summary that was to be there.
pub(super) fn no_summary() -> Stop {
    internal_error("a slice without the summary that it had")
}
