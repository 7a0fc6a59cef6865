//! Tables in one or two forms.
//!
//! Note [Forms]. A table has a *home* form, by columns or by rows (then it is stored corner-turned: the
//! rows are the columns of its bit table), and at most one valid *copy* in the other form. A single row
//! of a table by columns is gathered, or scattered when it is written, at the cost of one access per
//! column. A corner turn of the whole table costs as much as about one access per 64 bits of it. So the
//! table counts the accesses against its home since the last write along it, and turns when they have
//! cost as much as a turn. What a turn makes is a copy if the access reads, the new home if it writes. A
//! write to one form drops the other. Where there is no memory for a copy, a table that nobody shares changes its home: in its own
//! memory, with a panel beside if it is not square (`transpose/`). Each time it does, the next time takes twice
//! as many accesses, since what is read in both ways would be turned for ever.

mod changes;
mod extremes;
mod growth;
mod home;
mod host;
mod index;
mod sparse;
mod view;
mod zeros;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use star_base::BitTable;
use star_intrinsics::LineOrder;

use super::form::{Line, bytes_of, columns_of, copy_of, gather, scatter, turn};
use super::parallelism::Parallelism;
use super::transpose::Transposition;
use super::window::Window;
use crate::interrupt::{Exec, internal_error};

use extremes::Extremes;
pub(super) use index::Becomes;
use index::Index;
pub(super) use sparse::Found;
use sparse::Sparse;
use view::View;
use zeros::ZerosOutside;

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    n_rows: usize,
    n_cols: usize,
    /// Is the home form the one by rows?
    by_rows: bool,
    home: BitTable,
    copy: OnceLock<BitTable>,
    /// The table, if it is sparse; `home` holds nothing then. See Note [Sparse tables] in `table/sparse.rs`.
    sparse: Option<Box<Sparse>>,
    /// What it shows, if it is a view; `home` holds nothing then. See Note [Views] in `views`.
    view: Option<View>,
    /// Accesses against the home form since the last write along it.
    against: AtomicUsize,
    /// Over the home form; see Note [Windows].
    window: Window,
    /// See Note [Kept extremes].
    extremes: Extremes,
    /// See Note [Zeros outside].
    zeros: ZerosOutside,
    /// See Note [Inverted index].
    index: Index,
    /// How often the home form has changed for want of memory for a copy.
    n_changes: u32,
    /// A turn of the home form in its own memory that a flag has stopped; `home` holds nothing then. See Note [Half turned] in `transpose/`.
    half_turned: Option<Box<Transposition>>,
}

/// What memory there is for transposing a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransposeRoom {
    /// A copy in the other form.
    pub(super) copy: bool,
    /// Bytes beside the table for as long as a turn takes.
    pub(super) spare: u64,
    /// May the home form change where there is no room for a copy?
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

    /// A table whose rows are the columns of `rows`.
    pub(super) fn of_rows(rows: BitTable) -> Self {
        let mut table = Table::new(rows);
        table.transpose();
        table
    }

    /// A table whose columns or rows, as `lines` says, are the columns of `bits`.
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

    /// Bytes of its packed bits, one form, as every backend counts them.
    pub(super) fn n_bytes(&self) -> u64 {
        if let Some(sparse) = &self.sparse {
            return sparse.n_bytes();
        }
        bytes_of(self.n_rows).saturating_mul(self.n_cols as u64)
    }

    /// Bytes that it takes beside its home form: those of a copy in the other form, and of the window.
    #[inline]
    pub(super) fn extra_bytes(&self) -> u64 {
        if let Some(sparse) = &self.sparse {
            return sparse.extra_bytes();
        }
        let copy = if self.copy.get().is_some() { self.n_bytes() } else { 0 };
        let kept = self.extremes.n_bytes().saturating_add(self.index.n_bytes());
        copy.saturating_add(self.window.n_bytes()).saturating_add(kept)
    }

    /// A copy of the table, its home form only; `None` if the system has no room for it.
    pub(super) fn try_clone(&self, parallelism: &Parallelism<'_>) -> Exec<Option<Table>> {
        if let Some(view) = &self.view {
            return Ok(view.copy(self.n_cols, parallelism)?.map(Table::new));
        }
        let sparse = match self.sparse.as_deref().map(Sparse::try_clone) {
            Some(Ok(copy)) => Some(Box::new(copy)),
            Some(Err(_)) => return Ok(None),
            None => None,
        };
        let half_turned = match &self.half_turned {
            Some(transposition) => match transposition.try_clone(parallelism)? {
                Some(copy) => Some(Box::new(copy)),
                None => return Ok(None),
            },
            None => None,
        };
        let Some(home) = copy_of(&self.home, parallelism)? else { return Ok(None) };
        Ok(Some(Table {
            n_rows: self.n_rows,
            n_cols: self.n_cols,
            by_rows: self.by_rows,
            home,
            sparse,
            half_turned,
            ..Table::default()
        }))
    }

    /// The form in which the lines are columns of a bit table, if it is valid.
    #[inline]
    fn form(&self, line: Line) -> Option<&BitTable> {
        if self.sparse.is_some() || self.view.is_some() {
            return None;
        }
        if self.by_rows == (line == Line::Row) { Some(&self.home) } else { self.copy.get() }
    }

    /// Would now be the time for a turn, if the access at hand takes `n_accesses`?
    fn wants_turn(&self, n_accesses: usize, parallelism: &Parallelism<'_>) -> bool {
        let so_far = self.against.load(Ordering::Relaxed).saturating_add(n_accesses);
        self.against.store(so_far, Ordering::Relaxed);
        parallelism.settings.eager_turns
            || so_far / 64 >= self.n_rows.saturating_mul(self.n_cols) / 4096
    }

    /// The other form of the home; `None` if the system has no room for it.
    fn turned(&self, parallelism: &Parallelism<'_>) -> Exec<Option<BitTable>> {
        turn(&self.home, parallelism)
    }

    /// `dst` takes line `idx`, from 0. `may_copy` allows a copy of the table.
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
            && self.wants_turn(dst.len() * 64, parallelism)
            && may_copy
            && let Some(copy) = self.turned(parallelism)?
        {
            // Nobody else has set it: whoever shares the table is of this thread.
            let _ = self.copy.set(copy);
        }
        match self.has(line) {
            true => self.copy_line(line, idx, dst, parallelism),
            false => gather(&self.home, idx, dst, parallelism),
        }
    }

    /// As [`Table::read`], with a window over a table that nobody shares, and whose home form may change. `room_for` says whether
    /// there is so much room beside the table.
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

    /// Is there a form in which such a line lies together?
    #[inline]
    pub(super) fn has(&self, line: Line) -> bool {
        self.form(line).is_some()
    }

    /// Is that the home form, and do its lines lie together?
    #[inline]
    pub(super) fn is_home(&self, line: Line) -> bool {
        self.lies_along(line) && self.sparse.is_none() && self.view.is_none()
    }

    /// Does the home form, sparse or not, hold such lines?
    #[inline]
    pub(super) fn lies_along(&self, line: Line) -> bool {
        self.by_rows == (line == Line::Row)
    }

    /// Is that the home form, and does nothing lie beside it but a window?
    #[inline]
    pub(super) fn is_home_alone(&self, line: Line) -> bool {
        let is_alone = self.copy.get().is_none() && !self.extremes.are_kept();
        self.is_home(line) && is_alone && !self.has_index()
    }

    /// `dst` takes line `idx`, from 0, which lies together.
    #[inline]
    pub(super) fn copy_line(
        &self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
    ) -> Exec<()> {
        let form =
            self.form(line).ok_or_else(|| internal_error("a line of a form that there is not"))?;
        let limbs = form.column_limbs(idx);
        parallelism.fill(dst, 1, |start, part| {
            part.copy_from_slice(&limbs[start..start + part.len()]);
        })
    }

    /// Turns the table if it has to lie along such lines; `false` if it does not and the accesses so far
    /// were too few for a turn.
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
            let turned = match self.copy.take() {
                Some(copy) => Some(copy),
                None if !room.copy => return self.change_home(line, room, parallelism),
                None if self.wants_turn(0, parallelism) => self.turned(parallelism)?,
                None => None,
            };
            let Some(turned) = turned else { return Ok(false) };
            self.set_home(turned);
        }
        Ok(true)
    }

    /// The home form, whose columns are such lines, to be changed; see [`Table::make_home`].
    pub(super) fn lines_mut(&mut self, line: Line) -> &mut BitTable {
        debug_assert_eq!(self.by_rows, line == Line::Row);
        self.home_mut()
    }

    /// The same, with the window over it: a limb of its lines and that limb of all of them, which whoever changes
    /// lines has to keep.
    pub(super) fn lines_and_window(
        &mut self,
        line: Line,
    ) -> (&mut BitTable, Option<(usize, &mut [u64])>) {
        debug_assert_eq!(self.by_rows, line == Line::Row);
        self.lines_change();
        (&mut self.home, self.window.get_mut())
    }

    /// The other form becomes the home form.
    fn set_home(&mut self, turned: BitTable) {
        self.rows_are_other();
        self.window.drop();
        self.home = turned;
        self.by_rows = !self.by_rows;
    }

    /// The home form, and whether it is the one by columns: then its lines are columns of the table.
    pub(super) fn home(&self) -> (&BitTable, bool) {
        (&self.home, !self.by_rows)
    }

    /// The home form, by rows or by columns, to be changed.
    pub(super) fn home_mut(&mut self) -> &mut BitTable {
        self.all_changes();
        &mut self.home
    }

    /// Its rows become columns, and its columns rows, without a bit being moved.
    pub(super) fn transpose(&mut self) {
        self.rows_are_other();
        std::mem::swap(&mut self.n_rows, &mut self.n_cols);
        self.by_rows = !self.by_rows;
    }

    /// The form whose columns are such lines, if it is valid.
    pub(super) fn lines(&self, line: Line) -> Option<&BitTable> {
        self.form(line)
    }

    /// Bit (row, column), both from 0.
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

    /// Line `idx`, from 0, takes the bits of `src`.
    pub(super) fn write(
        &mut self,
        line: Line,
        idx: usize,
        src: &[u64],
        parallelism: &Parallelism<'_>,
        room: TransposeRoom,
    ) -> Exec<()> {
        if self.by_rows != (line == Line::Row) {
            let turned = match self.copy.take() {
                Some(copy) => Some(copy),
                None if self.wants_turn(src.len() * 64, parallelism) && room.copy => {
                    self.turned(parallelism)?
                }
                None => None,
            };
            match turned {
                Some(form) => self.set_home(form),
                None if !room.copy && self.change_home(line, room, parallelism)? => {}
                None => {
                    self.window.drop();
                    self.row_changes(idx, Becomes::row(src));
                    return scatter(&mut self.home, idx, src, parallelism);
                }
            }
        }
        self.write_along(idx, src, parallelism)
    }

    /// Line `idx` of the home form, from 0, takes the bits of `src`.
    #[inline]
    pub(super) fn write_along(
        &mut self,
        idx: usize,
        src: &[u64],
        parallelism: &Parallelism<'_>,
    ) -> Exec<()> {
        self.lines_change();
        self.window.write(idx, src);
        let limbs = self.home.column_limbs_mut(idx);
        parallelism
            .fill(limbs, 1, |start, part| part.copy_from_slice(&src[start..start + part.len()]))
    }

    /// A bit takes a value, in every form.
    pub(super) fn put(&mut self, row_idx: usize, col_idx: usize, bit: bool) {
        let put = |form: &mut BitTable, by_rows: bool| match by_rows {
            false => form.put(row_idx, col_idx, bit),
            true => form.put(col_idx, row_idx, bit),
        };
        put(&mut self.home, self.by_rows);
        let (idx, at) = if self.by_rows { (row_idx, col_idx) } else { (col_idx, row_idx) };
        self.window.put(idx, at, bit);
        self.row_changes(row_idx, Becomes::Anything);
        if let Some(copy) = self.copy.get_mut() {
            put(copy, !self.by_rows);
        }
    }

    /// The form whose columns are such lines. It is made if there is none; `None` if the system has no room for it.
    pub(super) fn make_form(
        &self,
        line: Line,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<&BitTable>> {
        if self.form(line).is_none()
            && self.sparse.is_none()
            && self.view.is_none()
            && let Some(copy) = self.turned(parallelism)?
        {
            let _ = self.copy.set(copy);
        }
        Ok(self.form(line))
    }

    /// The form whose columns are such lines alone, to be changed. `None` if the system has no room to turn.
    pub(super) fn home_along(
        &mut self,
        line: Line,
        parallelism: &Parallelism<'_>,
    ) -> Exec<Option<&mut BitTable>> {
        if self.sparse.is_some() {
            return Ok(None);
        }
        if !self.is_home(line) {
            let turned = match self.copy.take() {
                Some(copy) => Some(copy),
                None => self.turned(parallelism)?,
            };
            let Some(turned) = turned else { return Ok(None) };
            self.set_home(turned);
        }
        Ok(Some(self.home_mut()))
    }

    /// The form by columns, if it is valid; a table by rows alone has none.
    pub(super) fn as_columns(&self) -> Option<&BitTable> {
        self.form(Line::Column)
    }

    /// Number of ones.
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
