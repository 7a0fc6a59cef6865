//! `ramalingam`: SP_ROW, DELETE_ARC_SP and INSERT_ARC_SP.

use std::collections::BTreeMap;

use petgraph::algo::dijkstra;
use petgraph::graph::NodeIndex;
use star_base::BitTable;
use star_io::{Arc, Layout};
use star_vm::HostValue;

use super::module::Module;
use super::random::{Rng, each_seed, graph};
use super::reference::{least_weights, petgraph_of};
use super::values::{
    code_width, codes, field, infinite, infinity, int, laid_out, number_bits, numbers, path_width,
    put_field, vertex, zeros,
};

/// A graph with the shortest paths to its sink.
#[derive(Clone, Debug)]
struct State {
    n: usize,
    h: usize,
    sink: usize,
    /// The weight of every arc.
    arcs: BTreeMap<(usize, usize), u64>,
    weight: BitTable,
    cost: BitTable,
    g: BitTable,
    dist: BitTable,
    sp: BitTable,
}

impl State {
    /// The distances to the sink, from petgraph.
    fn distances(&self) -> Vec<u64> {
        let turned = self.arcs.iter().map(|(&(tail, head), &weight)| Arc {
            tail: head as u32,
            head: tail as u32,
            weight: weight as i64,
        });
        let turned = petgraph_of(&graph(self.n, turned.collect()));
        let found = dijkstra(&turned, NodeIndex::new(self.sink), None, |arc| *arc.weight());
        let of = |x| found.get(&NodeIndex::new(x)).map_or(infinite(self.h), |&d| d as u64);
        (0..self.n).map(of).collect()
    }

    /// The arcs on shortest paths.
    fn shortest(&self, distances: &[u64]) -> BitTable {
        let mut sp = zeros(self.n, self.n);
        for (&(x, y), &weight) in &self.arcs {
            let finite = distances[x] < infinite(self.h);
            sp.put(x, y, finite && weight + distances[y] == distances[x]);
        }
        sp
    }

    fn check(&self) {
        let distances = self.distances();
        assert_eq!(self.dist, numbers(&distances, self.h), "distances, {self:?}");
        assert_eq!(self.sp, self.shortest(&distances), "shortest paths, {self:?}");
        let mut g = zeros(self.n, self.n);
        for (&(x, y), &weight) in &self.arcs {
            g.put(x, y, true);
            assert_eq!(field(&self.weight, x, y, self.h), weight, "{x} to {y}, {self:?}");
            assert_eq!(field(&self.cost, y, x, self.h), weight, "{x} to {y}, {self:?}");
        }
        assert_eq!(self.g, g, "arcs, {self:?}");
    }

    fn matrices(&self) -> [HostValue; 2] {
        [HostValue::Table(self.weight.clone()), HostValue::Table(self.cost.clone())]
    }

    fn kept(&self) -> [HostValue; 3] {
        [&self.g, &self.dist, &self.sp].map(|table| HostValue::Table(table.clone()))
    }

    fn delete(&mut self, module: &Module, (v, t): (usize, usize)) {
        self.arcs.remove(&(v, t));
        let mut args = vec![vertex(v), vertex(t), int(self.h), infinity(self.h)];
        args.extend(self.matrices());
        args.extend(self.kept());
        let results = module.call("DELETE_ARC_SP", args);
        [self.g, self.dist, self.sp] = [6, 7, 8].map(|idx| results.table(idx));
        self.check();
    }

    fn insert(&mut self, module: &Module, (v, t): (usize, usize), weight: u64) {
        self.arcs.insert((v, t), weight);
        let c = HostValue::Word(number_bits(weight, self.h));
        let mut args = vec![vertex(v), vertex(t), int(self.h), infinity(self.h), c];
        args.extend(self.matrices());
        args.extend(self.kept());
        let results = module.call("INSERT_ARC_SP", args);
        [self.weight, self.cost] = [5, 6].map(|idx| results.table(idx));
        [self.g, self.dist, self.sp] = [7, 8, 9].map(|idx| results.table(idx));
        self.check();
    }
}

/// A graph, its distances and shortest paths made as the module says: DIJKSTRA in the graph turned
/// round, then SP_ROW.
fn random_state(module: &Module, paths: &Module, rng: &mut Rng, most: i64) -> State {
    let n = rng.n_vertices(1, 9);
    let m = rng.below(3 * n + 1);
    let mut drawn = rng.graph_of(n, m, 1, most);
    // A heaviest arc, so that h has room for every weight.
    drawn.arcs.push(Arc { tail: 0, head: 0, weight: most });
    let h = path_width(&drawn);
    let sink = rng.below(n);
    let mut turned = drawn.clone();
    for arc in &mut turned.arcs {
        (arc.tail, arc.head) = (arc.head, arc.tail);
    }
    let table = |layout| HostValue::Table(laid_out(layout, &turned));
    let args = vec![
        vertex(sink),
        int(h),
        infinity(h),
        table(Layout::Adjacency),
        table(Layout::WeightsOut),
        HostValue::Table(codes(n, code_width(n))),
        HostValue::Unset,
        HostValue::Unset,
    ];
    let dist = paths.call("DIJKSTRA", args).table(6);
    let arcs = least_weights(&drawn).into_iter().map(|(ends, weight)| (ends, weight as u64));
    let mut state = State {
        n,
        h,
        sink,
        arcs: arcs.collect(),
        weight: laid_out(Layout::WeightsIn, &drawn),
        cost: laid_out(Layout::WeightsOut, &drawn),
        g: laid_out(Layout::Adjacency, &drawn),
        dist,
        sp: zeros(n, n),
    };
    for u in 0..n {
        let [_, cost] = state.matrices();
        let [g, dist, sp] = state.kept();
        let args = vec![vertex(u), int(h), infinity(h), g, cost, dist, sp];
        state.sp = module.call("SP_ROW", args).table(6);
    }
    state.check();
    state
}

pub(super) fn play(module: &Module, paths: &Module, rng: &mut Rng) {
    let most = rng.pick(&[1, 3, 20]);
    let mut state = random_state(module, paths, rng, most);
    for _ in 0..20 {
        let ends = (rng.below(state.n), rng.below(state.n));
        let present: Vec<(usize, usize)> = state.arcs.keys().copied().collect();
        if !state.arcs.contains_key(&ends) && !rng.once_in(3) {
            state.insert(module, ends, rng.between(1, most) as u64);
        } else if !present.is_empty() {
            state.delete(module, rng.pick(&present));
        }
    }
}

#[test]
fn distances_and_shortest_arcs_follow_the_graph() {
    let (module, paths) = (Module::new("ramalingam"), Module::new("paths"));
    each_seed(80, |rng| play(&module, &paths, rng));
}

#[test]
fn an_arc_off_all_shortest_paths_goes_for_two_operations() {
    let module = Module::new("ramalingam");
    let h = 4;
    let arcs = BTreeMap::from([((0, 1), 3), ((0, 2), 1), ((2, 1), 1)]);
    let (mut weight, mut cost, mut g) = (zeros(3, 3 * h), zeros(3, 3 * h), zeros(3, 3));
    for (&(x, y), &w) in &arcs {
        g.put(x, y, true);
        put_field(&mut weight, x, y, h, w);
        put_field(&mut cost, y, x, h, w);
    }
    let (dist, sp) = (zeros(3, h), zeros(3, 3));
    let mut state = State { n: 3, h, sink: 1, arcs, weight, cost, g, dist, sp };
    let distances = state.distances();
    state.dist = numbers(&distances, h);
    state.sp = state.shortest(&distances);
    state.check();
    let mut args = vec![vertex(0), vertex(1), int(h), infinity(h)];
    args.extend(state.matrices());
    args.extend(state.kept());
    assert_eq!(module.call("DELETE_ARC_SP", args).operations, 2);
}
