//! The interpreter: runs an entry to its end, a trap or a limit.
//!
//! Note [Stack]. Neither calls nor constructs use the stack of the Rust thread: active routines are
//! a vector of frames, and a frame has a vector of its active constructs (`control::Region`). So
//! any depth of calls and nesting is safe, `exit` clears the constructs of a frame, and `break` and
//! `continue` pop them.

use star_ir::{
    Block, LimitKind, LocId, Operand, PrintItem, Program, ReductionOp, RoutineId, Simple,
    SizeOperand, Stmt, StmtKind, Trap, TrapKind, VarId,
};
use star_value::{Value as HostValue, display};

use super::budget::MAX_BYTES;
use super::control::Region;
use super::evaluate::{copy, evaluate};
use super::frame::{Frame, top};
use super::meter::Meter;
use super::observe::{Moment, Observer};
use super::races::RaceDetector;
use super::value::{Data, Value};
use super::{Settings, bits, stores, tables, touch};
use crate::backend::{Control, HostError, Outcome, Stats};
use crate::budget::MemoryBudget;
use crate::checks;
use crate::interrupt::{Exec, Stop, internal_error};

/// Statements between two polls of the flags.
const STATEMENTS_PER_POLL: u32 = 1000;

/// A run.
pub(super) struct Interpreter<'p, 'c, 'h> {
    pub(super) program: &'p Program,
    pub(super) settings: Settings,
    pub(super) control: &'c mut Control<'h>,
    pub(super) budget: MemoryBudget<'h>,
    /// Active routines, the entry first.
    pub(super) frames: Vec<Frame<'p>>,
    /// One for each active `forall`, the outermost first.
    pub(super) race_detectors: Vec<RaceDetector>,
    /// The location of the running statement.
    pub(super) loc: LocId,
    pub(super) next_tag: u64,
    /// Charges a profile, if there is one.
    pub(super) meter: Option<Meter<'c>>,
    pub(super) observer: Option<&'c mut (dyn Observer + 'c)>,
    since_poll: u32,
}

/// Runs `entry`; see [`crate::Backend::run`].
pub(super) fn run<'c>(
    program: &Program,
    settings: Settings,
    entry: RoutineId,
    values: &mut [Value],
    control: &'c mut Control<'_>,
    (meter, observer): (Option<Meter<'c>>, Option<&'c mut (dyn Observer + 'c)>),
) -> Outcome {
    control.stats = Stats::default();
    let limit = control.limits.memory.unwrap_or(MAX_BYTES).min(MAX_BYTES);
    let mut interpreter = Interpreter {
        program,
        settings,
        budget: MemoryBudget::new(control.interrupt, control.deadline, limit),
        control,
        frames: Vec::new(),
        race_detectors: Vec::new(),
        loc: LocId(0),
        next_tag: 1,
        meter,
        observer,
        since_poll: 0,
    };
    let end = interpreter.enter(entry, values).and_then(|()| interpreter.run_to_end());
    let outcome = match end {
        Ok(()) => Outcome::Done,
        Err(stop) => interpreter.end_with(stop),
    };
    if let Some(meter) = interpreter.meter.take() {
        meter.end(program);
    }
    interpreter.leave_all(entry, values);
    interpreter.control.stats.peak_bytes = interpreter.budget.peak();
    outcome
}

impl<'p> Interpreter<'p, '_, '_> {
    fn run_to_end(&mut self) -> Exec<()> {
        loop {
            let frame = top(&mut self.frames)?;
            match frame.regions.last_mut() {
                Some(Region::Block { rest, .. }) => match rest.next() {
                    Some(stmt) => self.statement(stmt)?,
                    None => {
                        frame.regions.pop();
                    }
                },
                Some(_) => self.iteration()?,
                None => {
                    let called = frame.call.is_some();
                    self.observe(Moment::End)?;
                    match called {
                        true => self.leave()?,
                        false => return Ok(()),
                    }
                }
            }
        }
    }

    /// Runs a statement; a construct or call is only begun. Inside a `forall`, its accesses are
    /// recorded: before it runs, with the sizes at that point, and again for its writes with the
    /// sizes afterwards.
    fn statement(&mut self, stmt: &'p Stmt) -> Exec<()> {
        self.loc = stmt.loc;
        if let Some(meter) = &mut self.meter {
            meter.statement(stmt);
        }
        self.observe(Moment::Statement(stmt))?;
        self.since_poll += 1;
        if self.since_poll >= STATEMENTS_PER_POLL {
            self.since_poll = 0;
            self.budget.poll()?;
        }
        if self.race_detectors.is_empty() {
            return self.execute(&stmt.kind, stmt.loc);
        }
        let mut touches = touch::touches(top(&mut self.frames)?, &stmt.kind)?;
        self.record(&touches)?;
        self.execute(&stmt.kind, stmt.loc)?;
        if matches!(stmt.kind, StmtKind::Simple(Simple::Call { .. })) {
            return Ok(());
        }
        touches.retain(|touch| touch.writes);
        self.record(&touches)
    }

    fn execute(&mut self, kind: &'p StmtKind, loc: LocId) -> Exec<()> {
        let StmtKind::Simple(simple) = kind else { return self.begin(kind, loc) };
        let frame = top(&mut self.frames)?;
        let budget = &mut self.budget;
        match simple {
            Simple::Assign(dst, op) => {
                let data = evaluate(frame, budget, frame.ty(*dst)?, op)?;
                frame.store(budget, *dst, data)
            }
            Simple::Step { dst, bits } => stores::step(frame, budget, *dst, *bits),
            Simple::Put { bits, index, bit } => stores::put(frame, *bits, index, bit),
            Simple::Replace { word, base, value } => stores::replace(frame, *word, base, *value),
            Simple::PutColumn { table, index, value } => {
                stores::put_column(frame, *table, index, *value)
            }
            Simple::PutRow { table, index, value } => stores::put_row(frame, *table, index, *value),
            Simple::PutBit { table, row, column, bit } => {
                stores::put_bit(frame, *table, row, column, bit)
            }
            Simple::PutField { table, base, value } => {
                stores::put_field(frame, budget, *table, base, *value)
            }
            Simple::PutHandlePart { handle, part, value } => {
                stores::put_handle_part(frame, budget, *handle, part, *value)
            }
            Simple::Size(op) => stores::resize(frame, budget, op),
            Simple::Check(check) => {
                frame.place = self.program.locations.get(loc);
                match checks::check(frame, check)? {
                    Some(trap) => Err(Stop::Trap(trap)),
                    None => Ok(()),
                }
            }
            Simple::Cost { units, times } => self.cost(*units, times.as_ref(), loc),
            Simple::Call { callee, args, dst } => self.call(*callee, args, *dst, loc),
            Simple::Print(items) => self.print(items),
            Simple::Read { dst, file, layout } => self.read(*dst, file, layout.as_ref()),
            Simple::Write { src, file } => self.write(*src, file),
            Simple::Exchange { word, op } => self.exchange(*word, *op),
            Simple::ExchangeRow { word, table, index, before } => {
                self.own_row(*word, *table, (index, before))?;
                self.exchange(*word, ReductionOp::Or)
            }
        }
    }

    /// Adds `units × times` elementary operations; a negative number of times counts as zero.
    fn cost(&mut self, units: u64, times: Option<&SizeOperand>, loc: LocId) -> Exec<()> {
        let frame = top(&mut self.frames)?;
        let times = match times {
            None => 1,
            Some(SizeOperand::Value(operand)) => u64::try_from(frame.int(operand)?).unwrap_or(0),
            Some(measure) => frame.measure(measure)?.unwrap_or(0),
        };
        if let Some(meter) = &mut self.meter {
            meter.cost(loc, units, times);
        }
        let cost = units.saturating_mul(times);
        let stats = &mut self.control.stats;
        stats.operations = stats.operations.saturating_add(cost);
        self.count_steps(cost)
    }

    /// Records that a loop tests for its next iteration.
    pub(super) fn looks_for_iteration(&mut self, body: &Block, loc: LocId) {
        self.loc = loc;
        if let Some(meter) = &mut self.meter {
            meter.iteration(body, loc);
        }
    }

    /// Counts an iteration of a loop, and polls the flags.
    pub(super) fn count_iteration(&mut self) -> Exec<()> {
        self.budget.poll()?;
        self.observe(Moment::Iteration)?;
        self.count_steps(1)
    }

    pub(super) fn count_steps(&mut self, steps: u64) -> Exec<()> {
        let stats = &mut self.control.stats;
        stats.steps = stats.steps.saturating_add(steps);
        match self.control.limits.steps {
            Some(limit) if stats.steps > limit => Err(Stop::Limit(LimitKind::Steps { limit })),
            Some(_) | None => Ok(()),
        }
    }

    fn print(&mut self, items: &[PrintItem]) -> Exec<()> {
        self.only_in_sequence("`print`")?;
        let frame = top(&mut self.frames)?;
        let mut names = Vec::new();
        for item in items {
            names.push(match item {
                PrintItem::Name(row) => self.control.host.name(frame.int(row)?),
                PrintItem::Value(_) => None,
            });
        }
        let mut values = Vec::new();
        for (item, name) in items.iter().zip(&names) {
            if let Some(name) = name {
                values.push(display::Shown::Str(name));
                continue;
            }
            values.push(match item.operand() {
                Operand::Var(var) => frame.data(*var)?.shown(),
                Operand::Int(number) => display::Shown::Int(*number),
                Operand::Bool(truth) => display::Shown::Bool(*truth),
                Operand::Str(text) => display::Shown::Str(text),
            });
        }
        let line = display::print_line(&values);
        let output = (self.control.stats.output_bytes).saturating_add(line.len() as u64);
        if let Some(limit) = self.control.limits.output.filter(|&limit| output > limit) {
            return Err(Stop::Limit(LimitKind::Output { limit }));
        }
        self.control.host.print(&line).map_err(file_trap)?;
        self.control.stats.output_bytes = output;
        Ok(())
    }

    /// Reads a file. A table that was read does not grow (star.md, section 3).
    fn read(&mut self, dst: VarId, file: &Operand, layout: Option<&Operand>) -> Exec<()> {
        self.only_in_sequence("`read`")?;
        let frame = top(&mut self.frames)?;
        let file = frame.text(file)?;
        let layout = layout.map(|layout| frame.text(layout)).transpose()?;
        let max_bytes = Some(self.budget.available());
        let value = (self.control.host)
            .read(&file, layout.as_deref(), frame.ty(dst)?, max_bytes)
            .map_err(file_trap)?;
        let data =
            Data::from_host(value).ok_or_else(|| internal_error("the file contains no value"))?;
        self.budget.reserve(data.bytes())?;
        if matches!(data, Data::Table(_)) {
            frame.slot_mut(dst)?.fixed = true;
        }
        frame.store(&mut self.budget, dst, data)
    }

    fn write(&mut self, src: VarId, file: &Operand) -> Exec<()> {
        self.only_in_sequence("`write`")?;
        let frame = top(&mut self.frames)?;
        let file = frame.text(file)?;
        let value = frame.data(src)?.to_host();
        let value = value.bits().ok_or_else(|| internal_error("the value cannot be written"))?;
        self.control.host.write(&file, value).map_err(file_trap)
    }

    fn exchange(&mut self, word: VarId, op: ReductionOp) -> Exec<()> {
        self.only_in_sequence("an exchange")?;
        let frame = top(&mut self.frames)?;
        let HostValue::Word(own) = frame.data(word)?.to_host() else {
            return Err(internal_error("an exchange of no word"));
        };
        let combined = self.control.host.exchange(op, &own).map_err(|lost| Stop::Lost(lost.why))?;
        let data = Data::from_host(HostValue::Word(combined));
        let data = data.ok_or_else(|| internal_error("an exchange of no word"))?;
        self.budget.reserve(data.bytes())?;
        frame.store(&mut self.budget, word, data)
    }

    /// Sets a word to a row, or to zeros if another process has it.
    fn own_row(
        &mut self,
        word: VarId,
        table: VarId,
        (index, before): (&Operand, &Operand),
    ) -> Exec<()> {
        let frame = top(&mut self.frames)?;
        let own = frame.int(index)?.saturating_sub(frame.int(before)?);
        let table = frame.table(table)?;
        let row = match usize::try_from(own) {
            Ok(1..) if own as usize <= table.rows => tables::row(&mut self.budget, table, own)?,
            _ => bits::fill(&mut self.budget, table.columns.len(), false)?,
        };
        frame.store(&mut self.budget, word, Data::Word(row))
    }

    fn only_in_sequence(&self, what: &str) -> Exec<()> {
        if self.race_detectors.is_empty() {
            Ok(())
        } else {
            Err(internal_error(format!("{what} inside a `forall`")))
        }
    }

    /// Returns a copy of an operand's value.
    pub(super) fn copy(&mut self, operand: &Operand) -> Exec<Data> {
        copy(top(&mut self.frames)?, &mut self.budget, operand)
    }

    /// Returns the outcome of a stopped run: active kernels and `forall` loops restore their
    /// variables.
    fn end_with(&mut self, stop: Stop) -> Outcome {
        for frame in self.frames.iter_mut().rev() {
            for region in std::mem::take(&mut frame.regions).into_iter().rev() {
                region.abandon(frame);
            }
        }
        match stop {
            Stop::Trap(kind) => match self.values_here() {
                Some(values) => Outcome::Trap(Box::new(self.trap(kind, values))),
                None => Outcome::Internal(format!(
                    "a trap at !{}, where no routine is active",
                    self.loc.0
                )),
            },
            Stop::Limit(kind) => Outcome::Limit { kind, loc: self.loc },
            Stop::Unsupported(what) => Outcome::Unsupported { what },
            Stop::Lost(why) => Outcome::DeviceLost { why },
            Stop::Internal(message) => Outcome::Internal(message),
        }
    }

    fn trap(&self, kind: TrapKind, values: Vec<(String, String)>) -> Trap {
        let frames = self.frames.iter().map(|frame| star_ir::Frame {
            routine: frame.id,
            call: frame.call.map(|call| call.loc),
        });
        Trap { kind, loc: self.loc, frames: frames.collect(), values }
    }

    /// Returns the source variables at the current location, with their values.
    fn values_here(&self) -> Option<Vec<(String, String)>> {
        let location = self.program.locations.get(self.loc)?;
        let frame = self.frames.last()?;
        let mut values = Vec::new();
        for named in &location.operands {
            let slot = frame.slot(named.var).ok()?;
            if matches!(frame.ty(named.var).ok()?, star_ir::Ty::Handle) {
                continue;
            }
            let shown = slot.data.as_ref().map_or(display::Shown::Unset, Data::shown);
            values.push((named.name.clone(), display::short(shown)));
        }
        Some(values)
    }
}

fn file_trap(error: HostError) -> Stop {
    let HostError { code, message } = error;
    Stop::Trap(TrapKind::File { code, message })
}
