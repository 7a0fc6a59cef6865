//! Shortest paths and levels in a directed graph of n vertices and 5 n arcs.

use petgraph::algo::{bellman_ford, dijkstra, floyd_warshall};
use petgraph::graph::NodeIndex;
use petgraph::visit::Bfs;
use star_base::BitTable;
use star_io::{Layout, Widths};
use star_vm::HostValue;

use super::instance::{self, MAX_WEIGHT, codes, int, node, number, table, word};
use super::measure::{Bench, Rival};

pub(super) fn run(bench: &Bench<'_>) {
    let n = bench.n;
    let graph = instance::directed(n, 5 * n);
    let peer = instance::peer(&graph);
    let widths = instance::widths(&graph);
    let Widths { h, b } = widths;
    let infinite = (1_u64 << h) - 1;
    let input = format!("n = {n}, m = {}, h = {h}", 5 * n);
    let adjacency = || table(&graph, Layout::Adjacency, widths);
    let distances =
        |found: &BitTable| -> Vec<u64> { (0..n).map(|row| number(found, row)).collect() };

    if bench.wants("BFS") {
        let args = [int(1), adjacency(), HostValue::Unset];
        let reached = || {
            let mut bfs = Bfs::new(&peer, NodeIndex::new(0));
            std::iter::from_fn(|| bfs.next(&peer)).count() as u64
        };
        let all = |found: &BitTable| -> u64 {
            (0..found.n_cols()).map(|level| found.column(level).count_ones()).sum()
        };
        bench.measure(
            ("reach", "BFS"),
            &input,
            &args,
            |after| all(as_table(&after[2])),
            Some(Rival { name: "petgraph Bfs", work: &reached }),
        );
    }

    if bench.wants("DIJKSTRA") {
        let args = [
            int(1),
            int(h),
            word(infinite, h),
            adjacency(),
            table(&graph, Layout::WeightsOut, widths),
            codes(n, b),
            HostValue::Unset,
            HostValue::Unset,
        ];
        let work = || {
            let found = dijkstra(&peer, node(0), None, |arc| *arc.weight());
            let of = |x: u32| found.get(&node(x)).map_or(infinite, |&length| length as u64);
            (0..n as u32).map(of).collect::<Vec<u64>>()
        };
        bench.measure(
            ("paths", "DIJKSTRA"),
            &input,
            &args,
            |after| distances(as_table(&after[6])),
            Some(Rival { name: "petgraph dijkstra", work: &work }),
        );
    }

    if bench.wants("BELLMAN_FORD") {
        // Half of the numbers are below zero, and a cycle may take all weights off in a pass.
        let least = (n as u64 * n as u64 * MAX_WEIGHT as u64 + 1).next_power_of_two();
        let h = 2 + least.ilog2() as usize;
        let zero = 1_u64 << (h - 1);
        let infinite = (1_u64 << h) - 1;
        let args = [
            int(1),
            int(n),
            int(h),
            word(infinite, h),
            word(zero, h),
            adjacency(),
            table(&graph, Layout::WeightsOut, Widths { h, b }),
            codes(n, b),
            HostValue::Unset,
            HostValue::Unset,
            HostValue::Unset,
        ];
        let floats = peer.map(|_, ()| (), |_, &weight| weight as f64);
        let work = || {
            let paths = bellman_ford(&floats, node(0)).expect("no negative cycle");
            let of =
                |&length: &f64| if length.is_infinite() { infinite } else { length as u64 + zero };
            paths.distances.iter().map(of).collect::<Vec<u64>>()
        };
        bench.measure(
            ("paths", "BELLMAN_FORD"),
            &format!("n = {n}, m = {}, h = {h}", 5 * n),
            &args,
            |after| distances(as_table(&after[8])),
            Some(Rival { name: "petgraph bellman_ford", work: &work }),
        );
    }

    if bench.wants("FLOYD") {
        let args = [int(n), int(h), word(infinite, h), table(&graph, Layout::Distances, widths)];
        let sum = |after: &[HostValue]| -> u64 {
            let found = as_table(&after[3]);
            let field = |row, j: usize| {
                (j * h..(j + 1) * h).fold(0, |sum, col| 2 * sum + u64::from(found.get(row, col)))
            };
            (0..n * n).map(|pair| field(pair / n, pair % n)).filter(|&d| d < infinite).sum()
        };
        let all_pairs = || {
            let found = floyd_warshall(&peer, |arc| *arc.weight()).expect("no negative cycle");
            found.values().filter(|&&d| d < i64::MAX).map(|&d| d as u64).sum()
        };
        let one_by_one = || {
            let from = |x| dijkstra(&peer, node(x), None, |arc| *arc.weight());
            (0..n as u32).map(|x| from(x).values().sum::<i64>() as u64).sum()
        };
        // petgraph's table of all pairs is a map, which takes gigabytes for more vertices.
        let rival = match n {
            ..=2000 => {
                Rival { name: "petgraph floyd_warshall", work: &all_pairs as &dyn Fn() -> u64 }
            }
            _ => Rival { name: "petgraph dijkstra, n times", work: &one_by_one },
        };
        bench.measure(("paths", "FLOYD"), &input, &args, sum, Some(rival));
    }
}

pub(super) fn as_table(value: &HostValue) -> &BitTable {
    match value {
        HostValue::Table(table) => table,
        other => panic!("no table but {other:?}"),
    }
}
