// The first half of a round of Borůvka's algorithm: the arcs between two sets offer their weights,
// then those of the least weight their rows, to both sets. A thread has a row.

fn offer(key: u32, number: u32) { if (load(key) < ~number) { join_max(key, ~number); } }

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let parents = given[2].z; let weights = given[2].w; let rows = given[3].x; let is_second = given[3].y != 0u;
  let row = THREADS * number_of(group) + id;
  if (row >= given[0].w) { return; }
  let arc = arc_of(row);
  if (arc.x == NONE) { return; }
  let one = load(parents + arc.x); let other = load(parents + arc.y);
  if (one == other) { store(given[1].x + row, NONE); return; }
  if (!is_second) {
    offer(weights + one, arc.z);
    offer(weights + other, arc.z);
  } else {
    if (load(weights + one) == ~arc.z) { offer(rows + one, row); }
    if (load(weights + other) == ~arc.z) { offer(rows + other, row); }
  }
}
