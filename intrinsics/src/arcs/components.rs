//! Components by disjoint sets (Tarjan 1975) in the form of Patwary, Blair, Manne 2010: the greater
//! root is linked to the smaller one, so a root is the first vertex of its set, in any order of the
//! arcs and on any number of threads.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::{ArcTables, CHUNK, columns_of};
use crate::environment::{Ended, Environment, install};
use crate::reserved;
use crate::transpose::{ROWS, read_blocks};

/// The vertices with the first vertex of the component of each.
#[derive(Debug)]
pub struct JoinedVertices {
    /// The code of the first vertex of the component of each vertex.
    pub labels: Vec<u32>,
}

impl JoinedVertices {
    /// Bytes that [`JoinedVertices::find`] needs.
    pub fn n_bytes(n: usize) -> u64 {
        (n as u64).saturating_mul(8).saturating_add(1 << 20)
    }

    /// Finds the components; `None` if an arc ends at no vertex.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn find(
        arcs: &ArcTables<'_>,
        environment: &dyn Environment,
    ) -> Result<Option<Self>, Ended> {
        let mut parents: Vec<AtomicU32> = reserved(arcs.n)?;
        parents.extend((0..arcs.n as u32).map(AtomicU32::new));
        let [left, right] = [arcs.left, arcs.right].map(columns_of);
        let n_rows = arcs.left.n_rows();
        let n_chunks = n_rows.div_ceil(CHUNK);
        let is_alone = environment.threads() == 1 || n_chunks < 8;
        let join = |chunk: usize| {
            environment.poll()?;
            let first = chunk * CHUNK;
            let len = (n_rows - first).min(CHUNK);
            let (mut tails, mut heads) = ([0; CHUNK], [0; CHUNK]);
            let (tails, heads) = (&mut tails[..len], &mut heads[..len]);
            read_blocks(&left, first / ROWS, tails);
            read_blocks(&right, first / ROWS, heads);
            if !arcs.number(first, tails) || !arcs.number(first, heads) {
                return Ok(false);
            }
            for (tail, head) in tails.iter().zip(heads) {
                // A row without an arc has two ends beyond the vertices.
                if let (Some(above_tail), Some(above_head)) =
                    (parents.get(*tail as usize), parents.get(*head as usize))
                    && above_tail.load(Ordering::Relaxed) != above_head.load(Ordering::Relaxed)
                {
                    if is_alone {
                        link_alone(&parents, *tail, *head);
                    } else {
                        link(&parents, *tail, *head);
                    }
                }
            }
            Ok(true)
        };
        let all_valid = if is_alone {
            let mut all = true;
            for chunk in 0..n_chunks {
                all &= join(chunk)?;
            }
            all
        } else {
            install(environment, || {
                (0..n_chunks).into_par_iter().map(join).try_reduce(|| true, |a, b| Ok(a && b))
            })?
        };
        if !all_valid {
            return Ok(None);
        }
        // The parent of a vertex comes before it.
        let mut labels: Vec<u32> = reserved(arcs.n)?;
        for (vertex, parent) in parents.iter().enumerate() {
            let parent = parent.load(Ordering::Relaxed) as usize;
            labels.push(if parent == vertex { vertex as u32 + 1 } else { labels[parent] });
        }
        Ok(Some(JoinedVertices { labels }))
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
