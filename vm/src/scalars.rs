//! Fixed-width numbers; for arithmetic and comparisons see [`star_ir::IntOp::apply`] and
//! [`star_ir::Relation::holds`].

/// Returns whether the number is an unsigned one of `width` bits.
pub(crate) fn fits(value: i64, width: usize) -> bool {
    value >= 0 && (width >= 63 || value >> width == 0)
}
