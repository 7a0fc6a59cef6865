//! Copies of columns from one table to another by the device: the columns are contiguous in both.

use star_ir::RoutineId;
use star_shaders::layout::{FRAME_HEAD, state};
use star_vm::BackendError;

use super::fused::ObjectState;
use super::{DeviceRun, End};
use crate::code::{Inst, Object, Reg};

impl DeviceRun<'_, '_> {
    /// Copies the columns of the second to the first, if their lines have the same length.
    pub(super) fn copied(
        &mut self,
        (x, y): (Object, Object),
        (id, inst): (RoutineId, &Inst),
    ) -> Result<(), End> {
        let (to, from) = (self.held_at(x)?, self.held_at(y)?);
        let number = |reg: Option<Reg>| reg.map_or(Ok(0), |reg| u32::try_from(self.register(reg)));
        let (Ok(behind_to), Ok(behind_from), Ok(n)) =
            (number(inst.a), number(inst.b), number(inst.c))
        else {
            return Ok(());
        };
        let holds = |held: &ObjectState, behind: u32| {
            held.is_set && behind.checked_add(n).is_some_and(|last| last <= held.columns)
        };
        // A table that is passed twice is one table.
        let are_two = to.pointer != from.pointer && to.stride == from.stride;
        if !are_two || !holds(&to, behind_to) || !holds(&from, behind_from) {
            return Ok(());
        }
        let place = |held: &ObjectState, behind: u32| held.at + behind * held.stride;
        let words = n * to.stride;
        self.heap.unit.copy(place(&from, behind_from), place(&to, behind_to), words)?;
        self.control.stats.counters.grid_copies += 1;
        self.go_on(id, inst)
    }

    /// Returns an object of the routine that has stopped.
    fn held_at(&mut self, object: Object) -> Result<ObjectState, BackendError> {
        let pointer = self.words(self.get(state::FRAME) + FRAME_HEAD + object.0, 1)?[0];
        self.held(pointer)
    }
}
