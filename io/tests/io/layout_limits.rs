//! Widths of layouts, and graphs that do not fit in them.

use star_base::Code;
use star_io::{Arc, Graph, Layout, Widths, lay_out};

use crate::layouts::{number, table};
use crate::support::{BUDGET, check_wording};

#[test]
fn least_widths_are_minimal() {
    for n in 0..200 {
        for heaviest in [0, 1, 2, 7, 100, 1 << 40] {
            let arc = Arc { tail: 0, head: 0, weight: heaviest };
            let graph = Graph { n_vertices: n, arcs: vec![arc], ..Graph::default() };
            let b = graph.code_width();
            assert!(n < 1 << b && (b == 0 || n >= 1 << (b - 1)));
            let longest = 2 * (n as u128).saturating_sub(1).max(1) * heaviest as u128;
            let fits = |h: usize| longest < (1u128 << h) - 1;
            let h = graph.path_width().unwrap();
            assert!(fits(h) && (h == 1 || !fits(h - 1)), "n = {n}, {heaviest}: {h}");
            let farthest = (n * n) as u128 * heaviest as u128;
            for weight in [heaviest, -heaviest] {
                let arcs = vec![Arc { tail: 0, head: 0, weight }];
                let signed = Graph { arcs, ..graph.clone() };
                let h = signed.signed_width().unwrap();
                assert!(farthest < 1 << (h - 2), "n = {n}, {weight}: {h}");
                assert!(h == 2 || farthest >= 1 << (h - 3), "n = {n}, {weight}: {h}");
            }
            let least = |layout: Layout| layout.least_widths(&graph).unwrap();
            assert_eq!(least(Layout::Distances), Widths { h, b: 0 });
            assert_eq!(least(Layout::SignedOut).h, graph.signed_width().unwrap());
            assert_eq!(least(Layout::Code).b, b);
            let doubled = least(Layout::CodeDouble).b;
            assert_eq!(doubled, if n == 0 { 0 } else { b + 1 });
            let listed = least(Layout::Arcs).h;
            assert!((heaviest as u128) < (1 << listed) - 1 && listed <= h.max(1));
        }
    }
    assert_eq!(Graph::default().path_width().unwrap(), 1);
}

#[test]
fn wide_numbers_have_leading_zeros() {
    let arc = Arc { tail: 0, head: 1, weight: i64::MAX };
    let graph = Graph { n_vertices: 2, arcs: vec![arc], ..Graph::default() };
    let widths = Widths { h: graph.path_width().unwrap() + 60, b: 70 };
    let weights = table(Layout::Weight, &graph, widths);
    assert_eq!(number(&weights, 0, widths.h - 64, 64), i64::MAX as u64);
    assert_eq!(number(&weights, 0, 0, widths.h - 64), 0);
    let left = table(Layout::Left, &graph, widths);
    assert_eq!((left.count_ones(), left.get(0, 69)), (1, true));
}

#[test]
fn oversized_values_are_rejected_by_name() {
    let arc = |tail, head, weight| Arc { tail, head, weight };
    let graph = Graph { n_vertices: 4, arcs: vec![arc(0, 1, 3), arc(2, 3, 7)], ..Graph::default() };
    let negative = Graph { arcs: vec![arc(1, 2, -5)], ..graph.clone() };
    let outside = Graph { arcs: vec![arc(1, 4, 5)], ..graph.clone() };
    let labelled =
        Graph { names: Some(star_io::VertexNames::Numbers(vec![10, 20, 30, 40])), ..graph.clone() };
    let wide = Widths { h: 20, b: 3 };
    let cases = [
        (Layout::WeightsIn, &graph, Widths { h: 3, ..wide }, Code::WidthTooSmall, "`3 → 4`"),
        (Layout::Weight, &labelled, Widths { h: 0, ..wide }, Code::WidthTooSmall, "`30 → 40`"),
        (Layout::Left, &graph, Widths { b: 2, ..wide }, Code::WidthTooSmall, "vertex 4"),
        (Layout::Code, &graph, Widths { b: 0, ..wide }, Code::WidthTooSmall, "vertex 4"),
        (Layout::CodeDouble, &graph, wide, Code::WidthTooSmall, "cycle 8"),
        (Layout::SignedOut, &graph, Widths { h: 4, ..wide }, Code::WidthTooSmall, "`3 → 4`"),
        (Layout::SignedOut, &negative, Widths { h: 3, ..wide }, Code::WidthTooSmall, "-5"),
        (Layout::WeightsIn, &negative, wide, Code::OutOfRange, "-5 of the arc `2 → 3`"),
        (Layout::Tails, &outside, wide, Code::OutOfRange, "`2 → 5`"),
        (Layout::Distances, &graph, Widths { h: 1 << 40, ..wide }, Code::DoesNotFit, "32.0 TiB"),
        (Layout::Arcs, &graph, Widths { h: usize::MAX, ..wide }, Code::DoesNotFit, "1.0 GiB"),
        (Layout::Code, &graph, Widths { b: usize::MAX, ..wide }, Code::DoesNotFit, "1.0 GiB"),
    ];
    for (layout, graph, widths, code, part) in cases {
        let error = lay_out(layout, graph, widths, BUDGET, "f").unwrap_err();
        assert_eq!((error.code, error.file.as_str()), (code, "f"), "{error}");
        assert!(error.to_string().contains(part), "{error}");
        check_wording(&error);
    }
    assert!(lay_out(Layout::Adjacency, &negative, Widths { h: 0, b: 0 }, BUDGET, "f").is_ok());
    let error = lay_out(Layout::Weight, &graph, Widths { h: 3, b: 0 }, BUDGET, "f").unwrap_err();
    assert_eq!(error.help, ["use `h = 4` or more"]);
    assert!(lay_out(Layout::Weight, &graph, Widths { h: 4, b: 0 }, BUDGET, "f").is_ok());
    let second = Graph { arcs: vec![arc(0, 1, 3), arc(1, 2, -5)], ..graph };
    let error = second.path_width().unwrap_err();
    assert_eq!(error.code, Code::OutOfRange);
    assert_eq!(error.notes[0], "it is arc 2 of 2, in file order");
}

#[test]
fn lists_store_negative_weights_less_the_smallest_one() {
    let graph = |weights: &[i64]| {
        let arcs = weights.iter().map(|&weight| Arc { tail: 0, head: 1, weight }).collect();
        Graph { n_vertices: 2, arcs, ..Graph::default() }
    };
    for (weights, offset, stored) in [
        (&[-3, 1, 2][..], -3, &["000", "100", "101"][..]),
        // The greatest number is infinity, as without negative weights.
        (&[-3, 3], -3, &["000", "110"]),
        (&[-3, 4], -3, &["0000", "0111"]),
        (&[-7, -7], -7, &["0", "0"]),
        (&[2, 1], 0, &["10", "01"]),
        (&[], 0, &[]),
    ] {
        let graph = graph(weights);
        assert_eq!(graph.weight_offset(), offset, "{weights:?}");
        let widths = Layout::Weight.least_widths(&graph).unwrap();
        let table = table(Layout::Weight, &graph, widths);
        let rows: Vec<String> = (0..weights.len()).map(|row| table.row(row).to_string()).collect();
        assert_eq!(rows, stored, "{weights:?}");
        let h = widths.h.checked_sub(1).filter(|_| !weights.is_empty());
        if let Some(h) = h {
            let error = lay_out(Layout::Weight, &graph, Widths { h, b: 0 }, BUDGET, "f");
            assert_eq!(error.unwrap_err().code, Code::WidthTooSmall, "{weights:?}");
        }
    }
    let extreme = graph(&[i64::MIN, i64::MAX]);
    let widths = Layout::Arcs.least_widths(&extreme).unwrap();
    assert_eq!((widths.h, extreme.weight_offset()), (65, i64::MIN));
    let arcs = table(Layout::Arcs, &extreme, widths);
    assert_eq!(number(&arcs, 1, 2 * widths.b + 1, 64), u64::MAX);
}
