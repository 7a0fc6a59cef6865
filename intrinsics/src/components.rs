//! Strong components of a graph whose arcs are the ones of bit lines.
//!
//! The search is that of Cheriyan and Mehlhorn 1996 (a stack of vertices, a stack of bounds between
//! them), with an explicit stack instead of recursion. It reads the line of a vertex twice: once
//! when the vertex is reached, for arcs to vertices on the stack, and once over all its visits, for
//! arcs to vertices that have not been reached.
//!
//! Note [Skipping]. An arc to the stack carries information only if it leads below the topmost
//! bound. For every limb, the lowest stack position of its vertices is stored, so that limbs
//! without such a vertex are skipped: in a large component these are nearly all limbs.

mod sparse;

use star_value::{BitTable, Limbs};

use crate::environment::{Ended, InterruptPoller};
use crate::{filled, has, put, reserved};

/// The strong components of a graph.
#[derive(Debug)]
pub struct Components {
    /// The vertices, from 0, one component after another. A component comes after all components
    /// that its arcs lead to.
    members: Vec<u32>,
    /// The start of each component among the members, and the end of the last one.
    starts: Vec<u32>,
    /// The component of each vertex.
    of: Vec<u32>,
}

/// No stack position.
const NONE: u32 = u32::MAX;

impl Components {
    /// Bytes that [`Components::find`] needs for at most `n` vertices.
    pub fn n_bytes(n: usize) -> u64 {
        // Members, starts, components, stack, bounds: 4 each; the path 8; two sets and the lowest
        // positions.
        (n as u64)
            .saturating_mul(5 * 4 + 8)
            .saturating_add((n.div_ceil(64) as u64 + 1) * (8 + 8 + 4))
    }

    /// Finds the components of the first `n` vertices: vertex `i` has an arc to each `j < n` with
    /// bit `j` of line `i`.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn find(
        lines: &BitTable,
        n: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Self, Ended> {
        let mut search = Search::new(lines, n)?;
        for root in 0..n {
            if search.is_new(root) {
                search.from(root, poller)?;
            }
        }
        Ok(search.found)
    }

    /// The number of components, at most the number of vertices.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.of.len()
    }

    /// Returns whether there are no components, because there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices of a component.
    pub fn members(&self, component: usize) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        let (from, to) = (self.starts[component], self.starts[component + 1]);
        self.members[from as usize..to as usize].iter().map(|&vertex| vertex as usize)
    }

    /// One vertex of a component, always the same.
    pub fn first_member(&self, component: usize) -> usize {
        self.members[self.starts[component] as usize] as usize
    }

    /// The component of a vertex.
    pub fn of(&self, vertex: usize) -> usize {
        self.of[vertex] as usize
    }
}

/// Components that arcs lead to and that were not examined yet.
///
/// They are removed from the highest number down. If one of two components leads to the other, it
/// has the higher number: it is removed first, and the other is then already reached.
#[derive(Debug)]
pub struct Ahead {
    ones: Limbs,
    /// Limbs that may be nonzero; all later ones are zero.
    n_limbs: usize,
}

impl Ahead {
    /// An empty set of components.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn new(components: &Components) -> Result<Self, Ended> {
        Ok(Ahead { ones: Limbs::zeros(components.len().div_ceil(64))?, n_limbs: 0 })
    }

    /// Adds the components of the vertices of a set; bits after the vertices are ignored.
    ///
    /// # Errors
    /// If the run is interrupted.
    pub fn add(
        &mut self,
        components: &Components,
        vertices: impl Iterator<Item = u64>,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let Ahead { ones, n_limbs: end } = self;
        let (n, mut n_limbs) = (components.of.len(), *end);
        // The limbs of the set, and of this one when it is emptied.
        poller.spend(2 * n.div_ceil(64))?;
        for (at, limb) in vertices.take(n.div_ceil(64)).enumerate() {
            let mut left = if (at + 1) * 64 <= n { limb } else { limb & ((1 << (n % 64)) - 1) };
            // Each bit costs about as much as a limb elsewhere.
            poller.spend(left.count_ones() as usize)?;
            while left != 0 {
                let component = components.of(at * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
                put(ones, component);
                n_limbs = n_limbs.max(component / 64 + 1);
            }
        }
        *end = n_limbs;
        Ok(())
    }

    /// Adds a set of components.
    pub fn add_all(&mut self, set: &[u64]) {
        self.ones.iter_mut().zip(set).for_each(|(to, limb)| *to |= limb);
        let last = set.iter().rposition(|limb| *limb != 0);
        self.n_limbs = self.n_limbs.max(last.map_or(0, |last| last + 1));
    }

    /// Removes the component with the highest number that is not reached: `reached` returns the
    /// reached components limb by limb, as currently known.
    pub fn pop(&mut self, reached: impl Fn(usize) -> u64) -> Option<usize> {
        loop {
            let at = self.n_limbs.checked_sub(1)?;
            let open = self.ones[at] & !reached(at);
            if let Some(bit) = open.checked_ilog2() {
                self.ones[at] = open & !(1 << bit);
                return Some(at * 64 + bit as usize);
            }
            self.ones[at] = 0;
            self.n_limbs = at;
        }
    }
}

struct Search<'a> {
    lines: &'a BitTable,
    /// Limbs of a set of vertices.
    n_limbs: usize,
    /// Vertices that have not been reached.
    new: Limbs,
    /// Vertices on the stack.
    waiting: Limbs,
    /// For each limb, the lowest stack position of its vertices; see Note [Skipping].
    lowest: Vec<u32>,
    /// Vertices whose component is not known yet, in the order in which they were reached.
    stack: Vec<u32>,
    /// Possible cuts of the stack: the vertices between two bounds belong to one component.
    bounds: Vec<u32>,
    /// The path from the root to the current vertex, with the next limb of each line.
    path: Vec<(u32, u32)>,
    /// The components found so far; for a vertex on the stack, its stack position.
    found: Components,
}

impl<'a> Search<'a> {
    /// A search that has reached nothing.
    fn new(lines: &'a BitTable, n: usize) -> Result<Self, Ended> {
        let n_limbs = n.div_ceil(64);
        let mut new = Limbs::zeros(n_limbs)?;
        new.fill(u64::MAX);
        star_value::bits::zero_tail(&mut new, n);
        let (lowest, of) = (filled(n_limbs, NONE)?, filled(n, NONE)?);
        let mut starts = reserved(n + 1)?;
        starts.push(0);
        Ok(Search {
            lines,
            n_limbs,
            new,
            waiting: Limbs::zeros(n_limbs)?,
            lowest,
            stack: reserved(n)?,
            bounds: reserved(n)?,
            path: reserved(n)?,
            found: Components { members: reserved(n)?, starts, of },
        })
    }

    fn is_new(&self, vertex: usize) -> bool {
        has(&self.new, vertex)
    }

    /// Reaches all new vertices that can be reached from `root`.
    fn from(&mut self, root: usize, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        self.reach(root);
        while let Some(&(vertex, limb)) = self.path.last() {
            poller.spend(2 * self.n_limbs)?;
            match self.next_arc(vertex as usize, limb as usize) {
                Some(next) => {
                    if let Some((_, limb)) = self.path.last_mut() {
                        *limb = (next / 64) as u32;
                    }
                    self.reach(next);
                }
                None => {
                    self.path.pop();
                    self.leave(vertex as usize);
                }
            }
        }
        Ok(())
    }

    /// The first unreached vertex, from limb `from` on, that an arc leads to.
    fn next_arc(&self, vertex: usize, from: usize) -> Option<usize> {
        let line = &self.lines.column_limbs(vertex)[from..self.n_limbs];
        let both = line.iter().zip(&self.new[from..]).map(|(line, new)| line & new);
        let (at, ones) = both.enumerate().find(|(_, ones)| *ones != 0)?;
        Some((from + at) * 64 + ones.trailing_zeros() as usize)
    }

    fn reach(&mut self, vertex: usize) {
        let (limb, bit) = (vertex / 64, 1_u64 << (vertex % 64));
        let place = self.stack.len() as u32;
        self.new[limb] &= !bit;
        // A loop at the vertex has no effect: it is not on the stack yet.
        self.join_below(vertex, place);
        self.waiting[limb] |= bit;
        self.lowest[limb] = self.lowest[limb].min(place);
        self.found.of[vertex] = place;
        self.stack.push(vertex as u32);
        self.path.push((vertex as u32, 0));
    }

    /// Joins the vertex, which is about to get this stack position, into one component with
    /// everything on the stack above the lowest vertex that an arc leads to.
    fn join_below(&mut self, vertex: usize, place: u32) {
        let mut bound = place;
        self.bounds.push(bound);
        let line = &self.lines.column_limbs(vertex)[..self.n_limbs];
        for (at, (line, waiting)) in line.iter().zip(&*self.waiting).enumerate() {
            let mut ones = line & waiting;
            while ones != 0 && self.lowest[at] < bound {
                let reached = self.found.of[at * 64 + ones.trailing_zeros() as usize];
                ones &= ones - 1;
                while reached < bound {
                    self.bounds.pop();
                    bound = self.bounds.last().copied().unwrap_or(0);
                }
            }
        }
    }

    /// Finishes a vertex whose arcs are done: if it begins a component, that is complete.
    fn leave(&mut self, vertex: usize) {
        let place = self.found.of[vertex];
        if self.bounds.last() != Some(&place) {
            return;
        }
        self.bounds.pop();
        let Components { members, starts, of } = &mut self.found;
        let component = starts.len() as u32 - 1;
        for member in self.stack.drain(place as usize..).rev() {
            let idx = member as usize;
            self.waiting[idx / 64] &= !(1 << (idx % 64));
            // All other vertices of the limb that are still on the stack are lower.
            if self.lowest[idx / 64] == of[idx] {
                self.lowest[idx / 64] = NONE;
            }
            of[idx] = component;
            members.push(member);
        }
        starts.push(members.len() as u32);
    }
}
