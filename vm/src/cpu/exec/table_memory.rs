//! Allocation, copies and release of tables.
//!
//! Note [Sharing]. Tables are copied on write: a copied table is shared, and its bytes count once;
//! a write to a shared table first creates a unique copy.

use std::sync::Arc;

use star_value::{BitTable, Limbs, OutOfMemory, stride_of};

use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::Reg;
use crate::cpu::registers::CowTable;
use crate::cpu::table::Table;
use crate::cpu::table::form::{Line, bytes_of};
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    /// Stores a table of zeros in a register.
    pub(in crate::cpu) fn new_table(&mut self, dst: Reg, rows: usize, columns: usize) -> Exec<()> {
        let bytes = bytes_of(rows).saturating_mul(columns as u64);
        let is_sparse =
            self.parallelism.settings.all_sparse || Table::is_worth_sparse(columns, bytes);
        let table = match is_sparse {
            true => Box::new(self.sparse_zeros(Line::Column, rows, columns)?),
            false => self.zeros(rows, columns)?,
        };
        self.put_table(dst, CowTable::Own(table));
        Ok(())
    }

    /// Returns a table of zeros after reserving its memory.
    pub(in crate::cpu) fn zeros(&mut self, rows: usize, columns: usize) -> Exec<Box<Table>> {
        let bytes = bytes_of(rows).saturating_mul(columns as u64);
        self.budget.reserve(bytes)?;
        let refused = OutOfMemory { n_bytes: u128::from(bytes) };
        let table = BitTable::zeros(rows, columns).map_err(|_| self.out_of_memory(refused))?;
        self.budget.commit(bytes);
        Ok(Box::new(Table::of_zeros(table)))
    }

    /// Does the same for a table that is overwritten at once: its bits are unspecified.
    pub(super) fn unspecified(&mut self, rows: usize, columns: usize) -> Exec<Box<Table>> {
        let bytes = bytes_of(rows).saturating_mul(columns as u64);
        self.budget.reserve(bytes)?;
        let n_limbs = stride_of(rows).and_then(|stride| stride.checked_mul(columns));
        let Some(used) = n_limbs.and_then(|n_limbs| self.used_memory(n_limbs)) else {
            return self.zeros(rows, columns);
        };
        self.budget.commit(bytes);
        Ok(Box::new(Table::new(BitTable::in_used(rows, columns, used))))
    }

    /// Returns the memory of a released value for a table that is overwritten, if there is any of
    /// this size.
    pub(in crate::cpu) fn used_memory(&mut self, n_limbs: usize) -> Option<Limbs> {
        let used = self.budget.recycled(n_limbs)?;
        self.paths.tables_recycled += 1;
        Some(used)
    }

    /// Drops the table of a register: its bytes are released if it was uniquely owned.
    pub(in crate::cpu) fn release(&mut self, table: CowTable) {
        let gone = match table {
            CowTable::None => None,
            CowTable::Own(table) => Some(table),
            CowTable::Shared(table) => Arc::into_inner(table).map(Box::new),
        };
        if let Some(table) = gone {
            self.budget.release(table.n_bytes());
            self.copies.forget(&table);
            let ((limbs, n_bytes), viewed) = table.into_parts();
            self.budget.recycle(limbs, n_bytes);
            if let Some(of) = viewed {
                self.release(CowTable::Shared(of));
            }
        }
    }

    /// Makes a table uniquely owned before it is written.
    #[inline]
    pub(in crate::cpu) fn own(&mut self, reg: Reg) -> Exec<()> {
        let at = self.base.tables + reg as usize;
        if self.tables[at].table.get_mut().is_some() { Ok(()) } else { self.own_copy(at) }
    }

    #[cold]
    fn own_copy(&mut self, at: usize) -> Exec<()> {
        let table = self.tables[at].table.get();
        let table = table.ok_or_else(|| internal_error("a table that was never set"))?;
        let (bytes, n_limbs) = (table.n_bytes(), table.n_limbs());
        self.budget.reserve(bytes)?;
        let used = self.used_memory(n_limbs);
        let refused = OutOfMemory { n_bytes: u128::from(bytes) };
        let table = self.tables[at].table.get();
        let table = table.ok_or_else(|| internal_error("a table that was never set"))?;
        let own = table.try_clone(used, &self.parallelism)?;
        let own = own.ok_or_else(|| self.out_of_memory(refused))?;
        // A sparse copy has no spare capacity.
        self.budget.commit(own.n_bytes());
        let shared = std::mem::replace(&mut self.tables[at].table, CowTable::Own(Box::new(own)));
        self.release(shared);
        self.paths.table_copies += 1;
        Ok(())
    }
}
