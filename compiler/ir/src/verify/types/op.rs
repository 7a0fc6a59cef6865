//! Operations: their operands and destination.

use super::Types;
use super::kind::{Kind, type_text};
use crate::op::Op;
use crate::program::{Ty, VarId};

impl Types<'_, '_, '_> {
    pub(super) fn op(&mut self, dst: VarId, op: &Op) {
        match op {
            Op::Copy(value) => {
                let (ty, dst_ty) = (self.operand_type(value), self.subject.ty(dst));
                let kept = matches!(
                    (ty, dst_ty),
                    (Ty::Table(..), Ty::Handle) | (Ty::Handle, Ty::Table(..))
                );
                if !ty.same_kind(dst_ty) && !kept {
                    let dst = self.subject.name(dst);
                    let (is, takes) = (type_text(ty), type_text(dst_ty));
                    self.fault(format!("{dst} is {takes}, what is copied is {is}"));
                }
            }
            Op::Int(_, a, b) => {
                self.ints(&[a, b]);
                self.var(dst, Kind::Int);
            }
            Op::Compare(_, a, b) => {
                self.ints(&[a, b]);
                self.var(dst, Kind::Bool);
            }
            Op::Not(a) => {
                self.operand(a, Kind::Bool);
                self.var(dst, Kind::Bool);
            }
            Op::Logic(_, a, b) => {
                self.operand(a, Kind::Bool);
                self.operand(b, Kind::Bool);
                self.var(dst, Kind::Bool);
            }
            Op::Fill(size, _) => {
                self.operand(size, Kind::Int);
                self.var(dst, Kind::Bits);
            }
            Op::Literal(_) => self.var(dst, Kind::Bits),
            Op::BitsNot(v) | Op::KeepFirst(v) | Op::Mirror(v) | Op::Shuffle(v) => {
                self.var(*v, Kind::Bits);
                self.same(dst, *v);
            }
            Op::BitsLogic(_, v, w) => {
                self.var(*v, Kind::Bits);
                self.same(*v, *w);
                self.same(dst, *v);
            }
            Op::BitsEqual(v, w) => {
                self.var(*v, Kind::Bits);
                self.same(*v, *w);
                self.var(dst, Kind::Bool);
            }
            Op::Component(v, index) => {
                self.var(*v, Kind::Bits);
                self.operand(index, Kind::Int);
                self.var(dst, Kind::Int);
            }
            Op::First(v) | Op::Count(v) | Op::Length(v) => {
                self.var(*v, Kind::Bits);
                self.var(dst, Kind::Int);
            }
            Op::Some(v) | Op::All(v) | Op::None(v) => {
                self.var(*v, Kind::Bits);
                self.var(dst, Kind::Bool);
            }
            Op::Convert(v) => match self.subject.ty(*v) {
                Ty::Slice(_) => self.var(dst, Kind::Word),
                Ty::Word(_) => self.var(dst, Kind::Slice),
                Ty::Int | Ty::Bool | Ty::Str | Ty::Table(..) | Ty::Handle => {
                    self.var(*v, Kind::Bits);
                }
            },
            Op::Mask { size, from, to } => {
                self.ints(&[size, from, to]);
                self.var(dst, Kind::Bits);
            }
            Op::Shift(v, _, by) | Op::Rotate(v, by) => {
                self.var(*v, Kind::Bits);
                self.operand(by, Kind::Int);
                self.same(dst, *v);
            }
            Op::Trim { word, base, width } => {
                self.var(*word, Kind::Word);
                self.ints(&[base, width]);
                self.var(dst, Kind::Word);
            }
            Op::WordCompare(_, v, w) => {
                self.var(*v, Kind::Word);
                self.var(*w, Kind::Word);
                self.var(dst, Kind::Bool);
            }
            Op::WordAdd(v, w) | Op::WordSub(v, w) => {
                self.var(*v, Kind::Word);
                self.var(*w, Kind::Word);
                self.var(dst, Kind::Word);
            }
            Op::WordToInt(v) => {
                self.var(*v, Kind::Word);
                self.var(dst, Kind::Int);
            }
            Op::IntToWord { value, width } => {
                self.ints(&[value, width]);
                self.var(dst, Kind::Word);
            }
            Op::Column(table, index) => {
                self.var(*table, Kind::Table);
                self.operand(index, Kind::Int);
                self.var(dst, Kind::Slice);
            }
            Op::Row(table, index) => {
                self.var(*table, Kind::Table);
                self.operand(index, Kind::Int);
                self.var(dst, Kind::Word);
            }
            Op::Bit(table, row, column) => {
                self.var(*table, Kind::Table);
                self.ints(&[row, column]);
                self.var(dst, Kind::Int);
            }
            Op::Field { table, base, width } => {
                self.var(*table, Kind::Table);
                self.ints(&[base, width]);
                self.var(dst, Kind::Table);
            }
            Op::Rows(table) | Op::Columns(table) => {
                self.var(*table, Kind::Table);
                self.var(dst, Kind::Int);
            }
            Op::NewTable(rows, columns) => {
                self.ints(&[rows, columns]);
                self.var(dst, Kind::Table);
            }
            Op::Extreme { table, mask, sense: _ } => {
                self.var(*table, Kind::Table);
                self.var(*mask, Kind::Slice);
                self.var(dst, Kind::Slice);
            }
        }
    }
}
