//! Decoding of all leaves: a scan of the field on all threads.

use std::ops::Range;

use multiversion::multiversion;
use multiversion::target::match_target;

#[cfg(target_arch = "x86_64")]
use super::compress;
use super::node::{Depth, Leaf};
use super::patterns::pattern;
use super::reduce::BLOCK;
use super::tree::{Tree, width_at};
use crate::environment::{Ended, Environment, install};

/// Blocks per task of a thread: 65,536 bits, about 5 µs.
const GRAIN: usize = 1 << 7;

/// Number of blocks from which threads pay off: a tree of depth 20 takes about 50 µs on one thread,
/// and distributing the work takes 12 µs.
const MANY: usize = 1 << 11;

/// Leaves that the patterns write at once; only a prefix of them may be valid.
pub(super) const LANES: usize = 16;

impl Tree {
    /// Decodes all leaves of the last reduce in order: heap indices and levels. Both lists have
    /// [`Tree::count`] elements.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    ///
    /// # Panics
    /// If a list has another length.
    pub fn decode(
        &self,
        indices: &mut [u32],
        levels: &mut [u8],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        assert_eq!([indices.len(), levels.len()], [self.count(); 2], "places for leaves");
        let n_blocks = self.ranks.len() - 1;
        environment.poll()?;
        if n_blocks < MANY || environment.threads() == 1 {
            return self.decode_blocks(0, n_blocks, indices, levels, environment);
        }
        install(environment, || self.spread(0, n_blocks, indices, levels, environment))
    }

    /// Decodes blocks on this thread and polls for interrupts.
    fn decode_blocks(
        &self,
        start: usize,
        end: usize,
        mut indices: &mut [u32],
        mut levels: &mut [u8],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        /// Blocks between two polls: 2 MiB of leaves at most.
        const PACE: usize = 1 << 10;
        for first in (start..end).step_by(PACE) {
            let last = (first + PACE).min(end);
            let n = (self.ranks[last] - self.ranks[first]) as usize;
            let (these, others) = indices.split_at_mut(n);
            let (their_levels, other_levels) = levels.split_at_mut(n);
            self.decode_range(first, last, these, their_levels);
            (indices, levels) = (others, other_levels);
            environment.poll()?;
        }
        Ok(())
    }

    fn decode_range(&self, start: usize, end: usize, indices: &mut [u32], levels: &mut [u8]) {
        let limbs = start * BLOCK..(end * BLOCK).min(self.reduced.len());
        scan(Scan { depth: self.depth, bits: &self.reduced, limbs, indices, levels });
    }

    fn spread(
        &self,
        start: usize,
        end: usize,
        indices: &mut [u32],
        levels: &mut [u8],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        if end - start <= GRAIN {
            self.decode_range(start, end, indices, levels);
            return environment.poll();
        }
        let middle = start.midpoint(end);
        let n = (self.ranks[middle] - self.ranks[start]) as usize;
        let (left, right) = indices.split_at_mut(n);
        let (left_levels, right_levels) = levels.split_at_mut(n);
        let (left, right) = rayon::join(
            || self.spread(start, middle, left, left_levels, environment),
            || self.spread(middle, end, right, right_levels, environment),
        );
        left.and(right)
    }

    /// Decodes one block into a buffer and returns how many leaves begin in it.
    pub(super) fn decode_block(&self, block: usize, leaves: &mut BlockLeaves) -> usize {
        let BlockLeaves { indices, levels } = leaves;
        self.decode_range(block, block + 1, indices, levels);
        (self.ranks[block + 1] - self.ranks[block]) as usize
    }
}

/// A buffer for the leaves of a block and for the padding written after them.
pub(super) struct BlockLeaves {
    pub(super) indices: [u32; BlockLeaves::ROOM],
    pub(super) levels: [u8; BlockLeaves::ROOM],
}

impl BlockLeaves {
    const ROOM: usize = BLOCK * 64 + WINDOW;

    pub(super) const EMPTY: BlockLeaves =
        BlockLeaves { indices: [0; BlockLeaves::ROOM], levels: [0; BlockLeaves::ROOM] };
}

/// Elements for the leaves of a limb and for the padding after them.
const WINDOW: usize = 64 + LANES;

/// Input and output of a scan.
pub(super) struct Scan<'a> {
    pub(super) depth: Depth,
    /// The field.
    pub(super) bits: &'a [u64],
    /// The limbs whose leaves are decoded.
    pub(super) limbs: Range<usize>,
    /// Space for the heap indices; elements after the last leaf may be overwritten.
    pub(super) indices: &'a mut [u32],
    /// Space for the levels, with the same padding.
    pub(super) levels: &'a mut [u8],
}

/// Decodes the leaves that begin in the given limbs.
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vbmi2+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn scan(scan: Scan<'_>) {
    match_target! {
        "x86_64+avx512bitalg+avx512vbmi2" => match scan.depth.levels() {
            6.. => compress::scan(scan),
            _ => scan_by_patterns(scan),
        },
        _ => scan_by_patterns(scan),
    }
}

/// Decodes the leaves that begin in the given limbs, on any machine.
///
/// A limb whose leaves all have the same level is decoded by counting. A limb without 16
/// consecutive zeros is decoded by patterns, 16 bits a step. Other limbs hold few leaves, which are
/// decoded one by one; so are limbs near the end of the lists, where a step would write past the
/// end.
#[inline(always)]
pub(super) fn scan_by_patterns(Scan { depth, bits, limbs, indices, levels }: Scan<'_>) {
    let mut at = 0;
    for (idx, &limb) in bits.iter().enumerate().take(limbs.end).skip(limbs.start) {
        if limb == 0 {
            continue;
        }
        let to = indices.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<WINDOW>());
        let to_levels = levels.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<WINDOW>());
        if let (Some(to), Some(to_levels)) = (to, to_levels) {
            // A tree with this many leaves has at least 64 bits.
            let top = depth.levels().saturating_sub(6);
            let node = (1 << top) + idx as u32;
            let count = match uniform(limb) {
                Some(below) => count_through(node, top, below, to, to_levels),
                None => look_up(limb, node, top, to, to_levels),
            };
            if count > 0 {
                at += count;
                continue;
            }
        }
        let mut rest = limb;
        while rest != 0 {
            let bit = idx * 64 + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let width = match rest {
                0 => width_at(bits, depth, bit),
                _ => idx * 64 + rest.trailing_zeros() as usize - bit,
            };
            let Leaf { node, level } = depth.leaf(bit, width);
            (indices[at], levels[at]) = (node.index(), level as u8);
            at += 1;
        }
    }
}

/// How many levels below the node of a limb its leaves are, if all have the same level and it is
/// from 2 to 6.
#[inline(always)]
fn uniform(limb: u64) -> Option<u32> {
    /// The leaf-start bits for each such level.
    const LEAVES: [u64; 7] = [
        0,
        0,
        0x0001_0001_0001_0001,
        0x0101_0101_0101_0101,
        0x1111_1111_1111_1111,
        0x5555_5555_5555_5555,
        u64::MAX,
    ];
    // The second leaf determines the width of the first.
    let width = (limb & limb.wrapping_sub(1)).trailing_zeros();
    let below = 6 - width.trailing_zeros().min(6);
    (LEAVES[below as usize] == limb).then_some(below)
}

/// Writes all nodes the given number of levels below a node of level `top`.
#[inline(always)]
fn count_through(
    node: u32,
    top: u32,
    below: u32,
    to: &mut [u32; WINDOW],
    to_levels: &mut [u8; WINDOW],
) -> usize {
    let (first, count) = (node << below, 1_usize << below);
    for start in (0..count).step_by(LANES) {
        // The same positions, since there are never more than 64.
        let start = start & 63;
        for lane in 0..LANES {
            to[start + lane] = first + (start + lane) as u32;
            to_levels[start + lane] = (top + below) as u8;
        }
    }
    count
}

/// Decodes the leaves of a limb by the patterns of its parts; returns 0 if a part has no pattern.
/// Whether a leaf of 16 bits ends there is known from the following bits.
#[inline(always)]
fn look_up(
    limb: u64,
    node: u32,
    top: u32,
    to: &mut [u32; WINDOW],
    to_levels: &mut [u8; WINDOW],
) -> usize {
    let (mut at, mut is_whole) = (0, true);
    for part in 0..4 {
        let (pattern, count) = pattern((limb >> (16 * part)) as u16);
        let (node, top) = (4 * node + part, top + 2);
        let start = at & 63; // never larger, but the compiler cannot know that
        for lane in 0..LANES {
            to[start + lane] = (node << pattern.below[lane]) + u32::from(pattern.offset[lane]);
        }
        for lane in 0..LANES {
            to_levels[start + lane] = top as u8 + pattern.below[lane];
        }
        at += count;
        is_whole &= count > 0;
    }
    if is_whole { at } else { 0 }
}
