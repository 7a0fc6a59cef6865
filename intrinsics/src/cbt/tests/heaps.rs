//! Tests of the packed heap against its definition.

use super::super::{Heap, Tree};
use super::model::{self, Pointers};
use star_base::Random;

use super::{decoded, depth, one, random_tree, some};
use crate::environment::Environment;

fn packed(tree: &Tree, environment: &dyn Environment) -> Heap {
    let mut heap = Heap::zeros(tree.depth()).unwrap();
    heap.pack(tree, environment).unwrap();
    heap
}

#[test]
fn heaps_match_the_definition_after_every_operation() {
    for (levels, n_rounds) in [(1, 20), (2, 60), (4, 300), (5, 300), (6, 300), (10, 300), (12, 60)]
    {
        let mut random = Random::new(levels as u64);
        let mut tree = Tree::at_level(depth(levels), levels as u32 / 2).unwrap();
        let mut pointers = Pointers::at_level(levels as u32 / 2);
        for round in 0..n_rounds {
            let leaves = pointers.leaves();
            let index = leaves[random.below(leaves.len())];
            let node = |index| tree.depth().node(index).unwrap();
            if random.below(2) == 0 {
                assert_eq!(tree.split(node(index)), pointers.split(index, levels as u32));
            } else if index > 1 {
                assert_eq!(tree.merge(node(index / 2)), pointers.merge(index / 2));
            }
            tree.reduce(one()).unwrap();
            let expected = model::limbs(&model::heap(levels as u32, &pointers.leaves()));
            let heap = packed(&tree, one());
            assert_eq!(heap.limbs(), expected, "depth {levels}, round {round}");
            assert_eq!(heap.bytes().count(), 1 << (levels - 1));
        }
    }
}

#[test]
fn heaps_of_all_depths_read_back() {
    for levels in 1..=17 {
        for share in [1, 4] {
            let tree = random_tree(levels, (1 << levels) / share, 1);
            let leaves: Vec<u64> =
                decoded(&tree, one()).iter().map(|leaf| u64::from(leaf.node.index())).collect();
            let heap = packed(&tree, &some(3));
            let expected = model::limbs(&model::heap(levels as u32, &leaves));
            assert!(heap.limbs() == expected, "depth {levels}");
            let bytes: Vec<u8> = heap.bytes().collect();
            let back = Heap::of_bytes(&bytes).unwrap().tree(&some(3)).unwrap().unwrap();
            assert!(back.bits() == tree.bits() && back.count() == leaves.len());
        }
    }
}

#[test]
fn unreduced_heap_equals_that_of_the_source() {
    // Level D is live; the counts above are from before the change.
    let tree = Tree::at_level(depth(12), 11).unwrap();
    let before = packed(&tree, one());
    tree.split(tree.depth().node(1 << 11).unwrap());
    let after = packed(&tree, one());
    let field = 3 << 12 >> 6;
    assert_eq!(after.limbs()[..field], before.limbs()[..field]);
    assert_eq!(after.limbs()[field], before.limbs()[field] | 2);
    assert_eq!(after.limbs()[field + 1..], before.limbs()[field + 1..]);
}
