//! Distances between all pairs of vertices, over integers. The matrix has a line for each vertex,
//! and is square, its side a multiple of [`SIDE`]: entry i of line j is the length from i to j,
//! [`NONE`] if there is no path. A round is two dispatches, [`pivots`] and [`all`].

use std::fmt::Write;

use crate::{Limb, Shader};

/// Threads of a workgroup, for all these kernels.
pub const THREADS: u32 = 256;
/// The number of lines of a matrix is a multiple of this: the tile of a workgroup of [`all`].
pub const SIDE: u32 = 128;
/// Pivots of a round.
pub const PIVOTS: u32 = 64;
/// The length of a missing path. The sum of two does not wrap, and lengths are below it.
pub const NONE: u32 = 1 << 30;
/// Rows of a workgroup of [`write()`].
pub const WRITTEN: u32 = 1024;
/// Maximum bytes of shared memory of a workgroup.
pub const BYTES: u32 = 2 * 4 * PIVOTS * PIVOTS;

/// Returns the kernel that reads numbers of a table into the matrix. Given: the start of the table,
/// words of a column, vertices, bits of a number; the start of the matrix, its lines, the start of
/// the notes (two words for each workgroup), fields of a workgroup; workgroups across.
pub fn read() -> Shader {
    with_constants(Limb::Word, include_str!("../../wgsl/intrinsics/min_plus/read.wgsl"))
}

/// Returns the kernel that computes the greatest number read, whether a vertex has no length to
/// itself, and a word. Given: the start of the notes, their number, the address of the word, the
/// destination of the three results.
pub fn greatest() -> Shader {
    with_constants(Limb::Word, include_str!("../../wgsl/intrinsics/min_plus/greatest.wgsl"))
}

/// Returns the kernel that computes lengths from and to the pivots of a round. Given: the start of
/// the matrix, its lines, the round, unused; the destinations of the lengths from pivots and of
/// those to them ([`PIVOTS`] lines each), addresses counted in fours. Workgroups: two for each
/// [`PIVOTS`] lines.
pub fn pivots() -> Shader {
    let mut iterations = String::new();
    for (of, (line, part)) in ["p", "q", "r", "s"].into_iter().zip(["x", "y", "z", "w"]).enumerate()
    {
        // One of two buffers, so that an iteration does not overwrite what other threads still
        // read.
        let at = 32 * (of % 2);
        put(&mut iterations, format!("    if (a == k) {{ others[{at}u + b] = {line}; }}"));
        let column = format!("vec4<u32>(p.{part}, q.{part}, r.{part}, s.{part})");
        put(&mut iterations, format!("    if (b == k) {{ others[{}u + a] = {column}; }}", at + 16));
        put(&mut iterations, "    workgroupBarrier();".to_owned());
        put(
            &mut iterations,
            format!("    let to{of} = others[{at}u + b]; let by{of} = others[{}u + a];", at + 16),
        );
        for (own, by) in ["p", "q", "r", "s"].into_iter().zip(["x", "y", "z", "w"]) {
            let sum = format!("to{of} + vec4<u32>(by{of}.{by})");
            put(&mut iterations, format!("    {own} = min({own}, {sum});"));
        }
    }
    let text = include_str!("../../wgsl/intrinsics/min_plus/pivots.wgsl");
    with_constants(Limb::Four, &text.replace("ITERATIONS\n", &iterations))
}

/// Returns the kernel that writes the matrix into numbers of a table. Given: as for [`read`],
/// without notes. Workgroups: [`WRITTEN`] rows, vertices.
pub fn write() -> Shader {
    with_constants(Limb::Word, include_str!("../../wgsl/intrinsics/min_plus/write.wgsl"))
}

/// Returns the kernel that updates every length by paths through the pivots of a round. Given: as
/// for [`pivots`]. Workgroups: [`SIDE`] entries, [`SIDE`] lines.
pub fn all() -> Shader {
    let [mut load, mut steps, mut store] = [const { String::new() }; 3];
    for (first, from) in [(0, "own"), (4, "far")] {
        for half in 0..2 {
            let four = format!("{from}{half}");
            let begin = format!("{from} + {}u", 16 * half);
            let lines = "vec4<u32>(0u, 1u, 2u, 3u) * side";
            put(&mut load, format!("  let {four} = load_four(vec4<u32>({begin}) + {lines});"));
            for (line, part) in ["a", "b", "c", "d"].into_iter().enumerate() {
                let row = first + line;
                put(&mut load, format!("  var c{row}{half} = {four}.{part};"));
                put(&mut store, format!("  store({begin} + {line}u * side, c{row}{half});"));
            }
        }
    }
    for step in 0..4 {
        let at = 32 * step;
        put(&mut steps, format!("      p = down[k + {at}u + y]; q = down[k + {}u + y];", at + 16));
        put(
            &mut steps,
            format!("      a = across[k + {at}u + x]; b = across[k + {}u + x];", at + 16),
        );
        for row in 0..8 {
            let from = if row < 4 { "p" } else { "q" };
            let one = ["x", "y", "z", "w"][row % 4];
            for (half, more) in ["a", "b"].into_iter().enumerate() {
                let sum = format!("vec4<u32>({from}.{one}) + {more}");
                put(&mut steps, format!("      c{row}{half} = min(c{row}{half}, {sum});"));
            }
        }
    }
    let text = include_str!("../../wgsl/intrinsics/min_plus/all.wgsl");
    let text = text.replace("LOAD\n", &load).replace("STEPS\n", &steps).replace("STORE\n", &store);
    with_constants(Limb::Four, &text)
}

fn put(text: &mut String, line: String) {
    writeln!(text, "{line}").expect("writing to a string does not fail");
}

fn with_constants(limb: Limb, text: &str) -> Shader {
    let body = format!("const THREADS = {THREADS}u;\nconst NONE = {NONE}u;\n{text}");
    Shader { limb, body }
}
