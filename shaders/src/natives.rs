//! Kernels over a grid of workgroups that do what a library routine does. All load from and store to the memory of the
//! device, and are given 32 words as `given`.

pub mod min_plus;

use crate::{Limb, Shader};

/// Threads of a workgroup of [`CLOSURE`].
pub const CLOSURE_THREADS: u32 = 256;
/// Limbs of 32 bits of a line that a workgroup of [`CLOSURE`] works on.
pub const CLOSURE_LIMBS: u32 = 16;
/// Pivots of a round of [`CLOSURE`].
pub const CLOSURE_PIVOTS: u32 = 64;
/// Bytes that its threads share.
pub const CLOSURE_BYTES: u32 =
    4 * (256 * CLOSURE_LIMBS + 2 * CLOSURE_PIVOTS + 2 * 256 + 2 * CLOSURE_THREADS + 2);

/// A round of the transitive closure. All places are counted in pairs of limbs. Given: where the table begins, pairs of a
/// line, lines, nothing; the number of pivots, the round, the round that the next dispatch does, lines of a workgroup; where
/// the bits of the pivots in every line lie, in this round and in the next one (a pair for each line), and where the
/// lines of the pivots lie, likewise (64 lines). Workgroups: [`CLOSURE_LIMBS`] limbs, shares of the lines.
pub fn closure() -> Shader {
    Shader { limb: Limb::Pair, body: format!("const THREADS = {CLOSURE_THREADS}u;\n{CLOSURE}") }
}

/// The text behind its constants.
const CLOSURE: &str = include_str!("../wgsl/natives/closure.wgsl");
