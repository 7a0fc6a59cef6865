//! Fields that are too narrow for the sums formed in them: the right result or an error, never a
//! wrong result; and no error at the width that the layouts choose.

use std::cell::Cell;

use petgraph::algo::bellman_ford;
use petgraph::graph::NodeIndex;
use star_io::{Graph, Layout, LayoutValue, Widths, lay_out};
use star_value::{BitTable, Table, Value};

use super::module::{Module, Results};
use super::random::{Rng, each_seed, graph};
use super::reference::petgraph_of;
use super::values::{code_width, codes, field, infinite, infinity, int, vertex, word};

/// Lays out the graph with this width of weights; `None` if a weight does not fit.
fn in_width(layout: Layout, graph: &Graph, h: usize) -> Option<BitTable> {
    let widths = Widths { h, b: code_width(layout.codes() * graph.n_vertices) };
    match lay_out(layout, graph, widths, 1 << 24, "random").ok()? {
        LayoutValue::Table(Table::Columns(table)) => Some(table),
        other => panic!("{layout:?} is {other:?}"),
    }
}

/// Runs `call` in every width up to `enough`, at which it must end well, and returns the number of
/// errors.
fn in_every_width(enough: usize, call: impl Fn(usize) -> Option<Result<(), String>>) -> usize {
    let mut n_errors = 0;
    for h in 1..=enough {
        match call(h) {
            None => assert!(h < enough, "a weight does not fit in {h} bits"),
            Some(Ok(())) => {}
            Some(Err(message)) => {
                assert!(message.contains("h is too small"), "{message}");
                assert!(h < enough, "h = {h}: {message}");
                n_errors += 1;
            }
        }
    }
    n_errors
}

/// Runs a test with the seeds from 0; errors must not be rare.
fn each_seed_with_errors(n_seeds: u64, test: impl Fn(&mut Rng) -> usize) {
    let n_errors = Cell::new(0);
    each_seed(n_seeds, |rng| n_errors.set(n_errors.get() + test(rng)));
    assert!(n_errors.get() as u64 >= n_seeds / 2, "{} errors", n_errors.get());
}

/// Returns the distances from `s`; `None` if a cycle of negative length is reached.
fn distances(graph: &Graph, s: usize) -> Option<Vec<Option<i64>>> {
    let weighted = petgraph_of(graph).map(|_, ()| (), |_, &weight| weight as f64);
    let paths = bellman_ford(&weighted, NodeIndex::new(s)).ok()?;
    let found = paths.distances.into_iter();
    Some(found.map(|length| length.is_finite().then_some(length as i64)).collect())
}

/// Compares a column of lengths, in which `zero` represents 0.
fn check_lengths(table: &BitTable, j: usize, h: usize, zero: i64, expected: &[Option<i64>]) {
    for (x, length) in expected.iter().enumerate() {
        let found = field(table, x, j, h);
        let found = (found != infinite(h)).then_some(found as i64 - zero);
        assert_eq!(found, *length, "to {x}, h = {h}");
    }
}

#[test]
fn narrow_distances_are_right_or_an_error() {
    let module = Module::new("paths");
    each_seed_with_errors(40, |rng| {
        let n = 2 + rng.below(7);
        let graph = rng.graph_of(n, 2 * n, 0, 9);
        let enough = graph.path_width().expect("small weights");
        let floyd = in_every_width(enough, |h| {
            let d = Value::from(in_width(Layout::Distances, &graph, h)?);
            let args = vec![int(n), int(h), infinity(h), d];
            Some(module.try_call("FLOYD", args).map(|results| {
                for s in 0..n {
                    // Row s as a column.
                    let row = results.table(3).row(s);
                    let mut column = BitTable::zeros(n, h).expect("a small table");
                    for x in 0..n {
                        for place in 0..h {
                            column.put(x, place, row.get(x * h + place));
                        }
                    }
                    let expected = distances(&graph, s).expect("no negative weights");
                    check_lengths(&column, 0, h, 0, &expected);
                }
            }))
        });
        let s = rng.below(n);
        let expected = distances(&graph, s).expect("no negative weights");
        let dijkstra = in_every_width(enough, |h| {
            let cost = in_width(Layout::WeightsOut, &graph, h)?;
            let found = from_one_vertex(&module, "DIJKSTRA", &graph, s, cost, h);
            Some(found.map(|results| check_lengths(&results.table(6), 0, h, 0, &expected)))
        });
        floyd.min(1) + dijkstra.min(1)
    });
}

fn from_one_vertex(
    module: &Module,
    routine: &'static str,
    graph: &Graph,
    s: usize,
    cost: BitTable,
    h: usize,
) -> Result<Results, String> {
    let n = graph.n_vertices;
    let adjacency = in_width(Layout::Adjacency, graph, h).expect("no weights");
    let mut args = vec![vertex(s)];
    let signed = routine == "BELLMAN_FORD";
    if signed {
        args.push(int(n));
    }
    args.extend([int(h), infinity(h)]);
    if signed {
        args.push(word(1 << (h - 1), h));
    }
    args.extend([adjacency, cost, codes(n, code_width(n))].map(Value::from));
    args.extend([Value::Unset, Value::Unset]);
    if signed {
        args.push(Value::Unset);
    }
    module.try_call(routine, args)
}

#[test]
fn narrow_signed_distances_are_right_or_an_error() {
    let module = Module::new("paths");
    each_seed_with_errors(60, |rng| {
        let n = 2 + rng.below(6);
        let mut graph = rng.graph_of(n, 2 * n, 0, 9);
        for arc in &mut graph.arcs {
            if rng.once_in(5) {
                arc.weight = -arc.weight;
            }
        }
        let s = rng.below(n);
        let expected = distances(&graph, s);
        let enough = graph.signed_width().expect("small weights");
        in_every_width(enough, |h| {
            let cost = in_width(Layout::SignedOut, &graph, h)?;
            let found = from_one_vertex(&module, "BELLMAN_FORD", &graph, s, cost, h);
            Some(found.map(|results| {
                assert_eq!(results.bool(10), expected.is_none(), "h = {h}, {graph:?}");
                if let Some(expected) = &expected {
                    check_lengths(&results.table(8), 0, h, 1 << (h - 1), expected);
                }
            }))
        })
    });
}

#[test]
fn edmonds_requires_the_spare_bit() {
    let module = Module::new("edmonds");
    let arc = |tail, head, weight| star_io::Arc { tail, head, weight };
    // The weights 4 and 5 need three bits, and the cycle 1 -> 2 -> 1 adds two of them.
    let graph = graph(3, vec![arc(0, 1, 4), arc(1, 0, 5), arc(2, 0, 4)]);
    let run = |h: usize, rows: [bool; 3]| {
        let b = code_width(2 * graph.n_vertices);
        let list = |layout| match lay_out(layout, &graph, Widths { h, b }, 1 << 20, "graph") {
            Ok(LayoutValue::Table(table)) => Value::from(table),
            other => panic!("{other:?}"),
        };
        let rows = Value::Slice(star_value::BitVector::from_bools(&rows));
        let mut args = vec![int(graph.n_vertices)];
        args.extend([Layout::Left, Layout::Right, Layout::Weight, Layout::CodeDouble].map(list));
        args.extend([rows, Value::Unset]);
        module.try_call("EDMONDS", args).map(|results| results.slice(6).to_string())
    };
    let h = graph.sum_width().expect("small weights");
    assert_eq!(h, 4);
    assert_eq!(run(h, [true; 3]).as_deref(), Ok("101"));
    let error = run(h - 1, [true; 3]).expect_err("no bit to spare");
    assert!(error.contains("a spare bit"), "{error}");
    // Nothing is added where there is no arc.
    assert_eq!(run(h - 1, [false; 3]).as_deref(), Ok("000"));
}
