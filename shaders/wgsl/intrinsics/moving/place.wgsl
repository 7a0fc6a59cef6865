// The slots of all objects. The first one of a bucket stores its head. A thread has an object.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let counts = given[5].x;
  let idx = THREADS * number_of(group) + id;
  if (idx >= n_ids()) { return; }
  let object = object_of(idx);
  if (load(object) == 0u) { return; }
  let rank = load(object + STAMP);
  store(object + STAMP, 0u);
  let cell = cell_of(position_of(object));
  var bucket = cell;
  if (rank >= SLOTS) { bucket = load(head_of(cell) + 1u) + rank / SLOTS - 1u; }
  store(object, bucket * SLOTS + rank % SLOTS + 1u);
  store(slot_of(bucket * SLOTS + rank % SLOTS), idx);
  if (rank % SLOTS != 0u) { return; }
  let n = load(counts + cell) - rank;
  store(head_of(bucket), select((1u << n) - 1u, 0xffffffffu, n >= SLOTS));
  if (rank != 0u && n > SLOTS) { store(head_of(bucket) + 1u, bucket + 1u); }
}
