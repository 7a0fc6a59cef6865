//! Execution of a plan: strip by strip, over pieces and threads.
//!
//! Note [Strips]. All operations run over one strip of limbs, then over the next one, so that a
//! port is read from memory once and written once, and intermediate values stay in the fastest
//! cache. For a family of lines, such as rows of a table, a strip is a block of several lines, over
//! which each operation is one loop.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::block::Block;
use super::chain::Function;
use super::lane::{Echo, Lane, Piece, Rest, split};
use super::lut::Lut;
use super::plan::{Location, Plan, PlannedOp};
use super::record::{Answer, Reduction};
use crate::cpu::parallelism::{Crew, Parallelism, pieces};
use crate::interrupt::{Exec, internal_error};
use crate::kernels::Kernels;

/// A plan and its environment.
pub(crate) struct Strips<'m> {
    parallelism: &'m Parallelism<'m>,
    plan: &'m Plan,
    /// Bits of a line.
    n_bits: usize,
    /// Cache lines that were not read because no row was left; see Note [Closed groups] in
    /// `kernels::lut`.
    n_unread: AtomicU64,
}

/// The data that a thread keeps from one piece to the next.
struct Scratch {
    /// Buffers with arbitrary content.
    buffers: Vec<Vec<u64>>,
    /// The combined results of the pieces so far.
    answers: Vec<Answer>,
}

impl<'m> Strips<'m> {
    pub(crate) fn new(parallelism: &'m Parallelism<'m>, plan: &'m Plan, n_bits: usize) -> Self {
        Strips { parallelism, plan, n_bits, n_unread: AtomicU64::new(0) }
    }

    /// Returns the number of cache lines that were not read.
    pub(crate) fn n_unread(&self) -> u64 {
        self.n_unread.load(Ordering::Relaxed)
    }

    /// Runs the plan over one line and returns the results of its reductions. If a flag ends it,
    /// the written memory is in an intermediate state.
    pub(crate) fn line(&self, mut lanes: Vec<Lane<'_>>) -> Exec<Vec<Answer>> {
        self.check(&lanes)?;
        let n_limbs = self.n_bits.div_ceil(64);
        // The cost of each limb of a piece.
        let weight = self.plan.n_streams().max(self.plan.ops.len()).max(1);
        let crew = self.parallelism.crew(n_limbs, weight);
        let piece_limbs = crew.piece.next_multiple_of(self.strip_limbs());
        let shares = pieces(0..n_limbs, crew.share).map(|share| {
            let mut lanes = split(&mut lanes, share.len());
            pieces(share, piece_limbs).map(move |range| Piece {
                start: range.start,
                n_limbs: range.len(),
                first_line: 0,
                lines: &[0],
                lanes: split(&mut lanes, range.len()),
                echo: None,
            })
        });
        self.run(&crew, shares)
    }

    /// Runs the plan, which has no reductions, over the lines with these ascending indices.
    pub(crate) fn lines(
        &self,
        lanes: Vec<Lane<'_>>,
        echo: Option<Echo<'_>>,
        indices: &[usize],
    ) -> Exec<()> {
        self.check(&lanes)?;
        // Loops over whole vectors of limbs are the fastest, and zeros beyond the lines are
        // preserved.
        let whole = self.n_bits.next_multiple_of(512);
        let is_whole = self.plan.keeps_zeros && lanes.iter().all(|lane| lane.holds(whole / 64));
        let n_bits = if is_whole { whole } else { self.n_bits };
        let n_limbs = n_bits.div_ceil(64);
        let strips = Strips::new(self.parallelism, self.plan, n_bits);
        let (crew, shares) = strips.line_shares(lanes, echo, indices, n_limbs);
        strips.run(&crew, shares).map(drop)
    }

    /// Runs the plan, which stores nothing, over the lines with these ascending indices, and
    /// computes its reductions of each of them: `take` receives some of the lines, and the results
    /// of one reduction after another, each for all of these lines. Returns the accumulated state
    /// of each thread.
    pub(crate) fn queries<S: Send>(
        &self,
        lanes: Vec<Lane<'_>>,
        indices: &[usize],
        scratch: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, &[usize], &[Answer]) + Sync,
    ) -> Exec<Vec<S>> {
        self.check(&lanes)?;
        let neutral = self.plan.reductions.iter().map(|of| Answer::neutral(*of));
        let neutral: Vec<Answer> = neutral.collect();
        let n_limbs = self.n_bits.div_ceil(64);
        let (crew, shares) = self.line_shares(lanes, None, indices, n_limbs);
        let scratch = || (vec![Vec::new(); self.plan.n_buffers], Vec::new(), scratch());
        let left = self.parallelism.spread(
            &crew,
            shares,
            scratch,
            |(buffers, answers, state): &mut (Vec<Vec<u64>>, Vec<Answer>, S), mut piece| {
                let n = piece.lines.len();
                answers.clear();
                neutral.iter().for_each(|answer| answers.extend(std::iter::repeat_n(*answer, n)));
                self.blocks(buffers, &mut piece, |block, (nth, of), first| {
                    block.ask(of, &mut answers[nth * n..][first..n]);
                });
                take(state, piece.lines, answers);
            },
        )?;
        Ok(left.into_iter().map(|(_, _, state)| state).collect())
    }

    /// Divides the lines into pieces of `n_limbs` limbs each, and assigns them to threads.
    fn line_shares<'l>(
        &self,
        lanes: Vec<Lane<'l>>,
        echo: Option<Echo<'l>>,
        indices: &'l [usize],
        n_limbs: usize,
    ) -> (Crew, impl Iterator<Item = impl Iterator<Item = Piece<'l>> + Send>) {
        let weight = lanes.iter().filter(|lane| lane.has_lines()).count().max(1);
        let line_limbs = n_limbs.saturating_mul(weight).max(1);
        let crew = self.parallelism.crew_of_items(indices.len(), line_limbs);
        let mut all = Rest { lanes, echo, first_line: 0 };
        let per_piece = crew.piece;
        let shares = indices.chunks(crew.share).map(move |share| {
            let mut rest = all.split(share);
            share.chunks(per_piece).map(move |lines| {
                let Rest { lanes, echo, first_line } = rest.split(lines);
                Piece { start: 0, n_limbs, first_line, lines, lanes, echo }
            })
        });
        (crew, shares)
    }

    /// Checks that every port that the plan uses has a lane of its kind.
    fn check(&self, lanes: &[Lane<'_>]) -> Exec<()> {
        let fits = lanes.len() == self.plan.ports.len()
            && self.plan.ports.iter().zip(lanes).all(|(port, lane)| match lane {
                Lane::Read { limbs, .. } => {
                    !port.is_written && (!port.is_read || limbs.len() >= self.n_bits.div_ceil(64))
                }
                Lane::Written { limbs, .. } => limbs.len() >= self.n_bits.div_ceil(64),
            });
        if fits { Ok(()) } else { Err(internal_error("a port without its lane")) }
    }

    /// Processes the pieces of all shares, and joins their results.
    fn run<'l, I>(&self, crew: &Crew, shares: impl Iterator<Item = I>) -> Exec<Vec<Answer>>
    where
        I: Iterator<Item = Piece<'l>> + Send,
    {
        let neutral = self.plan.reductions.iter().map(|of| Answer::neutral(*of));
        let neutral: Vec<Answer> = neutral.collect();
        let scratch =
            || Scratch { buffers: vec![Vec::new(); self.plan.n_buffers], answers: neutral.clone() };
        let work = |scratch: &mut Scratch, piece| self.piece(scratch, piece);
        let left = self.parallelism.spread(crew, shares, scratch, work)?;
        let mut all = neutral.clone();
        for Scratch { answers, .. } in left {
            for (all, answer) in all.iter_mut().zip(answers) {
                *all = all.join(answer);
            }
        }
        Ok(all)
    }

    /// Returns the limbs of a strip, in whole cache lines: the buffers fit the second cache. Short
    /// strips cost more time between the operations, and memory is read faster in long ones.
    fn strip_limbs(&self) -> usize {
        let limbs = self.buffer_limbs().saturating_mul(4) / self.plan.n_buffers.max(1);
        if limbs < 8 { limbs.max(1) } else { limbs / 8 * 8 }
    }

    /// Returns the limbs of all buffers of a block of lines together.
    fn buffer_limbs(&self) -> usize {
        self.parallelism.settings.block_limbs.saturating_mul(4)
    }

    /// Processes a piece, strip by strip; all lines are one.
    fn piece(&self, Scratch { buffers, answers }: &mut Scratch, mut piece: Piece<'_>) {
        let start = piece.start;
        self.blocks(buffers, &mut piece, |block, (nth, of), _| {
            block.reduce(of, &mut answers[nth], start);
        });
    }

    /// Runs the plan over a piece, block by block of each strip. `ask` receives a block, the number
    /// of a reduction and what it reduces, and the position of the first line of the block among
    /// those of the piece.
    fn blocks(
        &self,
        buffers: &mut [Vec<u64>],
        piece: &mut Piece<'_>,
        mut ask: impl FnMut(&Block<'_, '_>, (usize, &Lut<Location>), usize),
    ) {
        let width = self.strip_limbs().min(piece.n_limbs);
        // Values that only an operation leaves are not read again.
        let Plan { ops, copies, reductions, .. } = self.plan;
        let is_one = ops.len() + copies.len() == 1 && reductions.is_empty();
        let block_limbs = if is_one { usize::MAX } else { self.buffer_limbs() };
        let per_block = block_limbs / (width * self.plan.n_buffers.max(1)).max(1);
        let per_block = per_block.clamp(1, piece.lines.len());
        for buffer in &mut *buffers {
            buffer.resize(width * per_block, 0);
        }
        let mut n_unread = 0;
        for limbs in pieces(0..piece.n_limbs, width) {
            let n_bits = self.n_bits - (piece.start + limbs.start) * 64;
            let n_bits = n_bits.min(limbs.len() * 64);
            for (idx, lines) in piece.lines.chunks(per_block).enumerate() {
                let first_line = piece.first_line;
                let kernels = self.parallelism.kernels;
                let limbs = limbs.clone();
                let (lanes, echo) = (&mut piece.lanes, piece.echo.as_mut());
                let mut block = Block {
                    kernels,
                    buffers,
                    lanes,
                    echo,
                    first_line,
                    lines,
                    limbs,
                    width,
                    n_bits,
                    n_unread: Cell::new(0),
                    closed: None,
                };
                for op in &self.plan.ops {
                    match op {
                        PlannedOp::Reduce { nth, of } => ask(&block, (*nth, of), idx * per_block),
                        op => block.operate(op),
                    }
                }
                for (port, from) in &self.plan.copies {
                    let function = Function::Lut(Lut::copy(*from));
                    block.make(Location::Port(*port), &function);
                }
                n_unread += block.n_unread.get();
            }
        }
        if n_unread > 0 {
            self.n_unread.fetch_add(n_unread, Ordering::Relaxed);
        }
    }
}

/// Plans that run over one short line after another, each of which reads the results of the
/// previous ones: without strips and without threads.
pub(crate) struct Iterations<'b, 'm> {
    pub(crate) kernels: Kernels,
    pub(crate) lanes: &'b mut [Lane<'m>],
    /// Buffers as long as a line, as many as any of the plans needs, with arbitrary content.
    pub(crate) buffers: &'b mut [Vec<u64>],
    /// Bits of a line: at least one.
    pub(crate) n_bits: usize,
}

impl Iterations<'_, '_> {
    /// Runs the operations of a plan, which has no reductions, over the line with this index.
    pub(crate) fn run(&mut self, plan: &Plan, line: usize) {
        self.block(plan, &[line], |_, _| {});
    }

    /// Runs a plan over the lines with these indices, and computes its reductions of each of them:
    /// all results of one reduction after another.
    pub(crate) fn ask(&mut self, plan: &Plan, lines: &[usize], answers: &mut Vec<Answer>) {
        answers.clear();
        for reduction in &plan.reductions {
            answers.extend(std::iter::repeat_n(Answer::neutral(*reduction), lines.len()));
        }
        for (place, line) in lines.iter().enumerate() {
            self.block(plan, std::slice::from_ref(line), |block, (nth, of)| {
                let answer = &mut answers[nth * lines.len() + place];
                block.ask(of, std::slice::from_mut(answer));
            });
        }
    }

    fn block(
        &mut self,
        plan: &Plan,
        lines: &[usize],
        mut ask: impl FnMut(&Block<'_, '_>, (usize, &Lut<Location>)),
    ) {
        let n_limbs = self.n_bits.div_ceil(64);
        let mut block = Block {
            kernels: self.kernels,
            buffers: &mut *self.buffers,
            lanes: &mut *self.lanes,
            echo: None,
            first_line: 0,
            lines,
            limbs: 0..n_limbs,
            width: n_limbs,
            n_bits: self.n_bits,
            n_unread: Cell::new(0),
            closed: None,
        };
        for op in &plan.ops {
            match op {
                PlannedOp::Reduce { nth, of } => ask(&block, (*nth, of)),
                op => block.operate(op),
            }
        }
        for (port, from) in &plan.copies {
            block.make(Location::Port(*port), &Function::Lut(Lut::copy(*from)));
        }
    }
}

impl Answer {
    /// Returns the result for no bits.
    fn neutral(reduction: Reduction) -> Answer {
        match reduction {
            Reduction::First => Answer::First(None),
            Reduction::Count => Answer::Count(0),
            Reduction::All => Answer::All(true),
        }
    }

    /// Joins the results of the same reduction for two parts, in any order.
    fn join(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::First(a), Answer::First(b)) => Answer::First(a.into_iter().chain(b).min()),
            (Answer::Count(n), Answer::Count(m)) => Answer::Count(n + m),
            (Answer::All(this), Answer::All(that)) => Answer::All(this && that),
            (Answer::First(_) | Answer::Count(_) | Answer::All(_), _) => self,
        }
    }
}
