//! Polylines of maximal objective: kernels over the links between guides of d points.
//!
//! Kernels on requests receive their number, the number of the first workgroup, the workgroups in
//! the first dimension, and d; the records of the requests, the words of one, the number of nodes,
//! and an unused word; then what their function states. Addresses are those of words.
//!
//! Note [Rows and columns]. The numbers of links are tables of 2d − 1 rows and d columns: a row for
//! each difference of the indices of its points, a column for each point at which a link ends. The
//! links that may precede a link depend on differences only, so adjacent threads, which have
//! adjacent columns, take the maximum over the same rows.
//!
//! Note [Windows]. The rows that may precede those of a block of rows begin and end at rising rows
//! (Note \[Angles\] in star-intrinsics): a thread of [`follow`] moves over them once. It begins
//! with the rows of its first window, for which it uses the maxima of whole blocks, so all threads
//! take O(d²) for a layer as long as d is not much more than the square of a block.

use super::numbers::{GIVEN, WIDE};
use crate::{Limb, Shader};

/// Rows of a block.
pub const BLOCK: u32 = 32;
/// Less than every score, as a signed number.
pub const NO_LINK: u32 = 1 << 31;

/// Words of the record of a request before those of its nodes.
pub mod record {
    /// The address of the gradients.
    pub const GRADIENT: u32 = 0;
    /// The distances of the gradients of adjacent pixels: to the right, and down.
    pub const STRIDES: u32 = 1;
    /// The points that may be the only ones of a polyline.
    pub const ALONE: u32 = 3;
    /// The middle of each node and its points inside the image.
    pub const MIDDLES: u32 = 4;
}

const IMAGE: &str = include_str!("../../wgsl/intrinsics/polyline/image.wgsl");
const REQUEST: &str = include_str!("../../wgsl/intrinsics/polyline/request.wgsl");
const SCORE: &str = include_str!("../../wgsl/intrinsics/polyline/score.wgsl");

/// Returns the kernel that smooths an image. Given: the image, its width and height, the result;
/// the binary logarithm of the divisor. A thread has a pixel.
pub fn blur(threads: u32) -> Shader {
    kernel(threads, &[IMAGE, include_str!("../../wgsl/intrinsics/polyline/blur.wgsl")])
}

/// Returns the kernel that computes unit gradients. Given: the image, its width and height, the
/// result; the strides of the result to the right and down. A thread has a pixel.
pub fn gradient(threads: u32) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/polyline/gradient.wgsl");
    kernel(threads, &[WIDE, IMAGE, text])
}

/// Returns the kernel that scores the links from a and to b. Given: the result, 2d words for each
/// request. A thread has a link.
pub fn ends(threads: u32) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/polyline/ends.wgsl");
    kernel(threads, &[WIDE, REQUEST, SCORE, text])
}

/// Returns the kernel that computes the values of the links from a guide to the next one. Given:
/// the results of [`ends`], 1 for the last layer, the values of links, which are those of
/// [`follow`] before, the node of the guide. A thread has a link.
pub fn links(threads: u32) -> Shader {
    let text = include_str!("../../wgsl/intrinsics/polyline/links.wgsl");
    kernel(threads, &[WIDE, REQUEST, SCORE, text])
}

/// Returns the kernel that finds the greatest values in blocks of [`BLOCK`] rows. Given: the values
/// of links, the result. A thread has a column of a block.
pub fn blocks(threads: u32) -> Shader {
    kernel(threads, &[REQUEST, include_str!("../../wgsl/intrinsics/polyline/blocks.wgsl")])
}

/// Returns the kernel that finds the greatest values of the links before those of a layer (Note
/// \[Windows\]). Given: the values of the layer before, those in [`blocks`], the result. A thread
/// has a column of a block.
pub fn follow(threads: u32) -> Shader {
    kernel(threads, &[REQUEST, include_str!("../../wgsl/intrinsics/polyline/follow.wgsl")])
}

/// Returns the kernel that traces the best polylines back. Given: the results of [`ends`], the
/// greatest values of the last layer in [`blocks`], the values of all layers, the words of a layer;
/// the scores, the nodes, a state of two words; the node after the first guide, the guides of this
/// dispatch without the last one. A workgroup has a request.
pub fn trace(threads: u32) -> Shader {
    kernel(threads, &[REQUEST, include_str!("../../wgsl/intrinsics/polyline/trace.wgsl")])
}

/// Returns all kernels with their names.
pub fn all(threads: u32) -> [(&'static str, Shader); 7] {
    [
        ("blur", blur(threads)),
        ("gradient", gradient(threads)),
        ("ends", ends(threads)),
        ("links", links(threads)),
        ("blocks", blocks(threads)),
        ("follow", follow(threads)),
        ("trace", trace(threads)),
    ]
}

fn kernel(threads: u32, parts: &[&str]) -> Shader {
    let constants = [
        ("THREADS", threads),
        ("BLOCK", BLOCK),
        ("NO_LINK", NO_LINK),
        ("GRADIENT", record::GRADIENT),
        ("STRIDES", record::STRIDES),
        ("ALONE", record::ALONE),
        ("MIDDLES", record::MIDDLES),
    ];
    let constants = constants.map(|(name, value)| format!("const {name} = {value}u;\n")).concat();
    let head = [&*constants, GIVEN];
    Shader { limb: Limb::Word, body: head.into_iter().chain(parts.iter().copied()).collect() }
}
