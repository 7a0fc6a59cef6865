// The greatest values in blocks of rows. A thread has a column of a block.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let values = given[2].x; let to = given[2].y;
  let d = n_points(); let n_rows = n_differences(); let n_blocks = (n_rows + BLOCK - 1u) / BLOCK;
  let at = THREADS * number_of(group) + id;
  let point = at % d; let first = ((at / d) % n_blocks) * BLOCK; let request = at / d / n_blocks;
  if (request >= given[0].x) { return; }
  var most = bitcast<i32>(NO_LINK);
  for (var row = first; row < min(first + BLOCK, n_rows); row++) {
    most = max(most, bitcast<i32>(load(values + (request * n_rows + row) * d + point)));
  }
  store(to + at, bitcast<u32>(most));
}
