//! `closure`: WARSHALL, WARSHALL-C and WARSHALL-adapt.

use petgraph::algo::tarjan_scc;
use star_io::{Graph, Layout};
use star_value::{BitTable, Value};

use super::module::Module;
use super::random::{Rng, each_seed};
use super::reference::{ends_of, petgraph_of, reached};
use super::values::{int, laid_out, zeros};

const ROUTINES: [&str; 3] = ["WARSHALL", "WARSHALL-C", "WARSHALL-adapt"];

fn close(module: &Module, routine: &'static str, k: usize, table: &BitTable) -> BitTable {
    module.call(routine, vec![int(k), Value::from(table.clone())]).table(1)
}

/// Returns the pairs with a path of at least one arc whose inner vertices are among the first `k`.
fn paths_through(graph: &Graph, k: usize) -> BitTable {
    let n = graph.n_vertices;
    let mut table = zeros(n, n);
    for start in 0..n {
        let mut todo = vec![start];
        while let Some(x) = todo.pop() {
            for (_, head) in ends_of(graph).into_iter().filter(|(tail, _)| *tail == x) {
                if !table.get(start, head) {
                    table.put(start, head, true);
                    if head < k {
                        todo.push(head);
                    }
                }
            }
        }
    }
    table
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(0, 12);
    let graph = rng.graph(n, 1);
    let table = laid_out(Layout::Adjacency, &graph);
    for k in 0..=n {
        let expected = paths_through(&graph, k);
        for routine in ROUTINES {
            assert_eq!(
                close(module, routine, k, &table),
                expected,
                "{routine}, k = {k}, {graph:?}"
            );
        }
    }
    let closed = paths_through(&graph, n);
    for routine in ROUTINES {
        assert_eq!(close(module, routine, n, &closed), closed, "{routine} of a closure, {graph:?}");
    }
}

#[test]
fn closure_agrees_with_search_after_every_vertex() {
    let module = Module::new("closure");
    each_seed(60, |rng| play(&module, rng));
}

/// Computes the closure by strongly connected components, in the order of Tarjan's algorithm: each
/// after all that it reaches.
fn by_components(graph: &Graph) -> BitTable {
    let n = graph.n_vertices;
    let arcs = ends_of(graph);
    let mut closed = zeros(n, n);
    for component in tarjan_scc(&petgraph_of(graph)) {
        let members: Vec<usize> = component.iter().map(|node| node.index()).collect();
        let leaving = arcs.iter().filter(|(tail, _)| members.contains(tail));
        let mut reaches = vec![false; n];
        for &(_, head) in leaving {
            reaches[head] = true;
            for (x, reach) in reaches.iter_mut().enumerate() {
                *reach |= closed.get(head, x) || (members.contains(&head) && members.contains(&x));
            }
        }
        for &member in &members {
            for (x, &reach) in reaches.iter().enumerate() {
                closed.put(member, x, reach);
            }
        }
    }
    closed
}

#[test]
fn closure_agrees_with_components_beyond_a_limb() {
    let module = Module::new("closure");
    each_seed(4, |rng| {
        let n = 66 + rng.below(10);
        let m = n + rng.below(n / 2);
        let graph = rng.graph_of(n, m, 1, 1);
        let table = laid_out(Layout::Adjacency, &graph);
        let closed = by_components(&graph);
        for x in 0..n {
            let row = closed.row(x);
            let mut reached = reached(n, &ends_of(&graph), x);
            reached.put(x, row.get(x));
            assert_eq!(row, reached, "the references differ");
        }
        for routine in ROUTINES {
            assert_eq!(close(&module, routine, n, &table), closed, "{routine}");
        }
    });
}
