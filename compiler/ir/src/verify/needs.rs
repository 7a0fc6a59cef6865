//! Rule 12: what each operation needs, and what its result is known to be.

use crate::check::{Check, Measure};
use crate::op::{Op, Operand};
use crate::program::{Ty, VarId};
use crate::stmt::{SizeOp, StmtKind};

/// What has to hold before a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// A guard.
    Check(Check),
    /// A part as wide as the measure lies inside the limit.
    Part {
        /// Number of places to the left.
        base: Operand,
        /// Its width.
        width: Measure,
        /// Size of the whole.
        limit: Measure,
    },
    /// The places `from ..= to` lie inside `size`: a `range` of base `from − 1` and width `to − base`.
    Mask {
        /// Size of the whole.
        size: Operand,
        /// First place.
        from: Operand,
        /// Last place.
        to: Operand,
    },
}

fn same_length(v: VarId, w: VarId) -> Need {
    size(Measure::Length(v), Measure::Length(w))
}

fn size(left: Measure, right: Measure) -> Need {
    Need::Check(Check::Size(left, right))
}

fn index(index: &Operand, limit: Measure) -> Need {
    Need::Check(Check::Index(index.clone(), limit))
}

fn range(base: &Operand, width: &Operand, limit: Measure) -> Need {
    Need::Check(Check::Range { base: base.clone(), width: width.clone(), limit })
}

fn not_negative(value: &Operand) -> Need {
    Need::Check(Check::NotNegative(value.clone()))
}

fn sized(var: VarId) -> Need {
    Need::Check(Check::Sized(var))
}

fn size_known(measure: &Measure) -> Vec<Need> {
    match measure {
        Measure::Length(v) => vec![sized(*v)],
        Measure::Rows(v) => vec![Need::Check(Check::Set(*v))],
        Measure::Columns(_) => Vec::new(),
        Measure::Value(value) => vec![not_negative(value)],
    }
}

/// The guards of an operation, besides its operands being set.
pub(super) fn of_op(op: &Op) -> Vec<Need> {
    match op {
        Op::Int(op, a, b) => vec![Need::Check(Check::Int(*op, a.clone(), b.clone()))],
        Op::Fill(size, _) => vec![not_negative(size)],
        Op::BitsLogic(_, v, w)
        | Op::BitsEqual(v, w)
        | Op::WordCompare(_, v, w)
        | Op::WordAdd(v, w)
        | Op::WordSub(v, w) => vec![same_length(*v, *w)],
        Op::Component(v, i) => vec![index(i, Measure::Length(*v))],
        Op::Mask { size, from, to } => {
            vec![Need::Mask { size: size.clone(), from: from.clone(), to: to.clone() }]
        }
        Op::Shift(_, _, by) => vec![not_negative(by)],
        Op::Shuffle(v) => vec![Need::Check(Check::Even(*v))],
        Op::Trim { word, base, width } => vec![range(base, width, Measure::Length(*word))],
        Op::WordToInt(v) => vec![Need::Check(Check::FitsInt(*v))],
        Op::IntToWord { value, width } => {
            vec![Need::Check(Check::Fits { value: value.clone(), width: width.clone() })]
        }
        Op::Column(table, i) => vec![index(i, Measure::Columns(*table))],
        Op::Row(table, i) => vec![index(i, Measure::Rows(*table))],
        Op::Bit(table, row, column) => {
            vec![index(row, Measure::Rows(*table)), index(column, Measure::Columns(*table))]
        }
        Op::Field { table, base, width } => vec![range(base, width, Measure::Columns(*table))],
        Op::NewTable(rows, columns) => vec![not_negative(rows), not_negative(columns)],
        Op::Extreme { table, mask, sense: _ } => {
            vec![size(Measure::Rows(*table), Measure::Length(*mask))]
        }
        Op::Length(v) => vec![sized(*v)],
        Op::Copy(_)
        | Op::Compare(..)
        | Op::Not(_)
        | Op::Logic(..)
        | Op::Literal(_)
        | Op::BitsNot(_)
        | Op::First(_)
        | Op::Count(_)
        | Op::Some(_)
        | Op::All(_)
        | Op::None(_)
        | Op::Convert(_)
        | Op::KeepFirst(_)
        | Op::Rotate(..)
        | Op::Mirror(_)
        | Op::Rows(_)
        | Op::Columns(_) => Vec::new(),
    }
}

/// The guards of a statement, blocks inside it and operands being set left out.
pub(super) fn of_statement(kind: &StmtKind) -> Vec<Need> {
    match kind {
        StmtKind::Assign(_, op) => of_op(op),
        StmtKind::Put { bits, index: i, bit } => {
            vec![index(i, Measure::Length(*bits)), Need::Check(Check::Bit(bit.clone()))]
        }
        StmtKind::Replace { word, base, value } => vec![Need::Part {
            base: base.clone(),
            width: Measure::Length(*value),
            limit: Measure::Length(*word),
        }],
        StmtKind::PutColumn { table, index: i, value } => vec![
            index(i, Measure::Columns(*table)),
            size(Measure::Rows(*table), Measure::Length(*value)),
        ],
        StmtKind::PutRow { table, index: i, value } => vec![
            index(i, Measure::Rows(*table)),
            size(Measure::Columns(*table), Measure::Length(*value)),
        ],
        StmtKind::PutBit { table, row, column, bit } => vec![
            index(row, Measure::Rows(*table)),
            index(column, Measure::Columns(*table)),
            Need::Check(Check::Bit(bit.clone())),
        ],
        StmtKind::PutField { table, base, value } => vec![
            Need::Part {
                base: base.clone(),
                width: Measure::Columns(*value),
                limit: Measure::Columns(*table),
            },
            size(Measure::Rows(*table), Measure::Rows(*value)),
        ],
        StmtKind::Size(op) => match op {
            SizeOp::Latch { dst: _, size: _ } => Vec::new(),
            SizeOp::SetRows { table: _, rows } => size_known(rows),
            SizeOp::EnsureColumns { table, columns } => {
                let mut needs = vec![Need::Check(Check::Set(*table))];
                match columns {
                    Measure::Value(_) => {}
                    Measure::Length(_) | Measure::Rows(_) | Measure::Columns(_) => {
                        needs.extend(size_known(columns));
                    }
                }
                needs
            }
            SizeOp::Init { table: _, rows, columns } => {
                vec![not_negative(rows), not_negative(columns)]
            }
            SizeOp::Adapt { bits: _, size: _ } => Vec::new(),
            SizeOp::Fix { bits: _, size } => vec![not_negative(size)],
        },
        StmtKind::Check(Check::NoCarry(_, v, w)) => vec![same_length(*v, *w)],
        StmtKind::Check(_)
        | StmtKind::Step { .. }
        | StmtKind::Cost { .. }
        | StmtKind::Call { .. }
        | StmtKind::Print(_)
        | StmtKind::Read { .. }
        | StmtKind::Write { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::Foreach { .. }
        | StmtKind::Forall { .. }
        | StmtKind::Tile { .. }
        | StmtKind::If { .. }
        | StmtKind::Block { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Exit => Vec::new(),
    }
}

/// Sizes of the result (or the integer itself) and what they are equal to before the assignment.
pub(super) fn sizes(dst: VarId, dst_ty: Ty, op: &Op) -> Vec<(Measure, Measure)> {
    let length = |of: Measure| vec![(Measure::Length(dst), of)];
    let table = |rows: Measure, columns: Measure| {
        vec![(Measure::Rows(dst), rows), (Measure::Columns(dst), columns)]
    };
    let integer = |of: Measure| vec![(Measure::Value(Operand::Var(dst)), of)];
    match op {
        Op::Copy(value) => match (dst_ty, value) {
            (Ty::Int, _) => integer(Measure::Value(value.clone())),
            (Ty::Slice(_) | Ty::Word(_), Operand::Var(v)) => length(Measure::Length(*v)),
            (Ty::Table(..), Operand::Var(v)) => table(Measure::Rows(*v), Measure::Columns(*v)),
            (Ty::Bool | Ty::Str | Ty::Handle | Ty::Slice(_) | Ty::Word(_) | Ty::Table(..), _) => {
                Vec::new()
            }
        },
        Op::Fill(size, _) | Op::Mask { size, .. } => length(Measure::Value(size.clone())),
        Op::Literal(bits) => match i64::try_from(bits.len()) {
            Ok(n) => length(Measure::Value(Operand::Int(n))),
            Err(_) => Vec::new(),
        },
        Op::BitsNot(v)
        | Op::Convert(v)
        | Op::KeepFirst(v)
        | Op::Shift(v, ..)
        | Op::Rotate(v, _)
        | Op::Mirror(v)
        | Op::Shuffle(v) => length(Measure::Length(*v)),
        Op::BitsLogic(_, v, w) | Op::WordAdd(v, w) | Op::WordSub(v, w) => vec![
            (Measure::Length(dst), Measure::Length(*v)),
            (Measure::Length(dst), Measure::Length(*w)),
        ],
        Op::Trim { width, .. } | Op::IntToWord { width, .. } => {
            length(Measure::Value(width.clone()))
        }
        Op::Column(t, _) => length(Measure::Rows(*t)),
        Op::Row(t, _) => length(Measure::Columns(*t)),
        Op::Field { table: t, width, .. } => {
            table(Measure::Rows(*t), Measure::Value(width.clone()))
        }
        Op::NewTable(rows, columns) => {
            table(Measure::Value(rows.clone()), Measure::Value(columns.clone()))
        }
        Op::Extreme { table, mask, .. } => vec![
            (Measure::Length(dst), Measure::Length(*mask)),
            (Measure::Length(dst), Measure::Rows(*table)),
        ],
        Op::Length(v) => integer(Measure::Length(*v)),
        Op::Rows(t) => integer(Measure::Rows(*t)),
        Op::Columns(t) => integer(Measure::Columns(*t)),
        Op::Int(..)
        | Op::Compare(..)
        | Op::Not(_)
        | Op::Logic(..)
        | Op::BitsEqual(..)
        | Op::Component(..)
        | Op::First(_)
        | Op::Count(_)
        | Op::Some(_)
        | Op::All(_)
        | Op::None(_)
        | Op::WordCompare(..)
        | Op::WordToInt(_)
        | Op::Bit(..) => Vec::new(),
    }
}
