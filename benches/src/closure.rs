//! Transitive closure: the published text against a hand-written program, and the library's intrinsic
//! against the crate `bit-matrix`.

use std::time::{Duration, Instant};

use bit_matrix::BitMatrix;
use star_base::{BitTable, Limbs, Random};
use star_ir::LogicOp;
use star_vm::kernels::{Columns, Kernels};
use star_vm::{Cpu, HostValue, cpu};

use crate::graphs;
use crate::program::{Compiled, median};
use crate::say::say;

/// Listings 1 and 2 of source 001, letter by letter.
const PUBLISHED: &str = include_str!("../../tests/programs/published/warshall.star");

/// The library's procedure, which the backend has an intrinsic for.
const LIBRARY: &str = "import \"star:closure\";
procedure CLOSE(n: integer; var P: table); begin WARSHALL(n,P) end;";

const SEED: u64 = 2016;

/// The one real graph, if it is there.
const WIKI_VOTE: &str = "../shared/data/graphs/wiki-Vote.txt";

/// Compares both listings, as lowered, after the passes that know no whole algorithm, and after all, with the hand-written
/// program on three graphs of `n` vertices.
pub(crate) fn run(n: usize, n_runs: usize) {
    let settings = cpu::Settings { threads: Some(1), ..Default::default() };
    let backend = Cpu::with(settings, Kernels::detect());
    say!(
        "closure of n = {n} vertices, seed {SEED}, {} kernels, {} threads; medians of {n_runs}",
        backend.kernels().level().name(),
        backend.threads(),
    );
    let programs = [
        ("as lowered", Compiled::new(backend.clone(), PUBLISHED)),
        ("passes, idioms off", Compiled::optimised(backend.clone(), PUBLISHED, &["idioms"])),
        ("passes", Compiled::optimised(backend, PUBLISHED, &[])),
    ];
    let graphs = [
        ("m = 1.5 n", sparse(n)),
        ("G(n, 1/2)", dense(n)),
        ("DAG, p = 0.1, numbered at random", acyclic(n, shuffled(n))),
    ];
    for (name, graph) in graphs {
        for listing in ["WARSHALL", "WARSHALL-C"] {
            for (variant, star) in &programs {
                let peer = || by_hand(&graph);
                let same = |found: &BitTable, closed: &BitTable| found == closed;
                let (ours, theirs) = in_turn(star, listing, &graph, n_runs, peer, same);
                let ratio = ours / theirs;
                say!(
                    "{name}, {listing}, {variant}: {ours:.1} ms; by hand {theirs:.1} ms; ratio {ratio:.2}"
                );
            }
        }
    }
}

/// Compares the library's WARSHALL, an intrinsic here, with the crate `bit-matrix` on its widest blocks.
pub(crate) fn intrinsic(n: usize, n_runs: usize, n_threads: usize) {
    let settings = cpu::Settings { threads: Some(n_threads), ..Default::default() };
    let backend = Cpu::with(settings, Kernels::detect());
    say!(
        "intrinsic closure of n = {n} vertices, seed {SEED}, {} kernels, {n_threads} threads; medians of {n_runs}",
        backend.kernels().level().name(),
    );
    let star = Compiled::new(backend, LIBRARY);
    let mut graphs = vec![
        ("m = 1.5 n", sparse(n)),
        ("G(n, 1/2)", dense(n)),
        ("DAG, p = 0.1, numbered along its arcs", acyclic(n, |vertex| vertex)),
        ("DAG, p = 0.1, numbered against its arcs", acyclic(n, |vertex| n - 1 - vertex)),
        ("DAG, p = 0.1, numbered at random", acyclic(n, shuffled(n))),
    ];
    match graphs::adjacency_of(WIKI_VOTE) {
        Ok(graph) => graphs.push(("wiki-Vote", graph)),
        Err(error) => say!("without wiki-Vote: {error}"),
    }
    for (name, graph) in graphs {
        let peer = || {
            let mut peer = matrix(&graph);
            let start = Instant::now();
            peer.transitive_closure();
            (start.elapsed(), peer)
        };
        let same = |found: &BitTable, closed: &BitMatrix<u64>| matrix(found) == *closed;
        let (ours, theirs) = in_turn(&star, "CLOSE", &graph, n_runs, peer, same);
        let ratio = theirs / ours;
        say!("{name}: {ours:.2} ms; bit-matrix {theirs:.1} ms; ratio {ratio:.1}");
    }
}

/// Median milliseconds of a routine that closes a graph and of a peer, in turn, after a round that does not count; `same`
/// compares what they find.
fn in_turn<T>(
    star: &Compiled,
    routine: &str,
    graph: &BitTable,
    n_runs: usize,
    peer: impl Fn() -> (Duration, T),
    same: impl Fn(&BitTable, &T) -> bool,
) -> (f64, f64) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=n_runs {
        let args = vec![HostValue::Int(graph.n_rows() as i64), HostValue::Table(graph.clone())];
        let (time, mut after) = star.run(routine, args);
        let (peer_time, closed) = peer();
        let Some(HostValue::Table(found)) = after.pop() else { panic!("the closure is a table") };
        assert!(same(&found, &closed), "both closures are the same");
        if round > 0 {
            ours.push(time);
            theirs.push(peer_time);
        }
    }
    let milliseconds = |times: &mut [Duration]| median(times).as_secs_f64() * 1e3;
    (milliseconds(&mut ours), milliseconds(&mut theirs))
}

/// The same bits, rows for rows.
pub(crate) fn matrix(table: &BitTable) -> BitMatrix<u64> {
    let mut matrix = BitMatrix::new(table.n_rows(), table.n_cols());
    for col in 0..table.n_cols() {
        let column = table.column_limbs(col);
        for row in (0..table.n_rows()).filter(|row| column[row / 64] >> (row % 64) & 1 == 1) {
            matrix.set(row, col, true);
        }
    }
    matrix
}

/// Warshall's algorithm on packed rows, one thread; the turns from and to columns do not count.
fn by_hand(graph: &BitTable) -> (Duration, BitTable) {
    let mut rows = turned(graph);
    let start = Instant::now();
    warshall(&mut rows);
    let time = start.elapsed();
    (time, turned(&rows))
}

/// Closes a graph whose rows are the columns of this table.
pub(crate) fn warshall(rows: &mut BitTable) {
    let kernels = Kernels::detect();
    let (n, stride) = (rows.n_cols(), rows.stride());
    let storage = rows.storage_mut();
    let mut pivot = Limbs::zeros(stride).expect("a row");
    for k in 0..n {
        pivot.copy_from_slice(&storage[k * stride..][..stride]);
        for row in storage.chunks_exact_mut(stride) {
            if row[k / 64] >> (k % 64) & 1 == 1 {
                kernels.logic_assign(LogicOp::Or, row, &pivot);
            }
        }
    }
}

/// Rows as columns.
pub(crate) fn turned(table: &BitTable) -> BitTable {
    let kernels = Kernels::detect();
    let n = table.n_rows();
    let mut turned = BitTable::zeros(table.n_cols(), n).expect("a table of the same size");
    let stride = turned.stride();
    let columns =
        Columns { storage: table.storage(), stride: table.stride(), n_cols: table.n_cols() };
    kernels.transpose_limbs(columns, n, 0..n.div_ceil(64), turned.storage_mut(), stride);
    turned
}

pub(crate) fn sparse(n: usize) -> BitTable {
    let mut graph = BitTable::zeros(n, n).expect("a table");
    let mut random = Random::new(SEED);
    let mut left = n * 3 / 2;
    while left > 0 {
        let (from, to) = (random.below(n), random.below(n));
        if !graph.get(from, to) {
            graph.put(from, to, true);
            left -= 1;
        }
    }
    graph
}

pub(crate) fn dense(n: usize) -> BitTable {
    let mut graph = BitTable::zeros(n, n).expect("a table");
    let mut random = Random::new(SEED);
    for col_idx in 0..n {
        let column = graph.column_limbs_mut(col_idx);
        column.fill_with(|| random.next_u64());
        star_base::bits::zero_tail(column, n);
    }
    graph
}

/// An arc between every two vertices with probability 0.1, from the first to the second; vertices are named
/// by `name`.
pub(crate) fn acyclic(n: usize, name: impl Fn(usize) -> usize) -> BitTable {
    let mut graph = BitTable::zeros(n, n).expect("a table");
    let mut random = Random::new(SEED);
    for from in 0..n {
        for to in from + 1..n {
            if random.below(10) == 0 {
                graph.put(name(from), name(to), true);
            }
        }
    }
    graph
}

/// The numbers below `n` in a random order.
pub(crate) fn shuffled(n: usize) -> impl Fn(usize) -> usize {
    let mut random = Random::new(SEED + 1);
    let mut order: Vec<usize> = (0..n).collect();
    for last in (1..n).rev() {
        order.swap(last, random.below(last + 1));
    }
    move |vertex| order[vertex]
}
