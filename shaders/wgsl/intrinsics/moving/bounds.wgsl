// The bounding box of all objects as four maxima, of coordinates and of their complements, in the
// order of unsigned numbers; and how many objects there are. A thread has some objects.

var<workgroup> most: array<atomic<u32>, 5>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let share = given[5].x;
  for (var i = id; i < 5u; i += THREADS) { atomicStore(&most[i], 0u); }
  workgroupBarrier();
  var own = vec4<u32>(0u); var n = 0u;
  for (var i = 0u; i < share; i++) {
    let idx = (number_of(group) * share + i) * THREADS + id;
    if (idx >= n_ids()) { break; }
    if (load(object_of(idx)) == 0u) { continue; }
    let at = vec2<u32>(position_of(object_of(idx))) ^ vec2<u32>(0x80000000u);
    own = max(own, vec4<u32>(at, ~at));
    n++;
  }
  if (n != 0u) {
    for (var i = 0u; i < 4u; i++) { atomicMax(&most[i], own[i]); }
    atomicAdd(&most[4], n);
  }
  workgroupBarrier();
  if (id < 4u) { join_max(notes() + id, atomicLoad(&most[id])); }
  if (id == 0u) { join_add(notes() + 4u, atomicLoad(&most[4])); }
}
