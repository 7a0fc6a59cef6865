//! Counts of the ones of columns.
//!
//! Note [Counts ahead]. A sum over columns counts the ones of one column after another, often under
//! a mask. If its loop changes neither the table nor the mask, and always runs to its end, the
//! first count computes those of all columns that follow: block by block of the rows, all columns
//! of a block while its mask is in the cache, on several threads if there is enough work. The
//! following iterations take the results. A loop that ends early ends the run, too.

use std::ops::Range;

use star_ir::Query;

use super::interpreter::Interpreter;
use super::operand::{Number, Reg};
use super::parallelism::pieces;
use super::table::form::Line;
use crate::interrupt::Exec;
use crate::kernels::Columns;

/// A count of the ones of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnCount {
    pub(super) dst: Reg,
    pub(super) index: Number,
    /// The truth table of the function of the column and the mask that is counted; `None` without
    /// a mask.
    pub(super) function: Option<u8>,
    /// The loop whose following counts may be computed together with this one.
    pub(super) ahead: Option<Ahead>,
}

/// A `for` loop over columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// The state of the loop; see `ForBegin`.
    pub(super) state: Reg,
    pub(super) down: bool,
}

/// The counts of columns that following iterations take, for each count in the body of a loop.
#[derive(Debug, Default)]
pub(super) struct CountsAhead(Vec<Counted>);

#[derive(Debug)]
struct Counted {
    pc: usize,
    /// The index of the next one.
    next: i64,
    /// The last one first.
    counts: Vec<u64>,
}

impl CountsAhead {
    /// Returns the count of the column with this index, if it was computed before.
    fn take(&mut self, pc: usize, index: i64, step: i64) -> Option<u64> {
        let at = self.0.iter().position(|counted| counted.pc == pc)?;
        let counted = &mut self.0[at];
        let found = (counted.next == index).then(|| counted.counts.pop()).flatten();
        counted.next = index + step;
        if found.is_none() || counted.counts.is_empty() {
            self.0.swap_remove(at);
        }
        found
    }
}

impl Interpreter<'_, '_, '_> {
    /// Counts the ones of a column; the registers are those of the table, of a slice that may hold
    /// the column, and of the mask.
    pub(super) fn count_column(
        &mut self,
        count: ColumnCount,
        [table, column, mask]: [Reg; 3],
    ) -> Exec<u64> {
        let index = self.number(count.index);
        let step = if count.ahead.is_some_and(|ahead| ahead.down) { -1 } else { 1 };
        if let Some(n_ones) = self.counts_ahead.take(self.pc, index, step) {
            return Ok(n_ones);
        }
        let Some((first, n_columns)) = self.counted_together(count, table, mask, index) else {
            self.line(column, table, Line::Column, count.index)?;
            return match count.function {
                Some(function) => self.count_lut(function, column, mask),
                None => Ok(self.query(Query::Count, column)?.to(Query::Count) as u64),
            };
        };
        let mut counts =
            self.count_columns(table, first..first + n_columns, count.function, mask)?;
        if step > 0 {
            counts.reverse();
        }
        let n_ones = counts.pop().unwrap_or(0);
        if !counts.is_empty() {
            self.paths.columns_counted += n_columns as u64;
            self.counts_ahead.0.push(Counted { pc: self.pc, next: index + step, counts });
        }
        Ok(n_ones)
    }

    /// Returns the first column to be counted, from 0, and their number; `None` if the column must
    /// be loaded first.
    fn counted_together(
        &self,
        count: ColumnCount,
        table: Reg,
        mask: Reg,
        index: i64,
    ) -> Option<(usize, usize)> {
        let table = self.table_slot(table).table.get()?;
        table.columns()?;
        if count.function.is_some() {
            let slot = self.bits_slot(mask);
            // With a summary, only some blocks of the mask are read.
            let is_sparse = slot.known.summary().is_some() && slot.known.constant() != Some(true);
            if is_sparse || slot.bits.len() != table.n_rows() {
                return None;
            }
        }
        let last = match count.ahead {
            Some(Ahead { state, .. }) => self.number(Number(state + 1)),
            None => index,
        };
        let last = last.clamp(1, table.n_cols() as i64);
        let (least, greatest) = (index.min(last), index.max(last));
        let is_within = least >= 1 && greatest <= table.n_cols() as i64;
        is_within.then_some((least as usize - 1, (greatest - least) as usize + 1))
    }

    /// Counts the ones of each of these columns, or of a function of it and the mask.
    fn count_columns(
        &self,
        table: Reg,
        of: Range<usize>,
        function: Option<u8>,
        mask: Reg,
    ) -> Exec<Vec<u64>> {
        let table = self.table(table)?;
        let Some(Columns { storage, stride, n_cols: _ }) = table.columns() else {
            return Ok(Vec::new());
        };
        let kernels = self.parallelism.kernels;
        let mask = function.map(|function| (function, self.bits(mask).limbs()));
        let block_limbs = match of.len() {
            1 => usize::MAX,
            _ => self.parallelism.settings.block_limbs,
        };
        let count = |limbs: Range<usize>| {
            let mut counts = vec![0; of.len()];
            for block in pieces(limbs, block_limbs) {
                for (n_ones, column) in counts.iter_mut().zip(of.clone()) {
                    let column = &storage[column * stride..][block.clone()];
                    *n_ones += match mask {
                        Some((function, mask)) => {
                            kernels.count_lut2(function, column, &mask[block.clone()])
                        }
                        None => kernels.count(column),
                    };
                }
            }
            counts
        };
        let join = |mut all: Vec<u64>, more: Vec<u64>| {
            all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
            all
        };
        let n_limbs = table.n_rows().div_ceil(64);
        self.parallelism.fold(n_limbs, of.len(), vec![0; of.len()], count, join)
    }
}
