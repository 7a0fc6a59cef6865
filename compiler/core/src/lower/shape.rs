//! The built-ins that are values, and their shape: every new built-in must be added here.

use star_base::Builtin;
use star_ir::{IntOp, Op, Query, Relation, VarId};

/// The shape of a built-in in an expression.
pub(super) enum Shape {
    /// A number or truth value.
    Scalar(Scalar),
    /// A slice or word.
    Bits(Bits),
    /// A statement, or an expression with its own HIR variant.
    Other,
}

/// A number or truth value computed from a slice or word.
pub(super) enum Scalar {
    Query(Query),
    Length,
    Compare(Relation),
    ToInt,
}

/// A slice or word computed from another one, or from a number.
pub(super) enum Bits {
    /// One operand and no guard.
    Plain(fn(VarId) -> Op),
    Shuffle,
    Rotate,
    Mask,
    Trim,
    Sum(IntOp),
    FromInt,
}

pub(super) fn shape(builtin: Builtin) -> Shape {
    match builtin {
        Builtin::Fnd => Shape::Scalar(Scalar::Query(Query::First)),
        Builtin::Numb => Shape::Scalar(Scalar::Query(Query::Count)),
        Builtin::Some => Shape::Scalar(Scalar::Query(Query::Any)),
        Builtin::One => Shape::Scalar(Scalar::Query(Query::All)),
        Builtin::Zero => Shape::Scalar(Scalar::Query(Query::None)),
        Builtin::Length => Shape::Scalar(Scalar::Length),
        Builtin::Eq => Shape::Scalar(Scalar::Compare(Relation::Eq)),
        Builtin::NotEq => Shape::Scalar(Scalar::Compare(Relation::Ne)),
        Builtin::Less => Shape::Scalar(Scalar::Compare(Relation::Lt)),
        Builtin::LessEq => Shape::Scalar(Scalar::Compare(Relation::Le)),
        Builtin::Great => Shape::Scalar(Scalar::Compare(Relation::Gt)),
        Builtin::GreatEq => Shape::Scalar(Scalar::Compare(Relation::Ge)),
        Builtin::Int => Shape::Scalar(Scalar::ToInt),
        Builtin::Convert => Shape::Bits(Bits::Plain(Op::Convert)),
        Builtin::Frst => Shape::Bits(Bits::Plain(Op::KeepFirst)),
        Builtin::Mirror => Shape::Bits(Bits::Plain(Op::Mirror)),
        Builtin::Shuffle => Shape::Bits(Bits::Shuffle),
        Builtin::Rotate => Shape::Bits(Bits::Rotate),
        Builtin::Mask => Shape::Bits(Bits::Mask),
        Builtin::Trim => Shape::Bits(Bits::Trim),
        Builtin::Add => Shape::Bits(Bits::Sum(IntOp::Add)),
        Builtin::Subt => Shape::Bits(Bits::Sum(IntOp::Sub)),
        Builtin::Word => Shape::Bits(Bits::FromInt),
        Builtin::Set
        | Builtin::Clr
        | Builtin::Step
        | Builtin::Shift
        | Builtin::Rep
        | Builtin::Col
        | Builtin::Row
        | Builtin::Size
        | Builtin::Rows
        | Builtin::Name
        | Builtin::Print
        | Builtin::Read
        | Builtin::Write
        | Builtin::Assert
        | Builtin::Exit
        | Builtin::Break
        | Builtin::Continue => Shape::Other,
    }
}
