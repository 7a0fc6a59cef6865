//! Loops that may run as kernels: conditions and dispatches.
//!
//! * `dispatches`: their parameters. `shared`: loops over rows of several processes.

mod dispatches;
mod shared;

use std::collections::HashMap;
use std::ops::RangeInclusive;

use star_ir::kernel::Line;
use star_ir::{Check, Op, Operand, RoutineId, SizeOperand, VarId};
use star_shaders::layout::state;
use star_vm::BackendError;
use star_vm::Declined;

use dispatches::{Dispatches, Part, Pivots, Rows};
use shared::Panel;

use super::intrinsic::Placed;
use super::{Active, DeviceRun, End};
use crate::code::Inst;
use crate::compile::Site;
use crate::grid::MAX_GROUPS;
use crate::heap::Block;
use crate::lift::{Lifted, Over, PIVOTS_AT_ONCE, Port, Step};
use crate::program::internal;

/// The known variables before the first dispatch.
struct Scene<'a> {
    lifted: &'a Lifted,
    numbers: HashMap<VarId, Option<i64>>,
    objects: HashMap<VarId, Option<Placed>>,
    lengths: HashMap<VarId, i64>,
    /// The pivots.
    pivots: RangeInclusive<i64>,
}

/// Dispatches that may begin.
struct Ready {
    dispatches: Dispatches,
    part: Part,
    /// Memory for rows of pivots.
    rows_at: u32,
    n_counts: u32,
    /// The rows of other processes that precede those of the table.
    before: Option<u32>,
    /// The numbers that it returns: their values before the first iteration of the kernel, and what
    /// each iteration adds.
    results: Vec<(i64, i64)>,
    /// All this memory.
    block: Block,
}

impl DeviceRun<'_, '_> {
    /// Runs all iterations, if kernels can do that.
    pub(super) fn lifted(
        &mut self,
        (lifted, cells): (&Lifted, u32),
        (id, inst): (RoutineId, &Inst),
        site: &Site,
    ) -> Result<(), End> {
        let mut made = self.ready(lifted, id, site)?;
        if lifted.before.is_some()
            && !self.all_agree(made.is_ok())?
            && let Ok(ready) = made
        {
            self.heap.give(ready.block);
            made = Err(Declined::Guard);
        }
        match made {
            Ok(ready) => {
                let (block, results) = (ready.block, ready.results.clone());
                let done = self.iterations(lifted, ready);
                self.heap.give(block);
                let n = i64::try_from(done?).unwrap_or(i64::MAX);
                let after = |(before, factor): (i64, i64)| {
                    Some(before.saturating_add(factor.saturating_mul(n)))
                };
                let results: Vec<_> = results.into_iter().map(after).collect();
                self.put_results((id, cells), &results)?;
                self.control.stats.counters.grid_loops += 1;
                self.go_on(id, inst)
            }
            Err(reason) => {
                self.control.stats.counters.decline(reason);
                Ok(())
            }
        }
    }

    /// Allocates memory and prepares the dispatches, if the checks of all iterations hold.
    fn ready(
        &mut self,
        lifted: &Lifted,
        id: RoutineId,
        site: &Site,
    ) -> Result<Result<Ready, Declined>, End> {
        let scene = self.loop_scene(lifted, id, site)?;
        let scene = match scene {
            Ok(scene) => scene,
            Err(reason) => return Ok(Err(reason)),
        };
        let Some(Some(table)) = scene.objects.get(&lifted.target).copied() else {
            return Ok(Err(Declined::Guard));
        };
        let Some(range) = scene.iterations(table) else { return Ok(Err(Declined::Range)) };
        let Some(ports) = scene.ports(table) else { return Ok(Err(Declined::Guard)) };
        let mut part = Part::from(&table);
        if part.groups().iter().any(|&n| n > MAX_GROUPS) {
            return Ok(Err(Declined::Range));
        }
        let Some(results) = scene.results() else { return Ok(Err(Declined::Guard)) };
        let before = match &lifted.before {
            Some(before) => match scene.number(before).and_then(|n| u32::try_from(n).ok()) {
                Some(before) => Some(before),
                None => return Ok(Err(Declined::Guard)),
            },
            None => None,
        };
        let pivots = match &lifted.pivots {
            None => Pivots { first: 0, step: 1, n: 1 },
            Some(pivots) => {
                let (start, end) = (*scene.pivots.start() as u32, *scene.pivots.end() as u32);
                let n = end - start + 1;
                let (first, step) = if pivots.down { (end - 1, u32::MAX) } else { (start - 1, 1) };
                Pivots { first, step, n }
            }
        };
        let n_counts = part.limbs().max(part.columns);
        let copies = if lifted.pivots.is_some() { 2 * PIVOTS_AT_ONCE * part.limbs() } else { 0 };
        let rows = match before {
            Some(_) => Panel::new(0, part.columns, pivots.n).1,
            None => 2 * u64::from(Rows::STRIDE) * u64::from(part.columns),
        };
        let words = u64::from(copies) + u64::from(n_counts) + rows;
        let wanted = self.alive.saturating_add(words * 4);
        if wanted > self.limit {
            return Ok(Err(Declined::Memory));
        }
        let block = match self.heap.take(words) {
            Err(BackendError::OutOfMemory(_)) => return Ok(Err(Declined::Memory)),
            other => other?,
        };
        let Some([kernel]) = self.kernels([&lifted.shader])? else {
            self.heap.give(block);
            return Ok(Err(Declined::Body));
        };
        self.control.stats.peak_bytes = self.control.stats.peak_bytes.max(wanted);
        (part.copies, part.counts) = (block.at, block.at + copies);
        let dispatches = Dispatches { kernel, pivots, range, ports };
        let rows_at = part.counts + n_counts;
        Ok(Ok(Ready { dispatches, part, rows_at, n_counts, before, results, block }))
    }

    /// Runs the dispatches; returns the number of iterations.
    fn iterations(&mut self, lifted: &Lifted, ready: Ready) -> Result<u64, End> {
        let Ready { dispatches, part, rows_at, n_counts, before, .. } = ready;
        match before {
            Some(before) => {
                let (panel, _) = Panel::new(rows_at, part.columns, dispatches.pivots.n);
                self.shared_pivots(&dispatches, (&part, before), &panel)?;
            }
            None => {
                let launches = dispatches.whole(&part, rows_at, lifted.pivots.is_some());
                let at_once = if lifted.pivots.is_some() { PIVOTS_AT_ONCE } else { 1 };
                self.launch(&launches, part.work(at_once))?;
            }
        }
        let counts = self.words(part.counts, n_counts)?;
        let n_iterations: u64 = counts.into_iter().map(u64::from).sum();
        let n_pivots = u64::from(dispatches.pivots.n);
        let pivots = lifted.pivot_cost.saturating_mul(n_pivots);
        let cost = pivots.saturating_add(lifted.cost.saturating_mul(n_iterations));
        let operations = self.get_wide(state::OPERATIONS).saturating_add(cost);
        self.put_wide(state::OPERATIONS, operations);
        // All processes count the same steps.
        let own_steps = if before.is_some() { 0 } else { n_iterations };
        let steps = self.get_wide(state::STEPS).saturating_add(cost);
        self.put_wide(state::STEPS, steps.saturating_add(n_pivots).saturating_add(own_steps));
        self.control.stats.operations = operations;
        Ok(n_iterations)
    }

    /// Returns the inputs of the checks of all iterations, if these hold.
    fn loop_scene<'l>(
        &mut self,
        lifted: &'l Lifted,
        id: RoutineId,
        site: &Site,
    ) -> Result<Result<Scene<'l>, Declined>, End> {
        let plan = self.plan;
        let (sir, code) = (plan.program.routine(id), plan.routine(id)?);
        let here = Active { at: self.get(state::FRAME), routine: id, back: 0 };
        let mut numbers = HashMap::new();
        for (var, number) in &site.numbers {
            numbers.insert(*var, self.number(*number, &here, false)?);
        }
        let mut objects = HashMap::new();
        for &var in &lifted.objects {
            let object = code.object_of[var.0 as usize];
            let object = object.ok_or_else(|| internal("a number instead of an object"))?;
            objects.insert(var, self.placed(sir.var(var).ty, object.0)?);
        }
        let lengths = HashMap::new();
        let mut scene = Scene { lifted, numbers, objects, lengths, pivots: 0..=0 };
        if let Some(pivots) = &lifted.pivots {
            let (Some(from), Some(to)) = (scene.number(&pivots.from), scene.number(&pivots.to))
            else {
                return Ok(Err(Declined::Guard));
            };
            scene.pivots = if pivots.down { to..=from } else { from..=to };
            if scene.pivots.is_empty() {
                return Ok(Err(Declined::Empty));
            }
            if *scene.pivots.start() < 1 || *scene.pivots.end() > i64::from(u32::MAX >> 1) {
                return Ok(Err(Declined::Range));
            }
        }
        for step in &lifted.steps {
            if scene.step(step).is_none() {
                return Ok(Err(Declined::Guard));
            }
        }
        Ok(Ok(scene))
    }
}

impl Scene<'_> {
    fn number(&self, operand: &Operand) -> Option<i64> {
        match operand {
            Operand::Int(number) => Some(*number),
            Operand::Bool(truth) => Some(i64::from(*truth)),
            // Their value changes with every iteration.
            Operand::Var(var) if self.is_pivot(*var) || *var == self.lifted.iteration => None,
            Operand::Var(var) => self.numbers.get(var).copied().flatten(),
            Operand::Str(_) => None,
        }
    }

    fn table(&self, var: VarId) -> Option<Placed> {
        self.objects.get(&var).copied().flatten()
    }

    fn size(&self, size: &SizeOperand) -> Option<i64> {
        match size {
            SizeOperand::Length(var) => match self.lengths.get(var) {
                Some(length) => Some(*length),
                None => Some(i64::from(self.table(*var)?.sizes.rows)),
            },
            SizeOperand::Rows(table) => Some(i64::from(self.table(*table)?.sizes.rows)),
            SizeOperand::Columns(table) => Some(i64::from(self.table(*table)?.sizes.columns)),
            SizeOperand::Value(operand) => self.number(operand),
        }
    }

    /// Performs a step; `None` if it is impossible, or does not hold.
    fn step(&mut self, step: &Step) -> Option<()> {
        match step {
            Step::Check(check) => self.holds(check).then_some(()),
            Step::Bits(var, length) => {
                let length = self.size(length)?;
                self.lengths.insert(*var, length);
                Some(())
            }
            Step::Number(var, op) => {
                let number = match op {
                    Op::Copy(operand) => self.number(operand)?,
                    Op::Int(op, left, right) => {
                        op.apply(self.number(left)?, self.number(right)?)?
                    }
                    Op::Compare(relation, left, right) => {
                        let (left, right) = (self.number(left)?, self.number(right)?);
                        i64::from(relation.holds(left.cmp(&right)))
                    }
                    Op::Not(operand) => 1 - self.number(operand)?,
                    Op::Logic(op, left, right) => {
                        let (left, right) = (self.number(left)?, self.number(right)?);
                        i64::from(op.apply(left != 0, right != 0))
                    }
                    Op::Length(var) => self.size(&SizeOperand::Length(*var))?,
                    Op::Rows(table) => self.size(&SizeOperand::Rows(*table))?,
                    Op::Columns(table) => self.size(&SizeOperand::Columns(*table))?,
                    _ => return None,
                };
                self.numbers.insert(*var, Some(number));
                Some(())
            }
            Step::Latch(var, size) => {
                if self.number(&Operand::Var(*var)).is_none() {
                    let size = self.size(size)?;
                    self.numbers.insert(*var, Some(size));
                }
                Some(())
            }
            Step::Holds(operand) => self.number(operand).filter(|truth| *truth != 0).map(drop),
            Step::Choice(operand, then, otherwise) => {
                let taken = if self.number(operand)? != 0 { then } else { otherwise };
                taken.iter().try_for_each(|step| self.step(step))
            }
        }
    }

    /// Returns whether the check holds in every pivot and iteration.
    fn holds(&self, check: &Check) -> bool {
        match check {
            Check::Set(var) => {
                self.lengths.contains_key(var)
                    || self.table(*var).is_some()
                    || self.number(&Operand::Var(*var)).is_some()
                    || self.is_pivot(*var)
                    || *var == self.lifted.iteration
            }
            Check::Index(Operand::Var(var), limit) if self.is_pivot(*var) => {
                self.size(limit).is_some_and(|limit| *self.pivots.end() <= limit)
            }
            Check::Index(Operand::Var(var), limit) if *var == self.lifted.iteration => {
                let lines = match self.lifted.line {
                    Line::Row => self.size(&SizeOperand::Rows(self.lifted.target)),
                    Line::Column => self.size(&SizeOperand::Columns(self.lifted.target)),
                };
                matches!((lines, self.size(limit)), (Some(lines), Some(limit)) if lines <= limit)
            }
            Check::Index(index, limit) => {
                matches!((self.number(index), self.size(limit)), (Some(index), Some(limit))
                    if (1..=limit).contains(&index))
            }
            Check::Size(left, right) => {
                let sizes = (self.size(left), self.size(right));
                matches!(sizes, (Some(left), Some(right)) if left == right && left >= 0)
            }
            Check::NotNegative(operand) => self.number(operand).is_some_and(|number| number >= 0),
            _ => false,
        }
    }

    fn is_pivot(&self, var: VarId) -> bool {
        self.lifted.pivots.as_ref().is_some_and(|pivots| pivots.var == var)
    }

    /// Returns the iterations of a range, counted from 0; for the ones of a slice or word, all
    /// possible ones.
    fn iterations(&self, table: Placed) -> Option<(u32, u32)> {
        let n_lines = match self.lifted.line {
            Line::Row => table.sizes.rows,
            Line::Column => table.sizes.columns,
        };
        match &self.lifted.over {
            Over::Ones(length) => {
                (self.size(length) == Some(i64::from(n_lines))).then_some((0, n_lines))
            }
            Over::Range(from, to) => {
                let (from, to) = (self.number(from)?, self.number(to)?);
                let is_inside = from >= 1 && from <= to && to <= i64::from(n_lines);
                is_inside.then(|| (from as u32 - 1, to as u32))
            }
        }
    }

    /// Returns the lengths that the loop latches and its sums before it, each with the number that
    /// an iteration of the kernel adds.
    fn results(&self) -> Option<Vec<(i64, i64)>> {
        let latched = self.lifted.latched.iter().map(|var| (*var, 0));
        let sums = self.lifted.sums.iter().map(|sum| (sum.var, sum.factor));
        let number = |(var, factor)| Some((self.number(&Operand::Var(var))?, factor));
        latched.chain(sums).map(number).collect()
    }

    /// Returns the parameters of the kernel for its ports.
    fn ports(&self, table: Placed) -> Option<Vec<u32>> {
        let mut words = Vec::new();
        for port in &self.lifted.ports {
            match port {
                Port::Bits(var, along) => {
                    let bits = self.table(*var)?;
                    let wanted = match along {
                        Line::Column => table.sizes.rows,
                        Line::Row => table.sizes.columns,
                    };
                    (bits.sizes.rows == wanted).then_some(())?;
                    words.push(bits.at);
                }
                Port::Table(var) => {
                    let other = self.table(*var)?;
                    (other.sizes == table.sizes).then_some(())?;
                    words.extend([other.at, other.stride]);
                }
            }
        }
        Some(words)
    }
}
