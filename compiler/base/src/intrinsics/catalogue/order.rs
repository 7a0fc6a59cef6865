//! Basic procedures: the order of rows.

use crate::intrinsics::Precondition::{self, AtMost, Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The condition of a table at 0 and the slice of its marked rows.
const fn marked(among: usize) -> Precondition {
    Equal(SizeExpr::rows(0), SizeExpr::length(among))
}

/// The rows of the table are numbers of 32 bits.
const NUMBERS: Precondition =
    Within(SizeExpr::Number(1), SizeExpr::columns(0), SizeExpr::Number(32));

/// The condition of the number of bits of a result.
const fn width(param: usize) -> Precondition {
    Within(SizeExpr::Number(1), SizeExpr::value(param), SizeExpr::Number(62))
}

/// The position of each row.
pub const RANK: Intrinsic = Intrinsic::new(&Signature {
    name: "rank",
    module: "order",
    routines: &["RANK"],
    params: &[
        Param::value("T", Kind::Table),
        Param::value("X", Kind::Slice),
        Param::value("h", Kind::Int),
        Param::made("R", Kind::Table),
    ],
    result: None,
    preconditions: &[marked(1), NUMBERS, width(2)],
    declines: Some("a position reaches 2^h, or there are 2^31 rows or more"),
    summary: "sorts the numbers of the rows by digits",
});

/// The rows of a table in the order of those of another one.
pub const ORDER: Intrinsic = Intrinsic::new(&Signature {
    name: "order",
    module: "order",
    routines: &["ORDER"],
    params: &[
        Param::value("T", Kind::Table),
        Param::value("F", Kind::Table),
        Param::value("X", Kind::Slice),
        Param::made("R", Kind::Table),
    ],
    result: None,
    preconditions: &[
        marked(2),
        NUMBERS,
        Equal(SizeExpr::rows(0), SizeExpr::rows(1)),
        AtMost(SizeExpr::Number(1), SizeExpr::columns(1)),
    ],
    declines: Some("there are 2^31 rows or more"),
    summary: "sorts the numbers of the rows by digits",
});

/// The numbers of equal rows.
pub const HIST: Intrinsic = Intrinsic::new(&Signature {
    name: "hist",
    module: "order",
    routines: &["HIST"],
    params: &[
        Param::value("T", Kind::Table),
        Param::value("X", Kind::Slice),
        Param::value("m", Kind::Int),
        Param::value("h", Kind::Int),
        Param::made("H", Kind::Table),
    ],
    result: None,
    preconditions: &[marked(1), NUMBERS, AtMost(SizeExpr::Number(1), SizeExpr::value(2)), width(3)],
    declines: Some("a number reaches 2^h, or there are 2^31 rows or more"),
    summary: "makes numbers of the rows",
});

/// The sums of the rows of a table for each value of another one.
pub const SUM_GROUPS: Intrinsic = Intrinsic::new(&Signature {
    name: "sum-groups",
    module: "order",
    routines: &["SUMGROUPS"],
    params: &[
        Param::value("T", Kind::Table),
        Param::value("F", Kind::Table),
        Param::value("X", Kind::Slice),
        Param::value("m", Kind::Int),
        Param::value("h", Kind::Int),
        Param::made("S", Kind::Table),
    ],
    result: None,
    preconditions: &[
        marked(2),
        NUMBERS,
        Equal(SizeExpr::rows(0), SizeExpr::rows(1)),
        Within(SizeExpr::Number(1), SizeExpr::columns(1), SizeExpr::Number(32)),
        AtMost(SizeExpr::Number(1), SizeExpr::value(3)),
        width(4),
    ],
    declines: Some("a sum reaches 2^h, or there are 2^31 rows or more"),
    summary: "makes numbers of the rows",
});
