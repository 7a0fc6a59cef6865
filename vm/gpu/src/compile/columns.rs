//! Copies, and loops over the columns of a table. Tables and fields that are copied, or become
//! zeros, are one instruction over lines.

use star_ir::VarId;
use star_shaders::layout::measure;
use star_shaders::{Join, Op};

use super::builder::{Builder, Label, table};
use super::lines;
use crate::code::{LinesKind, Object, Reg};

/// A loop over numbers of columns.
pub(super) struct Columns {
    pub(super) at: Reg,
    again: Label,
    end: Label,
}

impl Builder<'_> {
    /// x := y, of the kind of a variable.
    pub(super) fn copy(&mut self, like: VarId, x: Object, y: Object) {
        if self.is_table(like) {
            self.copy_table(x, y);
        } else {
            self.copy_bits(x, y);
        }
    }

    /// x := y, slices or words.
    pub(super) fn copy_bits(&mut self, x: Object, y: Object) {
        if x != y {
            self.shape_like(x, y);
            self.logic(table::FIRST, x.into(), Some(y.into()), None);
        }
    }

    /// x := y, tables.
    pub(super) fn copy_table(&mut self, x: Object, y: Object) {
        if x != y {
            self.shape_like(x, y);
            let width = self.size(y, measure::COLUMNS);
            self.copy_columns((x, None), (y, None), width);
        }
    }

    /// So many columns of a table become those of another one, of which one may be a field: columns
    /// behind so many.
    pub(super) fn copy_columns(
        &mut self,
        (x, to): (Object, Option<Reg>),
        (y, from): (Object, Option<Reg>),
        width: Reg,
    ) {
        debug_assert!(to.is_none() || from.is_none(), "a field of each");
        let end = self.label();
        self.wide_copy((x, to), (y, from), width, end);
        self.store_columns((x, to), Some((y, from)), width);
        self.here(end);
    }

    /// The columns behind `behind` up to `last` become zeros.
    pub(super) fn clear_columns(&mut self, x: Object, behind: Option<Reg>, last: Reg) {
        let width = behind.map_or(last, |behind| self.alu(Op::Sub, last, behind));
        self.store_columns((x, behind), None, width);
    }

    /// So many columns become those of y, or zeros.
    fn store_columns(
        &mut self,
        (x, to): (Object, Option<Reg>),
        y: Option<(Object, Option<Reg>)>,
        width: Reg,
    ) {
        let rows = self.size(x, measure::ROWS);
        let from = y.and_then(|(_, from)| from);
        self.emit(Op::Lines, |it| {
            (it.x, it.y) = (Some(x), y.map(|(y, _)| y));
            (it.a, it.b, it.c) = (Some(rows), Some(width), to.or(from));
            it.imm = if y.is_some() { i64::from(lines::OF_Y) } else { 0 };
            let is_word = to.is_some();
            it.lines = Some(LinesKind { join: Join::Store, is_word, is_loop: false });
        });
    }

    /// Begins a loop over the numbers from 1 to `last`.
    pub(super) fn columns(&mut self, last: Reg) -> Columns {
        let (at, again, end) = (self.fresh(), self.label(), self.label());
        self.load(at, 1);
        self.here(again);
        let beyond = self.alu(Op::Gt, at, last);
        self.jump_if(Op::JumpNonzero, beyond, end);
        Columns { at, again, end }
    }

    pub(super) fn next_column(&mut self, columns: Columns) {
        let Columns { at, again, end } = columns;
        self.emit(Op::Add, |it| (it.d, it.a, it.imm) = (Some(at), Some(at), 1));
        self.jump(again);
        self.here(end);
    }
}
