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

use super::{GroupedArcs, NONE, WeightedEnd};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::peers::Peers;
use crate::{Distances, filled, has, ones, ones_of, put, reserved, root};

impl GroupedArcs<u32> {
    /// The result of [`GroupedArcs::levels`] on the arcs of all processes: one exchange a level.
    ///
    /// Along edges, a process searches from the unreached vertices if these have fewer of its arcs
    /// than the level.
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
            if self.both && n_heads > n_left {
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
        label(&mut firsts, 0);
        let least = least_of_all(&firsts, peers, &mut poller)?;
        poller.spend(2 * self.n)?;
        let mut parents: Vec<u32> = reserved(self.n)?;
        for (vertex, &parent) in (0..).zip(&bytemuck::cast_slice::<u64, u32>(&least)[..self.n]) {
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
        poller.spend(self.n)?;
        label(&mut parents, 1);
        Ok(parents)
    }
}

/// Replaces the parents, which come before their children, by the roots, counted from `first`.
fn label(parents: &mut [u32], first: u32) {
    for vertex in 0..parents.len() {
        let parent = parents[vertex];
        let is_root = parent as usize == vertex;
        parents[vertex] = if is_root { parent + first } else { parents[parent as usize] };
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

/// Returns the minimum of each number over all processes, two to a limb; the owner of a vertex
/// computes it.
fn least_of_all(
    numbers: &[u32],
    peers: &dyn Peers,
    poller: &mut InterruptPoller<'_>,
) -> Result<Vec<u64>, Ended> {
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
    Ok(peers.gather(&least)?.limbs)
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
const FAR: u64 = u64::MAX;

/// Longer paths would overflow.
const LONGEST: u64 = i64::MAX.cast_unsigned() - (1 << 32);

/// Bits of a length in a pair of a vertex and a length.
const LENGTH_BITS: u32 = 33;

/// The greatest weight spans this number of buckets at most.
const MOST_SPANNED: i64 = 64;

impl GroupedArcs<WeightedEnd> {
    /// The result of [`GroupedArcs::distances`] on the arcs of all processes: a trade and a
    /// gathering a round.
    ///
    /// A round follows the arcs of the vertices that came nearer and are in the first bucket that
    /// is not empty (Δ-stepping of Meyer, Sanders 2003, with light and heavy arcs alike). A bucket
    /// holds the vertices whose distances share all but the last bits.
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
        let n_limbs = self.n.div_ceil(64);
        let (max_weight, shift) = self.shared_weights(peers)?;
        // Arcs lead to the bucket, and to buckets after it.
        let n_buckets = (max_weight >> shift) as usize + 2;
        let mut buckets = reserved(n_buckets)?;
        for _ in 0..n_buckets {
            buckets.push(filled(n_limbs, 0)?);
        }
        let mut search = SharedSearch {
            arcs: self,
            tails: self.tails(&mut poller)?,
            n_owned: n_owned(self.n, peers),
            lengths: filled(self.n, FAR)?,
            nearer: filled(n_limbs, 0)?,
            has_some: filled(n_buckets, false)?,
            buckets,
            bucket: 0,
            place: 0,
            shift,
        };
        // A vertex of a block and a length share a limb.
        if search.n_owned > 1 << (u64::BITS - LENGTH_BITS) {
            return Err(Ended::Internal("a process owns too many vertices"));
        }
        search.update(start, 0);
        while search.next_bucket() {
            search.follow(&mut poller)?;
            search.combine(peers, &mut poller)?;
        }
        Ok(Distances::Long(search.lengths))
    }

    /// Returns the greatest weight, and the number of bits that lengths in a bucket do not share:
    /// a bucket is about as wide as the greatest weight, divided by the mean number of arcs of a
    /// vertex.
    fn shared_weights(&self, peers: &dyn Peers) -> Result<(u64, u32), Ended> {
        let mut room = [i64::from(u32::MAX - self.max_weight)];
        peers.least(&mut room)?;
        let mut n_ends = [self.ends.len() as i64];
        peers.sum(&mut n_ends)?;
        let mean = (n_ends[0] / (self.n as i64).max(1)).clamp(1, MOST_SPANNED);
        let max_weight = u64::from(u32::MAX - room[0] as u32);
        Ok((max_weight, max_weight.div_ceil(mean as u64).next_power_of_two().ilog2()))
    }
}

/// A search for distances; all but `tails`, and `nearer` and `lengths` in a round, is the same on
/// all processes.
struct SharedSearch<'a> {
    arcs: &'a GroupedArcs<WeightedEnd>,
    /// The vertices with arcs of this process.
    tails: Vec<u64>,
    /// The number of vertices that each process owns.
    n_owned: usize,
    lengths: Vec<u64>,
    /// The vertices that came nearer on this process in this round.
    nearer: Vec<u64>,
    /// The vertices whose arcs are to be followed, in a ring of buckets; also some that have come
    /// nearer and have left the bucket.
    buckets: Vec<Vec<u64>>,
    has_some: Vec<bool>,
    /// The number of the bucket whose arcs are followed.
    bucket: u64,
    /// Its place in the ring.
    place: usize,
    /// Bits of a distance that a bucket ignores.
    shift: u32,
}

impl SharedSearch<'_> {
    /// Returns the least length in the bucket.
    fn base(&self) -> u64 {
        self.bucket << self.shift
    }

    /// Returns the place in the ring of a bucket that arcs from the current one may lead to.
    fn place_of(&self, bucket: u64) -> usize {
        let place = self.place + (bucket - self.bucket) as usize;
        place.checked_sub(self.buckets.len()).unwrap_or(place)
    }

    /// Stores the length of a vertex that came nearer.
    fn update(&mut self, vertex: usize, length: u64) {
        let place = self.place_of(length >> self.shift);
        self.lengths[vertex] = length;
        self.has_some[place] = true;
        put(&mut self.buckets[place], vertex);
    }

    /// Goes on to the first bucket with vertices; false if there is none.
    fn next_bucket(&mut self) -> bool {
        let mut buckets = (self.bucket..).take(self.buckets.len());
        let Some(next) = buckets.find(|bucket| self.has_some[self.place_of(*bucket)]) else {
            return false;
        };
        (self.place, self.bucket) = (self.place_of(next), next);
        true
    }

    /// Follows the arcs of the vertices in the bucket, and empties it.
    fn follow(&mut self, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        let base = self.base();
        let SharedSearch { arcs, tails, lengths, nearer, buckets, has_some, place, .. } = self;
        has_some[*place] = false;
        let bucket = &mut buckets[*place];
        poller.spend(2 * bucket.len())?;
        for vertex in common(bucket, tails) {
            let length = lengths[vertex];
            if length < base {
                // It has left the bucket.
                continue;
            }
            if length > LONGEST {
                return Err(Ended::Internal("a path of more than 62 bits"));
            }
            let ends = arcs.of(vertex as u32);
            poller.spend(1 + ends.len())?;
            for &(head, weight) in ends {
                let sum = length + u64::from(weight);
                if sum < lengths[head as usize] {
                    lengths[head as usize] = sum;
                    put(nearer, head as usize);
                }
            }
        }
        bucket.fill(0);
        Ok(())
    }

    /// Combines the lengths of all processes for the vertices that came nearer.
    fn combine(
        &mut self,
        peers: &dyn Peers,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        poller.spend(2 * self.nearer.len())?;
        let own = peers.rank();
        let mut given = reserved(peers.n_ranks())?;
        for owner in 0..peers.n_ranks() {
            given.push(if owner == own { Vec::new() } else { self.pairs(owner)? });
        }
        let taken = peers.trade(&given)?;
        drop(given);
        poller.spend(taken.limbs.len())?;
        for pair in taken.limbs {
            let (vertex, length) = self.vertex_and_length(own, pair);
            if length < self.lengths[vertex] {
                self.lengths[vertex] = length;
                put(&mut self.nearer, vertex);
            }
        }
        let all = peers.gather(&self.pairs(own)?)?;
        poller.spend(all.limbs.len())?;
        for (owner, list) in all.each().enumerate() {
            for &pair in list {
                let (vertex, length) = self.vertex_and_length(owner, pair);
                self.update(vertex, length);
            }
        }
        self.nearer.fill(0);
        Ok(())
    }

    /// Returns the vertices of an owner that came nearer, counted from its first one, and their
    /// lengths, less the least one in the bucket. These have 33 bits: the width of a bucket is
    /// 2^32 at most, and an arc is shorter.
    fn pairs(&self, owner: usize) -> Result<Vec<u64>, Ended> {
        let nearer = self.nearer.chunks(self.n_owned / 64).nth(owner).unwrap_or_default();
        let mut pairs = reserved(ones(nearer).count())?;
        pairs.extend(ones(nearer).map(|vertex| {
            let length = self.lengths[owner * self.n_owned + vertex] - self.base();
            (vertex as u64) << LENGTH_BITS | length
        }));
        Ok(pairs)
    }

    fn vertex_and_length(&self, owner: usize, pair: u64) -> (usize, u64) {
        let vertex = owner * self.n_owned + (pair >> LENGTH_BITS) as usize;
        (vertex, self.base() + (pair & ((1 << LENGTH_BITS) - 1)))
    }
}
