//! The transitive closure, in rounds of 64 pivots: of a small table a dispatch each, [`whole`], because of these there are many; of a large one
//! two, [`round`] and [`reach`], which find the lines of a round once and not in every workgroup. All places are counted in pairs of limbs.

use crate::{Limb, Shader};

/// Pivots of a round.
pub const PIVOTS: u32 = 64;
/// Threads of a workgroup of [`whole`] and of [`round()`], and the lines of one of these: a block.
pub const BLOCK: u32 = 256;
/// Pairs of the list of lines of a block: records of eight, for four lines each.
pub const LISTED: u32 = 8 * BLOCK / 4;
/// Threads of a workgroup of [`reach`] on memory in one bank, and in several: there a thread waits for every switch, and others have to
/// fill the time.
pub const THREADS: [u32; 2] = [2 * BLOCK, 4 * BLOCK];
/// Pairs of a line that a workgroup of [`reach`] works on.
pub const PAIRS: u32 = 8;
/// Most blocks of a workgroup of [`reach`].
pub const MOST_BLOCKS: u32 = 32;
/// Limbs of 32 bits of a line that a workgroup of [`whole`] works on.
pub const WHOLE_LIMBS: u32 = 16;
/// Most bytes that threads share: those of [`reach`].
pub const BYTES: u32 = 4 * 4 * 2048;

/// A round. Given: where the table begins, pairs of a line, lines, nothing; the number of pivots, the round, the round that the next
/// dispatch does, lines of a workgroup; where the bits of the pivots in every line lie, in this round and in the next one (a pair
/// for each line), and where the lines of the pivots lie, likewise ([`PIVOTS`] lines). Workgroups: [`WHOLE_LIMBS`] limbs, shares of
/// the lines.
pub fn whole() -> Shader {
    with_threads(BLOCK, &[ABOUT_PIVOTS, include_str!("../../wgsl/natives/closure/whole.wgsl")])
}

/// The pivots that each line gets to. Given: where the table begins, pairs of a line, lines, nothing; the number of pivots, the
/// round, workgroups, nothing; where the lines of the pivots go ([`PIVOTS`] lines), the lines that get to any
/// ([`LISTED`] pairs for each block), and how many these are (a pair for each block). Workgroups: one for each [`BLOCK`] of lines.
pub fn round() -> Shader {
    with_threads(BLOCK, &[ABOUT_PIVOTS, include_str!("../../wgsl/natives/closure/round.wgsl")])
}

/// What the pivots have for the lines that get to them. Given: where the table begins, pairs of a line, blocks, blocks of a
/// workgroup; nothing; as for [`round()`]. Workgroups: [`PAIRS`] pairs, shares of the blocks.
pub fn reach(threads: u32) -> Shader {
    with_threads(threads, &[include_str!("../../wgsl/natives/closure/reach.wgsl")])
}

/// What two of them begin with.
const ABOUT_PIVOTS: &str = include_str!("../../wgsl/natives/closure/pivots.wgsl");

fn with_threads(threads: u32, texts: &[&str]) -> Shader {
    let (most, at_once) = (MOST_BLOCKS, threads / BLOCK);
    let body = format!(
        "const THREADS = {threads}u;\nconst MOST_BLOCKS = {most}u;\nconst AT_ONCE = {at_once}u;\n{}",
        texts.concat()
    );
    Shader { limb: Limb::Pair, body }
}
