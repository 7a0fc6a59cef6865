//! Meshes of a terrain: kernels over the bit field of a tree of depth D, an odd number, whose nodes
//! are triangles in a square of 2^(D div 2) steps.
//!
//! Every kernel receives D, the number of its first workgroup, the workgroups in the first
//! dimension, and an unused word; then what its function states. Addresses are those of words. A
//! workgroup has [`Groups::words`] of the units of the kernel.
//!
//! Note [Errors]. The plane of a triangle at a sample is the sum of the heights at its corners,
//! weighted by the areas of the triangles of the sample and the opposite edges. All areas are
//! multiples of a component of a leg, so they are divided by it: then the area of the triangle is
//! at most the side of the square, and a sum fits in 31 bits if a height has no more bits than that
//! leaves.

use super::cbt::{DIRECTORY, Groups, kernel};
use super::numbers::WIDE;
use crate::{Limb, Shader};

const TRIANGLE: &str = include_str!("../../wgsl/intrinsics/terrain/triangle.wgsl");

/// Returns the kernel that decides which leaves split and merge. Given: the field, the marks of
/// splits, those of merges, an unused word; address and stride of the radii, the viewpoint. A unit
/// is a word of the field.
pub fn judge(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/judge.wgsl");
    kernel(Limb::Word, groups, groups.words, &[WIDE, TRIANGLE, text])
}

/// Returns the kernel that marks the leaves inside the grid. Given: the field, the marks, two
/// unused words; samples of a row, rows. A unit is a word of the field.
pub fn inside(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/inside.wgsl");
    kernel(Limb::Word, groups, groups.words, &[TRIANGLE, text])
}

/// Returns the kernel that lists the samples at the corners of the marked leaves. Given: the field,
/// the marks, their rank directory, the list; samples of a row. A unit is a word of the field.
pub fn corners(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/corners.wgsl");
    kernel(Limb::Word, groups, groups.words, &[DIRECTORY, TRIANGLE, text])
}

/// Returns the kernel that finds the errors of the triangles of a level (Note \[Errors\]). Given:
/// the errors by nodes, zeros, the samples, the first node of the level, an unused word; samples of
/// a row, rows, two unused words; the threads of a strip, the strips of a triangle, the rows of a
/// strip. A unit is one thread of a strip.
pub fn errors(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/errors.wgsl");
    kernel(Limb::Joined, groups, groups.words, &[TRIANGLE, text])
}

/// Returns the kernel that replaces the errors of a level by the radii of its triangles. Given: the
/// errors by nodes, the radii of the level below, the first node of the level, an unused word;
/// samples of a row, rows, the tolerance, the distance up to which it holds. A unit is a node.
pub fn radius(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/radius.wgsl");
    kernel(Limb::Word, groups, groups.words, &[WIDE, TRIANGLE, text])
}

/// Returns the kernel that finds the radii of the diamonds of a level. Given: the radii of the
/// triangles by nodes, those of the diamonds, the first node of the level. A unit is a node.
pub fn diamond(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/diamond.wgsl");
    kernel(Limb::Word, groups, groups.words, &[TRIANGLE, text])
}

/// Returns the kernel that finds the range of some numbers. Given: the numbers, how many there are,
/// the numbers of a unit, notes, zeros: the greatest one, and the complement of the least one. A
/// unit is a few numbers.
pub fn range(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/range.wgsl");
    kernel(Limb::Joined, groups, groups.words, &[text])
}

/// Returns the kernel that draws a mesh whose heights have at most 24 bits. Given: the field, the
/// samples, the list of pixels, notes of [`range`]; samples of a row, pixels of a row, all pixels,
/// a step in units of heights; the pixels of a step. A unit is a pixel.
pub fn pixels(groups: Groups) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/terrain/pixels.wgsl");
    kernel(Limb::Word, groups, groups.words, &[WIDE, TRIANGLE, text])
}

/// Returns all kernels with their names.
pub fn all(groups: Groups) -> [(&'static str, Shader); 8] {
    [
        ("judge", judge(groups)),
        ("inside", inside(groups)),
        ("corners", corners(groups)),
        ("errors", errors(groups)),
        ("radius", radius(groups)),
        ("diamond", diamond(groups)),
        ("range", range(groups)),
        ("pixels", pixels(groups)),
    ]
}
