//! Rule 12: the requirements of each operation and the known sizes of its result.

use crate::check::{Check, SizeOperand};
use crate::op::{Op, Operand};
use crate::program::{Ty, VarId};
use crate::stmt::{Simple, SizeOp, StmtKind};
use crate::table::Gives;
use crate::visit::{self, Access};

/// A precondition of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// A guard.
    Check(Check),
    /// A part as wide as the measure is inside the limit.
    Part {
        /// Number of components to the left.
        base: Operand,
        /// Its width.
        width: SizeOperand,
        /// Size of the whole.
        limit: SizeOperand,
    },
    /// The components `from ..= to` are inside `size`: a `range` of base `from − 1` and width `to −
    /// base`.
    Mask {
        /// Size of the whole.
        size: Operand,
        /// First component.
        from: Operand,
        /// Last component.
        to: Operand,
    },
}

impl Requirement {
    /// Calls `f` for every variable that it mentions.
    pub(crate) fn accesses(&self, f: &mut impl FnMut(VarId)) {
        let mut operand = |operand: &Operand| match operand {
            Operand::Var(var) => f(*var),
            Operand::Int(_) | Operand::Bool(_) | Operand::Str(_) => {}
        };
        match self {
            Requirement::Check(check) => visit::check_accesses(check, &mut |var, _| f(var)),
            Requirement::Part { base, width, limit } => {
                operand(base);
                for size in [width, limit] {
                    match size {
                        SizeOperand::Length(v) | SizeOperand::Rows(v) | SizeOperand::Columns(v) => {
                            f(*v);
                        }
                        SizeOperand::Value(Operand::Var(v)) => f(*v),
                        SizeOperand::Value(
                            Operand::Int(_) | Operand::Bool(_) | Operand::Str(_),
                        ) => {}
                    }
                }
            }
            Requirement::Mask { size, from, to } => {
                operand(size);
                operand(from);
                operand(to);
            }
        }
    }
}

fn same_length(v: VarId, w: VarId) -> Requirement {
    size(SizeOperand::Length(v), SizeOperand::Length(w))
}

fn size(left: SizeOperand, right: SizeOperand) -> Requirement {
    Requirement::Check(Check::Size(left, right))
}

fn index(index: &Operand, limit: SizeOperand) -> Requirement {
    Requirement::Check(Check::Index(index.clone(), limit))
}

fn range(base: &Operand, width: &Operand, limit: SizeOperand) -> Requirement {
    Requirement::Check(Check::Range { base: base.clone(), width: width.clone(), limit })
}

fn not_negative(value: &Operand) -> Requirement {
    Requirement::Check(Check::NotNegative(value.clone()))
}

fn sized(var: VarId) -> Requirement {
    Requirement::Check(Check::Sized(var))
}

fn size_known(measure: &SizeOperand) -> Vec<Requirement> {
    match measure {
        SizeOperand::Length(v) => vec![sized(*v)],
        SizeOperand::Rows(v) => vec![Requirement::Check(Check::Set(*v))],
        SizeOperand::Columns(_) => Vec::new(),
        SizeOperand::Value(value) => vec![not_negative(value)],
    }
}

/// Returns the guards of an operation, except that its operands are set.
pub(crate) fn of_op(op: &Op) -> Vec<Requirement> {
    match op {
        Op::Int(op, a, b) => vec![Requirement::Check(Check::Int(*op, a.clone(), b.clone()))],
        Op::Fill(size, _) => vec![not_negative(size)],
        Op::BitsLogic(_, v, w)
        | Op::BitsEqual(v, w)
        | Op::WordCompare(_, v, w)
        | Op::WordAdd(v, w)
        | Op::WordSub(v, w) => vec![same_length(*v, *w)],
        Op::Component(v, i) => vec![index(i, SizeOperand::Length(*v))],
        Op::Mask { size, from, to } => {
            vec![Requirement::Mask { size: size.clone(), from: from.clone(), to: to.clone() }]
        }
        Op::Shift(_, _, by) => vec![not_negative(by)],
        Op::Shuffle(v) => vec![Requirement::Check(Check::Even(*v))],
        Op::Trim { word, base, width } => vec![range(base, width, SizeOperand::Length(*word))],
        Op::WordToInt(v) => vec![Requirement::Check(Check::FitsInt(*v))],
        Op::IntToWord { value, width } => {
            vec![Requirement::Check(Check::Fits { value: value.clone(), width: width.clone() })]
        }
        Op::Column(table, i) => vec![index(i, SizeOperand::Columns(*table))],
        Op::Row(table, i) => vec![index(i, SizeOperand::Rows(*table))],
        Op::Bit(table, row, column) => {
            vec![index(row, SizeOperand::Rows(*table)), index(column, SizeOperand::Columns(*table))]
        }
        Op::Field { table, base, width } => vec![range(base, width, SizeOperand::Columns(*table))],
        Op::NewTable(rows, columns) => vec![not_negative(rows), not_negative(columns)],
        Op::Extreme { table, mask, sense: _ } => {
            vec![size(SizeOperand::Rows(*table), SizeOperand::Length(*mask))]
        }
        Op::Length(v) => vec![sized(*v)],
        Op::HandlePart(v, part) => vec![Requirement::Check(Check::HandlePart(*v, part.clone()))],
        Op::Copy(_)
        | Op::Compare(..)
        | Op::Not(_)
        | Op::Logic(..)
        | Op::Literal(_)
        | Op::BitsNot(_)
        | Op::Query(..)
        | Op::Convert(_)
        | Op::KeepFirst(_)
        | Op::Rotate(..)
        | Op::Mirror(_)
        | Op::Rows(_)
        | Op::Columns(_) => Vec::new(),
    }
}

/// Returns the guards of a statement, without its inner blocks and without its operands being set.
pub(crate) fn of_statement(kind: &StmtKind) -> Vec<Requirement> {
    let StmtKind::Simple(simple) = kind else { return Vec::new() };
    match simple {
        Simple::Assign(_, op) => of_op(op),
        Simple::Put { bits, index: i, bit } => {
            vec![index(i, SizeOperand::Length(*bits)), Requirement::Check(Check::Bit(bit.clone()))]
        }
        Simple::Replace { word, base, value } => vec![Requirement::Part {
            base: base.clone(),
            width: SizeOperand::Length(*value),
            limit: SizeOperand::Length(*word),
        }],
        Simple::PutColumn { table, index: i, value } => vec![
            index(i, SizeOperand::Columns(*table)),
            size(SizeOperand::Rows(*table), SizeOperand::Length(*value)),
        ],
        Simple::PutRow { table, index: i, value } => vec![
            index(i, SizeOperand::Rows(*table)),
            size(SizeOperand::Columns(*table), SizeOperand::Length(*value)),
        ],
        Simple::PutBit { table, row, column, bit } => vec![
            index(row, SizeOperand::Rows(*table)),
            index(column, SizeOperand::Columns(*table)),
            Requirement::Check(Check::Bit(bit.clone())),
        ],
        Simple::PutField { table, base, value } => vec![
            Requirement::Part {
                base: base.clone(),
                width: SizeOperand::Columns(*value),
                limit: SizeOperand::Columns(*table),
            },
            size(SizeOperand::Rows(*table), SizeOperand::Rows(*value)),
        ],
        Simple::Size(op) => match op {
            SizeOp::Latch { dst: _, size: _ } => Vec::new(),
            SizeOp::SetRows { table: _, rows } => size_known(rows),
            SizeOp::EnsureColumns { table, columns } => {
                let mut needs = vec![Requirement::Check(Check::Set(*table))];
                match columns {
                    SizeOperand::Value(_) => {}
                    SizeOperand::Length(_) | SizeOperand::Rows(_) | SizeOperand::Columns(_) => {
                        needs.extend(size_known(columns));
                    }
                }
                needs
            }
            SizeOp::Init { table: _, rows, columns } => {
                vec![not_negative(rows), not_negative(columns)]
            }
            SizeOp::Adapt { bits: _, size: _ } | SizeOp::Unset(_) => Vec::new(),
            SizeOp::Fix { bits: _, size } => vec![not_negative(size)],
        },
        Simple::Check(Check::NoCarry(_, v, w)) => vec![same_length(*v, *w)],
        Simple::Check(_)
        | Simple::Step { .. }
        | Simple::PutHandlePart { .. }
        | Simple::Cost { .. }
        | Simple::Call { .. }
        | Simple::Print(_)
        | Simple::Read { .. }
        | Simple::Write { .. }
        | Simple::Exchange { .. }
        | Simple::ExchangeRow { .. } => Vec::new(),
    }
}

/// Returns the sizes of the result (or the integer itself) and what they are equal to before the
/// assignment.
pub fn sizes(dst: VarId, dst_ty: Ty, op: &Op) -> Vec<(SizeOperand, SizeOperand)> {
    let length = |of: SizeOperand| vec![(SizeOperand::Length(dst), of)];
    let table = |rows: SizeOperand, columns: SizeOperand| {
        vec![(SizeOperand::Rows(dst), rows), (SizeOperand::Columns(dst), columns)]
    };
    let integer = |of: SizeOperand| vec![(SizeOperand::Value(Operand::Var(dst)), of)];
    match op {
        Op::Copy(value) => match (dst_ty, value) {
            (Ty::Int, _) => integer(SizeOperand::Value(value.clone())),
            (Ty::Slice(_) | Ty::Word(_), Operand::Var(v)) => length(SizeOperand::Length(*v)),
            (Ty::Table(..), Operand::Var(v)) => {
                table(SizeOperand::Rows(*v), SizeOperand::Columns(*v))
            }
            (Ty::Bool | Ty::Str | Ty::Handle | Ty::Slice(_) | Ty::Word(_) | Ty::Table(..), _) => {
                Vec::new()
            }
        },
        Op::Fill(size, _) | Op::Mask { size, .. } => length(SizeOperand::Value(size.clone())),
        Op::Literal(bits) => match i64::try_from(bits.len()) {
            Ok(n) => length(SizeOperand::Value(Operand::Int(n))),
            Err(_) => Vec::new(),
        },
        Op::BitsLogic(_, v, w) | Op::WordAdd(v, w) | Op::WordSub(v, w) => vec![
            (SizeOperand::Length(dst), SizeOperand::Length(*v)),
            (SizeOperand::Length(dst), SizeOperand::Length(*w)),
        ],
        Op::Trim { width, .. } | Op::IntToWord { width, .. } => {
            length(SizeOperand::Value(width.clone()))
        }
        Op::Column(t, _) => length(SizeOperand::Rows(*t)),
        Op::Row(t, _) => length(SizeOperand::Columns(*t)),
        Op::Field { table: t, width, .. } => {
            table(SizeOperand::Rows(*t), SizeOperand::Value(width.clone()))
        }
        Op::NewTable(rows, columns) => {
            table(SizeOperand::Value(rows.clone()), SizeOperand::Value(columns.clone()))
        }
        Op::Extreme { table, mask, .. } => vec![
            (SizeOperand::Length(dst), SizeOperand::Length(*mask)),
            (SizeOperand::Length(dst), SizeOperand::Rows(*table)),
        ],
        Op::Length(v) => integer(SizeOperand::Length(*v)),
        Op::Rows(t) => integer(SizeOperand::Rows(*t)),
        Op::Columns(t) => integer(SizeOperand::Columns(*t)),
        _ => match (op.gives(), first_read(op)) {
            (Gives::Alike | Gives::OtherBits, Some(bits)) => length(SizeOperand::Length(bits)),
            _ => Vec::new(),
        },
    }
}

/// Returns the first variable whose value the operation reads.
fn first_read(op: &Op) -> Option<VarId> {
    let mut first = None;
    visit::op_accesses(op, &mut |var, access| {
        if access == Access::Read {
            first = first.or(Some(var));
        }
    });
    first
}
