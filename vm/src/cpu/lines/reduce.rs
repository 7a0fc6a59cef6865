//! Reductions over lines: a `forall` whose iterations combine the line of their index into a slice
//! or word.
//!
//! Or, and, exclusive or may be evaluated in any order, so that the slice or word itself is
//! combined with one line after another: iterations need no separate values. An iteration is a
//! function of two bits, that of the slice or word and that of the line.

use super::super::code::Forall;
use super::super::interpreter::Interpreter;
use super::super::operand::{Range, Reg};
use super::super::table::form::Line;
use super::{Guards, Operands};
use crate::counters::Declined;
use crate::interrupt::Exec;

/// A body that combines lines.
#[derive(Clone, Debug)]
pub(in crate::cpu) struct LineReduction {
    /// The slice or word.
    dst: Reg,
    table: Reg,
    line: Line,
    /// Its truth table: bit `2a + b` is the result for the bit a of the slice or word and the bit b
    /// of the line.
    function: u8,
    guards: Guards,
    /// Elementary operations of an iteration.
    cost: u64,
}

impl LineReduction {
    pub(in crate::cpu) fn new(
        dst: Reg,
        (table, line): (Reg, Line),
        function: u8,
        guards: Guards,
        cost: u64,
    ) -> Self {
        LineReduction { dst, table, line, function, guards, cost }
    }

    /// Returns its operands.
    pub(super) fn operands(&self) -> Operands<'_> {
        let LineReduction { dst, table, line, function, guards, cost: _ } = self;
        Operands {
            line: *line,
            tables: vec![*table],
            outer: Vec::new(),
            guards,
            combined: Some((*dst, *function)),
            is_bitwise: true,
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Combines all lines and returns their number, if they have the required layout. Otherwise
    /// nothing has changed. `indices` is an empty list.
    pub(super) fn run_reduction(
        &mut self,
        (forall, range): (&Forall, Range),
        reduction: &LineReduction,
        indices: &mut Vec<usize>,
    ) -> Exec<Result<u64, Declined>> {
        let LineReduction { dst, table, line, function, ref guards, cost } = *reduction;
        let Some(len) = self.line_len(line, table) else { return Ok(Err(Declined::Guard)) };
        if let Err(reason) = self.line_indices(guards, range, indices) {
            return Ok(Err(reason));
        }
        let slot = self.bits_slot(dst);
        if !slot.is_set || slot.bits.len() != len || !self.agree(guards, line.length_of(table)) {
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
        let n_iterations = indices.len() as u64;
        self.count_iterations(n_iterations, cost);
        self.unset_locals(forall);
        Ok(Ok(n_iterations))
    }

    fn combine_lines(
        &self,
        bits: &mut star_value::BitVector,
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
