//! Copies, and loops over the columns of a table. Tables that are copied whole, or become zeros, are one instruction over lines; fields are copied
//! column by column.

use star_ir::VarId;
use star_shaders::layout::measure;
use star_shaders::{Join, Op};

use super::builder::{Builder, Label, Line, table};
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

    /// So many columns of a table become those of another one, each behind a number of its own columns.
    pub(super) fn copy_columns(
        &mut self,
        (x, to): (Object, Option<Reg>),
        (y, from): (Object, Option<Reg>),
        width: Reg,
    ) {
        let end = self.label();
        self.wide_copy((x, to), (y, from), width, end);
        if to.is_none() && from.is_none() {
            self.all_columns(x, Some(y), width);
            self.here(end);
            return;
        }
        let columns = self.columns(None, width);
        let mut behind = |base: Option<Reg>| match base {
            Some(base) => self.alu(Op::Add, columns.at, base),
            None => columns.at,
        };
        let (to, from) = (behind(to), behind(from));
        self.column_copy(x, to, y, from);
        self.next_column(columns);
        self.here(end);
    }

    /// So many columns from the first one on become those of y, or zeros.
    fn all_columns(&mut self, x: Object, y: Option<Object>, width: Reg) {
        let rows = self.size(x, measure::ROWS);
        self.emit(Op::Lines, |it| {
            (it.x, it.y, it.a, it.b) = (Some(x), y, Some(rows), Some(width));
            it.imm = if y.is_some() { i64::from(lines::OF_Y) } else { 0 };
            it.lines = Some(LinesKind { join: Join::Store, is_word: false, is_loop: false });
        });
    }

    /// The columns behind `behind` up to `last` become zeros.
    pub(super) fn clear_columns(&mut self, x: Object, behind: Option<Reg>, last: Reg) {
        if behind.is_none() {
            return self.all_columns(x, None, last);
        }
        let columns = self.columns(behind, last);
        let column = Line { object: x, column: Some(columns.at) };
        self.logic(table::ZERO, column, None, None);
        self.next_column(columns);
    }

    fn column_copy(&mut self, x: Object, to: Reg, y: Object, from: Reg) {
        let to = Line { object: x, column: Some(to) };
        let from = Line { object: y, column: Some(from) };
        self.logic(table::FIRST, to, Some(from), None);
    }

    /// Begins a loop over the numbers from 1, or behind `behind`, to `last`.
    pub(super) fn columns(&mut self, behind: Option<Reg>, last: Reg) -> Columns {
        let (at, again, end) = (self.fresh(), self.label(), self.label());
        match behind {
            Some(behind) => {
                self.emit(Op::Add, |it| (it.d, it.a, it.imm) = (Some(at), Some(behind), 1));
            }
            None => self.load(at, 1),
        }
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
