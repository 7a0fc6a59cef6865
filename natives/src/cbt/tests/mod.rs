//! The tree against one of pointers, the heap against its definition, threads against none.

mod bad;
mod batches;
mod heaps;
mod model;
mod nodes;
mod scans;
mod threads;
mod watches;

use std::sync::LazyLock;

use super::{Depth, Leaf, Tree};
use crate::environment::Environment;
use crate::workers::Workers;

/// One thread.
pub(crate) fn one() -> &'static Workers<'static> {
    static ONE: LazyLock<Workers<'static>> = LazyLock::new(|| some(1));
    &ONE
}

/// So many threads.
pub(crate) fn some(n: usize) -> Workers<'static> {
    Workers::new(Some(n), Workers::NEVER).unwrap()
}

/// Random numbers: splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

pub(super) fn depth(levels: i64) -> Depth {
    Depth::new(levels).unwrap()
}

/// All leaves, decoded at once.
pub(super) fn decoded(tree: &Tree, environment: &dyn Environment) -> Vec<Leaf> {
    let (mut indices, mut levels) = (vec![0; tree.count()], vec![0; tree.count()]);
    tree.decode(&mut indices, &mut levels, environment).unwrap();
    let leaf = |(index, level): (u32, u8)| Leaf {
        node: tree.depth().node(u64::from(index)).unwrap(),
        level: u32::from(level),
    };
    indices.into_iter().zip(levels).map(leaf).collect()
}

/// A tree that was split at random until it has so many leaves, or none can be split any more.
pub(super) fn random_tree(levels: i64, n_leaves: usize, seed: u64) -> Tree {
    let depth = depth(levels);
    let mut random = Random(seed);
    let mut tree = Tree::at_level(depth, 0).unwrap();
    // Leaves above level D, in no order.
    let (mut leaves, mut count) = (vec![1_u64], 1);
    while count < n_leaves && !leaves.is_empty() {
        let index = leaves.swap_remove(random.below(leaves.len()));
        assert!(tree.split(depth.node(index).unwrap()));
        leaves
            .extend([2 * index, 2 * index + 1].iter().filter(|leaf| leaf.ilog2() < depth.levels()));
        count += 1;
    }
    tree.reduce(one()).unwrap();
    tree
}
