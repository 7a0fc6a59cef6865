// The last update of each object in a batch. A thread has an update.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let update = THREADS * number_of(group) + id;
  if (update < given[5].x) { join_max(stamp_of(moved(update)), update + 1u); }
}
