//! How long work is spread: over pieces between two looks at the flags, and over threads.
//!
//! Short work is done at once. Long work is cut into stretches; after each the flags are looked at,
//! and inside one, pieces go to threads if there is enough to do for more than one.

use std::ops::Range;

use rayon::prelude::*;
use star_base::{BitVector, OutOfMemory};

use super::pool::Pool;
use crate::budget::Flags;
use crate::kernels::Kernels;
use crate::stop::Run;

/// Choices of how work is spread; they change no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads; `None` for as many as there are cores.
    pub threads: Option<usize>,
    /// Limbs of an operand from which on an operation is spread over threads.
    pub parallel_limbs: usize,
    /// Limbs of an operand that one thread works on at a time.
    pub piece_limbs: usize,
    /// Limbs of an operand between two looks at the flags.
    pub poll_limbs: usize,
    /// Limbs of a column in a block of several columns that are worked on together.
    pub block_limbs: usize,
    /// Limbs that a loop kernel takes at most where it works on some limbs alone: the whole of a slice as short as that, or
    /// as many of a longer one as a mask has ones in. 0 for never.
    pub few_limbs: usize,
    /// Limbs of a slice from which on operations on it are recorded.
    pub record_limbs: usize,
    /// Operations that are recorded before they are executed at most.
    pub record_ops: usize,
    /// Turn a table as soon as it is accessed against its form.
    pub eager_turns: bool,
    /// Bytes from which on a square table that is given up turns in its own memory, which takes one thread, and not
    /// into other.
    pub in_place_bytes: u64,
    /// Bytes of second forms of tables that are made under every limit.
    pub copy_bytes: u64,
    /// The part of the limit on memory that second forms take at most: one in so many.
    pub copy_share: u64,
    /// Limbs of a slice or word from which on its blocks have a summary.
    pub summary_limbs: usize,
    /// Limbs of such a block, 1 to 8.
    pub summary_block: usize,
    /// Every table that is given or made is sparse and stays so, and every operation that can goes by blocks.
    pub all_sparse: bool,
}

impl Default for Settings {
    /// 1 MiB for threads, summaries from 16 KiB on, of blocks of 64 bytes, pieces of 128 KiB, looks every 16 MiB, blocks of 4 KiB, recording from 32 KiB on.
    fn default() -> Self {
        Settings {
            threads: None,
            parallel_limbs: 1 << 17,
            piece_limbs: 1 << 14,
            poll_limbs: 1 << 21,
            block_limbs: 512,
            few_limbs: 16,
            record_limbs: 1 << 12,
            record_ops: 512,
            eager_turns: false,
            in_place_bytes: 1 << 28,
            copy_bytes: 1 << 16,
            copy_share: 8,
            summary_limbs: 1 << 11,
            summary_block: 8,
            all_sparse: false,
        }
    }
}

impl Settings {
    /// Every size as small as it can be, so that short data crosses every border; three threads.
    pub fn tiny() -> Self {
        Settings {
            threads: Some(3),
            parallel_limbs: 2,
            piece_limbs: 1,
            poll_limbs: 3,
            block_limbs: 1,
            few_limbs: 0,
            record_limbs: 4,
            record_ops: 5,
            eager_turns: true,
            in_place_bytes: 0,
            copy_bytes: 1 << 16,
            copy_share: 8,
            summary_limbs: 0,
            summary_block: 1,
            all_sparse: false,
        }
    }

    /// Every slice with a summary of blocks of 64 bits, every table sparse, and nothing recorded that could go by blocks.
    pub fn sparse() -> Self {
        Settings { all_sparse: true, record_limbs: usize::MAX, ..Settings::tiny() }
    }
}

/// What an operation needs to be done: kernels, flags, threads.
#[derive(Clone)]
pub(crate) struct Parallelism<'a> {
    pub(crate) kernels: Kernels,
    pub(crate) settings: Settings,
    flags: Flags<'a>,
    pool: &'static Pool,
}

impl<'a> Parallelism<'a> {
    pub(crate) fn new(
        kernels: Kernels,
        settings: Settings,
        flags: Flags<'a>,
        pool: &'static Pool,
    ) -> Self {
        Parallelism { kernels, settings, flags, pool }
    }

    /// Stops the run if the user or the clock wants that.
    #[inline]
    pub(crate) fn poll(&self) -> Run<()> {
        self.flags.poll()
    }

    /// The threads, if there is enough to do for them.
    fn threads(&self, n_limbs: usize) -> Option<&'static rayon::ThreadPool> {
        match n_limbs >= self.settings.parallel_limbs {
            true => self.pool.threads(),
            false => None,
        }
    }

    /// How many threads work at once.
    pub(crate) fn n_threads(&self) -> usize {
        self.pool.found().0
    }

    /// Does work inside the pool, so that what it spreads goes to its threads; false if the system refuses
    /// every thread.
    pub(crate) fn install(&self, work: &mut (dyn FnMut() + Send)) -> bool {
        let threads = self.pool.at_least_one();
        threads.inspect(|threads| threads.install(work)).is_some()
    }

    /// Limbs of a piece of work on `n_limbs` limbs: nobody else waits for one where there are no threads.
    pub(crate) fn piece_limbs(&self, n_limbs: usize) -> usize {
        match self.threads(n_limbs) {
            Some(_) => self.settings.piece_limbs,
            None => self.settings.piece_limbs.max(self.settings.poll_limbs),
        }
    }

    /// Is the work short enough to be done at once?
    #[inline]
    pub(crate) fn is_short(&self, n_limbs: usize) -> bool {
        n_limbs < self.settings.parallel_limbs.min(self.settings.poll_limbs)
    }

    /// Fills `dst`: `piece(start, part)` fills the part that begins at limb `start`, at the cost of
    /// `weight` limbs each.
    #[inline]
    pub(crate) fn fill(
        &self,
        dst: &mut [u64],
        weight: usize,
        piece: impl Fn(usize, &mut [u64]) + Sync,
    ) -> Run<()> {
        if self.is_short(dst.len().saturating_mul(weight)) {
            piece(0, dst);
            return Ok(());
        }
        self.fill_long(dst, weight, &piece)
    }

    #[cold]
    fn fill_long(
        &self,
        dst: &mut [u64],
        weight: usize,
        piece: &(impl Fn(usize, &mut [u64]) + Sync),
    ) -> Run<()> {
        let threads = self.threads(dst.len().saturating_mul(weight));
        let (piece_limbs, poll_limbs) = self.lengths(weight);
        for (stretch_idx, stretch) in dst.chunks_mut(poll_limbs).enumerate() {
            self.poll()?;
            let start = stretch_idx * poll_limbs;
            if let Some(threads) = threads {
                threads.install(|| {
                    let pieces = stretch.par_chunks_mut(piece_limbs).enumerate();
                    pieces.for_each(|(idx, part)| piece(start + idx * piece_limbs, part));
                });
            } else {
                piece(start, stretch);
            }
        }
        Ok(())
    }

    /// Limbs of a piece and between two looks, where each costs as much as `weight` of them.
    fn lengths(&self, weight: usize) -> (usize, usize) {
        let length = |limbs: usize| (limbs / weight.max(1)).max(1);
        (length(self.settings.piece_limbs), length(self.settings.poll_limbs))
    }

    /// What the pieces of `n_limbs` limbs give, joined in any order; each limb costs as much as `weight`
    /// of them.
    #[inline]
    pub(crate) fn fold<T: Send + Clone>(
        &self,
        n_limbs: usize,
        weight: usize,
        empty: T,
        piece: impl Fn(Range<usize>) -> T + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Run<T> {
        let cost = n_limbs.saturating_mul(weight);
        if self.is_short(cost) {
            return Ok(piece(0..n_limbs));
        }
        let mut all = empty;
        let threads = self.threads(cost);
        let (piece_limbs, poll_limbs) = self.lengths(weight);
        for stretch in pieces(0..n_limbs, poll_limbs) {
            self.poll()?;
            let found = if let Some(threads) = threads {
                let parts: Vec<Range<usize>> = pieces(stretch, piece_limbs).collect();
                threads.install(|| parts.into_par_iter().map(&piece).reduce_with(&join))
            } else {
                Some(piece(stretch))
            };
            if let Some(found) = found {
                all = join(all, found);
            }
        }
        Ok(all)
    }

    /// A copy of bits, if the system has room for it.
    pub(crate) fn copy(&self, bits: &BitVector) -> Run<Result<BitVector, OutOfMemory>> {
        let mut copy = match BitVector::try_zeros(bits.len()) {
            Ok(zeros) => zeros,
            Err(refused) => return Ok(Err(refused)),
        };
        let from = bits.limbs();
        self.fill(copy.limbs_mut(), 1, |start, part| {
            part.copy_from_slice(&from[start..start + part.len()]);
        })?;
        Ok(Ok(copy))
    }

    /// Number of ones.
    #[inline]
    pub(crate) fn count(&self, limbs: &[u64]) -> Run<u64> {
        self.fold(limbs.len(), 1, 0, |range| self.kernels.count(&limbs[range]), |a, b| a + b)
    }

    /// The first thing that a piece of `n_limbs` limbs gives; pieces behind it are not looked at.
    #[inline]
    pub(crate) fn find<T: Send>(
        &self,
        n_limbs: usize,
        piece: impl Fn(Range<usize>) -> Option<T> + Sync,
    ) -> Run<Option<T>> {
        if self.is_short(n_limbs) {
            return Ok(piece(0..n_limbs));
        }
        // The first piece alone: what is looked for is often near the beginning.
        let first = self.settings.piece_limbs.min(n_limbs);
        if let Some(found) = piece(0..first) {
            return Ok(Some(found));
        }
        let threads = self.threads(n_limbs);
        for stretch in pieces(first..n_limbs, self.settings.poll_limbs) {
            self.poll()?;
            let found = if let Some(threads) = threads {
                let parts: Vec<Range<usize>> = pieces(stretch, self.settings.piece_limbs).collect();
                threads.install(|| parts.into_par_iter().find_map_first(&piece))
            } else {
                piece(stretch)
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Works on items, which are made as they are needed and of which each takes as much as `n_limbs` limbs.
    /// What `scratch` makes is there for several items, as the last one left it.
    pub(crate) fn items<T: Send, S>(
        &self,
        mut items: impl ExactSizeIterator<Item = T>,
        n_limbs: usize,
        scratch: impl Fn() -> S + Sync + Send,
        work: impl Fn(&mut S, T) + Sync + Send,
    ) -> Run<()> {
        let threads = self.threads(items.len().saturating_mul(n_limbs));
        let per_poll = (self.settings.poll_limbs / n_limbs.max(1)).max(1);
        let mut own = scratch();
        while items.len() > 0 {
            self.poll()?;
            let stretch = items.by_ref().take(per_poll);
            if let Some(threads) = threads {
                let stretch: Vec<T> = stretch.collect();
                threads.install(|| {
                    stretch.into_par_iter().for_each_init(&scratch, |scratch, item| {
                        work(scratch, item);
                    });
                });
            } else {
                stretch.for_each(|item| work(&mut own, item));
            }
        }
        Ok(())
    }

    /// Cuts `storage` into chunks of `chunk` limbs and works on each; `n_limbs` limbs are touched in all.
    /// What `scratch` makes is there for several chunks, as the last one left it.
    pub(crate) fn chunks<S>(
        &self,
        storage: &mut [u64],
        chunk: usize,
        n_limbs: usize,
        scratch: impl Fn() -> S + Sync + Send,
        work: impl Fn(&mut S, usize, &mut [u64]) + Sync + Send,
    ) -> Run<()> {
        let chunk = chunk.max(1);
        let n_chunks = storage.len().div_ceil(chunk);
        let limbs_per_chunk = (n_limbs / n_chunks.max(1)).max(1);
        let per_poll = (self.settings.poll_limbs / limbs_per_chunk).max(1);
        let threads = self.threads(n_limbs);
        let mut own = scratch();
        for (idx, stretch) in storage.chunks_mut(chunk.saturating_mul(per_poll)).enumerate() {
            self.poll()?;
            let start = idx * per_poll;
            if let Some(threads) = threads {
                threads.install(|| {
                    let chunks = stretch.par_chunks_mut(chunk).enumerate();
                    chunks.for_each_init(&scratch, |scratch, (idx, part)| {
                        work(scratch, start + idx, part);
                    });
                });
            } else {
                for (idx, part) in stretch.chunks_mut(chunk).enumerate() {
                    work(&mut own, start + idx, part);
                }
            }
        }
        Ok(())
    }
}

/// A range in pieces of `len`, the last one possibly shorter.
pub(crate) fn pieces(
    range: Range<usize>,
    len: usize,
) -> impl ExactSizeIterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(len.max(1)).map(move |start| start..end.min(start.saturating_add(len)))
}
