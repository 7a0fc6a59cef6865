//! Shortest paths by buckets of distances (Dial 1969; Meyer, Sanders 2003 have buckets of more than
//! one distance).
//!
//! A bucket holds the vertices whose distances share all but the last bits. It is emptied until no
//! vertex enters it again; entries whose vertex has come nearer are skipped. The buckets form a
//! ring that is longer than the greatest weight, with a bit for each bucket that has entries.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use star_value::BitTable;

use super::{ArcTables, GroupedArcs, NONE, WeightedEnd};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::{filled, has, put, reserved};

/// Bits of the number of buckets that the greatest weight spans: more for many vertices, so that a
/// bucket has some vertices, but few that enter it again.
const SPAN_BITS: RangeInclusive<u32> = 3..=6;

/// The least capacity of a bucket.
const LEAST_ENTRIES: usize = 32;

/// Vertices whose arcs are looked up before they are followed: these accesses to memory overlap.
const BATCH: usize = 32;

/// The distances from a vertex, in 32 bits if all fit.
#[derive(Debug)]
pub enum Distances {
    /// All ones: no path.
    Short(Vec<u32>),
    /// All ones: no path.
    Long(Vec<u64>),
}

/// A tree of shortest paths.
#[derive(Debug)]
pub struct Tree {
    /// The code of the predecessor of each vertex, 0 if it has none.
    pub before: Vec<u32>,
    /// Marks the rows of the arcs.
    pub rows: Vec<u64>,
}

/// A distance.
trait Length: Copy + Ord + Into<u64> {
    /// No path.
    const MOST: Self;
    const ZERO: Self;
    fn plus(self, weight: u32) -> Self;
}

impl Length for u32 {
    const MOST: u32 = u32::MAX;
    const ZERO: u32 = 0;

    #[inline]
    fn plus(self, weight: u32) -> u32 {
        self.wrapping_add(weight)
    }
}

impl Length for u64 {
    const MOST: u64 = u64::MAX;
    const ZERO: u64 = 0;

    #[inline]
    fn plus(self, weight: u32) -> u64 {
        self.wrapping_add(u64::from(weight))
    }
}

impl GroupedArcs<WeightedEnd> {
    /// The distances from `start`.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn distances(
        &self,
        start: usize,
        environment: &dyn Environment,
    ) -> Result<Distances, Ended> {
        if let Some(short) = search::<u32>(self, start, environment)? {
            return Ok(Distances::Short(short));
        }
        match search::<u64>(self, start, environment)? {
            Some(long) => Ok(Distances::Long(long)),
            None => Err(Ended::Internal("a path of more than 64 bits")),
        }
    }
}

impl ArcTables<'_> {
    /// The tree of shortest paths that chooses the first of the arcs that lead to equal distances,
    /// among those whose tail is reached. The distances are those from `start`; with `both`, along
    /// arcs in both directions.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn tree(
        &self,
        weight: &BitTable,
        distances: &Distances,
        (start, both): (usize, bool),
        environment: &dyn Environment,
    ) -> Result<Tree, Ended> {
        let n_limbs = self.left.n_rows().div_ceil(64);
        let mut tree = Tree { before: filled(self.n, 0)?, rows: filled(n_limbs, 0)? };
        let mut n_tight = 0;
        let mut has_zeros = false;
        self.tight(weight, distances, both, environment, |arc| {
            n_tight += 1;
            has_zeros |= arc.weight == 0;
            if tree.before[arc.head as usize] == 0 && arc.head as usize != start {
                tree.before[arc.head as usize] = arc.tail + 1;
                put(&mut tree.rows, arc.row);
            }
        })?;
        if has_zeros {
            // The order of vertices at equal distances matters.
            tree.before.fill(0);
            tree.rows.fill(0);
            let mut tight = reserved(n_tight)?;
            self.tight(weight, distances, both, environment, |arc| tight.push(arc))?;
            in_order(&tight, distances, start, &mut tree, environment)?;
        }
        Ok(tree)
    }

    /// Visits the arcs of shortest paths by their rows, each in the direction of the paths.
    fn tight(
        &self,
        weight: &BitTable,
        distances: &Distances,
        both: bool,
        environment: &dyn Environment,
        mut each: impl FnMut(TightArc),
    ) -> Result<(), Ended> {
        self.visit(Some(weight), environment, |rows| {
            let arcs = rows.tails.iter().zip(rows.heads).zip(rows.weights);
            for (row, ((&tail, &head), &weight)) in (rows.first..).zip(arcs) {
                if tail == NONE || tail == head {
                    continue;
                }
                let (Some(at_tail), Some(at_head)) = (distances.get(tail), distances.get(head))
                else {
                    // With `both`, either both ends are reached or none.
                    continue;
                };
                let length = u64::from(weight);
                if at_tail + length == at_head {
                    each(TightArc { row, tail, head, weight });
                }
                if both && at_head + length == at_tail {
                    each(TightArc { row, tail: head, head: tail, weight });
                }
            }
        })?;
        Ok(())
    }
}

/// An arc of shortest paths, in their direction.
#[derive(Clone, Copy, Debug)]
struct TightArc {
    row: usize,
    tail: u32,
    head: u32,
    weight: u32,
}

/// Grows the tree by the nearest head, then the first row, of the arcs that leave it.
fn in_order(
    arcs: &[TightArc],
    distances: &Distances,
    start: usize,
    tree: &mut Tree,
    environment: &dyn Environment,
) -> Result<(), Ended> {
    let mut poller = InterruptPoller::new(environment);
    // The arcs that leave each vertex, in order.
    let mut starts: Vec<u32> = filled(tree.before.len() + 2, 0)?;
    for arc in arcs {
        poller.spend(1)?;
        starts[arc.tail as usize + 2] += 1;
    }
    for vertex in 2..starts.len() {
        starts[vertex] += starts[vertex - 1];
    }
    let mut order: Vec<u32> = filled(arcs.len(), 0)?;
    for (idx, arc) in (0..).zip(arcs) {
        poller.spend(1)?;
        let place = &mut starts[arc.tail as usize + 1];
        order[*place as usize] = idx;
        *place += 1;
    }
    let mut queue = BinaryHeap::from(reserved::<Reverse<(u64, u32)>>(arcs.len())?);
    let mut reached = filled(tree.before.len().div_ceil(64), 0)?;
    let mut next = Some(start);
    while let Some(vertex) = next {
        put(&mut reached, vertex);
        let leaving = &order[starts[vertex] as usize..starts[vertex + 1] as usize];
        poller.spend(8 + 8 * leaving.len())?;
        for &idx in leaving {
            let head = arcs[idx as usize].head;
            if !has(&reached, head as usize) {
                queue.push(Reverse((distances.get(head).unwrap_or(u64::MAX), idx)));
            }
        }
        next = None;
        while let Some(Reverse((_, idx))) = queue.pop() {
            let TightArc { row, tail, head, .. } = arcs[idx as usize];
            if !has(&reached, head as usize) {
                tree.before[head as usize] = tail + 1;
                put(&mut tree.rows, row);
                next = Some(head as usize);
                break;
            }
        }
    }
    Ok(())
}

impl Distances {
    /// The distance to a vertex, if there is a path.
    pub fn get(&self, vertex: u32) -> Option<u64> {
        match self {
            Distances::Short(all) => {
                Some(all[vertex as usize]).filter(|length| *length != u32::MAX).map(u64::from)
            }
            Distances::Long(all) => Some(all[vertex as usize]).filter(|length| *length != u64::MAX),
        }
    }

    /// Returns whether all are below `2^bits`.
    pub fn fit(&self, bits: usize) -> bool {
        let is_below = |length: u64| length.checked_shr(bits as u32).unwrap_or(0) == 0;
        match self {
            Distances::Short(all) => {
                let finite = all.iter().filter(|length| **length != u32::MAX);
                is_below(u64::from(finite.copied().max().unwrap_or(0)))
            }
            Distances::Long(all) => {
                let finite = all.iter().filter(|length| **length != u64::MAX);
                is_below(finite.copied().max().unwrap_or(0))
            }
        }
    }
}

/// Buckets of vertices with their distances.
struct Buckets<L> {
    ring: Vec<Vec<(u32, L)>>,
    /// Marks the buckets with entries.
    filled: Vec<u64>,
    /// Bits of a distance that a bucket ignores.
    shift: u32,
}

impl<L: Length> Buckets<L> {
    fn new(n: usize, max_weight: u32) -> Result<Self, Ended> {
        let span_bits = (n.max(1).ilog2() / 2).saturating_sub(3);
        let span_bits = span_bits.clamp(*SPAN_BITS.start(), *SPAN_BITS.end());
        let shift = (u32::BITS - max_weight.leading_zeros()).saturating_sub(span_bits);
        let n_buckets = ((max_weight >> shift) as usize + 2).next_power_of_two().max(64);
        let mut ring = reserved(n_buckets)?;
        ring.resize_with(n_buckets, Vec::new);
        Ok(Buckets { ring, filled: filled(n_buckets / 64, 0)?, shift })
    }

    #[inline]
    fn put(&mut self, vertex: u32, length: L) -> Result<(), Ended> {
        let at = (length.into() >> self.shift) as usize & (self.ring.len() - 1);
        let bucket = &mut self.ring[at];
        if bucket.len() == bucket.capacity() {
            bucket.try_reserve(LEAST_ENTRIES).map_err(|_| Ended::OutOfMemory)?;
        }
        bucket.push((vertex, length));
        put(&mut self.filled, at);
        Ok(())
    }

    /// The first bucket with entries from this one on, around the ring.
    #[inline]
    fn next(&self, from: usize) -> Option<usize> {
        let (limb, bit) = (from / 64, from % 64);
        let n_limbs = self.filled.len();
        let first = self.filled[limb] >> bit << bit;
        if first != 0 {
            return Some(limb * 64 + first.trailing_zeros() as usize);
        }
        // The bits before the first one are looked at last.
        let mut later = (1..=n_limbs).map(|step| (limb + step) % n_limbs);
        let found = later.find(|limb| self.filled[*limb] != 0)?;
        Some(found * 64 + self.filled[found].trailing_zeros() as usize)
    }
}

/// The distances from a vertex; `None` if one of them may not fit.
fn search<L: Length>(
    arcs: &GroupedArcs<WeightedEnd>,
    start: usize,
    environment: &dyn Environment,
) -> Result<Option<Vec<L>>, Ended> {
    let (all, max_weight): (u64, u32) = (L::MOST.into(), arcs.max_weight);
    let Some(most) = all.checked_sub(u64::from(max_weight) + 1) else { return Ok(None) };
    let mut lengths = filled(arcs.n, L::MOST)?;
    let mut buckets = Buckets::new(arcs.n, max_weight)?;
    let mut poller = InterruptPoller::new(environment);
    lengths[start] = L::ZERO;
    buckets.put(start as u32, L::ZERO)?;
    let mut at = 0;
    let mut taken: Vec<(u32, L)> = Vec::new();
    while let Some(next) = buckets.next(at) {
        at = next;
        std::mem::swap(&mut taken, &mut buckets.ring[at]);
        buckets.filled[at / 64] &= !(1 << (at % 64));
        for entries in taken.chunks(BATCH) {
            let mut batch = [(0, 0, L::ZERO); BATCH];
            let mut n_live = 0;
            for &(vertex, length) in entries {
                let vertex = vertex as usize;
                batch[n_live] = (arcs.starts[vertex], arcs.starts[vertex + 1], length);
                n_live += usize::from(lengths[vertex] == length);
            }
            let batch = &batch[..n_live];
            let first = |(start, ..): &(u32, u32, L)| arcs.ends.get(*start as usize);
            std::hint::black_box(batch.iter().filter_map(first).fold(0, |all, end| all ^ end.0));
            for &(start, end, length) in batch {
                if length.into() > most {
                    return Ok(None);
                }
                let ends = &arcs.ends[start as usize..end as usize];
                poller.spend(1 + ends.len())?;
                for &(head, weight) in ends {
                    let sum = length.plus(weight);
                    let known = &mut lengths[head as usize];
                    if sum < *known {
                        *known = sum;
                        buckets.put(head, sum)?;
                    }
                }
            }
        }
        taken.clear();
        // The memory goes back, unless vertices have entered the bucket again.
        if buckets.ring[at].capacity() < taken.capacity() {
            std::mem::swap(&mut taken, &mut buckets.ring[at]);
            buckets.ring[at].append(&mut taken);
        }
    }
    Ok(Some(lengths))
}
