//! Module `closure`: reachability in a graph.

use crate::intrinsics::Precondition::{AtMost, Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The transitive closure of an adjacency table, in place.
pub const CLOSURE: Intrinsic = Intrinsic::new(&Signature {
    name: "closure",
    module: "closure",
    routines: &["WARSHALL", "WARSHALL-C", "WARSHALL-adapt"],
    params: &[Param::value("n", Kind::Int), Param::changed("P", Kind::Table)],
    result: None,
    preconditions: &[
        AtMost(SizeExpr::Number(0), SizeExpr::value(0)),
        AtMost(SizeExpr::value(0), SizeExpr::rows(1)),
        AtMost(SizeExpr::value(0), SizeExpr::columns(1)),
    ],
    declines: None,
    summary: "strongly connected components, then unions in the order of the components",
});

/// The table of the handles of CONDENSE.
pub const CLOSURE_PART: &str = "closure";

/// A reachability index of a graph, stored in a handle.
pub const CONDENSE: Intrinsic = Intrinsic::new(&Signature {
    name: "condense",
    module: "closure",
    routines: &["CONDENSE"],
    params: &[
        Param::value("n", Kind::Int),
        Param::value("G", Kind::Table),
        Param::made("H", Kind::Handle),
    ],
    result: None,
    preconditions: &[
        Equal(SizeExpr::value(0), SizeExpr::rows(1)),
        Equal(SizeExpr::value(0), SizeExpr::columns(1)),
    ],
    declines: None,
    summary: "stores the strongly connected components and the closure of the graph of components",
});

/// Whether there is a path from one vertex to another.
pub const REACHES: Intrinsic = Intrinsic::new(&Signature {
    name: "reaches",
    module: "closure",
    routines: &["REACHES"],
    params: &[
        Param::value("H", Kind::Handle),
        Param::value("i", Kind::Int),
        Param::value("j", Kind::Int),
    ],
    result: Some(Kind::Bool),
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(1), SizeExpr::part_rows(0, CLOSURE_PART)),
        Within(SizeExpr::Number(1), SizeExpr::value(2), SizeExpr::part_columns(0, CLOSURE_PART)),
    ],
    declines: None,
    summary: "reads one bit of the closure of the components",
});

/// All vertices reachable from a given one.
pub const REACHABLE: Intrinsic = Intrinsic::new(&Signature {
    name: "reachable",
    module: "closure",
    routines: &["REACHABLE"],
    params: &[
        Param::value("H", Kind::Handle),
        Param::value("i", Kind::Int),
        Param::made("X", Kind::Slice),
    ],
    result: None,
    preconditions: &[Within(
        SizeExpr::Number(1),
        SizeExpr::value(1),
        SizeExpr::part_rows(0, CLOSURE_PART),
    )],
    declines: None,
    summary: "marks the members of the reachable components",
});
