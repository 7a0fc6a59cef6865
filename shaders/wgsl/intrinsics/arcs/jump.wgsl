// A step towards the first vertices of all sets: the depth of each becomes an eighth. A thread has
// a vertex.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let parents = given[2].z;
  let vertex = THREADS * number_of(group) + id;
  if (vertex >= given[0].x) { return; }
  let parent = load(parents + vertex);
  var above = parent;
  for (var i = 0u; i < JUMPS; i++) { above = load(parents + above); }
  if (above != parent) { store(parents + vertex, above); }
}
