//! Moves of bits to other positions: shifts, rotation, parts of words.

use star_ir::Direction;

use super::bits::bits_in;
use super::interpreter::Interpreter;
use super::operand::{Number, Reg, Size};
use crate::interrupt::{Exec, internal_error};

impl Interpreter<'_, '_, '_> {
    pub(super) fn shift(
        &mut self,
        dst: Reg,
        src: Reg,
        direction: Direction,
        by: Number,
    ) -> Exec<()> {
        let len = self.bits(src).len();
        let by = usize::try_from(self.number(by)).unwrap_or(usize::MAX).min(len);
        self.make(dst, len, dst == src, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let from = interpreter.bits(src).limbs();
            interpreter.parallelism.fill(to, 1, |start, part| {
                if part.len() == from.len() {
                    match direction {
                        Direction::Up => kernels.shift_up(part, from, len, by),
                        Direction::Down => kernels.shift_down(part, from, len, by),
                    }
                    return;
                }
                let n = bits_in(len, start, part);
                let at = start * 64;
                part.fill(0);
                // Destination and source of the bits in this part that are not shifted in.
                let (to_bit, from_bit) = match direction {
                    Direction::Up => (0, at + by),
                    Direction::Down => (by.saturating_sub(at), at.saturating_sub(by)),
                };
                let n = n.saturating_sub(to_bit).min(len.saturating_sub(from_bit));
                if n > 0 {
                    kernels.copy_bits(part, to_bit, from, from_bit, n);
                }
            })
        })
    }

    pub(super) fn rotate(&mut self, dst: Reg, src: Reg, by: Number) -> Exec<()> {
        let len = self.bits(src).len();
        let by = self.number(by).rem_euclid((len as i64).max(1)) as usize;
        self.make(dst, len, dst == src, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let from = interpreter.bits(src).limbs();
            interpreter.parallelism.fill(to, 1, |start, part| {
                if part.len() == from.len() {
                    kernels.rotate(part, from, len, by);
                    return;
                }
                let n = bits_in(len, start, part);
                let at = start * 64;
                // Position j gets the bit at j − by: positions before `by` get the end, the others
                // the beginning.
                let n_end = by.saturating_sub(at).min(n);
                part.fill(0);
                if n_end > 0 {
                    kernels.copy_bits(part, 0, from, len - by + at, n_end);
                }
                if n > n_end {
                    kernels.copy_bits(part, n_end, from, at + n_end - by, n - n_end);
                }
            })
        })
    }

    pub(super) fn mirror(&mut self, dst: Reg, src: Reg) -> Exec<()> {
        let len = self.bits(src).len();
        self.make(dst, len, dst == src, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let from = interpreter.bits(src).limbs();
            interpreter.parallelism.fill(to, 1, |start, part| {
                kernels.mirror(part, &from[..from.len() - start], len - start * 64);
            })
        })
    }

    pub(super) fn shuffle(&mut self, dst: Reg, src: Reg) -> Exec<()> {
        let len = self.bits(src).len();
        if !len.is_multiple_of(2) {
            return Err(internal_error(format!("a shuffle of {len} components")));
        }
        self.make(dst, len, dst == src, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let from = interpreter.bits(src).limbs();
            interpreter
                .parallelism
                .fill(to, 1, |start, part| kernels.shuffle(part, from, len, start))
        })
    }

    pub(super) fn trim(&mut self, dst: Reg, word: Reg, base: Number, width: Number) -> Exec<()> {
        let width = self.known_size(Size::Value(width))?;
        let part = self.part(base, width, self.bits(word).len())?;
        self.make(dst, width, dst == word, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let from = interpreter.bits(word).limbs();
            interpreter.parallelism.fill(to, 1, |start, piece| {
                let n = bits_in(width, start, piece);
                piece.fill(0);
                let from_bit = part.start + start * 64;
                kernels.copy_bits(piece, 0, from, from_bit, n);
            })
        })
    }

    pub(super) fn replace(&mut self, word: Reg, base: Number, value: Reg) -> Exec<()> {
        if word == value {
            return Ok(());
        }
        let n = self.bits(value).len();
        let part = self.part(base, n, self.bits(word).len())?;
        let at = self.base.bits + word as usize;
        let mut bits = std::mem::take(&mut self.bits[at].bits);
        let value = self.bits(value).limbs();
        let kernels = self.parallelism.kernels;
        let first = part.start / 64;
        let touched = &mut bits.limbs_mut()[first..part.end.div_ceil(64).max(first)];
        let done = self.parallelism.fill(touched, 1, |start, piece| {
            let at = (first + start) * 64;
            let here = part.start.max(at)..part.end.min(at + piece.len() * 64);
            kernels.copy_bits(piece, here.start - at, value, here.start - part.start, here.len());
        });
        let slot = &mut self.bits[at];
        slot.bits = bits;
        slot.known.forget();
        done
    }
}
