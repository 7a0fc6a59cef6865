//! Algorithms that follow the changes of a graph of n vertices and 5 n edges or arcs: random changes one
//! after another, beside the best static peer that begins anew after each.

use std::time::Duration;

use petgraph::algo::{dijkstra, min_spanning_tree};
use petgraph::graph::NodeIndex;
use petgraph::visit::Bfs;
use star_io::{Graph, Layout, Widths};
use star_vm::{HostValue, cpu};

use super::instance::{
    self, codes, int, node, number, ones, peer, table, undirected_peer, weight_of, word, zeros,
};
use super::measure::{Bench, Line, timed};
use super::paths::as_table;
use super::trees::{WEIGHT_WIDTH, as_slice, tree_weight};
use crate::program::{Called, Compiled, median};
use star_base::Random;

/// Changes of each kind.
const CHANGES: usize = 200;

/// After so many changes ours is compared with the peer, which is timed then.
const EVERY: usize = 50;

pub(super) fn run(bench: &Bench<'_>) {
    spanning_tree(bench);
    closure(bench);
    shortest_paths(bench);
    reachability(bench);
}

/// The times of one procedure, and of its peer.
#[derive(Default)]
struct Times {
    ours: Vec<Duration>,
    operations: u64,
    theirs: Vec<Duration>,
}

impl Times {
    fn add(&mut self, called: Called) {
        self.ours.push(called.time);
        self.operations += called.operations;
    }

    fn print(mut self, name: &str, input: &str, peer: &str) {
        let all: Duration = self.ours.iter().sum();
        let each = all.as_secs_f64() * 1e9 / self.operations.max(1) as f64;
        let operations = self.operations / self.ours.len() as u64;
        let worst = self.ours.iter().max().copied().unwrap_or_default();
        let input = format!("{input}, worst {:.3} ms", worst.as_secs_f64() * 1e3);
        let ours = Called { time: median(&mut self.ours), operations };
        let peer = Some((peer, median(&mut self.theirs)));
        Line { name, input: &input, ours, each, peer }.print();
    }
}

/// Calls a routine on values that stay in the machine, with one more argument in front.
fn change(star: &Compiled, name: &str, place: &[HostValue], state: &mut Vec<cpu::Value>) -> Called {
    let mut values = star.load(place.to_vec());
    values.append(state);
    let called = star.call(name, &mut values);
    *state = values.split_off(place.len());
    called
}

/// The first ones of a random order of 0..n: what is changed.
fn chosen(n: usize, random: &mut Random) -> Vec<usize> {
    let mut order = shuffled(n, random);
    order.truncate(CHANGES);
    order
}

fn shuffled(n: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for idx in (1..n).rev() {
        order.swap(idx, random.below(idx + 1));
    }
    order
}

/// Is ours compared after change `idx` of so many?
fn compares(idx: usize, n_changes: usize) -> bool {
    idx % EVERY == EVERY - 1 || idx + 1 == n_changes
}

/// DELETE_EDGE and INSERT_EDGE, DELETE_VERTEX and INSERT_VERTEX.
fn spanning_tree(bench: &Bench<'_>) {
    let names = ["DELETE_EDGE", "INSERT_EDGE", "DELETE_VERTEX", "INSERT_VERTEX"];
    if !names.iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.n;
    let graph = instance::connected(n, 5 * n);
    let m = graph.n_edges();
    let widths = Widths { h: WEIGHT_WIDTH, b: graph.code_width() };
    let input = format!("n = {n}, m = {m}, h = {WEIGHT_WIDTH}");
    let star = bench.module_of("dynmst");
    let [inc, weight] = [Layout::Incidence, Layout::Weight].map(|l| table(&graph, l, widths));
    let mut msf = star.load(vec![
        inc,
        weight,
        codes(n, widths.b),
        ones(m),
        HostValue::Unset,
        HostValue::Unset,
        HostValue::Unset,
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
    let order = chosen(m, &mut random);
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
            times.add(called);
            alive[row] = insert;
            if compares(idx, order.len()) {
                let (time, expected) = recomputed(&alive);
                times.theirs.push(time);
                assert_eq!(weight_now(&star, &state), expected, "{name}");
            }
        }
        times.print(name, &input, "petgraph min_spanning_tree anew");
    }
    // A vertex goes with its edges, and comes back with them.
    let vertices = chosen(n, &mut random);
    let (mut gone, mut back) = (Times::default(), Times::default());
    for (idx, &z) in vertices.iter().enumerate() {
        for (name, times) in [("DELETE_VERTEX", &mut gone), ("INSERT_VERTEX", &mut back)] {
            times.add(change(&star, name, &[int(z + 1)], &mut state));
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
    gone.print("DELETE_VERTEX", &input, "petgraph min_spanning_tree anew");
    back.print("INSERT_VERTEX", &input, "petgraph min_spanning_tree anew");
}

/// DELETE_ARC and INSERT_ARC, which keep the closure and its trees.
fn closure(bench: &Bench<'_>) {
    if !["DELETE_ARC", "INSERT_ARC", "ITALIANO"].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.n;
    let m = n * 3 / 2;
    let graph = instance::directed(n, m);
    let widths = instance::widths(&graph);
    let input = format!("n = {n}, m = {m}");
    let star = bench.module_of("italiano");
    let [tails, heads] = [Layout::Tails, Layout::Heads].map(|layout| table(&graph, layout, widths));
    let mut state = star.load(vec![tails, heads, HostValue::Unset, HostValue::Unset]);
    change(&star, "TC_INIT", &[int(n)], &mut state);
    let none = star_base::BitVector::zeros(m);
    state.splice(2..2, star.load(vec![HostValue::Slice(none)]));
    let mut times = Times::default();
    for row in 0..m {
        times.add(change(&star, "INSERT_ARC", &[int(row + 1)], &mut state));
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
    times.print("INSERT_ARC", &format!("{input}, all arcs"), "petgraph Bfs from all, anew");
    let mut random = Random::new(instance::SEED);
    let order = chosen(m, &mut random);
    for insert in [false, true] {
        let name = if insert { "INSERT_ARC" } else { "DELETE_ARC" };
        let mut times = Times::default();
        for &row in &order {
            times.add(change(&star, name, &[int(row + 1)], &mut state));
            alive[row] = insert;
        }
        times.theirs.push(compare(&star, &state, &alive));
        times.print(
            name,
            &format!("{input}, {} of them", order.len()),
            "petgraph Bfs from all, anew",
        );
    }
}

/// DELETE_ARC_SP and INSERT_ARC_SP, which keep the distances to the sink 1.
fn shortest_paths(bench: &Bench<'_>) {
    if !["DELETE_ARC_SP", "INSERT_ARC_SP"].iter().any(|name| bench.wants(name)) {
        return;
    }
    let n = bench.n;
    let graph = instance::directed(n, 5 * n);
    let widths = instance::widths(&graph);
    let h = widths.h;
    let infinite = (1_u64 << h) - 1;
    let input = format!("n = {n}, m = {}, h = {h}", 5 * n);
    let star = bench.module_of("ramalingam");
    let distances = |alive: &[bool]| {
        let arcs = graph.arcs.iter().zip(alive).filter(|(_, alive)| **alive);
        let turned = arcs.map(|(&arc, _)| star_io::Arc { tail: arc.head, head: arc.tail, ..arc });
        let turned = peer(&Graph { arcs: turned.collect(), ..graph.clone() });
        timed(|| {
            let found = dijkstra(&turned, node(0), None, |arc| *arc.weight());
            let of = |x: u32| found.get(&node(x)).map_or(infinite, |&d| d as u64);
            (0..n as u32).map(of).collect::<Vec<u64>>()
        })
    };
    let mut alive = vec![true; graph.arcs.len()];
    let mut state = star.load(vec![
        table(&graph, Layout::WeightsIn, widths),
        table(&graph, Layout::WeightsOut, widths),
        table(&graph, Layout::Adjacency, widths),
        HostValue::Unset,
        HostValue::Unset,
    ]);
    let mut times = Times::default();
    times.add(change(&star, "SP_INIT", &[int(1), int(h), word(infinite, h)], &mut state));
    times.theirs.push(distances(&alive).0);
    times.print("SP_INIT", &input, "petgraph dijkstra");
    let mut random = Random::new(instance::SEED);
    let order = chosen(alive.len(), &mut random);
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
            times.add(change(&star, name, &place, &mut state));
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
        times.print(name, &input, "petgraph dijkstra anew");
    }
}

/// INSERT_REACH, which keeps what the vertex 1 reaches.
fn reachability(bench: &Bench<'_>) {
    if !bench.wants("INSERT_REACH") {
        return;
    }
    let n = bench.n;
    let graph = instance::directed(n, 2 * n);
    let b = graph.code_width();
    let star = bench.module_of("reach");
    let mut set = star_base::BitVector::zeros(n);
    set.put(0, true);
    let mut state = star.load(vec![
        codes(n, b),
        HostValue::Table(zeros(n, n)),
        HostValue::Table(zeros(n, b)),
        HostValue::Slice(set),
    ]);
    let mut times = Times::default();
    let order = shuffled(graph.arcs.len(), &mut Random::new(instance::SEED));
    for &row in &order {
        let arc = graph.arcs[row];
        let place = [int(arc.tail as usize + 1), int(arc.head as usize + 1)];
        times.add(change(&star, "INSERT_REACH", &place, &mut state));
    }
    let peer = peer(&graph);
    let (time, reached) = timed(|| {
        let mut bfs = Bfs::new(&peer, NodeIndex::new(0));
        std::iter::from_fn(|| bfs.next(&peer)).count() as u64
    });
    times.theirs.push(time);
    assert_eq!(as_slice(&star.read(&state[3])).count_ones(), reached);
    times.print("INSERT_REACH", &format!("n = {n}, m = {}", 2 * n), "petgraph Bfs anew");
}
