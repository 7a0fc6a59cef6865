//! Strong components of a graph of few arcs: each arc is looked at once.
//!
//! The search is that of Tarjan 1972, with its own stack instead of recursion.

use star_base::SparseLines;

use super::{Components, NONE};
use crate::environment::{Ended, InterruptPoller};
use crate::reserved;

/// A vertex on the way from the root, and the arcs of it that come next.
#[derive(Clone, Copy)]
struct DfsFrame {
    vertex: u32,
    /// How many limbs of its line were taken.
    n_taken: u32,
    /// What is left of the last one of them, and the first vertex of it.
    left: u64,
    first: usize,
}

struct Search {
    /// In which order the vertices were reached.
    numbers: Vec<u32>,
    /// The least number that is known to be reached from each vertex, of those whose component is not known.
    least: Vec<u32>,
    n_reached: u32,
    stack: Vec<u32>,
    path: Vec<DfsFrame>,
    found: Components,
}

impl Components {
    /// Bytes that [`Components::find_sparse`] takes for `n` vertices at most.
    pub fn sparse_bytes(n: usize) -> u64 {
        (n as u64 + 1).saturating_mul(6 * 4 + size_of::<DfsFrame>() as u64)
    }

    /// [`Components::find`] among the first `n` of sparse lines, whose ground is zeros.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn find_sparse(
        lines: &SparseLines,
        n: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Self, Ended> {
        let none = || -> Result<Vec<u32>, Ended> {
            let mut list = reserved(n)?;
            list.resize(n, NONE);
            Ok(list)
        };
        let mut starts = reserved(n + 1)?;
        starts.push(0);
        let found = Components { members: reserved(n)?, starts, of: none()? };
        let (numbers, least) = (none()?, none()?);
        let (stack, path) = (reserved(n)?, reserved(n)?);
        let mut search = Search { numbers, least, n_reached: 0, stack, path, found };
        for root in 0..n {
            if search.numbers[root] == NONE {
                search.reach(root);
                while search.step(lines, n) {
                    poller.spend(1)?;
                }
            }
        }
        Ok(search.found)
    }
}

impl Search {
    fn reach(&mut self, vertex: usize) {
        (self.numbers[vertex], self.least[vertex]) = (self.n_reached, self.n_reached);
        self.n_reached += 1;
        self.stack.push(vertex as u32);
        self.path.push(DfsFrame { vertex: vertex as u32, n_taken: 0, left: 0, first: 0 });
    }

    /// Follows an arc, takes the next limb of arcs, or leaves a vertex; false if that was the root.
    fn step(&mut self, lines: &SparseLines, n: usize) -> bool {
        let Some(step) = self.path.last_mut() else { return false };
        let vertex = step.vertex as usize;
        if step.left != 0 {
            let to = step.first + step.left.trailing_zeros() as usize;
            step.left &= step.left - 1;
            // Lines may be longer than there are vertices.
            if to >= n {
                return true;
            }
            if self.numbers[to] == NONE {
                self.reach(to);
            } else if self.found.of[to] == NONE {
                self.least[vertex] = self.least[vertex].min(self.numbers[to]);
            }
            return true;
        }
        let line = lines.line(vertex);
        if let Some(place) = line.places.get(step.n_taken as usize) {
            (step.first, step.left) = (*place as usize * 64, line.limbs[step.n_taken as usize]);
            step.n_taken += 1;
            return true;
        }
        self.path.pop();
        self.leave(vertex);
        match self.path.last() {
            Some(before) => {
                let before = before.vertex as usize;
                self.least[before] = self.least[before].min(self.least[vertex]);
                true
            }
            None => false,
        }
    }

    /// All arcs of the vertex are done: if it begins a component, that is complete.
    fn leave(&mut self, vertex: usize) {
        if self.least[vertex] != self.numbers[vertex] {
            return;
        }
        let Components { members, starts, of } = &mut self.found;
        let component = starts.len() as u32 - 1;
        while let Some(member) = self.stack.pop() {
            of[member as usize] = component;
            members.push(member);
            if member as usize == vertex {
                break;
            }
        }
        starts.push(members.len() as u32);
    }
}
