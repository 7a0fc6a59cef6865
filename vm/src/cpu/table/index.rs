//! Note [Inverted index]. MATCH reads every column to find the rows that hold a word. KRUSKAL and
//! PRIM use it in every iteration of a loop, while few rows or none change in between. So a table
//! by columns keeps an inverted index, once there were enough searches to pay for it: for each word
//! its *postings*, the limbs in which rows may hold it. MATCH then reads only these limbs. A
//! posting may be outdated, since a row that gets another word only adds one; the contents of the
//! limbs decide. Loop kernels that write one word to the rows of a mask (WMERGE) and writes of
//! single rows report that word; limbs that change otherwise are always read, and if they become
//! too many, or all may have changed, the index is discarded. A word that occurs in many limbs has
//! no postings: MATCH reads all of them as without an index. The index counts in the same way as a
//! second form.

use super::Table;
use crate::cpu::parallelism::{Parallelism, pieces};
use crate::cpu::table::form::{Line, columns_of};
use crate::interrupt::Exec;
use crate::kernels::{Columns, NUMBERED_COLUMNS};

/// At most one limb in this many, or a few, are read for a word.
const SHARE: usize = 8;
const FEW: usize = 16;

/// Number of columns saved after which creation has paid.
const WORTH: usize = 1 << 11;

/// Limbs whose rows are transposed together.
const PIECE: usize = 64;

/// The end of a list of postings.
const END: u32 = u32::MAX;

/// Replaces a list: the word occurs in many limbs.
const MANY: u32 = u32::MAX - 1;

/// The index that a table keeps, if any.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Columns searched for words since the table has changed as a whole.
    n_columns: usize,
    /// Number of times that it was discarded before its creation had paid.
    n_losses: u32,
    kept: Option<Box<InvertedIndex>>,
}

#[derive(Debug)]
struct InvertedIndex {
    /// The first posting of the words of each bucket, or [`END`], or [`MANY`].
    heads: Vec<u32>,
    postings: Vec<Posting>,
    /// Limbs whose rows may hold anything.
    unknown: Vec<u64>,
    /// Bits of the hash of a word, or of the word itself, that select its bucket.
    bucket_bits: u32,
    is_direct: bool,
    /// Maximum number of limbs read for a word.
    most: usize,
    /// Number of columns saved.
    n_saved: usize,
}

/// A limb in which a row may hold a word, and the next one.
#[derive(Clone, Copy, Debug)]
struct Posting {
    limb: u32,
    next: u32,
}

/// The new contents of rows in some limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum Becomes {
    /// Changed rows hold this word, bit c for column c.
    Word(u64),
    Anything,
}

impl Becomes {
    /// Returns the word of a row with these bits; it is used only if a table of this width has an
    /// index.
    #[inline]
    pub(super) fn row(bits: &[u64]) -> Self {
        bits.first().map_or(Becomes::Anything, |word| Becomes::Word(*word))
    }
}

impl Index {
    /// Does it keep an index?
    #[inline]
    pub(super) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Returns the bytes that it uses.
    pub(super) fn n_bytes(&self) -> u64 {
        let bytes = |kept: &InvertedIndex| {
            InvertedIndex::bytes_for(kept.heads.len(), kept.postings.capacity())
        };
        self.kept.as_deref().map_or(0, bytes)
    }

    /// The table has changed as a whole.
    #[inline]
    pub(super) fn drop(&mut self) {
        self.n_columns = 0;
        if let Some(kept) = self.kept.take() {
            let was_worth_it = kept.n_saved >= WORTH;
            self.n_losses = if was_worth_it { 0 } else { self.n_losses.saturating_add(1) };
        }
    }

    /// A row, zero-based, has changed.
    #[inline]
    pub(super) fn row_changes(&mut self, row_idx: usize, becomes: Becomes) {
        if self.is_kept() {
            self.limbs_change(&[row_idx as u64 / 64], becomes);
        }
    }

    /// Rows of these limbs have changed.
    pub(super) fn limbs_change(&mut self, limbs: &[u64], becomes: Becomes) {
        let Some(kept) = &mut self.kept else { return };
        let has_room = match becomes {
            Becomes::Word(word) => kept.post(word, limbs),
            Becomes::Anything => kept.forget(limbs),
        };
        if !has_room {
            self.drop();
        }
    }

    /// A word has been written to rows of many limbs.
    pub(super) fn many_take(&mut self, word: u64) {
        if let Some(kept) = &mut self.kept {
            let bucket = kept.bucket(word);
            kept.heads[bucket] = MANY;
        }
    }
}

impl Table {
    /// Does it keep an index of its rows?
    #[inline]
    pub(in crate::cpu) fn has_index(&self) -> bool {
        self.index.is_kept()
    }

    /// Prepares for a search of rows in all columns: does the table keep an index, or does one pay
    /// after `after` searched columns?
    pub(in crate::cpu) fn wants_index(&mut self, after: usize) -> bool {
        let is_numbered = (1..=NUMBERED_COLUMNS).contains(&self.n_cols);
        if !is_numbered || !self.is_home(Line::Column) || self.half_transposed.is_some() {
            return false;
        }
        let Index { n_columns, n_losses, kept } = &mut self.index;
        if kept.is_none() {
            *n_columns = n_columns.saturating_add(self.n_cols);
        }
        kept.is_some() || n_columns.checked_shr(*n_losses).is_some_and(|asked| asked > after)
    }

    /// Lists the limbs, ascending, in which rows may hold a word, bit c for column c; false if a
    /// search of all columns is faster. Call [`Table::wants_index`] first; `has_room` tells whether
    /// a number of bytes is available in addition to the table.
    pub(in crate::cpu) fn find_rows(
        &mut self,
        word: u64,
        limbs: &mut Vec<u64>,
        parallelism: &Parallelism<'_>,
        has_room: impl Fn(u64) -> bool,
    ) -> Exec<bool> {
        let Index { n_columns, n_losses, kept } = &mut self.index;
        if kept.is_none() && has_room(InvertedIndex::bytes_of(self.n_rows, self.n_cols)) {
            *kept = InvertedIndex::new(columns_of(&self.home), self.n_rows, parallelism)?;
        }
        let Some(kept) = kept else {
            // The next attempt is made later, so that failing attempts cost little.
            (*n_columns, *n_losses) = (0, n_losses.saturating_add(1));
            return Ok(false);
        };
        let is_found = kept.find(word, limbs);
        if is_found {
            kept.n_saved = kept.n_saved.saturating_add(self.n_cols);
        }
        Ok(is_found)
    }
}

impl InvertedIndex {
    fn bytes_for(n_heads: usize, n_postings: usize) -> u64 {
        4 * n_heads as u64 + 8 * n_postings as u64
    }

    /// Returns the bits of a bucket: about as many buckets as rows.
    fn bucket_bits(n_rows: usize, n_cols: usize) -> u32 {
        n_rows.next_power_of_two().ilog2().clamp(1, n_cols as u32)
    }

    /// Returns the capacity for postings: one for each row, and half as many again for changed
    /// rows.
    fn n_postings(n_rows: usize) -> usize {
        n_rows + n_rows / 2 + FEW
    }

    /// Returns the bytes of an index for `n_rows` rows and `n_cols` columns.
    fn bytes_of(n_rows: usize, n_cols: usize) -> u64 {
        let n_heads = 1 << InvertedIndex::bucket_bits(n_rows, n_cols);
        InvertedIndex::bytes_for(n_heads, InvertedIndex::n_postings(n_rows))
    }

    /// Returns `None` if the system has no memory for it.
    fn new(
        columns: Columns<'_>,
        n_rows: usize,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<Box<InvertedIndex>>> {
        let n_limbs = n_rows.div_ceil(64);
        let bucket_bits = InvertedIndex::bucket_bits(n_rows, columns.n_cols);
        let (mut heads, mut postings, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let n_postings = InvertedIndex::n_postings(n_rows);
        let has_room = heads.try_reserve_exact(1 << bucket_bits).is_ok()
            && postings.try_reserve_exact(n_postings).is_ok()
            && n_postings < MANY as usize;
        if !has_room {
            return Ok(None);
        }
        heads.resize(1 << bucket_bits, END);
        rows.resize(PIECE * 64, 0);
        let mut index = InvertedIndex {
            heads,
            postings,
            unknown: Vec::new(),
            bucket_bits,
            is_direct: bucket_bits as usize == columns.n_cols,
            most: (n_limbs / SHARE).max(FEW),
            n_saved: 0,
        };
        for limbs in pieces(0..n_limbs, PIECE) {
            parallelism.poll()?;
            let kernels = parallelism.kernels;
            kernels.transpose_limbs(columns, n_rows, limbs.clone(), &mut rows, 1);
            let n_here = (limbs.end * 64).min(n_rows) - limbs.start * 64;
            for (idx, word) in rows[..n_here].iter().enumerate() {
                index.add(index.bucket(*word), (limbs.start + idx / 64) as u32);
            }
        }
        Ok(Some(Box::new(index)))
    }

    fn bucket(&self, word: u64) -> usize {
        match self.is_direct {
            true => word as usize,
            // 2⁶⁴ divided by the golden ratio: spreads words that differ in few bits.
            false => (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.bucket_bits)) as usize,
        }
    }

    /// Adds a posting unless the last one is equal; there is room for it.
    fn add(&mut self, bucket: usize, limb: u32) {
        let head = self.heads[bucket];
        let is_there = self.postings.get(head as usize).is_some_and(|first| first.limb == limb);
        if head != MANY && !is_there {
            self.heads[bucket] = self.postings.len() as u32;
            self.postings.push(Posting { limb, next: head });
        }
    }

    /// Adds postings for a word written to rows of these limbs; false if there is no room.
    fn post(&mut self, word: u64, limbs: &[u64]) -> bool {
        let bucket = self.bucket(word);
        if limbs.len() > self.most {
            self.heads[bucket] = MANY;
            return true;
        }
        let has_room = self.postings.capacity() - self.postings.len() >= limbs.len();
        if has_room {
            limbs.iter().for_each(|limb| self.add(bucket, *limb as u32));
        }
        has_room
    }

    /// Marks these limbs as unknown; false if there are too many.
    fn forget(&mut self, limbs: &[u64]) -> bool {
        for limb in limbs {
            if self.unknown.contains(limb) {
                continue;
            }
            if self.unknown.len() == FEW {
                return false;
            }
            self.unknown.push(*limb);
        }
        true
    }

    /// Lists the limbs in which rows may hold a word; false if there are many.
    fn find(&mut self, word: u64, limbs: &mut Vec<u64>) -> bool {
        let bucket = self.bucket(word);
        if self.heads[bucket] == MANY {
            return false;
        }
        limbs.clear();
        let mut at = self.heads[bucket];
        while at != END {
            let Posting { limb, next } = self.postings[at as usize];
            limbs.push(u64::from(limb));
            at = next;
        }
        let n_postings = limbs.len();
        limbs.sort_unstable();
        limbs.dedup();
        if limbs.len() > self.most {
            self.heads[bucket] = MANY;
            return false;
        }
        if limbs.len() < n_postings {
            self.shorten(bucket, limbs);
        }
        if !self.unknown.is_empty() {
            limbs.extend(&self.unknown);
            limbs.sort_unstable();
            limbs.dedup();
        }
        true
    }

    /// Reduces the postings of a bucket to these limbs.
    fn shorten(&mut self, bucket: usize, limbs: &[u64]) {
        let mut at = self.heads[bucket];
        for (nth, limb) in limbs.iter().enumerate() {
            let posting = &mut self.postings[at as usize];
            posting.limb = *limb as u32;
            if nth + 1 == limbs.len() {
                posting.next = END;
            }
            at = posting.next;
        }
    }
}

#[cfg(test)]
mod tests;
