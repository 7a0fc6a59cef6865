//! Breadth-first search (Moore 1959); along edges, large levels are searched from the unreached
//! vertices (Beamer, Asanović, Patterson 2012).

use super::{Adjacency, ArcList, NONE};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::{filled, has, put, reserved};

/// A level is searched from the unreached vertices if it has more than this part of their arcs.
const LARGE: usize = 14;

/// Such searches end with a level of less than this part of the vertices.
const SMALL: usize = 24;

impl ArcList {
    /// The number of arcs on a shortest path from `start` to each vertex, all ones if there is no
    /// path; with `both`, arcs lead in both directions.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn levels(
        self,
        start: usize,
        both: bool,
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        let arcs = self.by_tail(both, |head, _| head, environment)?;
        let n = self.n;
        drop(self);
        let mut search = Search {
            levels: filled(n, NONE)?,
            seen: filled(n.div_ceil(64), 0)?,
            level: reserved(n)?,
            next: reserved(n)?,
            arcs,
            depth: 0,
        };
        let mut poller = InterruptPoller::new(environment);
        search.levels[start] = 0;
        put(&mut search.seen, start);
        search.level.push(start as u32);
        // Arcs of the vertices that are neither reached nor in the level.
        let mut n_left = search.arcs.ends.len();
        while !search.level.is_empty() {
            search.depth += 1;
            let n_arcs = search.level.iter().map(|vertex| search.arcs.of(*vertex).len()).sum();
            n_left = n_left.saturating_sub(n_arcs);
            if both && n_arcs > n_left / LARGE {
                search.pull(&mut poller)?;
            } else {
                search.push(&mut poller)?;
            }
            std::mem::swap(&mut search.level, &mut search.next);
            search.next.clear();
        }
        Ok(search.levels)
    }
}

struct Search {
    arcs: Adjacency<u32>,
    levels: Vec<u32>,
    /// Reached vertices.
    seen: Vec<u64>,
    level: Vec<u32>,
    next: Vec<u32>,
    depth: u32,
}

impl Search {
    /// Follows the arcs of the level.
    fn push(&mut self, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        for &vertex in &self.level {
            let heads = self.arcs.of(vertex);
            poller.spend(1 + heads.len())?;
            for &head in heads {
                if !has(&self.seen, head as usize) {
                    put(&mut self.seen, head as usize);
                    self.levels[head as usize] = self.depth;
                    self.next.push(head);
                }
            }
        }
        Ok(())
    }

    /// Finds a neighbour in the level for each unreached vertex, and continues in the same way
    /// while the levels are large.
    fn pull(&mut self, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        let n = self.levels.len();
        loop {
            let before = self.depth - 1;
            for limb in 0..self.seen.len() {
                let mut unseen = !self.seen[limb];
                if limb == n / 64 {
                    unseen &= (1 << (n % 64)) - 1;
                }
                while unseen != 0 {
                    let vertex = (limb * 64) as u32 + unseen.trailing_zeros();
                    unseen &= unseen - 1;
                    let ends = self.arcs.of(vertex);
                    poller.spend(2)?;
                    if ends.iter().any(|end| self.levels[*end as usize] == before) {
                        self.levels[vertex as usize] = self.depth;
                        self.next.push(vertex);
                    }
                }
            }
            self.next.iter().for_each(|vertex| put(&mut self.seen, *vertex as usize));
            if self.next.len() <= n / SMALL {
                return Ok(());
            }
            self.next.clear();
            self.depth += 1;
        }
    }
}
