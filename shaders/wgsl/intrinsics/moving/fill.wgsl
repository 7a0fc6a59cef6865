// The objects of tables of coordinates. A thread has an object.

fn number(table: u32, stride: u32, columns: u32, row: u32) -> u32 {
  var found = 0u;
  for (var column = 0u; column < columns; column++) {
    found = (found << 1u) | ((load(table + column * stride + (row >> 5u)) >> (row & 31u)) & 1u);
  }
  return found;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let xs = given[5].x; let ys = given[5].y; let stride = given[5].z; let columns = given[5].w;
  let there = given[6].x;
  let row = THREADS * number_of(group) + id;
  if (row >= n_ids() || number(there, 0u, 1u, row) == 0u) { return; }
  let object = object_of(row);
  store(object, WAITS);
  store(object + X, number(xs, stride, columns, row));
  store(object + X + 1u, number(ys, stride, columns, row));
}
