//! Tables of a call. Note [Forms] in `table` describes their layouts.

use std::any::Any;
use std::sync::Arc;

use star_intrinsics::{LineOrder, Matrix, Peers};
use star_value::{BitTable, SparseLines};

use super::peers::Ranks;
use super::{IntrinsicCall, IntrinsicResult, NotTaken, Reason, Target};
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::Reg;
use crate::cpu::registers::CowTable;
use crate::cpu::table::form::{Line, bytes_of};
use crate::cpu::table::{Identity, Table};
use crate::interrupt::{Exec, internal_error};

impl IntrinsicCall<'_, '_, '_, '_> {
    fn table_reg(&self, target: Target) -> Exec<Reg> {
        self.place(target)?.table().ok_or_else(|| Self::other_kind(target))
    }

    fn table_result(&self, target: Target) -> Exec<Reg> {
        self.result_place(target)?.table().ok_or_else(|| Self::other_kind(target))
    }

    fn table(&self, idx: usize) -> Exec<&Table> {
        self.interpreter.table(self.table_reg(Target::Param(idx))?)
    }

    /// Returns the rows and columns of a table.
    ///
    /// # Errors
    /// If the parameter is not a table.
    pub fn table_size(&self, idx: usize) -> IntrinsicResult<[usize; 2]> {
        let table = self.table(idx)?;
        Ok([table.n_rows(), table.n_cols()])
    }

    /// Returns the rows, of all ranks, and columns of a table that may be unset.
    ///
    /// # Errors
    /// If the parameter is not a table.
    pub fn size_before(&self, idx: usize) -> IntrinsicResult<Option<[usize; 2]>> {
        let slot = self.interpreter.table_slot(self.table_reg(Target::Param(idx))?);
        let table = slot.table.get();
        Ok(table.map(|table| [table.n_rows() + slot.elsewhere, table.n_cols()]))
    }

    /// Returns the rows of a table on this rank, and on all others.
    pub(super) fn rows_here_and_elsewhere(&self, idx: usize) -> Exec<(usize, usize)> {
        let slot = self.interpreter.table_slot(self.table_reg(Target::Param(idx))?);
        Ok((self.table(idx)?.n_rows(), slot.elsewhere))
    }

    /// Returns a table in its home layout: the columns of the bit table are its rows or its
    /// columns.
    ///
    /// # Errors
    /// If the parameter is not a table.
    pub fn home(&self, idx: usize) -> IntrinsicResult<(&BitTable, LineOrder)> {
        let table = self.table(idx)?;
        Ok((table.home().0, home_lines(table)))
    }

    /// Returns a table in its home layout, dense or sparse, and the kind of its lines.
    ///
    /// # Errors
    /// If the parameter is not a table.
    pub fn matrix(&self, idx: usize) -> IntrinsicResult<(Matrix<'_>, LineOrder)> {
        let table = self.table(idx)?;
        let matrix = match table.sparse_lines() {
            Some(lines) => Matrix::Sparse(lines),
            None => Matrix::Dense(table.home().0),
        };
        Ok((matrix, home_lines(table)))
    }

    /// Returns the lines, in the home layout, of a sparse table on a ground of zeros, if the
    /// intrinsic accepts this form.
    ///
    /// # Errors
    /// If the parameter is not a table.
    pub fn sparse(&self, idx: usize) -> IntrinsicResult<Option<(&SparseLines, LineOrder)>> {
        let table = self.table(idx)?;
        let lines = table.sparse_lines().filter(|lines| lines.common_ground() == Some(false));
        Ok(lines.map(|lines| (lines, home_lines(table))))
    }

    /// Is a sparse table large enough that work on its sparse form pays? A smaller one should
    /// become dense.
    ///
    /// # Errors
    /// If the parameter is not a table.
    pub fn is_worth_sparse(&self, idx: usize) -> IntrinsicResult<bool> {
        let table = self.table(idx)?;
        Ok(!table.may_become_dense(self.interpreter.budget.available()))
    }

    /// Makes a sparse table dense. This does not count as a write: its value is unchanged.
    ///
    /// # Errors
    /// If the parameter is not a table. The run ends at the limit if there is no memory for both
    /// forms: the intrinsic could not work in any form, and the Star body would fill the table line
    /// by line until it reaches the limit.
    pub fn make_dense(&mut self, idx: usize) -> IntrinsicResult {
        let reg = self.table_reg(Target::Param(idx))?;
        let n_bytes = self.interpreter.table(reg)?.dense_bytes();
        if n_bytes > self.interpreter.budget.available() {
            return Err(self.over_the_limit(n_bytes));
        }
        Ok(self.interpreter.make_dense(reg)?)
    }

    /// Ends the run: `n_bytes`, which a result needs in every form, exceed the limit.
    pub fn over_the_limit(&self, n_bytes: u64) -> NotTaken {
        NotTaken(Reason::Stop(self.interpreter.budget.no_memory_for(n_bytes)))
    }

    /// The Star body runs if the target has another fixed size.
    fn takes_size(&self, target: Target, [n_rows, n_cols]: [usize; 2]) -> IntrinsicResult {
        let slot = self.interpreter.table_slot(self.table_result(target)?);
        let table = slot.table.get();
        let size = table.map(|table| (table.n_rows() + slot.elsewhere, table.n_cols()));
        let fits = !slot.fixed || size == Some((n_rows, n_cols));
        if fits { Ok(()) } else { Err(NotTaken::declined()) }
    }

    /// Reserves memory for [`IntrinsicCall::put_sparse`] in a table of this size, and for the work.
    ///
    /// # Errors
    /// If the target is not a table. The Star body runs if there is no memory, or if the target has
    /// another fixed size.
    pub fn reserve_sparse(
        &mut self,
        idx: usize,
        size: [usize; 2],
        n_bytes: u64,
    ) -> IntrinsicResult {
        self.takes_size(Target::Param(idx), size)?;
        self.reserve(n_bytes)
    }

    /// Stores sparse lines, for which [`SparseLines::bytes_for`] was reserved, in a table.
    ///
    /// # Errors
    /// If the target is not a table.
    pub fn put_sparse(
        &mut self,
        idx: usize,
        made: SparseLines,
        lines: LineOrder,
    ) -> IntrinsicResult {
        self.put_own(Target::Param(idx), Table::of_sparse(made, line(lines)), 0)
    }

    /// Ensures that a table has a form by these lines; [`IntrinsicCall::lines`] returns it.
    ///
    /// # Errors
    /// If the parameter is not a table, or the run must end. The Star body runs if there is no
    /// memory for a second form.
    pub fn transpose(&mut self, idx: usize, lines: LineOrder) -> IntrinsicResult {
        let reg = self.table_reg(Target::Param(idx))?;
        let table = self.interpreter.table(reg)?;
        if table.has(line(lines)) {
            return Ok(());
        }
        let (may_copy, before) = (self.interpreter.may_copy(table), table.extra_bytes());
        if !may_copy || table.make_form(line(lines), &self.interpreter.parallelism)?.is_none() {
            return Err(NotTaken::declined());
        }
        Ok(self.interpreter.recount_copy(reg, before)?)
    }

    /// Returns the lines of a table in an existing form; see [`IntrinsicCall::transpose`].
    ///
    /// # Errors
    /// If the parameter is not a table, or has no form by these lines.
    pub fn lines(&self, idx: usize, lines: LineOrder) -> IntrinsicResult<&BitTable> {
        let form = self.table(idx)?.lines(line(lines));
        Ok(form.ok_or_else(|| internal_error("lines of a table that was not transposed"))?)
    }

    fn identities(&self, tables: &[usize]) -> Exec<Vec<Identity>> {
        tables.iter().map(|idx| Ok(self.table(*idx)?.identity())).collect()
    }

    /// Returns the structure that an earlier call has kept with these tables, if they are unchanged
    /// and the rest of the arguments is the same. Any other structure is dropped. See Note
    /// [Structures].
    ///
    /// # Errors
    /// If one of the parameters is not a table.
    pub fn kept<T: Any + Send + Sync>(
        &mut self,
        tables: &[usize],
        is_same: impl FnOnce(&T, &Self) -> IntrinsicResult<bool>,
    ) -> IntrinsicResult<Option<Arc<T>>> {
        let identities = self.identities(tables)?;
        let kept = self.table(tables[0])?.structure(&identities);
        if let Some(kept) = kept.and_then(|kept| kept.downcast().ok())
            && is_same(&kept, self)?
        {
            self.interpreter.paths.structures_kept += 1;
            return Ok(Some(kept));
        }
        self.hold(tables[0], |_, table| table.drop_structure())?;
        Ok(None)
    }

    /// Keeps a structure of `n_bytes` that was built from these tables for later calls, if the
    /// first of them is uniquely owned and there is room.
    ///
    /// # Errors
    /// If one of the parameters is not a table.
    pub fn keep<T: Any + Send + Sync>(
        &mut self,
        tables: &[usize],
        structure: Arc<T>,
        n_bytes: u64,
    ) -> IntrinsicResult {
        let identities = self.identities(tables)?;
        self.hold(tables[0], |interpreter, table| {
            if interpreter.copies.may_add(&interpreter.budget, n_bytes) {
                table.keep_structure(identities, structure, n_bytes);
            }
        })
    }

    /// Changes what a table holds in addition to its value, if it is uniquely owned.
    fn hold(
        &mut self,
        idx: usize,
        change: impl FnOnce(&Interpreter<'_, '_, '_>, &mut Table),
    ) -> IntrinsicResult {
        let reg = self.table_reg(Target::Param(idx))?;
        let mut lent = std::mem::take(&mut self.interpreter.table_slot_mut(reg).table);
        if let Some(table) = lent.get_mut() {
            let before = table.extra_bytes();
            change(self.interpreter, table);
            self.interpreter.copies.count(table, before);
        }
        self.interpreter.table_slot_mut(reg).table = lent;
        Ok(())
    }

    /// Reserves the memory for changing a table: afterwards it is uniquely owned, and stored by the
    /// lines requested, if any. This does not count as a write: its value is unchanged.
    ///
    /// # Errors
    /// If the parameter is not a table, or the run must end. The Star body runs if there is no
    /// memory.
    pub fn own(&mut self, idx: usize, lines: Option<LineOrder>) -> IntrinsicResult {
        let reg = self.table_result(Target::Param(idx))?;
        let n_bytes = self.interpreter.table(reg)?.n_bytes();
        if !self.interpreter.owns(reg) {
            self.reserve(n_bytes)?;
            self.spend(n_bytes)?;
            self.interpreter.own(reg)?;
        }
        if let Some(wanted) = lines
            && home_lines(self.interpreter.table(reg)?) != wanted
        {
            // Both forms exist for a while.
            self.reserve(n_bytes)?;
            let mut is_transposed = false;
            self.interpreter.change(reg, |table, interpreter| {
                is_transposed = table.home_along(line(wanted), &interpreter.parallelism)?.is_some();
                Ok(())
            })?;
            self.spend(n_bytes)?;
            if !is_transposed {
                return Err(NotTaken::declined());
            }
        }
        Ok(())
    }

    /// Changes a table in its home layout: `change` gets its lines and their kind. Call
    /// [`IntrinsicCall::own`] first. Bits past the end of a line stay zero. Meanwhile the parameter
    /// is empty.
    ///
    /// # Errors
    /// Those of `change`; if the parameter is not a table, or is shared.
    pub fn change_lines<R>(
        &mut self,
        idx: usize,
        change: impl FnOnce(&mut BitTable, LineOrder, &mut Self) -> IntrinsicResult<R>,
    ) -> IntrinsicResult<R> {
        let reg = self.table_result(Target::Param(idx))?;
        let mut lent = std::mem::take(&mut self.interpreter.table_slot_mut(reg).table);
        self.has_written = true;
        let done = match lent.get_mut() {
            Some(table) => {
                let (lines, before) = (home_lines(table), table.extra_bytes());
                let bits = table.home_mut();
                let done = change(bits, lines, self);
                self.interpreter.copies.count(table, before);
                done
            }
            None => Err(internal_error("an intrinsic changes a table that it does not own").into()),
        };
        self.interpreter.table_slot_mut(reg).table = lent;
        done
    }

    /// Reserves zeros for [`IntrinsicCall::put_table`]: a column for each line of a table.
    ///
    /// # Errors
    /// If the target is not a table. The Star body runs if there is no memory, or if the target has
    /// another fixed size.
    pub fn reserve_table(
        &mut self,
        target: impl Into<Target>,
        n_rows: usize,
        n_cols: usize,
        lines: LineOrder,
    ) -> IntrinsicResult<BitTable> {
        self.takes_size(target.into(), [n_rows, n_cols])?;
        self.reserve(table_bytes(n_rows, n_cols))?;
        let zeros = match lines {
            LineOrder::Columns => BitTable::zeros(n_rows, n_cols),
            LineOrder::Rows => BitTable::zeros(n_cols, n_rows),
        };
        zeros.map_err(|_| NotTaken::declined())
    }

    /// Stores reserved lines in a table.
    ///
    /// # Errors
    /// If the target is not a table.
    pub fn put_table(
        &mut self,
        target: impl Into<Target>,
        bits: BitTable,
        lines: LineOrder,
    ) -> IntrinsicResult {
        self.put_own(target.into(), Table::of_lines(bits, lines), 0)
    }

    /// Reserves zeros for [`IntrinsicCall::put_rows`]: the rows that this rank keeps of a table.
    ///
    /// # Errors
    /// As for [`IntrinsicCall::reserve_table`].
    pub fn reserve_rows(
        &mut self,
        target: impl Into<Target>,
        [n_rows, n_cols]: [usize; 2],
        ranks: &Ranks,
    ) -> IntrinsicResult<BitTable> {
        self.takes_size(target.into(), [n_rows, n_cols])?;
        let n_own = ranks.rows(n_rows, ranks.rank()).len();
        self.reserve(table_bytes(n_own, n_cols))?;
        BitTable::zeros(n_own, n_cols).map_err(|_| NotTaken::declined())
    }

    /// Stores reserved rows of a table with `n_rows` rows, in columns.
    ///
    /// # Errors
    /// If the target is not a table.
    pub fn put_rows(
        &mut self,
        target: impl Into<Target>,
        rows: BitTable,
        n_rows: usize,
    ) -> IntrinsicResult {
        let elsewhere = n_rows - rows.n_rows();
        self.put_own(target.into(), Table::of_lines(rows, LineOrder::Columns), elsewhere)
    }

    /// Replaces a table by another one, whose bytes are reserved; `elsewhere` is the number of its
    /// rows on other ranks.
    fn put_own(&mut self, target: Target, table: Table, elsewhere: usize) -> IntrinsicResult {
        let reg = self.table_result(target)?;
        let n_bytes = table.n_bytes();
        self.spend(n_bytes)?;
        self.has_written = true;
        self.interpreter.budget.commit(n_bytes);
        self.interpreter.put_table(reg, CowTable::Own(Box::new(table)));
        self.interpreter.table_slot_mut(reg).elsewhere = elsewhere;
        Ok(())
    }
}

/// Returns the bytes of a table, as counted towards the memory limit.
pub(super) fn table_bytes(n_rows: usize, n_cols: usize) -> u64 {
    bytes_of(n_rows).saturating_mul(n_cols as u64)
}

/// Returns the home layout of a table, sparse or not.
pub(super) fn home_lines(table: &Table) -> LineOrder {
    if table.lies_along(Line::Column) { LineOrder::Columns } else { LineOrder::Rows }
}

pub(super) fn line(lines: LineOrder) -> Line {
    match lines {
        LineOrder::Rows => Line::Row,
        LineOrder::Columns => Line::Column,
    }
}
