//! Loops that may run as kernels: conditions and dispatches.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use star_ir::kernel::Line;
use star_ir::{Check, Op, Operand, RoutineId, SizeOperand, VarId};
use star_shaders::layout::state;
use star_vm::BackendError;
use star_vm::Declined;

use super::intrinsic::Placed;
use super::{Active, DeviceRun, End};
use crate::code::Inst;
use crate::compile::Site;
use crate::grid::{Given, Launch, MAX_GROUPS};
use crate::lift::{ACROSS, DOWN, FIRST_PORT, Lifted, Over, PIVOTS_AT_ONCE, Port, SHARE, Step};
use crate::program::internal;
use crate::value::Sizes;

/// The known variables before the first dispatch.
struct Scene<'a> {
    lifted: &'a Lifted,
    numbers: HashMap<VarId, Option<i64>>,
    objects: HashMap<VarId, Option<Placed>>,
    lengths: HashMap<VarId, i64>,
    /// The pivots.
    pivots: RangeInclusive<i64>,
}

impl DeviceRun<'_, '_> {
    /// Runs all iterations, if kernels can do that.
    pub(super) fn lifted(
        &mut self,
        lifted: &Lifted,
        (id, inst): (RoutineId, &Inst),
        site: &Site,
    ) -> Result<(), End> {
        match self.lifted_launches(lifted, id, site)? {
            Ok(()) => {
                self.control.stats.counters.grid_loops += 1;
                self.go_on(id, inst)
            }
            Err(reason) => {
                self.control.stats.counters.decline(reason);
                Ok(())
            }
        }
    }

    fn lifted_launches(
        &mut self,
        lifted: &Lifted,
        id: RoutineId,
        site: &Site,
    ) -> Result<Result<(), Declined>, End> {
        let scene = self.loop_scene(lifted, id, site)?;
        let scene = match scene {
            Ok(scene) => scene,
            Err(reason) => return Ok(Err(reason)),
        };
        let Some(Some(table)) = scene.objects.get(&lifted.target).copied() else {
            return Ok(Err(Declined::Guard));
        };
        let (limbs, columns) = (table.sizes.rows.div_ceil(32), table.sizes.columns);
        let Some((from, to)) = scene.iterations(table) else { return Ok(Err(Declined::Range)) };
        let Some(ports) = scene.ports(table) else { return Ok(Err(Declined::Guard)) };
        let groups = [limbs.div_ceil(ACROSS), columns.div_ceil(DOWN * SHARE)];
        if groups.iter().any(|&n| n > MAX_GROUPS) {
            return Ok(Err(Declined::Range));
        }
        let n_counts = limbs.max(columns);
        let at_once = if lifted.pivots.is_some() { PIVOTS_AT_ONCE } else { 1 };
        // Columns and rows of the pivots of a dispatch and of the next one, and the number of
        // iterations.
        let kept = u64::from(at_once) * (u64::from(limbs) + u64::from(columns));
        let words = 2 * kept + u64::from(n_counts);
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
        let rows_at = block.at + 2 * at_once * limbs;
        let counts = rows_at + 2 * at_once * columns;
        let (first, n_pivots, step) = match &lifted.pivots {
            None => (0, 1, 1),
            Some(pivots) => {
                let (start, end) = (*scene.pivots.start() as u32, *scene.pivots.end() as u32);
                let n = end - start + 1;
                if pivots.down { (end - 1, n, u32::MAX) } else { (start - 1, n, 1) }
            }
        };
        let line = |pivot: u32| first.wrapping_add(step.wrapping_mul(pivot));
        // Creates a dispatch of `n` pivots from `pivot` on, which keeps lines for the following
        // ones.
        let launch = |dispatch: u32, pivot: u32, n: u32| {
            let mut given: Given = [0; 32];
            let Sizes { kind: _, rows, columns } = table.sizes;
            given[..4].copy_from_slice(&[table.at, table.stride, rows, columns]);
            given[4..8].copy_from_slice(&[line(pivot), step, n, line(pivot + n)]);
            let place = |at: u32, dispatch: u32, words: u32| at + dispatch % 2 * at_once * words;
            given[8..12].copy_from_slice(&[
                place(block.at, dispatch, limbs),
                place(block.at, dispatch + 1, limbs),
                place(rows_at, dispatch, columns),
                place(rows_at, dispatch + 1, columns),
            ]);
            let n_next = (n_pivots - pivot - n).min(at_once);
            given[12..16].copy_from_slice(&[counts, from, to, n_next]);
            given[FIRST_PORT..FIRST_PORT + ports.len()].copy_from_slice(&ports);
            Launch { kernel, groups, given }
        };
        let before = lifted.pivots.is_some().then(|| launch(1, 0, 0));
        let pivots = (0..n_pivots.div_ceil(at_once)).map(|dispatch| {
            let pivot = dispatch * at_once;
            launch(dispatch, pivot, (n_pivots - pivot).min(at_once))
        });
        let launches: Vec<Launch> = before.into_iter().chain(pivots).collect();
        let n_pivots = u64::from(n_pivots);
        // Eight pivots at once take as long as three to five.
        let share = u64::from(at_once.div_ceil(2));
        let done = self.launch(&launches, u64::from(limbs) * u64::from(columns) * share);
        let counted = done.and_then(|()| Ok(self.words(counts, n_counts)?));
        self.heap.give(block);
        let n_iterations: u64 = counted?.into_iter().map(u64::from).sum();
        let pivots = lifted.pivot_cost.saturating_mul(n_pivots);
        let cost = pivots.saturating_add(lifted.cost.saturating_mul(n_iterations));
        let operations = self.get_wide(state::OPERATIONS).saturating_add(cost);
        self.put_wide(state::OPERATIONS, operations);
        let steps = self.get_wide(state::STEPS).saturating_add(cost);
        self.put_wide(state::STEPS, steps.saturating_add(n_pivots).saturating_add(n_iterations));
        self.control.stats.operations = operations;
        Ok(Ok(()))
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
