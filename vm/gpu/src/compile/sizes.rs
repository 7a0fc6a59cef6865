//! Changes of size.

use star_ir::{SizeOp, SizeOperand, VarId};
use star_shaders::Op;
use star_shaders::layout::measure;

use super::builder::{Builder, Label};
use crate::code::{Object, Reg};

impl Builder<'_> {
    pub(super) fn resize(&mut self, op: &SizeOp) {
        let end = self.label();
        match op {
            SizeOp::Latch { dst, size } => {
                self.jump_if(Op::JumpNonzero, self.number(*dst).1, end);
                if let Some(var) = measured(size) {
                    self.skip_unless(Op::JumpZero, self.object(var), measure::KNOWN, end);
                }
                let number = self.measure(size);
                self.assign(*dst, number);
            }
            SizeOp::SetRows { table, rows } => {
                let x = self.object(*table);
                self.skip_unless(Op::JumpNonzero, x, measure::SET, end);
                let (rows, none) = (self.measure(rows), self.fresh());
                self.load(none, 0);
                self.shape(x, rows, Some(none));
            }
            SizeOp::EnsureColumns { table, columns } => {
                let x = self.object(*table);
                self.skip_unless(Op::JumpNonzero, x, measure::FIXED, end);
                let wanted = self.measure(columns);
                let wanted = self.alu_imm(Op::Max, wanted, 0);
                self.grow(x, wanted, end);
            }
            SizeOp::Init { table, rows, columns } => {
                let x = self.object(*table);
                self.skip_unless(Op::JumpNonzero, x, measure::SET, end);
                let (rows, columns) = (self.value(rows), self.value(columns));
                self.shape(x, rows, Some(columns));
                self.clear_columns(x, None, columns);
            }
            SizeOp::Adapt { bits, size } => {
                let x = self.object(*bits);
                self.skip_unless(Op::JumpZero, x, measure::KNOWN, end);
                let (length, wanted) = (self.size(x, measure::LENGTH), self.value(size));
                let same = self.alu(Op::Eq, length, wanted);
                self.jump_if(Op::JumpNonzero, same, end);
                self.skip_unless(Op::JumpNonzero, x, measure::FIXED, end);
                self.emit(Op::Unset, |it| it.x = Some(x));
            }
            SizeOp::Fix { bits, size } => {
                let (x, sets) = (self.object(*bits), self.label());
                self.skip_unless(Op::JumpNonzero, x, measure::SET, end);
                self.skip_unless(Op::JumpZero, x, measure::FIXED, sets);
                self.skip_unless(Op::JumpNonzero, x, measure::KNOWN, end);
                self.here(sets);
                let size = self.value(size);
                self.emit(Op::Fix, |it| (it.x, it.a) = (Some(x), Some(size)));
            }
            SizeOp::Unset(var) => self.unset(&[*var]),
        }
        self.here(end);
    }

    /// The table gets columns of zeros up to so many.
    fn grow(&mut self, x: Object, wanted: Reg, end: Label) {
        let before = self.size(x, measure::COLUMNS);
        let has = self.alu(Op::Ge, before, wanted);
        self.jump_if(Op::JumpNonzero, has, end);
        self.emit(Op::Columns, |it| (it.x, it.a) = (Some(x), Some(wanted)));
        self.clear_columns(x, Some(before), wanted);
    }

    fn skip_unless(&mut self, jump: Op, x: Object, asked: u32, end: Label) {
        let found = self.size(x, asked);
        self.jump_if(jump, found, end);
    }
}

/// The variable that is measured.
pub(super) fn measured(size: &SizeOperand) -> Option<VarId> {
    star_ir::visit::measured(size)
}
