//! How a plan is run: strip by strip, over pieces and threads.
//!
//! Note [Strips]. All operations run over one strip of limbs, then over the next one, so that a port is read
//! from memory once and written once, and what lies between stays in the fastest cache. For a family of lines,
//! such as rows of a table, a strip is a block of several lines. Strips come out of [`Lane::strip`] alone.

use std::ops::Range;

use super::chain::Function;
use super::lut::{Lut, swapped};
use super::plan::{Location, Plan, PlannedOp};
use super::record::{Answer, Reduction};
use crate::cpu::parallelism::{Parallelism, pieces};
use crate::kernels::Kernels;
use crate::stop::{Run, broken};

/// The memory behind a port: one line, or a family of lines of which line i begins at limb `i * stride`. With
/// a stride of 0 all lines are the same.
pub(crate) enum Lane<'m> {
    Read { limbs: &'m [u64], stride: usize },
    Written { limbs: &'m mut [u64], stride: usize },
}

impl Default for Lane<'_> {
    fn default() -> Self {
        Lane::Read { limbs: &[], stride: 0 }
    }
}

impl<'m> Lane<'m> {
    /// Limbs of a line.
    fn strip(&self, line: usize, range: &Range<usize>) -> &[u64] {
        match self {
            Lane::Read { limbs, stride } => {
                &limbs[line * stride + range.start..line * stride + range.end]
            }
            Lane::Written { limbs, stride } => {
                &limbs[line * *stride + range.start..line * *stride + range.end]
            }
        }
    }

    /// Limbs of a line, to be written.
    fn strip_mut(&mut self, line: usize, range: &Range<usize>) -> &mut [u64] {
        match self {
            Lane::Read { .. } => &mut [],
            Lane::Written { limbs, stride } => {
                &mut limbs[line * *stride + range.start..line * *stride + range.end]
            }
        }
    }

    /// Takes the first limbs off.
    fn split(&mut self, n_limbs: usize) -> Lane<'m> {
        match self {
            Lane::Read { limbs, stride } => {
                let (first, rest) = limbs.split_at(n_limbs.min(limbs.len()));
                *limbs = rest;
                Lane::Read { limbs: first, stride: *stride }
            }
            Lane::Written { limbs, stride } => {
                let n_limbs = n_limbs.min(limbs.len());
                let (first, rest) = std::mem::take(limbs).split_at_mut(n_limbs);
                *limbs = rest;
                Lane::Written { limbs: first, stride: *stride }
            }
        }
    }

    /// Takes the first lines off; what all lines share stays.
    fn split_lines(&mut self, n_lines: usize) -> Lane<'m> {
        match self {
            Lane::Read { limbs, stride: 0 } => Lane::Read { limbs, stride: 0 },
            Lane::Read { stride, .. } | Lane::Written { stride, .. } => {
                let n_limbs = n_lines.saturating_mul(*stride);
                self.split(n_limbs)
            }
        }
    }

    /// Does it hold a line of its own for each line?
    fn has_lines(&self) -> bool {
        match self {
            Lane::Read { stride, .. } | Lane::Written { stride, .. } => *stride > 0,
        }
    }
}

/// A plan, and what it runs over.
pub(crate) struct Strips<'m> {
    pub(crate) parallelism: &'m Parallelism<'m>,
    pub(crate) plan: &'m Plan,
    /// Bits of a line.
    pub(crate) n_bits: usize,
}

/// Some limbs of all lanes, or some of their lines.
struct Piece<'m> {
    /// The first limb.
    start: usize,
    n_limbs: usize,
    /// The first line, and those that are worked on.
    first_line: usize,
    lines: &'m [usize],
    lanes: Vec<Lane<'m>>,
    answers: &'m mut [Answer],
}

impl Strips<'_> {
    /// Runs the plan over one line. The answers are those of its reductions. If a flag ends it, what is written
    /// lies between two states.
    pub(crate) fn line(&self, mut lanes: Vec<Lane<'_>>) -> Run<Vec<Answer>> {
        self.check(&lanes)?;
        let n_limbs = self.n_bits.div_ceil(64);
        // What each limb of a piece costs.
        let weight = self.plan.n_streams().max(self.plan.ops.len()).max(1);
        let piece_limbs = (self.parallelism.settings.piece_limbs / weight).max(1);
        let piece_limbs = piece_limbs.next_multiple_of(self.strip_limbs());
        let neutral = self.plan.reductions.iter().map(|(reduction, _)| Answer::neutral(*reduction));
        let neutral: Vec<Answer> = neutral.collect();
        let mut answers = neutral.repeat(n_limbs.div_ceil(piece_limbs));
        let mut parts = answers.chunks_mut(neutral.len().max(1));
        let pieces = pieces(0..n_limbs, piece_limbs).map(|range| Piece {
            start: range.start,
            n_limbs: range.len(),
            first_line: 0,
            lines: &[0],
            lanes: lanes.iter_mut().map(|lane| lane.split(range.len())).collect(),
            answers: parts.next().unwrap_or_default(),
        });
        self.run(pieces, piece_limbs.saturating_mul(weight))?;
        let mut all = neutral;
        for part in answers.chunks(all.len().max(1)) {
            for (all, part) in all.iter_mut().zip(part) {
                *all = all.join(*part);
            }
        }
        Ok(all)
    }

    /// Runs the plan, which has no reductions, over the lines with these ascending indices.
    pub(crate) fn lines(&self, mut lanes: Vec<Lane<'_>>, indices: &[usize]) -> Run<()> {
        self.check(&lanes)?;
        let n_limbs = self.n_bits.div_ceil(64);
        let weight = lanes.iter().filter(|lane| lane.has_lines()).count().max(1);
        let line_limbs = n_limbs.saturating_mul(weight).max(1);
        let per_piece = (self.parallelism.settings.piece_limbs / line_limbs).max(1);
        let mut next = 0;
        let pieces = indices.chunks(per_piece).map(|lines| {
            let (first_line, last) = (lines[0], lines[lines.len() - 1]);
            let lanes = lanes.iter_mut().map(|lane| {
                lane.split_lines(first_line - next);
                lane.split_lines(last + 1 - first_line)
            });
            let lanes = lanes.collect();
            next = last + 1;
            Piece { start: 0, n_limbs, first_line, lines, lanes, answers: &mut [] }
        });
        self.run(pieces, per_piece.saturating_mul(line_limbs))
    }

    /// Every port that the plan uses has a lane of its kind.
    fn check(&self, lanes: &[Lane<'_>]) -> Run<()> {
        let fits = lanes.len() == self.plan.ports.len()
            && self.plan.ports.iter().zip(lanes).all(|(port, lane)| match lane {
                Lane::Read { limbs, .. } => {
                    !port.is_written && (!port.is_read || limbs.len() >= self.n_bits.div_ceil(64))
                }
                Lane::Written { limbs, .. } => limbs.len() >= self.n_bits.div_ceil(64),
            });
        if fits { Ok(()) } else { Err(broken("a port without its lane")) }
    }

    fn run<'m>(&self, pieces: impl ExactSizeIterator<Item = Piece<'m>>, n_limbs: usize) -> Run<()> {
        let buffers = || vec![Vec::new(); self.plan.n_buffers];
        self.parallelism
            .items(pieces, n_limbs, buffers, |buffers, piece| self.piece(buffers, piece))
    }

    /// Limbs of a strip: as much for all buffers together as a block of lines has, whole lines of the cache.
    fn strip_limbs(&self) -> usize {
        let limbs = self.buffer_limbs() / self.plan.n_buffers.max(1);
        if limbs < 8 { limbs.max(1) } else { limbs / 8 * 8 }
    }

    /// Limbs of all buffers together.
    fn buffer_limbs(&self) -> usize {
        self.parallelism.settings.block_limbs.saturating_mul(4)
    }

    /// Works on a piece, strip by strip. The buffers may hold anything.
    fn piece(&self, buffers: &mut [Vec<u64>], mut piece: Piece<'_>) {
        let width = self.strip_limbs().min(piece.n_limbs);
        let per_block = self.buffer_limbs() / (width * self.plan.n_buffers).max(1);
        let per_block = per_block.clamp(1, piece.lines.len());
        for buffer in &mut *buffers {
            buffer.resize(width * per_block, 0);
        }
        for limbs in pieces(0..piece.n_limbs, width) {
            let n_bits = self.n_bits - (piece.start + limbs.start) * 64;
            let n_bits = n_bits.min(limbs.len() * 64);
            for lines in piece.lines.chunks(per_block) {
                let first_line = piece.first_line;
                let kernels = self.parallelism.kernels;
                let limbs = limbs.clone();
                let lanes = &mut piece.lanes;
                let mut block =
                    Block { kernels, buffers, lanes, first_line, lines, limbs, width, n_bits };
                for op in &self.plan.ops {
                    block.operate(op);
                }
                for ((_, of), answer) in self.plan.reductions.iter().zip(&mut *piece.answers) {
                    block.reduce(*of, answer, piece.start);
                }
                for (port, from) in &self.plan.copies {
                    let function = Function::Lut(Lut::copy(*from));
                    let copy = PlannedOp { to: Location::Port(*port), function };
                    block.operate(&copy);
                }
            }
        }
    }
}

/// A strip of several lines.
struct Block<'b, 'm> {
    kernels: Kernels,
    buffers: &'b mut [Vec<u64>],
    lanes: &'b mut [Lane<'m>],
    first_line: usize,
    lines: &'b [usize],
    /// Limbs of each line, as the lanes count them.
    limbs: Range<usize>,
    /// Limbs between two lines in a buffer.
    width: usize,
    n_bits: usize,
}

impl Block<'_, '_> {
    fn operate(&mut self, op: &PlannedOp) {
        match op.to {
            Location::Buffer(buffer) => {
                let mut to = std::mem::take(&mut self.buffers[buffer as usize]);
                for (at, dst) in to.chunks_mut(self.width).take(self.lines.len()).enumerate() {
                    self.apply(&op.function, &mut dst[..self.limbs.len()], at);
                }
                self.buffers[buffer as usize] = to;
            }
            Location::Port(port) => {
                let mut to = std::mem::take(&mut self.lanes[port.0 as usize]);
                // In place, whichever operand it is.
                let in_place = match &op.function {
                    Function::Lut(lut) => match *lut.inputs() {
                        [left, right] if left == op.to => Some((lut.table(), right)),
                        [left, right] if right == op.to => Some((swapped(lut.table()), left)),
                        _ => None,
                    },
                    Function::Chain(_) => None,
                };
                for (at, line) in self.lines.iter().enumerate() {
                    let dst = to.strip_mut(line - self.first_line, &self.limbs);
                    match in_place {
                        Some((table, with)) => {
                            self.kernels.lut2_assign(
                                table,
                                dst,
                                self.source(with, at),
                                self.n_bits,
                            );
                        }
                        None => self.apply(&op.function, dst, at),
                    }
                }
                self.lanes[port.0 as usize] = to;
            }
        }
    }

    /// `dst` takes a function of the strips of line `at` of this block.
    #[inline]
    fn apply(&self, function: &Function<Location>, dst: &mut [u64], at: usize) {
        let (kernels, n_bits) = (self.kernels, self.n_bits);
        let of = |location: &Location| self.source(*location, at);
        let lut = match function {
            Function::Lut(lut) => lut,
            Function::Chain(chain) => {
                let (operands, flags) = chain.operands();
                kernels.chain(flags, dst, operands.map(|operand| of(&operand)), n_bits);
                return;
            }
        };
        let table = lut.table();
        match lut.inputs() {
            [] => kernels.fill(dst, table == 1, n_bits),
            [a] => kernels.lut1(table, dst, of(a), n_bits),
            [a, b] => kernels.lut2(table, dst, of(a), of(b), n_bits),
            [a, b, c, ..] => kernels.lut3(table, dst, of(a), of(b), of(c), n_bits),
        }
    }

    #[inline]
    fn source(&self, location: Location, at: usize) -> &[u64] {
        match location {
            Location::Buffer(buffer) => {
                &self.buffers[buffer as usize][at * self.width..][..self.limbs.len()]
            }
            Location::Port(port) => {
                let line = self.lines[at] - self.first_line;
                self.lanes[port.0 as usize].strip(line, &self.limbs)
            }
        }
    }

    /// Joins what the strip of the only line answers. `start` is the first limb of the piece.
    fn reduce(&self, of: Location, answer: &mut Answer, start: usize) {
        let limbs = self.source(of, 0);
        match answer {
            Answer::First(Some(_)) | Answer::All(false) => {}
            Answer::First(first) => {
                let found = self.kernels.first_from(limbs, 0);
                *first = found.map(|idx| (start + self.limbs.start) * 64 + idx);
            }
            Answer::Count(count) => *count += self.kernels.count(limbs),
            Answer::All(all) => *all = self.kernels.all(limbs, self.n_bits),
        }
    }
}

impl Answer {
    /// The answer for no bits.
    fn neutral(reduction: Reduction) -> Answer {
        match reduction {
            Reduction::First => Answer::First(None),
            Reduction::Count => Answer::Count(0),
            Reduction::All => Answer::All(true),
        }
    }

    /// The answer for what this one is about and what another one, to the same question, is about behind it.
    fn join(self, behind: Answer) -> Answer {
        match (self, behind) {
            (Answer::First(first), Answer::First(next)) => Answer::First(first.or(next)),
            (Answer::Count(n), Answer::Count(m)) => Answer::Count(n + m),
            (Answer::All(this), Answer::All(that)) => Answer::All(this && that),
            (Answer::First(_) | Answer::Count(_) | Answer::All(_), _) => self,
        }
    }
}
