//! Searches by several processes, each of which has some of the arcs.
//!
//! * `owners`: owners and places of vertices.
//! * `levels`: breadth-first search. `paths`: shortest paths. `components`.
//!
//! Note [Shared arcs]. Each vertex has an owner, a process that gets the arcs which leave the
//! vertex and finds its result. So a process has its share of the vertices and follows its share of
//! the arcs. Sets of vertices have a bit for each place (Note [Places] in `owners`); those that all
//! processes need are the same on all of them. The results go to the processes that have the rows
//! of the vertices in the table of results.
//!
//! All processes decide alike, from numbers that are the same on all of them.

mod components;
mod levels;
mod owners;
mod paths;

use std::ops::Range;

use bytemuck::Pod;
use star_value::BitTable;

use super::{ArcEnd, ArcTables, CHUNK, GroupedArcs, NONE};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::numbers::are_below;
use crate::peers::Peers;
use crate::{filled, reserved};
use owners::Owners;

/// The arcs that leave the vertices of a process. Vertices and ends are places.
#[derive(Debug)]
pub struct OwnedArcs<End> {
    owners: Owners,
    rank: usize,
    /// The light arcs of a vertex come before the heavy ones. The greatest weight is that of all
    /// processes.
    arcs: GroupedArcs<End>,
    /// The first heavy arc of each vertex.
    heavy: Vec<u32>,
    /// The width of the buckets of distances, a power of two; lighter arcs are light.
    width: u64,
}

/// The greatest weight spans this number of halves of buckets at most.
const MOST_SPANNED: u64 = 64;

/// Rows whose arcs a process gives to their owners at once.
const ROUND: usize = 16 * CHUNK;

impl ArcTables<'_> {
    /// Returns the number of arcs in the rows of this process for each owner, that of the tail;
    /// with `both`, each arc is also for the owner of the head. `None` if an arc ends at no vertex,
    /// if a weight is `1 << most_bits` or more, or has more than 32 bits, or if there are too many
    /// vertices.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn n_for_owners(
        &self,
        weight: Option<(&BitTable, usize)>,
        both: bool,
        n_ranks: usize,
        environment: &dyn Environment,
    ) -> Result<Option<Vec<i64>>, Ended> {
        let Some(owners) = Owners::new(self.n, n_ranks) else { return Ok(None) };
        if let Some((weight, most_bits)) = weight
            && !are_below(weight, most_bits.min(u32::BITS as usize), self.among, environment)?
        {
            return Ok(None);
        }
        let mut n_arcs: Vec<i64> = filled(n_ranks, 0)?;
        let is_valid = self.visit(None, environment, |rows| {
            let arcs = rows.tails.iter().zip(rows.heads);
            for (&tail, &head) in arcs.filter(|(tail, _)| **tail != NONE) {
                n_arcs[owners.owner(tail).0 as usize] += 1;
                if both {
                    n_arcs[owners.owner(head).0 as usize] += 1;
                }
            }
        })?;
        Ok(is_valid.then_some(n_arcs))
    }

    /// Gives the arcs in the rows of this process to their owners, and groups the `n_own` arcs that
    /// this process owns: a trade for every 65,536 rows, and three reductions.
    ///
    /// # Errors
    /// If memory allocation fails, the run is interrupted, or another process has ended.
    pub fn share<End: ArcEnd>(
        &self,
        weight: Option<&BitTable>,
        both: bool,
        n_own: usize,
        peers: &dyn Peers,
        environment: &dyn Environment,
    ) -> Result<OwnedArcs<End>, Ended> {
        let owners = Owners::new(self.n, peers.n_ranks());
        let owners = owners.ok_or(Ended::Internal("too many vertices"))?;
        let (n_rows, n_limbs) = (self.left.n_rows(), limbs_of::<End>());
        let mut n_rounds = [n_rows.div_ceil(ROUND) as i64];
        peers.greatest(&mut n_rounds)?;
        let mut given = filled(peers.n_ranks(), Vec::new())?;
        let mut taken: Vec<u64> = reserved(n_own * n_limbs)?;
        let mut starts: Vec<u32> = filled(owners.n_own() + 1, 0)?;
        let (mut max_weight, mut is_full) = (0, false);
        let mut poller = InterruptPoller::new(environment);
        for round in 0..n_rounds[0] as usize {
            let rows = (round * ROUND).min(n_rows)..((round + 1) * ROUND).min(n_rows);
            given.iter_mut().for_each(Vec::clear);
            self.visit_rows(rows, weight, environment, |rows| {
                let mut give = |tail: (u32, u32), head: (u32, u32), weight: u32| {
                    let list: &mut Vec<u64> = &mut given[tail.0 as usize];
                    is_full |= list.try_reserve(n_limbs).is_err();
                    if !is_full {
                        list.push(u64::from(tail.1) << 32 | u64::from(owners.place_of(head)));
                        if End::HAS_WEIGHT {
                            list.push(u64::from(weight));
                        }
                    }
                };
                let arcs = rows.tails.iter().zip(rows.heads).zip(rows.weights);
                for ((&tail, &head), &weight) in arcs.filter(|((tail, _), _)| **tail != NONE) {
                    max_weight = max_weight.max(weight);
                    let (tail, head) = (owners.owner(tail), owners.owner(head));
                    give(tail, head, weight);
                    if both {
                        give(head, tail, weight);
                    }
                }
            })?;
            if is_full {
                return Err(Ended::OutOfMemory);
            }
            let arcs = peers.trade(&given)?.limbs;
            poller.spend(arcs.len())?;
            arcs.iter().step_by(n_limbs).for_each(|arc| starts[(arc >> 32) as usize + 1] += 1);
            taken.extend(arcs);
        }
        drop(given);
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut greatest = [i64::from(max_weight)];
        peers.greatest(&mut greatest)?;
        let max_weight = greatest[0] as u32;
        let mut n_all = [starts[owners.n_own()].into()];
        peers.sum(&mut n_all)?;
        let width = width_of_buckets(max_weight, n_all[0].unsigned_abs(), self.n);
        // Light arcs fill the range of a vertex from its start, heavy ones from its end.
        let (mut lasts, mut heavy) = (reserved(owners.n_own())?, reserved(owners.n_own())?);
        lasts.extend_from_slice(&starts[1..]);
        heavy.extend_from_slice(&starts[..owners.n_own()]);
        let mut ends = filled(taken.len() / n_limbs, End::default())?;
        for arcs in taken.chunks(CHUNK * n_limbs) {
            poller.spend(arcs.len())?;
            for arc in arcs.chunks_exact(n_limbs) {
                let tail = (arc[0] >> 32) as usize;
                let weight = if End::HAS_WEIGHT { arc[1] as u32 } else { 0 };
                let place = if u64::from(weight) < width {
                    heavy[tail] += 1;
                    heavy[tail] - 1
                } else {
                    lasts[tail] -= 1;
                    lasts[tail]
                };
                ends[place as usize] = End::new(arc[0] as u32, weight);
            }
        }
        let mut among = reserved(self.among.len())?;
        among.extend_from_slice(self.among);
        let arcs = GroupedArcs { n: owners.n_own(), both, among, max_weight, starts, ends };
        Ok(OwnedArcs { owners, rank: peers.rank(), arcs, heavy, width })
    }
}

/// Returns the width of the buckets of distances, a power of two: about twice the greatest weight,
/// divided by the mean number of arcs of a vertex.
fn width_of_buckets(max_weight: u32, n_arcs: u64, n: usize) -> u64 {
    let mean = (n_arcs / (n as u64).max(1)).clamp(1, MOST_SPANNED);
    let max_weight = u64::from(max_weight);
    (2 * max_weight).div_ceil(mean).min(max_weight).next_power_of_two()
}

/// Returns the number of limbs of an arc on its way to the owner: the tail, as a place of the
/// owner, and the place of the head; the weight.
fn limbs_of<End: ArcEnd>() -> usize {
    if End::HAS_WEIGHT { 2 } else { 1 }
}

impl<End: ArcEnd> OwnedArcs<End> {
    /// The maximum number of arcs of a process.
    pub const MOST: i64 = u32::MAX as i64;

    /// Bytes of `n_own` arcs between `n` vertices, in `m` rows of this process, and bytes for them
    /// and for [`ArcTables::share`].
    pub fn n_bytes(n: usize, m: usize, n_own: usize, n_ranks: usize) -> [u64; 2] {
        let (n_own, limbs) = (n_own as u64, limbs_of::<End>() as u64);
        let kept = n_own
            .saturating_mul(size_of::<End>() as u64)
            .saturating_add(8 * places_of_rank(n, n_ranks) + m as u64 / 8 + 1024);
        // The lists of a round, a copy of them, and those of all others.
        let most = (2 * ROUND * (n_ranks + 2)) as u64;
        let lists = n_own.saturating_add(n_own.min(most) + 4 * ROUND as u64);
        [kept, kept.saturating_add(lists.saturating_mul(8 * limbs + 4)).saturating_add(1 << 17)]
    }

    /// Bytes of a search among `n` vertices by a process that owns `n_own` arcs.
    pub fn search_bytes(n: usize, n_own: usize, n_ranks: usize) -> u64 {
        let for_vertices = (n as u64).saturating_mul(40) + 64 * places_of_rank(n, n_ranks);
        for_vertices.saturating_add((n_own as u64).saturating_mul(24)).saturating_add(1 << 17)
    }

    /// Returns whether these are the arcs in the rows `among` of the tables that were grouped,
    /// between `n` vertices; in any directions if `both` is `None`.
    pub fn is_of(&self, n: usize, both: Option<bool>, among: &[u64]) -> bool {
        self.arcs.is_of(self.arcs.n, both, among) && self.owners.n() == n
    }

    /// Returns whether all weights are below `1 << bits`.
    pub fn fit(&self, bits: usize) -> bool {
        self.arcs.fit(bits)
    }

    /// Returns the number of arcs that this process owns.
    pub fn n_own(&self) -> usize {
        self.arcs.ends.len()
    }

    /// Returns the limbs of this process in a set of places.
    fn own_limbs(&self) -> Range<usize> {
        let places = self.owners.places(self.rank);
        places.start / 64..places.end / 64
    }

    /// Returns the results for the vertices in the rows of this process; `own` are those of the
    /// vertices that it owns.
    fn in_rows<T: Pod>(
        &self,
        own: &[T],
        peers: &dyn Peers,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Vec<T>, Ended> {
        let (n, owners) = (self.owners.n(), &self.owners);
        poller.spend(2 * own.len())?;
        let mut given = reserved(peers.n_ranks())?;
        for rank in 0..peers.n_ranks() {
            let rows = peers.rows(n, rank);
            let [start, end] =
                [rows.start, rows.end].map(|vertex| owners.n_before(self.rank, vertex));
            given.push(packed(&own[start..end])?);
        }
        let taken = peers.trade(&given)?;
        drop(given);
        let mut lists: Vec<&[T]> = taken.each().map(|list| bytemuck::cast_slice(list)).collect();
        let rows = peers.rows(n, self.rank);
        let mut results = reserved(rows.len())?;
        let mut vertex = rows.start;
        while vertex < rows.end {
            poller.spend(64)?;
            let n_taken = (64 - vertex % 64).min(rows.end - vertex);
            let list = &mut lists[owners.owner(vertex as u32).0 as usize];
            let part = list.split_off(..n_taken);
            results.extend_from_slice(part.ok_or(Ended::Internal("results that are missing"))?);
            vertex += n_taken;
        }
        Ok(results)
    }
}

impl<End> GroupedArcs<End> {
    /// Returns the vertices with arcs.
    fn tails(&self, poller: &mut InterruptPoller<'_>) -> Result<Vec<u64>, Ended> {
        poller.spend(self.n)?;
        let mut tails = filled(self.n.div_ceil(64), 0)?;
        for (vertex, ends) in self.starts.windows(2).enumerate() {
            tails[vertex / 64] |= u64::from(ends[0] < ends[1]) << (vertex % 64);
        }
        Ok(tails)
    }
}

/// Returns the number of places of a process.
fn places_of_rank(n: usize, n_ranks: usize) -> u64 {
    Owners::new(n, n_ranks).map_or(u64::MAX / 64, |owners| owners.n_own() as u64)
}

/// Returns the numbers in limbs.
fn packed<T: Pod>(numbers: &[T]) -> Result<Vec<u64>, Ended> {
    let mut limbs = filled(size_of_val(numbers).div_ceil(8), 0)?;
    bytemuck::cast_slice_mut::<u64, T>(&mut limbs)[..numbers.len()].copy_from_slice(numbers);
    Ok(limbs)
}
