//! MIN and MAX as kernels over a grid.
//!
//! Note [Extremes]. A block is the rows of a workgroup. In one pass over the columns a block finds
//! its least word and the rows that hold it: a thread goes from column to column with its own rows
//! only, and after 32 columns those whose bits are not the least of the block drop out. The words
//! of the blocks are reduced 32 bits at a time, and a block whose word is not the least discards
//! its rows. So every column is read once, and nothing is read back. MAX is MIN of the complement.
//! A block without candidates has only ones, which are never less than the word of another block.

use star_ir::Sense;
use star_shaders::{Limb, Shader};

use super::text::{THREADS, head, of_width};

/// The kernels of an extreme, in order of execution.
pub(crate) struct Kernels {
    /// Finds the least word of each block, and its rows.
    pub(crate) blocks: Shader,
    /// Finds 32 bits of the least word of all blocks.
    pub(crate) least: Shader,
    /// Discards the rows of blocks that hold another word.
    pub(crate) keep: Shader,
}

pub(crate) fn kernels(sense: Sense, limb: Limb) -> Kernels {
    let zero = match sense {
        Sense::Min => "~c",
        Sense::Max => "c",
    };
    let blocks = format!(
        "{head}var<workgroup> best: array<atomic<u32>, 3>;

@compute @workgroup_size({THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let table = given[0].x; let stride = given[0].y; let columns = given[0].z; let limbs = given[0].w;
  let mask = given[1].x; let rows_out = given[1].y; let words = given[1].z;
  let block = given[1].w + group.x;
  let x = block * {THREADS}u + lane;
  let own = min(x, limbs - 1u);
  var z = L(#ZEROS);
  if (x < limbs) {{ z = load(mask + x); }}
  let chunks = (columns + 31u) / 32u;
  var found = L(#ZEROS);
  for (var chunk = 0u; chunk < chunks; chunk = chunk + 1u) {{
    let end = min(columns, 32u * chunk + 32u);
    let had = any(z != L(#ZEROS));
    var word = 0u;
    for (var j = 32u * chunk; j < end; j = j + 1u) {{
      let c = load(table + j * stride + own);
      let y = z & {zero};
      let has = any(y != L(#ZEROS));
      z = select(z, y, has);
      word = word | select(0x80000000u >> (j & 31u), 0u, has);
    }}
    if (lane == 0u) {{ atomicStore(&best[(chunk + 1u) % 3u], 0u); }}
    if (had) {{ atomicMax(&best[chunk % 3u], ~word); }}
    workgroupBarrier();
    let least = ~atomicLoad(&best[chunk % 3u]);
    if (word != least) {{ z = L(#ZEROS); }}
    found[chunk % #Wu] = least;
    if (lane == 0u && (chunk % #Wu == #Wu - 1u || chunk + 1u == chunks)) {{
      store(words + block * ((chunks + #Wu - 1u) / #Wu) + chunk / #Wu, found);
    }}
  }}
  if (x < limbs) {{ store(rows_out + x, z); }}
}}
",
        head = head()
    );
    // The result has separate words, which no other kernel accesses at the same time.
    let least = format!(
        "@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
var<workgroup> best: atomic<u32>;

@compute @workgroup_size({THREADS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let words = given[0].x; let per = given[0].y; let blocks = given[0].z; let all = given[0].w;
  let chunk = given[1].x;
  let block = thread.x;
  if (block < blocks) {{
    var is_least = true;
    for (var before = 0u; before < chunk; before = before + 1u) {{
      let other = ~load(all + before);
      is_least = is_least && load(words + block * per + before) == other;
    }}
    if (is_least) {{ atomicMax(&best, ~load(words + block * per + chunk)); }}
  }}
  workgroupBarrier();
  if (lane == 0u) {{ join_max(all + chunk, atomicLoad(&best)); }}
}}
"
    );
    let keep = format!(
        "{head}
@compute @workgroup_size({THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let words = given[0].x; let per = given[0].y; let all = given[0].z; let chunks = given[0].w;
  let rows_out = given[1].x; let limbs = given[1].y;
  let block = given[1].w + group.x;
  let x = block * {THREADS}u + lane;
  var is_least = true;
  for (var chunk = 0u; chunk < chunks; chunk = chunk + 1u) {{
    is_least = is_least && word(words + block * per + chunk) == ~word(all + chunk);
  }}
  if (x < limbs && !is_least) {{ store(rows_out + x, L(#ZEROS)); }}
}}
",
        head = head()
    );
    let least = Shader { limb: Limb::Joined, body: least };
    Kernels { blocks: of_width(&blocks, limb), least, keep: of_width(&keep, limb) }
}
