//! Module `moving`: moving objects in a handle.

use super::super::Precondition::{AtMost, Equal, Within};
use super::super::{Intrinsic, Kind, Param, Precondition, Signature, SizeExpr};

/// The tables of handles of the module: the coordinates, and which objects exist.
pub const PARTS: [&str; 3] = ["x", "y", "there"];

/// The maximum number of objects.
pub const MOST_OBJECTS: i64 = 1 << 28;
/// The maximum number of bits of a coordinate.
pub const MOST_BITS: i64 = 30;
/// The maximum number of bits of an object number read by intrinsics.
const NUMBER_BITS: SizeExpr = SizeExpr::Number(32);
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
        module: "moving",
        routines,
        params,
        result: None,
        preconditions,
        declines: None,
        summary,
    }
}

/// The number of bits of a coordinate of the objects in a handle.
const fn width(handle: usize) -> SizeExpr {
    SizeExpr::part_columns(handle, PARTS[0])
}

/// The number of objects in a handle.
const fn count(handle: usize) -> SizeExpr {
    SizeExpr::part_rows(handle, PARTS[0])
}

/// An empty set of objects.
pub const INIT: Intrinsic = Intrinsic::new(&entry(
    "moving-init",
    &["MOVING_INIT"],
    &[Param::value("n", Kind::Int), Param::value("k", Kind::Int), Param::made("H", Kind::Handle)],
    &[
        Within(ONE, SizeExpr::value(0), SizeExpr::Number(MOST_OBJECTS)),
        Within(ONE, SizeExpr::value(1), SizeExpr::Number(MOST_BITS)),
    ],
    "reserves memory for the id index",
));

/// Insertion or move of an object.
pub const PUT: Intrinsic = Intrinsic::new(&entry(
    "moving-put",
    &["MOVING_PUT"],
    &[
        Param::value("i", Kind::Int),
        Param::value("v", Kind::Word),
        Param::value("w", Kind::Word),
        Param::changed("H", Kind::Handle),
    ],
    &[
        Within(ONE, SizeExpr::value(0), count(3)),
        Equal(SizeExpr::length(1), width(3)),
        Equal(SizeExpr::length(2), width(3)),
    ],
    "a batch of one",
));

/// Removal of an object.
pub const DROP: Intrinsic = Intrinsic::new(&entry(
    "moving-drop",
    &["MOVING_DROP"],
    &[Param::value("i", Kind::Int), Param::changed("H", Kind::Handle)],
    &[Within(ONE, SizeExpr::value(0), count(1))],
    "a batch of one",
));

/// A batch of moves.
pub const MOVES: Intrinsic = Intrinsic::new(&Signature {
    declines: Some("an object number is 0 or exceeds the number of objects"),
    ..entry(
        "moving-moves",
        &["MOVING_MOVES"],
        &[
            Param::value("I", Kind::Table),
            Param::value("U", Kind::Table),
            Param::value("V", Kind::Table),
            Param::value("G", Kind::Slice),
            Param::changed("H", Kind::Handle),
        ],
        &[
            AtMost(SizeExpr::columns(0), NUMBER_BITS),
            Equal(SizeExpr::rows(1), SizeExpr::rows(0)),
            Equal(SizeExpr::rows(2), SizeExpr::rows(0)),
            Equal(SizeExpr::length(3), SizeExpr::rows(0)),
            Equal(SizeExpr::columns(1), width(4)),
            Equal(SizeExpr::columns(2), width(4)),
        ],
        "splits the batch into deletions and insertions for the owners of cells, on all threads",
    )
});

/// Range queries.
pub const RANGES: Intrinsic = Intrinsic::new(&entry(
    "moving-ranges",
    &["MOVING_RANGES"],
    &[
        Param::value("A", Kind::Table),
        Param::value("B", Kind::Table),
        Param::value("C", Kind::Table),
        Param::value("D", Kind::Table),
        Param::value("H", Kind::Handle),
        Param::made("Q", Kind::Table),
        Param::made("J", Kind::Table),
    ],
    &[
        Equal(SizeExpr::rows(1), SizeExpr::rows(0)),
        Equal(SizeExpr::rows(2), SizeExpr::rows(0)),
        Equal(SizeExpr::rows(3), SizeExpr::rows(0)),
        Equal(SizeExpr::columns(0), width(4)),
        Equal(SizeExpr::columns(1), width(4)),
        Equal(SizeExpr::columns(2), width(4)),
        Equal(SizeExpr::columns(3), width(4)),
    ],
    "reads the objects of candidate cells once for all queries, on all threads",
));

/// Nearest objects.
pub const NEAREST: Intrinsic = Intrinsic::new(&entry(
    "moving-nearest",
    &["MOVING_NEAREST"],
    &[
        Param::value("V", Kind::Table),
        Param::value("W", Kind::Table),
        Param::value("m", Kind::Int),
        Param::value("H", Kind::Handle),
        Param::made("Q", Kind::Table),
        Param::made("J", Kind::Table),
    ],
    &[
        AtMost(SizeExpr::Number(0), SizeExpr::value(2)),
        Equal(SizeExpr::rows(1), SizeExpr::rows(0)),
        Equal(SizeExpr::columns(0), width(3)),
        Equal(SizeExpr::columns(1), width(3)),
    ],
    "searches growing squares around each point, on all threads",
));

/// The positions of all objects.
pub const TABLES: Intrinsic = Intrinsic::new(&entry(
    "moving-tables",
    &["MOVING_TABLES"],
    &[
        Param::value("H", Kind::Handle),
        Param::made("X", Kind::Table),
        Param::made("Y", Kind::Table),
        Param::made("P", Kind::Slice),
    ],
    &[],
    "looks up every object",
));
