//! `edmonds`: EDMONDS, by brute force.

use star_value::{BitVector, Value};

use super::module::Module;
use super::random::{Rng, each_seed};
use super::reference::{Edge, weight_of};
use super::values::{code_width, codes, int, numbers};

/// Returns whether every vertex can be followed backwards along the arcs, at most one into each,
/// without a cycle.
pub(super) fn is_branching(n: usize, arcs: &[Edge]) -> bool {
    let mut before = vec![None; n];
    for arc in arcs {
        if before[arc.q].replace(arc.p).is_some() {
            return false;
        }
    }
    (0..n).all(|start| {
        let mut x = Some(start);
        for _ in 0..n {
            x = x.and_then(|x| before[x]);
        }
        x.is_none()
    })
}

/// Returns the greatest weight of a branching by trying every choice of an arc or none into each
/// vertex.
fn heaviest(n: usize, arcs: &[Edge], chosen: &mut Vec<Edge>, x: usize) -> u64 {
    if x == n {
        return if is_branching(n, chosen) { weight_of(chosen) } else { 0 };
    }
    let mut best = heaviest(n, arcs, chosen, x + 1);
    for arc in arcs.iter().filter(|arc| arc.q == x) {
        chosen.push(*arc);
        best = best.max(heaviest(n, arcs, chosen, x + 1));
        chosen.pop();
    }
    best
}

/// Returns the greatest weight of a branching, by the algorithm of Chu and Liu, and of Edmonds,
/// level by level: the heaviest arc into every vertex; their cycles become vertices, whose entering
/// arcs weigh what they add to the cycle minus its lightest arc.
pub(super) fn heaviest_branching(n: usize, arcs: &[Edge]) -> u64 {
    let weighted = |arc: &&Edge| arc.p != arc.q && arc.weight > 0;
    let mut best: Vec<Option<Edge>> = vec![None; n];
    for arc in arcs.iter().filter(weighted) {
        if best[arc.q].is_none_or(|other| other.weight < arc.weight) {
            best[arc.q] = Some(*arc);
        }
    }
    // Names of the vertices of the next level; a cycle has one.
    let mut names = vec![usize::MAX; n];
    let mut n_names = 0;
    let mut lightest = vec![u64::MAX; n];
    let mut seen_from = vec![usize::MAX; n];
    let (mut sum, mut has_cycle) = (0, false);
    for start in 0..n {
        let mut x = start;
        while seen_from[x] == usize::MAX {
            seen_from[x] = start;
            match best[x] {
                Some(arc) => x = arc.p,
                None => break,
            }
        }
        if seen_from[x] == start && names[x] == usize::MAX && best[x].is_some() {
            has_cycle = true;
            let mut members = Vec::new();
            while names[x] == usize::MAX {
                names[x] = n_names;
                let arc = best[x].expect("a vertex of a cycle");
                members.push(arc);
                x = arc.p;
            }
            n_names += 1;
            let least = members.iter().map(|arc| arc.weight).min().expect("a cycle");
            sum += weight_of(&members) - least;
            members.iter().for_each(|arc| lightest[arc.q] = least);
        }
    }
    if !has_cycle {
        return best.iter().flatten().map(|arc| arc.weight).sum();
    }
    for name in &mut names {
        if *name == usize::MAX {
            *name = n_names;
            n_names += 1;
        }
    }
    let contracted = arcs.iter().filter(weighted).filter(|arc| names[arc.p] != names[arc.q]);
    let contracted = contracted.map(|arc| {
        let weight = match (lightest[arc.q], best[arc.q]) {
            (u64::MAX, _) | (_, None) => arc.weight,
            (least, Some(chosen)) => (arc.weight + least).saturating_sub(chosen.weight),
        };
        Edge { p: names[arc.p], q: names[arc.q], weight, ..*arc }
    });
    sum + heaviest_branching(n_names, &contracted.collect::<Vec<Edge>>())
}

/// Runs EDMONDS on the arcs that `rows` marks, and checks the result.
fn check(module: &Module, n: usize, arcs: &[Edge], rows: &BitVector) -> Vec<Edge> {
    let b = code_width(2 * n);
    let heaviest_arc = arcs.iter().map(|arc| arc.weight).max().unwrap_or(0);
    let h = 1 + code_width(heaviest_arc as usize);
    let list = |of: fn(&Edge) -> u64, width| {
        let column: Vec<u64> = arcs.iter().map(of).collect();
        Value::from(numbers(&column, width))
    };
    let args = vec![
        int(n),
        list(|arc| arc.p as u64 + 1, b),
        list(|arc| arc.q as u64 + 1, b),
        list(|arc| arc.weight, h),
        Value::from(codes(2 * n, b)),
        Value::Slice(rows.clone()),
        Value::Unset,
    ];
    let found = module.call("EDMONDS", args).slice(6);
    let present: Vec<Edge> = arcs.iter().filter(|arc| rows.get(arc.row)).copied().collect();
    let branching: Vec<Edge> = arcs.iter().filter(|arc| found.get(arc.row)).copied().collect();
    assert!(branching.iter().all(|arc| rows.get(arc.row)), "{found} of {rows}, {arcs:?}");
    assert!(is_branching(n, &branching), "{found} of {rows}, {arcs:?}");
    let most = heaviest_branching(n, &present);
    // Every possible choice, if there are few.
    if present.len() <= 20 && n <= 6 {
        assert_eq!(most, heaviest(n, &present, &mut Vec::new(), 0), "the references differ");
    }
    assert_eq!(weight_of(&branching), most, "{found} of {rows}, {arcs:?}");
    branching
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let n = 1 + rng.below(6);
    let m = 1 + rng.below(10);
    let (least, most) = rng.pick(&[(0, 2), (1, 1), (1, 9), (1, 60)]);
    let arcs: Vec<Edge> = (0..m)
        .map(|row| Edge {
            row,
            p: rng.below(n),
            q: rng.below(n),
            weight: rng.between(least, most) as u64,
        })
        .collect();
    let rows = rng.bits(m);
    check(module, n, &arcs, &rows);
}

#[test]
fn branchings_have_the_greatest_weight() {
    let module = Module::new("edmonds");
    each_seed(400, |rng| play(&module, rng));
}

#[test]
fn dense_graphs_with_few_vertices_contract_many_cycles() {
    let module = Module::new("edmonds");
    each_seed(60, |rng| {
        let n = 3 + rng.below(3);
        let ends = (0..n * n).map(|pair| (pair / n, pair % n)).filter(|(p, q)| p != q);
        let ends: Vec<(usize, usize)> = ends.collect();
        let most = rng.pick(&[2, 5, 40]);
        let arc = |(row, (p, q))| Edge { row, p, q, weight: rng.between(0, most) as u64 };
        let arcs: Vec<Edge> = ends.into_iter().enumerate().map(arc).collect();
        check(&module, n, &arcs, &BitVector::from_bools(&vec![true; arcs.len()]));
    });
}

#[test]
fn cycles_within_cycles_unfold_for_every_set_of_arcs() {
    let module = Module::new("edmonds");
    // All arcs together: {0,1}, then 2, 3 and 4 join one after another, four contractions deep.
    let arcs = [
        (0, 1, 50),
        (1, 0, 50),
        (2, 0, 40),
        (1, 2, 45),
        (3, 2, 30),
        (0, 3, 35),
        (4, 1, 20),
        (2, 4, 25),
    ];
    let arcs: Vec<Edge> = arcs
        .into_iter()
        .enumerate()
        .map(|(row, (p, q, weight))| Edge { row, p, q, weight })
        .collect();
    for set in 0..1_u32 << arcs.len() {
        let bits: Vec<bool> = (0..arcs.len()).map(|row| set >> row & 1 == 1).collect();
        check(&module, 5, &arcs, &BitVector::from_bools(&bits));
    }
}

#[test]
fn a_constant_added_to_all_weights_forces_spanning_branchings() {
    let module = Module::new("edmonds");
    each_seed(60, |rng| {
        let n = 2 + rng.below(4);
        // A cycle through all vertices, so that a spanning arborescence exists, and further arcs.
        let mut ends: Vec<(usize, usize)> = (0..n).map(|x| (x, (x + 1) % n)).collect();
        ends.extend((0..rng.below(5)).map(|_| (rng.below(n), rng.below(n))).collect::<Vec<_>>());
        let bonus = n as u64 * (9 + 1);
        let arc = |(row, (p, q))| Edge { row, p, q, weight: bonus + rng.between(0, 9) as u64 };
        let arcs: Vec<Edge> = ends.into_iter().enumerate().map(arc).collect();
        let rows = BitVector::from_bools(&vec![true; arcs.len()]);
        assert_eq!(check(&module, n, &arcs, &rows).len(), n - 1, "{arcs:?}");
    });
}

#[test]
fn larger_branchings_agree_with_the_chu_liu_algorithm() {
    let module = Module::new("edmonds");
    each_seed(30, |rng| {
        let n = 8 + rng.below(25);
        let most = rng.pick(&[3, 50]);
        let m = n + rng.below(3 * n);
        let arc = |row| Edge {
            row,
            p: rng.below(n),
            q: rng.below(n),
            weight: rng.between(0, most) as u64,
        };
        let arcs: Vec<Edge> = (0..m).map(arc).collect();
        check(&module, n, &arcs, &BitVector::from_bools(&vec![true; m]));
    });
}

#[test]
fn a_graph_without_arcs_has_an_empty_branching() {
    let module = Module::new("edmonds");
    for n in 1..3 {
        assert!(check(&module, n, &[], &BitVector::zeros(0)).is_empty());
        let loops = [Edge { row: 0, p: 0, q: 0, weight: 3 }];
        assert!(check(&module, n, &loops, &BitVector::from_bools(&[true])).is_empty());
    }
}

#[test]
fn a_code_of_zero_is_an_error() {
    let module = Module::new("edmonds");
    let list = |number, width| Value::from(numbers(&[number], width));
    let run = |codes: &[u64; 4]| {
        let code = Value::from(numbers(codes, 3));
        let all = Value::Slice(BitVector::from_bools(&[true]));
        let args = vec![int(2), list(1, 3), list(2, 3), list(5, 4), code, all, Value::Unset];
        module.try_call("EDMONDS", args)
    };
    assert!(run(&[1, 2, 3, 4]).is_ok());
    let error = run(&[1, 2, 3, 0]).expect_err("a code of zero");
    assert!(error.contains("is zero"), "{error}");
}
