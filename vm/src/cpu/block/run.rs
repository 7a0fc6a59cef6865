//! How a body runs over blocks of lines.

use star_base::BitTable;

use super::super::code::{Forall, Range, Reg, RegRef};
use super::super::interpreter::Interpreter;
use super::super::table::Table;
use super::{BlockCode, BlockOp, LineSize, Source};
use crate::kernels::Kernels;
use crate::paths::Declined;
use crate::stop::{Run, broken};

impl Interpreter<'_, '_, '_> {
    /// Runs all iterations, if that can be done in blocks; how many there were. Otherwise nothing has
    /// happened.
    pub(in crate::cpu) fn run_lines(&mut self, forall: &Forall) -> Run<Option<u64>> {
        match self.run_block(forall)? {
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

    fn run_block(&mut self, forall: &Forall) -> Run<Result<u64, Declined>> {
        let Some(code) = &forall.block else { return Ok(Err(Declined::Body)) };
        // Steps are counted one by one where they are limited.
        if self.has_step_limit() {
            return Ok(Err(Declined::StepLimit));
        }
        let Some(indices) = self.line_indices(code, forall.range) else {
            return Ok(Err(Declined::Range));
        };
        if indices.is_empty() {
            return Ok(Err(Declined::Empty));
        }
        let n_turns = indices.len() as u64;
        let len = self.size(code.length()).unwrap_or(0) as usize;
        if let Err(reason) = self.block_is_ready(code, len)? {
            return Ok(Err(reason));
        }
        self.update_lines(code, &indices, len)?;
        self.count_block(n_turns, code.cost);
        for private in &forall.privates {
            self.unset(*private);
        }
        self.unset(RegRef::Int(forall.var));
        Ok(Ok(n_turns))
    }

    /// The indices of the iterations, ascending from 0; `None` if one is no line.
    fn line_indices(&self, code: &BlockCode, range: Range) -> Option<Vec<usize>> {
        let n_lines = self.size(code.n_lines())? as i64;
        match range {
            Range::Numbers(from, to) => {
                let (from, to) = (self.number(from), self.number(to));
                let inside = from >= 1 && to <= n_lines;
                inside.then(|| (from..=to).map(|index| index as usize - 1).collect())
            }
            Range::Ones(over) => {
                let bits = self.bits(over);
                let mut indices = Vec::new();
                for (limb_idx, &limb) in bits.limbs().iter().enumerate() {
                    let mut rest = limb;
                    while rest != 0 {
                        indices.push(limb_idx * 64 + rest.trailing_zeros() as usize);
                        rest &= rest - 1;
                    }
                }
                let inside = indices.last().is_none_or(|&last| (last as i64) < n_lines);
                inside.then_some(indices)
            }
        }
    }

    /// Would every guard hold in every iteration, and does every table lie as it is needed?
    fn block_is_ready(&mut self, code: &BlockCode, len: usize) -> Run<Result<(), Declined>> {
        let target = self.table(code.target)?;
        let shape = (target.n_rows(), target.n_cols());
        for reg in &code.tables {
            let table = self.table_slot(*reg).table.get();
            let fits = |table: &&Table| (table.n_rows(), table.n_cols()) == shape;
            let Some(table) = table.filter(fits) else { return Ok(Err(Declined::Guard)) };
            if *reg != code.target && !table.has(code.line) {
                return Ok(Err(Declined::Form));
            }
        }
        for reg in &code.outer {
            let slot = self.bits_slot(*reg);
            if !slot.is_set || slot.bits.len() != len {
                return Ok(Err(Declined::Guard));
            }
        }
        for (left, right) in &code.sizes {
            let size = |size: &LineSize| match size {
                LineSize::Line => Some(len as u64),
                LineSize::Outer(size) => self.size(*size),
            };
            if size(left).is_none() || size(left) != size(right) {
                return Ok(Err(Declined::Guard));
            }
        }
        let is_ready = self.own_lines(code.target, code.line)?;
        Ok(if is_ready { Ok(()) } else { Err(Declined::Form) })
    }

    /// Works on the lines of the target, block by block.
    fn update_lines(&mut self, code: &BlockCode, indices: &[usize], len: usize) -> Run<()> {
        let n_limbs = len.div_ceil(64);
        let at = self.base.tables + code.target as usize;
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let done = match holding.get_mut() {
            Some(table) => {
                let form = table.lines_mut(code.line);
                let stride = form.stride().max(1);
                let per_block = (self.parallelism.settings.block_limbs * 4 / stride).max(1);
                let n_touched = indices.len().saturating_mul(n_limbs);
                let work = Lines { view: self.view(code), code, n_limbs, stride, len };
                self.parallelism.chunks(
                    form.storage_mut(),
                    stride * per_block,
                    n_touched,
                    Vec::new,
                    |buffers, block_idx, storage| {
                        let first = block_idx * per_block;
                        let from = indices.partition_point(|&idx| idx < first);
                        let to = indices.partition_point(|&idx| idx < first + per_block);
                        work.run(buffers, storage, first, &indices[from..to]);
                    },
                )
            }
            None => Err(broken("a table that is still shared")),
        };
        self.tables[at].table = holding;
        done
    }

    /// What the lines of a block are combined with.
    fn view<'m>(&'m self, code: &BlockCode) -> View<'m> {
        let outer = code.outer.iter().map(|reg| (*reg, self.bits(*reg).limbs()));
        let others = code.tables.iter().filter(|reg| **reg != code.target);
        let others = others.filter_map(|reg| {
            let table = self.table_slot(*reg).table.get()?;
            Some((*reg, table.lines(code.line)?))
        });
        View { kernels: self.parallelism.kernels, outer: outer.collect(), others: others.collect() }
    }
}

/// What the lines of a block are combined with.
struct View<'m> {
    kernels: Kernels,
    outer: Vec<(Reg, &'m [u64])>,
    others: Vec<(Reg, &'m BitTable)>,
}

impl View<'_> {
    fn outer(&self, reg: Reg) -> &[u64] {
        let found = self.outer.iter().find(|(known, _)| *known == reg);
        found.map_or(&[], |(_, limbs)| limbs)
    }
}

/// Work on the lines of a table.
struct Lines<'m> {
    view: View<'m>,
    code: &'m BlockCode,
    n_limbs: usize,
    stride: usize,
    len: usize,
}

impl Lines<'_> {
    /// Works on the lines `indices` of the block `storage`, whose first line is `first`. `buffers` may hold
    /// anything.
    fn run(&self, buffers: &mut Vec<u64>, storage: &mut [u64], first: usize, indices: &[usize]) {
        let (n, kernels) = (self.n_limbs, self.view.kernels);
        let n_buffers = self.code.n_buffers * indices.len() * n;
        if buffers.len() < n_buffers {
            buffers.resize(n_buffers, 0);
        }
        let place = |buffer: usize, at: usize| (buffer * indices.len() + at) * n;
        for op in &self.code.ops {
            for (at, &idx) in indices.iter().enumerate() {
                let start = (idx - first) * self.stride;
                let line = start..start + n;
                match *op {
                    BlockOp::Load { to, table } => {
                        let to = place(to, at);
                        let others = self.view.others.iter();
                        let from = match others.clone().find(|(reg, _)| *reg == table) {
                            Some((_, form)) => form.column_limbs(idx),
                            None => &storage[line],
                        };
                        buffers[to..to + n].copy_from_slice(from);
                    }
                    BlockOp::Copy { to, from } => {
                        let (to, from) = self.split(buffers, place(to, at), from, at, &place);
                        to.copy_from_slice(from);
                    }
                    BlockOp::Not { to, from } => {
                        let (to, from) = self.split(buffers, place(to, at), from, at, &place);
                        kernels.not(to, from, self.len);
                    }
                    BlockOp::Logic { op, to, left, right } => {
                        let to = place(to, at);
                        let (before, rest) = buffers.split_at_mut(to);
                        let left = self.source(before, left, at, &place);
                        let right = self.source(before, right, at, &place);
                        kernels.logic(op, &mut rest[..n], left, right);
                    }
                    BlockOp::Store { from } => {
                        let from = self.source(buffers, from, at, &place);
                        storage[line].copy_from_slice(from);
                    }
                    BlockOp::Update { op, with } => {
                        kernels.logic_assign(op, &mut storage[line], self.view.outer(with));
                    }
                }
            }
        }
    }

    /// A buffer to be written, and what it takes: buffers are made in order, so that operands lie before.
    fn split<'b>(
        &'b self,
        buffers: &'b mut [u64],
        to: usize,
        from: Source,
        at: usize,
        place: &impl Fn(usize, usize) -> usize,
    ) -> (&'b mut [u64], &'b [u64]) {
        let (before, rest) = buffers.split_at_mut(to);
        (&mut rest[..self.n_limbs], self.source(before, from, at, place))
    }

    fn source<'b>(
        &'b self,
        buffers: &'b [u64],
        from: Source,
        at: usize,
        place: &impl Fn(usize, usize) -> usize,
    ) -> &'b [u64] {
        match from {
            Source::Buffer(buffer) => &buffers[place(buffer, at)..][..self.n_limbs],
            Source::Outer(reg) => self.view.outer(reg),
        }
    }
}
