//! Kernels over a grid of workgroups that do what a library routine does. All bind the memory of the device as `mem` and 32 words
//! as `given`.

/// Threads of a workgroup of [`CLOSURE`].
pub const CLOSURE_THREADS: u32 = 256;
/// Limbs of a line that a workgroup of [`CLOSURE`] works on.
pub const CLOSURE_LANES: u32 = 16;
/// Pivots of a round of [`CLOSURE`].
pub const CLOSURE_PIVOTS: u32 = 64;
/// Bytes that its threads share.
pub const CLOSURE_BYTES: u32 = 4 * (256 * CLOSURE_LANES + 2 * CLOSURE_PIVOTS + 2 * CLOSURE_THREADS);

/// A round of the transitive closure. Given: where the table begins, words from one line to the next, lines, limbs of a line;
/// the number of pivots, the round, the round that the next dispatch does, lines of a workgroup; where the bits of the
/// pivots in every line lie, in this round and in the next one (two words a line), and where the lines of the pivots
/// lie, likewise (64 lines without gaps). Workgroups: [`CLOSURE_LANES`] limbs, shares of the lines.
pub fn closure() -> String {
    let (threads, lanes) = (CLOSURE_THREADS, CLOSURE_LANES);
    format!("const THREADS = {threads}u;\nconst LANES = {lanes}u;\n{CLOSURE}")
}

/// The text behind its constants.
const CLOSURE: &str = include_str!("../wgsl/natives/closure.wgsl");
