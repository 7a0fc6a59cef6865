// The objects in each cell, and the rank of each among those of its cell, which is kept instead of
// its stamp. A thread has an object.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let counts = given[5].x;
  let idx = THREADS * number_of(group) + id;
  if (idx >= n_ids()) { return; }
  let object = object_of(idx);
  if (load(object) == 0u) { return; }
  store(object + STAMP, fetch_add(counts + cell_of(position_of(object)), 1u));
}
