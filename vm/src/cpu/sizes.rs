//! Sizes that are computed or assigned during a run.

use star_value::OutOfMemory;

use super::inst::SizeInst;
use super::interpreter::Interpreter;
use super::operand::{Number, Reg, RegRef, Size};
use super::registers::{CowTable, TableSlot};
use super::table::Table;
use super::table::form::{Line, bytes_of};
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    /// Runs an instruction that computes or assigns a size.
    pub(super) fn size_inst(&mut self, inst: SizeInst) -> Exec<()> {
        match inst {
            SizeInst::Latch { dst, size } => {
                let at = self.base.numbers + dst as usize;
                let number = match size {
                    Size::Value(number) => Some(self.number(number)),
                    Size::Length(_) | Size::Rows(_) | Size::Columns(_) => {
                        self.size(size).map(|size| size as i64)
                    }
                };
                if let (false, Some(number)) = (self.numbers_set[at], number) {
                    self.set(dst, number);
                }
                Ok(())
            }
            SizeInst::SetRows { table, rows } => {
                if self.table_slot(table).table.is_none() {
                    let rows = self.known_size(rows)?;
                    self.new_table(table, rows, 0)?;
                }
                Ok(())
            }
            SizeInst::EnsureColumns { table, columns } => self.ensure_columns(table, columns),
            SizeInst::Init { table, rows, columns } => {
                if self.table_slot(table).table.is_none() {
                    let rows = self.known_size(Size::Value(rows))?;
                    let columns = self.known_size(Size::Value(columns))?;
                    self.new_table(table, rows, columns)?;
                }
                Ok(())
            }
            SizeInst::Adapt { bits, size } => {
                self.adapt(bits, size);
                Ok(())
            }
            SizeInst::Fix { bits, size } => {
                let size = self.known_size(Size::Value(size))?;
                let slot = self.bits_slot_mut(bits);
                let keeps = slot.is_set || (slot.fixed && slot.size.is_some());
                if !keeps {
                    slot.size = Some(size);
                }
                Ok(())
            }
        }
    }

    fn adapt(&mut self, bits: Reg, size: Number) {
        if !self.keeps_length(bits, size) {
            self.unset(RegRef::Slice(bits));
        }
    }

    /// Does a slice or word already have this size?
    fn keeps_length(&self, bits: Reg, size: Number) -> bool {
        let wanted = u64::try_from(self.number(size)).ok();
        let length = self.size(Size::Length(bits));
        length.is_none() || length == wanted || self.bits_slot(bits).fixed
    }

    /// Does the instruction leave a slice or word unchanged, pending or not?
    pub(super) fn leaves_bits(&self, inst: SizeInst) -> bool {
        match inst {
            SizeInst::Adapt { bits, size } => self.keeps_length(bits, size),
            SizeInst::Fix { bits, .. } => self.bits_slot(bits).is_set,
            SizeInst::Latch { .. }
            | SizeInst::SetRows { .. }
            | SizeInst::EnsureColumns { .. }
            | SizeInst::Init { .. } => false,
        }
    }

    fn ensure_columns(&mut self, table: Reg, columns: Size) -> Exec<()> {
        let TableSlot { fixed, .. } = *self.table_slot(table);
        let columns = match columns {
            Size::Value(number) => usize::try_from(self.number(number).max(0))
                .map_err(|_| internal_error("a size that exceeds the address space"))?,
            Size::Length(_) | Size::Rows(_) | Size::Columns(_) => self.known_size(columns)?,
        };
        let (before, rows) = (self.table(table)?.n_cols(), self.table(table)?.n_rows());
        if fixed || columns <= before {
            return Ok(());
        }
        if self.is_sparse(table) && !self.grows_dense(table, columns)? {
            return self.grow_sparse(table, columns);
        }
        let more = bytes_of(rows).saturating_mul((columns - before) as u64);
        if before == 0 && Table::is_worth_sparse(columns, more) {
            let zeros = self.sparse_zeros(Line::Column, rows, columns)?;
            self.put_table(table, CowTable::Own(Box::new(zeros)));
            return Ok(());
        }
        if before == 0 {
            let zeros = self.zeros(rows, columns)?;
            self.put_table(table, CowTable::Own(zeros));
            return Ok(());
        }
        self.own(table)?;
        let is_by_rows = self.table(table)?.as_columns().is_none();
        let transpose = if is_by_rows { self.table(table)?.n_bytes() } else { 0 };
        self.budget.reserve(more.saturating_add(transpose))?;
        let refused = OutOfMemory { n_bytes: u128::from(more) };
        self.change(table, |table, interpreter| {
            match table.grow(columns, &interpreter.parallelism)? {
                true => Ok(()),
                false => Err(interpreter.out_of_memory(refused)),
            }
        })?;
        self.budget.commit(more);
        Ok(())
    }
}
