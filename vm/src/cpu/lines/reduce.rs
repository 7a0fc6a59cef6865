//! Reductions over lines: a `forall` whose iterations combine the line of their index into a slice
//! or word.
//!
//! Or, and, exclusive or are taken in any order, so that the slice or word itself takes one line
//! after another: no iteration needs one of its own. What an iteration does is a function of two
//! bits, that of the slice or word and that of the line.

use std::collections::HashMap;

use star_ir::ReductionOp;

use super::super::class::{Bitwise, Class};
use super::super::code::Forall;
use super::super::inst::Inst;
use super::super::interpreter::Interpreter;
use super::super::operand::{Number, Reg, RegRef, Size, Test};
use super::super::table::form::Line;
use crate::counters::Declined;
use crate::interrupt::Exec;

/// A body that combines lines.
#[derive(Clone, Debug)]
pub(in crate::cpu) struct LineReduction {
    /// The slice or word.
    dst: Reg,
    table: Reg,
    line: Line,
    /// What it takes: bit `2a + b` for its own bit a and the bit b of the line.
    function: u8,
    /// Is that what the body does with what it finds there?
    accumulates: bool,
    /// How long the constants are that it takes.
    fills: Vec<Number>,
    /// Elementary operations of an iteration.
    cost: u64,
}

/// The bit of the slice or word, and that of the line, as functions of both.
const OWN: u8 = 0b1100;
const OF_LINE: u8 = 0b1010;

impl LineReduction {
    /// Compiles the instructions of a body; `None` if it does anything else.
    pub(in crate::cpu) fn compile(forall: &Forall, body: &[Inst]) -> Option<LineReduction> {
        let [(place, op)] = forall.reductions[..] else { return None };
        let dst = place.bits()?;
        let (mut of, mut tables, mut fills, mut cost) = (None, Vec::new(), Vec::new(), 0_u64);
        let mut values = HashMap::from([(dst, OWN)]);
        for inst in body {
            match inst.class() {
                Class::Cost { units } => cost = cost.checked_add(u64::from(units?))?,
                Class::Load { dst: to, table, line, index } => {
                    let is_same = *of.get_or_insert((table, line)) == (table, line);
                    (is_same && index == Number(forall.var)).then_some(())?;
                    values.insert(to, OF_LINE);
                }
                Class::Guard(Test::Index(index, limit)) => {
                    // That the line is there is looked at before all.
                    let own = match limit {
                        Size::Rows(table) => (table, Line::Row),
                        Size::Columns(table) => (table, Line::Column),
                        Size::Value(_) | Size::Length(_) => return None,
                    };
                    let is_same = *of.get_or_insert(own) == own;
                    (is_same && index == Number(forall.var)).then_some(())?;
                }
                // What it combines into is looked at before all, and so is the table.
                Class::Guard(Test::BitsSet(reg) | Test::BitsSized(reg)) => {
                    values.contains_key(&reg).then_some(())?;
                }
                // What it makes is as long as the lines.
                Class::Guard(Test::Size(Size::Length(left), Size::Length(right))) => {
                    let are_lines = values.contains_key(&left) && values.contains_key(&right);
                    are_lines.then_some(())?;
                }
                Class::Guard(Test::TableSet(table)) => tables.push(table),
                Class::Guard(Test::NumberSet(reg)) => (reg == forall.var).then_some(())?,
                Class::Bitwise(op) => {
                    let value = composed(&op, &values)?;
                    values.insert(op.dst, value);
                }
                Class::Fill { dst: to, len, bit } => {
                    fills.push(outer(forall, len)?);
                    values.insert(to, if bit { 0b1111 } else { 0 });
                }
                // Whatever is as long as the lines is not.
                Class::Guard(Test::NotNegative(len)) => fills.push(outer(forall, len)?),
                Class::Guard(_)
                | Class::Store { .. }
                | Class::Reduce { .. }
                | Class::Scalar
                | Class::Other(_)
                | Class::Control => return None,
            }
        }
        let (table, line) = of?;
        tables.iter().all(|other| *other == table).then_some(())?;
        let is_private = |reg: &Reg| {
            *reg == dst || forall.privates.iter().any(|place| place.bits() == Some(*reg))
        };
        values.keys().all(is_private).then_some(())?;
        let body = values[&dst];
        let function = combined(op, body)?;
        let accumulates = function == body;
        Some(LineReduction { dst, table, line, function, accumulates, fills, cost })
    }

    /// Does the body combine into what it finds, so that the slice or word itself can be there?
    pub(in crate::cpu) fn accumulates(&self) -> bool {
        self.accumulates
    }
}

/// The number, if it is the same in every iteration.
fn outer(forall: &Forall, number: Number) -> Option<Number> {
    let is_private = |place: &RegRef| place.number() == Some(number.0);
    let is_own = number == Number(forall.var) || forall.privates.iter().any(is_private);
    (!is_own).then_some(number)
}

/// What the slice or word takes where each iteration finds the neutral element and leaves the
/// `body` of it and its line.
fn combined(op: ReductionOp, body: u8) -> Option<u8> {
    // With zeros for its own bit, and with ones.
    let (of_zeros, of_ones) = (body & 0b11 | (body & 0b11) << 2, body >> 2 | body & 0b1100);
    match op {
        ReductionOp::Or => Some(OWN | of_zeros),
        ReductionOp::Xor => Some(OWN ^ of_zeros),
        ReductionOp::And => Some(OWN & of_ones),
        ReductionOp::Min | ReductionOp::Max | ReductionOp::Add => None,
    }
}

/// The function as one of the two bits that its operands are functions of.
fn composed(op: &Bitwise, values: &HashMap<Reg, u8>) -> Option<u8> {
    let mut of = Vec::with_capacity(3);
    for reg in op.of() {
        of.push(*values.get(reg)?);
    }
    let bit = |bits: u8| {
        let number = of.iter().fold(0, |number, value| number * 2 + (value >> bits & 1));
        op.table >> number & 1
    };
    Some((0..4).map(|bits| bit(bits) << bits).sum())
}

impl Interpreter<'_, '_, '_> {
    /// Combines all lines, if they lie as they are needed; how many there were. Otherwise nothing
    /// has happened. `indices` is an empty list.
    pub(super) fn run_reduction(
        &mut self,
        forall: &Forall,
        reduction: &LineReduction,
        indices: &mut Vec<usize>,
    ) -> Exec<Result<u64, Declined>> {
        let LineReduction { dst, table, line, function, accumulates: _, ref fills, cost } =
            *reduction;
        let (n_lines, len) = (line.number_of(table), line.length_of(table));
        let (Some(n_lines), Some(len)) = (self.size(n_lines), self.size(len)) else {
            return Ok(Err(Declined::Guard));
        };
        if !self.line_indices(n_lines, forall.range, indices) {
            return Ok(Err(Declined::Range));
        }
        let len = len as usize;
        let slot = self.bits_slot(dst);
        let mut lens = fills.iter().map(|fill| self.size(Size::Value(*fill)));
        let is_long = lens.all(|fill| fill == Some(len as u64));
        if !slot.is_set || slot.bits.len() != len || !is_long {
            return Ok(Err(Declined::Guard));
        }
        if indices.is_empty() {
            return Ok(Err(Declined::Empty));
        }
        let is_sparse = self.combines_sparse(table, line, function);
        if !is_sparse && self.table(table)?.lines(line).is_none() {
            return Ok(Err(Declined::Form));
        }
        let at = self.bits_at(dst);
        let mut bits = std::mem::take(&mut self.bits[at].bits);
        let mut known = std::mem::take(&mut self.bits[at].known);
        let done = match is_sparse {
            true => self.combine_sparse((&mut bits, &mut known), table, function, indices),
            false => {
                known.forget();
                self.combine_lines(&mut bits, (table, line), function, indices)
            }
        };
        (self.bits[at].bits, self.bits[at].known) = (bits, known);
        done?;
        let n_turns = indices.len() as u64;
        self.count_turns(n_turns, cost);
        self.unset_locals(forall);
        Ok(Ok(n_turns))
    }

    fn combine_lines(
        &self,
        bits: &mut star_base::BitVector,
        (table, line): (Reg, Line),
        function: u8,
        indices: &[usize],
    ) -> Exec<()> {
        let Some(lines) = self.table(table)?.lines(line) else { return Ok(()) };
        let (storage, stride, kernels) =
            (lines.storage(), lines.stride(), self.parallelism.kernels);
        let len = bits.len();
        self.parallelism.fill(bits.limbs_mut(), indices.len(), |start, part| {
            let n_bits = (len - start * 64).min(part.len() * 64);
            for idx in indices {
                let begin = idx * stride + start;
                kernels.lut2_assign(function, part, &storage[begin..begin + part.len()], n_bits);
            }
        })
    }
}
