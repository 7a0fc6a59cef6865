//! Tables in one or two forms.
//!
//! Note [Forms]. A table has a *home* form, by columns or by rows (stored as the transpose: the
//! rows are the columns of its bit table), and at most one valid *copy* in the other form. A single
//! row of a table by columns is gathered, or scattered when it is written, at the cost of one
//! access per column. A transpose of the whole table costs about one access per 64 bits of it. So
//! the table counts the accesses against its home layout since the last write along it, and is
//! transposed when they have cost as much as a transpose. The result is a copy if the access reads,
//! and the new home if it writes. A write to one form drops the other. If there is no memory for a
//! copy, a uniquely owned table changes its home layout: in place, with a panel as additional
//! memory if it is not square (`transpose/`). Each change doubles the number of accesses required
//! for the next one, since a table that is read in both ways would otherwise be transposed again
//! and again.

pub(super) mod form;

mod changes;
mod extremes;
mod growth;
mod home;
mod host;
mod index;
mod memory;
mod sparse;
mod structure;
mod view;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use star_intrinsics::LineOrder;
use star_value::BitTable;

use super::parallelism::Parallelism;
use super::transpose::Transposition;
use super::window::Window;
use crate::interrupt::{Exec, internal_error};
use form::{Line, bytes_of, columns_of, gather, scatter, transpose};

use extremes::Extremes;
pub(super) use index::Becomes;
use index::Index;
pub(super) use sparse::Found;
use sparse::Sparse;
pub(super) use structure::Identity;
use structure::Structure;
use view::View;

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    n_rows: usize,
    n_cols: usize,
    /// Is the home form the one by rows?
    by_rows: bool,
    home: BitTable,
    /// Was nothing written to the memory of the home form? See Note [Used memory] in `memory`.
    is_unwritten: bool,
    copy: OnceLock<BitTable>,
    /// The table, if it is sparse; `home` is empty then. See Note [Sparse tables] in
    /// `table/sparse.rs`.
    sparse: Option<Box<Sparse>>,
    /// The viewed columns, if it is a view; `home` is empty then. See Note [Views] in `views`.
    view: Option<View>,
    /// Accesses against the home layout since the last write along it.
    against: AtomicUsize,
    /// Over the home form; see Note [Windows].
    window: Window,
    /// See Note [Kept extremes].
    extremes: Extremes,
    /// See Note [Inverted index].
    index: Index,
    /// See Note [Structures].
    structure: Structure,
    /// Number of changes of the home layout caused by a lack of memory for a copy.
    n_changes: u32,
    /// An in-place transpose of the home form that a flag has interrupted; `home` is empty then.
    /// See Note [Half transposed] in `transpose/`.
    half_transposed: Option<Box<Transposition>>,
}

/// The memory available for transposing a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransposeRoom {
    /// Is there memory for a copy in the other form?
    pub(super) copy: bool,
    /// Bytes available in addition to the table during a transpose.
    pub(super) spare: u64,
    /// May the home layout change if there is no memory for a copy?
    pub(super) change: bool,
}

impl Table {
    pub(super) fn new(table: BitTable) -> Self {
        Table {
            n_rows: table.n_rows(),
            n_cols: table.n_cols(),
            by_rows: false,
            home: table,
            ..Table::default()
        }
    }

    /// Returns a table whose rows are the columns of `rows`.
    pub(super) fn of_rows(rows: BitTable) -> Self {
        let mut table = Table::new(rows);
        table.transpose();
        table
    }

    /// Returns a table whose columns or rows, depending on `lines`, are the columns of `bits`.
    pub(super) fn of_lines(bits: BitTable, lines: LineOrder) -> Self {
        match lines {
            LineOrder::Columns => Table::new(bits),
            LineOrder::Rows => Table::of_rows(bits),
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(super) fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Returns the bytes of its packed bits in one form, as every backend counts them.
    pub(super) fn n_bytes(&self) -> u64 {
        if let Some(sparse) = &self.sparse {
            return sparse.n_bytes();
        }
        bytes_of(self.n_rows).saturating_mul(self.n_cols as u64)
    }

    /// Returns the bytes that it uses in addition to its home form: those of a copy in the other
    /// form, and of the window.
    #[inline]
    pub(super) fn extra_bytes(&self) -> u64 {
        if let Some(sparse) = &self.sparse {
            return sparse.extra_bytes();
        }
        let copy = if self.copy.get().is_some() { self.n_bytes() } else { 0 };
        let kept = self.extremes.n_bytes().saturating_add(self.index.n_bytes());
        let kept = kept.saturating_add(self.structure.n_bytes());
        copy.saturating_add(self.window.n_bytes()).saturating_add(kept)
    }

    /// Returns the form in which these lines are columns of a bit table, if it is valid.
    #[inline]
    fn form(&self, line: Line) -> Option<&BitTable> {
        if self.sparse.is_some() || self.view.is_some() {
            return None;
        }
        if self.by_rows == (line == Line::Row) { Some(&self.home) } else { self.copy.get() }
    }

    /// Does a transpose pay now, if the current access costs `n_accesses`?
    fn wants_transpose(&self, n_accesses: usize, parallelism: &Parallelism<'_>) -> bool {
        let so_far = self.against.load(Ordering::Relaxed).saturating_add(n_accesses);
        self.against.store(so_far, Ordering::Relaxed);
        parallelism.settings.eager_transposes
            || so_far / 64 >= self.n_rows.saturating_mul(self.n_cols) / 4096
    }

    /// Returns the transpose of the home form; `None` if the system has no memory for it.
    fn transposed(&self, parallelism: &Parallelism<'_>) -> Exec<Option<BitTable>> {
        transpose(&self.home, parallelism)
    }

    /// Copies line `idx`, zero-based, to `dst`. `may_copy` allows a copy of the table.
    pub(super) fn read(
        &self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
        may_copy: bool,
    ) -> Exec<()> {
        if self.sparse.is_some() {
            return self.read_sparse(line, idx, dst, parallelism, may_copy);
        }
        if let Some(view) = &self.view {
            return view.read(line, idx, dst, self.n_cols, parallelism);
        }
        if self.form(line).is_none()
            && self.wants_transpose(dst.len() * 64, parallelism)
            && may_copy
            && let Some(copy) = self.transposed(parallelism)?
        {
            // It cannot be set yet: all owners of the table belong to this thread.
            let _ = self.copy.set(copy);
        }
        match self.has(line) {
            true => self.copy_line(line, idx, dst, parallelism),
            false => gather(&self.home, idx, dst, parallelism),
        }
    }

    /// Does the same as [`Table::read`] for a uniquely owned table, which may use a window and
    /// change its home layout. `room_for` tells whether a number of bytes is available in addition
    /// to the table.
    pub(super) fn read_own(
        &mut self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
        room_for: impl Fn(u64) -> TransposeRoom,
    ) -> Exec<()> {
        let has_form = self.has(line);
        if !has_form {
            let form = columns_of(&self.home);
            let may_move = room_for(Window::n_bytes_of(form.n_cols)).copy;
            if self.window.read(form, idx, dst, parallelism, may_move)? {
                return Ok(());
            }
        }
        let room = room_for(self.n_bytes());
        if !has_form && !room.copy && self.change_home(line, room, parallelism)? {
            return self.copy_line(line, idx, dst, parallelism);
        }
        self.read(line, idx, dst, parallelism, room.copy)
    }

    /// Is there a form with contiguous lines of this kind?
    #[inline]
    pub(super) fn has(&self, line: Line) -> bool {
        self.form(line).is_some()
    }

    /// Does the home form have contiguous lines of this kind?
    #[inline]
    pub(super) fn is_home(&self, line: Line) -> bool {
        self.lies_along(line) && self.sparse.is_none() && self.view.is_none()
    }

    /// Does the home form, sparse or not, have lines of this kind?
    #[inline]
    pub(super) fn lies_along(&self, line: Line) -> bool {
        self.by_rows == (line == Line::Row)
    }

    /// Does the home form have lines of this kind, and is it the only form, apart from a window?
    #[inline]
    pub(super) fn is_home_alone(&self, line: Line) -> bool {
        let is_alone = self.copy.get().is_none() && !self.extremes.are_kept();
        self.is_home(line) && is_alone && !self.has_index() && !self.structure.is_kept()
    }

    /// Copies line `idx`, zero-based, which is contiguous, to `dst`.
    #[inline]
    pub(super) fn copy_line(
        &self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
    ) -> Exec<()> {
        let form = self.form(line).ok_or_else(|| internal_error("a line of a missing form"))?;
        let limbs = form.column_limbs(idx);
        parallelism.fill(dst, 1, |start, part| {
            part.copy_from_slice(&limbs[start..start + part.len()]);
        })
    }

    /// Transposes the table if necessary for these lines; `false` if it has another layout and the
    /// accesses so far were too few for a transpose.
    pub(super) fn make_home(
        &mut self,
        line: Line,
        parallelism: &Parallelism<'_>,
        room: TransposeRoom,
    ) -> Exec<bool> {
        if self.sparse.is_some() {
            return Ok(false);
        }
        if self.by_rows != (line == Line::Row) {
            let transposed = match self.copy.take() {
                Some(copy) => Some(copy),
                None if !room.copy => return self.change_home(line, room, parallelism),
                None if self.wants_transpose(0, parallelism) => self.transposed(parallelism)?,
                None => None,
            };
            let Some(transposed) = transposed else { return Ok(false) };
            self.set_home(transposed);
        }
        Ok(true)
    }

    /// Returns the home form, whose columns are these lines, for changes; see [`Table::make_home`].
    pub(super) fn lines_mut(&mut self, line: Line) -> &mut BitTable {
        debug_assert_eq!(self.by_rows, line == Line::Row);
        self.home_mut()
    }

    /// Does the same, with the window over it: a limb index and that limb of all lines, which the
    /// caller must update when it changes lines.
    pub(super) fn lines_and_window(
        &mut self,
        line: Line,
    ) -> (&mut BitTable, Option<(usize, &mut [u64])>) {
        debug_assert_eq!(self.by_rows, line == Line::Row);
        self.lines_change();
        self.is_unwritten = false;
        (&mut self.home, self.window.get_mut())
    }

    /// Makes the other form the home form.
    fn set_home(&mut self, transposed: BitTable) {
        self.rows_are_other();
        self.window.drop();
        self.is_unwritten = false;
        self.home = transposed;
        self.by_rows = !self.by_rows;
    }

    /// Returns the home form, and whether it is by columns: then its lines are columns of the
    /// table.
    pub(super) fn home(&self) -> (&BitTable, bool) {
        (&self.home, !self.by_rows)
    }

    /// Returns the home form, by rows or by columns, for changes.
    pub(super) fn home_mut(&mut self) -> &mut BitTable {
        self.all_changes();
        self.is_unwritten = false;
        &mut self.home
    }

    /// Exchanges rows and columns without moving a bit.
    pub(super) fn transpose(&mut self) {
        self.rows_are_other();
        std::mem::swap(&mut self.n_rows, &mut self.n_cols);
        self.by_rows = !self.by_rows;
    }

    /// Returns the form whose columns are these lines, if it is valid.
    pub(super) fn lines(&self, line: Line) -> Option<&BitTable> {
        self.form(line)
    }

    /// Returns bit (row, column), both zero-based.
    pub(super) fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        if let Some(sparse) = &self.sparse {
            return Table::sparse_bit(sparse, self.by_rows, row_idx, col_idx);
        }
        if let Some(view) = &self.view {
            return view.bit(row_idx, col_idx);
        }
        match self.by_rows {
            false => self.home.get(row_idx, col_idx),
            true => self.home.get(col_idx, row_idx),
        }
    }

    /// Writes the bits of `src` to line `idx`, zero-based.
    pub(super) fn write(
        &mut self,
        line: Line,
        idx: usize,
        src: &[u64],
        parallelism: &Parallelism<'_>,
        room: TransposeRoom,
    ) -> Exec<()> {
        if self.by_rows != (line == Line::Row) {
            let transposed = match self.copy.take() {
                Some(copy) => Some(copy),
                None if self.wants_transpose(src.len() * 64, parallelism) && room.copy => {
                    self.transposed(parallelism)?
                }
                None => None,
            };
            match transposed {
                Some(form) => self.set_home(form),
                None if !room.copy && self.change_home(line, room, parallelism)? => {}
                None => {
                    self.window.drop();
                    self.row_changes(idx, Becomes::row(src));
                    self.is_unwritten = false;
                    return scatter(&mut self.home, idx, src, parallelism);
                }
            }
        }
        self.write_along(idx, src, parallelism)
    }

    /// Writes the bits of `src` to line `idx`, zero-based, of the home form.
    #[inline]
    pub(super) fn write_along(
        &mut self,
        idx: usize,
        src: &[u64],
        parallelism: &Parallelism<'_>,
    ) -> Exec<()> {
        self.lines_change();
        self.is_unwritten = false;
        self.window.write(idx, src);
        let limbs = self.home.column_limbs_mut(idx);
        parallelism
            .fill(limbs, 1, |start, part| part.copy_from_slice(&src[start..start + part.len()]))
    }

    /// Writes a bit in every form.
    pub(super) fn put(&mut self, row_idx: usize, col_idx: usize, bit: bool) {
        let put = |form: &mut BitTable, by_rows: bool| match by_rows {
            false => form.put(row_idx, col_idx, bit),
            true => form.put(col_idx, row_idx, bit),
        };
        self.is_unwritten = false;
        put(&mut self.home, self.by_rows);
        let (idx, at) = if self.by_rows { (row_idx, col_idx) } else { (col_idx, row_idx) };
        self.window.put(idx, at, bit);
        self.row_changes(row_idx, Becomes::Anything);
        if let Some(copy) = self.copy.get_mut() {
            put(copy, !self.by_rows);
        }
    }

    /// Returns the form whose columns are these lines, created if necessary; `None` if the system
    /// has no memory for it.
    pub(super) fn make_form(
        &self,
        line: Line,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<&BitTable>> {
        if self.form(line).is_none()
            && self.sparse.is_none()
            && self.view.is_none()
            && let Some(copy) = self.transposed(parallelism)?
        {
            let _ = self.copy.set(copy);
        }
        Ok(self.form(line))
    }

    /// Makes the form whose columns are these lines the only one, and returns it for changes.
    /// `None` if the system has no memory for a transpose.
    pub(super) fn home_along(
        &mut self,
        line: Line,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<&mut BitTable>> {
        if self.sparse.is_some() {
            return Ok(None);
        }
        if !self.is_home(line) {
            let transposed = match self.copy.take() {
                Some(copy) => Some(copy),
                None => self.transposed(parallelism)?,
            };
            let Some(transposed) = transposed else { return Ok(None) };
            self.set_home(transposed);
        }
        Ok(Some(self.home_mut()))
    }

    /// Returns the form by columns, if it is valid.
    pub(super) fn as_columns(&self) -> Option<&BitTable> {
        self.form(Line::Column)
    }

    /// Counts the ones.
    pub(super) fn n_ones(&self, parallelism: &Parallelism<'_>) -> Exec<u64> {
        match (&self.sparse, &self.view) {
            (Some(sparse), _) => Ok(sparse.n_ones()),
            (None, Some(view)) => parallelism.count(view.columns(self.n_cols).storage),
            (None, None) => parallelism.count(self.home.storage()),
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
