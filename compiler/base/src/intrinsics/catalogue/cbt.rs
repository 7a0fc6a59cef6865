//! Module `cbt`: a concurrent binary tree in a handle.

use super::super::Precondition::{AtMost, Equal, Within};
use super::super::{Intrinsic, Kind, Param, Precondition, Signature, SizeExpr};

/// The tables that handles of the module stand for: the live field, and that of the last reduce.
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
/// Likewise parameter 1.
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
    "fills the field, and counts",
));

/// The tree that a field codes.
pub const OF: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for a field that codes no tree"),
    ..entry(
        "cbt-of",
        &["CBT_OF"],
        &[Param::value("B", Kind::Slice), Param::made("H", Kind::Handle)],
        &[Within(SizeExpr::Number(2), SizeExpr::length(0), SizeExpr::TwoTo(&DEPTH_LIMIT))],
        "looks at each leaf once",
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
    "looks at three bits, and sets one",
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
    "looks at five bits, and clears one",
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

/// All marked leaves at once.
pub const CHANGE: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for a field that codes no tree"),
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
        "decodes all leaves and changes the live field meanwhile, on all threads",
    )
});

/// Sums up.
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
        "looks into the rank directory twice",
    )
});

/// The leaf with an ordinal.
pub const LEAF: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for an ordinal that no leaf has"),
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
    declines: Some("for a field that codes no tree"),
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
    "sums side by side in limbs, and packs, on all threads",
));

/// The tree in a packed heap.
pub const OF_HEAP: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("for a heap that is damaged"),
    ..entry(
        "cbt-of-heap",
        &["CBT_OF_HEAP"],
        &[Param::value("P", Kind::Slice), Param::made("H", Kind::Handle)],
        &[Within(SizeExpr::Number(8), SizeExpr::length(0), SizeExpr::TwoTo(&SizeExpr::Number(32)))],
        "takes the field, packs it again, and compares",
    )
});
