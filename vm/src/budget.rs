//! The memory budget and the interrupt flags of a run.
//!
//! Note [Memory]. A value counts the bytes that it needs when packed in limbs of 64 bits, whatever
//! its form in a backend. A result counts in addition to the value that it will replace.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use star_ir::LimitKind;
use star_value::{BitVector, Limbs};

use crate::interrupt::{Exec, Stop};

/// Flags set from outside when the run must end.
#[derive(Clone, Copy)]
pub(crate) struct Flags<'a> {
    interrupt: &'a AtomicBool,
    deadline: &'a AtomicBool,
}

impl Flags<'_> {
    /// Stops the run if the user interrupts it or the deadline has passed.
    #[inline]
    pub(crate) fn poll(self) -> Exec<()> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Limit(LimitKind::Interrupted));
        }
        if self.deadline.load(Ordering::Relaxed) {
            return Err(Stop::Limit(LimitKind::Time));
        }
        Ok(())
    }
}

/// A value that can release memory which it holds only for speed.
pub(crate) trait Reclaim {
    /// Whether it has nothing left to release.
    fn is_gone(&self) -> bool;

    /// Releases the memory and returns its size in bytes.
    fn reclaim(&self) -> u64;
}

/// Counts the bytes of all values and polls the flags.
pub(crate) struct MemoryBudget<'a> {
    flags: Flags<'a>,
    /// Values that release memory before a request of the run is refused.
    reclaimable: Vec<Box<dyn Reclaim + 'a>>,
    limit: u64,
    alive: u64,
    peak: u64,
    recycled: Recycled,
}

/// Memory of long slices, words and tables that are no longer in use, for new ones. The system
/// would return it as zeros, page by page, which takes one thread as long as sixteen work on it.
#[derive(Debug, Default)]
pub(crate) struct Recycled {
    /// With the bytes that the value has counted.
    all: VecDeque<(Limbs, u64)>,
    n_bytes: u64,
}

impl Recycled {
    fn put(&mut self, limbs: Limbs, n_bytes: u64) {
        self.n_bytes += n_bytes;
        self.all.push_back((limbs, n_bytes));
    }

    fn take(&mut self, at: usize) -> Option<Limbs> {
        let (limbs, n_bytes) = self.all.remove(at)?;
        self.n_bytes -= n_bytes;
        Some(limbs)
    }
}

/// Minimum size in bytes of recycled memory.
const LEAST_RECYCLED: u64 = 1 << 15;

/// Maximum number of recycled slices, words and tables.
const MOST_RECYCLED: usize = 16;

/// Recycled memory is at most the limit divided by this, and at most what was alive at once.
const RECYCLED_SHARE: u64 = 8;

impl<'a> MemoryBudget<'a> {
    pub(crate) fn new(interrupt: &'a AtomicBool, deadline: &'a AtomicBool, limit: u64) -> Self {
        let flags = Flags { interrupt, deadline };
        MemoryBudget {
            flags,
            reclaimable: Vec::new(),
            limit,
            alive: 0,
            peak: 0,
            recycled: Recycled::default(),
        }
    }

    /// Stops the run if the user interrupts it or the deadline has passed.
    #[inline]
    pub(crate) fn poll(&self) -> Exec<()> {
        self.flags.poll()
    }

    /// Returns the flags, for work on several threads.
    pub(crate) fn flags(&self) -> Flags<'a> {
        self.flags
    }

    /// Returns the number of bytes of live values.
    pub(crate) fn alive(&self) -> u64 {
        self.alive
    }

    /// Returns the maximum number of bytes that were alive at once.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// Counts a peak of the run before it was continued.
    pub(crate) fn note_peak(&mut self, peak: u64) {
        self.peak = self.peak.max(peak);
    }

    /// Returns the number of bytes still available.
    pub(crate) fn available(&self) -> u64 {
        self.limit.saturating_sub(self.alive)
    }

    /// Checks that this number of additional bytes may be used.
    #[inline]
    pub(crate) fn reserve(&mut self, bytes: u64) -> Exec<()> {
        let wanted = self.alive.saturating_add(bytes);
        if wanted.saturating_add(self.recycled.n_bytes) > self.limit {
            return self.reserve_scarce(bytes);
        }
        self.peak = self.peak.max(wanted);
        Ok(())
    }

    /// Does the same where recycled memory is in the way, or too little memory is left.
    #[cold]
    fn reserve_scarce(&mut self, bytes: u64) -> Exec<()> {
        self.drop_recycled();
        let mut wanted = self.alive.saturating_add(bytes);
        if wanted > self.limit {
            self.reclaim(bytes);
            wanted = self.alive.saturating_add(bytes);
            if wanted > self.limit {
                return Err(self.refused(self.limit, wanted));
            }
        }
        self.peak = self.peak.max(wanted);
        Ok(())
    }

    /// Keeps the memory of a slice or word that is no longer in use.
    #[inline]
    pub(crate) fn recycle_bits(&mut self, bits: BitVector) {
        let n_bytes = 8 * bits.limbs().len() as u64;
        self.recycle(bits.into_limbs(), n_bytes);
    }

    /// Keeps the memory of a value that is no longer in use for new ones, if it is large enough.
    /// The value has counted this number of bytes.
    #[inline]
    pub(crate) fn recycle(&mut self, limbs: Limbs, n_bytes: u64) {
        if n_bytes >= LEAST_RECYCLED {
            self.recycle_long(limbs, n_bytes);
        }
    }

    /// Returns whether this number of bytes of released memory may be kept for reuse.
    pub(crate) fn may_keep(&self, bytes: u64) -> bool {
        bytes <= self.most_kept()
    }

    fn most_kept(&self) -> u64 {
        (self.limit / RECYCLED_SHARE).min(self.available())
    }

    #[cold]
    fn recycle_long(&mut self, limbs: Limbs, n_bytes: u64) {
        let most = self.most_kept().min(self.peak);
        if n_bytes > most {
            return;
        }
        let recycled = &mut self.recycled;
        while recycled.all.len() >= MOST_RECYCLED || recycled.n_bytes + n_bytes > most {
            recycled.take(0);
        }
        recycled.put(limbs, n_bytes);
    }

    /// Returns recycled memory to the system.
    pub(crate) fn drop_recycled(&mut self) {
        drop(self.take_recycled());
    }

    /// Returns all recycled memory.
    pub(crate) fn take_recycled(&mut self) -> Recycled {
        std::mem::take(&mut self.recycled)
    }

    /// Returns `n_limbs` limbs with arbitrary content, if recycled memory of that size exists.
    pub(crate) fn recycled(&mut self, n_limbs: usize) -> Option<Limbs> {
        let at = self.recycled.all.iter().rposition(|(limbs, _)| limbs.len() == n_limbs)?;
        self.recycled.take(at)
    }

    /// Registers a value that releases memory before a request of the run is refused.
    pub(crate) fn add_reclaimable(&mut self, value: Box<dyn Reclaim + 'a>) {
        self.reclaimable.retain(|value| !value.is_gone());
        self.reclaimable.push(value);
    }

    /// Makes values release memory, one after another, until this number of additional bytes fits.
    /// A value that releases none, because the system or a flag prevents it, may do so the next
    /// time.
    #[cold]
    fn reclaim(&mut self, bytes: u64) {
        let mut kept = Vec::new();
        for value in std::mem::take(&mut self.reclaimable) {
            if self.available() < bytes {
                self.release(value.reclaim());
            }
            if !value.is_gone() {
                kept.push(value);
            }
        }
        self.reclaimable = kept;
    }

    /// Counts a reserved value as alive.
    pub(crate) fn commit(&mut self, bytes: u64) {
        self.alive = self.alive.saturating_add(bytes);
        self.peak = self.peak.max(self.alive);
    }

    /// Counts a value as dropped.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.alive = self.alive.saturating_sub(bytes);
    }

    /// Replaces a live value by a reserved one of this size.
    #[inline]
    pub(crate) fn exchange(&mut self, before: u64, after: u64) {
        if before != after {
            self.release(before);
            self.commit(after);
        }
    }

    /// Returns the limit on bytes of values.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the stop of a run that gets no memory for this number of additional bytes: at the
    /// limit, or, if the system refuses them, at the bytes that are alive.
    pub(crate) fn no_memory_for(&self, bytes: u64) -> Stop {
        let wanted = self.alive.saturating_add(bytes);
        self.refused(if wanted > self.limit { self.limit } else { self.alive }, wanted)
    }

    /// Returns the stop of a run that requests more bytes than are available.
    pub(crate) fn refused(&self, limit: u64, wanted: u64) -> Stop {
        Stop::Limit(LimitKind::Memory { limit, wanted })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// Releases this number of bytes at the `after`th request.
    struct Kept {
        bytes: u64,
        after: Rc<Cell<u32>>,
        is_gone: Rc<Cell<bool>>,
    }

    impl Reclaim for Kept {
        fn is_gone(&self) -> bool {
            self.is_gone.get()
        }

        fn reclaim(&self) -> u64 {
            let left = self.after.get();
            self.after.set(left.saturating_sub(1));
            self.is_gone.set(left == 0);
            if left == 0 { self.bytes } else { 0 }
        }
    }

    #[test]
    fn recycled_memory_is_reused_and_released_first() {
        let never = AtomicBool::new(false);
        let mut budget = MemoryBudget::new(&never, &never, 1 << 20);
        let bits = |n_bytes: usize| BitVector::zeros(8 * n_bytes);
        // At most what was alive at once is kept.
        budget.recycle_bits(bits(40_000));
        assert_eq!(budget.recycled.n_bytes, 0);
        budget.commit(79_999);
        budget.release(79_999);
        budget.recycle_bits(bits(LEAST_RECYCLED as usize - 8));
        assert_eq!(budget.recycled.n_bytes, 0);
        budget.recycle_bits(bits(40_000));
        budget.recycle_bits(bits(40_000));
        assert_eq!(budget.recycled.n_bytes, 40_000);
        budget.commit(500_000);
        budget.release(500_000);
        // The share of the limit holds three of these four.
        for n_bytes in [40_000, 40_008, 40_016, 40_024] {
            budget.recycle_bits(bits(n_bytes));
        }
        assert_eq!(budget.recycled.n_bytes, 40_008 + 40_016 + 40_024);
        assert!(budget.recycled(5_000).is_none());
        let found = budget.recycled(5_002).map(|limbs| limbs.len());
        assert_eq!((found, budget.recycled.n_bytes), (Some(5_002), 40_008 + 40_024));
        // The request fits next to the live values, but only without these.
        assert!(budget.reserve((1 << 20) - 1000).is_ok());
        assert_eq!((budget.recycled.n_bytes, budget.alive()), (0, 0));
        // Memory larger than what is left is not kept.
        budget.commit((1 << 20) - 1000);
        budget.recycle_bits(bits(40_000));
        assert_eq!(budget.recycled.n_bytes, 0);
    }

    #[test]
    fn reclaim_continues_until_enough_is_free() {
        let never = AtomicBool::new(false);
        let mut budget = MemoryBudget::new(&never, &never, 100);
        let gone: Vec<Rc<Cell<bool>>> = (0..3).map(|_| Rc::default()).collect();
        for (is_gone, after) in gone.iter().zip([1, 0, 0]) {
            let (is_gone, after) = (is_gone.clone(), Rc::new(Cell::new(after)));
            budget.add_reclaimable(Box::new(Kept { bytes: 30, after, is_gone }));
            budget.commit(30);
        }
        let are_gone = || gone.iter().map(|gone| gone.get()).collect::<Vec<bool>>();
        assert!(budget.reserve(10).is_ok());
        assert_eq!(are_gone(), [false; 3]);
        // The first one gives nothing, the second one enough.
        assert!(budget.reserve(30).is_ok());
        assert_eq!((are_gone(), budget.alive()), (vec![false, true, false], 60));
        assert!(budget.reserve(101).is_err());
        assert_eq!((are_gone(), budget.alive()), (vec![true; 3], 0));
    }
}
