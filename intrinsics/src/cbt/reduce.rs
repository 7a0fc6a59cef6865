//! Sum reduction: copies the live field and counts its leaves, block by block.

use std::sync::atomic::{AtomicU64, Ordering};

use multiversion::multiversion;
use rayon::prelude::*;

use super::tree::Tree;
use crate::environment::{Ended, Environment, install};

/// Limbs of a block of the rank directory: 512 bits.
pub(super) const BLOCK: usize = 8;

/// Blocks per task of a thread: 128 KiB of the field, about 7 µs.
const GRAIN: usize = 1 << 11;

/// Number of blocks from which threads pay off: a tree of depth 23 takes about 60 µs on one thread,
/// and distributing the work takes 12 µs.
const MANY: usize = 1 << 14;

impl Tree {
    /// Copies the live field, so that count, ordinals and leaves are current.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted; another reduce restores consistency.
    pub fn reduce(&mut self, environment: &dyn Environment) -> Result<(), Ended> {
        environment.poll()?;
        if self.ranks.len() <= MANY || environment.threads() == 1 {
            self.reduce_here();
            return Ok(());
        }
        let Tree { live, reduced, ranks, stale, .. } = self;
        let counts = &mut ranks[1..];
        install(environment, || {
            let live = live.par_chunks_mut(GRAIN * BLOCK);
            let reduced = reduced.par_chunks_mut(GRAIN * BLOCK);
            let counts = counts.par_chunks_mut(GRAIN);
            live.zip(reduced).zip(counts).try_for_each(|((live, reduced), counts)| {
                take_over(live, reduced, counts);
                environment.poll()
            })
        })?;
        sum_up(counts);
        stale.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Reduces on this thread.
    pub(super) fn reduce_here(&mut self) {
        let counts = &mut self.ranks[1..];
        take_over(&mut self.live, &mut self.reduced, counts);
        sum_up(counts);
        self.stale.store(false, Ordering::Relaxed);
    }
}

/// Copies limbs and counts the ones of every block.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn take_over(live: &mut [AtomicU64], reduced: &mut [u64], counts: &mut [u32]) {
    for (to, from) in reduced.iter_mut().zip(live.iter_mut()) {
        *to = *from.get_mut();
    }
    let (blocks, rest) = reduced.as_chunks::<BLOCK>();
    let ones = |limbs: &[u64]| limbs.iter().map(|limb| limb.count_ones()).sum();
    for (count, block) in counts.iter_mut().zip(blocks) {
        *count = ones(block);
    }
    if let (false, Some(last)) = (rest.is_empty(), counts.last_mut()) {
        *last = ones(rest);
    }
}

/// Replaces every count by the prefix sum up to it.
fn sum_up(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// The number of ones before a bit.
#[inline]
pub(super) fn rank(bits: &[u64], ranks: &[u32], bit: usize) -> usize {
    let (limb, block) = (bit / 64, bit / 64 / BLOCK);
    let whole = bits[block * BLOCK..limb].iter().map(|limb| limb.count_ones()).sum::<u32>();
    let part = match bit % 64 {
        0 => 0,
        within => (bits[limb] << (64 - within)).count_ones(),
    };
    (ranks[block] + whole + part) as usize
}
