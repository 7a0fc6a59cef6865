//! Which bodies run over blocks, and what becomes of them.

use std::collections::HashMap;

use star_ir::{
    Block, Check, ForallRange, Op, Operand, Part, PartKind, SizeOperand, StmtKind, VarId,
};

use super::super::code::{Number, Reg, RegRef, Size, Test};
use super::super::table::Line;
use super::{BlockCode, BlockOp, LineSize, Source};

/// How the compiler names registers, numbers and guards.
pub(in crate::cpu) trait Names {
    fn reg(&self, var: VarId) -> Reg;
    fn place(&self, var: VarId) -> RegRef;
    fn number(&mut self, operand: &Operand) -> Number;
    fn test(&mut self, check: &Check) -> Test;
    fn size(&mut self, measure: &SizeOperand) -> Size;
}

/// Compiles a body, if it is one for blocks: `writes` is what its iterations write.
pub(in crate::cpu) fn compile(
    names: &mut impl Names,
    var: VarId,
    range: &ForallRange,
    writes: &[Part],
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
        if let StmtKind::Cost { units, times: None } = kind {
            self.code.cost = self.code.cost.checked_add(*units)?;
        } else if let StmtKind::Check(check) = kind {
            self.check(check)?;
        } else if let StmtKind::Assign(dst, op) = kind {
            let op = self.op(*dst, op)?;
            self.code.ops.push(op);
        } else if let (Line::Row, StmtKind::PutRow { table, index, value })
        | (Line::Column, StmtKind::PutColumn { table, index, value }) =
            (self.code.line, kind)
        {
            self.store(*table, index, *value)?;
        } else {
            return None;
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
        if let Check::Set(var) | Check::Sized(var) = check
            && self.buffers.contains_key(var)
        {
            return Some(());
        }
        if let Check::Set(var) = check {
            // What is used from outside is tested in any case.
            if self.names.place(*var).table().is_some() {
                self.table(*var);
            } else {
                self.source(*var)?;
            }
            return Some(());
        }
        if let Check::Index(Operand::Var(index), limit) = check
            && *index == self.var
            && let (SizeOperand::Rows(table), Line::Row)
            | (SizeOperand::Columns(table), Line::Column) = (limit, self.code.line)
        {
            self.table(*table);
            return Some(());
        }
        if let Check::Size(left, right) = check {
            let sizes = (self.size(left)?, self.size(right)?);
            self.code.sizes.push(sizes);
            return Some(());
        }
        None
    }

    fn size(&mut self, measure: &SizeOperand) -> Option<LineSize> {
        match measure {
            SizeOperand::Length(var) if self.buffers.contains_key(var) => Some(LineSize::Line),
            SizeOperand::Length(var) if self.privates.contains(var) => None,
            SizeOperand::Value(Operand::Var(var))
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
        if self.privates.contains(&var) || self.names.place(var).bits().is_none() {
            return None;
        }
        let reg = self.names.reg(var);
        if !self.code.outer.contains(&reg) {
            self.code.outer.push(reg);
        }
        Some(Source::Outer(reg))
    }

    fn op(&mut self, dst: VarId, op: &Op) -> Option<BlockOp> {
        if !self.privates.contains(&dst) || self.names.place(dst).bits().is_none() {
            return None;
        }
        let own = Operand::Var(self.var);
        if let (Line::Row, Op::Row(table, index)) | (Line::Column, Op::Column(table, index)) =
            (self.code.line, op)
            && *index == own
        {
            let table = self.table(*table);
            return Some(BlockOp::Load { to: self.buffer(dst), table });
        }
        if let Op::Copy(Operand::Var(from)) = op {
            let from = self.source(*from)?;
            return Some(BlockOp::Copy { to: self.buffer(dst), from });
        }
        if let Op::BitsNot(from) = op {
            let from = self.source(*from)?;
            return Some(BlockOp::Not { to: self.buffer(dst), from });
        }
        if let Op::BitsLogic(op, left, right) = op {
            let (left, right) = (self.source(*left)?, self.source(*right)?);
            return Some(BlockOp::Logic { op: *op, to: self.buffer(dst), left, right });
        }
        None
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
