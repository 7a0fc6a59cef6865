//! Module `cbt`: a concurrent binary tree in a handle.

use super::super::Precondition::{AtMost, Equal, Within};
use super::super::{Intrinsic, Kind, Param, Precondition, Signature, SizeExpr};

/// The tables of handles of the module: the live field, and that of the last reduction.
pub const PARTS: [&str; 2] = ["live", "reduced"];

const DEPTH_LIMIT: SizeExpr = SizeExpr::Number(30);
const ONE: SizeExpr = SizeExpr::Number(1);

const fn entry(
    name: &'static str,
    routines: &'static [&'static str],
    params: &'static [Param],
    preconditions: &'static [Precondition],
    summary: &'static str,
) -> Signature {
    Signature {
        name,
        module: "cbt",
        routines,
        params,
        result: None,
        preconditions,
        declines: None,
        summary,
    }
}

/// The nodes of a tree, k ≤ 2n − 1, by the rows of its field in parameter `tree`.
const fn is_node(node: usize, last: &'static [SizeExpr; 2]) -> Precondition {
    Within(ONE, SizeExpr::value(node), SizeExpr::Sum(last))
}

/// 2n − 1, where the handle is parameter 0.
const LAST_OF_FIRST: &[SizeExpr; 2] = &[
    SizeExpr::Product(&[SizeExpr::Number(2), SizeExpr::part_rows(0, PARTS[0])]),
    SizeExpr::Number(-1),
];
/// 2n − 1, where the handle is parameter 1.
const LAST_OF_SECOND: &[SizeExpr; 2] = &[
    SizeExpr::Product(&[SizeExpr::Number(2), SizeExpr::part_rows(1, PARTS[0])]),
    SizeExpr::Number(-1),
];

/// A tree whose leaves are all nodes of a level.
pub const INIT: Intrinsic = Intrinsic::new(&entry(
    "cbt-init",
    &["CBT_INIT"],
    &[Param::value("D", Kind::Int), Param::value("d", Kind::Int), Param::made("H", Kind::Handle)],
    &[
        Within(ONE, SizeExpr::value(0), DEPTH_LIMIT),
        Within(SizeExpr::Number(0), SizeExpr::value(1), SizeExpr::value(0)),
    ],
    "fills the field and counts",
));

/// The tree encoded by a field.
pub const OF: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for a field that does not encode a tree"),
    ..entry(
        "cbt-of",
        &["CBT_OF"],
        &[Param::value("B", Kind::Slice), Param::made("H", Kind::Handle)],
        &[Within(SizeExpr::Number(2), SizeExpr::length(0), SizeExpr::TwoTo(&DEPTH_LIMIT))],
        "visits each leaf once",
    )
});

/// Its field.
pub const FIELD: Intrinsic = Intrinsic::new(&entry(
    "cbt-field",
    &["CBT_FIELD"],
    &[Param::value("H", Kind::Handle), Param::made("B", Kind::Slice)],
    &[],
    "copies the live field",
));

/// Splits a leaf.
pub const SPLIT: Intrinsic = Intrinsic::new(&entry(
    "cbt-split",
    &["CBT_SPLIT"],
    &[
        Param::value("k", Kind::Int),
        Param::changed("H", Kind::Handle),
        Param::made("done", Kind::Bool),
    ],
    &[is_node(0, LAST_OF_SECOND)],
    "reads three bits and sets one",
));

/// Merges two leaves.
pub const MERGE: Intrinsic = Intrinsic::new(&entry(
    "cbt-merge",
    &["CBT_MERGE"],
    &[
        Param::value("k", Kind::Int),
        Param::changed("H", Kind::Handle),
        Param::made("done", Kind::Bool),
    ],
    &[is_node(0, LAST_OF_SECOND)],
    "reads five bits and clears one",
));

/// Splits without a test.
pub const SPLIT_RAW: Intrinsic = Intrinsic::new(&entry(
    "cbt-split-raw",
    &["CBT_SPLIT_RAW"],
    &[Param::value("k", Kind::Int), Param::changed("H", Kind::Handle)],
    &[is_node(0, LAST_OF_SECOND)],
    "sets a bit",
));

/// Merges without a test.
pub const MERGE_RAW: Intrinsic = Intrinsic::new(&entry(
    "cbt-merge-raw",
    &["CBT_MERGE_RAW"],
    &[Param::value("k", Kind::Int), Param::changed("H", Kind::Handle)],
    &[is_node(0, LAST_OF_SECOND)],
    "clears a bit",
));

/// Splits or merges of all marked leaves at once.
pub const CHANGE: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for a field that does not encode a tree"),
    ..entry(
        "cbt-change",
        &["CBT_CHANGE"],
        &[
            Param::value("S", Kind::Slice),
            Param::value("M", Kind::Slice),
            Param::changed("H", Kind::Handle),
            Param::made("splits", Kind::Int),
            Param::made("merges", Kind::Int),
        ],
        &[
            Equal(SizeExpr::length(0), SizeExpr::part_rows(2, PARTS[0])),
            Equal(SizeExpr::length(1), SizeExpr::part_rows(2, PARTS[0])),
        ],
        "decodes all leaves and changes the live field concurrently, on all threads",
    )
});

/// Computes the sums.
pub const REDUCE: Intrinsic = Intrinsic::new(&entry(
    "cbt-reduce",
    &["CBT_REDUCE"],
    &[Param::changed("H", Kind::Handle)],
    &[],
    "counts the leaves of every 512 bits",
));

/// Leaves below a node.
pub const COUNT: Intrinsic = Intrinsic::new(&Signature {
    result: Some(Kind::Int),
    ..entry(
        "cbt-count",
        &["CBT_COUNT"],
        &[Param::value("H", Kind::Handle), Param::value("k", Kind::Int)],
        &[is_node(1, LAST_OF_FIRST)],
        "reads the rank directory twice",
    )
});

/// The leaf with an ordinal.
pub const LEAF: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for an ordinal without a leaf"),
    ..entry(
        "cbt-leaf",
        &["CBT_LEAF"],
        &[
            Param::value("H", Kind::Handle),
            Param::value("l", Kind::Int),
            Param::made("k", Kind::Int),
            Param::made("d", Kind::Int),
        ],
        &[AtMost(ONE, SizeExpr::value(1))],
        "searches the rank directory, then 512 bits",
    )
});

/// All leaves.
pub const LEAVES: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for a field that does not encode a tree"),
    ..entry(
        "cbt-leaves",
        &["CBT_LEAVES"],
        &[
            Param::value("H", Kind::Handle),
            Param::made("K", Kind::Table),
            Param::made("V", Kind::Table),
        ],
        &[],
        "scans the field, on all threads",
    )
});

/// The packed heap.
pub const HEAP: Intrinsic = Intrinsic::new(&entry(
    "cbt-heap",
    &["CBT_HEAP"],
    &[Param::value("H", Kind::Handle), Param::made("P", Kind::Slice)],
    &[],
    "computes adjacent sums in limbs and packs them, on all threads",
));

/// The tree in a packed heap.
pub const OF_HEAP: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for an invalid heap"),
    ..entry(
        "cbt-of-heap",
        &["CBT_OF_HEAP"],
        &[Param::value("P", Kind::Slice), Param::made("H", Kind::Handle)],
        &[Within(SizeExpr::Number(8), SizeExpr::length(0), SizeExpr::TwoTo(&SizeExpr::Number(32)))],
        "reads the field, packs it again, and compares",
    )
});
