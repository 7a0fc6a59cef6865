//! `dynmst`: ENDS, HANG, CUT, PRIM_PATHS, MSF and the graph updates.

use star_value::{BitTable, BitVector, Value};

use super::module::{Module, Results};
use super::random::{Rng, each_seed};
use super::reference::{Components, Edge, forest_weight, is_forest, tree_paths, weight_of};
use super::values::{
    bits_at, code_width, codes, field, int, number_bits, numbers, ones, vertex, zeros,
};

/// The width of a weight.
pub(super) const H: usize = 6;

/// A graph with its forest, as the procedures maintain it. Rows of deleted edges keep their ends.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) n: usize,
    /// The ends and the weight, row by row.
    pub(super) list: Vec<Edge>,
    pub(super) e: BitVector,
    pub(super) t: BitVector,
    pub(super) paths: BitTable,
    pub(super) labels: BitTable,
}

impl State {
    /// Creates a graph whose forest is not yet known. The list gives each row its ends.
    pub(super) fn new(n: usize, list: Vec<Edge>, e: BitVector) -> Self {
        let m = list.len();
        let (paths, labels) = (zeros(m, n), zeros(n, code_width(n)));
        State { n, list, e, t: BitVector::zeros(m), paths, labels }
    }

    pub(super) fn m(&self) -> usize {
        self.list.len()
    }

    pub(super) fn b(&self) -> usize {
        code_width(self.n)
    }

    pub(super) fn inc(&self) -> BitTable {
        let mut inc = zeros(self.m(), self.n);
        for edge in &self.list {
            inc.put(edge.row, edge.p, true);
            inc.put(edge.row, edge.q, true);
        }
        inc
    }

    /// Returns Inc and weight.
    pub(super) fn lists(&self) -> Vec<Value> {
        let weights: Vec<u64> = self.list.iter().map(|edge| edge.weight).collect();
        vec![Value::from(self.inc()), Value::from(numbers(&weights, H))]
    }

    pub(super) fn code(&self) -> Value {
        Value::from(codes(self.n, self.b()))
    }

    /// Returns E, T, M and Lab.
    fn forest(&self) -> Vec<Value> {
        vec![
            Value::Slice(self.e.clone()),
            Value::Slice(self.t.clone()),
            Value::from(self.paths.clone()),
            Value::from(self.labels.clone()),
        ]
    }

    pub(super) fn edges(&self, rows: &BitVector) -> Vec<Edge> {
        self.list.iter().filter(|edge| rows.get(edge.row)).copied().collect()
    }

    fn root(&self, x: usize) -> usize {
        let label = field(&self.labels, x, 0, self.b());
        (label as usize).checked_sub(1).expect("every vertex has a label")
    }

    /// Builds the forest with MSF.
    pub(super) fn build(&mut self, module: &Module) {
        let mut args = self.lists();
        args.extend([self.code(), Value::Slice(self.e.clone())]);
        args.extend([Value::Unset, Value::Unset, Value::Unset]);
        let results = module.call("MSF", args);
        self.t = results.slice(4);
        if self.n > 0 {
            self.paths = results.table(5);
            self.labels = results.table(6);
        }
        self.check();
    }

    /// Changes the graph by a procedure.
    pub(super) fn change(
        &mut self,
        module: &Module,
        routine: &'static str,
        place: Value,
    ) -> Results {
        let mut args = vec![place];
        args.extend(self.lists());
        if routine != "INSERT_EDGE" {
            args.push(self.code());
        }
        let first = args.len();
        args.extend(self.forest());
        let results = module.call(routine, args);
        self.e = results.slice(first);
        self.t = results.slice(first + 1);
        self.paths = results.table(first + 2);
        self.labels = results.table(first + 3);
        self.check();
        results
    }

    /// Asserts that all the data maintained by the procedures is correct.
    pub(super) fn check(&self) {
        let (edges, tree) = (self.edges(&self.e), self.edges(&self.t));
        assert!(tree.iter().all(|edge| self.e.get(edge.row)), "T is a part of E, {self:?}");
        assert!(is_forest(self.n, &tree), "T has a cycle, {self:?}");
        let components = Components::of(self.n, &edges);
        assert_eq!(tree.len(), self.n - components.count(), "T spans the graph, {self:?}");
        assert_eq!(weight_of(&tree), forest_weight(self.n, &edges), "T is minimum, {self:?}");
        self.check_paths(&tree);
        for x in 0..self.n {
            for y in 0..x {
                let same = self.root(x) == self.root(y);
                assert_eq!(same, components.same(x, y), "labels of {x} and {y}, {self:?}");
            }
        }
    }

    /// Asserts that every column x of M is the path from the root of x to x, and the root is in the
    /// tree of x.
    fn check_paths(&self, tree: &[Edge]) {
        for x in 0..self.n {
            let path = tree_paths(self.n, self.m(), tree, self.root(x))[x].clone();
            let path = path.unwrap_or_else(|| panic!("the root of {x} is elsewhere, {self:?}"));
            assert_eq!(self.paths.column(x), path, "the path to {x}, {self:?}");
        }
    }
}

/// Returns an edge that is not yet placed and is not a loop. There must be two vertices.
fn random_edge(rng: &mut Rng, n: usize, most: i64, row: usize) -> Edge {
    let p = rng.below(n);
    let q = (p + 1 + rng.below(n - 1)) % n;
    Edge { row, p, q, weight: rng.between(0, most) as u64 }
}

fn random_state(rng: &mut Rng, n: usize, most: i64) -> State {
    let m = if n < 2 { 0 } else { n + rng.below(2 * n) };
    let list = (0..m).map(|row| random_edge(rng, n, most, row)).collect();
    let e = match rng.below(3) {
        0 => BitVector::zeros(m),
        _ => rng.bits(m),
    };
    State::new(n, list, e)
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(0, 9);
    follow(module, rng, n, if n == 0 { 0 } else { 25 });
}

/// Follows a graph of n vertices through the given number of changes.
fn follow(module: &Module, rng: &mut Rng, n: usize, n_iterations: usize) {
    let most = rng.pick(&[0, 3, 60]);
    let mut state = random_state(rng, n, most);
    state.build(module);
    check_parts(module, rng, &state);
    for _ in 0..n_iterations {
        step(module, rng, &mut state, most);
    }
}

/// Makes one change.
fn step(module: &Module, rng: &mut Rng, state: &mut State, most: i64) {
    let n = state.n;
    let present = ones(&state.e);
    let absent: Vec<usize> = (0..state.m()).filter(|&row| !state.e.get(row)).collect();
    match rng.below(8) {
        0..3 if !absent.is_empty() => {
            let row = rng.pick(&absent);
            state.list[row] = random_edge(rng, n, most, row);
            state.change(module, "INSERT_EDGE", vertex(row));
        }
        3..6 if !present.is_empty() => {
            let row = rng.pick(&present);
            state.change(module, "DELETE_EDGE", vertex(row));
        }
        6 => {
            let z = rng.below(n);
            state.change(module, "DELETE_VERTEX", vertex(z));
            assert!(state.edges(&state.e).iter().all(|edge| edge.p != z && edge.q != z));
        }
        _ => insert_vertex(module, rng, state, most, &absent),
    }
}

/// Connects an isolated vertex, if there is one.
fn insert_vertex(module: &Module, rng: &mut Rng, state: &mut State, most: i64, absent: &[usize]) {
    let edges = state.edges(&state.e);
    let at = |z: usize| edges.iter().any(|edge| edge.p == z || edge.q == z);
    let isolated: Vec<usize> = (0..state.n).filter(|&z| !at(z)).collect();
    let Some(&z) = isolated.first() else { return };
    // Column z of Inc must mark the new edges and no others, so the rows of deleted edges get ends
    // elsewhere or become new edges.
    for &row in absent {
        let mut edge = random_edge(rng, state.n, most, row);
        if edge.p == z || edge.q == z || rng.once_in(2) {
            let other = if edge.p == z { edge.q } else { edge.p };
            edge = Edge { p: z, q: other, ..edge };
        }
        state.list[row] = edge;
    }
    state.change(module, "INSERT_VERTEX", vertex(z));
    let gone = state.list.iter().filter(|edge| !state.e.get(edge.row));
    assert!(gone.into_iter().all(|edge| edge.p != z && edge.q != z), "an edge of {z} is missing");
}

/// Checks the procedures from which the others are built.
fn check_parts(module: &Module, rng: &mut Rng, state: &State) {
    let (n, m) = (state.n, state.m());
    let inc = || Value::from(state.inc());
    for edge in &state.list {
        let args = vec![vertex(edge.row), inc(), Value::Unset, Value::Unset];
        let results = module.call("ENDS", args);
        let ends = (results.int(2) as usize - 1, results.int(3) as usize - 1);
        assert_eq!(ends, (edge.p.min(edge.q), edge.p.max(edge.q)));
        assert_eq!(results.operations, 3);
    }
    let inside = rng.bits(n);
    let args =
        vec![inc(), Value::Slice(inside.clone()), Value::Slice(state.e.clone()), Value::Unset];
    let cut = state.edges(&state.e).into_iter();
    let cut = cut.filter(|edge| inside.get(edge.p) != inside.get(edge.q)).map(|edge| edge.row);
    assert_eq!(module.call("CUT", args).slice(3), bits_at(m, cut), "{inside}, {state:?}");
    if n > 0 {
        check_prim_paths(module, rng, state);
        check_hang(module, rng, state);
    }
}

fn check_prim_paths(module: &Module, rng: &mut Rng, state: &State) {
    let (n, m, r) = (state.n, state.m(), rng.below(state.n));
    let rows = rng.bits(m);
    let edges = state.edges(&rows);
    let mut args = vec![vertex(r)];
    args.extend(state.lists());
    args.extend([state.code(), Value::Slice(rows), Value::Unset, Value::Unset]);
    args.extend([Value::from(state.paths.clone()), Value::from(state.labels.clone())]);
    let results = module.call("PRIM_PATHS", args);
    let components = Components::of(n, &edges);
    let reached = (0..n).filter(|&x| components.same(x, r));
    let within: Vec<Edge> =
        edges.iter().filter(|edge| components.same(edge.p, r)).copied().collect();
    assert_eq!(results.slice(5), bits_at(n, reached), "from {r}, {state:?}");
    let tree = state.edges(&results.slice(6));
    assert!(tree.iter().all(|edge| within.contains(edge)), "from {r}, {state:?}");
    assert_eq!(weight_of(&tree), forest_weight(n, &within), "from {r}, {state:?}");
    let (paths, labels) = (results.table(7), results.table(8));
    for (x, path) in tree_paths(n, m, &tree, r).into_iter().enumerate() {
        assert_eq!(path.is_some(), components.same(x, r), "from {r}, {state:?}");
        match path {
            Some(path) => {
                assert_eq!(paths.column(x), path, "{x} from {r}, {state:?}");
                assert_eq!(labels.row(x), number_bits(r as u64 + 1, state.b()));
            }
            None => {
                assert_eq!(paths.column(x), state.paths.column(x));
                assert_eq!(labels.row(x), state.labels.row(x));
            }
        }
    }
}

/// Cuts off a part of the forest at a tree edge, and hangs it elsewhere or nowhere.
fn check_hang(module: &Module, rng: &mut Rng, state: &State) {
    let tree = ones(&state.t);
    let absent: Vec<usize> = (0..state.m()).filter(|&row| !state.e.get(row)).collect();
    if tree.is_empty() {
        return;
    }
    let f = rng.pick(&tree);
    let part = state.paths.row(f);
    let behind = ones(&part);
    let q = rng.pick(&behind);
    let root = state.root(q);
    let rest: Vec<usize> =
        (0..state.n).filter(|&x| state.root(x) == root && !part.get(x)).collect();
    let p = rng.pick(&rest);
    let mut forest: Vec<Edge> = state.edges(&state.t);
    forest.retain(|edge| edge.row != f);
    let mut hung_on = 0;
    let mut new_root = q;
    if let Some(&e) = absent.first() {
        forest.push(Edge { row: e, p, q, weight: 0 });
        hung_on = e + 1;
        new_root = root;
    }
    let args = vec![
        vertex(p),
        vertex(q),
        int(hung_on),
        Value::Slice(part.clone()),
        Value::from(state.paths.clone()),
    ];
    let paths = module.call("HANG", args).table(4);
    let expected = tree_paths(state.n, state.m(), &forest, new_root);
    for (x, path) in expected.into_iter().enumerate() {
        let path = match part.get(x) {
            true => path.expect("it hangs there"),
            false => state.paths.column(x),
        };
        assert_eq!(paths.column(x), path, "the path to {x}, {f} for {hung_on}, {state:?}");
    }
}

#[test]
fn forests_stay_minimum_and_paths_correct_under_all_changes() {
    let module = Module::new("dynmst");
    each_seed(120, |rng| play(&module, rng));
}

#[test]
fn forests_larger_than_a_limb_stay_minimum() {
    let module = Module::new("dynmst");
    each_seed(3, |rng| follow(&module, rng, 70, 60));
}

#[test]
fn invalid_calls_end_the_program_with_a_reason() {
    let module = Module::new("dynmst");
    let edge = |row, p, q| Edge { row, p, q, weight: row as u64 };
    // A path, a missing edge, and a loop.
    let list = vec![edge(0, 0, 1), edge(1, 1, 2), edge(2, 0, 2), edge(3, 3, 3)];
    let mut state = State::new(4, list, bits_at(4, [0, 1]));
    state.build(&module);
    let change = |routine: &'static str, idx: usize| {
        let mut args = vec![vertex(idx)];
        args.extend(state.lists());
        if routine != "INSERT_EDGE" {
            args.push(state.code());
        }
        args.extend(state.forest());
        module.refusal(routine, args)
    };
    assert!(change("INSERT_EDGE", 0).contains("is in the graph already"));
    assert!(change("INSERT_EDGE", 3).contains("a loop has no place"));
    assert!(change("DELETE_EDGE", 2).contains("there is no such edge"));
    assert!(change("INSERT_VERTEX", 0).contains("the vertex is not isolated"));
    assert!(change("INSERT_VERTEX", 3).contains("a loop has no place"));
    let mut args = state.lists();
    args.extend([state.code(), Value::Slice(bits_at(4, [0, 3]))]);
    args.extend([Value::Unset, Value::Unset, Value::Unset]);
    assert!(module.refusal("MSF", args).contains("a loop has no place"));
    // The part below edge 1 is vertex 2 alone.
    for (p, q, why) in [(0, 1, "q is not in the part"), (2, 2, "p is in the part")] {
        let part = Value::Slice(bits_at(4, [2]));
        let paths = Value::from(state.paths.clone());
        let args = vec![vertex(p), vertex(q), int(3), part, paths];
        assert!(module.refusal("HANG", args).contains(why), "{why}");
    }
}

#[test]
fn inserting_and_deleting_an_edge_restores_the_forest() {
    let module = Module::new("dynmst");
    each_seed(40, |rng| {
        let n = 2 + rng.below(8);
        // Different weights, so that the minimum forest is unique.
        let m = n + rng.below(n);
        let list = (0..m).map(|row| {
            let p = rng.below(n);
            Edge { row, p, q: (p + 1 + rng.below(n - 1)) % n, weight: row as u64 * 7 % 61 }
        });
        let list = list.collect();
        let mut state = State::new(n, list, bits_at(m, 0..m - 1));
        state.build(&module);
        let (edges, forest) = (state.e.clone(), state.t.clone());
        state.change(&module, "INSERT_EDGE", vertex(m - 1));
        state.change(&module, "DELETE_EDGE", vertex(m - 1));
        assert_eq!((state.e, state.t), (edges, forest));
    });
}

#[test]
fn a_loop_has_one_end() {
    let module = Module::new("dynmst");
    let inc = star_tests::table(&["0100", "0000"]);
    for (row, ends) in [(0, (2, 0)), (1, (0, 0))] {
        let inc = Value::from(inc.clone());
        let args = vec![vertex(row), inc, Value::Unset, Value::Unset];
        let results = module.call("ENDS", args);
        assert_eq!((results.int(2), results.int(3)), ends);
    }
}
