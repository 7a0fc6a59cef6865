// The objects in each tile. A thread has an object.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let counts = given[5].x;
  let idx = THREADS * number_of(group) + id;
  if (idx >= n_ids() || load(object_of(idx)) == 0u) { return; }
  let at = position_of(object_of(idx));
  join_add(counts + (along(at.y, 1u) >> 16u) * given[3].z + (along(at.x, 0u) >> 16u), 1u);
}
