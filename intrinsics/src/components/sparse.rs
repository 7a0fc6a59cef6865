//! Strong components of a graph of few arcs: each arc is looked at once.
//!
//! The search is that of Tarjan 1972, with its own stack instead of recursion. An arc costs one look at the number of the vertex that it leads to: those whose
//! component is known have greater numbers than all others, which never are the least. The least number that is reached stands with the vertices on the way alone.
//! Members of components and vertices that wait for theirs share one list, and so do numbers and components: what is not touched misses no cache.

use star_base::SparseLines;

use super::{Components, NONE};
use crate::environment::{Ended, InterruptPoller};
use crate::{filled, reserved};

/// A vertex on the way from the root, and the arcs of it that come next.
#[derive(Clone, Copy)]
struct DfsFrame {
    vertex: u32,
    /// Where its limbs that were not taken lie in the pool of all lines, and how many they are: whoever comes back to a vertex has not to look for its line again.
    next: usize,
    n_limbs: u32,
    /// What is left of the last one that was taken, and its place.
    left: u64,
    place: u32,
    /// The least number that is known to be reached from it, of those whose component is not known.
    least: u32,
}

/// The bit of the number of a vertex whose component is known: the other bits are that component.
const DONE: u32 = 1 << 31;

struct Search {
    /// In which order the vertices were reached, as long as their component is not known.
    numbers: Vec<u32>,
    n_reached: u32,
    /// From the left the members of components, one component after another; from `top` on the vertices whose component is not known, the last one first.
    members: Vec<u32>,
    n_members: usize,
    top: usize,
    starts: Vec<u32>,
    path: Vec<DfsFrame>,
}

impl Components {
    /// Bytes that [`Components::find_sparse`] takes for `n` vertices at most.
    pub fn sparse_bytes(n: usize) -> u64 {
        (n as u64 + 1).saturating_mul(3 * 4 + size_of::<DfsFrame>() as u64)
    }

    /// Most vertices that [`Components::find_sparse`] has numbers for.
    pub const MOST_SPARSE: usize = DONE as usize - 1;

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
        let mut search = Search {
            numbers: filled(n, NONE)?,
            n_reached: 0,
            members: filled(n, 0)?,
            n_members: 0,
            top: n,
            starts,
            path: reserved(n)?,
        };
        for root in 0..n {
            if search.numbers[root] == NONE {
                search.reach(lines, root);
                while search.step(lines, n) {
                    poller.spend(1)?;
                }
            }
        }
        let Search { mut numbers, members, starts, .. } = search;
        numbers.iter_mut().for_each(|number| *number &= !DONE);
        Ok(Components { members, starts, of: numbers })
    }
}

impl Search {
    #[inline]
    fn reach(&mut self, lines: &SparseLines, vertex: usize) {
        let number = self.n_reached;
        self.numbers[vertex] = number;
        self.n_reached += 1;
        self.top -= 1;
        self.members[self.top] = vertex as u32;
        let limbs = lines.limbs_of(vertex);
        self.path.push(DfsFrame {
            vertex: vertex as u32,
            next: limbs.start,
            n_limbs: limbs.len() as u32,
            left: 0,
            place: 0,
            least: number,
        });
    }

    /// Follows an arc, takes the next limb of arcs, or leaves a vertex; false if that was the root.
    #[inline]
    fn step(&mut self, lines: &SparseLines, n: usize) -> bool {
        let Some(frame) = self.path.last_mut() else { return false };
        if frame.left != 0 {
            let to = frame.place as usize * 64 + frame.left.trailing_zeros() as usize;
            frame.left &= frame.left - 1;
            // LineOrder may be longer than there are vertices.
            if to >= n {
                return true;
            }
            match self.numbers[to] {
                NONE => self.reach(lines, to),
                number => frame.least = frame.least.min(number),
            }
            return true;
        }
        if frame.n_limbs > 0 {
            (frame.place, frame.left) = lines.pooled(frame.next);
            frame.next += 1;
            frame.n_limbs -= 1;
            return true;
        }
        let (vertex, least) = (frame.vertex, frame.least);
        self.path.pop();
        if least == self.numbers[vertex as usize] {
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
    fn complete(&mut self, vertex: u32) {
        let component = self.starts.len() as u32 - 1;
        loop {
            let member = self.members[self.top];
            self.top += 1;
            self.numbers[member as usize] = component | DONE;
            self.members[self.n_members] = member;
            self.n_members += 1;
            if member == vertex {
                break;
            }
        }
        self.starts.push(self.n_members as u32);
    }
}
