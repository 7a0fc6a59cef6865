//! In-place transpose of a table that is not square, with one panel as an additional buffer.
//!
//! Note [Panels]. A form is a matrix of blocks of 64 × 64 bits; a panel is a row or a column of
//! this matrix. Three stages produce the other form: each panel of 64 lines is converted to its
//! blocks, one after another, each transposed; the blocks are permuted to the order of the other
//! form, along the cycles of the permutation; each panel of blocks is converted to its 64 lines.
//! The first stage runs from the beginning and the last one from the end, since the stride of lines
//! exceeds their length (Note [Stride] in `bits.rs`).

use star_value::{BitTable, BitVector, Limbs, stride_of};

use crate::cpu::parallelism::Parallelism;
use crate::interrupt::Exec;
use crate::kernels::Columns;

/// Limbs of a block: limb i is row i of the old form, bit j is column j.
const BLOCK: usize = 64;

/// Blocks that are moved between two checks of the flags.
const BLOCKS_AT_ONCE: usize = 64;

/// Returns the additional bytes for a transpose of `n_cols` columns of `n_rows` bits.
pub(super) fn spare_bytes(n_rows: usize, n_cols: usize) -> u64 {
    let of = |n: usize| n.div_ceil(64) as u64;
    let (down, across) = (of(n_rows), of(n_cols));
    let blocks = down.saturating_mul(across);
    let before = down.saturating_mul(n_cols as u64);
    let panel = down.max(across).saturating_mul(BLOCK as u64);
    // Blocks are complete, and the stride of the other form is at most an eighth larger.
    let padding = (blocks.saturating_mul(BLOCK as u64)).saturating_sub(before);
    let gaps = blocks.saturating_mul(BLOCK as u64) / 8;
    panel
        .saturating_add(padding)
        .saturating_add(gaps)
        .saturating_add(blocks / 64 + 1)
        .saturating_mul(8)
}

/// A transpose in progress.
#[derive(Debug)]
pub(in crate::cpu) struct Panels {
    n_rows: usize,
    n_cols: usize,
    /// Stride of the original form.
    stride: usize,
    /// Stride of the resulting form.
    stride_after: usize,
    limbs: Limbs,
    /// Buffer for a panel.
    panel: Limbs,
    stage: Stage,
    permutation: Permutation,
}

/// The next move.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// This panel of columns is converted to blocks.
    MakeBlocks(usize),
    /// Blocks are moved to their final positions.
    Permute,
    /// The panels of rows from this one on are lines.
    MakeLines(usize),
}

/// Permutation of blocks along its cycles.
#[derive(Debug)]
struct Permutation {
    /// The positions that already hold their final block.
    done: BitVector,
    /// The remaining cycles start here or later.
    next: usize,
    /// The current cycle.
    cycle: Option<Cycle>,
}

/// A cycle in progress: the block of its first position is in a buffer.
#[derive(Clone, Debug)]
struct Cycle {
    start: usize,
    hand: Box<[u64; BLOCK]>,
    /// The position whose block has been moved.
    free: usize,
}

/// Location of a block.
enum BlockAt<'p> {
    Columns,
    Block(&'p [u64]),
    Rows,
}

impl Panels {
    /// Prepares a transpose; returns the form if the system refuses the memory.
    pub(super) fn of(form: BitTable) -> Result<Self, BitTable> {
        let (n_rows, n_cols, stride) = (form.n_rows(), form.n_cols(), form.stride());
        let (down, across) = (n_rows.div_ceil(64), n_cols.div_ceil(64));
        let n_limbs = || {
            let stride_after = stride_of(n_cols)?;
            let of_blocks = down.checked_mul(across)?.checked_mul(BLOCK)?;
            Some((stride_after, of_blocks.max(stride_after.checked_mul(n_rows)?)))
        };
        let Some((stride_after, n_limbs)) = n_limbs() else { return Err(form) };
        let (panel, done) =
            (Limbs::zeros(down.max(across) * BLOCK), BitVector::try_zeros(down * across));
        let (Ok(panel), Ok(done)) = (panel, done) else { return Err(form) };
        let mut limbs = form.into_limbs();
        if limbs.resize(n_limbs.max(limbs.len())).is_err() {
            return Err(BitTable::from_limbs(n_rows, n_cols, limbs));
        }
        let permutation = Permutation { done, next: 0, cycle: None };
        let stage = Stage::MakeBlocks(0);
        Ok(Panels { n_rows, n_cols, stride, stride_after, limbs, panel, stage, permutation })
    }

    /// Returns the number of blocks in a column of the matrix.
    fn down(&self) -> usize {
        self.n_rows.div_ceil(64)
    }

    /// Returns the number of blocks in a row of the matrix.
    fn across(&self) -> usize {
        self.n_cols.div_ceil(64)
    }

    pub(super) fn go_on(&mut self, parallelism: &Parallelism<'_>) -> Exec<()> {
        loop {
            parallelism.poll()?;
            if !self.step(parallelism) {
                return Ok(());
            }
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::MakeLines(0))
    }

    /// Returns the limbs that it uses.
    #[cfg(test)]
    pub(super) fn n_limbs(&self) -> usize {
        self.limbs.len() + self.panel.len() + self.permutation.done.limbs().len()
    }

    /// Moves a panel or some blocks; returns whether anything was left to do.
    pub(super) fn step(&mut self, parallelism: &Parallelism<'_>) -> bool {
        let (down, across) = (self.down(), self.across());
        match self.stage {
            Stage::MakeBlocks(at) if at < across => {
                self.make_blocks(at, parallelism);
                self.stage = Stage::MakeBlocks(at + 1);
            }
            // A single row or column of blocks is already in order.
            Stage::MakeBlocks(_) if down <= 1 || across <= 1 => self.stage = Stage::MakeLines(down),
            Stage::MakeBlocks(_) => self.stage = Stage::Permute,
            Stage::Permute => {
                let source = |place: usize| place % across * down + place / across;
                let mut moves = 0..BLOCKS_AT_ONCE;
                if !moves.all(|_| self.permutation.step(&mut self.limbs, source)) {
                    self.stage = Stage::MakeLines(down);
                }
            }
            Stage::MakeLines(0) => return false,
            Stage::MakeLines(at) => {
                self.make_lines(at - 1);
                self.stage = Stage::MakeLines(at - 1);
            }
        }
        true
    }

    /// Converts a panel of columns to its blocks.
    fn make_blocks(&mut self, at: usize, parallelism: &Parallelism<'_>) {
        let (down, stride) = (self.down(), self.stride);
        let n_here = BLOCK.min(self.n_cols - at * BLOCK);
        let columns = Columns {
            storage: &self.limbs[at * BLOCK * stride..][..n_here * stride],
            stride,
            n_cols: n_here,
        };
        let panel = &mut self.panel[..down * BLOCK];
        panel[self.n_rows..].fill(0);
        parallelism.kernels.transpose_limbs(columns, self.n_rows, 0..down, panel, 1);
        self.limbs[at * down * BLOCK..][..panel.len()].copy_from_slice(panel);
    }

    /// Converts a panel of blocks to its rows.
    fn make_lines(&mut self, at: usize) {
        let (across, stride) = (self.across(), self.stride_after);
        let panel = &mut self.panel[..across * BLOCK];
        panel.copy_from_slice(&self.limbs[at * panel.len()..][..panel.len()]);
        let n_here = BLOCK.min(self.n_rows - at * BLOCK);
        let rows = &mut self.limbs[at * BLOCK * stride..][..n_here * stride];
        for (idx, row) in rows.chunks_mut(stride.max(1)).enumerate() {
            let (row, gap) = row.split_at_mut(across);
            for (limb, block) in row.iter_mut().zip(panel.chunks(BLOCK)) {
                *limb = block[idx];
            }
            gap.fill(0);
        }
    }

    pub(super) fn into_form(mut self) -> BitTable {
        debug_assert!(self.is_done());
        self.limbs.truncate(self.n_rows * self.stride_after);
        BitTable::from_limbs(self.n_cols, self.n_rows, self.limbs)
    }

    /// Returns a copy; `None` if the system has no memory for it.
    pub(super) fn try_clone(&self) -> Option<Self> {
        let Permutation { done, next, cycle } = &self.permutation;
        let permutation =
            Permutation { done: done.try_clone().ok()?, next: *next, cycle: cycle.clone() };
        let limbs = self.limbs.try_clone().ok()?;
        let panel = Limbs::zeros(self.panel.len()).ok()?;
        Some(Panels { limbs, panel, permutation, ..*self })
    }

    /// Returns the location of the block in this row and column of blocks of the original form.
    fn place(&self, row: usize, col: usize) -> BlockAt<'_> {
        let (before, after) = (col * self.down() + row, row * self.across() + col);
        let block = |place: usize| BlockAt::Block(&self.limbs[place * BLOCK..][..BLOCK]);
        match self.stage {
            Stage::MakeBlocks(at) if col >= at => BlockAt::Columns,
            Stage::MakeBlocks(_) => block(before),
            Stage::Permute if self.permutation.done.get(after) => block(after),
            Stage::Permute => match &self.permutation.cycle {
                Some(cycle) if cycle.start == before => BlockAt::Block(&cycle.hand[..]),
                Some(_) | None => block(before),
            },
            Stage::MakeLines(at) if row >= at => BlockAt::Rows,
            Stage::MakeLines(_) => block(after),
        }
    }

    /// See [`Transposition::read_line`](super::Transposition::read_line).
    pub(super) fn read_line(&self, transposed: bool, idx: usize, dst: &mut [u64]) {
        let (of_line, bit) = (idx / BLOCK, idx % BLOCK);
        for (at, limb) in dst.iter_mut().enumerate() {
            let (row, col) = if transposed { (of_line, at) } else { (at, of_line) };
            let column = |idx| self.limbs[(col * BLOCK + idx) * self.stride + row];
            let line = |idx| self.limbs[(row * BLOCK + idx) * self.stride_after + col];
            let n_cols = BLOCK.min(self.n_cols - col * BLOCK);
            let n_rows = BLOCK.min(self.n_rows - row * BLOCK);
            *limb = match (self.place(row, col), transposed) {
                (BlockAt::Columns, false) => column(bit),
                (BlockAt::Columns, true) => gathered(n_cols, bit, column),
                (BlockAt::Block(block), true) => block[bit],
                (BlockAt::Block(block), false) => gathered(BLOCK, bit, |idx| block[idx]),
                (BlockAt::Rows, true) => line(bit),
                (BlockAt::Rows, false) => gathered(n_rows, bit, line),
            };
        }
    }
}

/// Gathers bit `bit` of each of `n` limbs.
fn gathered(n: usize, bit: usize, limb: impl Fn(usize) -> u64) -> u64 {
    (0..n).fold(0, |all, idx| all | (limb(idx) >> bit & 1) << idx)
}

impl Permutation {
    /// Moves a block along its cycle; `source` returns the block that belongs at a position.
    /// Returns whether anything was left to do.
    fn step(&mut self, limbs: &mut [u64], source: impl Fn(usize) -> usize) -> bool {
        let Some(cycle) = &mut self.cycle else {
            while self.next < self.done.len() && self.done.get(self.next) {
                self.next += 1;
            }
            let start = self.next;
            if start < self.done.len() {
                let mut hand = Box::new([0; BLOCK]);
                hand.copy_from_slice(&limbs[start * BLOCK..][..BLOCK]);
                self.cycle = Some(Cycle { start, hand, free: start });
            }
            return start < self.done.len();
        };
        let (free, from) = (cycle.free, source(cycle.free));
        self.done.put(free, true);
        if from == cycle.start {
            limbs[free * BLOCK..][..BLOCK].copy_from_slice(&cycle.hand[..]);
            self.cycle = None;
        } else {
            limbs.copy_within(from * BLOCK..(from + 1) * BLOCK, free * BLOCK);
            cycle.free = from;
        }
        true
    }
}
