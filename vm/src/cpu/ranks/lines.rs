//! Loops and kernels on partitioned tables.
//!
//! Note [Own rows]. A kernel over rows reads and writes the row of its index and words from
//! outside. So each rank runs the iterations of the rows it owns, as a kernel or as they are
//! written, with the indices of its rows, and exchanges nothing; a word into which rows are
//! combined is reduced afterwards. Whether a kernel runs so depends on sizes only, on which all
//! ranks agree. Before it begins, all guards hold for all iterations, since a trap on one rank
//! alone would separate it from the others.

use crate::cpu::code::Forall;
use crate::cpu::interpreter::Interpreter;
use crate::cpu::lines::Operands;
use crate::cpu::loop_kernels::{LoopKernel, Source};
use crate::cpu::operand::{Range, Reg, Size};
use crate::cpu::table::form::Line;
use crate::exchange::Reduce;
use crate::interrupt::{Exec, internal_error};

/// A running `forall` over the rows of this rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnRows {
    /// The word into which rows are combined.
    combined: Option<(Reg, Reduce)>,
    /// Counts before the loop.
    operations: u64,
    steps: u64,
    /// The first and the last index of this rank, counted from its first row, unless the
    /// iterations are the ones of a slice.
    range: Option<(i64, i64)>,
}

/// The execution of a `forall`.
enum Execution {
    /// As without ranks.
    Ordinary,
    /// Each rank runs the iterations of the rows it owns.
    OwnRows(OwnRows),
    /// One iteration after another, on all ranks.
    InOrder,
}

impl Interpreter<'_, '_, '_> {
    /// Does a loop kernel work on the rows of this rank only?
    pub(in crate::cpu) fn is_own(&self, kernel: &LoopKernel) -> bool {
        let is_own_rows = self.ranks.as_ref().is_some_and(|ranks| ranks.own_rows.is_some());
        let mut parts = self.elsewhere_of(kernel);
        let first = parts.next();
        is_own_rows
            || parts.all(|part| Some(part) == first)
                && kernel.words.iter().all(|reg| !self.is_divided(*reg))
    }

    /// Returns the number of rows on other ranks of each operand of a loop kernel.
    fn elsewhere_of(&self, kernel: &LoopKernel) -> impl Iterator<Item = usize> {
        kernel.ports.iter().filter_map(|port| match port.source {
            Source::Column(reg, _) => Some(self.table_slot(reg).elsewhere),
            Source::Slice(_) if port.is_new => None,
            Source::Slice(reg) => Some(self.bits_slot(reg).elsewhere),
        })
    }

    /// A loop kernel has run: its slices are partitioned as its operands are.
    pub(in crate::cpu) fn written_by(&mut self, kernel: &LoopKernel) {
        let part = self.elsewhere_of(kernel).next();
        for port in kernel.ports.iter().filter(|port| port.is_written) {
            if let Source::Slice(reg) = port.source {
                self.bits_slot_mut(reg).elsewhere = part.unwrap_or(0);
            }
        }
    }

    /// Runs all iterations of a `forall` as a kernel, if possible, and returns their number.
    pub(in crate::cpu) fn run_lines_across(&mut self, forall: &Forall) -> Exec<Option<u64>> {
        if self.ranks()?.own_rows.is_some() {
            return self.run_lines(forall, forall.range);
        }
        let own = match self.execution(forall)? {
            Execution::Ordinary => return self.run_lines(forall, forall.range),
            Execution::InOrder => return Ok(None),
            Execution::OwnRows(own) => own,
        };
        self.ranks_mut()?.own_rows = Some(own);
        let taken = match own.range {
            None => self.run_lines(forall, forall.range)?,
            Some((from, to)) => {
                // Registers after those of the routine hold the range of this rank.
                let n_numbers = self.numbers.len();
                self.numbers.extend([from, to]);
                self.numbers_set.extend([true, true]);
                let first = (n_numbers - self.base.numbers) as Reg;
                let number = crate::cpu::operand::Number;
                let range = Range::Numbers(number(first), number(first + 1));
                let taken = self.run_lines(forall, range);
                self.numbers.truncate(n_numbers);
                self.numbers_set.truncate(n_numbers);
                taken?
            }
        };
        if taken.is_some() {
            self.end_own_rows()?;
        }
        Ok(taken)
    }

    /// A `forall` that is not a kernel has begun: gives it the iterations that this rank runs.
    pub(in crate::cpu) fn begin_across(&mut self, forall: &Forall) -> Exec<()> {
        if let Range::Ones(over) = forall.range {
            // It was made whole if all ranks run all iterations.
            self.keep_part(over, self.routine()?)?;
        }
        let own = self.ranks()?.own_rows;
        let Some(mut running) = self.foralls.pop() else {
            return Err(internal_error("no `forall` has begun"));
        };
        if let Some((from, to)) = own.and_then(|own| own.range) {
            (running.next, running.to) = (Some(from), to);
        }
        self.foralls.push(running);
        Ok(())
    }

    /// Ends a `forall` over the rows of this rank, if one is running.
    pub(in crate::cpu) fn end_own_rows(&mut self) -> Exec<()> {
        let Some(own) = self.ranks_mut()?.own_rows.take() else { return Ok(()) };
        let OwnRows { combined, operations, steps, range: _ } = own;
        let own_operations = self.operations.saturating_sub(operations);
        let own_steps = self.steps.saturating_sub(steps);
        (self.operations, self.steps) = (operations, steps);
        let ranks = self.ranks_mut()?;
        ranks.own_operations = ranks.own_operations.saturating_add(own_operations);
        ranks.own_steps = ranks.own_steps.saturating_add(own_steps);
        let Some((reg, op)) = combined else { return Ok(()) };
        let limbs = self.bits(reg).limbs();
        let mut numbers: Vec<i64> = limbs.iter().map(|limb| limb.cast_signed()).collect();
        self.reduce("rows combined", op, &mut numbers)?;
        let slot = self.bits_slot_mut(reg);
        for (limb, number) in slot.bits.limbs_mut().iter_mut().zip(numbers) {
            *limb = number.cast_unsigned();
        }
        slot.known.forget();
        Ok(())
    }

    fn execution(&mut self, forall: &Forall) -> Exec<Execution> {
        let over = match forall.range {
            Range::Ones(over) => Some(over),
            Range::Numbers(..) => None,
        };
        let is_over_divided = over.is_some_and(|over| self.is_divided(over));
        let Some(kernel) = forall.kernel.as_deref() else {
            return self.in_order(over.filter(|_| is_over_divided));
        };
        let operands = kernel.operands();
        let mut bits = operands.outer.iter().copied();
        let mut combined = operands.combined.iter().map(|(reg, _)| *reg);
        let is_any_divided = is_over_divided
            || bits.any(|reg| self.is_divided(reg))
            || combined.any(|reg| self.is_divided(reg))
            || operands.tables.iter().any(|reg| self.is_divided_table(*reg));
        if !is_any_divided {
            return Ok(Execution::Ordinary);
        }
        match operands.line {
            Line::Column if self.is_own_columns(&operands, is_over_divided) => {
                Ok(Execution::Ordinary)
            }
            Line::Row => match self.own_rows(forall, &operands)? {
                Some(own) => Ok(Execution::OwnRows(own)),
                None => self.in_order(over.filter(|_| is_over_divided)),
            },
            Line::Column => self.in_order(over.filter(|_| is_over_divided)),
        }
    }

    /// Runs in order; the slice of the iterations is needed whole.
    fn in_order(&mut self, over: Option<Reg>) -> Exec<Execution> {
        if let Some(over) = over {
            self.make_whole(over)?;
        }
        Ok(Execution::InOrder)
    }

    /// Does a kernel over columns work on the rows of this rank only?
    fn is_own_columns(&self, operands: &Operands<'_>, is_over_divided: bool) -> bool {
        let tables = operands.tables.iter().map(|reg| self.table_slot(*reg).elsewhere);
        let combined = operands.combined.iter().map(|(reg, _)| reg);
        let bits = operands.outer.iter().chain(combined);
        let mut parts = tables.chain(bits.map(|reg| self.bits_slot(*reg).elsewhere));
        let first = parts.next();
        operands.is_bitwise && !is_over_divided && parts.all(|part| Some(part) == first)
    }

    /// Returns how this rank runs the iterations of its rows; `None` if all ranks must run all
    /// iterations.
    fn own_rows(&self, forall: &Forall, operands: &Operands<'_>) -> Exec<Option<OwnRows>> {
        let Operands { line, tables, outer, guards, combined, is_bitwise } = operands;
        let combined = match combined {
            None => None,
            Some((reg, OR)) => Some((*reg, Reduce::Or)),
            Some((reg, AND)) => Some((*reg, Reduce::And)),
            Some(_) => return Ok(None),
        };
        let Some(n) = self.size(Size::Rows(tables[0])) else { return Ok(None) };
        let is_own =
            |reg: &Reg| self.is_divided_table(*reg) && self.size(Size::Rows(*reg)) == Some(n);
        let mut words = outer.iter().copied().chain(combined.map(|(reg, _)| reg));
        let limits = guards.limits.iter().map(|limit| self.size(*limit));
        let fits = *is_bitwise
            && !self.has_step_limit()
            && tables.iter().all(is_own)
            && words.all(|reg| self.bits_slot(reg).is_set && !self.is_divided(reg))
            && self.agree(guards, line.length_of(tables[0]))
            && limits.flatten().all(|limit| limit >= n);
        if !fits || forall.reductions.len() > usize::from(combined.is_some()) {
            return Ok(None);
        }
        let range = match forall.range {
            Range::Ones(over) => {
                let is_of_rows = self.is_divided(over)
                    && self.bits_slot(over).is_set
                    && self.size(Size::Length(over)) == Some(n);
                if !is_of_rows {
                    return Ok(None);
                }
                None
            }
            Range::Numbers(from, to) => {
                let (from, to) = (self.number(from), self.number(to));
                if from < 1 || (to >= from && to.unsigned_abs() > n) {
                    return Ok(None);
                }
                let partition = &self.ranks()?.partition;
                let own = partition.range(n as usize, partition.rank());
                let (start, end) = (own.start as i64, own.end as i64);
                Some(((from - start).max(1), to.min(end) - start))
            }
        };
        let (operations, steps) = (self.operations, self.steps);
        Ok(Some(OwnRows { combined, operations, steps, range }))
    }
}

/// Truth tables of reductions over lines.
const OR: u8 = 0b1110;
const AND: u8 = 0b1000;
