//! Cycles that look at leaves only where something may change: what is asked of a leaf holds for a while.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::batch::sum;
use super::node::{Depth, Leaf, TreeError};
use super::reduce::BLOCK;
use super::tree::{Tree, width_at};
use crate::environment::{Ended, Environment, install};

/// Limbs that one thread looks at at once.
const GRAIN: usize = 1 << 8;

/// Limbs with something due from which on threads pay: some 200 µs of questions.
const MANY: usize = 1 << 10;

/// What is to become of a leaf, and how long it stays if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is kept now, and for as long as the time is not later, whatever becomes of other leaves.
    KeepUntil(u64),
    /// It is kept now.
    Wait,
    /// It is split, unless it is of level D.
    Split,
    /// It merges with its sibling, if that is a leaf and is to merge, too.
    Merge,
}

/// Until when no leaf that begins in a limb of the field changes. Times are whole numbers from 1.
#[derive(Debug)]
pub struct Watch(Vec<AtomicU64>);

/// Something is due whenever it is asked.
const AT_ONCE: u64 = 0;
/// No leaf begins there, until one does that is split off.
const NO_LEAF: u64 = u64::MAX;

impl Watch {
    /// Bytes that it takes.
    pub fn n_bytes(depth: Depth) -> u64 {
        8 * depth.n_limbs() as u64
    }

    /// All leaves of a tree are to be looked at.
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
    /// A cycle at a time: the leaves of the last reduce about which something is due are judged, split and merged, and
    /// what was changed is taken over. Returns how many leaves were split and how many pairs were merged.
    ///
    /// `judge` makes a judge for a run of leaves, which come in their order, but for siblings that are asked about once
    /// more; all judges say the same. The watch has to be of this tree alone, and times must not run backwards. It is as
    /// if all leaves were judged.
    ///
    /// Cost: the leaves of the limbs that are due, and a look at a number for each limb.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run has to end: some leaves are changed then.
    ///
    /// # Panics
    /// If the watch is one of another depth.
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

    /// Judges the leaves that begin in a limb and changes the live field; says until when that holds.
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
                    // The left one of a pair speaks for both.
                    let sibling = self.right_leaf(leaf);
                    if sibling.is_some_and(|right| judge(self, right) == Verdict::Merge) {
                        n_changed[1] += 1;
                        self.clear((bit + width) / 64, 1 << ((bit + width) % 64));
                        watch.look_again(bit + width);
                    }
                }
            }
        }
        // A limb without leaves may be marked meanwhile: a leaf is split off there.
        if bits[idx] != 0 {
            watch.0[idx].store(until, Ordering::Relaxed);
        }
        n_changed
    }

    /// Takes over the limbs at which something is due at once, among which are all that were changed.
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
                // Fewer are more modulo 2^32.
                more = more.wrapping_add(ones.wrapping_sub(count));
            }
            *rank = rank.wrapping_add(more);
        }
        *stale.get_mut() = false;
    }
}
