//! The interpreter: the instruction loop, and the end of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use star_ir::{LimitKind, LocId, RoutineId, Trap, TrapKind};
use star_value::BitVector;

use super::code::{Code, RoutineCode};
use super::copies::Copies;
use super::counts::CountsAhead;
use super::inst::Inst;
use super::intrinsics::CpuIntrinsic;
use super::lines::QueryScratch;
use super::loop_kernels::{LoopKernel, Scratch};
use super::operand::{Number, Pc, Reg};
use super::parallelism::Parallelism;
use super::probe::Probe;
use super::ranks::Ranks;
use super::recording::Recorder;
use super::registers::{Base, BitsSlot, Frame, Running, TableSlot};
use super::summary::Word;
use super::table::form::Line;
use super::value::Value;
use super::value::handle::Handle;
use crate::backend::{Control, Outcome, Stats};
use crate::budget::MemoryBudget;
use crate::counters::Counters;
use crate::interrupt::{Exec, Stop, internal_error};

/// A run.
pub(super) struct Interpreter<'p, 'c, 'h> {
    pub(super) code: &'p Code,
    pub(super) parallelism: Parallelism<'h>,
    pub(super) control: &'c mut Control<'h>,
    pub(super) budget: MemoryBudget<'h>,
    /// Active routines, the entry first.
    pub(super) frames: Vec<Frame>,
    /// The first registers of the innermost routine.
    pub(super) base: Base,
    pub(super) numbers: Vec<i64>,
    /// Was the number set?
    pub(super) numbers_set: Vec<bool>,
    /// Registers of bits; the first [`Interpreter::n_bits`] of them belong to active routines. The
    /// others keep the memory of finished routines for the next calls.
    pub(super) bits: Vec<BitsSlot>,
    pub(super) n_bits: usize,
    /// Bytes that the others keep in long slices, whose summaries describe the contents.
    pub(super) long_bytes_of_gone: u64,
    pub(super) tables: Vec<TableSlot>,
    pub(super) texts: Vec<Option<Arc<str>>>,
    pub(super) handles: Vec<Option<Arc<Handle>>>,
    /// Buffer for results that may not overwrite their operands.
    pub(super) spare: BitVector,
    /// The plan for the blocks of an operation; kept only to reuse its memory.
    pub(super) block_words: Vec<Word>,
    /// The limbs of a line for a sparse table; empty between operations.
    pub(super) limbs_found: Vec<(u32, u64)>,
    /// The lines that a kernel over lines works on; empty between kernels.
    pub(super) lines: Vec<usize>,
    /// Bytes of the second forms of tables.
    pub(super) copies: Copies,
    /// Counts of columns that the following iterations take.
    pub(super) counts_ahead: CountsAhead,
    /// The running `forall` loops.
    pub(super) foralls: Vec<Running>,
    /// Memory of loop kernels and of kernels that reduce lines.
    pub(super) scratch: Scratch,
    pub(super) query_scratch: QueryScratch,
    /// Deferred operations on slices.
    pub(super) recorder: Recorder,
    /// The current instruction.
    pub(super) pc: usize,
    /// The header of the entry: the location of a run that ends before it begins.
    entry_loc: LocId,
    /// Elementary operations so far.
    pub(super) operations: u64,
    /// Elementary operations, iterations of loops and calls so far.
    pub(super) steps: u64,
    step_limit: u64,
    /// The intrinsics of the backend.
    intrinsics: &'p [CpuIntrinsic],
    /// Number of intrinsics used.
    pub(super) intrinsics_taken: u64,
    /// Fast paths taken and declined.
    pub(super) paths: Counters,
    /// The other ranks, if the run has any.
    pub(super) ranks: Option<Ranks>,
    /// The flag that is set when a checkpoint is due, if the run has any.
    pub(super) due: Option<Arc<AtomicBool>>,
}

/// Runs `entry`; see [`crate::Backend::run`].
pub(super) fn run<'h, P: Probe>(
    code: &Code,
    intrinsics: &[CpuIntrinsic],
    (parallelism, ranks): (Parallelism<'h>, Option<Ranks>),
    entry: RoutineId,
    values: &mut [Value],
    control: &mut Control<'h>,
    probe: &mut P,
) -> Outcome {
    control.stats = Stats::default();
    let limit = control.limits.memory.unwrap_or(u64::MAX);
    let copies = Copies::new(&parallelism.settings);
    let mut interpreter = Interpreter {
        code,
        intrinsics,
        parallelism,
        budget: MemoryBudget::new(control.interrupt, control.deadline, limit),
        step_limit: control.limits.steps.unwrap_or(u64::MAX),
        control,
        frames: Vec::new(),
        base: Base::default(),
        numbers: Vec::new(),
        numbers_set: Vec::new(),
        bits: Vec::new(),
        n_bits: 0,
        long_bytes_of_gone: 0,
        tables: Vec::new(),
        texts: Vec::new(),
        handles: Vec::new(),
        spare: BitVector::default(),
        block_words: Vec::new(),
        limbs_found: Vec::new(),
        copies,
        counts_ahead: CountsAhead::default(),
        foralls: Vec::new(),
        lines: Vec::new(),
        scratch: Scratch::default(),
        query_scratch: QueryScratch::default(),
        recorder: Recorder::default(),
        pc: 0,
        entry_loc: code.program.routines.get(entry.0 as usize).map_or(LocId(0), |r| r.loc),
        operations: 0,
        steps: 0,
        intrinsics_taken: 0,
        paths: Counters::default(),
        ranks,
        due: None,
    };
    let end =
        interpreter.begin(entry, values).and_then(|first| interpreter.run_to_end(first, probe));
    let outcome = match end {
        Ok(()) => Outcome::Done,
        Err(stop) => interpreter.end_with(stop),
    };
    let outcome = interpreter.end_across(outcome);
    interpreter.leave_all(values);
    if let Outcome::Limit { kind: LimitKind::Interrupted | LimitKind::Time, .. } = outcome {
        // Returning gigabytes to the system can take longer than the user wants to wait.
        let recycled = interpreter.budget.take_recycled();
        let (tables, bits) = (&mut interpreter.tables, &mut interpreter.bits);
        let gone = (std::mem::take(tables), std::mem::take(bits), recycled);
        // If no thread can be created, the memory is released here.
        let _ = std::thread::Builder::new().spawn(move || drop(gone));
    }
    let stats = &mut interpreter.control.stats;
    stats.operations = interpreter.operations;
    stats.steps = interpreter.steps;
    stats.intrinsics = interpreter.intrinsics_taken;
    stats.counters = interpreter.paths;
    stats.peak_bytes = interpreter.budget.peak();
    outcome
}

impl<'p> Interpreter<'p, '_, '_> {
    /// Returns the current routine.
    pub(super) fn routine(&self) -> Exec<&'p RoutineCode> {
        let frame = self.frames.last().ok_or_else(|| internal_error("no routine is active"))?;
        Ok(&self.code.routines[frame.routine])
    }

    /// Returns the location of the current instruction.
    pub(super) fn loc(&self) -> LocId {
        let routine = self.frames.last().map(|frame| &self.code.routines[frame.routine]);
        let loc = routine.and_then(|routine| routine.locs.get(self.pc));
        loc.copied().unwrap_or(self.entry_loc)
    }

    /// Counts a use of an intrinsic.
    pub(super) fn count_intrinsic(&mut self) {
        self.intrinsics_taken += 1;
    }

    /// Adds elementary operations.
    #[inline]
    pub(super) fn cost(&mut self, cost: u64) -> Exec<()> {
        self.operations = self.operations.saturating_add(cost);
        self.count_steps(cost)
    }

    /// Counts an iteration of a loop, and checks the flags.
    #[inline]
    pub(super) fn count_iteration(&mut self) -> Exec<()> {
        self.budget.poll()?;
        self.count_steps(1)
    }

    #[inline]
    pub(super) fn count_steps(&mut self, steps: u64) -> Exec<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.step_limit {
            let limit = self.step_limit;
            return Err(Stop::Limit(LimitKind::Steps { limit }));
        }
        Ok(())
    }

    /// Is the number of steps limited?
    pub(super) fn has_step_limit(&self) -> bool {
        self.step_limit != u64::MAX
    }

    /// Counts iterations of a loop that ran together.
    pub(super) fn count_iterations(&mut self, n_iterations: u64, cost: u64) {
        self.count_operations(cost.saturating_mul(n_iterations));
        self.steps = self.steps.saturating_add(n_iterations);
    }

    /// Counts elementary operations of iterations that ran together.
    pub(super) fn count_operations(&mut self, n: u64) {
        self.operations = self.operations.saturating_add(n);
        self.steps = self.steps.saturating_add(n);
    }

    fn run_to_end<P: Probe>(&mut self, first: usize, probe: &mut P) -> Exec<()> {
        let mut routine = self.routine()?;
        // A local reference: fetching the next instruction depends on no other load.
        let mut insts = &*routine.insts;
        let mut next = first;
        loop {
            let Some(inst) = insts.get(next) else {
                return Err(internal_error("a routine without an end"));
            };
            self.pc = next;
            probe.begin(next);
            if let Some(change) = probe.change_of_form() {
                self.change_form(change)?;
            }
            next += 1;
            if P::ACROSS_RANKS {
                if self.recorder.is_open() && self.ends_tape_across(*inst) {
                    self.flush_for(probe)?;
                }
                if self.across_ranks(*inst, routine)? {
                    continue;
                }
            }
            if self.recorder.is_open() && self.join(*inst, routine, probe)? {
                continue;
            }
            match *inst {
                Inst::Set { dst, value } => {
                    let value = self.number(value);
                    self.set(dst, value);
                }
                Inst::Int { op, dst, left, right } => {
                    let result = op.apply(self.number(left), self.number(right));
                    let result = result
                        .ok_or_else(|| internal_error("integer arithmetic without a result"))?;
                    self.set(dst, result);
                }
                Inst::Compare { relation, dst, left, right } => {
                    let ordering = self.number(left).cmp(&self.number(right));
                    self.set(dst, i64::from(relation.holds(ordering)));
                }
                Inst::Not { dst, of } => {
                    let truth = self.number(of) == 0;
                    self.set(dst, i64::from(truth));
                }
                Inst::Logic { op, dst, left, right } => {
                    let (left, right) = (self.number(left) != 0, self.number(right) != 0);
                    self.set(dst, i64::from(op.apply(left, right)));
                }
                Inst::SizeOperand { dst, size } => {
                    // A table without rows has no columns.
                    let size = self.size(size).unwrap_or(0);
                    self.set(dst, size as i64);
                }

                Inst::Guard { test, check } => {
                    if !self.holds(test) {
                        return Err(self.trapped(&routine.checks[check as usize])?);
                    }
                }
                Inst::Cost { units } => {
                    probe.cost(u64::from(units), 1);
                    self.cost(u64::from(units))?;
                }
                Inst::CostTimes { units, times } => {
                    let times = self.size(times).unwrap_or(0);
                    let units = self.number(units) as u64;
                    probe.cost(units, times);
                    self.cost(units.saturating_mul(times))?;
                }

                Inst::SafePoint { common } => self.safe_point(common, probe)?,
                Inst::Jump(to) => next = to as usize,
                Inst::Unless { test, to } => {
                    if self.number(test) == 0 {
                        next = to as usize;
                    }
                }
                Inst::WhileTest { test, exit } => {
                    if self.number(test) == 0 {
                        next = exit as usize;
                    } else {
                        self.count_iteration()?;
                    }
                }
                Inst::ForBegin { state, from, to, kernel } => {
                    let (from, to) = (self.number(from), self.number(to));
                    self.set(state, from);
                    self.set(state + 1, to);
                    self.set(state + 2, 1);
                    let kernel = kernel.map(|kernel| &routine.loops[kernel as usize]);
                    let runs = |kernel: &&LoopKernel| !P::ACROSS_RANKS || self.is_own(kernel);
                    if let Some(kernel) = kernel.filter(runs) {
                        let is_indexed = self.wants_index(kernel);
                        if is_indexed && self.recorder.is_open() {
                            self.flush_for(probe)?;
                        }
                        if let Some(taken) = self.run_iterations(kernel, is_indexed)? {
                            kernel.charge(taken, next, routine, probe);
                            if P::ACROSS_RANKS {
                                self.written_by(kernel);
                            }
                        }
                    }
                }
                Inst::ForNext { state, var, down, exit } => match self.for_iteration(state, down) {
                    Some(value) => {
                        self.count_iteration()?;
                        self.set(var, value);
                    }
                    None => next = exit as usize,
                },
                Inst::ForeachNext { state, var, over, exit } => {
                    let at = self.number(Number(state)) as usize;
                    let first = match P::ACROSS_RANKS {
                        true => self.first_of_ranks(over, at)?,
                        false => self.first_from(over, at)?,
                    };
                    match first {
                        Some(idx) => {
                            self.count_iteration()?;
                            self.set(state, idx as i64 + 1);
                            self.set(var, idx as i64 + 1);
                        }
                        None => next = exit as usize,
                    }
                }
                Inst::ForallBegin(forall) => {
                    let forall = &routine.foralls[forall as usize];
                    let n_iterations = match P::ACROSS_RANKS {
                        true => self.run_lines_across(forall)?,
                        false => self.run_lines(forall, forall.range)?,
                    };
                    if let (Some(n_iterations), Some(Inst::ForallNext { exit, .. })) =
                        (n_iterations, routine.insts.get(next))
                    {
                        let exit = *exit as usize;
                        probe.together(routine, next..next + 1, n_iterations.saturating_add(1));
                        probe.together(routine, next + 1..exit, n_iterations);
                        next = exit;
                    } else {
                        self.begin_forall(forall)?;
                        if P::ACROSS_RANKS {
                            self.begin_across(forall)?;
                        }
                    }
                }
                Inst::ForallNext { forall, exit } => {
                    let forall = &routine.foralls[forall as usize];
                    if !self.forall_iteration(forall)? {
                        next = exit as usize;
                        if P::ACROSS_RANKS {
                            self.end_own_rows()?;
                        }
                    }
                }

                Inst::Call(call) => {
                    self.call(call, next as Pc)?;
                    routine = self.routine()?;
                    insts = &routine.insts;
                    probe.called(routine);
                    next = 0;
                }
                Inst::Return => {
                    if self.frames.len() == 1 {
                        return Ok(());
                    }
                    next = self.leave()? as usize;
                    routine = self.routine()?;
                    insts = &routine.insts;
                    probe.left(routine);
                }
                Inst::Intrinsic => {
                    if let Some(candidate) =
                        routine.intrinsic.map(|intrinsic| self.intrinsics[intrinsic])
                    {
                        let has_run = match P::ACROSS_RANKS {
                            true => self.intrinsic_across(candidate, routine)?,
                            false => self.intrinsic(candidate)?,
                        };
                        if has_run {
                            probe.intrinsic(candidate.intrinsic);
                            // Its last instruction is its `Return`.
                            next = routine.insts.len() - 1;
                        }
                    }
                }
                Inst::Print(print) => self.print(&routine.prints[print as usize])?,
                Inst::Read(file) => self.read(&routine.files[file as usize])?,
                Inst::Write(file) => self.write(&routine.files[file as usize])?,
                Inst::SetText { dst, text } => {
                    self.set_text(dst, &routine.prints[text as usize])?
                }
                Inst::CopyText { dst, src } => {
                    let base = self.base.texts;
                    self.texts[base + dst as usize] = self.texts[base + src as usize].clone();
                }
                Inst::Unset(place) => self.unset(place),
                Inst::Literal { dst, literal } => {
                    self.literal(dst, &routine.literals[literal as usize])?;
                }
                // The operations of inner loops come first.
                Inst::Step { dst, bits } => {
                    let found = self.step(bits)?;
                    self.set(dst, found);
                }
                Inst::Query { query, dst, of } => {
                    let answer = self.query(query, of)?;
                    self.set(dst, answer.to(query));
                }
                Inst::Lut2 { table, dst, left, right } => {
                    if !self.long_function(*inst, table, dst, &[left, right])? {
                        self.lut2(table, dst, left, right)?;
                    }
                }
                Inst::Lut3 { table, dst, of } => {
                    if !self.long_function(*inst, table, dst, &of)? {
                        self.lut3(table, dst, of)?;
                    }
                }
                Inst::Row { dst, table, index } => self.line(dst, table, Line::Row, index)?,
                Inst::Column { dst, table, index } => {
                    if !self.record_long(*inst, self.rows_of(table))? {
                        self.line(dst, table, Line::Column, index)?;
                    }
                }
                Inst::PutRow { table, index, value } => {
                    self.put_line(table, Line::Row, index, value)?;
                }
                Inst::PutColumn { table, index, value } => {
                    if !self.record_long(*inst, self.bits(value).len())? {
                        self.put_line(table, Line::Column, index, value)?;
                    }
                }
                Inst::Bits(inst) => self.bits_inst(inst)?,
                Inst::Table(inst) => self.table_inst(inst)?,
                Inst::Size(inst) => self.size_inst(inst)?,
            }
        }
    }

    /// Returns the value of the next iteration of a `for`, if there is one.
    #[inline]
    fn for_iteration(&mut self, state: Reg, down: bool) -> Option<i64> {
        let at = self.base.numbers + state as usize;
        let (value, to) = (self.numbers[at], self.numbers[at + 1]);
        let inside = if down { value >= to } else { value <= to };
        if self.numbers[at + 2] == 0 || !inside {
            return None;
        }
        // No value follows the last one, which may be the maximum integer.
        self.numbers[at + 2] = i64::from(value != to);
        self.numbers[at] = if down { value.wrapping_sub(1) } else { value.wrapping_add(1) };
        Some(value)
    }

    /// Returns the outcome of a run that stops.
    pub(super) fn end_with(&mut self, stop: Stop) -> Outcome {
        if let Err(stop) = self.flush() {
            return self.end_with(stop);
        }
        self.abandon_foralls();
        match stop {
            // Only a flag can prevent the evaluation of a trap's values.
            Stop::Trap(kind) => {
                match self.whole_at(self.loc()).and_then(|()| self.values_at(self.loc())) {
                    Ok(values) => Outcome::Trap(Box::new(self.trap(kind, values))),
                    Err(stop) => self.end_with(stop),
                }
            }
            Stop::Limit(kind) => Outcome::Limit { kind, loc: self.loc() },
            Stop::Unsupported(what) => Outcome::Unsupported { what },
            Stop::Lost(why) => Outcome::DeviceLost { why },
            Stop::Internal(message) => Outcome::Internal(message),
        }
    }

    fn trap(&self, kind: TrapKind, values: Vec<(String, String)>) -> Trap {
        let frames = self.frames.iter().map(|frame| star_ir::Frame {
            routine: self.code.routines[frame.routine].id,
            call: frame.call.map(|(_, loc)| loc),
        });
        Trap { kind, loc: self.loc(), frames: frames.collect(), values }
    }
}
