//! Operations on sparse tables; see Note [Sparse tables] in `table/sparse.rs`.

mod combine;

use std::ops::Range;

use star_value::{OutOfMemory, SparseLines};

use super::bits::index_in;
use super::interpreter::Interpreter;
use super::operand::{Number, Reg};
use super::registers::{BitsSlot, CowTable, TableSlot};
use super::summary::Blocks;
use super::table::form::{Line, bytes_of};
use super::table::{Found, Table};
use crate::interrupt::{Exec, internal_error};

/// A table that lacks room for both forms stays sparse if it uses at most this fraction (one in
/// `SMALL_SHARE`) of the bytes of the dense one.
const SMALL_SHARE: u64 = 16;

impl Interpreter<'_, '_, '_> {
    /// Is the table sparse?
    #[inline]
    pub(super) fn is_sparse(&self, table: Reg) -> bool {
        self.table_slot(table).table.get().is_some_and(Table::is_sparse)
    }

    /// Returns a sparse table of zeros with this kind of lines.
    pub(super) fn sparse_zeros(&mut self, line: Line, rows: usize, columns: usize) -> Exec<Table> {
        let (len, n_lines) = match line {
            Line::Row => (columns, rows),
            Line::Column => (rows, columns),
        };
        let bytes = SparseLines::bytes_for(n_lines, 0);
        self.budget.reserve(bytes)?;
        let lines = SparseLines::zeros(len, n_lines, 0);
        let lines = lines.map_err(|refused| self.out_of_memory(refused))?;
        let table = Table::of_sparse(lines, line);
        self.budget.commit(table.n_bytes());
        Ok(table)
    }

    /// Makes a table sparse if its first column, of many, has few limbs: it may get many columns of
    /// this kind, each of which would need new memory. Returns false if it stays dense.
    #[inline]
    pub(super) fn begins_sparse(&mut self, reg: Reg, line: Line, value: Reg) -> Exec<bool> {
        if line == Line::Row || !self.may_begin_sparse(reg, value) {
            return Ok(false);
        }
        let n_rows = self.rows_of(reg);
        // It uses less than the column.
        self.put_table(reg, CowTable::None);
        let table = self.sparse_zeros(Line::Column, n_rows, 1)?;
        self.put_table(reg, CowTable::Own(Box::new(table)));
        Ok(true)
    }

    /// See [`Interpreter::begins_sparse`].
    pub(super) fn may_begin_sparse(&self, reg: Reg, value: Reg) -> bool {
        let TableSlot { table, fixed, .. } = self.table_slot(reg);
        let is_first = |table: &Table| {
            table.n_cols() == 1 && table.n_rows() == self.bits(value).len() && !table.is_sparse()
        };
        let settings = &self.parallelism.settings;
        let has_few_limbs = || {
            let BitsSlot { bits, known, .. } = self.bits_slot(value);
            let blocks = Blocks::of(bits.len(), settings);
            let few = |blocks: Blocks| {
                let summary = known.summary();
                summary.is_some_and(|it| blocks.pays(it.n_off_ground().1, settings))
            };
            blocks.is_some_and(few)
        };
        !fixed && table.get().is_some_and(is_first) && has_few_limbs()
    }

    /// Makes a small sparse table dense for an operation without a sparse path; false if it is
    /// dense, or stays sparse.
    pub(super) fn make_small_dense(&mut self, reg: Reg) -> Exec<bool> {
        let table = self.table_slot(reg).table.get();
        let may = table.is_some_and(|table| table.may_become_dense(self.budget.available()));
        if !may || self.parallelism.settings.all_sparse {
            return Ok(false);
        }
        self.make_dense(reg)?;
        Ok(true)
    }

    /// Makes a sparse table uniquely owned, and reserves room for `n_limbs` more limbs of columns
    /// that are written as a whole; false if there is no memory.
    pub(super) fn spare_limbs(&mut self, reg: Reg, n_limbs: usize) -> Exec<bool> {
        self.own(reg)?;
        let at = self.table_at(reg);
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let done = match holding.get_mut() {
            Some(table) => {
                let (bytes, extra) = (table.n_bytes(), table.extra_bytes());
                let spare = table.sparse_mut().is_some_and(|lines| {
                    lines.bytes_to_spare(n_limbs) <= self.budget.available()
                        && lines.make_spare(n_limbs).is_ok()
                });
                self.budget.exchange(bytes, table.n_bytes());
                self.copies.count(table, extra);
                Ok(spare)
            }
            None => Err(internal_error("a table that is still shared")),
        };
        self.tables[at].table = holding;
        done
    }

    /// Stores columns of a sparse table by columns in a register, in the same layout.
    pub(super) fn sparse_field(&mut self, dst: Reg, table: Reg, part: Range<usize>) -> Exec<()> {
        let (from_at, at) = (self.table_at(table), self.table_at(dst));
        self.paths.sparse_lines += part.len() as u64;
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let made = self.copy_columns(from_at, holding.get_mut(), part);
        self.tables[at].table = holding;
        if let Some(made) = made? {
            self.budget.commit(made.n_bytes());
            self.put_table(dst, CowTable::Own(Box::new(made)));
        }
        Ok(())
    }

    /// Copies columns of a sparse table by columns: to `own` if it has the same form, otherwise to
    /// a new table.
    fn copy_columns(
        &mut self,
        from_at: usize,
        own: Option<&mut Table>,
        part: Range<usize>,
    ) -> Exec<Option<Table>> {
        let Interpreter { tables, budget, copies, .. } = self;
        let not_sparse = || internal_error("a table that is not sparse");
        let from = tables[from_at].table.get().and_then(Table::sparse_lines);
        let from = from.ok_or_else(not_sparse)?;
        let wanted = SparseLines::bytes_to_copy(from, part.clone());
        let own = own.filter(|own| own.is_sparse_by_columns());
        // Reused memory is cheaper than new memory.
        let before = own.as_ref().map_or(0, |own| own.n_bytes());
        budget.reserve(wanted.saturating_sub(before))?;
        let copied = match own {
            Some(own) => {
                let extra = own.extra_bytes();
                let copied = own.copy_sparse_columns(from, part).ok_or_else(not_sparse)?;
                budget.exchange(before, own.n_bytes());
                copies.count(own, extra);
                copied.map(|()| None)
            }
            None => {
                let mut lines = SparseLines::default();
                let copied = lines.copy_from(from, part);
                copied.map(|()| Some(Table::of_sparse(lines, Line::Column)))
            }
        };
        copied.map_err(|refused| self.out_of_memory(refused))
    }

    /// Stores a row or column of a sparse table in a register.
    pub(super) fn sparse_line(
        &mut self,
        dst: Reg,
        table: Reg,
        line: Line,
        index: Number,
    ) -> Exec<()> {
        let (of, len) = self.lines_of(table, line)?;
        let idx = index_in(self.number(index), of)?;
        let at = self.table_at(table);
        let holding = std::mem::take(&mut self.tables[at].table);
        let done = match holding.get() {
            Some(table) => self.take_line(dst, table, line, idx, len),
            None => Err(internal_error("a table that was never set")),
        };
        self.tables[at].table = holding;
        self.paths.sparse_lines += 1;
        done
    }

    fn take_line(
        &mut self,
        dst: Reg,
        table: &Table,
        line: Line,
        idx: usize,
        len: usize,
    ) -> Exec<()> {
        let before = table.extra_bytes();
        let may_transpose = |bytes| self.copies.may_add(&self.budget, bytes);
        let found = table.find_line(line, idx, &self.parallelism, may_transpose)?;
        self.copies.count(table, before);
        match found {
            Found::Line(line) => self.put_limbs(dst, len, line.ground, line.each()),
            Found::Gathered(limbs) => self.put_limbs(dst, len, false, limbs.into_iter()),
        }
    }

    /// Writes a row or column of a sparse table.
    pub(super) fn put_sparse_line(
        &mut self,
        table: Reg,
        line: Line,
        index: Number,
        value: Reg,
    ) -> Exec<()> {
        let (of, len) = self.lines_of(table, line)?;
        let idx = index_in(self.number(index), of)?;
        if len != self.bits(value).len() {
            return Err(internal_error("a line of a different size"));
        }
        let along = self.transposed_if_needed(table, line)?;
        let mut limbs = std::mem::take(&mut self.limbs_found);
        let ground = self.limbs_off_ground(value, &mut limbs);
        let done = match along {
            true if self.fills(table, limbs.len())? => {
                self.make_dense(table)?;
                self.put_dense_line(table, line, index, value)
            }
            true => {
                self.paths.sparse_lines += 1;
                let limbs = limbs.iter().copied();
                let growth = |lines: &SparseLines| lines.bytes_to_set(idx, limbs.len());
                let set = |lines: &mut SparseLines| lines.set(idx, ground, limbs.clone());
                self.change_sparse(table, growth, |lines, _| set(lines))
            }
            false => {
                self.paths.sparse_lines += 1;
                self.put_against(table, (idx, len), ground, &limbs)
            }
        };
        // Its memory is kept for the next one.
        limbs.clear();
        self.limbs_found = limbs;
        done
    }

    /// Should a sparse table be dense before it gets a line with this number of limbs, its first?
    fn fills(&self, table: Reg, n_limbs: usize) -> Exec<bool> {
        let table = self.table(table)?;
        let has_room = self.budget.available() >= table.dense_bytes();
        Ok(table.fills(n_limbs) && has_room && !self.parallelism.settings.all_sparse)
    }

    /// Does a sparse table have this kind of lines? A large one of zeros changes to them.
    fn transposed_if_needed(&mut self, reg: Reg, line: Line) -> Exec<bool> {
        let table = self.table(reg)?;
        if table.lies_along(line) || !table.transposes_for_first(line) {
            return Ok(table.lies_along(line));
        }
        let (n_rows, n_cols) = (table.n_rows(), table.n_cols());
        let transposed = self.sparse_zeros(line, n_rows, n_cols)?;
        self.put_table(reg, CowTable::Own(Box::new(transposed)));
        Ok(true)
    }

    /// Sets bit `idx` of every line of a sparse table to the ground, or to the bit of one of these
    /// limbs.
    fn put_against(
        &mut self,
        table: Reg,
        (idx, len): (usize, usize),
        ground: bool,
        limbs: &[(u32, u64)],
    ) -> Exec<()> {
        // One bit of every line: room is reserved for those that may be added.
        let bits_at = |place: u32| ((len - place as usize * 64).min(64)) as u64;
        let listed = limbs.iter().map(|(place, limb)| match ground {
            true => bits_at(*place) - u64::from(limb.count_ones()),
            false => u64::from(limb.count_ones()),
        });
        let n_others = listed.sum::<u64>() as usize;
        let growth = |lines: &SparseLines| {
            let n_added = match lines.common_ground() == Some(ground) {
                true => n_others,
                false => lines.n_lines(),
            };
            SparseLines::bytes_for(0, 2 * lines.n_limbs() + 10 * n_added)
        };
        self.change_sparse(table, growth, |lines, poll| {
            let mut limbs = limbs.iter().peekable();
            for start in (0..lines.n_lines()).step_by(64) {
                let place = (start / 64) as u32;
                let listed = limbs.next_if(|(at, _)| *at == place);
                let limb = listed.map_or(if ground { !0 } else { 0 }, |(_, limb)| *limb);
                for at in 0..64.min(lines.n_lines() - start) {
                    lines.put(start + at, idx, limb >> at & 1 == 1)?;
                }
                if start.is_multiple_of(1 << 16) && poll() {
                    break;
                }
            }
            Ok(())
        })?;
        self.budget.poll()
    }

    /// Writes a bit of a sparse table.
    pub(super) fn put_sparse_bit(
        &mut self,
        table: Reg,
        row_idx: usize,
        col_idx: usize,
        bit: bool,
    ) -> Exec<()> {
        let (idx, at) = match self.table(table)?.lies_along(Line::Row) {
            true => (row_idx, col_idx),
            false => (col_idx, row_idx),
        };
        let growth = |lines: &SparseLines| lines.bytes_to_put(idx);
        self.change_sparse(table, growth, |lines, _| lines.put(idx, at, bit))
    }

    /// Returns the rows and their length, or the columns and theirs.
    fn lines_of(&self, table: Reg, line: Line) -> Exec<(usize, usize)> {
        let table = self.table(table)?;
        Ok(match line {
            Line::Row => (table.n_rows(), table.n_cols()),
            Line::Column => (table.n_cols(), table.n_rows()),
        })
    }

    /// Changes a sparse table, after making it uniquely owned; `growth` is the memory for the
    /// change. The table may become dense afterwards.
    fn change_sparse(
        &mut self,
        reg: Reg,
        growth: impl FnOnce(&SparseLines) -> u64,
        change: impl FnOnce(&mut SparseLines, &dyn Fn() -> bool) -> Result<(), OutOfMemory>,
    ) -> Exec<()> {
        self.own(reg)?;
        let at = self.table_at(reg);
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let done = match holding.get_mut() {
            Some(table) => self.change_lines_of(table, growth, change),
            None => Err(internal_error("a table that is still shared")),
        };
        self.tables[at].table = holding;
        done?;
        let table = self.table(reg)?;
        if self.is_due_dense(table, table.dense_bytes()) {
            self.make_dense(reg)?;
        }
        Ok(())
    }

    /// Should a sparse table become dense, which will need `dense` bytes? It should if there is
    /// room for both forms and it is full, or if there may soon be no room for both: then it stays
    /// sparse only if it is small compared with the dense one.
    fn is_due_dense(&self, table: &Table, dense: u64) -> bool {
        let left = self.budget.available().checked_sub(dense);
        let is_due = |left| {
            let is_tight = left < dense;
            table.is_full() || is_tight && table.n_bytes() > dense / SMALL_SHARE
        };
        left.is_some_and(is_due) && !self.parallelism.settings.all_sparse
    }

    fn change_lines_of(
        &mut self,
        table: &mut Table,
        growth: impl FnOnce(&SparseLines) -> u64,
        change: impl FnOnce(&mut SparseLines, &dyn Fn() -> bool) -> Result<(), OutOfMemory>,
    ) -> Exec<()> {
        let (bytes, extra) = (table.n_bytes(), table.extra_bytes());
        let Some(lines) = table.sparse_mut() else {
            return Err(internal_error("a table of another form"));
        };
        let reserved = self.budget.reserve(growth(lines));
        let poll = || self.parallelism.poll().is_err();
        let done = reserved
            .and_then(|()| change(lines, &poll).map_err(|refused| self.out_of_memory(refused)));
        self.budget.exchange(bytes, table.n_bytes());
        self.copies.count(table, extra);
        done
    }

    /// Makes a sparse table dense, if there is memory for both forms.
    ///
    /// # Errors
    /// The limit, with the bytes of the dense table.
    pub(super) fn make_dense(&mut self, reg: Reg) -> Exec<()> {
        if !self.is_sparse(reg) {
            return Ok(());
        }
        self.own(reg)?;
        let dense = self.table(reg)?.dense_bytes();
        let was_empty = self.table(reg)?.sparse_lines().is_some_and(|lines| lines.n_limbs() == 0);
        self.budget.reserve(dense)?;
        let at = self.table_at(reg);
        let mut holding: CowTable = std::mem::take(&mut self.tables[at].table);
        let done = match holding.get_mut() {
            Some(table) => {
                let (bytes, extra) = (table.n_bytes(), table.extra_bytes());
                let made = table.make_dense(&self.parallelism);
                self.budget.exchange(bytes, table.n_bytes());
                self.copies.count(table, extra);
                made
            }
            None => Err(internal_error("a table that is still shared")),
        };
        self.tables[at].table = holding;
        match done? {
            true => {
                self.paths.tables_made_dense += u64::from(!was_empty);
                Ok(())
            }
            false => Err(self.out_of_memory(OutOfMemory { n_bytes: u128::from(dense) })),
        }
    }

    /// Makes a sparse table that is to have `n_cols` columns dense while there is room for both
    /// forms, if it may need to; false if it stays sparse.
    pub(super) fn grows_dense(&mut self, reg: Reg, n_cols: usize) -> Exec<bool> {
        let table = self.table(reg)?;
        let dense = bytes_of(table.n_rows()).saturating_mul(n_cols as u64);
        if !self.is_due_dense(table, dense) {
            return Ok(false);
        }
        self.make_dense(reg)?;
        Ok(true)
    }

    /// Adds columns to a sparse table.
    pub(super) fn grow_sparse(&mut self, reg: Reg, n_cols: usize) -> Exec<()> {
        self.own(reg)?;
        let growth = self.table(reg)?.sparse_growth(n_cols);
        self.budget.reserve(growth)?;
        let at = self.table_at(reg);
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let done = match holding.get_mut() {
            Some(table) => {
                let (bytes, extra) = (table.n_bytes(), table.extra_bytes());
                let grown = table.grow_sparse(n_cols);
                self.budget.exchange(bytes, table.n_bytes());
                self.copies.count(table, extra);
                grown.map_err(|refused| self.out_of_memory(refused))
            }
            None => Err(internal_error("a table that is still shared")),
        };
        self.tables[at].table = holding;
        done
    }
}
