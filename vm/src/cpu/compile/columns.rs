//! Kernels of SIR as loop kernels: those in order, and those over columns whose iterations may run
//! in order.
//!
//! Each combination of the components that conditions ask for is a way. For a way all conditions
//! are known, so that a selected value is one of its two operands.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use star_ir::kernel::{Effect, Kernel as IrKernel, Line, Value, ValueId};
use star_ir::{Check, Operand, SizeOperand, Ty, VarId};

use super::super::inst::{BitsInst, Inst};
use super::super::loop_kernels::{Computed, LoopKernel, MOST_WORDS, Port, Source, Term};
use super::super::operand::{Number, Reg, Size};
use super::Compiler;
use super::kernels::{NOT, place};
use crate::tape::{self, PortId, Tape, table2};

impl Compiler<'_> {
    /// Returns the loop kernel; `None` if a condition depends on anything but components of few
    /// words, or this backend has no form for it.
    pub(super) fn loop_kernel(&mut self, kernel: &IrKernel) -> Option<LoopKernel> {
        (kernel.line == Line::Column).then_some(())?;
        let mut planner = Planner {
            compiler: self,
            kernel,
            terms: Vec::with_capacity(kernel.values.len()),
            planned: LoopKernel::default(),
        };
        planner.planned.down = kernel.in_order().is_some_and(|in_order| in_order.down);
        planner.numbers()?;
        planner.guards()?;
        let (mut tapes, mut costs) = (Vec::new(), Vec::new());
        for way in 0..1 << planner.planned.words.len() {
            let (tape, cost) = planner.way(way)?;
            tapes.push(tape);
            costs.push(cost);
        }
        let (live, carried) = planner.carried();
        planner.same_rows();
        planner.planned.plan(tapes, &costs, &live, &carried)
    }

    /// Returns the instructions that an iteration executes if the components of these words are the
    /// bits of `way`.
    pub(super) fn path(
        &self,
        within: Range<usize>,
        words: &[Reg],
        way: usize,
    ) -> Vec<Range<usize>> {
        let mut known: HashMap<Reg, i64> = self.code.constants.iter().copied().collect();
        let mut path: Vec<Range<usize>> = Vec::new();
        let mut at = within.start;
        while at < within.end {
            let inst = self.code.insts[at];
            if let Inst::Jump(to) = inst {
                at = to as usize;
                continue;
            }
            match path.last_mut() {
                Some(last) if last.end == at => last.end += 1,
                Some(_) | None => path.push(at..at + 1),
            }
            at += 1;
            let number = |number: Number| known.get(&number.0).copied();
            let made = match inst {
                Inst::Bits(BitsInst::Component { dst, bits, .. }) => {
                    let word = words.iter().position(|word| *word == bits);
                    Some((dst, word.map(|word| (way >> word & 1) as i64)))
                }
                Inst::Compare { relation, dst, left, right } => {
                    let both = number(left).zip(number(right));
                    Some((dst, both.map(|(l, r)| i64::from(relation.holds(l.cmp(&r))))))
                }
                Inst::Not { dst, of } => Some((dst, number(of).map(|of| i64::from(of == 0)))),
                Inst::Logic { op, dst, left, right } => {
                    let both = number(left).zip(number(right));
                    Some((dst, both.map(|(l, r)| i64::from(op.apply(l != 0, r != 0)))))
                }
                Inst::Set { dst, value } => Some((dst, number(value))),
                Inst::Unless { test, to } if number(test) == Some(0) => {
                    at = to as usize;
                    None
                }
                _ => None,
            };
            if let Some((dst, Some(value))) = made {
                known.insert(dst, value);
            }
        }
        path
    }
}

struct Planner<'c, 'p, 'k> {
    compiler: &'c mut Compiler<'p>,
    kernel: &'k IrKernel,
    /// The numbers among the values.
    terms: Vec<Option<Term>>,
    planned: LoopKernel,
}

impl Planner<'_, '_, '_> {
    fn reg(&self, var: VarId) -> Reg {
        self.compiler.reg(var)
    }

    fn numbers(&mut self) -> Option<()> {
        for value in &self.kernel.values {
            let term = match value {
                Value::Index => Some(Term::Index),
                Value::Scalar(operand) => Some(Term::Outer(self.compiler.number(operand))),
                Value::Int(op, left, right) => {
                    let [left, right] = [left, right].map(|id| self.terms[id.0 as usize]);
                    let computed = Computed { op: *op, left: left?, right: right? };
                    self.planned.computed.push(computed);
                    Some(Term::Computed(self.planned.computed.len() - 1))
                }
                Value::Component(var) => {
                    let word = self.reg(*var);
                    place(&mut self.planned.words, word);
                    None
                }
                _ => None,
            };
            self.terms.push(term);
        }
        (self.planned.words.len() <= MOST_WORDS).then_some(())
    }

    fn guards(&mut self) -> Option<()> {
        for guard in &self.kernel.guards {
            match guard {
                Check::Set(var) => {
                    let (reg, planned) = (self.reg(*var), &mut self.planned);
                    let list = match self.compiler.routine.var(*var).ty {
                        Ty::Slice(_) | Ty::Word(_) => &mut planned.bits,
                        Ty::Int | Ty::Bool => &mut planned.numbers,
                        Ty::Table(..) => &mut planned.tables,
                        Ty::Str | Ty::Handle => return None,
                    };
                    place(list, reg);
                }
                Check::Index(_, limit) => {
                    let limit = self.compiler.size(limit);
                    place(&mut self.planned.limits, (None, limit));
                }
                Check::Size(left, right) => {
                    let sizes = (self.compiler.size(left), self.compiler.size(right));
                    place(&mut self.planned.sizes, sizes);
                }
                // A negative number is no size, not even its own.
                Check::NotNegative(number) => {
                    let size = self.compiler.size(&SizeOperand::Value(number.clone()));
                    place(&mut self.planned.sizes, (size, size));
                }
                _ => return None,
            }
        }
        for value in &self.kernel.values {
            if let Value::Line(table, index) = value
                && let Source::Column(table, index @ Some(_)) = self.column(*table, *index)?
            {
                place(&mut self.planned.limits, (index, Size::Columns(table)));
            }
        }
        Some(())
    }

    fn column(&self, table: VarId, index: Option<ValueId>) -> Option<Source> {
        let index = match index.map(|index| self.terms[index.0 as usize]) {
            None | Some(Some(Term::Index)) => None,
            Some(Some(Term::Computed(id))) => Some(id),
            Some(Some(Term::Outer(_)) | None) => return None,
        };
        Some(Source::Column(self.reg(table), index))
    }

    /// Returns the numbers and truth values that are known in a way.
    fn known(&self, way: usize) -> Vec<Option<i64>> {
        let mut known: Vec<Option<i64>> = Vec::with_capacity(self.kernel.values.len());
        for value in &self.kernel.values {
            let of = |id: &ValueId| known[id.0 as usize];
            let value = match value {
                Value::Component(var) => {
                    let reg = self.reg(*var);
                    let word = self.planned.words.iter().position(|word| *word == reg);
                    word.map(|word| (way >> word & 1) as i64)
                }
                Value::Scalar(Operand::Int(number)) => Some(*number),
                Value::Scalar(Operand::Bool(truth)) => Some(i64::from(*truth)),
                Value::Not(id) => of(id).map(|truth| i64::from(truth == 0)),
                Value::Logic(op, left, right) => of(left)
                    .zip(of(right))
                    .map(|(left, right)| i64::from(op.apply(left != 0, right != 0))),
                Value::Compare(relation, left, right) => of(left)
                    .zip(of(right))
                    .map(|(left, right)| i64::from(relation.holds(left.cmp(&right)))),
                _ => None,
            };
            known.push(value);
        }
        known
    }

    /// Returns what a way does, and its elementary operations.
    fn way(&mut self, way: usize) -> Option<(Tape, u64)> {
        let kernel = self.kernel;
        let known = self.known(way);
        // Each value, or the one that is selected.
        let mut selected: Vec<usize> = Vec::with_capacity(known.len());
        for (idx, value) in kernel.values.iter().enumerate() {
            selected.push(match value {
                Value::Select(test, then, otherwise) => {
                    let is_then = known[test.0 as usize]? != 0;
                    selected[if is_then { then } else { otherwise }.0 as usize]
                }
                _ => idx,
            });
        }
        let mut needed = vec![false; known.len()];
        let (mut stores, mut cost) = (Vec::new(), kernel.cost);
        for effect in &kernel.effects {
            let (target, value, before, op) = match effect {
                Effect::Store { table, index, value } => {
                    let before = Value::Line(*table, *index);
                    (self.column(*table, *index)?, value, Some(before), None)
                }
                Effect::Carry { into, value, is_result: _ } => {
                    (Source::Slice(self.reg(*into)), value, Some(Value::Carried(*into)), None)
                }
                Effect::Reduce { into, op, value, when: None }
                    if self.compiler.routine.var(*into).ty.is_bits() =>
                {
                    (Source::Slice(self.reg(*into)), value, None, Some(op.logic()?))
                }
                Effect::Reduce { .. } | Effect::Put { .. } => return None,
                Effect::Cost { units, when } => {
                    if known[when.0 as usize]? != 0 {
                        cost = cost.checked_add(*units)?;
                    }
                    continue;
                }
            };
            let value = selected[value.0 as usize];
            // What stays is not stored.
            if before.as_ref() != Some(&kernel.values[value]) {
                needed[value] = true;
                stores.push((target, value, op));
            }
        }
        for (idx, value) in kernel.values.iter().enumerate().rev() {
            if needed[idx] {
                value.operands().for_each(|id| needed[selected[id.0 as usize]] = true);
            }
        }
        let mut tape = Tape::default();
        let mut made: Vec<tape::ValueId> = Vec::with_capacity(known.len());
        for (idx, value) in kernel.values.iter().enumerate() {
            let of = |id: &ValueId| made[selected[id.0 as usize]];
            let bits = match value {
                _ if !needed[idx] => tape::ValueId::default(),
                Value::Line(table, index) => {
                    let port = self.column(*table, *index)?;
                    self.load(&mut tape, port)
                }
                Value::Whole(var) | Value::Carried(var) => {
                    self.load(&mut tape, Source::Slice(self.reg(*var)))
                }
                Value::Fill(bit) => tape.constant(*bit),
                Value::Not(id) => tape.lut(NOT, &[of(id)]),
                Value::Logic(op, left, right) => {
                    let table = table2(|left, right| op.apply(left, right));
                    tape.lut(table, &[of(left), of(right)])
                }
                _ => tape::ValueId::default(),
            };
            made.push(bits);
        }
        for (target, value, op) in stores {
            let port = self.port(&mut tape, target);
            let mut value = made[value];
            if let Some(op) = op {
                let before = tape.load(port);
                value = tape.lut(table2(|left, right| op.apply(left, right)), &[before, value]);
            }
            tape.store(port, value);
        }
        Some((tape, cost))
    }

    fn load(&mut self, tape: &mut Tape, source: Source) -> tape::ValueId {
        let port = self.port(tape, source);
        tape.load(port)
    }

    /// Ports have the same numbers on all tapes.
    fn port(&mut self, tape: &mut Tape, source: Source) -> PortId {
        let ports = &mut self.planned.ports;
        let idx = ports.iter().position(|port| port.source == source).unwrap_or_else(|| {
            ports.push(Port { source, is_written: false, is_new: false });
            ports.len() - 1
        });
        while tape.n_ports() <= idx {
            tape.port();
        }
        PortId(idx as u32)
    }

    /// Returns the slices that are needed after the loop, and those that an iteration reads of the
    /// one before it.
    fn carried(&self) -> (BTreeSet<Reg>, BTreeSet<Reg>) {
        let (mut live, mut carried) = (BTreeSet::new(), BTreeSet::new());
        for effect in &self.kernel.effects {
            match effect {
                Effect::Carry { into, is_result: true, .. } => {
                    live.insert(self.reg(*into));
                }
                Effect::Reduce { into, .. } => {
                    live.insert(self.reg(*into));
                    carried.insert(self.reg(*into));
                }
                Effect::Carry { .. }
                | Effect::Store { .. }
                | Effect::Put { .. }
                | Effect::Cost { .. } => {}
            }
        }
        for value in &self.kernel.values {
            if let Value::Carried(var) = value {
                carried.insert(self.reg(*var));
            }
        }
        (live, carried)
    }

    /// The columns of the kernel's table are as long as those of the ports.
    fn same_rows(&mut self) {
        let own = self.reg(self.kernel.table);
        let first = self.planned.ports.iter().find_map(|port| match port.source {
            Source::Column(table, _) => Some(table),
            Source::Slice(_) => None,
        });
        if let Some(first) = first.filter(|first| *first != own) {
            self.planned.sizes.push((Size::Rows(own), Size::Rows(first)));
        }
    }
}
