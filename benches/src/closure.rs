//! Transitive closure: the published text compared with a hand-written program, and the library's
//! intrinsic compared with the crate `bit-matrix`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::time::{Duration, Instant};

use bit_matrix::BitMatrix;
use star_base::Random;
use star_io::{Data, Format, Layout, LayoutOptions, LayoutValue, ReadOptions, Widths};
use star_ir::LogicOp;
use star_value::{BitTable, Limbs, Table, Value};
use star_vm::kernels::{Columns, Kernels};
use star_vm::{Cpu, cpu};

use crate::program::{Compiled, median};
use crate::results::Figure;

/// Listings 1 and 2 of source 001, verbatim.
const PUBLISHED: &str = include_str!("../../tests/programs/published/warshall.star");

/// The library's procedure, for which the backend has an intrinsic.
const LIBRARY: &str = "import \"star:closure\";
procedure CLOSE(n: integer; var P: table); begin WARSHALL(n,P) end;";

const SEED: u64 = 2016;

/// Kinds of random graphs.
pub(crate) const KINDS: [&str; 5] = [
    "m = 1.5 n",
    "G(n, ½)",
    "DAG, p = 0.1, shuffled",
    "DAG, p = 0.1, in order",
    "DAG, p = 0.1, in reverse",
];

/// Returns a graph of a kind.
fn graph_of(kind: &str, n: usize) -> BitTable {
    match KINDS.iter().position(|known| *known == kind) {
        Some(0) => sparse(n),
        Some(1) => dense(n),
        Some(2) => acyclic(n, shuffled(n)),
        Some(3) => acyclic(n, |vertex| vertex),
        _ => acyclic(n, |vertex| n - 1 - vertex),
    }
}

fn backend(n_threads: usize) -> Cpu {
    let settings = cpu::Settings { threads: Some(n_threads), ..Default::default() };
    Cpu::with(settings, Kernels::detect())
}

/// Measures a published listing after all passes but the recognition of whole algorithms, and as
/// lowered, alternately with the hand-written program on one thread.
pub(crate) fn published(listing: &str, kind: &str, n: usize, n_runs: usize) -> Figure {
    let graph = graph_of(kind, n);
    let programs = [
        Compiled::optimised(backend(1), PUBLISHED, &["idioms"]),
        Compiled::new(backend(1), PUBLISHED),
    ];
    let [(ours, peer), (lowered, _)] = programs.each_ref().map(|star| {
        let same = |found: &BitTable, closed: &BitTable| found == closed;
        alternately(star, listing, &graph, n_runs, || by_hand(&graph), same)
    });
    Figure {
        variants: BTreeMap::from([("without passes".to_owned(), lowered)]),
        ..Figure::new(kind, ("n", n), ours, &[("Warshall on packed rows, by hand", peer)])
    }
}

/// Measures the library's WARSHALL alternately with the crate `bit-matrix` on one thread.
pub(crate) fn intrinsic(kind: &str, n: usize, n_runs: usize) -> Figure {
    against_bit_matrix(kind, &graph_of(kind, n), n_runs)
}

/// Measures the same on the adjacency of an edge list.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn of_file(name: &str, path: &str, n_runs: usize) -> Result<Figure, String> {
    Ok(against_bit_matrix(name, &adjacency_of(path)?, n_runs))
}

/// Returns the adjacency table of an edge list.
fn adjacency_of(path: &str) -> Result<BitTable, String> {
    let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
    let mut options = ReadOptions::new(path, u64::MAX);
    let read = star_io::read(Format::EdgeList, &mut BufReader::new(file), &mut options);
    let Data::Graph(graph) = read.map_err(|error| error.to_string())?.data else {
        return Err(format!("{path}: not a graph"));
    };
    let (widths, mut options) = (Widths { h: 0, b: 0 }, LayoutOptions::new(path, u64::MAX));
    match star_io::lay_out_with(Layout::Adjacency, &graph, widths, &mut options) {
        Ok(LayoutValue::Table(Table::Columns(table))) => Ok(table),
        Ok(_) => Err(format!("{path}: no table")),
        Err(error) => Err(error.to_string()),
    }
}

fn against_bit_matrix(kind: &str, graph: &BitTable, n_runs: usize) -> Figure {
    let star = Compiled::new(backend(1), LIBRARY);
    let peer = || {
        let mut peer = matrix(graph);
        let start = Instant::now();
        peer.transitive_closure();
        (start.elapsed(), peer)
    };
    let same = |found: &BitTable, closed: &BitMatrix<u64>| matrix(found) == *closed;
    let (ours, peer) = alternately(&star, "CLOSE", graph, n_runs, peer, same);
    Figure::new(kind, ("n", graph.n_rows()), ours, &[("bit-matrix", peer)])
}

/// Measures the library's WARSHALL on all threads alternately with one.
pub(crate) fn on_all_threads(kind: &str, n: usize, n_runs: usize) -> Figure {
    let graph = graph_of(kind, n);
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let star = Compiled::new(backend(n_threads), LIBRARY);
    let one = Compiled::new(backend(1), LIBRARY);
    let peer = || {
        let args = vec![Value::Int(n as i64), Value::from(graph.clone())];
        let (time, mut after) = one.run("CLOSE", args);
        (time, after.pop())
    };
    let same = |found: &BitTable, closed: &Option<Value>| {
        closed.as_ref().and_then(Value::columns) == Some(found)
    };
    let (ours, peer) = alternately(&star, "CLOSE", &graph, n_runs, peer, same);
    Figure {
        threads: n_threads,
        ..Figure::new(kind, ("n", n), ours, &[("ours on one thread", peer)])
    }
}

/// Returns the median seconds of a routine that closes a graph and of a peer, which run alternately
/// after an uncounted round; `same` compares their results.
fn alternately<T>(
    star: &Compiled,
    routine: &str,
    graph: &BitTable,
    n_runs: usize,
    peer: impl Fn() -> (Duration, T),
    same: impl Fn(&BitTable, &T) -> bool,
) -> (f64, f64) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=n_runs {
        let args = vec![Value::Int(graph.n_rows() as i64), Value::from(graph.clone())];
        let (time, mut after) = star.run(routine, args);
        let (peer_time, closed) = peer();
        let found = after.pop().and_then(Value::into_columns).expect("the closure is a table");
        assert!(same(&found, &closed), "both closures are the same");
        if round > 0 {
            ours.push(time);
            theirs.push(peer_time);
        }
    }
    (median(&mut ours).as_secs_f64(), median(&mut theirs).as_secs_f64())
}

/// Returns the same bits as a matrix of the crate.
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

/// Warshall's algorithm on packed rows, one thread; the transpositions do not count.
fn by_hand(graph: &BitTable) -> (Duration, BitTable) {
    let mut rows = transposed(graph);
    let start = Instant::now();
    warshall(&mut rows);
    let time = start.elapsed();
    (time, transposed(&rows))
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

/// Returns the transpose.
pub(crate) fn transposed(table: &BitTable) -> BitTable {
    let kernels = Kernels::detect();
    let n = table.n_rows();
    let mut transposed = BitTable::zeros(table.n_cols(), n).expect("a table of the same size");
    let stride = transposed.stride();
    let columns =
        Columns { storage: table.storage(), stride: table.stride(), n_cols: table.n_cols() };
    kernels.transpose_limbs(columns, n, 0..n.div_ceil(64), transposed.storage_mut(), stride);
    transposed
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
        star_value::bits::zero_tail(column, n);
    }
    graph
}

/// Returns a graph with an arc between every two vertices with probability 0.1, from the first to
/// the second; `name` maps vertices to their numbers.
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
