//! Tests of batches of marked leaves.

use super::super::{Change, Leaf, Tree};
use star_base::Random;

use super::{decoded, depth, one, random_tree, some};
use crate::environment::Environment;

/// The result of a batch by its rules, leaf by leaf, judged on the tree before it.
fn expected(
    before: &[Leaf],
    change: &dyn Fn(Leaf) -> Change,
    levels: u32,
) -> (Vec<u64>, [usize; 2]) {
    let (mut leaves, mut n) = (Vec::new(), [0; 2]);
    let mut at = 0;
    while let Some(&leaf) = before.get(at) {
        let index = u64::from(leaf.node.index());
        let merges = index % 2 == 0
            && before.get(at + 1).is_some_and(|right| {
                u64::from(right.node.index()) == index + 1
                    && [leaf, *right].iter().all(|&leaf| change(leaf) == Change::Merge)
            });
        if merges {
            leaves.push(index / 2);
            (at, n[1]) = (at + 2, n[1] + 1);
            continue;
        }
        if change(leaf) == Change::Split && leaf.level < levels {
            leaves.extend([2 * index, 2 * index + 1]);
            n[0] += 1;
        } else {
            leaves.push(index);
        }
        at += 1;
    }
    (leaves, n)
}

#[test]
fn a_batch_is_judged_on_the_tree_before_it() {
    for levels in [1, 2, 4, 6, 9, 13, 16] {
        let mut random = Random::new(levels as u64);
        let mut tree = random_tree(levels, 1 << (levels / 2), 2);
        for round in 0..40_u64 {
            let before = decoded(&tree, one());
            // Grow, then shrink; occasionally everything at once.
            let odds = if round % 8 < 4 { [6, 8] } else { [1, 9] };
            let seed = random.next_u64();
            let change = move |leaf: Leaf| {
                let index = u64::from(leaf.node.index());
                // Pairs mostly draw together.
                let draw = Random::new(seed ^ (index & !1)).below(10);
                match (round % 10, Random::new(seed ^ index).below(12)) {
                    (9, _) => Change::Merge,
                    (5, _) => Change::Split,
                    (_, 0) => Change::Keep,
                    _ if draw < odds[0] => Change::Split,
                    _ if draw < odds[1] => Change::Merge,
                    _ => Change::Keep,
                }
            };
            let (leaves, n) = expected(&before, &change, levels as u32);
            let changed = tree.cycle(&change, one()).unwrap();
            let after: Vec<u64> =
                decoded(&tree, one()).iter().map(|leaf| u64::from(leaf.node.index())).collect();
            assert_eq!(after, leaves, "depth {levels}, round {round}");
            assert_eq!(changed, n);
            // The resulting field encodes a tree.
            Tree::of_bits(tree.depth(), tree.bits()).unwrap();
        }
    }
}

#[test]
fn marks_count_only_where_leaves_begin() {
    let mut tree = Tree::at_level(depth(3), 2).unwrap();
    // Leaves at 0, 2, 4, 6. Splits at 0 and at 1, where no leaf begins; merges of 4 and 6, and of
    // 0, which splits.
    let changed = tree.change_marked(&[0b0000_0011], &[0b0101_0101], one()).unwrap();
    assert_eq!((changed, tree.bits()), ([1, 1], &[0b0001_0111][..]));
    // One mark of a pair is not enough.
    let changed = tree.change_marked(&[0], &[0b0001_0101], one()).unwrap();
    assert_eq!((changed, tree.bits()), ([0, 0], &[0b0001_0111][..]));
}

#[test]
fn marked_pairs_on_the_last_level_merge_even_if_marked_for_a_split() {
    let mut tree = Tree::of_bits(depth(3), &[0b1101_1111]).unwrap();
    // The leaf at 4 is two bits wide and splits; the pairs at 0, 2 and 6 have one bit each. The
    // merge of the pair at 2 is marked at one leaf only.
    let changed = tree.change_marked(&[0b0001_1111], &[0b1101_0111], one()).unwrap();
    assert_eq!((changed, tree.bits()), ([1, 2], &[0b0111_1101][..]));
}

#[test]
fn marks_and_decide_closures_give_the_same_changes() {
    for (levels, n_leaves) in
        [(1, 2), (3, 5), (5, 32), (6, 1), (7, 3), (12, 40), (12, 900), (23, 60_000)]
    {
        let mut random = Random::new(levels as u64);
        let mut tree = random_tree(levels, n_leaves, 3);
        let mut all = [0; 2];
        let mut other = Tree::of_bits(tree.depth(), tree.bits()).unwrap();
        for round in 0..if levels > 12 { 4 } else { 60_u64 } {
            // Also marks where no leaf begins; runs of marks occasionally, so that pairs are
            // marked.
            let n_bits = tree.depth().n_bits();
            let behind = if n_bits < 64 { u64::MAX << n_bits } else { 0 };
            let mut marks = || {
                let mut field = vec![0_u64; tree.depth().n_limbs()];
                for limb in &mut field {
                    *limb = random.next_u64() & (random.next_u64() | (round % 2).wrapping_neg());
                    *limb |= (*limb << 1) & (u64::from(round % 4 == 0)).wrapping_neg();
                    *limb &= !behind;
                }
                field
            };
            let [splits, mut merges] = [marks(), marks()];
            if round % 5 == 0 {
                merges = tree.bits().to_vec();
            }
            let has = |marks: &[u64], leaf: Leaf| {
                let bit = other.depth().bit(leaf.node);
                marks[bit / 64] >> (bit % 64) & 1 == 1
            };
            // A leaf on the last level does not split.
            let splits_at = |leaf: Leaf| has(&splits, leaf) && leaf.level < levels as u32;
            let change = |leaf: Leaf| match (splits_at(leaf), has(&merges, leaf)) {
                (true, _) => Change::Split,
                (false, true) => Change::Merge,
                (false, false) => Change::Keep,
            };
            let n = other.update(&change, one()).unwrap();
            other.reduce(one()).unwrap();
            let environment: &dyn Environment = if round % 2 == 0 { one() } else { &some(3) };
            let changed = tree.change_marked(&splits, &merges, environment).unwrap();
            assert_eq!(changed, n, "depth {levels}, round {round}");
            all = [all[0] + n[0], all[1] + n[1]];
            assert!(tree.bits() == other.bits() && tree.live_bits().eq(other.live_bits()));
            assert_eq!(tree.count(), other.count());
        }
        assert!(all.into_iter().all(|n| n > 3), "depth {levels}: {all:?}");
    }
}
