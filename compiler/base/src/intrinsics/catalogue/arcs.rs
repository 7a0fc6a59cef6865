//! Module `arcs`: graphs as lists of arcs.

use crate::intrinsics::Precondition::{self, AtMost, Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The conditions of a list of arcs: the number of vertices at `n`, tables at `left` and `left +
/// 1`, the marked rows at `among`. All vertices have codes of at most 32 bits.
macro_rules! list {
    ($n:literal, $left:literal, $among:literal) => {
        [
            AtMost(SizeExpr::Number(0), SizeExpr::value($n)),
            Equal(SizeExpr::rows($left), SizeExpr::rows($left + 1)),
            Equal(SizeExpr::columns($left), SizeExpr::columns($left + 1)),
            Equal(SizeExpr::rows($left), SizeExpr::length($among)),
            Within(SizeExpr::Number(1), SizeExpr::columns($left), SizeExpr::Number(32)),
            AtMost(
                SizeExpr::Sum(&[SizeExpr::value($n), SizeExpr::Number(1)]),
                SizeExpr::TwoTo(&SizeExpr::columns($left)),
            ),
        ]
    };
}

/// The conditions of a list of arcs with those of a routine.
const fn with<const N: usize, const M: usize, const ALL: usize>(
    list: [Precondition; N],
    more: [Precondition; M],
) -> [Precondition; ALL] {
    assert!(N + M == ALL);
    let mut all = [list[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < N { list[at] } else { more[at - N] };
        at += 1;
    }
    all
}

const OTHER_CODES: &str = "an arc ends at no vertex, or there are 2^31 rows or more";

/// The numbers of arcs from a vertex.
pub const BFS: Intrinsic = Intrinsic::new(&Signature {
    name: "arc-levels",
    module: "arcs",
    routines: &["BFS"],
    params: &[
        Param::value("s", Kind::Int),
        Param::value("n", Kind::Int),
        Param::value("both", Kind::Bool),
        Param::value("left", Kind::Table),
        Param::value("right", Kind::Table),
        Param::value("S", Kind::Slice),
        Param::made("Dist", Kind::Table),
    ],
    result: None,
    preconditions: &with::<6, 1, 7>(
        list!(1, 3, 5),
        [Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::value(1))],
    ),
    declines: Some(OTHER_CODES),
    summary: "groups the arcs by their tails and searches large levels backwards",
});

/// The conditions of a list of arcs with weights.
const WEIGHTED: [Precondition; 10] = with(
    list!(1, 4, 7),
    [
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::value(1)),
        Within(SizeExpr::Number(1), SizeExpr::value(2), SizeExpr::Number(62)),
        Equal(SizeExpr::rows(4), SizeExpr::rows(6)),
        AtMost(SizeExpr::columns(6), SizeExpr::value(2)),
    ],
);

const LONG: &str = "an arc ends at no vertex, a weight or distance reaches 2^(h-1), a weight reaches \
    2^32, or there are 2^31 rows or more";

/// The parameters of `SSSP_TREE`; those of `SSSP` are all up to `Dist`.
const TREE: &[Param] = &[
    Param::value("s", Kind::Int),
    Param::value("n", Kind::Int),
    Param::value("h", Kind::Int),
    Param::value("both", Kind::Bool),
    Param::value("left", Kind::Table),
    Param::value("right", Kind::Table),
    Param::value("weight", Kind::Table),
    Param::value("S", Kind::Slice),
    Param::made("Dist", Kind::Table),
    Param::made("Pred", Kind::Table),
    Param::made("T", Kind::Slice),
];

/// The distances from a vertex.
pub const SSSP: Intrinsic = Intrinsic::new(&Signature {
    name: "arc-distances",
    module: "arcs",
    routines: &["SSSP"],
    params: TREE.split_at(9).0,
    result: None,
    preconditions: &WEIGHTED,
    declines: Some(LONG),
    summary: "groups the arcs by their tails and the vertices in buckets of distances",
});

/// The distances from a vertex, the predecessors and the arcs of a tree.
pub const SSSP_TREE: Intrinsic = Intrinsic::new(&Signature {
    name: "arc-tree",
    module: "arcs",
    routines: &["SSSP_TREE"],
    params: TREE,
    result: None,
    preconditions: &WEIGHTED,
    declines: Some(LONG),
    summary: "finds the distances, then the first arc to each",
});

/// The components.
pub const COMPONENTS: Intrinsic = Intrinsic::new(&Signature {
    name: "arc-components",
    module: "arcs",
    routines: &["COMPONENTS"],
    params: LABELS,
    result: None,
    preconditions: &list!(0, 1, 3),
    declines: Some(OTHER_CODES),
    summary: "joins disjoint sets of vertices",
});

/// The strong components.
pub const STRONG: Intrinsic = Intrinsic::new(&Signature {
    name: "arc-strong",
    module: "arcs",
    routines: &["STRONG"],
    params: LABELS,
    result: None,
    preconditions: &list!(0, 1, 3),
    declines: Some(OTHER_CODES),
    summary: "searches depth first along grouped arcs",
});

const LABELS: &[Param] = &[
    Param::value("n", Kind::Int),
    Param::value("left", Kind::Table),
    Param::value("right", Kind::Table),
    Param::value("S", Kind::Slice),
    Param::made("Label", Kind::Table),
];

/// A topological order.
pub const TOPOLOGICAL: Intrinsic = Intrinsic::new(&Signature {
    name: "arc-order",
    module: "arcs",
    routines: &["TOPOLOGICAL"],
    params: &[
        Param::value("n", Kind::Int),
        Param::value("left", Kind::Table),
        Param::value("right", Kind::Table),
        Param::value("S", Kind::Slice),
        Param::made("Place", Kind::Table),
        Param::made("acyclic", Kind::Bool),
    ],
    result: None,
    preconditions: &list!(0, 1, 3),
    declines: Some(OTHER_CODES),
    summary: "counts the arcs into each vertex",
});

const GROWN: &str = "a row has the code of no vertex, or a number reaches 2^w";

/// The numbers of rows with each code.
pub const COUNT_CODES: Intrinsic = Intrinsic::new(&Signature {
    name: "code-counts",
    module: "arcs",
    routines: &["COUNT_CODES"],
    params: &[
        Param::value("n", Kind::Int),
        Param::value("w", Kind::Int),
        Param::value("Code", Kind::Table),
        Param::value("S", Kind::Slice),
        Param::made("Count", Kind::Table),
    ],
    result: None,
    preconditions: &[
        AtMost(SizeExpr::Number(0), SizeExpr::value(0)),
        Within(SizeExpr::Number(1), SizeExpr::value(1), SizeExpr::Number(62)),
        Equal(SizeExpr::rows(2), SizeExpr::length(3)),
        Within(SizeExpr::Number(1), SizeExpr::columns(2), SizeExpr::Number(32)),
    ],
    declines: Some(GROWN),
    summary: "makes numbers of the codes",
});

/// Rows by their numbers.
pub const GATHER: Intrinsic = Intrinsic::new(&Signature {
    name: "gather",
    module: "arcs",
    routines: &["GATHER"],
    params: &[
        Param::value("T", Kind::Table),
        Param::value("Code", Kind::Table),
        Param::value("X", Kind::Slice),
        Param::made("R", Kind::Table),
    ],
    result: None,
    preconditions: &[
        AtMost(SizeExpr::Number(1), SizeExpr::columns(0)),
        Equal(SizeExpr::rows(1), SizeExpr::length(2)),
        Within(SizeExpr::Number(1), SizeExpr::columns(1), SizeExpr::Number(32)),
    ],
    declines: Some("a number is that of no row"),
    summary: "makes numbers of the codes and the rows",
});
