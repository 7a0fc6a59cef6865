//! The tree: its fields and operations on single nodes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use star_value::Limbs;

use super::node::{Depth, Leaf, Node, TreeError};
use super::reduce::{BLOCK, rank};
use crate::has;

/// A tree. Single nodes can be changed by many threads at once; see Note [Two fields].
#[derive(Debug)]
pub struct Tree {
    pub(super) depth: Depth,
    /// The live field.
    pub(super) live: Vec<AtomicU64>,
    /// The field of the last reduce.
    pub(super) reduced: Limbs,
    /// The rank directory: the number of leaves of the last reduce before each block of 512 bits,
    /// and the total.
    pub(super) ranks: Vec<u32>,
    /// Whether the live field has changed since the last reduce.
    pub(super) stale: AtomicBool,
}

impl Tree {
    /// Bytes that a tree needs.
    pub fn most_bytes(depth: Depth) -> u64 {
        let n_limbs = depth.n_limbs() as u64;
        16 * n_limbs + 4 * (n_limbs.div_ceil(BLOCK as u64) + 1)
    }

    /// A tree whose leaves are all nodes of a level: every 2^(D−level)-th bit is set.
    ///
    /// # Errors
    /// [`TreeError::Level`] if the level is below the depth, [`TreeError::OutOfMemory`].
    pub fn at_level(depth: Depth, level: u32) -> Result<Tree, TreeError> {
        if level > depth.levels() {
            return Err(TreeError::Level { level: i64::from(level), depth: depth.levels() });
        }
        let step = 1_usize << (depth.levels() - level);
        let limb = |idx: usize| match step {
            ..64 => (0..depth.n_bits().min(64)).step_by(step).fold(0, |limb, bit| limb | 1 << bit),
            _ => u64::from((idx * 64).is_multiple_of(step)),
        };
        let inner = limb(1);
        Tree::filled(depth, |idx| if idx == 0 || step > 64 { limb(idx) } else { inner })
    }

    /// The tree that a bit field encodes.
    ///
    /// # Errors
    /// [`TreeError::NoTree`] at the first leaf that is not a node, [`TreeError::OutOfMemory`].
    ///
    /// # Panics
    /// If there are not 2^D bits in whole limbs.
    pub fn of_bits(depth: Depth, bits: &[u64]) -> Result<Tree, TreeError> {
        assert_eq!(bits.len(), depth.n_limbs(), "limbs of a field of depth {depth:?}");
        check(depth, bits.iter().copied())?;
        Tree::filled(depth, |idx| bits[idx])
    }

    fn filled(depth: Depth, limb: impl Fn(usize) -> u64) -> Result<Tree, TreeError> {
        let n_limbs = depth.n_limbs();
        let refused = |_| TreeError::OutOfMemory;
        let mut live = Vec::new();
        live.try_reserve_exact(n_limbs).map_err(|_| TreeError::OutOfMemory)?;
        let mut ranks = Vec::new();
        let n_ranks = n_limbs.div_ceil(BLOCK) + 1;
        ranks.try_reserve_exact(n_ranks).map_err(|_| TreeError::OutOfMemory)?;
        live.extend((0..n_limbs).map(|idx| AtomicU64::new(limb(idx))));
        ranks.resize(n_ranks, 0);
        let reduced = Limbs::zeros(n_limbs).map_err(refused)?;
        let mut tree = Tree { depth, live, reduced, ranks, stale: AtomicBool::new(true) };
        tree.reduce_here();
        Ok(tree)
    }

    /// The depth.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// The number of leaves, as of the last reduce.
    #[inline]
    pub fn count(&self) -> usize {
        self.ranks.last().copied().unwrap_or(0) as usize
    }

    /// The field of the last reduce.
    pub fn bits(&self) -> &[u64] {
        &self.reduced
    }

    /// The live field.
    pub fn live_bits(&self) -> impl Iterator<Item = u64> {
        self.live.iter().map(|limb| limb.load(Ordering::Relaxed))
    }

    /// Returns whether the tree has changed since the last reduce.
    pub fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    /// Checks that the field of the last reduce encodes a tree. This holds unless unchecked splits
    /// or merges were made.
    ///
    /// # Errors
    /// [`TreeError::NoTree`] at the first leaf that is not a node.
    pub fn check(&self) -> Result<(), TreeError> {
        check(self.depth, self.reduced.iter().copied())
    }

    /// Checks that the live field encodes a tree.
    ///
    /// # Errors
    /// As for [`Tree::check`].
    pub fn check_live(&self) -> Result<(), TreeError> {
        check(self.depth, self.live_bits())
    }

    /// The number of leaves below a node: from the live field at level D, otherwise as of the last
    /// reduce.
    pub fn count_under(&self, node: Node) -> usize {
        let start = self.depth.bit(node);
        if node.level() == self.depth.levels() {
            return usize::from(self.is_set(start));
        }
        let end = start + self.depth.width(node);
        rank(&self.reduced, &self.ranks, end) - rank(&self.reduced, &self.ranks, start)
    }

    /// The leaf with an ordinal, from 0, as of the last reduce; `None` if there is none.
    pub fn leaf(&self, ordinal: usize) -> Option<Leaf> {
        if ordinal >= self.count() {
            return None;
        }
        let block = self.ranks.partition_point(|&before| before as usize <= ordinal) - 1;
        let mut left = ordinal - self.ranks[block] as usize;
        for (idx, &limb) in self.reduced.iter().enumerate().skip(block * BLOCK) {
            let ones = limb.count_ones() as usize;
            if left < ones {
                let rest = (0..left).fold(limb, |rest, _| rest & rest.wrapping_sub(1));
                let bit = idx * 64 + rest.trailing_zeros() as usize;
                return Some(self.depth.leaf(bit, width_at(&self.reduced, self.depth, bit)));
            }
            left -= ones;
        }
        None
    }

    /// Returns whether the bit is set in the live field, or is the one after the last.
    #[inline]
    fn is_set(&self, bit: usize) -> bool {
        bit == self.depth.n_bits()
            || self.live[bit / 64].load(Ordering::Relaxed) >> (bit % 64) & 1 == 1
    }

    /// Returns whether the node is a leaf in the live field.
    ///
    /// Three bits decide. The node exists iff a leaf begins at its first bit and one begins after
    /// its last, because no bit is set inside a leaf, and so none below it. It is an inner node iff
    /// a leaf begins at its middle.
    #[inline]
    pub fn is_leaf(&self, node: Node) -> bool {
        let (bit, width) = (self.depth.bit(node), self.depth.width(node));
        self.is_set(bit)
            && self.is_set(bit + width)
            && (width == 1 || !self.is_set(bit + width / 2))
    }

    /// Returns whether the node was a leaf at the last reduce.
    #[inline]
    pub fn was_leaf(&self, node: Node) -> bool {
        let (bit, width) = (self.depth.bit(node), self.depth.width(node));
        has(&self.reduced, bit) && width_at(&self.reduced, self.depth, bit) == width
    }

    /// Splits a leaf above level D; returns whether the node was such a leaf. Otherwise nothing
    /// changes.
    #[inline]
    pub fn split(&self, node: Node) -> bool {
        let splits = node.level() < self.depth.levels() && self.is_leaf(node);
        if splits {
            self.split_raw(node);
        }
        splits
    }

    /// Merges the children of a node; returns whether both were leaves. Otherwise nothing changes.
    #[inline]
    pub fn merge(&self, node: Node) -> bool {
        let [left, right] = [2 * u64::from(node.index()), 2 * u64::from(node.index()) + 1];
        let is_leaf = |index| self.depth.node(index).is_some_and(|child| self.is_leaf(child));
        let merges = is_leaf(left) && is_leaf(right);
        if merges {
            self.merge_raw(node);
        }
        merges
    }

    /// Sets the first bit of the right child without any check; does nothing at level D. Below a
    /// leaf, the field does not encode a tree until the nodes above are split, too.
    #[inline]
    pub fn split_raw(&self, node: Node) {
        if node.level() < self.depth.levels() {
            let bit = self.depth.bit(node) + self.depth.width(node) / 2;
            self.set(bit / 64, 1 << (bit % 64));
        }
    }

    /// Clears the first bit of the right child without any check; does nothing at level D.
    #[inline]
    pub fn merge_raw(&self, node: Node) {
        if node.level() < self.depth.levels() {
            let bit = self.depth.bit(node) + self.depth.width(node) / 2;
            self.clear(bit / 64, 1 << (bit % 64));
        }
    }

    /// Sets bits of a limb of the live field.
    #[inline]
    pub(super) fn set(&self, limb: usize, bits: u64) {
        self.live[limb].fetch_or(bits, Ordering::Relaxed);
        self.touch();
    }

    /// Clears bits of a limb of the live field.
    #[inline]
    pub(super) fn clear(&self, limb: usize, bits: u64) {
        self.live[limb].fetch_and(!bits, Ordering::Relaxed);
        self.touch();
    }

    #[inline]
    fn touch(&self) {
        // Read first: a cache line that is not written stays in the cache of every core.
        if !self.is_stale() {
            self.stale.store(true, Ordering::Relaxed);
        }
    }
}

/// The width of the leaf that begins at a bit: the smallest power of two after which a bit is set.
/// Inside a leaf no bit is set, so at most D tests are needed for any width.
#[inline]
pub(super) fn width_at(bits: &[u64], depth: Depth, bit: usize) -> usize {
    let mut width = 1;
    while bit + width < depth.n_bits() && !has(bits, bit + width) {
        width *= 2;
    }
    width
}

/// Checks that the field encodes a tree: every leaf must begin at a multiple of its width, which is
/// a power of two.
fn check(depth: Depth, bits: impl Iterator<Item = u64>) -> Result<(), TreeError> {
    let is_node = |start: usize, end: usize| {
        let width = end - start;
        width.is_power_of_two() && start.is_multiple_of(width)
    };
    let mut start = 0;
    for (idx, limb) in bits.enumerate() {
        let mut rest = match idx {
            0 if limb & 1 == 0 => return Err(TreeError::NoTree { bit: 0 }),
            0 if depth.n_bits() < 64 && limb >> depth.n_bits() != 0 => {
                return Err(TreeError::NoTree { bit: depth.n_bits() });
            }
            0 => limb & !1,
            _ => limb,
        };
        while rest != 0 {
            let next = idx * 64 + rest.trailing_zeros() as usize;
            if !is_node(start, next) {
                return Err(TreeError::NoTree { bit: start });
            }
            start = next;
            rest &= rest - 1;
        }
    }
    if is_node(start, depth.n_bits()) { Ok(()) } else { Err(TreeError::NoTree { bit: start }) }
}
