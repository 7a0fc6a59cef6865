//! Algorithms that follow the changes of a graph: random changes one after another, compared with
//! the best static peer, which starts anew after each.

use std::time::{Duration, Instant};

use petgraph::algo::{dijkstra, min_spanning_tree};
use petgraph::graph::NodeIndex;
use petgraph::visit::Bfs;
use star_base::Random;
use star_io::{Graph, Layout, Widths};
use star_value::Value;
use star_vm::{Cpu, cpu};

use crate::instance::{
    self, MAX_WEIGHT, as_slice, as_table, codes, int, node, number, ones, peer, table, tree_weight,
    undirected_peer, weight_of, word,
};
use crate::program::{Called, Compiled, median};
use crate::results::Figure;

/// Number of changes between two comparisons with the peer.
const EVERY: usize = 50;

/// The width of a weight; no sums are formed.
const WEIGHT_WIDTH: usize = (MAX_WEIGHT.ilog2() + 1) as usize;

/// Returns a module of the library, compiled with its intrinsics, after all passes.
fn module(name: &str) -> Compiled {
    let mut modules = star_stdlib::MODULES.iter();
    let (_, text) = modules.find(|(known, _)| *known == name).expect("a module of the library");
    Compiled::optimised(Cpu::new(), text, &[]).with_intrinsics(name)
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let given = work();
    (begun.elapsed(), given)
}

const TREE_PEER: &str = "petgraph min_spanning_tree, anew";
const CLOSURE_PEER: &str = "petgraph Bfs from all vertices, anew";
const PATHS_PEER: &str = "petgraph dijkstra, anew";

/// The times of a procedure, and of its peer.
#[derive(Default)]
struct Times {
    ours: Vec<Duration>,
    theirs: Vec<Duration>,
}

impl Times {
    fn figure(mut self, name: &str, n: usize, peer: &str) -> Figure {
        let worst = self.ours.iter().max().copied().unwrap_or_default();
        let n_changes = self.ours.len();
        let [ours, theirs] =
            [&mut self.ours, &mut self.theirs].map(|times| median(times).as_secs_f64());
        Figure {
            note: format!("worst of {n_changes} changes: {:.0} µs", worst.as_secs_f64() * 1e6),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            ..Figure::new(name, ("n", n), ours, &[(peer, theirs)])
        }
    }
}

/// Calls a routine on values that stay in the machine, after more arguments.
fn change(star: &Compiled, name: &str, place: &[Value], state: &mut Vec<cpu::Value>) -> Called {
    let mut values = star.load(place.to_vec());
    values.append(state);
    let called = star.call(name, &mut values);
    *state = values.split_off(place.len());
    called
}

/// Returns `n_changes` different numbers below `n`, in a random order.
fn chosen(n: usize, n_changes: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for idx in (1..n).rev() {
        order.swap(idx, random.below(idx + 1));
    }
    order.truncate(n_changes);
    order
}

/// Is ours compared with the peer after change `idx`?
fn compares(idx: usize, n_changes: usize) -> bool {
    idx % EVERY == EVERY - 1 || idx + 1 == n_changes
}

/// Measures DELETE_EDGE, INSERT_EDGE, DELETE_VERTEX and INSERT_VERTEX on 5 n edges.
pub(crate) fn spanning_tree(n: usize, n_changes: usize) -> Vec<Figure> {
    let graph = instance::connected(n, 5 * n);
    let m = graph.n_edges();
    let widths = Widths { h: WEIGHT_WIDTH, b: graph.code_width() };
    let mut figures = Vec::new();
    let star = module("dynmst");
    let [inc, weight] = [Layout::Incidence, Layout::Weight].map(|l| table(&graph, l, widths));
    let mut msf = star.load(vec![
        inc,
        weight,
        codes(n, widths.b),
        ones(m),
        Value::Unset,
        Value::Unset,
        Value::Unset,
    ]);
    star.call("MSF", &mut msf);
    // INSERT_EDGE takes no codes.
    let mut state = msf;
    let mut alive = vec![true; m];
    let weight_now = |star: &Compiled, state: &[cpu::Value]| {
        let tree = star.read(&state[4]);
        weight_of(&graph, as_slice(&tree))
    };
    let recomputed = |alive: &[bool]| {
        let arcs = graph.arcs.iter().zip(alive).filter(|(_, alive)| **alive).map(|(arc, _)| *arc);
        let peer = undirected_peer(&Graph { arcs: arcs.collect(), ..graph.clone() });
        timed(|| tree_weight(min_spanning_tree(&peer)))
    };
    let mut random = Random::new(instance::SEED);
    let order = chosen(m, n_changes, &mut random);
    for insert in [false, true] {
        let name = if insert { "INSERT_EDGE" } else { "DELETE_EDGE" };
        let mut times = Times::default();
        for (idx, &row) in order.iter().enumerate() {
            let called = if insert {
                let code = state.remove(2);
                let called = change(&star, name, &[int(row + 1)], &mut state);
                state.insert(2, code);
                called
            } else {
                change(&star, name, &[int(row + 1)], &mut state)
            };
            times.ours.push(called.time);
            alive[row] = insert;
            if compares(idx, order.len()) {
                let (time, expected) = recomputed(&alive);
                times.theirs.push(time);
                assert_eq!(weight_now(&star, &state), expected, "{name}");
            }
        }
        figures.push(times.figure(name, n, TREE_PEER));
    }
    // A vertex is deleted with its edges, and inserted again with them.
    let vertices = chosen(n, n_changes / 5, &mut random);
    let (mut gone, mut back) = (Times::default(), Times::default());
    for (idx, &z) in vertices.iter().enumerate() {
        for (name, times) in [("DELETE_VERTEX", &mut gone), ("INSERT_VERTEX", &mut back)] {
            times.ours.push(change(&star, name, &[int(z + 1)], &mut state).time);
            let insert = name == "INSERT_VERTEX";
            for (alive, arc) in alive.iter_mut().zip(&graph.arcs) {
                if arc.tail as usize == z || arc.head as usize == z {
                    *alive = insert;
                }
            }
            if compares(idx, vertices.len()) {
                let (time, expected) = recomputed(&alive);
                times.theirs.push(time);
                assert_eq!(weight_now(&star, &state), expected, "{name}");
            }
        }
    }
    figures.push(gone.figure("DELETE_VERTEX", n, TREE_PEER));
    figures.push(back.figure("INSERT_VERTEX", n, TREE_PEER));
    figures
}

/// Measures INSERT_ARC and DELETE_ARC, which keep the closure and its trees, on 1.5 n arcs.
pub(crate) fn closure(n: usize, n_changes: usize) -> Vec<Figure> {
    let m = n * 3 / 2;
    let graph = instance::directed(n, m);
    let widths = instance::widths(&graph);
    let star = module("italiano");
    let [tails, heads] = [Layout::Tails, Layout::Heads].map(|layout| table(&graph, layout, widths));
    let mut state = star.load(vec![tails, heads, Value::Unset, Value::Unset]);
    change(&star, "TC_INIT", &[int(n)], &mut state);
    let none = star_value::BitVector::zeros(m);
    state.splice(2..2, star.load(vec![Value::Slice(none)]));
    let mut times = Times::default();
    for row in 0..m {
        times.ours.push(change(&star, "INSERT_ARC", &[int(row + 1)], &mut state).time);
    }
    let mut alive = vec![true; m];
    let compare = |star: &Compiled, state: &[cpu::Value], alive: &[bool]| {
        let found = star.read(&state[3]);
        let found = as_table(&found);
        let arcs = graph.arcs.iter().zip(alive).filter(|(_, alive)| **alive).map(|(arc, _)| *arc);
        let now = peer(&Graph { arcs: arcs.collect(), ..graph.clone() });
        let (time, pairs) = timed(|| {
            let reached = |x| {
                let mut bfs = Bfs::new(&now, NodeIndex::new(x));
                std::iter::from_fn(|| bfs.next(&now)).count() as u64
            };
            (0..n).map(reached).sum::<u64>()
        });
        let ours: u64 = (0..n).map(|x| found.column(x).count_ones()).sum();
        assert_eq!(ours, pairs, "pairs of the closure");
        time
    };
    times.theirs.push(compare(&star, &state, &alive));
    let mut figures = vec![times.figure("INSERT_ARC, all arcs", n, CLOSURE_PEER)];
    let mut random = Random::new(instance::SEED);
    let order = chosen(m, n_changes, &mut random);
    for insert in [false, true] {
        let name = if insert { "INSERT_ARC" } else { "DELETE_ARC" };
        let mut times = Times::default();
        for &row in &order {
            times.ours.push(change(&star, name, &[int(row + 1)], &mut state).time);
            alive[row] = insert;
        }
        times.theirs.push(compare(&star, &state, &alive));
        figures.push(times.figure(name, n, CLOSURE_PEER));
    }
    figures
}

/// Measures DELETE_ARC_SP and INSERT_ARC_SP, which keep the distances to a vertex, on 5 n arcs.
pub(crate) fn shortest_paths(n: usize, n_changes: usize) -> Vec<Figure> {
    let graph = instance::directed(n, 5 * n);
    let widths = instance::widths(&graph);
    let h = widths.h;
    let infinite = (1_u64 << h) - 1;
    let mut figures = Vec::new();
    let star = module("ramalingam");
    let distances = |alive: &[bool]| {
        let arcs = graph.arcs.iter().zip(alive).filter(|(_, alive)| **alive);
        let reversed = arcs.map(|(&arc, _)| star_io::Arc { tail: arc.head, head: arc.tail, ..arc });
        let reversed = peer(&Graph { arcs: reversed.collect(), ..graph.clone() });
        timed(|| {
            let found = dijkstra(&reversed, node(0), None, |arc| *arc.weight());
            let of = |x: u32| found.get(&node(x)).map_or(infinite, |&d| d as u64);
            (0..n as u32).map(of).collect::<Vec<u64>>()
        })
    };
    let mut alive = vec![true; graph.arcs.len()];
    let mut state = star.load(vec![
        table(&graph, Layout::WeightsIn, widths),
        table(&graph, Layout::WeightsOut, widths),
        table(&graph, Layout::Adjacency, widths),
        Value::Unset,
        Value::Unset,
    ]);
    change(&star, "SP_INIT", &[int(1), int(h), word(infinite, h)], &mut state);
    let mut random = Random::new(instance::SEED);
    let order = chosen(alive.len(), n_changes, &mut random);
    for insert in [false, true] {
        let name = if insert { "INSERT_ARC_SP" } else { "DELETE_ARC_SP" };
        let mut times = Times::default();
        for (idx, &row) in order.iter().enumerate() {
            let arc = graph.arcs[row];
            let ends = [int(arc.tail as usize + 1), int(arc.head as usize + 1)];
            let mut place = ends.to_vec();
            place.extend([int(h), word(infinite, h)]);
            if insert {
                place.push(word(arc.weight as u64, h));
            }
            times.ours.push(change(&star, name, &place, &mut state).time);
            alive[row] = insert;
            if compares(idx, order.len()) {
                let (time, expected) = distances(&alive);
                times.theirs.push(time);
                let found = star.read(&state[3]);
                let found = as_table(&found);
                let found: Vec<u64> = (0..n).map(|x| number(found, x)).collect();
                assert_eq!(found, expected, "{name}");
            }
        }
        figures.push(times.figure(name, n, PATHS_PEER));
    }
    figures
}
