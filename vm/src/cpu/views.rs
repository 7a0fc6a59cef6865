//! Fields as views.
//!
//! Note [Views]. TCOPY1 extracts a field from a large table: in DIJKSTRA, the weights of the arcs
//! that leave a vertex, of which only the few limbs are read in which a slice has ones. Copying the
//! field would cost more than all operations on it. So a field of which only columns and sizes are
//! read refers to the columns of the original. It is a table that shares the other one, which
//! copy-on-write protects; it counts as many bytes as the copy would, so that a limit on memory has
//! the same effect.
//!
//! Compilation of a routine decides which variables may be views (`compile/views.rs`): those that
//! are local to it, are passed only to value parameters that are read in the same way, and whose
//! columns are not used by a kernel over lines. The routine never writes the table that they are
//! extracted from, nor reads its rows: a view keeps that table shared, so its home layout is fixed,
//! and a write would copy it. A trap shows a view like any other table. Short fields are copied.

use std::ops::Range;
use std::sync::Arc;

use super::interpreter::Interpreter;
use super::operand::Reg;
use super::registers::CowTable;
use super::table::Table;
use super::table::form::bytes_of;
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    /// Stores columns of a table in a register as a view; false if they must be copied.
    pub(super) fn view_field(
        &mut self,
        dst: Reg,
        table: Reg,
        columns: &Range<usize>,
    ) -> Exec<bool> {
        let settings = self.parallelism.settings;
        let of = self.table(table)?;
        let n_bytes = bytes_of(of.n_rows()).saturating_mul(columns.len() as u64);
        if dst == table || n_bytes < settings.view_bytes || !of.may_be_viewed() {
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
