//! Handles: a table for each part that one of them may hold.

use star_ir::{HandlePart, Ty, VarId};
use star_shaders::Op;
use star_shaders::layout::measure;

use super::Unsupported;
use super::builder::Builder;
use crate::code::{Object, Reg};
use crate::derived::is_derived;

impl Builder<'_> {
    /// The table of a part.
    pub(super) fn part_of(&self, handle: VarId, part: &HandlePart) -> Result<Object, Unsupported> {
        let at = self.source.parts.iter().position(|known| known == part);
        let object = at.and_then(|at| self.objects_of(handle).get(at).copied());
        object.ok_or_else(|| Unsupported(format!("the part `{}` of a handle", part.name)))
    }

    /// The handle holds the table under this name, and gives up the parts of other modules and what
    /// was derived from the part.
    pub(super) fn put_part(
        &mut self,
        handle: VarId,
        part: &HandlePart,
        value: VarId,
    ) -> Result<(), Unsupported> {
        let objects = self.objects_of(handle);
        for (object, known) in objects.into_iter().zip(self.source.parts) {
            if known.module != part.module || is_derived(known, part) {
                self.emit(Op::Unset, |it| it.x = Some(object));
            }
        }
        let held = self.part_of(handle, part)?;
        self.copy_table(held, self.object(value));
        Ok(())
    }

    /// dst := from, handles.
    pub(super) fn copy_handle(&mut self, dst: VarId, from: VarId) {
        if dst != from {
            let pairs: Vec<_> =
                self.objects_of(dst).into_iter().zip(self.objects_of(from)).collect();
            for (x, y) in pairs {
                self.copy_if_set(x, y, Builder::copy_table);
            }
        }
    }

    /// x := y, and x is unset if y is.
    pub(super) fn copy_if_set(
        &mut self,
        x: Object,
        y: Object,
        copy: impl FnOnce(&mut Self, Object, Object),
    ) {
        let (unset, end) = (self.label(), self.label());
        let is_set = self.size(y, measure::SET);
        self.jump_if(Op::JumpZero, is_set, unset);
        copy(self, x, y);
        self.jump(end);
        self.here(unset);
        self.emit(Op::Unset, |it| it.x = Some(x));
        self.here(end);
    }

    /// d := has a slice, word, table or handle a value? d new. A handle has one if it holds
    /// anything.
    pub(super) fn is_set(&mut self, var: VarId) -> Reg {
        if self.routine.var(var).ty != Ty::Handle {
            return self.size(self.object(var), measure::SET);
        }
        let any = self.fresh();
        self.load(any, 0);
        for part in self.objects_of(var) {
            let held = self.size(part, measure::SET);
            self.emit(Op::Or, |it| (it.d, it.a, it.b) = (Some(any), Some(any), Some(held)));
        }
        any
    }
}
