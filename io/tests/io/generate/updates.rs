//! Update streams: every operation is valid when it is executed, and the shares are respected.

use std::collections::BTreeSet;

use star_io::generate::{Density, GraphKind, Shares, UpdateStream};
use star_io::{Graph, Numbers, Update};

use super::{near, options, uniform};

pub(super) const SHARES: Shares = Shares { insert: 3, delete: 2, change: 1, vertices: 1, ask: 2 };

/// The initial graph of the streams.
pub(super) fn start(kind: GraphKind) -> Graph {
    let graph = uniform(30, Density::Arcs(60), kind);
    graph.generate(&mut options(5)).expect("small enough")
}

fn updates(numbers: &Numbers) -> Vec<Update> {
    let record = |row: usize| std::array::from_fn(|idx| numbers.fields[idx].values[row]);
    let updates = (0..numbers.shape.n_records()).map(|row| Update::of_record(record(row)));
    updates.map(|update| update.expect("an operation")).collect()
}

fn stream(start: &Graph, undirected: bool, shares: Shares, max_weight: Option<i64>) -> Vec<Update> {
    let stream = UpdateStream { start, undirected, n_operations: 9000, shares, max_weight };
    updates(&stream.generate(&mut options(3)).expect("small enough"))
}

#[test]
fn every_operation_is_valid_when_executed() {
    for (kind, undirected) in [(GraphKind::Directed, false), (GraphKind::Undirected, true)] {
        let graph = start(kind);
        let key = |tail: u32, head: u32| match undirected {
            true => (tail.max(head), tail.min(head)),
            false => (tail, head),
        };
        let mut arcs: BTreeSet<(u32, u32)> =
            graph.arcs.iter().map(|arc| key(arc.tail + 1, arc.head + 1)).collect();
        let mut alive: BTreeSet<u32> = (1..=30).collect();
        let mut counts = [0; 9];
        let stream = stream(&graph, undirected, SHARES, Some(7));
        assert_eq!((stream.len(), stream[0]), (9001, Update::Nothing));
        for update in &stream[1..] {
            counts[update.record()[0] as usize] += 1;
            match *update {
                Update::Nothing => panic!("a line without an operation"),
                Update::InsertArc { tail, head, weight } => {
                    assert!(alive.contains(&tail) && alive.contains(&head) && tail != head);
                    assert!(arcs.insert(key(tail, head)) && (1..=7).contains(&weight));
                }
                Update::DeleteArc { tail, head } => assert!(arcs.remove(&key(tail, head))),
                Update::SetWeight { tail, head, weight } => {
                    assert!(arcs.contains(&key(tail, head)) && (1..=7).contains(&weight));
                }
                Update::InsertVertex(vertex) => assert!(alive.insert(vertex)),
                Update::DeleteVertex(vertex) => {
                    assert!(alive.remove(&vertex));
                    arcs.retain(|&(tail, head)| tail != vertex && head != vertex);
                }
                Update::AskPair(first, second) => {
                    assert!(alive.contains(&first) && alive.contains(&second));
                }
                Update::AskVertex(vertex) => assert!(alive.contains(&vertex)),
                Update::AskAll => {}
            }
        }
        near(f64::from(counts[1]), 3000.0, 45.0);
        let of_vertices = counts[4] + counts[5];
        near(f64::from(of_vertices), 1000.0, 30.0);
        near(f64::from(counts[6]), 1000.0, 30.0);
        assert!(counts[1..].iter().all(|&count| count > 0), "{counts:?}");
    }
}

#[test]
fn only_operations_with_a_share_occur() {
    let graph = start(GraphKind::Directed);
    let growth = Shares { insert: 1, delete: 0, change: 0, vertices: 0, ask: 0 };
    // The number of pairs is limited; after that, queries replace insertions.
    let updates = stream(&graph, false, growth, None);
    let n_inserted = updates.iter().filter(|u| matches!(u, Update::InsertArc { .. })).count();
    assert_eq!(n_inserted, 30 * 29 - 60);
    assert!(updates.iter().all(|update| update.record()[3] <= 1));
    let bare = Graph { n_vertices: 1, ..Graph::default() };
    let all = stream(&bare, true, SHARES, Some(1));
    assert!(all.iter().all(|update| !matches!(update, Update::InsertArc { .. })));
}
