//! Components by disjoint sets (Tarjan 1975) in the form of Patwary, Blair, Manne 2010: the greater
//! root is linked to the smaller one, so a root is the first vertex of its set, in any order of the
//! arcs and on any number of threads.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::{CHUNK, GroupedArcs};
use crate::environment::{Ended, Environment, install};
use crate::reserved;

impl GroupedArcs<u32> {
    /// Bytes that [`GroupedArcs::components`] needs.
    pub fn component_bytes(n: usize) -> u64 {
        (n as u64).saturating_mul(8).saturating_add(1 << 12)
    }

    /// The code of the first vertex in the component of each vertex.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn components(&self, environment: &dyn Environment) -> Result<Vec<u32>, Ended> {
        let mut parents: Vec<AtomicU32> = reserved(self.n)?;
        parents.extend((0..self.n as u32).map(AtomicU32::new));
        let n_chunks = self.n.div_ceil(CHUNK);
        let is_alone = environment.threads() == 1 || n_chunks < 8;
        let join = |chunk: usize| {
            environment.poll()?;
            for tail in chunk * CHUNK..self.n.min((chunk + 1) * CHUNK) {
                for &head in self.of(tail as u32) {
                    let above_tail = parents[tail].load(Ordering::Relaxed);
                    if above_tail == parents[head as usize].load(Ordering::Relaxed) {
                        continue;
                    }
                    if is_alone {
                        link_alone(&parents, tail as u32, head);
                    } else {
                        link(&parents, tail as u32, head);
                    }
                }
            }
            Ok(())
        };
        if is_alone {
            (0..n_chunks).try_for_each(join)?;
        } else {
            install(environment, || (0..n_chunks).into_par_iter().try_for_each(join))?;
        }
        // The parent of a vertex comes before it.
        let mut labels: Vec<u32> = reserved(self.n)?;
        for (vertex, parent) in parents.iter().enumerate() {
            let parent = parent.load(Ordering::Relaxed) as usize;
            labels.push(if parent == vertex { vertex as u32 + 1 } else { labels[parent] });
        }
        Ok(labels)
    }
}

/// Joins the sets of two vertices on one thread, by splicing the paths to the roots (Rem 1976, in
/// Dijkstra 1976).
fn link_alone(parents: &[AtomicU32], one: u32, other: u32) {
    let parent = |vertex: u32| parents[vertex as usize].load(Ordering::Relaxed);
    let (mut one, mut other) = (one, other);
    loop {
        let (mut above_one, mut above_other) = (parent(one), parent(other));
        if above_one == above_other {
            return;
        }
        if above_one < above_other {
            (one, above_one, other, above_other) = (other, above_other, one, above_one);
        }
        parents[one as usize].store(above_other, Ordering::Relaxed);
        if one == above_one {
            return;
        }
        one = above_one;
    }
}

/// Joins the sets of two vertices.
fn link(parents: &[AtomicU32], one: u32, other: u32) {
    let (mut one, mut other) = (one, other);
    loop {
        (one, other) = (root(parents, one), root(parents, other));
        if one == other {
            return;
        }
        let (first, last) = (one.min(other), one.max(other));
        let linked = parents[last as usize].compare_exchange(
            last,
            first,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        if linked.is_ok() {
            return;
        }
    }
}

/// The root of a set, with path halving. A concurrent link only replaces a root by a smaller one.
fn root(parents: &[AtomicU32], mut vertex: u32) -> u32 {
    loop {
        let parent = parents[vertex as usize].load(Ordering::Relaxed);
        if parent == vertex {
            return vertex;
        }
        let above = parents[parent as usize].load(Ordering::Relaxed);
        if above == parent {
            return parent;
        }
        parents[vertex as usize].store(above, Ordering::Relaxed);
        vertex = above;
    }
}
