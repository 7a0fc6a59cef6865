//! Module `mst`: minimum spanning trees.

use crate::intrinsics::Precondition::{AtMost, Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

const LARGE: &str = "a weight reaches 2^32, or there are 2^32 edges or more";

/// A minimum spanning forest of a list of edges.
pub const KRUSKAL: Intrinsic = Intrinsic::new(&Signature {
    name: "kruskal",
    module: "mst",
    routines: &["KRUSKAL"],
    params: &[
        Param::value("left", Kind::Table),
        Param::value("right", Kind::Table),
        Param::value("weight", Kind::Table),
        Param::value("S", Kind::Slice),
        Param::made("T", Kind::Slice),
    ],
    result: None,
    preconditions: &[
        Equal(SizeExpr::rows(0), SizeExpr::rows(1)),
        Equal(SizeExpr::columns(0), SizeExpr::columns(1)),
        Equal(SizeExpr::rows(0), SizeExpr::rows(2)),
        Equal(SizeExpr::rows(0), SizeExpr::length(3)),
        Within(SizeExpr::Number(1), SizeExpr::columns(0), SizeExpr::Number(32)),
        AtMost(SizeExpr::Number(1), SizeExpr::columns(2)),
    ],
    declines: Some(LARGE),
    summary: "sorts the edges and joins disjoint sets of vertices",
});

/// A minimum spanning tree of the component of a vertex.
pub const PRIM: Intrinsic = Intrinsic::new(&Signature {
    name: "prim",
    module: "mst",
    routines: &["PRIM"],
    params: &[
        Param::value("left", Kind::Table),
        Param::value("right", Kind::Table),
        Param::value("weight", Kind::Table),
        Param::value("S", Kind::Slice),
        Param::value("v", Kind::Word),
        Param::made("T", Kind::Slice),
    ],
    result: None,
    preconditions: &[
        Equal(SizeExpr::rows(0), SizeExpr::rows(1)),
        Equal(SizeExpr::columns(0), SizeExpr::columns(1)),
        Equal(SizeExpr::rows(0), SizeExpr::rows(2)),
        Equal(SizeExpr::rows(0), SizeExpr::length(3)),
        Equal(SizeExpr::columns(0), SizeExpr::length(4)),
        Within(SizeExpr::Number(1), SizeExpr::columns(0), SizeExpr::Number(32)),
        AtMost(SizeExpr::Number(1), SizeExpr::columns(2)),
    ],
    declines: Some(LARGE),
    summary: "extracts the edges that leave the tree from a heap",
});
