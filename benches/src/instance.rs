//! Random graphs, and the tables that library procedures take.

use petgraph::data::Element;
use petgraph::graph::{Graph as Peer, NodeIndex, UnGraph};
use star_io::generate::{Density, GenerateOptions, GraphKind, Labels, UniformGraph};
use star_io::{Arc, Graph, Layout, LayoutValue, Widths, lay_out};

use star_base::Random;
use star_value::{BitTable, BitVector, Table, Value};

/// The seed of the random numbers.
pub(crate) const SEED: u64 = 2016;

/// Weights are 1 to this.
pub(crate) const MAX_WEIGHT: i64 = 1000;

/// Maximum bytes of a table.
const MAX_BYTES: u64 = 8 << 30;

/// A directed graph of n vertices and `m` arcs without loops and parallel arcs.
pub(crate) fn directed(n: usize, m: usize) -> Graph {
    uniform(n, m, GraphKind::Directed)
}

/// A connected graph of n vertices and `m` edges: a path through all vertices, and random edges.
pub(crate) fn connected(n: usize, m: usize) -> Graph {
    let mut graph = uniform(n, m + 1 - n, GraphKind::Undirected);
    let mut random = Random::new(SEED);
    graph.arcs.extend((1..n as u32).map(|x| Arc {
        tail: x - 1,
        head: x,
        weight: 1 + random.below(MAX_WEIGHT as usize) as i64,
    }));
    graph
}

fn uniform(n: usize, m: usize, kind: GraphKind) -> Graph {
    let uniform = UniformGraph {
        n_vertices: n as u64,
        density: Density::Arcs(m as u64),
        kind,
        labels: Labels::InOrder,
        max_weight: Some(MAX_WEIGHT),
    };
    uniform.generate(&mut GenerateOptions::new(SEED, MAX_BYTES)).expect("a graph of this size")
}

/// Returns the widths that the graph needs.
pub(crate) fn widths(graph: &Graph) -> Widths {
    let h = graph.path_width().expect("weights that are not negative");
    Widths { h, b: graph.code_width() }
}

/// The graph as a table.
pub(crate) fn table(graph: &Graph, layout: Layout, widths: Widths) -> Value {
    match lay_out(layout, graph, widths, MAX_BYTES, "a random graph").expect("a table that fits") {
        LayoutValue::Table(table) => Value::from(table),
        LayoutValue::Slice(bits) => Value::Slice(bits),
    }
}

/// The codes 1..n, b bits each.
pub(crate) fn codes(n: usize, b: usize) -> Value {
    let mut table = zeros(n, b);
    for row in 0..n {
        for place in 0..b {
            table.put(row, b - 1 - place, (row + 1) >> place & 1 == 1);
        }
    }
    Value::from(table)
}

pub(crate) fn zeros(n_rows: usize, n_cols: usize) -> BitTable {
    BitTable::zeros(n_rows, n_cols).expect("a table that fits")
}

pub(crate) fn ones(len: usize) -> Value {
    Value::Slice(BitVector::from_bools(&vec![true; len]))
}

/// The word of `h` bits that holds a number.
pub(crate) fn word(number: u64, h: usize) -> Value {
    let bits: Vec<bool> = (0..h).rev().map(|place| number >> place & 1 == 1).collect();
    Value::Word(BitVector::from_bools(&bits))
}

/// A table whose rows are numbers of this many bits.
pub(crate) fn numbers(bits: usize, numbers: &[u64]) -> Value {
    let column = |column: usize| {
        let bit = |number: &u64| number >> (bits - 1 - column) & 1 == 1;
        BitVector::from_bools(&numbers.iter().map(bit).collect::<Vec<bool>>())
    };
    let columns: Vec<BitVector> = (0..bits).map(column).collect();
    Value::from(BitTable::from_columns(numbers.len(), &columns))
}

pub(crate) fn int(number: usize) -> Value {
    Value::Int(number as i64)
}

/// The number in a row of a table of at most 64 columns.
pub(crate) fn number(table: &BitTable, row: usize) -> u64 {
    (0..table.n_cols()).fold(0, |number, col| 2 * number + u64::from(table.get(row, col)))
}

/// The sum of the weights of the edges that are marked.
pub(crate) fn weight_of(graph: &Graph, marked: &BitVector) -> i64 {
    let arcs = graph.arcs.iter().enumerate();
    arcs.filter(|(row, _)| marked.get(*row)).map(|(_, arc)| arc.weight).sum()
}

/// The peer's directed graph.
pub(crate) fn peer(graph: &Graph) -> Peer<(), i64> {
    let mut peer = Peer::with_capacity(graph.n_vertices, graph.arcs.len());
    for _ in 0..graph.n_vertices {
        peer.add_node(());
    }
    for arc in graph.directed_arcs() {
        peer.add_edge(node(arc.tail), node(arc.head), arc.weight);
    }
    peer
}

/// The peer's undirected graph.
pub(crate) fn undirected_peer(graph: &Graph) -> UnGraph<(), i64> {
    let mut peer = UnGraph::with_capacity(graph.n_vertices, graph.arcs.len());
    for _ in 0..graph.n_vertices {
        peer.add_node(());
    }
    for arc in &graph.arcs {
        peer.add_edge(node(arc.tail), node(arc.head), arc.weight);
    }
    peer
}

pub(crate) fn node(vertex: u32) -> NodeIndex {
    NodeIndex::new(vertex as usize)
}

/// Returns the weight of the peer's spanning tree.
pub(crate) fn tree_weight(tree: impl Iterator<Item = Element<(), i64>>) -> i64 {
    tree.map(|element| match element {
        Element::Node { .. } => 0,
        Element::Edge { weight, .. } => weight,
    })
    .sum()
}

pub(crate) fn as_table(value: &Value) -> &BitTable {
    match value {
        Value::Table(Table::Columns(table)) => table,
        other => panic!("expected a table, found {other:?}"),
    }
}

pub(crate) fn as_slice(value: &Value) -> &BitVector {
    match value {
        Value::Slice(bits) => bits,
        other => panic!("expected a slice, found {other:?}"),
    }
}
