// Each two adjacent runs of sorted records as one. A thread has a record.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n = given[1].y; let length = given[1].w;
  let at = THREADS * number_of(group) + id;
  if (at >= n) { return; }
  let own = record_at(at);
  let begin = at - at % length;
  // The other run.
  let other = select(begin - length, begin + length, (at / length) % 2u == 0u);
  let end = min(other, n) + min(length, n - min(other, n));
  var low = min(other, n); var high = end;
  while (low < high) {
    let middle = low + (high - low) / 2u;
    if (is_before(record_at(middle), own)) { low = middle + 1u; } else { high = middle; }
  }
  put_record(min(begin, other) + (at - begin) + (low - min(other, n)), own);
}
