//! Two-dimensional blocks: a `forall` over rows or columns of one table, many of them at a time.
//!
//! Note [Blocks]. A body that loads lines of its own index, combines them with each other and with slices
//! or words from outside, and stores one, needs no registers: its instructions run over a block of lines,
//! each of them as a loop over the block, so that they are looked at once per block. Before anything
//! changes, every guard is tested for all iterations at once; if one would fail, or a table does not
//! lie in the form that is needed, the loop runs as it is written.

use std::collections::HashMap;

use star_ir::{
    Block, Check, ForallRange, LogicOp, Measure, Op, Operand, PartKind, StmtKind, VarId,
};

use super::code::{Forall, Place, Range, Reg, Size};
use super::machine::Machine;
use super::table::Line;
use crate::kernels::Kernels;
use crate::stop::{Step, broken};

/// A body that runs over blocks.
#[derive(Clone, Debug)]
pub(super) struct BlockCode {
    line: Line,
    /// The table that is written.
    target: Reg,
    ops: Vec<BlockOp>,
    n_buffers: usize,
    /// Tables whose lines are indexed, and slices and words from outside.
    tables: Vec<Reg>,
    outer: Vec<Reg>,
    sizes: Vec<(LineSize, LineSize)>,
    /// Elementary operations of an iteration.
    cost: u64,
}

/// What is done to every line of a block.
#[derive(Clone, Copy, Debug)]
enum BlockOp {
    /// A buffer takes the line of a table.
    Load {
        to: usize,
        table: Reg,
    },
    Copy {
        to: usize,
        from: Source,
    },
    Not {
        to: usize,
        from: Source,
    },
    Logic {
        op: LogicOp,
        to: usize,
        left: Source,
        right: Source,
    },
    /// The line of the target takes bits.
    Store {
        from: Source,
    },
    /// The line of the target takes itself combined with bits from outside.
    Update {
        op: LogicOp,
        with: Reg,
    },
}

/// Where bits come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The line's own.
    Buffer(usize),
    /// A slice or word that is the same for all lines.
    Outer(Reg),
}

/// A size in a guard: that of a line, or one from outside.
#[derive(Clone, Copy, Debug)]
enum LineSize {
    Line,
    Outer(Size),
}

/// How the compiler names registers and numbers.
pub(super) trait Names {
    fn reg(&self, var: VarId) -> Reg;
    fn is_bits(&self, var: VarId) -> bool;
    fn is_table(&self, var: VarId) -> bool;
    fn size(&mut self, measure: &Measure) -> Size;
}

/// Compiles a body, if it is one for blocks: `writes` is what its iterations write.
pub(super) fn compile(
    names: &mut impl Names,
    var: VarId,
    range: &ForallRange,
    writes: &[star_ir::Part],
    privates: &[VarId],
    body: &Block,
) -> Option<BlockCode> {
    let [part] = writes else { return None };
    let line = match part.kind {
        PartKind::Row => Line::Row,
        PartKind::Column => Line::Column,
        PartKind::Field(_) | PartKind::Component => return None,
    };
    if let ForallRange::Ones(over) = range
        && *over == part.var
    {
        return None;
    }
    let mut code = BlockCode {
        line,
        target: names.reg(part.var),
        ops: Vec::new(),
        n_buffers: 0,
        tables: vec![names.reg(part.var)],
        outer: Vec::new(),
        sizes: Vec::new(),
        cost: 0,
    };
    let mut maker =
        Maker { names, code: &mut code, target: part.var, var, privates, buffers: HashMap::new() };
    for stmt in body {
        maker.stmt(&stmt.kind)?;
    }
    code.ops.iter().any(|op| matches!(op, BlockOp::Store { .. })).then_some(())?;
    code.update();
    Some(code)
}

struct Maker<'a, N> {
    names: &'a mut N,
    code: &'a mut BlockCode,
    target: VarId,
    var: VarId,
    privates: &'a [VarId],
    /// The buffer of each private variable that was set.
    buffers: HashMap<VarId, usize>,
}

impl<N: Names> Maker<'_, N> {
    fn stmt(&mut self, kind: &StmtKind) -> Option<()> {
        match kind {
            StmtKind::Cost { units, times: None } => {
                self.code.cost = self.code.cost.checked_add(*units)?;
            }
            StmtKind::Check(check) => self.check(check)?,
            StmtKind::Assign(dst, op) => {
                let op = self.op(*dst, op)?;
                self.code.ops.push(op);
            }
            StmtKind::PutRow { table, index, value } if self.code.line == Line::Row => {
                self.store(*table, index, *value)?;
            }
            StmtKind::PutColumn { table, index, value } if self.code.line == Line::Column => {
                self.store(*table, index, *value)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn store(&mut self, table: VarId, index: &Operand, value: VarId) -> Option<()> {
        if table != self.target || *index != Operand::Var(self.var) {
            return None;
        }
        let from = self.source(value)?;
        self.code.ops.push(BlockOp::Store { from });
        Some(())
    }

    /// The guards that hold for all iterations if they hold for the least and the greatest index.
    fn check(&mut self, check: &Check) -> Option<()> {
        match check {
            Check::Set(var) | Check::Sized(var) if self.buffers.contains_key(var) => Some(()),
            // What is used from outside is tested in any case.
            Check::Set(var) if self.names.is_bits(*var) => self.source(*var).map(|_| ()),
            Check::Set(var) if self.names.is_table(*var) => {
                self.table(*var);
                Some(())
            }
            Check::Index(Operand::Var(index), limit) if *index == self.var => {
                match (limit, self.code.line) {
                    (Measure::Rows(table), Line::Row) | (Measure::Columns(table), Line::Column) => {
                        self.table(*table);
                        Some(())
                    }
                    _ => None,
                }
            }
            Check::Size(left, right) => {
                let sizes = (self.size(left)?, self.size(right)?);
                self.code.sizes.push(sizes);
                Some(())
            }
            _ => None,
        }
    }

    fn size(&mut self, measure: &Measure) -> Option<LineSize> {
        match measure {
            Measure::Length(var) if self.buffers.contains_key(var) => Some(LineSize::Line),
            Measure::Length(var) if self.privates.contains(var) => None,
            Measure::Value(Operand::Var(var))
                if *var == self.var || self.privates.contains(var) =>
            {
                None
            }
            measure => Some(LineSize::Outer(self.names.size(measure))),
        }
    }

    fn table(&mut self, table: VarId) -> Reg {
        let reg = self.names.reg(table);
        if !self.code.tables.contains(&reg) {
            self.code.tables.push(reg);
        }
        reg
    }

    fn source(&mut self, var: VarId) -> Option<Source> {
        if let Some(buffer) = self.buffers.get(&var) {
            return Some(Source::Buffer(*buffer));
        }
        if self.privates.contains(&var) || !self.names.is_bits(var) {
            return None;
        }
        let reg = self.names.reg(var);
        if !self.code.outer.contains(&reg) {
            self.code.outer.push(reg);
        }
        Some(Source::Outer(reg))
    }

    fn op(&mut self, dst: VarId, op: &Op) -> Option<BlockOp> {
        if !self.privates.contains(&dst) || !self.names.is_bits(dst) {
            return None;
        }
        let own = Operand::Var(self.var);
        Some(match op {
            Op::Row(table, index) if self.code.line == Line::Row && *index == own => {
                let table = self.table(*table);
                BlockOp::Load { to: self.buffer(dst), table }
            }
            Op::Column(table, index) if self.code.line == Line::Column && *index == own => {
                let table = self.table(*table);
                BlockOp::Load { to: self.buffer(dst), table }
            }
            Op::Copy(Operand::Var(from)) => {
                let from = self.source(*from)?;
                BlockOp::Copy { to: self.buffer(dst), from }
            }
            Op::BitsNot(from) => {
                let from = self.source(*from)?;
                BlockOp::Not { to: self.buffer(dst), from }
            }
            Op::BitsLogic(op, left, right) => {
                let (left, right) = (self.source(*left)?, self.source(*right)?);
                BlockOp::Logic { op: *op, to: self.buffer(dst), left, right }
            }
            _ => return None,
        })
    }

    /// The buffer of a private variable; each assignment has one of its own, so that no operation
    /// writes its operand.
    fn buffer(&mut self, var: VarId) -> usize {
        let buffer = self.code.n_buffers;
        self.code.n_buffers += 1;
        self.buffers.insert(var, buffer);
        buffer
    }
}

impl BlockCode {
    /// A line that is loaded, combined with bits from outside and stored changes where it lies.
    fn update(&mut self) {
        if let [
            BlockOp::Load { to: loaded, table },
            BlockOp::Logic { op, to, left, right },
            BlockOp::Store { from: Source::Buffer(stored) },
        ] = self.ops[..]
            && table == self.target
            && stored == to
        {
            let with = match (left, right) {
                (Source::Buffer(own), Source::Outer(with))
                | (Source::Outer(with), Source::Buffer(own))
                    if own == loaded =>
                {
                    with
                }
                _ => return,
            };
            self.ops = vec![BlockOp::Update { op, with }];
            self.n_buffers = 0;
        }
    }
}

impl Machine<'_, '_, '_> {
    /// Runs all iterations, if that can be done in blocks; otherwise nothing has happened.
    pub(super) fn run_block(&mut self, code: &BlockCode, forall: &Forall) -> Step<bool> {
        // Steps are counted one by one where they are limited.
        if self.has_step_limit() {
            return Ok(false);
        }
        let Some(indices) = self.line_indices(code, forall.range)? else { return Ok(false) };
        let n_turns = indices.len() as u64;
        let len = self.line_length(code);
        if indices.is_empty() || !self.block_is_ready(code, len)? {
            return Ok(false);
        }
        self.update_lines(code, &indices, len)?;
        self.count_block(n_turns, code.cost);
        for private in &forall.privates {
            self.unset(*private);
        }
        self.unset(Place::Int(forall.var));
        Ok(true)
    }

    /// The indices of the iterations, ascending from 0; `None` if one is no line.
    fn line_indices(&self, code: &BlockCode, range: Range) -> Step<Option<Vec<usize>>> {
        let n_lines = match self.size(lines(code)) {
            Some(n_lines) => n_lines as i64,
            None => return Ok(None),
        };
        match range {
            Range::Numbers(from, to) => {
                let (from, to) = (self.number(from), self.number(to));
                let inside = from >= 1 && to <= n_lines;
                Ok(inside.then(|| (from..=to).map(|index| index as usize - 1).collect()))
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
                Ok(inside.then_some(indices))
            }
        }
    }

    /// Components of a line.
    fn line_length(&self, code: &BlockCode) -> usize {
        let across = match code.line {
            Line::Row => Size::Columns(code.target),
            Line::Column => Size::Rows(code.target),
        };
        self.size(across).unwrap_or(0) as usize
    }

    /// Would every guard hold in every iteration, and does every table lie as it is needed?
    fn block_is_ready(&mut self, code: &BlockCode, len: usize) -> Step<bool> {
        let target = self.table(code.target)?;
        let shape = (target.n_rows(), target.n_cols());
        for reg in &code.tables {
            let table = self.table_slot(*reg).table.get();
            let fits = table.is_some_and(|table| (table.n_rows(), table.n_cols()) == shape);
            if !fits || (*reg != code.target && !table.is_some_and(|table| table.has(code.line))) {
                return Ok(false);
            }
        }
        for reg in &code.outer {
            let slot = self.bits_slot(*reg);
            if !slot.is_set || slot.bits.len() != len {
                return Ok(false);
            }
        }
        for (left, right) in &code.sizes {
            let size = |size: &LineSize| match size {
                LineSize::Line => Some(len as u64),
                LineSize::Outer(size) => self.size(*size),
            };
            if size(left).is_none() || size(left) != size(right) {
                return Ok(false);
            }
        }
        self.own_lines(code.target, code.line)
    }

    /// Works on the lines of the target, block by block.
    fn update_lines(&mut self, code: &BlockCode, indices: &[usize], len: usize) -> Step<()> {
        let n_limbs = len.div_ceil(64);
        let at = self.base.tables + code.target as usize;
        let mut holding = std::mem::take(&mut self.tables[at].table);
        let done = match holding.get_mut() {
            Some(table) => {
                let form = table.lines_mut(code.line);
                let stride = form.stride().max(1);
                let per_block = (self.spread.settings.block_limbs * 4 / stride).max(1);
                let n_touched = indices.len().saturating_mul(n_limbs);
                let work = Lines { machine: self.view(code), code, n_limbs, stride, len };
                self.spread.chunks(
                    form.storage_mut(),
                    stride * per_block,
                    n_touched,
                    |block_idx, storage| {
                        let first = block_idx * per_block;
                        let from = indices.partition_point(|&idx| idx < first);
                        let to = indices.partition_point(|&idx| idx < first + per_block);
                        work.run(storage, first, &indices[from..to]);
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
        View { kernels: self.spread.kernels, outer: outer.collect(), others: others.collect() }
    }
}

/// What the lines of a block are combined with.
struct View<'m> {
    kernels: Kernels,
    outer: Vec<(Reg, &'m [u64])>,
    others: Vec<(Reg, &'m star_base::BitTable)>,
}

impl View<'_> {
    fn outer(&self, reg: Reg) -> &[u64] {
        let found = self.outer.iter().find(|(known, _)| *known == reg);
        found.map_or(&[], |(_, limbs)| limbs)
    }
}

/// Work on the lines of a table.
struct Lines<'m> {
    machine: View<'m>,
    code: &'m BlockCode,
    n_limbs: usize,
    stride: usize,
    len: usize,
}

impl Lines<'_> {
    /// Works on the lines `indices` of the block `storage`, whose first line is `first`.
    fn run(&self, storage: &mut [u64], first: usize, indices: &[usize]) {
        let (n, kernels) = (self.n_limbs, self.machine.kernels);
        let mut buffers = vec![0; self.code.n_buffers * indices.len() * n];
        let place = |buffer: usize, at: usize| (buffer * indices.len() + at) * n;
        for op in &self.code.ops {
            for (at, &idx) in indices.iter().enumerate() {
                let start = (idx - first) * self.stride;
                let line = start..start + n;
                match *op {
                    BlockOp::Load { to, table } => {
                        let to = place(to, at);
                        let others = self.machine.others.iter();
                        let from = match others.clone().find(|(reg, _)| *reg == table) {
                            Some((_, form)) => form.column_limbs(idx),
                            None => &storage[line],
                        };
                        buffers[to..to + n].copy_from_slice(from);
                    }
                    BlockOp::Copy { to, from } => {
                        let (to, from) = self.split(&mut buffers, place(to, at), from, at, &place);
                        to.copy_from_slice(from);
                    }
                    BlockOp::Not { to, from } => {
                        let (to, from) = self.split(&mut buffers, place(to, at), from, at, &place);
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
                        let from = self.source(&buffers, from, at, &place);
                        storage[line].copy_from_slice(from);
                    }
                    BlockOp::Update { op, with } => {
                        kernels.logic_assign(op, &mut storage[line], self.machine.outer(with));
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
            Source::Outer(reg) => self.machine.outer(reg),
        }
    }
}

/// How many lines the target has.
fn lines(code: &BlockCode) -> Size {
    match code.line {
        Line::Row => Size::Rows(code.target),
        Line::Column => Size::Columns(code.target),
    }
}
