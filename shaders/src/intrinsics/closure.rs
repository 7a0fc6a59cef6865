//! The transitive closure: of a small table in rounds of 128 pivots, one dispatch each, [`whole`],
//! because the number of dispatches dominates; of a large one in rounds of 64, two each, [`round`]
//! and [`reach`], which find the lines of a round once and not in every workgroup. All addresses
//! are counted in pairs of limbs.

use crate::{Limb, Shader};

/// Pivots of a round of [`round()`] and [`reach`].
pub const PIVOTS: u32 = 64;
/// Threads of a workgroup of [`round()`], and the lines of one: a block.
pub const BLOCK: u32 = 256;
/// Pairs of the list of lines of a block: records of eight, for four lines each.
pub const LISTED: u32 = 8 * BLOCK / 4;
/// Threads of a workgroup of [`reach`] on memory in one bank, and in several: with several a thread
/// waits for every switch, and other threads hide the latency.
pub const THREADS: [u32; 2] = [2 * BLOCK, 4 * BLOCK];
/// Pairs of a line that a workgroup of [`reach`] processes.
pub const PAIRS: u32 = 8;
/// Maximum blocks of a workgroup of [`reach`].
pub const MOST_BLOCKS: u32 = 32;
/// Maximum bytes of shared memory: those of [`reach`].
pub const BYTES: u32 = 4 * 4 * 2048;

/// Pivots of a round of [`whole`].
pub const WHOLE_PIVOTS: u32 = 128;
/// Threads of a workgroup of [`whole`].
const WHOLE_THREADS: u32 = 1024;
/// Maximum lines of such a workgroup.
pub const WHOLE_LINES: u32 = 832;
/// Possible numbers of lanes of a line there, each of them two pairs.
pub const LANES: [u32; 2] = [4, 2];

/// Returns the bytes of shared memory of a workgroup of [`whole`] with this number of lanes: at
/// most 48 KiB with four, 32 KiB with two.
pub const fn whole_bytes(lanes: u32) -> u32 {
    16 * (512 * lanes + WHOLE_PIVOTS + WHOLE_LINES + 2)
}

/// Returns the kernel of a round. Given: the start of the table, pairs of a line, lines, unused;
/// the number of pivots, the round, the round of the next dispatch, lines of a workgroup; the
/// addresses of the bits of the pivots in every line, in this round and in the next one (two pairs
/// for each line), and the addresses of the lines of the pivots, for both rounds ([`WHOLE_PIVOTS`]
/// lines). Workgroups: groups of lanes, shares of the lines.
pub fn whole(lanes: u32) -> Shader {
    let body = format!(
        "const THREADS = {WHOLE_THREADS}u;\nconst LANES = {lanes}u;\nconst MOST_LINES = {WHOLE_LINES}u;\n{}",
        include_str!("../../wgsl/intrinsics/closure/whole.wgsl")
    );
    Shader { limb: Limb::Pair, body }
}

/// Returns the kernel that finds the pivots that each line reaches. Given: the start of the table,
/// pairs of a line, lines, unused; the number of pivots, the round, workgroups, unused; the
/// destinations of the lines of the pivots ([`PIVOTS`] lines), of the lines that reach any
/// ([`LISTED`] pairs for each block), and of their number (a pair for each block). Workgroups: one
/// for each [`BLOCK`] of lines.
pub fn round() -> Shader {
    with_threads(BLOCK, include_str!("../../wgsl/intrinsics/closure/round.wgsl"))
}

/// Returns the kernel that joins the pivots' lines to the lines that reach them. Given: the start
/// of the table, pairs of a line, blocks, blocks of a workgroup; unused; as for [`round()`].
/// Workgroups: [`PAIRS`] pairs, shares of the blocks.
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
