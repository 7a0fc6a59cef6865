//! Kernels of SIR as kernels over lines.
//!
//! A kernel that stores the lines of one table, or combines lines into one slice or word, has a
//! separate form; one that combines the answers to queries, or sets components, becomes a tape with
//! reductions and a list of steps. Any other one is left to its fallback.

use star_ir::kernel::{Effect, Kernel as IrKernel, Value, ValueId};
use star_ir::{Check, Operand, Query, ReductionOp, SizeOperand, VarId};

use super::super::lines::{
    Guards, Kernel, LineKernel, LineQueries, LineReduction, LineSize, LineTape, Num, Outside, Port,
    Step, Truth,
};
use super::super::operand::{Reg, Size};
use super::super::table::form::Line;
use super::Compiler;
use crate::tape::{self, Plan, PortId, Tape, table2};

impl Compiler<'_> {
    /// Returns the kernel over lines; `None` if this backend has no form for it.
    pub(super) fn line_kernel(&mut self, kernel: &IrKernel) -> Option<Kernel> {
        let iterations = kernel.iterations()?;
        let mut planner = Planner {
            compiler: self,
            kernel,
            index: iterations.var,
            tape: Tape::default(),
            ports: Vec::new(),
            tables: Vec::new(),
            guards: Guards::default(),
            outside: Outside::default(),
            values: Vec::with_capacity(kernel.values.len()),
            steps: Vec::new(),
            counts: Counts::default(),
        };
        planner.values()?;
        planner.guards()?;
        match &kernel.effects[..] {
            [Effect::Store { table, index: None, value }] => planner.store(*table, *value),
            [Effect::Reduce { into, op, value, when: None }]
                if planner.compiler.routine.var(*into).ty.is_bits() =>
            {
                planner.reduction(*into, *op, *value)
            }
            effects => planner.queries(effects),
        }
    }
}

/// The form of a value in the plan.
#[derive(Clone, Copy)]
enum Planned {
    Bits(tape::ValueId),
    Number(Num),
    Truth(Truth),
}

/// Numbers of the values that steps make.
#[derive(Default)]
struct Counts {
    queries: usize,
    numbers: usize,
    truths: usize,
}

struct Planner<'c, 'p, 'k> {
    compiler: &'c mut Compiler<'p>,
    kernel: &'k IrKernel,
    index: VarId,
    tape: Tape,
    ports: Vec<Port>,
    tables: Vec<Reg>,
    guards: Guards,
    outside: Outside,
    values: Vec<Planned>,
    steps: Vec<Step>,
    counts: Counts,
}

impl Planner<'_, '_, '_> {
    fn line(&self) -> Line {
        Line::from(self.kernel.line)
    }

    fn reg(&self, var: VarId) -> Reg {
        self.compiler.reg(var)
    }

    fn values(&mut self) -> Option<()> {
        for value in &self.kernel.values {
            let planned = self.value(value)?;
            self.values.push(planned);
        }
        Some(())
    }

    fn value(&mut self, value: &Value) -> Option<Planned> {
        Some(match value {
            Value::Line(table, None) => {
                let reg = self.reg(*table);
                place(&mut self.tables, reg);
                let port = self.port(Port::Lines(reg));
                Planned::Bits(self.tape.load(port))
            }
            Value::Whole(var) => {
                let port = self.port(Port::Outer(self.reg(*var)));
                Planned::Bits(self.tape.load(port))
            }
            Value::Fill(bit) => Planned::Bits(self.tape.constant(*bit)),
            Value::Not(of) => match self.values[of.0 as usize] {
                Planned::Bits(of) => Planned::Bits(self.tape.lut(NOT, &[of])),
                Planned::Truth(of) => Planned::Truth(self.truth_of(Step::Not(of))),
                Planned::Number(_) => return None,
            },
            Value::Logic(op, left, right) => {
                match (self.values[left.0 as usize], self.values[right.0 as usize]) {
                    (Planned::Bits(left), Planned::Bits(right)) => {
                        let table = table2(|left, right| op.apply(left, right));
                        Planned::Bits(self.tape.lut(table, &[left, right]))
                    }
                    (Planned::Truth(left), Planned::Truth(right)) => {
                        Planned::Truth(self.truth_of(Step::Logic(*op, left, right)))
                    }
                    _ => return None,
                }
            }
            Value::Query(query, of) => {
                let Planned::Bits(of) = self.values[of.0 as usize] else { return None };
                self.query(*query, of)
            }
            Value::Index => Planned::Number(Num::Index),
            Value::Scalar(operand) => {
                let number = self.compiler.number(operand);
                let at = place(&mut self.outside.numbers, number);
                let is_truth = match operand {
                    Operand::Bool(_) => true,
                    Operand::Var(var) => {
                        place(&mut self.outside.numbers_set, number.0);
                        self.compiler.routine.var(*var).ty == star_ir::Ty::Bool
                    }
                    Operand::Int(_) | Operand::Str(_) => false,
                };
                match is_truth {
                    true => Planned::Truth(Truth::Outer(at)),
                    false => Planned::Number(Num::Outer(at)),
                }
            }
            Value::Component(var) => {
                let reg = self.reg(*var);
                place(&mut self.outside.bits_set, reg);
                place(&mut self.guards.limits, Size::Length(reg));
                let of = place(&mut self.outside.read, reg);
                self.number_of(Step::Component { of })
            }
            Value::Compare(relation, left, right) => {
                match (self.values[left.0 as usize], self.values[right.0 as usize]) {
                    (Planned::Number(left), Planned::Number(right)) => {
                        let step = Step::Compare { relation: *relation, left, right };
                        Planned::Truth(self.truth_of(step))
                    }
                    _ => return None,
                }
            }
            Value::Line(_, Some(_)) | Value::Carried(_) | Value::Select(..) | Value::Int(..) => {
                return None;
            }
        })
    }

    fn query(&mut self, query: Query, of: tape::ValueId) -> Planned {
        self.tape.query(query, of);
        let answer = self.counts.queries;
        self.counts.queries += 1;
        if query.is_test() {
            Planned::Truth(self.truth_of(Step::Test { query, answer }))
        } else {
            self.number_of(Step::Number { query, answer })
        }
    }

    fn number_of(&mut self, step: Step) -> Planned {
        self.steps.push(step);
        self.counts.numbers += 1;
        Planned::Number(Num::Made(self.counts.numbers - 1))
    }

    fn truth_of(&mut self, step: Step) -> Truth {
        self.steps.push(step);
        self.counts.truths += 1;
        Truth::Made(self.counts.truths - 1)
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

    fn guards(&mut self) -> Option<()> {
        let n_lines = self.line().number_of(self.reg(self.kernel.table));
        self.guards.limits.push(n_lines);
        for guard in &self.kernel.guards {
            match guard {
                Check::Set(var) => match self.compiler.routine.var(*var).ty {
                    star_ir::Ty::Slice(_) | star_ir::Ty::Word(_) => {
                        let reg = self.reg(*var);
                        place(&mut self.outside.bits_set, reg);
                    }
                    star_ir::Ty::Int | star_ir::Ty::Bool => {
                        let reg = self.reg(*var);
                        place(&mut self.outside.numbers_set, reg);
                    }
                    star_ir::Ty::Table(..) => {
                        let reg = self.reg(*var);
                        place(&mut self.tables, reg);
                    }
                    star_ir::Ty::Str | star_ir::Ty::Handle => return None,
                },
                Check::Index(_, limit) => {
                    let limit = self.compiler.size(limit);
                    place(&mut self.guards.limits, limit);
                }
                Check::Size(left, right) => {
                    let sizes = (self.size(left), self.size(right));
                    self.guards.sizes.push(sizes);
                }
                // A negative number is no size, not even its own.
                Check::NotNegative(number) => {
                    let size = self.size(&SizeOperand::Value(number.clone()));
                    self.guards.sizes.push((size, size));
                }
                Check::Bit(bit) => {
                    let number = self.compiler.number(bit);
                    place(&mut self.outside.bits, number);
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn size(&mut self, size: &SizeOperand) -> LineSize {
        let is_line = match (size, self.kernel.line) {
            (SizeOperand::Columns(table), star_ir::kernel::Line::Row)
            | (SizeOperand::Rows(table), star_ir::kernel::Line::Column) => {
                *table == self.kernel.table
            }
            _ => false,
        };
        match is_line {
            true => LineSize::Line,
            false => LineSize::Outer(self.compiler.size(size)),
        }
    }

    /// The part of the kernel that works on bits.
    fn body(&mut self) -> Option<LineTape> {
        let tape = std::mem::take(&mut self.tape);
        let plan = tape.has_effect().then(|| Plan::new(&tape))?;
        let ports = std::mem::take(&mut self.ports);
        let outer = ports.iter().filter_map(|port| match port {
            Port::Lines(_) => None,
            Port::Outer(reg) => Some(*reg),
        });
        let outer = outer.collect();
        let tables = std::mem::take(&mut self.tables);
        let guards = std::mem::take(&mut self.guards);
        Some(LineTape { line: self.line(), plan, ports, tables, outer, guards })
    }

    /// Are there no conditions apart from those on tables, sizes and ports?
    fn is_on_lines_only(&mut self) -> Option<()> {
        let Outside { read, bits_set, numbers_set, numbers: _, bits } = &self.outside;
        let is_port = |reg: &Reg| self.ports.contains(&Port::Outer(*reg));
        let index = self.compiler.reg(self.index);
        (read.is_empty()
            && bits.is_empty()
            && bits_set.iter().all(is_port)
            && numbers_set.iter().all(|reg| *reg == index))
        .then_some(())
    }

    fn store(mut self, table: VarId, value: ValueId) -> Option<Kernel> {
        // A slice or word that only a guard names is checked like an operand.
        for reg in std::mem::take(&mut self.outside.bits_set) {
            self.port(Port::Outer(reg));
        }
        self.is_on_lines_only()?;
        let Planned::Bits(value) = self.values[value.0 as usize] else { return None };
        let target = self.reg(table);
        place(&mut self.tables, target);
        let port = self.port(Port::Lines(target));
        self.tape.store(port, value);
        let body = self.body()?;
        Some(Kernel::Lines(Box::new(LineKernel::new(target, body, self.kernel.cost))))
    }

    /// A slice or word that is combined with a function of the lines of one table.
    fn reduction(mut self, into: VarId, op: ReductionOp, value: ValueId) -> Option<Kernel> {
        // The reduction runs only if the slice or word is set.
        let dst = self.reg(into);
        self.outside.bits_set.retain(|reg| *reg != dst);
        self.is_on_lines_only()?;
        let [Port::Lines(table)] = self.ports[..] else { return None };
        let op = op.logic()?;
        let of_line = self.of_line()[value.0 as usize]?;
        let function = table2(|own, line| op.apply(own, of_line[usize::from(line)]));
        let (guards, line) = (std::mem::take(&mut self.guards), self.line());
        self.tables.iter().all(|other| *other == table).then_some(())?;
        let reduction = LineReduction::new(dst, (table, line), function, guards, self.kernel.cost);
        Some(Kernel::Reduction(reduction))
    }

    /// For each value its bit where the bit of the line is 0, and where it is 1; nothing for other
    /// values.
    fn of_line(&self) -> Vec<Option<[bool; 2]>> {
        let mut of: Vec<Option<[bool; 2]>> = Vec::with_capacity(self.kernel.values.len());
        for value in &self.kernel.values {
            let bits = match value {
                Value::Line(..) => Some([false, true]),
                Value::Fill(bit) => Some([*bit; 2]),
                Value::Not(it) => of[it.0 as usize].map(|bits| bits.map(|bit| !bit)),
                Value::Logic(op, left, right) => of[left.0 as usize]
                    .zip(of[right.0 as usize])
                    .map(|(left, right)| [0, 1].map(|idx| op.apply(left[idx], right[idx]))),
                _ => None,
            };
            of.push(bits);
        }
        of
    }

    fn queries(mut self, effects: &[Effect]) -> Option<Kernel> {
        let (mut reductions, mut components) = (Vec::new(), Vec::new());
        for effect in effects {
            let step = match effect {
                Effect::Store { .. } | Effect::Carry { .. } => return None,
                Effect::Reduce { into, op, value, when } => {
                    let when = self.when(*when)?;
                    let into = place(&mut reductions, (self.reg(*into), *op));
                    match self.values[value.0 as usize] {
                        Planned::Number(of) => Step::Combine { into, op: *op, of, when },
                        Planned::Truth(of) => {
                            Step::CombineTruth { into, op: op.logic()?, of, when }
                        }
                        Planned::Bits(_) => return None,
                    }
                }
                Effect::Put { bits, value, when } => {
                    let when = self.when(*when)?;
                    let component = place(&mut components, self.reg(*bits));
                    let of = match (
                        &self.kernel.values[value.0 as usize],
                        self.values[value.0 as usize],
                    ) {
                        (Value::Scalar(_), Planned::Number(Num::Outer(at))) => Truth::Outer(at),
                        _ => return None,
                    };
                    Step::Put { component, of, when }
                }
                Effect::Cost { units, when } => {
                    Step::Cost { units: *units, when: self.when(Some(*when))? }
                }
            };
            self.steps.push(step);
        }
        let body = self.body()?;
        let (steps, outside) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.outside));
        let table = self.reg(self.kernel.table);
        let queries = LineQueries {
            body,
            table,
            steps,
            reductions,
            components,
            outside,
            cost: self.kernel.cost,
        };
        let profiles = self.compiler.options.profile;
        // A profile counts the cost of each instruction in every iteration.
        (!profiles || !queries.has_branches()).then(|| Kernel::Queries(Box::new(queries)))
    }

    fn when(&self, when: Option<ValueId>) -> Option<Truth> {
        match when.map(|when| self.values[when.0 as usize]) {
            None => Some(Truth::Always),
            Some(Planned::Truth(truth)) => Some(truth),
            Some(Planned::Bits(_) | Planned::Number(_)) => None,
        }
    }
}

/// The truth table of the complement.
pub(super) const NOT: u8 = 0b01;

/// Returns the place of an item in a list, to which it is added if it is not there.
pub(super) fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    match list.iter().position(|known| *known == item) {
        Some(place) => place,
        None => {
            list.push(item);
            list.len() - 1
        }
    }
}

impl From<star_ir::kernel::Line> for Line {
    fn from(line: star_ir::kernel::Line) -> Line {
        match line {
            star_ir::kernel::Line::Row => Line::Row,
            star_ir::kernel::Line::Column => Line::Column,
        }
    }
}
