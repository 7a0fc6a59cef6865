// A round of the transitive closure of a small table, in one dispatch: whatever has an arc to one of 64 pivots, or gets to one by others of them, reaches what
// these have arcs to. In front stands the text about pivots.
//
// The lines of the table are its columns, and pivot k is line k and bit k of every line. A round needs two things of the
// table as the round before it left it: the bits of the pivots in every line, and the lines of the pivots. That round has
// written them beside the table, so that no thread reads what another one writes, and a round is one dispatch.
//
// A workgroup finds out which pivots get to which by others, and makes ORs of pivots in groups of four, 16 of each group, for 16
// limbs. Each of its lines takes one of each group, four limbs a thread. Places are counted in pairs of limbs: lines begin
// at even ones.

// OR of the pivots in number `entry` of group `part`, for four limbs: [part][entry][lane].
var<workgroup> sums: array<vec4<u32>, 16u * 16u * 4u>;
// For as many lines as there are threads the pivots that they take their ones from.
var<workgroup> reached: array<vec2<u32>, THREADS>;

// Pairs `x` and `x` + 1 of a line that has `pairs`.
fn load_two(at: u32, x: u32, pairs: u32) -> vec4<u32> {
  var u = vec4<u32>(0u);
  if (x < pairs) { let pair = load(at + x); u.x = pair.x; u.y = pair.y; }
  if (x + 1u < pairs) { let pair = load(at + x + 1u); u.z = pair.x; u.w = pair.y; }
  return u;
}
fn store_two(at: u32, x: u32, pairs: u32, u: vec4<u32>) {
  if (x < pairs) { store(at + x, u.xy); }
  if (x + 1u < pairs) { store(at + x + 1u, u.zw); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[0].x; let stride = given[0].y; let lines = given[0].z;
  let n = given[1].x; let round = given[1].y; let next = given[1].z; let share = given[1].w;
  // Bits of the pivots in every line, and lines of the pivots: of this round, and of the next one.
  let bits = given[2].x; let bits_next = given[2].y; let pivots = given[2].z; let pivots_next = given[2].w;
  let is_pivot = valid(round, n);
  // A thread makes four entries of a group: those with the same upper two pivots.
  let part = id >> 4u; let quarter = id & 3u; let column = 8u * group.x + 2u * ((id >> 2u) & 3u);
  let has = max(n, 64u * round + 4u * part) - (64u * round + 4u * part);
  var p = vec4<u32>(0u); var q = vec4<u32>(0u); var upper = vec4<u32>(0u);
  if (has > 0u) { p = load_two(pivots + 4u * part * stride, column, stride); }
  if (has > 1u) { q = load_two(pivots + (4u * part + 1u) * stride, column, stride); }
  if (has > 2u && (quarter & 1u) != 0u) { upper = load_two(pivots + (4u * part + 2u) * stride, column, stride); }
  if (has > 3u && (quarter & 2u) != 0u) { upper |= load_two(pivots + (4u * part + 3u) * stride, column, stride); }
  if (id < 64u) {
    var own = NO_PIVOT;
    let line = 64u * round + id;
    if (line < n) {
      own = load(bits + line) & is_pivot;
      if (id < 32u) { own.x |= 1u << id; } else { own.y |= 1u << (id - 32u); }
    }
    arcs[id] = own;
  }
  if (id == 0u) { atomicStore(&changes, 0u); }
  let entry = 64u * part + 16u * quarter + ((id >> 2u) & 3u);
  sums[entry] = upper; sums[entry + 4u] = upper | p;
  sums[entry + 8u] = upper | q; sums[entry + 12u] = upper | p | q;
  workgroupBarrier();
  close(id);
  let lane = id & 3u; let x = 8u * group.x + 2u * lane;
  // Does this thread have the bits of the pivots of the next round?
  let low_bits = x == next; let high_bits = x + 1u == next;
  let start = group.y * share; let end = min(start + share, lines);
  for (var first = start; first < end; first += THREADS) {
    if (first + id < end) { reached[id] = stepped(load(bits + first + id) & is_pivot); }
    workgroupBarrier();
    for (var i = id >> 2u; i < min(THREADS, end - first); i += THREADS / 4u) {
      let line = first + i; let w = reached[i];
      let is_next = line >> 6u == next;
      if (any(w != NO_PIVOT) || low_bits || high_bits || is_next) {
        let before = load_two(table + line * stride, x, stride);
        var sum = before;
        if (any(w != NO_PIVOT) && any(before != vec4<u32>(0xffffffffu))) {
          sum |= sums[0u + 4u * (w.x & 15u) + lane] | sums[64u + 4u * ((w.x >> 4u) & 15u) + lane] |
            sums[128u + 4u * ((w.x >> 8u) & 15u) + lane] | sums[192u + 4u * ((w.x >> 12u) & 15u) + lane] |
            sums[256u + 4u * ((w.x >> 16u) & 15u) + lane] | sums[320u + 4u * ((w.x >> 20u) & 15u) + lane] |
            sums[384u + 4u * ((w.x >> 24u) & 15u) + lane] | sums[448u + 4u * ((w.x >> 28u) & 15u) + lane] |
            sums[512u + 4u * (w.y & 15u) + lane] | sums[576u + 4u * ((w.y >> 4u) & 15u) + lane] |
            sums[640u + 4u * ((w.y >> 8u) & 15u) + lane] | sums[704u + 4u * ((w.y >> 12u) & 15u) + lane] |
            sums[768u + 4u * ((w.y >> 16u) & 15u) + lane] | sums[832u + 4u * ((w.y >> 20u) & 15u) + lane] |
            sums[896u + 4u * ((w.y >> 24u) & 15u) + lane] | sums[960u + 4u * ((w.y >> 28u) & 15u) + lane];
          if (any(sum != before)) { store_two(table + line * stride, x, stride, sum); }
        }
        if (low_bits) { store(bits_next + line, sum.xy); }
        if (high_bits) { store(bits_next + line, sum.zw); }
        if (is_next) { store_two(pivots_next + (line & 63u) * stride, x, stride, sum); }
      }
    }
    workgroupBarrier();
  }
}
