// The last update of each object in a batch, and how many of a set of removals find no object. A
// thread has an update.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let first_removals = given[6].w;
  let update = THREADS * number_of(group) + id;
  if (update >= given[5].x) { return; }
  join_max(stamp_of(moved(update)), update + 1u);
  // No table has this address.
  if (given[7].x == 1u && ((load(first_removals + (update >> 5u)) >> (update & 31u)) & 1u) == 1u) {
    if (load(object_of(moved(update))) == 0u) { join_add(notes() + UNKNOWN_FIRST, 1u); }
  }
}
