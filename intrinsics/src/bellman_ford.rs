//! Shortest paths from one vertex with negative weights, by passes over the vertices whose distance
//! has decreased (Bellman 1958, Ford 1956).
//!
//! A pass handles its vertices in ascending order, and each vertex sees the updates made by earlier
//! vertices of the same pass. Predecessors are therefore the same as those of the Star body.
//! Distances are biased: the middle of the number range stands for 0, so that unsigned comparison
//! is correct. The arcs of a vertex are read from the tables once.

use std::ops::Range;

use crate::dijkstra::{NONE, ShortestPaths, WeightedArcs};
use crate::environment::{Ended, InterruptPoller};
use crate::{filled, ones, put, reserved};

/// The arcs that begin at a vertex, as ranges of shared lists.
struct ArcLists {
    of: Vec<Option<Range<usize>>>,
    ends: Vec<u32>,
    lengths: Vec<u64>,
    /// The arc lengths of one vertex.
    own_lengths: Vec<u64>,
}

impl ArcLists {
    fn new(n: usize, n_arcs: usize) -> Result<Self, Ended> {
        Ok(ArcLists {
            of: filled(n, None)?,
            ends: reserved(n_arcs)?,
            lengths: reserved(n_arcs)?,
            own_lengths: reserved(n)?,
        })
    }

    /// Returns the arcs of a vertex, or `None` if a weight does not fit in one bit less than the
    /// width.
    fn of(&mut self, arcs: &WeightedArcs<'_>, vertex: usize) -> Option<Range<usize>> {
        if let Some(known) = &self.of[vertex] {
            return Some(known.clone());
        }
        let first = self.ends.len();
        arcs.heads.ones(vertex, |head| self.ends.push(head as u32));
        arcs.lengths_to(vertex, &self.ends[first..], &mut self.own_lengths);
        if self.own_lengths.iter().any(|length| has_sign(*length, arcs.width)) {
            return None;
        }
        self.lengths.extend(&self.own_lengths);
        self.of[vertex] = Some(first..self.ends.len());
        self.of[vertex].clone()
    }
}

/// Returns whether the two highest bits of a number of the given width differ.
fn has_sign(number: u64, width: usize) -> bool {
    (number >> (width - 1) ^ number >> (width - 2)) & 1 == 1
}

impl ShortestPaths {
    /// Bytes that [`ShortestPaths::find_signed`] needs for the given number of vertices and arcs.
    pub fn n_bytes_signed(n: usize, n_arcs: usize) -> u64 {
        // Lengths and predecessors; the arcs of each vertex; walks; two fronts.
        let of_vertex = 8 + 4 + size_of::<Option<Range<usize>>>() + 8 + 4 + 1;
        (n as u64).saturating_mul(of_vertex as u64).saturating_add(12 * n_arcs as u64 + 16)
    }

    /// Finds the paths from vertex `start` of `n` along arcs whose weights are in two's complement
    /// with at least 2 bits. Returns whether distances still decrease after n passes or the
    /// predecessors contain a cycle; either means a cycle of negative length. Distances are biased.
    /// `namesakes` holds for each vertex the first vertex of the same name. Returns `None` if a
    /// distance might wrap: if the two highest bits differ in a weight or in a distance from which
    /// arcs are relaxed.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn find_signed(
        arcs: &WeightedArcs<'_>,
        n: usize,
        (start, n_arcs): (usize, usize),
        namesakes: &[u32],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Option<(Self, bool)>, Ended> {
        assert!(n <= WeightedArcs::MOST_VERTICES, "{n} vertices");
        let greatest = (1 << arcs.width) - 1;
        let mut found = ShortestPaths { lengths: filled(n, greatest)?, before: filled(n, NONE)? };
        let mut lists = ArcLists::new(n, n_arcs)?;
        let (mut front, mut next) = (filled(n.div_ceil(64), 0)?, filled(n.div_ceil(64), 0)?);
        let mut walks = filled(n, NONE)?;
        found.lengths[start] = 1 << (arcs.width - 1);
        put(&mut front, start);
        let (mut pass, mut look) = (0, 1);
        let mut has_cycle = false;
        while !has_cycle && pass < n && front.iter().any(|limb| *limb != 0) {
            pass += 1;
            next.fill(0);
            for from in ones(&front) {
                let (length, list) = (found.lengths[from], lists.of(arcs, from));
                let Some(list) = list.filter(|_| has_sign(length, arcs.width)) else {
                    return Ok(None);
                };
                poller.spend(8 + 2 * list.len())?;
                for (to, arc) in lists.ends[list.clone()].iter().zip(&lists.lengths[list]) {
                    let sum = length.wrapping_add(*arc) & greatest;
                    let to = *to as usize;
                    if sum < found.lengths[to] {
                        found.lengths[to] = sum;
                        found.before[to] = from as u32;
                        put(&mut next, to);
                    }
                }
            }
            std::mem::swap(&mut front, &mut next);
            if pass == look {
                poller.spend(n)?;
                has_cycle = found.has_cycle(namesakes, &mut walks);
                look *= 2;
            }
        }
        Ok(Some((found, front.iter().any(|limb| *limb != 0))))
    }

    /// Returns whether the predecessors contain a cycle.
    fn has_cycle(&self, namesakes: &[u32], walks: &mut [u32]) -> bool {
        walks.fill(NONE);
        (0..walks.len()).any(|first| {
            let mut at = first;
            while walks[at] == NONE {
                walks[at] = first as u32;
                match self.before[at] {
                    NONE => return false,
                    before => at = namesakes[before as usize] as usize,
                }
            }
            walks[at] == first as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;
    use star_value::{BitTable, SparseLines};

    use super::*;
    use crate::matrix::Matrix;
    use crate::state::LineOrder;
    use crate::tests::Plain;

    /// Computes distances by n passes over all arcs, and returns whether one more pass still
    /// changes any.
    fn by_all_arcs(
        arcs: &[(usize, usize, i64)],
        n: usize,
        start: usize,
    ) -> (Vec<Option<i64>>, bool) {
        let mut lengths = vec![None; n];
        lengths[start] = Some(0);
        let mut changes = true;
        for _ in 0..=n {
            changes = false;
            for &(from, to, arc) in arcs {
                if let Some(length) = lengths[from]
                    && lengths[to].is_none_or(|known| length + arc < known)
                {
                    lengths[to] = Some(length + arc);
                    changes = true;
                }
            }
        }
        (lengths, changes)
    }

    #[test]
    fn distances_equal_those_of_passes_over_all_arcs() {
        let mut random = Random::new(1958);
        let environment = Plain::default();
        let (mut n_cycles, mut n_paths) = (0, 0);
        for round in 0..200 {
            let n = [1, 2, 7, 64, 65, 90][round % 6];
            let (width, n_arcs) = (40, [1, n, 3 * n][random.below(3)]);
            let mut heads = BitTable::zeros(n, n).unwrap();
            let mut lengths = BitTable::zeros(n, n * width).unwrap();
            let mut arcs = Vec::new();
            // Potentials make most cycles positive.
            let potentials: Vec<i64> = (0..n).map(|_| random.below(50) as i64).collect();
            let least = if random.below(3) == 0 { -2 } else { 0 };
            for _ in 0..n_arcs {
                let (from, to) = (random.below(n), random.below(n));
                let arc = potentials[to] - potentials[from] + random.below(5) as i64 + least;
                if !heads.get(to, from) {
                    heads.put(to, from, true);
                    arcs.push((from, to, arc));
                    for bit in 0..width {
                        lengths.put(to, from * width + bit, arc >> (width - 1 - bit) & 1 == 1);
                    }
                }
            }
            let start = random.below(n);
            let (expected, has_cycle) = by_all_arcs(&arcs, n, start);
            let sparse = [&heads, &lengths].map(|table| SparseLines::of_columns(table).unwrap());
            let [sparse_heads, sparse_lengths] = sparse.each_ref().map(Matrix::Sparse);
            let namesakes: Vec<u32> = (0..n as u32).collect();
            for (heads, lengths) in
                [(Matrix::Dense(&heads), Matrix::Dense(&lengths)), (sparse_heads, sparse_lengths)]
            {
                let given = WeightedArcs { heads, lengths, along: LineOrder::Columns, width };
                let mut poller = InterruptPoller::new(&environment);
                let at = (start, arcs.len());
                let found = ShortestPaths::find_signed(&given, n, at, &namesakes, &mut poller);
                let (found, negative) = found.unwrap().expect("small weights");
                assert_eq!(negative, has_cycle, "round {round}");
                if has_cycle {
                    n_cycles += 1;
                    continue;
                }
                n_paths += 1;
                for (vertex, length) in expected.iter().enumerate() {
                    let biased = length.map(|length| (length + (1 << (width - 1))) as u64);
                    assert_eq!(found.lengths[vertex], biased.unwrap_or((1 << width) - 1));
                    let is_first = length.is_none() || vertex == start;
                    assert_eq!(found.before[vertex] == NONE, is_first, "round {round}");
                }
            }
        }
        assert!(n_cycles > 20 && n_paths > 100, "{n_cycles} with cycles, {n_paths} without");
    }
}
