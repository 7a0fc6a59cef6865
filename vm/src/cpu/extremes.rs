//! MIN and MAX.

use star_ir::Sense;
use star_value::{BitTable, OutOfMemory};

use super::interpreter::Interpreter;
use super::operand::Reg;
use super::parallelism::pieces;
use super::table::Table;
use super::table::form::{Line, columns_of};
use crate::interrupt::{Exec, internal_error};

/// Approximate number of columns that MIN and MAX read completely before few candidates are left.
const FIRST_COLUMNS: usize = 8;

impl Interpreter<'_, '_, '_> {
    /// Uses one pass if rows are few. Otherwise it uses two: the first finds the extreme number of
    /// each block of rows, and of all blocks; the second finds the rows that hold it, or only the
    /// first of them if that is enough.
    pub(super) fn extreme(
        &mut self,
        (dst, first): (Reg, bool),
        table: Reg,
        mask: Reg,
        sense: Sense,
    ) -> Exec<()> {
        let len = self.bits(mask).len();
        if self.table(table)?.n_rows() != len {
            return Err(internal_error("a mask of another size than the table"));
        }
        if self.is_sparse(table) {
            self.make_small_dense(table)?;
        }
        if len.div_ceil(64) >= self.parallelism.settings.kept_limbs
            && self.kept_extreme((dst, first), table, mask, sense)?
        {
            return Ok(());
        }
        let transposed = match self.table(table)?.as_columns() {
            Some(_) => None,
            None => self.columns_for_extreme(table)?,
        };
        let mut spare = std::mem::take(&mut self.scratch.spare);
        let done = self.make(dst, len, dst == mask, |interpreter, to| {
            let form = match &transposed {
                Some(transposed) => transposed.as_ref(),
                None => interpreter.table(table)?.as_columns(),
            };
            let form = form.ok_or_else(|| {
                let bytes = interpreter.table(table).map_or(0, Table::dense_bytes);
                interpreter.out_of_memory(OutOfMemory { n_bytes: u128::from(bytes) })
            })?;
            let (mask, columns) = (interpreter.bits(mask).limbs(), columns_of(form));
            // One or a few columns leave few candidates, so that one thread is as fast as several
            // where columns are short.
            let n_first = mask.len().saturating_mul(columns.n_cols.clamp(1, FIRST_COLUMNS));
            let is_short = interpreter.parallelism.is_short(n_first);
            if is_short && spare.resize(to.len()).is_ok() {
                let kernels = interpreter.parallelism.kernels;
                kernels.extreme(columns, mask, sense, &mut spare, to);
                return Ok(());
            }
            interpreter.find_extreme(form, mask, sense, to)
        });
        self.scratch.spare = spare;
        done?;
        if len.div_ceil(64) >= self.parallelism.settings.summary_limbs {
            self.summarise_few(dst);
        }
        Ok(())
    }

    /// Returns the columns of a table stored by rows, unless its layout has just changed to
    /// columns.
    #[inline(never)]
    fn columns_for_extreme(&mut self, table: Reg) -> Exec<Option<Option<BitTable>>> {
        let (bytes, before) = (self.table(table)?.dense_bytes(), self.table(table)?.extra_bytes());
        let may_copy = !self.is_sparse(table) && self.may_copy(self.table(table)?);
        let columns = if may_copy {
            self.table(table)?.make_form(Line::Column, &self.parallelism)?;
            None
        } else {
            self.budget.reserve(bytes)?;
            Some(self.table(table)?.to_host(&self.parallelism)?)
        };
        self.recount_copy(table, before)?;
        Ok(columns)
    }

    /// Does the same from the numbers kept with the table; false if all rows must be read.
    fn kept_extreme(
        &mut self,
        (dst, first): (Reg, bool),
        table: Reg,
        mask: Reg,
        sense: Sense,
    ) -> Exec<bool> {
        let (len, at) = (self.bits(mask).len(), self.table_at(table));
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let found = match holding.get_mut() {
            Some(table) => {
                let before = table.extra_bytes();
                let has_room = |bytes| self.copies.may_add(&self.budget, bytes);
                let mask = self.bits(mask).limbs();
                let found = table.find_extreme(mask, (sense, first), &self.parallelism, has_room);
                self.copies.count(table, before);
                found
            }
            // Other owners hold it, too.
            None => Ok(None),
        };
        self.tables[at].table = holding;
        let Some(holders) = found? else { return Ok(false) };
        self.put_limbs(dst, len, false, holders.into_iter())?;
        self.paths.extremes_kept += 1;
        self.paths.extremes_first += u64::from(first);
        Ok(true)
    }

    fn find_extreme(
        &self,
        form: &BitTable,
        mask: &[u64],
        sense: Sense,
        to: &mut [u64],
    ) -> Exec<()> {
        let columns = columns_of(form);
        let (parallelism, kernels) = (&self.parallelism, self.parallelism.kernels);
        let block = parallelism.settings.block_limbs.max(1);
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
        let best = parallelism.fold(
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
        parallelism.fill(to, weight, |start, part| {
            for limbs in pieces(0..part.len(), block) {
                let at = start + limbs.start..start + limbs.end;
                kernels.block_match(columns, at, mask, &best, &mut part[limbs]);
            }
        })
    }
}
