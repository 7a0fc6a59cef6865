//! A priority queue of cells for searches in which no cost falls below the last one taken: a radix
//! heap (R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan, 1990).
//!
//! A cell is in ring r if the highest bit in which its cost differs from the last one taken is bit
//! r − 1, and in ring 0 if they are equal. So a cell only moves to lower rings, at most once for
//! each bit. Rings are doubly linked through the cells, so that a cell that becomes cheaper leaves
//! its ring in constant time and memory does not depend on the search.

use crate::environment::Ended;
use crate::reserved;

/// The number of rings: one for each bit of a cost, and that of the last cost.
const RINGS: usize = u64::BITS as usize + 1;

/// A queue of cells, whose costs are stored by the caller.
#[derive(Debug)]
pub(super) struct CostQueue {
    /// The next and the previous cell in the ring of each cell, followed by the heads of the rings.
    /// A cell that is in no ring is linked to itself.
    links: Vec<[u32; 2]>,
    n_cells: usize,
    /// The cost that was removed last.
    last: u64,
}

impl CostQueue {
    /// An empty queue for cells with numbers below `n_cells`, which is at most 2³¹.
    ///
    /// # Errors
    /// [`Ended::OutOfMemory`].
    pub(super) fn new(n_cells: usize) -> Result<Self, Ended> {
        let mut links = reserved(n_cells + RINGS)?;
        links.extend((0..n_cells + RINGS).map(|idx| [idx as u32; 2]));
        Ok(CostQueue { links, n_cells, last: 0 })
    }

    /// Bytes of a queue.
    pub(super) fn n_bytes(n_cells: u64) -> u64 {
        n_cells.saturating_add(RINGS as u64).saturating_mul(size_of::<[u32; 2]>() as u64)
    }

    /// Inserts a cell, or moves it according to its lower cost. The cost must be at least that of
    /// the last cell removed.
    pub(super) fn put(&mut self, cell: usize, cost: u64) {
        self.remove(cell);
        let ring = u64::BITS - (cost ^ self.last).leading_zeros();
        let head = self.n_cells + ring as usize;
        let [next, _] = self.links[head];
        self.links[cell] = [next, head as u32];
        self.links[head][0] = cell as u32;
        self.links[next as usize][1] = cell as u32;
    }

    /// Removes a cell of minimum cost.
    pub(super) fn take(&mut self, costs: &[u64]) -> Option<usize> {
        let mut heads = self.n_cells..self.links.len();
        let head = heads.find(|&head| self.first(head).is_some())?;
        if head > self.n_cells {
            self.last = self.ring(head).map(|cell| costs[cell]).min()?;
            while let Some(cell) = self.first(head) {
                self.put(cell, costs[cell]);
            }
        }
        let cell = self.first(self.n_cells)?;
        self.remove(cell);
        Some(cell)
    }

    /// The first cell after a head.
    fn first(&self, head: usize) -> Option<usize> {
        let cell = self.links[head][0] as usize;
        (cell != head).then_some(cell)
    }

    /// All cells after a head.
    fn ring(&self, head: usize) -> impl Iterator<Item = usize> + '_ {
        let next = move |&cell: &usize| Some(self.links[cell][0] as usize).filter(|&to| to != head);
        std::iter::successors(self.first(head), next)
    }

    fn remove(&mut self, cell: usize) {
        let [next, previous] = self.links[cell];
        self.links[previous as usize][0] = next;
        self.links[next as usize][1] = previous;
        self.links[cell] = [cell as u32; 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_in_order_of_cost_even_if_costs_decrease() {
        let mut costs = vec![u64::MAX >> 1, 9, 7, 7, 1 << 40, 0];
        let mut queue = CostQueue::new(costs.len()).unwrap();
        assert_eq!(queue.take(&costs), None);
        for (cell, &cost) in costs.iter().enumerate() {
            queue.put(cell, cost);
        }
        assert_eq!(queue.take(&costs), Some(5));
        let mut sevens = [queue.take(&costs), queue.take(&costs)];
        sevens.sort();
        assert_eq!(sevens, [Some(2), Some(3)]);
        costs[0] = 8;
        queue.put(0, 8);
        let rest: Vec<usize> = std::iter::from_fn(|| queue.take(&costs)).collect();
        assert_eq!(rest, [0, 1, 4]);
    }
}
