//! `mst`: KRUSKAL and PRIM.

use star_io::Layout;
use star_value::{BitVector, Value};

use super::module::Module;
use super::random::{Rng, each_seed};
use super::reference::{Components, Edge, edges_of, forest_weight, kruskal, weight_of};
use super::values::{bits_at, code_width, laid_out, word};

/// Returns the tree that Prim's algorithm grows from `s`; among equal edges it prefers the
/// uppermost.
fn prim(n: usize, edges: &[Edge], s: usize) -> Vec<Edge> {
    let mut inside = vec![false; n];
    inside[s] = true;
    let mut tree = Vec::new();
    let leaves = |inside: &[bool], edge: &Edge| inside[edge.p] != inside[edge.q];
    while let Some(edge) =
        edges.iter().filter(|edge| leaves(&inside, edge)).min_by_key(|edge| (edge.weight, edge.row))
    {
        inside[edge.p] = true;
        inside[edge.q] = true;
        tree.push(*edge);
    }
    tree
}

fn rows(m: usize, edges: &[Edge]) -> BitVector {
    bits_at(m, edges.iter().map(|edge| edge.row))
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(0, 12);
    let graph = rng.graph(n, 0);
    let m = graph.n_edges();
    let all = rng.bits(m);
    let edges = edges_of(&graph, &all);
    let table = |layout| Value::from(laid_out(layout, &graph));
    let lists = || vec![table(Layout::Left), table(Layout::Right), table(Layout::Weight)];

    let mut args = lists();
    args.extend([Value::Slice(all.clone()), Value::Unset]);
    let expected = kruskal(n, &edges);
    assert_eq!(module.call("KRUSKAL", args).slice(4), rows(m, &expected), "{graph:?}");
    assert_eq!(weight_of(&expected), forest_weight(n, &edges), "{graph:?}");

    let components = Components::of(n, &edges);
    for s in 0..n {
        let v = word(s as u64 + 1, code_width(n));
        let mut args = lists();
        args.extend([Value::Slice(all.clone()), v, Value::Unset]);
        let expected = prim(n, &edges, s);
        let found = module.call("PRIM", args).slice(5);
        assert_eq!(found, rows(m, &expected), "from {s}, {graph:?}");
        let of_component: Vec<Edge> =
            edges.iter().filter(|edge| components.same(edge.p, s)).copied().collect();
        assert_eq!(weight_of(&expected), forest_weight(n, &of_component), "from {s}, {graph:?}");
    }
}

#[test]
fn minimum_trees_agree_with_direct_search_and_petgraph() {
    let module = Module::new("mst");
    each_seed(150, |rng| play(&module, rng));
}
