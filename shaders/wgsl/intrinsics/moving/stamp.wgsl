// The last update of each object in a batch, and how many removals find no object. A thread has an
// update.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let update = THREADS * number_of(group) + id;
  if (update >= given[5].x || !is_due()) { return; }
  let idx = moved(update);
  join_max(stamp_of(idx), update + 1u);
  if (is_first_removal(update) && load(object_of(idx)) == 0u) { join_add(notes() + UNKNOWN_FIRST, 1u); }
}
