// The state of a search before its first window, and a set for each vertex. A thread has a vertex.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let costs = given[1].w; let parents = given[2].z; let start = given[3].x;
  let vertex = THREADS * number_of(group) + id;
  if (vertex >= given[0].x) { return; }
  if (costs != 0u) { store(costs + vertex, select(UNREACHED, FIRST, vertex == start)); }
  if (costs != 0u && vertex == start) { store(given[1].y + LEAST, ~FIRST); }
  if (parents != 0u) { store(parents + vertex, vertex); }
}
