//! The references for the results: direct computation, and petgraph.

use std::collections::{BTreeMap, VecDeque};

use petgraph::algo::min_spanning_tree;
use petgraph::data::Element;
use petgraph::graph::{DiGraph, NodeIndex, UnGraph};
use star_io::Graph;
use star_value::BitVector;

use super::values::bits_at;

/// An edge in row `row` of a list: ends and weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) row: usize,
    pub(super) p: usize,
    pub(super) q: usize,
    pub(super) weight: u64,
}

/// Returns the arcs of the graph that `rows` marks, as edges.
pub(super) fn edges_of(graph: &Graph, rows: &BitVector) -> Vec<Edge> {
    let edges = graph.arcs.iter().enumerate().filter(|(row, _)| rows.get(*row));
    edges
        .map(|(row, arc)| Edge {
            row,
            p: arc.tail as usize,
            q: arc.head as usize,
            weight: arc.weight as u64,
        })
        .collect()
}

/// Names of components, by union-find.
pub(super) struct Components(Vec<usize>);

impl Components {
    pub(super) fn new(n: usize) -> Self {
        Components((0..n).collect())
    }

    /// Computes the components formed by the edges.
    pub(super) fn of(n: usize, edges: &[Edge]) -> Self {
        let mut components = Components::new(n);
        for edge in edges {
            components.join(edge.p, edge.q);
        }
        components
    }

    pub(super) fn find(&self, mut x: usize) -> usize {
        while self.0[x] != x {
            x = self.0[x];
        }
        x
    }

    /// Joins two components; false if they were already one.
    pub(super) fn join(&mut self, x: usize, y: usize) -> bool {
        let (x, y) = (self.find(x), self.find(y));
        self.0[x] = y;
        x != y
    }

    pub(super) fn same(&self, x: usize, y: usize) -> bool {
        self.find(x) == self.find(y)
    }

    pub(super) fn count(&self) -> usize {
        (0..self.0.len()).filter(|&x| self.0[x] == x).count()
    }
}

/// Returns the rows of the minimum forest that Kruskal's algorithm finds; among equal edges it
/// prefers the uppermost.
pub(super) fn kruskal(n: usize, edges: &[Edge]) -> Vec<Edge> {
    let mut sorted = edges.to_vec();
    sorted.sort_by_key(|edge| (edge.weight, edge.row));
    let mut components = Components::new(n);
    sorted.retain(|edge| components.join(edge.p, edge.q));
    sorted
}

/// Returns the sum of the weights.
pub(super) fn weight_of(edges: &[Edge]) -> u64 {
    edges.iter().map(|edge| edge.weight).sum()
}

/// Returns the weight of a minimum forest, from petgraph.
pub(super) fn forest_weight(n: usize, edges: &[Edge]) -> u64 {
    let mut graph = UnGraph::<(), u64>::default();
    let nodes: Vec<NodeIndex> = (0..n).map(|_| graph.add_node(())).collect();
    for edge in edges {
        graph.add_edge(nodes[edge.p], nodes[edge.q], edge.weight);
    }
    let weights = min_spanning_tree(&graph).map(|element| match element {
        Element::Node { .. } => 0,
        Element::Edge { weight, .. } => weight,
    });
    weights.sum()
}

/// Returns whether a set of edges contains no cycle.
pub(super) fn is_forest(n: usize, edges: &[Edge]) -> bool {
    let mut components = Components::new(n);
    edges.iter().all(|edge| components.join(edge.p, edge.q))
}

/// Returns, for every vertex of the tree of `root` in a forest, the rows of the edges of the path
/// to it.
pub(super) fn tree_paths(
    n: usize,
    m: usize,
    forest: &[Edge],
    root: usize,
) -> Vec<Option<BitVector>> {
    let mut paths = vec![None; n];
    paths[root] = Some(BitVector::zeros(m));
    let mut queue = VecDeque::from([root]);
    while let Some(x) = queue.pop_front() {
        for edge in forest {
            for (from, to) in [(edge.p, edge.q), (edge.q, edge.p)] {
                if from == x && paths[to].is_none() {
                    let mut path = paths[x].clone().expect("reached before");
                    path.put(edge.row, true);
                    paths[to] = Some(path);
                    queue.push_back(to);
                }
            }
        }
    }
    paths
}

/// Converts the graph for petgraph, its vertices in order.
pub(super) fn petgraph_of(graph: &Graph) -> DiGraph<(), i64> {
    let mut result = DiGraph::default();
    let nodes: Vec<NodeIndex> = (0..graph.n_vertices).map(|_| result.add_node(())).collect();
    for arc in &graph.arcs {
        result.add_edge(nodes[arc.tail as usize], nodes[arc.head as usize], arc.weight);
    }
    result
}

/// Returns the least weight of every pair with an arc.
pub(super) fn least_weights(graph: &Graph) -> BTreeMap<(usize, usize), i64> {
    let mut weights = BTreeMap::new();
    for arc in &graph.arcs {
        let weight = weights.entry((arc.tail as usize, arc.head as usize)).or_insert(arc.weight);
        *weight = arc.weight.min(*weight);
    }
    weights
}

/// Returns the numbers of steps from `s`; `None` for unreachable vertices.
pub(super) fn levels(n: usize, arcs: &[(usize, usize)], s: usize) -> Vec<Option<usize>> {
    let mut levels = vec![None; n];
    levels[s] = Some(0);
    let mut queue = VecDeque::from([s]);
    while let Some(x) = queue.pop_front() {
        for &(_, head) in arcs.iter().filter(|(tail, _)| *tail == x) {
            if levels[head].is_none() {
                levels[head] = levels[x].map(|level| level + 1);
                queue.push_back(head);
            }
        }
    }
    levels
}

/// Returns the vertices reachable from `s`, including itself.
pub(super) fn reached(n: usize, arcs: &[(usize, usize)], s: usize) -> BitVector {
    let levels = levels(n, arcs, s);
    bits_at(n, (0..n).filter(|&x| levels[x].is_some()))
}

/// Returns the ends of the arcs.
pub(super) fn ends_of(graph: &Graph) -> Vec<(usize, usize)> {
    graph.arcs.iter().map(|arc| (arc.tail as usize, arc.head as usize)).collect()
}
