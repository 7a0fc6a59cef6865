//! Strong components of a sparse graph: each arc is examined once.
//!
//! The search is that of Tarjan 1972, with an explicit stack instead of recursion. An arc costs one
//! read of the number of the vertex that it leads to: vertices whose component is known have
//! greater numbers than all others, so they are never the minimum. The least reachable number is
//! stored only for the vertices on the path. Members of components and vertices that wait for their
//! component share one list, and so do numbers and components, which reduces cache misses.

use star_value::SparseLines;

use super::{Components, NONE};
use crate::environment::{Ended, InterruptPoller};
use crate::{filled, reserved};

/// A vertex on the path from the root, and the next of its arcs.
#[derive(Clone, Copy)]
struct DfsFrame {
    vertex: u32,
    /// The position and number of its remaining limbs in the pool of all lines, so that the line
    /// need not be searched again when the search returns to the vertex.
    next: usize,
    n_limbs: u32,
    /// The remaining bits of the last limb that was taken, and its position.
    left: u64,
    place: u32,
    /// The least number known to be reachable from it, among vertices whose component is not known.
    least: u32,
}

/// The flag for a vertex whose component is known: the other bits are that component.
const DONE: u32 = 1 << 31;

struct Search {
    /// The order in which the vertices were reached, as long as their component is not known.
    numbers: Vec<u32>,
    n_reached: u32,
    /// From the left, the members of components, one component after another; from `top` on, the
    /// vertices whose component is not known, last one first.
    members: Vec<u32>,
    n_members: usize,
    top: usize,
    starts: Vec<u32>,
    path: Vec<DfsFrame>,
}

impl Components {
    /// Bytes that [`Components::find_sparse`] needs for at most `n` vertices.
    pub fn sparse_bytes(n: usize) -> u64 {
        (n as u64 + 1).saturating_mul(3 * 4 + size_of::<DfsFrame>() as u64)
    }

    /// The maximum number of vertices for [`Components::find_sparse`].
    pub const MOST_SPARSE: usize = DONE as usize - 1;

    /// [`Components::find`] for the first `n` of sparse lines whose ground is zeros. Panics beyond
    /// [`Components::MOST_SPARSE`].
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
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

    /// Follows an arc, fetches the next limb of arcs, or leaves a vertex; returns false if that was
    /// the root.
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

    /// Completes the component that a vertex begins.
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
