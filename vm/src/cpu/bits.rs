//! Limb-by-limb operations on slices and words. Other operations are in `moves`, `words` and
//! `queries`.

use std::ops::Range;

use star_ir::{Query, Relation};
use star_value::{BitVector, OutOfMemory};

use super::inst::{BitsInst, Inst};
use super::interpreter::Interpreter;
use super::operand::{Number, Reg, Size};
use super::table::form::bytes_of;
use crate::interrupt::{Exec, Stop, internal_error};
use crate::tape::{Answer, swapped};

impl Interpreter<'_, '_, '_> {
    /// Runs an instruction on slices and words.
    pub(super) fn bits_inst(&mut self, inst: BitsInst) -> Exec<()> {
        let all = Inst::Bits(inst);
        match inst {
            BitsInst::Copy { dst, src } => match self.long_function(all, 0b10, dst, &[src])? {
                true => Ok(()),
                false => self.copy_bits(dst, src),
            },
            BitsInst::Fill { dst, len, bit } => {
                let len = self.known_size(Size::Value(len))?;
                match self.long_fill(dst, len, bit)? {
                    true => Ok(()),
                    false => self.fill(dst, len, bit),
                }
            }
            BitsInst::Not { dst, src } => match self.long_function(all, 0b01, dst, &[src])? {
                true => Ok(()),
                false => self.not_bits(dst, src),
            },
            BitsInst::KeepFirst { dst, src } => self.keep_first(dst, src),
            BitsInst::Mask { dst, size, from, to } => self.mask(dst, size, from, to),
            BitsInst::Shift { dst, src, direction, by } => self.shift(dst, src, direction, by),
            BitsInst::Rotate { dst, src, by } => self.rotate(dst, src, by),
            BitsInst::Mirror { dst, src } => self.mirror(dst, src),
            BitsInst::Shuffle { dst, src } => self.shuffle(dst, src),
            BitsInst::Trim { dst, word, base, width } => self.trim(dst, word, base, width),
            BitsInst::AddWords { dst, left, right } => self.add_words(dst, left, right, true),
            BitsInst::SubWords { dst, left, right } => self.add_words(dst, left, right, false),
            BitsInst::IntToWord { dst, value, width } => self.int_to_word(dst, value, width),

            BitsInst::Equal { dst, left, right } => {
                let equal = self.order(left, right, false)?.is_eq();
                self.set(dst, i64::from(equal));
                Ok(())
            }
            BitsInst::CompareWords { relation, dst, left, right } => {
                let with_order = !matches!(relation, Relation::Eq | Relation::Ne);
                let ordering = self.order(left, right, with_order)?;
                self.set(dst, i64::from(relation.holds(ordering)));
                Ok(())
            }
            BitsInst::Component { dst, bits, index } => {
                let idx = self.place(index, Size::Length(bits))?;
                let bit = self.bits(bits).get(idx);
                self.set(dst, i64::from(bit));
                Ok(())
            }
            BitsInst::QueryLut { query, table, dst, left, right } => {
                let answer = if query == Query::Count {
                    Answer::Count(self.count_lut(table, left, right)?)
                } else {
                    Answer::First(self.first_lut(table, left, right)?)
                };
                self.set(dst, answer.to(query));
                Ok(())
            }
            BitsInst::WordToInt { dst, word } => {
                let number = self.int_of(word)?;
                let number =
                    number.ok_or_else(|| internal_error("a word too large for an integer"))?;
                self.set(dst, number);
                Ok(())
            }

            BitsInst::Put { bits, index, bit } => {
                let idx = self.place(index, Size::Length(bits))?;
                let bit = self.bit(bit)?;
                let Interpreter { bits: slots, base, parallelism, .. } = self;
                let slot = &mut slots[base.bits + bits as usize];
                slot.bits.put(idx, bit);
                slot.known.put(idx, bit, &parallelism.settings);
                Ok(())
            }
            BitsInst::Replace { word, base, value } => self.replace(word, base, value),
        }
    }

    /// Returns a zero-based index into something of this size.
    #[inline]
    pub(super) fn place(&self, index: Number, size: Size) -> Exec<usize> {
        let high = self.size(size).unwrap_or(0);
        index_in(self.number(index), usize::try_from(high).unwrap_or(usize::MAX))
    }

    /// Returns the part `base + 1 ..= base + width` of `len` positions, zero-based.
    pub(super) fn part(&self, base: Number, width: usize, len: usize) -> Exec<Range<usize>> {
        part_of(self.number(base), width, len)
    }

    pub(super) fn bit(&self, bit: Number) -> Exec<bool> {
        match self.number(bit) {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(internal_error("a bit that is neither 0 nor 1")),
        }
    }

    /// Reports that the system refused memory.
    pub(super) fn out_of_memory(&self, wanted: OutOfMemory) -> Stop {
        self.budget.no_memory_for(u64::try_from(wanted.n_bytes).unwrap_or(u64::MAX))
    }

    #[inline]
    pub(super) fn same_length(&self, left: Reg, right: Reg) -> Exec<usize> {
        let (n, m) = (self.bits(left).len(), self.bits(right).len());
        if n == m { Ok(n) } else { Err(internal_error("bits of different sizes")) }
    }

    /// Sets register `dst` to `len` bits that `make` writes. If `dst` is also an operand, the bits
    /// are written to other memory first.
    #[inline]
    pub(super) fn make(
        &mut self,
        dst: Reg,
        len: usize,
        is_operand: bool,
        make: impl FnOnce(&Self, &mut [u64]) -> Exec<()>,
    ) -> Exec<()> {
        self.budget.reserve(bytes_of(len))?;
        let at = self.base.bits + dst as usize;
        let before = self.bits[at].n_bytes();
        let mut bits =
            std::mem::take(if is_operand { &mut self.spare } else { &mut self.bits[at].bits });
        let made = self.lengthen(&mut bits, len);
        let made = match made {
            Ok(()) => make(self, bits.limbs_mut()),
            Err(stop) => Err(stop),
        };
        if let Err(stop) = made {
            // Partially written bits may already have another length.
            let slot = &mut self.bits[at];
            if !is_operand {
                slot.bits = bits;
            }
            slot.known.forget();
            self.budget.exchange(before, slot.n_bytes());
            return Err(stop);
        }
        let slot = &mut self.bits[at];
        if is_operand {
            std::mem::swap(&mut slot.bits, &mut bits);
            if bytes_of(bits.len()) <= MOST_SPARE_BYTES {
                self.spare = bits;
            } else {
                self.budget.recycle_bits(bits);
            }
        } else {
            slot.bits = bits;
        }
        slot.known.forget();
        slot.is_set = true;
        self.budget.exchange(before, bytes_of(len));
        Ok(())
    }

    /// Gives bits a length, reusing spare memory if there is any; their contents are unspecified
    /// afterwards.
    #[inline]
    pub(super) fn lengthen(&mut self, bits: &mut BitVector, len: usize) -> Exec<()> {
        if bits.len() == len { Ok(()) } else { self.change_length(bits, len) }
    }

    #[inline(never)]
    fn change_length(&mut self, bits: &mut BitVector, len: usize) -> Exec<()> {
        if let Some(limbs) = self.budget.recycled(len.div_ceil(64)) {
            let before = std::mem::replace(bits, BitVector::in_used(len, limbs));
            self.budget.recycle_bits(before);
            self.paths.slices_recycled += 1;
            return Ok(());
        }
        if bits.resize(len).is_ok() {
            return Ok(());
        }
        self.budget.drop_recycled();
        bits.resize(len).map_err(|wanted| self.out_of_memory(wanted))
    }

    /// Copies bits into other memory after a check of the limit; the copy does not count yet.
    pub(super) fn second_bits(&self, bits: &BitVector) -> Exec<BitVector> {
        self.parallelism.copy(bits)?.map_err(|wanted| self.out_of_memory(wanted))
    }

    pub(super) fn copy_bits(&mut self, dst: Reg, src: Reg) -> Exec<()> {
        if dst == src {
            return self.budget.reserve(bytes_of(self.bits(src).len()));
        }
        self.make(dst, self.bits(src).len(), false, |interpreter, to| {
            let from = interpreter.bits(src).limbs();
            interpreter.parallelism.fill(to, 1, |start, part| {
                part.copy_from_slice(&from[start..start + part.len()]);
            })
        })
    }

    pub(super) fn fill(&mut self, dst: Reg, len: usize, bit: bool) -> Exec<()> {
        self.make(dst, len, false, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            interpreter.parallelism.fill(to, 1, |start, part| {
                kernels.fill(part, bit, bits_in(len, start, part));
            })
        })
    }

    pub(super) fn literal(&mut self, dst: Reg, literal: &BitVector) -> Exec<()> {
        self.make(dst, literal.len(), false, |_, to| {
            to.copy_from_slice(literal.limbs());
            Ok(())
        })
    }

    fn not_bits(&mut self, dst: Reg, src: Reg) -> Exec<()> {
        let len = self.bits(src).len();
        self.make(dst, len, dst == src, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let from = interpreter.bits(src).limbs();
            interpreter.parallelism.fill(to, 1, |start, part| {
                let from = &from[start..start + part.len()];
                kernels.not(part, from, bits_in(len, start, part));
            })
        })
    }

    /// Sets `dst` to a function of two slices or words; see Note [Truth tables] in
    /// `crate::tape::lut`.
    #[inline]
    pub(super) fn lut2(&mut self, table: u8, dst: Reg, left: Reg, right: Reg) -> Exec<()> {
        let len = self.same_length(left, right)?;
        if dst == left && dst != right {
            return self.lut2_assign(table, dst, right);
        }
        if dst == right && dst != left {
            return self.lut2_assign(swapped(table), dst, left);
        }
        self.make(dst, len, dst == left, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let (left, right) = (interpreter.bits(left).limbs(), interpreter.bits(right).limbs());
            interpreter.parallelism.fill(to, 1, |start, part| {
                let range = start..start + part.len();
                let (left, right) = (&left[range.clone()], &right[range]);
                kernels.lut2(table, part, left, right, bits_in(len, start, part));
            })
        })
    }

    /// Sets `dst` to a function of itself and another operand, in place.
    #[inline]
    fn lut2_assign(&mut self, table: u8, dst: Reg, other: Reg) -> Exec<()> {
        let Interpreter { bits, base, parallelism, budget, .. } = self;
        let slots = [base.bits + dst as usize, base.bits + other as usize];
        let [slot, other] =
            bits.get_disjoint_mut(slots).map_err(|_| internal_error("no such register"))?;
        let len = slot.bits.len();
        budget.reserve(bytes_of(len))?;
        // Known zeros stay zero if the function maps zeros to zero.
        let zeros = if table & 0b0011 == 0 { slot.known.zeros } else { 0 };
        slot.known.forget();
        slot.known.zeros = zeros;
        let (kernels, other) = (parallelism.kernels, other.bits.limbs());
        parallelism.fill(slot.bits.limbs_mut(), 1, |start, part| {
            let n_bits = bits_in(len, start, part);
            kernels.lut2_assign(table, part, &other[start..start + part.len()], n_bits);
        })
    }

    /// Sets `dst` to a function of three slices or words.
    pub(super) fn lut3(&mut self, table: u8, dst: Reg, of: [Reg; 3]) -> Exec<()> {
        let [a, b, c] = of;
        let len = self.same_length(a, b)?;
        self.same_length(a, c)?;
        self.make(dst, len, of.contains(&dst), |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            let [a, b, c] = of.map(|reg| interpreter.bits(reg).limbs());
            interpreter.parallelism.fill(to, 1, |start, part| {
                let range = start..start + part.len();
                let (a, b, c) = (&a[range.clone()], &b[range.clone()], &c[range]);
                kernels.lut3(table, part, a, b, c, bits_in(len, start, part));
            })
        })
    }

    pub(super) fn keep_first(&mut self, dst: Reg, src: Reg) -> Exec<()> {
        let len = self.bits(src).len();
        let first = self.first_from(src, 0)?;
        self.make(dst, len, false, |interpreter, to| {
            interpreter.parallelism.fill(to, 1, |_, part| part.fill(0))?;
            if let Some(first) = first {
                to[first / 64] = 1 << (first % 64);
            }
            Ok(())
        })
    }

    fn mask(&mut self, dst: Reg, size: Number, from: Number, to: Number) -> Exec<()> {
        let (len, ones) = self.ones_of_mask(size, from, to)?;
        self.mask_ones(dst, len, ones)
    }

    /// Returns the length of a mask, and its ones, zero-based.
    pub(super) fn ones_of_mask(
        &self,
        size: Number,
        from: Number,
        to: Number,
    ) -> Exec<(usize, Range<usize>)> {
        let len = self.known_size(Size::Value(size))?;
        let (from, to) = (self.number(from), self.number(to));
        let base = from.checked_sub(1).ok_or_else(|| {
            internal_error(
                "a mask that starts at the minimum \
                integer",
            )
        })?;
        let width = to.checked_sub(base).and_then(|width| usize::try_from(width).ok());
        let width = width.ok_or_else(|| internal_error("a mask of negative width"))?;
        Ok((len, part_of(base, width, len)?))
    }

    /// Sets `dst` to `len` components of which a range are ones.
    pub(super) fn mask_ones(&mut self, dst: Reg, len: usize, ones: Range<usize>) -> Exec<()> {
        self.make(dst, len, false, |interpreter, to| {
            let kernels = interpreter.parallelism.kernels;
            interpreter.parallelism.fill(to, 1, |start, part| {
                let len = bits_in(len, start, part);
                let within = |at: usize| at.saturating_sub(start * 64).min(len);
                kernels.mask(part, len, within(ones.start)..within(ones.end));
            })
        })
    }
}

/// Maximum number of bytes kept for results that may not overwrite their operands.
const MOST_SPARE_BYTES: u64 = 16 << 20;

/// Returns a zero-based index into `len` elements.
#[inline]
pub(super) fn index_in(index: i64, len: usize) -> Exec<usize> {
    match usize::try_from(index) {
        Ok(index @ 1..) if index <= len => Ok(index - 1),
        Ok(_) | Err(_) => Err(internal_error("an index out of bounds")),
    }
}

/// Counts how many of `len` bits are in `part`, which begins at limb `start`.
pub(super) fn bits_in(len: usize, start: usize, part: &[u64]) -> usize {
    (len - start * 64).min(part.len() * 64)
}

/// Returns the part `base + 1 ..= base + width` of `len` positions, zero-based.
fn part_of(base: i64, width: usize, len: usize) -> Exec<Range<usize>> {
    let base = usize::try_from(base).ok();
    let part = base.and_then(|base| Some(base..base.checked_add(width)?));
    let part = part.filter(|part| part.end <= len);
    part.ok_or_else(|| internal_error("a part out of bounds"))
}
