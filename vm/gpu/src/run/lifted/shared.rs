//! Loops over the pivots of a table of which several processes have rows.
//!
//! Note [Pivots of other processes]. A process has the components of each pivot column that belong
//! to its rows; pivot rows come from the process that has them, in blocks. A dispatch copies those
//! rows of the next block that this process has, as they are before its first pivot, and the host
//! combines the copies of all processes. Each process applies the pivots of the block to these few
//! rows first, which shows every row as it is before its own pivot, and then to its rows. So there
//! is one exchange for each block. All processes must do this, or none, so they agree beforehand.

use star_ir::ReductionOp;
use star_value::BitVector;
use star_vm::interrupt::Stop;
use star_vm::kernels::Kernels;

use super::dispatches::{Dispatches, Kept, Part, Rows};
use super::{DeviceRun, End};
use crate::lift::PIVOTS_AT_ONCE;
use crate::program::internal;

/// Maximum number of pivots of a block.
const BLOCK_PIVOTS: u32 = 256;

/// Memory for the rows of a block.
pub(super) struct Panel {
    /// The rows; before they are exchanged, the own ones.
    rows_at: u32,
    /// Copies of the rows of each dispatch.
    copies_at: u32,
    /// Copies of columns.
    columns_at: u32,
    counts: u32,
    columns: u32,
    /// Words of a column of the rows.
    width: u32,
}

impl Panel {
    /// Returns the panel at an address, and its number of words.
    pub(super) fn new(at: u32, columns: u32, n_pivots: u32) -> (Panel, u64) {
        let width = 2 * n_pivots.min(BLOCK_PIVOTS).div_ceil(64);
        let n_dispatches = n_pivots.min(BLOCK_PIVOTS).div_ceil(PIVOTS_AT_ONCE);
        let words = [
            columns * (width + Rows::STRIDE),
            columns * Rows::STRIDE * n_dispatches,
            2 * PIVOTS_AT_ONCE * width,
            width,
        ];
        let place = |idx: usize| at + words[..idx].iter().sum::<u32>();
        let [rows_at, copies_at, columns_at, counts] = [place(0), place(1), place(2), place(3)];
        let panel = Panel { rows_at, copies_at, columns_at, counts, columns, width };
        (panel, words.iter().copied().map(u64::from).sum())
    }

    /// Returns the rows as a table.
    fn part(&self, n: u32) -> Part {
        Part {
            at: self.rows_at,
            stride: self.width,
            rows: n,
            columns: self.columns,
            copies: self.columns_at,
            counts: self.counts,
        }
    }

    /// Returns where the rows of a block that this process has are copied to.
    fn own_rows(&self, block: Block, (part, before): (&Part, u32)) -> Kept {
        let from = block.low.max(before);
        let upto = (block.low + block.n).min(before + part.rows);
        if from >= upto {
            return Kept::default();
        }
        let (from, n) = (from - before, upto - from);
        let stride = self.width + Rows::STRIDE;
        Kept { to: Rows { at: self.rows_at, stride, first: from & !31 }, from, n }
    }
}

/// The pivots from `pivot` on whose rows are exchanged at once.
#[derive(Clone, Copy)]
struct Block {
    pivot: u32,
    n: u32,
    /// The least row.
    low: u32,
}

impl Block {
    /// Returns the rows of a dispatch of the block: their table begins at this row of the block.
    fn rows(&self, panel: &Panel, dispatches: &Dispatches, (pivot, n): (u32, u32)) -> Kept {
        let from = dispatches.pivots.least_line(pivot, n) - self.low;
        let number = (pivot - self.pivot) / PIVOTS_AT_ONCE;
        let at = panel.copies_at + number * Rows::STRIDE * panel.columns;
        Kept { to: Rows { at, stride: Rows::STRIDE, first: from & !31 }, from, n }
    }

    /// Returns the dispatches of the block: the first pivot and the number of pivots of each.
    fn dispatches(self) -> impl Iterator<Item = (u32, u32)> {
        let starts = (0..self.n).step_by(PIVOTS_AT_ONCE as usize);
        starts.map(move |start| (self.pivot + start, (self.n - start).min(PIVOTS_AT_ONCE)))
    }
}

impl DeviceRun<'_, '_> {
    /// Returns whether all processes are able to do something.
    pub(super) fn all_agree(&mut self, is_able: bool) -> Result<bool, End> {
        let refused = [u64::from(!is_able)];
        let combined = self.combined(&refused, 64)?;
        Ok(combined.limbs()[0] == 0)
    }

    /// Combines bits with those of the other processes by `or`.
    fn combined(&mut self, limbs: &[u64], len: usize) -> Result<BitVector, End> {
        let own = BitVector::from_limbs(len, limbs);
        let own = own.ok_or_else(|| internal("an exchange of other bits"))?;
        let combined = self.control.host.exchange(ReductionOp::Or, &own);
        Ok(combined.map_err(|lost| Stop::Lost(lost.why))?)
    }

    /// Runs all pivots on the rows of this process, which `before` others precede.
    pub(super) fn shared_pivots(
        &mut self,
        dispatches: &Dispatches,
        (part, before): (&Part, u32),
        panel: &Panel,
    ) -> Result<(), End> {
        let pivots = dispatches.pivots;
        let block_at = |pivot: u32| {
            let n = (pivots.n - pivot).min(BLOCK_PIVOTS);
            Block { pivot, n, low: pivots.least_line(pivot, n) }
        };
        let mut block = block_at(0);
        let mut own = panel.own_rows(block, (part, before));
        let n_next = pivots.n.min(PIVOTS_AT_ONCE);
        let rows = Rows {
            at: panel.copies_at,
            stride: Rows::STRIDE,
            first: pivots.least_line(0, 0) & !31,
        };
        self.launch(&[dispatches.launch(part, (1, 0, 0, n_next), rows, own)], part.work(1))?;
        loop {
            self.exchange_rows(panel, block, own, before)?;
            let table = panel.part(block.n);
            let (mut on_rows, mut on_part) = (Vec::new(), Vec::new());
            let first = block.rows(panel, dispatches, (block.pivot, block.n.min(PIVOTS_AT_ONCE)));
            let place = (1, block.pivot, 0, first.n);
            on_rows.push(dispatches.launch(&table, place, rows, first));
            let after = block.pivot + block.n;
            let next = (after < pivots.n).then(|| block_at(after));
            let own_next = next.map(|next| panel.own_rows(next, (part, before)));
            for (pivot, n) in block.dispatches() {
                let kept = block.rows(panel, dispatches, (pivot, n));
                let rows = Rows { first: block.low + kept.to.first, ..kept.to };
                let n_after = (after - pivot - n).min(PIVOTS_AT_ONCE);
                let number = (pivot - block.pivot) / PIVOTS_AT_ONCE;
                if n_after > 0 {
                    let kept = block.rows(panel, dispatches, (pivot + n, n_after));
                    let place = (number, pivot, n, n_after);
                    on_rows.push(dispatches.launch(&table, place, rows, kept));
                }
                let n_next = (pivots.n - pivot - n).min(PIVOTS_AT_ONCE);
                let kept = own_next.filter(|_| n_after == 0).unwrap_or_default();
                let place = (pivot / PIVOTS_AT_ONCE, pivot, n, n_next);
                on_part.push(dispatches.launch(part, place, rows, kept));
            }
            self.launch(&on_rows, table.work(PIVOTS_AT_ONCE))?;
            self.launch(&on_part, part.work(PIVOTS_AT_ONCE))?;
            let (Some(next), Some(own_next)) = (next, own_next) else { return Ok(()) };
            (block, own) = (next, own_next);
        }
    }

    /// Combines the rows of a block that the processes have.
    fn exchange_rows(
        &mut self,
        panel: &Panel,
        block: Block,
        own: Kept,
        before: u32,
    ) -> Result<(), End> {
        let columns = panel.columns as usize;
        let width = panel.width as usize / 2;
        let mut rows = vec![0_u64; columns * width];
        if own.n > 0 {
            let stride = own.to.stride as usize / 2;
            let mut copied = vec![0_u64; columns * stride];
            self.heap.unit.read(own.to.at, bytemuck::cast_slice_mut(&mut copied))?;
            let kernels = Kernels::detect();
            let to = (own.from + before - block.low) as usize;
            let from = (own.from - own.to.first) as usize;
            for (row, copied) in rows.chunks_mut(width).zip(copied.chunks(stride)) {
                kernels.copy_bits(row, to, copied, from, own.n as usize);
            }
        }
        let combined = self.combined(&rows, columns * width * 64)?;
        self.heap.unit.write(panel.rows_at, bytemuck::cast_slice(combined.limbs()))?;
        Ok(())
    }
}
