//! Queries of lines: a `forall` whose iterations query lines of their index, and combine the
//! results or write a component of a slice or word.
//!
//! Note [Line queries]. The logic on lines is a tape whose reductions are the queries: it evaluates
//! them for many lines at a time. The use of the results is a list of steps over up to 64
//! iterations at once: a number of the body is an array, a truth value a limb with a bit for each
//! iteration. A branch is a mask, under which the steps inside combine, write and count. No branch
//! is therefore decided for a single iteration, and each step is interpreted once for 64
//! iterations.
//!
//! Threads combine their results separately. Components are stored when all results are known.

mod steps;

use star_ir::ReductionOp;

use super::super::code::Forall;
use super::super::interpreter::Interpreter;
use super::super::operand::{Number, Range, Reg};
use super::super::table::form::Line;
use super::{LineTape, Operands};
use crate::counters::Declined;
use crate::interrupt::{Exec, internal_error};
use crate::tape::{Answer, Iterations, Lane, Strips};
pub(in crate::cpu) use steps::{Num, Step, Truth};

use steps::Partial;

/// A body that queries lines.
#[derive(Clone, Debug)]
pub(in crate::cpu) struct LineQueries {
    pub(in crate::cpu) body: LineTape,
    /// A table that has the lines.
    pub(in crate::cpu) table: Reg,
    pub(in crate::cpu) steps: Vec<Step>,
    /// The reductions and their operations.
    pub(in crate::cpu) reductions: Vec<(Reg, ReductionOp)>,
    /// Slices and words of which components are written.
    pub(in crate::cpu) components: Vec<Reg>,
    pub(in crate::cpu) outside: Outside,
    /// Elementary operations of every iteration.
    pub(in crate::cpu) cost: u64,
}

/// The operands of a body other than lines.
#[derive(Clone, Debug, Default)]
pub(in crate::cpu) struct Outside {
    /// Slices and words of which the component at the index of the iteration is read.
    pub(in crate::cpu) read: Vec<Reg>,
    /// Slices, words and numbers that guards require to be set.
    pub(in crate::cpu) bits_set: Vec<Reg>,
    pub(in crate::cpu) numbers_set: Vec<Reg>,
    /// Numbers and truth values.
    pub(in crate::cpu) numbers: Vec<Number>,
    /// Those that must be 0 or 1.
    pub(in crate::cpu) bits: Vec<Number>,
}

/// The maximum number of lines that are queried one by one: cutting lines into strips and shares
/// takes some 0.5 µs, and saves 5 ns a line.
const FEW_LINES: usize = 32;

/// Memory that successive kernels reuse.
#[derive(Debug, Default)]
pub(in crate::cpu) struct Scratch {
    partial: Partial,
    buffers: Vec<Vec<u64>>,
    answers: Vec<Answer>,
    outer: Vec<i64>,
}

impl LineQueries {
    /// Tests whether an effect depends on the result of a query.
    pub(in crate::cpu) fn has_branches(&self) -> bool {
        self.steps.iter().any(Step::is_conditional)
    }

    /// Returns its operands.
    pub(super) fn operands(&self) -> Operands<'_> {
        let LineQueries { body, table, components, outside, .. } = self;
        let outer = body.outer.iter().chain(components).chain(&outside.read);
        Operands {
            line: body.line,
            tables: body.tables.iter().copied().chain([*table]).collect(),
            outer: outer.copied().collect(),
            guards: &body.guards,
            combined: None,
            is_bitwise: false,
        }
    }

    fn line(&self) -> Line {
        self.body.line
    }
}

impl Interpreter<'_, '_, '_> {
    /// Runs all iterations and returns their number, if the tables have the required layout.
    /// Otherwise nothing has changed.
    pub(super) fn run_queries(
        &mut self,
        (forall, range): (&Forall, Range),
        queries: &LineQueries,
        indices: &mut Vec<usize>,
    ) -> Exec<Result<u64, Declined>> {
        let len = self.line_len(queries.line(), queries.table);
        let Some(len) = len else { return Ok(Err(Declined::Guard)) };
        if let Err(reason) = self.line_indices(&queries.body.guards, range, indices) {
            return Ok(Err(reason));
        }
        let n_iterations = indices.len() as u64;
        let done = self.query_lines(queries, indices, len)?;
        Ok(match done {
            Ok(branches) => {
                self.count_iterations(n_iterations, queries.cost);
                self.count_operations(branches);
                self.unset_locals(forall);
                Ok(n_iterations)
            }
            Err(reason) => Err(reason),
        })
    }

    /// Queries the lines with these indices and returns the number of elementary operations in
    /// branches.
    fn query_lines(
        &mut self,
        queries: &LineQueries,
        indices: &[usize],
        len: usize,
    ) -> Exec<Result<u64, Declined>> {
        let LineQueries { body, table, reductions, components, outside, .. } = queries;
        let Some(last) = indices.last() else { return Ok(Err(Declined::Empty)) };
        if let Err(reason) = self.fits(body, *table, None, len)? {
            return Ok(Err(reason));
        }
        let is_set = |reg: &Reg| self.numbers_set[self.base.numbers + *reg as usize];
        let is_bit = |number: &Number| matches!(self.number(*number), 0 | 1);
        if !outside.bits_set.iter().all(|reg| self.bits_slot(*reg).is_set)
            || !reductions.iter().map(|(reg, _)| reg).chain(&outside.numbers_set).all(is_set)
            || !outside.bits.iter().all(is_bit)
        {
            return Ok(Err(Declined::Guard));
        }
        // A written component takes three limbs, at most one for each line.
        let most = indices.len().min(*last / 64 + 1);
        let room = (components.len() * most * size_of::<steps::Written>()) as u64;
        if self.budget.available() < room {
            return Ok(Err(Declined::Memory));
        }
        let mut scratch = std::mem::take(&mut self.query_scratch);
        let done = self.combine_results(queries, indices, len, &mut scratch);
        let done = done.and_then(|()| self.store_results(queries, &scratch.partial));
        scratch.partial.shrink();
        self.query_scratch = scratch;
        done.map(Ok)
    }

    /// Queries the lines, and combines the results, in `scratch`.
    fn combine_results(
        &self,
        queries: &LineQueries,
        indices: &[usize],
        len: usize,
        scratch: &mut Scratch,
    ) -> Exec<()> {
        let LineQueries { body, steps, reductions, components, outside, .. } = queries;
        let mut lanes: Vec<Lane<'_>> = Vec::with_capacity(body.ports.len());
        for port in &body.ports {
            lanes.push(self.lane(*port, body.line)?);
        }
        scratch.outer.clear();
        scratch.outer.extend(outside.numbers.iter().map(|number| self.number(*number)));
        let read: Vec<&[u64]> = outside.read.iter().map(|reg| self.bits(*reg).limbs()).collect();
        let Scratch { partial, buffers, answers, outer } = scratch;
        let given = steps::Given { outer, read: &read };
        let ops = || reductions.iter().map(|(_, op)| *op);
        partial.begin(ops(), components.len());
        let LineTape { plan, .. } = body;
        let n_limbs = len.div_ceil(64);
        if indices.len() <= FEW_LINES && self.parallelism.is_short(n_limbs * FEW_LINES) {
            // For few lines, cutting them into strips and shares would take longer than it saves.
            self.parallelism.poll()?;
            buffers.resize(plan.n_buffers.max(buffers.len()), Vec::new());
            buffers.iter_mut().for_each(|buffer| buffer.resize(n_limbs, 0));
            let kernels = self.parallelism.kernels;
            let mut iterations = Iterations { kernels, lanes: &mut lanes, buffers, n_bits: len };
            iterations.ask(plan, indices, answers);
            partial.take(steps, given, indices, answers);
            return Ok(());
        }
        let strips = Strips::new(&self.parallelism, plan, len);
        let begin = || Partial::new(ops(), components.len());
        let found = strips.queries(lanes, indices, begin, |partial, lines, answers| {
            partial.take(steps, given, lines, answers);
        })?;
        found.into_iter().for_each(|found| partial.join(ops(), found));
        Ok(())
    }

    /// Combines the results with the previous values of the reductions, and stores the components.
    /// Returns the number of elementary operations in branches.
    fn store_results(&mut self, queries: &LineQueries, found: &Partial) -> Exec<u64> {
        let (combined, written, cost) = found.parts();
        for ((reg, op), found) in queries.reductions.iter().zip(combined) {
            let joined = steps::join(*op, i128::from(self.number(Number(*reg))), *found);
            let joined = i64::try_from(joined);
            self.set(*reg, joined.map_err(|_| internal_error("a reduction overflows"))?);
        }
        for (reg, written) in queries.components.iter().zip(written) {
            let slot = self.bits_slot_mut(*reg);
            let limbs = slot.bits.limbs_mut();
            for &steps::Written { limb, ones, zeros } in written {
                limbs[limb] = (limbs[limb] | ones) & !zeros;
            }
            slot.known.forget();
        }
        Ok(cost)
    }
}
