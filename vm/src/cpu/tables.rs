//! Operations on tables.
//!
//! Note [Sharing]. A table that is copied is shared, and its bytes count once; whoever writes to a shared
//! one gets a table of its own first. The second form of a table is no value: it does not count as one,
//! and is made only while all second forms together take an eighth of the memory at most.

use std::sync::Arc;

use star_base::limbs::OutOfMemory;
use star_base::{BitTable, BitVector};
use star_ir::Sense;

use super::code::{Inst, Number, Reg, Size};
use super::machine::{Machine, TableSlot};
use super::spread::pieces;
use super::table::{Line, Table, columns_of};
use super::value::bytes_of;
use crate::stop::{Step, broken};

impl Machine<'_, '_, '_> {
    /// Runs an instruction that works on tables.
    pub(super) fn tables(&mut self, inst: Inst) -> Step<()> {
        match inst {
            Inst::CopyTable { dst, src } => {
                let table = self.table_slot(src).table.clone();
                self.put_table(dst, table);
                Ok(())
            }
            Inst::Column { dst, table, index } => self.line(dst, table, Line::Column, index),
            Inst::Row { dst, table, index } => self.line(dst, table, Line::Row, index),
            Inst::TableBit { dst, table, row, column } => {
                let row_idx = self.place(row, Size::Rows(table))?;
                let col_idx = self.place(column, Size::Columns(table))?;
                let bit = self.table(table)?.bit(row_idx, col_idx);
                self.set(dst, i64::from(bit));
                Ok(())
            }
            Inst::Field { dst, table, base, width } => self.field(dst, table, base, width),
            Inst::NewTable { dst, rows, columns } => {
                let rows = self.known_size(Size::Value(rows))?;
                let columns = self.known_size(Size::Value(columns))?;
                let table = self.zeros(rows, columns)?;
                self.put_table(dst, Some(Arc::new(table)));
                Ok(())
            }
            Inst::Extreme { dst, table, mask, sense } => self.extreme(dst, table, mask, sense),

            Inst::PutColumn { table, index, value } => {
                self.put_line(table, Line::Column, index, value)
            }
            Inst::PutRow { table, index, value } => self.put_line(table, Line::Row, index, value),
            Inst::PutBit { table, row, column, bit } => {
                let row_idx = self.place(row, Size::Rows(table))?;
                let col_idx = self.place(column, Size::Columns(table))?;
                let bit = self.bit(bit)?;
                self.change(table, |table, _| {
                    table.put(row_idx, col_idx, bit);
                    Ok(())
                })
            }
            Inst::PutField { table, base, value } => self.put_field(table, base, value),

            Inst::SetRows { table, rows } => {
                if self.table_slot(table).table.is_none() {
                    let rows = self.known_size(rows)?;
                    let made = self.zeros(rows, 0)?;
                    self.put_table(table, Some(Arc::new(made)));
                }
                Ok(())
            }
            Inst::EnsureColumns { table, columns } => self.ensure_columns(table, columns),
            Inst::Init { table, rows, columns } => {
                if self.table_slot(table).table.is_none() {
                    let rows = self.known_size(Size::Value(rows))?;
                    let columns = self.known_size(Size::Value(columns))?;
                    let made = self.zeros(rows, columns)?;
                    self.put_table(table, Some(Arc::new(made)));
                }
                Ok(())
            }
            other => Err(broken(format!("{other:?} is not carried out"))),
        }
    }

    /// A table of zeros, for which there is room.
    fn zeros(&mut self, rows: usize, columns: usize) -> Step<Table> {
        let bytes = bytes_of(rows).saturating_mul(columns as u64);
        self.room.ask(bytes)?;
        let refused = OutOfMemory { n_bytes: u128::from(bytes) };
        let table = BitTable::zeros(rows, columns).map_err(|_| self.out_of_memory(refused))?;
        self.room.take(bytes);
        Ok(Table::new(table))
    }

    /// A register takes a table whose bytes are counted already.
    pub(super) fn put_table(&mut self, dst: Reg, table: Option<Arc<Table>>) {
        let before = std::mem::replace(&mut self.table_slot_mut(dst).table, table);
        self.release(before);
    }

    /// A register gives a table up: its bytes are free if nobody shares it.
    pub(super) fn release(&mut self, table: Option<Arc<Table>>) {
        if let Some(table) = table.and_then(Arc::into_inner) {
            self.room.give(table.n_bytes());
            if table.has_copy() {
                self.copies = self.copies.saturating_sub(table.n_bytes());
            }
        }
    }

    /// May a second form of the table be made?
    fn may_copy(&self, table: &Table) -> bool {
        let copies = self.copies.saturating_add(table.n_bytes());
        copies <= self.room.limit() / 8 && copies <= self.room.free()
    }

    /// Counts a second form that was made or dropped.
    fn count_copy(&mut self, bytes: u64, before: bool, after: bool) {
        match (before, after) {
            (false, true) => self.copies = self.copies.saturating_add(bytes),
            (true, false) => self.copies = self.copies.saturating_sub(bytes),
            (false, false) | (true, true) => {}
        }
    }

    /// Changes a table, of its own if it was shared; the other registers may be read meanwhile.
    fn change(&mut self, reg: Reg, change: impl FnOnce(&mut Table, &Self) -> Step<()>) -> Step<()> {
        let at = self.base.tables + reg as usize;
        let table = self.tables[at].table.take();
        let mut table = table.ok_or_else(|| broken("a table that was never set"))?;
        let mut done = Ok(());
        if Arc::get_mut(&mut table).is_none() {
            done = self.own(&mut table);
        }
        if let (Ok(()), Some(table)) = (&done, Arc::get_mut(&mut table)) {
            let (bytes, before) = (table.n_bytes(), table.has_copy());
            done = change(table, self);
            self.count_copy(bytes, before, table.has_copy());
        }
        self.tables[at].table = Some(table);
        done
    }

    /// Makes a shared table one's own.
    #[cold]
    fn own(&mut self, table: &mut Arc<Table>) -> Step<()> {
        self.room.ask(table.n_bytes())?;
        let refused = OutOfMemory { n_bytes: u128::from(table.n_bytes()) };
        let own = table.try_clone(&self.spread)?.ok_or_else(|| self.out_of_memory(refused))?;
        self.room.take(own.n_bytes());
        *table = Arc::new(own);
        Ok(())
    }

    /// A register takes a row or column.
    fn line(&mut self, dst: Reg, table: Reg, line: Line, index: Number) -> Step<()> {
        let (of, along) = match line {
            Line::Row => (Size::Rows(table), Size::Columns(table)),
            Line::Column => (Size::Columns(table), Size::Rows(table)),
        };
        let idx = self.place(index, of)?;
        let len = self.known_size(along)?;
        let (bytes, before, may_copy) = {
            let table = self.table(table)?;
            (table.n_bytes(), table.has_copy(), self.may_copy(table))
        };
        let done = self.make(dst, len, false, |machine, to| {
            machine.table(table)?.read(line, idx, to, &machine.spread, may_copy)
        });
        let after = self.table(table)?.has_copy();
        self.count_copy(bytes, before, after);
        done
    }

    fn put_line(&mut self, table: Reg, line: Line, index: Number, value: Reg) -> Step<()> {
        let (of, along) = match line {
            Line::Row => (Size::Rows(table), Size::Columns(table)),
            Line::Column => (Size::Columns(table), Size::Rows(table)),
        };
        let idx = self.place(index, of)?;
        if self.known_size(along)? != self.bits(value).len() {
            return Err(broken("a line of another size"));
        }
        self.change(table, |table, machine| {
            table.write(line, idx, machine.bits(value).limbs(), &machine.spread)
        })
    }

    fn field(&mut self, dst: Reg, table: Reg, base: Number, width: Number) -> Step<()> {
        let width = self.known_size(Size::Value(width))?;
        let part = self.part(base, width, self.table(table)?.n_cols())?;
        let mut made = self.zeros(self.table(table)?.n_rows(), width)?;
        let (bytes, before) = (self.table(table)?.n_bytes(), self.table(table)?.has_copy());
        let done = self.copy_field(&mut made, table, part.start);
        let after = self.table(table)?.has_copy();
        self.count_copy(bytes, before, after);
        match done {
            Ok(()) => {
                self.put_table(dst, Some(Arc::new(made)));
                Ok(())
            }
            Err(stop) => {
                self.room.give(made.n_bytes());
                Err(stop)
            }
        }
    }

    /// The columns of `to`, which has one form, take those of a table from `base` on.
    fn copy_field(&self, to: &mut Table, from: Reg, base: usize) -> Step<()> {
        let from = self.table(from)?;
        let may_copy = self.may_copy(from);
        let width = to.n_cols();
        let Some(to) = to.columns_mut(&self.spread)? else {
            return Err(broken("a new table without columns"));
        };
        for idx in 0..width {
            let column = to.column_limbs_mut(idx);
            from.read(Line::Column, base + idx, column, &self.spread, may_copy)?;
        }
        Ok(())
    }

    fn put_field(&mut self, table: Reg, base: Number, value: Reg) -> Step<()> {
        if table == value {
            return Ok(());
        }
        let (rows, width) = (self.table(value)?.n_rows(), self.table(value)?.n_cols());
        let part = self.part(base, width, self.table(table)?.n_cols())?;
        if rows != self.table(table)?.n_rows() {
            return Err(broken("a field of another size"));
        }
        let mut column = BitVector::try_zeros(rows).map_err(|e| self.out_of_memory(e))?;
        self.change(table, |table, machine| {
            for (idx, at) in part.enumerate() {
                machine.spread.look()?;
                let value = machine.table(value)?;
                match value.as_columns() {
                    Some(form) => {
                        table.write(Line::Column, at, form.column_limbs(idx), &machine.spread)?;
                    }
                    None => {
                        value.read(
                            Line::Column,
                            idx,
                            column.limbs_mut(),
                            &machine.spread,
                            false,
                        )?;
                        table.write(Line::Column, at, column.limbs(), &machine.spread)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn ensure_columns(&mut self, table: Reg, columns: Size) -> Step<()> {
        let TableSlot { fixed, .. } = *self.table_slot(table);
        let columns = match columns {
            Size::Value(number) => usize::try_from(self.number(number).max(0))
                .map_err(|_| broken("a size beyond this machine"))?,
            Size::Length(_) | Size::Rows(_) | Size::Columns(_) => self.known_size(columns)?,
        };
        let (before, rows) = (self.table(table)?.n_cols(), self.table(table)?.n_rows());
        if fixed || columns <= before {
            return Ok(());
        }
        let more = bytes_of(rows).saturating_mul((columns - before) as u64);
        self.room.ask(more)?;
        let refused = OutOfMemory { n_bytes: u128::from(more) };
        self.change(table, |table, machine| match table.grow(columns, &machine.spread)? {
            true => Ok(()),
            false => Err(machine.out_of_memory(refused)),
        })?;
        self.room.take(more);
        Ok(())
    }

    /// Two passes: the extreme number of each block of rows, and of those the extreme one; then the rows
    /// that hold it.
    fn extreme(&mut self, dst: Reg, table: Reg, mask: Reg, sense: Sense) -> Step<()> {
        let len = self.bits(mask).len();
        if self.table(table)?.n_rows() != len {
            return Err(broken("a mask of another size than the table"));
        }
        let (bytes, before) = (self.table(table)?.n_bytes(), self.table(table)?.has_copy());
        let turned = match self.table(table)?.as_columns() {
            Some(_) => None,
            None if self.may_copy(self.table(table)?) => {
                self.table(table)?.columns(&self.spread)?;
                None
            }
            None => Some(self.table(table)?.to_host(&self.spread)?),
        };
        let after = self.table(table)?.has_copy();
        self.count_copy(bytes, before, after);
        let refused = OutOfMemory { n_bytes: u128::from(bytes) };
        self.make(dst, len, dst == mask, |machine, to| {
            let form = match &turned {
                Some(turned) => turned.as_ref(),
                None => machine.table(table)?.as_columns(),
            };
            let form = form.ok_or_else(|| machine.out_of_memory(refused))?;
            machine.find_extreme(form, machine.bits(mask).limbs(), sense, to)
        })
    }

    fn find_extreme(
        &self,
        form: &BitTable,
        mask: &[u64],
        sense: Sense,
        to: &mut [u64],
    ) -> Step<()> {
        let columns = columns_of(form);
        let (spread, kernels) = (&self.spread, self.spread.kernels);
        let block = spread.settings.block_limbs.max(1);
        let weight = columns.n_cols.max(1);
        let n_word = columns.n_cols.div_ceil(64);
        let better = |a: Option<Vec<u64>>, b: Option<Vec<u64>>| match (a, b) {
            (Some(a), Some(b)) => {
                let a_wins = match sense {
                    Sense::Min => kernels.compare(&a, &b).is_le(),
                    Sense::Max => kernels.compare(&a, &b).is_ge(),
                };
                Some(if a_wins { a } else { b })
            }
            (a, b) => a.or(b),
        };
        let best = spread.fold(
            mask.len(),
            weight,
            None,
            |range| {
                let mut scratch = vec![0; 2 * block];
                let mut best = None;
                for limbs in pieces(range, block) {
                    let mut word = vec![0; n_word];
                    let some =
                        kernels.block_extreme(columns, limbs, mask, sense, &mut scratch, &mut word);
                    best = better(best, some.then_some(word));
                }
                best
            },
            better,
        )?;
        let Some(best) = best else {
            to.fill(0);
            return Ok(());
        };
        spread.fill(to, weight, |start, part| {
            for limbs in pieces(0..part.len(), block) {
                let at = start + limbs.start..start + limbs.end;
                kernels.block_match(columns, at, mask, &best, &mut part[limbs]);
            }
        })
    }
}
