//! `italiano`: TC_INIT, INSERT_ARC and DELETE_ARC.

use star_value::{BitTable, BitVector, Value};

use super::module::Module;
use super::random::{Rng, each_seed};
use super::reference::reached;
use super::values::{bits_at, int, ones, vertex, zeros};

/// A graph with its closure and trees. Rows of deleted arcs keep their ends.
#[derive(Clone, Debug)]
struct State {
    n: usize,
    /// The tail and the head, row by row.
    arcs: Vec<(usize, usize)>,
    e: BitVector,
    d: BitTable,
    trees: BitTable,
}

impl State {
    fn ends(&self) -> Vec<Value> {
        let (mut tails, mut heads) =
            (zeros(self.arcs.len(), self.n), zeros(self.arcs.len(), self.n));
        for (row, &(tail, head)) in self.arcs.iter().enumerate() {
            tails.put(row, tail, true);
            heads.put(row, head, true);
        }
        vec![Value::from(tails), Value::from(heads)]
    }

    fn arcs_in(&self, rows: &BitVector) -> Vec<(usize, usize)> {
        ones(rows).into_iter().map(|row| self.arcs[row]).collect()
    }

    fn change(&mut self, module: &Module, routine: &'static str, row: usize) {
        let mut args = vec![vertex(row)];
        args.extend(self.ends());
        args.push(Value::Slice(self.e.clone()));
        args.push(Value::from(self.d.clone()));
        args.push(Value::from(self.trees.clone()));
        let results = module.call(routine, args);
        self.e = results.slice(3);
        self.d = results.table(4);
        self.trees = results.table(5);
        self.check();
    }

    fn check(&self) {
        let arcs = self.arcs_in(&self.e);
        for x in 0..self.n {
            let descendants = self.d.column(x);
            assert_eq!(descendants, reached(self.n, &arcs, x), "what {x} reaches, {self:?}");
            let rows = self.trees.column(x);
            assert!(ones(&rows).iter().all(|&row| self.e.get(row)), "tree of {x}, {self:?}");
            let tree = self.arcs_in(&rows);
            assert_eq!(reached(self.n, &tree, x), descendants, "tree of {x}, {self:?}");
            for y in 0..self.n {
                let entering = tree.iter().filter(|(_, head)| *head == y).count();
                let expected = usize::from(y != x && descendants.get(y));
                assert_eq!(entering, expected, "arcs into {y} in the tree of {x}, {self:?}");
            }
        }
    }
}

pub(super) fn play(module: &Module, rng: &mut Rng) {
    let n = rng.n_vertices(0, 8);
    follow(module, rng, n, 40);
}

/// Follows a graph of n vertices through the given number of changes.
fn follow(module: &Module, rng: &mut Rng, n: usize, n_iterations: usize) {
    let m = if n == 0 { 0 } else { 1 + rng.below(3 * n) };
    let arcs = (0..m).map(|_| (rng.below(n), rng.below(n))).collect();
    let (d, trees) = (zeros(n, n), zeros(m, n));
    let mut state = State { n, arcs, e: BitVector::zeros(m), d, trees };
    let mut args = vec![int(n)];
    args.extend(state.ends());
    args.extend([Value::Unset, Value::Unset]);
    let results = module.call("TC_INIT", args);
    assert_eq!(results.operations, 5 * n as u64);
    if n == 0 {
        return;
    }
    state.d = results.table(3);
    state.trees = results.table(4);
    state.check();
    for iteration in 0..n_iterations {
        let row = rng.below(m);
        if state.e.get(row) {
            // Few deletions at first, so that the graph fills.
            if 5 * iteration < 2 * n_iterations && !rng.once_in(3) {
                continue;
            }
            state.change(module, "DELETE_ARC", row);
        } else {
            state.arcs[row] = (rng.below(n), rng.below(n));
            let before = state.d.clone();
            state.change(module, "INSERT_ARC", row);
            if rng.once_in(4) {
                state.change(module, "DELETE_ARC", row);
                assert_eq!(state.d, before, "insertion and deletion of {row}, {state:?}");
            }
        }
    }
}

#[test]
fn closure_and_trees_follow_arc_updates() {
    let module = Module::new("italiano");
    each_seed(90, |rng| play(&module, rng));
}

#[test]
fn closures_larger_than_a_limb_follow_arc_updates() {
    let module = Module::new("italiano");
    each_seed(2, |rng| follow(&module, rng, 70, 400));
}

#[test]
fn invalid_calls_end_the_program_with_a_reason() {
    let module = Module::new("italiano");
    // Row 2 has no ends, row 3 two heads.
    let (mut tails, mut heads) = (zeros(4, 3), zeros(4, 3));
    for (row, tail, head) in [(0, 0, 1), (1, 1, 2), (3, 0, 1), (3, 0, 2)] {
        tails.put(row, tail, true);
        heads.put(row, head, true);
    }
    let ends = || [&tails, &heads].map(|table| Value::from(table.clone()));
    let mut args = vec![int(3)];
    args.extend(ends());
    args.extend([Value::Unset, Value::Unset]);
    let closure = module.call("TC_INIT", args).values[3..].to_vec();
    let change = |routine: &'static str, row: usize| {
        let mut args = vec![vertex(row)];
        args.extend(ends());
        args.push(Value::Slice(bits_at(4, [0])));
        args.extend(closure.clone());
        module.refusal(routine, args)
    };
    assert!(change("INSERT_ARC", 0).contains("is in the graph already"));
    assert!(change("INSERT_ARC", 2).contains("the row of Tail"));
    assert!(change("INSERT_ARC", 3).contains("the row of Head"));
    assert!(change("DELETE_ARC", 1).contains("there is no such arc"));
}
