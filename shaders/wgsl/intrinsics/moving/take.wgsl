// The first records of each question, as many for all, as two lists: numbers of questions, and
// objects. A thread has a record.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[1].y; let numbers = given[1].z; let objects = given[1].w; let n_each = given[2].x;
  let at = THREADS * number_of(group) + id;
  if (at >= n) { return; }
  let own = record_at(at);
  let first = vec4<u32>(own.x, 0u, 0u, 0u);
  var low = 0u; var high = at;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (is_before(record_at(middle), first)) { low = middle + 1u; } else { high = middle; }
  }
  if (at - low >= n_each) { return; }
  let to = (own.x - 1u) * n_each + at - low;
  store(numbers + to, own.x);
  store(objects + to, own.w);
}
