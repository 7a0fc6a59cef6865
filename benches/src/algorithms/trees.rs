//! Spanning trees of a connected graph of n vertices and 5 n edges, and branchings.

use petgraph::algo::{min_spanning_tree, min_spanning_tree_prim};
use petgraph::data::Element;
use star_base::BitVector;
use star_io::{Graph, Layout, Widths};
use star_vm::HostValue;

use super::instance::{
    self, MAX_WEIGHT, codes, int, ones, table, undirected_peer, weight_of, word,
};
use super::measure::{Bench, Rival};

pub(super) fn run(bench: &Bench<'_>) {
    let n = bench.n;
    on_a_list(bench, &instance::connected(n, 5 * n));
    if n == 5000 {
        on_a_list(bench, &instance::connected(10_000, 100_000));
    }
    with_paths(bench);
    branching(bench);
}

/// The width of a weight; no sums are formed.
pub(super) const WEIGHT_WIDTH: usize = (MAX_WEIGHT.ilog2() + 1) as usize;

/// KRUSKAL and PRIM.
fn on_a_list(bench: &Bench<'_>, graph: &Graph) {
    let (n, m) = (graph.n_vertices, graph.n_edges());
    let widths = Widths { h: WEIGHT_WIDTH, b: graph.code_width() };
    let input = format!("n = {n}, m = {m}, h = {WEIGHT_WIDTH}");
    let lists =
        || [Layout::Left, Layout::Right, Layout::Weight].map(|layout| table(graph, layout, widths));
    let peer = undirected_peer(graph);
    if bench.wants("KRUSKAL") {
        let work = || tree_weight(min_spanning_tree(&peer));
        let args = lists().into_iter().chain([ones(m), HostValue::Unset]);
        bench.measure(
            ("mst", "KRUSKAL"),
            &input,
            &args.collect::<Vec<_>>(),
            |after| weight_of(graph, as_slice(&after[4])),
            Some(Rival { name: "petgraph min_spanning_tree", work: &work }),
        );
    }
    if bench.wants("PRIM") {
        let work = || tree_weight(min_spanning_tree_prim(&peer));
        let args = lists().into_iter().chain([ones(m), word(1, widths.b), HostValue::Unset]);
        bench.measure(
            ("mst", "PRIM"),
            &input,
            &args.collect::<Vec<_>>(),
            |after| weight_of(graph, as_slice(&after[5])),
            Some(Rival { name: "petgraph min_spanning_tree_prim", work: &work }),
        );
    }
}

/// MSF, CHECK_MST and GABOW, which keep the paths of the tree.
fn with_paths(bench: &Bench<'_>) {
    if !["MSF", "CHECK_MST", "GABOW"].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.n;
    let graph = instance::connected(n, 5 * n);
    let widths = Widths { h: WEIGHT_WIDTH, b: graph.code_width() };
    let input = format!("n = {n}, m = {}, h = {WEIGHT_WIDTH}", 5 * n);
    let incidence = || table(&graph, Layout::Incidence, widths);
    let weight = || table(&graph, Layout::Weight, widths);
    let unset = || HostValue::Unset;
    let peer = undirected_peer(&graph);
    let work = || tree_weight(min_spanning_tree(&peer));

    let args = [incidence(), weight(), codes(n, widths.b), ones(5 * n), unset(), unset(), unset()];
    if bench.wants("MSF") {
        bench.measure(
            ("dynmst", "MSF"),
            &input,
            &args,
            |after| weight_of(&graph, as_slice(&after[4])),
            Some(Rival { name: "petgraph min_spanning_tree", work: &work }),
        );
    }
    if bench.wants("CHECK_MST") {
        let star = bench.module_of("dynmst");
        let (_, after) = star.run("MSF", args.to_vec());
        let (tree, paths) = (after[4].clone(), after[5].clone());
        let args = [weight(), ones(5 * n), tree, incidence(), paths, unset()];
        let recompute = || {
            work();
            0
        };
        bench.measure(
            ("reach", "CHECK_MST"),
            &input,
            &args,
            |after| as_slice(&after[5]).count_ones(),
            Some(Rival { name: "petgraph min_spanning_tree", work: &recompute }),
        );
    }
    if bench.wants("GABOW") {
        let degree = graph.arcs.iter().filter(|arc| arc.tail == 0 || arc.head == 0).count();
        let mut args = vec![int(1), int(degree.min(6)), incidence(), weight(), codes(n, widths.b)];
        args.extend([ones(5 * n), unset(), unset(), unset(), unset()]);
        let ok = |after: &[HostValue]| assert_eq!(after[9], HostValue::Bool(true));
        let input = format!("{input}, d = {}", degree.min(6));
        bench.measure(("gabow", "GABOW"), &input, &args, ok, None);
    }
}

/// EDMONDS; the peers have no such algorithm.
fn branching(bench: &Bench<'_>) {
    if !bench.wants("EDMONDS") {
        return;
    }
    let n = bench.n;
    let graph = instance::directed(n, 5 * n);
    // Codes for the vertices that come of contractions, and a spare bit for sums of weights.
    let doubled = Graph { n_vertices: 2 * n, ..Graph::default() };
    let widths = Widths { h: WEIGHT_WIDTH + 1, b: doubled.code_width() };
    let list = |layout| table(&graph, layout, widths);
    let args = [
        int(n),
        list(Layout::Left),
        list(Layout::Right),
        list(Layout::Weight),
        codes(2 * n, widths.b),
        ones(5 * n),
        HostValue::Unset,
    ];
    let input = format!("n = {n}, m = {}, h = {}", 5 * n, widths.h);
    let weight = |after: &[HostValue]| weight_of(&graph, as_slice(&after[6]));
    bench.measure(("edmonds", "EDMONDS"), &input, &args, weight, None);
}

pub(crate) fn tree_weight(tree: impl Iterator<Item = Element<(), i64>>) -> i64 {
    tree.map(|element| match element {
        Element::Node { .. } => 0,
        Element::Edge { weight, .. } => weight,
    })
    .sum()
}

pub(super) fn as_slice(value: &HostValue) -> &BitVector {
    match value {
        HostValue::Slice(bits) => bits,
        other => panic!("no slice but {other:?}"),
    }
}
