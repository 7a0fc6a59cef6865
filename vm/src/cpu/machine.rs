//! The machine: registers, frames, and the loop that runs instructions.

use std::sync::Arc;

use star_base::BitVector;
use star_ir::{LimitKind, LocId, RoutineId, Trap, TrapKind};

use super::code::{Code, FrameSize, Inst, Number, Pc, Place, Reg, RoutineCode, Size};
use super::forall::Running;
use super::natives::Reach;
use super::spread::Spread;
use super::table::{Line, Table};
use super::value::{Kept, Value, bytes_of};
use crate::backend::{Control, Outcome, Stats};
use crate::display::{self, Shown};
use crate::room::Room;
use crate::scalars;
use crate::stop::{Step, Stop, broken};

/// A register of bits: a slice or word. What it held last stays as memory for what it holds next.
#[derive(Default)]
pub(super) struct BitsSlot {
    pub(super) bits: BitVector,
    pub(super) is_set: bool,
    /// The number of components if it was never set, if it is known.
    pub(super) size: Option<usize>,
    pub(super) fixed: bool,
    /// So many limbs at the beginning are known to be zero: STEP need not look at them again.
    pub(super) zeros: usize,
}

impl BitsSlot {
    /// Bytes of what it holds.
    pub(super) fn n_bytes(&self) -> u64 {
        if self.is_set { bytes_of(self.bits.len()) } else { 0 }
    }
}

/// Most bytes that a register of bits keeps when it holds nothing any more.
const MOST_KEPT_BYTES: u64 = 1 << 20;

/// A register of a table.
#[derive(Default)]
pub(super) struct TableSlot {
    pub(super) table: Holding,
    pub(super) fixed: bool,
}

/// How a register has a table.
#[derive(Default)]
pub(super) enum Holding {
    /// Not at all.
    #[default]
    None,
    /// Alone: it may write.
    Own(Box<Table>),
    /// Perhaps with others.
    Shared(Arc<Table>),
    /// In a handle, as a native has made it.
    Reach(Arc<Reach>),
}

impl Holding {
    /// The table, if there is one.
    #[inline]
    pub(super) fn get(&self) -> Option<&Table> {
        match self {
            Holding::None | Holding::Reach(_) => None,
            Holding::Own(table) => Some(table),
            Holding::Shared(table) => Some(table),
        }
    }

    #[inline]
    pub(super) fn is_none(&self) -> bool {
        matches!(self, Holding::None)
    }

    /// The table, if it is there alone.
    #[inline]
    pub(super) fn get_mut(&mut self) -> Option<&mut Table> {
        if let Holding::Shared(table) = self
            && let Some(own) = Arc::get_mut(table)
        {
            let own = std::mem::take(own);
            *self = Holding::Own(Box::new(own));
        }
        match self {
            Holding::Own(table) => Some(table),
            Holding::None | Holding::Shared(_) | Holding::Reach(_) => None,
        }
    }

    /// The same table for another register.
    pub(super) fn share(&mut self) -> Holding {
        let shared = match std::mem::take(self) {
            Holding::None => return Holding::None,
            Holding::Own(table) => Arc::from(table),
            Holding::Shared(table) => table,
            Holding::Reach(reach) => {
                *self = Holding::Reach(reach.clone());
                return Holding::Reach(reach);
            }
        };
        *self = Holding::Shared(shared.clone());
        Holding::Shared(shared)
    }

    /// The table as a value outside.
    pub(super) fn into_shared(self) -> Option<Arc<Table>> {
        match self {
            Holding::None | Holding::Reach(_) => None,
            Holding::Own(table) => Some(Arc::from(table)),
            Holding::Shared(table) => Some(table),
        }
    }

    /// What a handle holds, as a value outside.
    pub(super) fn into_kept(self) -> Option<Kept> {
        match self {
            Holding::Reach(reach) => Some(Kept::Reach(reach)),
            table @ (Holding::None | Holding::Own(_) | Holding::Shared(_)) => {
                table.into_shared().map(Kept::Table)
            }
        }
    }
}

impl From<Kept> for Holding {
    fn from(kept: Kept) -> Holding {
        match kept {
            Kept::Table(table) => Holding::Shared(table),
            Kept::Reach(reach) => Holding::Reach(reach),
        }
    }
}

/// An active routine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) routine: usize,
    /// Its first registers.
    pub(super) base: Base,
    /// The instruction of its caller that comes next.
    pub(super) back: Pc,
    /// The call it came from: its number and place in the caller.
    pub(super) call: Option<(u32, LocId)>,
    /// `forall` loops that its callers are in.
    pub(super) n_foralls: usize,
}

/// The first register of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Base {
    pub(super) numbers: usize,
    pub(super) bits: usize,
    pub(super) tables: usize,
    pub(super) texts: usize,
}

/// A run.
pub(super) struct Machine<'p, 'c, 'h> {
    pub(super) code: &'p Code,
    pub(super) spread: Spread<'h>,
    pub(super) control: &'c mut Control<'h>,
    pub(super) room: Room<'h>,
    /// Active routines, the entry first.
    pub(super) frames: Vec<Frame>,
    /// The first registers of the innermost routine.
    pub(super) base: Base,
    pub(super) numbers: Vec<i64>,
    /// Was the number ever set?
    pub(super) numbers_set: Vec<bool>,
    pub(super) bits: Vec<BitsSlot>,
    pub(super) tables: Vec<TableSlot>,
    pub(super) texts: Vec<Option<Arc<str>>>,
    /// Takes results that may not overwrite their operands.
    pub(super) spare: BitVector,
    /// Bytes of the second forms of tables.
    pub(super) copies: u64,
    /// `forall` loops that are running.
    pub(super) foralls: Vec<Running>,
    /// The instruction that is running.
    pub(super) pc: usize,
    /// The header of the entry: where a run ends that does not begin.
    entry_loc: LocId,
    /// Elementary operations so far.
    operations: u64,
    /// Those, turns of loops and calls.
    steps: u64,
    step_limit: u64,
    /// Natives taken.
    natives: u64,
}

/// Runs `entry`; see [`crate::Backend::run`].
pub(super) fn run<'h>(
    code: &Code,
    spread: Spread<'h>,
    entry: RoutineId,
    values: &mut [Value],
    control: &mut Control<'h>,
) -> Outcome {
    control.stats = Stats::default();
    let limit = control.limits.memory.unwrap_or(u64::MAX);
    let mut machine = Machine {
        code,
        spread,
        room: Room::new(control.interrupt, control.deadline, limit),
        step_limit: control.limits.steps.unwrap_or(u64::MAX),
        control,
        frames: Vec::new(),
        base: Base::default(),
        numbers: Vec::new(),
        numbers_set: Vec::new(),
        bits: Vec::new(),
        tables: Vec::new(),
        texts: Vec::new(),
        spare: BitVector::default(),
        copies: 0,
        foralls: Vec::new(),
        pc: 0,
        entry_loc: code.program.routines.get(entry.0 as usize).map_or(LocId(0), |r| r.loc),
        operations: 0,
        steps: 0,
        natives: 0,
    };
    let end = machine.enter(entry, values).and_then(|()| machine.run_to_end());
    let outcome = match end {
        Ok(()) => Outcome::Done,
        Err(stop) => machine.end_with(stop),
    };
    machine.leave_all(values);
    if let Outcome::Limit { kind: LimitKind::Interrupted | LimitKind::Time, .. } = outcome {
        // Giving gigabytes back to the system takes longer than the user wants to wait.
        let gone = (std::mem::take(&mut machine.tables), std::mem::take(&mut machine.bits));
        std::thread::spawn(move || drop(gone));
    }
    let stats = &mut machine.control.stats;
    stats.operations = machine.operations;
    stats.steps = machine.steps;
    stats.natives = machine.natives;
    stats.peak_bytes = machine.room.peak();
    outcome
}

impl<'p> Machine<'p, '_, '_> {
    /// The routine that is running.
    pub(super) fn routine(&self) -> Step<&'p RoutineCode> {
        let frame = self.frames.last().ok_or_else(|| broken("no routine is active"))?;
        Ok(&self.code.routines[frame.routine])
    }

    /// The place of the instruction that is running.
    pub(super) fn loc(&self) -> LocId {
        let routine = self.frames.last().map(|frame| &self.code.routines[frame.routine]);
        let loc = routine.and_then(|routine| routine.locs.get(self.pc));
        loc.copied().unwrap_or(self.entry_loc)
    }

    #[inline]
    pub(super) fn number(&self, number: Number) -> i64 {
        self.numbers[self.base.numbers + number.0 as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, reg: Reg, value: i64) {
        let at = self.base.numbers + reg as usize;
        self.numbers[at] = value;
        self.numbers_set[at] = true;
    }

    #[inline]
    pub(super) fn bits(&self, reg: Reg) -> &BitVector {
        &self.bits[self.base.bits + reg as usize].bits
    }

    #[inline]
    pub(super) fn bits_slot(&self, reg: Reg) -> &BitsSlot {
        &self.bits[self.base.bits + reg as usize]
    }

    #[inline]
    pub(super) fn bits_slot_mut(&mut self, reg: Reg) -> &mut BitsSlot {
        &mut self.bits[self.base.bits + reg as usize]
    }

    #[inline]
    pub(super) fn table_slot(&self, reg: Reg) -> &TableSlot {
        &self.tables[self.base.tables + reg as usize]
    }

    #[inline]
    pub(super) fn table_slot_mut(&mut self, reg: Reg) -> &mut TableSlot {
        &mut self.tables[self.base.tables + reg as usize]
    }

    pub(super) fn table(&self, reg: Reg) -> Step<&Table> {
        let table = self.table_slot(reg).table.get();
        table.ok_or_else(|| broken("a table that was never set"))
    }

    /// A size; `None` if what it measures has none that is known.
    #[inline(always)]
    pub(super) fn size(&self, size: Size) -> Option<u64> {
        match size {
            Size::Value(number) => u64::try_from(self.number(number)).ok(),
            Size::Length(reg) => {
                let slot = self.bits_slot(reg);
                if slot.is_set {
                    Some(slot.bits.len() as u64)
                } else {
                    slot.size.map(|size| size as u64)
                }
            }
            Size::Rows(reg) => self.table_slot(reg).table.get().map(|table| table.n_rows() as u64),
            Size::Columns(reg) => {
                self.table_slot(reg).table.get().map(|table| table.n_cols() as u64)
            }
        }
    }

    /// A size that is known and that memory can have.
    pub(super) fn known_size(&self, size: Size) -> Step<usize> {
        let known = self.size(size).and_then(|size| usize::try_from(size).ok());
        known.ok_or_else(|| broken("a size that is not known"))
    }

    /// Counts a native that was taken.
    pub(super) fn count_native(&mut self) {
        self.natives += 1;
    }

    /// Adds elementary operations.
    #[inline]
    fn cost(&mut self, cost: u64) -> Step<()> {
        self.operations = self.operations.saturating_add(cost);
        self.count_steps(cost)
    }

    /// Counts a turn of a loop, and looks at the flags.
    #[inline]
    pub(super) fn count_turn(&mut self) -> Step<()> {
        self.room.look()?;
        self.count_steps(1)
    }

    #[inline]
    pub(super) fn count_steps(&mut self, steps: u64) -> Step<()> {
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

    /// Counts the iterations of a loop that were done together.
    pub(super) fn count_block(&mut self, n_turns: u64, cost: u64) {
        let cost = cost.saturating_mul(n_turns);
        self.operations = self.operations.saturating_add(cost);
        self.steps = self.steps.saturating_add(cost).saturating_add(n_turns);
    }

    fn run_to_end(&mut self) -> Step<()> {
        let mut routine = self.routine()?;
        let mut next = 0;
        loop {
            let Some(inst) = routine.insts.get(next) else {
                return Err(broken("a routine without an end"));
            };
            self.pc = next;
            next += 1;
            match *inst {
                Inst::Set { dst, value } => {
                    let value = self.number(value);
                    self.set(dst, value);
                }
                Inst::Int { op, dst, left, right } => {
                    let result = op.apply(self.number(left), self.number(right));
                    let result =
                        result.ok_or_else(|| broken("integer arithmetic without a result"))?;
                    self.set(dst, result);
                }
                Inst::Compare { relation, dst, left, right } => {
                    let ordering = self.number(left).cmp(&self.number(right));
                    self.set(dst, i64::from(scalars::holds(relation, ordering)));
                }
                Inst::Not { dst, of } => {
                    let truth = self.number(of) == 0;
                    self.set(dst, i64::from(truth));
                }
                Inst::Logic { op, dst, left, right } => {
                    let (left, right) = (self.number(left) != 0, self.number(right) != 0);
                    self.set(dst, i64::from(scalars::logic(op, left, right)));
                }
                Inst::Measure { dst, size } => {
                    // A table without rows has no columns either.
                    let size = self.size(size).unwrap_or(0);
                    self.set(dst, size as i64);
                }

                Inst::Guard { test, check } => {
                    if !self.holds(test) {
                        return Err(self.trapped(&routine.checks[check as usize])?);
                    }
                }
                Inst::Cost { units } => self.cost(u64::from(units))?,
                Inst::CostTimes { units, times } => {
                    let times = self.size(times).unwrap_or(0);
                    let units = self.number(units) as u64;
                    self.cost(units.saturating_mul(times))?;
                }

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
                        self.count_turn()?;
                    }
                }
                Inst::ForBegin { state, from, to } => {
                    let (from, to) = (self.number(from), self.number(to));
                    self.set(state, from);
                    self.set(state + 1, to);
                    self.set(state + 2, 1);
                }
                Inst::ForNext { state, var, down, exit } => match self.for_turn(state, down) {
                    Some(value) => {
                        self.count_turn()?;
                        self.set(var, value);
                    }
                    None => next = exit as usize,
                },
                Inst::ForeachNext { state, var, over, exit } => {
                    let at = self.number(Number(state)) as usize;
                    match self.first_from(over, at)? {
                        Some(idx) => {
                            self.count_turn()?;
                            self.set(state, idx as i64 + 1);
                            self.set(var, idx as i64 + 1);
                        }
                        None => next = exit as usize,
                    }
                }
                Inst::ForallBegin(forall) => {
                    let forall = &routine.foralls[forall as usize];
                    let done = match &forall.block {
                        Some(block) => self.run_block(block, forall)?,
                        None => false,
                    };
                    match routine.insts.get(next) {
                        Some(Inst::ForallNext { exit, .. }) if done => next = *exit as usize,
                        _ => self.begin_forall(forall)?,
                    }
                }
                Inst::ForallNext { forall, exit } => {
                    let forall = &routine.foralls[forall as usize];
                    if !self.forall_turn(forall)? {
                        next = exit as usize;
                    }
                }

                Inst::Call(call) => {
                    self.call(call, next as Pc)?;
                    routine = self.routine()?;
                    next = 0;
                }
                Inst::Return => {
                    if self.frames.len() == 1 {
                        return Ok(());
                    }
                    next = self.leave()? as usize;
                    routine = self.routine()?;
                }
                Inst::Native(native) => {
                    if self.native(native)? {
                        // Its last instruction is its `Return`.
                        next = routine.insts.len() - 1;
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
                // The operations of inner loops, before the others.
                Inst::Step { dst, bits } => {
                    let found = self.step(bits)?;
                    self.set(dst, found);
                }
                Inst::Ask { ask, dst, of } => {
                    let found = self.ask(ask, of)?;
                    self.set(dst, found);
                }
                Inst::LogicBits { op, dst, left, right } => {
                    self.logic_bits(op, dst, left, right)?;
                }
                Inst::Row { dst, table, index } => self.line(dst, table, Line::Row, index)?,
                Inst::Column { dst, table, index } => {
                    self.line(dst, table, Line::Column, index)?;
                }
                Inst::PutRow { table, index, value } => {
                    self.put_line(table, Line::Row, index, value)?;
                }
                Inst::PutColumn { table, index, value } => {
                    self.put_line(table, Line::Column, index, value)?;
                }
                other => self.data(other)?,
            }
        }
    }

    /// The value of the next turn of a `for`, if there is one.
    #[inline]
    fn for_turn(&mut self, state: Reg, down: bool) -> Option<i64> {
        let at = self.base.numbers + state as usize;
        let (value, to) = (self.numbers[at], self.numbers[at + 1]);
        let inside = if down { value >= to } else { value <= to };
        if self.numbers[at + 2] == 0 || !inside {
            return None;
        }
        // No value lies beyond the last one, which may be the greatest integer there is.
        self.numbers[at + 2] = i64::from(value != to);
        self.numbers[at] = if down { value.wrapping_sub(1) } else { value.wrapping_add(1) };
        Some(value)
    }

    /// A variable holds nothing any more, and no size of it is known.
    pub(super) fn unset(&mut self, place: Place) {
        match place {
            Place::Int(reg) | Place::Bool(reg) => {
                self.numbers_set[self.base.numbers + reg as usize] = false;
            }
            Place::Slice(reg) | Place::Word(reg) => {
                let slot = &mut self.bits[self.base.bits + reg as usize];
                self.room.give(slot.n_bytes());
                if slot.n_bytes() > MOST_KEPT_BYTES {
                    slot.bits = BitVector::default();
                }
                slot.is_set = false;
                slot.size = None;
            }
            Place::Table(reg) | Place::Handle(reg) => {
                let table = std::mem::take(&mut self.table_slot_mut(reg).table);
                self.release(table);
            }
            Place::Text(reg) => self.texts[self.base.texts + reg as usize] = None,
        }
    }

    /// Registers for another routine, all unset; the first of them.
    pub(super) fn grow(&mut self, size: FrameSize) -> Base {
        let base = Base {
            numbers: self.numbers.len(),
            bits: self.bits.len(),
            tables: self.tables.len(),
            texts: self.texts.len(),
        };
        self.numbers.resize(base.numbers + size.numbers as usize, 0);
        self.numbers_set.resize(base.numbers + size.numbers as usize, false);
        self.bits.resize_with(base.bits + size.bits as usize, BitsSlot::default);
        self.tables.resize_with(base.tables + size.tables as usize, TableSlot::default);
        self.texts.resize(base.texts + size.texts as usize, None);
        base
    }

    /// How a run ends that stops.
    fn end_with(&mut self, stop: Stop) -> Outcome {
        self.abandon_foralls();
        match stop {
            Stop::Trap(kind) => Outcome::Trap(Box::new(self.trap(kind))),
            Stop::Limit(kind) => Outcome::Limit { kind, loc: self.loc() },
            Stop::Internal(message) => Outcome::Internal(message),
        }
    }

    fn trap(&self, kind: TrapKind) -> Trap {
        let frames = self.frames.iter().map(|frame| star_ir::Frame {
            routine: self.code.routines[frame.routine].id,
            call: frame.call.map(|(_, loc)| loc),
        });
        let loc = self.loc();
        Trap { kind, loc, frames: frames.collect(), values: self.values_at(loc) }
    }

    /// The source variables at a place of the innermost routine, with their values.
    fn values_at(&self, loc: LocId) -> Vec<(String, String)> {
        let location = self.code.program.locations.get(loc.0 as usize);
        let Some((location, Ok(routine))) = location.map(|location| (location, self.routine()))
        else {
            return Vec::new();
        };
        let operands = location.operands.iter();
        let shown = operands.filter_map(|named| {
            let place = *routine.places.get(named.var.0 as usize)?;
            let shown = self.shown(place)?;
            Some((named.name.clone(), display::short(shown)))
        });
        shown.collect()
    }

    /// A variable for people; `None` for a handle.
    pub(super) fn shown(&self, place: Place) -> Option<Shown<'_>> {
        let number = |reg: Reg| {
            let at = self.base.numbers + reg as usize;
            self.numbers_set[at].then(|| self.numbers[at])
        };
        let shown = match place {
            Place::Int(reg) => number(reg).map(Shown::Int),
            Place::Bool(reg) => number(reg).map(|number| Shown::Bool(number != 0)),
            Place::Slice(reg) | Place::Word(reg) => {
                let slot = self.bits_slot(reg);
                slot.is_set.then_some(Shown::Bits(&slot.bits))
            }
            Place::Table(reg) => {
                let table = self.table_slot(reg).table.get();
                table.map(|table| Shown::Table(table))
            }
            Place::Text(reg) => {
                let text = self.texts[self.base.texts + reg as usize].as_deref();
                text.map(Shown::Str)
            }
            Place::Handle(_) => return None,
        };
        Some(shown.unwrap_or(Shown::Unset))
    }
}

impl display::ShownTable for Table {
    fn n_rows(&self) -> usize {
        self.n_rows()
    }
    fn n_cols(&self) -> usize {
        self.n_cols()
    }
    fn bit(&self, row_idx: usize, col_idx: usize) -> bool {
        self.bit(row_idx, col_idx)
    }
    fn n_ones(&self) -> u64 {
        self.n_ones()
    }
}
