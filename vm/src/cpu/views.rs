//! Fields that are views.
//!
//! Note [Views]. TCOPY1 takes a field out of a large table: DIJKSTRA the weights of the arcs that leave a vertex, of which it
//! then looks at those few limbs in which a slice has ones. To copy the field costs more than all that is done with it. So a field of which only columns and
//! sizes are looked at shows those columns where they lie. It is a table that shares the other one, which copies on write protects;
//! it counts as many bytes as the copy would, so that a limit on memory says the same.
//!
//! Which variables may be views is decided when a routine is compiled (`compile/views.rs`): those that are local to it, never leave it, and of whose
//! columns nobody makes a kernel over lines. The routine never writes the table that they are taken of, nor reads its rows: a view keeps that table shared,
//! so that its home form stays, and a write would copy it. A trap shows a view as any other table. Short fields and those with long columns, which are
//! recorded, are copied.

use std::ops::Range;
use std::sync::Arc;

use super::form::bytes_of;
use super::interpreter::Interpreter;
use super::operand::Reg;
use super::registers::CowTable;
use super::table::Table;
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    /// A register takes columns of a table as a view; false if they are to be copied.
    pub(super) fn view_field(
        &mut self,
        dst: Reg,
        table: Reg,
        columns: &Range<usize>,
    ) -> Exec<bool> {
        let settings = self.parallelism.settings;
        let of = self.table(table)?;
        let n_bytes = bytes_of(of.n_rows()).saturating_mul(columns.len() as u64);
        let is_long = of.n_rows().div_ceil(64) >= settings.record_limbs;
        if dst == table || n_bytes < settings.view_bytes || is_long || !of.may_be_viewed() {
            return Ok(false);
        }
        self.budget.reserve(n_bytes)?;
        let CowTable::Shared(of) = self.table_slot_mut(table).table.share() else {
            return Err(internal_error("a table that was never set"));
        };
        self.paths.field_views += 1;
        if let CowTable::Shared(view) = &mut self.table_slot_mut(dst).table
            && let Some(view) = Arc::get_mut(view)
            && view.move_view(&of, columns)
        {
            return Ok(true);
        }
        self.budget.commit(n_bytes);
        self.put_table(dst, CowTable::Shared(Arc::new(Table::view_of(of, columns.clone()))));
        Ok(true)
    }
}
