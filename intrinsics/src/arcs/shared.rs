//! Searches by several processes, each of which has some of the arcs.
//!
//! Note [Shared arcs]. Every process knows the results for all vertices and follows its own arcs
//! only; the processes combine what they found after each level or round. They choose the next
//! vertices alike, from results that are the same on all of them. How a process follows its arcs is
//! its own decision, as long as it finds the same vertices.
//!
//! A block of the vertices belongs to each process, their owner. What processes find for a vertex
//! goes to its owner alone, which combines it and gives the result to all. So a process handles a
//! result for each vertex, not one for each vertex and process.

use super::levels::LARGE;
use super::{GroupedArcs, NONE, WeightedEnd};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::peers::Peers;
use crate::{Distances, filled, has, ones, ones_of, put, reserved, root};

impl GroupedArcs<u32> {
    /// The result of [`GroupedArcs::levels`] on the arcs of all processes: one exchange a level.
    ///
    /// Each process decides whether it searches a level from the unreached vertices, as
    /// [`GroupedArcs::levels`] does.
    ///
    /// # Errors
    /// If memory allocation fails, the run is interrupted, or another process has ended.
    pub fn levels_shared(
        &self,
        start: usize,
        peers: &dyn Peers,
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        let n_limbs = self.n.div_ceil(64);
        let mut poller = InterruptPoller::new(environment);
        let tails = self.tails(&mut poller)?;
        let mut levels = filled(self.n, NONE)?;
        let mut seen = filled(n_limbs, 0)?;
        let mut level = filled(n_limbs, 0)?;
        let mut next = filled(n_limbs, 0)?;
        put(&mut level, start);
        put(&mut seen, start);
        levels[start] = 0;
        // Arcs of this process that no level has followed.
        let mut n_left = self.ends.len();
        for depth in 1.. {
            poller.spend(3 * n_limbs)?;
            next.fill(0);
            let own = || common(&level, &tails).map(|vertex| self.of(vertex as u32));
            let n_heads: usize = own().map(<[u32]>::len).sum();
            n_left -= n_heads;
            if self.both && n_heads > n_left / LARGE {
                self.pull([&level, &tails, &seen], &mut next, &mut poller)?;
            } else {
                for heads in own() {
                    poller.spend(1 + heads.len())?;
                    heads.iter().for_each(|head| put(&mut next, *head as usize));
                }
            }
            next.iter_mut().zip(&seen).for_each(|(next, seen)| *next &= !seen);
            peers.union(&mut next)?;
            if next.iter().all(|limb| *limb == 0) {
                break;
            }
            ones(&next).for_each(|vertex| levels[vertex] = depth);
            seen.iter_mut().zip(&next).for_each(|(seen, next)| *seen |= next);
            std::mem::swap(&mut level, &mut next);
        }
        Ok(levels)
    }

    /// Finds the unseen vertices that have an arc to one of the level: along edges, the ends of
    /// arcs from the level.
    fn pull(
        &self,
        [level, tails, seen]: [&[u64]; 3],
        next: &mut [u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let unseen = tails.iter().zip(seen).map(|(tails, seen)| tails & !seen);
        for vertex in ones_of(unseen) {
            let ends = self.of(vertex as u32);
            poller.spend(2)?;
            if ends.iter().any(|end| has(level, *end as usize)) {
                put(next, vertex);
            }
        }
        Ok(())
    }

    /// The result of [`GroupedArcs::components`] on the arcs of all processes: a trade and two
    /// gatherings.
    ///
    /// The minima of the first vertices of all processes are parents that come before their
    /// children. Each process joins the sets that they leave apart and its arcs connect; these
    /// joins are gathered.
    ///
    /// # Errors
    /// If memory allocation fails, the run is interrupted, or another process has ended.
    pub fn components_shared(
        &self,
        peers: &dyn Peers,
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        let mut poller = InterruptPoller::new(environment);
        let mut firsts = self.parents(environment)?;
        poller.spend(self.n)?;
        compress(&mut firsts);
        let mut parents = least_of_all(&firsts, peers, &mut poller)?;
        poller.spend(2 * self.n)?;
        compress(&mut parents);
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
        poller.spend(self.n)?;
        compress(&mut parents);
        parents.iter_mut().for_each(|parent| *parent += 1);
        Ok(parents)
    }
}

/// Replaces the parents, which come before their children, by the roots.
fn compress(parents: &mut [u32]) {
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

/// Returns the number of vertices that each process owns, a multiple of 64; the last processes own
/// fewer or none.
fn n_owned(n: usize, peers: &dyn Peers) -> usize {
    n.max(1).div_ceil(peers.n_ranks()).next_multiple_of(64)
}

/// Returns the minimum of each number over all processes; the owner of a vertex computes it.
fn least_of_all(
    numbers: &[u32],
    peers: &dyn Peers,
    poller: &mut InterruptPoller<'_>,
) -> Result<Vec<u32>, Ended> {
    poller.spend(4 * numbers.len())?;
    let n_owned = n_owned(numbers.len(), peers);
    let mut given = numbers.chunks(n_owned).map(packed).collect::<Result<Vec<_>, _>>()?;
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
    let all = peers.gather(&least)?;
    let mut least = reserved(numbers.len())?;
    least.extend_from_slice(&bytemuck::cast_slice::<u64, u32>(&all.limbs)[..numbers.len()]);
    Ok(least)
}

/// Returns the numbers, two to a limb.
fn packed(numbers: &[u32]) -> Result<Vec<u64>, Ended> {
    let mut limbs = filled(numbers.len().div_ceil(2), 0)?;
    bytemuck::cast_slice_mut::<u64, u32>(&mut limbs)[..numbers.len()].copy_from_slice(numbers);
    Ok(limbs)
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

/// The common elements of two sets.
fn common<'s>(one: &'s [u64], other: &'s [u64]) -> impl Iterator<Item = usize> + 's {
    ones_of(one.iter().zip(other).map(|(one, other)| one & other))
}

/// No path.
const FAR: i64 = i64::MAX;

/// Longer paths would overflow.
const LONGEST: i64 = FAR - (1 << 32);

impl GroupedArcs<WeightedEnd> {
    /// The result of [`GroupedArcs::distances`] on the arcs of all processes: two or three
    /// exchanges a round.
    ///
    /// A round follows the arcs of the vertices that came nearer and are within a bound, which then
    /// grows (Δ-stepping of Meyer, Sanders 2003, with light and heavy arcs alike).
    ///
    /// # Errors
    /// If memory allocation fails, the run is interrupted, or another process has ended.
    pub fn distances_shared(
        &self,
        start: usize,
        peers: &dyn Peers,
        environment: &dyn Environment,
    ) -> Result<Distances, Ended> {
        let mut poller = InterruptPoller::new(environment);
        let delta = self.shared_delta(peers)?;
        let mut search = SharedSearch {
            arcs: self,
            lengths: filled(self.n, FAR)?,
            known: filled(self.n, FAR)?,
            near: filled(self.n.div_ceil(64), 0)?,
            nearer: filled(self.n.div_ceil(64), 0)?,
        };
        (search.lengths[start], search.known[start]) = (0, 0);
        put(&mut search.near, start);
        let mut bound = delta;
        loop {
            poller.spend(2 * search.near.len())?;
            match search.follow(bound, &mut poller)? {
                Followed::Some => search.combine(peers, &mut poller)?,
                Followed::NoneBefore(FAR) => break,
                Followed::NoneBefore(least) => bound = least.saturating_add(delta),
            }
        }
        let mut lengths = reserved(self.n)?;
        lengths.extend(search.known.into_iter().map(|length| match length {
            FAR => u64::MAX,
            length => length.cast_unsigned(),
        }));
        Ok(Distances::Long(lengths))
    }

    /// Returns the width of the distances that are searched together: the greatest weight, divided
    /// by the mean number of arcs of a vertex.
    fn shared_delta(&self, peers: &dyn Peers) -> Result<i64, Ended> {
        let mut room = [i64::from(u32::MAX - self.max_weight)];
        peers.least(&mut room)?;
        let mut n_ends = [self.ends.len() as i64];
        peers.sum(&mut n_ends)?;
        let mean = n_ends[0] / (self.n as i64).max(1);
        Ok(((i64::from(u32::MAX) - room[0]) / mean.max(1)).max(1))
    }
}

/// A search for distances; all but `lengths` and `nearer` is the same on all processes.
struct SharedSearch<'a> {
    arcs: &'a GroupedArcs<WeightedEnd>,
    /// The distances that this process has found.
    lengths: Vec<i64>,
    /// The distances after the last exchange.
    known: Vec<i64>,
    /// The vertices whose arcs are to be followed.
    near: Vec<u64>,
    /// The vertices that came nearer on this process.
    nearer: Vec<u64>,
}

/// What a round has followed.
enum Followed {
    /// Arcs of some vertices.
    Some,
    /// Nothing: the least distance of a vertex whose arcs are to be followed.
    NoneBefore(i64),
}

impl SharedSearch<'_> {
    /// Follows the arcs of the near vertices at less than `bound`.
    fn follow(&mut self, bound: i64, poller: &mut InterruptPoller<'_>) -> Result<Followed, Ended> {
        let SharedSearch { arcs, lengths, known, near, nearer } = self;
        let (mut least, mut has_any) = (FAR, false);
        for (at, near) in near.iter_mut().enumerate() {
            let mut left = *near;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let vertex = at * 64 + bit as usize;
                if known[vertex] >= bound {
                    least = least.min(known[vertex]);
                    continue;
                }
                has_any = true;
                *near &= !(1 << bit);
                let length = lengths[vertex];
                if length > LONGEST {
                    return Err(Ended::Internal("a path of more than 62 bits"));
                }
                let ends = arcs.of(vertex as u32);
                poller.spend(1 + ends.len())?;
                for &(head, weight) in ends {
                    let sum = length + i64::from(weight);
                    if sum < lengths[head as usize] {
                        lengths[head as usize] = sum;
                        put(nearer, head as usize);
                    }
                }
            }
        }
        Ok(if has_any { Followed::Some } else { Followed::NoneBefore(least) })
    }

    /// Combines the distances of all processes: those of the vertices that came nearer if these are
    /// few, and otherwise all.
    fn combine(
        &mut self,
        peers: &dyn Peers,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let SharedSearch { lengths, known, near, nearer, .. } = self;
        let mut n_nearer = [ones(nearer).count() as i64];
        let n_own = n_nearer[0] as usize;
        peers.sum(&mut n_nearer)?;
        if n_nearer[0] as usize > lengths.len() / 4 {
            poller.spend(2 * lengths.len())?;
            peers.least(lengths)?;
            for (vertex, (length, known)) in lengths.iter().zip(known).enumerate() {
                if *length < *known {
                    *known = *length;
                    put(near, vertex);
                }
            }
        } else if n_nearer[0] > 0 {
            let mut list: Vec<u64> = reserved(2 * n_own)?;
            for vertex in ones(nearer) {
                list.extend([vertex as u64, lengths[vertex].cast_unsigned()]);
            }
            let all = peers.gather(&list)?.limbs;
            poller.spend(all.len())?;
            for pair in all.chunks_exact(2) {
                let (vertex, length) = (pair[0] as usize, pair[1].cast_signed());
                if length < known[vertex] {
                    known[vertex] = length;
                    lengths[vertex] = length;
                    put(near, vertex);
                }
            }
        }
        nearer.fill(0);
        Ok(())
    }
}
