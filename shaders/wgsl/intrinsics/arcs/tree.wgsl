// A round of a tree of shortest paths (Note [Ties] in star-shaders). In its first half, arcs that
// may enter the tree offer their rows to the sets of their heads; in its second half, the least row
// of each set enters. A thread has a row.

var<workgroup> n_taken: atomic<u32>;

fn enter(row: u32, tail: u32, head: u32, weight: u32) {
  let costs = given[1].w; let parents = given[2].z; let keys = given[2].w;
  let takes = given[3].x != 0u; let tails = given[3].y; let marked = given[3].z; let start = given[3].w;
  let cost = load(costs + tail);
  if (cost == UNREACHED || cost + weight != load(costs + head)) { return; }
  if (head == start || load(tails + head) != 0u) { return; }
  // The tail of an arc without weight is in the same set.
  if (weight == 0u && tail != start && load(tails + tail) == 0u) { return; }
  let key = keys + load(parents + head);
  let before = load(key);
  if (!takes) {
    if (before < ~row) { join_max(key, ~row); }
  } else if (before == ~row) {
    store(key, 0u);
    store(tails + head, tail + 1u);
    join_or(marked + (row >> 5u), 1u << (row & 31u));
    atomicAdd(&n_taken, 1u);
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let row = THREADS * number_of(group) + id;
  if (row < given[0].w) {
    let arc = arc_of(row);
    if (arc.x != NONE) {
      enter(row, arc.x, arc.y, arc.z);
      if (given[1].z != 0u) { enter(row, arc.y, arc.x, arc.z); }
    }
  }
  workgroupBarrier();
  if (id == 0u) {
    let n = atomicLoad(&n_taken);
    if (n != 0u) { join_add(given[1].y + TAKEN, n); }
  }
}
