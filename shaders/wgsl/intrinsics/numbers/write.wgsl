// Rows of numbers, as columns of a table. A thread has 32 rows of a column: adjacent threads have
// adjacent columns, which need the same numbers.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let list = given[1].x; let n_rows = given[1].y; let fields = given[1].z; let width = given[1].w;
  let table = given[2].x; let stride = given[2].y;
  let at = THREADS * number_of(group) + id;
  let column = at % (fields * width); let word = at / (fields * width);
  if (32u * word >= n_rows) { return; }
  let bit = width - 1u - column % width;
  var bits = 0u;
  for (var i = 0u; i < min(n_rows - 32u * word, 32u); i++) {
    let number = load(list + (32u * word + i) * fields + column / width);
    bits |= ((number >> bit) & 1u) << i;
  }
  store(table + column * stride + word, bits);
}
