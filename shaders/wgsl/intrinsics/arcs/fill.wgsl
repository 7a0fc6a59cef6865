// The heads and weights of the arcs that leave each vertex, in an arbitrary order. A thread has a
// row. The place of each vertex becomes the end of its arcs.

fn put(tail: u32, head: u32, weight: u32) {
  let at = given[2].y + END_WORDS * fetch_add(given[2].x + 2u * tail, 1u);
  store(at, head);
  if (END_WORDS == 2u) { store(at + 1u, weight); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let row = THREADS * number_of(group) + id;
  if (row >= given[0].w) { return; }
  let arc = arc_of(row);
  if (arc.x == NONE) { return; }
  put(arc.x, arc.y, arc.z);
  if (given[1].z != 0u) { put(arc.y, arc.x, arc.z); }
}
