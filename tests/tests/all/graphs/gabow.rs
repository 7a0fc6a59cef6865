//! `gabow`: GABOW, by enumeration of all spanning trees.

use std::collections::BTreeMap;

use star_value::{BitVector, Value};

use super::dynmst::State;
use super::module::Module;
use super::random::{Rng, each_seed};
use super::reference::{Components, Edge, is_forest, weight_of};
use super::values::{int, vertex};

/// Returns a connected graph without loops, with some rows that are not part of it.
fn random_state(rng: &mut Rng) -> State {
    let n = 1 + rng.below(6);
    let most = rng.pick(&[0, 3, 30]);
    let mut ends: Vec<(usize, usize)> = (1..n).map(|x| (rng.below(x), x)).collect();
    if n > 1 {
        for _ in 0..rng.below(7) {
            let p = rng.below(n);
            ends.push((p, (p + 1 + rng.below(n - 1)) % n));
        }
    }
    // Any order of the rows.
    for idx in (1..ends.len()).rev() {
        ends.swap(idx, rng.below(idx + 1));
    }
    let list: Vec<Edge> = ends
        .into_iter()
        .enumerate()
        .map(|(row, (p, q))| Edge { row, p, q, weight: rng.between(0, most) as u64 })
        .collect();
    let mut e = rng.bits(list.len());
    let here: Vec<Edge> = list.iter().filter(|edge| e.get(edge.row)).copied().collect();
    if Components::of(n, &here).count() > 1 {
        for row in 0..e.len() {
            e.put(row, true);
        }
    }
    State::new(n, list, e)
}

/// Returns the least weight of a spanning tree for every possible degree of `r`.
fn by_enumeration(state: &State, r: usize) -> BTreeMap<usize, u64> {
    let edges = state.edges(&state.e);
    let mut best = BTreeMap::new();
    for subset in 0..1_u32 << edges.len() {
        if subset.count_ones() as usize + 1 != state.n {
            continue;
        }
        let tree: Vec<Edge> =
            (0..edges.len()).filter(|idx| subset >> idx & 1 == 1).map(|idx| edges[idx]).collect();
        if is_forest(state.n, &tree) {
            let weight = weight_of(&tree);
            let least = best.entry(degree(&tree, r)).or_insert(weight);
            *least = weight.min(*least);
        }
    }
    best
}

fn degree(tree: &[Edge], r: usize) -> usize {
    tree.iter().filter(|edge| edge.p == r || edge.q == r).count()
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let state = random_state(rng);
    let r = rng.below(state.n);
    let best = by_enumeration(&state, r);
    for d in 0..=state.n {
        let mut args = vec![vertex(r), int(d)];
        args.extend(state.lists());
        args.extend([state.code(), Value::Slice(state.e.clone())]);
        args.extend([const { Value::Unset }; 4]);
        let results = module.call("GABOW", args);
        let ok = results.bool(9);
        assert_eq!(ok, best.contains_key(&d), "degree {d} of {r}, {state:?}");
        if ok {
            check_tree(&state, r, d, best[&d], &results);
        }
    }
    // The weight is a convex function of the degree, and there are no gaps between degrees.
    let weights: Vec<(usize, u64)> = best.into_iter().collect();
    for three in weights.windows(3) {
        let [(a, below), (b, here), (c, above)] = three else { panic!("a window of three") };
        assert_eq!((a + 1, b + 1), (*b, *c), "degrees of {r}, {state:?}");
        assert!(2 * here <= below + above, "weights at degree {b} of {r}, {state:?}");
    }
}

fn check_tree(state: &State, r: usize, d: usize, least: u64, results: &super::module::Results) {
    let rows: BitVector = results.slice(6);
    let tree = state.edges(&rows);
    assert!(tree.iter().all(|edge| state.e.get(edge.row)), "degree {d} of {r}, {state:?}");
    assert!(is_forest(state.n, &tree) && tree.len() + 1 == state.n, "{d} of {r}, {state:?}");
    assert_eq!(degree(&tree, r), d, "degree of {r}, {state:?}");
    assert_eq!(weight_of(&tree), least, "weight for degree {d} of {r}, {state:?}");
    let (paths, labels) = (results.table(7), results.table(8));
    let expected = super::reference::tree_paths(state.n, state.m(), &tree, r);
    for (x, path) in expected.into_iter().enumerate() {
        assert_eq!(Some(paths.column(x)), path, "the path to {x}, {d} of {r}, {state:?}");
        assert_eq!(super::values::field(&labels, x, 0, state.b()), r as u64 + 1);
    }
}

#[test]
fn trees_of_every_degree_have_the_least_weight() {
    let module = Module::new("gabow");
    each_seed(120, |rng| play(&module, rng));
}

fn run(module: &Module, state: &State, r: usize, d: usize) -> super::module::Results {
    let mut args = vec![vertex(r), int(d)];
    args.extend(state.lists());
    args.extend([state.code(), Value::Slice(state.e.clone())]);
    args.extend([const { Value::Unset }; 4]);
    module.call("GABOW", args)
}

#[test]
fn a_disconnected_graph_has_no_spanning_tree() {
    let module = Module::new("gabow");
    let edge = |row, p, q| Edge { row, p, q, weight: 1 };
    let list = vec![edge(0, 0, 1), edge(1, 2, 3)];
    let state = State::new(4, list, BitVector::from_bools(&[true, true]));
    for d in 0..3 {
        assert!(!run(&module, &state, 0, d).bool(9), "degree {d}");
    }
}

#[test]
fn loops_are_ignored() {
    let module = Module::new("gabow");
    each_seed(20, |rng| {
        let state = random_state(rng);
        let mut list = state.list.clone();
        let mut e: Vec<bool> = (0..list.len()).map(|row| state.e.get(row)).collect();
        for x in 0..state.n {
            list.push(Edge { row: list.len(), p: x, q: x, weight: 0 });
            e.push(true);
        }
        let with_loops = State::new(state.n, list, BitVector::from_bools(&e));
        let r = rng.below(state.n);
        for d in 0..state.n {
            let (found, expected) = (run(&module, &with_loops, r, d), run(&module, &state, r, d));
            assert_eq!(found.bool(9), expected.bool(9), "degree {d} of {r}, {state:?}");
            if expected.bool(9) {
                let rows =
                    |results: &super::module::Results| super::values::ones(&results.slice(6));
                assert_eq!(rows(&found), rows(&expected), "degree {d} of {r}, {state:?}");
            }
        }
    });
}
