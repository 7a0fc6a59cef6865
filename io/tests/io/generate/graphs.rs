//! Uniform random graphs and R-MAT.

use star_io::Graph;
use star_io::generate::{Density, GraphKind, Labels, Repeats, Rmat, UniformGraph};

use super::{is_simple, near, options, uniform};

const KINDS: [GraphKind; 3] = [GraphKind::Directed, GraphKind::Undirected, GraphKind::Acyclic];
const RMAT: Rmat = Rmat {
    n_vertices: 1 << 10,
    n_arcs: 1 << 14,
    corners: [0.57, 0.19, 0.19],
    repeats: Repeats::Kept,
    labels: Labels::InOrder,
    max_weight: None,
};

#[test]
fn gnm_has_exactly_the_given_number_of_arcs() {
    for kind in KINDS {
        for n_vertices in [1, 2, 3, 65, 300] {
            let most = uniform(n_vertices, Density::Arcs(0), kind).max_arcs();
            for n_arcs in [0, most / 1000, most / 3, most / 2, most - most / 5, most] {
                let graph = uniform(n_vertices, Density::Arcs(n_arcs), kind);
                let graph = graph.generate(&mut options(n_arcs)).unwrap();
                assert_eq!(graph.n_edges() as u64, n_arcs);
                assert_eq!(graph.n_vertices as u64, n_vertices);
                assert_eq!(graph.symmetric, kind == GraphKind::Undirected);
                is_simple(&graph);
            }
        }
    }
}

#[test]
fn gnp_has_the_expected_number_of_arcs() {
    for kind in KINDS {
        for probability in [0.0, 0.0001, 0.1, 0.5, 0.99, 1.0] {
            let parameters = uniform(700, Density::Probability(probability), kind);
            let graph = parameters.generate(&mut options(4)).unwrap();
            is_simple(&graph);
            let n = parameters.max_arcs() as f64;
            let deviation = (n * probability * (1.0 - probability)).sqrt();
            near(graph.n_edges() as f64, n * probability, deviation);
        }
    }
}

#[test]
fn arcs_are_evenly_distributed_over_tails_and_heads() {
    for density in [Density::Probability(0.02), Density::Arcs(19_900), Density::Arcs(900_000)] {
        let graph = uniform(1000, density, GraphKind::Directed).generate(&mut options(8)).unwrap();
        let share = graph.n_edges() as f64 / 999_000.0;
        let deviation = (999.0 * share * (1.0 - share)).sqrt();
        let (mut outs, mut ins) = (vec![0.0; 1000], vec![0.0; 1000]);
        for arc in &graph.arcs {
            outs[arc.tail as usize] += 1.0;
            ins[arc.head as usize] += 1.0;
        }
        outs.iter().chain(&ins).for_each(|&degree| near(degree, 999.0 * share, deviation));
    }
}

#[test]
fn large_sparse_graph_needs_memory_only_for_its_arcs() {
    let n_vertices = u64::from(u32::MAX);
    for kind in KINDS {
        let graph = uniform(n_vertices, Density::Probability(1e-16), kind);
        let made = graph.generate(&mut options(1)).unwrap();
        let mean = graph.max_arcs() as f64 * 1e-16;
        near(made.n_edges() as f64, mean, mean.sqrt());
        let graph = uniform(n_vertices, Density::Arcs(3000), kind);
        let made = graph.generate(&mut options(1)).unwrap();
        assert_eq!(made.n_edges(), 3000);
        is_simple(&made);
    }
}

/// Repeatedly removes vertices without incoming arcs; a cycle would remain.
fn is_acyclic(graph: &Graph) -> bool {
    let mut n_into = vec![0; graph.n_vertices];
    let mut heads = vec![Vec::new(); graph.n_vertices];
    for arc in &graph.arcs {
        n_into[arc.head as usize] += 1;
        heads[arc.tail as usize].push(arc.head as usize);
    }
    let mut free: Vec<usize> = (0..graph.n_vertices).filter(|&v| n_into[v] == 0).collect();
    let mut n_removed = 0;
    while let Some(vertex) = free.pop() {
        n_removed += 1;
        for &head in &heads[vertex] {
            n_into[head] -= 1;
            if n_into[head] == 0 {
                free.push(head);
            }
        }
    }
    n_removed == graph.n_vertices
}

#[test]
fn acyclic_graphs_have_no_cycle_under_any_numbering() {
    for density in [Density::Probability(0.05), Density::Arcs(3000)] {
        let in_order = uniform(200, density, GraphKind::Acyclic);
        let graph = in_order.generate(&mut options(2)).unwrap();
        assert!(graph.arcs.iter().all(|arc| arc.tail < arc.head));
        let shuffled = UniformGraph { labels: Labels::Shuffled, ..in_order };
        let graph = shuffled.generate(&mut options(2)).unwrap();
        let n_back = graph.arcs.iter().filter(|arc| arc.tail > arc.head).count();
        assert!(n_back > graph.n_edges() / 4 && is_acyclic(&graph));
        is_simple(&graph);
    }
    let cyclic = uniform(200, Density::Arcs(3000), GraphKind::Directed);
    assert!(!is_acyclic(&cyclic.generate(&mut options(2)).unwrap()), "the test sees cycles");
}

#[test]
fn weights_are_uniform_and_do_not_change_arcs() {
    let plain = uniform(100, Density::Arcs(6000), GraphKind::Directed);
    let without = plain.generate(&mut options(5)).unwrap();
    assert!(!without.weighted && without.arcs.iter().all(|arc| arc.weight == 1));
    let weighted = UniformGraph { max_weight: Some(6), ..plain };
    let graph = weighted.generate(&mut options(5)).unwrap();
    assert!(graph.weighted);
    let ends = |graph: &Graph| -> Vec<(u32, u32)> {
        graph.arcs.iter().map(|arc| (arc.tail, arc.head)).collect()
    };
    assert_eq!(ends(&graph), ends(&without));
    for weight in 1..=6 {
        let n_arcs = graph.arcs.iter().filter(|arc| arc.weight == weight).count();
        near(n_arcs as f64, 1000.0, (6000.0f64 * 5.0 / 36.0).sqrt());
    }
    let greatest = UniformGraph { max_weight: Some(i64::MAX), ..plain };
    let graph = greatest.generate(&mut options(5)).unwrap();
    assert!(graph.arcs.iter().all(|arc| arc.weight >= 1) && graph.max_weight() > i64::MAX / 2);
}

#[test]
fn rmat_fills_quarters_by_their_probabilities() {
    let graph = RMAT.generate(&mut options(6)).unwrap();
    assert_eq!(graph.n_edges() as u64, RMAT.n_arcs);
    let n = RMAT.n_arcs as f64;
    // The first division, and the second one inside a quarter.
    for (shift, mean) in [(9, n), (8, n * 0.57)] {
        let [mut counts, mut n_inside] = [[0.0; 4], [0.0; 4]];
        for arc in graph.arcs.iter().filter(|arc| (arc.tail | arc.head) >> shift <= 1) {
            counts[((arc.tail >> shift) * 2 + (arc.head >> shift)) as usize] += 1.0;
            n_inside[0] += 1.0;
        }
        near(n_inside[0], mean, (mean * (1.0 - mean / n)).sqrt());
        for (count, share) in counts.into_iter().zip([0.57, 0.19, 0.19, 0.05]) {
            near(count, n_inside[0] * share, (n_inside[0] * share * (1.0 - share)).sqrt());
        }
    }
}

#[test]
fn rmat_without_repeats_is_simple_with_the_same_arcs() {
    let kept = RMAT.generate(&mut options(6)).unwrap();
    let dropped = Rmat { repeats: Repeats::Dropped, ..RMAT }.generate(&mut options(6)).unwrap();
    is_simple(&dropped);
    let mut expected: Vec<(u32, u32)> =
        kept.arcs.iter().map(|arc| (arc.tail, arc.head)).filter(|(a, b)| a != b).collect();
    expected.sort_unstable();
    expected.dedup();
    let found: Vec<(u32, u32)> = dropped.arcs.iter().map(|arc| (arc.tail, arc.head)).collect();
    assert!(found == expected && found.len() < kept.n_edges());
    let shuffled = Rmat { labels: Labels::Shuffled, ..RMAT }.generate(&mut options(6)).unwrap();
    let mut degrees = [vec![0; 1 << 10], vec![0; 1 << 10]];
    for (graph, degrees) in [&kept, &shuffled].into_iter().zip(&mut degrees) {
        graph.arcs.iter().for_each(|arc| degrees[arc.tail as usize] += 1);
    }
    assert_ne!(degrees[0], degrees[1]);
    degrees.iter_mut().for_each(|degrees| degrees.sort_unstable());
    assert_eq!(degrees[0], degrees[1]);
}

#[test]
fn rmat_accepts_any_number_of_vertices_and_any_corner() {
    for n_vertices in [1, 2, 3, 5, 1000, 1025] {
        for corners in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25; 3], [0.5, 0.3, 0.2]] {
            let rmat = Rmat { n_vertices, n_arcs: 3000, corners, ..RMAT };
            let graph = rmat.generate(&mut options(6)).unwrap();
            let ends = graph.arcs.iter().flat_map(|arc| [arc.tail, arc.head]);
            assert!(ends.clone().all(|vertex| u64::from(vertex) < n_vertices));
            if corners == [0.25; 3] && n_vertices > 1 {
                assert!(
                    (0..n_vertices.min(5)).all(|v| ends.clone().any(|end| u64::from(end) == v))
                );
            }
        }
    }
}
