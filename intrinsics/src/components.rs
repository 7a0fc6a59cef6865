//! Strong components of a graph whose arcs are the ones of bit lines.
//!
//! The search is that of Cheriyan and Mehlhorn 1996 (a stack of vertices, a stack of bounds between them), with
//! its own stack instead of recursion. Per vertex it looks twice at its line: once, when it is reached,
//! for arcs to vertices that are on the stack, and once, over all its turns, for arcs to vertices that no arc has led to yet.
//!
//! Note [Skipping]. An arc to the stack says something new only if it leads below the uppermost bound. For every
//! limb the lowest place on the stack of its vertices is known, so that limbs without such a vertex
//! are passed over: in a large component nearly all of them are.

mod sparse;

use star_base::{BitTable, Limbs};

use crate::environment::{Ended, InterruptPoller};
use crate::{filled, has, put, reserved};

/// The strong components of a graph.
#[derive(Debug)]
pub struct Components {
    /// The vertices, from 0, one component after another. A component stands behind all those that an
    /// arc leads to from it.
    members: Vec<u32>,
    /// Where each component begins among the members, and the end of the last one.
    starts: Vec<u32>,
    /// The component of each vertex.
    of: Vec<u32>,
}

/// Nothing on the stack.
const NONE: u32 = u32::MAX;

impl Components {
    /// Bytes that [`Components::find`] takes for `n` vertices at most.
    pub fn n_bytes(n: usize) -> u64 {
        // Members, starts, components, stack, bounds: 4 each; the path 8; two sets and the lowest places.
        (n as u64)
            .saturating_mul(5 * 4 + 8)
            .saturating_add((n.div_ceil(64) as u64 + 1) * (8 + 8 + 4))
    }

    /// Finds them among the first `n` vertices: vertex `i` has an arc to each `j < n` with bit `j` of line
    /// `i`.
    ///
    /// # Errors
    /// If the system refuses the memory, or the run is to end.
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

    /// Number of components, at most that of the vertices.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.of.len()
    }

    /// Is there none, since there are no vertices?
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

/// Components that arcs lead to and that were not looked at yet.
///
/// They are taken from the highest number down. Of two components of which one leads to the other, that one has
/// the higher number: so it comes first, and the other is found to be reached already.
#[derive(Debug)]
pub struct Ahead {
    ones: Limbs,
    /// Limbs that may hold ones; all behind them are zero.
    n_limbs: usize,
}

impl Ahead {
    /// None of these components.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn new(components: &Components) -> Result<Self, Ended> {
        Ok(Ahead { ones: Limbs::zeros(components.len().div_ceil(64))?, n_limbs: 0 })
    }

    /// Adds those that the vertices of a set belong to; bits beyond the vertices do not count.
    ///
    /// # Errors
    /// If the run is to end.
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
            // Each of these is about as much work as a limb elsewhere.
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

    /// Adds all of a set of components.
    pub fn add_all(&mut self, set: &[u64]) {
        self.ones.iter_mut().zip(set).for_each(|(to, limb)| *to |= limb);
        let last = set.iter().rposition(|limb| *limb != 0);
        self.n_limbs = self.n_limbs.max(last.map_or(0, |last| last + 1));
    }

    /// Takes the one with the highest number, without those that are reached: `reached` knows limb by limb which
    /// these are, as far as that is known.
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
    /// Vertices that no arc has led to yet.
    new: Limbs,
    /// Vertices on the stack.
    waiting: Limbs,
    /// For each limb the lowest place of its vertices on the stack; see Note [Skipping].
    lowest: Vec<u32>,
    /// Vertices whose component is not known yet, in the order in which they were reached.
    stack: Vec<u32>,
    /// Where the stack may be cut: what lies between two bounds is of one component.
    bounds: Vec<u32>,
    /// The way from the root to the vertex at hand, with the limb of its line that comes next.
    path: Vec<(u32, u32)>,
    /// What is known; the component of a vertex on the stack is its place there.
    found: Components,
}

impl<'a> Search<'a> {
    /// Nothing reached yet.
    fn new(lines: &'a BitTable, n: usize) -> Result<Self, Ended> {
        let n_limbs = n.div_ceil(64);
        let mut new = Limbs::zeros(n_limbs)?;
        new.fill(u64::MAX);
        star_base::bits::zero_tail(&mut new, n);
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

    /// Reaches all that can be reached from `root` and was not.
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

    /// The first vertex from limb `from` on that an arc leads to and none has led to yet.
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
        // Its own loop says nothing: it is not waiting yet.
        self.join_below(vertex, place);
        self.waiting[limb] |= bit;
        self.lowest[limb] = self.lowest[limb].min(place);
        self.found.of[vertex] = place;
        self.stack.push(vertex as u32);
        self.path.push((vertex as u32, 0));
    }

    /// The vertex, which is about to get this place, forms one component with all on the stack above the
    /// lowest that an arc leads to.
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

    /// All arcs of the vertex are done: if it begins a component, that is complete.
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
            // All others of the limb that are still on the stack lie lower.
            if self.lowest[idx / 64] == of[idx] {
                self.lowest[idx / 64] = NONE;
            }
            of[idx] = component;
            members.push(member);
        }
        starts.push(members.len() as u32);
    }
}
