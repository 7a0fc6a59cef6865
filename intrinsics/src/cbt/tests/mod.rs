//! Tests of the tree against a tree of pointers, of the heap against its definition, and of threads
//! against a single thread.

mod bad;
mod batches;
mod heaps;
mod model;
mod nodes;
mod scans;
mod threads;
mod watches;

use std::sync::LazyLock;

use star_base::Random;

use super::{Depth, Leaf, Tree};
use crate::environment::Environment;
use crate::workers::Workers;

/// A single thread.
pub(crate) fn one() -> &'static Workers<'static> {
    static ONE: LazyLock<Workers<'static>> = LazyLock::new(|| some(1));
    &ONE
}

/// `n` threads.
pub(crate) fn some(n: usize) -> Workers<'static> {
    Workers::new(Some(n), Workers::NEVER).unwrap()
}

pub(super) fn depth(levels: i64) -> Depth {
    Depth::new(levels).unwrap()
}

/// All leaves, decoded in one call.
pub(super) fn decoded(tree: &Tree, environment: &dyn Environment) -> Vec<Leaf> {
    let (mut indices, mut levels) = (vec![0; tree.count()], vec![0; tree.count()]);
    tree.decode(&mut indices, &mut levels, environment).unwrap();
    let leaf = |(index, level): (u32, u8)| Leaf {
        node: tree.depth().node(u64::from(index)).unwrap(),
        level: u32::from(level),
    };
    indices.into_iter().zip(levels).map(leaf).collect()
}

/// A tree that was split at random until it has `n_leaves` leaves or no leaf can be split.
pub(super) fn random_tree(levels: i64, n_leaves: usize, seed: u64) -> Tree {
    let depth = depth(levels);
    let mut random = Random::new(seed);
    let mut tree = Tree::at_level(depth, 0).unwrap();
    // Leaves above level D, unordered.
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
