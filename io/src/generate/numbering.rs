//! Renumbering and weights of the arcs of a generated graph.

use super::pacer::Pacer;
use super::random::{Purpose, Random};
use crate::error::Fault;
use crate::graph::{Arc, Graph};

/// The numbering of the vertices of a generated graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// In the order of the generator.
    #[default]
    InOrder,
    /// By a random permutation, so that the numbers carry no information about the shape.
    Shuffled,
}

impl Labels {
    /// Bytes that [`finish`] needs for `n_vertices`.
    pub(super) fn bytes(self, n_vertices: u64) -> u128 {
        match self {
            Labels::InOrder => 0,
            Labels::Shuffled => u128::from(n_vertices) * 4,
        }
    }
}

/// Numbers the vertices and draws weights from 1 to `max_weight`.
pub(super) fn finish(
    graph: &mut Graph,
    labels: Labels,
    max_weight: Option<i64>,
    pacer: &mut Pacer<'_, '_>,
) -> Result<(), Fault> {
    match labels {
        Labels::InOrder => {}
        Labels::Shuffled => shuffle(graph, pacer)?,
    }
    if let Some(max_weight) = max_weight {
        let mut random = Random::new(pacer.seed(), Purpose::Weights);
        for arc in &mut graph.arcs {
            arc.weight = 1 + random.below(max_weight.unsigned_abs()) as i64;
            pacer.step()?;
        }
    }
    graph.weighted = max_weight.is_some();
    Ok(())
}

/// Permutes the vertices, all permutations equally likely (Fisher and Yates).
fn shuffle(graph: &mut Graph, pacer: &mut Pacer<'_, '_>) -> Result<(), Fault> {
    let n_vertices = graph.n_vertices as u64;
    let mut random = Random::new(pacer.seed(), Purpose::Labels);
    let mut numbers: Vec<u32> = pacer.reserved(n_vertices)?;
    for vertex in 0..n_vertices {
        // Each new vertex is swapped with a random earlier one or stays.
        let other = random.below(vertex + 1) as usize;
        numbers.push(vertex as u32);
        numbers.swap(vertex as usize, other);
        pacer.step()?;
    }
    let symmetric = graph.symmetric;
    for arc in &mut graph.arcs {
        let (tail, head) = (numbers[arc.tail as usize], numbers[arc.head as usize]);
        *arc = if symmetric {
            Arc { tail: tail.max(head), head: tail.min(head), weight: arc.weight }
        } else {
            Arc { tail, head, weight: arc.weight }
        };
        pacer.step()?;
    }
    Ok(())
}
