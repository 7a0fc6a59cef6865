//! Graphs as lists of arcs: tables with a row for each arc, and the arcs grouped by their tails.
//!
//! * `codes`: counts of codes. `components`: union of disjoint sets.
//! * `levels`: breadth-first search. `paths`: shortest paths.
//! * `order`: strong components and topological orders. `matrix`: arcs of matrices.
//! * `shared`: searches by several processes, each of which has some of the arcs.

mod codes;
mod components;
mod levels;
mod matrix;
mod order;
mod paths;
mod shared;

use std::ops::Range;

use multiversion::multiversion;
use star_value::BitTable;

pub use codes::{count_codes, gather};
pub use order::TopologicalOrder;
pub use paths::{Distances, Tree};
pub use shared::OwnedArcs;

use crate::environment::{Ended, Environment};
use crate::numbers::{are_below, columns_of};
use crate::transpose::{ROWS, read_blocks};
use crate::{filled, reserved};

/// No vertex.
const NONE: u32 = u32::MAX;

/// Rows that are read at once, between two polls.
const CHUNK: usize = 4096;

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

/// Rows of the tables as numbers.
struct Rows<'r> {
    /// The first row.
    first: usize,
    /// The tail of each row, from 0; [`NONE`] if it is no arc.
    tails: &'r [u32],
    heads: &'r [u32],
    /// Zeros without weights.
    weights: &'r [u32],
}

/// The arcs that leave each vertex, numbered from 0: the heads, or heads and weights.
#[derive(Debug)]
pub struct GroupedArcs<End> {
    n: usize,
    both: bool,
    /// The rows that are arcs.
    among: Vec<u64>,
    max_weight: u32,
    /// The start of the arcs of each vertex, and the end of the last ones.
    starts: Vec<u32>,
    ends: Vec<End>,
}

/// A head and a weight.
pub type WeightedEnd = (u32, u32);

/// What the tail of an arc knows of it.
pub trait ArcEnd: Copy + Default {
    /// Does it know the weight?
    const HAS_WEIGHT: bool;

    /// Creates the end of an arc.
    fn new(head: u32, weight: u32) -> Self;
}

impl ArcEnd for u32 {
    const HAS_WEIGHT: bool = false;

    #[inline]
    fn new(head: u32, _weight: u32) -> u32 {
        head
    }
}

impl ArcEnd for WeightedEnd {
    const HAS_WEIGHT: bool = true;

    #[inline]
    fn new(head: u32, weight: u32) -> WeightedEnd {
        (head, weight)
    }
}

impl ArcTables<'_> {
    /// The maximum number of rows: both directions of an arc are counted in 32 bits.
    pub const MOST_ROWS: usize = (u32::MAX / 2) as usize;

    /// Visits the rows in order, a chunk at a time; false if an arc of the last chunk visited ends
    /// at no vertex.
    ///
    /// # Errors
    /// If the run is interrupted.
    fn visit(
        &self,
        weight: Option<&BitTable>,
        environment: &dyn Environment,
        each: impl FnMut(Rows<'_>),
    ) -> Result<bool, Ended> {
        self.visit_rows(0..self.left.n_rows(), weight, environment, each)
    }

    /// Does so for some rows, which begin with those of a chunk.
    fn visit_rows(
        &self,
        rows: Range<usize>,
        weight: Option<&BitTable>,
        environment: &dyn Environment,
        mut each: impl FnMut(Rows<'_>),
    ) -> Result<bool, Ended> {
        let (left, right) = (columns_of(self.left), columns_of(self.right));
        let weight = weight.map(columns_of);
        let (mut tails, mut heads, mut weights) = ([0; CHUNK], [0; CHUNK], [0; CHUNK]);
        for first in rows.clone().step_by(CHUNK) {
            environment.poll()?;
            let len = (rows.end - first).min(CHUNK);
            let (tails, heads) = (&mut tails[..len], &mut heads[..len]);
            read_blocks(&left, first / ROWS, tails);
            read_blocks(&right, first / ROWS, heads);
            let are_codes = |codes: &mut [u32]| number(self.among, self.n, first, codes);
            if !are_codes(tails) || !are_codes(heads) {
                return Ok(false);
            }
            if let Some(weight) = &weight {
                read_blocks(weight, first / ROWS, &mut weights[..len]);
            }
            each(Rows { first, tails, heads, weights: &weights[..len] });
        }
        Ok(true)
    }

    /// Groups the arcs by their tails, in order; with `both`, each also by its head. `None` if one
    /// ends at no vertex.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn group(
        &self,
        both: bool,
        environment: &dyn Environment,
    ) -> Result<Option<GroupedArcs<u32>>, Ended> {
        self.group_as(None, both, environment)
    }

    /// Does the same with the weights; `None` also if a weight is `1 << most_bits` or more, or has
    /// more than 32 bits.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn group_weighted(
        &self,
        weight: &BitTable,
        most_bits: usize,
        both: bool,
        environment: &dyn Environment,
    ) -> Result<Option<GroupedArcs<WeightedEnd>>, Ended> {
        if !are_below(weight, most_bits.min(u32::BITS as usize), self.among, environment)? {
            return Ok(None);
        }
        self.group_as(Some(weight), both, environment)
    }

    fn group_as<End: ArcEnd>(
        &self,
        weight: Option<&BitTable>,
        both: bool,
        environment: &dyn Environment,
    ) -> Result<Option<GroupedArcs<End>>, Ended> {
        let mut starts: Vec<u32> = filled(self.n + 2, 0)?;
        let is_valid = self.visit(None, environment, |rows| {
            for tail in rows.tails.iter().filter(|tail| **tail != NONE) {
                starts[*tail as usize + 2] += 1;
            }
            for head in rows.heads.iter().filter(|head| both && **head != NONE) {
                starts[*head as usize + 2] += 1;
            }
        })?;
        if !is_valid {
            return Ok(None);
        }
        for vertex in 2..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let n_ends = starts.last().copied().unwrap_or(0) as usize;
        let mut ends = filled(n_ends, End::default())?;
        let mut max_weight = 0;
        self.visit(weight, environment, |rows| {
            let arcs = rows.tails.iter().zip(rows.heads).zip(rows.weights);
            for ((&tail, &head), &weight) in arcs.filter(|((tail, _), _)| **tail != NONE) {
                max_weight = max_weight.max(weight);
                let place = &mut starts[tail as usize + 1];
                ends[*place as usize] = End::new(head, weight);
                *place += 1;
                if both {
                    let place = &mut starts[head as usize + 1];
                    ends[*place as usize] = End::new(tail, weight);
                    *place += 1;
                }
            }
        })?;
        starts.pop();
        let mut among = reserved(self.among.len())?;
        among.extend_from_slice(self.among);
        Ok(Some(GroupedArcs { n: self.n, both, among, max_weight, starts, ends }))
    }
}

/// Makes numbers of the codes in rows from `row` on; returns whether all are those of `n` vertices.
/// Rows that are not in `among` get [`NONE`].
#[multiversion(targets(
    "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn number(among: &[u64], n: usize, row: usize, codes: &mut [u32]) -> bool {
    let n_limbs = codes.len().div_ceil(64);
    let among = &among[row / 64..][..n_limbs];
    let mut greatest = 0;
    for (limb, codes) in among.iter().zip(codes.chunks_mut(64)) {
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
    (greatest as usize) < n || among.iter().all(|limb| *limb == 0)
}

impl<End> GroupedArcs<End> {
    /// Bytes for grouping `m` arcs of `n` vertices, and of the result.
    pub fn n_bytes(n: usize, m: usize, both: bool) -> u64 {
        let n_ends = (m as u64).saturating_mul(if both { 2 } else { 1 });
        n_ends
            .saturating_mul(size_of::<End>() as u64)
            .saturating_add(4 * n as u64 + m as u64 / 8)
            .saturating_add(1 << 17)
    }

    /// Bytes of a search: entries in buckets for the ends, and numbers of vertices.
    pub fn search_bytes(n: usize, m: usize, both: bool) -> u64 {
        let n_ends = (m as u64).saturating_mul(if both { 2 } else { 1 });
        n_ends
            .saturating_mul(8)
            .saturating_add((n as u64).saturating_mul(68))
            .saturating_add(1 << 19)
    }

    /// Returns whether these are the arcs in the rows `among` of the tables that were grouped,
    /// between `n` vertices; in any directions if `both` is `None`.
    pub fn is_of(&self, n: usize, both: Option<bool>, among: &[u64]) -> bool {
        self.n == n && both.is_none_or(|both| self.both == both) && self.among == among
    }

    /// Returns whether all weights are below `1 << bits`.
    pub fn fit(&self, bits: usize) -> bool {
        self.max_weight.checked_shr(bits as u32).unwrap_or(0) == 0
    }

    #[inline]
    fn of(&self, vertex: u32) -> &[End] {
        let vertex = vertex as usize;
        &self.ends[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

#[cfg(test)]
mod tests;
