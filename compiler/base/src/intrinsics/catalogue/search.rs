//! Basic procedures: searches.

use crate::intrinsics::Precondition::{Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The rows that are among those of another table.
pub const AMONG: Intrinsic = Intrinsic::new(&Signature {
    name: "among",
    module: "search",
    routines: &["AMONG"],
    params: &[
        Param::value("T", Kind::Table),
        Param::value("X", Kind::Slice),
        Param::value("F", Kind::Table),
        Param::made("Z", Kind::Slice),
    ],
    result: None,
    preconditions: &[
        Equal(SizeExpr::rows(0), SizeExpr::length(1)),
        Equal(SizeExpr::columns(0), SizeExpr::columns(2)),
        Within(SizeExpr::Number(1), SizeExpr::columns(0), SizeExpr::Number(64)),
    ],
    declines: Some("the rows of F are distributed over several ranks"),
    summary: "looks each row up in the set of the rows of F",
});
