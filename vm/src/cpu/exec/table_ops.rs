//! Operations on tables.

use star_value::BitVector;

use crate::cpu::bits::index_in;
use crate::cpu::inst::TableInst;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Number, Reg, Size};
use crate::cpu::registers::CowTable;
use crate::cpu::table::Table;
use crate::cpu::table::form::{Line, bytes_of, copy_columns};
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    /// Runs an instruction on tables.
    pub(in crate::cpu) fn table_inst(&mut self, inst: TableInst) -> Exec<()> {
        match inst {
            TableInst::Copy { dst, src } => {
                let table = self.table_slot_mut(src).table.share();
                self.put_table(dst, table);
                Ok(())
            }
            TableInst::Part { dst, handle, part } => {
                self.handle_part(dst, handle, &self.routine()?.parts[part as usize])
            }
            TableInst::PutPart { handle, part, value } => {
                // Intrinsics read the tables of a handle.
                self.make_dense(value)?;
                self.put_handle_part(handle, &self.routine()?.parts[part as usize], value)
            }
            TableInst::CopyHandle { dst, src } => {
                let handle = self.handle_slot(src).clone();
                self.put_handle(dst, handle);
                Ok(())
            }
            TableInst::Bit { dst, table, row, column } => {
                let row_idx = self.place(row, Size::Rows(table))?;
                let col_idx = self.place(column, Size::Columns(table))?;
                let bit = self.table(table)?.bit(row_idx, col_idx);
                self.set(dst, i64::from(bit));
                Ok(())
            }
            TableInst::Field { dst, table, base, width, may_view } => {
                self.field(dst, table, (base, width), may_view)
            }
            TableInst::New { dst, rows, columns } => {
                let rows = self.known_size(Size::Value(rows))?;
                let columns = self.known_size(Size::Value(columns))?;
                self.new_table(dst, rows, columns)
            }
            TableInst::Extreme { dst, table, mask, sense, first } => {
                self.extreme((dst, first), table, mask, sense)
            }

            TableInst::PutBit { table, row, column, bit } => {
                let row_idx = self.place(row, Size::Rows(table))?;
                let col_idx = self.place(column, Size::Columns(table))?;
                let bit = self.bit(bit)?;
                self.put_bit(table, (row_idx, col_idx), bit)
            }
            TableInst::PutField { table, base, value } => self.put_field(table, base, value),
            TableInst::CountColumn { count, table, column, mask } => {
                let count = self.routine()?.counts[count as usize];
                let n_ones = self.count_column(count, [table, column, mask])?;
                self.set(count.dst, n_ones as i64);
                Ok(())
            }
        }
    }

    /// Stores a bit of a table, by its row and column from 0.
    pub(in crate::cpu) fn put_bit(
        &mut self,
        table: Reg,
        (row_idx, col_idx): (usize, usize),
        bit: bool,
    ) -> Exec<()> {
        if self.is_sparse(table) {
            return self.put_sparse_bit(table, row_idx, col_idx, bit);
        }
        self.change(table, |table, _| {
            table.put(row_idx, col_idx, bit);
            Ok(())
        })
    }

    /// Stores a table whose bytes are already counted in a register.
    pub(in crate::cpu) fn put_table(&mut self, dst: Reg, table: CowTable) {
        let before = std::mem::replace(&mut self.table_slot_mut(dst).table, table);
        self.release(before);
    }

    /// May a second form of the table be created?
    pub(in crate::cpu) fn may_copy(&self, table: &Table) -> bool {
        self.copies.may_add(&self.budget, table.n_bytes())
    }

    /// Counts a second form that a read of the table may have created.
    pub(in crate::cpu) fn recount_copy(&mut self, table: Reg, before: u64) -> Exec<()> {
        let table = self.tables[self.base.tables + table as usize].table.get();
        let table = table.ok_or_else(|| internal_error("a table that was never set"))?;
        self.copies.count(table, before);
        Ok(())
    }

    /// Changes a table, after making it uniquely owned; the other registers may be read meanwhile.
    pub(in crate::cpu) fn change(
        &mut self,
        reg: Reg,
        change: impl FnOnce(&mut Table, &Self) -> Exec<()>,
    ) -> Exec<()> {
        self.own(reg)?;
        let at = self.base.tables + reg as usize;
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let table =
            holding.get_mut().ok_or_else(|| internal_error("a table that is still shared"))?;
        let before = table.extra_bytes();
        let done = change(table, self);
        self.copies.count(table, before);
        self.tables[at].table = holding;
        done
    }

    /// Is the table uniquely owned?
    pub(in crate::cpu) fn owns(&mut self, reg: Reg) -> bool {
        self.table_slot_mut(reg).table.get_mut().is_some()
    }

    /// Makes a table uniquely owned, with contiguous lines of this kind; `false` if that does not
    /// pay. `change` notifies the table that these lines are about to be written.
    pub(in crate::cpu) fn own_lines(
        &mut self,
        reg: Reg,
        line: Line,
        change: fn(&mut Table),
    ) -> Exec<bool> {
        self.make_small_dense(reg)?;
        self.own(reg)?;
        let at = self.base.tables + reg as usize;
        let table = self.tables[at].table.get_mut();
        let table = table.ok_or_else(|| internal_error("a table that is still shared"))?;
        let (before, n_changes) = (table.extra_bytes(), table.n_changes());
        let may_change = !self.recorder.touches_table(at);
        let room = self.copies.room(&self.budget, table.n_bytes(), may_change);
        let is_ready = table.make_home(line, &self.parallelism, room);
        self.paths.homes_changed += u64::from(table.n_changes() - n_changes);
        if let Ok(true) = is_ready {
            change(table);
        }
        self.copies.count(table, before);
        is_ready
    }

    /// Copies a row or column to a register.
    #[inline]
    pub(in crate::cpu) fn line(
        &mut self,
        dst: Reg,
        table: Reg,
        line: Line,
        index: Number,
    ) -> Exec<()> {
        let Interpreter {
            bits,
            tables,
            numbers,
            base,
            parallelism,
            budget,
            copies,
            recorder,
            paths,
            ..
        } = self;
        let table_reg = table;
        let holding = &mut tables[base.tables + table_reg as usize].table;
        let table = holding.get().ok_or_else(|| internal_error("a table that was never set"))?;
        let form = table.lines(line);
        if form.is_none() && table.is_sparse() {
            return self.sparse_line(dst, table_reg, line, index);
        }
        let (of, len) = match line {
            Line::Row => (table.n_rows(), table.n_cols()),
            Line::Column => (table.n_cols(), table.n_rows()),
        };
        let idx = index_in(numbers[base.numbers + index.0 as usize], of)?;
        budget.reserve(bytes_of(len))?;
        let slot = &mut bits[base.bits + dst as usize];
        let before = slot.n_bytes();
        if slot.bits.len() != len {
            let wanted = bytes_of(len);
            slot.bits.resize(len).map_err(|_| budget.no_memory_for(wanted))?;
        }
        slot.known.forget();
        if let Some(form) = form {
            let limbs = form.column_limbs(idx);
            parallelism.fill(slot.bits.limbs_mut(), 1, |start, part| {
                part.copy_from_slice(&limbs[start..start + part.len()]);
            })?;
        } else {
            let (before, dst) = (table.extra_bytes(), slot.bits.limbs_mut());
            let done = match holding.get_mut() {
                Some(own) => {
                    // Recorded operations read columns at their current positions.
                    let may_change = !recorder.touches_table(base.tables + table_reg as usize);
                    let n_changes = own.n_changes();
                    let room = |bytes| copies.room(budget, bytes, may_change);
                    let done = own.read_own(line, idx, dst, parallelism, room);
                    paths.homes_changed += u64::from(own.n_changes() - n_changes);
                    done
                }
                None => match holding.get() {
                    Some(table) => {
                        let may_copy = copies.may_add(budget, table.n_bytes());
                        table.read(line, idx, dst, parallelism, may_copy)
                    }
                    None => Err(internal_error("a table that was never set")),
                },
            };
            if let Some(table) = holding.get() {
                copies.count(table, before);
            }
            done?;
        }
        slot.is_set = true;
        budget.exchange(before, bytes_of(len));
        Ok(())
    }

    /// Writes a row or column.
    #[inline]
    pub(in crate::cpu) fn put_line(
        &mut self,
        table: Reg,
        line: Line,
        index: Number,
        value: Reg,
    ) -> Exec<()> {
        let Interpreter { bits, tables, numbers, base, parallelism, .. } = self;
        if let CowTable::Own(own) = &mut tables[base.tables + table as usize].table
            && own.is_home_alone(line)
            && (line == Line::Row || own.n_cols() > 1)
        {
            // The usual case: the table is uniquely owned, nothing but the window must be updated,
            // and it is not a first column.
            let value = &bits[base.bits + value as usize].bits;
            let idx =
                line_to_put(own, line, numbers[base.numbers + index.0 as usize], value.len())?;
            return own.write_along(idx, value.limbs(), parallelism);
        }
        self.put_line_anyhow(table, line, index, value)
    }

    /// Does the same for shared tables and all layouts.
    #[inline(never)]
    fn put_line_anyhow(&mut self, table: Reg, line: Line, index: Number, value: Reg) -> Exec<()> {
        if self.is_sparse(table) || self.begins_sparse(table, line, value)? {
            return self.put_sparse_line(table, line, index, value);
        }
        self.put_dense_line(table, line, index, value)
    }

    /// Writes a row or column of a dense table.
    pub(in crate::cpu) fn put_dense_line(
        &mut self,
        table: Reg,
        line: Line,
        index: Number,
        value: Reg,
    ) -> Exec<()> {
        self.own(table)?;
        let Interpreter {
            bits,
            tables,
            numbers,
            base,
            parallelism,
            budget,
            copies,
            recorder,
            paths,
            ..
        } = self;
        let at = base.tables + table as usize;
        let table = tables[at].table.get_mut();
        let table = table.ok_or_else(|| internal_error("a table that is still shared"))?;
        let value = &bits[base.bits + value as usize].bits;
        let idx = line_to_put(table, line, numbers[base.numbers + index.0 as usize], value.len())?;
        let (before, n_changes) = (table.extra_bytes(), table.n_changes());
        let room = copies.room(budget, table.n_bytes(), !recorder.touches_table(at));
        let done = table.write(line, idx, value.limbs(), parallelism, room);
        paths.homes_changed += u64::from(table.n_changes() - n_changes);
        copies.count(table, before);
        done
    }

    fn field(
        &mut self,
        dst: Reg,
        table: Reg,
        (base, width): (Number, Number),
        may_view: bool,
    ) -> Exec<()> {
        let width = self.known_size(Size::Value(width))?;
        let part = self.part(base, width, self.table(table)?.n_cols())?;
        let n_rows = self.table(table)?.n_rows();
        if dst != table && self.table(table)?.is_sparse_by_columns() {
            return self.sparse_field(dst, table, part);
        }
        if may_view && self.view_field(dst, table, &part)? {
            return Ok(());
        }
        if self.is_sparse(table) {
            self.paths.sparse_lines += width as u64;
        }
        if dst != table && self.is_own_of(dst, n_rows, width) {
            // Reused memory is cheaper than new memory.
            self.budget.reserve(bytes_of(n_rows).saturating_mul(width as u64))?;
            let before = self.table(table)?.extra_bytes();
            let done =
                self.change(dst, |to, interpreter| interpreter.copy_field(to, table, part.start));
            self.recount_copy(table, before)?;
            return done;
        }
        let mut made = self.unspecified(n_rows, width)?;
        let before = self.table(table)?.extra_bytes();
        let done = self.copy_field(&mut made, table, part.start);
        self.recount_copy(table, before)?;
        match done {
            Ok(()) => {
                self.put_table(dst, CowTable::Own(made));
                Ok(())
            }
            Err(stop) => {
                self.budget.release(made.n_bytes());
                Err(stop)
            }
        }
    }

    /// Is it a uniquely owned table of this shape, stored by columns?
    fn is_own_of(&mut self, reg: Reg, n_rows: usize, n_cols: usize) -> bool {
        self.table_slot_mut(reg).table.get_mut().is_some_and(|table| {
            (table.n_rows(), table.n_cols()) == (n_rows, n_cols) && table.is_home(Line::Column)
        })
    }

    /// Copies the columns of a table from `base` on to the columns of `to`, which has one form.
    fn copy_field(&self, to: &mut Table, from: Reg, base: usize) -> Exec<()> {
        let from = self.table(from)?;
        let may_copy = self.may_copy(from);
        let width = to.n_cols();
        let Some(to) = to.home_along(Line::Column, &self.parallelism)? else {
            return Err(internal_error("a new table without columns"));
        };
        if let Some(form) = from.as_columns() {
            return copy_columns(form, base, to, 0, width, &self.parallelism);
        }
        for idx in 0..width {
            self.parallelism.poll()?;
            let column = to.column_limbs_mut(idx);
            from.read(Line::Column, base + idx, column, &self.parallelism, may_copy)?;
        }
        Ok(())
    }

    fn put_field(&mut self, table: Reg, base: Number, value: Reg) -> Exec<()> {
        if table == value {
            return Ok(());
        }
        self.make_dense(table)?;
        let (rows, width) = (self.table(value)?.n_rows(), self.table(value)?.n_cols());
        let part = self.part(base, width, self.table(table)?.n_cols())?;
        if rows != self.table(table)?.n_rows() {
            return Err(internal_error("a field of a different size"));
        }
        let may_change = !self.recorder.touches_table(self.base.tables + table as usize);
        let n_bytes = self.table(table)?.n_bytes();
        let room = self.copies.room(&self.budget, n_bytes, may_change);
        self.change(table, |table, interpreter| {
            let (value, parallelism) = (interpreter.table(value)?, &interpreter.parallelism);
            if let Some(form) = value.as_columns()
                && table.is_home(Line::Column)
            {
                let to = table.lines_mut(Line::Column);
                return copy_columns(form, 0, to, part.start, width, parallelism);
            }
            let mut column =
                BitVector::try_zeros(rows).map_err(|e| interpreter.out_of_memory(e))?;
            for (idx, at) in part.enumerate() {
                parallelism.poll()?;
                value.read(Line::Column, idx, column.limbs_mut(), parallelism, false)?;
                table.write(Line::Column, at, column.limbs(), parallelism, room)?;
            }
            Ok(())
        })
    }
}

/// Returns the zero-based line of a table with this index, if the line has `n` components.
#[inline]
fn line_to_put(table: &Table, line: Line, index: i64, n: usize) -> Exec<usize> {
    let (of, len) = match line {
        Line::Row => (table.n_rows(), table.n_cols()),
        Line::Column => (table.n_cols(), table.n_rows()),
    };
    if len == n { index_in(index, of) } else { Err(internal_error("a line of a different size")) }
}
