//! Notifications of changes of a table, which keep its derived data valid: the other form, the
//! window, extremes, the index of rows, and the structures of intrinsics.

use std::ops::Range;

use star_value::BitTable;

use super::{Becomes, Table};
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::Line;
use crate::interrupt::Exec;

impl Table {
    /// Lines along the home layout are about to be written: the other form becomes invalid.
    pub(in crate::cpu) fn lines_change(&mut self) {
        self.rows_are_other();
        self.copy.take();
        *self.against.get_mut() = 0;
    }

    /// A row, zero-based, has changed.
    pub(super) fn row_changes(&mut self, idx: usize, becomes: Becomes) {
        self.extremes.row_changes(idx);
        self.index.row_changes(idx, becomes);
        self.structure.drop();
    }

    /// All knowledge about the rows becomes invalid.
    pub(super) fn rows_are_other(&mut self) {
        self.extremes.drop();
        self.index.drop();
        self.structure.drop();
    }

    /// Anything may change: the window becomes invalid, too.
    pub(in crate::cpu) fn all_changes(&mut self) {
        self.lines_change();
        self.window.drop();
    }

    /// Some limbs of all columns are about to be written, which [`Table::limbs_mut`] lists; the
    /// table is stored by columns.
    pub(in crate::cpu) fn limbs_change(&mut self) {
        self.structure.drop();
        self.copy.take();
        *self.against.get_mut() = 0;
        self.window.drop();
    }

    /// Returns the home form for changes of these limbs of the columns; call
    /// [`Table::limbs_change`] first.
    pub(in crate::cpu) fn limbs_mut(&mut self, limbs: &[u64], becomes: Becomes) -> &mut BitTable {
        debug_assert!(self.is_home(Line::Column) && self.copy.get().is_none());
        limbs.iter().for_each(|limb| self.extremes.limb_changes(*limb as usize));
        self.index.limbs_change(limbs, becomes);
        self.is_unwritten = false;
        &mut self.home
    }

    /// Clears these columns except for some limbs, ascending, which are about to be written and
    /// reported to [`Table::limbs_mut`]; call [`Table::limbs_change`] first.
    pub(in crate::cpu) fn clear_outside(
        &mut self,
        limbs: &[u64],
        columns: Range<usize>,
        parallelism: &Parallelism<'_>,
    ) -> Exec<()> {
        debug_assert!(self.is_home(Line::Column) && self.copy.get().is_none());
        self.extremes.drop();
        self.index.drop();
        let (stride, n_limbs) = (self.home.stride(), self.n_rows.div_ceil(64));
        let lines = self.home.storage_mut()[columns.start * stride..].chunks_mut(stride.max(1));
        for line in lines.take(columns.len()) {
            parallelism.poll()?;
            let mut next = 0;
            for limb in limbs {
                line[next..*limb as usize].fill(0);
                next = *limb as usize + 1;
            }
            line[next..n_limbs].fill(0);
        }
        Ok(())
    }

    /// Rows of all columns are about to be written, with the word given to [`Table::rows_mut`]; the
    /// table is stored by columns.
    pub(in crate::cpu) fn rows_change(&mut self) {
        self.extremes.drop();
        self.limbs_change();
    }

    /// Returns the home form for writing a word to rows in these limbs, or in many; call
    /// [`Table::rows_change`] first.
    pub(in crate::cpu) fn rows_mut(&mut self, limbs: Option<&[u64]>, word: u64) -> &mut BitTable {
        debug_assert!(self.is_home(Line::Column) && self.copy.get().is_none());
        match limbs {
            Some(limbs) => self.index.limbs_change(limbs, Becomes::Word(word)),
            None => self.index.many_take(word),
        }
        self.is_unwritten = false;
        &mut self.home
    }

    /// The announced changes may be incomplete.
    pub(in crate::cpu) fn stops_halfway(&mut self) {
        self.index.drop();
    }
}
