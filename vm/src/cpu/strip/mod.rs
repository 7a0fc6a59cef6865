//! Operations on long slices strip by strip: all of them on one strip of rows, then on the next one.
//!
//! Note [Strips]. Each slice and each column is so read once and written once, and what lies between stays in
//! the fastest cache. Every result is in a buffer of one strip; what leaves is stored at the end of a strip,
//! so that all that is read is what was there before.

mod plan;

use std::ops::Range;

use star_ir::LogicOp;

use super::bits::bits_in;
use super::parallelism::{Parallelism, pieces};
use crate::stop::Run;

pub(super) use plan::{Link, MOST_STEPS, Plan, plan};

/// What is done to a strip. No operation but a chain reads the buffer that it writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum StripOp {
    Copy {
        to: usize,
        from: Source,
    },
    Fill {
        to: usize,
        bit: bool,
    },
    Not {
        to: usize,
        from: Source,
    },
    Logic {
        op: LogicOp,
        to: usize,
        left: Source,
        right: Source,
    },
    /// `(a inner b) outer c`.
    LogicLogic {
        inner: LogicOp,
        outer: LogicOp,
        to: usize,
        operands: [Source; 3],
    },
    /// A function of two bits, by its truth table; see Note [Truth tables] in `fuse`.
    Logic2 {
        table: u8,
        to: usize,
        left: Source,
        right: Source,
    },
    /// The buffer goes through all links, in place; see Note [Chains] in `plan`.
    Chain {
        to: usize,
        links: [Option<Link>; MOST_STEPS],
    },
}

impl StripOp {
    /// The buffer that it writes.
    pub(super) fn to(self) -> usize {
        match self {
            StripOp::Copy { to, .. }
            | StripOp::Fill { to, .. }
            | StripOp::Not { to, .. }
            | StripOp::Logic { to, .. }
            | StripOp::LogicLogic { to, .. }
            | StripOp::Logic2 { to, .. }
            | StripOp::Chain { to, .. } => to,
        }
    }

    /// What it reads, beside the buffer that a chain changes.
    pub(super) fn sources(self) -> impl Iterator<Item = Source> {
        let sources = match self {
            StripOp::Fill { .. } => [None; MOST_STEPS],
            StripOp::Copy { from, .. } | StripOp::Not { from, .. } => {
                [Some(from), None, None, None]
            }
            StripOp::Logic { left, right, .. } | StripOp::Logic2 { left, right, .. } => {
                [Some(left), Some(right), None, None]
            }
            StripOp::LogicLogic { operands: [a, b, c], .. } => [Some(a), Some(b), Some(c), None],
            StripOp::Chain { links, .. } => links.map(|link| link.map(|link| link.with)),
        };
        sources.into_iter().flatten()
    }

    /// The same with other places.
    fn moved(self, to: usize, moved: impl Fn(Source) -> Source) -> Self {
        match self {
            StripOp::Copy { to: _, from } => StripOp::Copy { to, from: moved(from) },
            StripOp::Fill { to: _, bit } => StripOp::Fill { to, bit },
            StripOp::Not { to: _, from } => StripOp::Not { to, from: moved(from) },
            StripOp::Logic { op, to: _, left, right } => {
                StripOp::Logic { op, to, left: moved(left), right: moved(right) }
            }
            StripOp::LogicLogic { inner, outer, to: _, operands } => {
                StripOp::LogicLogic { inner, outer, to, operands: operands.map(moved) }
            }
            StripOp::Logic2 { table, to: _, left, right } => {
                StripOp::Logic2 { table, to, left: moved(left), right: moved(right) }
            }
            StripOp::Chain { to: _, links } => {
                let moved = |link: Link| Link { with: moved(link.with), ..link };
                StripOp::Chain { to, links: links.map(|link| link.map(moved)) }
            }
        }
    }
}

/// Where bits come from: a buffer that was written before, or a port: something outside, as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Buffer(usize),
    Port(usize),
}

/// Bits outside, or some of them.
pub(super) enum Cell<'m> {
    Read(&'m [u64]),
    Written(&'m mut [u64]),
}

impl<'m> Cell<'m> {
    fn limbs(&self) -> &[u64] {
        match self {
            Cell::Read(limbs) => limbs,
            Cell::Written(limbs) => limbs,
        }
    }

    /// Takes the first limbs off.
    fn split(&mut self, n_limbs: usize) -> Cell<'m> {
        match self {
            Cell::Read(limbs) => {
                let (first, rest) = limbs.split_at(n_limbs);
                *limbs = rest;
                Cell::Read(first)
            }
            Cell::Written(limbs) => {
                let (first, rest) = std::mem::take(limbs).split_at_mut(n_limbs);
                *limbs = rest;
                Cell::Written(first)
            }
        }
    }
}

/// Operations, and what they work on.
pub(super) struct Strips<'m> {
    pub(super) parallelism: &'m Parallelism<'m>,
    pub(super) n_rows: usize,
    pub(super) plan: &'m Plan,
    /// The cell of each port.
    pub(super) ports: &'m [usize],
    /// Cells, and the buffers that they take.
    pub(super) stores: &'m [(usize, usize)],
}

/// Some limbs of all cells.
struct Piece<'m> {
    start: usize,
    len: usize,
    cells: Vec<Cell<'m>>,
}

impl Strips<'_> {
    /// Works on `cells`, each of as many limbs as `n_rows` bits have.
    pub(super) fn run(&self, mut cells: Vec<Cell<'_>>) -> Run<()> {
        let settings = &self.parallelism.settings;
        // What each limb of a piece costs.
        let weight = cells.len().max(self.plan.ops.len()).max(1);
        let strip = self.strip_limbs();
        let piece_limbs = (settings.piece_limbs / weight).max(1).next_multiple_of(strip);
        let pieces = pieces(0..self.n_rows.div_ceil(64), piece_limbs).map(|range| Piece {
            start: range.start,
            len: range.len(),
            cells: cells.iter_mut().map(|cell| cell.split(range.len())).collect(),
        });
        self.parallelism.items(
            pieces,
            piece_limbs.saturating_mul(weight),
            || vec![Vec::new(); self.plan.n_buffers],
            |buffers, piece| self.piece(buffers, piece),
        )
    }

    /// Limbs of a strip: as much for all buffers together as a block of lines has, whole lines of the cache.
    fn strip_limbs(&self) -> usize {
        let limbs = (self.parallelism.settings.block_limbs * 4 / self.plan.n_buffers.max(1)).max(1);
        if limbs < 8 { limbs } else { limbs / 8 * 8 }
    }

    /// Works on a piece, strip by strip. The buffers may hold anything.
    fn piece(&self, buffers: &mut [Vec<u64>], mut piece: Piece<'_>) {
        let n = self.strip_limbs().min(piece.len);
        for buffer in &mut *buffers {
            buffer.resize(n, 0);
        }
        for range in pieces(0..piece.len, n) {
            for op in &self.plan.ops {
                let mut to = std::mem::take(&mut buffers[op.to()]);
                self.operate(*op, &mut to[..range.len()], buffers, &piece, &range);
                buffers[op.to()] = to;
            }
            for (cell, buffer) in self.stores {
                if let Cell::Written(limbs) = &mut piece.cells[*cell] {
                    limbs[range.clone()].copy_from_slice(&buffers[*buffer][..range.len()]);
                }
            }
        }
    }

    fn operate(
        &self,
        op: StripOp,
        to: &mut [u64],
        buffers: &[Vec<u64>],
        piece: &Piece<'_>,
        range: &Range<usize>,
    ) {
        let kernels = self.parallelism.kernels;
        let n_bits = bits_in(self.n_rows, piece.start + range.start, to);
        let of = |source| match source {
            Source::Buffer(buffer) => &buffers[buffer][..range.len()],
            Source::Port(port) => &piece.cells[self.ports[port]].limbs()[range.clone()],
        };
        match op {
            StripOp::Copy { from, .. } => to.copy_from_slice(of(from)),
            StripOp::Fill { bit, .. } => kernels.fill(to, bit, n_bits),
            StripOp::Not { from, .. } => kernels.not(to, of(from), n_bits),
            StripOp::Logic { op, left, right, .. } => kernels.logic(op, to, of(left), of(right)),
            StripOp::LogicLogic { inner, outer, operands, .. } => {
                let [a, b, c] = operands.map(of);
                kernels.logic_logic(inner, outer, to, a, b, c);
            }
            StripOp::Logic2 { table, left, right, .. } => {
                kernels.logic2(table, to, of(left), of(right), n_bits);
            }
            StripOp::Chain { links, .. } => {
                let n_links = links.iter().flatten().count();
                let links = links.map(|link| link.map_or((0, &[][..]), |l| (l.table, of(l.with))));
                kernels.chain(to, &links[..n_links], n_bits);
            }
        }
    }
}
