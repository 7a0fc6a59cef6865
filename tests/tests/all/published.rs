//! The source's listings and figures as they stand.

use star_tests::run::Program;
use star_tests::table;
use star_vm::{HostValue, Reference};

/// Listings 1 and 2 of source 001, letter by letter.
const WARSHALL: &str = include_str!("../../programs/published/warshall.star");

fn close(name: &str, n: i64, graph: &star_base::BitTable) -> star_base::BitTable {
    let program = Program::new(WARSHALL);
    let args = vec![HostValue::Int(n), HostValue::Table(graph.clone())];
    match program.run(&Reference::new(), name, args).done().pop() {
        Some(HostValue::Table(table)) => table,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_listings_agree_after_every_vertex() {
    let graph = table(&["010000", "001000", "000100", "100010", "000001", "000000"]);
    for n in 0..=6 {
        assert_eq!(close("WARSHALL", n, &graph), close("WARSHALL-C", n, &graph), "n = {n}");
    }
    assert_eq!(close("WARSHALL", 0, &graph), graph);
    let closed = close("WARSHALL", 6, &graph);
    assert_eq!(closed, table(&["111111", "111111", "111111", "111111", "000001", "000000"]));
}
