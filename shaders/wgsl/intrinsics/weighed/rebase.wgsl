// The end of a part of the costs: those below the end are final and become 0, the others are
// reduced by it. A thread has a cell, and a tile, whose bucket is reduced by the buckets of the
// part.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n_cells = given[0].x * given[0].w;
  let costs = given[1].x; let end = given[1].y; let buckets = given[1].z; let least = given[1].w;
  let dues = given[2].x; let n_tiles = given[2].y;
  let at = THREADS * number_of(group) + id;
  if (at >= n_cells) { return; }
  let cost = load(costs + at);
  if (cost < end) { store(costs + at, 0u); }
  else if (cost != UNREACHED) { store(costs + at, cost - end + FIRST); }
  if (at == 0u) { store(least, load(least) + buckets); }
  if (at < n_tiles) {
    let due = load(dues + at);
    if (due != 0u) { store(dues + at, due + buckets); }
  }
}
