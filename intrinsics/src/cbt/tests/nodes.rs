//! Tests of single nodes.

use std::collections::HashMap;

use super::super::{Depth, Leaf, Node, Tree};
use super::model::Pointers;
use star_base::Random;

use super::{decoded, depth, one, random_tree};

fn indices(leaves: &[Leaf]) -> Vec<u64> {
    leaves.iter().map(|leaf| u64::from(leaf.node.index())).collect()
}

/// Compares all properties of the leaves of a tree.
fn compare(tree: &Tree, expected: &[u64]) {
    let depth = tree.depth();
    assert_eq!(tree.count(), expected.len());
    let leaves = decoded(tree, one());
    assert_eq!(indices(&leaves), expected, "{depth:?}");
    for (ordinal, leaf) in leaves.iter().enumerate() {
        assert_eq!(leaf.level, leaf.node.level());
        assert_eq!(tree.leaf(ordinal), Some(*leaf), "{depth:?}, {ordinal}");
    }
    assert_eq!(tree.leaf(expected.len()), None);
}

#[test]
fn bits_of_the_source_map_to_its_nodes() {
    // [000], section "Node index from bit index", D = 4.
    let nodes = |bit| depth(4).nodes_at(bit).map(Node::index).collect::<Vec<u32>>();
    assert_eq!(nodes(0), [16, 8, 4, 2, 1]);
    assert_eq!(nodes(4), [20, 10, 5]);
    assert_eq!(nodes(14), [30, 15]);
    // "For node 5 the deepest descendant is 20, and its bit is 4."
    let node = |index| depth(4).node(index).unwrap();
    assert_eq!(depth(4).bit(node(5)), 4);
    assert_eq!(node(27).level(), 4);
    for bit in 0..16 {
        assert!(depth(4).nodes_at(bit).all(|node| depth(4).bit(node) == bit));
    }
}

#[test]
fn perfect_trees_have_the_nodes_of_a_level() {
    for levels in 1..=14 {
        for level in 0..=levels {
            let tree = Tree::at_level(depth(levels), level as u32).unwrap();
            compare(&tree, &((1 << level)..(2 << level)).collect::<Vec<u64>>());
            let places: Vec<usize> = (0..tree.depth().n_bits())
                .filter(|bit| tree.bits()[bit / 64] >> (bit % 64) & 1 == 1)
                .collect();
            assert!(places.iter().all(|bit| bit % (1 << (levels - level)) == 0));
        }
    }
}

#[test]
fn random_operations_match_a_tree_of_pointers() {
    let mut n_done = [0; 4];
    for (levels, n_rounds) in [(1, 200), (2, 400), (5, 4_000), (6, 4_000), (8, 8_000), (13, 20_000)]
    {
        let mut random = Random::new(levels as u64);
        let (mut tree, mut model) =
            (Tree::at_level(depth(levels), 0).unwrap(), Pointers::at_level(0));
        for round in 0..n_rounds {
            // Any node at all, so that most do not exist, are inner nodes, or are below leaves.
            let level = random.below(levels as usize + 1);
            let index = (1_u64 << level) + random.below(1 << level) as u64;
            let node = tree.depth().node(index).unwrap();
            let [split, merged] = match random.below(3) {
                0 => [None, Some((tree.merge(node), model.merge(index)))],
                _ => [Some((tree.split(node), model.split(index, levels as u32))), None],
            };
            for (kind, (tree_did, model_did)) in
                [split, merged].into_iter().enumerate().filter_map(|(kind, did)| Some((kind, did?)))
            {
                assert_eq!(tree_did, model_did, "depth {levels}, round {round}, node {index}");
                n_done[2 * kind + usize::from(tree_did)] += 1;
            }
            if round % 97 == 0 {
                tree.reduce(one()).unwrap();
                compare(&tree, &model.leaves());
            }
        }
        tree.reduce(one()).unwrap();
        compare(&tree, &model.leaves());
    }
    assert!(n_done.iter().all(|&n| n > 500), "{n_done:?}");
}

#[test]
fn a_million_operations_match_a_tree_of_pointers() {
    let levels = 18;
    let (mut tree, mut model) = (random_tree(levels, 1, 0), Pointers::at_level(0));
    let mut random = Random::new(7);
    // The leaves, unordered, and the position of each.
    let (mut leaves, mut places) = (vec![1_u64], HashMap::from([(1_u64, 0)]));
    for _ in 0..1_000_000 {
        let at = random.below(leaves.len());
        let index = leaves[at];
        let node = |index| tree.depth().node(index).unwrap();
        if random.below(5) < 3 {
            let split = tree.split(node(index));
            assert_eq!(split, model.split(index, levels as u32));
            if split {
                places.remove(&index);
                places.extend([(2 * index, at), (2 * index + 1, leaves.len())]);
                leaves[at] = 2 * index;
                leaves.push(2 * index + 1);
            }
        } else if index > 1 {
            let merged = tree.merge(node(index / 2));
            assert_eq!(merged, model.merge(index / 2));
            if merged {
                let gone = places.remove(&(index ^ 1)).unwrap();
                places.remove(&index);
                places.insert(index / 2, at);
                leaves[at] = index / 2;
                leaves.swap_remove(gone);
                if let Some(moved) = leaves.get(gone) {
                    places.insert(*moved, gone);
                }
            }
        }
    }
    assert!(leaves.len() > 1_000);
    tree.reduce(one()).unwrap();
    compare(&tree, &model.leaves());
}

#[test]
fn split_and_merge_are_idempotent_and_undo_each_other() {
    let tree = random_tree(12, 300, 3);
    let before: Vec<u64> = tree.live_bits().collect();
    for leaf in decoded(&tree, one()) {
        if leaf.level < 12 {
            assert!(tree.split(leaf.node) && !tree.split(leaf.node));
            tree.split_raw(leaf.node);
            assert!(tree.merge(leaf.node) && !tree.merge(leaf.node));
            tree.merge_raw(leaf.node);
        } else {
            assert!(!tree.split(leaf.node) && !tree.merge(leaf.node));
            tree.split_raw(leaf.node);
            tree.merge_raw(leaf.node);
        }
        assert!(tree.live_bits().eq(before.iter().copied()), "{leaf:?}");
    }
}

#[test]
fn inner_and_missing_nodes_are_unchanged() {
    // The leaves 4, 10, 11, 3 of depth 4.
    let depth = depth(4);
    let node = |index| depth.node(index).unwrap();
    let tree = Tree::at_level(depth, 1).unwrap();
    assert!(tree.split(node(2)) && tree.split(node(5)));
    let bits: Vec<u64> = tree.live_bits().collect();
    for index in [1, 2, 5, 6, 7, 8, 9, 12, 15, 16, 31] {
        assert!(!tree.split(node(index)), "{index}");
    }
    for index in [1, 2, 3, 4, 6, 7, 8, 10, 15, 16, 31] {
        assert!(!tree.merge(node(index)), "{index}");
    }
    assert!(tree.live_bits().eq(bits));
    assert!(tree.merge(node(5)) && tree.merge(node(2)) && tree.merge(node(1)));
    assert!(tree.live_bits().eq([1]));
}

#[test]
fn counts_are_stale_above_level_d_until_a_reduce() {
    let mut tree = Tree::at_level(depth(6), 5).unwrap();
    let [parent, right] = [32, 65].map(|index| tree.depth().node(index).unwrap());
    assert_eq!([tree.count_under(parent), tree.count_under(right)], [1, 0]);
    assert!(!tree.is_stale() && tree.split(parent) && tree.is_stale());
    assert_eq!([tree.count_under(parent), tree.count_under(right), tree.count()], [1, 1, 32]);
    tree.reduce(one()).unwrap();
    assert_eq!([tree.count_under(parent), tree.count_under(right), tree.count()], [2, 1, 33]);
    assert!(!tree.is_stale());
}

#[test]
fn node_counts_equal_the_leaves_below() {
    for (levels, n_leaves) in [(3, 5), (7, 40), (11, 700), (13, 900)] {
        let tree = random_tree(levels, n_leaves, 5);
        let leaves = indices(&decoded(&tree, one()));
        for index in 1..2_u64 << levels {
            let node = tree.depth().node(index).unwrap();
            // The count of a leaf is stored at each level below it, at its first bit.
            let level = index.ilog2();
            let is_below = |&&leaf: &&u64| match level.checked_sub(leaf.ilog2()) {
                None => leaf >> (leaf.ilog2() - level) == index,
                Some(up) => leaf << up == index,
            };
            assert_eq!(tree.count_under(node), leaves.iter().filter(is_below).count(), "{index}");
        }
    }
}

#[test]
fn supports_the_greatest_depth() {
    let depth = Depth::MAX;
    let mut tree = Tree::at_level(depth, 0).unwrap();
    let mut index = 1;
    while index < 1 << 30 {
        assert!(tree.split(depth.node(index).unwrap()));
        index = 2 * index + 1;
    }
    assert!(!tree.split(depth.node(index).unwrap()));
    tree.reduce(one()).unwrap();
    assert_eq!(tree.count(), 31);
    let leaf = tree.leaf(30).unwrap();
    assert_eq!((leaf.node.index(), leaf.level), ((1 << 31) - 1, 30));
    assert_eq!(tree.leaf(0).unwrap().level, 1);
}
