//! Runs over several ranks, each of which owns a part of the rows.
//!
//! Note [Ranks]. All ranks run the same instructions. Numbers, words, texts and handles have the
//! same values on all of them; a slice of n components and a table of n rows are partitioned if the
//! [`Partition`] divides n rows, and replicated otherwise. So the kind of a register and its size
//! decide, and all ranks decide alike. A register holds the components or rows that this rank owns;
//! `elsewhere` is the number of the others. Indices and sizes in numbers count all of them.
//!
//! An instruction that works row by row runs as it is. What combines rows exchanges a few bytes:
//! a query reduces its answers, a row or component is broadcast by its owner and written by its
//! owner alone. Whatever moves components to other positions gathers its operands, runs on all of
//! them, and keeps its part (`moved`). [`Interpreter::across_ranks`] classifies every instruction.
//!
//! A kernel over columns runs on the part of each rank. A kernel over rows that combines lines with
//! each other and with words runs on the rows of each rank without any exchange (Note [Own rows] in
//! `lines`). Intrinsics run on parts or on gathered arguments (Note [Intrinsics on ranks]).
//!
//! A run that ends on one rank only, at a limit or by a flag, abandons the exchange, which ends the
//! others. Traps, and limits of steps, calls and output, are found by all ranks at once.

mod bits;
mod checkpoints;
mod explain;
mod host;
mod intrinsics;
mod lines;
mod moves;
mod parts;
mod sparse;
mod tables;
mod values;

use std::rc::Rc;

use star_ir::LimitKind;

use super::class::Class;
use super::code::RoutineCode;
use super::inst::{BitsInst, Inst};
use super::interpreter::Interpreter;
use super::operand::{Reg, RegRef};
use super::table::form::Line;
use crate::backend::Outcome;
use crate::exchange::{Exchange, Partition, Place, Reduce};
use crate::interrupt::{Exec, Stop, internal_error};
use crate::tape::Answer;
pub(super) use explain::{exchange_of, exchange_of_intrinsic, exchanges_of_loops};
use lines::OwnRows;

/// The other ranks of a run.
#[derive(Debug)]
pub(super) struct Ranks {
    exchange: Rc<dyn Exchange>,
    partition: Partition,
    /// The `forall` over the rows of this rank that is running, if any.
    own_rows: Option<OwnRows>,
    /// Elementary operations, and steps, that other ranks do not count.
    own_operations: u64,
    own_steps: u64,
}

impl Ranks {
    pub(super) fn new(exchange: Rc<dyn Exchange>, partition: Partition) -> Self {
        Ranks { exchange, partition, own_rows: None, own_operations: 0, own_steps: 0 }
    }
}

impl Interpreter<'_, '_, '_> {
    fn ranks(&self) -> Exec<&Ranks> {
        self.ranks.as_ref().ok_or_else(|| internal_error("a run without ranks"))
    }

    fn ranks_mut(&mut self) -> Exec<&mut Ranks> {
        self.ranks.as_mut().ok_or_else(|| internal_error("a run without ranks"))
    }

    /// Returns the exchange and the place of the current instruction, and counts an exchange of
    /// this number of limbs.
    fn exchange(&mut self, what: &'static str, n_limbs: usize) -> Exec<(Rc<dyn Exchange>, Place)> {
        let place = Place { loc: self.loc().0, what };
        self.paths.exchanges += 1;
        self.paths.exchanged_bytes += 8 * n_limbs as u64;
        Ok((Rc::clone(&self.ranks()?.exchange), place))
    }

    /// Replaces each number by its reduction over all ranks.
    fn reduce(&mut self, what: &'static str, op: Reduce, numbers: &mut [i64]) -> Exec<()> {
        let (exchange, place) = self.exchange(what, numbers.len())?;
        exchange.reduce(place, op, numbers).map_err(lost)
    }

    /// Replaces the limbs by those of their owner.
    fn broadcast(&mut self, what: &'static str, owner: usize, limbs: &mut [u64]) -> Exec<()> {
        let n_limbs = if owner == self.ranks()?.partition.rank() { limbs.len() } else { 0 };
        let (exchange, place) = self.exchange(what, n_limbs)?;
        exchange.broadcast(place, owner, limbs).map_err(lost)
    }

    /// Returns the number of components or rows that other ranks own.
    pub(super) fn elsewhere(&self, place: RegRef) -> usize {
        match place {
            RegRef::Slice(reg) | RegRef::Word(reg) => self.bits_slot(reg).elsewhere,
            RegRef::Table(reg) => self.table_slot(reg).elsewhere,
            RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => 0,
        }
    }

    pub(super) fn set_elsewhere(&mut self, place: RegRef, elsewhere: usize) {
        match place {
            RegRef::Slice(reg) | RegRef::Word(reg) => self.bits_slot_mut(reg).elsewhere = elsewhere,
            RegRef::Table(reg) => self.table_slot_mut(reg).elsewhere = elsewhere,
            RegRef::Int(_) | RegRef::Bool(_) | RegRef::Text(_) | RegRef::Handle(_) => {}
        }
    }

    /// Are the components of a slice distributed over the ranks?
    fn is_divided(&self, reg: Reg) -> bool {
        self.bits_slot(reg).elsewhere > 0
    }

    /// Are the rows of a table distributed over the ranks?
    fn is_divided_table(&self, reg: Reg) -> bool {
        self.table_slot(reg).elsewhere > 0
    }

    /// Must the recorded operations be executed before this instruction? What works row by row can
    /// be recorded, and a query is answered by the tape.
    pub(super) fn ends_tape_across(&self, inst: Inst) -> bool {
        if matches!(inst, Inst::Unset(_) | Inst::Size(_)) {
            // The interpreter decides about them.
            return false;
        }
        let class = inst.class();
        match class {
            Class::Bitwise(_)
            | Class::Load { line: Line::Column, .. }
            | Class::Store { line: Line::Column, .. }
            | Class::Fill { .. }
            | Class::Query { .. }
            | Class::Guard(_)
            | Class::Cost
            | Class::Scalar => false,
            Class::Control => matches!(inst, Inst::Print(_) | Inst::Read(_) | Inst::Write(_)),
            Class::Load { line: Line::Row, .. }
            | Class::Store { line: Line::Row, .. }
            | Class::Other(_) => !self.is_apart(&class),
        }
    }

    /// Executes the recorded operations and returns the answer to a query about the rows of this
    /// rank, if they had one. Otherwise the slices of the query are not pending afterwards.
    pub(super) fn answer_of_tape(&mut self, inst: Inst) -> Exec<Option<Answer>> {
        let Class::Query { query, of, .. } = inst.class() else { return Ok(None) };
        if !self.recorder.is_open() {
            return Ok(None);
        }
        let is_answered = self.record_query(query, &of);
        let answers = self.flush_for_answers()?;
        Ok(answers.first().copied().filter(|_| is_answered))
    }

    /// Runs an instruction that accesses rows of other ranks. Returns false if the instruction is
    /// to run as it is, on the rows of this rank.
    pub(super) fn across_ranks(&mut self, inst: Inst, routine: &RoutineCode) -> Exec<bool> {
        if self.ranks()?.own_rows.is_some() {
            return Ok(false);
        }
        match inst {
            Inst::Literal { dst, literal } => {
                self.bits_slot_mut(dst).elsewhere = 0;
                self.literal(dst, &routine.literals[literal as usize])?;
                self.keep_part(dst, routine)?;
                Ok(true)
            }
            Inst::Lut2 { dst, left, right, .. } => {
                self.row_by_row(inst, dst, &[left, right], routine)
            }
            Inst::Lut3 { dst, of, .. } => self.row_by_row(inst, dst, &of, routine),
            Inst::Query { query, dst, of } if self.is_divided(of) => {
                let answer = match self.answer_of_tape(inst)? {
                    Some(answer) => answer,
                    None => self.query(query, of)?,
                };
                let answer = self.answer_of_ranks(answer, of)?;
                self.set(dst, answer.to(query));
                Ok(true)
            }
            Inst::Step { dst, bits } if self.is_divided(bits) => {
                self.step_across(dst, bits)?;
                Ok(true)
            }
            Inst::Column { dst, table, .. } => {
                self.bits_slot_mut(dst).elsewhere = self.table_slot(table).elsewhere;
                Ok(false)
            }
            Inst::Row { dst, table, index } => {
                self.bits_slot_mut(dst).elsewhere = 0;
                if self.is_divided_table(table) {
                    self.row_across(dst, table, index)?;
                    return Ok(true);
                }
                Ok(false)
            }
            Inst::PutRow { table, index, value } if self.is_divided_table(table) => {
                self.put_row_across(table, index, value)?;
                Ok(true)
            }
            Inst::Bits(bits) => self.bits_across(bits, routine),
            Inst::Table(table) => self.table_across(table),
            Inst::Size(size) => self.size_across(size),
            Inst::Guard { test, .. } => {
                let reads = test.looks_at().into_iter().flatten();
                if reads.into_iter().any(|reg| self.is_divided(reg)) {
                    return Err(unsupported("the value of a partitioned slice as a number"));
                }
                Ok(false)
            }
            Inst::Print(print) => {
                self.print_across(&routine.prints[print as usize])?;
                Ok(true)
            }
            Inst::Read(file) => {
                self.read_across(&routine.files[file as usize])?;
                Ok(true)
            }
            Inst::Write(file) => {
                self.write_across(&routine.files[file as usize])?;
                Ok(true)
            }
            // Both sides of a column are parts of the same rows.
            Inst::PutColumn { .. }
            | Inst::PutRow { .. }
            | Inst::Query { .. }
            | Inst::Step { .. }
            | Inst::Set { .. }
            | Inst::Int { .. }
            | Inst::Compare { .. }
            | Inst::Not { .. }
            | Inst::Logic { .. }
            | Inst::SizeOperand { .. }
            | Inst::SetText { .. }
            | Inst::CopyText { .. }
            | Inst::Cost { .. }
            | Inst::CostTimes { .. }
            | Inst::SafePoint { .. }
            | Inst::Jump(_)
            | Inst::Unless { .. }
            | Inst::ForBegin { .. }
            | Inst::ForNext { .. }
            | Inst::WhileTest { .. }
            | Inst::ForeachNext { .. }
            | Inst::ForallBegin(_)
            | Inst::ForallNext { .. }
            | Inst::Intrinsic
            | Inst::Unset(_)
            | Inst::Call(_)
            | Inst::Return => Ok(false),
        }
    }

    /// Prepares an instruction that computes each component of `dst` from the same component of
    /// `of`; it then runs as it is. If kinds differ, it has run.
    fn row_by_row(
        &mut self,
        inst: Inst,
        dst: Reg,
        of: &[Reg],
        routine: &RoutineCode,
    ) -> Exec<bool> {
        let elsewhere = self.bits_slot(of[0]).elsewhere;
        let is_slice = routine.slices[of[0] as usize];
        let is_like = |reg: &Reg| self.bits_slot(*reg).elsewhere == elsewhere;
        let are_of_a_kind =
            of.iter().chain([&dst]).all(|reg| routine.slices[*reg as usize] == is_slice);
        if are_of_a_kind && of.iter().all(is_like) {
            self.bits_slot_mut(dst).elsewhere = elsewhere;
            return Ok(false);
        }
        self.moved(routine, of, dst, |interpreter| match inst {
            Inst::Lut2 { table, dst, left, right } => interpreter.lut2(table, dst, left, right),
            Inst::Lut3 { table, dst, of } => interpreter.lut3(table, dst, of),
            Inst::Bits(BitsInst::Copy { dst, src }) => interpreter.copy_bits(dst, src),
            other => Err(internal_error(format!("{other:?} is not row by row"))),
        })?;
        Ok(true)
    }

    /// Keeps the parts of the parameters and the result of a routine that this rank owns.
    pub(super) fn keep_params(&mut self, routine: &RoutineCode) -> Exec<()> {
        for (place, _) in &routine.params {
            self.keep_part_of(*place)?;
        }
        routine.result.map_or(Ok(()), |place| self.keep_part_of(place))
    }

    /// Keeps the parts of the arguments of the entry.
    pub(super) fn keep_arguments(&mut self) -> Exec<()> {
        match self.ranks {
            Some(_) => self.keep_params(self.routine()?),
            None => Ok(()),
        }
    }

    /// Completes the counts of a run that ended on all ranks; otherwise ends the others.
    pub(super) fn end_across(&mut self, outcome: Outcome) -> Outcome {
        if self.ranks.is_none() {
            return outcome;
        }
        let is_common = match &outcome {
            Outcome::Done | Outcome::Trap(_) => true,
            Outcome::Limit { kind, .. } => match kind {
                LimitKind::Steps { .. } | LimitKind::Output { .. } | LimitKind::Depth { .. } => {
                    true
                }
                LimitKind::Memory { .. } | LimitKind::Time | LimitKind::Interrupted => false,
            },
            Outcome::Unsupported { .. } => true,
            Outcome::DeviceLost { .. } | Outcome::Internal(_) => false,
        };
        match self.sum_counts(is_common) {
            Ok(()) => outcome,
            Err(stop) => self.end_with(stop),
        }
    }

    fn sum_counts(&mut self, is_common: bool) -> Exec<()> {
        if !is_common {
            self.ranks()?.exchange.abandon();
            return Ok(());
        }
        let Ranks { own_operations, own_steps, .. } = *self.ranks()?;
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let mut counts = [number(own_operations), number(own_steps)];
        self.reduce("end of the run", Reduce::Sum, &mut counts)?;
        self.operations = self.operations.saturating_add(counts[0].unsigned_abs());
        self.steps = self.steps.saturating_add(counts[1].unsigned_abs());
        Ok(())
    }
}

/// Returns the stop for an operation that cannot be distributed.
fn unsupported(what: &str) -> Stop {
    Stop::Unsupported(format!("{what} on several ranks"))
}

fn lost(lost: crate::exchange::Lost) -> Stop {
    Stop::Lost(lost.why)
}
