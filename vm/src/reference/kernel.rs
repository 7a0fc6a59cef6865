//! Kernels: the values of all iterations, computed in an arbitrary order and, where no query needs
//! whole lines, for one part of the lines after another. The iterations of a `for` are in order,
//! the parts in an arbitrary one. The fallback must have the same results.

use std::collections::{BTreeMap, BTreeSet};

use star_ir::kernel::{Effect, InOrder, Line, Value, ValueId, written};
use star_ir::{Check, ForallRange, Kernel, Operand, ReductionOp, SizeOperand, Ty, VarId};

use super::forall::{Indices, place_in_order};
use super::frame::{Frame, top};
use super::interpreter::Interpreter;
use super::value::{Data, Table};
use crate::interrupt::{Exec, internal_error};

/// A kernel whose fallback is running.
pub(super) struct Expected {
    /// The variables that it changes, and their values.
    changed: BTreeMap<VarId, Data>,
    /// Variables that are not used afterwards.
    unused: BTreeSet<VarId>,
    /// The elementary operations after it.
    operations: u64,
}

/// A value of an iteration.
#[derive(Clone)]
enum Computed {
    Bits(Vec<bool>),
    Int(i64),
    Bool(bool),
}

impl Interpreter<'_, '_, '_> {
    /// Computes the results of a kernel; `None` if a guard does not hold, so that only its fallback
    /// can run.
    pub(super) fn kernel(&mut self, kernel: &Kernel) -> Exec<Option<Expected>> {
        let settings = self.settings;
        let operations = self.control.stats.operations;
        let frame = top(&mut self.frames)?;
        let (indices, down) = match (kernel.iterations(), kernel.in_order()) {
            (Some(iterations), _) => (Indices::of(frame, iterations.range)?, None),
            (None, Some(InOrder { from, to, down, .. })) => {
                let (from, to) = if down { (to, from) } else { (from, to) };
                let range = ForallRange::Range(from.clone(), to.clone());
                (Indices::of(frame, &range)?, Some(down))
            }
            (None, None) => return Err(internal_error("a kernel without a loop")),
        };
        if down.is_some() && indices.len() == 0 {
            return Ok(None);
        }
        let Some(mut run) = Run::new(frame, kernel, &indices)? else { return Ok(None) };
        let mut order = Vec::new();
        for begun in 0..indices.len() {
            let at = match down {
                None => place_in_order(settings.order, begun, indices.len()),
                Some(false) => begun,
                Some(true) => indices.len() - 1 - begun,
            };
            order.extend(indices.get(at).and_then(|index| usize::try_from(index).ok()));
        }
        let has_query = kernel.values.iter().any(|value| matches!(value, Value::Query(..)));
        let len = run.len;
        let height = match has_query {
            true => len.max(1),
            false => settings.part.map_or(len.max(1), |part| part.get()),
        };
        let mut cost = 0_u64;
        let n_parts = len.div_ceil(height).max(1) as u128;
        for begun in 0..n_parts {
            let nth = match down {
                None => begun,
                Some(_) => place_in_order(settings.order, begun, n_parts),
            };
            let start = nth as usize * height;
            let part = start..len.min(start + height);
            for index in &order {
                let Some(counted) = run.iteration(index - 1, part.clone())? else {
                    return Ok(None);
                };
                if start == 0 {
                    cost = cost.saturating_add(counted);
                }
            }
        }
        let operations = operations.saturating_add(cost);
        let (mut changed, mut unused) = (run.changed, BTreeSet::new());
        if down.is_some() {
            changed.retain(|var, _| is_result(kernel, *var));
            unused = written(&kernel.fallback);
            unused.retain(|var| !changed.contains_key(var));
        }
        Ok(Some(Expected { changed, unused, operations }))
    }

    /// Compares the results of the fallback, which has ended, with those of the kernel.
    pub(super) fn same_as_kernel(&mut self, expected: Expected) -> Exec<()> {
        let operations = self.control.stats.operations;
        let frame = top(&mut self.frames)?;
        for (var, data) in expected.changed {
            if frame.slot(var)?.data.as_ref() != Some(&data) {
                let name = frame.name(var);
                return Err(internal_error(format!(
                    "a kernel leaves another value in `{name}` than its fallback"
                )));
            }
        }
        for var in expected.unused {
            frame.unset(&mut self.budget, var)?;
        }
        match operations == expected.operations {
            true => Ok(()),
            false => Err(internal_error("a kernel counts other operations than its fallback")),
        }
    }
}

/// Returns whether a variable that the kernel changes is used afterwards.
fn is_result(kernel: &Kernel, var: VarId) -> bool {
    let is_carried = |effect: &Effect| matches!(effect, Effect::Carry { into, is_result: false, .. } if *into == var);
    !kernel.effects.iter().any(is_carried)
}

/// The iterations of a kernel.
struct Run<'r, 'p> {
    frame: &'r Frame<'p>,
    kernel: &'r Kernel,
    /// Length of the lines.
    len: usize,
    changed: BTreeMap<VarId, Data>,
}

impl<'r, 'p> Run<'r, 'p> {
    /// Returns `None` if a guard does not hold.
    fn new(frame: &'r Frame<'p>, kernel: &'r Kernel, indices: &Indices) -> Exec<Option<Self>> {
        let table = SizeOperand::Rows(kernel.table);
        if frame.measure(&table)?.is_none() {
            return Ok(None);
        }
        let [n_lines, len] = sizes(frame.table(kernel.table)?, kernel.line);
        let all_within = |limit: usize| {
            let last = indices.len().checked_sub(1);
            last.is_none_or(|last| {
                let ends = [indices.get(0), indices.get(last)];
                ends.into_iter().flatten().all(|index| index >= 1 && index as u128 <= limit as u128)
            })
        };
        let is_set = |var: VarId| frame.slot(var).is_ok_and(|slot| slot.data.is_some());
        let mut holds = all_within(n_lines);
        for guard in &kernel.guards {
            holds = holds
                && match guard {
                    Check::Set(var) => is_set(*var),
                    Check::Index(_, SizeOperand::Value(limit)) => {
                        all_within(usize::try_from(frame.int(limit)?).unwrap_or(0))
                    }
                    Check::Index(_, limit) => match frame.measure(limit)? {
                        Some(limit) => all_within(limit as usize),
                        None => false,
                    },
                    Check::Size(left, right) => {
                        let left = frame.measure(left)?;
                        left.is_some() && left == frame.measure(right)?
                    }
                    Check::NotNegative(number) => frame.int(number)? >= 0,
                    Check::Bit(bit) => matches!(frame.int(bit)?, 0 | 1),
                    _ => false,
                };
        }
        let is_line = |var: VarId| {
            is_set(var)
                && frame.table(var).is_ok_and(|table| {
                    let [lines, length] = sizes(table, kernel.line);
                    length == len && all_within(lines)
                })
        };
        let has_length = |var: VarId| {
            is_set(var) && frame.table(var).is_ok_and(|table| sizes(table, kernel.line)[1] == len)
        };
        let bits_of = |var: VarId| is_set(var).then(|| frame.bits(var).map_or(0, <[bool]>::len));
        for value in &kernel.values {
            holds = holds
                && match value {
                    Value::Line(table, None) => is_line(*table),
                    Value::Line(table, Some(_)) => has_length(*table),
                    Value::Whole(var) | Value::Carried(var) => bits_of(*var) == Some(len),
                    Value::Component(var) => bits_of(*var).is_some_and(all_within),
                    Value::Scalar(Operand::Var(var)) => is_set(*var),
                    Value::Scalar(_)
                    | Value::Fill(_)
                    | Value::Not(_)
                    | Value::Logic(..)
                    | Value::Query(..)
                    | Value::Index
                    | Value::Compare(..)
                    | Value::Select(..)
                    | Value::Int(..) => true,
                };
        }
        let mut changed = BTreeMap::new();
        for effect in &kernel.effects {
            let (var, suits) = match effect {
                Effect::Store { table, index: None, .. } => (*table, is_line(*table)),
                Effect::Store { table, index: Some(_), .. } => (*table, has_length(*table)),
                Effect::Put { bits, .. } => (*bits, bits_of(*bits).is_some_and(all_within)),
                Effect::Reduce { into, .. } => {
                    let is_long = |data: &Data| data.as_bits().is_none_or(|bits| bits.len() == len);
                    (*into, frame.slot(*into)?.data.as_ref().is_some_and(is_long))
                }
                Effect::Carry { into, .. } => {
                    let bits = match bits_of(*into) == Some(len) {
                        true => frame.bits(*into)?.to_vec(),
                        false => vec![false; len],
                    };
                    let data = match frame.ty(*into)? {
                        Ty::Word(_) => Data::Word(bits),
                        _ => Data::Slice(bits),
                    };
                    changed.insert(*into, data);
                    continue;
                }
                Effect::Cost { .. } => continue,
            };
            holds = holds && suits;
            if holds {
                changed.insert(var, frame.data(var)?.clone());
            }
        }
        Ok(holds.then_some(Run { frame, kernel, len, changed }))
    }

    /// Computes one iteration, for a part of the lines; returns its elementary operations, or
    /// `None` if a column does not exist or a number overflows.
    fn iteration(&mut self, idx: usize, part: std::ops::Range<usize>) -> Exec<Option<u64>> {
        let mut values: Vec<Computed> = Vec::with_capacity(self.kernel.values.len());
        for value in &self.kernel.values {
            let Some(computed) = self.value(value, &values, idx, part.clone())? else {
                return Ok(None);
            };
            values.push(computed);
        }
        let holds = |when: Option<ValueId>| match when.map(|when| &values[when.0 as usize]) {
            None => Ok(true),
            Some(Computed::Bool(holds)) => Ok(*holds),
            Some(_) => Err(internal_error("a condition of a kernel that is not a truth value")),
        };
        let mut cost = self.kernel.cost;
        for effect in &self.kernel.effects {
            match effect {
                Effect::Store { table, index, value } => {
                    let Some(idx) = self.line(*table, *index, &values, idx)? else {
                        return Ok(None);
                    };
                    let Computed::Bits(bits) = &values[value.0 as usize] else {
                        return Err(wrong());
                    };
                    let Some(Data::Table(table)) = self.changed.get_mut(table) else {
                        return Err(wrong());
                    };
                    for (at, bit) in part.clone().zip(bits) {
                        match self.kernel.line {
                            Line::Row => table.columns[at][idx] = *bit,
                            Line::Column => table.columns[idx][at] = *bit,
                        }
                    }
                }
                Effect::Reduce { into, op, value, when } => {
                    // An integer or boolean has no parts.
                    let is_first = part.start == 0;
                    if !holds(*when)? {
                        continue;
                    }
                    let into = self.changed.get_mut(into).ok_or_else(wrong)?;
                    match (into, &values[value.0 as usize]) {
                        (Data::Int(into), Computed::Int(number)) if is_first => {
                            *into = match op {
                                ReductionOp::Min => (*into).min(*number),
                                ReductionOp::Max => (*into).max(*number),
                                ReductionOp::Add => into.checked_add(*number).ok_or_else(wrong)?,
                                ReductionOp::Or | ReductionOp::And | ReductionOp::Xor => {
                                    return Err(wrong());
                                }
                            };
                        }
                        (Data::Bool(into), Computed::Bool(truth)) if is_first => {
                            *into = op.logic().ok_or_else(wrong)?.apply(*into, *truth);
                        }
                        (Data::Int(_), Computed::Int(_)) | (Data::Bool(_), Computed::Bool(_)) => {}
                        (Data::Slice(into) | Data::Word(into), Computed::Bits(bits)) => {
                            for (at, bit) in part.clone().zip(bits) {
                                into[at] = op.logic().ok_or_else(wrong)?.apply(into[at], *bit);
                            }
                        }
                        _ => return Err(wrong()),
                    }
                }
                Effect::Carry { into, value, is_result: _ } => {
                    let (Some(Data::Slice(into) | Data::Word(into)), Computed::Bits(bits)) =
                        (self.changed.get_mut(into), &values[value.0 as usize])
                    else {
                        return Err(wrong());
                    };
                    into[part.clone()].copy_from_slice(bits);
                }
                Effect::Put { bits, value, when } => {
                    if !holds(*when)? {
                        continue;
                    }
                    let Computed::Int(bit @ (0 | 1)) = values[value.0 as usize] else {
                        return Err(wrong());
                    };
                    match self.changed.get_mut(bits) {
                        Some(Data::Slice(bits) | Data::Word(bits)) => bits[idx] = bit == 1,
                        _ => return Err(wrong()),
                    }
                }
                Effect::Cost { units, when } => {
                    if holds(Some(*when))? {
                        cost = cost.saturating_add(*units);
                    }
                }
            }
        }
        Ok(Some(cost))
    }

    /// Returns the place of the line with an index, if there is one: with that of the iteration,
    /// `idx`, there is.
    fn line(
        &self,
        table: VarId,
        index: Option<ValueId>,
        values: &[Computed],
        idx: usize,
    ) -> Exec<Option<usize>> {
        let Some(index) = index else { return Ok(Some(idx)) };
        let Some(Computed::Int(index)) = values.get(index.0 as usize) else { return Err(wrong()) };
        let n_lines = sizes(self.frame.table(table)?, self.kernel.line)[0];
        let idx = index.checked_sub(1).and_then(|idx| usize::try_from(idx).ok());
        Ok(idx.filter(|idx| *idx < n_lines))
    }

    /// Computes a value; `None` if a column does not exist or a number overflows.
    fn value(
        &self,
        value: &Value,
        values: &[Computed],
        idx: usize,
        part: std::ops::Range<usize>,
    ) -> Exec<Option<Computed>> {
        let of = |id: &ValueId| values.get(id.0 as usize).ok_or_else(wrong);
        let bits = |id: &ValueId| match of(id)? {
            Computed::Bits(bits) => Ok(bits),
            Computed::Int(_) | Computed::Bool(_) => Err(wrong()),
        };
        let int = |id: &ValueId| match of(id)? {
            Computed::Int(number) => Ok(*number),
            Computed::Bits(_) | Computed::Bool(_) => Err(wrong()),
        };
        Ok(Some(match value {
            Value::Line(table, index) => {
                let Some(idx) = self.line(*table, *index, values, idx)? else { return Ok(None) };
                // Another iteration changes another line, or is complete.
                let table = match self.changed.get(table) {
                    Some(Data::Table(table)) => table,
                    _ => self.frame.table(*table)?,
                };
                let bit = |at: usize| match self.kernel.line {
                    Line::Row => table.columns[at][idx],
                    Line::Column => table.columns[idx][at],
                };
                Computed::Bits(part.map(bit).collect())
            }
            Value::Whole(var) => Computed::Bits(self.frame.bits(*var)?[part].to_vec()),
            Value::Carried(var) => match self.changed.get(var) {
                Some(Data::Slice(bits) | Data::Word(bits)) => Computed::Bits(bits[part].to_vec()),
                _ => return Err(wrong()),
            },
            Value::Select(test, then, otherwise) => {
                let Computed::Bool(test) = of(test)? else { return Err(wrong()) };
                Computed::Bits(bits(if *test { then } else { otherwise })?.clone())
            }
            Value::Int(op, left, right) => match op.apply(int(left)?, int(right)?) {
                Some(number) => Computed::Int(number),
                None => return Ok(None),
            },
            Value::Fill(bit) => Computed::Bits(vec![*bit; part.len()]),
            Value::Not(id) => match of(id)? {
                Computed::Bits(bits) => Computed::Bits(bits.iter().map(|bit| !bit).collect()),
                Computed::Bool(truth) => Computed::Bool(!truth),
                Computed::Int(_) => return Err(wrong()),
            },
            Value::Logic(op, left, right) => match (of(left)?, of(right)?) {
                (Computed::Bits(left), Computed::Bits(right)) => {
                    let pairs = left.iter().zip(right);
                    Computed::Bits(pairs.map(|(left, right)| op.apply(*left, *right)).collect())
                }
                (Computed::Bool(left), Computed::Bool(right)) => {
                    Computed::Bool(op.apply(*left, *right))
                }
                _ => return Err(wrong()),
            },
            Value::Query(query, id) => match super::bits::query(*query, bits(id)?) {
                test if query.is_test() => Computed::Bool(test == 1),
                number => Computed::Int(number),
            },
            Value::Index => Computed::Int(idx as i64 + 1),
            Value::Scalar(operand) => match operand {
                Operand::Int(number) => Computed::Int(*number),
                Operand::Bool(truth) => Computed::Bool(*truth),
                Operand::Var(var) => match self.frame.data(*var)? {
                    Data::Int(number) => Computed::Int(*number),
                    Data::Bool(truth) => Computed::Bool(*truth),
                    _ => return Err(wrong()),
                },
                Operand::Str(_) => return Err(wrong()),
            },
            Value::Component(var) => Computed::Int(i64::from(self.frame.bits(*var)?[idx])),
            Value::Compare(relation, left, right) => match (of(left)?, of(right)?) {
                (Computed::Int(left), Computed::Int(right)) => {
                    Computed::Bool(relation.holds(left.cmp(right)))
                }
                _ => return Err(wrong()),
            },
        }))
    }
}

/// Returns the number of lines, and their length.
fn sizes(table: &Table, line: Line) -> [usize; 2] {
    match line {
        Line::Row => [table.rows, table.columns.len()],
        Line::Column => [table.columns.len(), table.rows],
    }
}

fn wrong() -> crate::interrupt::Stop {
    internal_error("a kernel with a value of another kind")
}
