//! Cycles that visit leaves only where something may have changed: a verdict on a leaf holds for
//! some time.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::batch::sum;
use super::node::{Depth, Leaf, TreeError};
use super::reduce::BLOCK;
use super::tree::{Tree, width_at};
use crate::environment::{Ended, Environment, install};

/// Limbs per task of a thread.
const GRAIN: usize = 1 << 8;

/// Number of due limbs from which threads pay off: about 200 µs of verdicts.
const MANY: usize = 1 << 10;

/// The change to apply to a leaf, and for how long it stays unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The leaf is kept now and as long as the time is not later, regardless of changes to other
    /// leaves.
    KeepUntil(u64),
    /// The leaf is kept now.
    Wait,
    /// The leaf is split, unless its level is D.
    Split,
    /// The leaf merges with its sibling, if that is a leaf and is to merge, too.
    Merge,
}

/// For each limb of the field, the time until which no leaf that begins in it changes. Times are
/// integers from 1.
#[derive(Debug)]
pub struct Watch(Vec<AtomicU64>);

/// The limb is always due.
const AT_ONCE: u64 = 0;
/// No leaf begins in the limb, until one is split off.
const NO_LEAF: u64 = u64::MAX;

impl Watch {
    /// Bytes that a watch needs.
    pub fn n_bytes(depth: Depth) -> u64 {
        8 * depth.n_limbs() as u64
    }

    /// A watch in which all leaves of a tree are due.
    ///
    /// # Errors
    /// [`TreeError::OutOfMemory`].
    pub fn new(tree: &Tree) -> Result<Watch, TreeError> {
        let mut dues = Vec::new();
        dues.try_reserve_exact(tree.reduced.len()).map_err(|_| TreeError::OutOfMemory)?;
        dues.resize_with(tree.reduced.len(), || AtomicU64::new(AT_ONCE));
        let mut watch = Watch(dues);
        watch.reset(&tree.reduced);
        Ok(watch)
    }

    fn reset(&mut self, field: &[u64]) {
        for (due, &limb) in self.0.iter_mut().zip(field) {
            *due.get_mut() = if limb == 0 { NO_LEAF } else { AT_ONCE };
        }
    }

    fn look_again(&self, bit: usize) {
        self.0[bit / 64].store(AT_ONCE, Ordering::Relaxed);
    }

    fn is_due(due: &AtomicU64, now: u64) -> bool {
        due.load(Ordering::Relaxed) < now
    }
}

impl Tree {
    /// Runs a cycle at a time: judges the due leaves of the last reduce, splits and merges them,
    /// and copies the changes into the reduced field. Returns how many leaves were split and how
    /// many pairs were merged.
    ///
    /// `judge` creates a judge for a run of leaves, which are passed in order, except that siblings
    /// may be judged again; all judges must agree. The watch must belong to this tree, and times
    /// must not decrease. The result is the same as if all leaves were judged.
    ///
    /// Cost: the leaves of the due limbs, and one comparison for each limb.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted: some leaves have then been changed.
    ///
    /// # Panics
    /// If the watch has another depth.
    pub fn cycle_due<J: FnMut(&Tree, Leaf) -> Verdict>(
        &mut self,
        watch: &mut Watch,
        now: u64,
        judge: &(impl Fn() -> J + Sync),
        environment: &dyn Environment,
    ) -> Result<[usize; 2], Ended> {
        assert_eq!(watch.0.len(), self.reduced.len(), "limbs of a watch");
        if self.is_stale() {
            self.reduce(environment)?;
            watch.reset(&self.reduced);
        }
        let n_due = watch.0.iter().filter(|due| Watch::is_due(due, now)).count();
        let (tree, dues) = (&*self, &*watch);
        let part = |part: usize| -> Result<[usize; 2], Ended> {
            environment.poll()?;
            let limbs = part * GRAIN..((part + 1) * GRAIN).min(dues.0.len());
            let mut judge = judge();
            let due = limbs.filter(|&idx| Watch::is_due(&dues.0[idx], now));
            Ok(due.map(|idx| tree.judge_limb(idx, dues, &mut judge)).fold([0; 2], sum))
        };
        let n_parts = dues.0.len().div_ceil(GRAIN);
        let changed = if n_due < MANY || environment.threads() == 1 {
            (0..n_parts).try_fold([0; 2], |all, idx| part(idx).map(|these| sum(all, these)))?
        } else {
            let parts = || (0..n_parts).into_par_iter().map(part);
            install(environment, || {
                parts().try_reduce(|| [0; 2], |all, these| Ok(sum(all, these)))
            })?
        };
        self.take_over_due(watch);
        Ok(changed)
    }

    /// Judges the leaves that begin in a limb and changes the live field; returns until when the
    /// verdicts hold.
    fn judge_limb(
        &self,
        idx: usize,
        watch: &Watch,
        judge: &mut impl FnMut(&Tree, Leaf) -> Verdict,
    ) -> [usize; 2] {
        let (depth, bits) = (self.depth, &*self.reduced);
        let (mut rest, mut n_changed) = (bits[idx], [0; 2]);
        let mut until = u64::MAX;
        while rest != 0 {
            let bit = 64 * idx + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let width = match rest {
                0 => width_at(bits, depth, bit),
                _ => 64 * idx + rest.trailing_zeros() as usize - bit,
            };
            let leaf = depth.leaf(bit, width);
            match judge(self, leaf) {
                Verdict::KeepUntil(time) => until = until.min(time),
                Verdict::Wait => until = AT_ONCE,
                Verdict::Split => {
                    until = AT_ONCE;
                    if width > 1 {
                        n_changed[0] += 1;
                        self.split_raw(leaf.node);
                        // The right half begins where no leaf did, and may be in another limb.
                        watch.look_again(bit + width / 2);
                    }
                }
                Verdict::Merge => {
                    until = AT_ONCE;
                    // The left leaf decides for the pair.
                    let sibling = self.right_leaf(leaf);
                    if sibling.is_some_and(|right| judge(self, right) == Verdict::Merge) {
                        n_changed[1] += 1;
                        self.clear((bit + width) / 64, 1 << ((bit + width) % 64));
                        watch.look_again(bit + width);
                    }
                }
            }
        }
        // A limb without leaves may have been marked meanwhile, when a leaf was split off there.
        if bits[idx] != 0 {
            watch.0[idx].store(until, Ordering::Relaxed);
        }
        n_changed
    }

    /// Copies the limbs that are always due to the reduced field; these include all changed limbs.
    fn take_over_due(&mut self, watch: &mut Watch) {
        let Tree { live, reduced, ranks, stale, .. } = self;
        let limbs = live.chunks_mut(BLOCK).zip(reduced.chunks_mut(BLOCK));
        let (mut before, mut more) = (0, 0_u32);
        let blocks = watch.0.chunks_mut(BLOCK).zip(limbs).zip(&mut ranks[1..]);
        for ((dues, (live, reduced)), rank) in blocks {
            let count = *rank - before;
            before = *rank;
            if dues.iter_mut().any(|due| *due.get_mut() == AT_ONCE) {
                let mut ones = 0;
                for ((due, to), from) in dues.iter_mut().zip(reduced).zip(live) {
                    *to = *from.get_mut();
                    ones += to.count_ones();
                    if *to == 0 {
                        *due.get_mut() = NO_LEAF;
                    }
                }
                // A decrease is an increase modulo 2^32.
                more = more.wrapping_add(ones.wrapping_sub(count));
            }
            *rank = rank.wrapping_add(more);
        }
        *stale.get_mut() = false;
    }
}
