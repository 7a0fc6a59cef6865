// The first half of a round of the transitive closure: the pivots, of 64, that every line reaches
// directly or through others of them.
//
// The lines of the table are its columns, and pivot k is line k and bit k of every line. The table
// is only read: the lines of the pivots are copied, because the other half of the round changes
// them in place. A workgroup has 256 lines, and lists those that reach any pivot, four in a record
// of eight pairs: the lines, then the pivots of each. The last record is padded with its first
// line, without pivots.

@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;

// For each pivot the pivots whose ones it receives, itself included, and ORs of these in groups of
// four: [part][entry].
var<workgroup> arcs: array<vec2<u32>, 64>;
var<workgroup> steps: array<vec2<u32>, 16u * 16u>;
// The steps of the closure of `arcs` that changed it, and whether the last one did.
var<workgroup> changes: atomic<u32>;
var<workgroup> has_changed: u32;

const NO_PIVOT = vec2<u32>(0u);

// Returns the pivots below `n`.
fn valid(round: u32, n: u32) -> vec2<u32> {
  let start = 64u * round;
  let has = clamp(max(n, start) - start, 0u, 64u);
  var mask = NO_PIVOT;
  if (has >= 32u) { mask.x = 0xffffffffu; } else { mask.x = (1u << has) - 1u; }
  if (has >= 64u) { mask.y = 0xffffffffu; } else if (has > 32u) { mask.y = (1u << (has - 32u)) - 1u; }
  return mask;
}

// Returns the OR of these pivots in `arcs`.
fn stepped(w: vec2<u32>) -> vec2<u32> {
  return steps[0u + (w.x & 15u)] | steps[16u + ((w.x >> 4u) & 15u)] |
    steps[32u + ((w.x >> 8u) & 15u)] | steps[48u + ((w.x >> 12u) & 15u)] |
    steps[64u + ((w.x >> 16u) & 15u)] | steps[80u + ((w.x >> 20u) & 15u)] |
    steps[96u + ((w.x >> 24u) & 15u)] | steps[112u + ((w.x >> 28u) & 15u)] |
    steps[128u + (w.y & 15u)] | steps[144u + ((w.y >> 4u) & 15u)] |
    steps[160u + ((w.y >> 8u) & 15u)] | steps[176u + ((w.y >> 12u) & 15u)] |
    steps[192u + ((w.y >> 16u) & 15u)] | steps[208u + ((w.y >> 20u) & 15u)] |
    steps[224u + ((w.y >> 24u) & 15u)] | steps[240u + ((w.y >> 28u) & 15u)];
}

// Computes the closure of `arcs`, and its ORs; `changes` is zero. All threads of a workgroup of 256
// participate.
fn close(id: u32) {
  // Paths of up to 2, 4, 8 … 64 arcs; the last step finds no longer ones.
  let part = id >> 4u;
  for (var i = 0u; i < 7u; i++) {
    var sum = NO_PIVOT;
    if ((id & 1u) != 0u) { sum |= arcs[4u * part]; }
    if ((id & 2u) != 0u) { sum |= arcs[4u * part + 1u]; }
    if ((id & 4u) != 0u) { sum |= arcs[4u * part + 2u]; }
    if ((id & 8u) != 0u) { sum |= arcs[4u * part + 3u]; }
    steps[id] = sum;
    workgroupBarrier();
    if (id < 64u) {
      let before = arcs[id]; let after = stepped(before);
      if (any(after != before)) { arcs[id] = after; atomicOr(&changes, 1u << i); }
    }
    workgroupBarrier();
    if (id == 0u) { has_changed = (atomicLoad(&changes) >> i) & 1u; }
    if (workgroupUniformLoad(&has_changed) == 0u) { break; }
  }
}

// The pivots of each line, the number of lines with any, and their list.
var<workgroup> reached: array<vec2<u32>, THREADS>;
var<workgroup> found: atomic<u32>;
var<workgroup> order: array<u32, THREADS>;

// Returns the pivots in the order of an odd record: adjacent groups of the six, six and four times
// five are exchanged.
fn swapped(w: vec2<u32>) -> vec2<u32> {
  return ((w & vec2<u32>(0x3fu)) << vec2<u32>(6u)) | ((w >> vec2<u32>(6u)) & vec2<u32>(0x3fu)) |
    ((w & vec2<u32>(0x07c1f000u)) << vec2<u32>(5u)) | ((w >> vec2<u32>(5u)) & vec2<u32>(0x07c1f000u));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[0].x; let stride = given[0].y; let lines = given[0].z;
  let n = given[1].x; let round = given[1].y;
  let pivots = given[2].x; let list = given[2].y; let counts = given[2].z;
  let is_pivot = valid(round, n);
  let line = THREADS * group.x + id;
  // As many pairs of the pivots' lines as there are lines in a workgroup.
  for (var i = line; i < 64u * stride; i += THREADS * given[1].z) {
    let pivot = 64u * round + i / stride;
    var pair = NO_PIVOT;
    if (pivot < n) { pair = load(table + pivot * stride + i % stride); }
    store(pivots + i, pair);
  }
  var own = NO_PIVOT;
  if (line < lines) { own = load(table + line * stride + round) & is_pivot; }
  if (id < 64u) {
    var arc = NO_PIVOT;
    let pivot = 64u * round + id;
    if (pivot < n) {
      arc = load(table + pivot * stride + round) & is_pivot;
      if (id < 32u) { arc.x |= 1u << id; } else { arc.y |= 1u << (id - 32u); }
    }
    arcs[id] = arc;
  }
  if (id == 0u) { atomicStore(&changes, 0u); atomicStore(&found, 0u); }
  workgroupBarrier();
  close(id);
  own = stepped(own);
  reached[id] = own;
  if (any(own != NO_PIVOT)) { order[atomicAdd(&found, 1u)] = id; }
  workgroupBarrier();
  let n_found = atomicLoad(&found);
  if (id == 0u) { store(counts + group.x, vec2<u32>(n_found, 0u)); }
  if (id < ((n_found + 3u) & ~3u)) {
    let is_line = id < n_found;
    let place = order[select(id & ~3u, id, is_line)];
    var of_line = NO_PIVOT;
    if (is_line) { of_line = reached[place]; }
    if ((id & 4u) != 0u) { of_line = swapped(of_line); }
    let record = list + 8u * (THREADS / 4u * group.x + (id >> 2u));
    store_word(record + ((id & 3u) >> 1u), id & 1u, THREADS * group.x + place);
    store(record + 2u + (id & 3u), of_line);
  }
}
