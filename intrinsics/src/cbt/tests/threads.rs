//! Tests of threads: parallel results equal sequential results.

use rayon::prelude::*;

use super::super::{Change, Heap, Leaf, Tree};
use star_base::Random;

use super::{decoded, depth, one, random_tree, some};
use crate::environment::{Environment, install};

#[test]
fn all_threads_decode_the_same_leaves_as_one() {
    for (levels, n_leaves) in [(15, 1_usize << 15), (20, 1 << 18), (20, 3_000), (21, 1 << 21)] {
        let tree = match n_leaves.ilog2() {
            n if n as i64 == levels => Tree::at_level(depth(levels), n).unwrap(),
            _ => random_tree(levels, n_leaves, 4),
        };
        let one = decoded(&tree, one());
        assert!(one == decoded(&tree, &some(4)), "depth {levels}");
        assert_eq!(one.len(), n_leaves);
    }
}

#[test]
fn conflict_free_changes_on_threads_equal_sequential_ones() {
    let environment = some(4);
    for seed in 0..4 {
        let trees = [(); 2].map(|()| random_tree(18, 60_000, seed));
        let leaves = decoded(&trees[0], one());
        // Disjoint subtrees: leaves to split, and pairs to merge.
        let jobs: Vec<(Leaf, Change)> = leaves
            .iter()
            .map(|&leaf| {
                let draw = Random::new(u64::from(leaf.node.index() / 2) ^ seed).below(3);
                (leaf, [Change::Keep, Change::Split, Change::Merge][draw])
            })
            .collect();
        let [parallel, in_turn] = &trees;
        let work = |tree: &Tree, &(leaf, change): &(Leaf, Change)| match change {
            Change::Keep => false,
            Change::Split => tree.split(leaf.node),
            Change::Merge => {
                leaf.node.index().is_multiple_of(2)
                    && leaf.node.parent().is_some_and(|up| tree.merge(up))
            }
        };
        let n_in_turn = jobs.iter().filter(|job| work(in_turn, job)).count();
        let n_parallel =
            install(&environment, || Ok(jobs.par_iter().filter(|job| work(parallel, job)).count()));
        assert_eq!(n_parallel.unwrap(), n_in_turn);
        assert!(n_in_turn > 10_000);
        assert!(parallel.live_bits().eq(in_turn.live_bits()), "seed {seed}");
    }
}

#[test]
fn leaves_are_decoded_while_others_change() {
    let environment = some(4);
    let tree = random_tree(20, 100_000, 8);
    let before = decoded(&tree, one());
    // No pair crosses the boundary.
    let middle =
        50_000 + before[50_000..].iter().position(|leaf| leaf.node.index() % 2 == 0).unwrap();
    let (first, others) = before.split_at(middle);
    let seen = install(&environment, || {
        let change = || first.par_iter().filter(|leaf| tree.split(leaf.node)).count();
        let change_others = || {
            let merge = |leaf: &&Leaf| leaf.node.parent().is_some_and(|parent| tree.merge(parent));
            others.par_iter().filter(merge).count()
        };
        let decode = || {
            let rounds = (0..20).into_par_iter();
            let whole = rounds.all(|_| decoded(&tree, &environment) == before);
            let one_by_one = (0..before.len()).into_par_iter();
            whole && one_by_one.all(|ordinal| tree.leaf(ordinal) == Some(before[ordinal]))
        };
        let (changed, same) = rayon::join(|| rayon::join(change, change_others), decode);
        Ok((changed, same))
    });
    let ((splits, merges), same) = seen.unwrap();
    assert!(same && splits > 10_000 && merges > 10_000, "{splits} splits, {merges} merges");
    let mut tree = tree;
    tree.reduce(&environment).unwrap();
    assert_eq!(tree.count(), before.len() + splits - merges);
    Tree::of_bits(tree.depth(), tree.bits()).unwrap();
}

#[test]
fn a_cycle_on_all_threads_equals_one_on_a_single_thread() {
    let environments: [&dyn Environment; 2] = [one(), &some(4)];
    let results = environments.map(|environment| {
        let mut tree = random_tree(20, 1 << 16, 6);
        let mut n_changed = Vec::new();
        for round in 0..12_u64 {
            let change =
                |leaf: Leaf| match Random::new(u64::from(leaf.node.index() / 2) ^ round).below(5) {
                    0 | 1 => Change::Split,
                    2 | 3 => Change::Merge,
                    _ => Change::Keep,
                };
            n_changed.push(tree.cycle(&change, environment).unwrap());
        }
        let mut heap = Heap::zeros(tree.depth()).unwrap();
        heap.pack(&tree, environment).unwrap();
        (tree.bits().to_vec(), heap.limbs().to_vec(), n_changed)
    });
    assert!(results[0] == results[1]);
    assert!(results[0].2.iter().all(|[splits, merges]| *splits > 1_000 && *merges > 1_000));
}
