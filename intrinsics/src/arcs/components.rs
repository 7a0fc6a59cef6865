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
        let parents = self.parents(environment)?;
        // The parent of a vertex comes before it.
        let mut labels: Vec<u32> = reserved(self.n)?;
        for (vertex, parent) in parents.into_iter().enumerate() {
            let is_root = parent as usize == vertex;
            labels.push(if is_root { parent + 1 } else { labels[parent as usize] });
        }
        Ok(labels)
    }

    /// Returns the parents of all vertices, which come before them; those of first vertices are
    /// themselves.
    fn parents(&self, environment: &dyn Environment) -> Result<Vec<u32>, Ended> {
        match environment.threads() == 1 || self.n < 8 * CHUNK {
            true => self.parents_alone(environment),
            false => self.parents_on_threads(environment),
        }
    }

    /// Does so on this thread. The root of the tail is known from arc to arc.
    fn parents_alone(&self, environment: &dyn Environment) -> Result<Vec<u32>, Ended> {
        let mut parents: Vec<u32> = reserved(self.n)?;
        parents.extend(0..self.n as u32);
        for tail in 0..self.n as u32 {
            if (tail as usize).is_multiple_of(CHUNK) {
                environment.poll()?;
            }
            let heads = self.of(tail);
            if heads.is_empty() {
                continue;
            }
            let mut first = crate::root(&mut parents, tail);
            for &head in heads {
                // Most arcs are inside of a set.
                if parents[head as usize] == first {
                    continue;
                }
                let other = crate::root(&mut parents, head);
                if other < first {
                    parents[first as usize] = other;
                    first = other;
                } else {
                    parents[other as usize] = first;
                }
            }
            parents[tail as usize] = first;
        }
        Ok(parents)
    }

    /// Does the same on the threads of the environment.
    fn parents_on_threads(&self, environment: &dyn Environment) -> Result<Vec<u32>, Ended> {
        let mut parents: Vec<AtomicU32> = reserved(self.n)?;
        parents.extend((0..self.n as u32).map(AtomicU32::new));
        let join = |chunk: usize| {
            environment.poll()?;
            for tail in chunk * CHUNK..self.n.min((chunk + 1) * CHUNK) {
                for &head in self.of(tail as u32) {
                    link(&parents, tail as u32, head);
                }
            }
            Ok(())
        };
        let n_chunks = self.n.div_ceil(CHUNK);
        install(environment, || (0..n_chunks).into_par_iter().try_for_each(join))?;
        Ok(parents.into_iter().map(AtomicU32::into_inner).collect())
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

/// Like [`crate::root`]. A concurrent link only replaces a root by a smaller one.
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
