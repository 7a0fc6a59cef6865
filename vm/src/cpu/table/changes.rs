//! What has to be said of a table that changes, so that whatever it keeps beside its bits holds: the other form, the window, extremes, an index of rows, and where it has
//! zeros.

use star_base::BitTable;

use super::{Becomes, Table};
use crate::cpu::form::Line;

impl Table {
    /// Lines along the home form are going to be written: the other form is worth nothing any more.
    pub(in crate::cpu) fn lines_change(&mut self) {
        self.rows_are_other();
        self.copy.take();
        *self.against.get_mut() = 0;
    }

    /// A row, from 0, has changed.
    pub(super) fn row_changes(&mut self, idx: usize, becomes: Becomes) {
        self.extremes.row_changes(idx);
        self.zeros.row_changes(idx);
        self.index.row_changes(idx, becomes);
    }

    /// Nothing is known of the rows any more.
    pub(super) fn rows_are_other(&mut self) {
        self.extremes.drop();
        self.zeros.forget();
        self.index.drop();
    }

    /// Anything may change: the window is worth nothing any more, too.
    pub(in crate::cpu) fn all_changes(&mut self) {
        self.lines_change();
        self.window.drop();
    }

    /// Some limbs of all columns are going to be written, and [`Table::limbs_mut`] says which; the table lies by columns.
    pub(in crate::cpu) fn limbs_change(&mut self) {
        self.copy.take();
        *self.against.get_mut() = 0;
        self.window.drop();
    }

    /// The home form, of which these limbs of columns are changed; [`Table::limbs_change`] comes before.
    pub(in crate::cpu) fn limbs_mut(&mut self, limbs: &[u64], becomes: Becomes) -> &mut BitTable {
        debug_assert!(self.is_home(Line::Column) && self.copy.get().is_none());
        limbs.iter().for_each(|limb| self.extremes.limb_changes(*limb as usize));
        self.zeros.limbs_change(limbs);
        self.index.limbs_change(limbs, becomes);
        &mut self.home
    }

    /// Rows of all columns are going to be written, and [`Table::rows_mut`] says which word they take; the table lies by columns.
    pub(in crate::cpu) fn rows_change(&mut self) {
        self.extremes.drop();
        self.zeros.forget();
        self.limbs_change();
    }

    /// The home form, of which rows of these limbs, or of many, take a word; [`Table::rows_change`] comes before.
    pub(in crate::cpu) fn rows_mut(&mut self, limbs: Option<&[u64]>, word: u64) -> &mut BitTable {
        debug_assert!(self.is_home(Line::Column) && self.copy.get().is_none());
        match limbs {
            Some(limbs) => self.index.limbs_change(limbs, Becomes::Word(word)),
            None => self.index.many_take(word),
        }
        &mut self.home
    }

    /// Not all of what it was said to become may have been written.
    pub(in crate::cpu) fn stops_halfway(&mut self) {
        self.index.drop();
    }
}
