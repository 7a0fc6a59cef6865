//! How a loop kernel runs.

use star_base::BitVector;

use super::super::code::RoutineCode;
use super::super::form::Line;
use super::super::interpreter::Interpreter;
use super::super::probe::Probe;
use super::super::registers::CowTable;
use super::super::table::Table;
use super::few::OnFew;
use super::{LoopKernel, MOST_PORTS, RowsOr, Scratch, Source, Taken};
use crate::paths::Declined;
use crate::stop::{Run, broken};
use crate::tape::{Lane, Turns};

/// The turns of a loop: at least one.
#[derive(Clone, Copy)]
struct Indices {
    first: i64,
    last: i64,
    down: bool,
}

impl Indices {
    fn least(self) -> i64 {
        self.first.min(self.last)
    }

    fn greatest(self) -> i64 {
        self.first.max(self.last)
    }
}

/// What a kernel writes, out of its registers, in the order of its ports.
#[derive(Default)]
struct Outputs {
    slices: [BitVector; MOST_PORTS],
    tables: [CowTable; MOST_PORTS],
}

impl LoopKernel {
    /// Charges what was done to the instructions that do it otherwise; `next` is that which begins a turn.
    pub(in crate::cpu) fn charge<P: Probe>(
        &self,
        taken: Taken,
        next: usize,
        routine: &RoutineCode,
        probe: &mut P,
    ) {
        for (way, n_turns) in self.ways.iter().zip(taken.0) {
            probe.together(routine, next..next + 1, n_turns);
            for range in &way.insts {
                probe.together(routine, range.clone(), n_turns);
            }
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Runs all turns of a loop that is about to begin, if its kernel can. Otherwise nothing has happened.
    pub(in crate::cpu) fn run_turns(&mut self, kernel: &LoopKernel) -> Run<Option<Taken>> {
        let at = self.base.numbers + kernel.state as usize;
        let (first, last) = (self.numbers[at], self.numbers[at + 1]);
        let has_turns = if kernel.down { first >= last } else { first <= last };
        // What is recorded takes this loop, too.
        if !has_turns || self.recorder.is_open() || self.tile.is_some() {
            return Ok(None);
        }
        let indices = Indices { first, last, down: kernel.down };
        let n_rows = match self.rows_of_turns(kernel, indices) {
            Ok(n_rows) if n_rows / 64 >= self.parallelism.settings.record_limbs => return Ok(None),
            Ok(n_rows) => n_rows,
            Err(reason) => {
                self.paths.decline(reason);
                return Ok(None);
            }
        };
        for port in kernel.ports.iter().filter(|port| port.is_written) {
            match port.source {
                Source::Column(reg) => {
                    if !self.own_lines(reg, Line::Column, Table::all_changes)? {
                        return Err(broken("a table that does not lie by columns any more"));
                    }
                }
                Source::Slice(reg) if port.is_new => self.claim(reg, n_rows)?,
                Source::Slice(_) => {}
            }
        }
        let mut taken = Taken::default();
        let mut scratch = std::mem::take(&mut self.scratch);
        let on_few = self.find_few(kernel, n_rows, &mut scratch.few);
        let mut outputs = self.take_outputs(kernel);
        let rows = (n_rows, on_few);
        let done = self.turns(kernel, indices, rows, &mut outputs, &mut scratch, &mut taken);
        self.put_outputs(kernel, outputs);
        self.scratch = scratch;
        for (way, n_turns) in kernel.ways.iter().zip(taken.0) {
            self.count_turns(n_turns, way.cost);
        }
        done?;
        self.numbers[at + 2] = 0;
        self.paths.loop_kernels += 1;
        let n_turns = taken.0.iter().sum::<u64>();
        self.paths.turns += n_turns;
        if on_few.is_some() {
            self.paths.turns_on_few += n_turns;
        } else if kernel.narrowing.is_some() {
            self.paths.turns_narrowing += n_turns;
        }
        Ok(Some(taken))
    }

    /// Would every guard hold in every turn, and does every table lie as it is needed? Then: how many rows are there?
    fn rows_of_turns(&self, kernel: &LoopKernel, indices: Indices) -> Result<usize, Declined> {
        if self.has_step_limit() {
            return Err(Declined::StepLimit);
        }
        let greatest = match usize::try_from(indices.greatest()) {
            Ok(greatest) if indices.least() >= 1 => greatest,
            Ok(_) | Err(_) => return Err(Declined::Range),
        };
        let mut n_rows = None;
        for port in &kernel.ports {
            if let Source::Column(reg) = port.source {
                let table = self.table_slot(reg).table.get().ok_or(Declined::Guard)?;
                if *n_rows.get_or_insert(table.n_rows()) != table.n_rows() {
                    return Err(Declined::Guard);
                }
                if table.n_cols() < greatest {
                    return Err(Declined::Range);
                }
                let lies_well = match port.is_written {
                    true => table.is_home(Line::Column),
                    false => table.has(Line::Column),
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
        let size = |size: RowsOr| match size {
            RowsOr::Rows => Some(n_rows as u64),
            RowsOr::Outer(size) => self.size(size),
        };
        let are_words = kernel.words.iter().all(|word| {
            let slot = self.bits_slot(*word);
            slot.is_set && slot.bits.len() >= greatest
        });
        let is_at_least =
            |limit: &RowsOr| size(*limit).is_some_and(|limit| limit >= greatest as u64);
        let agree =
            |(left, right): &(RowsOr, RowsOr)| size(*left).is_some() && size(*left) == size(*right);
        let holds = are_words
            && kernel.bits.iter().all(|reg| self.bits_slot(*reg).is_set)
            && kernel.numbers.iter().all(|reg| self.numbers_set[self.base.numbers + *reg as usize])
            && kernel.tables.iter().all(|reg| self.table_slot(*reg).table.get().is_some())
            && kernel.limits.iter().all(is_at_least)
            && kernel.sizes.iter().all(agree);
        if holds { Ok(n_rows) } else { Err(Declined::Guard) }
    }

    fn take_outputs(&mut self, kernel: &LoopKernel) -> Outputs {
        let mut outputs = Outputs::default();
        for (idx, port) in kernel.ports.iter().enumerate().filter(|(_, port)| port.is_written) {
            match port.source {
                Source::Slice(reg) => {
                    outputs.slices[idx] = std::mem::take(&mut self.bits_slot_mut(reg).bits);
                }
                Source::Column(reg) => {
                    outputs.tables[idx] = std::mem::take(&mut self.table_slot_mut(reg).table);
                }
            }
        }
        outputs
    }

    fn put_outputs(&mut self, kernel: &LoopKernel, mut outputs: Outputs) {
        for (idx, port) in kernel.ports.iter().enumerate().filter(|(_, port)| port.is_written) {
            match port.source {
                Source::Slice(reg) => {
                    let slot = self.bits_slot_mut(reg);
                    slot.bits = std::mem::take(&mut outputs.slices[idx]);
                    slot.known.forget();
                }
                Source::Column(reg) => {
                    self.table_slot_mut(reg).table = std::mem::take(&mut outputs.tables[idx]);
                }
            }
        }
    }

    /// One turn after another; a flag ends it between two.
    fn turns(
        &self,
        kernel: &LoopKernel,
        indices: Indices,
        (n_rows, on_few): (usize, Option<OnFew>),
        Outputs { slices, tables }: &mut Outputs,
        scratch: &mut Scratch,
        taken: &mut Taken,
    ) -> Run<()> {
        let mut lanes: [Lane<'_>; MOST_PORTS] = std::array::from_fn(|_| Lane::default());
        let outputs = slices.iter_mut().zip(tables);
        for ((port, lane), (slice, table)) in kernel.ports.iter().zip(&mut lanes).zip(outputs) {
            *lane = match (port.source, port.is_written) {
                (Source::Slice(reg), false) => {
                    Lane::Read { limbs: self.bits(reg).limbs(), stride: 0 }
                }
                (Source::Slice(_), true) => Lane::Written { limbs: slice.limbs_mut(), stride: 0 },
                (Source::Column(reg), false) => {
                    let form = self.table(reg)?.lines(Line::Column);
                    let form = form.ok_or_else(|| broken("a table that lies the other way"))?;
                    Lane::Read { limbs: form.storage(), stride: form.stride() }
                }
                (Source::Column(_), true) => {
                    let table = table.get_mut();
                    let table = table.ok_or_else(|| broken("a table that is still shared"))?;
                    let form = table.lines_mut(Line::Column);
                    let stride = form.stride();
                    Lane::Written { limbs: form.storage_mut(), stride }
                }
            };
        }
        scratch.turns.clear();
        let Indices { first, last, down } = indices;
        let mut index = first;
        loop {
            let idx = index as usize - 1;
            let asked = kernel.words.iter().enumerate();
            let way = asked
                .fold(0, |way, (nth, word)| way | usize::from(self.bits(*word).get(idx)) << nth);
            scratch.turns.push((idx, way));
            if index == last {
                break;
            }
            index += if down { -1 } else { 1 };
        }
        if let (Some(few), Some(on_few)) = (&kernel.few, on_few) {
            return self.turns_on_few(kernel, (few, on_few), scratch, &mut lanes, n_rows, taken);
        }
        if let Some(narrowing) = &kernel.narrowing {
            return self.narrow(narrowing, &scratch.turns, &mut lanes, taken);
        }
        let Scratch { buffers, turns: of_turns, .. } = scratch;
        let n_limbs = n_rows.div_ceil(64);
        if buffers.len() < kernel.n_buffers {
            buffers.resize(kernel.n_buffers, Vec::new());
        }
        for buffer in &mut buffers[..kernel.n_buffers] {
            buffer.resize(n_limbs, 0);
        }
        let kernels = self.parallelism.kernels;
        let mut turns = Turns { kernels, lanes: &mut lanes, buffers, n_bits: n_rows };
        for (idx, way) in of_turns {
            self.parallelism.poll()?;
            turns.run(&kernel.ways[*way].plan, *idx);
            taken.0[*way] += 1;
        }
        Ok(())
    }
}
