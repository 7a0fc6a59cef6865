//! Execution of a kernel over lines.

use star_value::BitTable;

use super::super::code::Forall;
use super::super::interpreter::Interpreter;
use super::super::operand::{Range, Reg, RegRef, Size};
use super::super::table::Table;
use super::super::table::form::Line;
use super::{Guards, Kernel, LineKernel, LineSize, LineTape, Port};
use crate::counters::Declined;
use crate::interrupt::{Exec, internal_error};
use crate::tape::{Echo, Lane, PortId, Strips};

impl Interpreter<'_, '_, '_> {
    /// Runs all iterations and returns their number, if they can run as a kernel. Otherwise nothing
    /// has changed.
    pub(in crate::cpu) fn run_lines(&mut self, forall: &Forall, range: Range) -> Exec<Option<u64>> {
        let is_listed = match range {
            Range::Ones(over) => self.bits_slot(over).known.listed().is_some(),
            Range::Numbers(..) => false,
        };
        match self.run_kernel(forall, range)? {
            Ok(n_iterations) => {
                self.paths.line_kernels += 1;
                self.paths.lines += n_iterations;
                self.paths.slices_listed += u64::from(is_listed);
                Ok(Some(n_iterations))
            }
            Err(reason) => {
                self.paths.decline(reason);
                Ok(None)
            }
        }
    }

    fn run_kernel(&mut self, forall: &Forall, range: Range) -> Exec<Result<u64, Declined>> {
        let Some(kernel) = &forall.kernel else { return Ok(Err(Declined::Body)) };
        // Limited steps are counted one by one.
        if self.has_step_limit() {
            return Ok(Err(Declined::StepLimit));
        }
        let mut indices = std::mem::take(&mut self.lines);
        let done = match &**kernel {
            Kernel::Lines(kernel) => self.run_line_kernel((forall, range), kernel, &mut indices),
            Kernel::Reduction(reduction) => {
                self.run_reduction((forall, range), reduction, &mut indices)
            }
            Kernel::Queries(queries) => self.run_queries((forall, range), queries, &mut indices),
        };
        // The next kernel reuses its memory.
        indices.clear();
        self.lines = indices;
        done
    }

    fn run_line_kernel(
        &mut self,
        (forall, range): (&Forall, Range),
        kernel: &LineKernel,
        indices: &mut Vec<usize>,
    ) -> Exec<Result<u64, Declined>> {
        if let (Some(masked), Range::Numbers(from, to)) = (&kernel.masked, range) {
            let ends = (self.number(from), self.number(to));
            if self.run_masked(masked, ends)?.is_some() {
                self.unset_locals(forall);
                return Ok(Ok((ends.1 - ends.0 + 1) as u64));
            }
        }
        match self.line_indices(&kernel.body.guards, range, indices) {
            Err(reason) => Ok(Err(reason)),
            Ok(()) => self.run_on(forall, kernel, indices),
        }
    }

    /// Runs the iterations with these indices.
    fn run_on(
        &mut self,
        forall: &Forall,
        kernel: &LineKernel,
        indices: &[usize],
    ) -> Exec<Result<u64, Declined>> {
        if indices.is_empty() {
            return Ok(Err(Declined::Empty));
        }
        let n_iterations = indices.len() as u64;
        let len = self.line_len(kernel.body.line, kernel.target).unwrap_or(0);
        if let Err(reason) = self.fits(&kernel.body, kernel.target, Some(kernel.target), len)? {
            return Ok(Err(reason));
        }
        if !self.own_lines(kernel.target, kernel.body.line, Table::lines_change)? {
            return Ok(Err(Declined::Form));
        }
        self.update_lines(kernel, indices, len)?;
        self.count_iterations(n_iterations, kernel.cost);
        self.unset_locals(forall);
        Ok(Ok(n_iterations))
    }

    /// Unsets the variables that are private to an iteration, after the last one.
    pub(super) fn unset_locals(&mut self, forall: &Forall) {
        for private in &forall.privates {
            self.unset(*private);
        }
        self.unset(RegRef::Int(forall.var));
    }

    /// Adds the indices of the iterations, ascending from 0, to an empty list, if all are within
    /// the limits.
    pub(super) fn line_indices(
        &self,
        guards: &Guards,
        range: Range,
        indices: &mut Vec<usize>,
    ) -> Result<(), Declined> {
        let limits = guards.limits.iter().map(|limit| self.size(*limit));
        let limit = limits.min().flatten().ok_or(Declined::Guard)?;
        let are_within = match range {
            Range::Numbers(from, to) => {
                let (from, to) = (self.number(from), self.number(to));
                let are_within = from >= 1 && (to < from || to as u64 <= limit);
                if are_within {
                    indices.extend((from..=to).map(|index| index as usize - 1));
                }
                are_within
            }
            Range::Ones(over) => {
                self.each_nonzero(over, |place, limb| {
                    let (start, mut rest) = (place * 64, limb);
                    if rest == !0 {
                        return indices.extend(start..start + 64);
                    }
                    indices.reserve(64);
                    while rest != 0 {
                        indices.push(start + rest.trailing_zeros() as usize);
                        rest &= rest - 1;
                    }
                });
                indices.last().is_none_or(|&last| (last as u64) < limit)
            }
        };
        are_within.then_some(()).ok_or(Declined::Range)
    }

    /// Tests whether every guard holds in every iteration, and every table has the required layout.
    /// All tables must have the shape of the first one; the layout of the written table is not
    /// tested.
    pub(super) fn fits(
        &self,
        body: &LineTape,
        first: Reg,
        written: Option<Reg>,
        len: usize,
    ) -> Exec<Result<(), Declined>> {
        let line = body.line.length_of(first);
        let first = self.table(first)?;
        let shape = (first.n_rows(), first.n_cols());
        for reg in &body.tables {
            let table = self.table_slot(*reg).table.get();
            let fits = |table: &&Table| (table.n_rows(), table.n_cols()) == shape;
            let Some(table) = table.filter(fits) else { return Ok(Err(Declined::Guard)) };
            if Some(*reg) != written && !table.has(body.line) {
                return Ok(Err(Declined::Form));
            }
        }
        for reg in &body.outer {
            let slot = self.bits_slot(*reg);
            if !slot.is_set || slot.bits.len() != len {
                return Ok(Err(Declined::Guard));
            }
        }
        match self.agree(&body.guards, line) {
            true => Ok(Ok(())),
            false => Ok(Err(Declined::Guard)),
        }
    }

    /// Returns the number of components of a line that this rank owns, if the table is set.
    pub(super) fn line_len(&self, line: Line, table: Reg) -> Option<usize> {
        let table = self.table_slot(table).table.get()?;
        Some(match line {
            Line::Row => table.n_cols(),
            Line::Column => table.n_rows(),
        })
    }

    /// Tests whether the sizes of each pair are known and equal, for lines of this length.
    pub(in crate::cpu) fn agree(&self, guards: &Guards, line: Size) -> bool {
        let size = |size: &LineSize| match size {
            LineSize::Line => self.size(line),
            LineSize::Outer(size) => self.size(*size),
        };
        guards.sizes.iter().all(|(left, right)| size(left).is_some() && size(left) == size(right))
    }

    /// Updates the lines of the target.
    fn update_lines(&mut self, kernel: &LineKernel, indices: &[usize], len: usize) -> Exec<()> {
        let at = self.base.tables + kernel.target as usize;
        let mut target = std::mem::take(&mut self.tables[at].table);
        let done = match target.get_mut() {
            Some(table) => {
                self.run_over(kernel, table.lines_and_window(kernel.body.line), indices, len)
            }
            None => Err(internal_error("a table is still shared")),
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
    ) -> Exec<()> {
        let mut target = Some(target);
        let LineTape { plan, ports, line, .. } = &kernel.body;
        let mut echo = window.map(|(limb, limbs)| Echo { port: PortId::default(), limb, limbs });
        let mut lanes = Vec::with_capacity(ports.len());
        for (idx, port) in ports.iter().enumerate() {
            lanes.push(match *port {
                Port::Lines(reg) if reg == kernel.target => {
                    let form =
                        target.take().ok_or_else(|| internal_error("a port occurs twice"))?;
                    let stride = form.stride();
                    if let Some(echo) = &mut echo {
                        echo.port = PortId(idx as u32);
                    }
                    Lane::Written { limbs: form.storage_mut(), stride }
                }
                port => self.lane(port, *line)?,
            });
        }
        let strips = Strips::new(&self.parallelism, plan, len);
        strips.lines(lanes, echo, indices)
    }

    /// Returns the memory of a port that is read.
    pub(super) fn lane(&self, port: Port, line: Line) -> Exec<Lane<'_>> {
        Ok(match port {
            Port::Outer(reg) => Lane::Read { limbs: self.bits(reg).whole_lines(), stride: 0 },
            Port::Lines(reg) => {
                let form = self.table(reg)?.lines(line);
                let form = form.ok_or_else(|| internal_error("a table has no such lines"))?;
                Lane::Read { limbs: form.storage(), stride: form.stride() }
            }
        })
    }
}
