//! The source's listings and figures, verbatim.

use star_tests::case::Random;
use star_tests::run::{Program, done};
use star_tests::{bits, table};
use star_value::{BitTable, Table, Value};

/// Listings 1 and 2 of source 001, verbatim.
const WARSHALL: &str = include_str!("../../programs/published/warshall.star");

/// The seed of the random graphs.
const SEED: u64 = 2016;

fn listings() -> Program {
    Program::new(WARSHALL)
}

fn close(listings: &Program, name: &str, n: usize, graph: &BitTable) -> BitTable {
    let args = vec![Value::Int(n as i64), Value::from(graph.clone())];
    match done(listings.run(name, args)).pop() {
        Some(Value::Table(Table::Columns(table))) => table,
        other => panic!("{other:?}"),
    }
}

fn random_graph(random: &mut Random, n: usize, percent: usize) -> BitTable {
    let mut graph = BitTable::zeros(n, n).expect("small");
    for row in 0..n {
        for column in 0..n {
            graph.put(row, column, random.chance(percent));
        }
    }
    graph
}

/// Computes Warshall's algorithm on bits: after `n` steps, a path is known if its inner vertices
/// are among the first `n`.
fn closure(graph: &BitTable, n: usize) -> BitTable {
    let mut closed = graph.clone();
    for k in 0..n {
        for i in 0..graph.n_rows() {
            for j in 0..graph.n_cols() {
                if closed.get(i, k) && closed.get(k, j) {
                    closed.put(i, j, true);
                }
            }
        }
    }
    closed
}

#[test]
fn both_listings_agree_after_every_vertex() {
    let listings = listings();
    let graph = table(&["010000", "001000", "000100", "100010", "000001", "000000"]);
    for n in 0..=6 {
        assert_eq!(
            close(&listings, "WARSHALL", n, &graph),
            close(&listings, "WARSHALL-C", n, &graph),
            "n = {n}"
        );
    }
    assert_eq!(close(&listings, "WARSHALL", 0, &graph), graph);
    let closed = close(&listings, "WARSHALL", 6, &graph);
    assert_eq!(closed, table(&["111111", "111111", "111111", "111111", "000001", "000000"]));
}

/// Proposition 1, with the closure computed on bits as an independent result.
#[test]
fn both_listings_are_warshalls_algorithm_after_every_vertex() {
    let listings = listings();
    let mut random = Random::new(SEED);
    for (n, densities) in [
        (0, &[50][..]),
        (1, &[0, 100]),
        (2, &[50, 50]),
        (5, &[10, 30, 60]),
        (12, &[3, 8, 15, 40]),
        (31, &[2, 5]),
        (32, &[3]),
        (33, &[3]),
        (63, &[1, 3]),
        (64, &[2]),
        (65, &[1, 4]),
    ] {
        for &percent in densities {
            let graph = random_graph(&mut random, n, percent);
            for k in 0..=n {
                let expected = closure(&graph, k);
                let case = format!("n = {n}, {percent} %, k = {k}");
                assert_eq!(close(&listings, "WARSHALL", k, &graph), expected, "{case}");
                assert_eq!(close(&listings, "WARSHALL-C", k, &graph), expected, "{case}");
            }
        }
    }
}

#[test]
fn closing_twice_changes_nothing_and_keeps_every_arc() {
    let listings = listings();
    let mut random = Random::new(SEED);
    for n in [1, 7, 20, 63, 64, 65, 128, 129] {
        for percent in [1, 5, 30] {
            let graph = random_graph(&mut random, n, percent);
            for name in ["WARSHALL", "WARSHALL-C"] {
                let closed = close(&listings, name, n, &graph);
                assert_eq!(close(&listings, name, n, &closed), closed, "{name} {n} {percent}");
                for row in 0..n {
                    let lost =
                        (0..n).find(|&column| graph.get(row, column) && !closed.get(row, column));
                    assert_eq!(lost, None, "{name} {n} {percent} row {row}");
                }
            }
        }
    }
}

#[test]
fn more_vertices_than_table_rows_trap() {
    let listings = listings();
    let graph = table(&["01", "10"]);
    for name in ["WARSHALL", "WARSHALL-C"] {
        let args = vec![Value::Int(3), Value::from(graph.clone())];
        let run = listings.run(name, args);
        let end = star_tests::case::ending(&listings, &run);
        assert!(end.starts_with("T0101 "), "{end}");
        assert!(end.contains("index 3 outside 1..2"), "{end}");
        assert_eq!(run.values[1], Value::from(closure(&graph, 2)));
    }
}

#[test]
fn figure_4_matches_rows_3_and_5() {
    let program = Program::new(
        "procedure FIGURE4(T: table; X: slice; v: word; var Z: slice); begin MATCH(T,X,v,Z) end;",
    );
    let args = vec![
        Value::from(table(&["1010", "0011", "1011", "1011", "1011", "1010"])),
        Value::Slice(bits("101011")),
        Value::Word(bits("1011")),
        Value::Unset,
    ];
    let run = program.run("FIGURE4", args);
    assert_eq!(done(run).pop(), Some(Value::Slice(bits("001010"))));
}

#[test]
fn figure_5_is_unchanged_when_k_is_repeated() {
    // The state after k = 2; column 2 is X, row 2 is w.
    let state = table(&["001000", "101000", "111001", "111000", "001000", "000110"]);
    assert_eq!(state.column(1), bits("001100"));
    assert_eq!(state.row(1), bits("101000"));
    let program = Program::new(
        "procedure BY-ROWS(k: integer; var P: table);
         var X: slice(P); v,w: word; i: integer;
         begin
           X:=COL(k,P); w:=ROW(k,P);
           print(X); print(w);
           while SOME(X) do begin i:=STEP(X); v:=ROW(i,P); v:=v or w; ROW(i,P):=v end
         end;
         procedure BY-COLUMNS(k: integer; var P: table);
         var x: word; V,W: slice; i: integer;
         begin
           x:=ROW(k,P); W:=COL(k,P); i:=STEP(x);
           while i>0 do begin V:=COL(i,P); V:=V or W; COL(i,P):=V; i:=STEP(x) end
         end;",
    );
    for name in ["BY-ROWS", "BY-COLUMNS"] {
        let args = vec![Value::Int(2), Value::from(state.clone())];
        let run = program.run(name, args);
        if name == "BY-ROWS" {
            assert_eq!(run.printed, "001100\n101000\n");
        }
        assert_eq!(done(run).pop(), Some(Value::from(state.clone())), "{name}");
    }
}
