//! A tree in a handle.

use star_value::BitTable;

use super::tree::Tree;
use crate::environment::{Ended, Environment, InterruptPoller};
use crate::numbers::write_numbers;
use crate::reserved;
use crate::state::{IntrinsicState, LineOrder, StateTable};

/// Width of a level in a table of leaves.
pub const LEVEL_BITS: usize = 5;

impl Tree {
    /// The tables that Star bodies use: the live field, and the field of the last reduce.
    pub const PARTS: [&str; 2] = ["live", "reduced"];

    /// Bytes that [`Tree::leaf_tables`] needs in addition to the tables.
    pub fn leaf_bytes(&self) -> u64 {
        9 * self.count() as u64
    }

    /// All leaves of the last reduce as tables: heap indices of D+1 bits, and levels.
    ///
    /// # Errors
    /// If the run is interrupted or memory allocation fails.
    pub fn leaf_tables(
        &self,
        [indices, levels]: [&mut BitTable; 2],
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        let n = self.count();
        let (mut numbers, mut all_levels) = (reserved(n)?, reserved(n)?);
        numbers.resize(n, 0);
        all_levels.resize(n, 0);
        self.decode(&mut numbers, &mut all_levels, environment)?;
        let mut poller = InterruptPoller::new(environment);
        let width = self.depth.levels() as usize + 1;
        write_numbers(indices, 0, width, &numbers, &mut poller)?;
        numbers.iter_mut().zip(all_levels).for_each(|(to, level)| *to = u32::from(level));
        write_numbers(levels, 0, LEVEL_BITS, &numbers, &mut poller)
    }
}

impl IntrinsicState for Tree {
    fn n_bytes(&self) -> u64 {
        Tree::most_bytes(self.depth)
    }

    fn tables(&self) -> Vec<StateTable> {
        let n_rows = self.depth.n_bits();
        let table = |name| StateTable { name, n_rows, n_cols: 1, lines: LineOrder::Columns };
        Tree::PARTS.map(table).to_vec()
    }

    fn write(
        &self,
        idx: usize,
        lines: &mut BitTable,
        environment: &dyn Environment,
    ) -> Result<(), Ended> {
        environment.poll()?;
        let to = lines.column_limbs_mut(0);
        match idx {
            0 => to.iter_mut().zip(self.live_bits()).for_each(|(to, limb)| *to = limb),
            1 => to.copy_from_slice(&self.reduced),
            2.. => return Err(StateTable::MISSING),
        }
        environment.poll()
    }
}
