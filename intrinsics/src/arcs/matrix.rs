//! Arcs of matrices, grouped by their tails, and the paths along them that DIJKSTRA chooses.
//!
//! Note [Order of removal]. DIJKSTRA removes vertices by distance, then by number, and the
//! predecessor of a vertex is the first removed one at the right distance. Only arcs of length 0
//! disturb that order: a vertex that is reached through them alone enters the queue when vertices
//! of its distance are removed already, and if one of these has a greater number, it is removed
//! directly after them. Such vertices are *late*. Few arcs have length 0, so the order is found for
//! their ends only.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::paths::Distances;
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
    /// `2^(width-1)`. See Note [Order of removal].
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
        let mut lengths: Vec<u64> = filled(self.n, (1 << width) - 1)?;
        for (vertex, length) in (0..).zip(&mut lengths) {
            *length = distances.get(vertex).unwrap_or(*length);
        }
        match self.predecessors(start, &distances, &mut poller)? {
            Some(tree) => Ok(Some(ShortestPaths { lengths, before: tree.before })),
            None => self.paths_by_heap(start, width, &mut poller),
        }
    }

    /// The predecessors on the paths from `start`. `None` if too many arcs have length 0.
    pub(crate) fn predecessors<'d>(
        &self,
        start: usize,
        distances: &'d Distances,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Option<Predecessors<'d>>, Ended> {
        let (start, before) = (start as u32, filled(self.n, NONE)?);
        let mut tree = Predecessors { start, distances, before, late: HashMap::new() };
        let mut zeros = reserved(self.n / 2)?;
        if !tree.along_positive(self, Some(&mut zeros), poller)? {
            return Ok(None);
        }
        tree.along_zeros(zeros, poller)?;
        if !tree.late.is_empty() {
            tree.along_positive(self, None, poller)?;
        }
        Ok(Some(tree))
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

/// The predecessors on shortest paths, while they are found.
pub(crate) struct Predecessors<'d> {
    start: u32,
    distances: &'d Distances,
    /// The predecessor of each vertex; [`NONE`] if there is none so far.
    before: Vec<u32>,
    /// For each late vertex, the greatest number of a vertex of its distance that was removed
    /// before it, and its position among the late ones after that vertex, from 1.
    pub(crate) late: HashMap<u32, (u32, u32)>,
}

impl Predecessors<'_> {
    /// The order of removal among vertices of equal distance.
    fn order(&self, vertex: u32) -> (u32, u32) {
        self.late.get(&vertex).copied().unwrap_or((vertex, 0))
    }

    /// Finds the first removed predecessor of each vertex along arcs of positive length. Collects
    /// those of length 0 between different vertices, as tail and head; returns false if these are
    /// more than half as many as vertices.
    fn along_positive(
        &mut self,
        arcs: &GroupedArcs<WeightedEnd>,
        mut zeros: Option<&mut Vec<(u32, u32)>>,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<bool, Ended> {
        for tail in 0..arcs.n as u32 {
            let Some(length) = self.distances.get(tail) else { continue };
            let ends = arcs.of(tail);
            poller.spend(1 + ends.len())?;
            for &(head, weight) in ends {
                let is_last = self.distances.get(head) == Some(length + u64::from(weight));
                if !is_last || head == tail || head == self.start {
                    continue;
                }
                if weight == 0 {
                    match &mut zeros {
                        Some(zeros) if zeros.len() == arcs.n / 2 => return Ok(false),
                        Some(zeros) => zeros.push((tail, head)),
                        None => {}
                    }
                    continue;
                }
                let known = self.before[head as usize];
                if known == NONE || self.precedes((length, tail), known) {
                    self.before[head as usize] = tail;
                }
            }
        }
        Ok(true)
    }

    /// Returns whether the vertex at this distance is removed before another one.
    fn precedes(&self, (length, vertex): (u64, u32), other: u32) -> bool {
        self.distances.get(other).is_some_and(|of_other| match length == of_other {
            true => !self.late.is_empty() && self.order(vertex) < self.order(other),
            false => length < of_other,
        })
    }

    /// Finds the predecessors of the vertices that are reached along arcs of length 0 alone, and
    /// which of them are late.
    fn along_zeros(
        &mut self,
        mut zeros: Vec<(u32, u32)>,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        zeros.sort_unstable_by_key(|&(tail, head)| (self.distances.get(tail), tail, head));
        for level in zeros.chunk_by(|a, b| self.distances.get(a.0) == self.distances.get(b.0)) {
            poller.spend(16 * level.len())?;
            let is_queued =
                |&vertex: &u32| vertex == self.start || self.before[vertex as usize] != NONE;
            let mut tails: Vec<u32> = level.iter().map(|&(tail, _)| tail).collect();
            tails.dedup();
            let mut queue: BinaryHeap<Reverse<u32>> =
                tails.into_iter().filter(is_queued).map(Reverse).collect();
            let (mut greatest, mut n_late) = (0, 0);
            while let Some(Reverse(tail)) = queue.pop() {
                if tail < greatest {
                    n_late += 1;
                    self.late.insert(tail, (greatest, n_late));
                }
                greatest = greatest.max(tail);
                let first = level.partition_point(|&(of, _)| of < tail);
                for &(_, head) in level[first..].iter().take_while(|&&(of, _)| of == tail) {
                    if self.before[head as usize] == NONE {
                        self.before[head as usize] = tail;
                        queue.push(Reverse(head));
                    }
                }
            }
        }
        Ok(())
    }
}
