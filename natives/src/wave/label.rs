//! Labels: the number of the wave that reached a cell.

use star_base::BitTable;

use crate::environment::{Ended, InterruptPoller};
use crate::numbers::write_numbers_from;
use crate::zeros::Zeros;

/// Cells whose labels are brought into columns at once; a multiple of 64.
const BLOCK: usize = 4096;

/// The label of a cell that the wave did not reach, among labels of 32 bits.
pub const UNREACHED: u32 = u32::MAX;

/// A label as it is stored.
pub(super) trait Label: Copy + Default + Eq + Send + Sync {
    /// Not reached: all ones.
    const NONE: Self;
    /// The greatest number of a wave.
    const MOST: u32;

    /// The label of a wave.
    fn of(wave: u32) -> Self;
}

impl Label for u16 {
    const NONE: u16 = u16::MAX;
    const MOST: u32 = u16::MAX as u32 - 1;

    #[inline(always)]
    fn of(wave: u32) -> u16 {
        wave as u16
    }
}

impl Label for u32 {
    const NONE: u32 = UNREACHED;
    const MOST: u32 = UNREACHED - 1;

    #[inline(always)]
    fn of(wave: u32) -> u32 {
        wave
    }
}

/// The labels of all cells, row by row.
#[derive(Debug, PartialEq, Eq)]
pub enum Labels {
    /// At most 65,534 waves.
    Short(Zeros<u16>),
    /// More.
    Long(Zeros<u32>),
}

impl Labels {
    /// The label of the cell with this number; [`UNREACHED`] if it was not reached.
    #[inline]
    pub fn at(&self, cell: usize) -> u32 {
        match self {
            Labels::Short(labels) => match labels[cell] {
                u16::NONE => UNREACHED,
                label => u32::from(label),
            },
            Labels::Long(labels) => labels[cell],
        }
    }

    /// Cells.
    pub fn len(&self) -> usize {
        match self {
            Labels::Short(labels) => labels.len(),
            Labels::Long(labels) => labels.len(),
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bits of a label in a table of so many cells: the least h with `n_cells < 2^h`.
    pub fn n_bits(n_cells: usize) -> usize {
        (usize::BITS - n_cells.leading_zeros()).max(1) as usize
    }

    /// Writes the labels into a table of zeros with a row for each cell: the most significant bit into column 0.
    ///
    /// # Errors
    /// If the run is to end.
    pub fn write(
        &self,
        table: &mut BitTable,
        poller: &mut InterruptPoller<'_>,
    ) -> Result<(), Ended> {
        let n_bits = table.n_cols();
        let mut block = [0; BLOCK];
        for first in (0..self.len()).step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(self.len() - first)];
            for (idx, label) in block.iter_mut().enumerate() {
                *label = self.at(first + idx);
            }
            write_numbers_from(table, first, 0..n_bits, block, poller)?;
        }
        Ok(())
    }

    /// The labels, one cell after another.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|cell| self.at(cell))
    }
}

/// Short labels as long ones.
pub(super) fn lengthened(short: &[u16]) -> Result<Zeros<u32>, Ended> {
    let mut long = Zeros::<u32>::new(short.len())?;
    for (long, &label) in long.iter_mut().zip(short) {
        *long = match label {
            u16::NONE => UNREACHED,
            label => u32::from(label),
        };
    }
    Ok(long)
}
