//! Marks for cycles of a tree that comes back: what one batch splits the next one merges, and the
//! other way round.

use star_base::Random;
use star_intrinsics::cbt::{Depth, Tree};

use super::SEED;

/// Of the leaves that may be split and the pairs that may merge, one in so many is marked.
const ONE_IN: usize = 8;

/// The marks of two batches in turn.
pub(super) struct Iterations {
    /// Marks to split and to merge, of each.
    batches: [[Vec<u64>; 2]; 2],
}

impl Iterations {
    /// For a tree with these leaves in their order.
    pub(super) fn of(tree: &Tree, indices: &[u32]) -> Iterations {
        let depth = tree.depth();
        let field = || vec![0; depth.n_limbs()];
        let mut batches = [(); 2].map(|()| [field(), field()]);
        let [[splits, merges], [splits_back, merges_back]] = &mut batches;
        let mut random = Random::new(SEED);
        let mut at = 0;
        while let Some(&index) = indices.get(at) {
            at += 1;
            let is_marked = random.below(ONE_IN) == 0;
            if index % 2 == 0 && indices.get(at) == Some(&(index + 1)) {
                at += 1;
                if is_marked {
                    mark(merges, depth, [index, index + 1]);
                    mark(splits_back, depth, [index / 2]);
                }
            } else if is_marked && index.ilog2() < depth.levels() {
                mark(splits, depth, [index]);
                mark(merges_back, depth, [2 * index, 2 * index + 1]);
            }
        }
        Iterations { batches }
    }

    /// The marks of a batch, there or back.
    pub(super) fn batch(&self, iteration: usize) -> [&[u64]; 2] {
        let [splits, merges] = &self.batches[iteration % 2];
        [splits, merges]
    }
}

fn mark<const N: usize>(marks: &mut [u64], depth: Depth, indices: [u32; N]) {
    for node in indices.into_iter().filter_map(|index| depth.node(u64::from(index))) {
        let bit = depth.bit(node);
        marks[bit / 64] |= 1 << (bit % 64);
    }
}
