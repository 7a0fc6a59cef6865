//! Reachability in a graph, stored in a handle: its strong components, and which of them reach
//! which.
//!
//! A Star body stores the closure in the handle, n × n bits. This state stores one line for each
//! component instead, and is converted to the closure when a Star body reads it. It is built from
//! the current layout of the table of the graph; if that is column-major, it holds the reachability
//! of the transposed graph, and every query is transposed, too.
//!
//! For a sparse graph of many components, it stores the arcs between them instead of their closure
//! (Note [Searched] in `condensation.rs`).

mod condensation;
mod sparse;

use condensation::{Condensation, each_arc};

use star_base::intrinsics::catalogue::closure::CLOSURE_PART;
use star_value::{BitTable, Limbs, SparseLines};

use crate::components::{Ahead, Components};
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::state::{IntrinsicState, LineOrder, StateTable};
use crate::{ones, put};

/// The components of a graph, and which of them reach which.
#[derive(Debug)]
pub struct Reach {
    n: usize,
    components: Components,
    above: Above,
    /// The lines of the graph from which it was built: with columns it describes the transposed
    /// graph.
    lines: LineOrder,
}

/// The components reachable from each one, including itself only on a cycle.
#[derive(Debug)]
enum Above {
    /// Column c marks those reachable from component c.
    Closed(BitTable),
    /// They are found by a search.
    Searched(Condensation),
}

/// Storage of the graph of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Its closure.
    Closed,
    /// Its arcs, which every query searches.
    Searched,
}

/// The maximum number of ones of a closure that are counted by searching only for a message.
const MOST_COUNTED: u64 = 1 << 30;

impl Reach {
    /// An upper bound on the bytes needed to build it for `n` vertices, including its table.
    pub fn most_bytes(n: usize) -> u64 {
        // In the worst case every vertex is a component.
        let line = 8 * n.div_ceil(64) as u64;
        let lines = line.saturating_mul(2 * n as u64 + 3);
        Components::n_bytes(n).saturating_add(lines)
    }

    /// The number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.n
    }

    /// The number of strong components.
    pub fn n_components(&self) -> usize {
        self.components.len()
    }

    /// Returns whether it describes the transposed graph.
    fn is_transposed(&self) -> bool {
        self.lines == LineOrder::Columns
    }

    /// Returns whether there is a path. Both vertices are counted from 0.
    ///
    /// # Errors
    /// If memory allocation for a search fails, or the run is interrupted.
    pub fn reaches(
        &self,
        from: usize,
        to: usize,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<bool, Ended> {
        let (from, to) = if self.is_transposed() { (to, from) } else { (from, to) };
        let (from, to) = (self.components.of(from), self.components.of(to));
        match &self.above {
            Above::Closed(above) => Ok(above.get(to, from)),
            Above::Searched(arcs) => arcs.reaches(from, to, poller),
        }
    }

    /// The temporary bytes that a query needs.
    pub fn question_bytes(&self) -> u64 {
        match &self.above {
            Above::Closed(_) => 0,
            Above::Searched(arcs) => 8 * (arcs.len().div_ceil(64) as u64 + 8),
        }
    }

    /// A buffer for [`Reach::line`].
    fn line_room(&self) -> Result<Limbs, Ended> {
        Ok(match &self.above {
            Above::Closed(_) => Limbs::zeros(0)?,
            Above::Searched(arcs) => Limbs::zeros(arcs.len().div_ceil(64))?,
        })
    }

    /// The components reachable from one.
    fn line<'l>(
        &'l self,
        from: usize,
        room: &'l mut Limbs,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<&'l [u64], Ended> {
        poller.spend(self.components.len() / 64 + 1)?;
        match &self.above {
            Above::Closed(above) => Ok(above.column_limbs(from)),
            Above::Searched(arcs) => {
                room.fill(0);
                arcs.ahead(from, room, poller)?;
                Ok(room)
            }
        }
    }

    /// Marks the vertices of a component.
    fn mark(
        &self,
        component: usize,
        to: &mut [u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let members = self.components.members(component);
        poller.spend(members.len())?;
        members.for_each(|member| put(to, member));
        Ok(())
    }

    /// Finds the components of a graph with the given lines, and closes the graph of components.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn new(
        graph: &BitTable,
        n: usize,
        lines: LineOrder,
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let components = Components::find(graph, n, &mut InterruptPoller::new(environment))?;
        let mut arcs = Limbs::zeros(n.div_ceil(64))?;
        let above = BitTable::zeros(components.len(), components.len())?;
        let close = (components, above, lines);
        Reach::close(close, environment, |(components, component), _, ahead, poller| {
            poller.spend(arcs.len())?;
            arcs.fill(0);
            for member in components.members(component) {
                poller.or(&mut arcs, graph.column_limbs(member))?;
            }
            ahead.add(components, arcs.iter().copied(), poller)
        })
    }

    /// Bytes that [`Reach::of_sparse`] needs for these components of a graph, in addition to the
    /// components.
    pub fn bytes_of(keeping: Keeping, graph: &SparseLines, components: &Components) -> u64 {
        match keeping {
            Keeping::Closed => {
                let line = 8 * components.len().div_ceil(64) as u64;
                line.saturating_mul(components.len() as u64 + 2)
            }
            Keeping::Searched => Condensation::bytes_for(components.len(), graph.count_ones()),
        }
    }

    /// Bytes of the closure that it represents.
    pub fn closure_bytes(n: usize) -> u64 {
        (8 * n.div_ceil(64) as u64).saturating_mul(n as u64)
    }

    /// Builds the reachability among these components of a sparse graph with the given lines.
    ///
    /// # Errors
    /// If memory allocation fails, or the run is interrupted.
    pub fn of_sparse(
        keeping: Keeping,
        graph: &SparseLines,
        components: Components,
        lines: LineOrder,
        environment: &dyn Environment,
    ) -> Result<Self, Ended> {
        let n = components.n_vertices();
        let mut poller = InterruptPoller::new(environment);
        if keeping == Keeping::Searched {
            let arcs = Condensation::find(graph, &components, &mut poller)?;
            return Ok(Reach { n, components, above: Above::Searched(arcs), lines });
        }
        // Column c marks where arcs lead to from component c, until it is closed.
        let mut above = BitTable::zeros(components.len(), components.len())?;
        each_arc(graph, &components, &mut poller, |from, to| above.put(to, from, true))?;
        let close = (components, above, lines);
        Reach::close(close, environment, |_, arcs, ahead, poller| {
            poller.spend(2 * arcs.len())?;
            ahead.add_all(arcs);
            arcs.fill(0);
            Ok(())
        })
    }

    /// Closes the table. `add` adds the components that arcs lead to from one component; it
    /// receives that component's column of the table and leaves zeros there.
    fn close(
        (components, mut above, lines): (Components, BitTable, LineOrder),
        environment: &dyn Environment,
        mut add: impl FnMut(
            (&Components, usize),
            &mut [u64],
            &mut Ahead,
            &mut InterruptPoller<'_>,
        ) -> Result<(), Ended>,
    ) -> Result<Self, Ended> {
        let (n, mut poller) = (components.n_vertices(), InterruptPoller::new(environment));
        let mut reached = Limbs::zeros(above.column_len())?;
        let mut ahead = Ahead::new(&components)?;
        for component in 0..components.len() {
            poller.spend(2 * reached.len())?;
            reached.fill(0);
            let own = above.column_limbs_mut(component);
            add((&components, component), own, &mut ahead, &mut poller)?;
            while let Some(next) = ahead.pop(|at| reached[at]) {
                // The component's own column is still empty.
                poller.or(&mut reached, above.column_limbs(next))?;
                put(&mut reached, next);
            }
            above.column_limbs_mut(component).copy_from_slice(&reached);
        }
        Ok(Reach { n, components, above: Above::Closed(above), lines })
    }

    /// The vertices reachable from one, which is counted from 0.
    ///
    /// # Errors
    /// If memory allocation for a search fails, or the run is interrupted.
    pub fn reachable(
        &self,
        from: usize,
        to: &mut [u64],
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        to.fill(0);
        let from = self.components.of(from);
        match &self.above {
            Above::Closed(above) => {
                poller.spend(self.components.len())?;
                for component in 0..self.components.len() {
                    let (row, column) =
                        if self.is_transposed() { (from, component) } else { (component, from) };
                    if above.get(row, column) {
                        self.mark(component, to, poller)?;
                    }
                }
            }
            Above::Searched(arcs) => {
                let mut found = Limbs::zeros(arcs.len().div_ceil(64))?;
                match self.is_transposed() {
                    true => arcs.behind(from, &mut found, poller)?,
                    false => arcs.ahead(from, &mut found, poller)?,
                }
                for component in ones(&found) {
                    self.mark(component, to, poller)?;
                }
            }
        }
        Ok(())
    }
}

impl IntrinsicState for Reach {
    fn n_bytes(&self) -> u64 {
        let above = match &self.above {
            Above::Closed(above) => above.n_bytes(),
            Above::Searched(arcs) => arcs.n_bytes(),
        };
        Components::n_bytes(self.n).saturating_add(above)
    }

    fn tables(&self) -> Vec<StateTable> {
        let (n, lines) = (self.n, self.lines);
        vec![StateTable { name: CLOSURE_PART, n_rows: n, n_cols: n, lines }]
    }

    /// Writes the closure of the underlying graph: line i marks what vertex i reaches.
    fn write(
        &self,
        idx: usize,
        lines: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        if idx > 0 {
            return Err(StateTable::MISSING);
        }
        let mut poller = InterruptPoller::new(environment);
        let (stride, n_limbs) = (lines.stride(), lines.column_len());
        let mut room = self.line_room()?;
        for from in 0..self.components.len() {
            let mut members = self.components.members(from);
            let Some(first) = members.next() else { continue };
            let line = lines.column_limbs_mut(first);
            for to in ones(self.line(from, &mut room, &mut poller)?) {
                self.mark(to, line, &mut poller)?;
            }
            let line = first * stride..first * stride + n_limbs;
            for member in members {
                poller.spend(n_limbs)?;
                lines.storage_mut().copy_within(line.clone(), member * stride);
            }
        }
        Ok(())
    }

    /// If a search would be needed for more than a billion ones, they are not counted.
    fn n_ones(&self, idx: usize, environment: &dyn Environment) -> Result<Option<u64>, Ended> {
        if idx > 0 {
            return Err(StateTable::MISSING);
        }
        let most = match &self.above {
            Above::Closed(_) => u64::MAX,
            Above::Searched(_) => MOST_COUNTED,
        };
        let n_ones = self.count_ones(most, environment)?;
        Ok((n_ones <= most).then_some(n_ones))
    }
}
