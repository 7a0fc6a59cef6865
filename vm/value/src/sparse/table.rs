//! A sparse table, as used by files and results.

use super::{SparseLines, bits_of};
use crate::bits::{BitTable, TooLarge};

/// A table with few ones or few zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseTable {
    /// Its rows or columns.
    pub lines: SparseLines,
    /// Whether the lines are its rows.
    pub by_rows: bool,
}

impl SparseTable {
    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        if self.by_rows { self.lines.n_lines() } else { self.lines.len() }
    }

    /// Returns the number of columns.
    pub fn n_cols(&self) -> usize {
        if self.by_rows { self.lines.len() } else { self.lines.n_lines() }
    }

    /// Returns bit `col` of row `row`, both from 0. Panics outside, as indexing does.
    pub fn get(&self, row: usize, col: usize) -> bool {
        if self.by_rows { self.lines.get(row, col) } else { self.lines.get(col, row) }
    }

    /// Returns the number of ones.
    pub fn count_ones(&self) -> u64 {
        self.lines.count_ones()
    }

    /// Returns its size in bytes.
    pub fn n_bytes(&self) -> u64 {
        self.lines.n_bytes()
    }

    /// Returns the bytes of the same table, packed by columns.
    pub fn dense_bytes(&self) -> u64 {
        (8 * self.n_rows().div_ceil(64) as u64).saturating_mul(self.n_cols() as u64)
    }

    /// Returns the same table, packed.
    ///
    /// # Errors
    /// If it is too large for this machine.
    pub fn to_dense(&self) -> Result<BitTable, TooLarge> {
        let mut table = BitTable::zeros(self.n_rows(), self.n_cols())?;
        for idx in 0..self.lines.n_lines() {
            if self.by_rows {
                self.lines.ones(idx, |col| table.put(idx, col, true));
                continue;
            }
            let line = self.lines.line(idx);
            if line.ground {
                let limbs = table.column_limbs_mut(idx).iter_mut().enumerate();
                limbs.for_each(|(place, limb)| *limb = self.lines.ground_limb(true, place));
            }
            for (place, limb) in line.each() {
                table.column_limbs_mut(idx)[place as usize] = limb;
            }
        }
        Ok(table)
    }

    /// Calls `each` with the row and column of every one, both from 0, line by line; stops at the
    /// first error.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn try_for_ones<E>(
        &self,
        mut each: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        for idx in 0..self.lines.n_lines() {
            let line = self.lines.line(idx);
            let n_places = if line.ground { self.lines.len().div_ceil(64) } else { 0 };
            let all = (0..n_places).map(|place| (place as u32, self.lines.limb(idx, place)));
            let listed = line.each().filter(|_| !line.ground);
            for (place, limb) in all.chain(listed) {
                let mut result = Ok(());
                bits_of(place as usize, limb, &mut |at| {
                    if result.is_ok() {
                        result = if self.by_rows { each(idx, at) } else { each(at, idx) };
                    }
                });
                result?;
            }
        }
        Ok(())
    }
}
