//! Instructions on partitioned slices.

use star_ir::{Direction, Query};

use crate::cpu::class::Class;
use crate::cpu::code::RoutineCode;
use crate::cpu::inst::{BitsInst, Inst};
use crate::cpu::interpreter::Interpreter;
use crate::cpu::operand::{Number, Reg, Size};
use crate::exchange::Reduce;
use crate::interrupt::{Exec, internal_error};
use crate::tape::Answer;

use super::moves::Move;

impl Interpreter<'_, '_, '_> {
    /// Returns the number of components of a slice on all ranks, and the first one of this rank,
    /// from 0.
    pub(super) fn slice_start(&self, reg: Reg) -> Exec<(usize, usize)> {
        let slot = self.bits_slot(reg);
        let n = slot.bits.len() + slot.elsewhere;
        let partition = &self.ranks()?.partition;
        Ok((n, partition.range(n, partition.rank()).start))
    }

    /// Returns the answer to a query about all components of `of` from that about the components
    /// of each rank.
    pub(super) fn answer_of_ranks(&mut self, answer: Answer, of: Reg) -> Exec<Answer> {
        Ok(match answer {
            Answer::First(first) => {
                let (_, start) = self.slice_start(of)?;
                Answer::First(self.least(first.map(|idx| start + idx))?)
            }
            Answer::All(all) => {
                let mut all = [i64::from(all)];
                self.reduce("a query", Reduce::And, &mut all)?;
                Answer::All(all[0] != 0)
            }
            Answer::Count(count) => {
                let count = i64::try_from(count);
                let mut count = [count.map_err(|_| internal_error("a count of components"))?];
                self.reduce("a query", Reduce::Sum, &mut count)?;
                Answer::Count(count[0].unsigned_abs())
            }
        })
    }

    /// Returns the least index on all ranks, if there is any.
    fn least(&mut self, idx: Option<usize>) -> Exec<Option<usize>> {
        let mut least = [idx.map_or(i64::MAX, |idx| idx as i64)];
        self.reduce("a query", Reduce::Min, &mut least)?;
        Ok((least[0] != i64::MAX).then_some(least[0] as usize))
    }

    /// Returns the first one at or after `start`, both zero-based, on all ranks.
    pub(in crate::cpu) fn first_of_ranks(
        &mut self,
        bits: Reg,
        start: usize,
    ) -> Exec<Option<usize>> {
        if !self.is_divided(bits) {
            return self.first_from(bits, start);
        }
        let (_, own_start) = self.slice_start(bits)?;
        let first = self.first_from(bits, start.saturating_sub(own_start))?;
        self.least(first.map(|idx| own_start + idx))
    }

    /// Returns the first one, which it clears, as an index from 1; 0 if there is none.
    pub(super) fn step_across(&mut self, dst: Reg, bits: Reg) -> Exec<()> {
        let first = self.first_of_ranks(bits, 0)?;
        if let Some(idx) = first {
            self.put_across(bits, idx, false)?;
        }
        self.set(dst, first.map_or(0, |idx| idx as i64 + 1));
        Ok(())
    }

    /// Stores a component, zero-based, on the rank that owns it.
    fn put_across(&mut self, bits: Reg, idx: usize, bit: bool) -> Exec<()> {
        let (_, start) = self.slice_start(bits)?;
        let settings = self.parallelism.settings;
        let slot = self.bits_slot_mut(bits);
        if let Some(own) = idx.checked_sub(start).filter(|own| *own < slot.bits.len()) {
            slot.bits.put(own, bit);
            slot.known.put(own, bit, &settings);
        }
        Ok(())
    }

    /// Runs an instruction that moves components: on all of them, of which each rank keeps its
    /// part.
    pub(super) fn moved(
        &mut self,
        routine: &RoutineCode,
        of: &[Reg],
        dst: Reg,
        run: impl FnOnce(&mut Self) -> Exec<()>,
    ) -> Exec<()> {
        // No recorded operation reads the whole values, which are parts again afterwards.
        self.flush()?;
        for reg in of {
            self.make_whole(*reg)?;
        }
        if !of.contains(&dst) {
            self.bits_slot_mut(dst).elsewhere = 0;
        }
        run(self)?;
        self.flush()?;
        for reg in of.iter().chain([&dst]) {
            self.keep_part(*reg, routine)?;
        }
        Ok(())
    }

    /// Runs an instruction on slices and words; see [`Interpreter::across_ranks`].
    pub(super) fn bits_across(&mut self, inst: BitsInst, routine: &RoutineCode) -> Exec<bool> {
        let all = Inst::Bits(inst);
        match inst {
            BitsInst::Copy { dst, src } | BitsInst::Not { dst, src }
                if routine.slices[dst as usize] == routine.slices[src as usize] =>
            {
                self.row_by_row(all, dst, &[src], routine)
            }
            BitsInst::Fill { dst, len, bit } => {
                let n = self.known_size(Size::Value(len))?;
                let own = self.own_of(dst, n, routine)?;
                self.bits_slot_mut(dst).elsewhere = n - own.len();
                if self.recorder.is_open() && self.record_fill(dst, own.len(), bit)? {
                    return Ok(true);
                }
                if !self.is_apart(&all.class()) {
                    self.flush()?;
                }
                if !self.long_fill(dst, own.len(), bit)? {
                    self.fill(dst, own.len(), bit)?;
                }
                Ok(true)
            }
            BitsInst::Mask { dst, size, from, to } => {
                let (n, ones) = self.ones_of_mask(size, from, to)?;
                let own = self.own_of(dst, n, routine)?;
                self.bits_slot_mut(dst).elsewhere = n - own.len();
                let within = |at: usize| at.clamp(own.start, own.end) - own.start;
                self.mask_ones(dst, own.len(), within(ones.start)..within(ones.end))?;
                Ok(true)
            }
            BitsInst::KeepFirst { dst, src } if self.is_divided(src) => {
                let (n, start) = self.slice_start(src)?;
                let first = self.first_of_ranks(src, 0)?;
                let n_own = self.bits(src).len();
                self.bits_slot_mut(dst).elsewhere = n - n_own;
                let first = first.and_then(|idx| idx.checked_sub(start));
                let first = first.filter(|idx| *idx < n_own);
                self.mask_ones(dst, n_own, first.map_or(0..0, |idx| idx..idx + 1))?;
                Ok(true)
            }
            BitsInst::Equal { dst, left, right } if self.is_divided(left) => {
                let mut equal = [i64::from(self.order(left, right, false)?.is_eq())];
                self.reduce("a comparison of slices", Reduce::And, &mut equal)?;
                self.set(dst, equal[0]);
                Ok(true)
            }
            BitsInst::Component { dst, bits, index } if self.is_divided(bits) => {
                let (n, start) = self.slice_start(bits)?;
                let idx = self.place(index, Size::Length(bits))?;
                let own = idx.checked_sub(start).filter(|own| *own < self.bits(bits).len());
                let mut bit = [u64::from(own.is_some_and(|own| self.bits(bits).get(own)))];
                let owner = self.ranks()?.partition.owner(n, idx);
                self.broadcast("a component", owner, &mut bit)?;
                self.set(dst, bit[0].cast_signed());
                Ok(true)
            }
            BitsInst::Put { bits, index, bit } if self.is_divided(bits) => {
                let idx = self.place(index, Size::Length(bits))?;
                let bit = self.bit(bit)?;
                self.put_across(bits, idx, bit)?;
                Ok(true)
            }
            BitsInst::QueryLut { query, table, dst, left, right } if self.is_divided(left) => {
                let answer = match (self.answer_of_tape(all)?, query) {
                    (Some(answer), _) => answer,
                    (None, Query::Count) => Answer::Count(self.count_lut(table, left, right)?),
                    (None, _) => Answer::First(self.first_lut(table, left, right)?),
                };
                let answer = self.answer_of_ranks(answer, left)?;
                self.set(dst, answer.to(query));
                Ok(true)
            }
            BitsInst::Shift { dst, src, direction, by } if self.is_divided(src) => {
                let by = usize::try_from(self.number(by)).unwrap_or(usize::MAX);
                let moved = match direction {
                    Direction::Up => Move::Up(by),
                    Direction::Down => Move::Down(by),
                };
                self.move_across(dst, src, moved)?;
                Ok(true)
            }
            BitsInst::Rotate { dst, src, by } if self.is_divided(src) => {
                self.move_across(dst, src, Move::Rotate(self.number(by)))?;
                Ok(true)
            }
            BitsInst::Mirror { dst, src } if self.is_divided(src) => {
                self.move_across(dst, src, Move::Mirror)?;
                Ok(true)
            }
            BitsInst::Shuffle { dst, src } if self.is_divided(src) => {
                self.move_across(dst, src, Move::Shuffle)?;
                Ok(true)
            }
            BitsInst::Copy { .. }
            | BitsInst::Not { .. }
            | BitsInst::KeepFirst { .. }
            | BitsInst::Shift { .. }
            | BitsInst::Rotate { .. }
            | BitsInst::Mirror { .. }
            | BitsInst::Shuffle { .. }
            | BitsInst::Trim { .. }
            | BitsInst::AddWords { .. }
            | BitsInst::SubWords { .. }
            | BitsInst::IntToWord { .. }
            | BitsInst::Equal { .. }
            | BitsInst::CompareWords { .. }
            | BitsInst::Component { .. }
            | BitsInst::QueryLut { .. }
            | BitsInst::WordToInt { .. }
            | BitsInst::Put { .. }
            | BitsInst::Replace { .. } => {
                let (of, dst) = operands(all)?;
                if of.iter().chain(&dst).all(|reg| !routine.slices[*reg as usize]) {
                    return Ok(false);
                }
                let Some(dst) = dst.or(of.first().copied()) else {
                    return Err(internal_error("an instruction without operands"));
                };
                self.moved(routine, &of, dst, |interpreter| interpreter.bits_inst(inst))?;
                Ok(true)
            }
        }
    }

    /// Returns the components, from 0, of a new slice or word that this rank holds.
    fn own_of(&self, dst: Reg, n: usize, routine: &RoutineCode) -> Exec<std::ops::Range<usize>> {
        let is_slice = routine.slices[dst as usize];
        let own = self.ranks()?.partition.own(n).filter(|_| is_slice);
        Ok(own.unwrap_or(0..n))
    }

    /// Runs `run` with a row index, zero-based, in the register of an index.
    pub(super) fn with_index<T>(
        &mut self,
        index: Number,
        idx: usize,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let at = self.base.numbers + index.0 as usize;
        let number = std::mem::replace(&mut self.numbers[at], idx as i64 + 1);
        let done = run(self);
        self.numbers[at] = number;
        done
    }
}

/// Returns the slices and words that an instruction reads, and the one that it writes.
fn operands(inst: Inst) -> Exec<(Vec<Reg>, Option<Reg>)> {
    match inst.class() {
        Class::Bitwise(op) => Ok((op.of().to_vec(), Some(op.dst))),
        Class::Query { of, .. } => Ok((of.of().to_vec(), None)),
        Class::Other(effects) => {
            Ok((effects.reads.into_iter().flatten().collect(), effects.writes))
        }
        Class::Fill { .. }
        | Class::Load { .. }
        | Class::Store { .. }
        | Class::Guard(_)
        | Class::Cost
        | Class::Scalar
        | Class::Control => Err(internal_error("an instruction that moves no components")),
    }
}
