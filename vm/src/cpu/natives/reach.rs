//! CONDENSE, REACHES and REACHABLE, with a [`Reach`] in the handle.

use std::sync::Arc;

use star_base::BitVector;
use star_natives::{InterruptPoller, Reach, state_of};

use crate::cpu::code::RegRef;
use crate::cpu::handle::Handle;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::value::bytes_of;
use crate::stop::{Run, broken};

impl Interpreter<'_, '_, '_> {
    /// `CONDENSE(n,G,H)`; false if there is too little memory for it.
    pub(super) fn native_condense(&mut self) -> Run<bool> {
        let (graph, kept) = (self.table_param(1)?, self.handle_param(2)?);
        let table = self.table(graph)?;
        let n = table.n_rows();
        let [index, lines] = Reach::most_bytes(n);
        let bytes = index.saturating_add(table.n_bytes());
        if u32::try_from(n).is_err() || self.budget.available() < bytes.saturating_add(lines) {
            return Ok(false);
        }
        let (home, turned) = table.home();
        let Some(reach) = self.finished(Reach::new(home, n, turned, &self.parallelism))? else {
            return Ok(false);
        };
        self.budget.commit(bytes.saturating_add(lines));
        self.budget.release(bytes.saturating_add(lines));
        let handle = Handle::of_state("closure", Arc::new(reach));
        self.budget.commit(handle.n_bytes());
        self.put_handle(kept, Some(Arc::new(handle)));
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
        let Some((RegRef::Slice(slice), _)) = self.routine()?.params.get(2).copied() else {
            return Err(broken("a native without that slice"));
        };
        let slot = self.bits_slot(slice);
        let length = if slot.is_set { Some(slot.bits.len()) } else { slot.size };
        if slot.fixed && length != Some(reach.n_vertices()) {
            return Ok(false);
        }
        // Made beside the slice, which keeps what it holds if the run ends meanwhile.
        let n = reach.n_vertices();
        self.budget.reserve(bytes_of(n))?;
        let Ok(mut found) = BitVector::try_zeros(n) else { return Ok(false) };
        let mut poller = InterruptPoller::new(&self.parallelism);
        self.finished(reach.reachable(from, found.limbs_mut(), &mut poller))?;
        self.make(slice, n, false, |_, to| {
            to.copy_from_slice(found.limbs());
            Ok(())
        })?;
        Ok(true)
    }

    /// What a native has put into the handle that is parameter `idx`, from 0.
    fn reach_param(&self, idx: usize) -> Run<Option<Arc<Reach>>> {
        let handle = self.handle_slot(self.handle_param(idx)?).as_ref();
        Ok(handle.and_then(|handle| handle.state()).and_then(state_of))
    }

    /// The vertex, from 0, that is parameter `idx`, from 0; the preconditions have seen to it.
    fn vertex_param(&self, idx: usize) -> Run<usize> {
        let vertex = usize::try_from(self.int_param(idx)?).ok();
        let vertex = vertex.and_then(|vertex| vertex.checked_sub(1));
        vertex.ok_or_else(|| broken("a vertex that is none"))
    }
}
