//! Jobs on graphs by petgraph, rustworkx-core and bit-matrix, and closure by hand.

use std::convert::Infallible;

use petgraph::algo::{dijkstra, floyd_warshall, min_spanning_tree, min_spanning_tree_prim};
use petgraph::graph::{EdgeReference, Graph as Network, NodeIndex};
use petgraph::unionfind::UnionFind;
use petgraph::visit::{Bfs, EdgeRef};
use rustworkx_core::dictmap::DictMap;
use rustworkx_core::shortest_path;
use rustworkx_core::traversal::bfs_layers;
use star_io::Graph;
use star_value::BitTable;

use super::super::digest::{Digest, UNREACHABLE};
use super::super::failure::Failure;
use super::super::job::Job;
use super::super::peer_args::PeerArgs;
use super::super::read::{matrix_of, network_of};
use super::super::side::Steps;
use super::{Opened, nothing_for, steps};
use crate::closure::{matrix, transposed, warshall};
use crate::instance::{node, peer, tree_weight, undirected_peer};

pub(super) fn petgraph(job: Job, given: &PeerArgs) -> Result<Opened, Failure> {
    let work = match job {
        Job::Floyd => {
            let (graph, n) = directed(given)?;
            steps(
                move || floyd_warshall(&graph, |arc| *arc.weight()),
                move |found| {
                    let of = |pair: usize| {
                        let ends = (node((pair / n) as u32), node((pair % n) as u32));
                        let length = found.as_ref().ok().and_then(|found| found.get(&ends));
                        length.map_or(UNREACHABLE, |&length| length_or_none(length))
                    };
                    Digest::of((0..n * n).map(of))
                },
            )
        }
        Job::Paths | Job::ArcPaths => {
            let (graph, n) = directed(given)?;
            let source = source(given)?;
            steps(
                move || dijkstra(&graph, source, None, |arc| *arc.weight()),
                move |found| {
                    let of = |x| found.get(&node(x)).map_or(UNREACHABLE, |&length| length as u64);
                    Digest::of((0..n as u32).map(of))
                },
            )
        }
        Job::Levels | Job::ArcLevels => {
            let (graph, n) = directed(given)?;
            let source = source(given)?;
            let inner = graph.clone();
            steps(
                move || {
                    let mut search = Bfs::new(&inner, source);
                    let mut order = Vec::new();
                    while let Some(vertex) = search.next(&inner) {
                        order.push(vertex);
                    }
                    order
                },
                move |order| Digest::of(levels(&graph, order, n)),
            )
        }
        Job::Components => {
            let (graph, n) = directed(given)?;
            let sets = move || {
                let mut sets = UnionFind::<u32>::new(n);
                for arc in graph.edge_references() {
                    sets.union(arc.source().index() as u32, arc.target().index() as u32);
                }
                sets.into_labeling()
            };
            steps(sets, |labels: &Vec<u32>| Digest::of(first_members(labels)))
        }
        Job::Kruskal => {
            let graph = undirected_peer(&network_of(given)?);
            steps(move || tree_weight(min_spanning_tree(&graph)), of_weight)
        }
        Job::Prim => {
            let graph = undirected_peer(&network_of(given)?);
            steps(move || tree_weight(min_spanning_tree_prim(&graph)), of_weight)
        }
        Job::Closure
        | Job::Branching
        | Job::Match
        | Job::Less
        | Job::Least
        | Job::Add
        | Job::Sum
        | Job::Three
        | Job::Select
        | Job::Rank
        | Job::Median
        | Job::Hist
        | Job::Groups
        | Job::Join
        | Job::Among
        | Job::Wave => return Err(nothing_for(given)),
    };
    Ok(Opened { version: "0.8", conditions: "", work })
}

pub(super) fn rustworkx_core(job: Job, given: &PeerArgs) -> Result<Opened, Failure> {
    let work = match job {
        Job::Paths | Job::ArcPaths => {
            let (graph, n) = directed(given)?;
            let source = source(given)?;
            let lengths = move || -> DictMap<NodeIndex, i64> {
                let weight = |arc: EdgeReference<'_, i64>| Ok::<i64, Infallible>(*arc.weight());
                let Ok(found) = shortest_path::dijkstra(&graph, source, None, weight, None);
                found
            };
            steps(lengths, move |found: &DictMap<NodeIndex, i64>| {
                let of = |x| found.get(&node(x)).map_or(UNREACHABLE, |&length| length as u64);
                Digest::of((0..n as u32).map(of))
            })
        }
        Job::Levels | Job::ArcLevels => {
            let (graph, n) = directed(given)?;
            let source = source(given)?;
            steps(
                move || bfs_layers(&graph, [source]),
                move |layers: &Vec<Vec<NodeIndex>>| {
                    let mut levels = vec![UNREACHABLE; n];
                    for (level, layer) in layers.iter().enumerate() {
                        layer.iter().for_each(|vertex| levels[vertex.index()] = level as u64);
                    }
                    Digest::of(levels)
                },
            )
        }
        Job::Closure
        | Job::Floyd
        | Job::Components
        | Job::Kruskal
        | Job::Prim
        | Job::Branching
        | Job::Match
        | Job::Less
        | Job::Least
        | Job::Add
        | Job::Sum
        | Job::Three
        | Job::Select
        | Job::Rank
        | Job::Median
        | Job::Hist
        | Job::Groups
        | Job::Join
        | Job::Among
        | Job::Wave => return Err(nothing_for(given)),
    };
    Ok(Opened { version: "0.18", conditions: "", work })
}

pub(super) fn bit_matrix(job: Job, given: &PeerArgs) -> Result<Opened, Failure> {
    if job != Job::Closure {
        return Err(nothing_for(given));
    }
    let table = matrix_of(given)?;
    let n = table.n_rows();
    let rows = matrix(&table);
    let work = Box::new(Steps {
        prepare: move || rows.clone(),
        work: |mut rows: bit_matrix::BitMatrix<u64>| {
            rows.transitive_closure();
            rows
        },
        digest: move |rows| {
            // Columns, as ours has them.
            let mut closed =
                BitTable::zeros(n, n).unwrap_or_else(|_| BitTable::from_columns(0, &[]));
            for row in 0..closed.n_rows() {
                for (col, _) in rows.iter_row(row).take(n).enumerate().filter(|(_, bit)| *bit) {
                    closed.put(row, col, true);
                }
            }
            Digest::of_columns(&closed)
        },
        last: None,
    });
    Ok(Opened { version: "0.10", conditions: "blocks of 64 bits", work })
}

pub(super) fn by_hand(job: Job, given: &PeerArgs) -> Result<Opened, Failure> {
    if job != Job::Closure {
        return Err(nothing_for(given));
    }
    let rows = transposed(&matrix_of(given)?);
    let work = Box::new(Steps {
        prepare: move || rows.clone(),
        work: |mut rows: BitTable| {
            warshall(&mut rows);
            rows
        },
        digest: |rows| Digest::of_columns(&transposed(rows)),
        last: None,
    });
    let conditions =
        "Warshall on packed rows with the kernels of ours; the corner transpose is not in its time";
    Ok(Opened { version: "", conditions, work })
}

/// The graph, and the number of its vertices.
fn directed(given: &PeerArgs) -> Result<(Network<(), i64>, usize), Failure> {
    let graph: Graph = network_of(given)?;
    Ok((peer(&graph), graph.n_vertices))
}

/// The first vertex with the label of each, from 1.
fn first_members(labels: &[u32]) -> Vec<u64> {
    let mut first = vec![0; labels.len()];
    let code = |(vertex, label): (usize, &u32)| {
        let first = &mut first[*label as usize];
        *first = if *first == 0 { vertex as u64 + 1 } else { *first };
        *first
    };
    labels.iter().enumerate().map(code).collect()
}

fn source(given: &PeerArgs) -> Result<NodeIndex, Failure> {
    let source: u32 = given.number("source")?;
    Ok(node(source.saturating_sub(1)))
}

fn of_weight(weight: &i64) -> Digest {
    Digest::of([*weight as u64])
}

/// The greatest number stands for "no path".
fn length_or_none(length: i64) -> u64 {
    if length == i64::MAX { UNREACHABLE } else { length as u64 }
}

/// The level of every vertex, from the order in which breadth-first search comes to them: one more
/// than the least of those that an arc comes from.
fn levels(graph: &Network<(), i64>, order: &[NodeIndex], n: usize) -> Vec<u64> {
    let mut levels = vec![UNREACHABLE; n];
    for (idx, &vertex) in order.iter().enumerate() {
        if idx == 0 {
            levels[vertex.index()] = 0;
        }
        for arc in graph.edges(vertex) {
            let next = levels[vertex.index()].saturating_add(1);
            let level = &mut levels[arc.target().index()];
            *level = (*level).min(next);
        }
    }
    levels
}
