//! Module `polyline`: polylines of maximal objective in an image.

use crate::intrinsics::Precondition::{AtMost, Equal, Within};
use crate::intrinsics::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The polylines of an image.
pub const POLYLINES: Intrinsic = Intrinsic::new(&Signature {
    name: "polylines",
    module: "polyline",
    routines: &["POLYLINES"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("t", Kind::Int),
        Param::value("Grey", Kind::Table),
        Param::value("Q", Kind::Table),
        Param::value("p", Kind::Int),
        Param::value("d", Kind::Int),
        Param::value("width", Kind::Int),
        Param::value("g", Kind::Int),
        Param::made("Score", Kind::Table),
        Param::made("Path", Kind::Table),
        Param::made("Out", Kind::Table),
    ],
    result: None,
    preconditions: &[
        AtMost(SizeExpr::Number(1), SizeExpr::value(0)),
        AtMost(SizeExpr::Number(0), SizeExpr::value(1)),
        AtMost(SizeExpr::Number(1), SizeExpr::rows(2)),
        Equal(SizeExpr::columns(2), SizeExpr::Number(8)),
        Equal(SizeExpr::columns(3), SizeExpr::Number(64)),
        AtMost(SizeExpr::Number(3), SizeExpr::value(4)),
        Within(SizeExpr::Number(0), SizeExpr::value(7), SizeExpr::Number(180)),
    ],
    declines: Some("the width does not divide the number of pixels, or a polyline is invalid"),
    summary: "unit gradients, link scores packed in parallel, and a moving window over the \
        preceding links",
});
