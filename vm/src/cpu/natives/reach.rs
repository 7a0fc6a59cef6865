//! What can be reached in a graph, kept in a handle: its strong components, and which of them reach which.
//!
//! A Star body keeps the closure in the handle, n × n bits. This keeps one line for each component instead, as
//! long as there are components, and turns into the closure when a Star body asks for it ([`Reach::fill`]).
//! It is made of the form that the table of the graph is at home in; if that is the one by columns, it knows
//! who reaches whom in the turned graph, and every question is turned too.

use star_base::{BitTable, BitVector, Limbs};

use super::components::{Ahead, Components};
use super::{InterruptPoller, put};
use crate::cpu::code::RegRef;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::registers::CowTable;
use crate::cpu::value::bytes_of;
use crate::stop::{Run, broken};

/// The components of a graph, and the closure of the graph of components.
#[derive(Debug)]
pub(in crate::cpu) struct Reach {
    n: usize,
    components: Components,
    /// Column c marks the components that are reached from component c: itself only on a cycle.
    above: BitTable,
    /// Was it made of the turned graph?
    turned: bool,
}

impl Reach {
    /// Number of vertices.
    pub(in crate::cpu) fn n_vertices(&self) -> usize {
        self.n
    }

    /// Bytes, as memory counts them.
    pub(in crate::cpu) fn n_bytes(&self) -> u64 {
        Components::n_bytes(self.n).saturating_add(self.above.n_bytes())
    }

    /// Is there a path? Both vertices count from 0.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let (from, to) = if self.turned { (to, from) } else { (from, to) };
        self.above.get(self.components.of(to), self.components.of(from))
    }

    /// Was it made of the turned graph?
    pub(in crate::cpu) fn is_turned(&self) -> bool {
        self.turned
    }

    /// The closure of the graph that it was made of, in a table of zeros with a column for each line: column i
    /// marks what vertex i reaches.
    pub(in crate::cpu) fn fill(
        &self,
        lines: &mut BitTable,
        parallelism: &Parallelism<'_>,
    ) -> Run<()> {
        let mut poller = InterruptPoller::new(parallelism);
        let (stride, n_limbs) = (lines.stride(), lines.column_len());
        for from in 0..self.components.len() {
            let mut members = self.components.members(from);
            let Some(first) = members.next() else { continue };
            let line = lines.column_limbs_mut(first);
            poller.spend(self.components.len())?;
            for to in (0..self.components.len()).filter(|&to| self.above.get(to, from)) {
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

    /// Marks the vertices of a component.
    fn mark(&self, component: usize, to: &mut [u64], poller: &mut InterruptPoller<'_>) -> Run<()> {
        let members = self.components.members(component);
        poller.spend(members.len())?;
        members.for_each(|member| put(to, member));
        Ok(())
    }

    /// Finds the components and closes their graph; `None` if the system refuses the memory.
    pub(super) fn new(
        lines: &BitTable,
        n: usize,
        turned: bool,
        parallelism: &Parallelism<'_>,
    ) -> Run<Option<Self>> {
        let mut poller = InterruptPoller::new(parallelism);
        let Some(components) = Components::find(lines, n, &mut poller)? else { return Ok(None) };
        let above = BitTable::zeros(components.len(), components.len());
        let (Ok(mut above), Ok(mut arcs)) = (above, Limbs::zeros(n.div_ceil(64))) else {
            return Ok(None);
        };
        let Ok(mut reached) = Limbs::zeros(above.column_len()) else { return Ok(None) };
        let Some(mut ahead) = Ahead::new(&components) else { return Ok(None) };
        for component in 0..components.len() {
            poller.spend(arcs.len() + 2 * reached.len())?;
            reached.fill(0);
            arcs.fill(0);
            for member in components.members(component) {
                poller.or(&mut arcs, lines.column_limbs(member))?;
            }
            ahead.add(&components, arcs.iter().copied(), &mut poller)?;
            while let Some(next) = ahead.pop(|at| reached[at]) {
                // A component's own column is still empty.
                poller.or(&mut reached, above.column_limbs(next))?;
                put(&mut reached, next);
            }
            above.column_limbs_mut(component).copy_from_slice(&reached);
        }
        Ok(Some(Reach { n, components, above, turned }))
    }

    /// The vertices that are reached from one, which counts from 0.
    fn reachable(&self, from: usize, to: &mut [u64], poller: &mut InterruptPoller<'_>) -> Run<()> {
        to.fill(0);
        let from = self.components.of(from);
        poller.spend(self.components.len())?;
        for component in 0..self.components.len() {
            let (row, column) = if self.turned { (from, component) } else { (component, from) };
            if self.above.get(row, column) {
                self.mark(component, to, poller)?;
            }
        }
        Ok(())
    }
}

impl Interpreter<'_, '_, '_> {
    /// `CONDENSE(n,G,H)`; false if there is too little memory for it.
    pub(super) fn native_condense(&mut self) -> Run<bool> {
        let (graph, kept) = (self.table_param(1)?, self.handle_param(2)?);
        let table = self.table(graph)?;
        let n = table.n_rows();
        // In the worst case every vertex is a component, and the lines are as long as those of the graph.
        let bytes = Components::n_bytes(n).saturating_add(table.n_bytes());
        let lines = 3 * bytes_of(n);
        if u32::try_from(n).is_err() || self.budget.available() < bytes.saturating_add(lines) {
            return Ok(false);
        }
        let (home, turned) = table.home();
        let Some(reach) = Reach::new(home, n, turned, &self.parallelism)? else { return Ok(false) };
        self.budget.commit(bytes.saturating_add(lines));
        self.budget.release(bytes.saturating_add(lines));
        self.budget.commit(reach.n_bytes());
        self.put_table(kept, CowTable::Reach(reach.into()));
        Ok(true)
    }

    /// `REACHES(H,i,j)`; false if the handle holds a table.
    pub(super) fn native_reaches(&mut self) -> Run<bool> {
        let (from, to) = (self.vertex_param(1)?, self.vertex_param(2)?);
        let Some(reach) = self.reach_param(0)? else { return Ok(false) };
        let found = reach.reaches(from, to);
        let Some(RegRef::Bool(result)) = self.routine()?.result else {
            return Err(broken("a native without that result"));
        };
        self.set(result, i64::from(found));
        Ok(true)
    }

    /// `REACHABLE(H,i,X)`; false if the handle holds a table, or if X keeps another size.
    pub(super) fn native_reachable(&mut self) -> Run<bool> {
        let from = self.vertex_param(1)?;
        let Some(reach) = self.reach_param(0)? else { return Ok(false) };
        let reach = reach.clone();
        let Some((RegRef::Slice(slice), _)) = self.routine()?.params.get(2).copied() else {
            return Err(broken("a native without that slice"));
        };
        let slot = self.bits_slot(slice);
        let length = if slot.is_set { Some(slot.bits.len()) } else { slot.size };
        if slot.fixed && length != Some(reach.n) {
            return Ok(false);
        }
        // Made beside the slice, which keeps what it holds if the run ends meanwhile.
        self.budget.reserve(bytes_of(reach.n))?;
        let Ok(mut found) = BitVector::try_zeros(reach.n) else { return Ok(false) };
        reach.reachable(from, found.limbs_mut(), &mut InterruptPoller::new(&self.parallelism))?;
        self.make(slice, reach.n, false, |_, to| {
            to.copy_from_slice(found.limbs());
            Ok(())
        })?;
        Ok(true)
    }

    /// What a native has put into the handle that is parameter `idx`, from 0.
    fn reach_param(&self, idx: usize) -> Run<Option<&std::sync::Arc<Reach>>> {
        let handle = self.handle_param(idx)?;
        Ok(match &self.table_slot(handle).table {
            CowTable::Reach(reach) => Some(reach),
            CowTable::None | CowTable::Own(_) | CowTable::Shared(_) => None,
        })
    }

    /// The vertex, from 0, that is parameter `idx`, from 0; the preconditions have seen to it.
    fn vertex_param(&self, idx: usize) -> Run<usize> {
        let vertex = usize::try_from(self.int_param(idx)?).ok();
        let vertex = vertex.and_then(|vertex| vertex.checked_sub(1));
        vertex.ok_or_else(|| broken("a vertex that is none"))
    }
}
