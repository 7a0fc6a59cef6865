//! Graphs of the shared data folder, on the CPU backend alone, against petgraph. Skipped with a
//! message if the folder is missing.

use std::fs::File;
use std::path::PathBuf;

use petgraph::algo::{bellman_ford, dijkstra, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use star_compiler::LowerOptions;
use star_io::{Data, Format, Graph, Layout, LayoutValue, ReadOptions, Widths, lay_out};
use star_tests::backends::{Compiled, on};
use star_tests::run::{LIMITS, Program};
use star_value::{BitTable, BitVector, Table, Value};
use star_vm::{Cpu, Limits, Outcome};

use super::edmonds::heaviest_branching;
use super::module::program;
use super::reference::{edges_of, forest_weight, petgraph_of, weight_of};
use super::values::{bits_at, code_width, codes, field, infinite, infinity, int, vertex, word};

/// Loads a graph of the shared folder.
#[expect(clippy::print_stdout, reason = "says which graphs were not there")]
fn shared(file: &str) -> Option<Graph> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/graphs");
    let Ok(mut input) = File::open(folder.join(file)) else {
        println!("skipped: no {file}");
        return None;
    };
    let format = Format::of_file(file, &[]).expect("a known extension");
    let loaded = star_io::read(format, &mut input, &mut ReadOptions::new(file, 1 << 28));
    match loaded.expect("a graph").data {
        Data::Graph(graph) => Some(graph),
        other => panic!("{file} is {other:?}"),
    }
}

/// A module on the CPU backend.
struct OnCpu {
    program: Program,
    compiled: Compiled,
}

impl OnCpu {
    fn new(module: &str) -> Self {
        let program = program(module, &LowerOptions::default());
        let compiled = on("cpu", Cpu::new()).compile(program.lowered.program.clone());
        let compiled = compiled.expect("the backend runs every program");
        OnCpu { program, compiled }
    }

    fn call(&self, routine: &str, args: &[Value]) -> Vec<Value> {
        let limits = Limits { steps: None, ..LIMITS };
        let run = self.compiled.run(self.program.entry(routine), args, limits);
        assert_eq!(run.outcome, Outcome::Done, "{routine}");
        run.values
    }
}

/// Builds the layout in the width that the command line would choose.
fn table(layout: Layout, graph: &Graph) -> Value {
    let h = layout.least_widths(graph).expect("small weights").h;
    let widths = Widths { h, b: code_width(layout.codes().max(1) * graph.n_vertices) };
    match lay_out(layout, graph, widths, 1 << 30, "graph").expect("it fits") {
        LayoutValue::Table(table) => Value::from(table),
        LayoutValue::Slice(bits) => Value::Slice(bits),
    }
}

fn as_table(value: &Value) -> &BitTable {
    match value {
        Value::Table(Table::Columns(table)) => table,
        other => panic!("{other:?} is no table"),
    }
}

fn as_slice(value: &Value) -> &BitVector {
    match value {
        Value::Slice(bits) => bits,
        other => panic!("{other:?} is no slice"),
    }
}

/// Returns the distances from `s`, by petgraph.
fn distances(graph: &DiGraph<(), i64>, s: usize) -> Vec<Option<i64>> {
    let found = dijkstra(graph, NodeIndex::new(s), None, |arc| *arc.weight());
    graph.node_indices().map(|vertex| found.get(&vertex).copied()).collect()
}

/// Returns all arcs, in both directions if the graph is undirected, for oracles that expect
/// directed graphs.
fn directed(graph: &Graph) -> Graph {
    let arcs = graph.directed_arcs().collect();
    Graph { arcs, symmetric: false, ..graph.clone() }
}

fn lengths(table: &BitTable, j: usize, h: usize, zero: i64) -> Vec<Option<i64>> {
    let length = |x| field(table, x, j, h);
    let rows = (0..table.n_rows()).map(length);
    rows.map(|found| (found != infinite(h)).then_some(found as i64 - zero)).collect()
}

/// Returns the vertices reachable from vertex `x` by at least one arc.
fn reached_from(graph: &DiGraph<(), i64>, x: usize) -> BitVector {
    let reached = distances(graph, x);
    let mut before = graph.neighbors_directed(NodeIndex::new(x), petgraph::Incoming);
    let to_itself = before.any(|before| reached[before.index()].is_some());
    let is_reached = |y: &usize| if x == *y { to_itself } else { reached[*y].is_some() };
    bits_at(graph.node_count(), (0..graph.node_count()).filter(is_reached))
}

/// Compares a closure with the vertices reachable from each of `sources`, and its strong components
/// with those of petgraph, and returns the number of components.
fn check_closure(file: &str, graph: &Graph, closed: &BitTable, sources: &[usize]) -> usize {
    let oracle = petgraph_of(&directed(graph));
    for &x in sources {
        assert_eq!(closed.row(x), reached_from(&oracle, x), "{file}: from {x}");
    }
    let mutual = |x: usize| (0..x).any(|y| closed.get(x, y) && closed.get(y, x));
    let n_components = (0..graph.n_vertices).filter(|&x| !mutual(x)).count();
    assert_eq!(n_components, tarjan_scc(&oracle).len(), "{file}");
    n_components
}

#[test]
fn reachable_pairs_and_strong_components() {
    let module = OnCpu::new("closure");
    let close = |routine, graph: &Graph| {
        let args = [int(graph.n_vertices), table(Layout::Adjacency, graph)];
        module.call(routine, &args).swap_remove(1)
    };
    for file in ["test_FW_2500.mtx", "west0067.mtx", "jagmesh7.mtx"] {
        let Some(graph) = shared(file) else { continue };
        let closed = close("WARSHALL", &graph);
        assert_eq!(closed, close("WARSHALL-C", &graph), "{file}");
        assert_eq!(closed, close("WARSHALL-adapt", &graph), "{file}");
        let all: Vec<usize> = (0..graph.n_vertices).collect();
        let n_components = check_closure(file, &graph, as_table(&closed), &all);
        // According to the description of the data.
        assert!(file != "test_FW_2500.mtx" || n_components == 646, "{n_components}");
    }
    if let Some(graph) = shared("wiki-Vote.txt") {
        let closed = close("WARSHALL-C", &graph);
        let some: Vec<usize> = (0..graph.n_vertices).step_by(500).collect();
        check_closure("wiki-Vote.txt", &graph, as_table(&closed), &some);
    }
}

#[test]
fn distances_from_some_vertices() {
    let module = OnCpu::new("paths");
    for (file, sources) in [("rome99.gr", vec![0, 3352]), ("test_FW_1000.mtx", vec![0, 500])] {
        let Some(graph) = shared(file) else { continue };
        let (n, h) = (graph.n_vertices, graph.path_width().expect("small weights"));
        let oracle = petgraph_of(&directed(&graph));
        let mut args = vec![
            Value::Unset,
            int(h),
            infinity(h),
            table(Layout::Adjacency, &graph),
            table(Layout::WeightsOut, &graph),
            Value::from(codes(n, code_width(n))),
            Value::Unset,
            Value::Unset,
        ];
        for s in sources {
            args[0] = vertex(s);
            let values = module.call("DIJKSTRA", &args);
            assert_eq!(lengths(as_table(&values[6]), 0, h, 0), distances(&oracle, s), "{file}");
        }
    }
}

#[test]
fn distances_with_negative_weights() {
    let module = OnCpu::new("paths");
    let Some(mut graph) = shared("test_FW_1000.mtx") else { return };
    // Lengths changed by a potential, which causes no negative cycle.
    let n = graph.n_vertices;
    let height = |x: u32| i64::from(x * 37 % 101) * 5;
    for arc in &mut graph.arcs {
        arc.weight += height(arc.head) - height(arc.tail);
    }
    assert!(graph.arcs.iter().any(|arc| arc.weight < 0));
    let h = graph.signed_width().expect("small weights");
    let zero = 1_u64 << (h - 1);
    let run = |graph: &Graph| {
        let args = [
            vertex(0),
            int(n),
            int(h),
            infinity(h),
            word(zero, h),
            table(Layout::Adjacency, graph),
            table(Layout::SignedOut, graph),
            Value::from(codes(n, code_width(n))),
            Value::Unset,
            Value::Unset,
            Value::Unset,
        ];
        module.call("BELLMAN_FORD", &args)
    };
    let values = run(&graph);
    assert_eq!(values[10], Value::Bool(false));
    let oracle = petgraph_of(&graph).map(|_, ()| (), |_, &weight| weight as f64);
    let expected = bellman_ford(&oracle, NodeIndex::new(0)).expect("no negative cycle");
    let expected = expected.distances.into_iter();
    let expected: Vec<Option<i64>> =
        expected.map(|length| length.is_finite().then_some(length as i64)).collect();
    assert_eq!(lengths(as_table(&values[8]), 0, h, zero as i64), expected);
}

#[test]
fn distances_between_all_pairs() {
    let module = OnCpu::new("paths");
    for file in ["lesmis.graph", "celegans_metabolic.graph"] {
        let Some(graph) = shared(file) else { continue };
        let (n, h) = (graph.n_vertices, graph.path_width().expect("small weights"));
        let args = [int(n), int(h), infinity(h), table(Layout::Distances, &graph)];
        let d = module.call("FLOYD", &args).swap_remove(3);
        let oracle = petgraph_of(&directed(&graph));
        for j in 0..n {
            // The graph is symmetric: distances to j are distances from j.
            assert_eq!(lengths(as_table(&d), j, h, 0), distances(&oracle, j), "{file}: to {j}");
        }
    }
}

#[test]
fn weights_of_minimum_forests() {
    let module = OnCpu::new("mst");
    for (file, n_trees) in [("lesmis.graph", 1), ("rome99.gr", 1), ("liechtenstein.gr", 145)] {
        let Some(graph) = shared(file) else { continue };
        let (n, m) = (graph.n_vertices, graph.n_edges());
        let all = bits_at(m, 0..m);
        let edges = edges_of(&graph, &all);
        let lists = [Layout::Left, Layout::Right, Layout::Weight, Layout::Edges];
        let mut args: Vec<Value> = lists.map(|layout| table(layout, &graph)).into();
        args.push(Value::Unset);
        let tree = edges_of(&graph, as_slice(&module.call("KRUSKAL", &args)[4]));
        assert_eq!(tree.len(), n - n_trees, "{file}");
        assert_eq!(weight_of(&tree), forest_weight(n, &edges), "{file}");
        if n_trees == 1 {
            args.insert(4, word(1, code_width(n)));
            let tree = edges_of(&graph, as_slice(&module.call("PRIM", &args)[5]));
            assert_eq!(weight_of(&tree), forest_weight(n, &edges), "{file}");
        }
    }
}

/// Returns the least weight of a spanning tree with `d` edges at `r`: the greatest, over all prices
/// for an edge at r, of a minimum tree's weight at this price minus d times the price (the weight
/// is convex in d).
fn weight_at_degree(graph: &Graph, r: u32, d: i64) -> i64 {
    let heaviest = graph.max_weight();
    let at_price = |price: i64| {
        let mut priced = graph.clone();
        for arc in &mut priced.arcs {
            let at_r = arc.tail == r || arc.head == r;
            // All weights are increased by the same amount, so that none is negative.
            arc.weight += heaviest + if at_r { price } else { 0 };
        }
        let m = priced.n_edges();
        let edges = edges_of(&priced, &bits_at(m, 0..m));
        let n_tree_edges = graph.n_vertices as i64 - 1;
        forest_weight(graph.n_vertices, &edges) as i64 - n_tree_edges * heaviest - d * price
    };
    (-heaviest..=heaviest).map(at_price).max().expect("some prices")
}

#[test]
fn smallest_trees_of_given_degree() {
    let module = OnCpu::new("gabow");
    let Some(graph) = shared("lesmis.graph") else { return };
    let (n, m, r) = (graph.n_vertices, graph.n_edges(), 11);
    let b = code_width(n);
    for d in [6, 7, 8, 12, 20, 30] {
        let args = [
            vertex(r),
            int(d),
            table(Layout::Incidence, &graph),
            table(Layout::Weight, &graph),
            Value::from(codes(n, b)),
            table(Layout::Edges, &graph),
            Value::Unset,
            Value::Unset,
            Value::Unset,
            Value::Unset,
        ];
        let values = module.call("GABOW", &args);
        // Seven neighbours of this vertex have no other.
        assert_eq!(values[9], Value::Bool(d >= 7), "degree {d}");
        if d >= 7 {
            let tree = edges_of(&graph, as_slice(&values[6]));
            let degree = tree.iter().filter(|edge| edge.p == r || edge.q == r).count();
            assert_eq!((tree.len(), degree), (n - 1, d), "of {m} edges");
            assert_eq!(
                weight_of(&tree) as i64,
                weight_at_degree(&graph, r as u32, d as i64),
                "{d}"
            );
        }
    }
}

#[test]
fn branchings_of_greatest_weight() {
    let module = OnCpu::new("edmonds");
    for file in ["test_FW_1000.mtx", "rome99.gr"] {
        let Some(graph) = shared(file) else { continue };
        let (n, m) = (graph.n_vertices, graph.n_edges());
        let b = code_width(2 * n);
        let h = graph.sum_width().expect("small weights");
        let list = |layout| match lay_out(layout, &graph, Widths { h, b }, 1 << 28, file) {
            Ok(LayoutValue::Table(table)) => Value::from(table),
            Ok(LayoutValue::Slice(bits)) => Value::Slice(bits),
            Err(error) => panic!("{error}"),
        };
        let mut args = vec![int(n)];
        let lists =
            [Layout::Left, Layout::Right, Layout::Weight, Layout::CodeDouble, Layout::Edges];
        args.extend(lists.map(list));
        args.push(Value::Unset);
        let values = module.call("EDMONDS", &args);
        let found = edges_of(&graph, as_slice(&values[6]));
        let arcs = edges_of(&graph, &bits_at(m, 0..m));
        assert!(super::edmonds::is_branching(n, &found), "{file}");
        assert_eq!(weight_of(&found), heaviest_branching(n, &arcs), "{file}");
    }
}

#[test]
fn levels_of_breadth_first_search() {
    let module = OnCpu::new("reach");
    for (file, s) in [("wiki-Vote.txt", 0), ("power.graph", 100), ("p2p-Gnutella05.txt", 0)] {
        let Some(graph) = shared(file) else { continue };
        let args = [vertex(s), table(Layout::Adjacency, &graph), Value::Unset];
        let levels = module.call("BFS", &args).swap_remove(2);
        let levels = as_table(&levels);
        let oracle = petgraph_of(&directed(&graph)).map(|_, ()| (), |_, _| 1_i64);
        let expected = distances(&oracle, s);
        let farthest = expected.iter().flatten().max().expect("s at least");
        assert_eq!(levels.n_cols() as i64, farthest + 1, "{file}");
        for d in 0..levels.n_cols() {
            let level = (0..graph.n_vertices).filter(|&x| expected[x] == Some(d as i64));
            assert_eq!(levels.column(d), bits_at(graph.n_vertices, level), "{file}: {d} steps");
        }
    }
}
