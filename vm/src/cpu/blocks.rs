//! Blockwise operations on slices and words. Note [Summaries] in `summary` explains what is known
//! about blocks.

mod ask;
mod fill;

use super::bits::bits_in;
use super::inst::Inst;
use super::interpreter::Interpreter;
use super::operand::Reg;
use super::settings::Settings;
use super::summary::{Blocks, MOST_BLOCK_LIMBS, Word, each};
use super::table::form::bytes_of;
use crate::interrupt::Exec;

/// The function of slices that an instruction computes.
#[derive(Clone, Copy)]
struct Function<'o> {
    table: u8,
    of: &'o [Reg],
    /// Index of the operand that is also the destination.
    own: Option<usize>,
}

impl Function<'_> {
    /// Returns the value for the operand bits `idx`, the first operand being the most significant
    /// bit.
    fn value(self, idx: usize) -> bool {
        self.table >> idx & 1 == 1
    }

    /// Returns the bit of operand `at` in `idx`.
    fn bit(self, idx: usize, at: usize) -> bool {
        idx >> (self.of.len() - 1 - at) & 1 == 1
    }

    /// Does the function return the destination where all other operands are zero?
    fn keeps_for_zeros(self) -> bool {
        self.own.is_some_and(|own| {
            let digit = 1 << (self.of.len() - 1 - own);
            !self.value(0) && self.value(digit)
        })
    }
}

impl Interpreter<'_, '_, '_> {
    /// Is a slice or word of this length too short for a summary and for recording?
    #[inline]
    fn is_short(&self, len: usize) -> bool {
        let Settings { summary_limbs, record_limbs, .. } = self.parallelism.settings;
        len.div_ceil(64) < summary_limbs.min(record_limbs)
    }

    /// Sets all components of `dst` to one value, block by block or by recording that. Returns
    /// false if the caller must fill the limbs.
    #[inline]
    pub(super) fn long_fill(&mut self, dst: Reg, len: usize, bit: bool) -> Exec<bool> {
        if self.is_short(len) {
            return Ok(false);
        }
        let is_recorded = len / 64 >= self.parallelism.settings.record_limbs;
        Ok(self.fill_blocks(dst, len, bit)? || is_recorded && self.record_fill(dst, len, bit)?)
    }

    /// Sets `dst` to the function `inst` of up to three slices or words, block by block or by
    /// recording the instruction. Returns false if the caller must compute it limb by limb.
    #[inline]
    pub(super) fn long_function(
        &mut self,
        inst: Inst,
        table: u8,
        dst: Reg,
        of: &[Reg],
    ) -> Exec<bool> {
        if self.is_short(self.bits(of[0]).len()) {
            return Ok(false);
        }
        self.function_by_blocks(inst, Function { table, of, own: None }, dst)
    }

    /// Does the same for operands that may have summaries or be recorded, outside the path of short
    /// slices.
    #[inline(never)]
    fn function_by_blocks(&mut self, inst: Inst, function: Function<'_>, dst: Reg) -> Exec<bool> {
        let len = self.bits(function.of[0]).len();
        if let Some(blocks) = Blocks::of(len, &self.parallelism.settings)
            && self.combine_blocks(function, dst, blocks)?
        {
            return Ok(true);
        }
        self.record_long(inst, len)
    }

    fn combine_blocks(&mut self, function: Function<'_>, dst: Reg, blocks: Blocks) -> Exec<bool> {
        let has_summary = |reg: &Reg| self.bits_slot(*reg).known.summary().is_some();
        let has_length = |reg: &Reg| self.bits(*reg).len() == blocks.len;
        if !function.of.iter().any(has_summary) || !function.of.iter().all(has_length) {
            return Ok(false);
        }
        let own = function.of.iter().position(|reg| *reg == dst);
        let function = Function { own, ..function };
        let mut words = std::mem::take(&mut self.block_words);
        let (n_visits, n_writes) = self.plan_blocks(function, dst, blocks, &mut words);
        // A result long enough for recording may never have to be written.
        let is_long = blocks.len / 64 >= self.parallelism.settings.record_limbs;
        let n_touched = if is_long { n_visits + n_writes } else { n_visits };
        let pays = blocks.pays(n_touched, &self.parallelism.settings);
        let done = if pays { self.run_blocks(function, dst, blocks, &mut words) } else { Ok(()) };
        self.block_words = words;
        done.map(|()| pays)
    }

    /// Plans the work on the blocks. Returns how many must be visited and how many are written
    /// without a visit.
    fn plan_blocks(
        &self,
        function: Function<'_>,
        dst: Reg,
        blocks: Blocks,
        words: &mut Vec<Word>,
    ) -> (usize, usize) {
        let n = function.of.len();
        let slot = self.bits_slot(dst);
        let (before, is_fresh) = match slot.bits.len() {
            0 => (None, true),
            len if len == blocks.len => (slot.known.summary(), false),
            _ => (None, false),
        };
        let mut summaries = [None; 3];
        for (summary, reg) in summaries.iter_mut().zip(function.of) {
            *summary = self.bits_slot(*reg).known.summary();
        }
        let keeps_for_zeros = function.keeps_for_zeros();
        words.clear();
        let (mut n_visits, mut n_writes) = (0, 0);
        for word in 0..blocks.n_words() {
            let valid = blocks.valid(word);
            // For each operand, the blocks that may hold zeros and those that may hold ones.
            let mut may = [[valid; 2]; 3];
            for (may, summary) in may.iter_mut().zip(summaries).take(n) {
                if let Some(summary) = summary {
                    *may = [summary.zeros[word], summary.ones[word]];
                }
            }
            let others = || (0..n).filter(|at| Some(*at) != function.own);
            if let Some(own) = function.own
                && keeps_for_zeros
                && others().all(|at| may[at][1] == 0)
            {
                let [zeros, ones] = may[own];
                words.push(Word { ones, zeros, ..Word::default() });
                continue;
            }
            let [mut ones, mut zeros, mut changed] = [0; 3];
            for idx in 0..1 << n {
                let blocks = (0..n)
                    .fold(valid, |blocks, at| blocks & may[at][usize::from(function.bit(idx, at))]);
                let value = function.value(idx);
                *(if value { &mut ones } else { &mut zeros }) |= blocks;
                if function.own.is_none_or(|own| function.bit(idx, own) != value) {
                    changed |= blocks;
                }
            }
            let (to_zero, to_one) = (zeros & !ones & changed, ones & !zeros & changed);
            let visit = ones & zeros & changed;
            n_visits += visit.count_ones() as usize;
            let [old_zeros, old_ones] = match (function.own, before) {
                (Some(own), _) => may[own],
                (None, Some(before)) => [before.zeros[word], before.ones[word]],
                (None, None) if is_fresh => [valid, 0],
                (None, None) => [valid; 2],
            };
            let kept = |old: u64| if function.own.is_some() { old & !changed } else { 0 };
            let (clear, set) = (to_zero & old_ones, to_one & old_zeros);
            n_writes += (clear | set).count_ones() as usize;
            words.push(Word {
                ones: ones & changed | kept(old_ones),
                zeros: zeros & changed | kept(old_zeros),
                visit,
                clear,
                set,
            });
        }
        (n_visits, n_writes)
    }

    /// Executes the plan.
    fn run_blocks(
        &mut self,
        function: Function<'_>,
        dst: Reg,
        blocks: Blocks,
        words: &mut [Word],
    ) -> Exec<()> {
        let Function { table, of, own } = function;
        self.budget.reserve(bytes_of(blocks.len))?;
        self.budget.poll()?;
        let at = self.base.bits + dst as usize;
        let before = self.bits[at].n_bytes();
        let mut bits = std::mem::take(&mut self.bits[at].bits);
        let mut known = std::mem::take(&mut self.bits[at].known);
        if let Err(refused) = bits.resize(blocks.len) {
            known.forget();
            (self.bits[at].bits, self.bits[at].known) = (bits, known);
            return Err(self.out_of_memory(refused));
        }
        // In place, unchanged blocks stay unknown if they were unknown.
        let is_known = own.is_none() || known.summary().is_some();
        let kernels = self.parallelism.kernels;
        let mut made = [0; MOST_BLOCK_LIMBS];
        let to = bits.limbs_mut();
        for (idx, word) in words.iter_mut().enumerate() {
            let Word { ones, zeros, visit, clear, set } = word;
            let first = idx * 64;
            each(*clear, |block| to[blocks.range(first + block)].fill(0));
            each(*set, |block| {
                let n_bits = blocks.n_bits(first + block);
                kernels.fill(&mut to[blocks.range(first + block)], true, n_bits);
            });
            each(*visit, |block| {
                let (range, n_bits) = (blocks.range(first + block), blocks.n_bits(first + block));
                let made = &mut made[..range.len()];
                let operand = |place: usize| match own == Some(place) || of[place] == dst {
                    true => &to[range.clone()],
                    false => &self.bits(of[place]).limbs()[range.clone()],
                };
                match of.len() {
                    1 => kernels.lut1(table, made, operand(0), n_bits),
                    2 => kernels.lut2(table, made, operand(0), operand(1), n_bits),
                    _ => kernels.lut3(table, made, operand(0), operand(1), operand(2), n_bits),
                }
                to[range].copy_from_slice(made);
                let some = made.iter().fold(0, |some, limb| some | limb);
                *ones &= !(u64::from(some == 0) << block);
                *zeros &= !(u64::from(some != 0 && kernels.all(made, n_bits)) << block);
            });
        }
        known.summarise(words, is_known);
        let slot = &mut self.bits[at];
        slot.bits = bits;
        slot.known = known;
        slot.is_set = true;
        self.budget.exchange(before, bytes_of(blocks.len));
        self.paths.block_operations += 1;
        Ok(())
    }

    /// Returns the blocks of a function of two operands that may hold ones, word by word; `None` if
    /// the reduction must read all limbs.
    fn blocks_with_ones(&self, table: u8, of: [Reg; 2]) -> Option<(Blocks, Vec<u64>)> {
        let blocks = Blocks::of(self.bits(of[0]).len(), &self.parallelism.settings)?;
        let summaries = of.map(|reg| self.bits_slot(reg).known.summary());
        if summaries.iter().all(Option::is_none) {
            return None;
        }
        let words: Vec<u64> = (0..blocks.n_words())
            .map(|word| {
                let valid = blocks.valid(word);
                let [a, b] = summaries.map(|summary| match summary {
                    Some(summary) => [summary.zeros[word], summary.ones[word]],
                    None => [valid; 2],
                });
                (0..4)
                    .filter(|idx| table >> idx & 1 == 1)
                    .fold(0, |ones, idx: usize| ones | a[idx >> 1] & b[idx & 1])
            })
            .collect();
        let n_visits = words.iter().map(|word| word.count_ones() as usize).sum();
        blocks.pays(n_visits, &self.parallelism.settings).then_some((blocks, words))
    }
}

/// Fills all limbs of a slice, for callers that do not work by blocks.
pub(super) fn fill_all(
    interpreter: &Interpreter<'_, '_, '_>,
    to: &mut [u64],
    len: usize,
    bit: bool,
) -> Exec<()> {
    let kernels = interpreter.parallelism.kernels;
    interpreter.parallelism.fill(to, 1, |start, part| {
        kernels.fill(part, bit, bits_in(len, start, part));
    })
}
