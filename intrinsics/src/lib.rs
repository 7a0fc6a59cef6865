//! Algorithms of intrinsics: built-in implementations of library routines.
//!
//! An algorithm works on packed lines (the columns of a [`BitTable`](star_value::BitTable), which
//! are limbs with a stride) and on integers. It is independent of SIR, registers, values and
//! backends; an [`Environment`] provides what it needs of a backend: polls, threads, vector
//! kernels. How to add an intrinsic: `docs/src/internals/cpu.md`.
//!
//! Note [Memory]. An intrinsic reserves all its memory before it writes anything: an algorithm
//! returns in advance the maximum number of bytes that it needs (`n_bytes`), and the backend runs
//! the Star body if its budget does not permit them. If the allocation nevertheless fails, the
//! algorithm ends with [`Ended::OutOfMemory`], without any visible change.

mod among;
mod arcs;
mod bellman_ford;
pub mod cbt;
mod closure;
mod components;
mod dijkstra;
mod environment;
mod matrix;
pub mod min_plus;
pub mod moving;
mod numbers;
mod order;
mod peers;
pub mod polyline;
mod reach;
mod spanning;
mod state;
pub mod terrain;
mod transpose;
pub mod wave;
mod workers;

pub use among::WordSet;
pub use arcs::{
    ArcEnd, ArcTables, Distances, GroupedArcs, OwnedArcs, TopologicalOrder, Tree, WeightedEnd,
    count_codes, gather,
};
pub use closure::Closing;
pub use components::{Ahead, Components};
pub use dijkstra::{ShortestPaths, WeightedArcs};
pub use environment::{Ended, Environment, InterruptPoller, install};
pub use matrix::Matrix;
pub use numbers::{are_below, read_numbers, write_long_numbers, write_numbers};
pub use order::{MOST_ORDERED_ROWS, OrderedRows, count_numbers, sum_numbers};
pub use peers::{Lists, Peers};
pub use reach::{Keeping, Reach};
pub use spanning::EdgeList;
pub use state::{IntrinsicState, LineOrder, StateTable, state_of};
pub use workers::Workers;

/// Returns whether a bit of a set is one.
#[inline]
fn has(set: &[u64], idx: usize) -> bool {
    set[idx / 64] >> (idx % 64) & 1 == 1
}

/// Sets a bit of a set.
#[inline]
fn put(set: &mut [u64], idx: usize) {
    set[idx / 64] |= 1 << (idx % 64);
}

/// The root of a disjoint set, with path halving.
#[inline]
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    loop {
        let parent = parents[vertex as usize];
        if parent == vertex {
            return vertex;
        }
        let above = parents[parent as usize];
        if above == parent {
            return parent;
        }
        parents[vertex as usize] = above;
        vertex = above;
    }
}

/// An empty list with capacity for `len` elements.
fn reserved<T>(len: usize) -> Result<Vec<T>, Ended> {
    let mut list = Vec::new();
    list.try_reserve_exact(len).map_err(|_| Ended::OutOfMemory)?;
    Ok(list)
}

/// A list of `len` copies of a value.
fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>, Ended> {
    let mut list = reserved(len)?;
    list.resize(len, value);
    Ok(list)
}

/// The positions of the ones.
fn ones(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    ones_of(set.iter().copied())
}

/// The positions of the ones of a set whose limbs these are.
fn ones_of(limbs: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    limbs.enumerate().flat_map(|(at, mut left)| {
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            (left != 0).then(|| {
                left &= left - 1;
                at * 64 + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use star_value::{BitTable, SparseLines};

    use super::{
        Closing, Components, Ended, Environment, InterruptPoller, IntrinsicState, Keeping,
        LineOrder, Reach,
    };

    /// A test environment with one thread, a poll every three limbs, and an interrupt flag.
    #[derive(Default)]
    pub(crate) struct Plain(AtomicBool);

    impl Environment for Plain {
        fn poll_limbs(&self) -> usize {
            3
        }

        fn poll(&self) -> Result<(), Ended> {
            if self.0.load(Ordering::Relaxed) { Err(Ended::Interrupted) } else { Ok(()) }
        }

        fn fill(
            &self,
            to: &mut [u64],
            piece: &(dyn Fn(usize, &mut [u64]) + Sync),
        ) -> Result<(), Ended> {
            piece(0, to);
            Ok(())
        }

        fn or_assign(&self, to: &mut [u64], line: &[u64]) -> Result<(), Ended> {
            to.iter_mut().zip(line).for_each(|(to, line)| *to |= line);
            Ok(())
        }

        fn threads(&self) -> usize {
            1
        }

        fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Ended> {
            work();
            Ok(())
        }
    }

    /// A cycle through all vertices, which exercises every part of an intrinsic.
    fn cycle(n: usize) -> BitTable {
        let mut graph = BitTable::zeros(n, n).unwrap();
        (0..n).for_each(|vertex| graph.put(vertex, (vertex + 1) % n, true));
        graph
    }

    /// A graph in which vertex i of `n` is called `name(i)` and has arcs to all later vertices.
    fn triangle(n: usize, name: impl Fn(usize) -> usize) -> BitTable {
        let mut graph = BitTable::zeros(n, n).unwrap();
        for to in 0..n {
            (0..to).for_each(|from| graph.put(name(from), name(to), true));
        }
        graph
    }

    /// The closure by Warshall's algorithm.
    fn warshall(mut graph: BitTable) -> BitTable {
        let n = graph.n_rows();
        for via in 0..n {
            for from in (0..n).filter(|&from| graph.get(from, via)).collect::<Vec<usize>>() {
                for to in (0..n).filter(|&to| graph.get(via, to)).collect::<Vec<usize>>() {
                    graph.put(from, to, true);
                }
            }
        }
        graph
    }

    /// The columns of a graph as sparse lines on a ground of zeros.
    fn on_zeros(graph: &BitTable) -> SparseLines {
        let mut lines = SparseLines::zeros(graph.n_rows(), graph.n_cols(), 0).unwrap();
        for idx in 0..graph.n_cols() {
            let limbs = (0..).zip(graph.column_limbs(idx).iter().copied());
            lines.set(idx, false, limbs).unwrap();
        }
        lines
    }

    /// Checks the closure of a sparse graph with the given storage of components.
    fn closes_sparse(graph: &SparseLines, keeping: Keeping, expected: &BitTable) {
        let (environment, n) = (Plain::default(), expected.n_rows());
        let mut poller = InterruptPoller::new(&environment);
        let name = format!("{keeping:?}, {n} vertices: {expected:?}");
        for lines in [LineOrder::Rows, LineOrder::Columns] {
            let components = Components::find_sparse(graph, n, &mut poller).unwrap();
            let reach = Reach::of_sparse(keeping, graph, components, lines, &environment).unwrap();
            let mut filled = BitTable::zeros(n, n).unwrap();
            reach.write(0, &mut filled, &environment).unwrap();
            assert!(filled == *expected, "CONDENSE, {name}");
            let is_transposed = lines == LineOrder::Columns;
            for from in 0..n {
                let mut found = vec![!0; n.div_ceil(64)];
                reach.reachable(from, &mut found, &mut poller).unwrap();
                for to in 0..n {
                    // The lines of the graph are the columns of the table.
                    let (row, column) = if is_transposed { (from, to) } else { (to, from) };
                    let wanted = expected.get(row, column);
                    assert_eq!(reach.reaches(from, to, &mut poller), Ok(wanted), "REACHES, {name}");
                    assert_eq!(super::has(&found, to), wanted, "REACHABLE, {name}");
                }
            }
            let n_ones = expected.count_ones();
            assert_eq!(reach.n_ones(0, &environment), Ok(Some(n_ones)), "{name}");
            let so_far = reach.count_ones(n_ones / 2, &environment).unwrap();
            assert!(so_far > n_ones / 2 || n_ones == 0, "{name}");
            assert!(so_far <= n_ones, "{name}");
            let n_limbs = reach.n_limbs(usize::MAX, &mut poller).unwrap();
            let closed = reach.to_sparse(n_limbs, &mut poller).unwrap();
            assert!(closed == on_zeros(expected), "WARSHALL, {name}");
            assert_eq!(closed.n_limbs(), n_limbs);
        }
    }

    #[test]
    fn the_order_of_the_vertices_does_not_matter() {
        let environment = Plain::default();
        for n in [1, 2, 63, 64, 65, 130] {
            let orders: [&dyn Fn(usize) -> usize; 5] = [
                &|vertex| vertex,
                &|vertex| n - 1 - vertex,
                // One half in the order of the arcs, the other in reverse.
                &|vertex| if vertex < n / 2 { vertex } else { n - 1 - (vertex - n / 2) },
                // Alternately from both ends.
                &|vertex| if vertex % 2 == 0 { vertex / 2 } else { n - 1 - vertex / 2 },
                // 37 divides none of the sizes.
                &|vertex| vertex * 37 % n,
            ];
            for order in orders {
                for back in [None, Some((n / 3, 0)), Some((n - 1, n / 2)), Some((n - 1, 0))] {
                    let mut graph = triangle(n, order);
                    // Missing arcs, so that not everything is reached in one step.
                    (0..n).for_each(|vertex| graph.put(order(vertex), order(vertex / 2), false));
                    (1..n).step_by(5).for_each(|to| graph.put(order(to - 1), order(to), false));
                    if let Some((from, to)) = back {
                        graph.put(order(from), order(to), true);
                    }
                    let expected = warshall(graph.clone());
                    let mut poller = InterruptPoller::new(&environment);
                    let reach = Reach::new(&graph, n, LineOrder::Rows, &environment).unwrap();
                    let mut filled = BitTable::zeros(n, n).unwrap();
                    reach.write(0, &mut filled, &environment).unwrap();
                    // The lines of the table are its columns.
                    assert!(filled == expected, "CONDENSE, {n} vertices, {back:?}: {graph:?}");
                    let sparse = on_zeros(&graph);
                    let components = Components::find_sparse(&sparse, n, &mut poller).unwrap();
                    assert_eq!(components.len(), reach.n_components());
                    drop(components);
                    for keeping in [Keeping::Closed, Keeping::Searched] {
                        closes_sparse(&sparse, keeping, &expected);
                    }
                    let mut closing = Closing::find(&graph, n, &mut poller).unwrap();
                    closing.close(&mut graph, &mut poller).unwrap();
                    assert!(graph == expected, "WARSHALL, {n} vertices, {back:?}");
                }
            }
        }
    }

    #[test]
    fn sparse_search_and_closure_agree() {
        let mut random = star_base::Random::new(18);
        for n in [3, 20, 64, 129, 200] {
            for n_arcs in [n / 2, n, n + n / 4, 2 * n] {
                for is_acyclic in [false, true] {
                    let mut graph = BitTable::zeros(n, n).unwrap();
                    for _ in 0..n_arcs {
                        let (from, to) = (random.below(n), random.below(n));
                        if !is_acyclic || (from * 37) % n < (to * 37) % n {
                            graph.put(to, from, true);
                        }
                    }
                    // `warshall` reads the arcs of a vertex as a row; here they are transposed.
                    let expected = warshall(graph.clone());
                    for keeping in [Keeping::Closed, Keeping::Searched] {
                        closes_sparse(&on_zeros(&graph), keeping, &expected);
                    }
                }
            }
        }
    }

    #[test]
    fn interrupts_and_deadlines_end_an_intrinsic() {
        let environment = Plain::default();
        let mut graph = cycle(100);
        let reach = Reach::new(&graph, 100, LineOrder::Rows, &environment).unwrap();
        let mut closure = BitTable::zeros(100, 100).unwrap();
        reach.write(0, &mut closure, &environment).unwrap();
        assert_eq!(closure.count_ones(), 100 * 100);

        let mut closing =
            Closing::find(&graph, 100, &mut InterruptPoller::new(&environment)).unwrap();
        environment.0.store(true, Ordering::Relaxed);
        let ended = Ended::Interrupted;
        let mut poller = InterruptPoller::new(&environment);
        assert_eq!(Closing::find(&graph, 100, &mut poller).map(|_| ()), Err(ended));
        assert_eq!(closing.close(&mut graph, &mut poller), Err(ended));
        assert_eq!(Reach::new(&graph, 100, LineOrder::Rows, &environment).map(|_| ()), Err(ended));
        assert_eq!(reach.write(0, &mut closure, &environment), Err(ended));
    }
}
