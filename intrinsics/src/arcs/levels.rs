//! Breadth-first search (Moore 1959); along edges, large levels are searched from the unreached
//! vertices (Beamer, Asanović, Patterson 2012).

use super::{GroupedArcs, NONE};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::{filled, put};

/// A level is searched from the unreached vertices if it has more than this part of their arcs.
const LARGE: usize = 14;

/// Such searches end with a level of less than this part of the vertices.
const SMALL: usize = 24;

/// Smaller levels are searched along their arcs, whatever these are: at most this part of the
/// vertices.
const TINY: usize = 256;

impl GroupedArcs<u32> {
    /// The number of arcs on a shortest path from `start` to each vertex, all ones if there is no
    /// path.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn levels(&self, start: usize, environment: &dyn Environment) -> Result<Vec<u32>, Ended> {
        let n = self.n;
        let mut search = Search {
            levels: filled(n, NONE)?,
            seen: filled(n.div_ceil(64), 0)?,
            level: filled(n + 1, 0)?,
            next: filled(n + 1, 0)?,
            n_level: 1,
            arcs: self,
            depth: 0,
            n_left: self.ends.len(),
        };
        let mut poller = InterruptPoller::new(environment);
        search.levels[start] = 0;
        put(&mut search.seen, start);
        search.level[0] = start as u32;
        while search.n_level > 0 {
            search.depth += 1;
            if self.both && search.n_level > n / TINY && search.is_large() {
                search.pull(&mut poller)?;
            } else {
                search.push(&mut poller)?;
            }
            std::mem::swap(&mut search.level, &mut search.next);
        }
        Ok(search.levels)
    }
}

struct Search<'a> {
    arcs: &'a GroupedArcs<u32>,
    levels: Vec<u32>,
    /// Reached vertices.
    seen: Vec<u64>,
    /// The last level: the first `n_level` numbers.
    level: Vec<u32>,
    n_level: usize,
    /// Memory for the next level, with a place after all vertices.
    next: Vec<u32>,
    depth: u32,
    /// Arcs that no level has followed.
    n_left: usize,
}

impl Search<'_> {
    /// Returns whether the level has many of the arcs that are left.
    fn is_large(&self) -> bool {
        let n_arcs: usize =
            self.level[..self.n_level].iter().map(|vertex| self.arcs.of(*vertex).len()).sum();
        n_arcs > self.n_left.saturating_sub(n_arcs) / LARGE
    }

    /// Follows the arcs of the level. Every head is stored after the next level, which grows only
    /// if the head is new: a branch would be mispredicted often.
    fn push(&mut self, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        let mut n_next = 0;
        for &vertex in &self.level[..self.n_level] {
            let heads = self.arcs.of(vertex);
            poller.spend(1 + heads.len())?;
            self.n_left -= heads.len();
            for &head in heads {
                let limb = &mut self.seen[head as usize / 64];
                self.next[n_next] = head;
                n_next += usize::from(*limb >> (head % 64) & 1 == 0);
                *limb |= 1 << (head % 64);
            }
        }
        for &vertex in &self.next[..n_next] {
            self.levels[vertex as usize] = self.depth;
        }
        self.n_level = n_next;
        Ok(())
    }

    /// Finds a neighbour in the level for each unreached vertex, and continues in the same way
    /// while the levels are large.
    fn pull(&mut self, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        let n = self.levels.len();
        loop {
            let before = self.depth - 1;
            let mut n_next = 0;
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
                        self.next[n_next] = vertex;
                        n_next += 1;
                    }
                }
            }
            self.n_level = n_next;
            self.next[..n_next].iter().for_each(|vertex| put(&mut self.seen, *vertex as usize));
            if n_next <= n / SMALL {
                return Ok(());
            }
            self.depth += 1;
        }
    }
}
