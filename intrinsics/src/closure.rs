//! The transitive closure of a table, in place.
//!
//! The algorithm works on the table in its current layout: if lines are columns, it computes the
//! closure of the transposed graph, which is the transposed closure. Below, a line is a row of the
//! graph, and bit j of line i is an arc from i to j.
//!
//! The inner vertices of paths are the first n. Their strong components are found in topological
//! order, each after those that its arcs lead to ([`Components`]). In that order, one line is
//! computed for each component: the arcs of its members, and for every arc to another component
//! everything that this component reaches. An arc to a component that is already reached is
//! skipped, so few remain if the nearest components come first ([`Ahead`]). The line is then copied
//! to every member. A line after n is a vertex that no arc leads to: it comes last. Bits after n
//! are vertices without arcs: they are or-ed along.
//!
//! Note [Nearest]. To find the nearest component that an arc leads to, every arc has to be
//! examined, which in a dense graph takes longer than all or-ing of lines. But there the components
//! just before are likely to be among the successors, and to reach nearly all others. So some of
//! these are tried first; only the arcs to components that they do not reach are examined one by
//! one.

use star_value::{BitTable, Limbs};

use crate::components::{Ahead, Components};
use crate::environment::{Ended, InterruptPoller};
use crate::{has, put};

/// Components that are tried before all arcs are examined; see Note [Nearest].
const N_TRIED: usize = 16;

/// Adds to each line of a table what it reaches over the first n vertices, one component after
/// another.
#[derive(Debug)]
pub struct Closing {
    n: usize,
    components: Components,
    /// The number of components, and then lines after n, that are finished.
    n_done: usize,
    /// All arcs of the current component; then everything that it reaches.
    arcs: Limbs,
    /// The vertices reached over its arcs so far; of its members, those that an arc leads to.
    reached: Limbs,
    ahead: Ahead,
}

impl Closing {
    /// Bytes needed in addition to lines of `line_limbs` limbs.
    pub fn n_bytes(n: usize, line_limbs: usize) -> u64 {
        Components::n_bytes(n).saturating_add(3 * 8 * line_limbs as u64)
    }

    /// Finds the components.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn find(
        lines: &BitTable,
        n: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<Self, Ended> {
        let components = Components::find(lines, n, poller)?;
        let (arcs, reached) =
            (Limbs::zeros(lines.column_len())?, Limbs::zeros(lines.column_len())?);
        let ahead = Ahead::new(&components)?;
        Ok(Closing { n, components, n_done: 0, arcs, reached, ahead })
    }

    /// Closes all remaining lines.
    ///
    /// # Errors
    /// If the run is interrupted; some lines are then closed.
    pub fn close(
        &mut self,
        lines: &mut BitTable,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        while self.next(lines, poller)? {
            for member in members(&self.components, self.n, self.n_done) {
                poller.copy(lines.column_limbs_mut(member), &self.arcs)?;
            }
            self.n_done += 1;
        }
        Ok(())
    }

    /// Advances to the next component of which a line changes, and finds what it reaches; returns
    /// false if there is none.
    ///
    /// # Errors
    /// If the run is interrupted.
    pub fn next(
        &mut self,
        lines: &BitTable,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<bool, Ended> {
        while self.n_done < self.components.len() + lines.n_cols() - self.n {
            self.follow(lines, poller)?;
            for member in members(&self.components, self.n, self.n_done) {
                poller.spend(self.arcs.len())?;
                if *lines.column_limbs(member) != *self.arcs {
                    return Ok(true);
                }
            }
            self.n_done += 1;
        }
        Ok(false)
    }

    /// Finds everything that the current component reaches; the components before it are closed.
    fn follow(&mut self, lines: &BitTable, poller: &mut InterruptPoller<'_>) -> Result<(), Ended> {
        let Closing { n, components, n_done, arcs, reached, ahead } = self;
        let (arcs, reached) = (&mut **arcs, &mut **reached);
        poller.spend(3 * arcs.len())?;
        arcs.fill(0);
        reached.fill(0);
        for member in members(components, *n, *n_done) {
            poller.or(arcs, lines.column_limbs(member))?;
        }
        for member in members(components, *n, *n_done).filter(|member| member < n) {
            reached[member / 64] |= arcs[member / 64] & 1 << (member % 64);
        }

        // Adds a component that an arc leads to, and what it reaches, unless it is already reached.
        let take = |reached: &mut [u64], next, poller: &mut InterruptPoller<'_>| {
            // Every member reaches all members.
            let member = components.first_member(next);
            if !has(reached, member) {
                poller.or(reached, lines.column_limbs(member))?;
                put(reached, member);
            }
            Ok::<(), Ended>(())
        };
        let last = (*n_done).min(components.len());
        for near in (last.saturating_sub(N_TRIED)..last).rev() {
            if has(arcs, components.first_member(near)) {
                take(reached, near, poller)?;
            }
        }
        let open = arcs.iter().zip(&*reached).map(|(arcs, reached)| arcs & !reached);
        ahead.add(components, open, poller)?;
        // Here the reached bits are vertices, not components.
        while let Some(next) = ahead.pop(|_| 0) {
            take(reached, next, poller)?;
        }
        poller.or(arcs, reached)
    }
}

/// The vertices of component `at`; after the components, each line after n is separate.
fn members(components: &Components, n: usize, at: usize) -> impl Iterator<Item = usize> + '_ {
    let beyond = at.checked_sub(components.len()).map(|idx| n + idx);
    let inner = beyond.is_none().then(|| components.members(at));
    inner.into_iter().flatten().chain(beyond)
}
