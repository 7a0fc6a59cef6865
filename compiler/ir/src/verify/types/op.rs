//! Operations: their operands and destination.

use super::Types;
use crate::kind::{OperandKind, type_text};
use crate::op::{Op, Operand};
use crate::program::{Ty, VarId};
use crate::table::Gives;

impl Types<'_, '_, '_> {
    pub(super) fn op(&mut self, dst: VarId, op: &Op) {
        let mut first = None;
        op.fields(&mut |field| self.field(field, &mut first));
        match op.gives() {
            Gives::Is(kind) => self.var(dst, kind),
            Gives::Natural | Gives::Bit => self.var(dst, OperandKind::Int),
            Gives::Alike => {
                if let Some(first) = first {
                    self.same(dst, first);
                }
            }
            Gives::OtherBits => match first.map(|first| self.subject.ty(first)) {
                Some(Ty::Slice(_)) => self.var(dst, OperandKind::Word),
                Some(Ty::Word(_)) => self.var(dst, OperandKind::Slice),
                Some(Ty::Int | Ty::Bool | Ty::Str | Ty::Table(..) | Ty::Handle) | None => {}
            },
            Gives::Copied => {
                if let Op::Copy(value) = op {
                    self.copied(dst, value);
                }
            }
        }
    }

    fn copied(&mut self, dst: VarId, value: &Operand) {
        let (ty, dst_ty) = (self.operand_type(value), self.subject.ty(dst));
        if !ty.same_kind(dst_ty) {
            let dst = self.subject.name(dst);
            let (is, takes) = (type_text(ty), type_text(dst_ty));
            self.fault(format!("{dst} is {takes}, the copied value is {is}"));
        }
    }
}
