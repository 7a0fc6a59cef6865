//! Cycles that visit only leaves that are due have the same effect as cycles that visit all leaves.

use super::super::{Change, Leaf, Tree, Verdict, Watch};
use star_base::Random;

use super::{one, random_tree, some};
use crate::environment::Environment;

/// Siblings get the same verdict for some time, then different ones.
fn verdict(Leaf { node, level: _ }: Leaf, now: u64) -> Verdict {
    let pair = u64::from(node.index() / 2);
    let period = 1 + Random::new(pair).below(9) as u64;
    let turn = now / period;
    match Random::new(pair ^ turn << 32).below(8) {
        0 | 1 => Verdict::Split,
        2 => Verdict::Merge,
        3 => Verdict::Wait,
        _ => Verdict::KeepUntil((turn + 1) * period - 1),
    }
}

#[test]
fn a_cycle_over_due_leaves_equals_one_over_all_leaves() {
    for (levels, n_leaves, n_cycles) in
        [(1, 1, 60), (3, 4, 60), (6, 9, 60), (9, 30, 80), (13, 1 << 9, 80), (18, 1 << 15, 20)]
    {
        let mut tree = random_tree(levels, n_leaves, 7);
        let mut other = Tree::of_bits(tree.depth(), tree.bits()).unwrap();
        let mut watch = Watch::new(&tree).unwrap();
        let mut all = [0; 2];
        // Occasionally the time does not advance, or jumps ahead.
        for cycle in 0..n_cycles {
            let now = 1 + cycle * 3 / 4 + 5 * (cycle / 16);
            if cycle == 10 {
                // The tree is also changed outside the watch.
                let first = tree.leaf(0).unwrap().node;
                assert_eq!(tree.split(first), other.split(first));
                other.reduce(one()).unwrap();
            }
            let environment: &dyn Environment = if cycle % 2 == 0 { one() } else { &some(3) };
            let judge = || move |_: &Tree, leaf: Leaf| verdict(leaf, now);
            let changed = tree.cycle_due(&mut watch, now, &judge, environment).unwrap();
            let change = |leaf: Leaf| match verdict(leaf, now) {
                Verdict::KeepUntil(_) | Verdict::Wait => Change::Keep,
                Verdict::Split => Change::Split,
                Verdict::Merge => Change::Merge,
            };
            assert_eq!(changed, other.cycle(&change, one()).unwrap(), "depth {levels}, {cycle}");
            assert!(tree.bits() == other.bits() && tree.live_bits().eq(other.live_bits()));
            assert_eq!((tree.count(), tree.is_stale()), (other.count(), false));
            assert!(tree.leaf(tree.count() / 2) == other.leaf(other.count() / 2));
            all = [all[0] + changed[0], all[1] + changed[1]];
        }
        assert!(levels < 9 || all.into_iter().all(|n| n > 5), "depth {levels}: {all:?}");
    }
}

#[test]
fn leaves_that_are_not_due_are_not_judged() {
    let mut tree = Tree::at_level(super::depth(12), 9).unwrap();
    let mut watch = Watch::new(&tree).unwrap();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let mut ask = |now, at: usize| {
        let judge = || {
            |tree: &Tree, leaf: Leaf| {
                asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                match tree.depth().bit(leaf.node) {
                    bit if bit == at && leaf.level == 9 => Verdict::Split,
                    bit => Verdict::KeepUntil(10 + bit as u64 / 64),
                }
            }
        };
        let changed = tree.cycle_due(&mut watch, now, &judge, one()).unwrap();
        (changed[0], asked.swap(0, std::sync::atomic::Ordering::Relaxed))
    };
    // All 512; the eight of the limb of the split, and one more; none; those of the first two
    // limbs.
    assert_eq!(ask(1, 640), (1, 512));
    assert_eq!(ask(2, 4096), (0, 9));
    assert_eq!(ask(10, 4096), (0, 0));
    assert_eq!(ask(12, 4096), (0, 16));
}
