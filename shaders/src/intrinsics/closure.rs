//! The transitive closure: of a small table in rounds of 128 pivots, a dispatch each, [`whole`], because of these there are many; of a large one
//! in rounds of 64, two each, [`round`] and [`reach`], which find the lines of a round once and not in every workgroup. All places are counted
//! in pairs of limbs.

use crate::{Limb, Shader};

/// Pivots of a round of [`round()`] and [`reach`].
pub const PIVOTS: u32 = 64;
/// Threads of a workgroup of [`round()`], and the lines of one: a block.
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
/// Most bytes that threads share: those of [`reach`].
pub const BYTES: u32 = 4 * 4 * 2048;

/// Pivots of a round of [`whole`].
pub const WHOLE_PIVOTS: u32 = 128;
/// Threads of a workgroup of [`whole`].
const WHOLE_THREADS: u32 = 1024;
/// Most lines of one.
pub const WHOLE_LINES: u32 = 832;
/// Lanes that a line may have there, each of them two pairs.
pub const LANES: [u32; 2] = [4, 2];

/// Bytes that the threads of a workgroup of [`whole`] share, with so many lanes: at most 48 KiB with four, 32 KiB with two.
pub const fn whole_bytes(lanes: u32) -> u32 {
    16 * (512 * lanes + WHOLE_PIVOTS + WHOLE_LINES + 2)
}

/// A round. Given: where the table begins, pairs of a line, lines, nothing; the number of pivots, the round, the round that the next
/// dispatch does, lines of a workgroup; where the bits of the pivots in every line lie, in this round and in the next one (two pairs
/// for each line), and where the lines of the pivots lie, likewise ([`WHOLE_PIVOTS`] lines). Workgroups: so many lanes, shares of
/// the lines.
pub fn whole(lanes: u32) -> Shader {
    let body = format!(
        "const THREADS = {WHOLE_THREADS}u;\nconst LANES = {lanes}u;\nconst MOST_LINES = {WHOLE_LINES}u;\n{}",
        include_str!("../../wgsl/intrinsics/closure/whole.wgsl")
    );
    Shader { limb: Limb::Pair, body }
}

/// The pivots that each line gets to. Given: where the table begins, pairs of a line, lines, nothing; the number of pivots, the
/// round, workgroups, nothing; where the lines of the pivots go ([`PIVOTS`] lines), the lines that get to any
/// ([`LISTED`] pairs for each block), and how many these are (a pair for each block). Workgroups: one for each [`BLOCK`] of lines.
pub fn round() -> Shader {
    with_threads(BLOCK, include_str!("../../wgsl/intrinsics/closure/round.wgsl"))
}

/// What the pivots have for the lines that get to them. Given: where the table begins, pairs of a line, blocks, blocks of a
/// workgroup; nothing; as for [`round()`]. Workgroups: [`PAIRS`] pairs, shares of the blocks.
pub fn reach(threads: u32) -> Shader {
    with_threads(threads, include_str!("../../wgsl/intrinsics/closure/reach.wgsl"))
}

fn with_threads(threads: u32, text: &str) -> Shader {
    let (most, at_once) = (MOST_BLOCKS, threads / BLOCK);
    let body = format!(
        "const THREADS = {threads}u;\nconst MOST_BLOCKS = {most}u;\nconst AT_ONCE = {at_once}u;\n{text}"
    );
    Shader { limb: Limb::Pair, body }
}
