//! Mapping of variables, operands, labels and locations of statements.

use crate::check::SizeOperand;
use crate::op::Operand;
use crate::program::{LabelId, LocId, VarId};
use crate::stmt::{
    Arg, Block, ForallRange, Part, PartKind, Reduction, Simple, SizeOp, Stmt, StmtKind,
};
use crate::visit;

/// Functions applied to the names in a statement; by default they are unchanged.
pub trait Mapper {
    /// A whole variable that is read.
    fn read(&mut self, _: &mut VarId) {}
    /// A variable of which only the size, or whether it is set, is read.
    fn size(&mut self, _: &mut VarId) {}
    /// A variable that is written, changed, moved or lent.
    fn write(&mut self, _: &mut VarId) {}
    /// A scalar that is read.
    fn operand(&mut self, _: &mut Operand) {}
    /// A label, defined or named.
    fn label(&mut self, _: &mut LabelId) {}
    /// The location of the statement.
    fn location(&mut self, _: &mut LocId) {}
}

/// Maps statements and everything inside them.
pub fn block(block: &mut Block, mapper: &mut impl Mapper) {
    for stmt in block {
        statement(stmt, mapper);
        for inner in visit::blocks_mut(&mut stmt.kind).into_iter().flatten() {
            self::block(inner, mapper);
        }
    }
}

/// Maps a statement without its inner blocks.
pub fn statement(stmt: &mut Stmt, m: &mut impl Mapper) {
    let Stmt { kind, loc } = stmt;
    m.location(loc);
    match kind {
        StmtKind::Simple(simple) => self::simple(simple, m),
        StmtKind::For { label, var, from, to, down: _, body: _ } => {
            m.label(label);
            operands([from, to], m);
            m.write(var);
        }
        StmtKind::While { label, head: _, test, body: _ } => {
            m.label(label);
            m.operand(test);
        }
        StmtKind::Foreach { label, var, over, body: _ } => {
            m.label(label);
            m.read(over);
            m.write(var);
        }
        StmtKind::Forall { label, var, range, writes, privates, reductions, body: _ } => {
            m.label(label);
            match range {
                ForallRange::Range(from, to) => operands([from, to], m),
                ForallRange::Ones(bits) => m.read(bits),
            }
            for Part { var, kind } in writes {
                match kind {
                    PartKind::Field { base, width } => operands([base, width], m),
                    PartKind::Column | PartKind::Row | PartKind::Component => {}
                }
                m.write(var);
            }
            privates.iter_mut().for_each(|var| m.write(var));
            for Reduction { var, op: _ } in reductions {
                m.write(var);
            }
            m.write(var);
        }
        StmtKind::Kernel(kernel) => {
            kernel.vars_mut(&mut |var| m.write(var));
            kernel.guards.iter_mut().for_each(|guard| guard.map(m));
        }
        StmtKind::If { test, then: _, otherwise: _ } => m.operand(test),
        StmtKind::Block { label, body: _ } | StmtKind::Break(label) | StmtKind::Continue(label) => {
            m.label(label);
        }
        StmtKind::Exit => {}
    }
}

fn simple(simple: &mut Simple, m: &mut impl Mapper) {
    match simple {
        Simple::Assign(dst, op) => {
            op.map(m);
            m.write(dst);
        }
        Simple::Step { dst, bits } => {
            m.write(bits);
            m.write(dst);
        }
        Simple::Put { bits, index, bit } => {
            operands([index, bit], m);
            m.write(bits);
        }
        Simple::Replace { word, base, value } => {
            m.operand(base);
            m.read(value);
            m.write(word);
        }
        Simple::PutColumn { table, index, value } | Simple::PutRow { table, index, value } => {
            m.operand(index);
            m.read(value);
            m.write(table);
        }
        Simple::PutBit { table, row, column, bit } => {
            operands([row, column, bit], m);
            m.write(table);
        }
        Simple::PutField { table, base, value } => {
            m.operand(base);
            m.read(value);
            m.write(table);
        }
        Simple::PutHandlePart { handle, part: _, value } => {
            m.read(value);
            m.write(handle);
        }
        Simple::Size(op) => size_op(op, m),
        Simple::Check(check) => check.map(m),
        Simple::Cost { units: _, times } => {
            if let Some(times) = times {
                size_operand(times, m);
            }
        }
        Simple::Call { callee: _, args, dst } => {
            for arg in args {
                match arg {
                    Arg::Value(value) => m.operand(value),
                    Arg::Move(var) | Arg::Ref(var) => m.write(var),
                }
            }
            dst.iter_mut().for_each(|dst| m.write(dst));
        }
        Simple::Print(values) => values.iter_mut().for_each(|item| m.operand(item.operand_mut())),
        Simple::Read { dst, file, layout } => {
            m.operand(file);
            layout.iter_mut().for_each(|layout| m.operand(layout));
            m.write(dst);
        }
        Simple::Write { src, file } => {
            m.read(src);
            m.operand(file);
        }
        Simple::Exchange { word, op: _ } => m.write(word),
        Simple::ExchangeRow { word, table, index, before } => {
            m.read(table);
            m.operand(index);
            m.operand(before);
            m.write(word);
        }
    }
}

/// Maps the measured variable or the number in its place.
pub fn size_operand(of: &mut SizeOperand, m: &mut impl Mapper) {
    match of {
        SizeOperand::Length(v) | SizeOperand::Rows(v) | SizeOperand::Columns(v) => m.size(v),
        SizeOperand::Value(value) => m.operand(value),
    }
}

fn size_op(op: &mut SizeOp, m: &mut impl Mapper) {
    match op {
        SizeOp::Latch { dst: var, size }
        | SizeOp::SetRows { table: var, rows: size }
        | SizeOp::EnsureColumns { table: var, columns: size } => {
            size_operand(size, m);
            m.write(var);
        }
        SizeOp::Init { table, rows, columns } => {
            operands([rows, columns], m);
            m.write(table);
        }
        SizeOp::Adapt { bits, size } | SizeOp::Fix { bits, size } => {
            m.operand(size);
            m.write(bits);
        }
        SizeOp::Unset(var) => m.write(var),
    }
}

fn operands<const N: usize>(operands: [&mut Operand; N], m: &mut impl Mapper) {
    operands.into_iter().for_each(|operand| m.operand(operand));
}
