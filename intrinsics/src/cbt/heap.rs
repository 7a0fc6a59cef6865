//! The packed heap: the counts of all nodes, level by level, followed by the field, in 2^(D+2)
//! bits.
//!
//! Element k, of level d, begins at bit 2^(d+1) + k·(D−d+1) and is D−d+1 bits wide. Level d
//! therefore begins at bit 2^d·(D−d+3), the levels are contiguous, and the field begins at bit
//! 3·2^D. Element 0 encodes the depth: bit D is set. Bits are numbered from the low end of
//! little-endian limbs. The format equals the heap of the C library libcbt, byte for byte.

use std::array;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use star_value::Limbs;

use super::node::{Depth, TreeError};
use super::sums::{
    GROUP, Packer, by_3, by_4, by_5, by_6, by_7, bytes, halves, nibbles, pack_group, pairs, words,
};
use super::tree::Tree;
use crate::environment::{Ended, Environment, install};

/// A packed heap.
pub struct Heap {
    depth: Depth,
    limbs: Limbs,
}

/// Levels of the subtree of one group.
const GROUP_LEVELS: u32 = 12;

impl Heap {
    /// Bytes that a heap occupies in memory; the smallest heaps are smaller in a file.
    pub fn most_bytes(depth: Depth) -> u64 {
        8 * Heap::n_limbs(depth) as u64
    }

    fn n_limbs(depth: Depth) -> usize {
        (depth.n_bits() * 4).div_ceil(64)
    }

    /// Allocates a zeroed heap.
    ///
    /// # Errors
    /// [`TreeError::OutOfMemory`].
    pub fn zeros(depth: Depth) -> Result<Heap, TreeError> {
        let limbs = Limbs::zeros(Heap::n_limbs(depth)).map_err(|_| TreeError::OutOfMemory)?;
        Ok(Heap { depth, limbs })
    }

    /// The depth of the tree.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// The bits of the heap, from the low end; 2^(D+2) of them.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// The bits of the heap, to be filled in.
    pub fn limbs_mut(&mut self) -> &mut [u64] {
        &mut self.limbs
    }

    /// The bytes of the heap: 2^(D−1) of them.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        let n_bytes = self.depth.n_bits() / 2;
        self.limbs.iter().flat_map(|limb| limb.to_le_bytes()).take(n_bytes)
    }

    /// Reads a heap from bytes.
    ///
    /// # Errors
    /// [`TreeError::Length`] unless there are 2^(D−1) bytes, [`TreeError::OutOfMemory`].
    pub fn of_bytes(bytes: &[u8]) -> Result<Heap, TreeError> {
        let refused = TreeError::Length { n_bits: bytes.len().saturating_mul(8) };
        let depth =
            Depth::of_bits(bytes.len().checked_mul(2).ok_or(refused)?).map_err(|_| refused)?;
        let mut heap = Heap::zeros(depth)?;
        for (limb, bytes) in heap.limbs.iter_mut().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *limb = u64::from_le_bytes(whole);
        }
        Ok(heap)
    }

    /// Reads the tree, as [`Tree::of_heap`] does.
    ///
    /// # Errors
    /// As for [`Tree::of_heap`].
    pub fn tree(&self, environment: &dyn Environment) -> Result<Result<Tree, TreeError>, Ended> {
        Tree::of_heap(self.depth, &self.limbs, environment)
    }

    /// Packs a tree of the same depth, as [`Tree::pack`] does.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    ///
    /// # Panics
    /// If the depths differ.
    pub fn pack(&mut self, tree: &Tree, environment: &dyn Environment) -> Result<(), Ended> {
        assert_eq!(self.depth, tree.depth(), "depths of a heap and a tree");
        tree.pack(&mut self.limbs, environment)
    }
}

impl Tree {
    /// Reads the tree from the limbs of a heap. The depth may also be marked by bit D+2, as in the
    /// text of [000].
    ///
    /// # Errors
    /// [`TreeError::Marker`] if neither bit marks it, [`TreeError::NoTree`] if the field does not
    /// encode a tree, [`TreeError::Count`] if a count is wrong, [`TreeError::OutOfMemory`].
    ///
    /// # Panics
    /// If there are not 2^(D+2) bits in whole limbs.
    pub fn of_heap(
        depth: Depth,
        limbs: &[u64],
        environment: &dyn Environment,
    ) -> Result<Result<Tree, TreeError>, Ended> {
        assert_eq!(limbs.len(), Heap::n_limbs(depth), "limbs of a heap");
        let (levels, n_bits) = (depth.levels(), depth.n_bits());
        let marker = limbs[0] & low(levels + 3);
        if marker != 1 << levels && marker != 1 << (levels + 2) {
            return Ok(Err(TreeError::Marker { depth: levels }));
        }
        let field = 3 * n_bits;
        let tree = match n_bits {
            ..64 => Tree::of_bits(depth, &[limbs[field / 64] >> (field % 64) & low(n_bits as u32)]),
            _ => Tree::of_bits(depth, &limbs[field / 64..]),
        };
        let (tree, mut again) = match (tree, Heap::zeros(depth)) {
            (Ok(tree), Ok(again)) => (tree, again),
            (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
        };
        again.pack(&tree, environment)?;
        again.limbs[0] ^= (1 << levels) ^ marker;
        let differs = again.limbs.iter().zip(limbs).position(|(new, old)| new != old);
        Ok(match differs {
            None => Ok(tree),
            Some(limb) => Err(TreeError::Count { limb }),
        })
    }

    /// Packs the heap into zeroed limbs: the counts of the last reduce, and the live field.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted.
    ///
    /// # Panics
    /// If there are not 2^(D+2) bits in whole limbs.
    pub fn pack(&self, limbs: &mut [u64], environment: &dyn Environment) -> Result<(), Ended> {
        assert_eq!(limbs.len(), Heap::n_limbs(self.depth), "limbs of a heap");
        environment.poll()?;
        if self.depth.levels() < GROUP_LEVELS {
            self.pack_small(limbs);
            return Ok(());
        }
        let few = self.depth.n_limbs() < MANY;
        if few || environment.threads() == 1 {
            self.pack_levels(limbs, &|rows, each| rows.into_iter().try_for_each(each), environment)
        } else {
            install(environment, || {
                let spread: &Spread<'_> =
                    &|rows, each| rows.into_par_iter().with_max_len(4).try_for_each(each);
                self.pack_levels(limbs, spread, environment)
            })
        }
    }

    /// Packs all levels in one stream.
    fn pack_small(&self, limbs: &mut [u64]) {
        let levels = self.depth.levels();
        let mut packer = Packer::new(limbs);
        packer.put(1 << levels, levels + 3);
        // Levels of whole limbs, if any, and the levels below.
        for level in 0..levels.saturating_sub(6) {
            for node in 0..1 << level {
                packer.put(u64::from(self.leaves_at(level, node)), levels - level + 1);
            }
        }
        if levels >= 6 {
            let bits = self.reduced.iter();
            let nibbles = || bits.clone().map(|&limb| nibbles(pairs(limb)));
            let words = || nibbles().map(|x| words(bytes(x)));
            words().for_each(|x| packer.put(by_7(halves(x)), 7));
            words().for_each(|x| packer.put(by_6(halves(x)), 12));
            words().for_each(|x| packer.put(by_5(x), 20));
            nibbles().for_each(|x| packer.put(by_4(bytes(x)), 32));
            nibbles().for_each(|x| packer.put(by_3(x), 48));
            bits.clone().for_each(|&limb| packer.put(pairs(limb), 64));
        } else {
            for level in 0..levels {
                let width = 1 << (levels - level);
                for first in (0..self.depth.n_bits()).step_by(width) {
                    let ones = self.reduced[0] >> first & low(width as u32);
                    packer.put(u64::from(ones.count_ones()), levels - level + 1);
                }
            }
        }
        for limb in self.live_bits() {
            packer.put(limb, self.depth.n_bits().min(64) as u32);
        }
        packer.finish();
    }

    fn pack_levels(
        &self,
        limbs: &mut [u64],
        spread: &Spread<'_>,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let levels = self.depth.levels();
        let (top, mut rest) = limbs.split_at_mut(levels as usize - 3);
        // Levels 0 to 5 share limbs; with six of them, the next level begins at a limb boundary.
        let mut packer = Packer::new(top);
        packer.put(1 << levels, levels + 3);
        for level in 0..6 {
            for node in 0..1 << level {
                packer.put(u64::from(self.leaves_at(level, node)), levels - level + 1);
            }
        }
        packer.finish();
        // The levels stored in the rank directory.
        for level in 6..levels - 6 {
            let (here, below) =
                rest.split_at_mut((levels as usize + 1 - level as usize) << (level - 6));
            rest = below;
            let width = levels - level + 1;
            let rows: Vec<(usize, &mut [u64])> =
                here.chunks_mut(width as usize * GROUP).enumerate().collect();
            let rows = rows.into_iter().map(|(idx, limbs)| Row { idx, limbs, low: Vec::new() });
            spread(rows.collect(), &|row: Row<'_>| {
                let first = row.idx * GROUP * 64;
                let n = row.limbs.len() * 64 / width as usize;
                let mut packer = Packer::new(row.limbs);
                for node in first..first + n {
                    packer.put(u64::from(self.leaves_at(level, node)), width);
                }
                packer.finish();
                environment.poll()
            })?;
        }
        // The others are computed from the limbs of the field, group by group.
        let n_groups = self.depth.n_limbs() / GROUP;
        let mut rows: Vec<Row<'_>> = Vec::new();
        let batch = BATCH.min(n_groups);
        for idx in 0..n_groups / batch {
            rows.push(Row { idx, limbs: &mut [], low: Vec::with_capacity(7) });
        }
        for width in (1..=7).rev() {
            // 64 nodes of level D − 6 are a group.
            let n_limbs = (width * GROUP) >> (width - 1);
            let (here, below) = rest.split_at_mut(n_limbs * n_groups);
            rest = below;
            for (row, limbs) in rows.iter_mut().zip(here.chunks_mut(n_limbs * batch)) {
                row.low.push(limbs);
            }
        }
        spread(rows, &|Row { idx, low, .. }: Row<'_>| {
            let mut parts: Vec<_> = low
                .into_iter()
                .zip((1..=7).rev())
                .map(|(limbs, width)| limbs.chunks_mut((width * GROUP) >> (width - 1)))
                .collect();
            for group in idx * batch..(idx + 1) * batch {
                let start = group * GROUP;
                let mut live = [0; GROUP];
                for (to, from) in live.iter_mut().zip(&self.live[start..]) {
                    *to = from.load(Ordering::Relaxed);
                }
                let mut next = parts.iter_mut().filter_map(Iterator::next);
                let [Some(w7), Some(w6), Some(w5), Some(w4), Some(w3), Some(w2), Some(w1)] =
                    array::from_fn(|_| next.next())
                else {
                    return Err(Ended::Internal("a level of a heap is too short"));
                };
                let mut field = [0; GROUP];
                field.copy_from_slice(&self.reduced[start..start + GROUP]);
                pack_group(&field, [w7, w6, w5, w4, w3, w2]);
                w1.copy_from_slice(&live);
            }
            environment.poll()
        })
    }
}

/// Number of limbs from which threads pay off: a tree of depth 20 takes about 100 µs on one thread,
/// and distributing the work takes 12 µs.
const MANY: usize = 1 << 14;

/// Groups per task of a thread.
const BATCH: usize = 8;

/// Runs a closure for each row, on one thread or on all.
type Spread<'s> = dyn for<'r> Fn(Vec<Row<'r>>, &(dyn Fn(Row<'r>) -> Result<(), Ended> + Sync)) -> Result<(), Ended>
    + Sync
    + 's;

/// A part of a level, or of the seven lowest ones.
struct Row<'a> {
    idx: usize,
    limbs: &'a mut [u64],
    low: Vec<&'a mut [u64]>,
}

impl Tree {
    /// Returns the number of leaves below node number `node` (from 0) of a level above D − 5, from
    /// the rank directory where available.
    #[inline]
    fn leaves_at(&self, level: u32, node: usize) -> u32 {
        let up = self.depth.levels() - level;
        match up.checked_sub(9) {
            Some(blocks) => self.ranks[(node + 1) << blocks] - self.ranks[node << blocks],
            None => {
                let limbs = (node << up) / 64..((node + 1) << up) / 64;
                self.reduced[limbs].iter().map(|limb| limb.count_ones()).sum()
            }
        }
    }
}

/// A mask of the lowest bits, fewer than 64.
fn low(n_bits: u32) -> u64 {
    (1 << n_bits) - 1
}
