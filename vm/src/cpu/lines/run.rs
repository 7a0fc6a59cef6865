//! How a kernel runs over lines.

use star_base::BitTable;

use super::super::code::Forall;
use super::super::interpreter::Interpreter;
use super::super::operand::{Range, RegRef};
use super::super::table::Table;
use super::{Kernel, LineKernel, LineSize, Port};
use crate::paths::Declined;
use crate::stop::{Run, broken};
use crate::tape::{Echo, Lane, PortId, Strips};

impl Interpreter<'_, '_, '_> {
    /// Runs all iterations, if that can be done by lines; how many there were. Otherwise nothing has
    /// happened.
    pub(in crate::cpu) fn run_lines(&mut self, forall: &Forall) -> Run<Option<u64>> {
        match self.run_kernel(forall)? {
            Ok(n_turns) => {
                self.paths.line_kernels += 1;
                self.paths.lines += n_turns;
                Ok(Some(n_turns))
            }
            Err(reason) => {
                self.paths.decline(reason);
                Ok(None)
            }
        }
    }

    fn run_kernel(&mut self, forall: &Forall) -> Run<Result<u64, Declined>> {
        let Some(kernel) = &forall.kernel else { return Ok(Err(Declined::Body)) };
        // Steps are counted one by one where they are limited.
        if self.has_step_limit() {
            return Ok(Err(Declined::StepLimit));
        }
        let kernel = match &**kernel {
            Kernel::Lines(kernel) => kernel,
            Kernel::Reduction(reduction) => return self.run_reduction(forall, reduction),
        };
        if let (Some(masked), Range::Numbers(from, to)) = (&kernel.masked, forall.range) {
            let turns = (self.number(from), self.number(to));
            if self.run_masked(masked, turns)?.is_some() {
                self.unset_locals(forall);
                return Ok(Ok((turns.1 - turns.0 + 1) as u64));
            }
        }
        let Some(n_lines) = self.size(kernel.n_lines()) else { return Ok(Err(Declined::Range)) };
        let mut indices = std::mem::take(&mut self.lines);
        let done = match self.line_indices(n_lines, forall.range, &mut indices) {
            false => Ok(Err(Declined::Range)),
            true => self.run_on(forall, kernel, &indices),
        };
        // Its memory stays for the next kernel.
        indices.clear();
        self.lines = indices;
        done
    }

    /// Runs the iterations with these indices.
    fn run_on(
        &mut self,
        forall: &Forall,
        kernel: &LineKernel,
        indices: &[usize],
    ) -> Run<Result<u64, Declined>> {
        if indices.is_empty() {
            return Ok(Err(Declined::Empty));
        }
        let n_turns = indices.len() as u64;
        let len = self.size(kernel.length()).unwrap_or(0) as usize;
        if let Err(reason) = self.is_ready(kernel, len)? {
            return Ok(Err(reason));
        }
        self.update_lines(kernel, indices, len)?;
        self.count_turns(n_turns, kernel.cost);
        self.unset_locals(forall);
        Ok(Ok(n_turns))
    }

    /// What belongs to an iteration is not there behind the last one.
    pub(super) fn unset_locals(&mut self, forall: &Forall) {
        for private in &forall.privates {
            self.unset(*private);
        }
        self.unset(RegRef::Int(forall.var));
    }

    /// Adds the indices of the iterations, ascending from 0, to an empty list; false if one is no line.
    pub(super) fn line_indices(
        &self,
        n_lines: u64,
        range: Range,
        indices: &mut Vec<usize>,
    ) -> bool {
        match range {
            Range::Numbers(from, to) => {
                let (from, to) = (self.number(from), self.number(to));
                let is_inside = from >= 1 && to <= n_lines as i64;
                if is_inside {
                    indices.extend((from..=to).map(|index| index as usize - 1));
                }
                is_inside
            }
            Range::Ones(over) => {
                let limbs = self.bits(over).limbs();
                indices.reserve(self.parallelism.kernels.count(limbs) as usize);
                for (limb_idx, &limb) in limbs.iter().enumerate() {
                    let (start, mut rest) = (limb_idx * 64, limb);
                    if rest == !0 {
                        indices.extend(start..start + 64);
                        continue;
                    }
                    while rest != 0 {
                        indices.push(start + rest.trailing_zeros() as usize);
                        rest &= rest - 1;
                    }
                }
                indices.last().is_none_or(|&last| (last as u64) < n_lines)
            }
        }
    }

    /// Would every guard hold in every iteration, and does every table lie as it is needed?
    fn is_ready(&mut self, kernel: &LineKernel, len: usize) -> Run<Result<(), Declined>> {
        let target = self.table(kernel.target)?;
        let shape = (target.n_rows(), target.n_cols());
        for reg in &kernel.tables {
            let table = self.table_slot(*reg).table.get();
            let fits = |table: &&Table| (table.n_rows(), table.n_cols()) == shape;
            let Some(table) = table.filter(fits) else { return Ok(Err(Declined::Guard)) };
            if *reg != kernel.target && !table.has(kernel.line) {
                return Ok(Err(Declined::Form));
            }
        }
        for reg in &kernel.outer {
            let slot = self.bits_slot(*reg);
            if !slot.is_set || slot.bits.len() != len {
                return Ok(Err(Declined::Guard));
            }
        }
        for (left, right) in &kernel.sizes {
            let size = |size: &LineSize| match size {
                LineSize::Line => Some(len as u64),
                LineSize::Outer(size) => self.size(*size),
            };
            if size(left).is_none() || size(left) != size(right) {
                return Ok(Err(Declined::Guard));
            }
        }
        let is_ready = self.own_lines(kernel.target, kernel.line, Table::lines_change)?;
        Ok(if is_ready { Ok(()) } else { Err(Declined::Form) })
    }

    /// Works on the lines of the target.
    fn update_lines(&mut self, kernel: &LineKernel, indices: &[usize], len: usize) -> Run<()> {
        let at = self.base.tables + kernel.target as usize;
        let mut target = std::mem::take(&mut self.tables[at].table);
        let done = match target.get_mut() {
            Some(table) => self.run_over(kernel, table.lines_and_window(kernel.line), indices, len),
            None => Err(broken("a table that is still shared")),
        };
        self.tables[at].table = target;
        done
    }

    fn run_over(
        &self,
        kernel: &LineKernel,
        (target, window): (&mut BitTable, Option<(usize, &mut [u64])>),
        indices: &[usize],
        len: usize,
    ) -> Run<()> {
        let mut target = Some(target);
        let mut echo = window.map(|(limb, limbs)| Echo { port: PortId::default(), limb, limbs });
        let mut lanes = Vec::with_capacity(kernel.ports.len());
        for (idx, port) in kernel.ports.iter().enumerate() {
            lanes.push(match *port {
                Port::Outer(reg) => Lane::Read { limbs: self.bits(reg).whole_lines(), stride: 0 },
                Port::Lines(reg) if reg == kernel.target => {
                    let form = target.take().ok_or_else(|| broken("a port twice"))?;
                    let stride = form.stride();
                    if let Some(echo) = &mut echo {
                        echo.port = PortId(idx as u32);
                    }
                    Lane::Written { limbs: form.storage_mut(), stride }
                }
                Port::Lines(reg) => {
                    let form = self.table(reg)?.lines(kernel.line);
                    let form = form.ok_or_else(|| broken("a table that lies the other way"))?;
                    Lane::Read { limbs: form.storage(), stride: form.stride() }
                }
            });
        }
        let strips = Strips { parallelism: &self.parallelism, plan: &kernel.plan, n_bits: len };
        strips.lines(lanes, echo, indices)
    }
}
