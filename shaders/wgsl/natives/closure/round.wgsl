// The begin of a round of the transitive closure: which of 64 pivots every line has an arc to, or gets to by others of them. In
// front stands the text about pivots.
//
// The lines of the table are its columns, and pivot k is line k and bit k of every line. The table is only read: the lines of
// the pivots are copied, because the other half of the round changes them where they are. A workgroup has 256 lines, and
// lists those that get to any pivot, four in a record of eight pairs: the lines, then the pivots of each. What is left
// of the last record is its first line again, without pivots.

// The pivots of each line, how many lines have any, and which.
var<workgroup> reached: array<vec2<u32>, THREADS>;
var<workgroup> found: atomic<u32>;
var<workgroup> order: array<u32, THREADS>;

// Pivots in the order of an odd record: neighbours of the groups of six, six and four times five change places.
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
