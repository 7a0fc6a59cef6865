//! Matrix Market.

use star_io::Data;
use star_io::Format::MatrixMarket;
use star_value::BitTable;

use crate::support::{arcs, graph, load};

/// A text with the banner of this kind of matrix.
pub(crate) fn with_banner(kind: &str, rest: &str) -> String {
    format!("%%MatrixMarket matrix {kind}\n{rest}")
}

#[test]
fn square_pattern_is_a_graph() {
    let text = with_banner("coordinate pattern general", "% c\n\n3 3 2\n3 1\n1 2\n");
    let (graph, warnings) = graph(MatrixMarket, &text);
    assert_eq!((graph.n_vertices, graph.weighted, graph.symmetric), (3, false, false));
    assert_eq!(arcs(&graph), [(2, 0, 1), (0, 1, 1)]);
    assert!(warnings.is_empty());
}

#[test]
fn case_line_ends_and_comments_are_ignored() {
    let text = with_banner("coordinate integer symmetric", "2 2 1\n2 1 5\n");
    let plain = graph(MatrixMarket, &text);
    for text in [
        text.to_uppercase(),
        text.replace('\n', "\r\n"),
        text.trim_end().to_owned(),
        text.replace("2 1 5", "% c\n\n\t2  1 +5 "),
    ] {
        assert_eq!(graph(MatrixMarket, &text), plain, "{text:?}");
    }
}

#[test]
fn integer_values_are_weights() {
    let text = with_banner("coordinate integer general", "2 2 3\n1 2 -5\n2 2 0\n1 2 7\n");
    let (graph, warnings) = graph(MatrixMarket, &text);
    assert!(graph.weighted);
    assert_eq!(arcs(&graph), [(0, 1, -5), (1, 1, 0), (0, 1, 7)]);
    assert_eq!(
        warnings,
        [
            "1 parallel arc: a table of weights keeps the smallest weight, a list keeps all",
            "1 loop is kept"
        ]
    );
}

#[test]
fn real_values_give_a_pattern_with_a_warning() {
    let values = "3 3 5\n1 2 -1.5e-3\n2 1 0.0\n3 1 .5\n1 3 5.\n3 2 1D+2\n";
    let text = with_banner("coordinate real general", values);
    let (graph, warnings) = graph(MatrixMarket, &text);
    assert!(!graph.weighted && graph.arcs.iter().all(|arc| arc.weight == 1));
    assert_eq!(graph.n_edges(), 5);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("including 1 stored zero"), "{warnings:?}");
}

#[test]
fn symmetric_matrix_stores_an_edge_once() {
    let text = with_banner("coordinate pattern symmetric", "3 3 4\n2 1\n2 2\n1 3\n1 3\n");
    let (graph, warnings) = graph(MatrixMarket, &text);
    assert!(graph.symmetric);
    assert_eq!(graph.directed_arcs().count(), 7);
    assert_eq!(warnings, ["1 parallel edge: stored as one bit in a table", "1 loop is kept"]);
}

#[test]
fn array_is_column_major_and_zero_is_no_arc() {
    let text = with_banner("array integer general", "2 2\n0\n7\n-1\n0\n");
    assert_eq!(arcs(&graph(MatrixMarket, &text).0), [(1, 0, 7), (0, 1, -1)]);
    let text = with_banner("array integer symmetric", "3 3\n0\n1\n2\n3\n0\n4\n");
    let (graph_, _) = graph(MatrixMarket, &text);
    assert_eq!(arcs(&graph_), [(1, 0, 1), (2, 0, 2), (1, 1, 3), (2, 2, 4)]);
    let text = with_banner("array real general", "1 1\n0.5\n");
    let (graph, warnings) = graph(MatrixMarket, &text);
    assert_eq!((arcs(&graph), warnings.len()), (vec![(0, 0, 1)], 2));
}

#[test]
fn nonsquare_matrix_is_a_table() {
    let expected = BitTable::parse(&["010", "001"]).unwrap();
    for text in [
        with_banner("coordinate pattern general", "2 3 2\n1 2\n2 3\n"),
        with_banner("coordinate real general", "2 3 2\n1 2 0.5\n2 3 0\n"),
        with_banner("array real general", "2 3\n0\n0\n1\n0\n0\n0.5\n"),
    ] {
        let loaded = load(MatrixMarket, text.as_bytes()).unwrap();
        assert_eq!(loaded.data, Data::Table(expected.clone().into()), "{text}");
    }
    let text = with_banner("coordinate pattern general", "1 2 2\n1 2\n1 2\n");
    let loaded = load(MatrixMarket, text.as_bytes()).unwrap();
    assert_eq!(loaded.warnings, ["1 repeated entry: stored as one bit"]);
}

#[test]
fn empty_matrices_are_read() {
    let text = with_banner("coordinate pattern general", "0 0 0\n");
    assert_eq!(graph(MatrixMarket, &text).0.n_vertices, 0);
    let text = with_banner("array integer symmetric", "0 0\n");
    assert_eq!(graph(MatrixMarket, &text).0.n_vertices, 0);
    let text = with_banner("coordinate pattern general", "0 4294967295 0\n");
    let loaded = load(MatrixMarket, text.as_bytes()).unwrap();
    assert!(matches!(loaded.data, Data::Table(_)));
}
