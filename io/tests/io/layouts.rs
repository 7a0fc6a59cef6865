//! Comparison of the layouts with their definitions, bit by bit.

use std::collections::BTreeMap;

use star_base::Code;
use star_io::{
    Arc, Graph, Layout, LayoutOptions, LayoutValue, Widths, bytes_of_forms, lay_out,
    lay_out_sparse, lay_out_with,
};
use star_value::{BitTable, SparseLines, SparseTable, Table};

use crate::support::BUDGET;

const SIZES: [usize; 7] = [0, 1, 2, 5, 63, 64, 65];

/// A graph with loops and parallel arcs, determined by the arguments.
fn sample(n: usize, m: usize, symmetric: bool) -> Graph {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 + n as u64;
    let mut next = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit as u64) as usize
    };
    let m = if n == 0 { 0 } else { m };
    let arcs = (0..m).map(|_| Arc {
        tail: next(n) as u32,
        head: next(n) as u32,
        weight: next(100) as i64,
    });
    Graph { n_vertices: n, arcs: arcs.collect(), weighted: true, symmetric, ..Graph::default() }
}

/// The table of a layout that must succeed.
pub(crate) fn table(layout: Layout, graph: &Graph, widths: Widths) -> BitTable {
    match lay_out(layout, graph, widths, BUDGET, "f") {
        Ok(LayoutValue::Table(Table::Columns(table))) => table,
        other => panic!("{other:?} instead of a table"),
    }
}

/// The number in `width` columns from `first` of a row, column 1 the most significant.
pub(crate) fn number(table: &BitTable, row: usize, first: usize, width: usize) -> u64 {
    (first..first + width).fold(0, |sum, col| sum << 1 | u64::from(table.get(row, col)))
}

/// The smallest weight from i to j.
fn least(graph: &Graph) -> BTreeMap<(usize, usize), u64> {
    let mut least = BTreeMap::new();
    for arc in &graph.arcs {
        let (i, j) = (arc.tail as usize, arc.head as usize);
        let mut places = vec![(i, j)];
        if graph.symmetric {
            places.push((j, i));
        }
        for place in places {
            let weight = least.entry(place).or_insert(u64::MAX);
            *weight = (*weight).min(arc.weight as u64);
        }
    }
    least
}

fn for_samples(mut check: impl FnMut(&Graph, Widths)) {
    for n in SIZES {
        for m in [0, 1, 64, 200] {
            for symmetric in [false, true] {
                let graph = sample(n, m, symmetric);
                let widths = Widths { h: 8, b: graph.code_width() };
                check(&graph, widths);
            }
        }
    }
}

#[test]
fn matrices_match_their_definition() {
    for_samples(|graph, widths| {
        let (n, h, least) = (graph.n_vertices, widths.h, least(graph));
        let adjacency = table(Layout::Adjacency, graph, widths);
        let weights_out = table(Layout::WeightsOut, graph, widths);
        let weights_in = table(Layout::WeightsIn, graph, widths);
        let distances = table(Layout::Distances, graph, widths);
        assert_eq!((adjacency.n_rows(), adjacency.n_cols()), (n, n));
        for wide in [&weights_out, &weights_in, &distances] {
            assert_eq!((wide.n_rows(), wide.n_cols()), (n, n * h));
        }
        for i in 0..n {
            for j in 0..n {
                let weight = least.get(&(i, j)).copied();
                assert_eq!(adjacency.get(i, j), weight.is_some(), "({i}, {j})");
                let weight = weight.unwrap_or(255);
                assert_eq!(number(&weights_out, j, i * h, h), weight, "({i}, {j})");
                assert_eq!(number(&weights_in, i, j * h, h), weight, "({i}, {j})");
                let distance = if i == j { 0 } else { weight };
                assert_eq!(number(&distances, i, j * h, h), distance, "({i}, {j})");
            }
        }
    });
}

#[test]
fn lists_match_their_definition() {
    for_samples(|graph, widths| {
        let (n, m, Widths { h, b }) = (graph.n_vertices, graph.n_edges(), widths);
        let arcs = table(Layout::Arcs, graph, widths);
        assert_eq!((arcs.n_rows(), arcs.n_cols()), (m, 2 * b + h));
        for (row, arc) in graph.arcs.iter().enumerate() {
            assert_eq!(number(&arcs, row, 0, b), u64::from(arc.tail) + 1);
            assert_eq!(number(&arcs, row, b, b), u64::from(arc.head) + 1);
            assert_eq!(number(&arcs, row, 2 * b, h), arc.weight as u64);
        }
        for (layout, first, width) in
            [(Layout::Left, 0, b), (Layout::Right, b, b), (Layout::Weight, 2 * b, h)]
        {
            let part = table(layout, graph, widths);
            assert_eq!((part.n_rows(), part.n_cols()), (m, width));
            assert!((0..width).all(|col| part.column(col) == arcs.column(first + col)));
        }
        let code = table(Layout::Code, graph, widths);
        assert_eq!((code.n_rows(), code.n_cols()), (n, b));
        assert!((0..n).all(|row| number(&code, row, 0, b) == row as u64 + 1));
        let edges = lay_out(Layout::Edges, graph, widths, BUDGET, "f").unwrap();
        let LayoutValue::Slice(edges) = edges else { panic!("no slice") };
        assert_eq!((edges.len(), edges.count_ones()), (m, m as u64));
    });
}

#[test]
fn incidence_tables_match_their_definition() {
    for_samples(|graph, widths| {
        let (n, m) = (graph.n_vertices, graph.n_edges());
        let both = table(Layout::Incidence, graph, widths);
        let tails = table(Layout::Tails, graph, widths);
        let heads = table(Layout::Heads, graph, widths);
        for each in [&both, &tails, &heads] {
            assert_eq!((each.n_rows(), each.n_cols()), (m, n));
        }
        for (row, arc) in graph.arcs.iter().enumerate() {
            for col in 0..n {
                let (is_tail, is_head) = (arc.tail as usize == col, arc.head as usize == col);
                assert_eq!(tails.get(row, col), is_tail);
                assert_eq!(heads.get(row, col), is_head);
                assert_eq!(both.get(row, col), is_tail || is_head);
            }
        }
    });
}

#[test]
fn names_parse_back() {
    for &layout in Layout::ALL {
        assert_eq!(Layout::parse(layout.name()), Some(layout));
        assert!(!layout.description().is_empty());
    }
    assert_eq!(Layout::parse("cost"), None);
}

#[test]
fn signed_weights_use_twos_complement() {
    for n in SIZES {
        for symmetric in [false, true] {
            let mut graph = sample(n, 3 * n, symmetric);
            for arc in &mut graph.arcs {
                arc.weight -= 50;
            }
            let mut least: BTreeMap<(usize, usize), i64> = BTreeMap::new();
            for arc in graph.directed_arcs() {
                let weight = least.entry((arc.tail as usize, arc.head as usize));
                let weight = weight.or_insert(i64::MAX);
                *weight = arc.weight.min(*weight);
            }
            for h in [8, 70] {
                let signed = table(Layout::SignedOut, &graph, Widths { h, b: 0 });
                assert_eq!((signed.n_rows(), signed.n_cols()), (n, n * h));
                for i in 0..n {
                    for j in 0..n {
                        // Wide fields begin with copies of the sign.
                        let high = number(&signed, j, i * h, h - 8);
                        let low = number(&signed, j, i * h + h - 8, 8) as u8;
                        let found = (high, low as i8);
                        let ones = (1_u64 << (h - 8)) - 1;
                        let expected = match least.get(&(i, j)) {
                            Some(&weight) => (if weight < 0 { ones } else { 0 }, weight as i8),
                            None if h == 8 => (0, i8::MAX),
                            None => (ones >> 1, -1),
                        };
                        assert_eq!(found, expected, "({i}, {j}), h = {h}");
                    }
                }
            }
        }
    }
}

#[test]
fn codes_for_contracted_cycles_follow_those_of_the_vertices() {
    for_samples(|graph, widths| {
        let n = graph.n_vertices;
        let codes = table(Layout::CodeDouble, graph, Widths { b: widths.b + 1, ..widths });
        assert_eq!((codes.n_rows(), codes.n_cols()), (2 * n, widths.b + 1));
        for row in 0..2 * n {
            assert_eq!(number(&codes, row, 0, widths.b + 1), row as u64 + 1);
        }
    });
}

#[test]
fn sparse_table_equals_dense_table() {
    let matrices = Layout::ALL.iter().copied().filter(|layout| {
        bytes_of_forms(*layout, &sample(1, 0, false), Widths { h: 1, b: 1 }, false).is_some()
    });
    let matrices: Vec<Layout> = matrices.collect();
    assert_eq!(matrices.len(), 8, "{matrices:?}");
    for (n, m) in [(0, 0), (1, 2), (64, 100), (65, 3), (150, 2000)] {
        for (symmetric, layout) in
            [false, true].into_iter().flat_map(|it| matrices.iter().map(move |of| (it, *of)))
        {
            let graph = sample(n, m, symmetric);
            let widths = layout.least_widths(&graph).unwrap();
            let widths = Widths { h: widths.h + 1, ..widths };
            let dense = table(layout, &graph, widths);
            for by_rows in [false, true] {
                let bytes = bytes_of_forms(layout, &graph, widths, by_rows).unwrap();
                let mut options = LayoutOptions { by_rows, ..LayoutOptions::new("f", 1 << 26) };
                let made = lay_out_sparse(layout, &graph, widths, &mut options).unwrap();
                let SparseTable { lines, by_rows } = made.unwrap();
                let what = format!("{} of {n}, {m}, by rows: {by_rows}", layout.name());
                assert!(lines.n_bytes() <= bytes.sparse, "{what}: {}", lines.n_bytes());
                let rows: Vec<_> = (0..dense.n_rows()).map(|row| dense.row(row)).collect();
                let expected = match by_rows {
                    true => BitTable::from_columns(dense.n_cols(), &rows),
                    false => dense.clone(),
                };
                assert_eq!(bytes.dense, u128::from(expected.n_bytes()), "{what}");
                assert!(lines == SparseLines::of_columns(&expected).unwrap(), "{what}");
            }
        }
    }
}

#[test]
fn sparse_tables_over_budget_or_interrupted_are_rejected() {
    let (graph, none) = (sample(700, 900, false), Widths { h: 0, b: 0 });
    let lay_out = |layout, widths, max_bytes| {
        lay_out_sparse(layout, &graph, widths, &mut LayoutOptions::new("f", max_bytes))
    };
    let refused = lay_out(Layout::Adjacency, none, 1000).unwrap_err();
    assert_eq!(refused.code, Code::DoesNotFit);
    assert!(refused.message.contains("sparse table of 700 × 700"), "{refused}");
    let narrow = lay_out(Layout::WeightsOut, Widths { h: 1, b: 0 }, 1 << 24).unwrap_err();
    assert_eq!(narrow.code, Code::WidthTooSmall);
    let wide = lay_out(Layout::WeightsOut, Widths { h: 1 << 60, b: 0 }, 1 << 24).unwrap_err();
    assert_eq!(wide.code, Code::DoesNotFit);
    assert!(lay_out(Layout::Left, Widths { h: 0, b: 10 }, 1 << 24).unwrap().is_none());
    let mut go_on = || false;
    let mut options = LayoutOptions::new("f", 1 << 24);
    options.go_on = Some(&mut go_on);
    let large = sample(9000, 20_000, false);
    let stopped = lay_out_sparse(Layout::Adjacency, &large, none, &mut options).unwrap_err();
    assert_eq!(stopped.code, Code::Interrupted);
}

#[test]
fn table_by_rows_is_the_transposed_table_by_columns() {
    // Sizes below and above the threshold for filling a large adjacency table line by line.
    for (n, m) in [(511, 900), (512, 900), (700, 2000), (6000, 20_000)] {
        for symmetric in [false, true] {
            let graph = sample(n, m, symmetric);
            let widths = Widths { h: 9, b: 14 };
            for layout in Layout::ALL {
                let is_large = n == 6000;
                if (*layout == Layout::Edges) || (is_large && *layout != Layout::Adjacency) {
                    continue;
                }
                let mut options =
                    LayoutOptions { by_rows: true, ..LayoutOptions::new("f", 1 << 24) };
                let found = lay_out_with(*layout, &graph, widths, &mut options).unwrap();
                let LayoutValue::Table(lines) = found else { panic!("{found:?}") };
                let columns = lay_out(*layout, &graph, widths, 1 << 24, "f").unwrap();
                let LayoutValue::Table(columns) = columns else { panic!("{columns:?}") };
                if !layout.may_lie_by_rows(&graph) {
                    assert!(lines == columns, "{layout:?}");
                    continue;
                }
                let rows: Vec<_> = (0..columns.n_rows()).map(|row| columns.row(row)).collect();
                let transposed = BitTable::from_columns(columns.n_cols(), &rows);
                assert!(lines == Table::Rows(transposed), "{layout:?} of {n} vertices");
            }
        }
    }
    let graph = sample(511, 3, false);
    assert!(!Layout::Adjacency.may_lie_by_rows(&graph), "mostly gaps");
}
