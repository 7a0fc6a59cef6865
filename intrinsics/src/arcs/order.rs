//! Strong components (Tarjan 1972; one number for each vertex as in Pearce 2016) and topological
//! orders (Kahn 1962).

use super::{GroupedArcs, NONE};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::{filled, reserved};

/// The places of the vertices in a topological order.
#[derive(Debug)]
pub struct TopologicalOrder {
    /// The place of each vertex, from 1 on; 0 if a cycle leads to it.
    pub places: Vec<u32>,
    /// True if there is no cycle.
    pub is_acyclic: bool,
}

impl GroupedArcs<u32> {
    /// The code of the first vertex in the strong component of each vertex.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn strong(&self, environment: &dyn Environment) -> Result<Vec<u32>, Ended> {
        let (arcs, n) = (self, self.n);
        let mut poller = InterruptPoller::new(environment);
        let mut labels = filled(n, 0)?;
        // The least number that a vertex reaches as known, from 1 in the order of the search; 0 for
        // new vertices, the greatest number for those in complete components.
        let mut lows: Vec<u32> = filled(n, 0)?;
        let mut stack: Vec<u32> = reserved(n)?;
        // The path of the search: a vertex, its next arc, and its number.
        let mut path: Vec<(u32, u32, u32)> = reserved(n)?;
        let mut n_found = 0;
        for root in 0..n as u32 {
            if lows[root as usize] != 0 {
                continue;
            }
            let mut new = Some(root);
            loop {
                if let Some(vertex) = new.take() {
                    n_found += 1;
                    lows[vertex as usize] = n_found;
                    stack.push(vertex);
                    path.push((vertex, arcs.starts[vertex as usize], n_found));
                    poller.spend(4)?;
                }
                let Some((vertex, next, number)) = path.last_mut() else { break };
                let end = arcs.starts[*vertex as usize + 1];
                let mut low = lows[*vertex as usize];
                while *next < end {
                    let head = arcs.ends[*next as usize];
                    *next += 1;
                    match lows[head as usize] {
                        0 => {
                            new = Some(head);
                            break;
                        }
                        other => low = low.min(other),
                    }
                }
                lows[*vertex as usize] = low;
                if new.is_some() {
                    continue;
                }
                let (vertex, number) = (*vertex, *number);
                path.pop();
                if low == number {
                    let first = stack.iter().rposition(|other| *other == vertex).unwrap_or(0);
                    let label = stack[first..].iter().min().map_or(0, |label| label + 1);
                    for member in stack.drain(first..) {
                        lows[member as usize] = NONE;
                        labels[member as usize] = label;
                    }
                } else if let Some((before, ..)) = path.last() {
                    let before = &mut lows[*before as usize];
                    *before = low.min(*before);
                }
            }
        }
        Ok(labels)
    }

    /// The topological order by levels; in a level, vertices ascend.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn topological(&self, environment: &dyn Environment) -> Result<TopologicalOrder, Ended> {
        let (arcs, n) = (self, self.n);
        let mut poller = InterruptPoller::new(environment);
        let mut n_before: Vec<u32> = filled(n, 0)?;
        arcs.ends.iter().for_each(|head| n_before[*head as usize] += 1);
        let (mut level, mut next) = (reserved::<u32>(n)?, reserved(n)?);
        level.extend((0..n as u32).filter(|vertex| n_before[*vertex as usize] == 0));
        let mut places = filled(n, 0)?;
        let (mut place, mut n_left) = (0, arcs.ends.len());
        while !level.is_empty() {
            for &vertex in &level {
                place += 1;
                places[vertex as usize] = place;
                let heads = arcs.of(vertex);
                poller.spend(1 + heads.len())?;
                n_left -= heads.len();
                for &head in heads {
                    n_before[head as usize] -= 1;
                    if n_before[head as usize] == 0 {
                        next.push(head);
                    }
                }
            }
            next.sort_unstable();
            std::mem::swap(&mut level, &mut next);
            next.clear();
        }
        Ok(TopologicalOrder { places, is_acyclic: n_left == 0 })
    }
}
