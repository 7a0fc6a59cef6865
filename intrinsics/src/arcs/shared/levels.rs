//! Breadth-first search by several processes.

use super::OwnedArcs;
use crate::arcs::NONE;
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::peers::Peers;
use crate::{filled, has, ones, ones_of, put};

impl OwnedArcs<u32> {
    /// The numbers of arcs from `start` to the vertices in the rows of this process, as
    /// [`GroupedArcs::levels`](crate::GroupedArcs::levels) finds them for all: two exchanges a
    /// level, and one of the results.
    ///
    /// Along edges, the unreached vertices are searched for one that has an end in the level, if
    /// fewer arcs leave them than the level. Their owners find them, so the processes only tell
    /// each other which they have found; otherwise they unite what all have found.
    ///
    /// # Errors
    /// If memory allocation fails, the run is interrupted, or another process has ended.
    pub fn levels(
        &self,
        start: usize,
        peers: &dyn Peers,
        environment: &dyn Environment,
    ) -> Result<Vec<u32>, Ended> {
        let n_limbs = self.owners.n_places() / 64;
        let mut poller = InterruptPoller::new(environment);
        let tails = self.arcs.tails(&mut poller)?;
        let mut levels = filled(self.owners.n_own(), NONE)?;
        let mut seen = filled(n_limbs, 0)?;
        let mut next = filled(n_limbs, 0)?;
        let own = self.own_limbs();
        put(&mut next, self.owners.place(start as u32) as usize);
        let mut level = filled(n_limbs, 0)?;
        // Arcs of this process that no level has followed.
        let mut n_left = self.arcs.ends.len();
        for depth in 0.. {
            poller.spend(3 * n_limbs)?;
            ones(&next[own.clone()]).for_each(|vertex| levels[vertex] = depth);
            seen.iter_mut().zip(&next).for_each(|(seen, next)| *seen |= next);
            std::mem::swap(&mut level, &mut next);
            let in_level = || ones(&level[own.clone()]).map(|vertex| self.arcs.of(vertex as u32));
            let n_heads: usize = in_level().map(<[u32]>::len).sum();
            n_left -= n_heads;
            let mut counts = [n_heads as i64, n_left as i64];
            peers.sum(&mut counts)?;
            if self.arcs.both && counts[0] > counts[1] {
                let unseen =
                    tails.iter().zip(&seen[own.clone()]).map(|(tails, seen)| tails & !seen);
                let mut found = filled(tails.len(), 0)?;
                for vertex in ones_of(unseen) {
                    let ends = self.arcs.of(vertex as u32);
                    poller.spend(2)?;
                    if ends.iter().any(|end| has(&level, *end as usize)) {
                        put(&mut found, vertex);
                    }
                }
                next = peers.concat(&found)?;
            } else {
                next.fill(0);
                for heads in in_level() {
                    poller.spend(1 + heads.len())?;
                    heads.iter().for_each(|head| put(&mut next, *head as usize));
                }
                next.iter_mut().zip(&seen).for_each(|(next, seen)| *next &= !seen);
                peers.union(&mut next)?;
            }
            if next.iter().all(|limb| *limb == 0) {
                break;
            }
        }
        self.in_rows(&levels, peers, &mut poller)
    }
}
