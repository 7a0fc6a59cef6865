// The rows of a table as numbers. A thread has a row.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let table = given[1].x; let stride = given[1].y; let columns = given[1].z; let n_rows = given[1].w;
  let to = given[2].x;
  let row = THREADS * number_of(group) + id;
  if (row >= n_rows) { return; }
  var number = 0u;
  for (var column = 0u; column < columns; column++) {
    let plane = load(table + column * stride + (row >> 5u));
    number = (number << 1u) | ((plane >> (row & 31u)) & 1u);
  }
  store(to + row, number);
}
