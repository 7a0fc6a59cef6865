//! Marked leaves, split and merged in parallel: all leaves of one level in a limb at once, level by
//! level.

use std::ops::Add;
use std::sync::atomic::AtomicU64;

use multiversion::multiversion;
use rayon::prelude::*;

use super::node::Depth;
use super::tree::{Tree, width_at};
use crate::environment::{Ended, Environment, install};
use crate::has;

/// Limbs per task of a thread: 256 KiB of four fields, about 10 µs.
const GRAIN: usize = 1 << 13;

/// Number of limbs from which threads pay off: a tree of depth 22 takes about 80 µs on one thread,
/// and distributing the work takes 12 µs.
const MANY: usize = 1 << 16;

impl Tree {
    /// Applies a batch to the current tree, with a reduce before and after: splits the leaves above
    /// level D whose first bits are marked in `splits`, and merges the pairs of which both are
    /// marked in `merges` and neither splits. Bits at which no leaf begins are ignored. Returns how
    /// many leaves were split and how many pairs were merged.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted: some leaves have then been changed.
    ///
    /// # Panics
    /// If a field does not have 2^D bits in whole limbs.
    pub fn change_marked(
        &mut self,
        splits: &[u64],
        merges: &[u64],
        environment: &dyn Environment,
    ) -> Result<[usize; 2], Ended> {
        assert_eq!([splits.len(), merges.len()], [self.reduced.len(); 2], "limbs of marks");
        if self.is_stale() {
            self.reduce(environment)?;
        }
        environment.poll()?;
        let beyond = match self.depth.levels() {
            ..6 => u64::MAX << self.depth.n_bits(),
            6.. => 0,
        };
        let part = |(live, [field, splits, merges]): (&mut [AtomicU64], [&[u64]; 3])| {
            environment.poll()?;
            Ok(change(live, field, splits, merges, beyond))
        };
        let Tree { depth, live, reduced, .. } = self;
        let changed = if live.len() < MANY || environment.threads() == 1 {
            let fields = reduced.chunks(GRAIN).zip(splits.chunks(GRAIN)).zip(merges.chunks(GRAIN));
            let fields = fields.map(|((field, splits), merges)| [field, splits, merges]);
            let parts = live.chunks_mut(GRAIN).zip(fields).map(part);
            parts.sum::<Result<Changed, Ended>>()?
        } else {
            install(environment, || {
                let fields = reduced
                    .par_chunks(GRAIN)
                    .zip(splits.par_chunks(GRAIN))
                    .zip(merges.par_chunks(GRAIN))
                    .map(|((field, splits), merges)| [field, splits, merges]);
                let parts = live.par_chunks_mut(GRAIN).zip(fields).map(part);
                parts.try_reduce(Changed::default, |all, these| Ok(all + these))
            })?
        };
        let wide = match changed.has_wide {
            true => change_wide(*depth, live, reduced, splits, merges),
            false => Changed::default(),
        };
        let Changed { n_splits, n_merges, has_wide: _ } = changed + wide;
        // Without a change, the field of the last reduce equals the live one.
        if n_splits + n_merges > 0 {
            self.reduce(environment)?;
        }
        Ok([n_splits, n_merges])
    }
}

/// The effect of a batch on a part of the field.
#[derive(Clone, Copy, Default)]
struct Changed {
    n_splits: usize,
    n_merges: usize,
    /// Whether a marked leaf is at least as wide as a limb.
    has_wide: bool,
}

impl Add for Changed {
    type Output = Changed;

    fn add(self, other: Changed) -> Changed {
        Changed {
            n_splits: self.n_splits + other.n_splits,
            n_merges: self.n_merges + other.n_merges,
            has_wide: self.has_wide || other.has_wide,
        }
    }
}

impl std::iter::Sum for Changed {
    fn sum<I: Iterator<Item = Changed>>(parts: I) -> Changed {
        parts.fold(Changed::default(), Changed::add)
    }
}

/// Bits at the multiples of 2^level.
const ALIGNED: [u64; 7] = [
    u64::MAX,
    0x5555_5555_5555_5555,
    0x1111_1111_1111_1111,
    0x0101_0101_0101_0101,
    0x0001_0001_0001_0001,
    0x0000_0001_0000_0001,
    1,
];

/// Changes leaves that are narrower than a limb. In `beyond`, after the field, all leaves have one
/// bit.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn change(
    live: &mut [AtomicU64],
    field: &[u64],
    splits: &[u64],
    merges: &[u64],
    beyond: u64,
) -> Changed {
    let (mut n_splits, mut n_merges, mut wide) = (0, 0, 0);
    let marks = splits.iter().zip(merges);
    for ((live, &limb), (&splits, &merges)) in live.iter_mut().zip(field).zip(marks) {
        let field = limb | beyond;
        let (mut set, mut clear) = (0, 0);
        // The leaves that are at least 2^level bits wide.
        let mut at_least = field;
        for level in 0..6 {
            let width = 1 << level;
            // A leaf begins after the last leaf of a limb, if that leaf ends there.
            let next = field >> width | !(u64::MAX >> width);
            let leaves = at_least & next;
            at_least &= !next;
            if level > 0 {
                set |= (splits & leaves) << (width / 2);
            }
            // A leaf of one bit does not split.
            let merging = merges & leaves & if level > 0 { !splits } else { u64::MAX };
            clear |= (merging & merging >> width & ALIGNED[level + 1]) << width;
        }
        *live.get_mut() = (limb | set) & !clear;
        n_splits += u64::from(set.count_ones());
        n_merges += u64::from(clear.count_ones());
        // The remaining leaf begins with the limb.
        wide |= at_least & (splits | merges);
    }
    Changed { n_splits: n_splits as usize, n_merges: n_merges as usize, has_wide: wide != 0 }
}

/// Changes the leaves that are at least as wide as a limb: such a leaf begins in a limb in which
/// only the first bit is set.
fn change_wide(
    depth: Depth,
    live: &mut [AtomicU64],
    field: &[u64],
    splits: &[u64],
    merges: &[u64],
) -> Changed {
    let mut changed = Changed::default();
    for (idx, _) in field.iter().enumerate().filter(|&(_, &limb)| limb == 1) {
        let bit = 64 * idx;
        if !has(splits, bit) && !has(merges, bit) {
            continue;
        }
        let width = width_at(field, depth, bit);
        let sibling = bit + width;
        if has(splits, bit) {
            let middle = bit + width / 2;
            *live[middle / 64].get_mut() |= 1 << (middle % 64);
            changed.n_splits += 1;
        } else if bit % (2 * width) == 0
            && sibling < depth.n_bits()
            && width_at(field, depth, sibling) == width
            && has(merges, sibling)
            && !has(splits, sibling)
        {
            *live[sibling / 64].get_mut() &= !(1 << (sibling % 64));
            changed.n_merges += 1;
        }
    }
    changed
}
