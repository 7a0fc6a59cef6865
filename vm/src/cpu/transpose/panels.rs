//! The corner turn of a table that is not square in its own memory, with one panel of it beside.
//!
//! Note [Panels]. A form is a matrix of blocks of 64 × 64 bits, a panel is a row or a column of this matrix. Three stages lead to the other form:
//! each panel of 64 lines becomes its blocks, one after another, each turned; the blocks are permuted
//! to those of the other form, along the cycles of the permutation; each panel of blocks becomes its 64 lines. The first stage begins in front and
//! the last one at the end, since lines lie further apart than what is in them (Note [Stride] in `bits.rs`).

use star_base::{BitTable, BitVector, Limbs, stride_of};

use crate::cpu::parallelism::Parallelism;
use crate::interrupt::Exec;
use crate::kernels::Columns;

/// Limbs of a block: limb i is row i of the old form, bit j is column j.
const BLOCK: usize = 64;

/// Blocks that are moved between two looks at the flags.
const BLOCKS_AT_ONCE: usize = 64;

/// Bytes that a turn of so many columns of `n_rows` bits takes beside them.
pub(super) fn spare_bytes(n_rows: usize, n_cols: usize) -> u64 {
    let of = |n: usize| n.div_ceil(64) as u64;
    let (down, across) = (of(n_rows), of(n_cols));
    let blocks = down.saturating_mul(across);
    let before = down.saturating_mul(n_cols as u64);
    let panel = down.max(across).saturating_mul(BLOCK as u64);
    // Blocks are whole, and lines of the other form lie an eighth further apart at most.
    let padding = (blocks.saturating_mul(BLOCK as u64)).saturating_sub(before);
    let gaps = blocks.saturating_mul(BLOCK as u64) / 8;
    panel
        .saturating_add(padding)
        .saturating_add(gaps)
        .saturating_add(blocks / 64 + 1)
        .saturating_mul(8)
}

/// A form on its way to the other one.
#[derive(Debug)]
pub(in crate::cpu) struct Panels {
    n_rows: usize,
    n_cols: usize,
    /// Of the form before.
    stride: usize,
    /// Of the form that it becomes.
    stride_after: usize,
    limbs: Limbs,
    /// Room for a panel.
    panel: Limbs,
    stage: Stage,
    permutation: Permutation,
}

/// What is to be moved next.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// This panel of columns becomes blocks.
    MakeBlocks(usize),
    /// Blocks go where they belong.
    Permute,
    /// The panels of rows from this one on are lines.
    MakeLines(usize),
}

/// Blocks on their way along the cycles of their permutation.
#[derive(Debug)]
struct Permutation {
    /// The places that hold the block which belongs there.
    done: BitVector,
    /// The cycles that are left begin here or behind it.
    next: usize,
    /// The cycle at hand.
    cycle: Option<Cycle>,
}

/// A cycle on the way: the block that was at its first place is in the hand.
#[derive(Clone, Debug)]
struct Cycle {
    start: usize,
    hand: Box<[u64; BLOCK]>,
    /// The place whose block has gone where it belongs.
    free: usize,
}

/// Where a block is.
enum BlockAt<'p> {
    Columns,
    Block(&'p [u64]),
    Rows,
}

impl Panels {
    /// Nothing is moved yet; the form itself if the system refuses the memory.
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

    /// Blocks below each other.
    fn down(&self) -> usize {
        self.n_rows.div_ceil(64)
    }

    /// Blocks beside each other.
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

    /// Limbs that it takes.
    #[cfg(test)]
    pub(super) fn n_limbs(&self) -> usize {
        self.limbs.len() + self.panel.len() + self.permutation.done.limbs().len()
    }

    /// Moves a panel or some blocks; was anything left to do?
    pub(super) fn step(&mut self, parallelism: &Parallelism<'_>) -> bool {
        let (down, across) = (self.down(), self.across());
        match self.stage {
            Stage::MakeBlocks(at) if at < across => {
                self.make_blocks(at, parallelism);
                self.stage = Stage::MakeBlocks(at + 1);
            }
            // A row or a column of blocks lies as it has to.
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

    /// A panel of columns becomes its blocks.
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

    /// A panel of blocks becomes its rows.
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

    /// A copy; `None` if the system has no room for it.
    pub(super) fn try_clone(&self) -> Option<Self> {
        let Permutation { done, next, cycle } = &self.permutation;
        let permutation =
            Permutation { done: done.try_clone().ok()?, next: *next, cycle: cycle.clone() };
        let limbs = self.limbs.try_clone().ok()?;
        let panel = Limbs::zeros(self.panel.len()).ok()?;
        Some(Panels { limbs, panel, permutation, ..*self })
    }

    /// Where the block is that lies in this row and column of blocks of the form before.
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
    pub(super) fn read_line(&self, turned: bool, idx: usize, dst: &mut [u64]) {
        let (of_line, bit) = (idx / BLOCK, idx % BLOCK);
        for (at, limb) in dst.iter_mut().enumerate() {
            let (row, col) = if turned { (of_line, at) } else { (at, of_line) };
            let column = |idx| self.limbs[(col * BLOCK + idx) * self.stride + row];
            let line = |idx| self.limbs[(row * BLOCK + idx) * self.stride_after + col];
            let n_cols = BLOCK.min(self.n_cols - col * BLOCK);
            let n_rows = BLOCK.min(self.n_rows - row * BLOCK);
            *limb = match (self.place(row, col), turned) {
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

/// Bit `bit` of each of `n` limbs.
fn gathered(n: usize, bit: usize, limb: impl Fn(usize) -> u64) -> u64 {
    (0..n).fold(0, |all, idx| all | (limb(idx) >> bit & 1) << idx)
}

impl Permutation {
    /// Moves a block along its cycle; `source` says which block belongs at a place. Was anything left to do?
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
