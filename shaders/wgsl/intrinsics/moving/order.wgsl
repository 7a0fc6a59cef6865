// The order of records, included by the kernels that sort them. Their parameters: the records, how
// many there are, the sorted ones.

fn record_at(idx: u32) -> vec4<u32> {
  let at = given[1].x + 4u * idx;
  return vec4<u32>(load(at), load(at + 1u), load(at + 2u), load(at + 3u));
}
fn put_record(idx: u32, record: vec4<u32>) {
  let at = given[1].z + 4u * idx;
  store(at, record.x); store(at + 1u, record.y); store(at + 2u, record.z); store(at + 3u, record.w);
}

// Returns whether a record is before another one; no two are equal.
fn is_before(a: vec4<u32>, b: vec4<u32>) -> bool {
  if (a.x != b.x) { return a.x < b.x; }
  if (a.y != b.y) { return a.y < b.y; }
  if (a.z != b.z) { return a.z < b.z; }
  return a.w < b.w;
}
