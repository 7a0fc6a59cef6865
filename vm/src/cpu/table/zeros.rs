//! Note [Zeros outside]. A mask marks few rows, and ADDC sets all other rows of its result to
//! zeros, column after column, though most of them are zeros already, since the table is new, or
//! was the result of another call. So a table by columns may record a few limbs outside of which
//! all of its columns are zero: none when it is created with zeros, those of the mask after such a
//! loop. Code that changes rows adds their limbs, and every other change discards the record. Then
//! only the listed limbs must be cleared. The same is done for the last small table that was
//! released, when the next table of zeros has the same size, such as the local table of a procedure
//! that is called repeatedly.

use std::ops::Range;

use star_value::BitTable;

use super::Table;
use crate::cpu::parallelism::Parallelism;
use crate::cpu::table::form::Line;
use crate::interrupt::Exec;

/// Maximum number of listed limbs.
const MOST_LIMBS: usize = 64;

/// Bytes of a released table that is kept for the next one of zeros.
const SPARE_BYTES: Range<u64> = 1 << 10..1 << 16;

/// The limbs outside of which all columns are zero, if known.
#[derive(Debug, Default)]
pub(super) struct ZerosOutside(Option<Vec<u64>>);

impl ZerosOutside {
    /// Anything may have changed.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// The rows of a limb have changed.
    #[inline]
    pub(super) fn limb_changes(&mut self, limb: u64) {
        if let Some(limbs) = &mut self.0
            && !limbs.contains(&limb)
        {
            match limbs.len() < MOST_LIMBS {
                true => limbs.push(limb),
                false => self.forget(),
            }
        }
    }

    /// The rows of some limbs have changed.
    pub(super) fn limbs_change(&mut self, limbs: &[u64]) {
        // The limbs of a mask usually equal the known ones.
        if self.0.as_deref().is_some_and(|known| known != limbs) {
            limbs.iter().for_each(|limb| self.limb_changes(*limb));
        }
    }

    /// A row, zero-based, has changed.
    #[inline]
    pub(super) fn row_changes(&mut self, row_idx: usize) {
        self.limb_changes((row_idx / 64) as u64);
    }
}

impl Table {
    /// Returns a table of zeros.
    pub(in crate::cpu) fn of_zeros(table: BitTable) -> Self {
        Table { zeros: ZerosOutside(Some(Vec::new())), ..Table::new(table) }
    }

    /// Can this table, which has been released, be cleared cheaply?
    pub(in crate::cpu) fn may_become_zeros(&self) -> bool {
        let n_limbs = self.n_rows.div_ceil(64);
        let are_few = |limbs: &Vec<u64>| 4 * limbs.len() <= n_limbs;
        SPARE_BYTES.contains(&self.n_bytes())
            && self.is_home(Line::Column)
            && self.half_transposed.is_none()
            && self.zeros.0.as_ref().is_some_and(are_few)
    }

    /// Clears this table and returns it; see [`Table::may_become_zeros`].
    pub(in crate::cpu) fn into_zeros(mut self: Box<Self>) -> Box<Self> {
        let limbs = self.zeros.0.take().unwrap_or_default();
        let stride = self.home.stride();
        for line in self.home.storage_mut().chunks_mut(stride.max(1)) {
            limbs.iter().for_each(|limb| line[*limb as usize] = 0);
        }
        let home = std::mem::take(&mut self.home);
        *self = Table::of_zeros(home);
        self
    }

    /// Clears these columns except for some limbs, ascending, which are about to be written and
    /// reported to [`Table::limbs_mut`]; call [`Table::limbs_change`] first. Returns whether the
    /// other limbs that may be nonzero were known.
    pub(in crate::cpu) fn clear_outside(
        &mut self,
        limbs: &[u64],
        columns: Range<usize>,
        parallelism: &Parallelism<'_>,
    ) -> Exec<bool> {
        debug_assert!(self.is_home(Line::Column) && self.copy.get().is_none());
        self.extremes.drop();
        self.index.drop();
        let (is_whole, stride) = (columns.len() == self.n_cols, self.home.stride());
        let n_limbs = self.n_rows.div_ceil(64);
        let lines = self.home.storage_mut()[columns.start * stride..].chunks_mut(stride.max(1));
        let lines = lines.take(columns.len());
        let known = self.zeros.0.take();
        let is_known = known.is_some();
        match &known {
            Some(known) => {
                let stale = known.iter().filter(|limb| limbs.binary_search(limb).is_err());
                let stale = stale.map(|limb| *limb as usize);
                for line in lines {
                    stale.clone().for_each(|limb| line[limb] = 0);
                }
            }
            None => {
                for line in lines {
                    parallelism.poll()?;
                    let mut next = 0;
                    for limb in limbs {
                        line[next..*limb as usize].fill(0);
                        next = *limb as usize + 1;
                    }
                    line[next..n_limbs].fill(0);
                }
            }
        }
        if is_whole && limbs.len() <= MOST_LIMBS {
            let mut own = known.unwrap_or_default();
            own.clear();
            own.extend_from_slice(limbs);
            self.zeros.0 = Some(own);
        } else {
            self.zeros.0 = known;
        }
        Ok(is_known)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use star_base::Random;

    use super::*;
    use crate::budget::MemoryBudget;
    use crate::cpu::Settings;
    use crate::cpu::pool::Pool;
    use crate::cpu::table::{Becomes, TransposeRoom};
    use crate::kernels::Kernels;

    /// Returns the limbs of the columns.
    fn limbs_of(table: &Table) -> Vec<Vec<u64>> {
        (0..table.n_cols()).map(|col| table.home().0.column_limbs(col).to_vec()).collect()
    }

    #[test]
    fn columns_are_zero_outside_the_known_limbs() {
        let (never, flag) = (AtomicBool::new(false), AtomicBool::new(false));
        let budget = MemoryBudget::new(&flag, &never, u64::MAX);
        let settings = Settings { eager_transposes: false, ..Settings::default() };
        let pool = Pool::of(settings.threads);
        let parallelism = Parallelism::new(Kernels::detect(), settings, budget.flags(), pool);
        let room = TransposeRoom { copy: false, spare: 0, change: false };
        let mut random = Random::new(7);
        for (n_rows, n_cols) in [(1_usize, 1_usize), (64, 2), (700, 5), (9000, 3)] {
            let n_limbs = n_rows.div_ceil(64);
            let new = || Table::of_zeros(BitTable::zeros(n_rows, n_cols).unwrap());
            let (mut table, mut n_known) = (new(), 0);
            for step in 0..400 {
                let (row, col) = (random.below(n_rows), random.below(n_cols));
                match random.below(40) {
                    0 => table.home_mut().put(row, col, true),
                    1..8 => table.put(row, col, random.below(2) == 1),
                    8..14 => {
                        let word = [random.next_u64() & !(!0 << n_cols)];
                        table.write(Line::Row, row, &word, &parallelism, room).ok().unwrap();
                    }
                    14..20 => {
                        table.limbs_change();
                        table
                            .limbs_mut(&[(row / 64) as u64], Becomes::Anything)
                            .put(row, col, true);
                    }
                    _ => {
                        // For the longest columns, sometimes more limbs than can be listed.
                        let n_drawn = if random.below(8) == 0 { 200 } else { 3 };
                        let mut limbs: Vec<u64> =
                            (0..n_drawn).map(|_| random.below(n_limbs) as u64).collect();
                        limbs.sort_unstable();
                        limbs.dedup();
                        let columns = if random.below(3) == 0 { col..n_cols } else { 0..n_cols };
                        let mut wanted = limbs_of(&table);
                        for column in &mut wanted[columns.clone()] {
                            for (at, limb) in (0..).zip(column) {
                                *limb = if limbs.contains(&at) { *limb } else { 0 };
                            }
                        }
                        table.limbs_change();
                        let known = table.clear_outside(&limbs, columns, &parallelism);
                        n_known += usize::from(known.ok().unwrap());
                        assert_eq!(limbs_of(&table), wanted, "{step}");
                        table.limbs_mut(&limbs, Becomes::Anything).put(
                            limbs[0] as usize * 64,
                            col,
                            true,
                        );
                    }
                }
                let Some(known) = &table.zeros.0 else { continue };
                let is_zero = |(at, limb): (u64, &u64)| *limb == 0 || known.contains(&at);
                let columns = limbs_of(&table);
                assert!(columns.iter().all(|column| (0..).zip(column).all(is_zero)), "{step}");
            }
            assert!(n_known > 50, "{n_rows}: {n_known}");
        }
    }
}
