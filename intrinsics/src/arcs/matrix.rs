//! Arcs of matrices, grouped by their tails, and the paths along them that DIJKSTRA chooses.

use super::{GroupedArcs, NONE, WeightedEnd};
use crate::dijkstra::{ShortestPaths, WeightedArcs};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::{filled, reserved};

impl GroupedArcs<WeightedEnd> {
    /// Groups the `n_arcs` arcs of a matrix of `n` vertices. `None` if a length reaches 2^32 or has
    /// the highest bit of its width.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn of_matrix(
        matrix: &WeightedArcs<'_>,
        n: usize,
        n_arcs: usize,
        environment: &dyn Environment,
    ) -> Result<Option<Self>, Ended> {
        let most = u64::from(u32::MAX).min((1 << (matrix.width - 1)) - 1);
        let mut poller = InterruptPoller::new(environment);
        let (mut starts, mut ends) = (reserved(n + 1)?, reserved::<WeightedEnd>(n_arcs)?);
        let (mut heads, mut lengths) = (reserved(n)?, reserved(n)?);
        let mut max_weight = 0;
        for tail in 0..n {
            starts.push(ends.len() as u32);
            heads.clear();
            matrix.heads.ones(tail, |head| heads.push(head as u32));
            poller.spend(8 + 2 * heads.len())?;
            matrix.lengths_to(tail, &heads, &mut lengths);
            for (&head, &length) in heads.iter().zip(&lengths) {
                if length > most {
                    return Ok(None);
                }
                max_weight = max_weight.max(length as u32);
                ends.push((head, length as u32));
            }
        }
        starts.push(ends.len() as u32);
        Ok(Some(GroupedArcs { n, both: false, among: Vec::new(), max_weight, starts, ends }))
    }

    /// The paths from `start` that [`ShortestPaths::find`] finds. `None` if a length reaches
    /// `2^(width-1)`.
    ///
    /// Without arcs of length 0 on the paths, the vertices are removed by length, then by number:
    /// the predecessor of a vertex is the first of those at the right distance.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn paths(
        &self,
        start: usize,
        width: usize,
        environment: &dyn Environment,
    ) -> Result<Option<ShortestPaths>, Ended> {
        let mut poller = InterruptPoller::new(environment);
        let distances = self.distances(start, environment)?;
        if !distances.fit(width - 1) {
            return Ok(None);
        }
        let mut before = filled(self.n, NONE)?;
        let mut lengths: Vec<u64> = filled(self.n, (1 << width) - 1)?;
        for tail in 0..self.n as u32 {
            let Some(length) = distances.get(tail) else { continue };
            lengths[tail as usize] = length;
            let ends = self.of(tail);
            poller.spend(1 + ends.len())?;
            for &(head, weight) in ends {
                let is_last = distances.get(head) == Some(length + u64::from(weight));
                if !is_last || head == tail || head as usize == start {
                    continue;
                }
                if weight == 0 {
                    return self.paths_by_heap(start, width, &mut poller);
                }
                let known = &mut before[head as usize];
                if *known == NONE || distances.get(*known).is_some_and(|other| length < other) {
                    *known = tail;
                }
            }
        }
        Ok(Some(ShortestPaths { lengths, before }))
    }

    fn paths_by_heap(
        &self,
        start: usize,
        width: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Option<ShortestPaths>, Ended> {
        ShortestPaths::find_along(self.n, width, start, poller, |from, is_open, to, lengths| {
            for &(head, weight) in self.of(from).iter().filter(|(head, _)| is_open(*head)) {
                to.push(head);
                lengths.push(u64::from(weight));
            }
        })
    }
}
