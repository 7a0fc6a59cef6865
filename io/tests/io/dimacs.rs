//! DIMACS shortest-path graphs.

use star_base::Code::{BadFormat, HeaderLies, OutOfRange, Truncated};
use star_io::Format::Dimacs;
use star_io::{Data, ReadOptions, read};

use crate::support::{arcs, graph, refuses};

#[test]
fn arcs_keep_order_and_weights() {
    let (graph, warnings) = graph(Dimacs, "c road\np sp 3 2\nc more\na 1 3 70\na 3 2 0\n");
    assert_eq!((graph.n_vertices, graph.weighted, graph.symmetric), (3, true, false));
    assert_eq!(arcs(&graph), [(0, 2, 70), (2, 1, 0)]);
    assert!(graph.names.is_none() && warnings.is_empty());
}

#[test]
fn blanks_line_ends_and_byte_order_mark_are_ignored() {
    let plain = graph(Dimacs, "c\np sp 2 1\na 1 2 5\n");
    for text in [
        "c\np sp 2 1\na 1 2 5",
        "c\r\np sp 2 1\r\na 1 2 5\r\n",
        "c\np sp 2 1\na 1 2 5\r",
        "\u{feff}c\n\n  p\tsp  2 1 \n\n\ta 1\t2 +5 \n\n",
        "cxyz\np sp 2 1\nc\na 0001 02 0000000000000000000000000000000005\n",
    ] {
        assert_eq!(graph(Dimacs, text), plain, "{text:?}");
    }
}

#[test]
fn comments_may_contain_any_bytes() {
    let bytes = b"c \0\xff\xfe\np sp 1 0\n";
    assert!(crate::support::load(Dimacs, bytes).is_ok());
}

#[test]
fn loops_parallel_and_negative_arcs_are_kept_and_reported() {
    let (graph, warnings) = graph(Dimacs, "p sp 2 4\na 1 2 9\na 1 1 3\na 1 2 -4\na 1 2 8\n");
    assert_eq!(arcs(&graph), [(0, 1, 9), (0, 0, 3), (0, 1, -4), (0, 1, 8)]);
    assert_eq!(
        warnings,
        [
            "2 parallel arcs: a table of weights keeps the smallest weight, a list keeps all",
            "1 loop is kept"
        ]
    );
}

#[test]
fn extreme_numbers_are_read() {
    let text = "p sp 4294967295 2\na 4294967295 1 9223372036854775807\na 1 2 -9223372036854775808";
    let mut options = ReadOptions::new("f", 1 << 36);
    let Data::Graph(graph) = read(Dimacs, &mut text.as_bytes(), &mut options).unwrap().data else {
        panic!("a graph")
    };
    assert_eq!(arcs(&graph), [(u32::MAX - 1, 0, i64::MAX), (0, 1, i64::MIN)]);
}

#[test]
fn bad_inputs_are_rejected_at_their_place() {
    let long = [&b"p sp 1 1\na "[..], &[b'7'; 1000]].concat();
    refuses(
        Dimacs,
        &[
            (b"", Truncated, 1, 1, "before the line `p sp`"),
            (b"c only\nc comments\n", Truncated, 3, 1, "before the line `p sp`"),
            (b"a 1 2 3\n", BadFormat, 1, 1, "before the line `p sp`"),
            (b"p sp 2 0\np sp 2 0\n", BadFormat, 2, 1, "a second line `p`"),
            (b"p max 2 0\n", BadFormat, 1, 3, "`max`"),
            (b"p", Truncated, 1, 2, "middle of the line `p`"),
            (b"p sp", Truncated, 1, 5, "the number of vertices"),
            (b"p sp 3", Truncated, 1, 7, "the number of arcs"),
            (b"p sp 3\n", BadFormat, 1, 7, "the number of arcs"),
            (b"p sp x 0\n", BadFormat, 1, 6, "`x` is not a whole number"),
            (b"p sp 3 -1\n", OutOfRange, 1, 8, "`-1` is negative"),
            (b"p sp 4294967296 0\n", OutOfRange, 1, 6, "exceeds 32 bits"),
            (b"p sp 3 0 0\n", BadFormat, 1, 10, "expected the end of the line, found `0`"),
            (b"problem sp 3 0\n", BadFormat, 1, 1, "begins with `problem`"),
            (b"p sp 2 1\ne 1 2 3\n", BadFormat, 2, 1, "begins with `e`"),
            (b"p sp 2 1\narc 1 2\n", BadFormat, 2, 1, "begins with `arc`"),
            (b"p sp 2 1\na 0 2 3\n", OutOfRange, 2, 3, "the tail of the arc is 0"),
            (b"p sp 2 1\na 1 3 3\n", OutOfRange, 2, 5, "`3` exceeds the 2 vertices"),
            (b"p sp 2 1\na -1 2 3\n", OutOfRange, 2, 3, "`-1` is negative"),
            (b"p sp 2 1\na - 2 3\n", BadFormat, 2, 3, "`-` is not a whole number"),
            (b"p sp 2 1\na 1 2 -\n", BadFormat, 2, 7, "`-` is not a whole number"),
            (b"p sp 2 1\na 1 2 0.5x\n", BadFormat, 2, 7, "`0.5x` is not a whole number"),
            (b"p sp 2 1\na 1,2 3\n", BadFormat, 2, 4, "`,2` is not a whole number"),
            (b"p sp 2 1\na 1 2\n", BadFormat, 2, 6, "the weight"),
            (b"p sp 2 1\na 1 2\r\n", BadFormat, 2, 6, "the weight"),
            (b"p sp 2 1\na 1 2", Truncated, 2, 6, "the weight"),
            (b"p sp 2 1\na", Truncated, 2, 2, "the tail"),
            (b"p sp 2 2\na 1 2 3\n", Truncated, 3, 1, "after 1 of the 2 entries"),
            (b"p sp 2 0\na 1 2 3\n", HeaderLies, 2, 1, "an entry after the 0"),
            (b"p sp 2 1\na 1 2 3 4\n", BadFormat, 2, 9, "expected the end of the line, found `4`"),
            (b"p sp 2 1\na 1 2 9223372036854775808\n", OutOfRange, 2, 7, "exceeds 63 bits"),
            (b"p sp 2 1\na 1 2 -9223372036854775809\n", OutOfRange, 2, 7, "exceeds 63 bits"),
            (b"p sp 2 1\na 18446744073709551616 2 1\n", OutOfRange, 2, 3, "exceeds 64 bits"),
            (b"p sp 2 1\na 18446744073709551615 2 1\n", OutOfRange, 2, 3, "exceeds the 2"),
            (b"p sp 2 1\na \0 2 1\n", BadFormat, 2, 3, "`\\u{0}` contains a zero byte"),
            (b"p sp 2 1\na 1 \xff\xfe 1\n", BadFormat, 2, 5, "is not UTF-8"),
            (b"p sp 2 1\na 1 2 1\rc\n", BadFormat, 2, 8, "carriage return inside a line"),
            (b"p sp 2 1\r\ra 1 2 1\n", BadFormat, 1, 9, "carriage return inside a line"),
            (&long, OutOfRange, 2, 3, "77777777777777777777777777…`"),
        ],
    );
}
