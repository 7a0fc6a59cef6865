//! Elementary operations: the formulas in the comments of the procedures, and growth with n.

use star_io::{Arc, Graph, Layout};
use star_value::Value;

use super::dynmst::{H, State};
use super::module::Module;
use super::random::{Rng, each_seed};
use super::reference::{Components, Edge, edges_of};
use super::values::{
    bits_at, code_width, codes, infinity, int, laid_out, ones, path_width, vertex, word,
};

/// Returns mean counts for n = 8, 16, 32, 64 on random graphs of mean out-degree 4 and weights
/// 1..63.
fn means(count: impl Fn(&Graph) -> u64) -> [u64; 4] {
    [(8, 8), (16, 4), (32, 2), (64, 1)].map(|(n, n_graphs)| {
        let total: u64 = (0..n_graphs).map(|seed| count(&connected(&mut Rng::new(seed), n))).sum();
        total / n_graphs
    })
}

/// Returns a connected graph without loops.
fn connected(rng: &mut Rng, n: usize) -> Graph {
    loop {
        let mut graph = rng.graph_of(n, 4 * n, 1, 63);
        graph.arcs.retain(|arc| arc.tail != arc.head);
        let edges = edges_of(&graph, &bits_at(graph.n_edges(), 0..graph.n_edges()));
        if Components::of(n, &edges).count() == 1 {
            return graph;
        }
    }
}

/// Asserts that every doubling of n multiplies the count by `low` to `high`.
fn assert_growth(name: &str, counts: [u64; 4], low: f64, high: f64) {
    for pair in counts.windows(2) {
        let ratio = pair[1] as f64 / pair[0] as f64;
        assert!((low..=high).contains(&ratio), "{name}: {counts:?}, by {ratio}");
    }
}

#[test]
fn distances_cost_about_n_for_one_vertex_and_n_squared_for_all() {
    let module = Module::new("paths");
    let dijkstra = means(|graph| {
        let (n, h) = (graph.n_vertices, path_width(graph));
        let args = vec![
            vertex(0),
            int(h),
            infinity(h),
            Value::from(laid_out(Layout::Adjacency, graph)),
            Value::from(laid_out(Layout::WeightsOut, graph)),
            Value::from(codes(n, code_width(n))),
            Value::Unset,
            Value::Unset,
        ];
        module.call("DIJKSTRA", args).operations
    });
    assert_growth("DIJKSTRA", dijkstra, 2.0, 2.6);
    let floyd = means(|graph| {
        let (n, h) = (graph.n_vertices, path_width(graph));
        let d = Value::from(laid_out(Layout::Distances, graph));
        module.call("FLOYD", vec![int(n), int(h), infinity(h), d]).operations
    });
    assert_growth("FLOYD", floyd, 3.0, 4.6);
    let floyd_paths = means(|graph| {
        let (n, h) = (graph.n_vertices, path_width(graph));
        let d = Value::from(laid_out(Layout::Distances, graph));
        let code = Value::from(codes(n, code_width(n)));
        let args = vec![int(n), int(h), infinity(h), code, d, Value::Unset];
        module.call("FLOYD_PATHS", args).operations
    });
    assert_growth("FLOYD_PATHS", floyd_paths, 3.0, 4.6);
    let bellman_ford = |graph: &Graph| operations_of_bellman_ford(&module, graph);
    // h times the vertices scanned: less than n*n of them.
    assert_growth("BELLMAN_FORD", means(bellman_ford), 2.0, 4.0);
    // With a negative cycle it ends after a few passes, not after n.
    let with_cycle = means(|graph| {
        let mut graph = graph.clone();
        let arcs = [(0, 1, 1), (1, 0, -64)];
        graph.arcs.extend(arcs.map(|(tail, head, weight)| Arc { tail, head, weight }));
        operations_of_bellman_ford(&module, &graph)
    });
    assert_growth("BELLMAN_FORD", with_cycle, 1.0, 2.6);
}

fn operations_of_bellman_ford(module: &Module, graph: &Graph) -> u64 {
    let (n, h) = (graph.n_vertices, graph.signed_width().expect("small weights"));
    let args = vec![
        vertex(0),
        int(n),
        int(h),
        infinity(h),
        word(1 << (h - 1), h),
        Value::from(laid_out(Layout::Adjacency, graph)),
        Value::from(laid_out(Layout::SignedOut, graph)),
        Value::from(codes(n, code_width(n))),
        Value::Unset,
        Value::Unset,
        Value::Unset,
    ];
    module.call("BELLMAN_FORD", args).operations
}

#[test]
fn breadth_first_search_costs_match_its_comment() {
    let module = Module::new("reach");
    each_seed(30, |rng| {
        let n = rng.n_vertices(1, 12);
        let graph = rng.graph(n, 1);
        let s = rng.below(n);
        let g = Value::from(laid_out(Layout::Adjacency, &graph));
        let results = module.call("BFS", vec![vertex(s), g, Value::Unset]);
        let levels = results.table(2);
        let reached: u64 = (0..levels.n_cols()).map(|d| levels.column(d).count_ones()).sum();
        let expected = 3 + 7 * levels.n_cols() as u64 + 5 * reached;
        assert_eq!(results.operations, expected, "{graph:?}");
    });
}

#[test]
fn minimum_trees_cost_about_n() {
    let (mst, dynmst) = (Module::new("mst"), Module::new("dynmst"));
    let args = |graph: &Graph| {
        let lists = [Layout::Left, Layout::Right, Layout::Weight];
        let mut args: Vec<Value> = lists.map(|layout| Value::from(laid_out(layout, graph))).into();
        let m = graph.n_edges();
        args.push(Value::Slice(bits_at(m, 0..m)));
        args
    };
    let kruskal = means(|graph| {
        let mut args = args(graph);
        args.push(Value::Unset);
        mst.call("KRUSKAL", args).operations
    });
    assert_growth("KRUSKAL", kruskal, 2.0, 2.6);
    let prim = means(|graph| {
        let mut args = args(graph);
        args.extend([word(1, code_width(graph.n_vertices)), Value::Unset]);
        mst.call("PRIM", args).operations
    });
    assert_growth("PRIM", prim, 2.0, 2.6);
    // MSF accepts any width of the weights; here it is the same for all n.
    let msf = means(|graph| {
        let m = graph.n_edges();
        let all = bits_at(m, 0..m);
        let state = State::new(graph.n_vertices, edges_of(graph, &all), all.clone());
        let mut args = state.lists();
        args.extend([state.code(), Value::Slice(all)]);
        args.extend([const { Value::Unset }; 3]);
        dynmst.call("MSF", args).operations
    });
    assert_growth("MSF", msf, 2.0, 2.6);
}

#[test]
fn edge_insertion_costs_the_same_for_all_n_except_in_hang() {
    let module = Module::new("dynmst");
    for n in [8, 16, 32, 64] {
        let mut rng = Rng::new(n as u64);
        let graph = connected(&mut rng, n);
        let m = graph.n_edges();
        let mut state = State::new(n, edges_of(&graph, &bits_at(m, 0..m)), bits_at(m, 1..m));
        state.build(&module);
        let mut costs = Vec::new();
        for weight in [0, 63] {
            let mut state = state.clone();
            let p = rng.below(n);
            state.list[0] = Edge { row: 0, p, q: (p + 1) % n, weight };
            let before = state.paths.clone();
            let operations = state.change(&module, "INSERT_EDGE", vertex(0)).operations;
            let moved = (0..n).filter(|&x| before.column(x) != state.paths.column(x)).count();
            costs.push((state.t.get(0), operations, moved as u64));
        }
        // MAX costs 3·h; HANG costs 7 and 5 more for every vertex that moves.
        let stays = 15 + 3 * H as u64;
        assert_eq!(costs[1], (false, stays, 0), "n = {n}");
        let (taken, operations, moved) = costs[0];
        assert!(taken && moved > 0, "n = {n}");
        assert_eq!(operations, stays + 12 + 5 * moved, "n = {n}");
    }
}

#[test]
fn closure_costs_match_its_comments() {
    let module = Module::new("closure");
    each_seed(20, |rng| {
        let n = rng.below(12);
        let graph = rng.graph(n, 1);
        let mut table = laid_out(Layout::Adjacency, &graph);
        let (mut rows_treated, mut cols_treated) = (0, 0);
        let given = Value::from(table.clone());
        for k in 0..n {
            rows_treated += table.column(k).count_ones();
            cols_treated += table.row(k).count_ones();
            for i in ones(&table.column(k)) {
                for j in ones(&table.row(k)) {
                    table.put(i, j, true);
                }
            }
        }
        let cost = |routine| module.call(routine, vec![int(n), given.clone()]).operations;
        assert_eq!(cost("WARSHALL"), 3 * n as u64 + 5 * rows_treated, "{graph:?}");
        assert_eq!(cost("WARSHALL-C"), 3 * n as u64 + 4 * cols_treated, "{graph:?}");
        assert_eq!(cost("WARSHALL-adapt"), 3 * n as u64 + 5 * cols_treated, "{graph:?}");
    });
}
