//! METIS graphs.

use star_base::Code::{BadFormat, HeaderLies, NoSuchLayout, OutOfRange, Truncated};
use star_io::Format::Metis;
use star_io::{Arc, Graph, OutputRef, write};
use star_value::{BitTable, BitsRef};

use crate::support::{arcs, graph, refuses};

#[test]
fn edge_is_stored_once() {
    let (graph, warnings) = graph(Metis, "% a path\n3 2\n2\n% in between\n1 3\n2\n");
    assert_eq!((graph.n_vertices, graph.weighted, graph.symmetric), (3, false, true));
    assert_eq!(arcs(&graph), [(1, 0, 1), (2, 1, 1)]);
    assert!(graph.names.is_none() && warnings.is_empty());
}

#[test]
fn blanks_and_line_ends_are_ignored() {
    let plain = graph(Metis, "4 2 0\n2\n1 4\n\n2\n");
    for text in [
        "4 2\r\n2\r\n1 4\r\n\r\n2\r\n",
        "4 2\n2\n1 4\n\n2",
        "  4\t2  \n\t2 \n1   4 \n \n 2 \n\n% end\n\n",
        "\u{feff}\n%\n4 2 000\n2\n4 1\n\n2\n",
    ] {
        assert_eq!(graph(Metis, text), plain, "{text:?}");
    }
}

#[test]
fn last_line_may_be_empty_and_unterminated() {
    assert_eq!(graph(Metis, "3 1\n2\n1\n").0.n_vertices, 3);
    assert_eq!(graph(Metis, "1 0\n").0.n_vertices, 1);
    assert_eq!(graph(Metis, "0 0").0.n_vertices, 0);
}

#[test]
fn format_field_announces_the_numbers() {
    let edges = [(1, 0, 7), (2, 1, 9)];
    for (text, weighted, notes) in [
        ("3 2 1\n2 7\n1 7 3 9\n2 9\n", true, false),
        ("3 2 001\n2 7\n1 7 3 9\n2 9\n", true, false),
        ("3 2 11\n5 2 7\n5 1 7 3 9\n5 2 9\n", true, true),
        ("3 2 11 2\n5 6 2 7\n5 6 1 7 3 9\n5 6 2 9\n", true, true),
        ("3 2 111 1\n8 5 2 7\n8 5 1 7 3 9\n8 5 2 9\n", true, true),
        ("3 2 10\n5 2\n5 1 3\n5 2\n", false, true),
        ("3 2 100\n8 2\n8 1 3\n8 2\n", false, true),
        ("3 2 010 2\n8 8 2\n8 8 1 3\n8 8 2\n", false, true),
    ] {
        let (graph, warnings) = graph(Metis, text);
        assert_eq!(graph.weighted, weighted, "{text:?}");
        let found: Vec<_> = arcs(&graph).iter().map(|arc| (arc.0, arc.1)).collect();
        assert_eq!(found, [(1, 0), (2, 1)], "{text:?}");
        if weighted {
            assert_eq!(arcs(&graph), edges, "{text:?}");
        }
        assert_eq!(warnings.len(), usize::from(notes), "{text:?}: {warnings:?}");
    }
}

#[test]
fn bad_inputs_are_rejected_at_their_place() {
    refuses(
        Metis,
        &[
            (b"", Truncated, 1, 1, "before the size line"),
            (b"% only\n", Truncated, 2, 1, "before the size line"),
            (b"3", Truncated, 1, 2, "the number of edges"),
            (b"3 x\n", BadFormat, 1, 3, "`x`"),
            (b"2 1 2\n2\n1\n", BadFormat, 1, 5, "unknown format `2`"),
            (b"2 1 0001\n2\n1\n", BadFormat, 1, 5, "unknown format `0001`"),
            (b"2 1 0 1\n2\n1\n", BadFormat, 1, 7, "1 weights"),
            (b"2 1 10 99999\n2\n1\n", BadFormat, 1, 8, "99999 weights"),
            (b"4294967296 1\n", OutOfRange, 1, 1, "exceeds 32 bits"),
            (b"4 2\n2\n1\n", Truncated, 4, 1, "after 2 of the 4 vertices"),
            (b"4000000000 2\n2\n1\n", Truncated, 4, 1, "after 2 of the 4000000000"),
            (b"2 1\n2\n1\n\n1\n", HeaderLies, 5, 1, "after the 2 vertices"),
            (b"2 1\n3\n1\n", OutOfRange, 2, 1, "exceeds the 2 vertices"),
            (b"2 1\n0\n1\n", OutOfRange, 2, 1, "is 0"),
            (b"2 1\n-2\n1\n", OutOfRange, 2, 1, "negative"),
            (b"2 1\n2 1\n1\n", BadFormat, 2, 3, "its own neighbour"),
            (b"2 1 1\n2 5\n1\n", BadFormat, 3, 2, "the weight of the edge"),
            (b"2 1 10\n\n1\n", BadFormat, 2, 1, "a weight of the vertex"),
            (b"3 1\n2\n\n%\n1\n", BadFormat, 2, 1, "from 1 to 2 is missing in the line of 2"),
            (b"3 1\n%\n\n\n1 1", BadFormat, 5, 1, "from 3 to 1"),
            (
                b"2 1 1\n2 5\n1 6\n",
                BadFormat,
                3,
                3,
                "the edge from 2 to 1 has weight 6 here, but weight 5 in line 2, that of vertex 1",
            ),
            (
                b"%\n3 2 1\n2 5\n% two\n1 5  3 -7\n2 7\n",
                BadFormat,
                6,
                3,
                "from 3 to 2 has weight 7 here, but weight -7 in line 5, that of vertex 2",
            ),
            (
                b"3 3 1\n2 5 3 1\n1 5 3 4\n2 4 1  2\n",
                BadFormat,
                4,
                8,
                "weight 2 here, but weight 1",
            ),
            (b"2 2 1\n2 5 2 7\n1 7\n", BadFormat, 2, 1, "from 1 to 2 is missing in the line of 2"),
            (b"3 2\n2\n1 3\n\n", BadFormat, 3, 1, "from 2 to 3 is missing in the line of 3"),
            (b"2 2\n2\n1\n", HeaderLies, 1, 3, "2 edges in the header"),
            (b"%\n  3   1\n2 3\n1\n1\n", HeaderLies, 2, 7, "1 edge in the header"),
            (b"1 0\n\n1\n", HeaderLies, 3, 1, "after the 1 vertex of the header"),
        ],
    );
}

#[test]
fn undirected_graphs_without_loops_are_writable() {
    let arc = |tail, head, weight| Arc { tail, head, weight };
    let arcs = vec![arc(0, 2, 5), arc(2, 1, 6)];
    let graph = Graph { n_vertices: 4, arcs, weighted: true, symmetric: true, ..Graph::default() };
    let mut bytes = Vec::new();
    write(Metis, OutputRef::Graph(&graph), &mut bytes).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), "4 2 1\n3 5\n3 6\n1 5 2 6\n\n");
    let directed = Graph { symmetric: false, ..graph.clone() };
    let looped = Graph { arcs: vec![arc(1, 1, 1)], ..graph };
    let lonely = BitTable::parse(&["010", "000", "000"]).unwrap();
    for value in [
        OutputRef::Graph(&directed),
        OutputRef::Graph(&looped),
        OutputRef::Bits(BitsRef::from(&lonely)),
    ] {
        let mut bytes = Vec::new();
        let error = write(Metis, value, &mut bytes).unwrap_err();
        assert_eq!((error.code, bytes.len()), (NoSuchLayout, 0));
        crate::support::check_wording(&error);
    }
    let both = BitTable::parse(&["010", "100", "000"]).unwrap();
    let mut bytes = Vec::new();
    write(Metis, OutputRef::Bits(BitsRef::from(&both)), &mut bytes).unwrap();
    assert_eq!(bytes, b"3 1\n2\n1\n\n");
}
