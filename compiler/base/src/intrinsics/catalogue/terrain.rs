//! Module `terrain`: a mesh in a handle.

use super::super::Precondition::{AtMost, Within};
use super::super::{Intrinsic, Kind, Param, Signature, SizeExpr};

/// The maximum number of samples of a row, and of rows.
const MOST_SAMPLES: SizeExpr = SizeExpr::Number((1 << 14) + 1);
const ONE: SizeExpr = SizeExpr::Number(1);
const ZERO: SizeExpr = SizeExpr::Number(0);
/// The maximum absolute value of a coordinate of a viewpoint.
const FAR: SizeExpr = SizeExpr::Number(1 << 22);
const MINUS_FAR: SizeExpr = SizeExpr::Number(-(1 << 22));

/// The mesh for a distant viewpoint, and the split distance of each diamond.
pub const INIT: Intrinsic = Intrinsic::new(&Signature {
    name: "terrain-init",
    module: "terrain",
    routines: &["TERRAIN_INIT"],
    params: &[
        Param::value("w", Kind::Int),
        Param::value("Z", Kind::Table),
        Param::value("eps", Kind::Int),
        Param::value("near", Kind::Int),
        Param::made("H", Kind::Handle),
    ],
    result: None,
    preconditions: &[
        Within(SizeExpr::Number(2), SizeExpr::value(0), MOST_SAMPLES),
        AtMost(SizeExpr::rows(1), SizeExpr::Product(&[MOST_SAMPLES, SizeExpr::value(0)])),
        Within(ONE, SizeExpr::columns(1), SizeExpr::Number(32)),
        Within(ZERO, SizeExpr::value(2), SizeExpr::Number((1 << 32) - 2)),
        Within(ZERO, SizeExpr::value(3), SizeExpr::Number(1 << 20)),
    ],
    declines: Some("for samples that are not two or more rows of w"),
    summary: "errors and radii of all diamonds, level by level on all threads, then steps",
});

/// One batch of splits and merges.
pub const STEP: Intrinsic = Intrinsic::new(&Signature {
    name: "terrain-step",
    module: "terrain",
    routines: &["TERRAIN_STEP"],
    params: &[
        Param::value("x", Kind::Int),
        Param::value("y", Kind::Int),
        Param::changed("H", Kind::Handle),
        Param::made("splits", Kind::Int),
        Param::made("merges", Kind::Int),
    ],
    result: None,
    preconditions: &[
        Within(MINUS_FAR, SizeExpr::value(0), FAR),
        Within(MINUS_FAR, SizeExpr::value(1), FAR),
    ],
    declines: None,
    summary: "decodes all leaves, which decide independently, on all threads",
});

/// The triangles.
pub const MESH: Intrinsic = Intrinsic::new(&Signature {
    name: "terrain-mesh",
    module: "terrain",
    routines: &["TERRAIN_MESH"],
    params: &[Param::value("H", Kind::Handle), Param::made("T", Kind::Table)],
    result: None,
    preconditions: &[],
    declines: None,
    summary: "decodes all leaves and descends to each",
});

/// A picture from above.
pub const PICTURE: Intrinsic = Intrinsic::new(&Signature {
    name: "terrain-picture",
    module: "terrain",
    routines: &["TERRAIN_PICTURE"],
    params: &[
        Param::value("H", Kind::Handle),
        Param::value("s", Kind::Int),
        Param::value("step", Kind::Int),
        Param::made("P", Kind::Table),
    ],
    result: None,
    preconditions: &[
        Within(ONE, SizeExpr::value(1), SizeExpr::Number(64)),
        Within(ONE, SizeExpr::value(2), SizeExpr::Number(1 << 16)),
    ],
    declines: None,
    summary: "fills the triangles one after another",
});
