// A round of the transitive closure: whatever has an arc to one of 64 pivots, or gets to one by others of them, reaches what
// these have arcs to. The constants in front are written from the tables of star-shaders.
//
// The lines of the table are its columns, and pivot k is line k and bit k of every line. A round needs two things of the
// table as the round before it left it: the bits of the pivots in every line, and the lines of the pivots. That round has
// written them beside the table, so that no thread reads what another one writes, and a round is one dispatch.
//
// A workgroup makes ORs of pivots in groups of four, 16 of each group, for 16 limbs; then each of its lines takes one of each
// group.

@group(0) @binding(0) var<storage, read_write> mem: array<u32>;
@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// OR of the pivots in number `entry` of group `group`, for the limb of a lane: [group][entry][lane].
var<workgroup> sums: array<u32, 16u * 16u * LANES>;
// For each pivot the pivots that it has arcs from, and for 256 lines the pivots that get there.
var<workgroup> arcs: array<vec2<u32>, 64>;
var<workgroup> reached: array<vec2<u32>, THREADS>;

// Those of the pivots that lie below `n`.
fn valid(round: u32, n: u32) -> vec2<u32> {
  let start = 64u * round;
  let has = clamp(max(n, start) - start, 0u, 64u);
  var mask = vec2<u32>(0u);
  if (has >= 32u) { mask.x = 0xffffffffu; } else { mask.x = (1u << has) - 1u; }
  if (has >= 64u) { mask.y = 0xffffffffu; } else if (has > 32u) { mask.y = (1u << (has - 32u)) - 1u; }
  return mask;
}

// Everything that gets to one of these pivots by pivots, themselves included.
fn closed(start: vec2<u32>) -> vec2<u32> {
  var seen = start; var rest = start;
  while (any(rest != vec2<u32>(0u))) {
    var k = 0u;
    if (rest.x != 0u) { k = firstTrailingBit(rest.x); rest.x &= rest.x - 1u; }
    else { k = 32u + firstTrailingBit(rest.y); rest.y &= rest.y - 1u; }
    let more = arcs[k] & ~seen;
    seen |= more; rest |= more;
  }
  return seen;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[0].x; let stride = given[0].y; let lines = given[0].z; let limbs = given[0].w;
  let n = given[1].x; let round = given[1].y; let next = given[1].z; let share = given[1].w;
  // Bits of the pivots in every line, and lines of the pivots: of this round, and of the next one.
  let bits = given[2].x; let bits_next = given[2].y; let pivots = given[2].z; let pivots_next = given[2].w;
  let is_pivot = valid(round, n);
  let lane = id % LANES; let x = group.x * LANES + lane;

  if (id < 64u) {
    var own = vec2<u32>(0u);
    let line = 64u * round + id;
    if (line < n) { own = vec2<u32>(mem[bits + 2u * line], mem[bits + 2u * line + 1u]) & is_pivot; }
    arcs[id] = own;
  }
  {
    let part = id / LANES;
    var p: array<u32, 4>;
    for (var i = 0u; i < 4u; i++) {
      p[i] = 0u;
      if (x < limbs && 64u * round + 4u * part + i < n) { p[i] = mem[pivots + (4u * part + i) * limbs + x]; }
    }
    for (var entry = 0u; entry < 16u; entry++) {
      var sum = 0u;
      if ((entry & 1u) != 0u) { sum |= p[0]; }
      if ((entry & 2u) != 0u) { sum |= p[1]; }
      if ((entry & 4u) != 0u) { sum |= p[2]; }
      if ((entry & 8u) != 0u) { sum |= p[3]; }
      sums[(16u * part + entry) * LANES + lane] = sum;
    }
  }
  workgroupBarrier();
  let start = group.y * share; let end = min(start + share, lines);
  for (var first = start; first < end; first += THREADS) {
    let own = first + id;
    if (own < end) {
      reached[id] = closed(vec2<u32>(mem[bits + 2u * own], mem[bits + 2u * own + 1u]) & is_pivot);
    }
    workgroupBarrier();
    for (var i = id / LANES; i < min(THREADS, end - first); i += THREADS / LANES) {
      let line = first + i; let w = reached[i];
      // Does somebody need it in the next round?
      let has_bits = x >> 1u == next; let is_next = line >> 6u == next;
      if (x < limbs && (any(w != vec2<u32>(0u)) || has_bits || is_next)) {
        let at = table + line * stride + x;
        let before = mem[at];
        var sum = before;
        for (var g = 0u; g < 8u; g++) {
          sum |= sums[(16u * g + ((w.x >> (4u * g)) & 15u)) * LANES + lane];
          sum |= sums[(128u + 16u * g + ((w.y >> (4u * g)) & 15u)) * LANES + lane];
        }
        if (sum != before) { mem[at] = sum; }
        if (has_bits) { mem[bits_next + 2u * line + (x & 1u)] = sum; }
        if (is_next) { mem[pivots_next + (line & 63u) * limbs + x] = sum; }
      }
    }
    workgroupBarrier();
  }
}
