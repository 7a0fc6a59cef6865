//! Components by several processes.
//!
//! A search from a vertex with many arcs finds most of a large component at once; the other
//! vertices are connected by disjoint sets (by colours in Slota, Rajamanickam, Madduri 2014). The
//! vertices that the search has reached count as one.

use std::cmp::Reverse;

use super::{OwnedArcs, packed};
use crate::arcs::{CHUNK, NONE};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::peers::Peers;
use crate::{filled, has, ones, ones_of, put, reserved, root};

/// The least number of levels of the search, unless it ends before. It goes on while a level has
/// more than the [`GOOD_PART`]th part of the vertices.
const LEVELS: usize = 4;

const GOOD_PART: usize = 16;

/// The vertices with arcs that the search has not reached, and one that it has, numbered in their
/// order.
struct Rest {
    /// Marks the places.
    set: Vec<u64>,
    /// The number of the first vertex of each limb.
    firsts: Vec<u32>,
    vertices: Vec<u32>,
}

impl Rest {
    /// Returns the number of the vertex at a place.
    #[inline]
    fn idx(&self, place: usize) -> u32 {
        let before = self.set[place / 64] & ((1 << (place % 64)) - 1);
        self.firsts[place / 64] + before.count_ones()
    }
}

impl OwnedArcs<u32> {
    /// The code of the first vertex in the component of each vertex in the rows of this process, as
    /// [`GroupedArcs::components`](crate::GroupedArcs::components) finds them for all. Directions
    /// of arcs are of no importance.
    ///
    /// # Errors
    /// If memory allocation fails, the run is interrupted, or another process has ended.
    pub fn components(
        &self,
        peers: &dyn Peers,
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        if self.owners.n() == 0 {
            return Ok(Vec::new());
        }
        let mut poller = InterruptPoller::new(environment);
        let tails = self.arcs.tails(&mut poller)?;
        let hub = self.hub(peers)?;
        let (seen, last) = self.reach(hub, &tails, peers, &mut poller)?;
        // The first of the vertices that are reached stands for all of them.
        let reached = self.place_of_first(&seen, peers)?;
        let of = |place: usize| if has(&seen, place) { reached } else { place };
        let mut set = filled(seen.len(), 0)?;
        put(&mut set, reached);
        let own = self.owners.places(self.rank);
        let mut arcs: Vec<[u32; 2]> = Vec::new();
        for vertex in ones(&tails) {
            let place = own.start + vertex;
            if has(&seen, place) && !has(&last, place) {
                continue;
            }
            let heads = self.arcs.of(vertex as u32);
            poller.spend(1 + heads.len())?;
            for &head in heads {
                let ends = [of(place), of(head as usize)];
                if ends[0] != ends[1] {
                    ends.into_iter().for_each(|end| put(&mut set, end));
                    arcs.try_reserve(1).map_err(|_| Ended::OutOfMemory)?;
                    arcs.push(ends.map(|end| end as u32));
                }
            }
        }
        peers.union(&mut set)?;
        let rest = self.numbered(set, &mut poller)?;
        for chunk in arcs.chunks_mut(CHUNK) {
            poller.spend(chunk.len())?;
            chunk.iter_mut().for_each(|ends| *ends = ends.map(|end| rest.idx(end as usize)));
        }
        let firsts = firsts_of(rest.vertices.len(), &arcs, peers, &mut poller)?;
        drop(arcs);
        poller.spend(own.len())?;
        let mut labels = reserved(own.len())?;
        for (vertex, place) in own.enumerate() {
            let place = of(place);
            labels.push(match has(&rest.set, place) {
                true => rest.vertices[firsts[rest.idx(place) as usize] as usize] + 1,
                false => (self.owners.vertex(self.rank, vertex) as u32).wrapping_add(1),
            });
        }
        self.in_rows(&labels, peers, &mut poller)
    }

    /// Returns the place of a vertex that most arcs leave; without arcs, of the first vertex.
    fn hub(&self, peers: &dyn Peers) -> Result<usize, Ended> {
        let own = self.owners.places(self.rank).start;
        let degrees = self.arcs.starts.windows(2).map(|ends| ends[1] - ends[0]);
        let most = degrees.enumerate().max_by_key(|(vertex, degree)| (*degree, Reverse(*vertex)));
        let (vertex, degree) = most.unwrap_or_default();
        // The greatest degree, then the first place.
        let place = i64::from(u32::MAX) - (own + vertex) as i64;
        let mut found = [i64::from(degree >> 1) << 32 | place];
        peers.greatest(&mut found)?;
        Ok((u32::MAX - found[0] as u32) as usize)
    }

    /// Returns the vertices that some levels of a search reach, and the last of these levels, whose
    /// arcs have not been followed; one exchange a level.
    fn reach(
        &self,
        hub: usize,
        tails: &[u64],
        peers: &dyn Peers,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(Vec<u64>, Vec<u64>), Ended> {
        let n_limbs = self.owners.n_places() / 64;
        let (places, own) = (self.owners.places(self.rank), self.own_limbs());
        let (mut seen, mut level) = (filled(n_limbs, 0)?, filled(n_limbs, 0)?);
        put(&mut level, hub);
        put(&mut seen, hub);
        for depth in 1.. {
            poller.spend(3 * n_limbs)?;
            let mut next = filled(n_limbs, 0)?;
            let sets = level[own.clone()].iter().zip(&seen[own.clone()]);
            let is_open =
                tails.iter().zip(sets).map(|(tails, (level, seen))| tails & (level | !seen));
            for vertex in ones_of(is_open) {
                let (heads, place) = (self.arcs.of(vertex as u32), places.start + vertex);
                poller.spend(1 + heads.len())?;
                if has(&level, place) {
                    heads.iter().for_each(|head| put(&mut next, *head as usize));
                } else if heads.iter().any(|head| has(&level, *head as usize)) {
                    put(&mut next, place);
                }
            }
            peers.union(&mut next)?;
            let mut n_found = 0;
            for (seen, next) in seen.iter_mut().zip(&mut next) {
                *next &= !*seen;
                *seen |= *next;
                n_found += next.count_ones() as usize;
            }
            level = next;
            let is_good = depth < LEVELS || n_found > self.owners.n() / GOOD_PART;
            if n_found == 0 || !is_good {
                break;
            }
        }
        Ok((seen, level))
    }

    /// Returns the place of the first vertex in a set that has one.
    fn place_of_first(&self, set: &[u64], peers: &dyn Peers) -> Result<usize, Ended> {
        let own = ones(&set[self.own_limbs()]).next();
        let vertex = own.map_or(NONE as usize, |own| self.owners.vertex(self.rank, own));
        let mut found = [vertex as i64];
        peers.least(&mut found)?;
        Ok(self.owners.place(found[0] as u32) as usize)
    }

    /// Numbers the vertices of a set.
    fn numbered(&self, set: Vec<u64>, poller: &mut InterruptPoller<'_>) -> Result<Rest, Ended> {
        poller.spend(2 * set.len())?;
        let n_rest = set.iter().map(|limb| limb.count_ones() as usize).sum();
        let (mut firsts, mut vertices) = (filled(set.len(), 0)?, reserved(n_rest)?);
        for first in (0..self.owners.n() as u32).step_by(64) {
            let limb = self.owners.place(first) as usize / 64;
            firsts[limb] = vertices.len() as u32;
            vertices.extend(ones(&set[limb..=limb]).map(|bit| first + bit as u32));
        }
        Ok(Rest { set, firsts, vertices })
    }
}

/// Returns the first vertex of the set of each of `n` vertices, numbered from 0, that the arcs of
/// all processes join: a trade and two gatherings.
///
/// The minima of the first vertices of all processes are parents that come before their children.
/// Each process joins the sets that they leave apart and its arcs connect; these joins are
/// gathered.
fn firsts_of(
    n: usize,
    arcs: &[[u32; 2]],
    peers: &dyn Peers,
    poller: &mut InterruptPoller<'_>,
) -> Result<Vec<u32>, Ended> {
    let mut firsts: Vec<u32> = reserved(n)?;
    firsts.extend(0..n as u32);
    for arcs in arcs.chunks(CHUNK) {
        poller.spend(arcs.len())?;
        arcs.iter().for_each(|ends| _ = join(&mut firsts, *ends));
    }
    poller.spend(n)?;
    label(&mut firsts);
    let least = least_of_all(&firsts, peers, poller)?;
    poller.spend(2 * n)?;
    let mut parents: Vec<u32> = reserved(n)?;
    for (vertex, &parent) in (0..).zip(&least[..n]) {
        parents.push(if parent == vertex { vertex } else { parents[parent as usize] });
    }
    drop(least);
    let mut joins: Vec<u64> = Vec::new();
    for (vertex, &first) in firsts.iter().enumerate() {
        // Most vertices are in the set of their first one.
        if parents[vertex] != parents[first as usize] {
            let [last, first] = join(&mut parents, [vertex as u32, first]);
            if last != first {
                joins.try_reserve(1).map_err(|_| Ended::OutOfMemory)?;
                joins.push(u64::from(last) << 32 | u64::from(first));
            }
        }
    }
    drop(firsts);
    for pair in peers.gather(&joins)?.limbs {
        poller.spend(1)?;
        join(&mut parents, [(pair >> 32) as u32, pair as u32]);
    }
    poller.spend(n)?;
    label(&mut parents);
    Ok(parents)
}

/// Replaces the parents, which come before their children, by the roots.
fn label(parents: &mut [u32]) {
    for vertex in 0..parents.len() {
        parents[vertex] = parents[parents[vertex] as usize];
    }
}

/// Joins the sets of two vertices; returns their roots, the greater one first.
fn join(parents: &mut [u32], vertices: [u32; 2]) -> [u32; 2] {
    let [one, other] = vertices.map(|vertex| root(parents, vertex));
    let (last, first) = (one.max(other), one.min(other));
    parents[last as usize] = first;
    [last, first]
}

/// Returns the minimum of each number over all processes, each of which computes those of a block,
/// and at most one number more.
fn least_of_all(
    numbers: &[u32],
    peers: &dyn Peers,
    poller: &mut InterruptPoller<'_>,
) -> Result<Vec<u32>, Ended> {
    poller.spend(4 * numbers.len())?;
    let n_of_block = numbers.len().max(1).div_ceil(peers.n_ranks()).next_multiple_of(2);
    let mut given = numbers.chunks(n_of_block).map(packed).collect::<Result<Vec<_>, _>>()?;
    given.resize(peers.n_ranks(), Vec::new());
    let taken = peers.trade(&given)?;
    let mut least = given.swap_remove(peers.rank());
    drop(given);
    for list in taken.each() {
        let list: &[u32] = bytemuck::cast_slice(list);
        let least: &mut [u32] = bytemuck::cast_slice_mut(&mut least);
        least.iter_mut().zip(list).for_each(|(least, number)| *least = *number.min(least));
    }
    drop(taken);
    let all = peers.gather(&least)?.limbs;
    Ok(bytemuck::cast_slice(&all).to_vec())
}
