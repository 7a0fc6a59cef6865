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
    let labelled = Graph { labels: Some(vec![10, 20, 30, 40]), ..graph.clone() };
    let wide = Widths { h: 20, b: 3 };
    let cases = [
        (Layout::WeightsIn, &graph, Widths { h: 3, ..wide }, Code::WidthTooSmall, "`3 → 4`"),
        (Layout::Weight, &labelled, Widths { h: 0, ..wide }, Code::WidthTooSmall, "`30 → 40`"),
        (Layout::Left, &graph, Widths { b: 2, ..wide }, Code::WidthTooSmall, "vertex 4"),
        (Layout::Code, &graph, Widths { b: 0, ..wide }, Code::WidthTooSmall, "vertex 4"),
        (Layout::CodeDouble, &graph, wide, Code::WidthTooSmall, "cycle 8"),
        (Layout::SignedOut, &graph, Widths { h: 4, ..wide }, Code::WidthTooSmall, "`3 → 4`"),
        (Layout::SignedOut, &negative, Widths { h: 3, ..wide }, Code::WidthTooSmall, "-5"),
        (Layout::Arcs, &negative, wide, Code::OutOfRange, "-5 of the arc `2 → 3`"),
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
