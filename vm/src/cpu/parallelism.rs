//! Distribution of long work: over pieces between two checks of the flags, and over threads.
//!
//! Short work is done at once. Long work is cut into shares, one for each thread if there is enough
//! for several threads, and shares into pieces; the flags are checked before each piece.
//!
//! Note [Shares]. A thread first processes the pieces of its share, and then the remaining pieces
//! of other shares. So the same part of a slice is processed by the same thread in one operation
//! after another, and may still be in its cache; no thread waits for others before the end. Each
//! piece is created by the thread that processes it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use star_value::{BitVector, OutOfMemory};

use super::pool::Pool;
use super::settings::Settings;
use crate::budget::Flags;
use crate::interrupt::Exec;
use crate::kernels::Kernels;

/// The resources of an operation: kernels, flags, threads.
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

    /// Stops the run if the user or the deadline requires it.
    #[inline]
    pub(crate) fn poll(&self) -> Exec<()> {
        self.flags.poll()
    }

    /// Returns the threads, if there is enough work for them.
    fn threads(&self, n_limbs: usize) -> Option<&'static rayon::ThreadPool> {
        match n_limbs >= self.settings.parallel_limbs {
            true => self.pool.threads(),
            false => None,
        }
    }

    /// Returns the number of threads that work at once.
    pub(crate) fn n_threads(&self) -> usize {
        self.pool.found().0
    }

    /// Runs `work` inside the pool, so that nested parallel work uses its threads; false if the
    /// system refuses every thread.
    pub(crate) fn install(&self, work: &mut (dyn FnMut() + Send)) -> bool {
        let threads = self.pool.at_least_one();
        threads.inspect(|threads| threads.install(work)).is_some()
    }

    /// Is the work short enough to be done without pieces?
    #[inline]
    pub(crate) fn is_short(&self, n_limbs: usize) -> bool {
        n_limbs < self.settings.parallel_limbs.min(self.settings.poll_limbs)
    }

    /// Fills `dst`: `piece(start, part)` fills the part that begins at limb `start`; each limb
    /// costs as much as `weight` limbs.
    #[inline]
    pub(crate) fn fill(
        &self,
        dst: &mut [u64],
        weight: usize,
        piece: impl Fn(usize, &mut [u64]) + Sync,
    ) -> Exec<()> {
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
    ) -> Exec<()> {
        let crew = self.crew(dst.len(), weight);
        let shares = dst.chunks_mut(crew.share).zip(starts(crew.share));
        let shares = shares.map(|(share, start)| {
            let parts = share.chunks_mut(crew.piece).zip(starts(crew.piece));
            parts.map(move |(part, from)| (start + from, part))
        });
        self.spread(&crew, shares, || (), |(), (start, part)| piece(start, part))?;
        Ok(())
    }

    /// Returns the division of `n_limbs` limbs, each of which costs as much as `weight` limbs.
    pub(crate) fn crew(&self, n_limbs: usize, weight: usize) -> Crew {
        let threads = self.threads(n_limbs.saturating_mul(weight));
        let length = |limbs: usize| (limbs / weight.max(1)).max(1);
        match threads {
            Some(threads) => Crew {
                threads: Some(threads),
                share: share_of(n_limbs, threads).next_multiple_of(LINE_LIMBS),
                piece: length(self.settings.piece_limbs),
            },
            None => {
                Crew { threads, share: n_limbs.max(1), piece: length(self.settings.poll_limbs) }
            }
        }
    }

    /// Returns the division of `n_items` items, each of which costs as much as `n_limbs` limbs.
    pub(crate) fn crew_of_items(&self, n_items: usize, n_limbs: usize) -> Crew {
        let threads = self.threads(n_items.saturating_mul(n_limbs));
        let share = threads.map_or(n_items.max(1), |threads| share_of(n_items, threads));
        let limbs = threads.map_or(self.settings.poll_limbs, |_| self.settings.piece_limbs);
        Crew { threads, share, piece: (limbs / n_limbs.max(1)).clamp(1, n_items.max(1)) }
    }

    /// Processes the items of all shares, which are created on demand, and returns the final
    /// scratch values of the threads.
    pub(crate) fn spread<I, S>(
        &self,
        crew: &Crew,
        shares: impl Iterator<Item = I>,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, I::Item) + Sync,
    ) -> Exec<Vec<S>>
    where
        I: Iterator + Send,
        S: Send,
    {
        let shares: Vec<Mutex<I>> = shares.map(Mutex::new).collect();
        // After a panic in another thread, the iterator still has its items.
        let next = |share: &Mutex<I>| share.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = |own: usize| {
            let mut scratch = scratch();
            for share in shares[own..].iter().chain(&shares[..own]) {
                while self.poll().is_ok()
                    && let Some(item) = next(share)
                {
                    work(&mut scratch, item);
                }
            }
            scratch
        };
        let left = match crew.threads {
            Some(threads) if !shares.is_empty() => {
                let own = || rayon::current_thread_index().map_or(0, |idx| idx % shares.len());
                let workers = (0..threads.current_num_threads()).into_par_iter().with_max_len(1);
                threads.install(|| workers.map(|_| work(own())).collect())
            }
            _ => vec![work(0)],
        };
        self.poll()?;
        Ok(left)
    }

    /// Combines the results of the pieces of `n_limbs` limbs in any order; each limb costs as much
    /// as `weight` limbs.
    #[inline]
    pub(crate) fn fold<T: Send>(
        &self,
        n_limbs: usize,
        weight: usize,
        empty: T,
        piece: impl Fn(Range<usize>) -> T + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Exec<T> {
        if self.is_short(n_limbs.saturating_mul(weight)) {
            return Ok(piece(0..n_limbs));
        }
        let crew = self.crew(n_limbs, weight);
        let shares = pieces(0..n_limbs, crew.share).map(|share| pieces(share, crew.piece));
        let found = self.spread(
            &crew,
            shares,
            || None,
            |all: &mut Option<T>, range| {
                let found = piece(range);
                *all = Some(match all.take() {
                    Some(all) => join(all, found),
                    None => found,
                });
            },
        )?;
        Ok(found.into_iter().flatten().fold(empty, join))
    }

    /// Copies bits, if the system has memory for them.
    pub(crate) fn copy(&self, bits: &BitVector) -> Exec<Result<BitVector, OutOfMemory>> {
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

    /// Counts the ones.
    #[inline]
    pub(crate) fn count(&self, limbs: &[u64]) -> Exec<u64> {
        self.fold(limbs.len(), 1, 0, |range| self.kernels.count(&limbs[range]), |a, b| a + b)
    }

    /// Returns the first result found in a piece of `n_limbs` limbs; later pieces are skipped.
    #[inline]
    pub(crate) fn find<T: Send>(
        &self,
        n_limbs: usize,
        piece: impl Fn(Range<usize>) -> Option<T> + Sync,
    ) -> Exec<Option<T>> {
        if self.is_short(n_limbs) {
            return Ok(piece(0..n_limbs));
        }
        // The first piece separately: the match is often near the beginning.
        let first = self.settings.piece_limbs.min(n_limbs);
        if let Some(found) = piece(0..first) {
            return Ok(Some(found));
        }
        // In ascending order, from one share: pieces after the match are useless.
        let crew = self.crew(n_limbs, 1);
        let best = AtomicUsize::new(usize::MAX);
        let found = self.spread(
            &crew,
            std::iter::once(pieces(first..n_limbs, crew.piece)),
            || None,
            |found: &mut Option<(usize, T)>, range| {
                let start = range.start;
                if start < best.load(Ordering::Relaxed)
                    && let Some(it) = piece(range)
                {
                    best.fetch_min(start, Ordering::Relaxed);
                    *found = Some((start, it));
                }
            },
        )?;
        let first = found.into_iter().flatten().min_by_key(|(start, _)| *start);
        Ok(first.map(|(_, found)| found))
    }

    /// Cuts `storage` into chunks of `chunk` limbs and processes each; `n_limbs` limbs are accessed
    /// in all. A value from `scratch` is reused for several chunks without a reset.
    pub(crate) fn chunks<S: Send>(
        &self,
        storage: &mut [u64],
        chunk: usize,
        n_limbs: usize,
        scratch: impl Fn() -> S + Sync + Send,
        work: impl Fn(&mut S, usize, &mut [u64]) + Sync + Send,
    ) -> Exec<()> {
        let chunk = chunk.max(1);
        let n_chunks = storage.len().div_ceil(chunk);
        let crew = self.crew_of_items(n_chunks, (n_limbs / n_chunks.max(1)).max(1));
        let shares = storage.chunks_mut(crew.share.saturating_mul(chunk)).zip(starts(crew.share));
        let shares = shares.map(|(share, start)| {
            let chunks = share.chunks_mut(chunk).enumerate();
            chunks.map(move |(idx, part)| (start + idx, part))
        });
        self.spread(&crew, shares, scratch, |scratch, (idx, part)| work(scratch, idx, part))?;
        Ok(())
    }
}

/// Limbs of a cache line.
const LINE_LIMBS: usize = 8;

/// The division of work: see Note [Shares].
pub(crate) struct Crew {
    threads: Option<&'static rayon::ThreadPool>,
    /// Limbs or items of a share.
    pub(crate) share: usize,
    /// Limbs or items of a piece.
    pub(crate) piece: usize,
}

/// Returns the part of `n` for each thread.
fn share_of(n: usize, threads: &rayon::ThreadPool) -> usize {
    n.div_ceil(threads.current_num_threads()).max(1)
}

/// Yields the starts of the parts.
fn starts(len: usize) -> impl Iterator<Item = usize> {
    (0..).map(move |idx| idx * len)
}

/// Divides a range into pieces of `len`; the last one may be shorter.
pub(crate) fn pieces(
    range: Range<usize>,
    len: usize,
) -> impl ExactSizeIterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(len.max(1)).map(move |start| start..end.min(start.saturating_add(len)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::budget::MemoryBudget;

    /// Sizes at every boundary of shares and pieces.
    const SIZES: [usize; 9] = [0, 1, 2, 3, 7, 24, 25, 100, 1000];

    /// One test at a time: some wait until all threads of a pool work for them, and all users of
    /// the same number of threads share a pool.
    fn with_threads(threads: usize, flag: &AtomicBool, test: impl FnOnce(&Parallelism<'_>)) {
        static ALONE: Mutex<()> = Mutex::new(());
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = Settings { threads: Some(threads), ..Settings::tiny() };
        let never = AtomicBool::new(false);
        let budget = MemoryBudget::new(flag, &never, u64::MAX);
        let pool = Pool::of(settings.threads);
        test(&Parallelism::new(Kernels::detect(), settings, budget.flags(), pool));
    }

    #[test]
    fn every_piece_is_processed_once() {
        let never = AtomicBool::new(false);
        for (threads, n) in [1, 2, 3].into_iter().flat_map(|t| SIZES.map(|n| (t, n))) {
            with_threads(threads, &never, |parallelism| {
                let mut all = vec![0_u64; n];
                let add = |start: usize, part: &mut [u64]| {
                    part.iter_mut().zip(start..).for_each(|(limb, idx)| *limb += idx as u64);
                };
                parallelism.fill(&mut all, 1, add).unwrap();
                parallelism
                    .chunks(&mut all, 4, n, || (), |(), idx, part| add(4 * idx, part))
                    .unwrap();
                assert!(all.iter().zip(0..).all(|(limb, idx)| *limb == 2 * idx), "{threads}, {n}");
                let sum = |range: Range<usize>| all[range].iter().sum::<u64>();
                let sum = parallelism.fold(n, 1, 0, sum, |a, b| a + b).unwrap();
                assert_eq!(sum, all.iter().sum(), "{threads}, {n}");
            });
        }
    }

    #[test]
    fn search_returns_the_first_match() {
        let never = AtomicBool::new(false);
        for (threads, n) in [1, 3].into_iter().flat_map(|t| SIZES.map(|n| (t, n))) {
            with_threads(threads, &never, |parallelism| {
                for first in [0, n / 2, n.saturating_sub(1), n] {
                    let found = |range: Range<usize>| range.into_iter().find(|idx| *idx >= first);
                    let found = parallelism.find(n, found).unwrap();
                    assert_eq!(found, (first < n).then_some(first), "{threads}, {n}");
                }
            });
        }
    }

    #[test]
    fn searches_use_all_threads() {
        let never = AtomicBool::new(false);
        with_threads(3, &never, |parallelism| {
            let seen = Mutex::new(BTreeSet::new());
            let found = parallelism.find(1000, |_| {
                let idx = rayon::current_thread_index();
                let n = {
                    let mut seen = seen.lock().unwrap();
                    seen.insert(idx);
                    seen.len()
                };
                // The caller searches the first piece before the three begin.
                while idx.is_some() && n < 4 && seen.lock().unwrap().len() < 4 {
                    std::hint::spin_loop();
                }
                None::<()>
            });
            assert_eq!((found.unwrap(), seen.into_inner().unwrap().len()), (None, 4));
        });
    }

    #[test]
    fn a_share_stays_on_one_thread_if_no_thread_is_idle() {
        let never = AtomicBool::new(false);
        with_threads(3, &never, |parallelism| {
            let crew = parallelism.crew(300, 1);
            let begun = AtomicUsize::new(0);
            let shares = pieces(0..300, crew.share).map(|share| pieces(share, crew.piece));
            let by_thread =
                parallelism.spread(&crew, shares, BTreeSet::new, |own, range: Range<usize>| {
                    if own.is_empty() {
                        begun.fetch_add(1, Ordering::Relaxed);
                    }
                    own.insert(range.start);
                    // All three are awake before the second piece is done.
                    while begun.load(Ordering::Relaxed) < 3 {
                        std::hint::spin_loop();
                    }
                });
            let by_thread = by_thread.unwrap();
            // Each thread starts with the first piece of a separate share.
            let mut firsts: Vec<usize> = by_thread
                .iter()
                .flat_map(|own| own.iter().copied().filter(|at| at % crew.share == 0))
                .collect();
            firsts.sort_unstable();
            assert_eq!(firsts, [0, crew.share, 2 * crew.share]);
            assert!(by_thread.iter().all(|own| own.iter().any(|at| at % crew.share == 0)));
        });
    }

    #[test]
    fn flags_end_work_before_the_next_piece() {
        for threads in [1, 3] {
            let flag = AtomicBool::new(false);
            with_threads(threads, &flag, |parallelism| {
                let mut all = vec![0; 1000];
                let done = parallelism.fill(&mut all, 1, |_, part| {
                    flag.store(true, Ordering::Relaxed);
                    part.fill(1);
                });
                assert!(done.is_err());
                assert!(all.iter().filter(|limb| **limb == 1).count() <= 3 * threads);
            });
        }
    }
}
