//! Execution of a loop kernel.

use star_value::BitVector;

use super::super::code::RoutineCode;
use super::super::interpreter::Interpreter;
use super::super::operand::{Reg, Size};
use super::super::probe::Probe;
use super::super::registers::CowTable;
use super::super::table::form::{Line, bytes_of};
use super::super::table::{Becomes, Table};
use super::sparse_mask::{MaskedIterations, SparsePorts};
use super::{Extremes, LoopKernel, MOST_PORTS, MOST_WORDS, NumberId, Scratch, Source, Taken};
use crate::counters::Declined;
use crate::interrupt::{Exec, internal_error};
use crate::kernels::Columns;
use crate::tape::{Iterations, Lane};

/// The iterations of a loop: at least one.
#[derive(Clone, Copy)]
pub(super) struct Indices {
    first: i64,
    last: i64,
    down: bool,
}

impl Indices {
    pub(super) fn least(self) -> i64 {
        self.first.min(self.last)
    }

    pub(super) fn greatest(self) -> i64 {
        self.first.max(self.last)
    }
}

/// The limbs that a kernel may run on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnWhat {
    Any,
    /// The limbs of its mask only.
    Masked,
    /// The limbs that an index lists, if it lists any.
    Indexed,
}

/// The rows that iterations work on.
#[derive(Clone, Copy)]
struct Rows {
    n: usize,
    masked: Option<MaskedIterations>,
    /// The new contents of the rows that change.
    becomes: Becomes,
}

/// The slices and tables that a kernel writes, taken out of its registers, in the order of its
/// ports.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    slices: [BitVector; MOST_PORTS],
    tables: [CowTable; MOST_PORTS],
    /// The memory of the tables in addition to their home layouts.
    extra_bytes: [u64; MOST_PORTS],
}

impl LoopKernel {
    /// Charges the iterations to the instructions that would otherwise execute them; `next` is the
    /// one that begins an iteration.
    pub(in crate::cpu) fn charge<P: Probe>(
        &self,
        taken: Taken,
        next: usize,
        routine: &RoutineCode,
        probe: &mut P,
    ) {
        for (way, n_iterations) in self.ways.iter().zip(taken.0) {
            probe.together(routine, next..next + 1, n_iterations);
            for range in &way.insts {
                probe.together(routine, range.clone(), n_iterations);
            }
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Runs all iterations of a loop that is about to begin, if its kernel can. Otherwise nothing
    /// has changed. With `is_indexed` it may use an index; see [`Interpreter::wants_index`].
    pub(in crate::cpu) fn run_iterations(
        &mut self,
        kernel: &LoopKernel,
        is_indexed: bool,
    ) -> Exec<Option<Taken>> {
        let at = self.base.numbers + kernel.state as usize;
        let (first, last) = (self.numbers[at], self.numbers[at + 1]);
        let has_iterations = if kernel.down { first >= last } else { first <= last };
        if !has_iterations {
            return Ok(None);
        }
        let indices = Indices { first, last, down: kernel.down };
        let on = if is_indexed { OnWhat::Indexed } else { OnWhat::Any };
        let mut scratch = std::mem::take(&mut self.scratch);
        let taken = self.run_indices(kernel, indices, on, &mut scratch);
        self.scratch = scratch;
        if let Ok(Some(_)) = taken {
            self.numbers[at + 2] = 0;
            self.paths.loop_kernels += 1;
        }
        taken
    }

    /// Runs the iterations with these ascending indices, on the limbs of the kernel's mask only;
    /// nothing has changed if these are not few, or the kernel cannot run on them.
    pub(in crate::cpu) fn run_masked(
        &mut self,
        kernel: &LoopKernel,
        (first, last): (i64, i64),
    ) -> Exec<Option<Taken>> {
        if first > last {
            return Ok(None);
        }
        let indices = Indices { first, last, down: false };
        let mut scratch = std::mem::take(&mut self.scratch);
        let taken = self.run_indices(kernel, indices, OnWhat::Masked, &mut scratch);
        self.scratch = scratch;
        taken
    }

    fn run_indices(
        &mut self,
        kernel: &LoopKernel,
        indices: Indices,
        on: OnWhat,
        scratch: &mut Scratch,
    ) -> Exec<Option<Taken>> {
        // An open recording records this loop, too.
        if self.recorder.is_open() {
            return Ok(None);
        }
        let n_rows = match self.rows_of_iterations(kernel, indices, &mut scratch.values) {
            Ok(n_rows) => n_rows,
            Err(reason) => {
                if on != OnWhat::Masked {
                    self.paths.decline(reason);
                }
                return Ok(None);
            }
        };
        let is_long = n_rows / 64 >= self.parallelism.settings.record_limbs;
        let indexed = match on {
            OnWhat::Indexed => self.find_indexed(kernel, indices, n_rows, &mut scratch.few)?,
            OnWhat::Any | OnWhat::Masked => None,
        };
        let found = indexed.or_else(|| self.find_few(kernel, n_rows, &mut scratch.few));
        let masked = match found {
            Some(MaskedIterations::Masked) => Some(MaskedIterations::Masked),
            Some(MaskedIterations::All) | None if is_long || on == OnWhat::Masked => {
                return Ok(None);
            }
            other @ (Some(MaskedIterations::All) | None) => other,
        };
        let n_iterations = (indices.greatest() - indices.least() + 1) as usize;
        let n_made = n_iterations.saturating_mul(scratch.few.len());
        if !self.prepare_sparse(kernel, masked, n_made)? {
            if on != OnWhat::Masked {
                self.paths.decline(Declined::Form);
            }
            return Ok(None);
        }
        let becomes = self.rows_become(kernel, indices);
        for (idx, port) in kernel.ports.iter().enumerate().filter(|(_, port)| port.is_written) {
            match port.source {
                Source::Column(reg, _) if self.is_sparse(reg) => {}
                Source::Column(reg, shifted) => {
                    let clears = kernel.clears_rest_of(idx, masked);
                    let change = match clears || kernel.keeps_rest_of(idx, masked) {
                        true => Table::limbs_change,
                        false if becomes != Becomes::Anything => Table::rows_change,
                        false => Table::all_changes,
                    };
                    if !self.own_lines(reg, Line::Column, change)? {
                        return Err(internal_error("a table is no longer stored by columns"));
                    }
                    if clears {
                        let least = shifted.map_or(indices.least(), |id| scratch.values[id][0]);
                        let first = least as usize - 1;
                        let columns = first..first + n_iterations;
                        self.change(reg, |table, interpreter| {
                            table.clear_outside(&scratch.few, columns, &interpreter.parallelism)
                        })?;
                    }
                }
                Source::Slice(reg) if port.is_new => self.claim_new(reg, n_rows, masked)?,
                Source::Slice(_) => {}
            }
        }
        let mut taken = Taken::default();
        let mut outputs = scratch.outputs.take().unwrap_or_default();
        self.take_outputs(kernel, &mut outputs);
        let rows = Rows { n: n_rows, masked, becomes };
        let done = self.run_each(kernel, indices, rows, &mut outputs, scratch, &mut taken);
        if done.is_err() {
            outputs.tables.iter_mut().filter_map(CowTable::get_mut).for_each(Table::stops_halfway);
        }
        let few =
            masked.filter(|masked| *masked == MaskedIterations::Masked).map(|_| &scratch.few[..]);
        self.put_outputs(kernel, &mut outputs, few);
        scratch.outputs = Some(outputs);
        for (way, n_iterations) in kernel.ways.iter().zip(taken.0) {
            self.count_iterations(n_iterations, way.cost);
        }
        done?;
        let n_iterations = taken.0.iter().sum::<u64>();
        self.paths.iterations += n_iterations;
        if masked.is_some() {
            self.paths.masked_iterations += n_iterations;
        } else if kernel.narrowing.is_some() {
            self.paths.narrowing_iterations += n_iterations;
        } else {
            let ways = kernel.ways.iter().zip(taken.0);
            let added = ways.map(|(way, n_iterations)| way.plan.n_added() as u64 * n_iterations);
            self.paths.columns_added += added.sum::<u64>();
        }
        Ok(Some(taken))
    }

    /// Claims a register for a slice whose old contents are not read. If only some limbs are
    /// written, the others keep their contents, and the known facts about them stay valid.
    fn claim_new(&mut self, reg: Reg, n_rows: usize, masked: Option<MaskedIterations>) -> Exec<()> {
        let slot = self.bits_slot(reg);
        let is_known = slot.bits.len() == n_rows && slot.known.summary().is_some();
        if !is_known || masked != Some(MaskedIterations::Masked) {
            return self.claim(reg, n_rows);
        }
        let (before, n_bytes) = (slot.n_bytes(), bytes_of(n_rows));
        self.budget.reserve(n_bytes)?;
        self.bits_slot_mut(reg).is_set = true;
        self.budget.exchange(before, n_bytes);
        Ok(())
    }

    /// Tests whether every guard holds in every iteration, and every table has the required layout.
    /// Returns the number of rows.
    fn rows_of_iterations(
        &self,
        kernel: &LoopKernel,
        indices: Indices,
        values: &mut Vec<Extremes>,
    ) -> Result<usize, Declined> {
        if self.has_step_limit() {
            return Err(Declined::StepLimit);
        }
        let extremes = [indices.least(), indices.greatest()];
        if !self.find_numbers(&kernel.computed, extremes, values) {
            return Err(Declined::Guard);
        }
        // The least and the greatest index, or the extremes of a number computed from it.
        let of = |number: Option<NumberId>| {
            let [first, last] = number.map_or(extremes, |id| values[id]);
            (first.min(last), first.max(last))
        };
        let greatest = match usize::try_from(indices.greatest()) {
            Ok(greatest) if indices.least() >= 1 => greatest,
            Ok(_) | Err(_) => return Err(Declined::Range),
        };
        let mut n_rows = None;
        for port in &kernel.ports {
            if let Source::Column(reg, shifted) = port.source {
                let table = self.table_slot(reg).table.get().ok_or(Declined::Guard)?;
                if *n_rows.get_or_insert(table.n_rows()) != table.n_rows() {
                    return Err(Declined::Guard);
                }
                let (least, greatest) = of(shifted);
                if least < 1 || greatest > table.n_cols() as i64 {
                    return Err(Declined::Range);
                }
                let lies_well = match port.is_written {
                    // Sparse tables are tested when the limbs are known.
                    _ if table.is_sparse_by_columns() => true,
                    true => table.is_home(Line::Column),
                    false => table.columns().is_some(),
                };
                if !lies_well {
                    return Err(Declined::Form);
                }
            }
        }
        let n_rows = n_rows.filter(|n_rows| *n_rows > 0).ok_or(Declined::Empty)?;
        for port in &kernel.ports {
            if let Source::Slice(reg) = port.source {
                let slot = self.bits_slot(reg);
                if !port.is_new && (!slot.is_set || slot.bits.len() != n_rows) {
                    return Err(Declined::Guard);
                }
            }
        }
        let are_words = kernel.words.iter().all(|word| {
            let slot = self.bits_slot(*word);
            slot.is_set && slot.bits.len() >= greatest
        });
        let is_within = |(number, limit): &(Option<NumberId>, Size)| {
            let (least, greatest) = of(*number);
            least >= 1 && self.size(*limit).is_some_and(|limit| limit >= greatest as u64)
        };
        let agree = |(left, right): &(Size, Size)| {
            let size = self.size(*left);
            size.is_some() && size == self.size(*right)
        };
        let holds = are_words
            && kernel.bits.iter().all(|reg| self.bits_slot(*reg).is_set)
            && kernel.numbers.iter().all(|reg| self.numbers_set[self.base.numbers + *reg as usize])
            && kernel.tables.iter().all(|reg| self.table_slot(*reg).table.get().is_some())
            && kernel.limits.iter().all(is_within)
            && kernel.sizes.iter().all(agree);
        if holds { Ok(n_rows) } else { Err(Declined::Guard) }
    }

    /// Keeps tables sparse if the kernel runs on few limbs, and reserves space for the new limbs;
    /// otherwise makes small tables dense. Returns false if a table cannot be used.
    fn prepare_sparse(
        &mut self,
        kernel: &LoopKernel,
        masked: Option<MaskedIterations>,
        n_made: usize,
    ) -> Exec<bool> {
        let mut written = None;
        for (idx, port) in kernel.ports.iter().enumerate() {
            let Source::Column(reg, _) = port.source else { continue };
            if !self.is_sparse(reg) {
                continue;
            }
            let fits = match (&kernel.few, masked) {
                (Some(few), Some(masked)) if !kernel.is_shifted() => {
                    !port.is_written || written.is_none() && few.makes_all_of(idx, masked)
                }
                (None, _) | (_, None) | (Some(_), Some(_)) => false,
            };
            if !fits {
                if !self.make_small_dense(reg)? {
                    return Ok(false);
                }
            } else if port.is_written {
                written = Some(reg);
            }
        }
        match written {
            Some(reg) => self.spare_limbs(reg, n_made),
            None => Ok(true),
        }
    }

    fn take_outputs(&mut self, kernel: &LoopKernel, outputs: &mut Outputs) {
        for (idx, port) in kernel.ports.iter().enumerate().filter(|(_, port)| port.is_written) {
            match port.source {
                Source::Slice(reg) => {
                    outputs.slices[idx] = std::mem::take(&mut self.bits_slot_mut(reg).bits);
                }
                Source::Column(reg, _) => {
                    let table = std::mem::take(&mut self.table_slot_mut(reg).table);
                    outputs.extra_bytes[idx] = table.get().map_or(0, Table::extra_bytes);
                    outputs.tables[idx] = table;
                }
            }
        }
    }

    /// Puts the results back into their registers. With `few`, only these limbs of slices have
    /// changed.
    fn put_outputs(&mut self, kernel: &LoopKernel, outputs: &mut Outputs, few: Option<&[u64]>) {
        let settings = self.parallelism.settings;
        for (idx, port) in kernel.ports.iter().enumerate().filter(|(_, port)| port.is_written) {
            match port.source {
                Source::Slice(reg) => {
                    let slot = self.bits_slot_mut(reg);
                    slot.bits = std::mem::take(&mut outputs.slices[idx]);
                    match few {
                        Some(few) => slot.known.may_hold(few, &settings),
                        None => slot.known.forget(),
                    }
                }
                Source::Column(reg, _) => {
                    let table = std::mem::take(&mut outputs.tables[idx]);
                    if let Some(table) = table.get() {
                        self.copies.count(table, outputs.extra_bytes[idx]);
                    }
                    if let Some(table) = table.get().filter(|table| table.is_sparse()) {
                        self.paths.sparse_lines += table.n_cols() as u64;
                    }
                    self.table_slot_mut(reg).table = table;
                }
            }
        }
    }

    /// Runs one iteration after another; a flag may interrupt the loop between two of them.
    fn run_each(
        &self,
        kernel: &LoopKernel,
        indices: Indices,
        Rows { n: n_rows, masked, becomes }: Rows,
        Outputs { slices, tables, .. }: &mut Outputs,
        scratch: &mut Scratch,
        taken: &mut Taken,
    ) -> Exec<()> {
        let mut lanes: [Lane<'_>; MOST_PORTS] = std::array::from_fn(|_| Lane::default());
        let mut sparse = SparsePorts::default();
        let Indices { first, last, down } = indices;
        let base = if kernel.is_shifted() { indices.least() } else { 1 };
        // The first limb of the column that iterations count as column 0.
        let begin = |shifted: Option<NumberId>, stride: usize| {
            let column = shifted.map_or(base, |id| {
                let [least, _] = scratch.values[id];
                least
            });
            (column - 1) as usize * stride
        };
        let ports = kernel.ports.iter().enumerate();
        let outputs = slices.iter_mut().zip(tables);
        for (((idx, port), lane), (slice, table)) in ports.zip(&mut lanes).zip(outputs) {
            *lane = match (port.source, port.is_written) {
                (Source::Slice(reg), false) => {
                    Lane::Read { limbs: self.bits(reg).limbs(), stride: 0 }
                }
                (Source::Slice(_), true) => Lane::Written { limbs: slice.limbs_mut(), stride: 0 },
                (Source::Column(reg, _), false) if self.is_sparse(reg) => {
                    sparse.read[idx] = self.table(reg)?.sparse_lines();
                    continue;
                }
                (Source::Column(reg, shifted), false) => {
                    let columns = self.table(reg)?.columns();
                    let columns =
                        columns.ok_or_else(|| internal_error("a table has no such lines"))?;
                    let Columns { storage, stride, n_cols: _ } = columns;
                    Lane::Read { limbs: &storage[begin(shifted, stride)..], stride }
                }
                (Source::Column(_, shifted), true) => {
                    let table = table.get_mut();
                    let table = table.ok_or_else(|| internal_error("a table is still shared"))?;
                    if table.is_sparse() {
                        sparse.written = table.sparse_mut().map(|lines| (idx, lines));
                        continue;
                    }
                    let is_few =
                        kernel.keeps_rest_of(idx, masked) || kernel.clears_rest_of(idx, masked);
                    let form = match (is_few, becomes) {
                        (true, _) => table.limbs_mut(&scratch.few, becomes),
                        (false, Becomes::Anything) => table.lines_mut(Line::Column),
                        (false, Becomes::Word(word)) => {
                            let is_listed = self.list_marked(kernel, &mut scratch.marked);
                            table.rows_mut(is_listed.then_some(&scratch.marked), word)
                        }
                    };
                    let stride = form.stride();
                    let limbs = &mut form.storage_mut()[begin(shifted, stride)..];
                    Lane::Written { limbs, stride }
                }
            };
        }
        let mut words: [&[u64]; MOST_WORDS] = [&[]; MOST_WORDS];
        for (word, reg) in words.iter_mut().zip(&kernel.words) {
            *word = self.bits(*reg).limbs();
        }
        let bit = |word: &[u64], idx: usize| (word[idx / 64] >> (idx % 64) & 1) as usize;
        let step = if down { -1 } else { 1 };
        // All of them are overwritten.
        scratch.iterations.resize(last.abs_diff(first) as usize + 1, (0, 0));
        let indices = scratch
            .iterations
            .iter_mut()
            .zip(0..)
            .map(|(iteration, nth)| (iteration, first + step * nth));
        let column = |index: i64| (index - base) as usize;
        match words[..kernel.words.len()] {
            [] => indices.for_each(|(iteration, index)| *iteration = (column(index), 0)),
            [word] => indices.for_each(|(iteration, index)| {
                *iteration = (column(index), bit(word, index as usize - 1));
            }),
            ref words => indices.for_each(|(iteration, index)| {
                let bits = words.iter().enumerate();
                let way = bits.fold(0, |way, (at, word)| way | bit(word, index as usize - 1) << at);
                *iteration = (column(index), way);
            }),
        }
        if let (Some(few), Some(masked)) = (&kernel.few, masked) {
            let outside = (&mut lanes[..], &mut sparse);
            return self.masked_iterations(kernel, (few, masked), scratch, outside, n_rows, taken);
        }
        if let Some(narrowing) = &kernel.narrowing {
            return self.narrow(narrowing, &scratch.iterations, &mut lanes, taken);
        }
        let Scratch { buffers, iterations: of_iterations, .. } = scratch;
        let n_limbs = n_rows.div_ceil(64);
        if buffers.len() < kernel.n_buffers {
            buffers.resize(kernel.n_buffers, Vec::new());
        }
        for buffer in &mut buffers[..kernel.n_buffers] {
            buffer.resize(n_limbs, 0);
        }
        let kernels = self.parallelism.kernels;
        let mut iterations = Iterations { kernels, lanes: &mut lanes, buffers, n_bits: n_rows };
        for (idx, way) in of_iterations {
            self.parallelism.poll()?;
            iterations.run(&kernel.ways[*way].plan, *idx);
            taken.0[*way] += 1;
        }
        Ok(())
    }
}
