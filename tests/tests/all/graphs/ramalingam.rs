//! `ramalingam`: SP_INIT, DELETE_ARC_SP, INSERT_ARC_SP, and the procedures from which they are
//! built.

use std::collections::BTreeMap;

use petgraph::algo::dijkstra;
use petgraph::graph::NodeIndex;
use star_io::{Arc, Layout};
use star_value::{BitTable, Value};

use super::module::Module;
use super::random::{Rng, each_seed, graph};
use super::reference::{least_weights, petgraph_of};
use super::values::{
    field, infinite, infinity, int, laid_out, number_bits, numbers, ones, path_width, put_field,
    vertex, word, zeros,
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
    /// Returns the distances to the sink, from petgraph.
    fn distances(&self) -> Vec<u64> {
        let transposed = self.arcs.iter().map(|(&(tail, head), &weight)| Arc {
            tail: head as u32,
            head: tail as u32,
            weight: weight as i64,
        });
        let transposed = petgraph_of(&graph(self.n, transposed.collect()));
        let found = dijkstra(&transposed, NodeIndex::new(self.sink), None, |arc| *arc.weight());
        let of = |x| found.get(&NodeIndex::new(x)).map_or(infinite(self.h), |&d| d as u64);
        (0..self.n).map(of).collect()
    }

    /// Returns the arcs on shortest paths.
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

    fn matrices(&self) -> [Value; 2] {
        [Value::from(self.weight.clone()), Value::from(self.cost.clone())]
    }

    fn kept(&self) -> [Value; 3] {
        [&self.g, &self.dist, &self.sp].map(|table| Value::from(table.clone()))
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
        let c = Value::Word(number_bits(weight, self.h));
        let mut args = vec![vertex(v), vertex(t), int(self.h), infinity(self.h), c];
        args.extend(self.matrices());
        args.extend(self.kept());
        let results = module.call("INSERT_ARC_SP", args);
        [self.weight, self.cost] = [5, 6].map(|idx| results.table(idx));
        [self.g, self.dist, self.sp] = [7, 8, 9].map(|idx| results.table(idx));
        self.check();
    }
}

/// Returns a graph, with its distances and shortest paths from SP_INIT.
fn random_state(module: &Module, rng: &mut Rng, n: usize, most: i64) -> State {
    let m = rng.below(3 * n + 1);
    let mut drawn = rng.graph_of(n, m, 1, most);
    // An arc of greatest weight, so that h has room for every weight.
    drawn.arcs.push(Arc { tail: 0, head: 0, weight: most });
    let h = path_width(&drawn);
    let sink = rng.below(n);
    let arcs = least_weights(&drawn).into_iter().map(|(ends, weight)| (ends, weight as u64));
    let mut state = State {
        n,
        h,
        sink,
        arcs: arcs.collect(),
        weight: laid_out(Layout::WeightsIn, &drawn),
        cost: laid_out(Layout::WeightsOut, &drawn),
        g: laid_out(Layout::Adjacency, &drawn),
        dist: zeros(n, h),
        sp: zeros(n, n),
    };
    let [weight, cost] = state.matrices();
    let [g, _, _] = state.kept();
    let mut args = vec![vertex(sink), int(h), infinity(h), weight, cost, g];
    args.extend([Value::Unset, Value::Unset]);
    let results = module.call("SP_INIT", args);
    [state.dist, state.sp] = [6, 7].map(|idx| results.table(idx));
    state.check();
    state
}

/// Checks the procedures from which the others are built.
fn check_parts(module: &Module, rng: &mut Rng, state: &State) {
    let (n, h) = (state.n, state.h);
    let [weight, cost] = state.matrices();
    let [g, dist, sp] = state.kept();
    // A correct row of SP is unchanged.
    let u = rng.below(n);
    let args = vec![vertex(u), int(h), infinity(h), g.clone(), cost.clone(), dist, sp];
    assert_eq!(module.call("SP_ROW", args).table(6), state.sp, "row {u}, {state:?}");
    // What is forgotten of some vertices except their outgoing arcs is found again.
    let inside = rng.bits(n);
    let (mut dist, mut sp) = (state.dist.clone(), state.sp.clone());
    for x in ones(&inside) {
        let out = state.arcs.range((x, 0)..(x + 1, 0));
        let ways = out
            .filter(|((_, y), _)| !inside.get(*y))
            .map(|(&(_, y), &weight)| (field(&state.dist, y, 0, h) + weight).min(infinite(h)));
        let sink = (x == state.sink).then_some(0);
        let least = ways.chain(sink).min().unwrap_or(infinite(h));
        put_field(&mut dist, x, 0, h, least);
        (0..n).for_each(|y| sp.put(x, y, false));
    }
    let mut args = vec![int(h), infinity(h), Value::Slice(inside.clone()), weight, cost, g];
    args.extend([Value::from(dist), Value::from(sp)]);
    let results = module.call("SP_SETTLE", args);
    assert_eq!(results.table(6), state.dist, "{inside}, {state:?}");
    assert_eq!(results.table(7), state.sp, "{inside}, {state:?}");
    // Sums below infinity are valid.
    let args = vec![
        word(7, 3),
        Value::from(numbers(&[5, 7, 6, 1], 3)),
        Value::from(numbers(&[5, 2, 1, 3], 3)),
        Value::Slice(super::values::bits_at(4, [0, 2])),
    ];
    module.call("SP_HEADROOM", args);
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(1, 9);
    follow(module, rng, n, 40);
}

/// Follows a graph of n vertices through the given number of changes.
fn follow(module: &Module, rng: &mut Rng, n: usize, n_iterations: usize) {
    let most = rng.pick(&[1, 3, 20]);
    let mut state = random_state(module, rng, n, most);
    check_parts(module, rng, &state);
    for _ in 0..n_iterations {
        let ends = (rng.below(state.n), rng.below(state.n));
        let present: Vec<(usize, usize)> = state.arcs.keys().copied().collect();
        if !state.arcs.contains_key(&ends) && !rng.once_in(3) {
            let before = (state.dist.clone(), state.sp.clone());
            state.insert(module, ends, rng.between(1, most) as u64);
            if rng.once_in(4) {
                state.delete(module, ends);
                assert_eq!((&state.dist, &state.sp), (&before.0, &before.1), "{ends:?}, {state:?}");
            }
        } else if !present.is_empty() {
            state.delete(module, rng.pick(&present));
        }
    }
}

#[test]
fn distances_and_shortest_arcs_follow_the_graph() {
    let module = Module::new("ramalingam");
    each_seed(80, |rng| play(&module, rng));
}

#[test]
fn distances_of_graphs_larger_than_a_limb_follow_the_graph() {
    let module = Module::new("ramalingam");
    each_seed(2, |rng| follow(&module, rng, 70, 60));
}

#[test]
fn deleting_an_arc_off_all_shortest_paths_costs_three() {
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
    assert_eq!(module.call("DELETE_ARC_SP", args).operations, 3);
}

/// Returns the arcs 1 -> 2 and 2 -> 3 in four bits, with the distances to 3.
fn chain(weights: [u64; 2]) -> State {
    let arcs = BTreeMap::from([((0, 1), weights[0]), ((1, 2), weights[1])]);
    let h = 4;
    let (mut weight, mut cost, mut g) = (zeros(3, 3 * h), zeros(3, 3 * h), zeros(3, 3));
    for (&(x, y), &w) in &arcs {
        g.put(x, y, true);
        put_field(&mut weight, x, y, h, w);
        put_field(&mut cost, y, x, h, w);
    }
    State { n: 3, h, sink: 2, arcs, weight, cost, g, dist: zeros(3, h), sp: zeros(3, 3) }
}

#[test]
fn invalid_calls_end_the_program_with_a_reason() {
    let module = Module::new("ramalingam");
    let init = |state: &State| {
        let [weight, cost] = state.matrices();
        let [g, _, _] = state.kept();
        let mut args = vec![vertex(state.sink), int(4), infinity(4), weight, cost, g];
        args.extend([Value::Unset, Value::Unset]);
        args
    };
    for weights in [[3, 0], [0, 3]] {
        assert_eq!(
            module.refusal("SP_INIT", init(&chain(weights))),
            "the weight of an arc is zero"
        );
    }
    let too_far = "a distance plus a weight reaches infinity: take a greater h";
    for weights in [[12, 3], [14, 14]] {
        assert_eq!(module.refusal("SP_INIT", init(&chain(weights))), too_far, "{weights:?}");
    }
    let mut args = init(&chain([3, 3]));
    args[2] = word(14, 4);
    assert_eq!(module.refusal("SP_INIT", args), "inf is to be all ones");
    let mut state = chain([6, 5]);
    let distances = state.distances();
    state.dist = numbers(&distances, 4);
    state.sp = state.shortest(&distances);
    let change = |routine: &'static str, (v, t): (usize, usize), c: Option<u64>| {
        let mut args = vec![vertex(v), vertex(t), int(4), infinity(4)];
        args.extend(c.map(|c| word(c, 4)));
        args.extend(state.matrices());
        args.extend(state.kept());
        module.refusal(routine, args)
    };
    let insert = |ends, c| change("INSERT_ARC_SP", ends, Some(c));
    assert_eq!(insert((0, 1), 1), "INSERT_ARC_SP: there is such an arc already");
    assert_eq!(insert((0, 2), 0), "INSERT_ARC_SP: the weight is zero");
    assert_eq!(insert((2, 0), 4), too_far); // 11 + 4 is infinity
    assert_eq!(insert((2, 0), 6), too_far); // and 11 + 6 is 1
    assert_eq!(
        change("DELETE_ARC_SP", (0, 2), None),
        "DELETE_ARC_SP: there is no such arc in the graph"
    );
}
