//! Minimum spanning trees of lists of edges (Kruskal 1956 with the disjoint sets of Tarjan 1975;
//! Prim 1957).
//!
//! Edges are chosen by weight, those of equal weight by number, so the tree is that of the Star
//! bodies, which choose the first of equal edges.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::environment::{Ended, InterruptPoller};
use crate::{filled, has, put, reserved, root};

/// Edges between two polls.
const POLL_EDGES: usize = 256;

/// Bits of the number of buckets of weights.
const BUCKET_BITS: u32 = 11;

/// An edge with its position in the list.
#[derive(Clone, Copy, Default)]
struct Edge {
    left: u32,
    right: u32,
    weight: u32,
    idx: u32,
}

impl Edge {
    fn rank(&self) -> u64 {
        u64::from(self.weight) << 32 | u64::from(self.idx)
    }
}

/// Edges between vertices that are numbered from 0.
#[derive(Debug)]
pub struct EdgeList {
    left: Vec<u32>,
    right: Vec<u32>,
    weights: Vec<u32>,
    /// The codes of the vertices, ascending, unless the codes themselves are used as numbers.
    codes: Option<Vec<u32>>,
    n_vertices: usize,
}

impl EdgeList {
    /// The maximum number of edges.
    pub const MOST_EDGES: usize = u32::MAX as usize;

    /// Bytes of a list of `m` edges with its trees, including the codes from which it is built.
    pub fn n_bytes(m: usize) -> u64 {
        // Three numbers and two codes of an edge, its entry in the order, two arcs, and numbers
        // and marks of up to four vertices; buckets.
        (m as u64).saturating_mul(3 * 4 + 2 * 4 + 16 + 2 * 4 + 4 * 5).saturating_add(1 << 14)
    }

    /// Edges between the vertices of these codes.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn new(
        mut left: Vec<u32>,
        mut right: Vec<u32>,
        weights: Vec<u32>,
        code_width: usize,
    ) -> Result<Self, Ended> {
        let n_codes = 1_u64 << code_width;
        // If there are few possible codes, they are used as numbers.
        if n_codes <= 4 * (left.len() as u64 + 64) {
            let n_vertices = n_codes as usize;
            return Ok(EdgeList { left, right, weights, codes: None, n_vertices });
        }
        let mut codes = reserved(2 * left.len())?;
        codes.extend(left.iter().chain(&right).copied());
        codes.sort_unstable();
        codes.dedup();
        for end in left.iter_mut().chain(&mut right) {
            // Every code is in the list.
            *end = codes.partition_point(|code| code < end) as u32;
        }
        let n_vertices = codes.len();
        Ok(EdgeList { left, right, weights, codes: Some(codes), n_vertices })
    }

    /// The number of the vertex of a code, or `None` if no edge ends there.
    pub fn vertex(&self, code: u32) -> Option<u32> {
        match &self.codes {
            None => Some(code),
            Some(codes) => codes.binary_search(&code).ok().map(|vertex| vertex as u32),
        }
    }

    /// The sort key of an edge: its weight, then its number.
    fn rank(&self, edge: usize) -> u64 {
        u64::from(self.weights[edge]) << 32 | edge as u64
    }

    /// The marked edges, without loops.
    fn edges(&self, among: &[u64]) -> impl Iterator<Item = usize> {
        (0..self.left.len())
            .filter(move |edge| has(among, *edge) && self.left[*edge] != self.right[*edge])
    }

    /// Marks a minimum spanning forest of the edges that are marked in `among`.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn kruskal(
        &self,
        among: &[u64],
        tree: &mut [u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let (starts, mut order, shift) = self.by_weight(among, poller)?;
        let mut ends = filled(self.n_vertices.div_ceil(64), 0)?;
        for edges in order.chunks(POLL_EDGES) {
            poller.spend(4 * POLL_EDGES)?;
            for edge in edges {
                put(&mut ends, edge.left as usize);
                put(&mut ends, edge.right as usize);
            }
        }
        // A connected graph has a tree of one edge less.
        let n_ends: usize = ends.iter().map(|limb| limb.count_ones() as usize).sum();
        let mut n_left = n_ends.saturating_sub(1);
        let mut parents: Vec<u32> = reserved(self.n_vertices)?;
        parents.extend(0..self.n_vertices as u32);
        for bucket in starts.windows(2) {
            let bucket = &mut order[bucket[0] as usize..bucket[1] as usize];
            if n_left == 0 {
                break;
            }
            if shift > 0 {
                poller.spend(8 * bucket.len())?;
                bucket.sort_unstable_by_key(|edge| edge.rank());
            }
            for edges in bucket.chunks(POLL_EDGES) {
                poller.spend(4 * POLL_EDGES)?;
                for edge in edges {
                    let left = root(&mut parents, edge.left);
                    let right = root(&mut parents, edge.right);
                    if left != right {
                        parents[left.max(right) as usize] = left.min(right);
                        put(tree, edge.idx as usize);
                        n_left -= 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// The marked edges, without loops, in buckets of weights that share all but the last bits; the
    /// starts of the buckets, and the number of these bits. In a bucket, edges ascend.
    fn by_weight(
        &self,
        among: &[u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(Vec<u32>, Vec<Edge>, u32), Ended> {
        let most = self.weights.iter().copied().max().unwrap_or(0);
        let shift = (u32::BITS - most.leading_zeros()).saturating_sub(BUCKET_BITS);
        let bucket = |edge: usize| (self.weights[edge] >> shift) as usize;
        let mut starts: Vec<u32> = filled((most >> shift) as usize + 3, 0)?;
        poller.spend(self.left.len() / 8)?;
        self.edges(among).for_each(|edge| starts[bucket(edge) + 2] += 1);
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let n_edges = starts.last().copied().unwrap_or(0) as usize;
        let mut order = filled(n_edges, Edge::default())?;
        poller.spend(self.left.len() / 8)?;
        for idx in self.edges(among) {
            let place = &mut starts[bucket(idx) + 1];
            let (left, right, weight) = (self.left[idx], self.right[idx], self.weights[idx]);
            order[*place as usize] = Edge { left, right, weight, idx: idx as u32 };
            *place += 1;
        }
        starts.pop();
        Ok((starts, order, shift))
    }

    /// Marks a minimum spanning tree of the component of a vertex, using the edges that are marked
    /// in `among`.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn prim(
        &self,
        among: &[u64],
        start: u32,
        tree: &mut [u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let (starts, edges) = self.incidence(among)?;
        let mut in_tree = filled(self.n_vertices.div_ceil(64), 0)?;
        // An edge is inserted when the first of its ends joins the tree.
        let mut queue = BinaryHeap::from(reserved::<Reverse<u64>>(self.left.len())?);
        let mut next = Some(start);
        while let Some(vertex) = next {
            put(&mut in_tree, vertex as usize);
            let vertex = vertex as usize;
            let at_vertex = &edges[starts[vertex] as usize..starts[vertex + 1] as usize];
            poller.spend(4 + 8 * at_vertex.len())?;
            for &edge in at_vertex {
                if self.outer_end(edge as usize, &in_tree).is_some() {
                    queue.push(Reverse(self.rank(edge as usize)));
                }
            }
            next = None;
            while let Some(Reverse(rank)) = queue.pop() {
                let edge = rank as u32 as usize;
                next = self.outer_end(edge, &in_tree);
                if next.is_some() {
                    put(tree, edge);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The end of an edge that is not in the tree, if the other one is.
    fn outer_end(&self, edge: usize, in_tree: &[u64]) -> Option<u32> {
        let [left, right] = [self.left[edge], self.right[edge]];
        match [left, right].map(|end| has(in_tree, end as usize)) {
            [true, false] => Some(right),
            [false, true] => Some(left),
            [true, true] | [false, false] => None,
        }
    }

    /// The edges at each vertex, without loops, and the start of those of each vertex.
    fn incidence(&self, among: &[u64]) -> Result<(Vec<u32>, Vec<u32>), Ended> {
        let mut starts: Vec<u32> = filled(self.n_vertices + 2, 0)?;
        let ends = |edge: usize| [self.left[edge] as usize, self.right[edge] as usize];
        for edge in self.edges(among) {
            for end in ends(edge) {
                starts[end + 2] += 1;
            }
        }
        for vertex in 2..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let n_ends = starts.last().copied().unwrap_or(0) as usize;
        let mut edges: Vec<u32> = filled(n_ends, 0)?;
        for edge in self.edges(among) {
            for end in ends(edge) {
                edges[starts[end + 1] as usize] = edge as u32;
                starts[end + 1] += 1;
            }
        }
        Ok((starts, edges))
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;

    use super::*;
    use crate::tests::Plain;

    /// Adds the least edge with one end in the tree repeatedly; for a forest, from each vertex in
    /// turn.
    fn grown(edges: &[(u32, u32, u32)], among: &[bool], start: u32, found: &mut [bool]) {
        let mut inside = vec![start];
        loop {
            let crosses = |(left, right, _): &(u32, u32, u32)| {
                inside.contains(left) != inside.contains(right)
            };
            let crossing = (0..edges.len()).filter(|edge| among[*edge] && crosses(&edges[*edge]));
            let Some(edge) = crossing.min_by_key(|edge| (edges[*edge].2, *edge)) else { return };
            found[edge] = true;
            inside.extend([edges[edge].0, edges[edge].1]);
        }
    }

    fn marks(bits: &[bool]) -> Vec<u64> {
        let mut limbs = vec![0; bits.len().div_ceil(64)];
        (0..bits.len()).filter(|at| bits[*at]).for_each(|at| put(&mut limbs, at));
        limbs
    }

    #[test]
    fn trees_equal_those_grown_by_the_least_edge() {
        let (mut random, environment) = (Random::new(1956), Plain::default());
        // Codes are used as numbers if they are few, and listed otherwise.
        for (n, m, width) in
            [(1, 0, 1), (3, 5, 2), (20, 30, 5), (60, 200, 6), (40, 90, 32), (9, 130, 20)]
        {
            for most in [1, 5, 1000] {
                let spread = |vertex: usize| {
                    (vertex as u32).wrapping_mul(0x0765_4321) & (u32::MAX >> (32 - width))
                };
                let name = |vertex: usize| if width < 10 { vertex as u32 } else { spread(vertex) };
                let mut end = || name(random.below(n));
                let ends: Vec<(u32, u32)> = (0..m).map(|_| (end(), end())).collect();
                let edges: Vec<(u32, u32, u32)> = ends
                    .iter()
                    .map(|(left, right)| (*left, *right, random.below(most) as u32))
                    .collect();
                let among: Vec<bool> = (0..m).map(|_| random.below(10) > 0).collect();
                let list = EdgeList::new(
                    edges.iter().map(|edge| edge.0).collect(),
                    edges.iter().map(|edge| edge.1).collect(),
                    edges.iter().map(|edge| edge.2).collect(),
                    width,
                )
                .unwrap();
                assert_eq!(list.codes.is_none(), width < 9);
                let mut poller = InterruptPoller::new(&environment);
                let mut forest = vec![false; m];
                for start in (0..n).map(name) {
                    let mut expected = vec![false; m];
                    grown(&edges, &among, start, &mut expected);
                    forest.iter_mut().zip(&expected).for_each(|(all, one)| *all |= one);
                    let mut tree = vec![0; m.div_ceil(64)];
                    if let Some(start) = list.vertex(start) {
                        list.prim(&marks(&among), start, &mut tree, &mut poller).unwrap();
                    }
                    assert_eq!(tree, marks(&expected), "{edges:?} from {start}");
                }
                let mut tree = vec![0; m.div_ceil(64)];
                list.kruskal(&marks(&among), &mut tree, &mut poller).unwrap();
                assert_eq!(tree, marks(&forest), "{edges:?}");
            }
        }
    }
}
