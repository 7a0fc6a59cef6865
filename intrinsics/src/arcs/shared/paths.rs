//! Shortest paths by several processes.

use super::OwnedArcs;
use crate::arcs::WeightedEnd;
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::peers::Peers;
use crate::{filled, ones, put, reserved};

/// No path.
const FAR: u64 = u64::MAX;

/// Longer paths would overflow.
const LONGEST: u64 = i64::MAX.cast_unsigned() - (1 << 32);

/// Bits of a length in a pair of a vertex and a length.
const LENGTH_BITS: u32 = 33;

impl OwnedArcs<WeightedEnd> {
    /// The distances from `start` to the vertices in the rows of this process, as
    /// [`GroupedArcs::distances`](crate::GroupedArcs::distances) finds them for all: a reduction
    /// and a trade a round, and a trade of the results. All ones: no path.
    ///
    /// This is Δ-stepping (Meyer, Sanders 2003). A bucket holds the vertices whose distances share
    /// all but the last bits. A round relaxes the light arcs, shorter than the bucket is wide, of
    /// the vertices in the first bucket that is not empty on all processes. When the bucket is
    /// empty, a last round relaxes the heavy arcs of the vertices that were in it.
    ///
    /// # Errors
    /// If memory allocation fails, the run is interrupted, or another process has ended.
    pub fn distances(
        &self,
        start: usize,
        peers: &dyn Peers,
        environment: &dyn Environment,
    ) -> Result<Vec<u64>, Ended> {
        let mut poller = InterruptPoller::new(environment);
        let (n_own, n_places) = (self.owners.n_own(), self.owners.n_places());
        let shift = self.width.ilog2();
        // Arcs lead to the bucket, and to buckets after it.
        let n_buckets = (u64::from(self.arcs.max_weight) >> shift) as usize + 2;
        let mut buckets = reserved(n_buckets)?;
        for _ in 0..n_buckets {
            buckets.push(filled(n_own / 64, 0)?);
        }
        // A vertex of a process and a length share a limb.
        if n_own > 1 << (u64::BITS - LENGTH_BITS) {
            return Err(Ended::Internal("a process owns too many vertices"));
        }
        poller.spend(2 * n_places)?;
        let mut search = SharedSearch {
            arcs: self,
            own: self.own_limbs().start * 64,
            own_lengths: filled(n_own, FAR)?,
            given: filled(n_places, FAR)?,
            nearer: filled(n_places / 64, 0)?,
            has_some: filled(n_buckets, false)?,
            buckets,
            removed: filled(n_own / 64, 0)?,
            has_removed: false,
            empty: filled(n_own / 64, 0)?,
            bucket: 0,
            place: 0,
            shift,
        };
        let start = (self.owners.place(start as u32) as usize).wrapping_sub(search.own);
        if start < n_own {
            search.update(start, 0);
        }
        while let Some(arcs) = search.next_arcs(peers)? {
            search.relax_arcs(arcs, &mut poller)?;
            search.trade(n_own, peers, &mut poller)?;
        }
        let lengths = std::mem::take(&mut search.own_lengths);
        drop(search);
        self.in_rows(&lengths, peers, &mut poller)
    }
}

/// Arcs that a round relaxes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arcs {
    Light,
    Heavy,
}

impl OwnedArcs<WeightedEnd> {
    /// Returns these arcs of a vertex.
    #[inline]
    fn arcs_of(&self, vertex: usize, which: Arcs) -> &[WeightedEnd] {
        let heavy = self.heavy[vertex] as usize;
        match which {
            Arcs::Light => &self.arcs.ends[self.arcs.starts[vertex] as usize..heavy],
            Arcs::Heavy => &self.arcs.ends[heavy..self.arcs.starts[vertex + 1] as usize],
        }
    }
}

/// A search for distances by one of several processes.
struct SharedSearch<'a> {
    arcs: &'a OwnedArcs<WeightedEnd>,
    /// The first place of this process.
    own: usize,
    /// The lengths of the vertices of this process.
    own_lengths: Vec<u64>,
    /// The lengths of the shortest paths to vertices of others that this process has found.
    given: Vec<u64>,
    /// The vertices of others to which it has found a shorter path in this round.
    nearer: Vec<u64>,
    /// The own vertices whose arcs are to be relaxed, in a ring of buckets; also some with a
    /// shorter path since, which are in an earlier bucket, too.
    buckets: Vec<Vec<u64>>,
    /// The vertices that were removed from the bucket; their heavy arcs are to be relaxed.
    removed: Vec<u64>,
    /// Has a vertex of any process been removed from it?
    has_removed: bool,
    /// Memory of an empty set.
    empty: Vec<u64>,
    has_some: Vec<bool>,
    /// The number of the current bucket, the same on all processes.
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

    /// Stores the length of a shorter path to a vertex of this process.
    #[inline]
    fn update(&mut self, vertex: usize, length: u64) {
        let place = self.place_of(length >> self.shift);
        self.own_lengths[vertex] = length;
        self.has_some[place] = true;
        put(&mut self.buckets[place], vertex);
    }

    /// Returns which arcs the next round relaxes, the same ones on all processes; goes on to the
    /// first bucket with vertices if the current one is finished.
    fn next_arcs(&mut self, peers: &dyn Peers) -> Result<Option<Arcs>, Ended> {
        let mut buckets = (self.bucket..).take(self.buckets.len());
        let next = buckets.find(|bucket| self.has_some[self.place_of(*bucket)]);
        let mut first = [next.map_or(i64::MAX, u64::cast_signed)];
        peers.least(&mut first)?;
        let next = first[0].cast_unsigned();
        if next != self.bucket && std::mem::take(&mut self.has_removed) {
            return Ok(Some(Arcs::Heavy));
        }
        if first == [i64::MAX] {
            return Ok(None);
        }
        (self.place, self.bucket) = (self.place_of(next), next);
        self.has_removed = true;
        Ok(Some(Arcs::Light))
    }

    /// Relaxes the light arcs of the vertices in the bucket, which are removed from it, or the
    /// heavy arcs of the removed vertices.
    fn relax_arcs(&mut self, which: Arcs, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        let (base, arcs) = (self.base(), self.arcs);
        let vertices = match which {
            Arcs::Light => {
                self.has_some[self.place] = false;
                std::mem::replace(&mut self.buckets[self.place], std::mem::take(&mut self.empty))
            }
            Arcs::Heavy => std::mem::replace(&mut self.removed, std::mem::take(&mut self.empty)),
        };
        poller.spend(3 * vertices.len())?;
        for vertex in ones(&vertices) {
            let length = self.own_lengths[vertex];
            if length < base {
                // It was in a bucket before.
                continue;
            }
            if length > LONGEST {
                return Err(Ended::Internal("a path of more than 62 bits"));
            }
            let ends = arcs.arcs_of(vertex, which);
            poller.spend(1 + ends.len())?;
            for &(head, weight) in ends {
                self.relax(head as usize, length + u64::from(weight));
            }
        }
        if which == Arcs::Light {
            self.removed.iter_mut().zip(&vertices).for_each(|(removed, limb)| *removed |= limb);
        }
        self.empty = vertices;
        self.empty.fill(0);
        Ok(())
    }

    /// Keeps a path to a place if it is shorter than those before.
    #[inline]
    fn relax(&mut self, head: usize, length: u64) {
        let own = head.wrapping_sub(self.own);
        if own < self.own_lengths.len() {
            if length < self.own_lengths[own] {
                self.update(own, length);
            }
        } else if length < self.given[head] {
            self.given[head] = length;
            put(&mut self.nearer, head);
        }
    }

    /// Gives the owners the shorter paths to their vertices, and takes those to vertices of this
    /// process.
    fn trade(
        &mut self,
        n_own: usize,
        peers: &dyn Peers,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        poller.spend(2 * self.nearer.len())?;
        let base = self.base();
        let mut pairs = reserved(peers.n_ranks())?;
        for (nearer, given) in self.nearer.chunks(n_own / 64).zip(self.given.chunks(n_own)) {
            // Lengths, less the least one in the bucket, have 33 bits: the width of a bucket is
            // 2^32 at most, and an arc is shorter.
            let mut list = reserved(ones(nearer).count())?;
            list.extend(
                ones(nearer).map(|vertex| (vertex as u64) << LENGTH_BITS | (given[vertex] - base)),
            );
            pairs.push(list);
        }
        self.nearer.fill(0);
        let taken = peers.trade(&pairs)?;
        drop(pairs);
        poller.spend(taken.limbs.len())?;
        for pair in taken.limbs {
            let vertex = (pair >> LENGTH_BITS) as usize;
            let length = base + (pair & ((1 << LENGTH_BITS) - 1));
            if length < self.own_lengths[vertex] {
                self.update(vertex, length);
            }
        }
        Ok(())
    }
}
