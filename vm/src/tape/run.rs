//! Execution of a plan: strip by strip, over pieces and threads.
//!
//! Note [Strips]. All operations run over one strip of limbs, then over the next one, so that a
//! port is read from memory once and written once, and intermediate values stay in the fastest
//! cache. For a family of lines, such as rows of a table, a strip is a block of several lines, over
//! which each operation is one loop.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::adder::Adder;
use super::cascade::{Cascade, Complements};
use super::chain::Function;
use super::lane::{Echo, Lane, Piece, Rest, split};
use super::lut::{Lut, swapped};
use super::plan::{Location, Plan, PlannedOp};
use super::record::{Answer, Reduction};
use crate::cpu::parallelism::{Crew, Parallelism, pieces};
use crate::interrupt::{Exec, internal_error};
use crate::kernels::{Kernels, LimbOfLines, Lines, LinesMut, LinesOf, Spacing};

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

    /// Returns the limbs of a strip: for all buffers together as much as a block of lines has, in
    /// whole cache lines.
    fn strip_limbs(&self) -> usize {
        let limbs = self.buffer_limbs() / self.plan.n_buffers.max(1);
        if limbs < 8 { limbs.max(1) } else { limbs / 8 * 8 }
    }

    /// Returns the limbs of all buffers together.
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

/// The memory of a location, while an operation writes it.
enum Taken<'m> {
    Buffer(Vec<u64>),
    Lane(Lane<'m>),
}

/// A strip of several lines.
struct Block<'b, 'm> {
    kernels: Kernels,
    buffers: &'b mut [Vec<u64>],
    lanes: &'b mut [Lane<'m>],
    echo: Option<&'b mut Echo<'m>>,
    first_line: usize,
    lines: &'b [usize],
    /// The limbs of each line, as the lanes count them.
    limbs: Range<usize>,
    /// Limbs between two lines in a buffer.
    width: usize,
    n_bits: usize,
    /// Cache lines that were not read.
    n_unread: Cell<u64>,
}

impl<'m> Block<'_, 'm> {
    fn operate(&mut self, op: &PlannedOp) {
        match op {
            PlannedOp::One { to, function } => self.make(*to, function),
            PlannedOp::Two { mask, found, cascade } => self.step(*mask, *found, cascade),
            PlannedOp::Sums { carry, adder } => self.add(*carry, adder),
            // The runner of the block has the result.
            PlannedOp::Reduce { .. } => {}
        }
    }

    /// Adds columns. The locations of the carry and the sums are not read otherwise.
    fn add(&mut self, carry: Location, adder: &Adder<Location>) {
        let n = self.limbs.len();
        let mut to_carry = self.take(carry);
        let mut to_sums: Vec<Taken<'_>> = adder.sums().map(|sum| self.take(sum)).collect();
        let summands = adder.columns.iter().map(|column| column.summands);
        let summands: Vec<[LinesOf<'_>; 2]> =
            summands.map(|of| of.map(|summand| self.source(summand))).collect();
        let mask = adder.mask.map(|mask| self.source(mask));
        for (place, line) in self.lines.iter().enumerate() {
            let index = line - self.first_line;
            let mut sums = to_sums.iter_mut().map(|to| self.line_of(to, place, index));
            let mut to = std::array::from_fn(|_| sums.next().unwrap_or_default());
            let of = std::array::from_fn(|at| match summands.get(at) {
                Some(of) => of.each_ref().map(|summand| summand.line(place, index, n)),
                None => [&[][..]; 2],
            });
            let mask = mask.as_ref().map(|mask| mask.line(place, index, n));
            let carry = self.line_of(&mut to_carry, place, index);
            self.kernels.add_columns(summands.len(), adder.is_borrow, carry, mask, of, &mut to);
        }
        self.put(carry, to_carry);
        for (sum, to) in adder.sums().zip(to_sums) {
            self.put(sum, to);
        }
    }

    /// Takes the memory of a location that an operation writes.
    fn take(&mut self, location: Location) -> Taken<'m> {
        match location {
            Location::Buffer(buffer) => {
                Taken::Buffer(std::mem::take(&mut self.buffers[buffer as usize]))
            }
            Location::Port(port) => Taken::Lane(std::mem::take(&mut self.lanes[port.0 as usize])),
        }
    }

    fn line_of<'t>(&self, taken: &'t mut Taken<'m>, place: usize, index: usize) -> &'t mut [u64] {
        let (limbs, spacing) = match taken {
            Taken::Buffer(limbs) => (&mut limbs[..], self.of_buffer()),
            Taken::Lane(Lane::Written { limbs, stride }) => (&mut **limbs, self.of_lane(*stride)),
            Taken::Lane(Lane::Read { .. }) => return &mut [],
        };
        &mut limbs[spacing.limb(place, index)..][..self.limbs.len()]
    }

    /// Returns the memory of a location, whose lines are finished.
    fn put(&mut self, location: Location, taken: Taken<'m>) {
        match (location, taken) {
            (Location::Buffer(buffer), Taken::Buffer(limbs)) => {
                self.buffers[buffer as usize] = limbs;
            }
            (Location::Port(port), Taken::Lane(lane)) => {
                if let (Some(echo), Lane::Written { limbs, stride }) = (&mut self.echo, &lane)
                    && echo.port == port
                    && self.limbs.contains(&echo.limb)
                {
                    for line in self.lines {
                        let index = line - self.first_line;
                        echo.limbs[index] = limbs[index * stride + echo.limb];
                    }
                }
                self.lanes[port.0 as usize] = lane;
            }
            (Location::Buffer(_), Taken::Lane(_)) | (Location::Port(_), Taken::Buffer(_)) => {}
        }
    }

    /// Runs the steps of a cascade, in the buffers of its two slices.
    fn step(&mut self, mask: u32, found: u32, cascade: &Cascade<Location>) {
        let Cascade { steps, is_complemented } = cascade;
        let Complements { mask: mask_flag, found: found_flag } = *is_complemented;
        let flags = u8::from(mask_flag) | u8::from(found_flag) << 1;
        let (mut masks, mut founds) = (
            std::mem::take(&mut self.buffers[mask as usize]),
            std::mem::take(&mut self.buffers[found as usize]),
        );
        let n = self.limbs.len();
        let inputs: Vec<[LinesOf<'_>; 2]> =
            steps.iter().map(|step| step.inputs.map(|input| self.source(input))).collect();
        let lines = masks.chunks_mut(self.width).zip(founds.chunks_mut(self.width));
        for (place, ((mask, found), line)) in lines.zip(self.lines).enumerate() {
            let index = line - self.first_line;
            // A missing step keeps the mask and finds nothing.
            let of = std::array::from_fn(|idx| {
                let inputs = inputs.get(idx).unwrap_or(&inputs[0]);
                inputs.each_ref().map(|input| input.line(place, index, n))
            });
            let table =
                |idx: usize| steps.get(idx).map_or(0b1111, |step| step.keep | step.give << 4);
            let tables = std::array::from_fn(table);
            let n_closed = self.kernels.cascade(
                flags,
                &mut mask[..n],
                &mut found[..n],
                of,
                tables,
                self.n_bits,
            );
            let n_read = steps.iter().map(|step| 1 + u64::from(step.inputs[0] != step.inputs[1]));
            let n_read = n_read.sum::<u64>();
            self.n_unread.set(self.n_unread.get() + n_closed * n_read);
        }
        self.buffers[mask as usize] = masks;
        self.buffers[found as usize] = founds;
    }

    /// Computes the value of a function.
    fn make(&mut self, to: Location, function: &Function<Location>) {
        match to {
            Location::Buffer(buffer) => {
                let mut made = std::mem::take(&mut self.buffers[buffer as usize]);
                let spacing = self.of_buffer();
                self.apply(to, function, LinesMut { limbs: &mut made, spacing, echo: None });
                self.buffers[buffer as usize] = made;
            }
            Location::Port(port) => {
                let mut lane = std::mem::take(&mut self.lanes[port.0 as usize]);
                let mut echo = self.echo.take();
                if let Lane::Written { limbs, stride } = &mut lane {
                    let spacing = self.of_lane(*stride);
                    let echoed = echo.as_deref_mut();
                    // The strip may have other limbs.
                    let echoed =
                        echoed.filter(|it| it.port == port && self.limbs.contains(&it.limb));
                    let echoed = echoed.map(|echo| LimbOfLines {
                        limb: echo.limb - self.limbs.start,
                        limbs: &mut *echo.limbs,
                    });
                    self.apply(to, function, LinesMut { limbs, spacing, echo: echoed });
                }
                self.echo = echo;
                self.lanes[port.0 as usize] = lane;
            }
        }
    }

    /// Sets the lines of `dst`, at the location `to`, to a function of others.
    fn apply(&self, to: Location, function: &Function<Location>, mut dst: LinesMut<'_>) {
        let kernels = self.kernels;
        let lines = Lines { indices: self.lines, first: self.first_line, len: self.n_bits };
        let of = |location: &Location| self.source(*location);
        let lut = match function {
            Function::Lut(lut) => lut,
            Function::Chain(chain) => {
                let (operands, flags) = chain.operands();
                // A value that the plan has computed, often a slice that a search has narrowed.
                let is_computed = |operand: &Location| matches!(operand, Location::Buffer(_));
                let guard = operands.iter().position(is_computed);
                let n_others = chain.inputs().len() as u64 - 1;
                let operands = operands.map(|operand| of(&operand));
                for (place, index) in self.lines.iter().enumerate() {
                    let index = index - self.first_line;
                    let n = self.limbs.len();
                    let operands = operands.each_ref().map(|line| line.line(place, index, n));
                    let line = dst.line(place, index, n);
                    let n_closed = kernels.chain(flags, guard, line, operands, self.n_bits);
                    self.n_unread.set(self.n_unread.get() + n_closed * n_others);
                }
                dst.made(lines, 0);
                return;
            }
        };
        let table = lut.table();
        match lut.inputs() {
            [] | [_] => {
                for (place, index) in self.lines.iter().enumerate() {
                    let (index, n) = (index - self.first_line, self.limbs.len());
                    let line = dst.line(place, index, n);
                    match lut.inputs() {
                        [a, ..] => {
                            kernels.lut1(table, line, of(a).line(place, index, n), self.n_bits)
                        }
                        [] => kernels.fill(line, table == 1, self.n_bits),
                    }
                }
                dst.made(lines, 0);
            }
            // In place, whichever operand it is.
            [left, right] if *left == to => {
                kernels.lut2_assign_lines(table, dst, of(right), lines);
            }
            [left, right] if *right == to => {
                kernels.lut2_assign_lines(swapped(table), dst, of(left), lines);
            }
            [a, b] => kernels.lut2_lines(table, dst, [of(a), of(b)], lines),
            [a, b, c, ..] => kernels.lut3_lines(table, dst, [of(a), of(b), of(c)], lines),
        }
    }

    fn source(&self, location: Location) -> LinesOf<'_> {
        match location {
            Location::Buffer(buffer) => {
                LinesOf { limbs: &self.buffers[buffer as usize], spacing: self.of_buffer() }
            }
            Location::Port(port) => match &self.lanes[port.0 as usize] {
                Lane::Read { limbs, stride } => LinesOf { limbs, spacing: self.of_lane(*stride) },
                Lane::Written { limbs, stride } => {
                    LinesOf { limbs, spacing: self.of_lane(*stride) }
                }
            },
        }
    }

    fn of_buffer(&self) -> Spacing {
        Spacing { start: 0, per_index: 0, per_place: self.width }
    }

    fn of_lane(&self, stride: usize) -> Spacing {
        Spacing { start: self.limbs.start, per_index: stride, per_place: 0 }
    }

    /// Joins the result for the strip of the only line. `start` is the first limb of the piece;
    /// pieces come in any order.
    fn reduce(&self, of: &Lut<Location>, answer: &mut Answer, start: usize) {
        self.join(of, 0, 0, answer, (start + self.limbs.start) * 64);
    }

    /// Joins the results for the strip of each line.
    fn ask(&self, of: &Lut<Location>, answers: &mut [Answer]) {
        for (place, (line, answer)) in self.lines.iter().zip(answers).enumerate() {
            self.join(of, place, line - self.first_line, answer, self.limbs.start * 64);
        }
    }

    /// Joins the result for a line of the strip, which begins with this bit.
    fn join(
        &self,
        of: &Lut<Location>,
        place: usize,
        index: usize,
        answer: &mut Answer,
        first_bit: usize,
    ) {
        let (inputs, n) = (of.inputs(), self.limbs.len());
        let is_pair = inputs.len() == 2;
        let ends = [inputs.first(), inputs.last()];
        let ends = ends.map(|location| self.source(location.copied().unwrap_or_default()));
        let [left, right] = ends.each_ref().map(|end| end.line(place, index, n));
        match answer {
            Answer::First(Some(first)) if *first < first_bit => {}
            Answer::First(first) => {
                let found = match is_pair {
                    true => self.kernels.first_lut2(of.table(), left, right),
                    false => self.kernels.first_from(left, 0),
                };
                *first = found.map(|idx| first_bit + idx).or(*first);
            }
            Answer::All(false) => {}
            Answer::Count(count) => {
                *count += match is_pair {
                    true => self.kernels.count_lut2(of.table(), left, right),
                    false => self.kernels.count(left),
                }
            }
            Answer::All(all) => *all = self.kernels.all(left, self.n_bits),
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
