// A window of waves on the queued tiles (Note [Windows] in star-shaders). A workgroup processes a
// tile at a time; a thread has a row of its region, in registers.

// The visited cells of all rows, alternately, with a row of zeros before and after.
var<workgroup> rows: array<vec4<u32>, 2u * (THREADS + 2u)>;
var<workgroup> n_tiles: u32;
// A bit for each of the tile and its neighbours: whether the next window must process it.
var<workgroup> next: atomic<u32>;

// Returns the words of a row: those of adjacent columns are `gap` apart.
fn load_row(at: u32, gap: u32) -> vec4<u32> {
  return vec4<u32>(load(at), load(at + gap), load(at + 2u * gap), load(at + 3u * gap));
}

// Moves the cells of a row to the right, or to the left.
fn to_right(v: vec4<u32>) -> vec4<u32> {
  return (v << vec4<u32>(1u)) | (vec4<u32>(0u, v.xyz) >> vec4<u32>(31u));
}
fn to_left(v: vec4<u32>) -> vec4<u32> {
  return (v >> vec4<u32>(1u)) | (vec4<u32>(v.yzw, 0u) << vec4<u32>(31u));
}

fn join_bits(at: u32, bits: u32) { if (bits != 0u) { join_add(at, bits); } }

// Adds a bit of the labels of 64 cells of a row, the first of which is `cell`.
fn put_bits(bit: u32, cell: u32, bits: vec2<u32>) {
  let by = cell & 31u;
  let at = given[4].z + (given[5].x - 1u - bit) * given[4].w + (cell >> 5u);
  let low = bits << vec2<u32>(by); var high = vec2<u32>(0u);
  if (by != 0u) { high = bits >> vec2<u32>(32u - by); }
  join_bits(at, low.x);
  join_bits(at + 1u, high.x | low.y);
  join_bits(at + 2u, high.y);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let width = given[0].x; let window = given[0].y;
  let gap = given[1].x; let across = given[1].z;
  let from_seen = given[3].x; let to_seen = given[3].y;
  let lengths = given[3].z; let marks = given[3].w;
  let list = given[4].x;
  if (id == 0u) {
    n_tiles = load(lengths + window % 3u);
    // That queue was processed by the window before.
    if (group.x == 0u) { store(lengths + (window + 2u) % 3u, 0u); }
  }
  let end = workgroupUniformLoad(&n_tiles);
  for (var i = group.x; i < end; i += given[0].z) {
    let tile = load(list + i);
    let tile_x = tile % across; let tile_y = tile / across;
    let at = 2u * tile_x * gap + ROWS * tile_y + id;
    let before = load_row(from_seen + at, gap);
    let right = load_row(given[2].x + at, gap);
    let down = load_row(given[2].y + at, gap);
    let left = to_right(right);
    var up = vec4<u32>(0u);
    if (id > 0u) { up = load_row(given[2].y + at - 1u, gap); }
#ifdef DIAGONAL
    let down_right = load_row(given[2].z + at, gap);
    let down_left = to_right(load_row(given[2].w + at, gap));
    var up_left = vec4<u32>(0u); var up_right = vec4<u32>(0u);
    if (id > 0u) {
      up_left = to_right(load_row(given[2].z + at - 1u, gap));
      up_right = load_row(given[2].w + at - 1u, gap);
    }
#endif
    if (id == 0u) { atomicStore(&next, 0u); }
    var v = before; var front = vec4<u32>(0u);
BEGIN_BITS
    for (var part = 0u; part < WAVES / AT_ONCE; part++) {
      let begin = v;
      // The first wave of all is that of the goals.
      let is_later = vec4<u32>(select(0xffffffffu, 0u, window == 0u && part == 0u));
STEPS
      let fresh = v & ~begin;
ADD_BITS
    }
    let is_of_tile = id >= WAVES && id < WAVES + ROWS; let y = id - WAVES;
    let fresh = v.yz & ~before.yz; let is_changed = any(fresh != vec2<u32>(0u));
    if (is_of_tile) {
      store(to_seen + at + gap, v.y);
      store(to_seen + at + 2u * gap, v.z);
      var sides = 0u;
      if (front.y != 0u) { sides |= 3u; }
      if (front.z != 0u) { sides |= 6u; }
      var found = sides << 3u;
      if (is_changed) { found |= 16u; }
      if (y < WAVES) { found |= sides; }
      if (y >= ROWS - WAVES) { found |= sides << 6u; }
      if (found != 0u) { atomicOr(&next, found); }
    }
    workgroupBarrier();
    if (id < 9u && ((atomicLoad(&next) >> id) & 1u) == 1u) {
      let queue = Queue(given[4].y, marks, lengths + (window + 1u) % 3u, window + 1u);
      append_neighbour(queue, tile_x, tile_y, id);
    }
    if (is_of_tile && is_changed) {
      let cell = (ROWS * tile_y + y) * width + COLUMNS * tile_x;
PUT_BITS
      for (var bit = 0u; (window >> bit) != 0u; bit++) {
        if (((window >> bit) & 1u) == 1u) { put_bits(LOW_BITS + bit, cell, fresh); }
      }
    }
    workgroupBarrier();
  }
}
