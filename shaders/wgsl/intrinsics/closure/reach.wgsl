// The second half of a round of the transitive closure: lines that reach one of 64 pivots reach all
// successors of these pivots. The preceding constants are generated from the tables of
// star-shaders.
//
// A workgroup computes ORs of the pivots' lines in groups of six, six and four times five, twice,
// for 16 limbs. A thread processes four of the lines that the first half listed, and four limbs of
// each. Two groups are adjacent, in 128 bytes: of the eight threads that are served at once, half
// accesses one group and half the other first, so that they never wait for each other.
//
// Addresses are counted in pairs of limbs: lines begin at even ones.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// OR of the pivots in number `entry` of a group, for four limbs: [two groups][entry][which][lane].
// Before that, the number of lines that reach a pivot, of each block and in total.
var<workgroup> sums: array<vec4<u32>, 2048>;
// Returns the OR of these pivots' lines; the positions are those of the first and of the second of
// two groups.
fn joined(before: vec4<u32>, w: vec2<u32>, one: u32, two: u32) -> vec4<u32> {
  return before | sums[((w.x << 3u) & 504u) | one] | sums[((w.x >> 3u) & 504u) | two] |
    sums[512u + (((w.x >> 9u) & 248u) | one)] | sums[512u + (((w.x >> 14u) & 248u) | two)] |
    sums[768u + (((w.x >> 19u) & 248u) | one)] | sums[768u + (((w.x >> 24u) & 248u) | two)] |
    sums[1024u + (((w.y << 3u) & 504u) | one)] | sums[1024u + (((w.y >> 3u) & 504u) | two)] |
    sums[1536u + (((w.y >> 9u) & 248u) | one)] | sums[1536u + (((w.y >> 14u) & 248u) | two)] |
    sums[1792u + (((w.y >> 19u) & 248u) | one)] | sums[1792u + (((w.y >> 24u) & 248u) | two)];
}

fn put_two(at: u32, more: u32, before: vec4<u32>, sum: vec4<u32>) {
  if (any(sum != before)) { store(at, sum.xy); store(at + more, sum.zw); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[0].x; let stride = given[0].y; let blocks = given[0].z; let share = given[0].w;
  let pivots = given[2].x; let list = given[2].y; let counted = given[2].z;
  let start = share * group.y; let n_blocks = min(share, blocks - start);
  if (id < MOST_BLOCKS) {
    sums[id] = vec4<u32>(0u);
    if (id < n_blocks) { sums[id].x = load(counted + start + id).x; }
  }
  workgroupBarrier();
  if (id == 0u) {
    var all = 0u;
    for (var i = 0u; i < MOST_BLOCKS; i++) { all += sums[i].x; }
    sums[MOST_BLOCKS].x = all;
  }
  if (workgroupUniformLoad(&sums[MOST_BLOCKS]).x == 0u) { return; }
  // The records of the block of each iteration, a byte for each; an iteration has a record of a
  // block for each four threads.
  var records = vec4<u32>(0u);
  for (var iteration = 0u; iteration < MOST_BLOCKS / AT_ONCE; iteration++) {
    let n_found = sums[AT_ONCE * iteration + (id >> 8u)].x;
    records[iteration >> 2u] |= ((n_found + 3u) >> 2u) << (8u * (iteration & 3u));
  }
  workgroupBarrier();
  let lane = id & 3u;
  // There is nothing after the end of a line; a lane may have half of the limbs of others.
  let x = 8u * group.x + 2u * lane;
  let own = min(x, stride - 1u);
  let more = select(0u, 1u, own + 1u < stride);
  if (id < 256u) {
    // A thread computes eight entries of a group: those that differ in only three pivots.
    var first: u32; var upper: u32; var into: u32;
    if (id < 128u) {
      let both = id >> 5u;
      upper = (id >> 2u) & 7u;
      first = 32u * (both >> 1u) + 6u * (both & 1u);
      into = 1024u * (both >> 1u) + 4u * (both & 1u);
    } else {
      let both = (id >> 4u) & 7u;
      upper = (id >> 2u) & 3u;
      first = 32u * (both >> 2u) + 12u + 5u * (both & 3u);
      into = 1024u * (both >> 2u) + 512u + 256u * ((both >> 1u) & 1u) + 4u * (both & 1u);
    }
    let at = pivots + first * stride + own;
    // Missing ones are loaded from the first line.
    let rest = vec4<bool>((upper & 1u) != 0u, (upper & 2u) != 0u, (upper & 4u) != 0u, false);
    let upper_at = vec4<u32>(at) + select(vec4<u32>(0u), vec4<u32>(3u, 4u, 5u, 0u) * stride, rest);
    let lower = load_four(vec4<u32>(at, at + stride, at + 2u * stride, at), more);
    let higher = load_four(upper_at, more);
    var u = vec4<u32>(0u);
    if (rest.x) { u |= higher.a; }
    if (rest.y) { u |= higher.b; }
    if (rest.z) { u |= higher.c; }
    into += lane + 64u * upper;
    sums[into] = u; sums[into + 8u] = u | lower.a;
    sums[into + 16u] = u | lower.b; sums[into + 24u] = u | lower.a | lower.b;
    u |= lower.c;
    sums[into + 32u] = u; sums[into + 40u] = u | lower.a;
    sums[into + 48u] = u | lower.b; sums[into + 56u] = u | lower.a | lower.b;
  }
  workgroupBarrier();
  if (x >= stride) { return; }
  let one = lane | (id & 4u); let two = one ^ 4u;
  let record = (id >> 2u) & 63u;
  for (var iteration = 0u; AT_ONCE * iteration < n_blocks; iteration++) {
    if (record < ((records[iteration >> 2u] >> (8u * (iteration & 3u))) & 255u)) {
      let at = list + 8u * (64u * (start + AT_ONCE * iteration + (id >> 8u)) + record);
      let listed = load_four(vec4<u32>(at, at + 2u, at + 4u, at + 6u), 1u);
      let places = vec4<u32>(table + own) + listed.a * stride;
      let before = load_four(places, more);
      if (any((before.a & before.b & before.c & before.d) != vec4<u32>(0xffffffffu))) {
        put_two(places.x, more, before.a, joined(before.a, listed.b.xy, one, two));
        put_two(places.y, more, before.b, joined(before.b, listed.b.zw, one, two));
        put_two(places.z, more, before.c, joined(before.c, listed.c.xy, one, two));
        put_two(places.w, more, before.d, joined(before.d, listed.c.zw, one, two));
      }
    }
  }
}
