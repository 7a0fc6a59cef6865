//! Module `paths`: shortest paths.

use crate::natives::Precondition::Equal;
use crate::natives::{Kind, Native, Param, Signature, SizeExpr};

/// The distances between all pairs of vertices, in place.
pub const MIN_PLUS: Native = Native::new(&Signature {
    name: "min-plus",
    module: "paths",
    routines: &["FLOYD"],
    params: &[
        Param::value("n", Kind::Int),
        Param::value("h", Kind::Int),
        Param::value("inf", Kind::Word),
        Param::changed("D", Kind::Table),
    ],
    result: None,
    preconditions: &[
        Equal(SizeExpr::value(0), SizeExpr::rows(3)),
        Equal(SizeExpr::value(1), SizeExpr::length(2)),
        Equal(SizeExpr::Product(&[SizeExpr::value(0), SizeExpr::value(1)]), SizeExpr::columns(3)),
    ],
    // A path has n - 1 arcs at most. A cycle has n, and counts where a vertex begins with none to itself.
    declines: Some(
        "h is 0 or above 32, inf is not all ones, or n - 1 times the greatest length (n times, if one from a \
         vertex to itself is inf) reaches 2^(h-1) or 2^30",
    ),
    summary: "the closure of the matrix of integers under minimum and addition, by blocks of pivots",
});
