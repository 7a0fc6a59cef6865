//! Module `adjacency`: operations on adjacency tables.

use crate::intrinsics::Precondition::{AtMost, Equal};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The transpose of a table.
pub const TRANSPOSE: Intrinsic = Intrinsic::new(&Signature {
    name: "transpose",
    module: "adjacency",
    routines: &["TRANSPOSE"],
    params: &[Param::value("G", Kind::Table), Param::made("H", Kind::Table)],
    result: None,
    preconditions: &[AtMost(SizeExpr::Number(1), SizeExpr::rows(0))],
    declines: None,
    summary: "stores the lines of the table as lines of the other direction",
});

/// A table with its transpose.
pub const SYMMETRISE: Intrinsic = Intrinsic::new(&Signature {
    name: "symmetrise",
    module: "adjacency",
    routines: &["SYMMETRISE"],
    params: &[Param::value("G", Kind::Table), Param::made("H", Kind::Table)],
    result: None,
    preconditions: &[
        AtMost(SizeExpr::Number(1), SizeExpr::rows(0)),
        Equal(SizeExpr::rows(0), SizeExpr::columns(0)),
    ],
    declines: None,
    summary: "merges each line with that of the transpose",
});
