//! Modules `wave` and `weighed`: Lee's wave on a grid.

use crate::intrinsics::Precondition::{AtMost, Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The labels of all cells.
pub const WAVE: Intrinsic = Intrinsic::new(&Signature {
    name: "wave",
    module: "wave",
    routines: &["WAVE"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("moore", Kind::Bool),
        Param::value("stop", Kind::Int),
        Param::value("Right", Kind::Slice),
        Param::value("Down", Kind::Slice),
        Param::value("Goals", Kind::Slice),
        Param::made("Label", Kind::Table),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::length(3)),
        Within(SizeExpr::Number(0), SizeExpr::value(2), SizeExpr::length(3)),
        Equal(SizeExpr::length(3), SizeExpr::length(4)),
        Equal(SizeExpr::length(3), SizeExpr::length(5)),
    ],
    declines: Some(
        "the cells do not form whole rows, a transition crosses the right border, or there are \
            more than 2^31 cells",
    ),
    summary: "tiles of 64 × 64 cells as bitboards, advanced in lockstep",
});

/// The labels of all cells, with any diagonal steps.
pub const WAVE8: Intrinsic = Intrinsic::new(&Signature {
    name: "wave8",
    module: "wave",
    routines: &["WAVE8"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("stop", Kind::Int),
        Param::value("Right", Kind::Slice),
        Param::value("Down", Kind::Slice),
        Param::value("Fall", Kind::Slice),
        Param::value("Rise", Kind::Slice),
        Param::value("Goals", Kind::Slice),
        Param::made("Label", Kind::Table),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::length(2)),
        Within(SizeExpr::Number(0), SizeExpr::value(1), SizeExpr::length(2)),
        Equal(SizeExpr::length(2), SizeExpr::length(3)),
        Equal(SizeExpr::length(2), SizeExpr::length(4)),
        Equal(SizeExpr::length(2), SizeExpr::length(5)),
        Equal(SizeExpr::length(2), SizeExpr::length(6)),
    ],
    declines: Some(
        "the cells do not form whole rows, a transition crosses the right border, or there are \
            more than 2^31 cells",
    ),
    summary: "tiles of 64 × 64 cells as bitboards, 32 waves at a time",
});

const TRACE_DECLINES: Option<&str> = Some(
    "the cells do not form whole rows, a side has more than 65535 cells, a transition crosses the \
        right or the lower border, or the labels are not those of the grid",
);

/// The path from a cell.
pub const TRACE: Intrinsic = Intrinsic::new(&Signature {
    name: "trace",
    module: "wave",
    routines: &["TRACE"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("moore", Kind::Bool),
        Param::value("Right", Kind::Slice),
        Param::value("Down", Kind::Slice),
        Param::value("cell", Kind::Int),
        Param::value("Label", Kind::Table),
        Param::made("Path", Kind::Table),
        Param::made("On", Kind::Slice),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::length(2)),
        Equal(SizeExpr::length(2), SizeExpr::length(3)),
        Within(SizeExpr::Number(1), SizeExpr::value(4), SizeExpr::length(2)),
        Equal(SizeExpr::length(2), SizeExpr::rows(5)),
        AtMost(SizeExpr::columns(5), SizeExpr::Number(32)),
    ],
    declines: TRACE_DECLINES,
    summary: "the next cells of a whole region at a time",
});

/// The path from a cell, with any diagonal steps.
pub const TRACE8: Intrinsic = Intrinsic::new(&Signature {
    name: "trace8",
    module: "wave",
    routines: &["TRACE8"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("Right", Kind::Slice),
        Param::value("Down", Kind::Slice),
        Param::value("Fall", Kind::Slice),
        Param::value("Rise", Kind::Slice),
        Param::value("cell", Kind::Int),
        Param::value("Label", Kind::Table),
        Param::made("Path", Kind::Table),
        Param::made("On", Kind::Slice),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::length(1)),
        Equal(SizeExpr::length(1), SizeExpr::length(2)),
        Equal(SizeExpr::length(1), SizeExpr::length(3)),
        Equal(SizeExpr::length(1), SizeExpr::length(4)),
        Within(SizeExpr::Number(1), SizeExpr::value(5), SizeExpr::length(1)),
        Equal(SizeExpr::length(1), SizeExpr::rows(6)),
        AtMost(SizeExpr::columns(6), SizeExpr::Number(32)),
    ],
    declines: TRACE_DECLINES,
    summary: "the next cells of a whole region at a time",
});

/// The rows of a picture.
pub const PLANES: Intrinsic = Intrinsic::new(&Signature {
    name: "planes",
    module: "wave",
    routines: &["PLANES"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("C", Kind::Table),
        Param::made("Picture", Kind::Table),
    ],
    result: None,
    preconditions: &[Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::rows(1))],
    declines: None,
    summary: "all rows at once",
});

/// The costs of the cheapest paths from all cells.
pub const WEIGHED_WAVE: Intrinsic = Intrinsic::new(&Signature {
    name: "weighed-wave",
    module: "weighed",
    routines: &["WEIGHED_WAVE"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("moore", Kind::Bool),
        Param::value("straight", Kind::Int),
        Param::value("diagonal", Kind::Int),
        Param::value("Right", Kind::Slice),
        Param::value("Down", Kind::Slice),
        Param::value("Goals", Kind::Slice),
        Param::value("Weight", Kind::Table),
        Param::made("Price", Kind::Table),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::length(4)),
        Within(SizeExpr::Number(1), SizeExpr::value(2), SizeExpr::Number(u32::MAX as i64)),
        Within(SizeExpr::Number(1), SizeExpr::value(3), SizeExpr::Number(u32::MAX as i64)),
        Equal(SizeExpr::length(4), SizeExpr::length(5)),
        Equal(SizeExpr::length(4), SizeExpr::length(6)),
        Equal(SizeExpr::length(4), SizeExpr::rows(7)),
        AtMost(SizeExpr::columns(7), SizeExpr::Number(32)),
    ],
    declines: WEIGHED_DECLINES,
    summary: "Dijkstra's algorithm with a radix heap; on a card, buckets of costs over tiles",
});

const WEIGHED_DECLINES: Option<&str> = Some(
    "a weight is 0, a cost needs more than 63 bits, the cells do not form whole rows, a transition \
        crosses the right border, or there are more than 2^31 cells; on a card also if a weight \
        needs more than 24 bits or a step costs 2^31 or more",
);

/// The costs of the cheapest paths from all cells, with any diagonal steps.
pub const WEIGHED_WAVE8: Intrinsic = Intrinsic::new(&Signature {
    name: "weighed-wave8",
    module: "weighed",
    routines: &["WEIGHED_WAVE8"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("straight", Kind::Int),
        Param::value("diagonal", Kind::Int),
        Param::value("Right", Kind::Slice),
        Param::value("Down", Kind::Slice),
        Param::value("Fall", Kind::Slice),
        Param::value("Rise", Kind::Slice),
        Param::value("Goals", Kind::Slice),
        Param::value("Weight", Kind::Table),
        Param::made("Price", Kind::Table),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(1), SizeExpr::value(0), SizeExpr::length(3)),
        Within(SizeExpr::Number(1), SizeExpr::value(1), SizeExpr::Number(u32::MAX as i64)),
        Within(SizeExpr::Number(1), SizeExpr::value(2), SizeExpr::Number(u32::MAX as i64)),
        Equal(SizeExpr::length(3), SizeExpr::length(4)),
        Equal(SizeExpr::length(3), SizeExpr::length(5)),
        Equal(SizeExpr::length(3), SizeExpr::length(6)),
        Equal(SizeExpr::length(3), SizeExpr::length(7)),
        Equal(SizeExpr::length(3), SizeExpr::rows(8)),
        AtMost(SizeExpr::columns(8), SizeExpr::Number(32)),
    ],
    declines: WEIGHED_DECLINES,
    summary: "buckets of costs over tiles of 32 × 32 cells",
});
