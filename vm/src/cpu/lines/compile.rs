//! Which bodies are kernels over lines, and what becomes of them.

use std::collections::HashMap;

use super::super::class::{Bitwise, Class};
use super::super::code::Forall;
use super::super::inst::Inst;
use super::super::operand::{Number, Reg, Size, Test};
use super::super::table::form::Line;
use super::{LineKernel, LineSize, LineTape, Port};
use crate::tape::{Plan, PortId, Tape, ValueId};

impl LineKernel {
    /// Compiles the instructions of a body that stores lines of `target`; `None` if it does
    /// anything else.
    pub(in crate::cpu) fn compile(
        forall: &Forall,
        (target, line): (Reg, Line),
        body: &[Inst],
    ) -> Option<LineKernel> {
        let mut maker = Maker::new(forall, line, Some(target));
        for inst in body {
            maker.inst(inst.class())?;
        }
        let (body, cost) = maker.made()?;
        Some(LineKernel { target, body, cost, masked: None })
    }
}

/// What a body does with lines, in the making.
pub(super) struct Maker<'a> {
    pub(super) forall: &'a Forall,
    line: Line,
    /// The table that is stored to, if there is one.
    target: Option<Reg>,
    pub(super) tape: Tape,
    ports: Vec<Port>,
    /// What each private variable that was set holds.
    values: HashMap<Reg, ValueId>,
    tables: Vec<Reg>,
    sizes: Vec<(LineSize, LineSize)>,
    cost: u64,
}

impl<'a> Maker<'a> {
    pub(super) fn new(forall: &'a Forall, line: Line, target: Option<Reg>) -> Self {
        Maker {
            forall,
            line,
            target,
            tape: Tape::default(),
            ports: Vec::new(),
            values: HashMap::new(),
            tables: Vec::from_iter(target),
            sizes: Vec::new(),
            cost: 0,
        }
    }

    /// What is run, and the elementary operations of an iteration; `None` if that has no effect.
    pub(super) fn made(self) -> Option<(LineTape, u64)> {
        let Maker { line, tape, ports, tables, sizes, cost, .. } = self;
        let outer = ports.iter().filter_map(|port| match port {
            Port::Lines(_) => None,
            Port::Outer(reg) => Some(*reg),
        });
        let outer = outer.collect();
        let plan = tape.has_effect().then(|| Plan::new(&tape))?;
        Some((LineTape { line, plan, ports, tables, outer, sizes }, cost))
    }

    pub(super) fn inst(&mut self, class: Class) -> Option<()> {
        match class {
            Class::Cost { units } => {
                self.cost = self.cost.checked_add(u64::from(units?))?;
                Some(())
            }
            Class::Guard(test) => self.guard(test),
            Class::Bitwise(op) => {
                let value = self.bitwise(&op)?;
                self.assign(op.dst, value)
            }
            Class::Load { dst, table, line, index } => {
                self.is_own(line, index).then_some(())?;
                self.table(table);
                let port = self.port(Port::Lines(table));
                let value = self.tape.load(port);
                self.assign(dst, value)
            }
            Class::Store { table, line, index, value } => {
                (Some(table) == self.target && self.is_own(line, index)).then_some(())?;
                let value = self.value(value)?;
                let port = self.port(Port::Lines(table));
                self.tape.store(port, value);
                Some(())
            }
            Class::Fill { dst, len, bit } => {
                // What is as long as the lines are.
                let len = self.size(Size::Value(len))?;
                self.sizes.push((LineSize::Line, len));
                let value = self.tape.constant(bit);
                self.assign(dst, value)
            }
            Class::Reduce { .. } | Class::Scalar | Class::Other(_) | Class::Control => None,
        }
    }

    /// Is it the line of the iteration?
    fn is_own(&self, line: Line, index: Number) -> bool {
        line == self.line && index == Number(self.forall.var)
    }

    /// The guards that hold for all iterations if they hold for the least and the greatest index.
    fn guard(&mut self, test: Test) -> Option<()> {
        match test {
            Test::BitsSet(reg) | Test::BitsSized(reg) if self.values.contains_key(&reg) => Some(()),
            // What is used from outside is tested in any case.
            Test::BitsSet(reg) => self.value(reg).map(drop),
            Test::TableSet(table) => {
                self.table(table);
                Some(())
            }
            Test::NumberSet(reg) => (reg == self.forall.var).then_some(()),
            Test::Index(index, limit) => {
                let (of, line) = match limit {
                    Size::Rows(table) => (table, Line::Row),
                    Size::Columns(table) => (table, Line::Column),
                    Size::Value(_) | Size::Length(_) => return None,
                };
                self.is_own(line, index).then_some(())?;
                self.table(of);
                Some(())
            }
            Test::Size(left, right) => {
                let sizes = (self.size(left)?, self.size(right)?);
                self.sizes.push(sizes);
                Some(())
            }
            Test::NotNegative(number) => {
                // What is negative is no size.
                let size = self.size(Size::Value(number))?;
                self.sizes.push((size, size));
                Some(())
            }
            Test::TextSet(_)
            | Test::HandleSet(_)
            | Test::HandlePart(..)
            | Test::BitsSized(_)
            | Test::NewColumn(..)
            | Test::Range { .. }
            | Test::Int(..)
            | Test::Bit(_)
            | Test::Fits { .. }
            | Test::FitsInt(_)
            | Test::Even(_)
            | Test::NoCarry(..)
            | Test::Holds(_) => None,
        }
    }

    fn size(&mut self, size: Size) -> Option<LineSize> {
        match size {
            Size::Length(reg) if self.values.contains_key(&reg) => Some(LineSize::Line),
            Size::Length(reg) => (!self.is_private_bits(reg)).then_some(LineSize::Outer(size)),
            Size::Value(Number(reg)) => {
                let is_outer = reg != self.forall.var
                    && self.forall.privates.iter().all(|place| place.number() != Some(reg));
                is_outer.then_some(LineSize::Outer(size))
            }
            Size::Rows(_) | Size::Columns(_) => Some(LineSize::Outer(size)),
        }
    }

    pub(super) fn is_private_bits(&self, reg: Reg) -> bool {
        self.forall.privates.iter().any(|place| place.bits() == Some(reg))
    }

    fn table(&mut self, table: Reg) {
        if !self.tables.contains(&table) {
            self.tables.push(table);
        }
    }

    fn port(&mut self, port: Port) -> PortId {
        match self.ports.iter().position(|known| *known == port) {
            Some(idx) => PortId(idx as u32),
            None => {
                self.ports.push(port);
                self.tape.port()
            }
        }
    }

    pub(super) fn bitwise(&mut self, op: &Bitwise) -> Option<ValueId> {
        let mut inputs = [ValueId::default(); 3];
        for (input, reg) in inputs.iter_mut().zip(op.of()) {
            *input = self.value(*reg)?;
        }
        Some(self.tape.lut(op.table, &inputs[..op.of().len()]))
    }

    /// What a slice or word holds.
    fn value(&mut self, reg: Reg) -> Option<ValueId> {
        if let Some(value) = self.values.get(&reg) {
            return Some(*value);
        }
        (!self.is_private_bits(reg)).then(|| {
            let port = self.port(Port::Outer(reg));
            self.tape.load(port)
        })
    }

    /// A private variable takes a value.
    fn assign(&mut self, dst: Reg, value: ValueId) -> Option<()> {
        self.is_private_bits(dst).then(|| {
            self.values.insert(dst, value);
        })
    }
}
