//! Comparison of parts: columns, rows or components of one variable.

use super::facts::Facts;
use crate::check::{Check, SizeOperand};
use crate::op::{IntOp, Operand};

/// The relation of two indices, and so of the parts at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// The same part.
    Same,
    /// Different parts.
    Different,
    /// Unknown; transformations must treat the parts as the same.
    Unknown,
}

/// Compares the parts at the indices `a` and `b`. Both operands are evaluated where `facts` hold; a
/// caller that compares an index with one of another point of the program must ensure that its
/// variable has not changed.
pub fn compare(facts: &Facts<'_>, a: &Operand, b: &Operand) -> Alias {
    if a == b {
        return Alias::Same;
    }
    if let (Operand::Int(a), Operand::Int(b)) = (a, b) {
        return if a == b { Alias::Same } else { Alias::Different };
    }
    let (a_class, b_class) =
        (facts.class(&SizeOperand::Value(a.clone())), facts.class(&SizeOperand::Value(b.clone())));
    if a_class.iter().any(|value| b_class.contains(value)) {
        return Alias::Same;
    }
    let number = |class: &[SizeOperand]| {
        class.iter().find_map(|value| match value {
            SizeOperand::Value(Operand::Int(n)) => Some(*n),
            SizeOperand::Value(_)
            | SizeOperand::Length(_)
            | SizeOperand::Rows(_)
            | SizeOperand::Columns(_) => None,
        })
    };
    match (number(&a_class), number(&b_class)) {
        (Some(a), Some(b)) if a != b => return Alias::Different,
        (Some(_) | None, Some(_) | None) => {}
    }
    if is_apart(facts, a, b) || is_apart(facts, b, a) {
        return Alias::Different;
    }
    Alias::Unknown
}

/// Returns whether `b` is known to be `a` plus or minus a number other than 0.
fn is_apart(facts: &Facts<'_>, a: &Operand, b: &Operand) -> bool {
    let (Operand::Var(_), Operand::Var(var)) = (a, b) else { return false };
    facts.result_of(*var).is_some_and(|(op, left, right)| match (op, left, right) {
        (IntOp::Add | IntOp::Sub, left, Operand::Int(n)) => left == *a && n != 0,
        (IntOp::Add, Operand::Int(n), right) => right == *a && n != 0,
        (
            IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Mod,
            Operand::Var(_) | Operand::Int(_) | Operand::Bool(_) | Operand::Str(_),
            Operand::Var(_) | Operand::Int(_) | Operand::Bool(_) | Operand::Str(_),
        ) => false,
    })
}

/// Returns whether a part is inside, so that it does not touch what follows `limit`.
pub fn inside(facts: &Facts<'_>, index: &Operand, limit: &SizeOperand) -> bool {
    facts.holds(&Check::Index(index.clone(), limit.clone()))
}
