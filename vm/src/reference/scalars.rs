//! Operations on integers and truth values.

use std::cmp::Ordering;

use star_ir::{IntOp, LogicOp, Relation};

/// Integer arithmetic. `Div` truncates towards zero; `left = Div · right + Mod`. `None` where the
/// mathematical result is not a 64-bit number, or not defined: a zero divisor, −2⁶³ `Div` −1. (−2⁶³
/// `Mod` −1 is 0.)
pub(super) fn arithmetic(op: IntOp, left: i64, right: i64) -> Option<i64> {
    match op {
        IntOp::Add => left.checked_add(right),
        IntOp::Sub => left.checked_sub(right),
        IntOp::Mul => left.checked_mul(right),
        IntOp::Div => left.checked_div(right),
        IntOp::Mod if right == -1 => Some(0),
        IntOp::Mod => left.checked_rem(right),
    }
}

/// Does the relation hold between two things that stand to each other like this?
pub(super) fn holds(relation: Relation, ordering: Ordering) -> bool {
    match relation {
        Relation::Eq => ordering.is_eq(),
        Relation::Ne => ordering.is_ne(),
        Relation::Lt => ordering.is_lt(),
        Relation::Le => ordering.is_le(),
        Relation::Gt => ordering.is_gt(),
        Relation::Ge => ordering.is_ge(),
    }
}

/// Logic: both, at least one, exactly one.
pub(super) fn logic(op: LogicOp, left: bool, right: bool) -> bool {
    match op {
        LogicOp::And => left && right,
        LogicOp::Or => left || right,
        LogicOp::Xor => left != right,
    }
}
