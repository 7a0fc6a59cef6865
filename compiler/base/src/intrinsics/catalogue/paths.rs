//! Module `paths`: shortest paths.

use crate::intrinsics::Precondition::{AtMost, Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The distances between all pairs of vertices, in place.
pub const MIN_PLUS: Intrinsic = Intrinsic::new(&Signature {
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
    // A path has at most n - 1 arcs. A cycle has n, and counts if the initial distance from a
    // vertex to itself is infinite.
    declines: Some(
        "h is 0 or above 32, inf is not all ones, or n - 1 times the greatest length (n times, if one from a \
         vertex to itself is inf) reaches 2^(h-1) or 2^30",
    ),
    summary: "the closure of the matrix of integers under minimum and addition, by blocks of pivots",
});

/// The distances from one vertex, and the predecessors.
pub const DIJKSTRA: Intrinsic = Intrinsic::new(&Signature {
    name: "dijkstra",
    module: "paths",
    routines: &["DIJKSTRA"],
    params: &[
        Param::value("s", Kind::Int),
        Param::value("h", Kind::Int),
        Param::value("inf", Kind::Word),
        Param::value("G", Kind::Table),
        Param::value("Cost", Kind::Table),
        Param::value("code", Kind::Table),
        Param::made("Dist", Kind::Table),
        Param::made("Pred", Kind::Table),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::rows(3)),
        Within(SizeExpr::Number(1), SizeExpr::value(1), SizeExpr::Number(62)),
        Equal(SizeExpr::value(1), SizeExpr::length(2)),
        Equal(SizeExpr::rows(3), SizeExpr::columns(3)),
        Equal(SizeExpr::rows(3), SizeExpr::rows(4)),
        Equal(SizeExpr::Product(&[SizeExpr::rows(3), SizeExpr::value(1)]), SizeExpr::columns(4)),
        Equal(SizeExpr::rows(3), SizeExpr::rows(5)),
        AtMost(SizeExpr::Number(1), SizeExpr::columns(5)),
    ],
    declines: Some(
        "inf is not all ones, a code is zero, or an arc is relaxed from a distance, or with a \
            weight, whose first bit is one",
    ),
    summary: "extracts the vertices from a heap and relaxes each arc once",
});

/// The distances from one vertex with negative weights, the predecessors, and whether there is a
/// negative cycle.
pub const BELLMAN_FORD: Intrinsic = Intrinsic::new(&Signature {
    name: "bellman-ford",
    module: "paths",
    routines: &["BELLMAN_FORD"],
    params: &[
        Param::value("s", Kind::Int),
        Param::value("n", Kind::Int),
        Param::value("h", Kind::Int),
        Param::value("inf", Kind::Word),
        Param::value("zero", Kind::Word),
        Param::value("G", Kind::Table),
        Param::value("Cost", Kind::Table),
        Param::value("code", Kind::Table),
        Param::made("Dist", Kind::Table),
        Param::made("Pred", Kind::Table),
        Param::made("neg", Kind::Bool),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::rows(5)),
        Equal(SizeExpr::value(1), SizeExpr::rows(5)),
        Within(SizeExpr::Number(2), SizeExpr::value(2), SizeExpr::Number(62)),
        Equal(SizeExpr::value(2), SizeExpr::length(3)),
        Equal(SizeExpr::value(2), SizeExpr::length(4)),
        Equal(SizeExpr::rows(5), SizeExpr::columns(5)),
        Equal(SizeExpr::rows(5), SizeExpr::rows(6)),
        Equal(SizeExpr::Product(&[SizeExpr::rows(5), SizeExpr::value(2)]), SizeExpr::columns(6)),
        Equal(SizeExpr::rows(5), SizeExpr::rows(7)),
        Within(SizeExpr::Number(1), SizeExpr::columns(7), SizeExpr::Number(32)),
    ],
    declines: Some(
        "inf is not all ones, zero is not 10..0, a code is zero, the first two bits of a used \
            weight differ, or those of a distance from which arcs are relaxed are equal",
    ),
    summary: "processes the vertices with changed distances, along lists of arcs",
});
