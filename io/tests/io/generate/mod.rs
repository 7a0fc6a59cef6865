//! Common properties of the generators. The tests of one family are in a separate file.

mod graphs;
mod grids;
mod refusals;
mod road;
mod same_values;
mod updates;

use star_io::Graph;
use star_io::generate::{Density, GenerateOptions, GraphKind, Labels, NoisyCurve, UniformGraph};

use crate::support::BUDGET;

/// Options with a large budget.
pub(crate) fn options(seed: u64) -> GenerateOptions<'static> {
    GenerateOptions::new(seed, BUDGET)
}

/// A small image.
pub(crate) const CURVE: NoisyCurve =
    NoisyCurve { height: 90, width: 200, thickness: 5, bends: 6, line: 200, ground: 90, noise: 20 };

/// An unweighted graph with vertices in order.
pub(crate) fn uniform(n_vertices: u64, density: Density, kind: GraphKind) -> UniformGraph {
    UniformGraph { n_vertices, density, kind, labels: Labels::InOrder, max_weight: None }
}

/// Asserts that a number is within five standard deviations of its mean.
#[track_caller]
pub(crate) fn near(found: f64, mean: f64, deviation: f64) {
    assert!((found - mean).abs() <= 5.0 * deviation, "{found} instead of {mean} ± {deviation}");
}

/// Asserts that there are no loops or parallel arcs.
#[track_caller]
pub(crate) fn is_simple(graph: &Graph) {
    let ends = graph.arcs.iter().map(|arc| match graph.symmetric {
        true => (arc.tail.max(arc.head), arc.tail.min(arc.head)),
        false => (arc.tail, arc.head),
    });
    let mut ends: Vec<(u32, u32)> = ends.collect();
    assert!(ends.iter().all(|(tail, head)| tail != head), "a loop");
    ends.sort_unstable();
    assert!(ends.is_sorted_by(|a, b| a < b), "parallel arcs");
    assert!(ends.iter().all(|&(tail, head)| (tail.max(head) as usize) < graph.n_vertices));
}
