//! Words as numbers.

use std::cmp::Ordering;

use star_ir::IntOp;

use super::bits::bits_in;
use super::interpreter::Interpreter;
use super::operand::{Number, Reg, Size};
use super::parallelism::Parallelism;
use crate::interrupt::{Exec, internal_error};
use crate::scalars;

impl Interpreter<'_, '_, '_> {
    pub(super) fn add_words(&mut self, dst: Reg, left: Reg, right: Reg, adds: bool) -> Exec<()> {
        let len = self.same_length(left, right)?;
        self.make(dst, len, dst == left || dst == right, |interpreter, to| {
            let (kernels, parallelism) =
                (interpreter.parallelism.kernels, &interpreter.parallelism);
            let (v, w) = (interpreter.bits(left).limbs(), interpreter.bits(right).limbs());
            let add = |start: usize, part: &mut [u64], carry: bool| {
                let range = start..start + part.len();
                let len = bits_in(len, start, part);
                let (v, w) = (&v[range.clone()], &w[range]);
                match adds {
                    true => kernels.add(part, v, w, len, carry),
                    false => kernels.sub(part, v, w, len, carry),
                };
            };
            let piece_limbs = parallelism.settings.piece_limbs.max(1);
            if to.len() <= piece_limbs {
                add(0, to, false);
                return Ok(());
            }
            let carries = carries(v, w, adds, piece_limbs, parallelism)?;
            let n_limbs = to.len();
            parallelism.chunks(
                to,
                piece_limbs,
                n_limbs,
                || (),
                |(), idx, part| {
                    add(idx * piece_limbs, part, carries[idx]);
                },
            )
        })
    }

    pub(super) fn int_to_word(&mut self, dst: Reg, value: Number, width: Number) -> Exec<()> {
        let len = self.known_size(Size::Value(width))?;
        let value = self.number(value);
        if !scalars::fits(value, len) {
            return Err(internal_error(format!("the number {value} in {len} bits")));
        }
        self.make(dst, len, false, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let (zeros, digits) = to.split_at_mut(to.len().saturating_sub(2));
            interpreter.parallelism.fill(zeros, 1, |_, part| part.fill(0))?;
            kernels.from_int(digits, value, len - zeros.len() * 64);
            Ok(())
        })
    }

    /// Returns the number encoded by a word; `None` if it exceeds the integers.
    pub(super) fn int_of(&self, word: Reg) -> Exec<Option<i64>> {
        let Some(first) = self.first_from(word, 0)? else { return Ok(Some(0)) };
        let bits = self.bits(word);
        if bits.len() - first > 63 {
            return Ok(None);
        }
        let before = bits.limbs().len().saturating_sub(2);
        Ok(self.parallelism.kernels.to_int(&bits.limbs()[before..], bits.len() - before * 64))
    }

    /// Does the operation carry? A sum carries if one addend is greater than the complement of the
    /// other; a difference borrows if it is negative.
    pub(super) fn word_carries(&self, op: IntOp, left: Reg, right: Reg) -> Exec<bool> {
        if op == IntOp::Sub {
            return Ok(self.order(left, right, true)?.is_lt());
        }
        let (v, w) = (self.bits(left).limbs(), self.bits(right).limbs());
        // The most significant position where both bits are equal decides.
        let found = self.parallelism.find(v.len(), |range| {
            let mut limbs = v[range.clone()].iter().zip(&w[range]);
            let (v, same) = limbs.find_map(|(v, w)| (v ^ w != !0).then_some((v, !(v ^ w))))?;
            Some(v >> same.trailing_zeros() & 1 == 1)
        })?;
        Ok(found.unwrap_or(false))
    }

    /// Compares bits; without `with_order`, only for equality.
    pub(super) fn order(&self, left: Reg, right: Reg, with_order: bool) -> Exec<Ordering> {
        self.same_length(left, right)?;
        let (v, w) = (self.bits(left).limbs(), self.bits(right).limbs());
        let kernels = self.parallelism.kernels;
        let found = self.parallelism.find(v.len(), |range| {
            let (v, w) = (&v[range.clone()], &w[range]);
            let ordering = match with_order {
                true => kernels.compare(v, w),
                false if kernels.equal(v, w) => Ordering::Equal,
                false => Ordering::Less,
            };
            ordering.is_ne().then_some(ordering)
        })?;
        Ok(found.unwrap_or(Ordering::Equal))
    }
}

/// Returns whether a carry or borrow enters each piece of two words. The carry out of a piece
/// usually depends only on its first limb, the most significant one: the carry in matters only if
/// the sum of two digits is the maximum digit, or their difference zero.
fn carries(
    v: &[u64],
    w: &[u64],
    adds: bool,
    piece_limbs: usize,
    parallelism: &Parallelism<'_>,
) -> Exec<Vec<bool>> {
    let mut carries = vec![false; v.len().div_ceil(piece_limbs)];
    let passes_on = |x: u64, y: u64| if adds { x ^ y == !0 } else { x == y };
    for idx in (1..carries.len()).rev() {
        parallelism.poll()?;
        let piece = idx * piece_limbs..v.len().min((idx + 1) * piece_limbs);
        let mut digits = v[piece.clone()].iter().zip(&w[piece]);
        carries[idx - 1] = match digits.find(|(x, y)| !passes_on(**x, **y)) {
            Some((x, y)) => {
                let (x, y) = (x.reverse_bits(), y.reverse_bits());
                if adds { x.checked_add(y).is_none() } else { x < y }
            }
            None => carries[idx],
        };
    }
    Ok(carries)
}
