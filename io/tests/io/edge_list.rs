//! Edge lists.

use star_base::Code::{BadFormat, HeaderLies, OutOfRange, Truncated};
use star_io::Format::{Dimacs, EdgeList, Metis};
use star_io::{Data, Decimal, Graph, Layout, OutputRef, ReadOptions, Widths, lay_out, read, write};

use crate::support::{arcs, graph, load, refuses};

#[test]
fn vertices_from_1_are_used_directly_and_from_0_keep_their_numbers() {
    let (from_0, warnings) = graph(EdgeList, "0 1\n2 0\n");
    assert_eq!((from_0.n_vertices, arcs(&from_0)), (3, vec![(0, 1, 1), (2, 0, 1)]));
    assert_eq!(from_0.labels, Some(vec![0, 1, 2]));
    assert!(!from_0.weighted && warnings.is_empty());
    let (from_1, warnings) = graph(EdgeList, "1 2\n3 1\n");
    assert!(from_1.labels.is_none() && warnings.is_empty());
    assert_eq!(arcs(&from_1), arcs(&from_0));
}

#[test]
fn numbers_of_vertices_are_written_as_they_were_read() {
    for text in ["0 1 2\n1 2 5\n", "5 9 2\n9 70 5\n"] {
        let (mut graph, _) = graph(EdgeList, text);
        let written = |graph: &Graph| {
            let mut written = Vec::new();
            write(EdgeList, OutputRef::Graph(graph), &mut written).unwrap();
            let written = String::from_utf8(written).unwrap();
            written.split_once('\n').unwrap().1.to_owned() // without the comment
        };
        assert_eq!(written(&graph), text);
        // A vertex without an edge does not change the others.
        graph.arcs.remove(0);
        assert_eq!(written(&graph), text.split_once('\n').unwrap().1);
    }
}

#[test]
fn konect_comments_give_the_kind_of_graph() {
    let edges = "% 2 3 3\n1 2 3\n2 3 4\n";
    let (symmetric, notes) = graph(EdgeList, &format!("% sym positive\n{edges}"));
    assert!(symmetric.symmetric && symmetric.weighted);
    assert_eq!(notes, ["the comment `% sym` says that the edges have no direction"]);
    for other in ["% asym positive", "% symbols positive", "% sym of edges", "# sym positive"] {
        let (directed, notes) = graph(EdgeList, &format!("{other}\n{edges}"));
        assert!(!directed.symmetric && notes.is_empty(), "{other}");
    }
    refuses(EdgeList, &[(b"% bip unweighted\n1 1\n", BadFormat, 1, 1, "`% bip`")]);
}

#[test]
fn times_after_weights_are_skipped_on_request() {
    let text = "% asym weighted\n1 2 7 1082008561\n2 3 8 1082008562\n";
    let mut options = ReadOptions::new("f", 1 << 20);
    let error = read(EdgeList, &mut text.as_bytes(), &mut options).unwrap_err();
    assert_eq!((error.line, error.column), (Some(2), Some(7)));
    assert!(error.help[0].contains("`times=skip`"), "{error:?}");
    let mut options = ReadOptions { skip_times: true, ..ReadOptions::new("f", 1 << 20) };
    let loaded = read(EdgeList, &mut text.as_bytes(), &mut options).unwrap();
    assert_eq!(loaded.notes, ["the times after the weights are skipped"]);
    let Data::Graph(graph) = loaded.data else { panic!("a graph") };
    assert_eq!(arcs(&graph), [(0, 1, 7), (1, 2, 8)]);
}

#[test]
fn tables_are_told_apart_from_edge_lists() {
    for text in ["Id\tA\tB\n1\t537\t228\n", "\"Id\",\"A\"\n1,2\n"] {
        let error = load(EdgeList, text.as_bytes()).unwrap_err();
        assert_eq!((error.line, error.column), (Some(1), Some(1)));
        assert!(error.notes[0].contains("edge list"), "{error:?}");
        assert!(error.help[0].contains("`.csv`"), "{error:?}");
    }
}

#[test]
fn other_numbers_are_compacted_and_kept_as_labels() {
    let huge = u64::MAX;
    for (text, labels) in [
        ("7 5\n9 7\n".to_owned(), vec![5, 7, 9]),
        ("6 5\n7 6\n".to_owned(), vec![5, 6, 7]),
        ("2 0\n3 2\n".to_owned(), vec![0, 2, 3]),
        (format!("7 5\n{huge} 7\n"), vec![5, 7, huge]),
    ] {
        let (graph, warnings) = graph(EdgeList, &text);
        assert_eq!(arcs(&graph), [(1, 0, 1), (2, 1, 1)], "{text}");
        assert_eq!((graph.n_vertices, graph.labels), (3, Some(labels)));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("the 3 distinct numbers"), "{warnings:?}");
    }
}

#[test]
fn separators_are_blanks_tabs_or_one_comma() {
    let plain = graph(EdgeList, "0 1 -7\n1 0 8\n");
    assert!(plain.0.weighted);
    for text in ["0\t1\t-7\r\n1\t0\t8", "0,1,-7\n1,0,8\n", "# c\n 0 , 1 ,\t-7 \n% c\n\n1 0,+8"] {
        assert_eq!(graph(EdgeList, text), plain, "{text:?}");
    }
}

#[test]
fn snap_counts_are_checked_with_a_warning() {
    let comment = "# Nodes: 2 Edges: 1\n# FromNodeId\tToNodeId\n";
    assert!(graph(EdgeList, &format!("{comment}0\t1\n")).1.is_empty());
    let (_, warnings) = graph(EdgeList, &format!("{comment}0\t1\n1\t2\n"));
    assert_eq!(warnings, ["a comment announces 2 nodes and 1 edge, the file has 3 and 2"]);
}

#[test]
fn own_comment_fixes_the_number_of_vertices() {
    let (graph, warnings) = graph(EdgeList, "# vertices 5, arcs 1, numbered from 1\n2 3\n");
    assert_eq!((graph.n_vertices, arcs(&graph)), (5, vec![(1, 2, 1)]));
    assert!(graph.labels.is_none() && warnings.is_empty());
    let (empty, _) = crate::support::graph(EdgeList, "# vertices 0, arcs 0, numbered from 1\n");
    assert_eq!(empty.n_vertices, 0);
}

#[test]
fn repeated_edges_and_loops_are_reported() {
    let (graph, warnings) = graph(EdgeList, "1 0\n0 1\n0 1\n1 1\n0 0\n");
    assert_eq!(graph.n_edges(), 5);
    assert_eq!(warnings, ["1 parallel arc: stored as one bit in a table", "2 loops are kept"]);
}

#[test]
fn bad_inputs_are_rejected_at_their_place() {
    let own = |rest: &str| format!("# vertices 2, arcs 1, numbered from 1\n{rest}").into_bytes();
    let long = [&b"0 1\n0 "[..], &[b'7'; 1000]].concat();
    refuses(
        EdgeList,
        &[
            (b"", Truncated, 1, 1, "no edge"),
            (b"# only\n# comments\n", Truncated, 3, 1, "no edge"),
            (b"from,to\n", BadFormat, 1, 1, "`from,to` is not a whole number"),
            (b"0\n", BadFormat, 1, 2, "the second vertex"),
            (b"0,\n", BadFormat, 1, 3, "the second vertex"),
            (b"0 1\n2", Truncated, 2, 2, "the second vertex"),
            (b"0 1 2\n0 1 ,", Truncated, 2, 6, "the weight"),
            (b"0 1,", Truncated, 1, 5, "the weight"),
            (b"0,,1\n", BadFormat, 1, 3, "`,1` is not a whole number"),
            (b"0;1\n", BadFormat, 1, 1, "`0;1` is not a whole number"),
            (b"-1 2\n", OutOfRange, 1, 1, "`-1` is negative"),
            (b"0 1\n0 -2\n", OutOfRange, 2, 3, "`-2` is negative"),
            (b"0 18446744073709551616\n", OutOfRange, 1, 3, "exceeds 64 bits"),
            (b"0 1 0.5x\n", BadFormat, 1, 5, "`0.5x` is not a whole number"),
            (b"0 1 0.5\n1 0 2.x\n", BadFormat, 2, 5, "`2.x` is not a number"),
            (b"0 1\n0 1 2\n", BadFormat, 2, 5, "3 fields in a line, expected 2 as in"),
            (b"0 1 2\n0 1\n", BadFormat, 2, 4, "2 fields in a line, expected 3 as in"),
            (b"0 1 2 3\n", BadFormat, 1, 7, "expected the end of the line, found `3`"),
            (b"0 1 9223372036854775808\n", OutOfRange, 1, 5, "exceeds 63 bits"),
            (b"0 \0\n", BadFormat, 1, 3, "`\\u{0}` is not"),
            (b"\xff 1\n", BadFormat, 1, 1, "is not a whole number"),
            (b"0 1\r2 3\n", BadFormat, 1, 4, "carriage return inside a line"),
            (&own("0 1\n"), OutOfRange, 2, 1, "the first vertex is 0"),
            (&own("1 3\n"), OutOfRange, 2, 3, "`3` exceeds the 2 vertices"),
            (&own(""), Truncated, 2, 1, "after 0 of the 1 entry"),
            (&own("1 2\n2 1\n"), HeaderLies, 3, 1, "an entry after the 1"),
            (&long, OutOfRange, 2, 3, "7777777777…`"),
        ],
    );
}

#[test]
fn arcs_are_usable_without_non_integer_weights() {
    for (format, text, line) in [
        (EdgeList, "0 1 3\n1 2 1.261404\n2 0 -4e-3\n", 2),
        (Dimacs, "p sp 3 3\na 1 2 3\na 2 3 1.261404\na 3 1 7\n", 3),
        (Metis, "3 2 1\n2 1.261404\n1 1.261404 3 5\n2 5\n", 2),
    ] {
        let (graph, warnings) = graph(format, text);
        assert!(!graph.weighted && graph.arcs.iter().all(|arc| arc.weight == 1), "{graph:?}");
        let told = format!("without weights: `1.261404` is not a whole number in line {line}");
        assert!(warnings[0].contains(&told) && warnings[0].contains("`scale=100`"), "{warnings:?}");
        for layout in [Layout::Adjacency, Layout::Left, Layout::Incidence, Layout::Edges] {
            let widths = layout.least_widths(&graph).unwrap();
            lay_out(layout, &graph, widths, 1 << 20, "f").unwrap();
        }
        for layout in [Layout::WeightsOut, Layout::SignedOut, Layout::Weight, Layout::Arcs] {
            let refused =
                lay_out(layout, &graph, Widths { h: 30, b: 3 }, 1 << 20, "f").unwrap_err();
            assert_eq!((refused.code, refused.line), (BadFormat, Some(line)), "{refused}");
            assert_eq!(layout.least_widths(&graph).unwrap_err(), refused);
        }
        let mut options = ReadOptions::new("f", 1 << 20);
        options.scale = Decimal::parse_positive("1000000");
        let scaled = read(format, &mut text.as_bytes(), &mut options).unwrap();
        let Data::Graph(scaled) = scaled.data else { panic!("no graph") };
        assert!(scaled.weighted && scaled.no_weights.is_none());
        assert!(scaled.arcs.iter().any(|arc| arc.weight == 1_261_404), "{scaled:?}");
    }
}
