//! Graphs as lists of arcs: tables with a row for each arc, and the arcs grouped by their tails.
//!
//! * `components`: union of disjoint sets, straight from the tables.
//! * `levels`: breadth-first search. `paths`: shortest paths.
//! * `order`: strong components and topological orders.

mod components;
mod levels;
mod order;
mod paths;

use std::sync::atomic::{AtomicBool, Ordering};

use star_base::BitTable;

pub use components::JoinedVertices;
pub use order::TopologicalOrder;
pub use paths::{Distances, Tree};

use crate::environment::{Ended, Environment};
use crate::numbers::read_table;
use crate::{filled, has};

/// No vertex.
const NONE: u32 = u32::MAX;

/// Arcs between two polls.
const POLL_ARCS: usize = 1 << 16;

/// Arcs as tables with a row for each arc. The code of a vertex is its number, from 1.
#[derive(Clone, Copy, Debug)]
pub struct ArcTables<'t> {
    /// The number of vertices.
    pub n: usize,
    /// The codes of the tails.
    pub left: &'t BitTable,
    /// The codes of the heads.
    pub right: &'t BitTable,
    /// Marks the rows that are arcs.
    pub among: &'t [u64],
}

/// Arcs between vertices that are numbered from 0.
#[derive(Debug)]
pub struct ArcList {
    n: usize,
    /// The tail of each row; [`NONE`] if it is no arc.
    tails: Vec<u32>,
    heads: Vec<u32>,
    /// Empty without weights.
    weights: Vec<u32>,
    max_weight: u32,
}

/// The arcs that leave each vertex.
#[derive(Debug)]
struct Adjacency<End> {
    /// The start of the arcs of each vertex, and the end of the last ones.
    starts: Vec<u32>,
    ends: Vec<End>,
}

impl ArcTables<'_> {
    /// The maximum number of rows: both directions of an arc are counted in 32 bits.
    pub const MOST_ROWS: usize = (u32::MAX / 2) as usize;

    /// Makes numbers of the codes in rows from `row` on; returns whether all are those of vertices.
    /// Rows without an arc get [`NONE`].
    fn number(&self, row: usize, codes: &mut [u32]) -> bool {
        let mut greatest = 0;
        for (limb, codes) in self.among[row / 64..].iter().zip(codes.chunks_mut(64)) {
            if limb.count_ones() as usize == codes.len() {
                for code in codes {
                    *code = code.wrapping_sub(1);
                    greatest = greatest.max(*code);
                }
            } else {
                for (place, code) in codes.iter_mut().enumerate() {
                    *code = if limb >> place & 1 == 1 {
                        greatest = greatest.max(code.wrapping_sub(1));
                        code.wrapping_sub(1)
                    } else {
                        NONE
                    };
                }
            }
        }
        codes.is_empty() || (greatest as usize) < self.n || self.is_free(row, codes.len())
    }

    /// Returns whether no row among these is an arc.
    fn is_free(&self, row: usize, n_rows: usize) -> bool {
        self.among[row / 64..(row + n_rows).div_ceil(64)].iter().all(|limb| *limb == 0)
    }

    /// Reads the arcs; `None` if one ends at no vertex.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn read(&self, environment: &dyn Environment) -> Result<Option<ArcList>, Ended> {
        let is_valid = AtomicBool::new(true);
        let numbers = |table| {
            read_table(table, environment, |row, codes| {
                if !self.number(row, codes) {
                    is_valid.store(false, Ordering::Relaxed);
                }
            })
        };
        let (tails, heads) = (numbers(self.left)?, numbers(self.right)?);
        let list = ArcList { n: self.n, tails, heads, weights: Vec::new(), max_weight: 0 };
        Ok(is_valid.into_inner().then_some(list))
    }

    /// Reads the arcs with their weights; `None` if one ends at no vertex, or has a weight of
    /// `1 << most_bits` or more, or of more than 32 bits.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn read_weighted(
        &self,
        weight: &BitTable,
        most_bits: usize,
        environment: &dyn Environment,
    ) -> Result<Option<ArcList>, Ended> {
        let n_high = weight.n_cols().saturating_sub(most_bits.min(u32::BITS as usize));
        for column in 0..n_high {
            environment.poll()?;
            let limbs = weight.column_limbs(column).iter().zip(self.among);
            if limbs.into_iter().any(|(limb, among)| limb & among != 0) {
                return Ok(None);
            }
        }
        let Some(mut list) = self.read(environment)? else { return Ok(None) };
        list.weights = read_table(weight, environment, |_, _| ())?;
        let weights = (0..).zip(&list.weights);
        list.max_weight = match self.is_whole() {
            true => list.weights.iter().copied().max().unwrap_or(0),
            false => {
                let marked = weights.filter(|(row, _)| has(self.among, *row));
                marked.map(|(_, weight)| *weight).max().unwrap_or(0)
            }
        };
        Ok(Some(list))
    }

    /// Returns whether every row is an arc.
    fn is_whole(&self) -> bool {
        let n_ones: usize = self.among.iter().map(|limb| limb.count_ones() as usize).sum();
        n_ones == self.left.n_rows()
    }
}

impl ArcList {
    /// Bytes of a list of `m` arcs, and of a search on `n` vertices: the tails, heads and weights,
    /// the arcs of each vertex in one or both directions, their entries in buckets, and numbers of
    /// vertices.
    pub fn n_bytes(n: usize, m: usize, both: bool) -> u64 {
        let n_ends = (m as u64).saturating_mul(if both { 2 } else { 1 });
        (m as u64)
            .saturating_mul(3 * 4)
            .saturating_add(n_ends.saturating_mul(8 + 8))
            .saturating_add((n as u64).saturating_mul(48))
            .saturating_add(1 << 20)
    }

    /// The number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.n
    }

    /// Returns whether every row is an arc and the tails ascend.
    fn is_by_tail(&self) -> bool {
        self.tails.is_sorted() && self.tails.last().is_none_or(|tail| *tail != NONE)
    }

    /// Groups the arcs by their tails, in order; with `both`, each also by its head. `end` makes
    /// what is stored of a row, from the other end and the row.
    fn by_tail<End: Copy + Default>(
        &self,
        both: bool,
        end: impl Fn(u32, usize) -> End,
        environment: &dyn Environment,
    ) -> Result<Adjacency<End>, Ended> {
        let mut starts: Vec<u32> = filled(self.n + 2, 0)?;
        for (tails, heads) in self.tails.chunks(POLL_ARCS).zip(self.heads.chunks(POLL_ARCS)) {
            environment.poll()?;
            for tail in tails.iter().filter(|tail| **tail != NONE) {
                starts[*tail as usize + 2] += 1;
            }
            for head in heads.iter().filter(|head| both && **head != NONE) {
                starts[*head as usize + 2] += 1;
            }
        }
        for vertex in 2..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let n_ends = starts.last().copied().unwrap_or(0) as usize;
        let mut ends = filled(n_ends, End::default())?;
        if !both && self.is_by_tail() {
            let rows = self.heads.iter().enumerate();
            ends.iter_mut().zip(rows).for_each(|(to, (row, head))| *to = end(*head, row));
            starts.remove(0);
            return Ok(Adjacency { starts, ends });
        }
        let mut row = 0;
        for (tails, heads) in self.tails.chunks(POLL_ARCS).zip(self.heads.chunks(POLL_ARCS)) {
            environment.poll()?;
            for (&tail, &head) in tails.iter().zip(heads) {
                if tail != NONE {
                    let place = &mut starts[tail as usize + 1];
                    ends[*place as usize] = end(head, row);
                    *place += 1;
                    if both {
                        let place = &mut starts[head as usize + 1];
                        ends[*place as usize] = end(tail, row);
                        *place += 1;
                    }
                }
                row += 1;
            }
        }
        starts.pop();
        Ok(Adjacency { starts, ends })
    }
}

impl<End> Adjacency<End> {
    #[inline]
    fn of(&self, vertex: u32) -> &[End] {
        let vertex = vertex as usize;
        &self.ends[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

#[cfg(test)]
mod tests;
