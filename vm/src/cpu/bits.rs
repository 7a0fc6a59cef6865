//! Operations on slices and words.

use std::cmp::Ordering;
use std::ops::Range;

use star_base::BitVector;
use star_base::limbs::OutOfMemory;
use star_ir::{Direction, LogicOp, Relation};

use super::code::{Ask, Inst, Number, Reg, Size};
use super::machine::Machine;
use super::value::bytes_of;
use crate::scalars;
use crate::stop::{Step, Stop, broken};

impl Machine<'_, '_, '_> {
    /// Runs an instruction that works on bits or tables.
    pub(super) fn data(&mut self, inst: Inst) -> Step<()> {
        match inst {
            Inst::CopyBits { dst, src } => self.copy_bits(dst, src),
            Inst::Fill { dst, len, bit } => self.fill(dst, len, bit),
            Inst::NotBits { dst, src } => self.not_bits(dst, src),
            Inst::LogicLogic { inner, outer, dst, a, b, c } => {
                self.logic_logic(inner, outer, dst, [a, b, c])
            }
            Inst::Logic2 { table, dst, left, right } => self.logic2(table, dst, left, right),
            Inst::KeepFirst { dst, src } => self.keep_first(dst, src),
            Inst::Mask { dst, size, from, to } => self.mask(dst, size, from, to),
            Inst::Shift { dst, src, direction, by } => self.shift(dst, src, direction, by),
            Inst::Rotate { dst, src, by } => self.rotate(dst, src, by),
            Inst::Mirror { dst, src } => self.mirror(dst, src),
            Inst::Shuffle { dst, src } => self.shuffle(dst, src),
            Inst::Trim { dst, word, base, width } => self.trim(dst, word, base, width),
            Inst::AddWords { dst, left, right } => self.add_words(dst, left, right, true),
            Inst::SubWords { dst, left, right } => self.add_words(dst, left, right, false),
            Inst::IntToWord { dst, value, width } => self.int_to_word(dst, value, width),

            Inst::EqualBits { dst, left, right } => {
                let equal = self.order(left, right, false)?.is_eq();
                self.set(dst, i64::from(equal));
                Ok(())
            }
            Inst::CompareWords { relation, dst, left, right } => {
                let with_order = !matches!(relation, Relation::Eq | Relation::Ne);
                let ordering = self.order(left, right, with_order)?;
                self.set(dst, i64::from(scalars::holds(relation, ordering)));
                Ok(())
            }
            Inst::Component { dst, bits, index } => {
                let idx = self.place(index, Size::Length(bits))?;
                let bit = self.bits(bits).get(idx);
                self.set(dst, i64::from(bit));
                Ok(())
            }
            Inst::AskLogic { ask, op, dst, left, right } => {
                let found = self.ask_logic(ask, op, left, right)?;
                self.set(dst, found);
                Ok(())
            }
            Inst::WordToInt { dst, word } => {
                let bits = self.bits(word);
                let number = self.spread.kernels.to_int(bits.limbs(), bits.len());
                let number = number.ok_or_else(|| broken("a word beyond the integers"))?;
                self.set(dst, number);
                Ok(())
            }

            Inst::Put { bits, index, bit } => {
                let idx = self.place(index, Size::Length(bits))?;
                let bit = self.bit(bit)?;
                let slot = self.bits_slot_mut(bits);
                slot.bits.put(idx, bit);
                slot.zeros = slot.zeros.min(idx / 64);
                Ok(())
            }
            Inst::Replace { word, base, value } => self.replace(word, base, value),
            Inst::Adapt { bits, size } => {
                self.adapt(bits, size);
                Ok(())
            }
            Inst::Fix { bits, size } => {
                let size = self.known_size(Size::Value(size))?;
                let slot = self.bits_slot_mut(bits);
                let keeps = slot.is_set || (slot.fixed && slot.size.is_some());
                if !keeps {
                    slot.size = Some(size);
                }
                Ok(())
            }
            Inst::Latch { dst, size } => {
                let at = self.base.numbers + dst as usize;
                let number = match size {
                    Size::Value(number) => Some(self.number(number)),
                    Size::Length(_) | Size::Rows(_) | Size::Columns(_) => {
                        self.size(size).map(|size| size as i64)
                    }
                };
                if let (false, Some(number)) = (self.numbers_set[at], number) {
                    self.set(dst, number);
                }
                Ok(())
            }
            other => self.tables(other),
        }
    }

    /// An index of something of this size, from 0.
    #[inline]
    pub(super) fn place(&self, index: Number, size: Size) -> Step<usize> {
        let index = self.number(index);
        let high = self.size(size).unwrap_or(0);
        if index >= 1 && index as u64 <= high {
            Ok(index as usize - 1)
        } else {
            Err(broken("an index outside of what it is of"))
        }
    }

    /// The part `base + 1 ..= base + width` of `len` places, from 0.
    pub(super) fn part(&self, base: Number, width: usize, len: usize) -> Step<Range<usize>> {
        part_of(self.number(base), width, len)
    }

    pub(super) fn bit(&self, bit: Number) -> Step<bool> {
        match self.number(bit) {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(broken("a bit that is neither 0 nor 1")),
        }
    }

    /// The system refused memory.
    pub(super) fn out_of_memory(&self, wanted: OutOfMemory) -> Stop {
        let bytes = u64::try_from(wanted.n_bytes).unwrap_or(u64::MAX);
        let alive = self.room.alive();
        self.room.refused(alive, alive.saturating_add(bytes))
    }

    fn same_length(&self, left: Reg, right: Reg) -> Step<usize> {
        let (n, m) = (self.bits(left).len(), self.bits(right).len());
        if n == m { Ok(n) } else { Err(broken("bits of different sizes")) }
    }

    /// Register `dst` takes `len` bits that `make` writes. Where it is one of the operands too, they are
    /// made elsewhere first.
    #[inline]
    pub(super) fn make(
        &mut self,
        dst: Reg,
        len: usize,
        is_operand: bool,
        make: impl FnOnce(&Self, &mut [u64]) -> Step<()>,
    ) -> Step<()> {
        self.room.ask(bytes_of(len))?;
        let at = self.base.bits + dst as usize;
        let before = self.bits[at].n_bytes();
        let mut bits =
            std::mem::take(if is_operand { &mut self.spare } else { &mut self.bits[at].bits });
        let made = if bits.len() == len {
            Ok(())
        } else {
            bits.resize(len).map_err(|wanted| self.out_of_memory(wanted))
        };
        let made = match made {
            Ok(()) => make(self, bits.limbs_mut()),
            Err(stop) => Err(stop),
        };
        if let Err(stop) = made {
            // Bits that were not made whole may have another length already.
            let slot = &mut self.bits[at];
            if !is_operand {
                slot.bits = bits;
            }
            slot.zeros = 0;
            let after = slot.n_bytes();
            self.room.give(before);
            self.room.take(after);
            return Err(stop);
        }
        let slot = &mut self.bits[at];
        if is_operand {
            std::mem::swap(&mut slot.bits, &mut bits);
            if bytes_of(bits.len()) <= MOST_SPARE_BYTES {
                self.spare = bits;
            }
        } else {
            slot.bits = bits;
        }
        slot.zeros = 0;
        slot.is_set = true;
        if before != bytes_of(len) {
            self.room.give(before);
            self.room.take(bytes_of(len));
        }
        Ok(())
    }

    pub(super) fn copy_bits(&mut self, dst: Reg, src: Reg) -> Step<()> {
        if dst == src {
            return self.room.ask(bytes_of(self.bits(src).len()));
        }
        self.make(dst, self.bits(src).len(), false, |machine, to| {
            let from = machine.bits(src).limbs();
            machine.spread.fill(to, 1, |start, part| {
                part.copy_from_slice(&from[start..start + part.len()]);
            })
        })
    }

    fn fill(&mut self, dst: Reg, len: Number, bit: bool) -> Step<()> {
        let len = self.known_size(Size::Value(len))?;
        self.make(dst, len, false, |machine, to| {
            let kernels = machine.spread.kernels;
            machine.spread.fill(to, 1, |start, part| {
                kernels.fill(part, bit, bits_in(len, start, part));
            })
        })
    }

    pub(super) fn literal(&mut self, dst: Reg, literal: &BitVector) -> Step<()> {
        self.make(dst, literal.len(), false, |_, to| {
            to.copy_from_slice(literal.limbs());
            Ok(())
        })
    }

    fn not_bits(&mut self, dst: Reg, src: Reg) -> Step<()> {
        let len = self.bits(src).len();
        self.make(dst, len, dst == src, |machine, to| {
            let kernels = machine.spread.kernels;
            let from = machine.bits(src).limbs();
            machine.spread.fill(to, 1, |start, part| {
                let from = &from[start..start + part.len()];
                kernels.not(part, from, bits_in(len, start, part));
            })
        })
    }

    #[inline]
    pub(super) fn logic_bits(&mut self, op: LogicOp, dst: Reg, left: Reg, right: Reg) -> Step<()> {
        let len = self.same_length(left, right)?;
        if dst == left || dst == right {
            let other = if dst == left { right } else { left };
            return self.logic_assign(op, dst, other);
        }
        self.make(dst, len, false, |machine, to| {
            let kernels = machine.spread.kernels;
            let (left, right) = (machine.bits(left).limbs(), machine.bits(right).limbs());
            machine.spread.fill(to, 1, |start, part| {
                let range = start..start + part.len();
                kernels.logic(op, part, &left[range.clone()], &right[range]);
            })
        })
    }

    /// `dst = dst op other`, in place.
    #[inline]
    fn logic_assign(&mut self, op: LogicOp, dst: Reg, other: Reg) -> Step<()> {
        let Machine { bits, base, spread, room, .. } = self;
        let (dst, other) = (base.bits + dst as usize, base.bits + other as usize);
        if dst == other {
            // x and x, x or x are x.
            let bits = &mut bits[dst].bits;
            room.ask(bytes_of(bits.len()))?;
            return match op {
                LogicOp::And | LogicOp::Or => Ok(()),
                LogicOp::Xor => spread.fill(bits.limbs_mut(), 1, |_, part| part.fill(0)),
            };
        }
        let [slot, other] =
            bits.get_disjoint_mut([dst, other]).map_err(|_| broken("no such register"))?;
        room.ask(bytes_of(slot.bits.len()))?;
        if op != LogicOp::And {
            slot.zeros = 0;
        }
        let (kernels, other) = (spread.kernels, other.bits.limbs());
        spread.fill(slot.bits.limbs_mut(), 1, |start, part| {
            kernels.logic_assign(op, part, &other[start..start + part.len()]);
        })
    }

    fn logic_logic(
        &mut self,
        inner: LogicOp,
        outer: LogicOp,
        dst: Reg,
        operands: [Reg; 3],
    ) -> Step<()> {
        let [a, b, c] = operands;
        let len = self.same_length(a, b)?;
        self.same_length(a, c)?;
        self.make(dst, len, operands.contains(&dst), |machine, to| {
            let kernels = machine.spread.kernels;
            let [a, b, c] = operands.map(|reg| machine.bits(reg).limbs());
            machine.spread.fill(to, 1, |start, part| {
                let range = start..start + part.len();
                let (a, b, c) = (&a[range.clone()], &b[range.clone()], &c[range]);
                kernels.logic_logic(inner, outer, part, a, b, c);
            })
        })
    }

    fn logic2(&mut self, table: u8, dst: Reg, left: Reg, right: Reg) -> Step<()> {
        let len = self.same_length(left, right)?;
        self.make(dst, len, dst == left || dst == right, |machine, to| {
            let kernels = machine.spread.kernels;
            let (left, right) = (machine.bits(left).limbs(), machine.bits(right).limbs());
            machine.spread.fill(to, 1, |start, part| {
                let range = start..start + part.len();
                let (left, right) = (&left[range.clone()], &right[range]);
                kernels.logic2(table, part, left, right, bits_in(len, start, part));
            })
        })
    }

    fn keep_first(&mut self, dst: Reg, src: Reg) -> Step<()> {
        let len = self.bits(src).len();
        let first = self.first_from(src, 0)?;
        self.make(dst, len, false, |machine, to| {
            machine.spread.fill(to, 1, |_, part| part.fill(0))?;
            if let Some(first) = first {
                to[first / 64] = 1 << (first % 64);
            }
            Ok(())
        })
    }

    fn mask(&mut self, dst: Reg, size: Number, from: Number, to: Number) -> Step<()> {
        let len = self.known_size(Size::Value(size))?;
        let (from, to) = (self.number(from), self.number(to));
        let base = from.checked_sub(1).ok_or_else(|| broken("a mask from the least integer"))?;
        let width = to.checked_sub(base).and_then(|width| usize::try_from(width).ok());
        let width = width.ok_or_else(|| broken("a mask of less than nothing"))?;
        let ones = part_of(base, width, len)?;
        self.make(dst, len, false, |machine, to| {
            let kernels = machine.spread.kernels;
            machine.spread.fill(to, 1, |start, part| {
                let len = bits_in(len, start, part);
                let within = |at: usize| at.saturating_sub(start * 64).min(len);
                kernels.mask(part, len, within(ones.start)..within(ones.end));
            })
        })
    }

    fn shift(&mut self, dst: Reg, src: Reg, direction: Direction, by: Number) -> Step<()> {
        let len = self.bits(src).len();
        let by = usize::try_from(self.number(by)).unwrap_or(usize::MAX).min(len);
        self.make(dst, len, dst == src, |machine, to| {
            let kernels = machine.spread.kernels;
            let from = machine.bits(src).limbs();
            machine.spread.fill(to, 1, |start, part| {
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
                // Bits of this part that are not shifted in: where they go, and whence they come.
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

    fn rotate(&mut self, dst: Reg, src: Reg, by: Number) -> Step<()> {
        let len = self.bits(src).len();
        let by = self.number(by).rem_euclid((len as i64).max(1)) as usize;
        self.make(dst, len, dst == src, |machine, to| {
            let kernels = machine.spread.kernels;
            let from = machine.bits(src).limbs();
            machine.spread.fill(to, 1, |start, part| {
                if part.len() == from.len() {
                    kernels.rotate(part, from, len, by);
                    return;
                }
                let n = bits_in(len, start, part);
                let at = start * 64;
                // Place j takes j − by: the places before `by` take the end, the others the beginning.
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

    fn mirror(&mut self, dst: Reg, src: Reg) -> Step<()> {
        self.room.look()?;
        let len = self.bits(src).len();
        self.make(dst, len, dst == src, |machine, to| {
            let kernels = machine.spread.kernels;
            kernels.mirror(to, machine.bits(src).limbs(), len);
            Ok(())
        })
    }

    fn shuffle(&mut self, dst: Reg, src: Reg) -> Step<()> {
        self.room.look()?;
        let len = self.bits(src).len();
        if !len.is_multiple_of(2) {
            return Err(broken(format!("a shuffle of {len} components")));
        }
        self.make(dst, len, dst == src, |machine, to| {
            let kernels = machine.spread.kernels;
            kernels.shuffle(to, machine.bits(src).limbs(), len);
            Ok(())
        })
    }

    fn trim(&mut self, dst: Reg, word: Reg, base: Number, width: Number) -> Step<()> {
        let width = self.known_size(Size::Value(width))?;
        let part = self.part(base, width, self.bits(word).len())?;
        self.make(dst, width, dst == word, |machine, to| {
            let kernels = machine.spread.kernels;
            let from = machine.bits(word).limbs();
            machine.spread.fill(to, 1, |start, piece| {
                let n = bits_in(width, start, piece);
                piece.fill(0);
                let from_bit = part.start + start * 64;
                kernels.copy_bits(piece, 0, from, from_bit, n);
            })
        })
    }

    fn add_words(&mut self, dst: Reg, left: Reg, right: Reg, adds: bool) -> Step<()> {
        let len = self.same_length(left, right)?;
        self.make(dst, len, dst == left || dst == right, |machine, to| {
            let kernels = machine.spread.kernels;
            let (v, w) = (machine.bits(left).limbs(), machine.bits(right).limbs());
            if adds {
                kernels.add(to, v, w, len)
            } else {
                kernels.sub(to, v, w, len)
            };
            Ok(())
        })
    }

    fn int_to_word(&mut self, dst: Reg, value: Number, width: Number) -> Step<()> {
        let len = self.known_size(Size::Value(width))?;
        let value = self.number(value);
        if !scalars::fits(value, len) {
            return Err(broken(format!("{value} in {len} bits")));
        }
        self.make(dst, len, false, |machine, to| {
            let kernels = machine.spread.kernels;
            kernels.from_int(to, value, len);
            Ok(())
        })
    }

    /// How bits stand to each other; without `with_order`, only whether they are equal.
    fn order(&mut self, left: Reg, right: Reg, with_order: bool) -> Step<Ordering> {
        self.same_length(left, right)?;
        let (v, w) = (self.bits(left).limbs(), self.bits(right).limbs());
        let kernels = self.spread.kernels;
        let found = self.spread.find(v.len(), |range| {
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

    /// The first one that is not before `start`, both from 0.
    #[inline]
    pub(super) fn first_from(&self, bits: Reg, start: usize) -> Step<Option<usize>> {
        let slot = self.bits_slot(bits);
        let start = start.max(slot.zeros * 64);
        let limbs = slot.bits.limbs();
        if start >= slot.bits.len() {
            return Ok(None);
        }
        let skipped = start / 64;
        let kernels = self.spread.kernels;
        let found = self.spread.find(limbs.len() - skipped, |range| {
            let from = skipped + range.start;
            let start = if range.start == 0 { start % 64 } else { 0 };
            let found = kernels.first_from(&limbs[from..skipped + range.end], start);
            found.map(|idx| from * 64 + idx)
        })?;
        Ok(found)
    }

    #[inline]
    pub(super) fn ask(&mut self, ask: Ask, of: Reg) -> Step<i64> {
        let slot = self.bits_slot(of);
        let (limbs, len) = (slot.bits.limbs(), slot.bits.len());
        let kernels = self.spread.kernels;
        match ask {
            Ask::Some | Ask::None | Ask::First => {
                let first = self.first_from(of, 0)?;
                self.bits_slot_mut(of).zeros = first.unwrap_or(len) / 64;
                Ok(answer(ask, first))
            }
            Ask::All => {
                let gap = self.spread.find(limbs.len(), |range| {
                    let part = &limbs[range.clone()];
                    (!kernels.all(part, bits_in(len, range.start, part))).then_some(())
                })?;
                Ok(i64::from(gap.is_none()))
            }
            Ask::Count => {
                let count =
                    self.spread.fold(limbs.len(), 1, 0, |r| kernels.count(&limbs[r]), |a, b| a + b);
                Ok(count? as i64)
            }
        }
    }

    fn ask_logic(&self, ask: Ask, op: LogicOp, left: Reg, right: Reg) -> Step<i64> {
        self.same_length(left, right)?;
        let (a, b) = (self.bits(left).limbs(), self.bits(right).limbs());
        let kernels = self.spread.kernels;
        match ask {
            Ask::Some | Ask::None | Ask::First => {
                let first = self.spread.find(a.len(), |range| {
                    let found = kernels.first_logic(op, &a[range.clone()], &b[range.clone()]);
                    found.map(|idx| range.start * 64 + idx)
                })?;
                Ok(answer(ask, first))
            }
            Ask::Count => {
                let count = self.spread.fold(
                    a.len(),
                    1,
                    0,
                    |range| kernels.count_logic(op, &a[range.clone()], &b[range]),
                    |a, b| a + b,
                );
                Ok(count? as i64)
            }
            Ask::All => Err(broken("ONE of a result that is not made")),
        }
    }

    #[inline]
    pub(super) fn step(&mut self, bits: Reg) -> Step<i64> {
        let first = self.first_from(bits, 0)?;
        let slot = self.bits_slot_mut(bits);
        if let Some(first) = first {
            slot.bits.put(first, false);
        }
        slot.zeros = first.unwrap_or(slot.bits.len()) / 64;
        Ok(first.map_or(0, |idx| idx as i64 + 1))
    }

    fn replace(&mut self, word: Reg, base: Number, value: Reg) -> Step<()> {
        if word == value {
            return Ok(());
        }
        let n = self.bits(value).len();
        let part = self.part(base, n, self.bits(word).len())?;
        let at = self.base.bits + word as usize;
        let mut bits = std::mem::take(&mut self.bits[at].bits);
        let value = self.bits(value).limbs();
        self.spread.kernels.copy_bits(bits.limbs_mut(), part.start, value, 0, n);
        let slot = &mut self.bits[at];
        slot.bits = bits;
        slot.zeros = 0;
        Ok(())
    }

    fn adapt(&mut self, bits: Reg, size: Number) {
        let wanted = u64::try_from(self.number(size)).ok();
        let length = self.size(Size::Length(bits));
        let slot = self.bits_slot(bits);
        if length.is_some() && length != wanted && !slot.fixed {
            self.unset(super::code::Place::Slice(bits));
        }
    }
}

/// Most bytes kept for results that may not overwrite their operands.
const MOST_SPARE_BYTES: u64 = 16 << 20;

/// What is asked, of bits whose first one this is.
fn answer(ask: Ask, first: Option<usize>) -> i64 {
    match ask {
        Ask::Some => i64::from(first.is_some()),
        Ask::None => i64::from(first.is_none()),
        Ask::First => first.map_or(0, |idx| idx as i64 + 1),
        Ask::All | Ask::Count => 0,
    }
}

/// How many of `len` bits lie in `part`, which begins at limb `start`.
fn bits_in(len: usize, start: usize, part: &[u64]) -> usize {
    (len - start * 64).min(part.len() * 64)
}

/// The part `base + 1 ..= base + width` of `len` places, from 0.
fn part_of(base: i64, width: usize, len: usize) -> Step<Range<usize>> {
    let base = usize::try_from(base).ok();
    let part = base.and_then(|base| Some(base..base.checked_add(width)?));
    let part = part.filter(|part| part.end <= len);
    part.ok_or_else(|| broken("a part outside of what it is of"))
}
