//! Strong components of a graph of few arcs: each arc is looked at once.
//!
//! The search is that of Tarjan 1972, with its own stack instead of recursion. An arc costs one look at the number of the vertex that it leads to: those whose
//! component is known have the greatest number, which never is the least. The least number that is reached stands with the vertices on the way alone.

use star_base::SparseLines;

use super::{Components, NONE};
use crate::environment::{Ended, InterruptPoller};
use crate::{filled, reserved};

/// A vertex on the way from the root, and the arcs of it that come next.
#[derive(Clone, Copy)]
struct DfsFrame {
    vertex: u32,
    /// How many limbs of its line were taken.
    n_taken: u32,
    /// What is left of the last one of them, and its place.
    left: u64,
    place: u32,
    /// The least number that is known to be reached from it, of those whose component is not known.
    least: u32,
}

/// The number of a vertex whose component is known. No other vertex has it, since there are fewer of them.
const DONE: u32 = NONE - 1;

struct Search {
    /// In which order the vertices were reached, as long as their component is not known.
    numbers: Vec<u32>,
    n_reached: u32,
    stack: Vec<u32>,
    path: Vec<DfsFrame>,
    found: Components,
}

impl Components {
    /// Bytes that [`Components::find_sparse`] takes for `n` vertices at most.
    pub fn sparse_bytes(n: usize) -> u64 {
        (n as u64 + 1).saturating_mul(5 * 4 + size_of::<DfsFrame>() as u64)
    }

    /// Most vertices that [`Components::find_sparse`] has numbers for.
    pub const MOST_SPARSE: usize = DONE as usize;

    /// [`Components::find`] among the first `n` of sparse lines, whose ground is zeros. Panics beyond [`Components::MOST_SPARSE`].
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
    pub fn find_sparse(
        lines: &SparseLines,
        n: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Self, Ended> {
        assert!(n <= Components::MOST_SPARSE, "{n} vertices");
        let mut starts = reserved(n + 1)?;
        starts.push(0);
        let found = Components { members: reserved(n)?, starts, of: filled(n, NONE)? };
        let (numbers, stack, path) = (filled(n, NONE)?, reserved(n)?, reserved(n)?);
        let mut search = Search { numbers, n_reached: 0, stack, path, found };
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
        let number = self.n_reached;
        self.numbers[vertex] = number;
        self.n_reached += 1;
        self.stack.push(vertex as u32);
        let vertex = vertex as u32;
        self.path.push(DfsFrame { vertex, n_taken: 0, left: 0, place: 0, least: number });
    }

    /// Follows an arc, takes the next limb of arcs, or leaves a vertex; false if that was the root.
    fn step(&mut self, lines: &SparseLines, n: usize) -> bool {
        let Some(step) = self.path.last_mut() else { return false };
        let vertex = step.vertex as usize;
        if step.left != 0 {
            let to = step.place as usize * 64 + step.left.trailing_zeros() as usize;
            step.left &= step.left - 1;
            // Lines may be longer than there are vertices.
            if to >= n {
                return true;
            }
            match self.numbers[to] {
                NONE => self.reach(to),
                number => step.least = step.least.min(number),
            }
            return true;
        }
        let line = lines.line(vertex);
        if let Some(place) = line.places.get(step.n_taken as usize) {
            (step.place, step.left) = (*place, line.limbs[step.n_taken as usize]);
            step.n_taken += 1;
            return true;
        }
        let least = step.least;
        self.path.pop();
        if least == self.numbers[vertex] {
            self.complete(vertex);
        }
        match self.path.last_mut() {
            Some(before) => {
                before.least = before.least.min(least);
                true
            }
            None => false,
        }
    }

    /// The component that a vertex begins is complete.
    fn complete(&mut self, vertex: usize) {
        let Components { members, starts, of } = &mut self.found;
        let component = starts.len() as u32 - 1;
        while let Some(member) = self.stack.pop() {
            of[member as usize] = component;
            self.numbers[member as usize] = DONE;
            members.push(member);
            if member as usize == vertex {
                break;
            }
        }
        starts.push(members.len() as u32);
    }
}
