//! A strip of several lines, and the operations on it.

use std::cell::Cell;
use std::ops::Range;

use super::adder::Adder;
use super::cascade::{Cascade, Complements, LENGTH, Step};
use super::chain::Function;
use super::lane::{Echo, Lane};
use super::lut::{Lut, swapped};
use super::plan::{Location, PlannedOp};
use super::record::Answer;
use crate::kernels::{Kernels, LimbOfLines, Lines, LinesMut, LinesOf, Spacing};

/// The memory of a location, while an operation writes it.
enum Taken<'m> {
    Buffer(Vec<u64>),
    Lane(Lane<'m>),
}

/// A strip of several lines.
pub(super) struct Block<'b, 'm> {
    pub(super) kernels: Kernels,
    pub(super) buffers: &'b mut [Vec<u64>],
    pub(super) lanes: &'b mut [Lane<'m>],
    pub(super) echo: Option<&'b mut Echo<'m>>,
    pub(super) first_line: usize,
    pub(super) lines: &'b [usize],
    /// The limbs of each line, as the lanes count them.
    pub(super) limbs: Range<usize>,
    /// Limbs between two lines in a buffer.
    pub(super) width: usize,
    pub(super) n_bits: usize,
    /// Cache lines that were not read.
    pub(super) n_unread: Cell<u64>,
    /// The buffer of a mask without rows, and whether that is a complement: steps change nothing.
    pub(super) closed: Option<(u32, bool)>,
}

impl<'m> Block<'_, 'm> {
    pub(super) fn operate(&mut self, op: &PlannedOp) {
        match op {
            PlannedOp::One { to, function } => self.make(*to, function),
            PlannedOp::Two { mask, found, cascade } => self.step(*mask, *found, cascade),
            PlannedOp::Sums { carry, adder } => self.add(*carry, adder),
            // The loop over the operations asks for it.
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
                self.note_write(buffer);
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
        let n = self.limbs.len();
        let n_groups = (n / 8 * self.lines.len()) as u64;
        let n_read = steps.iter().map(|step| 1 + u64::from(step.inputs[0] != step.inputs[1]));
        let n_read = n_read.sum::<u64>();
        if self.closed == Some((mask, mask_flag)) {
            self.n_unread.set(self.n_unread.get() + n_groups * n_read);
            return;
        }
        let (mut masks, mut founds) = (
            std::mem::take(&mut self.buffers[mask as usize]),
            std::mem::take(&mut self.buffers[found as usize]),
        );
        // A missing step keeps the mask and finds nothing.
        let nothing = Step { inputs: steps[0].inputs, keep: 0b1111, give: 0 };
        let steps: [Step<Location>; LENGTH] =
            std::array::from_fn(|idx| steps.get(idx).copied().unwrap_or(nothing));
        let inputs = steps.map(|step| step.inputs.map(|input| self.source(input)));
        let tables = steps.map(|step| step.keep | step.give << 4);
        let lines = masks.chunks_mut(self.width).zip(founds.chunks_mut(self.width));
        let mut n_closed = 0;
        for (place, ((mask, found), line)) in lines.zip(self.lines).enumerate() {
            let index = line - self.first_line;
            let of = inputs.map(|inputs| inputs.map(|input| input.line(place, index, n)));
            n_closed += self.kernels.cascade(
                flags,
                &mut mask[..n],
                &mut found[..n],
                of,
                tables,
                self.n_bits,
            );
        }
        self.n_unread.set(self.n_unread.get() + n_closed * n_read);
        let is_closed = n.is_multiple_of(8) && n_closed == n_groups;
        self.closed = is_closed.then_some((mask, mask_flag));
        self.buffers[mask as usize] = masks;
        self.buffers[found as usize] = founds;
    }

    /// Forgets that the mask in this buffer has no rows.
    fn note_write(&mut self, buffer: u32) {
        self.closed = self.closed.filter(|(closed, _)| *closed != buffer);
    }

    /// Computes the value of a function.
    pub(super) fn make(&mut self, to: Location, function: &Function<Location>) {
        match to {
            Location::Buffer(buffer) => {
                self.note_write(buffer);
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
    pub(super) fn reduce(&self, of: &Lut<Location>, answer: &mut Answer, start: usize) {
        self.join(of, 0, 0, answer, (start + self.limbs.start) * 64);
    }

    /// Joins the results for the strip of each line.
    pub(super) fn ask(&self, of: &Lut<Location>, answers: &mut [Answer]) {
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
