//! Memory of tables that is used again.
//!
//! Note [Used memory]. New memory is zero, and its pages cost nothing until they are written: a
//! table with few ones uses few of them. Used memory must be cleared, unless all columns are
//! overwritten. Hence a new table gets new memory. If the first tape that stores to it overwrites
//! all columns, the table exchanges this memory, of which no page exists yet, for that of a
//! released table, so that the system need not provide pages. If a flag ends the tape, the table
//! gets its zeros back: bits of other tables are never visible.

use std::sync::Arc;

use star_value::{BitTable, Limbs};

use super::Table;
use super::sparse::Sparse;
use super::view::View;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::copy_of;
use crate::interrupt::Exec;

impl Table {
    /// Returns a table of zeros in new memory.
    pub(in crate::cpu) fn of_zeros(zeros: BitTable) -> Self {
        Table { is_unwritten: true, ..Table::new(zeros) }
    }

    /// Was nothing written to its memory?
    pub(in crate::cpu) fn is_unwritten(&self) -> bool {
        self.is_unwritten && self.sparse.is_none() && self.view.is_none()
    }

    /// Returns the number of limbs of its home form, gaps included.
    pub(in crate::cpu) fn n_limbs(&self) -> usize {
        self.home.storage().len()
    }

    /// Moves an unwritten table, which is about to be overwritten, to used memory of
    /// [`Table::n_limbs`] limbs. Returns its zeros.
    pub(in crate::cpu) fn move_to(&mut self, used: Limbs) -> BitTable {
        let (n_rows, n_cols) = (self.home.n_rows(), self.home.n_cols());
        self.is_unwritten = false;
        std::mem::replace(&mut self.home, BitTable::in_used(n_rows, n_cols, used))
    }

    /// Restores the zeros that [`Table::move_to`] has returned.
    pub(in crate::cpu) fn move_back(&mut self, zeros: BitTable) {
        self.all_changes();
        self.home = zeros;
        self.is_unwritten = true;
    }

    /// Copies the home form of the table, to used memory if it fits; `None` if the system has no
    /// memory for it.
    pub(in crate::cpu) fn try_clone(
        &self,
        used: Option<Limbs>,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<Table>> {
        if let Some(view) = &self.view {
            return Ok(view.copy(self.n_cols, parallelism)?.map(Table::new));
        }
        let sparse = match self.sparse.as_deref().map(Sparse::try_clone) {
            Some(Ok(copy)) => Some(Box::new(copy)),
            Some(Err(_)) => return Ok(None),
            None => None,
        };
        let half_transposed = match &self.half_transposed {
            Some(transposition) => match transposition.try_clone(parallelism)? {
                Some(copy) => Some(Box::new(copy)),
                None => return Ok(None),
            },
            None => None,
        };
        let Some(home) = copy_of(&self.home, used, parallelism)? else { return Ok(None) };
        Ok(Some(Table {
            n_rows: self.n_rows,
            n_cols: self.n_cols,
            by_rows: self.by_rows,
            home,
            sparse,
            half_transposed,
            ..Table::default()
        }))
    }

    /// Returns the memory of its home form, with the bytes of packed bits, and the table that it
    /// views, if any.
    pub(in crate::cpu) fn into_parts(self) -> ((Limbs, u64), Option<Arc<Table>>) {
        let n_bytes = self.home.n_bytes();
        ((self.home.into_limbs(), n_bytes), self.view.map(View::into_viewed))
    }
}
