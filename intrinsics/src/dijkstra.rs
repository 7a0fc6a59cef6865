//! Shortest paths from one vertex, by a heap (Dijkstra 1959; Johnson 1977 has heaps of more than
//! two children).
//!
//! Vertices are removed by length, those of equal length by number, and only strictly smaller
//! lengths replace others. The predecessors are therefore the same as those of the Star body.

use crate::environment::{Ended, InterruptPoller};
use crate::matrix::Matrix;
use crate::state::LineOrder;
use crate::{filled, reserved};

/// No vertex.
pub(crate) const NONE: u32 = u32::MAX;

/// The heap position of a removed vertex.
const TAKEN: u32 = NONE - 1;

/// Children of a node of the heap.
const CHILDREN: usize = 4;

/// Arcs with lengths, in their table layout.
#[derive(Clone, Copy, Debug)]
pub struct WeightedArcs<'t> {
    /// Line i holds the ends of the arcs that begin at vertex i.
    pub heads: Matrix<'t>,
    /// Numbers of `width` bits: field k of row i is the length of the arc from k to i.
    pub lengths: Matrix<'t>,
    /// The direction of the lines of `lengths`.
    pub along: LineOrder,
    /// Bits of a length, 1 to [`WeightedArcs::MOST_BITS`].
    pub width: usize,
}

/// The distances from a vertex, and the paths.
#[derive(Debug)]
pub struct ShortestPaths {
    /// The length to each vertex; all ones where there is no path.
    pub lengths: Vec<u64>,
    /// The predecessor of each vertex, if any.
    pub(crate) before: Vec<u32>,
}

impl WeightedArcs<'_> {
    /// The number of arcs among `n` vertices.
    pub fn count(&self, n: usize) -> usize {
        let mut count = 0;
        (0..n).for_each(|line| self.heads.ones(line, |_| count += 1));
        count
    }

    /// The maximum number of vertices.
    pub const MOST_VERTICES: usize = TAKEN as usize;

    /// The maximum width of a length: a sum has one more bit.
    pub const MOST_BITS: usize = 62;

    /// Reads the lengths of the arcs from a vertex to others, in ascending order.
    pub(crate) fn lengths_to(&self, from: usize, to: &[u32], lengths: &mut Vec<u64>) {
        lengths.clear();
        let field = from * self.width;
        match self.along {
            LineOrder::Rows => {
                let length = |to: &u32| self.lengths.number(*to as usize, field, self.width);
                lengths.extend(to.iter().map(length));
            }
            LineOrder::Columns => {
                lengths.resize(to.len(), 0);
                for line in field..field + self.width {
                    self.lengths.append_bits(line, to, lengths);
                }
            }
        }
    }
}

impl ShortestPaths {
    /// Bytes that [`ShortestPaths::find`] needs for `n` vertices.
    pub fn n_bytes(n: usize) -> u64 {
        // Lengths and predecessors; the heap and the positions in it; arcs of a vertex and their
        // lengths.
        (n as u64).saturating_mul(8 + 4 + size_of::<(u64, u32)>() as u64 + 4 + 4 + 8)
    }

    /// Finds the paths from vertex `start` of `n`. Returns `None` if a sum of lengths may reach the
    /// value for "no path": if an arc is relaxed from a distance, or with a length, whose highest
    /// bit is one. Panics beyond [`WeightedArcs::MOST_VERTICES`], and outside the tables.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn find(
        arcs: &WeightedArcs<'_>,
        n: usize,
        start: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Option<Self>, Ended> {
        Self::find_along(n, arcs.width, start, poller, |from, is_open, to, lengths| {
            arcs.heads.ones(from as usize, |head| {
                if is_open(head as u32) {
                    to.push(head as u32);
                }
            });
            if !to.is_empty() {
                arcs.lengths_to(from as usize, to, lengths);
            }
        })
    }

    /// Does the same along the arcs that `leaving` appends: the heads that are open, of the arcs
    /// that leave a vertex, and the lengths of these arcs.
    pub(crate) fn find_along(
        n: usize,
        width: usize,
        start: usize,
        poller: &mut InterruptPoller<'_>,
        mut leaving: impl FnMut(u32, &dyn Fn(u32) -> bool, &mut Vec<u32>, &mut Vec<u64>),
    ) -> Result<Option<Self>, Ended> {
        assert!(n <= WeightedArcs::MOST_VERTICES, "{n} vertices");
        let is_long = |length: u64| length >> (width - 1) != 0;
        let mut found =
            ShortestPaths { lengths: filled(n, (1 << width) - 1)?, before: filled(n, NONE)? };
        let mut queue = VertexQueue { heap: reserved(n)?, places: filled(n, NONE)? };
        let (mut to, mut lengths) = (reserved(n)?, reserved(n)?);
        found.lengths[start] = 0;
        queue.put(start as u32, 0);
        while let Some((length, from)) = queue.take() {
            to.clear();
            lengths.clear();
            leaving(from, &|head| queue.places[head as usize] != TAKEN, &mut to, &mut lengths);
            poller.spend(8 + 2 * to.len())?;
            if to.is_empty() {
                continue;
            }
            if is_long(length) || lengths.iter().any(|length| is_long(*length)) {
                return Ok(None);
            }
            for (&to, &arc) in to.iter().zip(&lengths) {
                let sum = length + arc;
                if sum < found.lengths[to as usize] {
                    found.lengths[to as usize] = sum;
                    found.before[to as usize] = from;
                    queue.put(to, sum);
                }
            }
        }
        Ok(Some(found))
    }

    /// Returns, for each vertex, the number of its predecessor in a list of numbers for all
    /// vertices; zero if it has no predecessor.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn of_predecessors(&self, numbers: &[u32]) -> Result<Vec<u32>, Ended> {
        let mut found = reserved(self.before.len())?;
        // `NONE` is beyond all vertices.
        let number = |&vertex: &u32| numbers.get(vertex as usize).copied().unwrap_or(0);
        found.extend(self.before.iter().map(number));
        Ok(found)
    }
}

/// A heap of vertices by length, then by number, with the position of each vertex.
struct VertexQueue {
    heap: Vec<(u64, u32)>,
    /// The position of each vertex in the heap; [`NONE`] before it is inserted, [`TAKEN`] after it
    /// is removed.
    places: Vec<u32>,
}

impl VertexQueue {
    /// Inserts a vertex or decreases its length.
    fn put(&mut self, vertex: u32, length: u64) {
        let at = match self.places[vertex as usize] {
            NONE => {
                self.heap.push((length, vertex));
                self.heap.len() - 1
            }
            at => at as usize,
        };
        self.rise(at, (length, vertex));
    }

    /// Removes the nearest vertex and returns it with its length.
    fn take(&mut self) -> Option<(u64, u32)> {
        let last = self.heap.pop()?;
        let first = match self.heap.first() {
            Some(first) => {
                let first = *first;
                self.sink(last);
                first
            }
            None => last,
        };
        self.places[first.1 as usize] = TAKEN;
        Some(first)
    }

    fn set(&mut self, at: usize, entry: (u64, u32)) {
        self.heap[at] = entry;
        self.places[entry.1 as usize] = at as u32;
    }

    /// Moves the entry up from `at` to its position.
    fn rise(&mut self, mut at: usize, entry: (u64, u32)) {
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.heap[parent] < entry {
                break;
            }
            self.set(at, self.heap[parent]);
            at = parent;
        }
        self.set(at, entry);
    }

    /// Moves the entry down from the top to its position.
    fn sink(&mut self, entry: (u64, u32)) {
        let mut at = 0;
        loop {
            let first = at * CHILDREN + 1;
            let children = first..self.heap.len().min(first + CHILDREN);
            let least = children.min_by_key(|child| self.heap[*child]);
            match least {
                Some(child) if self.heap[child] < entry => {
                    self.set(at, self.heap[child]);
                    at = child;
                }
                Some(_) | None => break,
            }
        }
        self.set(at, entry);
    }
}

#[cfg(test)]
mod tests {
    use star_base::Random;
    use star_value::{BitTable, SparseLines};

    use super::*;
    use crate::arcs::GroupedArcs;
    use crate::tests::Plain;

    /// The transpose of a table.
    fn transposed(table: &BitTable) -> BitTable {
        let mut transposed = BitTable::zeros(table.n_cols(), table.n_rows()).unwrap();
        for row in 0..table.n_rows() {
            (0..table.n_cols()).for_each(|col| transposed.put(col, row, table.get(row, col)));
        }
        transposed
    }

    /// Distances by rounds over all arcs (Bellman 1958).
    fn by_rounds(arcs: &[(usize, usize, u64)], n: usize, start: usize) -> Vec<Option<u64>> {
        let mut lengths = vec![None; n];
        lengths[start] = Some(0);
        for _ in 0..n {
            for &(from, to, arc) in arcs {
                if let Some(length) = lengths[from]
                    && lengths[to].is_none_or(|known| length + arc < known)
                {
                    lengths[to] = Some(length + arc);
                }
            }
        }
        lengths
    }

    #[test]
    fn distances_equal_those_of_rounds_over_all_arcs() {
        let mut random = Random::new(1959);
        let environment = Plain::default();
        for (n, width) in [(1, 3), (2, 62), (64, 11), (65, 40), (130, 14), (200, 33)] {
            for (n_arcs, least) in [(0, 0), (n, 0), (n, 1), (4 * n, 0), (4 * n, 1), (n * n / 2, 1)]
            {
                let mut heads = BitTable::zeros(n, n).unwrap();
                let mut lengths = BitTable::zeros(n, n * width).unwrap();
                let mut arcs = Vec::new();
                for _ in 0..n_arcs {
                    let (from, to, arc) =
                        (random.below(n), random.below(n), least + random.below(4) as u64);
                    // Lines are indexed by the start of the arc.
                    if !heads.get(to, from) {
                        heads.put(to, from, true);
                        arcs.push((from, to, arc));
                        for bit in 0..width {
                            lengths.put(to, from * width + bit, arc >> (width - 1 - bit) & 1 == 1);
                        }
                    }
                }
                let start = random.below(n);
                let expected = by_rounds(&arcs, n, start);
                let is_long = arcs.iter().any(|(.., arc)| arc >> (width - 1) != 0);
                let by_rows = transposed(&lengths);
                let sparse = [&heads, &lengths, &by_rows]
                    .map(|table| SparseLines::of_columns(table).unwrap());
                let [sparse_heads, columns, rows] = sparse.each_ref().map(Matrix::Sparse);
                for (heads, lengths, along) in [
                    (Matrix::Dense(&heads), Matrix::Dense(&lengths), LineOrder::Columns),
                    (Matrix::Dense(&heads), Matrix::Dense(&by_rows), LineOrder::Rows),
                    (sparse_heads, columns, LineOrder::Columns),
                    (sparse_heads, rows, LineOrder::Rows),
                ] {
                    let arcs = WeightedArcs { heads, lengths, along, width };
                    let mut poller = InterruptPoller::new(&environment);
                    let found = ShortestPaths::find(&arcs, n, start, &mut poller).unwrap();
                    let Some(found) = found else {
                        assert!(is_long, "{n} vertices, {width} bits");
                        continue;
                    };
                    let n_arcs = arcs.count(n);
                    let grouped = GroupedArcs::of_matrix(&arcs, n, n_arcs, &environment).unwrap();
                    let along = grouped
                        .and_then(|grouped| grouped.paths(start, width, &environment).unwrap());
                    assert_eq!(along.is_none(), is_long, "{n} vertices, {width} bits");
                    if let Some(along) = along {
                        assert_eq!(along.lengths, found.lengths);
                        assert_eq!(along.before, found.before);
                    }
                    for (vertex, length) in expected.iter().enumerate() {
                        assert_eq!(found.lengths[vertex], length.unwrap_or((1 << width) - 1));
                        assert_eq!(
                            found.before[vertex] == NONE,
                            length.is_none() || vertex == start
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn vertices_are_removed_by_length_then_by_number() {
        let mut queue = VertexQueue { heap: Vec::new(), places: vec![NONE; 9] };
        for (vertex, length) in [(5, 7), (3, 9), (8, 7), (0, 9), (2, 1), (7, 30), (1, 31)] {
            queue.put(vertex, length);
        }
        assert_eq!(queue.take(), Some((1, 2)));
        queue.put(1, 7);
        queue.put(7, 8);
        let rest: Vec<u32> =
            std::iter::from_fn(|| queue.take().map(|(_, vertex)| vertex)).collect();
        assert_eq!(rest, [1, 5, 8, 7, 0, 3]);
        assert!(rest.iter().all(|vertex| queue.places[*vertex as usize] == TAKEN));
    }

    /// See Note [Order of removal] in `arcs/matrix.rs`.
    #[test]
    fn predecessors_equal_those_of_the_heap_if_few_arcs_have_length_0() {
        let mut random = Random::new(1977);
        let environment = Plain::default();
        let width = 8;
        let mut n_late = 0;
        for seed in 0..400 {
            let n = 2 + random.below(60);
            let mut heads = BitTable::zeros(n, n).unwrap();
            let mut lengths = BitTable::zeros(n, n * width).unwrap();
            for _ in 0..3 * n {
                let (from, to) = (random.below(n), random.below(n));
                let length = if random.below(8) == 0 { 0 } else { 1 + random.below(3) };
                heads.put(to, from, true);
                for bit in 0..width {
                    lengths.put(to, from * width + bit, length >> (width - 1 - bit) & 1 == 1);
                }
            }
            let arcs = WeightedArcs {
                heads: Matrix::Dense(&heads),
                lengths: Matrix::Dense(&lengths),
                along: LineOrder::Columns,
                width,
            };
            let mut poller = InterruptPoller::new(&environment);
            let grouped = GroupedArcs::of_matrix(&arcs, n, arcs.count(n), &environment);
            let grouped = grouped.unwrap().unwrap();
            for start in 0..n.min(5) {
                let expected = ShortestPaths::find(&arcs, n, start, &mut poller).unwrap().unwrap();
                let found = grouped.paths(start, width, &environment).unwrap().unwrap();
                assert_eq!(found.lengths, expected.lengths, "{seed}");
                assert_eq!(found.before, expected.before, "{seed}, from {start}");
                let distances = grouped.distances(start, &environment).unwrap();
                let tree = grouped.predecessors(start, &distances, &mut poller).unwrap();
                n_late += tree.map_or(0, |tree| tree.late.len());
            }
        }
        assert!(n_late > 500, "{n_late} late vertices");
    }
}
