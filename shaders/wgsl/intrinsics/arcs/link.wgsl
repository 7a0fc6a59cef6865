// The sets of vertices that arcs connect; or, of those at the same distance, by arcs without
// weight. A thread has a row.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let notes = given[1].y; let costs = given[1].w; let parents = given[2].z;
  let row = THREADS * number_of(group) + id;
  if (row >= given[0].w) { return; }
  let arc = arc_of(row);
  if (arc.x == NONE) { return; }
  if (given[3].x != 0u) {
    if (arc.z != 0u) { return; }
    let cost = load(costs + arc.x);
    if (cost == UNREACHED || cost != load(costs + arc.y)) { return; }
    if (load(notes + ZEROS) == 0u) { store(notes + ZEROS, 1u); }
  }
  // Most arcs are inside of a set.
  if (load(parents + arc.x) == load(parents + arc.y)) { return; }
  if (!join_sets(arc.x, arc.y)) { store(notes + UNFINISHED, 1u); }
}
