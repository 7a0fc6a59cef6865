//! Numbers of so many bits; for arithmetic and comparisons see [`star_ir::IntOp::apply`] and [`star_ir::Relation::holds`].

/// Is the number an unsigned one of `width` bits?
pub(crate) fn fits(value: i64, width: usize) -> bool {
    value >= 0 && (width >= 63 || value >> width == 0)
}
