//! Which bodies are loop kernels.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use star_ir::IntOp;

use super::super::class::Class;
use super::super::inst::{BitsInst, Inst, SizeInst};
use super::super::operand::{Number, Reg, RegRef, Size, Test};
use super::super::table::form::Line;
use super::numbers::{Known, NumberId, Numbers, Term};
use super::sparse_mask::{Few, Narrowings};
use super::steps::{Reader, Step, Written};
use super::words::RowsAndWord;
use super::{LoopKernel, MOST_PORTS, Port, RowsOr, Source, Way};
use crate::tape::{Plan, PortId, Tape, ValueId};

/// A loop that is compiled.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Body<'a> {
    /// The instructions of the routine so far.
    pub(in crate::cpu) insts: &'a [Inst],
    /// Where the body begins; the jump back ends it.
    pub(in crate::cpu) first: usize,
    pub(in crate::cpu) end: usize,
    /// The index of the turn, the state of the loop, its direction.
    pub(in crate::cpu) var: Reg,
    pub(in crate::cpu) state: Reg,
    pub(in crate::cpu) down: bool,
    /// Registers of constants, and what they hold.
    pub(in crate::cpu) constants: &'a [(Reg, i64)],
}

impl LoopKernel {
    /// Compiles the body of a loop; `None` if its turns are more than logic on columns and slices.
    /// `is_live` says whether a register is needed behind the loop.
    pub(in crate::cpu) fn compile(
        body: Body<'_>,
        mut is_live: impl FnMut(RegRef) -> bool,
    ) -> Option<LoopKernel> {
        let has_columns = body.insts[body.first..body.end].iter().any(|inst| {
            matches!(inst, Inst::Column { index, .. } | Inst::PutColumn { index, .. }
                if *index == Number(body.var))
        });
        has_columns.then_some(())?;
        let mut reader = Reader::new(body);
        let steps = reader.steps(body.first..body.end)?;
        let Reader { words, .. } = reader;
        let mut written = Written::default();
        body.insts[body.first..body.end].iter().try_for_each(|inst| written.inst(*inst))?;
        let Written { slices, numbers, .. } = written;
        let mut is_needed = |reg: Reg| is_live(RegRef::Int(reg)) || is_live(RegRef::Bool(reg));
        if numbers.iter().any(|reg| is_needed(*reg)) || is_needed(body.var) {
            return None;
        }
        if words.iter().any(|word| slices.contains(word)) {
            return None;
        }
        let mut kernel = LoopKernel {
            state: body.state,
            down: body.down,
            words,
            ways: Vec::new(),
            ports: Vec::new(),
            tables: Vec::new(),
            bits: Vec::new(),
            numbers: Vec::new(),
            computed: Numbers::default(),
            limits: Vec::new(),
            sizes: Vec::new(),
            n_buffers: 0,
            few: None,
            narrowing: None,
            rows: None,
        };
        let n_ways = 1 << kernel.words.len();
        // What each way reads of the turn before, and which slices it sets.
        let (mut carried, mut partial): (BTreeSet<Reg>, BTreeSet<Reg>) = Default::default();
        for way in 0..n_ways {
            let mut maker = Maker::new(&body, &mut kernel, &slices, &numbers);
            maker.steps(&steps, way)?;
            partial.extend(slices.iter().filter(|reg| !maker.values.contains_key(*reg)));
            carried.extend(maker.carried);
        }
        let is_bits_live = |reg: &Reg| is_live(RegRef::Slice(*reg)) || is_live(RegRef::Word(*reg));
        let live: BTreeSet<Reg> = slices.iter().copied().filter(is_bits_live).collect();
        let is_new = |reg: &Reg| !carried.contains(reg) && !partial.contains(reg);
        kernel.ports.clear();
        kernel.tables.clear();
        let mut tapes = Vec::with_capacity(n_ways);
        for way in 0..n_ways {
            let mut maker = Maker::new(&body, &mut kernel, &slices, &numbers);
            maker.steps(&steps, way)?;
            for reg in carried.union(&live) {
                if let Some(value) = maker.values.get(reg).copied() {
                    let port = maker.port(Source::Slice(*reg));
                    maker.tape.store(port, value);
                }
            }
            let Maker { tape, cost, insts, .. } = maker;
            let plan = Plan::new(&tape);
            kernel.n_buffers = kernel.n_buffers.max(plan.n_buffers);
            for (port, used) in kernel.ports.iter_mut().zip(&plan.ports) {
                port.is_written |= used.is_written;
            }
            kernel.ways.push(Way { plan, cost, insts });
            tapes.push(tape);
        }
        for port in &mut kernel.ports {
            match port.source {
                Source::Slice(reg) => port.is_new = port.is_written && is_new(&reg),
                Source::Column(..) => {}
            }
        }
        if kernel.ports.iter().any(|port| kernel.is_beside_another(port)) {
            return None;
        }
        kernel.few = Few::of(&kernel.ports, &mut tapes, &live);
        kernel.narrowing = Narrowings::of(&kernel.ports, &tapes);
        kernel.rows = RowsAndWord::of(&kernel, &tapes);
        let has_effect = kernel.ports.iter().any(|port| port.is_written);
        (has_effect && kernel.ports.len() <= MOST_PORTS).then_some(kernel)
    }
}

/// Makes the tape of a way.
struct Maker<'a, 'k> {
    body: &'a Body<'a>,
    kernel: &'k mut LoopKernel,
    /// The slices and numbers that the body writes.
    slices: &'a BTreeSet<Reg>,
    numbers: &'a BTreeSet<Reg>,
    tape: Tape,
    n_ports: usize,
    /// What slices that were set in the turn hold.
    values: HashMap<Reg, ValueId>,
    /// Numbers that were computed in the turn.
    known: Known,
    /// Slices that are read before they are set.
    carried: BTreeSet<Reg>,
    cost: u64,
    insts: Vec<Range<usize>>,
}

impl<'a, 'k> Maker<'a, 'k> {
    fn new(
        body: &'a Body<'a>,
        kernel: &'k mut LoopKernel,
        slices: &'a BTreeSet<Reg>,
        numbers: &'a BTreeSet<Reg>,
    ) -> Self {
        Maker {
            body,
            kernel,
            slices,
            numbers,
            tape: Tape::default(),
            n_ports: 0,
            values: HashMap::new(),
            known: Known::default(),
            carried: BTreeSet::new(),
            cost: 0,
            insts: Vec::new(),
        }
    }

    fn steps(&mut self, steps: &[Step], way: usize) -> Option<()> {
        for step in steps {
            match step {
                Step::Inst(at) => {
                    match self.insts.last_mut() {
                        Some(range) if range.end == *at => range.end += 1,
                        Some(_) | None => self.insts.push(*at..*at + 1),
                    }
                    self.inst(self.body.insts[*at])?;
                }
                Step::If { asked, then, otherwise } => {
                    let is_taken = (way >> asked.word & 1 == 1) == asked.bit;
                    self.steps(if is_taken { then } else { otherwise }, way)?;
                }
            }
        }
        Some(())
    }

    fn inst(&mut self, inst: Inst) -> Option<()> {
        // What branches ask was found before.
        if let Inst::Compare { .. }
        | Inst::Not { .. }
        | Inst::Unless { .. }
        | Inst::Bits(BitsInst::Component { .. }) = inst
        {
            return Some(());
        }
        if let Inst::Int { op, dst, left, right } = inst {
            let number = self.compute(op, left, right)?;
            self.known.learn(dst, number);
            return Some(());
        }
        if let Inst::Size(SizeInst::SetRows { table, rows: _ }) = inst {
            // It does nothing to a table that has rows.
            self.table(table);
            return Some(());
        }
        if let Inst::Size(SizeInst::EnsureColumns { table, columns: Size::Value(index) }) = inst {
            return self.limit(index, Size::Columns(table));
        }
        match inst.class() {
            Class::Cost { units } => {
                self.cost = self.cost.checked_add(u64::from(units?))?;
            }
            Class::Guard(test) => return self.guard(test),
            Class::Bitwise(op) => {
                let mut inputs = [ValueId::default(); 3];
                for (input, reg) in inputs.iter_mut().zip(op.of()) {
                    *input = self.value(*reg);
                }
                let value = self.tape.lut(op.table, &inputs[..op.of().len()]);
                self.values.insert(op.dst, value);
            }
            Class::Fill { dst, len, bit } => {
                let len = self.outer(Size::Value(len))?;
                add(&mut self.kernel.sizes, (RowsOr::Rows, len));
                let value = self.tape.constant(bit);
                self.values.insert(dst, value);
            }
            Class::Load { dst, table, line: Line::Column, index } => {
                let port = self.column(table, index)?;
                let value = self.tape.load(port);
                self.values.insert(dst, value);
            }
            Class::Store { table, line: Line::Column, index, value } => {
                let value = self.value(value);
                let port = self.column(table, index)?;
                self.tape.store(port, value);
            }
            Class::Load { line: Line::Row, .. }
            | Class::Store { line: Line::Row, .. }
            | Class::Reduce { .. }
            | Class::Scalar
            | Class::Other(_)
            | Class::Control => return None,
        }
        Some(())
    }

    /// The port of the column of the turn.
    fn column(&mut self, table: Reg, index: Number) -> Option<PortId> {
        let shifted = match self.term(index)? {
            Term::Index => None,
            Term::Computed(id) if self.kernel.computed.is_shifted_index(id) => Some(id),
            Term::Computed(_) | Term::Outer(_) => return None,
        };
        self.table(table);
        Some(self.port(Source::Column(table, shifted)))
    }

    /// A number as an operand; `None` if another turn makes it.
    fn term(&self, number: Number) -> Option<Term> {
        if number == Number(self.body.var) {
            return Some(Term::Index);
        }
        match self.known.get(number) {
            Some(id) => Some(Term::Computed(id)),
            None => (!self.numbers.contains(&number.0)).then_some(Term::Outer(number)),
        }
    }

    fn compute(&mut self, op: IntOp, left: Number, right: Number) -> Option<NumberId> {
        let (left, right) = (self.term(left)?, self.term(right)?);
        self.kernel.computed.compute(op, left, right)
    }

    fn table(&mut self, table: Reg) {
        add(&mut self.kernel.tables, table);
    }

    /// The guards that hold in all turns if they hold before the first, for the least and the
    /// greatest index.
    fn guard(&mut self, test: Test) -> Option<()> {
        match test {
            Test::BitsSet(reg) | Test::BitsSized(reg) if self.values.contains_key(&reg) => {}
            // What was not set in the turn was set before the loop.
            Test::BitsSet(reg) => {
                if self.slices.contains(&reg) {
                    self.carried.insert(reg);
                }
                add(&mut self.kernel.bits, reg);
            }
            Test::TableSet(table) => self.table(table),
            // Numbers of the turn are set by it.
            Test::NumberSet(reg) if reg == self.body.var || self.numbers.contains(&reg) => {}
            Test::NumberSet(reg) => add(&mut self.kernel.numbers, reg),
            Test::Index(index, limit) => self.limit(index, limit)?,
            // A table that would have to grow is left to the loop as it is written.
            Test::NewColumn(table, index) => self.limit(index, Size::Columns(table))?,
            // What is computed does not overflow in any turn, or the kernel does not run.
            Test::Int(op, left, right) => {
                self.compute(op, left, right)?;
            }
            Test::Size(left, right) => {
                let sizes = (self.size(left)?, self.size(right)?);
                add(&mut self.kernel.sizes, sizes);
            }
            // A negative number is no size, not even its own.
            Test::NotNegative(number) => {
                let number = self.outer(Size::Value(number))?;
                add(&mut self.kernel.sizes, (number, number));
            }
            Test::TextSet(_)
            | Test::HandleSet(_)
            | Test::HandlePart(..)
            | Test::BitsSized(_)
            | Test::Range { .. }
            | Test::Bit(_)
            | Test::Fits { .. }
            | Test::FitsInt(_)
            | Test::Even(_)
            | Test::NoCarry(..)
            | Test::Holds(_) => return None,
        }
        Some(())
    }

    /// The index, or what is computed of it, is at least 1 and at most this in all turns, or the
    /// kernel does not run.
    fn limit(&mut self, index: Number, limit: Size) -> Option<()> {
        let index = match self.term(index)? {
            Term::Index => None,
            Term::Computed(id) => Some(id),
            Term::Outer(_) => return None,
        };
        let limit = self.size(limit)?;
        add(&mut self.kernel.limits, (index, limit));
        Some(())
    }

    fn size(&mut self, size: Size) -> Option<RowsOr> {
        match size {
            Size::Length(reg) if self.slices.contains(&reg) => {
                if !self.values.contains_key(&reg) {
                    self.carried.insert(reg);
                }
                Some(RowsOr::Rows)
            }
            Size::Value(_) | Size::Length(_) | Size::Rows(_) | Size::Columns(_) => self.outer(size),
        }
    }

    /// A size that no turn changes.
    fn outer(&self, size: Size) -> Option<RowsOr> {
        let is_outer = match size {
            Size::Length(reg) => !self.slices.contains(&reg),
            Size::Value(Number(reg)) => reg != self.body.var && !self.numbers.contains(&reg),
            Size::Rows(_) | Size::Columns(_) => true,
        };
        is_outer.then_some(RowsOr::Outer(size))
    }

    /// What a slice holds.
    fn value(&mut self, reg: Reg) -> ValueId {
        if let Some(value) = self.values.get(&reg) {
            return *value;
        }
        if self.slices.contains(&reg) {
            self.carried.insert(reg);
        }
        let port = self.port(Source::Slice(reg));
        self.tape.load(port)
    }

    /// Ports have the same numbers on all tapes.
    fn port(&mut self, source: Source) -> PortId {
        let ports = &mut self.kernel.ports;
        let idx = ports.iter().position(|port| port.source == source).unwrap_or_else(|| {
            ports.push(Port { source, is_written: false, is_new: false });
            ports.len() - 1
        });
        while self.n_ports <= idx {
            self.tape.port();
            self.n_ports += 1;
        }
        PortId(idx as u32)
    }
}

/// Adds what is not there yet.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
