//! Tables in one or two forms.
//!
//! Note [Forms]. A table has a *home* form, by columns or by rows (then it is stored corner-turned: the
//! rows are the columns of its bit table), and at most one valid *copy* in the other form. A single row
//! of a table by columns is gathered, or scattered when it is written, at the cost of one access per
//! column. A corner turn of the whole table costs as much as about one access per 64 bits of it. So the
//! table counts the accesses against its home since the last write along it, and turns when they have
//! cost as much as a turn. What a turn makes is a copy if the access reads, the new home if it writes. A
//! write to one form drops the other.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use star_base::{BitTable, OutOfMemory};
use star_natives::Lines;

use super::form::{Line, bytes_of, columns_of, copy_of, gather, scatter, turn};
use super::parallelism::{Parallelism, pieces};
use super::turn::turn_in_place;
use super::window::Window;
use crate::backend::{BackendError, check_columns};
use crate::stop::{Run, broken};

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    n_rows: usize,
    n_cols: usize,
    /// Is the home form the one by rows?
    by_rows: bool,
    home: BitTable,
    copy: OnceLock<BitTable>,
    /// Accesses against the home form since the last write along it.
    against: AtomicUsize,
    /// Over the home form; see Note [Windows].
    window: Window,
}

impl Table {
    pub(super) fn new(table: BitTable) -> Self {
        Table {
            n_rows: table.n_rows(),
            n_cols: table.n_cols(),
            by_rows: false,
            home: table,
            copy: OnceLock::new(),
            against: AtomicUsize::new(0),
            window: Window::default(),
        }
    }

    /// A table whose rows are the columns of `rows`.
    pub(super) fn of_rows(rows: BitTable) -> Self {
        let mut table = Table::new(rows);
        table.transpose();
        table
    }

    /// A table whose columns or rows, as `lines` says, are the columns of `bits`.
    pub(super) fn of_lines(bits: BitTable, lines: Lines) -> Self {
        match lines {
            Lines::Columns => Table::new(bits),
            Lines::Rows => Table::of_rows(bits),
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
        bytes_of(self.n_rows).saturating_mul(self.n_cols as u64)
    }

    /// Bytes that it takes beside its home form: those of a copy in the other form, and of the window.
    pub(super) fn extra_bytes(&self) -> u64 {
        let copy = if self.copy.get().is_some() { self.n_bytes() } else { 0 };
        copy.saturating_add(self.window.n_bytes())
    }

    /// A copy of the table, its home form only; `None` if the system has no room for it.
    pub(super) fn try_clone(&self, parallelism: &Parallelism<'_>) -> Run<Option<Table>> {
        let Some(home) = copy_of(&self.home, parallelism)? else { return Ok(None) };
        Ok(Some(Table {
            n_rows: self.n_rows,
            n_cols: self.n_cols,
            by_rows: self.by_rows,
            home,
            copy: OnceLock::new(),
            against: AtomicUsize::new(0),
            window: Window::default(),
        }))
    }

    /// The form in which the lines are columns of a bit table, if it is valid.
    #[inline]
    fn form(&self, line: Line) -> Option<&BitTable> {
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
    fn turned(&self, parallelism: &Parallelism<'_>) -> Run<Option<BitTable>> {
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
    ) -> Run<()> {
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

    /// As [`Table::read`], with a window over a table that nobody shares. `may_add` says whether so many bytes may be
    /// taken beside the table.
    pub(super) fn read_own(
        &mut self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
        may_add: impl Fn(u64) -> bool,
    ) -> Run<()> {
        if self.form(line).is_none() {
            let form = columns_of(&self.home);
            let may_move = may_add(Window::n_bytes_of(form.n_cols));
            if self.window.read(form, idx, dst, parallelism, may_move)? {
                return Ok(());
            }
        }
        let may_copy = may_add(self.n_bytes());
        self.read(line, idx, dst, parallelism, may_copy)
    }

    /// Is there a form in which such a line lies together?
    #[inline]
    pub(super) fn has(&self, line: Line) -> bool {
        self.form(line).is_some()
    }

    /// Is that the home form?
    #[inline]
    pub(super) fn is_home(&self, line: Line) -> bool {
        self.by_rows == (line == Line::Row)
    }

    /// `dst` takes line `idx`, from 0, which lies together.
    #[inline]
    pub(super) fn copy_line(
        &self,
        line: Line,
        idx: usize,
        dst: &mut [u64],
        parallelism: &Parallelism<'_>,
    ) -> Run<()> {
        let form = self.form(line).ok_or_else(|| broken("a line of a form that there is not"))?;
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
        may_turn: bool,
    ) -> Run<bool> {
        if self.by_rows != (line == Line::Row) {
            let turned = match self.copy.take() {
                Some(copy) => Some(copy),
                None if self.wants_turn(0, parallelism) && may_turn => self.turned(parallelism)?,
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

    /// Lines along the home form are going to be written: the other form is worth nothing any more.
    pub(super) fn lines_change(&mut self) {
        self.copy.take();
        *self.against.get_mut() = 0;
    }

    /// Anything may change: the window is worth nothing any more, too.
    pub(super) fn all_changes(&mut self) {
        self.lines_change();
        self.window.drop();
    }

    /// The other form becomes the home form.
    fn set_home(&mut self, turned: BitTable) {
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
        std::mem::swap(&mut self.n_rows, &mut self.n_cols);
        self.by_rows = !self.by_rows;
    }

    /// The form whose columns are such lines, if it is valid.
    pub(super) fn lines(&self, line: Line) -> Option<&BitTable> {
        self.form(line)
    }

    /// Bit (row, column), both from 0.
    pub(super) fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
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
        may_turn: bool,
    ) -> Run<()> {
        if self.by_rows != (line == Line::Row) {
            let turned = match self.copy.take() {
                Some(copy) => Some(copy),
                None if self.wants_turn(src.len() * 64, parallelism) && may_turn => {
                    self.turned(parallelism)?
                }
                None => None,
            };
            match turned {
                Some(form) => self.set_home(form),
                None => {
                    self.window.drop();
                    return scatter(&mut self.home, idx, src, parallelism);
                }
            }
        }
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
        if let Some(copy) = self.copy.get_mut() {
            put(copy, !self.by_rows);
        }
    }

    /// The form whose columns are such lines. It is made if there is none; `None` if the system has no room for it.
    pub(super) fn make_form(
        &self,
        line: Line,
        parallelism: &Parallelism<'_>,
    ) -> Run<Option<&BitTable>> {
        if self.form(line).is_none()
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
    ) -> Run<Option<&mut BitTable>> {
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

    /// Grows to `n_cols` columns, if it has fewer; false if the system has no room for that.
    pub(super) fn grow(&mut self, n_cols: usize, parallelism: &Parallelism<'_>) -> Run<bool> {
        let Some(home) = self.home_along(Line::Column, parallelism)? else { return Ok(false) };
        let before = home.n_cols();
        if n_cols <= before {
            return Ok(true);
        }
        if n_cols / 2 >= before || home.stride() == 0 {
            // Zeros that nobody has touched cost nothing.
            let Ok(mut grown) = BitTable::zeros(home.n_rows(), n_cols) else { return Ok(false) };
            let from = &home.storage()[..before * home.stride()];
            parallelism.fill(&mut grown.storage_mut()[..from.len()], 1, |start, part| {
                part.copy_from_slice(&from[start..start + part.len()]);
            })?;
            *home = grown;
            self.n_cols = n_cols;
            return Ok(true);
        }
        // The allocator gives a large table more pages without moving it, so that there are never two.
        let at_once = (parallelism.settings.poll_limbs / home.stride().max(1)).max(1);
        let mut grow = || -> Run<bool> {
            for columns in pieces(before..n_cols, at_once) {
                parallelism.poll()?;
                if home.resize_columns(columns.end).is_err() {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let grown = grow();
        if let Ok(true) = grown {
            self.n_cols = n_cols;
        } else {
            // Fewer columns are never refused.
            let _ = home.resize_columns(before);
        }
        grown
    }

    /// The form by columns, if it is valid; a table by rows alone has none.
    pub(super) fn as_columns(&self) -> Option<&BitTable> {
        self.form(Line::Column)
    }

    /// The table as a host knows it, taken apart; `None` if the system has no room to turn it.
    pub(super) fn to_host(&self, parallelism: &Parallelism<'_>) -> Run<Option<BitTable>> {
        match self.form(Line::Column) {
            Some(form) => copy_of(form, parallelism),
            None => self.turned(parallelism),
        }
    }

    /// The form by columns alone; the table itself if it has none.
    #[expect(clippy::result_large_err, reason = "it is the table, not an error")]
    pub(super) fn into_columns(mut self) -> Result<BitTable, Table> {
        if !self.by_rows {
            return Ok(self.home);
        }
        self.copy.take().ok_or(self)
    }

    /// Some columns (from 0) as a table of their own.
    ///
    /// # Errors
    /// If there are no such columns, the system refuses the memory, or a flag is set.
    pub(super) fn some_columns(
        &self,
        columns: std::ops::Range<usize>,
        parallelism: &Parallelism<'_>,
    ) -> Result<BitTable, BackendError> {
        check_columns(&columns, self.n_cols)?;
        // Nothing but a flag stops work on a value.
        let interrupted = |_stop| BackendError::Interrupted;
        let n_bytes = self.n_rows.div_ceil(64) as u128 * 8 * columns.len() as u128;
        let refused = |_too_large| OutOfMemory { n_bytes };
        let mut part = BitTable::zeros(self.n_rows, columns.len()).map_err(refused)?;
        for (idx, col_idx) in columns.enumerate() {
            parallelism.poll().map_err(interrupted)?;
            let limbs = part.column_limbs_mut(idx);
            self.read(Line::Column, col_idx, limbs, parallelism, false).map_err(interrupted)?;
        }
        Ok(part)
    }

    /// The columns from `start` (from 0) on become those of `part`, which has as many rows.
    pub(super) fn set_columns(&mut self, start: usize, part: &BitTable) {
        let by_rows = self.by_rows;
        let home = self.home_mut();
        for col_idx in 0..part.n_cols() {
            if by_rows {
                for row_idx in 0..part.n_rows() {
                    home.put(start + col_idx, row_idx, part.get(row_idx, col_idx));
                }
            } else {
                let column = home.column_limbs_mut(start + col_idx);
                column.copy_from_slice(part.column_limbs(col_idx));
            }
        }
    }

    /// Makes such lines lie together in the table's own memory, if it is square and has no form of them; do they now?
    /// When a flag stops that, the table is worth nothing.
    pub(super) fn turn_in_place(&mut self, line: Line, parallelism: &Parallelism<'_>) -> Run<bool> {
        if self.has(line) || self.n_rows != self.n_cols {
            return Ok(self.has(line));
        }
        self.window.drop();
        turn_in_place(&mut self.home, parallelism)?;
        self.by_rows = line == Line::Row;
        *self.against.get_mut() = 0;
        Ok(true)
    }

    /// Number of ones.
    pub(super) fn n_ones(&self, parallelism: &Parallelism<'_>) -> Run<u64> {
        parallelism.count(self.home.storage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_table_has_its_rows_as_columns() {
        let mut table = Table::new(BitTable::parse(&["011", "100"]).unwrap());
        table.transpose();
        assert_eq!((table.n_rows(), table.n_cols()), (3, 2));
        let rows: Vec<[bool; 2]> =
            (0..3).map(|row| [0, 1].map(|col| table.bit(row, col))).collect();
        assert_eq!(rows, [[false, true], [true, false], [true, false]]);
        assert!(table.has(Line::Row) && !table.has(Line::Column));
    }

    /// Reads lines against the form in a row while lines along it, single bits and whole forms change.
    #[test]
    fn a_window_holds_what_the_form_does() {
        let never = std::sync::atomic::AtomicBool::new(false);
        let budget = crate::budget::MemoryBudget::new(&never, &never, u64::MAX);
        for settings in [super::super::Settings::default(), super::super::Settings::tiny()] {
            let settings = super::super::Settings { eager_turns: false, ..settings };
            let pool = crate::cpu::pool::Pool::of(settings.threads);
            let kernels = crate::kernels::Kernels::detect();
            let parallelism = Parallelism::new(kernels, settings, budget.flags(), pool);
            let (n_lines, len) = (150, 130);
            let mut table = Table::of_rows(BitTable::zeros(len, n_lines).unwrap());
            let mut model = vec![vec![false; len]; n_lines];
            let mut state = 1_u64;
            let mut below = |limit: usize| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (state >> 33) as usize % limit
            };
            let mut windows = 0;
            for step in 0..2000 {
                let at = (step / 3) % len;
                let mut dst = vec![!0; n_lines.div_ceil(64)];
                table
                    .read_own(Line::Column, at, &mut dst, &parallelism, |bytes| bytes < 2000)
                    .unwrap_or_else(|_| panic!("nobody stops it"));
                for (idx, line) in model.iter().enumerate() {
                    assert_eq!(dst[idx / 64] >> (idx % 64) & 1 == 1, line[at], "{step}, {idx}");
                }
                windows += u64::from(table.extra_bytes() == 8 * n_lines as u64);
                let (idx, bit) = (below(n_lines), below(2) == 1);
                match below(20) {
                    0 => table.home_mut().put(at, idx, bit),
                    1..8 => table.put(idx, at, bit),
                    _ => {
                        model[idx].iter_mut().for_each(|bit| *bit = below(2) == 1);
                        let line = star_base::BitVector::from_bools(&model[idx]);
                        table
                            .write(Line::Row, idx, line.limbs(), &parallelism, false)
                            .unwrap_or_else(|_| panic!("nobody stops it"));
                        continue;
                    }
                }
                model[idx][at] = bit;
            }
            assert!(windows > 1000, "{windows}");
        }
    }

    #[test]
    fn a_table_turns_in_its_own_memory_or_with_a_second_form_for_a_while() {
        let never = std::sync::atomic::AtomicBool::new(false);
        let budget = crate::budget::MemoryBudget::new(&never, &never, u64::MAX);
        let settings = super::super::Settings::default();
        let pool = crate::cpu::pool::Pool::of(settings.threads);
        let parallelism =
            Parallelism::new(crate::kernels::Kernels::detect(), settings, budget.flags(), pool);
        let rows = ["011", "100", "110"];
        let mut square = Table::new(BitTable::parse(&rows).unwrap());
        for line in [Line::Row, Line::Row, Line::Column, Line::Row] {
            assert!(matches!(square.turn_in_place(line, &parallelism), Ok(true)));
            assert!(
                square.is_home(line) && square.bit(0, 1) && square.bit(1, 0) && !square.bit(0, 0)
            );
        }
        let mut wide = Table::new(BitTable::parse(&rows[..2]).unwrap());
        assert!(matches!(wide.turn_in_place(Line::Row, &parallelism), Ok(false)));
        assert!(matches!(wide.turn_in_place(Line::Column, &parallelism), Ok(true)));
        assert!(matches!(wide.home_along(Line::Row, &parallelism), Ok(Some(_))));
        assert!(wide.is_home(Line::Row) && !wide.has(Line::Column));
        assert_eq!((wide.n_rows(), wide.n_cols(), wide.bit(0, 2)), (2, 3, true));
    }

    #[test]
    fn a_table_grows_in_whatever_steps() {
        let never = std::sync::atomic::AtomicBool::new(false);
        let budget = crate::budget::MemoryBudget::new(&never, &never, u64::MAX);
        let settings = super::super::Settings { poll_limbs: 16, ..Default::default() };
        let pool = crate::cpu::pool::Pool::of(settings.threads);
        let parallelism =
            Parallelism::new(crate::kernels::Kernels::detect(), settings, budget.flags(), pool);
        let mut table = Table::new(BitTable::parse(&["01"; 70]).unwrap());
        for n_cols in [2, 3, 40, 41, 60, 60, 7] {
            let n_cols_after = table.n_cols().max(n_cols);
            assert!(matches!(table.grow(n_cols, &parallelism), Ok(true)));
            assert_eq!((table.n_cols(), table.bit(69, 1)), (n_cols_after, true));
            assert!(matches!(table.n_ones(&parallelism), Ok(70)));
        }
        // Columns without rows are many and cost nothing.
        let mut table = Table::new(BitTable::zeros(0, 0).unwrap());
        for n_cols in [1 << 62, (1 << 62) + (1 << 61)] {
            assert!(matches!(table.grow(n_cols, &parallelism), Ok(true)));
            assert_eq!(table.n_cols(), n_cols);
        }
        assert!(matches!(table.grow(7, &parallelism), Ok(true)));
        assert_eq!(table.n_cols(), (1 << 62) + (1 << 61));
    }
}
