//! Batch updates: every leaf is kept, split, or merged with its sibling.

use rayon::prelude::*;

use super::decode::BlockLeaves;
use super::node::{Leaf, Node};
use super::reduce::BLOCK;
use super::tree::{Tree, width_at};
use crate::environment::{Ended, Environment, install};

/// Blocks per task of a thread.
const GRAIN: usize = 64;

/// The change to apply to a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The leaf stays.
    Keep,
    /// The leaf is split, unless its level is D.
    Split,
    /// The leaf merges with its sibling, if that is a leaf and is to merge, too.
    Merge,
}

impl Tree {
    /// Decodes all leaves and changes the live field as `decide` returns for each. `decide` sees
    /// the tree of the last reduce; it may be called more than once for a leaf and must always
    /// return the same answer. Returns how many leaves were split and how many pairs were merged.
    ///
    /// # Errors
    /// [`Ended::Interrupted`] if the run is interrupted: some leaves have then been changed.
    pub fn update(
        &self,
        decide: &(impl Fn(Leaf) -> Change + Sync),
        environment: &dyn Environment,
    ) -> Result<[usize; 2], Ended> {
        let n_blocks = self.ranks.len() - 1;
        let part = |part: usize| {
            environment.poll()?;
            Ok(self.update_blocks(part * GRAIN, ((part + 1) * GRAIN).min(n_blocks), decide))
        };
        let n_parts = n_blocks.div_ceil(GRAIN);
        if n_parts == 1 || environment.threads() == 1 {
            return (0..n_parts).map(part).try_fold([0; 2], |all, these| Ok(sum(all, these?)));
        }
        let parts = || (0..n_parts).into_par_iter().map(part);
        install(environment, || parts().try_reduce(|| [0; 2], |all, these| Ok(sum(all, these))))
    }

    /// One cycle: decode, decide, split and merge, reduce.
    ///
    /// # Errors
    /// As for [`Tree::update`].
    pub fn cycle(
        &mut self,
        decide: &(impl Fn(Leaf) -> Change + Sync),
        environment: &dyn Environment,
    ) -> Result<[usize; 2], Ended> {
        let changed = self.update(decide, environment)?;
        self.reduce(environment)?;
        Ok(changed)
    }

    fn update_blocks(
        &self,
        start: usize,
        end: usize,
        decide: &(impl Fn(Leaf) -> Change + Sync),
    ) -> [usize; 2] {
        let mut leaves = BlockLeaves::EMPTY;
        let mut changes = Changes { tree: self, limb: start * BLOCK, set: 0, clear: 0 };
        let mut n_changed = [0; 2];
        for block in start..end {
            let n = self.decode_block(block, &mut leaves);
            for (&index, &level) in leaves.indices[..n].iter().zip(&leaves.levels[..n]) {
                let node = Node::decoded(index);
                let leaf = Leaf { node, level: u32::from(level) };
                let (bit, width) = (self.depth.bit(node), self.depth.width(node));
                match decide(leaf) {
                    Change::Keep => {}
                    Change::Split if width == 1 => {}
                    Change::Split => {
                        n_changed[0] += 1;
                        changes.set(bit + width / 2);
                    }
                    // The left leaf decides for the pair.
                    Change::Merge => {
                        let sibling = self.right_leaf(leaf);
                        if sibling.is_some_and(|right| decide(right) == Change::Merge) {
                            n_changed[1] += 1;
                            changes.clear(bit + width);
                        }
                    }
                }
            }
        }
        changes.flush();
        n_changed
    }

    /// The sibling of a leaf that is a left child, if it is also a leaf of the last reduce.
    pub(super) fn right_leaf(&self, Leaf { node, level }: Leaf) -> Option<Leaf> {
        let (bit, width) = (self.depth.bit(node) + self.depth.width(node), self.depth.width(node));
        let right = node.sibling().filter(|right| right.index() > node.index())?;
        (width_at(&self.reduced, self.depth, bit) == width).then_some(Leaf { node: right, level })
    }
}

/// Adds the splits and merges of two parts.
pub(super) fn sum([splits, merges]: [usize; 2], [more, more_merges]: [usize; 2]) -> [usize; 2] {
    [splits + more, merges + more_merges]
}

/// Pending changes of a limb: most leaves change bits of the limb that they begin in.
struct Changes<'a> {
    tree: &'a Tree,
    limb: usize,
    set: u64,
    clear: u64,
}

impl Changes<'_> {
    fn set(&mut self, bit: usize) {
        self.go_to(bit / 64);
        self.set |= 1 << (bit % 64);
    }

    fn clear(&mut self, bit: usize) {
        self.go_to(bit / 64);
        self.clear |= 1 << (bit % 64);
    }

    fn go_to(&mut self, limb: usize) {
        if limb != self.limb {
            self.flush();
            self.limb = limb;
        }
    }

    fn flush(&mut self) {
        if self.set != 0 {
            self.tree.set(self.limb, self.set);
        }
        if self.clear != 0 {
            self.tree.clear(self.limb, self.clear);
        }
        (self.set, self.clear) = (0, 0);
    }
}
