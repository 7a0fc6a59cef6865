// The places of the arcs that leave each vertex, in an arbitrary order of vertices. A thread has a
// vertex.

var<workgroup> total: atomic<u32>;
var<workgroup> base: u32;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let notes = given[1].y; let places = given[2].x;
  let vertex = THREADS * number_of(group) + id;
  let is_one = vertex < given[0].x;
  var before = 0u;
  if (is_one) { before = atomicAdd(&total, load(places + 2u * vertex + 1u)); }
  workgroupBarrier();
  if (id == 0u) { base = fetch_add(notes + PLACED, atomicLoad(&total)); }
  let first = workgroupUniformLoad(&base);
  if (is_one) { store(places + 2u * vertex, first + before); }
}
