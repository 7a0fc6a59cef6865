//! Operations on truth values, comparisons; for arithmetic see [`star_ir::IntOp::apply`].

use std::cmp::Ordering;

use star_ir::{LogicOp, Relation};

/// Does the relation hold between two things that stand to each other like this?
pub(crate) fn holds(relation: Relation, ordering: Ordering) -> bool {
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
pub(crate) fn logic(op: LogicOp, left: bool, right: bool) -> bool {
    match op {
        LogicOp::And => left && right,
        LogicOp::Or => left || right,
        LogicOp::Xor => left != right,
    }
}

/// Is the number an unsigned one of `width` bits?
pub(crate) fn fits(value: i64, width: usize) -> bool {
    value >= 0 && (width >= 63 || value >> width == 0)
}
