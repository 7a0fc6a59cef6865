// The numbers of questions and the objects of records, as two lists. A thread has a record.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let records = given[1].x; let n = given[1].y; let numbers = given[1].z; let objects = given[1].w;
  let at = THREADS * number_of(group) + id;
  if (at >= n) { return; }
  store(numbers + at, load(records + 4u * at));
  store(objects + at, load(records + 4u * at + 3u));
}
